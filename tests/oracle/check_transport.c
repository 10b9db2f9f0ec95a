/*
 * What a sender may rely on: an answer when its window is full, every mark told once,
 * a long path filled, and timers that run only when they should.
 *
 * a - s - z, 100 Gb/s (a byte is 80 ps), D a link, no latency in s.  SENDs of packets of
 * 4096 bytes: frames of 4158, an ACK 66 (IBTA annex A17), 20 more of preamble and gap,
 * 8 of them before a frame (IEEE 802.3).
 *
 *	T	4178 * 80			from one packet's start to the next
 *	THERE	2 * (4166 * 80 + D)		start of a packet to its last bit at z
 *	BACK	2 * (74 * 80 + D)		and of its ACK at a
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/bed.h"

enum { MTU = 4096 };
#define T INT64_C(334240)
#define THERE(d) (2 * (4166 * INT64_C(80) + (d)))
#define BACK(d) (2 * (74 * INT64_C(80) + (d)))
#define RTT (THERE(BED_US) + BACK(BED_US))

/* ---- a congestion control that writes down what it is told ---- */

static struct told {
	int64_t ce_bytes, acked_bytes, ack_seq;
	int acks, falls, timeouts, naks;
	int64_t window, then;		/* of the QP; after the first ACK */
	int64_t shrinks_after_ps;	/* after a NAK, to one packet; 0: not */
	int64_t slower;			/* this part of the line's rate; 0: all of it */
} told;

static void told_init(struct cc *cc, int64_t now_ps)
{
	(void)now_ps;
	cc->out.cwnd_bytes = told.window;
	cc->out.rate_bps = cc->path.line_bps / (told.slower ? told.slower : 1);
	cc->out.timer_ps[0] = cc->out.timer_ps[1] = CC_NEVER_PS;
}

static void told_ack(struct cc *cc, const struct cc_ack *ack)
{
	told.ce_bytes += ack->ce_bytes;
	told.acked_bytes += ack->acked_bytes;
	told.falls += ack->ack_seq <= told.ack_seq;
	told.ack_seq = ack->ack_seq;
	told.acks++;
	cc->out.cwnd_bytes = told.then;
}

static void told_loss(struct cc *cc, int64_t now_ps, enum cc_loss why)
{
	if (told.shrinks_after_ps && why == CC_LOSS_NAK)
		cc->out.timer_ps[0] = now_ps + told.shrinks_after_ps;
	told.timeouts += why == CC_LOSS_TIMEOUT;
	told.naks += why == CC_LOSS_NAK;
}

static void told_timer(struct cc *cc, int64_t now_ps, int id)
{
	(void)now_ps;
	(void)id;
	cc->out.cwnd_bytes = 1;
}

static const struct cc_ops told_ops = { .name = "told", .paper = "-", .needs = CC_NEED_ECN, .state_size = 16,
	.init = told_init, .on_ack = told_ack, .on_loss = told_loss, .on_timer = told_timer };

static void tell(struct bed *b, int64_t window, int64_t then)
{
	told = (struct told){ .window = window, .then = then, .ack_seq = -1 };
	b->nic.cc = &told_ops;
}

/* ---- beds ---- */

static void path(struct bed *b)
{
	bed_open(b, 100 * BED_MS);
	b->nic.mtu_bytes = MTU;
	b->sw.latency_ps = 0;
}

static void send_many(struct bed *b, const char *from, const char *to, int64_t size, int64_t count)
{
	char x[8], y[8], *src[] = { x }, *dst[] = { y };

	snprintf(x, sizeof x, "%s", from);
	snprintf(y, sizeof y, "%s", to);
	bed_traffic(b, (struct workload_conf){ .kind = WORKLOAD_FLOW, .from = src, .nfrom = 1, .to = dst,
		.nto = 1, .size_bytes = size, .count = count, .depth = count < 8 ? count : 8,
		.verb = WORKLOAD_SEND }, from);
}

static void send(struct bed *b, const char *from, const char *to, int64_t size)
{
	send_many(b, from, to, size, 1);
}

static void line(struct bed *b, int64_t delay_ps)
{
	bed_switch(b, "s");
	bed_leaf(b, "a", "s", 0, 100 * BED_G, delay_ps);
	bed_leaf(b, "z", "s", 1, 100 * BED_G, delay_ps);
}

static void loses(struct bed *b, const char *node, int64_t every, int64_t count)
{
	char name[16], at[8];

	snprintf(name, sizeof name, "loss%s", node);
	snprintf(at, sizeof at, "%s", node);
	bed_fault(b, &(struct fault_conf){ .name = name, .kind = FAULT_DROP, .a = at, .class_ = -1,
		.every = every, .count = count, .lasts_ps = UNITS_NEVER });
}

struct seen { const struct fabric *f; int64_t done_ps, again_bytes; struct view_totals totals; };

static void watch(void *ctx, const struct record *rec)
{
	struct seen *s = ctx;

	if (rec->kind == RECORD_FLOW_DELIVERED)
		s->done_ps = rec->at_ps;
	else
		s->again_bytes += view_flow(s->f, rec->flow).retransmitted_bytes;
}

static struct seen run(struct bed *b)
{
	struct seen s = { .done_ps = -1 };

	bed_finish(b);
	s.f = b->f;
	fabric_add_sink(b->f, UINT64_C(1) << RECORD_FLOW_DELIVERED | UINT64_C(1) << RECORD_FLOW_ACKED, watch, &s);
	bed_run(b);
	s.totals = view_totals(b->f);
	bed_close(b);
	return s;
}

/* ---- full windows (IBTA volume 1, 9.7.5: a packet with AckReq is answered) ---- */

/* A window of w packets, and ACKs further apart than that: w packets back to back, the answer
 * of the last, and again. */
static const struct { const char *cc; int64_t window; bool bdp; int recovery; int64_t every, w; } windows[] = {
	{ "none", 20000, false, NIC_GO_BACK_N, 16, 5 },
	{ "none", 20480, false, NIC_GO_BACK_0, 16, 5 },
	{ "none", 20000, false, NIC_SELECTIVE_REPEAT, 32, 5 },
	{ "none", 1, false, NIC_GO_BACK_N, 1000, 1 },
	{ "fixed_window", 20000, false, NIC_GO_BACK_N, 16, 5 },
	{ "none", 0, true, NIC_GO_BACK_N, 64, 15 },	/* C RTT = 58480 bytes, 14.3 packets */
};

START_TEST(a_full_window_is_answered_at_once)
{
	char window[16];
	const char *const settings[] = { "window", window, NULL };
	struct bed b;
	int64_t n = 60, w = windows[_i].w;

	path(&b);
	snprintf(window, sizeof window, "%lldB", (long long)windows[_i].window);
	if (windows[_i].cc[0] == 'f')
		bed_cc(&b, windows[_i].cc, NULL, settings);
	else if (windows[_i].window)
		b.nic.window_bytes = windows[_i].window;
	b.nic.bdp_cap = windows[_i].bdp;
	b.nic.recovery = windows[_i].recovery;
	b.nic.ack_every = windows[_i].every;
	line(&b, BED_US);
	send(&b, "a", "z", n * MTU);
	struct seen s = run(&b);
	ck_assert_int_eq(s.done_ps, (n / w - 1) * ((w - 1) * T + RTT) + (w - 1) * T + THERE(BED_US));
	ck_assert_int_eq(s.again_bytes, 0);
}
END_TEST

/* Twenty packets, an ACK for sixteen: then the window is two, four fly, and nobody has asked.
 * One more goes, and asks. */
START_TEST(a_window_that_shrinks_is_answered)
{
	struct bed b;

	path(&b);
	tell(&b, 20 * MTU, 2 * MTU);
	b.nic.ack_every = 16;
	line(&b, BED_US);
	send(&b, "a", "z", 23 * MTU);
	struct seen s = run(&b);
	ck_assert_int_eq(s.done_ps, 15 * T + RTT + RTT + T + THERE(BED_US));
	ck_assert_int_eq(told.acks, 3);
	ck_assert_int_eq(told.timeouts, 0);
}
END_TEST

/* A packet each 4 T: the third of five is lost, and the fifth, which asks, is thrown away.  Of those
 * sent again two fly when the window shrinks to one: what had asked before does not count. */
START_TEST(what_is_sent_again_asks_again)
{
	struct bed b;

	path(&b);
	tell(&b, 5 * MTU, 5 * MTU);
	told.slower = 4;
	told.shrinks_after_ps = 4 * T + T / 2;
	b.nic.ack_every = 16;
	line(&b, BED_US);
	loses(&b, "z", 3, 1);
	send(&b, "a", "z", 12 * MTU);
	struct seen s = run(&b);
	ck_assert_int_eq(told.naks, 1);
	ck_assert_int_eq(told.timeouts, 0);
	ck_assert_int_gt(s.done_ps, 0);
}
END_TEST

/* ---- marks (DCTCP, SIGCOMM 2010, section 3.1: the sender learns of every marked packet) ---- */

/* a and c send to z through a switch that has four ways, of which each packet takes one; where
 * they meet every packet above 20 KB is marked.  c ends first: at the end none is marked. */
static void diamond(struct bed *b, int balance, bool marks)
{
	char name[8];

	b->sw.balance = balance;
	b->sw.ecn[BED_RDMA] = (struct ecn_conf){ .on = marks, .kmin_bytes = 20000, .kmax_bytes = 20000,
		.pmax = { 1, 1 } };
	bed_switch(b, "l");
	bed_switch(b, "r");
	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof name, "s%d", i);
		bed_switch(b, name);
		bed_link(b, "l", 10 + i, name, 0, 100 * BED_G, (1 + i) * BED_US);
		bed_link(b, "r", 10 + i, name, 1, 100 * BED_G, BED_US);
	}
	bed_leaf(b, "a", "l", 0, 100 * BED_G, BED_US);
	bed_leaf(b, "z", "r", 0, 100 * BED_G, BED_US);
}

static const struct { int balance, recovery; int64_t every, loss; } marked[] = {
	{ SWITCH_BALANCE_PACKET, NIC_SELECTIVE_REPEAT, 1, 0 },
	{ SWITCH_BALANCE_PACKET, NIC_SELECTIVE_REPEAT, 8, 0 },
	{ SWITCH_BALANCE_PACKET, NIC_SELECTIVE_REPEAT, 1, 50 },
	{ SWITCH_BALANCE_FLOW, NIC_SELECTIVE_REPEAT, 1, 50 },
	{ SWITCH_BALANCE_FLOW, NIC_SELECTIVE_REPEAT, 8, 50 },
	{ SWITCH_BALANCE_FLOW, NIC_GO_BACK_N, 1, 50 },
	{ SWITCH_BALANCE_FLOW, NIC_GO_BACK_N, 8, 50 },
};

START_TEST(every_mark_is_told)
{
	struct bed b;

	path(&b);
	tell(&b, 25 * MTU, 25 * MTU);
	b.nic.recovery = marked[_i].recovery;
	b.nic.ack_every = marked[_i].every;
	b.nic.retry_timeout_ps = 200 * BED_US;
	diamond(&b, marked[_i].balance, true);
	bed_leaf(&b, "c", "r", 1, 100 * BED_G, BED_US);
	if (marked[_i].loss)
		loses(&b, "z", marked[_i].loss, 40);
	send(&b, "a", "z", 3000 * MTU);
	send(&b, "c", "z", 500 * MTU);
	struct seen s = run(&b);
	ck_assert_int_eq(told.acked_bytes, 3500 * MTU);
	ck_assert_int_gt(told.ce_bytes, 100 * MTU);
	ck_assert_int_gt(told.naks, 0);
	ck_assert_int_eq(told.ce_bytes, s.totals.marked_frames * MTU);
}
END_TEST

/* ---- stale NAKs ---- */

/* Sprayed, go-back-N: NAKs of the first packet of a message that an ACK has overtaken.  They are
 * of no unacknowledged packet, and ignored (IBTA volume 1, 9.7.5): what is acknowledged stays so. */
START_TEST(a_stale_nak_takes_nothing_back)
{
	struct bed b;

	path(&b);
	tell(&b, 40 * MTU, 40 * MTU);
	b.nic.retry_timeout_ps = 200 * BED_US;
	diamond(&b, SWITCH_BALANCE_PACKET, false);
	send_many(&b, "a", "z", 2 * MTU, 500);
	run(&b);
	ck_assert_int_gt(told.naks, 10);
	ck_assert_int_eq(told.falls, 0);
	ck_assert_int_eq(told.acked_bytes, 1000 * MTU);
}
END_TEST

/* ---- a long path ---- */

/* 12207 packets of 1024 bytes fit into a round trip of 1 ms: selective repeat fills it as go-back-N
 * does, and a lost packet costs it one packet more, with 12207 kept out of order meanwhile. */
static const struct { int recovery; int64_t lost; } longs[] = {
	{ NIC_GO_BACK_N, 0 }, { NIC_SELECTIVE_REPEAT, 0 }, { NIC_SELECTIVE_REPEAT, 1 },
};

START_TEST(a_long_path_is_filled)
{
	int64_t n = 40000, byte = 80, d = 250 * BED_US;
	struct bed b;

	path(&b);
	b.nic.mtu_bytes = 1024;
	b.nic.recovery = longs[_i].recovery;
	line(&b, d);
	if (longs[_i].lost)
		loses(&b, "z", 20000, longs[_i].lost);
	send(&b, "a", "z", n * 1024);
	struct seen s = run(&b);
	ck_assert_int_eq(s.done_ps, (n - 1 + longs[_i].lost) * 1106 * byte + 2 * (1094 * byte + d));
	ck_assert_int_eq(s.again_bytes, longs[_i].lost * 1024);
}
END_TEST

static void warned(void *ctx, const char *text)
{
	*(int *)ctx += strstr(text, "262144 packets") != NULL;
}

/* 800 Gb/s and 4 ms are 400 MB, 390625 packets of 1024: more than selective repeat keeps track of. */
START_TEST(a_path_that_is_too_long_is_warned_of)
{
	for (int i = 0; i < 3; i++) {
		struct bed b;
		int n = 0;

		path(&b);
		b.sw.buffer.size_bytes = 1000000000;
		b.nic.mtu_bytes = i == 1 ? 2048 : 1024;
		b.nic.recovery = i == 2 ? NIC_GO_BACK_N : NIC_SELECTIVE_REPEAT;
		bed_switch(&b, "s");
		bed_leaf(&b, "a", "s", 0, 800 * BED_G, BED_MS);
		bed_leaf(&b, "z", "s", 1, 800 * BED_G, BED_MS);
		send(&b, "a", "z", MTU);
		bed_finish(&b);
		fabric_warnings(b.f, warned, &n);
		ck_assert_int_eq(n, i == 0);
		bed_close(&b);
	}
}
END_TEST

/* ---- timers ---- */

/* Each ACK starts the timer anew: n packets take 33 times as long as it. */
START_TEST(a_timer_starts_anew_with_every_ack)
{
	struct bed b;

	path(&b);
	tell(&b, CC_NO_WINDOW, CC_NO_WINDOW);
	b.nic.retry_timeout_ps = 10 * BED_US;
	line(&b, BED_US);
	send(&b, "a", "z", 1000 * MTU);
	struct seen s = run(&b);
	ck_assert_int_eq(s.done_ps, 999 * T + THERE(BED_US));
	ck_assert_int_eq(told.timeouts, 0);
	ck_assert_int_eq(s.again_bytes, 0);
}
END_TEST

/* IRN, SIGCOMM 2018, section 3.1: RTO_low only while few packets fly.  The round trip is longer. */
START_TEST(rto_low_is_not_for_many_packets)
{
	struct bed b;

	path(&b);
	tell(&b, CC_NO_WINDOW, CC_NO_WINDOW);
	b.nic.recovery = NIC_SELECTIVE_REPEAT;
	b.nic.rto_low_ps = 100 * BED_US;
	b.nic.retry_timeout_ps = 300 * BED_US;
	line(&b, 40 * BED_US);
	send(&b, "a", "z", 5 * MTU);
	struct seen s = run(&b);
	ck_assert_int_eq(s.done_ps, 4 * T + THERE(40 * BED_US));
	ck_assert_int_eq(told.timeouts, 0);
	ck_assert_int_eq(s.again_bytes, 0);
}
END_TEST

/* Five packets, all lost: RTO_high from the instant the first left; with four in flight RTO_high
 * again; then, with three and fewer, RTO_low.  Each is answered, however far ACKs are apart. */
START_TEST(both_timeouts_of_irn)
{
	struct bed b;

	path(&b);
	tell(&b, CC_NO_WINDOW, CC_NO_WINDOW);
	b.nic.recovery = NIC_SELECTIVE_REPEAT;
	b.nic.rto_low_ps = 100 * BED_US;
	b.nic.retry_timeout_ps = 300 * BED_US;
	b.nic.ack_every = _i ? 16 : 1;
	line(&b, BED_US);
	loses(&b, "z", 1, 5);
	send(&b, "a", "z", 5 * MTU);
	struct seen s = run(&b);
	ck_assert_int_eq(s.done_ps, 2 * 300 * BED_US + 3 * 100 * BED_US + 4 * RTT + THERE(BED_US));
	ck_assert_int_eq(told.timeouts, 5);
	ck_assert_int_eq(s.again_bytes, 5 * MTU);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("transport");
	TCase *t = tcase_create("transport");

	tcase_add_loop_test(t, a_full_window_is_answered_at_once, 0, sizeof windows / sizeof *windows);
	tcase_add_test(t, a_window_that_shrinks_is_answered);
	tcase_add_test(t, what_is_sent_again_asks_again);
	tcase_add_loop_test(t, every_mark_is_told, 0, sizeof marked / sizeof *marked);
	tcase_add_test(t, a_stale_nak_takes_nothing_back);
	tcase_add_loop_test(t, a_long_path_is_filled, 0, sizeof longs / sizeof *longs);
	tcase_add_test(t, a_path_that_is_too_long_is_warned_of);
	tcase_add_test(t, a_timer_starts_anew_with_every_ack);
	tcase_add_test(t, rto_low_is_not_for_many_packets);
	tcase_add_loop_test(t, both_timeouts_of_irn, 0, 2);
	suite_add_tcase(s, t);
	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
