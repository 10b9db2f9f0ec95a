/* sim/param: one table row is parser, range, default and printer. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/param.h"

struct demo_conf {
	int64_t delay_ps, size_bytes, rate_bps, freq_mhz, cable_mm, count;
	struct units_ratio alpha;
	bool on;
	int where;
	char *title;
};

static const char *const where_names[] = {"dequeue", "enqueue", NULL};
#define AT(f) offsetof(struct demo_conf, f)
static const struct param demo_params[] = {
	{"delay", PARAM_TIME, AT(delay_ps), "never", "1ns", NULL, "A time.", .word = "auto",
	 .word_value = -1},
	{"size", PARAM_BYTES, AT(size_bytes), "4KiB", "64B", "1MB", .doc = "A size."},
	{"rate", PARAM_RATE, AT(rate_bps), "line", NULL, NULL, "A rate.", .word = "line"},
	{"freq", PARAM_FREQ, AT(freq_mhz), "50k/s", NULL, NULL, .doc = "A frequency."},
	{"cable", PARAM_LENGTH, AT(cable_mm), "3m", NULL, "100km", .doc = "A length."},
	{"count", PARAM_COUNT, AT(count), NULL, "1", "10", .doc = "A count."},
	{"alpha", PARAM_RATIO, AT(alpha), "1/64", "0", "8", .doc = "A ratio."},
	{"on", PARAM_BOOL, AT(on), "true", NULL, NULL, .doc = "A switch."},
	{"where", PARAM_ENUM, AT(where), "enqueue", NULL, NULL, .doc = "A choice.", .names = where_names},
	{"title", PARAM_TEXT, AT(title), NULL, NULL, NULL, .doc = "A text."},
	{0}};

START_TEST(defaults_fill_all_that_have_one)
{
	struct demo_conf c = {.count = 77};

	param_defaults(demo_params, &c);
	ck_assert_int_eq(c.delay_ps, UNITS_NEVER);
	ck_assert_int_eq(c.size_bytes, 4096);
	ck_assert_int_eq(c.rate_bps, 0);
	ck_assert_int_eq(c.freq_mhz, 50000000);
	ck_assert_int_eq(c.cable_mm, 3000);
	ck_assert_int_eq(c.count, 77);
	ck_assert_int_eq(c.alpha.num, 1);
	ck_assert_int_eq(c.alpha.den, 64);
	ck_assert(c.on);
	ck_assert_int_eq(c.where, 1);
	ck_assert_ptr_null(c.title);
}
END_TEST

static const struct { const char *key, *text, *back; } good[] = {
	{"delay", "auto", "auto"}, {"delay", "5us", "5us"}, {"delay", "never", "never"},
	{"size", "64B", "64B"}, {"size", "1MB", "1000000B"}, {"rate", "line", "line"},
	{"rate", "100Gbps", "100Gbps"}, {"freq", "0.5/s", "0.5/s"}, {"cable", "1.5m", "1500mm"},
	{"count", "10", "10"}, {"alpha", "12.5%", "1/8"}, {"alpha", "8", "8"}, {"on", "false", "false"},
	{"where", "dequeue", "dequeue"}, {"title", "a \"b\" %s", "a \"b\" %s"}};

START_TEST(what_is_set_reads_back)
{
	struct demo_conf c = {0};
	struct sim_error err = {0};
	const struct param *row = param_find(demo_params, good[_i].key);
	char buf[64];

	ck_assert_msg(param_set(row, &c, good[_i].text, &err) == 0, "%s", err.text);
	ck_assert_str_eq(param_get(row, &c, buf, sizeof buf), good[_i].back);
	ck_assert_int_eq(param_set(row, &c, buf, &err), 0);
	free(c.title);
}
END_TEST

static const struct { const char *key, *text, *says; } bad[] = {
	{"delay", "1ps", "delay: 1ps is below the least allowed, 1ns"},
	{"delay", "never ever", "or \"auto\""},
	{"delay", "10", "did you mean \"10us\"?"},
	{"size", "2MB", "size: 2MB is above the most allowed, 1MB"},
	{"cable", "never", "is not a length"},
	{"count", "0", "below the least allowed, 1"},
	{"alpha", "9", "above the most allowed, 8"},
	{"on", "yes", "on must be true or false, not \"yes\""},
	{"where", "dequeu", "unknown where \"dequeu\"; did you mean \"dequeue\"? (one of: dequeue "
	 "enqueue)"},
	{"where", "nowhere at all", "one of: dequeue enqueue"}};

START_TEST(what_is_wrong_is_said)
{
	struct demo_conf c = {0};
	struct sim_error err = {0};

	ck_assert_int_eq(param_set(param_find(demo_params, bad[_i].key), &c, bad[_i].text, &err), -1);
	ck_assert_msg(strstr(err.text, bad[_i].says), "said: %s", err.text);
	ck_assert_int_eq(param_set(param_find(demo_params, bad[_i].key), &c, bad[_i].text, NULL), -1);
}
END_TEST

START_TEST(keys_are_found_and_suggested)
{
	ck_assert_ptr_null(param_find(demo_params, "sise"));
	ck_assert_str_eq(param_suggest(demo_params, "sise"), "size");
	ck_assert_ptr_null(param_suggest(demo_params, "unlike"));
	for (int t = PARAM_TIME; t <= PARAM_TEXT; t++)
		ck_assert_uint_gt(strlen(param_type_name((enum param_type)t)), 0);
}
END_TEST

START_TEST(a_text_may_be_set_twice)
{
	struct demo_conf c = {0};
	const struct param *row = param_find(demo_params, "title");

	ck_assert_int_eq(param_set(row, &c, "one", NULL), 0);
	ck_assert_int_eq(param_set(row, &c, "two", NULL), 0);
	ck_assert_str_eq(c.title, "two");
	free(c.title);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("param");
	TCase *tc = tcase_create("param");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, defaults_fill_all_that_have_one);
	tcase_add_loop_test(tc, what_is_set_reads_back, 0, (int)(sizeof good / sizeof *good));
	tcase_add_loop_test(tc, what_is_wrong_is_said, 0, (int)(sizeof bad / sizeof *bad));
	tcase_add_test(tc, keys_are_found_and_suggested);
	tcase_add_test(tc, a_text_may_be_set_twice);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
