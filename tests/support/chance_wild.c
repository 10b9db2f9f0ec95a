/* Settings of chance.h drawn from the parameter tables alone, as wide as these allow. */
#include <string.h>

#include "tests/support/chance.h"

static int64_t below(struct chance *c, int64_t n) { return (int64_t)rng_below(&c->rng, (uint64_t)n); }

size_t chance_field_size(enum param_type type)
{
	return type == PARAM_RATIO ? sizeof(struct units_ratio) :
	       type == PARAM_BOOL  ? sizeof(bool) :
	       type == PARAM_ENUM  ? sizeof(int) :
	       type == PARAM_TEXT  ? sizeof(char *) :
				     sizeof(int64_t);
}

static int64_t bound(const struct param *row, const char *text, int64_t none)
{
	struct param one = *row;
	char conf[64] __attribute__((aligned(16)));
	struct sim_error err;
	int64_t value = none;

	error_init(&err);
	one.offset = 0;
	one.min = one.max = NULL;
	if (text && param_set(&one, conf, text, &err) == 0)
		memcpy(&value, conf, sizeof(value));
	return value;
}

/* What a run of half a millisecond can make use of. */
static int64_t useful(enum param_type type)
{
	switch (type) {
	case PARAM_TIME:
		return 2 * BED_MS;
	case PARAM_RATE:
		return 400 * BED_G;
	case PARAM_FREQ:
		return INT64_C(1000000000000);
	case PARAM_BYTES:
		return 100000000;
	default:
		return 1 << 20;
	}
}

/* Between the bounds, each order of magnitude as likely as another. */
static int64_t a_number(struct chance *c, const struct param *row)
{
	int64_t lo = bound(row, row->min, 0), hi = bound(row, row->max, INT64_MAX), top = useful(row->type);
	int64_t value;

	if (row->word && below(c, 4) == 0)
		return row->word_value;
	if (below(c, 12) == 0)
		return lo;
	if (hi > top && top > lo)
		hi = top;
	value = hi;
	while (value / 4 > lo && below(c, 3))
		value /= 4;
	return value > lo ? lo + below(c, value - lo) + 1 : lo;
}

/* The bounds of a ratio are texts too: a draw outside of them does not count. */
static struct units_ratio a_ratio(struct chance *c)
{
	return (struct units_ratio){ 1 + below(c, 20), 1 + below(c, 100) };
}

static void draw_row(struct chance *c, const struct param *row, void *conf)
{
	char old[sizeof(struct units_ratio)], *field = (char *)conf + row->offset, text[80];
	struct sim_error err;
	int n = 0;

	error_init(&err);
	memcpy(old, field, chance_field_size(row->type));
	switch (row->type) {
	case PARAM_TEXT:
		return;
	case PARAM_BOOL:
		*(bool *)field = below(c, 2);
		return;
	case PARAM_ENUM:
		while (row->names[n])
			n++;
		*(int *)(void *)field = (int)below(c, n);
		return;
	case PARAM_RATIO:
		*(struct units_ratio *)(void *)field = a_ratio(c);
		break;
	default:
		*(int64_t *)(void *)field = a_number(c, row);
	}
	if (param_set(row, conf, param_get(row, conf, text, sizeof(text)), &err))
		memcpy(field, old, chance_field_size(row->type));
}

static void draw_table(struct chance *c, const struct param *table, void *conf, int one_in)
{
	for (const struct param *row = table; row->key; row++)
		if (below(c, one_in) == 0)
			draw_row(c, row, conf);
}

static void draw_ecn(struct chance *c, struct ecn_conf *e)
{
	draw_table(c, ecn_params, e, 8);
	if (e->kmin_bytes > e->kmax_bytes)
		e->kmax_bytes = e->kmin_bytes;
	if ((__int128)e->pi_a.num * e->pi_b.den <= (__int128)e->pi_b.num * e->pi_a.den)
		e->pi_b = (struct units_ratio){ 0, 1 };
}

static void draw_watchdog(struct chance *c, struct watchdog_conf *w)
{
	draw_table(c, watchdog_params, w, 8);
	if (w->poll_ps > w->detect_ps)
		w->detect_ps = w->poll_ps;
	if (w->poll_ps > w->restore_ps)
		w->restore_ps = w->poll_ps;
}

/* A setting that does not go with the others (of the other form, say) is taken back. */
static void draw_cc(struct chance *c, int i)
{
	const struct cc_ops *cc = c->cc[i];
	struct sim_error err;
	struct bed b;
	int rows = 0;

	while (cc->params[rows].key)
		rows++;
	for (int k = (int)below(c, CHANCE_CC_SETS + 1); k > 0 && rows; k--) {
		const struct param *row = &cc->params[below(c, rows)];
		int n = c->cc_sets[i];

		error_init(&err);
		bed_open(&b, 1);
		chance_cc(c, i, &b);
		draw_row(c, row, b.nic.cc_conf);
		if (row->type != PARAM_TEXT && (!cc->check || cc->check(b.nic.cc_conf, &err) == 0)) {
			param_get(row, b.nic.cc_conf, c->cc_set[i][n].value,
				  sizeof(c->cc_set[i][n].value));
			c->cc_set[i][n].key = row->key;
			c->cc_sets[i]++;
		}
		bed_close(&b);
	}
}

void chance_wild(struct chance *c)
{
	for (int i = 0; i < c->switches; i++) {
		draw_table(c, switch_params, &c->sw[i], 10);
		draw_table(c, mmu_params, &c->sw[i].buffer, 12);
		draw_table(c, pfc_params, &c->sw[i].pfc, 12);
		draw_watchdog(c, &c->sw[i].watchdog);
		for (int k = 0; k < BED_CLASSES; k++)
			draw_ecn(c, &c->sw[i].ecn[k]);
	}
	for (int i = 0; i < c->hosts; i++) {
		draw_table(c, nic_params, &c->nic[i], 12);
		draw_table(c, pfc_params, &c->nic[i].pfc, 12);
		draw_cc(c, i);
	}
	for (int i = 0; i < c->links; i++)
		draw_table(c, link_params, &c->link[i].conf, 20);
	for (int i = 0; i < c->faults; i++) {
		struct fault_conf *f = &c->fault[i];
		int64_t rate = f->rate_bps;

		draw_table(c, fault_params, f, 8);
		if (f->kind == FAULT_LINK_SLOW)
			f->rate_bps = rate;
		if (f->kind != FAULT_NIC_STORM || below(c, 3))
			continue;
		f->kind = FAULT_PAUSE_FRAMES;
		f->class_ = BED_RDMA;
		f->quanta = below(c, 65536);
		f->period_ps = BED_US + below(c, 100 * BED_US);
	}
}

/* Of the links between the same two nodes. */
static int64_t slowest(const struct chance *c, const struct chance_link *l)
{
	int64_t bps = l->conf.rate_bps;

	for (int i = 0; i < c->links; i++) {
		const struct chance_link *k = &c->link[i];
		bool same = (!strcmp(k->a, l->a) && !strcmp(k->b, l->b)) || (!strcmp(k->a, l->b) && !strcmp(k->b, l->a));

		if (same && k->conf.rate_bps < bps)
			bps = k->conf.rate_bps;
	}
	return bps;
}

/* Spraying, bit errors and slow links, from a stream of their own: the other draws stay as they were. */
void chance_ways(struct chance *c)
{
	static const int64_t parts[] = { 2, 4, 5, 10 };	/* whole picoseconds a byte stay so */
	struct rng kept = c->rng;

	c->rng = rng_named(c->seed, "ways");
	for (int i = 0; i < c->switches && below(c, 2) == 0; i++) {
		c->sw[i].balance = (int)below(c, 3);
		c->sw[i].flowlet_gap_ps = 2 * BED_NS + chance_time(c, 20 * BED_US);
	}
	if (!c->sane && c->faults < CHANCE_FAULTS && below(c, 3) == 0) {
		const struct chance_link *l = &c->link[below(c, c->links)];
		int i = c->faults++;

		snprintf(c->fault_name[i], sizeof c->fault_name[i], "fault%d", i);
		c->fault[i] = (struct fault_conf){ .name = c->fault_name[i], .kind = FAULT_BIT_ERRORS, .class_ = -1,
			.a = l->a, .b = l->b, .every = 1, .at_ps = chance_time(c, 100 * BED_US),
			.lasts_ps = below(c, 2) == 0 ? UNITS_NEVER : chance_time(c, 200 * BED_US),
			.ber = { 1, 10000 * (1 + below(c, 1000)) } };
		if (below(c, 2) == 0) {
			c->fault[i].kind = FAULT_LINK_SLOW;
			c->fault[i].rate_bps = slowest(c, l) / parts[below(c, 4)];
		}
	}
	c->rng = kept;
}
