/* analyze/headroom_check.c - see headroom_check.h */
#include "analyze/headroom_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "models/wire/link.h"
#include "sim/mem.h"

/* ----------------------------------------------------------------- inverses */

/* What the window may last: N t_W, N the frames that fit. */
static int64_t window_ps(const struct headroom_conf *c, int64_t have)
{
	int64_t cells = units_div_ceil(c->forward_bytes, c->cell_bytes);
	int64_t frames = have / (cells * c->cell_bytes);

	return units_tx_ps(frames * (c->forward_bytes + LINK_OVERHEAD_BYTES), c->rate_bps);
}

static int64_t fixed_ps(const struct headroom_conf *c)
{
	return units_tx_ps(c->reverse_bytes + LINK_OVERHEAD_BYTES + 84, c->rate_bps);
}

int64_t headroom_check_response_ps(const struct headroom_conf *c, int64_t have)
{
	return window_ps(c, have) - fixed_ps(c) - 2 * c->delay_ps;
}

int64_t headroom_check_delay_ps(const struct headroom_conf *c, int64_t have)
{
	return (window_ps(c, have) - fixed_ps(c) - c->response_ps) / 2;
}

int64_t headroom_check_response_ieee_ps(const struct headroom_conf *c, int64_t have)
{
	int64_t frame = c->forward_bytes + LINK_OVERHEAD_BYTES;

	if (have < frame)
		return -1;
	return units_tx_ps(have - frame, c->rate_bps) - fixed_ps(c) - 2 * c->delay_ps;
}

/* --------------------------------------------------------------------- rows */

static bool same_conf(const struct headroom_conf *a, const struct headroom_conf *b)
{
	return a->rate_bps == b->rate_bps && a->delay_ps == b->delay_ps &&
	       a->response_ps == b->response_ps && a->forward_bytes == b->forward_bytes &&
	       a->reverse_bytes == b->reverse_bytes && a->cell_bytes == b->cell_bytes;
}

/* With the frame that crosses a limit which others have pulled under what the group holds. */
static int64_t crossing_need(const struct headroom_row *x)
{
	const struct headroom_need *n = &x->terms.full;

	return x->dynamic ? n->bytes / n->frames * (n->frames + 1) : n->bytes;
}

static struct headroom_row *row_of(struct headroom_list *list, uint32_t port, int prio,
				   const struct headroom_conf *conf, int64_t have, bool shared,
				   bool of_pool, bool dynamic)
{
	const struct headroom_terms *terms = NULL;
	struct headroom_row *x;

	for (int i = list->n; i-- > 0; ) {
		x = &list->row[i];
		if (!same_conf(&x->conf, conf))
			continue;
		terms = &x->terms;
		if (x->have_bytes == have && x->shared == shared &&
		    x->of_pool == of_pool && x->dynamic == dynamic)
			return x;
	}
	struct headroom_row fresh = {
		.port = port, .prio = prio, .conf = *conf, .have_bytes = have, .shared = shared,
		.of_pool = of_pool, .dynamic = dynamic
	};
	if (terms)
		fresh.terms = *terms;
	else
		headroom_compute(conf, &fresh.terms);
	fresh.verdict = have < fresh.terms.full.bytes ? HEADROOM_LOSS
		: have < fresh.terms.worst.bytes || have < crossing_need(&fresh) ? HEADROOM_SMALL
		: HEADROOM_ENOUGH;
	list->row = mem_grow(list->row, (size_t)(list->n + 1) * sizeof(*list->row));
	list->row[list->n] = fresh;
	return &list->row[list->n++];
}

static int margin_order(const void *pa, const void *pb)
{
	const struct headroom_row *a = pa, *b = pb;
	int64_t x = a->have_bytes - a->terms.full.bytes,
		y = b->have_bytes - b->terms.full.bytes;

	if (x != y)
		return x < y ? -1 : 1;
	return a->port < b->port ? -1 : a->port > b->port;
}

static void collect(const struct routing *r, uint32_t sw, struct headroom_list *list)
{
	const struct fabric *f = r->f;
	uint32_t port = view_first_port(f, r->node[sw]);
	uint32_t end = port + view_port_count(f, r->node[sw]);
	bool shared = view_switch_conf(f, r->node[sw])->buffer.shared_headroom_bytes > 0;
	bool dynamic = view_switch_conf(f, r->node[sw])->buffer.xoff_bytes < 0;

	for (; port < end; port++) {
		struct headroom_conf conf = view_headroom_conf(f, port);
		int64_t pool = view_pool(f, r->node[sw], view_part(f, port)).headroom_bytes;

		for (unsigned m = view_lossless_of(f, port); m; m &= m - 1) {
			int prio = __builtin_ctz(m);
			int64_t own = view_limits(f, port, prio).headroom_bytes;
			struct headroom_row *x = row_of(list, port, prio, &conf, own < pool ? own : pool,
							shared, pool < own, dynamic);

			x->alike++;
			list->groups++;
			list->short_groups += x->verdict == HEADROOM_LOSS;
		}
	}
}

/* ----------------------------------------------------------------- findings */

static void say_loss(const struct routing *r, const struct headroom_row *x,
		     struct finding_list *out)
{
	const struct headroom_terms *t = &x->terms;
	struct finding *say = finding_add(out, FINDING_WRONG, "headroom");
	int64_t delay = headroom_check_delay_ps(&x->conf, x->have_bytes);
	char port[96], more[32], cable[64] = "";

	finding_object(say, "%s priority %d%s",
		       routing_port_name(r, x->port, port, sizeof(port)), x->prio,
		       finding_more(x->alike - 1, more, sizeof(more)));
	finding_value(say, x->have_bytes - t->full.bytes, UNITS_BYTES);
	finding_reason(
		say,
		"headroom of %lldB, needs %lldB = %lld frames of %lldB in cells of %lldB, for a "
		"window of %lldB = cable both ways %lldB + response of the peer %lldB + frame in its "
		"way %lldB + pause %lldB: lossless frames can be lost",
		(long long)x->have_bytes, (long long)t->full.bytes, (long long)t->full.frames,
		(long long)t->full.frame_bytes, (long long)x->conf.cell_bytes,
		(long long)t->window_bytes, (long long)t->propagation_bytes,
		(long long)t->response_bytes, (long long)t->reverse_bytes,
		(long long)t->pause_bytes);
	if (delay >= 5000)
		snprintf(cable, sizeof(cable), ", or a cable of at most %lldm",
			 (long long)(delay / 5000));
	finding_remedy(say,
		       "a headroom of %lldB (%lldB for frames of any size; \"auto\" sets it)%s",
		       (long long)t->full.bytes, (long long)t->auto_bytes, cable);
}

static void say_small(const struct routing *r, const struct headroom_row *x,
		      struct finding_list *out)
{
	const struct headroom_need *w = &x->terms.worst;
	struct finding *say = finding_add(out, FINDING_NOTE, "headroom");
	const char *of = x->of_pool ? " (all of its pool)" : "";
	char port[96], more[32];

	finding_object(say, "%s priority %d%s",
		       routing_port_name(r, x->port, port, sizeof(port)), x->prio,
		       finding_more(x->alike - 1, more, sizeof(more)));
	if (x->have_bytes >= w->bytes) {
		finding_value(say, x->have_bytes - crossing_need(x), UNITS_BYTES);
		finding_reason(say,
			       "headroom of %lldB%s is enough for a limit that stands still; when others "
			       "pull the dynamic limit under what the group holds, the frame that "
			       "crosses it is in the headroom too: %lldB",
			       (long long)x->have_bytes, of, (long long)crossing_need(x));
		finding_remedy(say, "a headroom of %lldB", (long long)crossing_need(x));
		return;
	}
	finding_value(say, x->have_bytes - w->bytes, UNITS_BYTES);
	finding_reason(
		say,
		"headroom of %lldB%s is enough for frames of %lldB; a back-to-back burst of %lldB "
		"frames needs %lldB, because each fills %lld cells of %lldB",
		(long long)x->have_bytes, of, (long long)x->terms.full.frame_bytes,
		(long long)w->frame_bytes, (long long)w->bytes,
		(long long)(w->cells / w->frames), (long long)x->conf.cell_bytes);
	finding_remedy(say, "nothing where transfers are long; %lldB where such bursts occur",
		       (long long)w->bytes);
}

/* What the groups of a partition of a switch need of its shared headroom pool. */
struct pool_case { int64_t pool, sum, most, groups; int from, to; };

static struct pool_case pool_case(const struct fabric *f, uint32_t node, int part)
{
	uint32_t port = view_first_port(f, node), end = port + view_port_count(f, node);
	struct pool_case c = { .pool = view_pool(f, node, part).headroom_bytes, .from = -1 };
	struct headroom_conf then = { .rate_bps = 0 };
	struct headroom_terms t = { 0 };

	for (; port < end; port++) {
		struct headroom_conf now = view_headroom_conf(f, port);
		int n = __builtin_popcount(view_lossless_of(f, port));

		if (view_part(f, port) != part)
			continue;
		c.to = view_port(f, port).number;
		c.from = c.from < 0 ? c.to : c.from;
		if (!n)
			continue;
		if (!same_conf(&now, &then))
			headroom_compute(&now, &t);
		then = now;
		c.groups += n;
		c.sum += n * t.full.bytes;
		c.most = t.full.bytes > c.most ? t.full.bytes : c.most;
	}
	return c;
}

/* Of the partitions whose part is that short, the worst speaks: WRONG, for one group; NOTE, for
 * all of its groups. */
static void say_parts(const struct routing *r, uint32_t node, const struct pool_case *list, int parts,
		      enum finding_grade grade, struct finding_list *out)
{
	const struct pool_case *c = NULL;
	int64_t others = -1, all = 0;
	char more[32], which[48] = "", pool[96];

	for (int i = 0; i < parts; i++) {
		const struct pool_case *now = &list[i];

		all = now->sum > all ? now->sum : all;
		if (now->sum <= now->pool || (now->pool < now->most) != (grade == FINDING_WRONG))
			continue;
		others++;
		if (!c || now->pool - now->most < c->pool - c->most)
			c = now;
	}
	if (!c)
		return;
	snprintf(pool, sizeof(pool), "its shared headroom pool of %lldB", (long long)c->pool);
	if (parts > 1) {
		snprintf(which, sizeof(which), " partition %d%s", (int)(c - list),
			 finding_more(others, more, sizeof(more)));
		snprintf(pool, sizeof(pool), "its 1/%d of the shared headroom pool (ports %d to %d), %lldB,",
			 parts, c->from, c->to, (long long)c->pool);
	}
	struct finding *x = finding_add(out, grade, "headroom");

	finding_object(x, "%s%s", view_node_name(r->f, node), which);
	finding_value(x, c->pool, UNITS_BYTES);
	if (grade == FINDING_WRONG)
		finding_reason(x, "%s is less than the need of one group, %lldB: lossless frames can be lost",
			       pool, (long long)c->most);
	else
		finding_reason(
			x,
			"%s holds %.0f %% of what its groups need together (%lldB), %lld of %lld "
			"groups at the largest need: frames are lost when more than that pause at once",
			pool, 100.0 * (double)c->pool / (double)c->sum, (long long)c->sum,
			(long long)(c->pool / c->most), (long long)c->groups);
	finding_remedy(x, "a pool of %lldB would be enough for all%s", (long long)(all * parts),
		       parts > 1 ? ", in equal parts" : "");
}

/* A shared pool must hold one port's need at least, in each partition; how many at once is told. */
static void say_pool(const struct routing *r, uint32_t sw, struct finding_list *out)
{
	struct pool_case list[MMU_PARTS];
	uint32_t node = r->node[sw];
	int parts = view_parts(r->f, node);

	if (!view_switch_conf(r->f, node)->buffer.shared_headroom_bytes)
		return;
	for (int i = 0; i < parts; i++)
		list[i] = pool_case(r->f, node, i);
	say_parts(r, node, list, parts, FINDING_WRONG, out);
	say_parts(r, node, list, parts, FINDING_NOTE, out);
}

/* A limit of what a port may use, below the need of its groups together: ports alike are one. */
static void say_ports(const struct routing *r, uint32_t sw, struct finding_list *out)
{
	const struct fabric *f = r->f;
	uint32_t node = r->node[sw], first = view_first_port(f, node), said = VIEW_NONE;
	int64_t limit = view_switch_conf(f, node)->buffer.port_headroom_bytes, worst = 0, alike = 0;
	int prios = 0;
	char port[96], more[32];

	for (uint32_t p = first; limit && p < first + view_port_count(f, node); p++) {
		struct headroom_conf conf = view_headroom_conf(f, p);
		int n = __builtin_popcount(view_lossless_of(f, p));
		struct headroom_terms t;

		headroom_compute(&conf, &t);
		if (n * t.full.bytes <= limit)
			continue;
		alike++;
		if (n * t.full.bytes <= worst)
			continue;
		worst = n * t.full.bytes;
		prios = n;
		said = p;
	}
	if (said == VIEW_NONE)
		return;
	struct finding *x = finding_add(out, FINDING_WRONG, "headroom");

	finding_object(x, "%s%s", routing_port_name(r, said, port, sizeof(port)),
		       finding_more(alike - 1, more, sizeof(more)));
	finding_value(x, limit - worst, UNITS_BYTES);
	finding_reason(x, "its %d lossless priorities need %lldB of headroom together, and the port may use "
		       "%lldB: %lld of them can be lossless at once",
		       prios, (long long)worst, (long long)limit, (long long)(limit / (worst / prios)));
	finding_remedy(x, "a port_headroom of %lldB, a shorter cable, or fewer lossless priorities",
		       (long long)worst);
}

void headroom_check(const struct routing *r, struct headroom_list *list,
		    struct finding_list *out)
{
	*list = (struct headroom_list){ 0 };
	for (uint32_t s = 0; s < r->nswitches; s++)
		collect(r, s, list);
	if (list->n)
		qsort(list->row, (size_t)list->n, sizeof(*list->row), margin_order);
	for (int i = 0; i < list->n; i++) {
		if (list->row[i].verdict == HEADROOM_LOSS && !list->row[i].of_pool)
			say_loss(r, &list->row[i], out);
		else if (list->row[i].verdict == HEADROOM_SMALL)
			say_small(r, &list->row[i], out);
	}
	for (uint32_t s = 0; s < r->nswitches; s++) {
		say_ports(r, s, out);
		say_pool(r, s, out);
	}
}

void headroom_check_fini(struct headroom_list *list)
{
	free(list->row);
	*list = (struct headroom_list){ 0 };
}
