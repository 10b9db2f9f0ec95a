/*
 * models/cc/timely: both forms, sample by sample, through the ops only.
 *
 * The equations are those of algorithms 1 and 2 of CoNEXT 2016 (algorithms.md
 * 2.1, READ), and every rate is worked out by hand, the arithmetic beside it.
 * The fixed point is algorithms.md 2.1 (CALC): 62.5 us for two flows at 10 Gb/s,
 * 112.5 us (140.6 KB) for ten.
 */
#include "tests/unit/cc_facts.h"

#define OPS cc_find("timely")
#define M INT64_C(1000000)

static const struct cc_path path10 = { .base_rtt_ps = 4 * US, .line_bps = G10,
				       .mtu_bytes = 1000, .hops = 2 };

/* A segment of 64 KB is acknowledged at `us`, RTT in tenths of a microsecond. */
#define SAMPLE(us, rtt_tenths, rate) \
	{ ACK, { .now_ps = (us) * US, .ack_seq = (us) * 1000, .snd_nxt = (us) * 1000 + 64000, \
		 .acked_bytes = 64000, .rtt_ps = (rtt_tenths) * US / 10 }, CC_NO_WINDOW, rate }

START_TEST(starts_at_line_rate_or_as_told)
{
	static const char *const half[] = { "initial_rate", "5Gbps", NULL };
	static const char *const more[] = { "initial_rate", "50Gbps", NULL };

	facts_begin(OPS, "paper", &path10, NULL);
	ck_assert_int_eq(cc->out.rate_bps, G10);
	ck_assert(cc->out.cwnd_bytes == CC_NO_WINDOW);
	facts_begin(OPS, "paper", &path10, half);
	ck_assert_int_eq(cc->out.rate_bps, G10 / 2);
	facts_begin(OPS, "paper", &path10, more);
	ck_assert_int_eq(cc->out.rate_bps, G10);
}
END_TEST

/* alpha 0.875, beta 0.8, minRTT 20 us.  The first sample is only remembered. */
START_TEST(gradient_cuts)
{
	static const struct fact_row rows[] = {
		SAMPLE(100, 1000, G10),
		/* diff 8: rttDiff 7, g 0.35, * (1 - 0.28) */
		SAMPLE(200, 1080, 7200 * M),
		/* diff 0: rttDiff 0.875, g 0.04375, * (1 - 0.035) */
		SAMPLE(300, 1080, 6948 * M),
		/* diff -8: rttDiff 0.109375 - 7 < 0: + 10 Mb/s */
		SAMPLE(400, 1000, 6958 * M),
	};

	WALK_FROM("paper", &path10, NULL, rows);
}
END_TEST

/* style.md 5.5: RTT = 2 Thigh at beta 0.8 leaves 60 %. */
START_TEST(thresholds)
{
	static const struct fact_row rows[] = {
		SAMPLE(1000, 500, G10),
		SAMPLE(2000, 10000, 6000 * M),
		/* RTT 600: * (1 - 0.8 (1 - 500/600)) = * 13/15 */
		SAMPLE(3000, 6000, 5200 * M),
		SAMPLE(4000, 1000, 5210 * M),		/* g < 0 */
		/* below Tlow the rate grows whatever the gradient */
		SAMPLE(5000, 499, 5220 * M),
		SAMPLE(6000, 40, 5230 * M),
	};

	WALK_FROM("paper", &path10, NULL, rows);
}
END_TEST

/* algorithms.md 0: before the tests of the thresholds. */
START_TEST(rtt_diff_is_kept_up_in_every_branch)
{
	static const char *const settings[] = { "beta", "0.5", "min_rtt", "20us", NULL };
	static const struct fact_row rows[] = {
		SAMPLE(100, 600, G10),
		/* below Tlow; rttDiff = -0.875 * 16 = -14: + 10, clamped */
		SAMPLE(200, 440, G10),
		/* + 16: rttDiff = -1.75 + 14 = 12.25, g 0.6125, * 0.69375 */
		SAMPLE(300, 600, 6937500000),
	};

	WALK_FROM("paper", &path10, settings, rows);
}
END_TEST

/* 1 - 0.8 * g with rttDiff = 0.875 * 40 = 35, g = 1.75: -0.4, held at 0; then
 * the floor of 100 Mb/s. */
START_TEST(never_below_min_rate)
{
	static const struct fact_row rows[] = {
		SAMPLE(100, 1000, G10),
		SAMPLE(200, 1400, 100 * M),
		SAMPLE(300, 1000, 110 * M),
	};

	WALK_FROM("paper", &path10, NULL, rows);
}
END_TEST

/* Five samples in a row at + 10 Mb/s, then + 50 (rdma-hw.cc: incStage < 5); a
 * sample below Tlow or a cut begins the count again. */
START_TEST(hyper_increase_counts_only_the_gradient)
{
	static const char *const low[] = { "initial_rate", "1Gbps", NULL };
	static const struct fact_row rows[] = {
		SAMPLE(100, 1000, 1000 * M),
		SAMPLE(200, 1000, 1010 * M), SAMPLE(300, 1000, 1020 * M),
		SAMPLE(400, 1000, 1030 * M), SAMPLE(500, 1000, 1040 * M),
		SAMPLE(600, 1000, 1050 * M), SAMPLE(700, 1000, 1100 * M),
		SAMPLE(800, 1000, 1150 * M),
		SAMPLE(900, 490, 1160 * M),	/* below Tlow */
		SAMPLE(1000, 500, 1170 * M),	/* g < 0 still: 1st of the row */
		SAMPLE(1100, 500, 1180 * M), SAMPLE(1200, 500, 1190 * M),
		SAMPLE(1300, 500, 1200 * M), SAMPLE(1400, 500, 1210 * M),
		SAMPLE(1500, 500, 1260 * M),
	};

	WALK_FROM("paper", &path10, low, rows);
}
END_TEST

/* Delta is a 1000th of the line: 100 Mb/s at 100 Gb/s (run.py: 10 * bw / 10). */
START_TEST(delta_follows_the_line)
{
	static const char *const low[] = { "initial_rate", "1Gbps", NULL };
	struct cc_path path = path10;
	static const struct fact_row rows[] = {
		SAMPLE(100, 100, 1000 * M), SAMPLE(200, 100, 1100 * M),
	};

	path.line_bps = G100;
	WALK_FROM("paper", &path, low, rows);
}
END_TEST

/* A sample needs its segment and minRTT since the last. */
#define PART(us, bytes, rtt_us, rate) \
	{ ACK, { .now_ps = (us) * US, .ack_seq = (us) * 1000, .snd_nxt = (us) * 1000 + 64000, \
		 .acked_bytes = bytes, .rtt_ps = (rtt_us) * US }, CC_NO_WINDOW, rate }
START_TEST(a_sample_is_a_segment_and_min_rtt)
{
	static const char *const low[] = { "initial_rate", "1Gbps", NULL };
	static const struct fact_row rows[] = {
		PART(10, 64000, 30, 1000 * M),		/* 10 us after the start */
		PART(20, 1000, 30, 1000 * M),		/* due: remembered */
		PART(30, 63999, 30, 1000 * M),
		PART(50, 1, 30, 1010 * M),		/* 64000 B, 30 us */
		PART(60, 64000, 30, 1010 * M),		/* 10 us */
		PART(69, 64000, 30, 1010 * M),
		PART(70, 64000, 30, 1020 * M),
	};

	WALK_FROM("paper", &path10, low, rows);
}
END_TEST

/* segment = rtt: when what was in flight at the last sample is acknowledged. */
#define ROUND(seq, nxt, rate) \
	{ ACK, { .now_ps = (seq) * 1000, .ack_seq = seq, .snd_nxt = nxt, .acked_bytes = 1000, \
		 .rtt_ps = 30 * US }, CC_NO_WINDOW, rate }
START_TEST(a_sample_is_a_round_trip)
{
	static const char *const low[] = { "initial_rate", "1Gbps", NULL };
	static const struct fact_row rows[] = {
		ROUND(1000, 9000, 1000 * M),
		ROUND(2000, 10000, 1000 * M), ROUND(9000, 17000, 1000 * M),
		ROUND(10000, 18000, 1010 * M), ROUND(18000, 30000, 1010 * M),
		/* the sender went back to 18000 and sent one: that ends it */
		ROUND(19000, 20000, 1020 * M),
		ROUND(20000, 12000, 1030 * M),
	};

	WALK_FROM("ns3", &path10, low, rows);
}
END_TEST

/* Patched: delta 10 Mb/s, beta 0.008, RTTref 50 us. */
START_TEST(patched_by_error)
{
	static const char *const half[] = { "initial_rate", "5Gbps", NULL };
	static const struct fact_row rows[] = {
		SAMPLE(100, 1000, 5000 * M),
		/* g 0, w 1/2, error 1: 5 + 5000 (1 - 0.004) */
		SAMPLE(200, 1000, 4985 * M),
		/* diff 8, g 0.35, w 1, error 1.16: 4985 (1 - 0.00928) */
		SAMPLE(300, 1080, 4938739200),
		/* diff -16, rttDiff 0.875 - 14, w 0: + 10 */
		SAMPLE(400, 920, 4948739200),
		/* below Tlow and above Thigh as TIMELY: + 10, then * (1 - 0.004) */
		SAMPLE(500, 400, 4958739200),
		SAMPLE(600, 10000, 4938904243),		/* 4958739200 * 0.996 = ...243.2 */
	};

	WALK_FROM("patched", &path10, half, rows);
}
END_TEST

/* w between its bounds: rttDiff = 0.875 * 1.6 = 1.4, g 0.07, w 0.64, error
 * 1.032: 10 * 0.36 + 5000 (1 - 0.008 * 0.64 * 1.032) = 3.6 + 4973.5808 */
START_TEST(patched_weight_is_linear)
{
	static const char *const half[] = { "initial_rate", "5Gbps", NULL };
	static const struct fact_row rows[] = {
		SAMPLE(100, 1000, 5000 * M), SAMPLE(200, 1016, 4977180800),
	};

	WALK_FROM("patched", &path10, half, rows);
}
END_TEST

/* RTT = rtt_ref: no error, so R = delta/2 + R. */
START_TEST(given_reference_and_delta)
{
	static const char *const given[] = { "initial_rate", "5Gbps", "rtt_ref", "100us",
					     "rate_ai", "40Mbps", NULL };
	static const struct fact_row rows[] = {
		SAMPLE(100, 1000, 5000 * M), SAMPLE(200, 1000, 5020 * M),
	};

	WALK_FROM("patched", &path10, given, rows);
}
END_TEST

/* N equal flows and their queue, one sample every 20 us; the RTT is the queue's
 * delay, as in the fluid model. */
START_TEST(patched_fixed_point)
{
	static const struct { int n; double q_us; } point[] = { { 2, 62.5 }, { 10, 112.5 } };
	int n = point[_i].n;
	double q_us = 0;

	facts_begin(OPS, "patched", &path10, NULL);
	for (int64_t i = 1; i <= 500000; i++) {
		struct cc_ack ack = { .now_ps = 20 * US * i, .ack_seq = 16000 * i,
				      .snd_nxt = 16000 * i + 64000, .acked_bytes = 16000,
				      .rtt_ps = (int64_t)(q_us * 1e6) + 1 };
		double rate;

		cc->ops->on_ack(cc, &ack);
		rate = (double)n * (double)cc->out.rate_bps / (double)G10;
		q_us += 20 * (rate - 1);
		if (q_us < 0)
			q_us = 0;
	}
	ck_assert_double_eq_tol(q_us, point[_i].q_us, 0.01 * point[_i].q_us);
	ck_assert_double_eq_tol((double)cc->out.rate_bps * n, (double)G10, 0.001 * (double)G10);
}
END_TEST

START_TEST(settings_that_contradict_are_refused)
{
	static const char *const order[] = { "t_low", "500us", NULL };
	static const char *const zero[] = { "t_low", "0us", NULL };
	static const char *const ref[] = { "rtt_ref", "60us", NULL };

	ck_assert_str_eq(facts_refusal(OPS, "paper", order), "t_low must be below t_high");
	ck_assert_str_eq(facts_refusal(OPS, "paper", zero), "");
	ck_assert_str_eq(facts_refusal(OPS, "patched", zero), "rtt_ref is t_low, which is 0");
	ck_assert_str_eq(facts_refusal(OPS, "paper", ref),
			 "rtt_ref is of the form \"patched\"; this is \"timely\"");
	ck_assert_str_eq(facts_refusal(OPS, "patched", ref), "");
}
END_TEST

START_TEST(answers_stay_in_bounds)
{
	static const char *const presets[] = { "paper", "patched", "ns3" };
	static const char *const wild[] = { "beta", "1", "min_rtt", "1ns", "alpha", "1", NULL };
	struct cc_path path = path10;

	path.line_bps = _i % 4 ? G100 : 1000;
	facts_begin(OPS, presets[_i % 3], &path, _i > 5 ? wild : NULL);
	facts_any((uint64_t)_i);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("timely");

	tcase_add_test(tc, starts_at_line_rate_or_as_told);
	tcase_add_test(tc, gradient_cuts);
	tcase_add_test(tc, thresholds);
	tcase_add_test(tc, rtt_diff_is_kept_up_in_every_branch);
	tcase_add_test(tc, never_below_min_rate);
	tcase_add_test(tc, hyper_increase_counts_only_the_gradient);
	tcase_add_test(tc, delta_follows_the_line);
	tcase_add_test(tc, a_sample_is_a_segment_and_min_rtt);
	tcase_add_test(tc, a_sample_is_a_round_trip);
	tcase_add_test(tc, patched_by_error);
	tcase_add_test(tc, patched_weight_is_linear);
	tcase_add_test(tc, given_reference_and_delta);
	tcase_add_loop_test(tc, patched_fixed_point, 0, 2);
	tcase_add_test(tc, settings_that_contradict_are_refused);
	tcase_add_loop_test(tc, answers_stay_in_bounds, 0, 12);
	return facts_main("timely", tc);
}
