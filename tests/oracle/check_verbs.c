/*
 * READ and SEND, exact to the picosecond on an idle path, and what a READ does
 * about what it loses.
 *
 * a - s - z, 100 Gb/s (a byte is 80 ps), 1 us each, no latency in s.  Sizes of
 * frames: IBTA annex A17 (62 bytes around the payload; RETH 16 on a READ request;
 * AETH 4 on the first and last response; nothing more on a SEND); 8 bytes of
 * preamble before a frame, 12 of gap behind it (IEEE 802.3).
 *
 * A READ of three packets of 4096: the request, 78 bytes, takes
 * REQUEST = 2 * (86 * 80 + 1000000).  The responses are 4162, 4158 and 4162 bytes.
 * On the first link they start at 0, 4182 * 80 = 334560 and 668800; on the second
 * at 1333600, 1668160 and 2002400 (each as soon as it has arrived and the one
 * before is out); so they are in at 2667200, 3001440 and 3336000.
 */
#include <check.h>
#include <stdio.h>

#include "tests/support/bed.h"

enum { MTU = 4096 };
#define REQUEST INT64_C(2013760)	/* ps */
#define SECOND INT64_C(3001440)
#define THIRD INT64_C(3336000)
#define TIMEOUT (100 * BED_US)

static void path(struct bed *b)
{
	bed_open(b, 100 * BED_MS);
	b->nic.mtu_bytes = MTU;
	b->nic.retry_timeout_ps = TIMEOUT;
	b->sw.latency_ps = 0;
}

static void nodes(struct bed *b)
{
	bed_switch(b, "s");
	bed_leaf(b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(b, "z", "s", 1, 100 * BED_G, BED_US);
}

static void flow(struct bed *b, int verb, int64_t size, int64_t count, int64_t depth)
{
	char a[] = "a", z[] = "z", *from[] = { a }, *to[] = { z };

	bed_traffic(b, (struct workload_conf){ .kind = WORKLOAD_FLOW, .from = from, .nfrom = 1, .to = to,
		.nto = 1, .size_bytes = size, .count = count, .depth = depth, .verb = verb }, "m");
}

/* `node` loses every n-th frame of data (or READ request) that reaches it, `count` of them. */
static void loses(struct bed *b, const char *node, int64_t every, int64_t count)
{
	char name[16], at[8];

	snprintf(name, sizeof name, "loss%s", node);
	snprintf(at, sizeof at, "%s", node);
	bed_fault(b, &(struct fault_conf){ .name = name, .kind = FAULT_DROP, .a = at, .class_ = -1,
		.every = every, .count = count, .lasts_ps = UNITS_NEVER });
}

struct seen { const struct fabric *f; int64_t fct_ps, ideal_ps, again_bytes; int failed; int64_t failed_ps; };

static void watch(void *ctx, const struct record *rec)
{
	struct seen *s = ctx;

	if (rec->kind == RECORD_FLOW_START)
		s->ideal_ps = view_ideal_ps(s->f, rec->flow);
	if (rec->kind == RECORD_FLOW_DELIVERED)
		s->fct_ps = rec->a;
	if (rec->kind == RECORD_FLOW_ACKED)
		s->again_bytes = view_flow(s->f, rec->flow).retransmitted_bytes;
	if (rec->kind != RECORD_FLOW_FAILED)
		return;
	s->failed = 1 + (int)rec->a;
	s->failed_ps = rec->at_ps;
}

static struct seen run(struct bed *b)
{
	struct seen s = { .fct_ps = -1 };

	bed_finish(b);
	s.f = b->f;
	fabric_add_sink(b->f, UINT64_C(1) << RECORD_FLOW_START | UINT64_C(1) << RECORD_FLOW_DELIVERED |
			      UINT64_C(1) << RECORD_FLOW_ACKED | UINT64_C(1) << RECORD_FLOW_FAILED, watch, &s);
	bed_run(b);
	bed_close(b);
	return s;
}

/* What each case loses, and when the last byte is at the requester. */
static const struct {
	const char *node;
	int64_t every, fct_ps, again_bytes;
} reads[] = {
	{ NULL, 0, REQUEST + THIRD, 0 },
	/* The second response: the third shows the gap.  Asked for again are two packets, 4162
	 * bytes each: on the second link from 1333600 and 1668160, the last in at 3001760. */
	{ "a", 2, REQUEST + THIRD + REQUEST + 3001760, 2 * MTU },
	/* The third: nothing shows it but the timer, which runs since the second. */
	{ "a", 3, REQUEST + SECOND + TIMEOUT + REQUEST + 2 * (4170 * 80 + BED_US), MTU },
	/* The request: the timer runs since it left. */
	{ "z", 1, TIMEOUT + REQUEST + THIRD, 0 },
};

START_TEST(a_read)
{
	struct bed b;
	struct seen s;

	path(&b);
	nodes(&b);
	flow(&b, WORKLOAD_READ, 3 * MTU, 1, 1);
	if (reads[_i].node)
		loses(&b, reads[_i].node, reads[_i].every, 1);
	s = run(&b);
	ck_assert_int_eq(s.fct_ps, reads[_i].fct_ps);
	ck_assert_int_eq(s.ideal_ps, REQUEST + THIRD);
	ck_assert_int_eq(s.again_bytes, reads[_i].again_bytes);
}
END_TEST

/* 970 + 2 pad + 62 = 1034 bytes, 1042 with the preamble, over two links. */
START_TEST(a_send)
{
	struct bed b;
	struct seen s;

	path(&b);
	nodes(&b);
	flow(&b, WORKLOAD_SEND, 970, 1, 1);
	s = run(&b);
	ck_assert_int_eq(s.fct_ps, 2 * (1042 * 80 + BED_US));
	ck_assert_int_eq(s.ideal_ps, s.fct_ps);
}
END_TEST

/* Nobody answers: the first request and `retry_count` more, a timeout each. */
START_TEST(a_read_that_nobody_answers_fails)
{
	struct bed b;
	struct seen s;

	path(&b);
	b.nic.retry_count = 2;
	nodes(&b);
	flow(&b, WORKLOAD_READ, 3 * MTU, 1, 1);
	loses(&b, "z", 1, 0);
	s = run(&b);
	ck_assert_int_eq(s.failed, 1 + RECORD_FAIL_NO_RESPONSE);
	ck_assert_int_eq(s.failed_ps, 3 * TIMEOUT);
	ck_assert_int_eq(s.fct_ps, -1);
}
END_TEST

/* One at a time, n reads of one packet take n times one; all at once they pipeline: behind the
 * first, each costs no more than its 4162 + 20 bytes on the wire (it asks 98 bytes apart). */
START_TEST(max_reads_bounds_what_is_outstanding)
{
	int64_t one = REQUEST + 2 * (4170 * 80 + BED_US), n = 40;
	struct bed b;

	for (int depth = 1; depth <= 2; depth++) {
		path(&b);
		b.nic.max_reads = depth == 1 ? 1 : n;
		nodes(&b);
		flow(&b, WORKLOAD_READ, MTU, n, n);
		bed_watch(&b, UINT64_C(1) << RECORD_FLOW_DELIVERED);
		bed_run(&b);
		ck_assert_int_eq(bed_count(&b, RECORD_FLOW_DELIVERED, VIEW_NONE), n);
		ck_assert_int_eq(bed_record(&b, RECORD_FLOW_DELIVERED, VIEW_NONE, (int)n - 1)->at_ps,
				 depth == 1 ? n * one : one + (n - 1) * 4182 * 80);
		bed_close(&b);
	}
}
END_TEST

/* Whatever the recovery and the congestion control: with one packet in 37 lost at both ends
 * every READ ends, and all its bytes are counted once. */
static const char *const controls[] = { "none", "dcqcn", "timely", "hpcc", "swift", "dctcp", "powertcp" };
enum { CONTROLS = sizeof controls / sizeof *controls, RECOVERIES = 3 };

START_TEST(reads_survive_losses)
{
	struct bed b;

	path(&b);
	bed_cc(&b, controls[_i / RECOVERIES], NULL, NULL);
	b.nic.recovery = _i % RECOVERIES;
	b.nic.retry_count = 50;
	nodes(&b);
	flow(&b, WORKLOAD_READ, 9 * MTU + 5, 30, 3);
	loses(&b, "a", 37, 0);
	loses(&b, "z", 5, 0);		/* of the requests */
	bed_watch(&b, UINT64_C(1) << RECORD_FLOW_ACKED);
	bed_run(&b);
	ck_assert_int_eq(bed_count(&b, RECORD_FLOW_ACKED, VIEW_NONE), 30);
	ck_assert_int_eq(bed_workload(&b, "m").delivered_bytes, 30 * (9 * MTU + 5));
	bed_close(&b);
}
END_TEST

/* The responders are the senders of the data: it is they who slow down, and the one requester
 * who tells them.  Two of them into one port: they share it, and the switch pauses nobody. */
START_TEST(congestion_control_acts_at_the_responder)
{
	char a[] = "a", y[] = "y", z[] = "z", *who[] = { y, z };
	struct bed b;
	int slowed = 0;

	path(&b);
	bed_cc(&b, "dcqcn", NULL, NULL);
	b.sw.ecn[BED_RDMA] = (struct ecn_conf){ .on = true, .kmin_bytes = 20000, .kmax_bytes = 20000,
		.pmax = { 1, 1 } };
	nodes(&b);
	bed_leaf(&b, "y", "s", 2, 100 * BED_G, BED_US);
	for (int i = 0; i < 2; i++)
		bed_traffic(&b, (struct workload_conf){ .kind = WORKLOAD_FLOW, .from = (char *[]){ a }, .nfrom = 1,
			.to = &who[i], .nto = 1, .size_bytes = 5000000, .count = 1, .depth = 1,
			.verb = WORKLOAD_READ }, who[i]);
	bed_watch(&b, UINT64_C(1) << RECORD_RATE | UINT64_C(1) << RECORD_CNP | UINT64_C(1) << RECORD_FLOW_ACKED);
	bed_run(&b);
	ck_assert_int_eq(bed_count(&b, RECORD_FLOW_ACKED, VIEW_NONE), 2);
	ck_assert_int_gt(bed_count(&b, RECORD_CNP, VIEW_NONE), 0);
	for (int i = 0; i < b.logged; i++) {
		const struct record *r = &b.log[i];

		if (r->kind == RECORD_CNP)
			ck_assert_int_eq(r->node, bed_node(&b, "a"));
		slowed += r->kind == RECORD_RATE && r->a < 60 * BED_G && r->node != bed_node(&b, "a");
		ck_assert(r->kind != RECORD_RATE || r->node != bed_node(&b, "a") || r->a == 100 * BED_G);
	}
	ck_assert_int_gt(slowed, 0);
	bed_close(&b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("verbs");
	TCase *t = tcase_create("verbs");

	tcase_add_loop_test(t, a_read, 0, sizeof reads / sizeof *reads);
	tcase_add_test(t, a_send);
	tcase_add_test(t, a_read_that_nobody_answers_fails);
	tcase_add_test(t, max_reads_bounds_what_is_outstanding);
	tcase_add_loop_test(t, reads_survive_losses, 0, CONTROLS * RECOVERIES);
	tcase_add_test(t, congestion_control_acts_at_the_responder);
	suite_add_tcase(s, t);
	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
