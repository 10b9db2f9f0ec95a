/*
 * Receivers that are not ready, and timers that run out: tables, exact times,
 * and throughput as the ratio of stall times.
 *
 * a - s - z as in check_verbs: a SEND of 970 bytes is a frame of 1034 and takes
 * 2 * (1042 * 80 + 1000000) to z; an ACK or RNR NAK, 66 bytes, takes
 * 2 * (74 * 80 + 1000000) back.
 */
#include <check.h>

#include "tests/support/bed.h"

#define THERE INT64_C(2166720)		/* ps */
#define BACK INT64_C(2011840)

/* ---- tables ---- */

/* IBTA volume 1, table 45 ("RNR NAK timer field"), in microseconds. */
START_TEST(rnr_timers)
{
	static const int64_t us[] = { 655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280,
		1920, 2560, 3840, 5120, 7680, 10240, 15360, 20480, 30720, 40960, 61440, 81920, 122880, 163840,
		245760, 327680, 491520 };

	for (int i = 0; i < 32; i++)
		ck_assert_int_eq(nic_rnr_ps(i), us[i] * BED_US);
}
END_TEST

/* 4.096 us x 2^code: 14 is 67.108864 ms.  Behind rdma_cm: the table of SPDK issue 1124, whose
 * 262144, 524288 and 1048576 us are 4 us x 2^16, 2^17 and 2^18. */
START_TEST(timeout_codes)
{
	static const struct { int code, cm; } facts[] = {
		{ 1, 16 }, { 8, 16 }, { 13, 16 }, { 14, 16 }, { 15, 17 }, { 16, 17 }, { 17, 18 }, { 18, 18 },
		{ 19, 19 }, { 20, 20 }, { 31, 31 },
	};
	struct nic_conf c = { .retry_timeout_ps = 77, .timeout_code = -1 };

	ck_assert_int_eq(nic_timeout_ps(&c), 77);
	c.timeout_code = 14;
	ck_assert_int_eq(nic_timeout_ps(&c), INT64_C(67108864000));
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		c.timeout_code = facts[i].code;
		c.timeout_rounding = NIC_AS_CODED;
		ck_assert_int_eq(nic_timeout_ps(&c), INT64_C(4096000) << facts[i].code);
		c.timeout_rounding = NIC_RDMA_CM;
		ck_assert_int_eq(nic_timeout_ps(&c), INT64_C(4096000) << facts[i].cm);
	}
	c.timeout_code = 0;		/* never, whatever rounds it */
	ck_assert_int_gt(nic_timeout_ps(&c), INT64_C(1000000) * 1000 * BED_MS);
}
END_TEST

/* perftest issue 251: 2, 4, 8, 16 ms; eight intervals with seven retries. */
START_TEST(adaptive_budget)
{
	struct nic_conf c = { .retry_timeout_ps = 50 * BED_US, .retry_count = 7 };

	ck_assert_int_eq(nic_retry_budget_ps(&c), 400 * BED_US);
	c.adaptive_retry = true;
	ck_assert_int_eq(nic_retry_budget_ps(&c), (2 + 4 + 8 + 5 * 16) * BED_MS);
	c.retry_count = 1;
	ck_assert_int_eq(nic_retry_budget_ps(&c), 6 * BED_MS);
}
END_TEST

/* ---- a path ---- */

static void path(struct bed *b)
{
	bed_open(b, 200 * BED_MS);
	b->sw.latency_ps = 0;
	b->nic.recv_queue = 1;
	b->nic.recv_time_ps = 100 * BED_US;
	b->nic.rnr_timer = 1;
}

static void sends(struct bed *b, int64_t count, int64_t depth)
{
	char a[] = "a", z[] = "z", *from[] = { a }, *to[] = { z };

	bed_switch(b, "s");
	bed_leaf(b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(b, "z", "s", 1, 100 * BED_G, BED_US);
	bed_traffic(b, (struct workload_conf){ .kind = WORKLOAD_FLOW, .from = from, .nfrom = 1, .to = to,
		.nto = 1, .size_bytes = 970, .count = count, .depth = depth, .verb = WORKLOAD_SEND }, "m");
}

static void watched(struct bed *b)
{
	bed_watch(b, UINT64_C(1) << RECORD_FLOW_DELIVERED | UINT64_C(1) << RECORD_FLOW_ACKED |
		     UINT64_C(1) << RECORD_FLOW_FAILED | UINT64_C(1) << RECORD_RNR |
		     UINT64_C(1) << RECORD_RETRANSMIT | UINT64_C(1) << RECORD_PAUSED);
	bed_run(b);
}

/* The first SEND is whole at THERE, its buffer is posted again 100 us later.  The second leaves
 * with the first's ACK, at THERE + BACK; every try that fails costs THERE + BACK and the 10 us of
 * code 1.  The try that arrives at or after THERE + 100 us is taken: the eighth. */
START_TEST(a_send_waits_for_its_receive_buffer)
{
	int64_t sent = THERE + BACK, period = THERE + BACK + 10 * BED_US, arrives = sent + THERE, naks = 0;
	struct bed b;

	for (; arrives < THERE + 100 * BED_US; naks++)
		arrives += period;
	ck_assert_int_eq(naks, 7);
	path(&b);
	sends(&b, 2, 1);
	watched(&b);
	ck_assert_int_eq(bed_count(&b, RECORD_RNR, VIEW_NONE), naks);
	ck_assert_int_eq(bed_count(&b, RECORD_PAUSED, VIEW_NONE), 0);
	ck_assert_int_eq(bed_record(&b, RECORD_RNR, VIEW_NONE, 0)->a, 10 * BED_US);
	ck_assert_int_eq(bed_record(&b, RECORD_RNR, VIEW_NONE, 0)->at_ps, arrives - naks * period + BACK);
	ck_assert_int_eq(bed_record(&b, RECORD_FLOW_DELIVERED, VIEW_NONE, 1)->at_ps, arrives);
	bed_close(&b);
}
END_TEST

/* Buffers that are posted late: nothing is taken before, all at once afterwards. */
START_TEST(receive_buffers_are_posted_late)
{
	struct bed b;

	path(&b);
	b.nic.recv_queue = 8;
	b.nic.recv_start_ps = 50 * BED_US;
	sends(&b, 8, 8);
	watched(&b);
	ck_assert_int_eq(bed_count(&b, RECORD_FLOW_DELIVERED, VIEW_NONE), 8);
	/* At THERE, then each 10 us and a round trip later: the first at or after 50 us. */
	int64_t first = THERE;
	while (first < 50 * BED_US)
		first += THERE + BACK + 10 * BED_US;
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(bed_record(&b, RECORD_FLOW_DELIVERED, VIEW_NONE, i)->at_ps,
				 first + i * 1054 * 80);
	bed_close(&b);
}
END_TEST

/* rnr_retry NAKs are survived, the next one is the end, and it has its reason. */
START_TEST(rnr_retries_run_out)
{
	for (int retry = 0; retry <= 8; retry++) {
		struct bed b;

		path(&b);
		b.nic.recv_start_ps = 150 * BED_MS;
		b.nic.rnr_retry = retry < 8 ? retry : NIC_RNR_FOR_EVER;
		if (retry == 7)		/* for ever */
			b.nic.recv_start_ps = 10 * BED_MS;
		sends(&b, 1, 1);
		watched(&b);
		const struct record *end = bed_record(&b, RECORD_FLOW_FAILED, VIEW_NONE, 0);
		if (retry < 7) {
			ck_assert_int_eq(bed_count(&b, RECORD_RNR, VIEW_NONE), retry);
			ck_assert_int_eq(end->a, RECORD_FAIL_RNR);
			ck_assert_int_eq(end->b, retry);
			ck_assert_int_eq(end->at_ps, retry * (THERE + BACK + 10 * BED_US) + THERE + BACK);
		} else {
			ck_assert_ptr_null(end);
			ck_assert_int_eq(bed_count(&b, RECORD_FLOW_DELIVERED, VIEW_NONE), 1);
		}
		bed_close(&b);
	}
}
END_TEST

/* Worked off in 30 us, each SEND but the first finds its buffer at the third try; two NAKs in a
 * row are survived, ten times over, for each SEND that is taken begins the count anew. */
START_TEST(a_send_that_is_taken_begins_the_count_anew)
{
	struct bed b;

	path(&b);
	b.nic.recv_time_ps = 30 * BED_US;
	b.nic.rnr_retry = 2;
	sends(&b, 11, 1);
	watched(&b);
	ck_assert_int_eq(bed_count(&b, RECORD_FLOW_DELIVERED, VIEW_NONE), 11);
	ck_assert_int_eq(bed_count(&b, RECORD_RNR, VIEW_NONE), 20);
	bed_close(&b);
}
END_TEST

/* Whatever the recovery, with losses besides: each SEND takes one buffer and arrives once. */
START_TEST(sends_survive_losses_and_rnr)
{
	char loss[] = "loss", z[] = "z";
	struct bed b;

	path(&b);
	b.nic.mtu_bytes = 256;
	b.nic.recovery = _i % 3;
	b.nic.retry_count = 50;
	b.nic.retry_timeout_ps = 60 * BED_US;
	b.nic.recv_queue = 1 + _i / 3;
	b.nic.recv_time_ps = 7 * BED_US;
	sends(&b, 60, 4);
	bed_fault(&b, &(struct fault_conf){ .name = loss, .kind = FAULT_DROP, .a = z, .class_ = -1,
		.every = 23, .lasts_ps = UNITS_NEVER });
	watched(&b);
	ck_assert_int_eq(bed_count(&b, RECORD_FLOW_ACKED, VIEW_NONE), 60);
	ck_assert_int_eq(bed_count(&b, RECORD_FLOW_DELIVERED, VIEW_NONE), 60);
	ck_assert_int_gt(bed_count(&b, RECORD_RNR, VIEW_NONE), 0);
	ck_assert_int_eq(bed_workload(&b, "m").delivered_bytes, 60 * 970);
	bed_close(&b);
}
END_TEST

/*
 * 64 buffers, 128 SENDs outstanding, each worked off in D = 2 us and sent in t = 1054 * 80 ps.
 * While a burst of n comes in, n t / D buffers are posted again; so n = 64 / (1 - t / D) are taken,
 * the next is not, and the sender hears of it after THERE + BACK and waits W.  In W all 64 come
 * back.  So n SENDs a cycle of n t + THERE + BACK + W, and two codes differ as their times do:
 * that is all that there is to 721 I/Os a second with code 0 and 203,347 with code 13 (nbs issue
 * 5790).  Nobody is paused.
 */
START_TEST(throughput_is_the_ratio_of_the_waits)
{
	static const int codes[] = { 12, 14, 0 };
	double t = 1054 * 80, d = 2e6, n = 64 / (1 - t / d), cycles = 20;
	struct bed b;

	double cycle = n * t + (double)(THERE + BACK) + (double)nic_rnr_ps(codes[_i]);
	path(&b);
	b.run.until_ps = (int64_t)(cycles * cycle);
	b.nic.recv_queue = 64;
	b.nic.recv_time_ps = 2 * BED_US;
	b.nic.rnr_timer = codes[_i];
	b.nic.rnr_retry = NIC_RNR_FOR_EVER;
	sends(&b, 1000000, 128);
	watched(&b);
	ck_assert_double_eq_tol((double)bed_count(&b, RECORD_FLOW_DELIVERED, VIEW_NONE), cycles * n,
				cycles);	/* a cycle takes a whole number of SENDs */
	ck_assert_int_le(bed_count(&b, RECORD_RNR, VIEW_NONE), (int)cycles + 1);
	ck_assert_int_eq(bed_count(&b, RECORD_PAUSED, VIEW_NONE), 0);
	bed_close(&b);
}
END_TEST

/* The link to z is cut: the retries of a ConnectX-5 come after 2, 4, 8, then every 16 ms, and the
 * error 16 ms behind the seventh. */
START_TEST(adaptive_retries)
{
	static const int64_t ms[] = { 2, 6, 14, 30, 46, 62, 78 };
	char cut[] = "cut", s[] = "s", z[] = "z";
	struct bed b;

	path(&b);
	b.nic.adaptive_retry = true;
	b.nic.retry_count = 7;
	sends(&b, 1, 1);
	bed_fault(&b, &(struct fault_conf){ .name = cut, .kind = FAULT_LINK_DOWN, .a = s, .b = z,
		.class_ = -1, .lasts_ps = UNITS_NEVER });
	watched(&b);
	ck_assert_int_eq(bed_count(&b, RECORD_RETRANSMIT, VIEW_NONE), 7);
	for (int i = 0; i < 7; i++)
		ck_assert_int_eq(bed_record(&b, RECORD_RETRANSMIT, VIEW_NONE, i)->at_ps, ms[i] * BED_MS);
	ck_assert_int_eq(bed_record(&b, RECORD_FLOW_FAILED, VIEW_NONE, 0)->at_ps, 94 * BED_MS);
	bed_close(&b);
}
END_TEST

/* IRN's two timeouts: 1 ms while many packets fly, 8 us while at most three do.  40 packets of 4096
 * (frames of 4174, then 4158); the last is lost.  Packet k > 1 leaves s at 1670080 + (k - 2) *
 * 334240 and needs 1333280 to z; when the 39th is acknowledged one packet is in flight, and it is
 * sent again 8 us later. */
START_TEST(the_short_timeout_cuts_the_long_one_short)
{
	int64_t acked = 1670080 + 37 * 334240 + 1333280 + BACK;
	char loss[] = "loss", s[] = "s", z[] = "z", a[] = "a", *from[] = { a }, *to[] = { z };
	struct bed b;

	path(&b);
	b.nic.mtu_bytes = 4096;
	b.nic.recovery = NIC_SELECTIVE_REPEAT;
	b.nic.retry_timeout_ps = BED_MS;
	b.nic.rto_low_ps = 8 * BED_US;
	bed_switch(&b, s);
	bed_leaf(&b, a, s, 0, 100 * BED_G, BED_US);
	bed_leaf(&b, z, s, 1, 100 * BED_G, BED_US);
	bed_traffic(&b, (struct workload_conf){ .kind = WORKLOAD_FLOW, .from = from, .nfrom = 1, .to = to,
		.nto = 1, .size_bytes = 40 * 4096, .count = 1, .depth = 1 }, "m");
	bed_fault(&b, &(struct fault_conf){ .name = loss, .kind = FAULT_DROP, .a = z, .class_ = -1,
		.every = 40, .count = 1, .lasts_ps = UNITS_NEVER });
	watched(&b);
	ck_assert_int_eq(bed_record(&b, RECORD_FLOW_DELIVERED, VIEW_NONE, 0)->at_ps,
			 acked + 8 * BED_US + 2 * 1333280);
	bed_close(&b);
}
END_TEST

/* ---- nobody hangs in silence ---- */

static void reason(void *ctx, uint32_t flow, const char *waits_for)
{
	(void)flow;
	*(const char **)ctx = waits_for;
}

/* What one unfinished message waits for, at 150 us. */
static const struct {
	int verb;
	bool cut;			/* the link to z is down from 1 us on */
	bool storm;			/* z pauses s: what s sends there stands */
	int64_t recv_start_ps;
	const char *waits_for;
} silent[] = {
	{ WORKLOAD_SEND, false, false, BED_MS, "its RNR timer (the receiver had no receive buffer posted)" },
	{ WORKLOAD_SEND, true, false, 0, "acknowledgements of what it has sent again, or its retry timer" },
	{ WORKLOAD_WRITE, true, false, 0, "acknowledgements of what it has sent again, or its retry timer" },
	{ WORKLOAD_READ, true, false, 0, "READ responses (the responder's link is down)" },
	{ WORKLOAD_READ, false, true, 0, "READ responses, or its retry timer" },
	{ WORKLOAD_WRITE, false, true, 0, "acknowledgements of what it has sent again, or its retry timer" },
};

START_TEST(every_wait_has_its_reason)
{
	char cut[] = "cut", s[] = "s", z[] = "z", a[] = "a", *from[] = { a }, *to[] = { z };
	const char *waits_for = NULL;
	struct bed b;

	path(&b);
	b.run.until_ps = 150 * BED_US;
	b.nic.retry_timeout_ps = 60 * BED_US;
	b.nic.rnr_timer = 6;		/* 80 us */
	b.nic.recv_start_ps = silent[_i].recv_start_ps;
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(&b, "z", "s", 1, 100 * BED_G, BED_US);
	bed_traffic(&b, (struct workload_conf){ .kind = WORKLOAD_FLOW, .from = from, .nfrom = 1, .to = to,
		.nto = 1, .size_bytes = 970, .count = 1, .depth = 1, .verb = silent[_i].verb,
		.start_ps = silent[_i].storm ? 10 * BED_US : 0 }, "m");
	if (silent[_i].cut)
		bed_fault(&b, &(struct fault_conf){ .name = cut, .kind = FAULT_LINK_DOWN, .a = s, .b = z,
			.class_ = -1, .at_ps = BED_US, .lasts_ps = UNITS_NEVER });
	if (silent[_i].storm)
		bed_storm(&b, "z", 0, UNITS_NEVER);
	bed_run(&b);
	view_unfinished(b.f, reason, &waits_for);
	ck_assert_str_eq(waits_for, silent[_i].waits_for);
	bed_close(&b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rnr");
	TCase *t = tcase_create("rnr");

	tcase_add_test(t, rnr_timers);
	tcase_add_test(t, timeout_codes);
	tcase_add_test(t, adaptive_budget);
	tcase_add_test(t, a_send_waits_for_its_receive_buffer);
	tcase_add_test(t, receive_buffers_are_posted_late);
	tcase_add_test(t, rnr_retries_run_out);
	tcase_add_test(t, a_send_that_is_taken_begins_the_count_anew);
	tcase_add_loop_test(t, sends_survive_losses_and_rnr, 0, 12);
	tcase_add_loop_test(t, throughput_is_the_ratio_of_the_waits, 0, 3);
	tcase_add_test(t, adaptive_retries);
	tcase_add_test(t, the_short_timeout_cuts_the_long_one_short);
	tcase_add_loop_test(t, every_wait_has_its_reason, 0, sizeof silent / sizeof *silent);
	suite_add_tcase(s, t);
	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
