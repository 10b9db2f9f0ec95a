/* observe/percentile: nearest rank, as its definition says; sums exact. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "observe/percentile.h"

/* By the definition: the smallest value with at least p of all at or below it. */
static size_t slow_index(size_t n, uint64_t num, uint64_t den)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned __int128)(i + 1) * den >= (unsigned __int128)n * num)
			return i;
	return n - 1;
}

START_TEST(ranks_are_those_of_the_definition)
{
	static const uint64_t p[][2] = {{0, 1}, {1, 2}, {99, 100}, {999, 1000}, {1, 1}};

	for (size_t n = 1; n < 3000; n++)
		for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++)
			ck_assert_uint_eq(percentile_index(n, p[i][0], p[i][1]),
					  slow_index(n, p[i][0], p[i][1]));
	ck_assert_uint_eq(percentile_index(1000, 999, 1000), 998);
	ck_assert_uint_eq(percentile_index(100, 99, 100), 98);
}
END_TEST

START_TEST(times_are_sorted_and_summed_exactly)
{
	int64_t values[1000];

	for (int i = 0; i < 1000; i++)
		values[i] = INT64_C(9000000000000000000) - (i * 7919) % 1000;
	struct summary_times t = percentile_times(values, 1000);
	ck_assert_int_eq(t.count, 1000);
	ck_assert_int_eq(t.max, INT64_C(9000000000000000000));
	ck_assert_int_eq(t.p50, INT64_C(9000000000000000000) - 500);
	ck_assert_int_eq(t.p99, INT64_C(9000000000000000000) - 10);
	ck_assert_int_eq(t.p999, INT64_C(9000000000000000000) - 1);
	ck_assert_int_eq(t.mean, INT64_C(9000000000000000000) - 499);	/* 499.5, half up */
}
END_TEST

START_TEST(nothing_gives_nothing)
{
	ck_assert_int_eq(percentile_times(NULL, 0).count, 0);
	ck_assert_int_eq(percentile_ratios(NULL, 0).count, 0);
	ck_assert(isnan(percentile_jain(NULL, 0)));
	ck_assert(isnan(percentile_jain((double[]){ 5 }, 1)));
	ck_assert(isnan(percentile_jain((double[]){ 0, 0 }, 2)));
}
END_TEST

START_TEST(one_value_is_every_percentile)
{
	double r[] = { 2.5 };
	struct summary_ratios s = percentile_ratios(r, 1);

	ck_assert_double_eq(s.p50, 2.5);
	ck_assert_double_eq(s.p999, 2.5);
	ck_assert_double_eq(s.mean, 2.5);
}
END_TEST

/* Jain, Chiu and Hawe 1984: k of n users with equal shares, the others with none. */
START_TEST(jain_is_k_over_n)
{
	ck_assert_double_eq(percentile_jain((double[]){ 3, 3, 3, 3 }, 4), 1);
	ck_assert_double_eq(percentile_jain((double[]){ 7, 0, 0, 0 }, 4), 0.25);
	ck_assert_double_eq(percentile_jain((double[]){ 7, 0, 7, 0 }, 4), 0.5);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("percentile");
	TCase *t = tcase_create("percentile");

	tcase_add_test(t, ranks_are_those_of_the_definition);
	tcase_add_test(t, times_are_sorted_and_summed_exactly);
	tcase_add_test(t, nothing_gives_nothing);
	tcase_add_test(t, one_value_is_every_percentile);
	tcase_add_test(t, jain_is_k_over_n);
	suite_add_tcase(s, t);
	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
