/*
 * models/switch/watchdog: handlers, ticks, scaling, presets, slow actions, the big
 * red switch and the counter that freezes.
 *
 * a and c on one switch at 10G, frames both ways; c storms.  Polls every 100 us, two
 * bad ones are a storm.
 */
#include <check.h>
#include <stdlib.h>

#include "tests/support/bed.h"

enum { PRIO = 3, F = 1000 };
#define POLL (100 * BED_US)
#define AT (250 * BED_US)

static void pair(struct bed *b, int64_t until, int rule)
{
	bed_open(b, until);
	b->sw.watchdog.on = true;
	b->sw.watchdog.detect_ps = b->sw.watchdog.restore_ps = 2 * POLL;
	b->sw.watchdog.poll_ps = POLL;
	b->sw.watchdog.phase_ps = 0;
	b->sw.watchdog.rule = rule;
	b->nic.pfc.refresh_ps = POLL / 5;
}

static void nodes(struct bed *b, bool traffic)
{
	bed_switch(b, "s");
	bed_leaf(b, "a", "s", 0, 10 * BED_G, BED_US);
	bed_leaf(b, "c", "s", 1, 10 * BED_G, BED_US);
	if (!traffic)
		return;
	bed_stream(b, "to", "a", "c", BED_G, F, 0, UNITS_NEVER);
	bed_stream(b, "from", "c", "a", BED_G, F, 0, UNITS_NEVER);
}

static struct view_watchdog queue(const struct bed *b)
{
	return view_watchdog(b->f, bed_port(b, "s", 1), PRIO);
}

/* sonic-swss pfcactionhandler.cpp, #2807.  A storm from 500 us (told at the second bad poll) to
 * the end: of each direction all is dropped or none. */
static const struct { int handler, action; bool dldr, sent, received, flows; } handlers[] = {
	{ WATCHDOG_ACL, WATCHDOG_DROP, true, true, true, false },
	{ WATCHDOG_ZERO_BUFFER, WATCHDOG_DROP, true, true, false, false },
	{ WATCHDOG_DLR, WATCHDOG_DROP, true, true, false, false },
	{ WATCHDOG_DLR, WATCHDOG_DROP, false, false, false, false },	/* swss #3904: it does not take place */
	{ WATCHDOG_ACL, WATCHDOG_FORWARD, true, false, false, true },
	{ WATCHDOG_DLR, WATCHDOG_FORWARD, true, false, false, true },
};

START_TEST(what_each_handler_drops)
{
	struct bed b;
	int64_t frames = (2 * BED_MS - 500 * BED_US) / 8160000;		/* at 1 Gb/s of the wire */

	pair(&b, 2 * BED_MS, WATCHDOG_BROADCOM);
	b.sw.watchdog.handler = handlers[_i].handler;
	b.sw.watchdog.action = handlers[_i].action;
	b.sw.watchdog.dldr = handlers[_i].dldr;
	nodes(&b, true);
	bed_storm(&b, "c", AT, UNITS_NEVER);
	bed_run(&b);
	struct view_watchdog v = queue(&b);
	ck_assert_int_eq(v.storms, 1);
	ck_assert(v.stormed);
	ck_assert_int_eq(v.last.tx_drop > 0, handlers[_i].sent);
	ck_assert_int_eq(v.last.rx_drop > 0, handlers[_i].received);
	ck_assert_int_eq(v.last.tx_ok > 0, handlers[_i].flows);
	ck_assert_int_eq(v.last.rx_ok > 0, !handlers[_i].received);
	if (handlers[_i].sent)		/* and those that waited since 250 us */
		ck_assert_int_ge(v.last.tx_drop, frames);
	ck_assert_int_ge(v.last.rx_ok + v.last.rx_drop, frames - 1);
	/* what the queue counts is what the ports count, to the frame */
	ck_assert_int_eq(v.last.tx_drop + v.last.rx_drop, bed_counters(&b, "s", 1, PRIO).drops[RECORD_DROP_WATCHDOG]);
	ck_assert_int_eq(v.last.tx_drop + v.last.rx_drop, view_totals(b.f).watchdog_dropped);
	ck_assert_int_eq(bed_counters(&b, "s", 1, PRIO).paused,
			 handlers[_i].handler == WATCHDOG_DLR && !handlers[_i].dldr);
	bed_close(&b);
}
END_TEST

/* While c's queue is stormed, c sends more to a than a's (slower) link takes: does the
 * switch still pause c?  Not once the bit is cleared; a DLR handler leaves it set. */
START_TEST(who_goes_on_pausing)
{
	static const int all[] = { WATCHDOG_ZERO_BUFFER, WATCHDOG_DLR };
	struct bed b;

	pair(&b, 2 * BED_MS, WATCHDOG_BROADCOM);
	b.sw.watchdog.handler = all[_i];
	b.sw.buffer.xoff_bytes = 20000;
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, BED_G, BED_US);
	bed_leaf(&b, "c", "s", 1, 10 * BED_G, BED_US);
	bed_stream(&b, "from", "c", "a", 0, F, 600 * BED_US, UNITS_NEVER);
	bed_storm(&b, "c", AT, UNITS_NEVER);
	bed_run(&b);
	ck_assert_int_eq(bed_counters(&b, "s", 1, PRIO).xoff_frames > 0, all[_i] == WATCHDOG_DLR);
	ck_assert_int_eq(bed_counters(&b, "s", 1, PRIO).drops[RECORD_DROP_LOSSLESS] > 0, all[_i] != WATCHDOG_DLR);
	bed_close(&b);
}
END_TEST

/* swss #3904: 1 to 15 ticks of 1, 10 or 100 ms; recovery 1 to 10 of 100 ms. */
static const struct { int64_t ask_ms; int tick; int64_t tick_ms, get_ms; } quanta[] = {
	{ 200, WATCHDOG_TICK_AUTO, 100, 200 }, { 25, WATCHDOG_TICK_AUTO, 10, 30 },
	{ 2000, WATCHDOG_TICK_AUTO, 100, 1500 }, { 7, WATCHDOG_TICK_AUTO, 1, 7 },
	{ 15, WATCHDOG_TICK_AUTO, 1, 15 }, { 16, WATCHDOG_TICK_AUTO, 10, 20 },
	{ 150, WATCHDOG_TICK_AUTO, 10, 150 }, { 151, WATCHDOG_TICK_AUTO, 100, 200 },
	{ 200, WATCHDOG_TICK_1MS, 1, 15 }, { 25, WATCHDOG_TICK_100MS, 100, 100 },
	{ 1500, WATCHDOG_TICK_100MS, 100, 1500 },
};

START_TEST(hardware_counts_ticks)
{
	struct watchdog_conf c;

	param_defaults(watchdog_params, &c);
	c.rule = WATCHDOG_HARDWARE;
	c.tick = quanta[_i].tick;
	c.detect_ps = quanta[_i].ask_ms * BED_MS;
	struct watchdog_times t = watchdog_times(&c, 32);
	ck_assert_int_eq(t.poll_ps, quanta[_i].tick_ms * BED_MS);
	ck_assert_int_eq(t.detect_ps, quanta[_i].get_ms * BED_MS);
	ck_assert_int_eq(t.handler, WATCHDOG_DLR);
	ck_assert_int_eq(t.restore_rule, WATCHDOG_RESTORE_TIMER);
	c.restore_ps = 10 * BED_MS;
	ck_assert_int_eq(watchdog_times(&c, 32).restore_ps, 100 * BED_MS);
	c.restore_ps = 301 * BED_MS;
	ck_assert_int_eq(watchdog_times(&c, 32).restore_ps, 400 * BED_MS);
	c.restore_ps = UNITS_NEVER;
	ck_assert_int_eq(watchdog_times(&c, 32).restore_ps, 1000 * BED_MS);
}
END_TEST

/* Recovery ends by its timer into a pause that still stands, and is detected again: each
 * cycle is recovery and detection, 100 + 2 ms, the first detection 2 to 3 ms. */
START_TEST(hardware_detects_again)
{
	struct bed b;

	pair(&b, 320 * BED_MS, WATCHDOG_HARDWARE);
	b.sw.watchdog.detect_ps = 2 * BED_MS;
	b.sw.watchdog.restore_ps = 100 * BED_MS;
	b.nic.pfc.refresh_ps = BED_MS;
	nodes(&b, false);
	bed_storm(&b, "c", 10 * BED_MS + BED_US, UNITS_NEVER);
	bed_watch(&b, UINT64_C(1) << RECORD_WATCHDOG);
	bed_run(&b);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(bed_record(&b, RECORD_WATCHDOG, VIEW_NONE, 2 * i)->at_ps, (13 + 102 * i) * BED_MS);
		ck_assert_int_eq(bed_record(&b, RECORD_WATCHDOG, VIEW_NONE, 2 * i + 1)->at_ps, (113 + 102 * i) * BED_MS);
	}
	bed_close(&b);
}
END_TEST

START_TEST(hardware_must_be_enabled)
{
	struct bed b;

	pair(&b, 20 * BED_MS, WATCHDOG_HARDWARE);
	b.sw.watchdog.detect_ps = 2 * BED_MS;
	b.sw.watchdog.restore_ps = 100 * BED_MS;
	b.sw.watchdog.dldr = false;
	nodes(&b, false);
	bed_storm(&b, "c", BED_MS, UNITS_NEVER);
	bed_run(&b);
	ck_assert_int_eq(view_totals(b.f).watchdog_storms, 0);
	ck_assert(!queue(&b).watched);
	bed_close(&b);
}
END_TEST

/* sonic-utilities start_default: 32 ports 200/200/200, 64 400, 128 800, 256 1600/1600/1000,
 * 512 3200/3200/1000. */
static const struct { int64_t ports, detect_ms, poll_ms; } scales[] = {
	{ 1, 200, 200 }, { 32, 200, 200 }, { 33, 400, 400 }, { 64, 400, 400 }, { 128, 800, 800 },
	{ 256, 1600, 1000 }, { 512, 3200, 1000 },
};

START_TEST(start_default_scales)
{
	struct watchdog_conf c;

	ck_assert(watchdog_preset_apply(&c, "sonic"));
	struct watchdog_times t = watchdog_times(&c, (uint32_t)scales[_i].ports);
	ck_assert_int_eq(t.detect_ps, scales[_i].detect_ms * BED_MS);
	ck_assert_int_eq(t.restore_ps, scales[_i].detect_ms * BED_MS);
	ck_assert_int_eq(t.poll_ps, scales[_i].poll_ms * BED_MS);
	c.scale_ports = scales[_i].ports;
	ck_assert_int_eq(watchdog_times(&c, 4).detect_ps, t.detect_ps);
}
END_TEST

START_TEST(every_preset_is_sound)
{
	struct sim_error err;
	struct watchdog_conf c;

	for (int i = 0; watchdog_presets[i].name; i++) {
		error_init(&err);
		ck_assert(watchdog_preset_apply(&c, watchdog_presets[i].name));
		ck_assert_int_eq(watchdog_check(&c, &err), 0);
	}
	ck_assert(!watchdog_preset_apply(&c, "none of these"));
	ck_assert(watchdog_preset_apply(&c, "juniper"));	/* Junos: poll 100 ms, 2 polls, 200 ms */
	ck_assert_int_eq(c.detect_ps, 200 * BED_MS);
	ck_assert_int_eq(watchdog_times(&c, 1).restore_rule, WATCHDOG_RESTORE_TIMER);
	ck_assert(watchdog_preset_apply(&c, "cumulus"));	/* robustness 3, poll 100 ms */
	ck_assert_int_eq(c.detect_ps, 300 * BED_MS);
	ck_assert_int_eq(c.restore_ps, 100 * BED_MS);
}
END_TEST

/* swss #697, #869: detection is one poll long; bad at 400 us, acted on `delay` later.  The
 * script tells again at 500, and 600 us, unless it has forgotten its counters (then the
 * poll at 500 only notes them, and 600 is the next); the switch acts once all the same. */
static const struct { int64_t delay_us; bool forget; int told; } slow[] = {
	{ 0, false, 1 }, { 0, true, 1 }, { 50, false, 1 }, { 150, false, 2 }, { 150, true, 1 },
	{ 200, false, 2 }, { 200, true, 1 }, { 250, true, 2 }, { 250, false, 3 },
};

START_TEST(a_slow_action_is_told_of_once)
{
	struct bed b;

	pair(&b, 2 * BED_MS, WATCHDOG_BROADCOM);
	b.sw.watchdog.detect_ps = POLL;
	b.sw.watchdog.action_delay_ps = slow[_i].delay_us * BED_US;
	b.sw.watchdog.forget = slow[_i].forget;
	nodes(&b, false);
	bed_storm(&b, "c", AT, BED_MS);
	bed_watch(&b, UINT64_C(1) << RECORD_WATCHDOG);
	bed_run(&b);
	ck_assert_int_eq(bed_record(&b, RECORD_WATCHDOG, VIEW_NONE, 0)->at_ps, (400 + slow[_i].delay_us) * BED_US);
	ck_assert_int_eq(view_totals(b.f).watchdog_told, slow[_i].told);
	ck_assert_int_eq(queue(&b).storms, 1);
	ck_assert_int_eq(queue(&b).restores, 1);
	bed_close(&b);
}
END_TEST

/* From the start both directions of every watched port drop, and no storm is told of. */
START_TEST(big_red_switch)
{
	struct bed b;

	pair(&b, BED_MS, WATCHDOG_BROADCOM);
	b.sw.watchdog.action = WATCHDOG_ALERT;		/* whatever the ports' action is */
	b.sw.watchdog.big_red_switch = true;
	nodes(&b, true);
	bed_storm(&b, "c", AT, UNITS_NEVER);
	bed_run(&b);
	ck_assert_int_eq(bed_workload(&b, "to").delivered_bytes, 0);
	ck_assert_int_eq(bed_workload(&b, "from").delivered_bytes, 0);
	ck_assert_int_eq(view_totals(b.f).watchdog_told, 0);
	ck_assert_int_eq(queue(&b).storms, 0);
	ck_assert_int_gt(queue(&b).all.rx_drop, 100);	/* acl: at the ingress */
	bed_close(&b);
}
END_TEST

/* sonic-buildimage #29203: the only lossless priority is cleared, so pauses are not
 * counted: restored after 200 us, paused by the next refresh, stormed two bad polls later. */
START_TEST(a_counter_that_freezes)
{
	for (int frozen = 0; frozen < 2; frozen++) {
		struct bed b;

		pair(&b, 3 * BED_MS, WATCHDOG_BROADCOM);
		b.sw.watchdog.frozen_counter = frozen;
		nodes(&b, false);
		bed_storm(&b, "c", AT, UNITS_NEVER);
		bed_watch(&b, UINT64_C(1) << RECORD_WATCHDOG);
		bed_run(&b);
		if (!frozen) {
			ck_assert_int_eq(view_totals(b.f).watchdog_storms, 1);
			ck_assert_int_eq(view_totals(b.f).watchdog_restores, 0);
		} else {	/* 500, 700 restored, 800 paused now, 900 and 1000 bad: every 500 us */
			ck_assert_int_eq(bed_record(&b, RECORD_WATCHDOG, VIEW_NONE, 0)->at_ps, 500 * BED_US);
			ck_assert_int_eq(bed_record(&b, RECORD_WATCHDOG, VIEW_NONE, 1)->at_ps, 700 * BED_US);
			ck_assert_int_eq(bed_record(&b, RECORD_WATCHDOG, VIEW_NONE, 2)->at_ps, 1000 * BED_US);
			ck_assert_int_eq(view_totals(b.f).watchdog_storms, 6);
		}
		bed_close(&b);
	}
}
END_TEST

/* Whatever comes, a timer restores: into the pause that stands, if one does. */
START_TEST(restored_by_the_clock)
{
	struct bed b;

	pair(&b, 950 * BED_US, WATCHDOG_BROADCOM);
	b.sw.watchdog.restore_rule = WATCHDOG_RESTORE_TIMER;
	nodes(&b, false);
	bed_storm(&b, "c", AT, UNITS_NEVER);
	bed_watch(&b, UINT64_C(1) << RECORD_WATCHDOG | UINT64_C(1) << RECORD_PAUSED);
	bed_run(&b);
	ck_assert_int_eq(bed_record(&b, RECORD_WATCHDOG, VIEW_NONE, 0)->at_ps, 500 * BED_US);
	ck_assert_int_eq(bed_record(&b, RECORD_WATCHDOG, VIEW_NONE, 1)->at_ps, 700 * BED_US);
	ck_assert_int_eq(bed_record(&b, RECORD_PAUSED, VIEW_NONE, 1)->at_ps, 700 * BED_US);
	bed_close(&b);
}
END_TEST

#define LOOP(test, table) tcase_add_loop_test(tc, test, 0, sizeof(table) / sizeof(table[0]))

int main(void)
{
	Suite *suite = suite_create("watchdog_action");
	TCase *tc = tcase_create("watchdog_action");
	SRunner *runner = srunner_create(suite);
	int failed;

	LOOP(what_each_handler_drops, handlers);
	tcase_add_loop_test(tc, who_goes_on_pausing, 0, 2);
	LOOP(hardware_counts_ticks, quanta);
	tcase_add_test(tc, hardware_detects_again);
	tcase_add_test(tc, hardware_must_be_enabled);
	LOOP(start_default_scales, scales);
	tcase_add_test(tc, every_preset_is_sound);
	LOOP(a_slow_action_is_told_of_once, slow);
	tcase_add_test(tc, big_red_switch);
	tcase_add_test(tc, a_counter_that_freezes);
	tcase_add_test(tc, restored_by_the_clock);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
