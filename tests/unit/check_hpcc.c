/*
 * models/cc/hpcc: ACK by ACK with their telemetry, through the ops only.
 *
 * The rules are those of rdma-hw.cc (algorithms.md 2.2 and 0, READ); every rate
 * is worked out by hand, the arithmetic beside it.  The line is 100 Gb/s and T
 * 8 us, so that C T = W_init = 100000 B and R_AI = 40 Mb/s is 40 B a round trip.
 */
#include "tests/unit/cc_facts.h"

#define OPS cc_find("hpcc")
#define MBPS INT64_C(1000000)

static const struct cc_path path = { .base_rtt_ps = 8 * US, .line_bps = G100,
				     .mtu_bytes = 4000, .hops = 2 };

#define HOP(us, tx, q) { (us) * US, tx, q, G100 }
/* ACK of `seq` with the telemetry of hop[i], of n hops; then `nxt` is sent. */
#define ROW(seq, nxt, i, n, mbps, window) \
	{ ACK, { .now_ps = (seq) * 1000, .ack_seq = seq, .snd_nxt = nxt, .acked_bytes = 4000, \
		 .rtt_ps = 8 * US, .hop = &hop[i], .nhops = n }, window, (mbps) * MBPS }

START_TEST(starts_at_line_rate)
{
	static const char *const t[] = { "base_rtt", "13us", NULL };
	static const struct cc_hop hop[] = { HOP(10, 0, 0) };
	static const struct fact_row rows[] = { ROW(4000, 104000, 0, 1, 100000, 100000) };

	facts_begin(OPS, NULL, &path, NULL);
	ck_assert_int_eq(cc->out.rate_bps, G100);
	ck_assert_int_eq(cc->out.cwnd_bytes, 100000);
	WALK(rows);			/* the first ACK only stores */
	facts_begin(OPS, NULL, &path, t);
	ck_assert_int_eq(cc->out.cwnd_bytes, 162500);	/* 12.5 GB/s * 13 us */
}
END_TEST

/* U starts at 1.  Other ACKs reckon from Rc, which only a full RTT changes. */
START_TEST(reacts_at_once_and_compounds_once_an_rtt)
{
	static const struct cc_hop hop[] = {
		HOP(10, 0, 0),
		HOP(18, 100000, 0),	/* tau T, all of C: u 1, U 1 */
		HOP(20, 125000, 10000),	/* tau T/4, min(q, q') = 0: u 1, U 1 */
		HOP(24, 175000, 20000),	/* tau T/2, u 1 + 10000/100000: U 1.05 */
		HOP(25, 187500, 20000),	/* tau T/8, u 1.2: U 1.06875 */
		HOP(41, 387500, 20000),	/* tau 2 T, T at most: u 1.2, U 1.2 (not 1.33) */
		HOP(49, 487500, 0),	/* u 1, U 1 */
	};
	static const struct fact_row rows[] = {
		ROW(4000, 100000, 0, 1, 100000, 100000),
		ROW(104000, 200000, 1, 1, 95040, 95040),	/* full: 100 * 0.95 + 0.04 */
		ROW(108000, 204000, 2, 1, 90328, 90328),	/* 95.04 * 0.95 + 0.04 */
		/* 95.04 * 0.95/1.05 + 0.04 = 86.028571; 95.04 * 0.95/1.06875 + 0.04 */
		{ ACK, { .ack_seq = 112000, .snd_nxt = 204000, .hop = &hop[3], .nhops = 1 },
		  86028, INT64_C(86028571428) },
		ROW(200000, 300000, 4, 1, 84520, 84520),	/* not above 200000 */
		ROW(204000, 304000, 5, 1, 75280, 75280),	/* full: 95.04 * 0.95/1.2 + 0.04 */
		ROW(304000, 404000, 6, 1, 71556, 71556),	/* not above 304000 */
	};

	WALK_FROM("ns3", &path, NULL, rows);
}
END_TEST

/* The RTT is full above what snd_nxt was: when the sender goes back, no later than above that. */
START_TEST(a_round_ends_although_the_sender_went_back)
{
	static const struct cc_hop hop[] = {	/* u 1, U 1 throughout */
		HOP(10, 0, 0), HOP(18, 100000, 0), HOP(20, 125000, 0), HOP(22, 150000, 0), HOP(24, 175000, 0),
	};
	static const struct fact_row rows[] = {
		ROW(4000, 100000, 0, 1, 100000, 100000),
		ROW(104000, 200000, 1, 1, 95040, 95040),	/* full: 100 * 0.95 + 0.04 */
		ROW(108000, 112000, 2, 1, 90328, 90328),	/* back: full above 112000, not 200000 */
		ROW(116000, 216000, 3, 1, 90328, 90328),	/* full: 95.04 * 0.95 + 0.04 */
		/* 90.328 * 0.95 + 0.04 = 85.8516 */
		{ ACK, { .ack_seq = 120000, .snd_nxt = 216000, .hop = &hop[4], .nhops = 1 }, 85851,
		  INT64_C(85851600000) },
	};

	WALK_FROM("ns3", &path, NULL, rows);
}
END_TEST

/* max_stage 5: five round trips of + 40 Mb/s, then 1/(U/eta) and from 0 again. */
START_TEST(stages)
{
	static const struct cc_hop hop[] = {
		HOP(10, 0, 100000), HOP(18, 100000, 100000),	/* u 2, U 2 */
		HOP(26, 150000, 0),				/* u 0.5, U 0.5 */
		HOP(34, 200000, 0), HOP(42, 250000, 0), HOP(50, 300000, 0),
		HOP(58, 350000, 0), HOP(66, 400000, 0), HOP(74, 450000, 0),
		HOP(82, 500000, 0), HOP(90, 600000, 0),
	};
	static const struct fact_row rows[] = {
		ROW(1, 2, 0, 1, 100000, 100000),
		ROW(3, 4, 1, 1, 47540, 47540),	/* 100 * 0.95/2 + 0.04 */
		ROW(5, 6, 2, 1, 47580, 47580), ROW(7, 8, 3, 1, 47620, 47620),
		ROW(8, 8, 4, 1, 47660, 47660),	/* not full */
		ROW(9, 10, 5, 1, 47660, 47660),
		ROW(11, 12, 6, 1, 47700, 47700), ROW(13, 14, 7, 1, 47740, 47740),
		ROW(15, 16, 8, 1, 90746, 90746),	/* 47.74 * 0.95/0.5 + 0.04 */
		ROW(17, 18, 9, 1, 90786, 90786),
		/* U 1: 90.786 * 0.95 + 0.04 = 86.2867 */
		{ ACK, { .ack_seq = 19, .snd_nxt = 20, .hop = &hop[10], .nhops = 1 }, 86286,
		  INT64_C(86286700000) },
	};

	WALK_FROM("paper", &path, NULL, rows);
}
END_TEST

/* The hop of the largest u counts, with its own tau. */
START_TEST(the_worst_hop_counts)
{
	static const struct cc_hop hop[] = {
		{ 10 * US, 0, 0, 4 * G100 }, HOP(11, 0, 0), { 12 * US, 0, 0, 4 * G100 },
		/* 150000/200000 = 0.75; 40000/50000 = 0.8; 40000/100000 = 0.4 (q' = 0) */
		{ 14 * US, 150000, 0, 4 * G100 }, HOP(15, 40000, 0),
		{ 14 * US, 40000, 220000, 4 * G100 },
		/* third: 0.4 + min(220000, 200000)/400000 = 0.9, tau 2 us */
		{ 18 * US, 300000, 0, 4 * G100 }, HOP(19, 80000, 0),
		{ 16 * US, 80000, 200000, 4 * G100 },
	};
	static const struct fact_row rows[] = {
		ROW(4000, 100000, 0, 3, 100000, 100000),
		/* U = (1 + 0.8)/2 = 0.9: 100 * 0.95/0.9 + .04, the line */
		ROW(8000, 100000, 3, 3, 100000, 100000),
		/* U = 0.75 * 0.9 + 0.25 * 0.9 = 0.9 */
		ROW(12000, 100000, 6, 3, 100000, 100000),
	};
	static const char *const low[] = { "eta", "45%", NULL };
	static const struct fact_row low_rows[] = {
		ROW(4000, 100000, 0, 3, 100000, 100000),
		ROW(8000, 100000, 3, 3, 50040, 50040),	/* 100 * 0.45/0.9 + 0.04 */
		ROW(12000, 100000, 6, 3, 50040, 50040),
	};

	WALK_FROM("ns3", &path, NULL, rows);
	WALK_FROM("ns3", &path, low, low_rows);
}
END_TEST

/* A hop with the time stamp of before is passed over; if all are, nothing is
 * said (and the count of that instant is not lost). */
START_TEST(equal_time_stamps_say_nothing)
{
	static const struct cc_hop hop[] = {
		HOP(10, 0, 0), HOP(12, 0, 0),
		HOP(10, 0, 500000), HOP(16, 50000, 0),	/* second: u 1, U 1 */
		HOP(10, 0, 0), HOP(16, 50000, 0),
		HOP(18, 100000, 0), HOP(24, 150000, 0),	/* u 1 both, U 1 */
	};
	static const struct fact_row rows[] = {
		ROW(4000, 100000, 0, 2, 100000, 100000),
		ROW(8000, 100000, 2, 2, 95040, 95040),
		ROW(104000, 200000, 4, 2, 95040, 95040),	/* full, but says nothing */
		ROW(108000, 200000, 6, 2, 95040, 95040),	/* full: from Rc = 100 */
		ROW(112000, 200000, 0, 2, 95040, 95040),	/* clock runs back: stores */
	};

	WALK_FROM("ns3", &path, NULL, rows);
}
END_TEST

START_TEST(a_changed_path_is_only_stored)
{
	static const struct cc_hop hop[] = {
		HOP(10, 0, 0),
		HOP(18, 50000, 0), HOP(18, 50000, 0),	/* another number of hops */
		HOP(26, 150000, 0), HOP(26, 150000, 0),	/* u 1, U 1 */
		HOP(34, 149999, 0), HOP(34, 250000, 0),	/* a count runs back */
		HOP(33, 250000, 0), HOP(42, 350000, 0),	/* a clock does */
		/* 8 us carry 100000 B and not 100000 more than a frame or two */
		HOP(41, 470001, 0), HOP(50, 450000, 0),
		HOP(49, 570001, 0), HOP(58, 550000, 0),	/* u 1, U 1 */
		HOP(49, 570001, 0), HOP(58, 550000, 0),
	};
	static const struct fact_row rows[] = {
		ROW(4000, 900000, 0, 1, 100000, 100000),
		ROW(8000, 900000, 1, 2, 100000, 100000),
		ROW(12000, 900000, 3, 2, 95040, 95040),
		ROW(16000, 900000, 5, 2, 95040, 95040),
		ROW(20000, 900000, 7, 2, 95040, 95040),
		ROW(24000, 900000, 9, 2, 95040, 95040),
		ROW(28000, 900000, 11, 2, 95040, 95040),
		ROW(32000, 900000, 13, 0, 95040, 95040),	/* none at all */
		ROW(36000, 900000, 13, 2, 95040, 95040),
	};

	WALK_FROM("ns3", &path, NULL, rows);
}
END_TEST

START_TEST(without_fast_react_only_full_rtts_count)
{
	static const char *const slow[] = { "fast_react", "false", NULL };
	static const struct cc_hop hop[] = {
		HOP(10, 0, 0), HOP(14, 0, 0), HOP(18, 100000, 0),
	};
	static const struct fact_row rows[] = {
		ROW(4000, 100000, 0, 1, 100000, 100000),
		ROW(8000, 104000, 1, 1, 100000, 100000),	/* not even stored */
		ROW(104000, 200000, 2, 1, 95040, 95040),	/* u 1 since the first */
	};

	WALK_FROM("ns3", &path, slow, rows);
}
END_TEST

/* U = 2^power / 512 in the place of the records; fields are the power plus 1. */
START_TEST(pint_brings_the_load_itself)
{
#define PINT(seq, nxt, field, mbps)								\
	{ ACK, { .ack_seq = seq, .snd_nxt = nxt, .acked_bytes = 4000, .pint = field }, mbps, (mbps) * MBPS }
	static const char *const two[] = { "pint_base", "2", NULL };
	static const struct fact_row rows[] = {
		PINT(4000, 100000, 0, 100000),		/* a packet that had none */
		PINT(8000, 100000, 10, 100000),		/* the first is only counted */
		PINT(12000, 200000, 10, 95040),		/* U 1: 100 * 0.95 + 0.04 */
		PINT(16000, 200000, 0, 95040),
		PINT(20000, 200000, 11, 47540),		/* U 2, from Rc = 100 */
		PINT(104000, 204000, 10, 95040),	/* full RTT: Rc = 95.04 */
		PINT(108000, 204000, 10, 90328),	/* 95.04 * 0.95 + 0.04 */
		PINT(112000, 204000, 9, 100000),	/* U 1/2: the line */
	};

	WALK_FROM("pint", &path, two, rows);
}
END_TEST

/* Bytes and packets of what the switches are asked. */
START_TEST(pint_asks_for_little)
{
	static const char *const fine[] = { "pint_base", "1.01", "pint_sample", "1/16",
					    "base_rtt", "13us", NULL };
	struct cc_telemetry t = { .bytes = 42, .sample_q16 = 65536 };

	facts_begin(OPS, "ns3", &path, NULL);
	OPS->telemetry(facts_conf, &t);
	ck_assert_int_eq(t.bytes, 42);
	ck_assert(t.base == 0);
	facts_begin(OPS, "pint", &path, NULL);
	OPS->telemetry(facts_conf, &t);
	ck_assert_int_eq(t.bytes, 1);
	ck_assert_uint_eq(t.sample_q16, 65536);
	ck_assert(t.base == 1.05);
	ck_assert_int_eq(t.rtt_ps, 0);
	facts_begin(OPS, "pint", &path, fine);
	OPS->telemetry(facts_conf, &t);
	ck_assert_int_eq(t.bytes, 2);
	ck_assert_uint_eq(t.sample_q16, 4096);
	ck_assert_int_eq(t.rtt_ps, 13 * US);
}
END_TEST

/* 100 * 0.95/96 is under 1 Gb/s; and after it went back to 10000 the RTT is full
 * above that. */
START_TEST(floor_and_go_back)
{
	static const struct cc_hop hop[] = {
		HOP(10, 0, 9500000), HOP(18, 100000, 9500000),
		HOP(26, 200000, 9500000), HOP(34, 220000, 0),	/* u 0.2, U 0.2 */
	};
	static const struct fact_row rows[] = {
		ROW(4000, 100000, 0, 1, 100000, 100000),
		ROW(104000, 200000, 1, 1, 1029, 1029),
		ROW(108000, 150000, 2, 1, 1000, 1000),
		ROW(154000, 160000, 3, 1, 4930, 4930),
	};
	struct fact_row copy[4];

	memcpy(copy, rows, sizeof(rows));
	copy[1].rate_bps = INT64_C(1029583333);		/* 95/96 + 0.04 */
	copy[3].rate_bps = INT64_C(4930520833);		/* 1.0295833 * 0.95/0.2 + 0.04 */
	WALK_FROM("ns3", &path, NULL, copy);
}
END_TEST

/* N equal flows, a round trip a step: what the windows hold above C T waits.
 * U* = eta + N R_AI / C, R = U C / N and q = (U - 1) C T, if that is above 0
 * (oracle 27, CALC). */
START_TEST(fixed_point)
{
	static const int flows[] = { 1, 10, 100, 125, 200 };
	double n = flows[_i], u = 0.95 + n * 40e6 / 1e11, q = 0, tx = 0;

	facts_begin(OPS, "paper", &path, NULL);
	for (int64_t i = 1; i <= 20000; i++) {
		double flying = n * (double)cc->out.cwnd_bytes;
		struct cc_hop hop = HOP(8 * i, 0, 0);
		struct cc_ack ack = { .now_ps = 8 * US * i, .ack_seq = i + 1, .snd_nxt = i + 1,
				      .acked_bytes = 1, .hop = &hop, .nhops = 1 };

		q = flying > 100000 ? flying - 100000 : 0;
		tx += flying - q;
		hop.tx_bytes = (int64_t)tx;
		hop.qlen_bytes = (int64_t)q;
		cc->ops->on_ack(cc, &ack);
	}
	ck_assert_double_eq_tol((double)cc->out.rate_bps, u * 1e11 / n, 0.002 * 1e11 / n);
	ck_assert_double_eq_tol(q, u > 1 ? (u - 1) * 100000 : 0, 200);
}
END_TEST

START_TEST(answers_stay_in_bounds)
{
	static const char *const wild[] = { "eta", "1%", "rate_ai", "0bps", "min_rate", "1bps",
					    "base_rtt", "1ns", NULL };
	struct cc_path p = path;

	if (_i % 3 == 0)
		p.line_bps = 1000;
	if (_i % 5 == 0)
		p.base_rtt_ps = 0;
	facts_begin(OPS, _i % 2 ? "paper" : "ns3", &p, _i > 6 ? wild : NULL);
	facts_any((uint64_t)_i);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("hpcc");

	tcase_add_test(tc, starts_at_line_rate);
	tcase_add_test(tc, reacts_at_once_and_compounds_once_an_rtt);
	tcase_add_test(tc, a_round_ends_although_the_sender_went_back);
	tcase_add_test(tc, stages);
	tcase_add_test(tc, the_worst_hop_counts);
	tcase_add_test(tc, equal_time_stamps_say_nothing);
	tcase_add_test(tc, a_changed_path_is_only_stored);
	tcase_add_test(tc, without_fast_react_only_full_rtts_count);
	tcase_add_test(tc, pint_brings_the_load_itself);
	tcase_add_test(tc, pint_asks_for_little);
	tcase_add_test(tc, floor_and_go_back);
	tcase_add_loop_test(tc, fixed_point, 0, 5);
	tcase_add_loop_test(tc, answers_stay_in_bounds, 0, 12);
	return facts_main("hpcc", tc);
}
