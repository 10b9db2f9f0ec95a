/*
 * The wire, exact to the picosecond: one frame over k store-and-forward links,
 * messages of many frames where links differ, rates that do not divide, gaps,
 * goodput.
 *
 * The expected times are IEEE 802.3 clause 4 as DESIGN section 4 fixes it: a
 * frame of F bytes occupies its wire for 8 + F + 12 bytes and is delivered at
 * the last bit of F.  So one frame over h links takes h * (t(8 + F) + d)
 * (algorithms.md, 6.1), n frames (n - 1) * t(F + 20) more (6.2), and where
 * links differ the max-plus recurrence holds (6.3).
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/bed.h"

enum { LINKS = 8 };

struct chain {
	int links;
	int64_t rate[LINKS], delay[LINKS], latency[LINKS];
};

struct message { const struct fabric *f; int64_t start_ps, end_ps, fct_ps, ideal_ps; };

static void watch(void *ctx, const struct record *rec)
{
	struct message *m = ctx;

	if (rec->kind == RECORD_FLOW_START) {
		m->start_ps = rec->at_ps;
		m->ideal_ps = view_ideal_ps(m->f, rec->flow);
	} else {
		m->end_ps = rec->at_ps;
		m->fct_ps = rec->a;
	}
}

/* a - s1 - s2 - ... - z, and one message of `size` from a to z: its time, which
 * is also what is recorded, and what its slowdown is reckoned against. */
static int64_t chain_fct(const struct chain *c, int64_t size)
{
	struct message m = { .end_ps = -1 };
	char at[16] = "a", to[16];
	struct bed b;

	bed_open(&b, 100 * BED_MS);
	bed_host(&b, "a");
	bed_host(&b, "z");
	for (int i = 0; i < c->links; i++) {
		snprintf(to, sizeof to, i < c->links - 1 ? "s%d" : "z", i + 1);
		b.sw.latency_ps = c->latency[i];
		if (i < c->links - 1)
			bed_switch(&b, to);
		bed_link(&b, at, i ? 1 : 0, to, 0, c->rate[i], c->delay[i]);
		snprintf(at, sizeof at, "%s", to);
	}
	bed_flow(&b, "m", "a", "z", size, 1);
	bed_finish(&b);
	m.f = b.f;
	fabric_add_sink(b.f, UINT64_C(1) << RECORD_FLOW_START |
			     UINT64_C(1) << RECORD_FLOW_DELIVERED, watch, &m);
	bed_run(&b);
	bed_close(&b);
	ck_assert_int_eq(m.end_ps - m.start_ps, m.fct_ps);
	ck_assert_int_eq(m.ideal_ps, m.fct_ps);
	return m.fct_ps;
}

/* 970 bytes of payload: 970 + 2 pad + 62 RoCE + 16 RETH = 1050 bytes of frame,
 * 1058 with the preamble; a byte is 80 ps. */
START_TEST(one_frame_over_k_links)
{
	struct chain c = { .links = _i };

	for (int i = 0; i < c.links; i++) {
		c.rate[i] = 100 * BED_G;
		c.delay[i] = BED_US;
	}
	ck_assert_int_eq(chain_fct(&c, 970), _i * (1058 * 80 + BED_US));
}
END_TEST

/* 1 MB in 244 packets of 4096 and one of 576: the first frame is 16 longer. */
START_TEST(a_message_alone)
{
	struct chain c = { .links = _i };
	int64_t n = 244;

	for (int i = 0; i < c.links; i++) {
		c.rate[i] = 100 * BED_G;
		c.delay[i] = BED_US;
	}
	/* The longest way: the first frame, the longest of all, over every link but
	 * the last, and there all frames, of which the last is short. */
	int64_t more = 80 * (8 + 4174) + BED_US;
	int64_t last = 80 * (4174 + 20 + (n - 1) * (4158 + 20) + 8 + 638) + BED_US;
	ck_assert_int_eq(chain_fct(&c, n * 4096 + 576), last + (c.links - 1) * more);
}
END_TEST

/* 1000 frames of 1062 bytes over a link of 100G that runs at 25G from 50 us on, and is whole again
 * at 150 us: a frame takes the rate at which it begins.  At 100G one takes 80 x 1082 = 86,560 ps,
 * and 578 begin before 50 us (577 x 86,560 = 49,945,120); at 25G four times as long, and 289
 * begin before 150 us (288 x 346,240 = 99,717,120 after 50,031,680); the other 133 at 100G.  The
 * second link is never the slower one, so only the last frame passes it alone. */
START_TEST(a_link_that_slows_down)
{
	struct message m = { .end_ps = -1 };
	struct bed b;
	char a[] = "a", s[] = "s", name[] = "lanes";
	int64_t sent = 80 * 1082 * (578 + 133) + 320 * 1082 * 289 - 80 * 12;

	bed_open(&b, BED_MS);
	b.nic.mtu_bytes = 1000;
	b.nic.verb = NIC_SEND;
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(&b, "z", "s", 1, 100 * BED_G, BED_US);
	bed_flow(&b, "m", "a", "z", 1000000, 1);
	bed_fault(&b, &(struct fault_conf){ .name = name, .kind = FAULT_LINK_SLOW, .class_ = -1, .a = a, .b = s,
		.at_ps = 50 * BED_US, .lasts_ps = 100 * BED_US, .rate_bps = 25 * BED_G });
	bed_finish(&b);
	m.f = b.f;
	fabric_add_sink(b.f, UINT64_C(1) << RECORD_FLOW_START | UINT64_C(1) << RECORD_FLOW_DELIVERED, watch, &m);
	bed_run(&b);
	bed_close(&b);
	ck_assert_int_eq(m.fct_ps, sent + BED_US + 80 * 1070 + BED_US);
	/* as on links that are whole */
	ck_assert_int_eq(m.ideal_ps, 80 * (1082 * 999 + 1070) + BED_US + 80 * 1070 + BED_US);
}
END_TEST

/* The same three rates, and 25G from 50 to 150 us, by faults that overlap: a slower one within
 * another that began before it and ends after, at the same 25G, and one above it the other way
 * round.  Were the end of one the end of all, the link would be whole at 90 us. */
START_TEST(faults_that_overlap)
{
	struct message m = { .end_ps = -1 };
	struct bed b;
	char a[] = "a", s[] = "s", name[3][8] = { "lanes", "more", "other" };
	int64_t sent = 80 * 1082 * (578 + 133) + 320 * 1082 * 289 - 80 * 12;

	bed_open(&b, BED_MS);
	b.nic.mtu_bytes = 1000;
	b.nic.verb = NIC_SEND;
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(&b, "z", "s", 1, 100 * BED_G, BED_US);
	bed_flow(&b, "m", "a", "z", 1000000, 1);
	bed_fault(&b, &(struct fault_conf){ .name = name[0], .kind = FAULT_LINK_SLOW, .class_ = -1, .a = a, .b = s,
		.at_ps = 50 * BED_US, .lasts_ps = 100 * BED_US, .rate_bps = 25 * BED_G });
	bed_fault(&b, &(struct fault_conf){ .name = name[1], .kind = FAULT_LINK_SLOW, .class_ = -1, .a = s, .b = a,
		.at_ps = 70 * BED_US, .lasts_ps = 20 * BED_US, .rate_bps = 50 * BED_G });
	bed_fault(&b, &(struct fault_conf){ .name = name[2], .kind = FAULT_LINK_SLOW, .class_ = -1, .a = a, .b = s,
		.at_ps = 80 * BED_US, .lasts_ps = 60 * BED_US, .rate_bps = 25 * BED_G });
	bed_finish(&b);
	m.f = b.f;
	fabric_add_sink(b.f, UINT64_C(1) << RECORD_FLOW_START | UINT64_C(1) << RECORD_FLOW_DELIVERED, watch, &m);
	bed_run(&b);
	bed_close(&b);
	ck_assert_int_eq(m.fct_ps, sent + BED_US + 80 * 1070 + BED_US);
}
END_TEST

/* A link that is down for two faults is down until the second ends: nothing passes before 30 us. */
START_TEST(down_until_the_last_ends)
{
	struct message m = { .end_ps = -1 };
	struct bed b;
	char a[] = "a", s[] = "s", name[2][8] = { "one", "two" };

	bed_open(&b, 100 * BED_MS);
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(&b, "z", "s", 1, 100 * BED_G, BED_US);
	bed_flow(&b, "m", "a", "z", 4000, 1);
	bed_fault(&b, &(struct fault_conf){ .name = name[0], .kind = FAULT_LINK_DOWN, .class_ = -1, .a = a, .b = s,
		.at_ps = 0, .lasts_ps = 10 * BED_US });
	bed_fault(&b, &(struct fault_conf){ .name = name[1], .kind = FAULT_LINK_DOWN, .class_ = -1, .a = a, .b = s,
		.at_ps = 5 * BED_US, .lasts_ps = 25 * BED_US });
	bed_finish(&b);
	m.f = b.f;
	fabric_add_sink(b.f, UINT64_C(1) << RECORD_FLOW_START | UINT64_C(1) << RECORD_FLOW_DELIVERED, watch, &m);
	bed_run(&b);
	bed_close(&b);
	ck_assert_int_gt(m.fct_ps, 30 * BED_US);
}
END_TEST

/* A message of one packet is held back by no algorithm.  One that asks for telemetry carries its
 * 42 bytes over each link; what its slowdown is reckoned against does not (view_ideal_ps). */
START_TEST(one_packet_of_every_algorithm)
{
	for (int i = 0; cc_registry[i]; i++) {
		struct message m = { .end_ps = -1 };
		struct bed b;

		bed_open(&b, BED_MS);
		bed_cc(&b, cc_registry[i]->name, NULL, NULL);
		bed_switch(&b, "s");
		bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
		bed_leaf(&b, "z", "s", 1, 40 * BED_G, BED_US);
		bed_flow(&b, "m", "a", "z", 4000, 1);
		bed_finish(&b);
		m.f = b.f;
		fabric_add_sink(b.f, UINT64_C(1) << RECORD_FLOW_START |
				     UINT64_C(1) << RECORD_FLOW_DELIVERED, watch, &m);
		bed_run(&b);
		bed_close(&b);
		int64_t ideal = (8 + 4000 + 78) * (80 + 200) + 2 * BED_US;
		int64_t extra = cc_registry[i]->needs & CC_NEED_INT ? 42 * (80 + 200) : 0;
		ck_assert_int_eq(m.ideal_ps, ideal);
		ck_assert_int_eq(m.fct_ps, ideal + extra);
	}
}
END_TEST

/* ---- the recurrence ---- */

static int64_t next(uint64_t *x, int64_t below)
{
	*x ^= *x << 13; *x ^= *x >> 7; *x ^= *x << 17;		/* xorshift64 */
	return (int64_t)(*x >> 11) % below;
}

/* Algorithms.md 6.3, frame by frame, in whole picoseconds (byte times divide). */
static int64_t recurrence(const struct chain *c, int64_t size)
{
	int64_t free_ps[LINKS] = { 0 }, at = 0;

	for (int64_t seq = 0; seq < size; seq += 4096) {
		int64_t payload = size - seq < 4096 ? size - seq : 4096;
		int64_t frame = 62 + (payload + 3) / 4 * 4 + (seq ? 0 : 16);
		at = 0;
		for (int i = 0; i < c->links; i++) {
			int64_t byte = 8 * INT64_C(1000000000000) / c->rate[i];
			int64_t start = at > free_ps[i] ? at : free_ps[i];
			free_ps[i] = start + byte * (frame + 20);
			at = start + byte * (frame + 8) + c->delay[i] +
			     (i < c->links - 1 ? c->latency[i] : 0);
		}
	}
	return at;
}

START_TEST(links_that_differ)
{
	static const int64_t rates[] = { 1, 10, 25, 40, 50, 100, 200, 400, 800 };
	uint64_t x = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(_i + 1);

	for (int k = 0; k < 25; k++) {
		struct chain c = { .links = 1 + (int)next(&x, LINKS) };
		int64_t size = 1 + next(&x, next(&x, 2) ? 9000 : 400000);
		for (int i = 0; i < c.links; i++) {
			c.rate[i] = rates[next(&x, 9)] * BED_G;
			c.delay[i] = 1 + next(&x, next(&x, 2) ? 1000 : 20000000);
			c.latency[i] = next(&x, 2) ? next(&x, 2000000) : 0;
		}
		ck_assert_int_eq(chain_fct(&c, size), recurrence(&c, size));
	}
}
END_TEST

/* ---- rates that do not divide ---- */

static const struct { int64_t rate_bps, frame; } odd[] = {
	{ 30 * BED_G, 1001 },		/* 266.67 ps a byte */
	{ 30 * BED_G, 65 },
	{ 30 * BED_G, 64 },		/* the smallest frame, 84 bytes of wire */
	{ 70 * BED_G, 1519 },		/* 114.29 ps */
	{ 37 * BED_G, 777 }, { 61 * BED_G, 4178 },
	{ 999999999989, 9216 },		/* a prime: 8.0000000000880 ps */
	{ 100 * BED_G, 64 },		/* and one that does: 6720 ps a frame */
};

/* 10^5 frames back to back: the last bit of the last leaves after
 * (n-1)(F+20) + 8 + F byte times, rounded down once, not once a frame. */
START_TEST(remainders_are_carried)
{
	int64_t n = 100000, delay = 12345, frame = odd[_i].frame;
	__int128 bits_ps = (__int128)((n - 1) * (frame + 20) + 8 + frame) * 8 * UNITS_PS_PER_S;
	__int128 stop = (__int128)((n - 1) * (frame + 20)) * 8 * UNITS_PS_PER_S / odd[_i].rate_bps;
	struct bed b;

	bed_open(&b, 1000 * BED_MS);
	bed_host(&b, "a");
	bed_leaf(&b, "z", "a", 0, odd[_i].rate_bps, delay);
	bed_stream(&b, "s", "a", "z", 0, frame, 0, (int64_t)stop + 1);
	bed_run(&b);
	struct view_workload w = bed_workload(&b, "s");
	ck_assert_int_eq(w.sent_frames, n);
	ck_assert_int_eq(w.delivered_bytes, n * frame);
	ck_assert_int_eq(w.last_delivery_ps, (int64_t)(bits_ps / odd[_i].rate_bps) + delay);
	bed_close(&b);
}
END_TEST

/* ---- how far ---- */

/* A TTL is a number of links (DESIGN, section 4). */
START_TEST(ttl_counts_links)
{
	enum { LONG = 5 };
	char at[16] = "a", to[16];
	struct bed b;

	bed_open(&b, BED_MS);
	b.nic.ttl = _i;
	bed_host(&b, "a");
	bed_host(&b, "z");
	for (int i = 1; i <= LONG; i++) {
		snprintf(to, sizeof to, i < LONG ? "s%d" : "z", i);
		if (i < LONG)
			bed_switch(&b, to);
		bed_link(&b, at, i > 1, to, 0, 100 * BED_G, BED_NS);
		snprintf(at, sizeof at, "%s", to);
	}
	bed_stream(&b, "s", "a", "z", 0, 1000, 0, 1);
	bed_run(&b);
	ck_assert_int_eq(bed_workload(&b, "s").sent_frames, 1);
	ck_assert_int_eq(bed_workload(&b, "s").delivered_bytes, _i >= LONG ? 1000 : 0);
	if (_i < LONG) {
		snprintf(at, sizeof at, "s%d", _i);	/* has come over _i links */
		ck_assert_int_eq(bed_counters(&b, at, 0, 3).drops[RECORD_DROP_TTL], 1);
	}
	bed_close(&b);
}
END_TEST

/* A flooded message is delivered and answered as any other: the copies for others
 * go their own ways and are lost. */
START_TEST(a_flooded_message)
{
	struct bed b;

	bed_open(&b, BED_MS);
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(&b, "b", "s", 1, 40 * BED_G, BED_US);
	bed_leaf(&b, "z", "s", 2, 100 * BED_G, BED_US);
	if (_i)
		bed_flood(&b, "s", "z");
	bed_flow(&b, "m", "a", "z", 10 * 4096, 1);
	bed_watch(&b, UINT64_C(1) << RECORD_FLOW_DELIVERED | UINT64_C(1) << RECORD_FLOW_ACKED);
	bed_run(&b);
	int64_t there = 2 * (8 + 4174) * 80 + 12 * 80 + (8 * 4178 + 8 + 4158) * 80 + 2 * BED_US;
	ck_assert_int_eq(bed_record(&b, RECORD_FLOW_DELIVERED, VIEW_NONE, 0)->a, there);
	ck_assert_int_eq(bed_record(&b, RECORD_FLOW_ACKED, VIEW_NONE, 0)->a,
			 there + 2 * ((8 + 66) * 80 + BED_US));
	ck_assert_int_eq(bed_counters(&b, "b", 0, 3).drops[RECORD_DROP_WIRE], _i ? 10 : 0);
	bed_close(&b);
}
END_TEST

/* ---- shares of the wire ---- */

struct mark { const struct bed *b; int64_t bytes[2]; int n; };

static void look(void *ctx, int64_t at_ps)
{
	struct mark *m = ctx;

	(void)at_ps;
	ck_assert_int_lt(m->n, 2);
	m->bytes[m->n++] = view_workload(m->b->f, 0).delivered_bytes;
}

/* A saturated link carries payload / wire of its rate: with 4096 bytes in a
 * packet 4096 / 4178 (62 RoCE + 20 preamble and gap), 98.04 Gb/s of 100G
 * (algorithms.md 6.4 with our framing).  1000 packets in 1000 wire times. */
START_TEST(goodput_of_a_saturated_link)
{
	int64_t wire_ps = 4178 * 80;
	struct mark m = { .n = 0 };
	struct bed b;

	bed_open(&b, 2000 * wire_ps);
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(&b, "z", "s", 1, 100 * BED_G, BED_US);
	bed_flow(&b, "m", "a", "z", INT64_C(1000000000), 1);
	bed_finish(&b);
	m.b = &b;
	fabric_add_sampler(b.f, 1000 * wire_ps, look, &m);
	bed_run(&b);
	ck_assert_int_eq(m.n, 2);
	ck_assert_int_eq(m.bytes[1] - m.bytes[0], 1000 * 4096);
	bed_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("wire");
	TCase *tc = tcase_create("wire");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, one_frame_over_k_links, 1, LINKS + 1);
	tcase_add_loop_test(tc, a_message_alone, 1, LINKS + 1);
	tcase_add_test(tc, a_link_that_slows_down);
	tcase_add_test(tc, faults_that_overlap);
	tcase_add_test(tc, down_until_the_last_ends);
	tcase_add_test(tc, one_packet_of_every_algorithm);
	tcase_add_loop_test(tc, links_that_differ, 0, 12);
	tcase_add_loop_test(tc, remainders_are_carried, 0, sizeof(odd) / sizeof(odd[0]));
	tcase_add_loop_test(tc, ttl_counts_links, 1, 7);
	tcase_add_loop_test(tc, a_flooded_message, 0, 2);
	tcase_add_test(tc, goodput_of_a_saturated_link);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
