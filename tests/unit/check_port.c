/*
 * models/wire/port: the pause state machine, both ways, on two ports and a wire.
 *
 *   running -> XOFF wanted -> XOFF sent (refreshed) -> XON wanted -> XON sent
 *
 * 100G, 1 us apart; a byte is 80 ps, a quantum 5120 ps, the response 10 quanta.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "models/wire/port.h"

#define US INT64_C(1000000)
enum { BYTE = 80, QUANTUM = 5120, RESPONSE = 10 * QUANTUM, QUANTA = 1000, LOG = 4096 };
/* From the start of a pause frame to its last bit at the peer. */
#define FLIGHT (72 * BYTE + US)

struct bench {
	struct port port[2];
	struct port_stats stats[16];
	struct net net;
	struct node nodes[2];
	uint32_t decide[4];
	struct record log[LOG];
	int logged;
	int frames;		/* data that has arrived */
};

static void keep(void *ctx, const struct record *rec)
{
	struct bench *b = ctx;

	if (b->logged < LOG)
		b->log[b->logged++] = *rec;
}

static struct bench *bench_new(int64_t rate_bps, int64_t refresh_ps)
{
	struct pfc_conf pfc = { .enable = true, .quanta = QUANTA, .refresh_ps = refresh_ps };
	struct bench *b = aligned_alloc(64, (sizeof *b + 63) / 64 * 64);
	struct net *net = &b->net;

	memset(b, 0, sizeof *b);
	pfc.response_ps = RESPONSE;
	net->engine = engine_new(ENGINE_HEAP, 100);
	pool_init(&net->frames, sizeof(struct frame), 100, 100000);
	net->ports = b->port;
	net->stats = b->stats;
	net->nodes = b->nodes;
	net->decide = b->decide;
	net->nports = net->nnodes = 2;
	net->sink[0] = (struct net_sink){ keep, b, UINT64_MAX };
	net->sinks = 1;
	net->trace_mask = UINT64_MAX;
	for (uint32_t i = 0; i < 2; i++) {
		b->nodes[i] = (struct node){ .id = i, .first_port = i, .ports = 1 };
		port_init(&b->port[i], rate_bps, US, &pfc, (struct rng){ i });
		b->port[i].peer = 1 - i;
		b->port[i].node = i;
		for (int prio = 0; prio < 8; prio++)
			b->port[i].queues_of[prio] = (uint8_t)(1u << prio);
	}
	return b;
}

static void bench_free(struct bench *b)
{
	engine_free(&b->net.engine);
	pool_fini(&b->net.frames);
	free(b);
}

static void queue_data(struct bench *b, int from, int queue, int n, int bytes)
{
	for (int i = 0; i < n; i++) {
		uint32_t h = net_frame_take(&b->net);
		*net_frame(&b->net, h) = (struct frame){ .kind = FRAME_STREAM, .bytes = (uint16_t)bytes,
			.prio = (uint8_t)queue, .queue = (uint8_t)queue };
		port_enqueue(&b->net, &b->port[from], queue, h);
	}
	port_kick(&b->net, &b->port[from]);
}

/* What fabric.c and a node do, in small. */
static void decide(struct bench *b)
{
	static const int64_t held[8] = { 0 };
	struct net *net = &b->net;

	for (uint32_t i = 0; i < net->ndecide; i++) {
		struct port *p = &net->ports[net->decide[i]];
		p->deciding = false;
		if (net->now_ps < p->busy_until_ps) {
			port_arm_tx_end(net, p);
			continue;
		}
		if (!(port_pause_due(p) && port_send_pause(net, p, held))) {
			unsigned ready = port_sendable(p);
			if (!ready)
				continue;
			port_send(net, p, port_dequeue(net, p, __builtin_ctz(ready)));
		}
		if (port_sendable(p) || port_pause_due(p))
			port_arm_tx_end(net, p);
	}
	net->ndecide = 0;
}

static void dispatch(struct bench *b, uint64_t key)
{
	struct net *net = &b->net;
	struct port *p = &net->ports[engine_object(key)];
	uint32_t h;

	switch (engine_code(key)) {
	case NET_CODE(NET_ARRIVAL, 0):
		h = port_take_arrival(net, p);
		if (h == POOL_NONE)
			break;
		if (net_frame(net, h)->kind == FRAME_PAUSE) {
			port_receive_pause(net, p, h);
		} else {
			b->frames++;
			net_frame_free(net, h);
		}
		break;
	case NET_CODE(NET_TX_END, 0):
		p->tx_end_armed = false;
		port_kick(net, p);
		break;
	case NET_CODE(NET_PAUSE, NET_PAUSE_EFFECT):
		port_pause_effect(net, p);
		break;
	case NET_CODE(NET_PAUSE, NET_PAUSE_EXPIRY):
		port_pause_expiry(net, p);
		break;
	case NET_CODE(NET_TIMER, NET_REFRESH):
		port_refresh(net, p);
		break;
	default:
		ck_abort_msg("an event of no known kind");
	}
}

static void run(struct bench *b, int64_t until)
{
	uint64_t key;

	decide(b);
	for (int64_t at; (at = engine_next_ps(b->net.engine)) <= until; decide(b)) {
		b->net.now_ps = at;
		while (engine_take(b->net.engine, at, &key))
			dispatch(b, key);
	}
	b->net.now_ps = until;
}

static int count(const struct bench *b, int kind)
{
	int n = 0;

	for (int i = 0; i < b->logged; i++)
		n += b->log[i].kind == kind;
	return n;
}

static int64_t when(const struct bench *b, int kind, int n)
{
	for (int i = 0; i < b->logged; i++)
		if (b->log[i].kind == kind && n-- == 0)
			return b->log[i].at_ps;
	return -1;
}

#define WANT(b, prio, xoff) port_pause_want(&(b)->net, &(b)->port[0], prio, xoff)

/* ---- sending ---- */

START_TEST(xoff_stops_and_xon_frees_the_peer)
{
	struct bench *b = bench_new(100000000000, 100 * US);

	WANT(b, 3, true);
	run(b, 3 * US);
	ck_assert_int_eq(when(b, RECORD_XOFF_SENT, 0), 0);
	ck_assert_int_eq(when(b, RECORD_PAUSED, 0), FLIGHT + RESPONSE);
	ck_assert_uint_eq(b->port[1].paused, 1u << 3);
	WANT(b, 3, false);
	run(b, 6 * US);
	ck_assert_int_eq(when(b, RECORD_XON_SENT, 0), 3 * US);
	ck_assert_int_eq(when(b, RECORD_RESUMED, 0), 3 * US + FLIGHT + RESPONSE);
	ck_assert_uint_eq(b->port[1].paused, 0);
	ck_assert_int_eq(b->stats[8 + 3].paused_ps, 3 * US);
	bench_free(b);
}
END_TEST

/* The frame is built when it starts: what is taken back before says nothing. */
START_TEST(a_flip_taken_back_sends_nothing)
{
	struct bench *b = bench_new(100000000000, 100 * US);

	queue_data(b, 0, 1, 1, 9000);
	run(b, 10);				/* busy until 720 ns */
	WANT(b, 3, true);
	run(b, 100000);
	WANT(b, 3, false);
	run(b, 3 * US);
	ck_assert_int_eq(count(b, RECORD_XOFF_SENT), 0);
	WANT(b, 3, true);			/* sent; then twice in one frame: still XOFF */
	run(b, 4 * US);
	queue_data(b, 0, 1, 1, 9000);
	run(b, 4 * US + 10);
	WANT(b, 3, false);
	WANT(b, 3, true);
	run(b, 8 * US);
	ck_assert_int_eq(count(b, RECORD_XOFF_SENT), 1);
	ck_assert_int_eq(count(b, RECORD_XON_SENT), 0);
	ck_assert_int_eq(b->stats[3].xoff, 1);
	bench_free(b);
}
END_TEST

/* A pause waits for the frame in flight, and then goes before all others, one
 * frame for all priorities; its gap is kept. */
START_TEST(a_pause_waits_for_one_frame)
{
	struct bench *b = bench_new(100000000000, 100 * US);

	queue_data(b, 0, 1, 5, 1000);
	run(b, 10);
	WANT(b, 3, true);
	WANT(b, 5, true);
	run(b, 3 * US);
	ck_assert_int_eq(count(b, RECORD_XOFF_SENT), 2);
	ck_assert_int_eq(when(b, RECORD_XOFF_SENT, 1), 1008 * BYTE);
	ck_assert_int_eq(when(b, RECORD_PAUSED, 0), 1020 * BYTE + FLIGHT + RESPONSE);
	ck_assert_int_eq(when(b, RECORD_PAUSED, 1), when(b, RECORD_PAUSED, 0));
	ck_assert_int_eq(b->stats[8 + 3].pfc_received, 1);
	ck_assert_int_eq(b->frames, 5);
	bench_free(b);
}
END_TEST

START_TEST(a_standing_xoff_is_refreshed)
{
	int64_t refresh = QUANTA / 2 * QUANTUM;
	struct bench *b = bench_new(100000000000, refresh);

	WANT(b, 3, true);
	run(b, refresh / 2);
	WANT(b, 4, true);			/* later: it must not be refreshed too late */
	run(b, 40 * refresh + US);
	ck_assert_int_eq(b->stats[3].refresh, 40);
	ck_assert_int_ge(b->stats[4].refresh, 39);
	ck_assert_int_eq(count(b, RECORD_RESUMED), 0);
	WANT(b, 3, false);
	run(b, 60 * refresh);
	ck_assert_int_eq(b->stats[3].refresh, 40);
	ck_assert_int_ge(b->stats[4].refresh, 58);
	ck_assert_int_eq(count(b, RECORD_RESUMED), 1);
	WANT(b, 4, false);
	run(b, 61 * refresh);
	b->logged = 0;
	run(b, 100 * refresh);
	ck_assert_int_eq(b->logged, 0);		/* nothing stands: nothing is sent */
	ck_assert_int_eq(engine_next_ps(b->net.engine), UNITS_NEVER);
	bench_free(b);
}
END_TEST

/* I6, against a random owner: XOFF and XON alternate on each priority, and at
 * the end the peer has heard what stands. */
START_TEST(alternates_whatever_is_wanted)
{
	struct bench *b = bench_new(100000000000, 3 * US);
	uint64_t x = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(_i + 1);
	uint8_t want = 0;

	for (int64_t at = 0; at < 1000 * US; at += (int64_t)(x >> 40) % (2 * US)) {
		x ^= x << 13; x ^= x >> 7; x ^= x << 17;	/* xorshift64 */
		run(b, at);
		if (x % 8 == 0)
			queue_data(b, 0, 1, 1, 64 + (int)(x >> 50) % 9000);
		want ^= (uint8_t)(1u << (x >> 20) % 8);
		WANT(b, (int)((x >> 20) % 8), want >> ((x >> 20) % 8) & 1);
		for (int prio = 0; prio < 8; prio++) {
			int64_t open = b->stats[prio].xoff - b->stats[prio].xon;
			ck_assert(open == 0 || open == 1);
		}
	}
	run(b, 1100 * US);
	ck_assert_uint_eq(b->port[0].sent, want);
	ck_assert_uint_eq(b->port[1].paused, want);
	for (int prio = 0; prio < 8; prio++)
		ck_assert_int_gt(b->stats[prio].xoff, 30);
	bench_free(b);
}
END_TEST

/* ---- receiving ---- */

/* A pause frame as a peer of any make might send it. */
static void send_pause(struct bench *b, uint8_t vector, const uint16_t quanta[8])
{
	uint32_t h = net_frame_take(&b->net);
	struct frame *f = net_frame(&b->net, h);

	*f = (struct frame){ .kind = FRAME_PAUSE, .bytes = PFC_FRAME_BYTES, .class_ = vector };
	memcpy(f->quanta, quanta, sizeof f->quanta);
	port_send(&b->net, &b->port[0], h);
}

START_TEST(expires_at_its_quanta)
{
	struct bench *b = bench_new(100000000000, 100 * US);

	send_pause(b, 1u << 2 | 1u << 6, (uint16_t[8]){ [2] = 100, [6] = 300, [7] = 500 });
	run(b, 20 * US);
	ck_assert_int_eq(count(b, RECORD_PAUSED), 2);	/* 7 is not in the vector */
	ck_assert_int_eq(when(b, RECORD_RESUMED, 0), FLIGHT + 100 * QUANTUM);
	ck_assert_int_eq(when(b, RECORD_RESUMED, 1), FLIGHT + 300 * QUANTUM);
	ck_assert_int_eq(b->stats[8 + 2].paused_ps, 90 * QUANTUM);
	ck_assert_int_eq(b->stats[8 + 6].longest_pause_ps, 290 * QUANTUM);
	ck_assert_int_eq(b->stats[8 + 6].on_to_off, 1);
	bench_free(b);
}
END_TEST

/* The timer is loaded anew by each frame, to more or to less (31B.3.3). */
START_TEST(a_second_frame_reloads_the_timer)
{
	static const uint16_t second[] = { 500, 100 };
	struct bench *b = bench_new(100000000000, 100 * US);

	send_pause(b, 1u << 2, (uint16_t[8]){ [2] = 300 });
	run(b, US);
	send_pause(b, 1u << 2, (uint16_t[8]){ [2] = second[_i] });
	run(b, 20 * US);
	ck_assert_int_eq(count(b, RECORD_PAUSED), 1);
	ck_assert_int_eq(count(b, RECORD_RESUMED), 1);
	ck_assert_int_eq(when(b, RECORD_RESUMED, 0), US + FLIGHT + second[_i] * QUANTUM);
	bench_free(b);
}
END_TEST

/* Two frames within one response time both wait for theirs. */
START_TEST(frames_wait_in_order)
{
	struct bench *b = bench_new(100000000000, 100 * US);

	send_pause(b, 1u << 2, (uint16_t[8]){ [2] = 300 });
	run(b, 10000);
	send_pause(b, 1u << 2 | 1u << 3, (uint16_t[8]){ [3] = 300 });
	run(b, 20 * US);
	ck_assert_int_eq(when(b, RECORD_PAUSED, 0), FLIGHT + RESPONSE);
	ck_assert_int_eq(when(b, RECORD_RESUMED, 0), 10000 + FLIGHT + RESPONSE);
	ck_assert_int_eq(when(b, RECORD_PAUSED, 1), 10000 + FLIGHT + RESPONSE);
	ck_assert_int_eq(when(b, RECORD_RESUMED, 1), 10000 + FLIGHT + 300 * QUANTUM);
	bench_free(b);
}
END_TEST

/* I4: no frame of a paused queue starts; the others, and pauses, do. */
START_TEST(a_paused_queue_keeps_its_frames)
{
	struct bench *b = bench_new(100000000000, 100 * US);

	b->port[1].queues_of[2] = 1u << 2 | 1u << 5;	/* a priority of two queues */
	send_pause(b, 1u << 2, (uint16_t[8]){ [2] = 1000 });
	run(b, 2 * US);
	ck_assert_uint_eq(b->port[1].paused_queues, 1u << 2 | 1u << 5);
	queue_data(b, 1, 2, 3, 1000);
	queue_data(b, 1, 4, 3, 1000);
	queue_data(b, 1, 5, 3, 1000);
	port_pause_want(&b->net, &b->port[1], 2, true);
	run(b, 5 * US);
	ck_assert_int_eq(b->frames, 3);
	ck_assert_uint_eq(b->port[1].ready, 1u << 2 | 1u << 5);
	ck_assert_int_eq(b->stats[2].pfc_received, 1);
	run(b, FLIGHT + 1000 * QUANTUM + 2 * US);
	ck_assert_int_eq(b->frames, 9);
	bench_free(b);
}
END_TEST

/* A watchdog's queue neither obeys nor asks. */
START_TEST(ignored_priorities)
{
	struct bench *b = bench_new(100000000000, 100 * US);

	b->port[0].ignore = 1u << 3;
	b->port[1].ignore = 1u << 2;
	send_pause(b, 1u << 2 | 1u << 4, (uint16_t[8]){ [2] = 1000, [4] = 1000 });
	run(b, US);
	WANT(b, 3, true);
	run(b, 5 * US);
	ck_assert_uint_eq(b->port[1].paused, 1u << 4);
	ck_assert_int_eq(count(b, RECORD_XOFF_SENT), 0);
	bench_free(b);
}
END_TEST

/* A priority that is not lossless is not stopped (802.1Qbb: only enabled priorities
 * obey); a NIC that gave up pausing is mute, but obeys as before. */
START_TEST(deaf_and_mute_priorities)
{
	struct bench *b = bench_new(100000000000, 100 * US);

	b->port[1].deaf = 1u << 2;
	b->port[1].mute = 1u << 4;
	b->port[0].mute = 1u << 3;
	send_pause(b, 1u << 2 | 1u << 4, (uint16_t[8]){ [2] = 1000, [4] = 1000 });
	run(b, US);
	WANT(b, 3, true);
	run(b, 5 * US);
	ck_assert_uint_eq(b->port[1].paused, 1u << 4);
	ck_assert_int_eq(count(b, RECORD_XOFF_SENT), 0);
	bench_free(b);
}
END_TEST

/* Link down: what was on the wire is lost and counted, pauses are forgotten both
 * ways, and those that wait for their response as well. */
START_TEST(a_cut_forgets)
{
	struct bench *b = bench_new(100000000000, 100 * US);

	WANT(b, 3, true);
	run(b, 3 * US);
	send_pause(b, 1u << 4, (uint16_t[8]){ [4] = 1000 });
	run(b, 3 * US + FLIGHT + RESPONSE / 2);		/* waits at the peer */
	queue_data(b, 1, 6, 2, 1000);
	run(b, b->net.now_ps + 100);
	port_cut(&b->net, &b->port[0]);
	port_cut(&b->net, &b->port[1]);
	ck_assert_uint_eq(b->port[1].paused, 0);
	ck_assert_uint_eq(b->port[0].sent | b->port[0].want, 0);
	ck_assert_int_eq(b->stats[3].xoff, b->stats[3].xon);
	ck_assert_int_eq(b->stats[8 + 6].drops[RECORD_DROP_WIRE], 1);
	ck_assert_int_eq(b->stats[8 + 6].cut_bytes, 1000);
	run(b, 50 * US);
	ck_assert_int_eq(count(b, RECORD_PAUSED), 1);	/* and not by the one that waited */
	ck_assert_int_eq(b->frames, 1);			/* the second was not yet sent */
	bench_free(b);
}
END_TEST

START_TEST(a_port_without_pfc)
{
	struct bench *b = bench_new(100000000000, 100 * US);

	b->port[0].pfc = b->port[1].pfc = false;
	WANT(b, 3, true);
	send_pause(b, 1u << 4, (uint16_t[8]){ [4] = 1000 });
	run(b, 10 * US);
	ck_assert_int_eq(count(b, RECORD_XOFF_SENT), 0);
	ck_assert_uint_eq(b->port[1].paused, 0);
	bench_free(b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("port");
	TCase *tc = tcase_create("port");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, xoff_stops_and_xon_frees_the_peer);
	tcase_add_test(tc, a_flip_taken_back_sends_nothing);
	tcase_add_test(tc, a_pause_waits_for_one_frame);
	tcase_add_test(tc, a_standing_xoff_is_refreshed);
	tcase_add_loop_test(tc, alternates_whatever_is_wanted, 0, 10);
	tcase_add_test(tc, expires_at_its_quanta);
	tcase_add_loop_test(tc, a_second_frame_reloads_the_timer, 0, 2);
	tcase_add_test(tc, frames_wait_in_order);
	tcase_add_test(tc, a_paused_queue_keeps_its_frames);
	tcase_add_test(tc, ignored_priorities);
	tcase_add_test(tc, deaf_and_mute_priorities);
	tcase_add_test(tc, a_cut_forgets);
	tcase_add_test(tc, a_port_without_pfc);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
