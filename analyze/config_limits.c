/* analyze/config_limits.c - ECN against PFC, and what the buffer is cut into. */
#include <stdlib.h>
#include <string.h>
#include "analyze/config.h"
#include "sim/mem.h"

int64_t config_limit(const struct view_limits *l, int64_t pool, int64_t n)
{
	__int128 limit, a = l->alpha.num, port = 1, whole = l->alpha.den;

	if (l->xoff_bytes >= 0)
		return (l->xoff_bytes < pool / n ? l->xoff_bytes : pool / n) + l->reserved_bytes;
	if (l->port_alpha.num > 0) {	/* s = alpha (port_alpha (P - n s) - s) */
		port = l->port_alpha.num;
		whole = (whole + a) * l->port_alpha.den;
	}
	limit = pool * a * port / (whole + n * a * port);
	return (int64_t)limit + l->reserved_bytes;
}

int64_t config_groups(const struct view_limits *l, int64_t pool, int64_t bytes)
{
	int64_t low = 0, high = 1 << 20;

	if (l->xoff_bytes >= 0 && l->xoff_bytes + l->reserved_bytes <= bytes)
		return 0;
	while (low < high) {		/* the limit falls with n */
		int64_t n = (low + high + 1) / 2;

		if (config_limit(l, pool, n) > bytes)
			low = n;
		else
			high = n - 1;
	}
	return low;
}

/* --------------------------------------------------------------------- ECN */

/* How many rows after the s-th are like it; they are done with it.  Rows are compared as
 * bytes: of int64_t alone, so without padding. */
static int64_t fold_others(const void *list, size_t row_bytes, uint32_t s, uint32_t n, bool *done)
{
	const char *row = list;
	int64_t others = 0;

	for (uint32_t t = s + 1; t < n; t++)
		if (!done[t] && !memcmp(row + s * row_bytes, row + t * row_bytes, row_bytes)) {
			done[t] = true;
			others++;
		}
	return others;
}

/* Of the lossless port whose group is in XOFF first when it fills alone; `ports` share its
 * partition of the pool, `all` is the limit when they all fill. */
struct ecn_case { const char *low; int64_t kmin, kmax, limit, all, ports, parts, fixed, groups_min, groups_max; };

static struct ecn_case ecn_case(const struct routing *r, uint32_t sw, int class_)
{
	const struct fabric *f = r->f;
	const struct ecn_conf *e = &view_switch_conf(f, r->node[sw])->ecn[class_];
	int prio = (int)view_class(f, class_)->priority;
	uint32_t port = view_first_port(f, r->node[sw]), end = port + view_port_count(f, r->node[sw]);
	struct ecn_case c = { .kmin = e->kmin_bytes, .kmax = e->kmax_bytes, .limit = INT64_MAX,
			      .low = "kmin", .parts = view_parts(f, r->node[sw]) };
	int64_t ports[MMU_PARTS] = { 0 }, pool = 0;
	struct view_limits worst = { .xoff_bytes = -1 };
	int part = 0;

	if (e->pi_ref_bytes) {
		c.low = "pi_ref";
		c.kmin = c.kmax = e->pi_ref_bytes;
	}
	for (; port < end; port++) {
		int at = view_part(f, port);
		int64_t have = view_pool(f, r->node[sw], at).shared_bytes;
		struct view_limits l = view_limits(f, port, prio);

		if (!l.lossless)
			continue;
		ports[at]++;
		if (config_limit(&l, have, 1) >= c.limit)
			continue;
		c.limit = config_limit(&l, have, 1);
		worst = l;
		pool = have;
		part = at;
	}
	c.ports = ports[part];
	if (!c.ports)
		return c;
	c.fixed = worst.xoff_bytes >= 0;
	c.all = config_limit(&worst, pool, c.ports);
	c.groups_min = config_groups(&worst, pool, c.kmin);
	c.groups_max = config_groups(&worst, pool, c.kmax);
	return c;
}

static void ecn_finding(const struct routing *r, uint32_t sw, int class_,
			const struct ecn_case *c, int64_t others, struct finding_list *out)
{
	bool never = c->groups_min == 0, late = c->groups_min < c->ports;
	const char *alone = c->parts > 1 ? "alone in its partition" : "alone";
	const char *part = c->parts > 1 ? " of a partition" : "";
	struct finding *x;
	char more[32];

	if (!never && !late && c->groups_max > 0)
		return;
	x = finding_add(out, never ? FINDING_WRONG : FINDING_NOTE, "ecn");
	finding_object(x, "%s%s, class %s", view_node_name(r->f, r->node[sw]),
		       finding_more(others, more, sizeof(more)),
		       view_class(r->f, class_)->name);
	finding_value(x, never || late ? c->kmin : c->kmax, UNITS_BYTES);
	if (never)
		finding_reason(
			x,
			"%s is %lldB, and one ingress group %s is in XOFF at %lldB: PFC always "
			"acts before ECN",
			c->low, (long long)c->kmin, alone, (long long)c->limit);
	else if (late)
		finding_reason(
			x,
			"%s %lldB lies under the XOFF limit while at most %lld groups%s fill at "
			"once, and %s has %lld lossless ports: with more active, PFC acts before ECN",
			c->low, (long long)c->kmin, (long long)c->groups_min, part, *part ? "that" : "it",
			(long long)c->ports);
	else
		finding_reason(
			x,
			"kmax is %lldB, and one group %s is in XOFF at %lldB: the marking "
			"never reaches pmax",
			(long long)c->kmax, alone, (long long)c->limit);
	finding_remedy(x, "%s%s under %lldB, or a larger %s or buffer",
		       never || late ? c->low : "kmax", never || late ? " well" : "",
		       (long long)(late && !never ? c->all : c->limit), c->fixed ? "xoff" : "alpha");
}

/* Does the experiment's traffic use the class?  Without traffic, any class counts. */
static bool used(const struct routing *r, int class_)
{
	for (int w = 0; w < view_workloads(r->f); w++)
		if (view_workload_conf(r->f, w)->class_ == class_)
			return true;
	return !view_workloads(r->f);
}

static void ecn_missing(const struct routing *r, int class_, struct finding_list *out)
{
	uint32_t first = ROUTING_NONE, host = ROUTING_NONE;
	int64_t without = 0;
	char more[32];
	struct finding *x;

	for (uint32_t h = 0; h < view_nodes(r->f) && host == ROUTING_NONE; h++)
		if (r->group_of[h] != ROUTING_NONE &&
		    view_nic_conf(r->f, h)->cc->needs & (CC_NEED_ECN | CC_NEED_CNP))
			host = h;
	for (uint32_t s = 0; s < r->nswitches; s++)
		if (!view_switch_conf(r->f, r->node[s])->ecn[class_].on && !without++)
			first = s;
	if (host == ROUTING_NONE || !without || !used(r, class_))
		return;
	x = finding_add(out, without == r->nswitches ? FINDING_WRONG : FINDING_NOTE, "ecn");
	finding_object(x, "%s%s, class %s", view_node_name(r->f, r->node[first]),
		       finding_more(without - 1, more, sizeof(more)),
		       view_class(r->f, class_)->name);
	finding_value(x, without, UNITS_COUNT);
	finding_reason(
		x,
		"it has no ECN for the class, and %s runs %s, which reacts to marks alone: only "
		"PFC brakes it there",
		view_node_name(r->f, host), view_nic_conf(r->f, host)->cc->name);
	finding_remedy(
		x,
		"\"ecn\": {\"%s\": {\"kmin\": ..., \"kmax\": ..., \"pmax\": ...}} (xoff thresholds)",
		view_class(r->f, class_)->name);
}

/* A queue that is too long by d for pi_interval pi_b / (pi_a - pi_b) moves p by as much as d does
 * at once (pi.h): in a run that is shorter p knows little of pi_ref. */
static void pi_slow(const struct routing *r, int class_, struct finding_list *out)
{
	const struct ecn_conf *e = NULL;
	int64_t until = view_run_conf(r->f)->until_ps;
	char is[32], ends[32];
	uint32_t s = 0;

	for (; s < r->nswitches && (!e || !e->on || !e->pi_ref_bytes); s++)
		e = &view_switch_conf(r->f, r->node[s])->ecn[class_];
	if (!e || !e->on || !e->pi_ref_bytes || !view_workloads(r->f) || !used(r, class_))
		return;
	double a = (double)e->pi_a.num / (double)e->pi_a.den, b = (double)e->pi_b.num / (double)e->pi_b.den;
	double integral_ps = (double)e->pi_interval_ps * b / (a - b);
	if (integral_ps <= (double)until || integral_ps > 1e18)
		return;
	struct finding *x = finding_add(out, FINDING_NOTE, "ecn");
	finding_object(x, "%s, class %s", view_node_name(r->f, r->node[s - 1]), view_class(r->f, class_)->name);
	finding_value(x, (int64_t)integral_ps, UNITS_TIME);
	finding_reason(x, "the integral of its PI controller counts as much as its proportional part after %s "
		       "(pi_interval pi_b / (pi_a - pi_b)), and the run ends at %s: pi_ref hardly matters",
		       units_format((int64_t)integral_ps, UNITS_TIME, is, sizeof(is)),
		       units_format(until, UNITS_TIME, ends, sizeof(ends)));
	finding_remedy(x, "a run of several times that, or a larger pi_a - pi_b");
}

void config_ecn(const struct routing *r, struct finding_list *out)
{
	for (int k = 0; k < view_classes(r->f); k++) {
		struct ecn_case *list = mem_zalloc((r->nswitches + 1) * sizeof(*list));
		bool *done = mem_zalloc(r->nswitches + 1);

		if (view_class(r->f, k)->lossless)
			ecn_missing(r, k, out);
		pi_slow(r, k, out);
		for (uint32_t s = 0; s < r->nswitches; s++) {
			done[s] = !view_class(r->f, k)->lossless ||
				  !view_switch_conf(r->f, r->node[s])->ecn[k].on;
			if (!done[s])
				list[s] = ecn_case(r, s, k);
			done[s] |= !list[s].ports;
		}
		for (uint32_t s = 0; s < r->nswitches; s++) {
			if (done[s])
				continue;
			ecn_finding(r, s, k, &list[s],
				    fold_others(list, sizeof(*list), s, r->nswitches, done), out);
		}
		free(list);
		free(done);
	}
}

/* ------------------------------------------------------------------- buffer */

struct buffer_case { int64_t size, pool, headroom_pool, limit, reserved; };

static struct buffer_case buffer_case(const struct routing *r, uint32_t sw)
{
	const struct fabric *f = r->f;
	uint32_t node = r->node[sw], port = view_first_port(f, node);
	struct buffer_case c = { .size = view_switch_conf(f, node)->buffer.size_bytes,
				 .pool = view_pool_bytes(f, node),
				 .headroom_pool = view_headroom_pool_bytes(f, node),
				 .limit = INT64_MAX };

	for (uint32_t i = 0; i < view_port_count(f, node); i++)
		for (int prio = 0; prio < 8; prio++) {
			struct view_limits l = view_limits(f, port + i, prio);
			int64_t pool = view_pool(f, node, view_part(f, port + i)).shared_bytes;

			if (l.in_use)
				c.reserved += l.reserved_bytes;
			if (l.lossless && config_limit(&l, pool, 1) < c.limit)
				c.limit = config_limit(&l, pool, 1);
		}
	return c;
}

static void buffer_findings(const struct routing *r, uint32_t sw, const struct buffer_case *c,
			    int64_t others, struct finding_list *out)
{
	int64_t frame = view_frame_bytes_max(r->f);
	char more[32];

	if (c->pool < c->size / 4) {
		struct finding *x = finding_add(out, FINDING_NOTE, "buffer");

		finding_object(x, "%s%s", view_node_name(r->f, r->node[sw]),
			       finding_more(others, more, sizeof(more)));
		finding_value(x, c->pool, UNITS_BYTES);
		finding_reason(
			x,
			"of %lldB of buffer %lldB are headroom and %lldB reserved: less than a "
			"quarter, %lldB, is left to share",
			(long long)c->size, (long long)c->headroom_pool, (long long)c->reserved,
			(long long)c->pool);
		finding_remedy(
			x,
			"a shared headroom pool, fewer lossless priorities, or shorter cables");
	}
	if (c->limit < 2 * frame) {
		struct finding *x = finding_add(out, FINDING_WRONG, "buffer");

		finding_object(x, "%s%s", view_node_name(r->f, r->node[sw]),
			       finding_more(others, more, sizeof(more)));
		finding_value(x, c->limit, UNITS_BYTES);
		finding_reason(
			x,
			"a lossless group is in XOFF at %lldB, less than two frames of %lldB: it "
			"pauses at every burst",
			(long long)c->limit, (long long)frame);
		finding_remedy(x, "a larger alpha, xoff or buffer");
	}
}

void config_buffer(const struct routing *r, struct finding_list *out)
{
	struct buffer_case *list = mem_zalloc((r->nswitches + 1) * sizeof(*list));
	bool *done = mem_zalloc(r->nswitches + 1);

	for (uint32_t s = 0; s < r->nswitches; s++)
		list[s] = buffer_case(r, s);
	for (uint32_t s = 0; s < r->nswitches; s++) {
		if (done[s])
			continue;
		buffer_findings(r, s, &list[s],
				fold_others(list, sizeof(*list), s, r->nswitches, done), out);
	}
	free(list);
	free(done);
}
