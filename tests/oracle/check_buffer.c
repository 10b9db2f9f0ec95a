/*
 * The shared buffer against theory and silicon: dynamic thresholds with blocked
 * egresses, and what sonic-mgmt measures on Tomahawk and Tomahawk 5.
 *
 * Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet
 * switches", ToN 1998: n groups that fill together stop at alpha * B / (1 + n *
 * alpha).  Groups that fill one after another: switch-and-nic.md, 2.8.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/switch/mmu.h"
#include "tests/support/bed.h"

enum { CELL = 208, PRIO = 3 };

/* ---- filled together ---- */

static const struct { int n; struct units_ratio alpha; int64_t frame, pool_cells; } together[] = {
	{ 1, { 1, 16 }, 64, 10000 }, { 8, { 1, 16 }, 64, 10000 }, { 32, { 1, 16 }, 64, 10000 },
	{ 1, { 1, 1 }, 64, 10000 }, { 8, { 1, 1 }, 64, 9973 }, { 32, { 1, 1 }, 64, 10007 },
	{ 1, { 8, 1 }, 64, 5000 }, { 8, { 8, 1 }, 64, 9999 }, { 32, { 8, 1 }, 64, 10000 },
	{ 5, { 3, 7 }, 64, 8191 }, { 16, { 1, 64 }, 64, 10000 },
	{ 8, { 1, 8 }, 1000, 20000 }, { 3, { 2, 1 }, 4178, 20000 },
};

START_TEST(groups_that_fill_together)
{
	int n = together[_i].n;
	int64_t frame = together[_i].frame, per_frame = (frame + CELL - 1) / CELL;
	int64_t headroom = 2000 * CELL, pool = together[_i].pool_cells;
	double alpha = (double)together[_i].alpha.num / (double)together[_i].alpha.den;
	double want = alpha * (double)pool / (1 + n * alpha);	/* cells */
	char name[16], load[16];
	struct bed b;

	bed_open(&b, 300 * BED_US);
	b.sw.buffer.cell_bytes = CELL;
	b.sw.buffer.alpha = together[_i].alpha;
	b.sw.buffer.headroom_bytes = headroom;
	b.sw.buffer.size_bytes = pool * CELL + (n + 1) * headroom;
	bed_switch(&b, "s");
	bed_leaf(&b, "c", "s", 100, 100 * BED_G, 1);
	bed_storm(&b, "c", 0, UNITS_NEVER);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof name, "h%d", i);
		snprintf(load, sizeof load, "load%d", i);
		bed_leaf(&b, name, "s", i, 100 * BED_G, BED_NS);
		bed_stream(&b, load, name, "c", 0, frame, 10 * BED_US, UNITS_NEVER);
	}
	bed_run(&b);
	for (int i = 0; i < n; i++) {
		struct view_group g = view_group(b.f, bed_port(&b, "s", i), PRIO);
		double cells = (double)g.shared_bytes / CELL;
		ck_assert(g.xoff);
		ck_assert_double_gt(cells, want - (double)per_frame);
		ck_assert_double_lt(cells, want + (double)per_frame);
		ck_assert_int_eq(bed_counters(&b, "s", i, PRIO).drops[RECORD_DROP_LOSSLESS], 0);
	}
	bed_close(&b);
}
END_TEST

/* Lossy queues that overflow together stop at the same law, by egress. */
START_TEST(lossy_queues_that_overflow_together)
{
	static const int queues[] = { 1, 2, 6 };
	int n = queues[_i];
	int64_t frame = 1000, pool = 1000000;
	double alpha = 0.5, want = alpha * (double)pool / (1 + n * alpha);
	char name[16], sink[16], load[16];
	struct bed b;

	bed_open(&b, 400 * BED_US);
	b.sw.buffer.lossy_alpha = (struct units_ratio){ 128, 1 };
	b.sw.buffer.egress_alpha = (struct units_ratio){ 1, 2 };
	b.sw.buffer.headroom_bytes = 0;
	b.sw.buffer.size_bytes = pool;
	b.class_ = BED_BULK;
	bed_switch(&b, "s");
	for (int i = 0; i < 3 * n; i++) {
		snprintf(name, sizeof name, "h%d", i);
		bed_leaf(&b, name, "s", i, 100 * BED_G, BED_NS);
	}
	for (int i = 0; i < 2 * n; i++) {
		snprintf(name, sizeof name, "h%d", i);
		snprintf(sink, sizeof sink, "h%d", 2 * n + i / 2);
		snprintf(load, sizeof load, "load%d", i);
		bed_stream(&b, load, name, sink, 0, frame, 0, UNITS_NEVER);
	}
	bed_run(&b);
	for (int i = 0; i < n; i++) {
		/* What waits, and the frame on its way out. */
		struct view_counters v = bed_counters(&b, "s", 2 * n + i, 1);
		ck_assert_double_gt((double)(v.queue_bytes + frame), want - (double)frame);
		ck_assert_double_lt((double)(v.queue_bytes + frame), want + 2 * (double)frame);
		ck_assert_int_gt(v.drops[RECORD_DROP_LOSSY], 100);
	}
	bed_close(&b);
}
END_TEST

/*
 * A pool that runs out.  `a` may fill more than there is (its limit is static) and does;
 * then the first frame of `b`, far below its own limit, finds no room to share: it is in
 * headroom already when it asks for the pause, and the N frames of the window follow.
 * Nothing is in the pause's way: N = ceil((2D + response + pause) / frame).
 */
static int64_t lost_of_b(int64_t headroom)
{
	struct bed b;
	int64_t lost;

	bed_open(&b, 900 * BED_US);
	b.sw.buffer.size_bytes = 1000000;
	b.sw.buffer.xoff_bytes = 2000000;
	b.sw.buffer.headroom_bytes = headroom;
	b.nic.pfc.response_ps = 2 * BED_US;
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(&b, "b", "s", 1, 100 * BED_G, BED_US);
	bed_leaf(&b, "c", "s", 2, 100 * BED_G, BED_US);
	bed_storm(&b, "c", 0, UNITS_NEVER);
	bed_stream(&b, "a", "a", "c", 0, 1000, 10 * BED_US, UNITS_NEVER);
	bed_stream(&b, "b", "b", "c", 0, 1000, 600 * BED_US, UNITS_NEVER);
	bed_run(&b);
	ck_assert(view_group(b.f, bed_port(&b, "s", 0), PRIO).xoff);
	ck_assert_int_eq(view_group(b.f, bed_port(&b, "s", 1), PRIO).shared_bytes, 0);
	lost = bed_counters(&b, "s", 1, PRIO).drops[RECORD_DROP_LOSSLESS];
	if (headroom < 0) {	/* "auto" reckons with a frame in the pause's way as well */
		struct headroom_conf c = view_headroom_conf(b.f, bed_port(&b, "s", 1));
		struct headroom_terms t;
		headroom_compute(&c, &t);
		ck_assert_int_ge(t.auto_bytes, (t.full.frames + 1) * 1000);
		ck_assert_int_eq(view_limits(b.f, bed_port(&b, "s", 1), PRIO).headroom_bytes, t.auto_bytes);
	}
	bed_close(&b);
	return lost;
}

START_TEST(one_frame_more_when_the_pool_is_empty)
{
	/* 2 us + 2 us of response and cable, 6.72 ns of pause; a frame of 1000 B lasts 81.6 ns */
	int64_t n = (4000000 + 6720 + 81599) / 81600;

	ck_assert_int_eq(lost_of_b(n * 1000), 1);
	ck_assert_int_eq(lost_of_b((n + 1) * 1000), 0);
	ck_assert_int_eq(lost_of_b(-1), 0);
}
END_TEST

/* Four partitions: the groups of two ports of one have half and a quarter of a quarter,
 * those of another know nothing of it. */
START_TEST(partitions_are_apart)
{
	static const int ports[] = { 0, 1, 2 };		/* of 8: two a partition */
	struct bed b;
	char name[16], load[16];

	bed_open(&b, 400 * BED_US);
	b.sw.buffer.cell_bytes = CELL;
	b.sw.buffer.alpha = (struct units_ratio){ 1, 1 };
	b.sw.buffer.partitions = 4;
	b.sw.buffer.headroom_bytes = 1000 * CELL;
	b.sw.buffer.size_bytes = (8 * 1000 + 40000) * CELL;
	bed_switch(&b, "s");
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof name, "h%d", i);
		bed_leaf(&b, name, "s", i, 100 * BED_G, BED_NS);
	}
	bed_storm(&b, "h7", 0, UNITS_NEVER);
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof name, "h%d", ports[i]);
		snprintf(load, sizeof load, "load%d", i);
		bed_stream(&b, load, name, "h7", 0, 64, (10 + 100 * i) * BED_US, UNITS_NEVER);
	}
	bed_run(&b);
	static const int64_t cells[] = { 5000, 2500, 5000 };
	for (int i = 0; i < 3; i++) {
		struct view_group g = view_group(b.f, bed_port(&b, "s", ports[i]), PRIO);
		ck_assert(g.xoff);
		ck_assert_int_eq(g.shared_bytes / CELL, cells[i]);
	}
	bed_close(&b);
}
END_TEST

/* An egress limit below what ingress may hold: PFC works, and frames are lost all the same,
 * at the egress queue and in its counters. */
START_TEST(lost_at_a_lossless_egress)
{
	struct bed b;

	bed_open(&b, 300 * BED_US);
	b.sw.buffer.size_bytes = 4000000;
	b.sw.buffer.xoff_bytes = 500000;
	b.sw.buffer.egress_lossless_bytes = _i ? 100000 : -1;
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_NS);
	bed_leaf(&b, "b", "s", 1, 100 * BED_G, BED_NS);
	bed_leaf(&b, "c", "s", 2, 100 * BED_G, BED_NS);
	bed_stream(&b, "a", "a", "c", 0, 1000, 0, UNITS_NEVER);
	bed_stream(&b, "b", "b", "c", 0, 1000, 0, UNITS_NEVER);
	bed_run(&b);
	struct view_counters out = bed_counters(&b, "s", 2, PRIO);
	struct view_queue q = view_queue(b.f, bed_port(&b, "s", 2), PRIO);
	ck_assert_int_eq(bed_counters(&b, "s", 0, PRIO).drops[RECORD_DROP_LOSSLESS], 0);
	ck_assert_int_eq(out.drops[RECORD_DROP_LOSSLESS], q.lost_frames);
	ck_assert_int_eq(q.lost_bytes, 1000 * q.lost_frames);
	ck_assert_int_eq(q.tx_frames, out.tx_frames);
	if (_i) {	/* half of what comes, less what the queue holds */
		ck_assert_int_gt(q.lost_frames, 3000);
		ck_assert_int_eq(q.peak_bytes, 100000);
	} else {
		ck_assert_int_eq(q.lost_frames, 0);
		ck_assert_int_gt(bed_counters(&b, "s", 0, PRIO).xoff_frames, 0);
	}
	bed_close(&b);
}
END_TEST

/* ---- silicon: packets of one cell until XOFF, one group after another ---- */

enum { GROUPS = 24 };

struct chip {
	struct mmu mmu;
	struct mmu_conf conf;
	struct mmu_group group[GROUPS];
	uint32_t xoff[GROUPS];
};

static void chip_init(struct chip *c, int64_t pool_cells, int64_t reserved, int64_t headroom,
		      int64_t xon_offset)
{
	struct sim_error err;

	error_init(&err);
	*c = (struct chip){ 0 };
	param_defaults(mmu_params, &c->conf);
	c->conf.cell_bytes = CELL;
	c->conf.alpha = (struct units_ratio){ 1, 1 };
	c->conf.reserved_bytes = reserved * CELL;
	c->conf.headroom_bytes = headroom * CELL;
	c->conf.xon_offset_bytes = xon_offset * CELL;
	c->conf.size_bytes = (pool_cells + GROUPS * (reserved + headroom)) * CELL;
	for (int i = 0; i < GROUPS; i++) {
		c->group[i].in_use = c->group[i].lossless = true;
		c->group[i].reserved_max = reserved * CELL;
		c->group[i].headroom_max = headroom * CELL;
		c->group[i].reserved_max = reserved * CELL;
	}
	ck_assert_int_eq(mmu_init(&c->mmu, &c->conf, c->group, c->xoff, NULL, GROUPS, &err), 0);
	ck_assert_int_eq(c->mmu.part[0].pool, pool_cells * CELL);
}

static int64_t until_xoff(struct chip *c, uint32_t group)
{
	int64_t n = 0;

	while (!c->group[group].xoff) {
		ck_assert(mmu_admit(&c->mmu, group, mmu_charge(&c->mmu, 64)));
		n++;
	}
	return n;
}

/* Tomahawk 5, 200G: the counts are sonic-mgmt's (qos_params.th5.yaml); each group
 * takes half of what is left and its 74 reserved cells.  240086 is the pool that
 * the first two fix; all others follow. */
START_TEST(tomahawk_5)
{
	static const int64_t counts[] = { 120117, 60096, 30085, 15079, 7577, 3825, 1950, 1012,
					  543, 308, 191, 133, 103, 89, 81, 78 };
	struct chip *c = aligned_alloc(64, sizeof *c);

	chip_init(c, 240086, 74, 1185, 11);
	for (uint32_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		ck_assert_int_eq(until_xoff(c, i), counts[i]);
	/* ... and at last nothing but the reserve: 74 */
	ck_assert_int_eq(until_xoff(c, 16), 76);
	ck_assert_int_eq(until_xoff(c, 17), 75);
	free(c);
}
END_TEST

/* Tomahawk: 10875072 bytes in 4 partitions, 6 reserved cells, alpha 1: XOFF at
 * packet 6542; the first drop at 7063 (40G), 7225 (50G), 7835 (100G, 300 m), that
 * is after the headroom of 520, 682, 1292 cells (pg_lossless profiles); 12 packets
 * out of the buffer bring XON. */
static const struct { int64_t headroom, drop; } tomahawk_rates[] = {
	{ 520, 7063 }, { 682, 7225 }, { 1292, 7835 },
};

START_TEST(tomahawk)
{
	struct chip *c = aligned_alloc(64, sizeof *c);
	int64_t n, left = 0;

	chip_init(c, 10875072 / CELL / 4, 6, tomahawk_rates[_i].headroom, 11);
	n = until_xoff(c, 0);
	ck_assert_int_eq(n, 6542);
	while (mmu_admit(&c->mmu, 0, CELL))
		n++;
	ck_assert_int_eq(n + 1, tomahawk_rates[_i].drop);
	for (int64_t back = n - 6542; back > 0; back--)
		mmu_release(&c->mmu, 0, CELL);
	ck_assert_uint_eq(mmu_next_xon(&c->mmu, 0), UINT32_MAX);
	while (mmu_next_xon(&c->mmu, 0) == UINT32_MAX) {
		mmu_release(&c->mmu, 0, CELL);
		left++;
	}
	ck_assert_int_ge(left, 1);
	ck_assert_int_le(left, 12);
	free(c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("buffer");
	TCase *tc = tcase_create("buffer");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, groups_that_fill_together, 0,
			    sizeof(together) / sizeof(together[0]));
	tcase_add_loop_test(tc, lossy_queues_that_overflow_together, 0, 3);
	tcase_add_test(tc, one_frame_more_when_the_pool_is_empty);
	tcase_add_test(tc, partitions_are_apart);
	tcase_add_loop_test(tc, lost_at_a_lossless_egress, 0, 2);
	tcase_add_test(tc, tomahawk_5);
	tcase_add_loop_test(tc, tomahawk, 0, 3);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
