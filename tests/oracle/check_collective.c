/*
 * Messages that depend on each other, exact to the picosecond: a ring all-reduce,
 * request and response, writes one after another; and go-back-0 that never ends.
 *
 * Ring all-reduce (algorithms.md, 6.31 and 7): 2 (n - 1) steps of M / n each.  On
 * a star every step takes the time of its message alone; a rank answers with an
 * ACK (66 + 20 bytes) at the instant at which it may start the next, and the ACK
 * goes first.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/bed.h"

/* One message over a star: two links of 100G, `d` each, n packets of 4096 and
 * RETH on the first (check_wire shows it). */
static int64_t alone_ps(int64_t packets, int64_t d)
{
	return 2 * d + 80 * ((8 + 4174) + (4174 + 20 + (packets - 2) * 4178 + 8 + 4158));
}

static void star(struct bed *b, int n, int64_t d, int64_t until)
{
	char name[16];

	bed_open(b, until);
	b->nic.ack_every = 1000;		/* one ACK a message */
	bed_switch(b, "s");
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof name, "h%d", i);
		bed_leaf(b, name, "s", i, 100 * BED_G, d);
	}
}

static const struct { int ranks; int64_t packets, delay; } rings[] = {
	{ 8, 100, BED_US }, { 2, 500, 50 * BED_NS }, { 5, 3, 12345678 }, { 16, 40, BED_US },
};

START_TEST(ring_all_reduce)
{
	int n = rings[_i].ranks;
	int64_t steps = 2 * (n - 1), rounds = 2, chunk = rings[_i].packets * 4096;
	int64_t want = rounds * steps * (alone_ps(rings[_i].packets, rings[_i].delay) + 86 * 80);
	char name[16][16], *from[16];
	struct bed b;

	star(&b, n, rings[_i].delay, 200 * BED_MS);
	for (int i = 0; i < n; i++) {
		snprintf(name[i], sizeof name[i], "h%d", i);
		from[i] = name[i];
	}
	bed_traffic(&b, (struct workload_conf){ .kind = WORKLOAD_RING_ALLREDUCE, .from = from,
		.nfrom = n, .size_bytes = n * chunk, .count = rounds }, "ring");
	bed_run(&b);
	struct view_workload w = bed_workload(&b, "ring");
	ck_assert_int_eq(w.iterations, rounds);
	ck_assert_int_eq(w.delivered_bytes, rounds * steps * n * chunk);
	ck_assert_int_eq(w.last_delivery_ps, want - 86 * 80);	/* no ACK before the first */
	bed_close(&b);
}
END_TEST

/* The convention of nccl-tests (algorithms.md, 7): busbw = S/t * 2(n-1)/n, which
 * for a large S is the payload rate of the port: 100G * 4096/4178 = 98.04 Gb/s. */
START_TEST(bus_bandwidth)
{
	int64_t size = 8 * INT64_C(4096) * 990;		/* 32 MB: 990 packets a step */
	char name[8][16], *from[8];
	struct bed b;

	star(&b, 8, BED_US, 20 * BED_MS);
	for (int i = 0; i < 8; i++) {
		snprintf(name[i], sizeof name[i], "h%d", i);
		from[i] = name[i];
	}
	bed_traffic(&b, (struct workload_conf){ .kind = WORKLOAD_RING_ALLREDUCE, .from = from,
		.nfrom = 8, .size_bytes = size, .count = 1 }, "ring");
	bed_run(&b);
	double t = (double)bed_workload(&b, "ring").last_delivery_ps / 1e12;
	double busbw = (double)size * 8 / t * 2 * 7 / 8 / 1e9;
	ck_assert_double_lt(busbw, 98.04);
	ck_assert_double_gt(busbw, 0.99 * 98.04);	/* 2.2 us of 331 a step are latency */
	bed_close(&b);
}
END_TEST

/* ---- request and response ---- */

/* A closed loop of one client: each transaction is the request and, from the
 * instant of its last byte (behind its ACK), the response. */
START_TEST(request_and_response)
{
	int64_t d = 777 * BED_NS, count = 50;
	int64_t there = 2 * d + 80 * 2 * (8 + 78 + 64), back = 2 * d + 80 * 2 * (8 + 78 + 512);
	char client[] = "h0", server[] = "h1", *from[] = { client }, *to[] = { server };
	struct bed b;

	star(&b, 2, d, 10 * BED_MS);
	bed_traffic(&b, (struct workload_conf){ .kind = WORKLOAD_REQUEST_RESPONSE, .from = from,
		.nfrom = 1, .to = to, .nto = 1, .request_bytes = 64, .response_bytes = 512,
		.count = count }, "db");
	bed_run(&b);
	struct view_workload w = bed_workload(&b, "db");
	ck_assert_int_eq(w.delivered_bytes, count * (64 + 512));
	/* an ACK stands before every message but the first */
	ck_assert_int_eq(w.last_delivery_ps, count * (there + back + 2 * 86 * 80) - 86 * 80);
	bed_close(&b);
}
END_TEST

/* Messages of one QP one after another: each starts when the ACK of the last one
 * has come back. */
START_TEST(flow_of_many_messages)
{
	int64_t d = BED_US, count = 20;
	int64_t ack = 2 * (d + 80 * (8 + 66));
	struct bed b;

	star(&b, 2, d, 20 * BED_MS);
	bed_flow(&b, "m", "h0", "h1", 10 * 4096, count);
	bed_run(&b);
	ck_assert_int_eq(bed_workload(&b, "m").last_delivery_ps,
			 count * (alone_ps(10, d) + ack) - ack);
	bed_close(&b);
}
END_TEST

/* ---- livelock ---- */

/* SIGCOMM 2016, section 4.1: a switch loses every 256th packet, messages of 4 MB.
 * go-back-0 delivers nothing, for ever, at full load; go-back-N loses one window
 * a time: of 256 packets that pass, the lost one and those already behind it, W =
 * what leaves in the time from the loss until the NAK is back. */
static void livelock(struct bed *b, int recovery, int64_t until)
{
	bed_open(b, until);
	b->nic.recovery = recovery;
	b->nic.mtu_bytes = 1024;
	bed_switch(b, "s");
	bed_leaf(b, "a", "s", 0, 40 * BED_G, BED_US);
	bed_leaf(b, "c", "s", 1, 40 * BED_G, BED_US);
	bed_fault(b, &(struct fault_conf){ .name = "loss", .kind = FAULT_DROP,
		.a = "s", .b = "a", .class_ = -1, .at_ps = 0,
		.lasts_ps = UNITS_NEVER, .every = 256 });
	bed_flow(b, "m", "a", "c", INT64_C(4000000), 1000);
	bed_run(b);
}

START_TEST(go_back_0_livelocks)
{
	int64_t until = 20 * BED_MS, wire_ps = (1024 + 82) * 200;
	struct bed b;

	livelock(&b, NIC_GO_BACK_0, until);
	struct view_counters v = bed_counters(&b, "a", 0, 3);
	ck_assert_int_eq(bed_workload(&b, "m").delivered_bytes / 4000000, 0);
	ck_assert_int_gt(v.tx_frames * wire_ps, until * 99 / 100);	/* and the link is full */
	bed_close(&b);
}
END_TEST

START_TEST(go_back_n_moves)
{
	int64_t until = 20 * BED_MS, wire_ps = (1024 + 82) * 200;
	/* From the lost frame's last bit at the switch: the next one is in c a wire
	 * time and a link later; its NAK is back 2 links and 2 * 74 bytes after that;
	 * the switch still gets what left a before, one link long. */
	int64_t loop = wire_ps + (8 + 1086) * 200 + BED_US + 2 * (74 * 200 + BED_US) + BED_US;
	double window = (double)loop / (double)wire_ps + 1;
	double want = (256 - window) / 256 * 1024 / 1106;
	struct bed b;

	livelock(&b, NIC_GO_BACK_N, until);
	double got = (double)bed_workload(&b, "m").delivered_bytes * 200 / (double)until;
	ck_assert_double_eq_tol(got, want, 0.02 * want);
	bed_close(&b);
}
END_TEST

/* Selective repeat sends each lost packet once more and nothing else: of p = 1/256 lost,
 * 1 - p arrive (algorithms.md, 3 and 6.25); a round trip is idle between two messages,
 * and another where a message ends with a loss. */
START_TEST(selective_repeat_loses_what_is_lost)
{
	int64_t until = 20 * BED_MS;
	double want = 255.0 / 256 * 1024 / 1106;
	struct bed b;

	livelock(&b, NIC_SELECTIVE_REPEAT, until);
	double got = (double)bed_workload(&b, "m").delivered_bytes * 200 / (double)until;
	ck_assert_double_eq_tol(got, want, 0.01 * want);
	ck_assert_double_lt(got, want);
	bed_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("collective");
	TCase *tc = tcase_create("collective");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, ring_all_reduce, 0, 4);
	tcase_add_test(tc, bus_bandwidth);
	tcase_add_test(tc, request_and_response);
	tcase_add_test(tc, flow_of_many_messages);
	tcase_add_test(tc, go_back_0_livelocks);
	tcase_add_test(tc, go_back_n_moves);
	tcase_add_test(tc, selective_repeat_loses_what_is_lost);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
