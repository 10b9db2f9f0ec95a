/*
 * PFC over a long link: its peak, what it costs when XON comes too late, and
 * the pause duty of a slow receiver.
 *
 * One link with delay D each way, filled at Rs, drained at Rd < Rs (rates in
 * bytes of frames: line * F / (F + 20)).  Algorithms.md, sections 0 and 5:
 *
 *	peak	= XOFF + (2D + response + 84 B)(Rs - Rd), within one frame
 *	cycle	= XOFF/(Rs - Rd) + 2D(1 + Rs/Rd)	where XON = XOFF
 *	idle	= 2D - XON/Rd, when XON < 2D Rd		of each cycle
 *	rate	= Rd(1 - idle/cycle)
 *	paused	= 2D + (peak - XON)/Rd = 2D Rs/Rd	of each cycle
 *
 * (the last three for no response time; Bifrost, ICNP 2023, has the same XON).
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tests/support/bed.h"

enum { PRIO = 3 };

/* a -Rs, D-> s -Rd-> c. */
static void long_link(struct bed *b, int64_t delay, int64_t rs, int64_t rd, int64_t frame)
{
	bed_switch(b, "s");
	bed_leaf(b, "a", "s", 0, rs, delay);
	bed_leaf(b, "c", "s", 1, rd, BED_US);
	bed_stream(b, "load", "a", "c", 0, frame, 0, UNITS_NEVER);
}

/* ---- the peak ---- */

static const struct { int64_t delay, rs, rd, frame, xoff, response; } peaks[] = {
	{ 50 * BED_US, 100 * BED_G, 50 * BED_G, 1000, 200000, 0 },	/* 825 KB in the reference */
	{ 50 * BED_US, 100 * BED_G, 50 * BED_G, 1000, 200000, -1 },
	{ 50 * BED_US, 100 * BED_G, 50 * BED_G, 1000, 400000, -1 },
	{ 250 * BED_US, 100 * BED_G, 50 * BED_G, 4178, 200000, -1 },
	{ 10 * BED_US, 100 * BED_G, 25 * BED_G, 1518, 77777, -1 },
	{ 5 * BED_US, 400 * BED_G, 100 * BED_G, 9216, 500000, -1 },
	{ 100 * BED_US, 40 * BED_G, 10 * BED_G, 256, 50000, -1 },
};

/* Byte by byte: what is at s after each arrival, the sender stopped `response`
 * after the last bit of the pause.  It commits to a frame a gap ahead. */
static int64_t exact_peak(int64_t delay, int64_t rs, int64_t rd, int64_t frame, int64_t xoff,
			  int64_t response)
{
	int64_t in = 8 * UNITS_PS_PER_S / rs, out = 8 * UNITS_PS_PER_S / rd;
	int64_t first = in * (8 + frame) + delay, stop = UNITS_NEVER, peak = 0, gone = 0;

	for (int64_t k = 0; ; k++) {
		int64_t commit = k * in * (frame + 20) - (k ? 12 * in : 0);
		int64_t at = first + k * in * (frame + 20);
		if (commit >= stop)
			return peak;
		/* released at the last bit out, before what arrives in the same instant */
		while (first + gone * out * (frame + 20) + out * (8 + frame) <= at)
			gone++;
		if ((k + 1 - gone) * frame > peak)
			peak = (k + 1 - gone) * frame;
		if ((k + 1 - gone) * frame >= xoff && stop == UNITS_NEVER)
			stop = at + 72 * in + delay + response;
	}
}

START_TEST(peak_of_a_long_link)
{
	int64_t d = peaks[_i].delay, rs = peaks[_i].rs, rd = peaks[_i].rd, frame = peaks[_i].frame;
	int64_t response = peaks[_i].response < 0 ? pfc_response_ps(rs) : peaks[_i].response;
	double share = (double)frame / (double)(frame + 20) / 8e12;	/* bytes of frames a ps bit */
	double growth = (double)(rs - rd) * share;
	double formula = (double)peaks[_i].xoff +
		(double)(2 * d + response + 84 * 8 * UNITS_PS_PER_S / rs) * growth;
	struct bed b;

	bed_open(&b, 5 * BED_MS);
	b.nic.pfc.response_ps = peaks[_i].response;
	b.sw.buffer.size_bytes = 64000000;
	b.sw.buffer.headroom_bytes = 30000000;
	b.sw.buffer.xoff_bytes = peaks[_i].xoff;
	b.sw.buffer.xon_bytes = 0;
	b.sw.buffer.xon_offset_bytes = peaks[_i].xoff;	/* XON when empty: cycles are alike */
	long_link(&b, d, rs, rd, frame);
	bed_run(&b);
	int64_t peak = bed_counters(&b, "s", 0, PRIO).group_peak_bytes;
	ck_assert_int_gt(bed_counters(&b, "s", 0, PRIO).xoff_frames, 1);
	ck_assert_double_le(fabs((double)peak - formula), (double)frame);
	ck_assert_int_eq(peak, exact_peak(d, rs, rd, frame, peaks[_i].xoff, response));
	bed_close(&b);
}
END_TEST

/* ---- the cost ---- */

/* Algorithms.md section 5, formula and the throughput it gives, Gb/s of 100G to 50G. */
static const struct { int64_t delay, xoff; double gbps; } costs[] = {
	{ 50 * BED_US, 200000, 39.76 },
	{ 50 * BED_US, 400000, 45.06 },
	{ 250 * BED_US, 200000, 34.73 },
	{ 50 * BED_US, 700000, 50.00 },		/* XON above 2D Rd = 625 KB: no cost */
};

START_TEST(cost_of_a_late_xon)
{
	int64_t until = 100 * BED_MS, frame = 1000;
	double d = (double)costs[_i].delay / 1e12, x = (double)costs[_i].xoff * 1.02;
	double rs = 12.5e9, rd = 6.25e9;	/* of the wire, as is x: 1020 bytes a frame */
	double cycle = x / (rs - rd) + 2 * d * (1 + rs / rd), idle = 2 * d - x / rd;
	double rate = idle > 0 ? 50 * (1 - idle / cycle) : 50;
	struct bed b;

	bed_open(&b, until);
	b.nic.pfc.response_ps = 0;
	b.sw.buffer.size_bytes = 64000000;
	b.sw.buffer.headroom_bytes = 10000000;
	b.sw.buffer.xoff_bytes = costs[_i].xoff;
	b.sw.buffer.xon_offset_bytes = 2 * frame;	/* under one frame: a spurious XOFF a cycle */
	long_link(&b, costs[_i].delay, 100 * BED_G, 50 * BED_G, frame);
	bed_run(&b);
	int64_t frames = bed_workload(&b, "load").delivered_bytes / frame;
	double got = (double)frames * 1020 * 8 / ((double)until / 1e12) / 1e9;
	struct view_counters v = bed_counters(&b, "a", 0, PRIO);
	double duty = 2 * d * rs / rd / cycle;
	ck_assert_double_eq_tol(got, rate, 0.005 * rate);
	ck_assert_double_eq_tol(got, costs[_i].gbps, 0.015 * rate);	/* rounded, other framing */
	if (idle > 0)
		ck_assert_double_eq_tol((double)v.paused_ps / (double)until, duty, 0.01 * duty);
	bed_close(&b);
}
END_TEST

/* A NIC that drains at r < C pauses its link for 1 - r/C of the time, exactly
 * (D7): what it lets in is what it drains.  Two things come on top: at most one
 * frame a pause is still on its way out when the pause takes effect, and the
 * buffer (512 KiB, and 100 KB that come after XOFF) fills once. */
START_TEST(duty_of_a_slow_receiver)
{
	static const int64_t percent[] = { 10, 35, 55, 80, 95 };
	int64_t until = 50 * BED_MS, r = percent[_i], frame_ps = 1020 * 80;
	int64_t duty_ps = until / 100 * (100 - r), fill_ps = (524288 + 100000) * 80;
	struct bed b;

	bed_open(&b, until);
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	b.nic.rx_rate_bps = r * BED_G;
	bed_leaf(&b, "c", "s", 1, 100 * BED_G, BED_US);
	bed_stream(&b, "load", "a", "c", 0, 1000, 0, UNITS_NEVER);
	bed_run(&b);
	struct view_counters v = bed_counters(&b, "s", 1, PRIO);
	ck_assert_int_gt(v.pauses, 100);
	ck_assert_int_ge(v.paused_ps, duty_ps - fill_ps);
	ck_assert_int_le(v.paused_ps, duty_ps + v.pauses * frame_ps);
	int64_t drained = until / (frame_ps * 100) * r;
	int64_t got = bed_workload(&b, "load").delivered_bytes / 1000;
	ck_assert_int_le(got, drained + r);
	ck_assert_int_ge(got, drained - 100);	/* 4 us until the first has come */
	ck_assert_int_eq(bed_counters(&b, "c", 0, PRIO).drops[RECORD_DROP_NIC], 0);
	bed_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("longlink");
	TCase *tc = tcase_create("longlink");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, peak_of_a_long_link, 0, sizeof(peaks) / sizeof(peaks[0]));
	tcase_add_loop_test(tc, cost_of_a_late_xon, 0, sizeof(costs) / sizeof(costs[0]));
	tcase_add_loop_test(tc, duty_of_a_slow_receiver, 0, 5);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
