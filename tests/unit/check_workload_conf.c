/* models/host/workload_conf and workload_cdf: tables, and draws in integers. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "models/host/workload_cdf.h"

START_TEST(tables_are_whole)
{
	const struct param *table = workload_params((enum workload_kind)_i);
	struct workload_conf conf = {0};

	param_defaults(table, &conf);
	ck_assert_ptr_nonnull(param_find(table, "start"));
	ck_assert(conf.start_ps == 0);
	ck_assert(conf.stop_ps == UNITS_NEVER);
	for (const struct param *row = table; row->key; row++) {
		struct sim_error err = {0};
		const char *bounds[] = { row->def, row->min, row->max };

		ck_assert_int_eq(row->doc[strlen(row->doc) - 1], '.');
		for (int i = 0; i < 3; i++)
			if (bounds[i])
				ck_assert_msg(param_set(row, &conf, bounds[i], &err) == 0,
					      "%s", err.text);
	}
}
END_TEST

START_TEST(names_and_words)
{
	struct workload_conf conf = {0};

	ck_assert_str_eq(workload_kind_name(WORKLOAD_RING_ALLREDUCE), "ring_allreduce");
	ck_assert_str_eq(workload_kind_name(WORKLOAD_FLOW), "flow");
	param_defaults(workload_params(WORKLOAD_STREAM), &conf);
	ck_assert_int_eq(conf.rate_bps, 0);		/* greedy */
	ck_assert_int_eq(conf.frame_bytes, 1000);
	ck_assert_int_eq(conf.jitter.num, 0);
	param_defaults(workload_params(WORKLOAD_REQUEST_RESPONSE), &conf);
	ck_assert_int_eq(conf.freq_mhz, 0);		/* closed */
	ck_assert_int_eq(conf.count, 0);		/* endless */
	param_defaults(workload_params(WORKLOAD_FLOW), &conf);
	ck_assert_int_eq(conf.count, 1);
}
END_TEST

/* 1,711,250 B under linear interpolation: algorithms.md section 7. */
START_TEST(websearch_mean)
{
	struct workload_cdf cdf = {0};
	struct sim_error err = {0};

	ck_assert_int_eq(workload_cdf_builtin("websearch", &cdf), 0);
	ck_assert_int_eq(workload_cdf_check(&cdf, &err), 0);
	ck_assert_int_eq(workload_cdf_mean(&cdf), 1711250);
	workload_cdf_fini(&cdf);
	ck_assert_int_eq(workload_cdf_builtin("websaerch", &cdf), -1);
	ck_assert_int_eq(workload_cdf_builtin(NULL, &cdf), -1);
}
END_TEST

/* Means under linear interpolation, by hand of the published rows: the sum of (F[i] - F[i-1])
 * (x[i] + x[i-1]) / 2 = 120,420.75; 40,869.80; 39,423.50. */
START_TEST(builtin_means)
{
	static const struct { const char *name; int points; int64_t mean, largest; } of[] = {
		{ "fb_hadoop", 19, 120421, 10000000 }, { "ali_storage", 8, 40870, 2000000 },
		{ "solar", 7, 39424, 262144 },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		struct workload_cdf cdf = {0};
		struct sim_error err = {0};

		ck_assert_int_eq(workload_cdf_builtin(of[i].name, &cdf), 0);
		ck_assert_msg(workload_cdf_check(&cdf, &err) == 0, "%s: %s", of[i].name, err.text);
		ck_assert_int_eq(cdf.n, of[i].points);
		ck_assert_int_eq(workload_cdf_mean(&cdf), of[i].mean);
		ck_assert_int_eq(cdf.size_bytes[cdf.n - 1], of[i].largest);
		workload_cdf_fini(&cdf);
	}
}
END_TEST

/* Whatever the order in which they were written. */
START_TEST(list_order)
{
	static const struct workload_flow want[] = { { 5, 9, 0, 2 }, { 7, 1, 0, 1 }, { 7, 1, 0, 3 }, { 7, 2, 0, 3 },
						     { 0, 1, 1, 0 } };
	struct workload_flow list[5];

	for (int turn = 0; turn < 5; turn++) {
		for (int i = 0; i < 5; i++)
			list[i] = want[(i * 3 + turn) % 5];
		workload_list_sort(list, 5);
		ck_assert_mem_eq(list, want, sizeof(want));
	}
}
END_TEST

static int64_t at(const struct workload_cdf *cdf, uint64_t num, uint64_t den)
{
	return workload_cdf_draw(cdf, (uint64_t)(((unsigned __int128)num << 64) / den));
}

/* The points of the table are the quantiles; between two, linear.  A fraction
 * that 2^-53 does not divide may round a size down by 1. */
START_TEST(websearch_quantiles)
{
	struct workload_cdf cdf = {0};

	ck_assert_int_eq(workload_cdf_builtin("websearch", &cdf), 0);
	ck_assert_int_eq(at(&cdf, 0, 1), 1);
	ck_assert_int_le(llabs(at(&cdf, 75, 1000) - 5000), 1);
	ck_assert_int_le(llabs(at(&cdf, 15, 100) - 10000), 1);
	ck_assert_int_le(llabs(at(&cdf, 45, 100) - (50000 + 30000 * 5 / 13)), 1);
	ck_assert_int_le(llabs(at(&cdf, 95, 100) - (5000000 + 5000000 * INT64_C(5) / 7)), 1);
	ck_assert_int_eq(workload_cdf_draw(&cdf, UINT64_MAX), 29999999);
	workload_cdf_fini(&cdf);
}
END_TEST

/* The mean of evenly spaced quantiles is the mean: midpoints of 2^20 cells;
 * linear pieces make the error less than a byte or so a piece boundary. */
START_TEST(draws_have_the_mean)
{
	struct workload_cdf cdf = {0};
	int64_t sum = 0;

	ck_assert_int_eq(workload_cdf_builtin("websearch", &cdf), 0);
	for (uint64_t i = 0; i < 1u << 20; i++)
		sum += workload_cdf_draw(&cdf, (i << 44) + (UINT64_C(1) << 43));
	ck_assert_int_le(llabs((sum >> 20) - 1711250), 2);
	workload_cdf_fini(&cdf);
}
END_TEST

/* Half at 4 KB exactly, half uniform in 4 KB .. 8 KB; a step; one size only. */
START_TEST(atoms)
{
	int64_t size[] = { 4096, 4096, 8192 }, step_size[] = { 100, 100, 900, 900 };
	double fraction[] = { 0, 0.5, 1 }, step_fraction[] = { 0, 0.25, 0.25, 1 };
	struct workload_cdf cdf = { 3, size, fraction }, step = { 4, step_size, step_fraction };
	struct workload_cdf one = { 2, size, (double[]){ 0, 1 } };

	ck_assert_int_eq(at(&cdf, 0, 1), 4096);
	ck_assert_int_eq(at(&cdf, 49, 100), 4096);
	ck_assert_int_eq(at(&cdf, 3, 4), 6144);
	ck_assert_int_eq(workload_cdf_mean(&cdf), (4096 + 6144) / 2);
	ck_assert_int_eq(at(&step, 24, 100), 100);
	ck_assert_int_eq(at(&step, 25, 100), 900);
	ck_assert_int_eq(workload_cdf_mean(&step), 700);
	ck_assert_int_eq(workload_cdf_draw(&one, UINT64_MAX), 4096);
	ck_assert_int_eq(workload_cdf_mean(&one), 4096);
}
END_TEST

START_TEST(checks)
{
	int64_t size[] = { 100, 50 }, up[] = { 50, 100 };
	double half[] = { 0.5, 1 }, low[] = { 0.5, 0.9 };
	double down[] = { 0.5, 0.4 }, over[] = { 0.5, 2 };
	struct { struct workload_cdf cdf; const char *says; } bad[] = {
		{ { 0, NULL, NULL }, "a CDF needs at least one point" },
		{ { 2, size, half }, "size of CDF point 1 descends" },
		{ { 2, up, low }, "the last fraction of a CDF must be 1" },
		{ { 2, up, down }, "fraction of CDF point 1 descends" },
		{ { 2, up, over }, "fraction of CDF point 1 is not in 0..1" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sim_error err = {0};

		ck_assert_int_eq(workload_cdf_check(&bad[i].cdf, &err), -1);
		ck_assert_str_eq(err.text, bad[i].says);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("workload_conf");
	TCase *tc = tcase_create("workload_conf");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, tables_are_whole, 0, WORKLOAD_LIST + 1);
	tcase_add_test(tc, names_and_words);
	tcase_add_test(tc, builtin_means);
	tcase_add_test(tc, list_order);
	tcase_add_test(tc, websearch_mean);
	tcase_add_test(tc, websearch_quantiles);
	tcase_add_test(tc, draws_have_the_mean);
	tcase_add_test(tc, atoms);
	tcase_add_test(tc, checks);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
