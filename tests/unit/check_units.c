/* sim/units: exact integers from what people write, and back. */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/units.h"

static const struct {
	const char *text;
	enum units_kind kind;
	int64_t value;
} good[] = {
	{"55us", UNITS_TIME, 55000000}, {"0.1us", UNITS_TIME, 100000}, {"0s", UNITS_TIME, 0},
	{"1ps", UNITS_TIME, 1}, {"1.5ns", UNITS_TIME, 1500}, {"106s", UNITS_TIME, 106000000000000},
	{"2min", UNITS_TIME, 120000000000000}, {"3\302\265s", UNITS_TIME, 3000000},
	{"250KB", UNITS_BYTES, 250000}, {"4KiB", UNITS_BYTES, 4096}, {"16MiB", UNITS_BYTES, 16777216},
	{"1.25MB", UNITS_BYTES, 1250000}, {"0.5KiB", UNITS_BYTES, 512}, {"208B", UNITS_BYTES, 208},
	{"8GiB", UNITS_BYTES, INT64_C(8589934592)},
	{"100Gbps", UNITS_RATE, INT64_C(100000000000)}, {"0.1Tbps", UNITS_RATE, INT64_C(100000000000)},
	{"100 Gbps", UNITS_RATE, INT64_C(100000000000)}, {"1bps", UNITS_RATE, 1},
	{"50k/s", UNITS_FREQ, 50000000}, {"0.5/s", UNITS_FREQ, 500}, {"1M/s", UNITS_FREQ, 1000000000},
	{"30m", UNITS_LENGTH, 30000}, {"1.5m", UNITS_LENGTH, 1500}, {"2km", UNITS_LENGTH, 2000000},
	{"7cm", UNITS_LENGTH, 70},
	{"1000", UNITS_COUNT, 1000}, {"007", UNITS_COUNT, 7}, {"4.0", UNITS_COUNT, 4},
	{"9223372036854775806", UNITS_COUNT, INT64_MAX - 1},
};

START_TEST(good_quantities_are_exact)
{
	struct sim_error err = {0};
	int64_t v = -1;

	ck_assert_msg(units_parse(good[_i].text, good[_i].kind, &v, NULL, &err) == 0, "%s: %s",
		      good[_i].text, err.text);
	ck_assert_int_eq(v, good[_i].value);
}
END_TEST

static const struct {
	const char *text;
	enum units_kind kind;
	const char *says;
} bad[] = {
	{"100Gbs", UNITS_RATE, "unknown rate unit \"Gbs\" in \"100Gbs\"; did you mean \"100Gbps\"?"},
	{"100G", UNITS_RATE, "unknown rate unit \"G\" in \"100G\"; did you mean \"100Gbps\"?"},
	{"100GBps", UNITS_RATE, "did you mean \"100Gbps\"?"},
	{"100gbps", UNITS_RATE, "did you mean \"100Gbps\"?"},
	{"100", UNITS_RATE, "100 needs a unit; did you mean \"100Gbps\"?"},
	{"200", UNITS_BYTES, "200 needs a unit; did you mean \"200KB\"?"},
	{"4096", UNITS_BYTES, "did you mean \"4096B\"?"},
	{"4kb", UNITS_BYTES, "did you mean \"4KB\"?"},
	{"10", UNITS_TIME, "did you mean \"10us\"?"},
	{"10u", UNITS_TIME, "did you mean \"10us\"?"},
	{"10xyz", UNITS_TIME, "units: ps ns us ms s min"},
	{"0.1ps", UNITS_TIME, "not a whole number of ps"},
	{"1.5B", UNITS_BYTES, "not a whole number of B"},
	{"-5us", UNITS_TIME, "a time cannot be negative: \"-5us\""},
	{"", UNITS_TIME, "\"\" is not a time; wanted something like \"10us\""},
	{"fast", UNITS_RATE, "\"fast\" is not a rate; wanted something like \"100Gbps\""},
	{".5us", UNITS_TIME, "is not a time"},
	{"1e9bps", UNITS_RATE, "unknown rate unit"},
	{"1.2.3us", UNITS_TIME, "unknown time unit"},
	{"99999999999s", UNITS_TIME, "too large"},
	{"99999999999999999999999B", UNITS_BYTES, "too many digits"},
	{"0.00000000000000000000001s", UNITS_TIME, "too many digits"},
	{"1.5", UNITS_COUNT, "1.5 is not a whole number"},
	{"10k", UNITS_COUNT, "\"10k\" is not a whole number"},
	{"5us ", UNITS_TIME, "unknown time unit"},
};

START_TEST(bad_quantities_say_what_was_wanted)
{
	struct sim_error err = {0};
	int64_t v = -1;

	ck_assert_int_eq(units_parse(bad[_i].text, bad[_i].kind, &v, NULL, &err), -1);
	ck_assert_msg(strstr(err.text, bad[_i].says), "%s: said: %s", bad[_i].text, err.text);
	ck_assert_int_eq(v, -1);
}
END_TEST

START_TEST(ratios_are_reduced)
{
	static const struct { const char *text; int64_t num, den; } r[] = {
		{"1/64", 1, 64}, {"5%", 1, 20}, {"0.05", 1, 20}, {"1", 1, 1}, {"0", 0, 1},
		{"0.5%", 1, 200}, {"8", 8, 1}, {"2/4", 1, 2}, {"1/0.5", 2, 1}, {"100%", 1, 1},
		{"0.1234567", 1234567, 10000000},
		{"1e-9", 1, 1000000000}, {"2.5e-3", 1, 400}, {"5E-1", 1, 2}};
	static const char *const wrong[] = {"1/0", "1/", "5%%", "x", "1/64s", "", "-1/2",
					    "1e", "1e-", "1e9", "1e-99", "1e-0", "1e-7x"};

	for (size_t i = 0; i < sizeof r / sizeof *r; i++) {
		struct units_ratio v = {-1, -1};

		ck_assert_int_eq(units_parse(r[i].text, UNITS_RATIO, NULL, &v, NULL), 0);
		ck_assert_int_eq(v.num, r[i].num);
		ck_assert_int_eq(v.den, r[i].den);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct units_ratio v;

		ck_assert_int_eq(units_parse(wrong[i], UNITS_RATIO, NULL, &v, NULL), -1);
	}
}
END_TEST

START_TEST(human_forms_are_short)
{
	static const struct { int64_t v; enum units_kind kind; const char *text; } f[] = {
		{12500000, UNITS_TIME, "12.5us"}, {0, UNITS_TIME, "0ps"}, {1, UNITS_TIME, "1ps"},
		{999960, UNITS_TIME, "1.000us"}, {999940, UNITS_TIME, "999.9ns"},
		{INT64_C(2000000000000), UNITS_TIME, "2s"}, {UNITS_NEVER, UNITS_TIME, "never"},
		{123456, UNITS_TIME, "123.5ns"}, {-1500, UNITS_TIME, "-1.5ns"},
		{1250000, UNITS_BYTES, "1.25MB"}, {16777216, UNITS_BYTES, "16MiB"},
		{4096, UNITS_BYTES, "4096B"}, {1000, UNITS_BYTES, "1KB"}, {65536, UNITS_BYTES, "64KiB"},
		{208, UNITS_BYTES, "208B"}, {123457, UNITS_BYTES, "123.5KB"},
		{INT64_C(100000000000), UNITS_RATE, "100Gbps"},
		{INT64_C(98012345678), UNITS_RATE, "98.01Gbps"},
		{INT64_C(98000000001), UNITS_RATE, "98.00Gbps"},
		{50000000, UNITS_FREQ, "50k/s"}, {500, UNITS_FREQ, "0.5/s"},
		{30000, UNITS_LENGTH, "30m"}, {70, UNITS_LENGTH, "70mm"}, {1234567, UNITS_COUNT, "1234567"},
	};
	char buf[32];

	for (size_t i = 0; i < sizeof f / sizeof *f; i++)
		ck_assert_str_eq(units_format(f[i].v, f[i].kind, buf, sizeof buf), f[i].text);
}
END_TEST

START_TEST(exact_forms_read_back)
{
	static const enum units_kind all[] = {UNITS_TIME, UNITS_BYTES, UNITS_RATE, UNITS_FREQ,
					      UNITS_LENGTH, UNITS_COUNT};
	uint64_t x = 88172645463325252u;
	char buf[48];

	ck_assert_str_eq(units_exact(12500000, UNITS_TIME, buf, sizeof buf), "12500ns");
	ck_assert_str_eq(units_exact(1250000, UNITS_BYTES, buf, sizeof buf), "1250000B");
	ck_assert_str_eq(units_exact(500, UNITS_FREQ, buf, sizeof buf), "0.5/s");
	for (int i = 0; i < 60000; i++) {
		enum units_kind kind = all[i % 6];
		int64_t v, back = -1;

		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		v = (int64_t)(x >> (2 + i % 60));
		ck_assert_int_eq(units_parse(units_exact(v, kind, buf, sizeof buf), kind, &back,
					     NULL, NULL), 0);
		ck_assert_int_eq(v, back);
	}
}
END_TEST

START_TEST(products_do_not_overflow)
{
	ck_assert_int_eq(units_tx_ps(1, INT64_C(100000000000)), 80);
	ck_assert_int_eq(units_tx_ps(16000000000, INT64_C(100000000000)), INT64_C(1280000000000));
	ck_assert_int_eq(units_tx_ps(1, INT64_C(30000000000)), 267);	/* 266.67 rounded up */
	ck_assert_int_eq(units_bytes_in(79, INT64_C(100000000000)), 0);
	ck_assert_int_eq(units_bytes_in(INT64_C(1280000000000), INT64_C(100000000000)), 16000000000);
	ck_assert_int_eq(units_div_ceil(4097, 208), 20);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("units");
	TCase *tc = tcase_create("units");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, good_quantities_are_exact, 0, (int)(sizeof good / sizeof *good));
	tcase_add_loop_test(tc, bad_quantities_say_what_was_wanted, 0,
			    (int)(sizeof bad / sizeof *bad));
	tcase_add_test(tc, ratios_are_reduced);
	tcase_add_test(tc, human_forms_are_short);
	tcase_add_test(tc, exact_forms_read_back);
	tcase_add_test(tc, products_do_not_overflow);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
