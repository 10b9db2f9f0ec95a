/*
 * sweep/compare: pairs by seed, ratios and differences, and who is told apart.
 * Quantiles of Student's t at 97.5 %: 12.7062 for 1 degree of freedom, 4.30265 for 2
 * (NIST Engineering Statistics Handbook, 1.3.6.7.2).
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "sweep/compare.h"
#include "tests/support/scratch.h"

static char *path;
static struct store *store;
static int keys;

static void open_store(void)
{
	struct sim_error err = { 0 };

	path = scratch_name("compare");
	close(mkstemp(path));
	store = store_open(path, true, &err);
	ck_assert_ptr_nonnull(store);
	keys = 0;
}

static void close_store(void)
{
	store_close(&store);
	unlink(path);
	free(path);
}

/* One run: metrics q.a.x and q.b.x, the second ten times the first. */
static void keep(const char *variant, const char *load, const char *seed, double value)
{
	struct sim_error err = { 0 };
	char key[16];
	struct store_run run = { .key = key, .experiment = "e", .variant = variant, .digest = "0" };

	snprintf(key, sizeof key, "k%d", keys++);
	ck_assert_int_eq(store_begin(store, &err), 0);
	ck_assert_int_eq(store_run(store, &run, &err), 0);
	ck_assert_int_eq(store_param(store, &run, "load", load, &err), 0);
	ck_assert_int_eq(store_param(store, &run, "run.seed", seed, &err), 0);
	ck_assert_int_eq(store_metric(store, &run, "q.b.x", value, &err), 0);
	ck_assert_int_eq(store_metric(store, &run, "q.a.x", 10 * value, &err), 0);
	ck_assert_int_eq(store_commit(store, &err), 0);
}

static struct compare *read_all(const char *glob, const char *by)
{
	struct sim_error err = { 0 };
	struct compare *c = compare_new(store, &glob, 1, by, &err);

	ck_assert_msg(c != NULL, "%s", err.text);
	return c;
}

START_TEST(places)
{
	keep("base", "0.5", "1", 1);
	keep("base", "0.8", "1", 2);
	keep("swift", "0.5", "1", 3);
	keep("swift", "0.5", "2", 4);

	struct compare *c = read_all("q.*.x", "variant");
	ck_assert_int_eq(c->settings, 2);
	ck_assert_str_eq(c->setting[0], "load=0.5");
	ck_assert_int_eq(c->metrics, 2);
	ck_assert_str_eq(c->metric[0], "q.b.x");	/* as they were written */
	ck_assert_int_eq(c->arms, 2);
	ck_assert_int_eq(compare_arm(c, "swift"), 1);
	ck_assert_int_eq(compare_arm(c, "dctcp"), -1);
	ck_assert(compare_own(c, 1, 1, 0, 0.95).mean == 20);
	ck_assert_int_eq(compare_own(c, 1, 1, 1, 0.95).n, 0);
	ck_assert_int_eq(compare_own(c, 0, 0, 1, 0.95).n, 2);
	ck_assert_int_eq(compare_pair(c, 0, 0, 1, 0, 0.95, false).n, 1);	/* seed 1 alone */
	compare_free(&c);
	c = read_all("q.b.x", "load");
	ck_assert_int_eq(c->settings, 2);
	ck_assert_str_eq(c->setting[1], " variant=swift");
	ck_assert_str_eq(c->arm[1], "0.8");
	compare_free(&c);
}
END_TEST

/* Twice as much on every seed is sure as a ratio, and not as a difference: 1, 2, 4
 * have mean 7/3, sd sqrt(7/3), half width 4.30265 sqrt(7)/3 = 3.7946. */
START_TEST(a_factor_is_seen_through_seeds_that_scatter)
{
	const char *const seed[] = { "1", "2", "3" };

	for (int i = 0; i < 3; i++) {
		keep("base", "0.5", seed[i], 1 << i);
		keep("dctcp", "0.5", seed[i], 2 << i);
	}
	struct compare *c = read_all("q.b.x", "variant");
	struct compare_pair p = compare_pair(c, 0, 0, 1, 0, 0.95, false);
	ck_assert(p.ratio && p.n == 3 && p.verdict == 1);
	ck_assert_double_eq_tol(p.mean, 2, 1e-12);
	ck_assert_double_eq_tol(p.low, 2, 1e-12);
	ck_assert_int_eq(compare_pair(c, 0, 0, 0, 1, 0.95, false).verdict, -1);
	p = compare_pair(c, 0, 0, 1, 0, 0.95, true);
	ck_assert(!p.ratio && p.verdict == 0);
	ck_assert_double_eq_tol(p.mean, 7.0 / 3, 1e-12);
	ck_assert_double_eq_tol(p.high - p.mean, 3.7946, 1e-3);
	ck_assert_int_eq(compare_least(c, 0, 0), 0);
	compare_free(&c);
}
END_TEST

/* Ratios 2 and 8: the logarithms to base 2 are 1 and 3, mean 2, sd sqrt(2), half width
 * 12.7062.  At 50 % t is 1: half width 1, from 2 to 8. */
START_TEST(the_interval_of_a_ratio)
{
	keep("base", "0.5", "1", 1);
	keep("base", "0.5", "2", 3);
	keep("dctcp", "0.5", "1", 2);
	keep("dctcp", "0.5", "2", 24);
	struct compare *c = read_all("q.b.x", "variant");
	struct compare_pair p = compare_pair(c, 0, 0, 1, 0, 0.95, false);
	ck_assert_double_eq_tol(p.mean, 4, 1e-12);
	ck_assert_double_eq_tol(log2(p.low), 2 - 12.7062, 1e-4);
	ck_assert_double_eq_tol(log2(p.high), 2 + 12.7062, 1e-4);
	ck_assert_int_eq(p.verdict, 0);
	p = compare_pair(c, 0, 0, 1, 0, 0.5, false);
	ck_assert_double_eq_tol(p.low, 2, 1e-9);
	ck_assert_int_eq(p.verdict, 1);
	p = compare_pair(c, 0, 0, 1, -1, 0.5, false);	/* of 2 and 24 alone */
	ck_assert_double_eq_tol(p.mean, sqrt(48), 1e-9);
	compare_free(&c);
}
END_TEST

START_TEST(a_zero_has_no_ratio)
{
	keep("base", "0.5", "1", 5);
	keep("base", "0.5", "2", 7);
	keep("hpcc", "0.5", "1", 0);
	keep("hpcc", "0.5", "2", 0);
	struct compare *c = read_all("q.b.x", "variant");
	struct compare_pair p = compare_pair(c, 0, 0, 1, 0, 0.5, false);
	ck_assert(!p.ratio && p.verdict == -1);
	ck_assert(p.mean == -6);
	ck_assert_int_eq(compare_least(c, 0, 0), 1);
	compare_free(&c);
}
END_TEST

/* A later run of the same place counts, and the reader is told. */
START_TEST(run_again)
{
	keep("base", "0.5", "1", 5);
	keep("base", "0.5", "1", 7);
	struct compare *c = read_all("q.*.x", "variant");
	ck_assert_int_eq(c->again, 1);
	ck_assert(compare_own(c, 0, 0, 0, 0.95).mean == 7);
	compare_free(&c);
}
END_TEST

START_TEST(no_such_metric)
{
	struct sim_error err = { 0 };
	const char *glob = "q.b.y";

	keep("base", "0.5", "1", 5);
	ck_assert_ptr_null(compare_new(store, &glob, 1, "variant", &err));
	ck_assert_str_eq(err.text, "no run has a metric \"q.b.y\"; did you mean \"q.b.x\"?");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("compare");
	TCase *t = tcase_create("compare");
	SRunner *r = srunner_create(s);

	tcase_add_checked_fixture(t, open_store, close_store);
	tcase_add_test(t, places);
	tcase_add_test(t, a_factor_is_seen_through_seeds_that_scatter);
	tcase_add_test(t, the_interval_of_a_ratio);
	tcase_add_test(t, a_zero_has_no_ratio);
	tcase_add_test(t, run_again);
	tcase_add_test(t, no_such_metric);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
