/* scenario/expect: rules on a summary. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/expect.h"

static const char summaries[] =
	"{\"base\": {\"pfc\": {\"xoff_frames\": 1000, \"longest_pause_ps\": 15000000},"
	"  \"drops\": {\"lossless\": 0}, \"deadlock\": {\"found\": false, \"first_ps\": null,"
	"     \"cycle\": [\"a\", \"b\", \"c\"]},"
	"  \"ecn\": {\"marked_ratio\": 0.05}, \"flows\": {\"goodput_bps\": 98000000000,"
	"     \"by_name\": {\"db.east\": {\"fct_ps\": {\"p99\": 52}}, \"db\": {\"failure\": \"mtu\"}}},"
	"  \"buffer\": {\"peak_bytes\": 250000}, \"cost\": {\"events_per_s\": 50000.5}},"
	" \"quiet\": {\"pfc\": {\"xoff_frames\": 40}, \"drops\": {\"lossless\": null}},"
	" \"v1.2\": {\"pfc\": {\"xoff_frames\": 7}}}";

static const struct { const char *rule; bool passed; const char *value; } rules[] = {
	{"drops.lossless == 0", true, "0"}, {"drops.lossless != 0", false, "0"},
	{"pfc.xoff_frames > 999", true, "1000"}, {"pfc.xoff_frames > 1000", false, "1000"},
	{"pfc.xoff_frames>=1000", true, "1000"}, {"pfc.xoff_frames <= 1e3", true, "1000"},
	{"pfc.xoff_frames < 1000.5", true, "1000"}, {"pfc.xoff_frames in 900..1000", true, "1000"},
	{"pfc.xoff_frames in 1001..2000", false, "1000"}, {"pfc.xoff_frames in 1..999", false, "1000"},
	{"pfc.longest_pause_ps == 15us", true, "15000000"},
	{"pfc.longest_pause_ps in 14.9us .. 15.1us", true, "15000000"},
	{"flows.goodput_bps >= 98Gbps", true, "98000000000"},
	{"flows.goodput_bps in 97Gbps..97.9Gbps", false, "98000000000"},
	{"buffer.peak_bytes < 1MiB", true, "250000"}, {"ecn.marked_ratio == 5%", true, "0.05"},
	{"ecn.marked_ratio < 1/16", true, "0.05"},
	{"ecn.marked_ratio == 0.05", true, "0.05"}, {"ecn.marked_ratio in 0.05..0.05", true, "0.05"}, {"cost.events_per_s > 50k/s", true, "50000.5"},
	{"deadlock.found == false", true, "false"}, {"deadlock.found != false", false, "false"},
	{"deadlock.found == true", false, "false"}, {"deadlock.first_ps == null", true, "null"},
	{"deadlock.first_ps != null", false, "null"}, {"pfc.xoff_frames != null", true, "1000"},
	{"deadlock.first_ps < 1ms", false, "null"},	/* null fails */
	{"deadlock.nothing == 0", false, "null"},	/* missing fails */
	{"deadlock.nothing != 0", false, "null"}, {"deadlock.nothing == null", false, "null"},
	{"deadlock.cycle.length == 3", true, "3"}, {"deadlock.cycle.1 == b", true, "\"b\""},
	{"flows.by_name.db.east.fct_ps.p99 == 52ps", true, "52"},
	{"flows.by_name.db.failure == mtu", true, "\"mtu\""},
	{"flows.by_name.db.failure == 'mtu'", true, "\"mtu\""},
	{"flows.by_name.db.failure == \"retries\"", false, "\"mtu\""},
	{"flows.by_name.db.failure < 3", false, "\"mtu\""},
	{"pfc.xoff_frames >= 10 * runs.quiet.pfc.xoff_frames", true, "1000"},
	{"pfc.xoff_frames >= 26 * runs.quiet.pfc.xoff_frames", false, "1000"},
	{"runs.quiet.pfc.xoff_frames <= 0.1 * runs.base.pfc.xoff_frames", true, "40"},
	{"runs.quiet.pfc.xoff_frames < 5% * runs.base.pfc.xoff_frames", true, "40"},
	{"pfc.xoff_frames > runs.v1.2.pfc.xoff_frames", true, "1000"},
	{"pfc.xoff_frames in runs.quiet.pfc.xoff_frames .. 25 * runs.quiet.pfc.xoff_frames", true,
	 "1000"},
	{"pfc.xoff_frames > runs.gone.pfc.xoff_frames", false, "1000"},
	{"pfc.xoff_frames > runs.quiet.drops.lossless", false, "1000"},	/* null there fails */
};

START_TEST(rules_hold_or_say_why)
{
	json_t *runs = json_loads(summaries, 0, NULL);
	struct scenario_verdict v = {0};
	struct expect_rule rule;
	struct sim_error err = {0};

	ck_assert_msg(expect_parse(rules[_i].rule, &rule, &err) == 0, "%s: %s", rules[_i].rule,
		      err.text);
	expect_eval(&rule, runs, "base", &v);
	ck_assert_msg(v.passed == rules[_i].passed, "%s: %s", rules[_i].rule, v.why);
	ck_assert_str_eq(v.value, rules[_i].value);
	ck_assert_int_eq(v.why[0] == 0, v.passed);
	json_decref(runs);
}
END_TEST

static const struct { const char *rule, *says; } bad[] = {
	{"", "has no operator"}, {"drops.lossless", "has no operator"},
	{"drops.lossless = 0", "has no operator"}, {"== 0", "must begin with the path"},
	{"a b == 0", "must begin with the path"}, {"a ==", "a value is missing"},
	{"a in 5", "a range is wanted"}, {"a in 5..", "a value is missing"},
	{"a in 9..5", "the range is empty"}, {"a in 1..x", "\"x\" is no number"},
	{"a < fast", "only numbers can be compared by size"},
	{"a < 10xs", "\"10xs\" is neither a number nor a quantity"},
	{"a.b_ps < 5KB", "a.b_ps is a time: unknown time unit \"KB\""},
	{"a.fct_ps.p99 < 5KB", "is a time"}, {"a.peak_bytes < 5us", "is a size"},
	{"a.goodput_bps < 5GBps", "did you mean \"5Gbps\""},
	{"a < 2 * b", "must be runs.NAME.PATH"}, {"a < x * runs.b.c", "neither a number"},
};

START_TEST(bad_rules_are_refused)
{
	struct expect_rule rule;
	struct sim_error err = {0};

	ck_assert_int_eq(expect_parse(bad[_i].rule, &rule, &err), -1);
	ck_assert_msg(strstr(err.text, bad[_i].says), "%s: said %s", bad[_i].rule, err.text);
}
END_TEST

START_TEST(runs_are_named_by_the_longest_name)
{
	const char *const names[] = {"v1", "v1.2", NULL};

	ck_assert_str_eq(expect_run("v1.2.pfc", names), "v1.2");
	ck_assert_str_eq(expect_run("v1.pfc", names), "v1");
	ck_assert_ptr_null(expect_run("v2.pfc", names));
	ck_assert_ptr_null(expect_run("v1", names));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("expect");
	TCase *tc = tcase_create("expect");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, rules_hold_or_say_why, 0, (int)(sizeof rules / sizeof *rules));
	tcase_add_loop_test(tc, bad_rules_are_refused, 0, (int)(sizeof bad / sizeof *bad));
	tcase_add_test(tc, runs_are_named_by_the_longest_name);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
