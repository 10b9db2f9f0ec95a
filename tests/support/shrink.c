#include "tests/support/shrink.h"

#include <stdlib.h>
#include <string.h>

struct shrink {
	struct chance *c, *kept;
	shrink_fails *fails;
	void *ctx;
	int left, asked;
	bool smaller;			/* in this round */
};

/* The plan has been changed: is it kept?  Else it is as it was.  (Its address does
 * not change, so that what points into it stays true.) */
static bool keep(struct shrink *s)
{
	bool fails = s->left > 0;

	if (memcmp(s->c, s->kept, sizeof(*s->c)) == 0)
		return false;
	if (fails) {
		s->left--;
		s->asked++;
		fails = s->fails(s->c, s->ctx);
	}
	if (fails)
		*s->kept = *s->c;
	else
		*s->c = *s->kept;
	s->smaller |= fails;
	return fails;
}

/* ---- things left out ---- */

static void drop_traffic(struct chance *c, int i)
{
	int last = --c->traffics;

	/* the last takes the place */
	c->traffic[i] = c->traffic[last];
	memcpy(c->from[i], c->from[last], sizeof(c->from[i]));
	memcpy(c->to[i], c->to[last], sizeof(c->to[i]));
	memcpy(c->traffic_name[i], c->traffic_name[last], sizeof(c->traffic_name[i]));
	memcpy(c->flow[i], c->flow[last], sizeof(c->flow[i]));
	c->flows[i] = c->flows[last];
	c->traffic[i].name = c->traffic_name[i];
	c->traffic[i].from = c->from[i];
	c->traffic[i].to = c->to[i];
}

static void drop_fault(struct chance *c, int i)
{
	int last = --c->faults;

	c->fault[i] = c->fault[last];
	memcpy(c->fault_name[i], c->fault_name[last], sizeof(c->fault_name[i]));
	c->fault[i].name = c->fault_name[i];
}

static void drop_route(struct chance *c, int i) { c->route[i] = c->route[--c->routes]; }
static void drop_link(struct chance *c, int i) { c->link[i] = c->link[--c->links]; }

/* Without `gone` in the list; what stands at `last` moves to `to`. */
static int without(char **list, int n, const char *gone)
{
	int kept = 0;

	for (int i = 0; i < n; i++)
		if (list[i] != gone)
			list[kept++] = list[i];
	return kept;
}

/* The flows that neither come from nor go to `gone`. */
static int other_flows(struct chance_flow *flow, int n, const char *gone)
{
	int kept = 0;

	for (int i = 0; i < n; i++)
		if (flow[i].from != gone && flow[i].to != gone)
			flow[kept++] = flow[i];
	return kept;
}

/* All that speaks of the node is left out too. */
static void forget(struct chance *c, const char *gone)
{
	for (int i = c->links - 1; i >= 0; i--)
		if (c->link[i].a == gone || c->link[i].b == gone)
			drop_link(c, i);
	for (int i = c->traffics - 1; i >= 0; i--) {
		struct workload_conf *w = &c->traffic[i];
		bool served = w->nto > 0;

		w->nfrom = without(w->from, w->nfrom, gone);
		w->nto = without(w->to, w->nto, gone);
		c->flows[i] = other_flows(c->flow[i], c->flows[i], gone);
		if (w->nfrom < (served ? 1 : 2) || (served && w->nto < 1) ||
		    (w->kind == WORKLOAD_LIST && !c->flows[i]))
			drop_traffic(c, i);
	}
	for (int i = c->faults - 1; i >= 0; i--)
		if (c->fault[i].a == gone || c->fault[i].b == gone)
			drop_fault(c, i);
	for (int i = c->routes - 1; i >= 0; i--)
		if (c->route[i].at == gone || c->route[i].to == gone || c->route[i].via[0] == gone)
			drop_route(c, i);
	for (int i = 0; i < c->switches; i++) {
		struct switch_remap_conf *r = c->sw[i].remap;

		if (!c->sw[i].nremaps)
			continue;
		r->froms = without(r->from, r->froms, gone);
		r->tos = without(r->to, r->tos, gone);
	}
}

static void move(char **at, char *from, char *to)
{
	if (*at == from)
		*at = to;
}

/* What spoke of the node at `from` speaks of `to`. */
static void rename_node(struct chance *c, char *from, char *to)
{
	for (int i = 0; i < c->links; i++) {
		move(&c->link[i].a, from, to);
		move(&c->link[i].b, from, to);
	}
	for (int i = 0; i < c->traffics; i++) {
		for (int k = 0; k < c->traffic[i].nfrom; k++)
			move(&c->from[i][k], from, to);
		for (int k = 0; k < c->traffic[i].nto; k++)
			move(&c->to[i][k], from, to);
		for (int k = 0; k < c->flows[i]; k++) {
			move(&c->flow[i][k].from, from, to);
			move(&c->flow[i][k].to, from, to);
		}
	}
	for (int i = 0; i < c->faults; i++) {
		move(&c->fault[i].a, from, to);
		move(&c->fault[i].b, from, to);
	}
	for (int i = 0; i < c->routes; i++) {
		move(&c->route[i].at, from, to);
		move(&c->route[i].to, from, to);
		move(&c->route[i].via[0], from, to);
	}
	for (int i = 0; i < CHANCE_SWITCHES; i++) {
		for (int k = 0; k < c->remap[i].froms; k++)
			move(&c->remap[i].from[k], from, to);
		for (int k = 0; k < c->remap[i].tos; k++)
			move(&c->remap[i].to[k], from, to);
	}
}

static void drop_host(struct chance *c, int i)
{
	int last = c->hosts - 1;

	forget(c, c->host_name[i]);
	c->hosts = last;
	if (i == last)
		return;
	rename_node(c, c->host_name[last], c->host_name[i]);
	memcpy(c->host_name[i], c->host_name[last], sizeof(c->host_name[i]));
	c->nic[i] = c->nic[last];
	c->cc[i] = c->cc[last];
	c->preset[i] = c->preset[last];
	memcpy(c->cc_set[i], c->cc_set[last], sizeof(c->cc_set[i]));
	c->cc_sets[i] = c->cc_sets[last];
}

static void drop_switch(struct chance *c, int i)
{
	int last = c->switches - 1;

	forget(c, c->sw_name[i]);
	c->switches = last;
	if (i == last)
		return;
	rename_node(c, c->sw_name[last], c->sw_name[i]);
	memcpy(c->sw_name[i], c->sw_name[last], sizeof(c->sw_name[i]));
	c->sw[i] = c->sw[last];
	c->ports[i] = c->ports[last];
	c->some_ports[i] = c->some_ports[last];
	if (c->sw[i].nports)
		c->sw[i].ports = &c->some_ports[i];
}

/* Its links go to a neighbour. */
static void join_switch(struct chance *c, int i)
{
	char *gone = c->sw_name[i];
	int to = -1;

	for (int k = 0; k < c->links && to < 0; k++)
		for (int j = 0; j < c->switches && to < 0; j++)
			if ((c->link[k].a == gone && c->link[k].b == c->sw_name[j]) ||
			    (c->link[k].b == gone && c->link[k].a == c->sw_name[j]))
				to = j;
	if (to < 0)
		return;
	for (int k = c->links - 1; k >= 0; k--) {
		struct chance_link *l = &c->link[k];

		if (l->a == c->sw_name[to] || l->b == c->sw_name[to])
			continue;	/* if it led to `gone`, it goes with it */
		if (l->a == gone) {
			l->a = c->sw_name[to];
			l->a_port = c->ports[to]++;
		} else if (l->b == gone) {
			l->b = c->sw_name[to];
			l->b_port = c->ports[to]++;
		}
	}
	drop_switch(c, i);
}

typedef void drop(struct chance *c, int i);

static void each(struct shrink *s, const int *n, int least, drop *one)
{
	for (int i = *n - 1; i >= 0 && *n > least; i--) {
		if (i >= *n)
			continue;
		one(s->c, i);
		keep(s);
	}
}

/* ---- settings back to their defaults ---- */

static void *conf_of(struct chance *c, int which, int i)
{
	switch (which) {
	case 0:
		return &c->sw[i];
	case 1:
		return &c->sw[i].buffer;
	case 2:
		return &c->sw[i].pfc;
	case 3:
		return &c->sw[i].watchdog;
	case 4:
		return &c->nic[i];
	case 5:
		return &c->nic[i].pfc;
	default:
		return &c->link[i].conf;
	}
}

static void back(struct chance *c, int which, int i, const struct param *row, const void *defaults)
{
	size_t size = chance_field_size(row->type);

	memcpy((char *)conf_of(c, which, i) + row->offset, (const char *)defaults + row->offset, size);
}

static void settings(struct shrink *s, int which, const struct param *table, int n)
{
	union { struct switch_conf sw; struct nic_conf nic; struct link_conf link; char c; } defaults;

	memset(&defaults, 0, sizeof(defaults));
	param_defaults(table, &defaults);
	for (const struct param *row = table; row->key; row++) {
		int64_t word = 0;

		if (!row->def)
			continue;
		if (chance_field_size(row->type) == sizeof(word))
			memcpy(&word, (const char *)&defaults + row->offset, sizeof(word));
		if (s->c->scalable && row->word && word == row->word_value)
			continue;	/* what the simulator chooses may not scale */
		for (int i = 0; i < n; i++)
			back(s->c, which, i, row, &defaults);
		if (keep(s))
			continue;
		for (int i = 0; i < n; i++) {
			back(s->c, which, i, row, &defaults);
			keep(s);
		}
	}
}

static void plain_switches(struct shrink *s)
{
	struct chance *c = s->c;

	for (int i = 0; i < c->switches; i++) {
		c->sw[i].watchdog.on = false;
		keep(s);
		c->sw[i].nports = 0;
		c->sw[i].ports = NULL;
		keep(s);
		c->sw[i].nremaps = 0;
		keep(s);
		for (int k = 0; k < BED_CLASSES; k++)
			c->sw[i].ecn[k].on = false;
		keep(s);
	}
	settings(s, 0, switch_params, c->switches);
	settings(s, 1, mmu_params, c->switches);
	settings(s, 2, pfc_params, c->switches);
	settings(s, 3, watchdog_params, c->switches);
}

static void plain_hosts(struct shrink *s)
{
	struct chance *c = s->c;

	for (int i = 0; i < c->hosts; i++) {
		c->cc[i] = cc_find("none");
		c->preset[i] = NULL;
		c->cc_sets[i] = 0;
		keep(s);
		c->cc_sets[i] = 0;
		keep(s);
	}
	settings(s, 4, nic_params, c->hosts);
	settings(s, 5, pfc_params, c->hosts);
	settings(s, 6, link_params, c->links);
}

static void less_traffic(struct shrink *s)
{
	struct chance *c = s->c;

	for (int i = 0; i < c->traffics; i++) {
		struct workload_conf *w = &c->traffic[i];

		while (c->flows[i] > 1) {
			c->flows[i]--;
			if (!keep(s))
				break;
		}
		while (w->nfrom > (w->nto ? 1 : 2)) {
			w->nfrom--;
			if (!keep(s))
				break;
		}
		w->qps = w->replicas = 1;
		w->start_ps = 0;
		keep(s);
		w->count = 1;
		keep(s);
	}
	while (c->run.until_ps > 2 * BED_US) {
		c->run.until_ps = c->run.until_ps / 4 * 2;
		c->run.warmup_ps = 0;
		if (!keep(s))
			break;
	}
}

int shrink(struct chance *c, shrink_fails *fails, void *ctx, int tries)
{
	struct shrink s = { .c = c, .kept = malloc(sizeof(*c)), .fails = fails, .ctx = ctx,
			    .left = tries };

	*s.kept = *c;
	do {
		s.smaller = false;
		each(&s, &c->faults, 0, drop_fault);
		each(&s, &c->traffics, 1, drop_traffic);
		each(&s, &c->routes, 0, drop_route);
		each(&s, &c->switches, 1, drop_switch);
		each(&s, &c->switches, 1, join_switch);
		each(&s, &c->hosts, 2, drop_host);
		each(&s, &c->links, 1, drop_link);
		less_traffic(&s);
		plain_switches(&s);
		plain_hosts(&s);
	} while (s.smaller && s.left > 0);
	free(s.kept);
	return s.asked;
}
