/*
 * models/cc/swift: ACK by ACK, through the ops only.
 *
 * The equations are those of swift.cpp (algorithms.md 2.4, READ); every value is
 * worked out by hand, the arithmetic beside it.  Most rows have no flow scaling
 * and no hops, so that the target is 20 us sharp.
 */
#include "tests/unit/cc_facts.h"

#define OPS cc_find("swift")

/* A bandwidth-delay product of 100000 B: 25 packets. */
static const struct cc_path path = { .base_rtt_ps = 8 * US, .line_bps = G100,
				     .mtu_bytes = 4000, .hops = 2 };
static const char *const plain[] = { "hop_target", "0us", "fs_range", "0us", NULL };

/* `bytes` are acknowledged at `us` with an RTT; the window was full. */
#define RTT(us, rtt_us, bytes, cwnd) RATE(us, rtt_us, bytes, cwnd, G100)
#define RATE(us, rtt_us, bytes, cwnd, rate) \
	{ ACK, { .now_ps = (us) * US, .ack_seq = 1000000, .snd_nxt = 9000000, \
		 .acked_bytes = bytes, .rtt_ps = (rtt_us) * US }, cwnd, rate }

START_TEST(starts_with_one_bdp)
{
	static const char *const small[] = { "initial_window", "2000B", NULL };
	struct cc_path near = path;

	facts_begin(OPS, NULL, &path, NULL);
	ck_assert_int_eq(cc->out.cwnd_bytes, 100000);
	ck_assert_int_eq(cc->out.rate_bps, G100);
	near.base_rtt_ps = 100 * 1000;		/* 1250 B: one packet at least */
	facts_begin(OPS, NULL, &near, NULL);
	ck_assert_int_eq(cc->out.cwnd_bytes, 4000);
	/* half a packet an RTT of 8 us: 4000 * 8 * 0.5 / 8 us */
	facts_begin(OPS, NULL, &path, small);
	ck_assert_int_eq(cc->out.cwnd_bytes, 2000);
	ck_assert_int_eq(cc->out.rate_bps, INT64_C(2000000000));
}
END_TEST

/* style.md 5.5: at twice the target 1 - 0.8/2 = 60 %. */
START_TEST(cuts_once_in_an_rtt)
{
	static const struct fact_row rows[] = {
		RTT(100, 40, 4000, 60000),
		RTT(110, 40, 4000, 60000),
		RTT(139, 40, 4000, 60000),
		RTT(140, 25, 4000, 50400),	/* 40 us later; 1 - 0.8 * 5/25 = 0.84 */
		RTT(164, 20, 4000, 50400),	/* the target itself: keeps all */
		RTT(170, 200, 4000, 50400),	/* the RTT is 200 now, 30 us later */
		RTT(340, 200, 4000, 25200),	/* 1 - 0.8 * 180/200 = 0.28: max_mdf */
	};

	WALK_FROM(NULL, &path, plain, rows);
}
END_TEST

/* cwnd += ai * acknowledged / cwnd. */
START_TEST(grows_below_the_target)
{
	static const char *const settings[] = { "hop_target", "0us", "fs_range", "0us",
						"initial_window", "40000B", "ai", "2", NULL };
	static const struct fact_row rows[] = {
		RTT(10, 19, 4000, 40800),	/* 10 packets: + 2/10 */
		RTT(11, 10, 20000, 44721),	/* + 2 * 5/10.2 = 0.980392 */
		/* 40000 in flight before the ACK: not the window that limits */
		{ ACK, { .now_ps = 12 * US, .ack_seq = 4000, .snd_nxt = 40000,
			 .acked_bytes = 4000, .rtt_ps = 10 * US }, 44721, G100 },
	};

	WALK_FROM(NULL, &path, settings, rows);
}
END_TEST

/* Under one packet: + ai * acknowledged, and a packet every RTT/cwnd. */
START_TEST(under_one_packet)
{
	static const char *const settings[] = { "hop_target", "0us", "fs_range", "0us",
						"initial_window", "4000B", "ai", "0.25", NULL };
	static const struct fact_row rows[] = {
		/* half: 4000 * 8 * 0.5 / 400 us = 40 Mb/s */
		RATE(1000, 400, 4000, 2000, 40000000),
		RATE(2000, 400, 4000, 1000, 20000000),
		/* 1/4 + 1/4 = 1/2: 4000 * 8 / 2 / 10 us */
		RATE(2100, 10, 4000, 2000, 1600000000),
		RATE(2200, 10, 4000, 3000, 2400000000),
		RTT(2300, 10, 4000, 4000),
		RTT(2400, 10, 4000, 5000),
	};

	WALK_FROM(NULL, &path, settings, rows);
}
END_TEST

START_TEST(bounds)
{
	static const char *const settings[] = { "hop_target", "0us", "fs_range", "0us",
						"min_cwnd", "0.5", "max_cwnd", "30",
						"initial_window", "118000B", NULL };
	struct fact_row rows[] = {
		RTT(10, 10, 80000, 120000),	/* 29.5 + 20/29.5 = 30.18 */
		RTT(100, 100, 4000, 60000), RTT(200, 100, 4000, 30000),
		RTT(300, 100, 4000, 15000), RTT(400, 100, 4000, 7500),
		RATE(500, 100, 4000, 3750, 300000000), RATE(600, 100, 4000, 2000, 160000000),
		RATE(700, 100, 4000, 2000, 160000000),
	};

	WALK_FROM(NULL, &path, settings, rows);
}
END_TEST

/* With hops: 20 + 2 * 3.05 = 26.1 us. */
START_TEST(hops_raise_the_target)
{
	static const char *const no_fs[] = { "fs_range", "0us", NULL };
	static const struct fact_row rows[] = {
		RTT(100, 26, 4000, 100160),		/* + 1/25 packet */
		RTT(200, 27, 4000, 97489),		/* 100160 (1 - 0.8 * 0.9/27) */
	};

	WALK_FROM(NULL, &path, no_fs, rows);
}
END_TEST

/* Flow scaling from 1/4 packet (all of 30 us) to 4 packets (none):
 * a = 30 / (2 - 1/2) = 20, b = -10: at one packet 10 us, target 30. */
START_TEST(small_windows_raise_the_target)
{
	static const char *const settings[] = { "hop_target", "0us", "fs_range", "30us",
						"fs_min_cwnd", "1/4", "fs_max_cwnd", "4",
						"initial_window", "4000B", "ai", "0", NULL };
	static const struct fact_row rows[] = {
		RTT(100, 29, 4000, 4000),
		RATE(200, 40, 4000, 3200, 640000000),	/* 1 - 0.8 * 10/40 */
	};
	static const struct fact_row none[] = {
		RTT(100, 25, 4000, 84000),		/* target 20: * 0.84 */
	};
	static const struct fact_row all[] = {
		/* target 50: 1 - 0.8 * 50/100; 400 B an RTT of 100 us, 60 % */
		RATE(100, 100, 4000, 240, 19200000),
	};
	const char *big[13], *tiny[13];

	memcpy(big, settings, sizeof(settings));
	memcpy(tiny, settings, sizeof(settings));
	big[9] = "100000B";
	tiny[9] = "400B";
	WALK_FROM(NULL, &path, settings, rows);
	WALK_FROM(NULL, &path, big, none);
	WALK_FROM(NULL, &path, tiny, all);
}
END_TEST

/* A NAK takes max_mdf once in an RTT; so do timeouts, but the fifth in a row
 * leaves min_cwnd: 1 % of a packet, 40 B. */
#define NAK(us, cwnd) { LOST, { .now_ps = (us) * US }, cwnd, G100 }
#define TIMEOUT(us, cwnd, rate) { EXPIRED, { .now_ps = (us) * US }, cwnd, rate }
START_TEST(losses)
{
	static const struct fact_row rows[] = {
		NAK(100, 50000),
		NAK(107, 50000),
		NAK(108, 25000),		/* 8 us, the base RTT */
		RTT(109, 20, 4000, 25000),
		TIMEOUT(1000, 12500, G100), TIMEOUT(2000, 6250, G100),
		TIMEOUT(2019, 6250, G100),
		TIMEOUT(2020, 3125, 1250000000),	/* 3125 * 8 / 20 us */
		RATE(2021, 20, 4000, 3125, 1250000000),
		TIMEOUT(2022, 3125, 1250000000), TIMEOUT(2023, 3125, 1250000000),
		TIMEOUT(2024, 3125, 1250000000), TIMEOUT(2025, 3125, 1250000000),
		TIMEOUT(2026, 40, 16000000),
	};

	WALK_FROM(NULL, &path, plain, rows);
}
END_TEST

/* N flows and one queue, the RTT being base + queue: it stands at the target,
 * 20 us: 12 us of queue. */
START_TEST(queue_stands_at_the_target)
{
	double q_bytes = 0, most = 0, least = 1e9;
	enum { N = 4 };

	facts_begin(OPS, NULL, &path, plain);
	for (int i = 1; i <= 4000; i++) {	/* an RTT */
		int64_t w = cc->out.cwnd_bytes;
		struct cc_ack ack = { .now_ps = 30 * US * i, .acked_bytes = w,
				      .ack_seq = 1000000, .snd_nxt = 9000000 };

		q_bytes = N * (double)w - 100000;
		q_bytes = q_bytes < 0 ? 0 : q_bytes;
		ack.rtt_ps = 8 * US + (int64_t)(q_bytes / 12500 * 1e6);
		cc->ops->on_ack(cc, &ack);
		if (i < 200)
			continue;
		most = q_bytes > most ? q_bytes : most;
		least = q_bytes < least ? q_bytes : least;
	}
	/* One packet a flow up, and down by 0.8 of what it is too much. */
	ck_assert_double_lt(most, 150000 + 4000 * N);
	ck_assert_double_gt(least, 150000 - 4000 * N);
}
END_TEST

START_TEST(settings_that_contradict_are_refused)
{
	static const char *const fs[] = { "fs_min_cwnd", "100", NULL };
	static const char *const cwnd[] = { "min_cwnd", "2000", NULL };

	ck_assert_str_eq(facts_refusal(OPS, NULL, fs), "fs_min_cwnd must be below fs_max_cwnd");
	ck_assert_str_eq(facts_refusal(OPS, NULL, cwnd), "min_cwnd is above max_cwnd");
	ck_assert_str_eq(facts_refusal(OPS, NULL, plain), "");
}
END_TEST

START_TEST(answers_stay_in_bounds)
{
	static const char *const wild[] = { "ai", "1000", "max_mdf", "1", "beta", "1",
					    "min_cwnd", "1/1000000", "base_target", "1ns",
					    NULL };
	struct cc_path p = path;

	if (_i % 3 == 0)
		p.line_bps = 1000;
	if (_i % 5 == 0)
		p.base_rtt_ps = 0;
	facts_begin(OPS, NULL, &p, _i % 2 ? wild : NULL);
	facts_any((uint64_t)_i);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("swift");

	tcase_add_test(tc, starts_with_one_bdp);
	tcase_add_test(tc, cuts_once_in_an_rtt);
	tcase_add_test(tc, grows_below_the_target);
	tcase_add_test(tc, under_one_packet);
	tcase_add_test(tc, bounds);
	tcase_add_test(tc, hops_raise_the_target);
	tcase_add_test(tc, small_windows_raise_the_target);
	tcase_add_test(tc, losses);
	tcase_add_test(tc, queue_stands_at_the_target);
	tcase_add_test(tc, settings_that_contradict_are_refused);
	tcase_add_loop_test(tc, answers_stay_in_bounds, 0, 12);
	return facts_main("swift", tc);
}
