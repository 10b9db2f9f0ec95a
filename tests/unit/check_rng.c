/*
 * sim/rng: uniform, independent by name, exponential, and an exact logarithm.
 *
 * Chi-square and Kolmogorov-Smirnov against GSL's distributions, both tails:
 * draws that are too even are as wrong.  Seeds are fixed, so a failure is one of
 * the code; the limits are 1 in 2000 a test.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "sim/rng.h"

/* In loops: an assertion of Check's writes to a pipe each time. */
#define QUICK(cond) do { if (!(cond)) ck_abort_msg("%s", #cond); } while (0)

static void chi2_is_fair(const uint64_t *count, int cells, uint64_t total)
{
	double want = (double)total / cells, chi2 = 0;

	for (int i = 0; i < cells; i++)
		chi2 += ((double)count[i] - want) * ((double)count[i] - want) / want;
	ck_assert_double_gt(gsl_cdf_chisq_Q(chi2, cells - 1), 0.00025);
	ck_assert_double_gt(gsl_cdf_chisq_P(chi2, cells - 1), 0.00025);
}

/* Every byte of the 64 bits, and pairs of successive draws. */
START_TEST(bits_are_uniform)
{
	struct rng r = rng_named(1, _i % 2 ? "leaf0" : "h7");
	uint64_t count[256] = { 0 }, pair[256] = { 0 }, last = 0;
	int shift = _i / 2 * 8;

	for (int k = 0; k < 500000; k++) {
		uint64_t u = rng_next(&r) >> shift;
		count[u & 255]++;
		pair[(u & 15) << 4 | (last & 15)]++;
		last = u;
	}
	chi2_is_fair(count, 256, 500000);
	chi2_is_fair(pair, 256, 500000);
}
END_TEST

START_TEST(below_is_uniform)
{
	static const uint64_t below[] = { 1, 2, 3, 10, 100, 1000 };
	struct rng r = rng_named((uint64_t)_i, "below");
	uint64_t count[1000] = { 0 };

	for (int k = 0; k < 300000; k++) {
		uint64_t u = rng_below(&r, below[_i]);
		QUICK(u < below[_i]);
		count[u]++;
	}
	if (below[_i] > 1)
		chi2_is_fair(count, (int)below[_i], 300000);
	ck_assert_uint_ge(rng_below(&r, UINT64_MAX), UINT64_C(1) << 32);	/* no overflow */
}
END_TEST

/* Streams of neighbouring names and seeds: the joint distribution is uniform. */
START_TEST(streams_are_independent)
{
	static const struct { uint64_t seed[2]; const char *name[2]; } two[] = {
		{ { 1, 1 }, { "h1", "h2" } }, { { 1, 2 }, { "h1", "h1" } },
		{ { 0, 0 }, { "", "a" } }, { { 7, 7 }, { "leaf0:1", "leaf0:10" } },
	};
	struct rng a = rng_named(two[_i].seed[0], two[_i].name[0]);
	struct rng b = rng_named(two[_i].seed[1], two[_i].name[1]);
	uint64_t count[256] = { 0 };

	for (int k = 0; k < 200000; k++)
		count[rng_next(&a) >> 60 << 4 | rng_next(&b) >> 60]++;
	chi2_is_fair(count, 256, 200000);
}
END_TEST

START_TEST(names_and_seeds_make_the_stream)
{
	struct rng a = rng_named(5, "h1"), b = rng_named(5, "h1");

	for (int k = 0; k < 100; k++)
		ck_assert_uint_eq(rng_next(&a), rng_next(&b));
	ck_assert_uint_ne(rng_hash_text(1, "ab"), rng_hash_text(1, "ba"));
	ck_assert_uint_ne(rng_hash_text(1, "a"), rng_hash_text(1, ""));
	ck_assert_uint_ne(rng_hash_text(1, "a"), rng_hash_text(2, "a"));
	/* as published: a change here changes every digest */
	ck_assert_uint_eq(rng_mix(UINT64_C(1) << 63, 6), 3);
}
END_TEST

/* Of two ports each comes first half of the time, whatever the last winner and
 * however many frames each has had (DESIGN, law 3: ties are fair). */
START_TEST(pairs_order_fairly)
{
	enum { N = 20000 };
	double most = 0;

	for (uint32_t p = 0; p < 24; p++)
		for (uint32_t q = p + 1; q < 24; q++) {
			int first = 0, again = 0, last = 0;
			for (uint32_t n = 0; n < N; n++) {
				int wins = rng_pair(p, n) >> 40 < rng_pair(q, n + (uint32_t)_i) >> 40;
				first += wins;
				again += wins == last;
				last = wins;
			}
			double z = fabs(first - N / 2.0) / sqrt(N / 4.0);
			double zz = fabs(again - N / 2.0) / sqrt(N / 4.0);
			most = fmax(most, fmax(z, zz));
		}
	/* 552 values: the largest passes this once in 2000 */
	ck_assert_double_lt(most, gsl_cdf_ugaussian_Qinv(0.0005 / 552 / 2));
}
END_TEST

/* ---- the logarithm ---- */

START_TEST(log2_of_powers_is_exact)
{
	for (int k = 0; k < 64; k++)
		ck_assert_uint_eq(rng_neg_log2(UINT64_C(1) << k), (uint64_t)(64 - k) << 32);
}
END_TEST

/* Against long double: within 2^-31, and never more for a larger u. */
START_TEST(log2_is_close_and_monotone)
{
	struct rng r = rng_named(1, "log2");

	for (int k = 0; k < 200000; k++) {
		uint64_t u = rng_next(&r) >> (k % 64);
		if (!u)
			continue;
		long double want = (64 - log2l((long double)u)) * 4294967296.0L;
		QUICK(fabsl((long double)rng_neg_log2(u) - want) <= 2);
		QUICK(rng_neg_log2(u) >= rng_neg_log2(u + (u < UINT64_MAX)));
	}
}
END_TEST

/* ---- the exponential ---- */

START_TEST(exponential)
{
	static const int64_t means[] = { 1000000, 12345678901, 80 };
	enum { CELLS = 100 };
	const int n = _i ? 200000 : 2000000;	/* once within 0.25 % */
	double mean = (double)means[_i], sum = 0;
	struct rng r = rng_named((uint64_t)_i, "exponential");
	uint64_t count[CELLS] = { 0 };

	for (int k = 0; k < n; k++) {
		int64_t x = rng_exponential(&r, means[_i]);
		QUICK(x >= 0);
		sum += (double)x + 0.5;		/* rounded down */
		if (_i < 2) {			/* cells of equal probability */
			double p = gsl_cdf_exponential_P((double)x + 0.5, mean);
			count[p < 1 ? (int)(p * CELLS) : CELLS - 1]++;
		}
	}
	if (_i < 2)
		chi2_is_fair(count, CELLS, (uint64_t)n);
	ck_assert_double_eq_tol(sum / n, mean, 3.5 * mean / sqrt(n));
}
END_TEST

/* The far tail: at 2^64 draws the largest is 64 ln 2 = 44 means. */
START_TEST(exponential_does_not_overflow)
{
	int64_t mean = INT64_C(100000000000000000);	/* 10^5 s */
	struct rng r = rng_named(1, "tail");

	for (int k = 0; k < 100000; k++) {
		int64_t x = rng_exponential(&r, mean);
		QUICK(x >= 0);
		QUICK(x <= 45 * mean);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rng");
	TCase *tc = tcase_create("rng");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, bits_are_uniform, 0, 16);
	tcase_add_loop_test(tc, below_is_uniform, 0, 6);
	tcase_add_loop_test(tc, streams_are_independent, 0, 4);
	tcase_add_test(tc, names_and_seeds_make_the_stream);
	tcase_add_loop_test(tc, pairs_order_fairly, 0, 2);
	tcase_add_test(tc, log2_of_powers_is_exact);
	tcase_add_test(tc, log2_is_close_and_monotone);
	tcase_add_loop_test(tc, exponential, 0, 3);
	tcase_add_test(tc, exponential_does_not_overflow);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
