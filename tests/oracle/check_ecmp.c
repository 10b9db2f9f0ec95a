/*
 * ECMP collides as chance does: n flows over m equal paths.
 *
 * Algorithms.md, 6.20: P(no collision) = m! / ((m - n)! m^n), mean number of
 * paths used = m (1 - (1 - 1/m)^n); variance of that number = m(m-1)(1-2/m)^n +
 * m(1-1/m)^n - m^2 (1-1/m)^2n (occupancy; Feller I, IV.2).  Two leaves, m spines,
 * n pairs of hosts, a hundred seeds and more.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "tests/support/bed.h"

/* Paths used by one round of n flows. */
static int used_paths(int n, int m, int64_t seed)
{
	char name[24], peer[24], load[24];
	struct bed b;
	int used = 0;

	bed_open(&b, 20 * BED_US);
	b.run.seed = seed;
	bed_switch(&b, "leaf0");
	bed_switch(&b, "leaf1");
	for (int i = 0; i < m; i++) {
		snprintf(name, sizeof name, "spine%d", i);
		bed_switch(&b, name);
		bed_link(&b, "leaf0", 100 + i, name, 0, 100 * BED_G, BED_US);
		bed_link(&b, "leaf1", 100 + i, name, 1, 100 * BED_G, BED_US);
	}
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof name, "a%d", i);
		snprintf(peer, sizeof peer, "b%d", i);
		snprintf(load, sizeof load, "load%d", i);
		bed_leaf(&b, name, "leaf0", i, 100 * BED_G, BED_US);
		bed_leaf(&b, peer, "leaf1", i, 100 * BED_G, BED_US);
		bed_flow(&b, load, name, peer, 9000, 1);
	}
	bed_run(&b);
	for (int i = 0; i < m; i++)
		used += bed_counters(&b, "leaf0", 100 + i, 3).tx_frames > 0;
	bed_close(&b);
	return used;
}

static const struct { int n, m, rounds; } collisions[] = {
	{ 2, 4, 400 }, { 4, 4, 400 }, { 8, 8, 200 }, { 8, 16, 150 },
};

START_TEST(collisions_as_by_chance)
{
	int n = collisions[_i].n, m = collisions[_i].m, rounds = collisions[_i].rounds;
	double none = 1, mean = 0, q = pow(1 - 1.0 / m, n), want = m * (1 - q);
	double var = m * (m - 1) * pow(1 - 2.0 / m, n) + m * q - m * m * q * q;
	unsigned without = 0;

	for (int i = 0; i < n; i++)
		none *= (double)(m - i) / m;
	for (int r = 0; r < rounds; r++) {
		int used = used_paths(n, m, 1000 * _i + r);
		without += used == n;
		mean += (double)used / rounds;
	}
	ck_assert_double_gt(gsl_cdf_binomial_P(without, none, (unsigned)rounds), 0.0005);
	ck_assert(!without || gsl_cdf_binomial_Q(without - 1, none, (unsigned)rounds) > 0.0005);
	ck_assert_double_eq_tol(mean, want, 3.5 * sqrt(var / rounds));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ecmp");
	TCase *tc = tcase_create("ecmp");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, collisions_as_by_chance, 0, 4);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
