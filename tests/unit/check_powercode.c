/*
 * sim/powercode: powers of 2 by hand; the size and the error of the bases of PINT.
 */
#include <check.h>
#include <stdlib.h>

#include "sim/powercode.h"

START_TEST(powers_of_two)
{
	static const struct { double x; int floor; } row[] = {
		{ 0.25, 0 }, { 1, 0 }, { 1.99, 0 }, { 2, 1 }, { 7, 2 }, { 8, 3 }, { 262144, 18 },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		ck_assert_int_eq(powercode_floor(2, row[i].x), row[i].floor);
	ck_assert(powercode_decode(2, 0) == 1);
	ck_assert(powercode_decode(2, 18) == 262144);
}
END_TEST

/* 6 lies half way from 4 to 8, 5 a quarter; what is a power stays one. */
START_TEST(the_draw_decides_by_the_place)
{
	ck_assert_int_eq(powercode_encode(2, 6, 32767), 3);
	ck_assert_int_eq(powercode_encode(2, 6, 32768), 2);
	ck_assert_int_eq(powercode_encode(2, 5, 16383), 3);
	ck_assert_int_eq(powercode_encode(2, 5, 16384), 2);
	ck_assert_int_eq(powercode_encode(2, 8, 0), 3);
	ck_assert_int_eq(powercode_encode(2, 0.1, 0), 0);
}
END_TEST

START_TEST(the_mean_over_all_draws_is_the_value)
{
	static const double x[] = { 1, 1.02, 6, 486.4, 512, 777.7, 262144 };

	for (size_t i = 0; i < sizeof(x) / sizeof(*x); i++) {
		double sum = 0;
		for (uint32_t draw = 0; draw < 65536; draw++)
			sum += powercode_decode(1.05, powercode_encode(1.05, x[i], draw));
		ck_assert_double_eq_tol(sum / 65536, x[i], x[i] * 0.05 / 65536);
	}
}
END_TEST

/* ln(512 * 512) = 12.4766: over ln 1.05 = 0.048790 it is 255.7, over ln 1.01 =
 * 0.0099503 it is 1253.9; so 8 and 11 bits (algorithms.md 2.2, pint.cc). */
START_TEST(size_and_error)
{
	static const double base[] = { 1.05, 1.01 };
	static const int most[] = { 255, 1253 };

	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(powercode_floor(base[i], 262144), most[i]);
		for (double x = 1; x < 262144; x *= 1.0037) {
			int p = powercode_floor(base[i], x);
			ck_assert(powercode_decode(base[i], p) <= x);
			ck_assert(powercode_decode(base[i], p + 1) > x);
			ck_assert(powercode_decode(base[i], powercode_encode(base[i], x, 0)) <=
				  x * base[i] * (1 + 1e-12));
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("powercode");
	TCase *tc = tcase_create("powercode");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, powers_of_two);
	tcase_add_test(tc, the_draw_decides_by_the_place);
	tcase_add_test(tc, the_mean_over_all_draws_is_the_value);
	tcase_add_test(tc, size_and_error);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
