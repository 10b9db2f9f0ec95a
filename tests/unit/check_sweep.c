/* sweep/: the numbering of points, Student's interval, the store and its merge. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sweep/grid.h"
#include "sweep/stats.h"
#include "sweep/store.h"
#include "tests/support/scratch.h"

START_TEST(every_point_is_one_combination)
{
	const int sizes[3] = { 2, 3, 4 };
	bool seen[24] = { false };

	ck_assert_int_eq(grid_size(sizes, 3), 24);
	for (int64_t i = 0; i < 24; i++) {
		int c[3];
		grid_choice(sizes, 3, i, c);
		int at = (c[0] * 3 + c[1]) * 4 + c[2];
		ck_assert(c[0] < 2 && c[1] < 3 && c[2] < 4 && !seen[at]);
		seen[at] = true;
		ck_assert_int_eq(at, i);	/* the last axis turns fastest */
	}
}
END_TEST

START_TEST(a_grid_beyond_numbering_is_refused)
{
	const int sizes[3] = { 1000, 1000, 1000 };
	ck_assert_int_eq(grid_size(sizes, 3), -1);
}
END_TEST

static int chosen(const bool *w, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += w[i];
	return sum;
}

START_TEST(points_are_selected_by_list)
{
	bool w[10];
	struct sim_error err = { 0 };

	ck_assert_int_eq(grid_select("3,5-7", 10, w, &err), 0);
	ck_assert_int_eq(chosen(w, 10), 4);
	ck_assert(w[3] && w[5] && w[6] && w[7]);
	ck_assert_int_eq(grid_select(NULL, 10, w, &err), 0);
	ck_assert_int_eq(chosen(w, 10), 10);
	ck_assert_int_eq(grid_select("3-", 10, w, &err), -1);
	err.set = 0;
	ck_assert_int_eq(grid_select("10", 10, w, &err), -1);
	ck_assert_str_eq(err.text, "there is no point 10; the sweep has points 0 to 9");
	err.set = 0;
	ck_assert_int_eq(grid_select("a", 10, w, &err), -1);
}
END_TEST

START_TEST(shards_share_the_points)
{
	int times[10] = { 0 };
	char text[8];
	struct sim_error err = { 0 };

	for (int part = 1; part <= 3; part++) {
		bool w[10];
		ck_assert_int_eq(grid_select(NULL, 10, w, &err), 0);
		snprintf(text, sizeof text, "%d/3", part);
		ck_assert_int_eq(grid_shard(text, 10, w, &err), 0);
		for (int i = 0; i < 10; i++)
			times[i] += w[i];
	}
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(times[i], 1);
	bool w[10];
	ck_assert_int_eq(grid_shard("4/3", 10, w, &err), -1);
}
END_TEST

/* t(0.975, 4) = 2.776445 (NIST Engineering Statistics Handbook, table of Student's
 * t); values 1..5: mean 3, sd sqrt(2.5). */
START_TEST(the_interval_is_students)
{
	const double v[5] = { 1, 2, 3, 4, 5 };
	struct stats s = stats_of(v, 5);

	ck_assert_double_eq_tol(s.mean, 3, 1e-12);
	ck_assert_double_eq_tol(s.half, 2.776445 * sqrt(2.5) / sqrt(5), 1e-5);
	ck_assert(isnan(stats_of(v, 1).half));
}
END_TEST

static void keep(struct store *s, const char *key, const char *kmin, const char *seed, double p99)
{
	struct sim_error err = { 0 };
	struct store_run run = { .key = key, .experiment = "e", .variant = "base", .digest = "0" };

	ck_assert_int_eq(store_begin(s, &err), 0);
	ck_assert_int_eq(store_run(s, &run, &err), 0);
	ck_assert_int_eq(store_param(s, &run, "kmin", kmin, &err), 0);
	ck_assert_int_eq(store_param(s, &run, "run.seed", seed, &err), 0);
	ck_assert_int_eq(store_metric(s, &run, "p99", p99, &err), 0);
	ck_assert_int_eq(store_commit(s, &err), 0);
}

struct rows { int n; char text[512]; };

static void row(void *ctx, const char *setting, const char *key, const char *variant, double value)
{
	struct rows *r = ctx;
	(void)key;
	(void)variant;
	r->n++;
	snprintf(r->text + strlen(r->text), sizeof r->text - strlen(r->text), "%s:%g;", setting, value);
}

START_TEST(seeds_of_a_setting_come_together_and_merging_counts_none_twice)
{
	char *a = scratch_name("store"), *b = scratch_name("store");
	struct sim_error err = { 0 };
	struct rows r = { .n = 0 };

	close(mkstemp(a));
	close(mkstemp(b));
	struct store *one = store_open(a, true, &err), *two = store_open(b, true, &err);
	ck_assert_ptr_nonnull(one);
	ck_assert_ptr_nonnull(two);
	keep(one, "k1", "5KB", "1", 10);
	keep(one, "k2", "9KB", "1", 30);
	keep(two, "k3", "5KB", "2", 20);
	keep(two, "k1", "5KB", "1", 10);
	store_close(&two);
	ck_assert_int_eq(store_merge(one, b, &err), 0);
	ck_assert(store_has(one, "k3", "base") && !store_has(one, "k4", "base"));
	ck_assert_int_eq(store_each(one, "p99", row, &r, &err), 0);
	ck_assert_str_eq(r.text, "kmin=5KB:10;kmin=5KB:20;kmin=9KB:30;");
	ck_assert_int_eq(store_each(one, "p98", row, &r, &err), -1);
	ck_assert_str_eq(err.text, "no run has a metric \"p98\"; did you mean \"p99\"?");
	store_close(&one);
	unlink(a);
	unlink(b);
	free(a);
	free(b);
}
END_TEST

START_TEST(another_programs_file_is_refused)
{
	char *a = scratch_name("store");
	struct sim_error err = { 0 };
	int fd = mkstemp(a);

	ck_assert_int_eq(write(fd, "not a database, and longer than a header of one ................................................", 90), 90);
	close(fd);
	ck_assert_ptr_null(store_open(a, true, &err));
	ck_assert(err.set);
	unlink(a);
	free(a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sweep");
	TCase *t = tcase_create("sweep");
	SRunner *r = srunner_create(s);

	tcase_add_test(t, every_point_is_one_combination);
	tcase_add_test(t, a_grid_beyond_numbering_is_refused);
	tcase_add_test(t, points_are_selected_by_list);
	tcase_add_test(t, shards_share_the_points);
	tcase_add_test(t, the_interval_is_students);
	tcase_add_test(t, seeds_of_a_setting_come_together_and_merging_counts_none_twice);
	tcase_add_test(t, another_programs_file_is_refused);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
