/*
 * models/switch/mmu: what is charged where, when a group goes to XOFF and when it
 * is freed; by hand.  (check_mmu_reference.c: against the plain rules.)
 */
#include "tests/unit/mmu_bench.h"

/* ---- settings ---- */

START_TEST(what_does_not_fit_is_refused)
{
	struct mmu_conf c = defaults();
	struct sim_error err = { 0 };

	ck_assert_int_eq(mmu_check(&c, &err), 0);
	c.cell_bytes = c.size_bytes + 1;
	ck_assert_int_eq(mmu_check(&c, &err), -1);
	ck_assert_str_eq(err.where, "/cell");
	c = defaults();
	c.shared_headroom_bytes = c.size_bytes;
	err.set = false;
	ck_assert_int_eq(mmu_check(&c, &err), -1);
	ck_assert_str_eq(err.where, "/shared_headroom");
}
END_TEST

/* Groups with the same thresholds share a profile; what differs in one has its own. */
START_TEST(profiles_are_shared)
{
	struct mmu_conf c = defaults(), other[6];
	struct bench *b = bench_new(c, 0);
	int n = b->mmu.profiles;

	for (int i = 0; i < 6; i++)
		other[i] = c;
	other[0].alpha = (struct units_ratio){ 3, c.alpha.den };
	other[1].alpha = (struct units_ratio){ 1, 7 };
	other[2].xoff_bytes = 1000;
	other[3].xon_bytes = 77;
	other[4].xon_offset_bytes = 78;
	other[5].alpha = (struct units_ratio){ 1, 1 << 10 };
	ck_assert_int_lt(mmu_profile(&b->mmu, &c), n);
	for (int i = 0; i < 6; i++)
		ck_assert_int_eq(mmu_profile(&b->mmu, &other[i]), n + i);
	for (int i = 0; i < 6; i++)
		ck_assert_int_eq(mmu_profile(&b->mmu, &other[i]), n + i);
	ck_assert_int_eq(b->mmu.profile[n + 5].alpha_shift, 10);
	ck_assert_int_eq(b->mmu.profile[n + 1].alpha_shift, -1);
	for (int64_t xoff = 1; b->mmu.profiles < MMU_PROFILES; xoff++) {
		c.xoff_bytes = 2000 + xoff;
		mmu_profile(&b->mmu, &c);
	}
	c.xoff_bytes = 1;
	ck_assert_int_eq(mmu_profile(&b->mmu, &c), -1);
	free(b);
}
END_TEST

/* ---- by hand ---- */

START_TEST(charges_whole_cells)
{
	struct mmu_conf c = defaults();

	for (int64_t cell = 1; cell < 17000; cell = cell < 600 ? cell + 1 : cell * 21 / 20) {
		c.cell_bytes = cell;
		struct bench *b = bench_new(c, 0);
		for (int64_t bytes = 1; bytes <= 16000; bytes++)
			QUICK(mmu_charge(&b->mmu, bytes) == (bytes + cell - 1) / cell * cell);
		free(b);
	}
}
END_TEST

/* Reserve, shared, headroom; and back in the reverse order. */
START_TEST(fills_and_empties_in_order)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 100000;
	c.reserved_bytes = 1000;
	c.headroom_bytes = 2000;
	c.xoff_bytes = 3000;
	c.xon_bytes = 500;
	c.xon_offset_bytes = 3000;
	struct bench *b = bench_new(c, 0);
	struct mmu_group *g = &b->group[4];

	ck_assert_int_eq(b->mmu.part[0].pool, 100000 - GROUPS * 3000);
	ck_assert(mmu_admit(&b->mmu, 4, 600));
	ck_assert(mmu_admit(&b->mmu, 4, 600));		/* 400 of the reserve, 200 shared */
	ck_assert_int_eq(g->reserved, 1000);
	ck_assert_int_eq(g->shared, 200);
	ck_assert(mmu_admit(&b->mmu, 4, 2799));		/* one byte below the limit */
	ck_assert(!g->xoff);
	ck_assert(mmu_admit(&b->mmu, 4, 900));		/* use before < limit: shared, whole */
	ck_assert(g->xoff);
	ck_assert_int_eq(g->shared, 3899);
	ck_assert(mmu_admit(&b->mmu, 4, 1500));		/* and now headroom */
	ck_assert_int_eq(g->headroom, 1500);
	ck_assert(!mmu_admit(&b->mmu, 4, 501));		/* one byte too many */
	ck_assert_int_eq(mmu_short_of(&b->mmu, 4, 501), MMU_SHORT_HEADROOM);
	ck_assert(mmu_admit(&b->mmu, 4, 500));
	ck_assert_int_eq(b->mmu.resident, 6899);
	ck_assert_int_eq(g->peak, 6899);
	books(b);
	mmu_release(&b->mmu, 4, 2100);			/* headroom first, then shared */
	ck_assert_int_eq(g->headroom, 0);
	ck_assert_int_eq(g->shared, 3799);
	mmu_release(&b->mmu, 4, 3298);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), UINT32_MAX);	/* 501 > max(500, 0) */
	mmu_release(&b->mmu, 4, 1);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), 4);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), UINT32_MAX);
	ck_assert(!g->xoff);
	mmu_release(&b->mmu, 4, 1500);			/* the reserve last */
	ck_assert_int_eq(g->reserved, 0);
	ck_assert_int_eq(b->mmu.resident, 0);
	books(b);
	free(b);
}
END_TEST

/* Others' releases move a dynamic limit: a group is freed that sent nothing. */
START_TEST(freed_by_the_release_of_others)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 100000;
	c.alpha = (struct units_ratio){ 1, 1 };
	c.headroom_bytes = 1000;
	struct bench *b = bench_new(c, 1u << 11);	/* pool: 89000 */

	ck_assert(mmu_admit(&b->mmu, 11, 44000));	/* lossy, up to its own limit */
	ck_assert(mmu_admit(&b->mmu, 0, 22500));	/* limit 22500 after it: XOFF */
	ck_assert(b->group[0].xoff);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), UINT32_MAX);	/* no offset; exactly at the limit */
	mmu_release(&b->mmu, 11, 44000);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), 0);
	ck_assert(mmu_admit(&b->mmu, 0, 22000));	/* limit 44500 = use: XOFF */
	ck_assert(b->group[0].xoff);
	ck_assert(mmu_admit(&b->mmu, 11, 100));
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), UINT32_MAX);	/* limit 44400 */
	mmu_release(&b->mmu, 11, 99);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), UINT32_MAX);
	mmu_release(&b->mmu, 11, 1);			/* at the limit: still not below it */
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), UINT32_MAX);
	mmu_release(&b->mmu, 0, 1);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), 0);
	free(b);
}
END_TEST

/* ... but not while it holds headroom: at the next XOFF all of it must be there. */
START_TEST(freed_with_headroom_empty)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 100000;
	c.alpha = (struct units_ratio){ 1, 1 };
	c.headroom_bytes = 1000;
	struct bench *b = bench_new(c, 1u << 11);	/* pool: 89000 */

	ck_assert(mmu_admit(&b->mmu, 11, 44000));
	ck_assert(mmu_admit(&b->mmu, 0, 22500));	/* XOFF */
	ck_assert(mmu_admit(&b->mmu, 0, 600));		/* headroom */
	ck_assert_int_eq(b->group[0].headroom, 600);
	mmu_release(&b->mmu, 11, 44000);		/* the limit is 66500 now */
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), UINT32_MAX);
	ck_assert(!mmu_would_xon(&b->mmu, 0, 22501, 22500, 0, false));
	ck_assert(mmu_would_xon(&b->mmu, 0, 22500, 22500, 0, false));
	ck_assert(mmu_would_xon(&b->mmu, 0, 22501, 22500, 0, true));	/* it may yet be empty */
	mmu_release(&b->mmu, 0, 599);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), UINT32_MAX);
	mmu_release(&b->mmu, 0, 1);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), 0);
	books(b);
	free(b);
}
END_TEST

/* Several at once: the lowest index first. */
START_TEST(freed_in_order)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 1000000;
	c.xoff_bytes = 1000;
	c.xon_bytes = 900;
	c.xon_offset_bytes = 100000;
	struct bench *b = bench_new(c, 0);
	static const uint32_t order[] = { 7, 2, 9, 0 };

	for (int k = 0; k < 4; k++)
		ck_assert(mmu_admit(&b->mmu, order[k], 1000));
	for (int k = 0; k < 4; k++)
		mmu_release(&b->mmu, order[k], 100);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), 0);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), 2);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), 7);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), 9);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), UINT32_MAX);
	free(b);
}
END_TEST

START_TEST(shared_headroom_pool)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 100000;
	c.xoff_bytes = 100;
	c.headroom_bytes = 2000;
	c.shared_headroom_bytes = 3000;
	struct bench *b = bench_new(c, 0);

	ck_assert_int_eq(b->mmu.part[0].pool, 97000);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert(mmu_admit(&b->mmu, i, 100));
		ck_assert(mmu_admit(&b->mmu, i, i ? 1000 : 2000));
	}
	ck_assert(!mmu_admit(&b->mmu, 1, 1));		/* the pool is empty, not its own */
	mmu_release(&b->mmu, 0, 1);
	ck_assert(mmu_admit(&b->mmu, 1, 1));
	books(b);
	free(b);
}
END_TEST

START_TEST(would_be_freed_and_forced)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 100000;
	c.alpha = (struct units_ratio){ 1, 1 };
	c.reserved_bytes = 100;
	struct bench *b = bench_new(c, 0);		/* pool: 98800 */

	ck_assert(mmu_admit(&b->mmu, 3, 50000));
	ck_assert(b->group[3].xoff);
	ck_assert(mmu_would_xon(&b->mmu, 3, 100 + 49399, 49399, 0, false));	/* 49399 < 98800 - 49399 */
	ck_assert(!mmu_would_xon(&b->mmu, 3, 100 + 49400, 49400, 0, false));
	ck_assert(mmu_would_xon(&b->mmu, 3, 100, 98800, 0, false));		/* only its reserve */
	mmu_force_xon(&b->mmu, 3);
	ck_assert(!b->group[3].xoff);
	ck_assert_uint_eq(b->mmu.nxoff, 0);
	mmu_force_xon(&b->mmu, 3);			/* nothing to do */
	ck_assert_uint_eq(b->mmu.nxoff, 0);
	free(b);
}
END_TEST

/* Freed below XON_TH only while below the limit (SAI: available buffer > XOFF_TH). */
START_TEST(xon_above_the_limit)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 100000;
	c.xoff_bytes = 1000;
	c.xon_bytes = 5000;
	c.headroom_bytes = 500;
	struct bench *b = bench_new(c, 0);

	ck_assert(mmu_admit(&b->mmu, 0, 1200));
	mmu_release(&b->mmu, 0, 200);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), UINT32_MAX);	/* 1000, not below the limit */
	mmu_release(&b->mmu, 0, 1);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), 0);
	free(b);
}
END_TEST

/* Two levels (sonic-mgmt's generator of thresholds for Spectrum-4 and 5): with q
 * the group's alpha, p the port's, and `occ` held by the other groups of the port,
 *	(q p (pool - occ) - q occ) / (1 + q p + q)
 * bytes bring the next group of the port to XOFF. */
static const struct { struct units_ratio q, p; int64_t pool; int groups; } levels[] = {
	{ { 1, 1 }, { 1, 1 }, 1000000, 3 }, { { 1, 8 }, { 8, 1 }, 777777, 4 },
	{ { 8, 1 }, { 1, 4 }, 500000, 2 }, { { 1, 2 }, { 1, 2 }, 123457, 5 }, { { 3, 7 }, { 2, 1 }, 999999, 4 },
};

START_TEST(two_levels)
{
	struct mmu_conf c = defaults();
	double q = (double)levels[_i].q.num / (double)levels[_i].q.den;
	double p = (double)levels[_i].p.num / (double)levels[_i].p.den;
	int64_t occ = 0;

	c.size_bytes = levels[_i].pool;
	c.alpha = levels[_i].q;
	c.port_alpha = levels[_i].p;
	struct bench *b = bench_new(c, 0);
	for (uint32_t g = 0; (int)g < levels[_i].groups; g++) {
		double pool = (double)levels[_i].pool, o = (double)occ;
		double want = (q * p * (pool - o) - q * o) / (1 + q * p + q);
		int64_t n = 0;
		while (!b->group[g].xoff && n <= (int64_t)want + 10) {
			QUICK(mmu_admit(&b->mmu, g, 1));
			n++;
		}
		ck_assert_double_eq_tol((double)n, want > 1 ? want : 1, 2.0);
		occ += n;
	}
	/* a group of the other port has the pool that is left, and a port of its own */
	int64_t n = 0;
	double want = q * p * ((double)levels[_i].pool - (double)occ) / (1 + q * p + q);
	while (!b->group[8].xoff) {
		QUICK(mmu_admit(&b->mmu, 8, 1));
		n++;
	}
	ck_assert_double_eq_tol((double)n, want, 2.0);
	/* freed by what another group of its port gives back */
	int64_t back = 0;
	while (back < b->group[1].shared && mmu_next_xon(&b->mmu, 0) != 0) {
		mmu_release(&b->mmu, 1, 1);
		back++;
	}
	ck_assert(!b->group[0].xoff || back > 0);
	books(b);
	free(b);
}
END_TEST

START_TEST(headroom_of_a_port)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 100000;
	c.xoff_bytes = 100;
	c.headroom_bytes = 2000;
	c.port_headroom_bytes = 2500;
	struct bench *b = bench_new(c, 0);

	for (uint32_t i = 3; i < 5; i++)
		ck_assert(mmu_admit(&b->mmu, i, 100));
	ck_assert(mmu_admit(&b->mmu, 3, 2000));		/* all of its own */
	ck_assert(!mmu_admit(&b->mmu, 4, 501));		/* the port has 500 left */
	ck_assert_int_eq(mmu_short_of(&b->mmu, 4, 501), MMU_SHORT_PORT);
	ck_assert_int_eq(mmu_short_of(&b->mmu, 4, 2001), MMU_SHORT_PORT | MMU_SHORT_HEADROOM);
	ck_assert(mmu_admit(&b->mmu, 4, 500));
	ck_assert(mmu_admit(&b->mmu, 8, 100));		/* another port */
	ck_assert(mmu_admit(&b->mmu, 8, 2000));
	mmu_release(&b->mmu, 3, 7);
	ck_assert(mmu_admit(&b->mmu, 4, 7));
	ck_assert(!mmu_admit(&b->mmu, 4, 1));
	books(b);
	free(b);
}
END_TEST

/* Two ports, two parts: one may be full, the other knows nothing of it. */
START_TEST(partitions)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 100000;
	c.alpha = (struct units_ratio){ 1, 1 };
	c.partitions = 2;
	c.shared_headroom_bytes = 2000;
	c.headroom_bytes = 1500;
	struct bench *b = bench_new(c, 0);

	ck_assert_int_eq(b->mmu.part[0].pool, 49000);
	ck_assert_int_eq(mmu_pool_bytes(&b->mmu), 98000);
	ck_assert_int_eq(mmu_headroom_pool_bytes(&b->mmu), 2000);
	ck_assert_int_eq(b->group[7].part, 0);
	ck_assert_int_eq(b->group[8].part, 1);
	ck_assert(mmu_admit(&b->mmu, 0, 24500));
	ck_assert(b->group[0].xoff);			/* half of its part */
	ck_assert(mmu_admit(&b->mmu, 0, 1000));		/* half of the headroom pool */
	ck_assert(!mmu_admit(&b->mmu, 0, 1));
	ck_assert_int_eq(mmu_short_of(&b->mmu, 0, 1), MMU_SHORT_POOL);
	ck_assert(mmu_admit(&b->mmu, 8, 24499));
	ck_assert(!b->group[8].xoff);
	ck_assert(mmu_admit(&b->mmu, 8, 1));
	ck_assert(b->group[8].xoff);
	mmu_release(&b->mmu, 8, 1);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 0), UINT32_MAX);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu, 1), 8);
	books(b);
	free(b);
}
END_TEST

START_TEST(descriptors)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 1000000;
	c.descriptors = 3;
	struct bench *b = bench_new(c, 1u << 11);

	ck_assert(mmu_admit(&b->mmu, 0, 64));
	ck_assert(mmu_admit(&b->mmu, 1, 9000));
	ck_assert(mmu_admit(&b->mmu, 11, 64));
	ck_assert(!mmu_admit(&b->mmu, 0, 64));		/* lossless or not */
	ck_assert_int_eq(mmu_short_of(&b->mmu, 0, 64), MMU_SHORT_DESCRIPTORS);
	ck_assert(!mmu_admit(&b->mmu, 11, 64));
	ck_assert(!b->group[0].xoff);
	mmu_release(&b->mmu, 1, 9000);
	ck_assert(mmu_admit(&b->mmu, 11, 64));
	ck_assert(!mmu_admit(&b->mmu, 0, 64));
	books(b);
	free(b);
}
END_TEST

START_TEST(egress_limits)
{
	struct mmu_conf c = defaults();
	int64_t queue[GROUPS] = { 0 };
	c.egress_lossless_bytes = 1000;
	c.egress_pool_bytes = 1500;
	ck_assert(mmu_by_egress(&c));
	struct bench *b = bench_new(c, 0);

	ck_assert(b->mmu.egress_limits);
	b->mmu.egress.queue = queue;
	queue[3] = b->mmu.egress.queued = 999;
	ck_assert(mmu_egress_lossless_room(&b->mmu, 3));	/* use before < limit */
	queue[3] = b->mmu.egress.queued = 1000;
	ck_assert(!mmu_egress_lossless_room(&b->mmu, 3));
	ck_assert(mmu_egress_lossless_room(&b->mmu, 4));
	queue[4] = 500;
	b->mmu.egress.queued = 1500;
	ck_assert(!mmu_egress_lossless_room(&b->mmu, 4));	/* the pool */
	b->conf.egress_pool_bytes = -1;
	ck_assert(mmu_egress_lossless_room(&b->mmu, 4));	/* each alone */
	ck_assert(!mmu_egress_lossless_room(&b->mmu, 3));
	b->conf.egress_pool_bytes = 1500;
	b->conf.egress_lossless_bytes = -1;
	ck_assert(!mmu_egress_lossless_room(&b->mmu, 3));
	b->mmu.egress.queued = 1499;
	ck_assert(mmu_egress_lossless_room(&b->mmu, 3));
	free(b);
	c = defaults();
	ck_assert(!mmu_by_egress(&c));
	ck_assert(!mmu_by_port(&c));
}
END_TEST

START_TEST(reservations_must_fit)
{
	struct mmu_conf c = defaults();
	struct mmu_group group[2] = { { .in_use = true, .lossless = true, .reserved_max = 400,
					.headroom_max = 600 }, { .in_use = false } };
	uint32_t xoff[2];
	struct sim_error err;
	struct mmu m;

	error_init(&err);
	c.size_bytes = 1000;
	ck_assert_int_eq(mmu_init(&m, &c, group, xoff, NULL, 2, &err), -1);
	ck_assert_str_eq(err.where, "/size");
	error_init(&err);
	c.size_bytes = 1001;
	ck_assert_int_eq(mmu_init(&m, &c, group, xoff, NULL, 2, &err), 0);
	ck_assert_int_eq(m.part[0].pool, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mmu");
	TCase *tc = tcase_create("mmu");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, what_does_not_fit_is_refused);
	tcase_add_test(tc, profiles_are_shared);
	tcase_add_test(tc, charges_whole_cells);
	tcase_add_test(tc, fills_and_empties_in_order);
	tcase_add_test(tc, freed_by_the_release_of_others);
	tcase_add_test(tc, freed_with_headroom_empty);
	tcase_add_test(tc, freed_in_order);
	tcase_add_test(tc, shared_headroom_pool);
	tcase_add_test(tc, would_be_freed_and_forced);
	tcase_add_test(tc, xon_above_the_limit);
	tcase_add_loop_test(tc, two_levels, 0, sizeof(levels) / sizeof(*levels));
	tcase_add_test(tc, headroom_of_a_port);
	tcase_add_test(tc, partitions);
	tcase_add_test(tc, descriptors);
	tcase_add_test(tc, egress_limits);
	tcase_add_test(tc, reservations_must_fit);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
