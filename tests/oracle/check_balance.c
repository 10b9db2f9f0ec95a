/*
 * Frames that may go several ways: spraying, flowlets, and the ideal time of what is
 * sprayed; and bit errors, which strike each bit alike.
 *
 * Binomial: of n frames over m ways each gets n/m, variance n/m (1 - 1/m).  A frame of L
 * bits arrives whole with (1 - p)^L; n frames lose n (1 - (1 - p)^L), variance that times
 * (1 - p)^L.  Bounds of 5 standard deviations, so a right program fails once in 10^6.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>

#include "tests/support/bed.h"

enum { WAYS = 4 };

/* a - left - s0..s3 - right - b; hosts at `host_bps`, the fabric at `fabric_bps`. */
static void open_diamond(struct bed *b, int64_t until_ps, int balance, int64_t gap_ps, int64_t host_bps,
			 int64_t fabric_bps)
{
	char name[8];

	bed_open(b, until_ps);
	b->sw.balance = balance;
	b->sw.flowlet_gap_ps = gap_ps;
	b->nic.recovery = NIC_SELECTIVE_REPEAT;
	bed_switch(b, "left");
	bed_switch(b, "right");
	for (int i = 0; i < WAYS; i++) {
		snprintf(name, sizeof name, "s%d", i);
		bed_switch(b, name);
		bed_link(b, "left", 10 + i, name, 0, fabric_bps, BED_US);
		bed_link(b, "right", 10 + i, name, 1, fabric_bps, BED_US);
	}
	bed_leaf(b, "a", "left", 0, host_bps, BED_US);
	bed_leaf(b, "b", "right", 0, host_bps, BED_US);
}

static int64_t sent(const struct bed *b, int way)
{
	return bed_counters(b, "left", 10 + way, 3).tx_frames;
}

static void is_even(const struct bed *b)
{
	int64_t all = 0;

	for (int i = 0; i < WAYS; i++)
		all += sent(b, i);
	double mean = (double)all / WAYS, sd = sqrt(mean * (1 - 1.0 / WAYS));
	ck_assert_int_gt(all, 1000);
	for (int i = 0; i < WAYS; i++)
		ck_assert_double_le(fabs((double)sent(b, i) - mean), 5 * sd);
}

static int used(const struct bed *b)
{
	int n = 0;

	for (int i = 0; i < WAYS; i++)
		n += sent(b, i) > 0;
	return n;
}

START_TEST(a_sprayed_stream_goes_all_ways_alike)
{
	struct bed b;

	open_diamond(&b, BED_MS, SWITCH_BALANCE_PACKET, 0, 100 * BED_G, 100 * BED_G);
	bed_stream(&b, "load", "a", "b", 90 * BED_G, 1000, 0, UNITS_NEVER);
	bed_run(&b);
	is_even(&b);
	bed_close(&b);
}
END_TEST

/* 1000 bytes at 1 Gb/s: a frame each 8.16 us. */
START_TEST(a_flowlet_ends_with_a_gap)
{
	struct bed b;

	open_diamond(&b, 20 * BED_MS, SWITCH_BALANCE_FLOWLET, 8 * BED_US, 100 * BED_G, 100 * BED_G);
	bed_stream(&b, "load", "a", "b", BED_G, 1000, 0, UNITS_NEVER);
	bed_run(&b);
	is_even(&b);
	bed_close(&b);

	open_diamond(&b, 20 * BED_MS, SWITCH_BALANCE_FLOWLET, 9 * BED_US, 100 * BED_G, 100 * BED_G);
	bed_stream(&b, "load", "a", "b", BED_G, 1000, 0, UNITS_NEVER);
	bed_run(&b);
	ck_assert_int_eq(used(&b), 1);
	bed_close(&b);

	open_diamond(&b, 20 * BED_MS, SWITCH_BALANCE_FLOW, 1, 100 * BED_G, 100 * BED_G);
	bed_stream(&b, "load", "a", "b", BED_G, 1000, 0, UNITS_NEVER);
	bed_run(&b);
	ck_assert_int_eq(used(&b), 1);
	bed_close(&b);
}
END_TEST

/* A message of n full frames in a fabric faster than its hosts: nobody waits, all
 * ways are alike, so they arrive in order: preamble, n frames and n - 1 gaps on the
 * first link, then the last frame over the three others.  But for the 16 bytes that the
 * first has more: on the last link the second meets its end, 16 bytes of the host's
 * rate and twice 16 of the fabric's too early, and so do all behind it.  The ideal, a
 * bound for any order, does not count that. */
static int64_t alone_ps(int n, int64_t host_bps, int64_t fabric_bps)
{
	int64_t first = 62 + 16 + 4096, mid = 62 + 4096;
	int64_t bytes = n * 8 + first + (n - 1) * (mid + 12);

	return bytes * 8 * UNITS_PS_PER_S / host_bps + 2 * (8 + mid) * 8 * UNITS_PS_PER_S / fabric_bps +
	       (8 + mid) * 8 * UNITS_PS_PER_S / host_bps + 4 * BED_US;
}

START_TEST(a_sprayed_message_takes_its_ideal_time)
{
	struct bed b;

	open_diamond(&b, BED_MS, SWITCH_BALANCE_PACKET, 0, 100 * BED_G, 200 * BED_G);
	bed_flow(&b, "load", "a", "b", 20 * 4096, 1);
	bed_watch(&b, UINT64_C(1) << RECORD_FLOW_DELIVERED);
	bed_run(&b);
	const struct record *r = bed_record(&b, RECORD_FLOW_DELIVERED, VIEW_NONE, 0);
	ck_assert_ptr_nonnull(r);
	ck_assert_int_eq(r->a, alone_ps(20, 100 * BED_G, 200 * BED_G) + 16 * 80 + 2 * 16 * 40);
	ck_assert_int_eq(view_ideal_ps(b.f, r->flow), alone_ps(20, 100 * BED_G, 200 * BED_G));
	ck_assert_int_gt(used(&b), 1);
	bed_close(&b);
}
END_TEST

/* Four ways of 40G carry what a host of 100G sends; one would take 2.5 times as long.
 * So an ideal over one way would be too long, and this one is not. */
START_TEST(many_ways_are_faster_than_one)
{
	struct bed b;

	open_diamond(&b, BED_MS, SWITCH_BALANCE_PACKET, 0, 100 * BED_G, 40 * BED_G);
	bed_flow(&b, "load", "a", "b", 100 * 4096, 1);
	bed_watch(&b, UINT64_C(1) << RECORD_FLOW_DELIVERED);
	bed_run(&b);
	const struct record *r = bed_record(&b, RECORD_FLOW_DELIVERED, VIEW_NONE, 0);
	ck_assert_ptr_nonnull(r);
	ck_assert_int_le(view_ideal_ps(b.f, r->flow), r->a);
	ck_assert_int_lt(r->a, INT64_C(100) * 4096 * 8 * UNITS_PS_PER_S / (40 * BED_G));
	bed_close(&b);
}
END_TEST

static void is_binomial(int64_t lost, int64_t of, double p)
{
	double mean = (double)of * p, sd = sqrt(mean * (1 - p));

	ck_assert_double_le(fabs((double)lost - mean), 5 * sd);
}

START_TEST(bit_errors_take_frames_by_their_length)
{
	static const int64_t frames[] = { 100, 1000, 9000 };
	struct bed b;

	for (int i = 0; i < 3; i++) {
		bed_open(&b, 20 * BED_MS);
		bed_host(&b, "a");
		bed_host(&b, "b");
		bed_link(&b, "a", 0, "b", 0, 100 * BED_G, BED_US);
		bed_stream(&b, "load", "a", "b", 0, frames[i], 0, UNITS_NEVER);
		bed_fault(&b, &(struct fault_conf){ .name = (char[]){ "bad" }, .kind = FAULT_BIT_ERRORS,
			.a = (char[]){ "b" }, .b = (char[]){ "a" }, .at_ps = 0, .lasts_ps = UNITS_NEVER,
			.ber = { 1, 1000000 } });
		bed_run(&b);
		struct view_counters c = bed_counters(&b, "b", 0, 3);
		int64_t lost = c.drops[RECORD_DROP_WIRE];
		is_binomial(lost, c.rx_frames + lost, 1 - pow(1 - 1e-6, (double)(8 * frames[i])));
		bed_close(&b);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("balance");
	TCase *tc = tcase_create("balance");

	tcase_add_test(tc, a_sprayed_stream_goes_all_ways_alike);
	tcase_add_test(tc, a_flowlet_ends_with_a_gap);
	tcase_add_test(tc, a_sprayed_message_takes_its_ideal_time);
	tcase_add_test(tc, many_ways_are_faster_than_one);
	tcase_add_test(tc, bit_errors_take_frames_by_their_length);
	suite_add_tcase(suite, tc);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
