/* Lists of flows in a plan of chance.h, in place of some of the traffic among hosts; from a stream
 * of their own, so that the other draws stay as they were. */
#include "tests/support/chance.h"

static int64_t span(struct chance *c, int64_t from, int64_t to)
{
	return from + (int64_t)rng_below(&c->rng, (uint64_t)(to - from + 1));
}

static void draw_flows(struct chance *c, int i)
{
	struct workload_conf *w = &c->traffic[i];

	w->kind = WORKLOAD_LIST;
	w->count = 0;
	w->origin_ps = span(c, 0, 1) ? 0 : 4 * span(c, 1, 10 * BED_US);
	c->flows[i] = (int)span(c, 1, CHANCE_FLOWS);
	for (int k = 0; k < c->flows[i]; k++) {
		struct chance_flow *flow = &c->flow[i][k];
		int from = (int)span(c, 0, w->nfrom - 1), to = (int)span(c, 0, w->nfrom - 2);

		*flow = (struct chance_flow){ .from = w->from[from], .to = w->from[to + (to >= from)],
			.start_ps = w->origin_ps + 4 * span(c, 0, span(c, 0, 1) ? 100 : 50 * BED_US),
			.size_bytes = span(c, 1, span(c, 0, 1) ? 5000 : 200000) };
		if (k && !span(c, 0, 3))		/* at one instant */
			flow->start_ps = flow[-1].start_ps;
	}
}

void chance_lists(struct chance *c)
{
	struct rng kept = c->rng;

	c->rng = rng_named(c->seed, "lists");
	for (int i = 0; i < c->traffics; i++)
		if (!c->traffic[i].nto && c->traffic[i].nfrom > 1 && !span(c, 0, 3))
			draw_flows(c, i);
	c->rng = kept;
}

static int32_t place(char **names, int *n, char *name)
{
	int k = 0;

	while (k < *n && names[k] != name)
		k++;
	if (k == *n)
		names[(*n)++] = name;
	return k;
}

void chance_listed(const struct chance *c, int i, bool back, struct workload_conf *w, struct chance_listed *out)
{
	w->from = out->from;
	w->to = out->to;
	w->list = out->list;
	w->nfrom = w->nto = 0;
	w->nlist = c->flows[i];
	for (int k = 0; k < c->flows[i]; k++) {
		const struct chance_flow *f = &c->flow[i][back ? c->flows[i] - 1 - k : k];

		out->list[k] = (struct workload_flow){ f->start_ps, f->size_bytes, place(out->from, &w->nfrom, f->from),
						       place(out->to, &w->nto, f->to) };
	}
}
