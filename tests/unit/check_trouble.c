/*
 * observe/ when things go wrong on real fabrics: storms, watchdogs, links that
 * go down, messages that fail, stalls; what is found, when, and what is said.
 */
#include "tests/unit/small_fabric.h"

static bool says(const struct summary *s, const char *text)
{
	for (int i = 0; i < s->nfindings; i++)
		if (strstr(s->findings[i].text, text))
			return true;
	return false;
}

static struct summary *look(struct fabric **f, struct observe **o, const char *dir)
{
	static struct observe_conf conf;	/* borrowed by *o */

	conf = (struct observe_conf){ .experiment = "trouble", .dir = dir };
	*o = watch(*f, &conf);
	return observe_summary(*o);
}

START_TEST(a_watchdog_clears_a_deadlock_that_then_stays_away)
{
	tune.watchdog = true;
	tune.third_stop_ps = 1000000000;
	struct fabric *f = ring(true, 30000000000);
	struct observe *o;
	char *dir = dir_new("run");
	struct summary *s = look(&f, &o, dir);

	ck_assert(s->deadlock.found && !s->deadlock.standing);
	ck_assert_int_eq(s->deadlock.count, 1);
	ck_assert_str_eq(s->deadlock.cleared_by, "watchdog");
	ck_assert_int_gt(s->deadlock.cleared_ps, s->deadlock.first_ps + 1000000000);
	ck_assert_int_lt(s->deadlock.cleared_ps, s->deadlock.first_ps + 5000000000);
	ck_assert_int_ge(s->watchdog.storms, 1);
	ck_assert_int_eq(s->drops[SUMMARY_WATCHDOG], s->watchdog.dropped);
	ck_assert_int_gt(s->drops[SUMMARY_WATCHDOG], 0);
	ck_assert(says(s, "the watchdog ended that deadlock"));
	ck_assert(says(s, "watchdog storms: 1, the first at "));
	char *events = slurp(dir, "events.csv"), *pauses = slurp(dir, "pauses.csv");
	ck_assert_ptr_nonnull(strstr(events, ",deadlock,,,,A:1/3 B:1/3 C:1/3 D:1/3\n"));
	ck_assert_ptr_nonnull(strstr(events, ",deadlock_cleared,,,,watchdog\n"));
	ck_assert_ptr_nonnull(strstr(events, ",watchdog_storm,"));
	ck_assert_ptr_nonnull(strstr(events, ",drop_watchdog,"));
	ck_assert_int_eq(column_sum(pauses, 8), s->pfc.paused_ps);
	free(events);
	free(pauses);
	observe_free(&o);
	fabric_free(&f);
	dir_free(dir);
}
END_TEST

/* The XON rule counts cells: so must what waits (1000 bytes fill five of 208). */
START_TEST(whole_cells_are_stuck)
{
	tune.cell_bytes = 208;
	struct fabric *f = ring(true, 20000000000);
	struct observe *o;
	struct summary *s = look(&f, &o, NULL);

	ck_assert(s->deadlock.found && s->deadlock.standing);
	ck_assert_str_eq(s->stall.why, "a deadlock stands");
	observe_free(&o);
	fabric_free(&f);
}
END_TEST

START_TEST(a_greedy_third_flow_makes_it_form_again)
{
	tune.watchdog = true;
	struct fabric *f = ring(true, 30000000000);
	struct observe *o;
	struct summary *s = look(&f, &o, NULL);

	ck_assert_int_ge(s->deadlock.count, 2);
	ck_assert_int_ge(s->watchdog.storms, 2);
	observe_free(&o);
	fabric_free(&f);
}
END_TEST

START_TEST(a_link_that_goes_down_clears_a_deadlock)
{
	tune.fault = (struct fault_conf){ .name = (char[]){ "cut" }, .kind = FAULT_LINK_DOWN,
		.a = (char[]){ "B" }, .b = (char[]){ "C" }, .class_ = -1, .at_ps = 3000000000,
		.lasts_ps = UNITS_NEVER };
	struct fabric *f = ring(true, 10000000000);
	struct observe *o;
	char *dir = dir_new("run");
	struct summary *s = look(&f, &o, dir);

	ck_assert(s->deadlock.found && !s->deadlock.standing);
	ck_assert_str_eq(s->deadlock.cleared_by, "fault");
	ck_assert_int_eq(s->deadlock.cleared_ps, 3000000000);
	ck_assert_int_gt(s->drops[SUMMARY_WIRE], 0);
	char *pauses = slurp(dir, "pauses.csv");
	ck_assert_int_eq(column_sum(pauses, 8), s->pfc.paused_ps);
	ck_assert_ptr_nonnull(strstr(pauses, ",3000000000,fault,"));
	free(pauses);
	observe_free(&o);
	fabric_free(&f);
	dir_free(dir);
}
END_TEST

START_TEST(a_storm_stalls_and_is_named)
{
	tune.fault = (struct fault_conf){ .name = (char[]){ "storm" }, .kind = FAULT_NIC_STORM,
		.a = (char[]){ "h4" }, .class_ = RDMA, .at_ps = 100000000, .lasts_ps = 12000000000 };
	struct fabric *f = ring(false, 20000000000);
	struct observe *o;
	char *dir = dir_new("run");
	struct summary *s = look(&f, &o, dir);

	ck_assert(!s->deadlock.found);
	ck_assert(s->stall.found);
	ck_assert_msg(strstr(s->stall.why, "the NIC of h4 storms: it pauses D:2/3, and ") != NULL,
		      "%s", s->stall.why);
	ck_assert_int_ge(s->stall.until_ps, 12100000000);
	char *pauses = slurp(dir, "pauses.csv"), *events = slurp(dir, "events.csv");
	ck_assert_ptr_nonnull(strstr(pauses, ",storm,"));
	ck_assert_int_eq(column_sum(pauses, 8), s->pfc.paused_ps);
	ck_assert_ptr_nonnull(strstr(events, "100000000,fault,h4"));
	ck_assert_ptr_nonnull(strstr(events, ",stall_end,"));
	free(pauses);
	free(events);
	observe_free(&o);
	fabric_free(&f);
	dir_free(dir);
}
END_TEST

START_TEST(a_hop_with_a_small_mtu_is_named)
{
	tune.mtu_bytes = 1500;
	struct fabric *f = star(-1);
	struct observe *o;
	char *dir = dir_new("run");
	struct summary *s = look(&f, &o, dir);

	ck_assert_int_eq(s->workloads[0].flows.failed, 6);
	ck_assert_str_eq(s->workloads[0].failure,
			 "larger than the MTU of tor (1500 bytes) and do not fragment is set");
	ck_assert_int_eq(s->flows.started,
			 s->flows.finished + s->flows.failed + s->flows.unfinished);
	ck_assert_int_eq(s->findings[0].level, SUMMARY_FAILURE);
	char *flows = slurp(dir, "flows.csv"), *events = slurp(dir, "events.csv");
	ck_assert_int_eq(lines(flows), 1 + (int)s->flows.started);
	ck_assert_ptr_nonnull(strstr(flows, ",failed,larger than the MTU of tor"));
	ck_assert_ptr_nonnull(strstr(events, ",flow_failed,h1,,burst h1>h8,larger"));
	free(flows);
	free(events);
	observe_free(&o);
	fabric_free(&f);
	dir_free(dir);
}
END_TEST

START_TEST(retries_run_out)
{
	tune.retry_timeout_ps = 100000000;
	tune.retry_count = 2;
	tune.fault = (struct fault_conf){ .name = (char[]){ "cut" }, .kind = FAULT_LINK_DOWN,
		.a = (char[]){ "tor" }, .b = (char[]){ "h8" }, .class_ = -1, .at_ps = 50000000,
		.lasts_ps = UNITS_NEVER };
	struct fabric *f = star(-1);
	struct observe *o;
	struct summary *s = look(&f, &o, NULL);

	ck_assert_int_eq(s->workloads[0].flows.failed, 6);
	ck_assert_str_eq(s->workloads[0].failure, "no acknowledgement after 2 retries");
	ck_assert_int_eq(s->workloads[1].flows.finished, 200);
	observe_free(&o);
	fabric_free(&f);
}
END_TEST

static void reset(void)
{
	memset(&tune, 0, sizeof(tune));
}

int main(void)
{
	Suite *s = suite_create("trouble");
	TCase *t = tcase_create("trouble");

	tcase_add_checked_fixture(t, reset, NULL);
	tcase_add_test(t, a_watchdog_clears_a_deadlock_that_then_stays_away);
	tcase_add_test(t, whole_cells_are_stuck);
	tcase_add_test(t, a_greedy_third_flow_makes_it_form_again);
	tcase_add_test(t, a_link_that_goes_down_clears_a_deadlock);
	tcase_add_test(t, a_storm_stalls_and_is_named);
	tcase_add_test(t, a_hop_with_a_small_mtu_is_named);
	tcase_add_test(t, retries_run_out);
	suite_add_tcase(s, t);
	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
