/* analyze/thresholds: the queue at the fixed point, and advice. */
#include <check.h>
#include <stdlib.h>

#include "analyze/thresholds.h"

static struct fixed_point solve(struct fluid_conf *c, int64_t rate_bps, int64_t flows)
{
	struct fixed_point p;
	struct sim_error err = { 0 };

	param_defaults(fluid_params, c);
	c->rate_bps = rate_bps;
	c->line_bps = rate_bps;
	c->flows = flows;
	ck_assert_msg(!fluid_check(c, &err), "%s", err.text);
	fixed_point_solve(c, &p);
	return p;
}

/* algorithms.md 1.4, 40G and 5/200 KB, 1 %: 41.8 KB for 4 flows, 122.6 for 10; for 16 the
 * mark is above 1 %. */
START_TEST(queue)
{
	struct fluid_conf c;

	ck_assert_double_eq_tol(thresholds_queue(solve(&c, 40000000000, 4).mark, 5000, 200000, 0.01),
				41800, 60);
	ck_assert_double_eq_tol(thresholds_queue(solve(&c, 40000000000, 10).mark, 5000, 200000, 0.01),
				122600, 60);
	ck_assert_double_lt(thresholds_queue(solve(&c, 40000000000, 16).mark, 5000, 200000, 0.01), 0);
}
END_TEST

/* By rate: at 100G 2.5 times the 5/200 KB of 40G, and HPCC's 400/1600 KB. */
START_TEST(others)
{
	struct thresholds_advice a[THRESHOLDS_ADVICE];
	struct fluid_conf c;

	solve(&c, 100000000000, 4);
	thresholds_advice(&c, 10000000, 0.001, a);
	ck_assert_int_eq(a[0].kmin_bytes, 12500);
	ck_assert_int_eq(a[0].kmax_bytes, 500000);
	ck_assert_int_eq(a[1].kmin_bytes, 400000);
	ck_assert_int_eq(a[1].kmax_bytes, 1600000);
}
END_TEST

/* Our own puts the fixed point on the slope, at half of pmax or below. */
START_TEST(advice_holds_its_fixed_point)
{
	for (int64_t flows = 2; flows <= 256; flows *= 2) {
		struct thresholds_advice a[THRESHOLDS_ADVICE], *own = &a[THRESHOLDS_ADVICE - 1];
		struct fluid_conf c;
		double mark = solve(&c, 100000000000, flows).mark, q;

		thresholds_advice(&c, 10000000, mark, a);
		q = thresholds_queue(mark, own->kmin_bytes, own->kmax_bytes, own->pmax);
		ck_assert_double_gt(q, (double)own->kmin_bytes);
		ck_assert_double_lt(q, 0.52 * (double)(own->kmin_bytes + own->kmax_bytes));
		ck_assert_int_ge(own->kmin_bytes, 10 * 12500 / 7);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("thresholds");
	TCase *tc = tcase_create("thresholds");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, queue);
	tcase_add_test(tc, others);
	tcase_add_test(tc, advice_holds_its_fixed_point);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
