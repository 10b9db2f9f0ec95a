/*
 * PFC on one link: how long a pause holds, what it costs on a long link, and
 * the duty of a slow receiver.
 *
 * IEEE 802.1Qbb and 802.3 annexes 31B, 31D as DESIGN section 4 fixes them: the
 * timer runs from the last bit of the pause (64 bytes and 8 of preamble after
 * its start), the stop and the restart by XON come after the response time, an
 * expiry at reception + quanta.  A quantum is 512 bit times.  Response times in
 * quanta: 802.3 31B.3.7.
 */
#include <check.h>
#include <stdlib.h>

#include "tests/support/bed.h"

#define KINDS (UINT64_C(1) << RECORD_PAUSED | UINT64_C(1) << RECORD_RESUMED)
enum { F = 1000, PRIO = 3 };

/* ---- how long a pause holds ---- */

static const struct { int64_t rate_bps, response, quanta; } holds[] = {
	{ 10 * BED_G, 67, 68 }, { 10 * BED_G, 67, 65535 },
	{ 25 * BED_G, 80, 1000 }, { 25 * BED_G, 80, 12345 },
	{ 40 * BED_G, 118, 119 }, { 40 * BED_G, 118, 5000 },
	{ 100 * BED_G, 394, 395 }, { 100 * BED_G, 394, 65535 },
	{ 400 * BED_G, 905, 906 }, { 400 * BED_G, 905, 20001 },
};

/* a -> s -> c at one rate; c sends one XOFF.  Counts what c must have got by
 * `until`, frame by frame: s commits to a frame at the last bit of the one
 * before, a gap ahead of its first. */
static int64_t expect_frames(int64_t byte, int64_t d, int64_t stop, int64_t free, int64_t until,
			     int64_t *last)
{
	int64_t start = byte * (8 + F) + d, decision = start, n = 0;

	for (;;) {
		if (decision >= stop && decision < free)
			start = decision = free;
		if (start + byte * (8 + F) + d > until)
			return n;
		*last = start + byte * (8 + F) + d;
		n++;
		decision = start + byte * (8 + F);
		start += byte * (F + 20);
	}
}

START_TEST(a_pause_holds_for_its_quanta)
{
	int64_t rate = holds[_i].rate_bps, byte = 8 * UNITS_PS_PER_S / rate, d = 77777;
	int64_t quantum = 64 * byte, at = 10 * BED_US + 1, got = at + 72 * byte + d;
	int64_t stop = got + holds[_i].response * quantum, free = got + holds[_i].quanta * quantum;
	int64_t until = free + 100 * BED_US, last = -1;
	struct bed b;

	bed_open(&b, until);
	b.nic.pfc.quanta = holds[_i].quanta;
	b.nic.pfc.refresh_ps = UNITS_PS_PER_S;
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, rate, d);
	bed_leaf(&b, "c", "s", 1, rate, d);
	bed_stream(&b, "load", "a", "c", 0, F, 0, UNITS_NEVER);
	bed_storm(&b, "c", at, UNITS_NEVER);
	bed_watch(&b, KINDS);
	bed_run(&b);
	uint32_t out = bed_port(&b, "s", 1);
	ck_assert_int_eq(bed_count(&b, RECORD_PAUSED, out), 1);
	ck_assert_int_eq(bed_count(&b, RECORD_RESUMED, out), 1);
	ck_assert_int_eq(bed_record(&b, RECORD_PAUSED, out, 0)->at_ps, stop);
	const struct record *end = bed_record(&b, RECORD_RESUMED, out, 0);
	ck_assert_int_eq(end->at_ps, free);
	ck_assert_int_eq(end->a, free - stop);
	ck_assert_int_eq(end->b, 1);
	int64_t n = expect_frames(byte, d, stop, free, until, &last);
	ck_assert_int_eq(bed_workload(&b, "load").delivered_bytes, n * F);
	ck_assert_int_eq(bed_workload(&b, "load").last_delivery_ps, last);
	bed_close(&b);
}
END_TEST

/* Fewer quanta than the response time: nothing ever stops. */
START_TEST(a_pause_shorter_than_the_response)
{
	struct bed b;

	bed_open(&b, BED_MS);
	b.nic.pfc.quanta = 394;
	b.nic.pfc.refresh_ps = 3 * BED_US;
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(&b, "c", "s", 1, 100 * BED_G, BED_US);
	bed_stream(&b, "load", "a", "c", 0, F, 0, UNITS_NEVER);
	bed_storm(&b, "c", 0, UNITS_NEVER);
	bed_run(&b);
	ck_assert_int_gt(bed_counters(&b, "s", 1, PRIO).xoff_received, 300);
	ck_assert_int_eq(bed_counters(&b, "s", 1, PRIO).pauses, 0);
	bed_close(&b);
}
END_TEST

/* XON: free at reception + response, long before the quanta are over. */
START_TEST(xon_frees_after_the_response)
{
	int64_t byte = 80, d = 123456, at = 5 * BED_US, lasts = 20 * BED_US + 7;
	int64_t stop = at + 72 * byte + d + 394 * 5120;
	struct bed b;

	bed_open(&b, 100 * BED_US);
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, d);
	bed_leaf(&b, "c", "s", 1, 100 * BED_G, d);
	bed_storm(&b, "c", at, lasts);
	bed_watch(&b, KINDS);
	bed_run(&b);
	ck_assert_int_eq(bed_record(&b, RECORD_PAUSED, VIEW_NONE, 0)->at_ps, stop);
	const struct record *end = bed_record(&b, RECORD_RESUMED, VIEW_NONE, 0);
	ck_assert_int_eq(end->at_ps, stop + lasts);
	ck_assert_int_eq(end->b, 0);
	bed_close(&b);
}
END_TEST

/* A standing pause is refreshed at half its time and never lets go; one that is
 * refreshed at its end or later holds for quanta - response each time. */
static const struct { int64_t refresh, pauses, received; } refreshed[] = {
	{ -1, 1, 201 }, { 1, 100, 101 }, { 2, 100, 101 },
};

START_TEST(refreshes_hold_a_pause)
{
	int64_t n_ps = 2000 * 5120, resp = 394 * 5120, got = 72 * 80 + BED_US;
	int64_t every = refreshed[_i].refresh > 0 ? refreshed[_i].refresh * n_ps : n_ps;
	int64_t until = got + 100 * every;
	struct bed b;

	bed_open(&b, until);
	b.nic.pfc.quanta = 2000;
	b.nic.pfc.refresh_ps = refreshed[_i].refresh > 0 ? every : -1;
	bed_switch(&b, "s");
	bed_leaf(&b, "c", "s", 1, 100 * BED_G, BED_US);
	bed_storm(&b, "c", 0, UNITS_NEVER);
	bed_run(&b);
	struct view_counters v = bed_counters(&b, "s", 1, PRIO);
	ck_assert_int_eq(v.pauses, refreshed[_i].pauses);
	ck_assert_int_eq(v.xoff_received, refreshed[_i].received);
	ck_assert_int_eq(v.paused_ps, _i ? 100 * (n_ps - resp) : until - got - resp);
	bed_close(&b);
}
END_TEST

/* Pauses of no priority (class-enable vector 0) or of the link (802.3x): a port with PFC obeys
 * neither; the same ones of a priority stop it (802.1Q; sonic-mgmt #6733, global pause plan). */
START_TEST(pauses_of_no_priority)
{
	struct bed b;

	bed_open(&b, BED_MS);
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 10 * BED_G, BED_US);
	bed_leaf(&b, "c", "s", 1, 10 * BED_G, BED_US);
	bed_stream(&b, "load", "a", "c", BED_G, 1000, 0, UNITS_NEVER);
	bed_fault(&b, &(struct fault_conf){ .name = (char *)(uintptr_t)"blank", .kind = FAULT_PAUSE_FRAMES,
		.a = (char *)(uintptr_t)"c", .class_ = BED_RDMA, .lasts_ps = UNITS_NEVER, .quanta = 65535,
		.period_ps = 20 * BED_US, .frame = _i });
	bed_run(&b);
	ck_assert_int_eq(bed_counters(&b, "s", 1, 3).paused, _i == FAULT_FRAME_PFC);
	ck_assert_int_eq(bed_workload(&b, "load").delivered_bytes > 100000, _i != FAULT_FRAME_PFC);
	bed_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pause");
	TCase *tc = tcase_create("pause");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, pauses_of_no_priority, 0, FAULT_FRAME_GLOBAL + 1);
	tcase_add_loop_test(tc, a_pause_holds_for_its_quanta, 0, sizeof(holds) / sizeof(holds[0]));
	tcase_add_test(tc, a_pause_shorter_than_the_response);
	tcase_add_test(tc, xon_frees_after_the_response);
	tcase_add_loop_test(tc, refreshes_hold_a_pause, 0, 3);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
