/*
 * models/switch/watchdog: what counts as a storm, what each action does, which
 * ports are watched, and that a quiet fabric is not polled; and the watchdog of a
 * NIC over itself.
 *
 * a -> s1 -> s2 -> c at 10G; c storms.  Polls every 100 us, two bad ones are a
 * storm (oracle/check_detection has the latencies).
 */
#include <check.h>
#include <stdlib.h>

#include "tests/support/bed.h"

enum { PRIO = 3, F = 1000 };
#define POLL (100 * BED_US)

static void line(struct bed *b, int64_t until, int action, int rule)
{
	bed_open(b, until);
	b->sw.watchdog = (struct watchdog_conf){ .on = true, .detect_ps = 2 * POLL,
		.restore_ps = 2 * POLL, .poll_ps = POLL, .phase_ps = 0, .action = action,
		.rule = rule, .ports = WATCHDOG_HOSTS };
	b->nic.pfc.refresh_ps = POLL / 5;
}

static void nodes(struct bed *b)
{
	bed_switch(b, "s1");
	bed_switch(b, "s2");
	bed_link(b, "s1", 9, "s2", 9, 10 * BED_G, BED_US);
	bed_leaf(b, "a", "s1", 0, 10 * BED_G, BED_US);
	bed_leaf(b, "c", "s2", 0, 10 * BED_G, BED_US);
	bed_stream(b, "load", "a", "c", 0, F, 0, UNITS_NEVER);
}

static int64_t delivered(const struct bed *b) { return bed_workload(b, "load").delivered_bytes / F; }

/* Frames that fit in `ps` at 10G. */
static int64_t frames_in(int64_t ps) { return ps / (800 * (F + 20)); }

/* Drop: the queue is emptied, what comes for it is lost, and nothing is lost as
 * lossless.  After the restore it flows again. */
START_TEST(drop_empties_the_queue)
{
	struct bed b;

	line(&b, 3 * BED_MS, WATCHDOG_DROP, WATCHDOG_BROADCOM);
	nodes(&b);
	bed_storm(&b, "c", 250 * BED_US, BED_MS);
	bed_watch(&b, UINT64_C(1) << RECORD_WATCHDOG);
	bed_run(&b);
	ck_assert_int_eq(bed_count(&b, RECORD_WATCHDOG, bed_port(&b, "s2", 0)), 2);
	const struct record *storm = bed_record(&b, RECORD_WATCHDOG, VIEW_NONE, 0);
	const struct record *end = bed_record(&b, RECORD_WATCHDOG, VIEW_NONE, 1);
	int64_t lost = bed_counters(&b, "s2", 0, PRIO).drops[RECORD_DROP_WATCHDOG];
	ck_assert_int_eq(end->b, lost);
	ck_assert_int_eq(view_totals(b.f).watchdog_dropped, lost);
	ck_assert_int_eq(view_totals(b.f).watchdog_storms, 1);
	ck_assert_int_eq(view_totals(b.f).watchdog_restores, 1);
	/* all that came while it was stormed, and the queue before */
	ck_assert_int_ge(lost, frames_in(end->at_ps - storm->at_ps) - 2);
	ck_assert_int_eq(bed_counters(&b, "s2", 9, PRIO).drops[RECORD_DROP_LOSSLESS], 0);
	ck_assert_int_ge(delivered(&b), frames_in(250 * BED_US) + frames_in(3 * BED_MS - end->at_ps) - 20);
	ck_assert_int_eq(bed_counters(&b, "s2", 0, PRIO).paused, 0);
	bed_close(&b);
}
END_TEST

/* Forward: the queue sends in spite of the pauses, nothing is lost. */
START_TEST(forward_sends_all_the_same)
{
	struct bed b;

	line(&b, 3 * BED_MS, WATCHDOG_FORWARD, WATCHDOG_BROADCOM);
	nodes(&b);
	bed_storm(&b, "c", 250 * BED_US, UNITS_NEVER);
	bed_watch(&b, UINT64_C(1) << RECORD_WATCHDOG | UINT64_C(1) << RECORD_RESUMED);
	bed_run(&b);
	ck_assert_int_eq(bed_count(&b, RECORD_WATCHDOG, VIEW_NONE), 1);	/* pauses go on */
	const struct record *storm = bed_record(&b, RECORD_WATCHDOG, VIEW_NONE, 0);
	const struct record *end = bed_record(&b, RECORD_RESUMED, bed_port(&b, "s2", 0), 0);
	ck_assert_int_eq(end->at_ps, storm->at_ps);
	ck_assert_int_eq(end->b, 2);
	ck_assert_int_eq(view_totals(b.f).watchdog_dropped, 0);
	ck_assert_int_ge(delivered(&b), frames_in(250 * BED_US) + frames_in(3 * BED_MS - storm->at_ps) - 20);
	bed_close(&b);
}
END_TEST

/* Alert: counted, and nothing else. */
START_TEST(alert_only_counts)
{
	int64_t n[2];

	for (int on = 0; on < 2; on++) {
		struct bed b;
		line(&b, 3 * BED_MS, WATCHDOG_ALERT, WATCHDOG_BROADCOM);
		b.sw.watchdog.on = on;
		nodes(&b);
		bed_storm(&b, "c", 250 * BED_US, BED_MS);
		bed_run(&b);
		ck_assert_int_eq(view_totals(b.f).watchdog_storms, on);
		ck_assert_int_eq(view_totals(b.f).watchdog_restores, on);
		ck_assert_int_eq(view_totals(b.f).watchdog_dropped, 0);
		n[on] = delivered(&b);
		bed_close(&b);
	}
	ck_assert_int_eq(n[0], n[1]);
}
END_TEST

/* Restore "never": stormed to the end, though the pauses have ended. */
START_TEST(never_restored)
{
	struct bed b;

	line(&b, 3 * BED_MS, WATCHDOG_DROP, WATCHDOG_BROADCOM);
	b.sw.watchdog.restore_ps = UNITS_NEVER;
	nodes(&b);
	bed_storm(&b, "c", 250 * BED_US, BED_MS);
	bed_run(&b);
	ck_assert_int_eq(view_totals(b.f).watchdog_storms, 1);
	ck_assert_int_eq(view_totals(b.f).watchdog_restores, 0);
	ck_assert_int_le(delivered(&b), frames_in(260 * BED_US));
	bed_close(&b);
}
END_TEST

/* Which ports: the storm fills s2 and then s1, so the link between them is paused
 * as well; it is watched by "all" and "fabric" only. */
static const struct { int ports; int host, fabric; } watched[] = {
	{ WATCHDOG_HOSTS, 1, 0 }, { WATCHDOG_FABRIC, 0, 1 }, { WATCHDOG_ALL, 1, 1 },
};

START_TEST(ports_that_are_watched)
{
	struct bed b;

	line(&b, 2 * BED_MS, WATCHDOG_ALERT, WATCHDOG_BROADCOM);
	b.sw.watchdog.ports = watched[_i].ports;
	b.sw.buffer.xoff_bytes = 20000;		/* full in 16 us */
	b.sw.pfc.refresh_ps = POLL / 5;
	nodes(&b);
	bed_storm(&b, "c", 250 * BED_US, UNITS_NEVER);
	bed_watch(&b, UINT64_C(1) << RECORD_WATCHDOG);
	bed_run(&b);
	ck_assert_int_eq(bed_count(&b, RECORD_WATCHDOG, bed_port(&b, "s2", 0)), watched[_i].host);
	ck_assert_int_eq(bed_count(&b, RECORD_WATCHDOG, bed_port(&b, "s1", 9)), watched[_i].fabric);
	ck_assert_int_eq(bed_count(&b, RECORD_WATCHDOG, VIEW_NONE),
			 watched[_i].host + watched[_i].fabric);
	bed_close(&b);
}
END_TEST

/* A pause that lets go between two polls is no storm for Broadcom's rule, which
 * wants it to stand throughout; nor for the classic one while the queue moves. */
START_TEST(a_pause_that_lets_go)
{
	struct bed b;

	line(&b, 3 * BED_MS, WATCHDOG_DROP, _i ? WATCHDOG_CLASSIC : WATCHDOG_BROADCOM);
	b.nic.pfc.quanta = 1500;		/* 76.8 us of every 90 */
	b.nic.pfc.refresh_ps = 90 * BED_US;
	nodes(&b);
	bed_storm(&b, "c", 250 * BED_US, UNITS_NEVER);
	bed_run(&b);
	ck_assert_int_eq(view_totals(b.f).watchdog_storms, 0);
	ck_assert_int_gt(bed_counters(&b, "s2", 0, PRIO).pauses, 25);
	bed_close(&b);
}
END_TEST

/* The classic rule on an idle port: paused for more than 80 % of a poll, nothing
 * waits, nothing sent (pfc_detect_vs.lua); traffic that flows is never bad. */
START_TEST(classic_on_an_idle_port)
{
	struct bed b;

	line(&b, 2 * BED_MS, WATCHDOG_DROP, WATCHDOG_CLASSIC);
	bed_switch(&b, "s2");
	bed_leaf(&b, "c", "s2", 0, 10 * BED_G, BED_US);
	bed_storm(&b, "c", 250 * BED_US, UNITS_NEVER);
	bed_run(&b);
	ck_assert_int_eq(view_totals(b.f).watchdog_storms, 1);
	bed_close(&b);
}
END_TEST

/* A storm from 250 us on; which rule fires on an empty queue, which on one with
 * stuck packets, and at which poll (detect = 2 polls; the storm is seen from the poll
 * at 300 us on).  Conditions: sonic-swss pfc_detect_<platform>.lua; mgmt #27425 (a
 * Mellanox switch needs packets in the queue). */
static const struct { int rule; int64_t empty_ps, stuck_ps; } firing[] = {	/* 0: never */
	{ WATCHDOG_BROADCOM, 500 * BED_US, 500 * BED_US },	/* paused at two polls: bad at 400, 500 */
	{ WATCHDOG_CLASSIC, 500 * BED_US, 500 * BED_US },	/* interval 300-400 is the first whole one */
	{ WATCHDOG_MELLANOX, 0, 500 * BED_US },
	{ WATCHDOG_TERALYNX, 500 * BED_US, 500 * BED_US },
	{ WATCHDOG_CISCO, 400 * BED_US, 400 * BED_US },		/* paused at the poll is enough: 300, 400 */
};

START_TEST(each_asic_has_its_condition)
{
	for (int stuck = 0; stuck < 2; stuck++) {
		struct bed b;
		int64_t want = stuck ? firing[_i].stuck_ps : firing[_i].empty_ps;

		line(&b, BED_MS, WATCHDOG_ALERT, firing[_i].rule);
		if (stuck) {
			nodes(&b);
		} else {
			bed_switch(&b, "s2");
			bed_leaf(&b, "c", "s2", 0, 10 * BED_G, BED_US);
		}
		bed_storm(&b, "c", 250 * BED_US, UNITS_NEVER);
		bed_watch(&b, UINT64_C(1) << RECORD_WATCHDOG);
		bed_run(&b);
		if (want)
			ck_assert_int_eq(bed_record(&b, RECORD_WATCHDOG, VIEW_NONE, 0)->at_ps, want);
		else
			ck_assert_int_eq(view_totals(b.f).watchdog_storms, 0);
		bed_close(&b);
	}
}
END_TEST

/* A pause of 85 % of each period, nothing queued (swss #3036): the classic rule calls
 * it a storm; Mellanox's newer one does not, packets or none. */
START_TEST(a_pause_with_holes)
{
	for (int rule = 0; rule < 2; rule++) {
		struct bed b;

		line(&b, 3 * BED_MS, WATCHDOG_ALERT, rule ? WATCHDOG_MELLANOX : WATCHDOG_CLASSIC);
		b.sw.pfc.response_ps = 0;
		b.nic.pfc.quanta = 166;			/* 8.5 us of every 10 */
		b.nic.pfc.refresh_ps = 10 * BED_US;
		bed_switch(&b, "s2");
		bed_leaf(&b, "c", "s2", 0, 10 * BED_G, BED_US);
		bed_storm(&b, "c", 250 * BED_US, UNITS_NEVER);
		bed_run(&b);
		ck_assert_int_eq(view_totals(b.f).watchdog_storms > 0, !rule);
		bed_close(&b);
	}
}
END_TEST

/* While it is stormed the queue ignores pauses; the storm is still seen, so that it
 * is restored once, after the end, by the counter of frames and by the status alike. */
START_TEST(one_storm_is_one_storm)
{
	for (int cisco = 0; cisco < 2; cisco++) {
		struct bed b;

		line(&b, 3 * BED_MS, WATCHDOG_DROP, cisco ? WATCHDOG_CISCO : WATCHDOG_BROADCOM);
		bed_switch(&b, "s2");
		bed_leaf(&b, "c", "s2", 0, 10 * BED_G, BED_US);
		bed_storm(&b, "c", 250 * BED_US, BED_MS);
		bed_run(&b);
		/* the storm ends at 1250 us in both: one storm, one restore */
		ck_assert_int_eq(view_totals(b.f).watchdog_storms, 1);
		ck_assert_int_eq(view_totals(b.f).watchdog_restores, 1);
		bed_close(&b);
	}
}
END_TEST

/* Polls happen only while something is paused: a second of quiet costs none. */
START_TEST(quiet_is_not_polled)
{
	uint64_t events[2];

	for (int on = 0; on < 2; on++) {
		struct bed b;
		line(&b, 1000 * BED_MS, WATCHDOG_DROP, WATCHDOG_BROADCOM);
		b.sw.watchdog.on = on;
		bed_switch(&b, "s2");
		bed_leaf(&b, "c", "s2", 0, 10 * BED_G, BED_US);
		bed_storm(&b, "c", 500 * BED_MS, 50 * BED_US);
		bed_run(&b);
		events[on] = view_run(b.f).events;
		bed_close(&b);
	}
	ck_assert_uint_gt(events[1], events[0]);
	ck_assert_uint_lt(events[1], events[0] + 10);
}
END_TEST

/* The NIC's own: after its time it pauses no more, storm or not; but it obeys as
 * before.  c storms and gives up; d storms, so that s2 has to stop c. */
START_TEST(a_nic_that_gives_up)
{
	struct bed b;

	bed_open(&b, BED_MS);
	b.nic.storm_watchdog_ps = POLL;
	b.sw.buffer.xoff_bytes = 20000;
	bed_switch(&b, "s2");
	bed_leaf(&b, "c", "s2", 0, 10 * BED_G, BED_US);
	b.nic.storm_watchdog_ps = UNITS_NEVER;
	bed_leaf(&b, "d", "s2", 1, 10 * BED_G, BED_US);
	bed_stream(&b, "load", "c", "d", 0, F, 300 * BED_US, UNITS_NEVER);
	bed_stream(&b, "back", "d", "c", 0, F, 0, UNITS_NEVER);
	bed_storm(&b, "c", 50 * BED_US, UNITS_NEVER);
	bed_storm(&b, "d", 250 * BED_US, UNITS_NEVER);
	bed_watch(&b, UINT64_C(1) << RECORD_NIC_WATCHDOG | UINT64_C(1) << RECORD_XON_SENT |
		      UINT64_C(1) << RECORD_PAUSED);
	bed_run(&b);
	uint32_t c = bed_port(&b, "c", 0);
	ck_assert_int_eq(bed_count(&b, RECORD_NIC_WATCHDOG, VIEW_NONE), 1);
	ck_assert_int_eq(bed_record(&b, RECORD_NIC_WATCHDOG, c, 0)->at_ps, 50 * BED_US + POLL);
	ck_assert_int_eq(bed_count(&b, RECORD_XON_SENT, c), 1);
	ck_assert_int_ge(bed_workload(&b, "back").delivered_bytes / F, frames_in(800 * BED_US));
	ck_assert_int_eq(bed_count(&b, RECORD_PAUSED, c), 1);
	ck_assert_int_eq(delivered(&b), 0);
	ck_assert_int_eq(bed_counters(&b, "s2", 0, PRIO).drops[RECORD_DROP_LOSSLESS], 0);
	bed_close(&b);
}
END_TEST

/* A host that takes nothing any more (mlx5 pfc-prevention): its NIC pauses from the frame on
 * that fills rx_xoff, gives up `storm_watchdog` later, and loses what does not fit.  When it
 * has drained it may pause again. */
START_TEST(a_nic_whose_host_hangs)
{
	struct bed b;

	bed_open(&b, 20 * BED_MS);
	b.nic.storm_watchdog_ps = POLL;
	b.nic.rx_buffer_bytes = 40000;
	b.nic.rx_xoff_bytes = 20000;
	b.nic.rx_xon_bytes = 10000;
	bed_switch(&b, "s2");
	bed_leaf(&b, "c", "s2", 0, 10 * BED_G, BED_US);
	b.nic.storm_watchdog_ps = UNITS_NEVER;
	bed_leaf(&b, "d", "s2", 1, 10 * BED_G, BED_US);
	bed_stream(&b, "load", "d", "c", BED_G, F, 0, 5 * BED_MS);
	bed_fault(&b, &(struct fault_conf){ .name = (char *)(uintptr_t)"hung", .kind = FAULT_SLOW_RECEIVER,
		.a = (char *)(uintptr_t)"c", .class_ = -1, .rate_bps = 1000, .at_ps = BED_MS, .lasts_ps = 3 * BED_MS });
	bed_watch(&b, UINT64_C(1) << RECORD_NIC_WATCHDOG | UINT64_C(1) << RECORD_XOFF_SENT |
		      UINT64_C(1) << RECORD_XON_SENT);
	bed_run(&b);
	uint32_t c = bed_port(&b, "c", 0);
	ck_assert_int_eq(bed_count(&b, RECORD_NIC_WATCHDOG, c), 1);
	ck_assert_int_eq(bed_record(&b, RECORD_NIC_WATCHDOG, c, 0)->at_ps, bed_record(&b, RECORD_XOFF_SENT, c, 0)->at_ps + POLL);
	ck_assert_int_eq(bed_counters(&b, "c", 0, PRIO).xoff_frames, 1);
	ck_assert_int_gt(bed_counters(&b, "c", 0, PRIO).drops[RECORD_DROP_NIC], 100);
	ck_assert_int_eq(bed_counters(&b, "s2", 0, PRIO).paused, 0);
	bed_close(&b);
}
END_TEST

START_TEST(poll_must_not_exceed_the_times)
{
	struct watchdog_conf c = { .detect_ps = 300 * BED_US, .restore_ps = 200 * BED_US,
				   .poll_ps = 200 * BED_US };
	struct sim_error err;

	error_init(&err);
	ck_assert_int_eq(watchdog_check(&c, &err), 0);
	c.poll_ps++;
	ck_assert_int_eq(watchdog_check(&c, &err), -1);
	ck_assert_str_eq(err.where, "/poll");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("watchdog");
	TCase *tc = tcase_create("watchdog");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, drop_empties_the_queue);
	tcase_add_test(tc, forward_sends_all_the_same);
	tcase_add_test(tc, alert_only_counts);
	tcase_add_test(tc, never_restored);
	tcase_add_loop_test(tc, ports_that_are_watched, 0, 3);
	tcase_add_loop_test(tc, a_pause_that_lets_go, 0, 2);
	tcase_add_test(tc, classic_on_an_idle_port);
	tcase_add_loop_test(tc, each_asic_has_its_condition, 0, 5);
	tcase_add_test(tc, a_pause_with_holes);
	tcase_add_test(tc, one_storm_is_one_storm);
	tcase_add_test(tc, quiet_is_not_polled);
	tcase_add_test(tc, a_nic_that_gives_up);
	tcase_add_test(tc, a_nic_whose_host_hangs);
	tcase_add_test(tc, poll_must_not_exceed_the_times);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
