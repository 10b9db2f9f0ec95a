/*
 * models/cc/dctcp: both forms, ACK by ACK, through the ops only.
 *
 * The rules are those of rdma-hw.cc (algorithms.md 2.3, READ) and RFC 8257, 3.3;
 * every value is worked out by hand, the arithmetic beside it.
 */
#include "tests/unit/cc_facts.h"

#define OPS cc_find("dctcp")

/* A bandwidth-delay product of 100000 B: 25 packets. */
static const struct cc_path path = { .base_rtt_ps = 8 * US, .line_bps = G100,
				     .mtu_bytes = 4000, .hops = 2 };

/* `bytes` more are acknowledged, up to `seq`, `marked` of them; then the sender
 * has sent up to `nxt`. */
#define MORE(seq, nxt, bytes, marked, cwnd, rate) \
	{ ACK, { .now_ps = (seq) * 1000, .ack_seq = seq, .snd_nxt = nxt, \
		 .acked_bytes = bytes, .ce_bytes = marked, .rtt_ps = 8 * US }, cwnd, rate }
#define W(seq, nxt, bytes, marked, cwnd) MORE(seq, nxt, bytes, marked, cwnd, G100)

START_TEST(starts_with_one_bdp)
{
	static const char *const small[] = { "initial_window", "64KB", NULL };
	static const char *const tiny[] = { "initial_window", "1B", NULL };

	facts_begin(OPS, "paper", &path, NULL);
	ck_assert_int_eq(cc->out.cwnd_bytes, 100000);
	ck_assert_int_eq(cc->out.rate_bps, G100);
	facts_begin(OPS, "paper", &path, small);
	ck_assert_int_eq(cc->out.cwnd_bytes, 64000);
	facts_begin(OPS, "paper", &path, tiny);
	ck_assert_int_eq(cc->out.cwnd_bytes, 4000);
}
END_TEST

/* Alpha is 1 at first: the first mark halves.  Nothing more happens until what
 * was in flight then, up to 104000, has been acknowledged. */
START_TEST(one_cut_in_a_window_of_data)
{
	static const struct fact_row rows[] = {
		W(4000, 104000, 4000, 4000, 50000),
		W(8000, 104000, 4000, 4000, 50000),
		W(104000, 104000, 96000, 96000, 50000),
		/* a round ends: F = 1, alpha 15/16 + 1/16 = 1; and cuts again */
		W(108000, 156000, 4000, 4000, 25000),
	};

	WALK_FROM("paper", &path, NULL, rows);
}
END_TEST

/* Packets that came twice, marked twice: F is 1 at most, so alpha stays 1. */
START_TEST(no_more_is_marked_than_all)
{
	static const struct fact_row rows[] = {
		W(4000, 104000, 4000, 4000, 50000),
		W(104000, 104000, 100000, 200000, 50000),
		W(108000, 156000, 4000, 4000, 25000),
	};

	WALK_FROM("paper", &path, NULL, rows);
}
END_TEST

/* W += 4000 * 4000 / W, while W is full. */
START_TEST(grows_by_one_mtu_a_round)
{
	static const char *const small[] = { "initial_window", "40000B", NULL };
	static const struct fact_row rows[] = {
		W(4000, 40000, 4000, 0, 40400),
		/* 36000 in flight before the ACK: not the window that limits */
		W(8000, 40000, 4000, 0, 40400),
		W(12000, 48400, 4000, 0, 40796),	/* 16e6 / 40400 = 396.04 */
		/* one ACK for five packets: 16e6 * 5 / 40796.0396 = 1960.97 */
		W(32000, 72000, 20000, 0, 42757),	/* 42757.014 */
	};

	WALK_FROM("paper", &path, small, rows);
}
END_TEST

/* alpha by rounds of 10 packets with 0, then 2 of them marked: 1 -> 0.9375 ->
 * 0.87890625 + 0.0125 = 0.89140625.  The cut at the mark uses the alpha of the
 * round that ended before: (1 - 0.9375/2) 40000 = 21250; the next one, in the
 * second round after, 21250 (1 - 0.445703125) = 11778.80859. */
START_TEST(alpha_is_a_mean_over_rounds)
{
	static const char *const small[] = { "initial_window", "40000B", NULL };
	static const struct fact_row rows[] = {
		W(4000, 40000, 4000, 0, 40400),
		W(40000, 41000, 36000, 0, 40400),
		W(44000, 60000, 4000, 0, 40400),	/* the round ends: F = 0 */
		W(52000, 60000, 8000, 8000, 21462),	/* 40400 (1 - 0.46875) = 21462.5 */
		W(60000, 64000, 8000, 0, 21462),
		/* F = 8000 of 20000 B: 0.87890625 + 0.025 = 0.90390625, no cut */
		W(64000, 70000, 4000, 0, 21462),
		/* 21462.5 (1 - 0.451953125) */
		W(68000, 80000, 4000, 4000, 11762),	/* 11762.456 */
	};

	WALK_FROM("paper", &path, small, rows);
}
END_TEST

START_TEST(never_below_one_mtu)
{
	static const struct fact_row rows[] = {
		W(4000, 4000, 4000, 4000, 50000), W(8000, 8000, 4000, 4000, 25000),
		W(12000, 12000, 4000, 4000, 12500), W(16000, 16000, 4000, 4000, 6250),
		W(20000, 20000, 4000, 4000, 4000), W(24000, 24000, 4000, 4000, 4000),
	};

	WALK_FROM("paper", &path, NULL, rows);
}
END_TEST

/* A NAK halves once in a window of data, a timeout leaves one MTU. */
#define NAK(cwnd) { LOST, { .now_ps = 0 }, cwnd, G100 }
#define TIMEOUT(cwnd) { EXPIRED, { .now_ps = 0 }, cwnd, G100 }
START_TEST(losses)
{
	static const struct fact_row rows[] = {
		W(4000, 104000, 4000, 0, 100160),	/* 16e6 / 100000 */
		NAK(50080),
		NAK(50080),
		W(8000, 20000, 4000, 0, 50080),		/* went back: done above 20000 */
		W(20000, 60000, 12000, 0, 50080),
		/* 52000 were in flight, 40000 acknowledged: 16e7 / 50080 = 3194.9 */
		W(60000, 72000, 40000, 0, 53274),
		TIMEOUT(4000),
		TIMEOUT(4000),
	};

	WALK_FROM("paper", &path, NULL, rows);
}
END_TEST

/* rate_ai of "ns3" is an MTU a base RTT: 4000 * 8 / 8 us = 4 Gb/s, at the end
 * of a round; W = R T. */
#define R(seq, nxt, bytes, marked, mbps, cwnd) \
	MORE(seq, nxt, bytes, marked, cwnd, INT64_C(1000000) * (mbps))
START_TEST(rate_form)
{
	static const struct fact_row rows[] = {
		R(4000, 100000, 4000, 4000, 50000, 50000),
		R(100000, 150000, 96000, 96000, 50000, 50000),
		/* out of the cut, and a round ends: F = 100/104 */
		R(104000, 154000, 4000, 0, 54000, 54000),
		R(108000, 158000, 4000, 0, 54000, 54000),
		R(158000, 212000, 50000, 0, 58000, 58000),
		/* alpha (15/16 + 100/104/16) 15/16 = 0.93524639; 58 (1 - alpha/2) */
		MORE(160000, 214000, 2000, 2000, 30877, INT64_C(30877854567)),
	};

	facts_begin(OPS, "ns3", &path, NULL);
	ck_assert_int_eq(cc->out.rate_bps, G100);
	ck_assert_int_eq(cc->out.cwnd_bytes, 100000);
	WALK(rows);
}
END_TEST

START_TEST(rate_form_limits)
{
	static const char *const given[] = { "rate_ai", "615Mbps", "min_rate", "40Gbps", NULL };
	static const struct fact_row rows[] = {
		R(4000, 8000, 4000, 0, 100000, 100000),	/* the line */
		/* F = 1/2: alpha 0.96875; 100 (1 - 0.484375) = 51.5625 */
		MORE(12000, 16000, 4000, 4000, 51562, INT64_C(51562500000)),
		R(20000, 24000, 4000, 4000, 40000, 40000),
		R(28000, 32000, 4000, 0, 40615, 40615),
		{ EXPIRED, { .now_ps = 0 }, 40000, INT64_C(40000000000) },
	};

	WALK_FROM("ns3", &path, given, rows);
}
END_TEST

/* The sawtooth of SIGMETRICS 2011 (algorithms.md 2.3) in one flow: what is sent
 * while W > W* = 40 packets is marked, one RTT of it, so the top is W* + 1 and
 * the swing D = (W* + 1) alpha/2.  D rounds of growth and the one after the cut,
 * in which W rests, make a period, and one of them is marked: alpha = 1/(D + 1),
 * D (D + 1) = 41/2, D = 4.06.  (Without the rest it is sqrt(41/2) = 4.53.) */
START_TEST(sawtooth_of_one_flow)
{
	static const char *const small[] = { "initial_window", "160000B", NULL };
	bool marked[256] = {false};
	double low = 1e9, high = 0;
	int64_t una = 0, nxt = 0;

	facts_begin(OPS, "paper", &path, small);
	for (int i = 0; i < 40000; i++) {
		int64_t w = cc->out.cwnd_bytes;
		double packets = (double)w / 4000;
		struct cc_ack ack = { .now_ps = i, .acked_bytes = 4000, .rtt_ps = 8 * US };

		for (; nxt - una < w; nxt += 4000)
			marked[nxt / 4000 % 256] = w > 160000;
		ack.ce_bytes = marked[una / 4000 % 256] ? 4000 : 0;
		una += 4000;
		ack.ack_seq = una;
		ack.snd_nxt = nxt;
		cc->ops->on_ack(cc, &ack);
		if (i < 20000)
			continue;
		low = packets < low ? packets : low;
		high = packets > high ? packets : high;
	}
	ck_assert_double_eq_tol(high, 41, 0.5);
	ck_assert_double_eq_tol(high - low, 4.06, 0.2);
}
END_TEST

START_TEST(keys_of_the_other_form_are_refused)
{
	static const char *const ai[] = { "rate_ai", "615Mbps", NULL };
	static const char *const window[] = { "initial_window", "64KB", NULL };

	ck_assert_str_eq(facts_refusal(OPS, "paper", ai),
			 "rate_ai is of the form \"rate\"; this is \"window\"");
	ck_assert_str_eq(facts_refusal(OPS, "ns3", window),
			 "initial_window is of the form \"window\"; this is \"rate\"");
	ck_assert_str_eq(facts_refusal(OPS, "paper", window), "");
	ck_assert_str_eq(facts_refusal(OPS, "ns3", ai), "");
}
END_TEST

START_TEST(answers_stay_in_bounds)
{
	struct cc_path p = path;

	if (_i % 3 == 0)
		p.line_bps = 1000;
	if (_i % 5 == 0)
		p.base_rtt_ps = 0;
	facts_begin(OPS, _i % 2 ? "paper" : "ns3", &p, NULL);
	facts_any((uint64_t)_i);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("dctcp");

	tcase_add_test(tc, starts_with_one_bdp);
	tcase_add_test(tc, one_cut_in_a_window_of_data);
	tcase_add_test(tc, no_more_is_marked_than_all);
	tcase_add_test(tc, grows_by_one_mtu_a_round);
	tcase_add_test(tc, alpha_is_a_mean_over_rounds);
	tcase_add_test(tc, never_below_one_mtu);
	tcase_add_test(tc, losses);
	tcase_add_test(tc, rate_form);
	tcase_add_test(tc, rate_form_limits);
	tcase_add_test(tc, sawtooth_of_one_flow);
	tcase_add_test(tc, keys_of_the_other_form_are_refused);
	tcase_add_loop_test(tc, answers_stay_in_bounds, 0, 12);
	return facts_main("dctcp", tc);
}
