/*
 * models/cc/powertcp: both algorithms, ACK by ACK, through the ops only.
 *
 * The rules are algorithms 1 and 2 as they stand in powertcp-linux, and for the
 * preset "ns3" rdma-hw.cc of ns3-datacenter (algorithms.md 2.5 and 0, READ);
 * every window is worked out by hand, the arithmetic beside it.  The line is
 * 100 Gb/s and T 8 us, so that C T = 100000 B and beta, a tenth, 10000 B.
 */
#include "tests/unit/cc_facts.h"

#define INT_OPS cc_find("powertcp")
#define THETA_OPS cc_find("theta_powertcp")

static const struct cc_path path = { .base_rtt_ps = 8 * US, .line_bps = G100,
				     .mtu_bytes = 4000, .hops = 2 };

#define HOP(us, tx, q) { (us) * US, tx, q, G100 }
/* ACK of `seq` with the telemetry of hop[i], of n hops; then `nxt` is sent.  The
 * rate is W/T: 1 Mb/s a byte. */
#define ROW(seq, nxt, i, n, window, rate_bps) \
	{ ACK, { .now_ps = (seq) * 1000, .ack_seq = seq, .snd_nxt = nxt, .acked_bytes = 4000, \
		 .rtt_ps = 8 * US, .hop = &hop[i], .nhops = n }, window, rate_bps }
#define ROUND(seq, nxt, i, n, window) ROW(seq, nxt, i, n, window, (window) * INT64_C(1000000))

/* style.md 5.5: at power 4 a quarter is left.  Current (100000 + 100000)/100000,
 * voltage (100000 + C T)/(C T). */
START_TEST(power_four_leaves_a_quarter)
{
	static const char *const bare[] = { "gamma", "1", "rate_ai", "0bps", NULL };
	static const struct cc_hop hop[] = { HOP(10, 0, 0), HOP(18, 100000, 100000) };
	static const struct fact_row rows[] = {
		ROUND(4000, 104000, 0, 1, 100000),
		ROUND(8000, 104000, 1, 1, 25000),
	};

	facts_begin(INT_OPS, "paper", &path, bare);
	ck_assert_int_eq(cc->out.rate_bps, G100);
	ck_assert_int_eq(cc->out.cwnd_bytes, 100000);
	WALK(rows);
}
END_TEST

START_TEST(corrects_the_window_of_the_packet)
{
	static const struct cc_hop hop[] = {
		HOP(10, 0, 0),
		/* current 150000/100000, voltage 1.5: P = S = 2.25 */
		HOP(18, 100000, 50000),
		/* dt T/4, current 1: P 1.5, S = 0.75 * 2.25 + 0.375 = 2.0625 */
		HOP(20, 125000, 50000),
		/* dt T: P = S = 1.5, three times */
		HOP(28, 225000, 50000), HOP(36, 325000, 50000), HOP(44, 425000, 50000),
	};
	static const struct fact_row rows[] = {
		ROUND(4000, 104000, 0, 1, 100000),
		/* 0.9 (100000/2.25 + 10000) + 0.1 * 100000 */
		ROUND(8000, 104000, 1, 1, 59000),
		/* 0.9 (100000/2.0625 + 10000) + 5900 = 58536.3636 */
		ROW(12000, 104000, 2, 1, 58536, INT64_C(58536363636)),
		/* sent before 104000, with 100000: 0.9 (100000/1.5 + 10000) + 5853.63636 */
		ROW(104000, 112000, 3, 1, 74853, INT64_C(74853636363)),
		/* sent from 104000 on: 0.9 (58536.3636/1.5 + 10000) + 7485.36364 */
		ROW(108000, 112000, 4, 1, 51607, INT64_C(51607181818)),
		/* sent from 112000 on, with that, the last change before it:
		 * 0.9 (51607.1818/1.5 + 10000) + 5160.71818 */
		ROW(116000, 116000, 5, 1, 45125, INT64_C(45125027272)),
	};

	facts_begin(INT_OPS, "paper", &path, NULL);
	WALK(rows);
}
END_TEST

/* Beta 150 B, S aimed at 0.95, both terms from the window of the last full RTT. */
START_TEST(ns3_corrects_the_window_of_the_last_rtt)
{
	static const struct cc_hop hop[] = {
		HOP(10, 0, 0), HOP(18, 100000, 50000),			/* S 2.25 */
		HOP(26, 200000, 50000),					/* S 1.5 */
		HOP(34, 300000, 0),	/* current 0.5: S 0.5 */
		HOP(42, 300000, 0),	/* current 0, held at a half: S 0.5 */
		HOP(50, 360000, 0),	/* 0.6 */
	};
	static const struct fact_row rows[] = {
		ROUND(4000, 100000, 0, 1, 100000),
		/* 0.9 (100000 * 0.95/2.25 + 150) + 10000, not full */
		ROUND(100000, 200000, 1, 1, 48135),
		/* 0.9 (100000 * 0.95/1.5 + 150) + 10000, full */
		ROUND(104000, 200000, 2, 1, 67135),
		/* 0.9 (67135 * 0.95/0.5 + 150) + 6713.5, the line */
		ROUND(108000, 200000, 3, 1, 100000),
		ROUND(112000, 200000, 4, 1, 100000),
		ROUND(204000, 200000, 5, 1, 100000),
	};

	facts_begin(INT_OPS, "ns3", &path, NULL);
	WALK(rows);
}
END_TEST

/* The hop of the most power counts, with its own dt; one without dt says
 * nothing. */
START_TEST(the_worst_hop_counts)
{
	static const char *const bare[] = { "gamma", "1", "rate_ai", "0bps", NULL };
	static const struct cc_hop hop[] = {
		{ 10 * US, 0, 0, 4 * G100 }, HOP(11, 0, 0), HOP(12, 0, 0),
		/* 0.5 (1 + 400000/400000) = 1 in 8 us; 25000/25000 * 1.2 in 2 us */
		{ 18 * US, 0, 200000, 4 * G100 }, HOP(13, 5000, 20000), HOP(12, 0, 90000),
	};
	static const struct fact_row rows[] = {
		ROUND(4000, 104000, 0, 3, 100000),
		/* S = 0.75 + 0.25 * 1.2 = 1.05 */
		ROW(8000, 104000, 3, 3, 95238, INT64_C(95238095238)),
		ROW(12000, 104000, 3, 3, 95238, INT64_C(95238095238)),
	};

	facts_begin(INT_OPS, "paper", &path, bare);
	WALK(rows);
}
END_TEST

START_TEST(a_changed_path_is_only_stored)
{
	static const struct cc_hop hop[] = {
		HOP(10, 0, 0),
		HOP(18, 50000, 0), HOP(18, 50000, 0),
		HOP(26, 150000, 100000), HOP(26, 150000, 0),	/* S 4 */
		HOP(34, 149999, 0), HOP(34, 250000, 0),		/* a count runs back */
		HOP(33, 250000, 0), HOP(42, 350000, 0),		/* a clock does */
		HOP(41, 470001, 0), HOP(50, 450000, 0),		/* more than it carries */
	};
	static const char *const bare[] = { "gamma", "1", "rate_ai", "0bps", NULL };
	static const struct fact_row rows[] = {
		ROUND(4000, 900000, 0, 1, 100000),
		ROUND(8000, 900000, 1, 2, 100000),
		ROUND(12000, 900000, 3, 2, 25000),
		ROUND(16000, 900000, 5, 2, 25000), ROUND(20000, 900000, 7, 2, 25000),
		ROUND(24000, 900000, 9, 2, 25000), ROUND(28000, 900000, 0, 0, 25000),
		ROUND(32000, 900000, 9, 2, 25000),
	};

	facts_begin(INT_OPS, "paper", &path, bare);
	WALK(rows);
}
END_TEST

/* No power for a whole T asks for all there is; a window under an MTU is paced,
 * down to min_rate (100 Mb/s, 100 B). */
START_TEST(bounds)
{
	static const char *const bare[] = { "gamma", "1", "rate_ai", "0bps", "min_current", "0",
					    NULL };
	static const struct cc_hop hop[] = {
		HOP(10, 0, 0), HOP(18, 100000, 3900000),	/* current 40, voltage 40 */
		HOP(26, 100000, 3900000),			/* current 0 */
		HOP(34, 100000, 9900000), HOP(42, 100000, 99000000),
	};
	static const struct fact_row rows[] = {
		ROUND(4000, 104000, 0, 1, 100000),
		ROW(8000, 104000, 1, 1, 100, 100000000),	/* 100000/1600 = 62.5 */
		ROUND(108000, 104000, 2, 1, 100000),
		ROW(112000, 116000, 3, 1, 100, 100000000),
		/* it went back to 108000: what is sent now is sent with 100 */
		ROW(116000, 108000, 4, 1, 100, 100000000),
	};

	facts_begin(INT_OPS, "paper", &path, bare);
	WALK(rows);
}
END_TEST

/* The ring of windows: 100 changes, a packet apart; the ACK 13 packets later
 * finds the one it was sent with (C T is 13 packets here). */
START_TEST(windows_are_remembered_exactly_up_to_13_packets)
{
	static const char *const bare[] = { "gamma", "1", "rate_ai", "0bps", NULL };
	struct cc_path p = path;
	int64_t sent_with[200], una = 4000, nxt = 14 * 4000;

	p.base_rtt_ps = 4160000;	/* 52000 B */
	facts_begin(INT_OPS, "paper", &p, bare);
	for (int i = 0; i < 14; i++)
		sent_with[i] = 52000;
	for (int i = 0; i < 150; i++) {
		/* Power between 1 and 1.75, in whole fourths; dt > T. */
		struct cc_hop hop = HOP(10 * (i + 1), 125000 * i, 13000 * (i % 4));
		struct cc_ack ack = { .ack_seq = una, .snd_nxt = nxt, .acked_bytes = 4000,
				      .hop = &hop, .nhops = 1 };
		double was = 13000 * ((i + 3) % 4), q = (double)hop.qlen_bytes, power;

		cc->ops->on_ack(cc, &ack);
		power = (125000 + q - was) / 125000 * (1 + q / 52000);
		if (i > 0) {
			double w = (double)sent_with[una / 4000 - 1] / power;

			w = w > 52000 ? 52000 : w < 52 ? 52 : w;
			ck_assert_double_eq_tol((double)cc->out.cwnd_bytes, w, 2);
		}
		sent_with[nxt / 4000] = cc->out.cwnd_bytes;
		una += 4000;
		nxt += 4000;
	}
}
END_TEST

/* n equal flows through one queue, in 64ths of T: what leaves is acknowledged
 * after T, its telemetry with it; the window, and the rate, let new bytes in.
 * q = n beta and W = (C T + q)/n (NSDI 2022, 3.4, from W = W/P + beta with P = 1 +
 * q/(C T)); one flow is held at the line.  The window of the packet swings about
 * that, so the means of the last half are held against it. */
enum { PARTS = 64, STEPS = 800 * PARTS };
static const struct { int n; double q, window; } equilibrium[] = {
	{ 1, 0, 100000 }, { 2, 20000, 60000 }, { 5, 50000, 30000 }, { 10, 100000, 20000 },
};
static const char *const by_rtt[] = { "reference", "rtt", NULL };
static const struct {
	const char *name;
	const char *const *settings;
	double tolerance;
} controls[] = {
	{ "powertcp", NULL, 0.3 },
	{ "powertcp", by_rtt, 0.05 },
	{ "theta_powertcp", NULL, 0.02 },
};

START_TEST(equilibrium_queue)
{
	static struct { double left, q; } at[STEPS];
	double n = equilibrium[_i / 3].n, want_q = equilibrium[_i / 3].q, w = 0, q = 0;
	double want_w = equilibrium[_i / 3].window, tolerance = controls[_i % 3].tolerance;
	double most = 100000.0 / PARTS, sent = 0, left = 0, acked = 0;

	facts_begin(cc_find(controls[_i % 3].name), "paper", &path, controls[_i % 3].settings);
	for (int i = 0; i < STEPS; i++) {
		double room = n * (double)cc->out.cwnd_bytes - (sent - acked);
		double paced = n * (double)cc->out.rate_bps / G100 * most;

		sent += room < 0 ? 0 : room < paced ? room : paced;
		left += sent - left < most ? sent - left : most;
		at[i].left = left;
		at[i].q = sent - left;
		if (i < PARTS)
			continue;
		acked = at[i - PARTS].left;
		struct cc_hop hop = { (i - PARTS + 1) * US / 8, (int64_t)acked,
				      (int64_t)at[i - PARTS].q, G100 };
		struct cc_ack ack = { .now_ps = (i + 1) * US / 8, .acked_bytes = 1,
				      .ack_seq = (int64_t)(acked / n),
				      .snd_nxt = (int64_t)(sent / n),
				      .rtt_ps = 8 * US + hop.qlen_bytes * 80,
				      .hop = &hop, .nhops = 1 };
		cc->ops->on_ack(cc, &ack);
		if (i >= STEPS / 2) {
			w += (double)cc->out.cwnd_bytes / (STEPS - STEPS / 2);
			q += at[i].q / (STEPS - STEPS / 2);
		}
	}
	ck_assert_double_eq_tol(q, want_q, tolerance * want_q + 1);
	ck_assert_double_eq_tol(w, want_w, tolerance * want_w);
}
END_TEST

/* ------------------------------------------------------------- theta */

#define RTT(us, rtt_us, seq, nxt, window, rate) \
	{ ACK, { .now_ps = (us) * US, .ack_seq = seq, .snd_nxt = nxt, .acked_bytes = 4000, \
		 .rtt_ps = (rtt_us) * US }, window, rate }

START_TEST(theta_by_the_gradient_of_the_rtt)
{
	static const struct fact_row rows[] = {
		RTT(100, 8, 4000, 100000, 100000, G100),
		/* dt T, (8/8 + 1) 16/8: S 4; not full */
		RTT(108, 16, 8000, 104000, 100000, G100),
		RTT(108, 99, 8000, 104000, 100000, G100),	/* no time has passed */
		/* dt T/4, 16/8: S 3.5; full: 0.9 (100000/3.5 + 10000) + 10000 */
		RTT(110, 16, 104000, 200000, 44714, INT64_C(44714285714)),
		/* (-2/2 + 1): P 0, S 2.625 */
		RTT(112, 14, 108000, 200000, 44714, INT64_C(44714285714)),
		/* 14/8: S 0.75 * 2.625 + 0.25 * 1.75 = 2.40625; full:
		 * 0.9 (44714.2857/2.40625 + 10000) + 4471.42857 */
		RTT(114, 14, 204000, 300000, 30195, INT64_C(30195732838)),
		/* it went back to 250000: the RTT is full above that */
		RTT(116, 14, 208000, 250000, 30195, INT64_C(30195732838)),
		/* S = 0.75 (0.75 * 2.40625 + 0.4375) + 0.4375 = 2.119140625:
		 * 0.9 (30195.7328/2.119140625 + 10000) + 3019.57328 */
		RTT(118, 14, 254000, 254000, 24843, INT64_C(24843714935)),
	};
	static const char *const text[] = { "min_current", "0", NULL };

	facts_begin(THETA_OPS, "paper", &path, text);
	WALK(rows);
}
END_TEST

/* 1.05 T, gamma 0.7, 150 B, current at least a half. */
START_TEST(theta_ns3)
{
	static const struct fact_row rows[] = {
		RTT(100, 8, 4000, 100000, 100000, G100),
		/* (8/8 + 1) 16/8.4 = 3.80952381; full:
		 * 0.7 (26250 + 150) + 30000 */
		RTT(108, 16, 104000, 200000, 48480, INT64_C(48480000000)),
		/* (-7.6/8 + 1) is under a half: 0.5 * 8.4/8.4; full:
		 * 0.7 (48480 * 2 + 150) + 14544 */
		{ ACK, { .now_ps = 116 * US, .ack_seq = 204000, .snd_nxt = 300000,
			 .acked_bytes = 4000, .rtt_ps = 8400000 },
		  82521, INT64_C(82521000000) },
	};

	facts_begin(THETA_OPS, "ns3", &path, NULL);
	WALK(rows);
}
END_TEST

/* ------------------------------------------------------------- both */

START_TEST(flows_and_rate_ai_exclude_each_other)
{
	static const char *const both[] = { "rate_ai", "1Gbps", "flows", "5", NULL };
	static const char *const flows[] = { "flows", "5", NULL };
	const char *text = "flows makes the automatic rate_ai; here rate_ai is given";

	ck_assert_str_eq(facts_refusal(INT_OPS, "paper", both), text);
	ck_assert_str_eq(facts_refusal(THETA_OPS, "ns3", flows), text);
	ck_assert_str_eq(facts_refusal(THETA_OPS, "paper", flows), "");
}
END_TEST

START_TEST(answers_stay_in_bounds)
{
	static const char *const wild[] = { "gamma", "1", "rate_ai", "0bps", "min_rate", "1bps",
					    "base_rtt", "1ns", NULL };
	struct cc_path p = path;

	if (_i % 3 == 0)
		p.line_bps = 1000;
	if (_i % 5 == 0)
		p.base_rtt_ps = 0;
	facts_begin(_i % 2 ? THETA_OPS : INT_OPS, _i % 4 < 2 ? "paper" : "ns3", &p,
		    _i > 7 ? wild : NULL);
	facts_any((uint64_t)_i);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("powertcp");

	tcase_add_test(tc, power_four_leaves_a_quarter);
	tcase_add_test(tc, corrects_the_window_of_the_packet);
	tcase_add_test(tc, ns3_corrects_the_window_of_the_last_rtt);
	tcase_add_test(tc, the_worst_hop_counts);
	tcase_add_test(tc, a_changed_path_is_only_stored);
	tcase_add_test(tc, bounds);
	tcase_add_test(tc, windows_are_remembered_exactly_up_to_13_packets);
	tcase_add_loop_test(tc, equilibrium_queue, 0, 12);
	tcase_add_test(tc, theta_by_the_gradient_of_the_rtt);
	tcase_add_test(tc, theta_ns3);
	tcase_add_test(tc, flows_and_rate_ai_exclude_each_other);
	tcase_add_loop_test(tc, answers_stay_in_bounds, 0, 16);
	return facts_main("powertcp", tc);
}
