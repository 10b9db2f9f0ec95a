/*
 * Congestion controls in the simulator against their own closed forms: what share
 * of the link, how long a queue, and shared how.
 *
 * N senders, one switch, one receiver, all links of one rate and delay D.  The
 * closed forms are algorithms.md 2.1 to 2.5 and 6 (27, 28); where a window holds
 * less than a few packets the host's rounding to whole packets is part of the
 * answer, which the tolerances say.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/wire/frame.h"
#include "models/wire/telemetry.h"
#include "tests/support/bed.h"

enum { PRIO = 3, MTU = 1024, WIRE = MTU + FRAME_ROCE_BYTES + 20, INT_BYTES = TELEMETRY_BYTES };
enum { MOST = 16 };

struct scene {
	struct bed b;
	int n;
	int64_t rate, delay, from_ps;	/* means are taken from there on */
	double queue, samples;		/* mean bytes in the queue */
	int64_t queue_max;
	double share[MOST], sum;	/* payload, as part of the line */
};

static void scene_sample(void *ctx, int64_t at_ps)
{
	struct scene *s = ctx;
	int64_t q;

	if (at_ps < s->from_ps)
		return;
	q = bed_counters(&s->b, "s", s->n, PRIO).queue_bytes;
	s->queue += (double)q;
	s->samples++;
	if (q > s->queue_max)
		s->queue_max = q;
}

/* mark_bytes: a step in the switch's queues, 0 none. */
static void scene_open(struct scene *s, int n, int64_t rate, int64_t delay, int64_t until_ps,
		       int64_t mark_bytes)
{
	*s = (struct scene){ .n = n, .rate = rate, .delay = delay, .from_ps = until_ps / 2 };
	bed_open(&s->b, until_ps);
	s->b.run.warmup_ps = s->from_ps;
	s->b.sw.buffer.size_bytes = 64000000;
	s->b.sw.buffer.alpha = (struct units_ratio){ 1, 1 };
	s->b.sw.ecn[BED_RDMA] = (struct ecn_conf){ .on = mark_bytes != 0,
		.kmin_bytes = mark_bytes, .kmax_bytes = mark_bytes, .pmax = { 1, 1 } };
	s->b.nic.mtu_bytes = MTU;
	bed_switch(&s->b, "s");
}

static void scene_host(struct scene *s, int i)
{
	char name[16];

	snprintf(name, sizeof name, "h%d", i);
	bed_leaf(&s->b, name, "s", i, s->rate, s->delay);
}

/* All senders that have no host yet get one with the bed's present control. */
static void scene_run(struct scene *s, int have)
{
	char name[16], sink[16];
	double seconds = (double)(s->b.run.until_ps - s->from_ps) / 1e12;

	for (int i = have; i <= s->n; i++)
		scene_host(s, i);
	snprintf(sink, sizeof sink, "h%d", s->n);
	for (int i = 0; i < s->n; i++) {
		snprintf(name, sizeof name, "h%d", i);
		bed_flow(&s->b, name, name, sink, INT64_C(4000000000), 1);
	}
	bed_finish(&s->b);
	fabric_add_sampler(s->b.f, s->b.run.until_ps / 4096, scene_sample, s);
	bed_run(&s->b);
	for (int i = 0; i < s->n; i++) {
		snprintf(name, sizeof name, "h%d", i);
		s->share[i] = (double)bed_workload(&s->b, name).delivered_after_warmup_bytes *
			      8 / seconds / (double)s->rate;
		s->sum += s->share[i];
	}
	s->queue /= s->samples;
	for (int i = 0; i <= s->n; i++)
		ck_assert_int_eq(bed_counters(&s->b, "s", i, PRIO).xoff_frames, 0);
	bed_close(&s->b);
}

static void scene_fair(const struct scene *s, double within)
{
	for (int i = 0; i < s->n; i++)
		ck_assert_double_eq_tol(s->share[i] * s->n, s->sum, within * s->sum);
}

/* Base round trip of the path, as models/fabric_build.c counts it: both ways of
 * both links, the data frame and the ACK without their gaps. */
static double scene_t_ps(const struct scene *s, int extra)
{
	double byte = 8e12 / (double)s->rate;

	return 4 * (double)s->delay + 2 * byte * (WIRE - 12 + extra) +
	       2 * byte * (FRAME_ACK_BYTES + 8 + extra);
}

/* ---- HPCC: U* = eta + N R_AI / C, no queue ---- */

static const int hpcc_flows[] = { 1, 2, 10, 16 };

START_TEST(hpcc_fills_the_link_to_eta)
{
	int n = hpcc_flows[_i];
	double u = 0.95 + n * 0.0004, payload = (double)MTU / (WIRE + INT_BYTES);
	struct scene s;

	scene_open(&s, n, 100 * BED_G, 3 * BED_US, 10 * BED_MS, 0);
	bed_cc(&s.b, "hpcc", "paper", NULL);
	scene_run(&s, 0);
	ck_assert_double_eq_tol(s.sum, u * payload, 0.01 * u * payload);
	ck_assert_double_lt(s.queue, 3 * (WIRE + INT_BYTES));
}
END_TEST

/* The same of HPCC-PINT, in every packet and in one of 16; 1 byte in the place of 42.
 * Its load is right in the mean and up to 5 % wrong each time, and the rate goes with
 * 1/U: allow 2 %. */
START_TEST(pint_fills_the_link_to_eta)
{
	const char *sixteenth[] = { "pint_sample", "1/16", NULL };
	int n = hpcc_flows[_i / 2];
	double u = 0.95 + n * 0.0004, payload = (double)MTU / (WIRE + (_i % 2 ? 1 / 16.0 : 1));
	struct scene s;

	scene_open(&s, n, 100 * BED_G, 3 * BED_US, 10 * BED_MS, 0);
	bed_cc(&s.b, "hpcc", "pint", _i % 2 ? sixteenth : NULL);
	scene_run(&s, 0);
	ck_assert_double_eq_tol(s.sum, u * payload, 0.02 * u * payload);
	ck_assert_double_lt(s.queue, 6 * WIRE);
}
END_TEST

/* ---- PowerTCP: q = N beta, beta = C T / 10, and the link full ---- */

static const struct { const char *name; int n; } power[] = {
	{ "powertcp", 2 }, { "powertcp", 10 },
	{ "theta_powertcp", 2 }, { "theta_powertcp", 10 },
};

START_TEST(powertcp_keeps_one_beta_a_flow)
{
	int n = power[_i].n, extra = power[_i].name[0] == 'p' ? INT_BYTES : 0;
	double payload = (double)MTU / (WIRE + extra), beta;
	struct scene s;

	scene_open(&s, n, 100 * BED_G, 3 * BED_US, 5 * BED_MS, 0);
	bed_cc(&s.b, power[_i].name, "paper", NULL);
	beta = scene_t_ps(&s, extra) / 80 / 10;
	scene_run(&s, 0);
	ck_assert_double_eq_tol(s.sum, payload, 0.005 * payload);
	/* Windows are rounded up to packets; headers wait beside the payload. */
	ck_assert_double_gt(s.queue, 0.95 * n * beta);
	ck_assert_double_lt(s.queue, 1.1 * n * (beta + WIRE));
	scene_fair(&s, 0.1);
}
END_TEST

/* ---- patched TIMELY: RTT = Tlow (1 + N delta / (beta C)): 62.5 us for two flows
 * and 112.5 us for ten at 10 Gb/s (algorithms.md 2.1, CALC) ---- */

static const struct { int n; double rtt_us; const char *first, *rest; } patched[] = {
	{ 2, 62.5, "7Gbps", "3Gbps" }, { 10, 112.5, "1Gbps", "1Gbps" },
};

START_TEST(patched_timely_comes_to_its_fixed_point)
{
	const char *first[] = { "initial_rate", patched[_i].first, NULL };
	const char *rest[] = { "initial_rate", patched[_i].rest, NULL };
	double payload = (double)MTU / WIRE, want;
	struct scene s;

	scene_open(&s, patched[_i].n, 10 * BED_G, BED_US, 300 * BED_MS, 0);
	bed_cc(&s.b, "timely", "patched", first);
	scene_host(&s, 0);
	bed_cc(&s.b, "timely", "patched", rest);
	/* Of what waits for 1 us, 1250 B of wire, the gaps are not in the queue. */
	want = (patched[_i].rtt_us - scene_t_ps(&s, 0) / 1e6) * 1250 * (WIRE - 20) / WIRE;
	scene_run(&s, 1);
	ck_assert_double_eq_tol(s.sum, payload, 0.002 * payload);
	ck_assert_double_eq_tol(s.queue, want, 0.02 * want);
	scene_fair(&s, 0.01);
}
END_TEST

/* TIMELY itself has no fixed point: 7 and 3 Gb/s stay apart (CoNEXT 2016, 4.1). */
START_TEST(timely_stays_unfair)
{
	static const char *const seven[] = { "initial_rate", "7Gbps", NULL };
	static const char *const three[] = { "initial_rate", "3Gbps", NULL };
	struct scene s;

	scene_open(&s, 2, 10 * BED_G, BED_US, 200 * BED_MS, 0);
	bed_cc(&s.b, "timely", "paper", seven);
	scene_host(&s, 0);
	bed_cc(&s.b, "timely", "paper", three);
	scene_run(&s, 1);
	ck_assert_double_gt(s.share[0], 2 * s.share[1]);
	ck_assert_double_gt(s.sum, 0.8);
}
END_TEST

/* ---- Swift: the RTT is the target, 20 us + 2 * 3.05 us + fs, where fs = 32.66 /
 * sqrt(W) - 3.27 us up to 100 packets (algorithms.md 2.4) and W = C RTT / N ---- */

static const struct { int n; double low_us, high_us; } swift[] = {
	{ 2, 25.5, 26.5 },		/* W = 163 KB, 159 packets: no fs, 26.1 us */
	{ 10, 27.5, 29.5 },		/* W = 35.5 KB, 34.7 packets: fs 2.3, 28.4 us */
};

START_TEST(swift_holds_its_target)
{
	struct scene s;
	double rtt_us, payload = (double)MTU / WIRE;

	scene_open(&s, swift[_i].n, 100 * BED_G, BED_US, 6 * BED_MS, 0);
	bed_cc(&s.b, "swift", NULL, NULL);
	rtt_us = scene_t_ps(&s, 0) / 1e6;
	scene_run(&s, 0);
	rtt_us += s.queue * WIRE / (WIRE - 20) / 12500;
	ck_assert_double_gt(rtt_us, swift[_i].low_us);
	ck_assert_double_lt(rtt_us, swift[_i].high_us);
	ck_assert_double_eq_tol(s.sum, payload, 0.002 * payload);
	scene_fair(&s, 0.05);
}
END_TEST

/* ---- DCTCP: the queue ends at K + N packets, K > C T/7 never leaves the link
 * idle (SIGMETRICS 2011; algorithms.md 2.3) ---- */

static const int dctcp_flows[] = { 2, 10 };

START_TEST(dctcp_keeps_the_queue_at_k)
{
	int n = dctcp_flows[_i];
	double payload = (double)MTU / WIRE, k = 100000;
	struct scene s;

	scene_open(&s, n, 100 * BED_G, BED_US, 6 * BED_MS, (int64_t)k);
	bed_cc(&s.b, "dctcp", "paper", NULL);
	scene_run(&s, 0);
	ck_assert_double_eq_tol(s.sum, payload, 0.002 * payload);
	/* Qmax = K + N packets, and one a flow more by rounding. */
	ck_assert_double_lt((double)s.queue_max, k + 2 * n * WIRE);
	ck_assert_double_lt(s.queue, k + n * WIRE);
	ck_assert_double_gt(s.queue, 0.8 * k);
	scene_fair(&s, 0.3);
}
END_TEST

/* ---- fixed window: N windows, less what flies ---- */

START_TEST(fixed_window_queues_what_does_not_fly)
{
	double want;
	struct scene s;

	scene_open(&s, 4, 100 * BED_G, 3 * BED_US, 2 * BED_MS, 0);
	bed_cc(&s.b, "fixed_window", NULL, NULL);
	want = 3 * scene_t_ps(&s, 0) / 80;	/* N C T - C T */
	scene_run(&s, 0);
	ck_assert_double_gt(s.queue, want);	/* rounded up to packets, with headers */
	ck_assert_double_lt(s.queue, want * WIRE / MTU + 4 * WIRE);
	scene_fair(&s, 0.001);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("control");
	TCase *tc = tcase_create("control");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, hpcc_fills_the_link_to_eta, 0, 4);
	tcase_add_loop_test(tc, pint_fills_the_link_to_eta, 0, 8);
	tcase_add_loop_test(tc, powertcp_keeps_one_beta_a_flow, 0, 4);
	tcase_add_loop_test(tc, patched_timely_comes_to_its_fixed_point, 0, 2);
	tcase_add_test(tc, timely_stays_unfair);
	tcase_add_loop_test(tc, swift_holds_its_target, 0, 2);
	tcase_add_loop_test(tc, dctcp_keeps_the_queue_at_k, 0, 2);
	tcase_add_test(tc, fixed_window_queues_what_does_not_fly);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
