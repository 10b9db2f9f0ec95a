/*
 * tests/unit/fake_fabric.h - a fabric made of nothing but its answers, for the
 * deadlock detector: what is paused, and what each group holds for which egress.
 * Included by one file of a program; it defines view_* in place of the models.
 */
#ifndef FAKE_FABRIC_H
#define FAKE_FABRIC_H
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "models/view.h"

enum { NODES = 12, PORTS = 40, Q = 3, WAYS = 4 };

struct fake_group { struct view_group g; int64_t held[PORTS]; int64_t copied; };
struct fabric {
	uint32_t nodes, ports;
	char name[NODES][8];
	bool is_switch[NODES];
	uint32_t first[NODES], count[NODES];
	struct view_port port[PORTS];
	bool paused[PORTS];
	struct fake_group group[PORTS];		/* all of priority Q */
	uint32_t copies[2];			/* egresses of the copied bytes */
	struct switch_conf conf;
	struct nic_conf nic;
	int64_t xon_bytes, pool_bytes;		/* pool 0: static */
	int64_t now_ps;
	record_sink *sink;
	uint64_t mask;
	void (*settle)(void *, int64_t);
	void *ctx;
	bool wanted;
	uint64_t looks;			/* at what a group holds */
};

/* ---- the fabric's answers ---- */

uint32_t view_nodes(const struct fabric *f) { return f->nodes; }
uint32_t view_ports(const struct fabric *f) { return f->ports; }
const char *view_node_name(const struct fabric *f, uint32_t node) { return f->name[node]; }
bool view_is_switch(const struct fabric *f, uint32_t node) { return f->is_switch[node]; }
const struct switch_conf *view_switch_conf(const struct fabric *f, uint32_t node)
{
	(void)node;
	return &f->conf;
}
const struct nic_conf *view_nic_conf(const struct fabric *f, uint32_t node)
{
	(void)node;
	return &f->nic;
}
struct view_port view_port(const struct fabric *f, uint32_t port) { return f->port[port]; }
uint32_t view_first_port(const struct fabric *f, uint32_t node) { return f->first[node]; }
uint32_t view_port_count(const struct fabric *f, uint32_t node) { return f->count[node]; }
struct view_run view_run(const struct fabric *f) { return (struct view_run){ .now_ps = f->now_ps }; }

struct view_counters view_counters(const struct fabric *f, uint32_t port, int prio)
{
	return (struct view_counters){ .paused = prio == Q && f->paused[port] };
}

struct view_group view_group(const struct fabric *f, uint32_t port, int prio)
{
	return prio == Q ? f->group[port].g : (struct view_group){ 0 };
}

bool view_is_paused(const struct fabric *f, uint32_t out, int prio)
{
	return prio == Q && f->paused[out] && f->port[out].up;
}

enum view_stops view_stops(const struct fabric *f, uint32_t out)
{
	(void)f;
	(void)out;
	return VIEW_STOPS_BY_PRIORITY;
}

uint8_t view_leaves_as(const struct fabric *f, uint32_t node, int prio)
{
	ck_assert(f->is_switch[node]);
	return (uint8_t)(1u << prio);
}

int64_t view_held_in(const struct fabric *f, uint32_t in, int prio, const uint64_t *outs)
{
	uint32_t node = f->port[in].node;
	int64_t sum = 0;

	((struct fabric *)(uintptr_t)f)->looks++;
	if (prio != Q)
		return 0;
	for (uint32_t i = 0; i < f->count[node]; i++)
		if (outs[Q] >> i & 1)
			sum += f->group[in].held[f->first[node] + i];
	for (int c = 0; c < 2 && f->group[in].copied; c++)
		if (outs[Q] >> (f->copies[c] - f->first[node]) & 1)
			return sum + f->group[in].copied;
	return sum;
}

int view_part(const struct fabric *f, uint32_t port)
{
	(void)f;
	(void)port;
	return 0;
}

bool view_arriving(const struct fabric *f, uint32_t in, int prio)
{
	(void)f;
	(void)in;
	(void)prio;
	return false;
}

bool view_would_xon(const struct fabric *f, uint32_t in, int prio, int64_t own, int64_t all_shared,
		    int64_t port_shared, bool more)
{
	int64_t xon = f->xon_bytes;

	(void)port_shared;
	(void)more;

	ck_assert_int_eq(prio, Q);
	if (f->pool_bytes)	/* alpha 1/2, offset 0 */
		xon = (f->pool_bytes - all_shared) / 2;
	else
		ck_assert_int_eq(all_shared, 0);
	return own - f->group[in].g.reserved_bytes <= xon;
}

void fabric_add_sink(struct fabric *f, uint64_t mask, record_sink *sink, void *ctx)
{
	f->mask = mask;
	f->sink = sink;
	f->ctx = ctx;
}
void fabric_add_settle(struct fabric *f, void (*settle)(void *, int64_t), void *ctx)
{
	(void)ctx;
	f->settle = settle;
}
void fabric_want_settle(struct fabric *f) { f->wanted = true; }

/* ---- building and driving it ---- */

static uint32_t add_node(struct fabric *f, const char *name, bool is_switch, uint32_t ports)
{
	uint32_t node = f->nodes++;

	strcpy(f->name[node], name);
	f->is_switch[node] = is_switch;
	f->first[node] = f->ports;
	f->count[node] = ports;
	for (uint32_t i = 0; i < ports; i++)
		f->port[f->ports++] = (struct view_port){
			.node = node, .peer_port = VIEW_NONE, .number = (int)i,
			.rate_bps = 40000000000, .now_bps = 40000000000, .delay_ps = 100000, .up = true };
	return node;
}

static void link_up(struct fabric *f, uint32_t a, uint32_t b)
{
	f->port[a].peer_port = b;
	f->port[b].peer_port = a;
}

/* Switches A, B, ... in a ring: port 0 to the previous, 1 to the next, 2 to a host. */
static void ring(struct fabric *f, uint32_t n)
{
	*f = (struct fabric){ .xon_bytes = 97000, .conf.buffer.xoff_bytes = 100000,
			      .conf.buffer.size_bytes = 1000000 };
	f->conf.pfc.response_ps = f->nic.pfc.response_ps = 1000;
	for (uint32_t i = 0; i < n; i++)
		add_node(f, (char[]){ (char)('A' + i), 0 }, true, 3);
	for (uint32_t i = 0; i < n; i++) {
		add_node(f, (char[]){ 'h', (char)('1' + i), 0 }, false, 1);
		link_up(f, 3 * i + 1, 3 * ((i + 1) % n));
		link_up(f, 3 * i + 2, 3 * n + i);
	}
}

static void emit(struct fabric *f, int kind, uint32_t port, int64_t a, int64_t b)
{
	struct record rec = { .at_ps = f->now_ps, .kind = (uint16_t)kind, .prio = Q,
			      .node = f->port[port].node, .port = port, .flow = UINT32_MAX,
			      .a = a, .b = b };

	if (f->mask >> kind & 1)
		f->sink(f->ctx, &rec);
}

static void instant_ends(struct fabric *f)
{
	f->wanted = false;
	f->settle(f->ctx, f->now_ps);
	f->now_ps += 1000000;
}

/* The group that egress `out` fills holds `bytes` for egress `next` and stops it. */
static void stop(struct fabric *f, uint32_t out, uint32_t next, int64_t bytes)
{
	struct fake_group *g = &f->group[f->port[out].peer_port];

	g->g = (struct view_group){ .xoff = true, .xoff_sent = true, .refreshed = true,
				    .shared_bytes = bytes };
	g->held[next] = bytes;
	f->paused[out] = true;
	emit(f, RECORD_GROUP_XOFF, f->port[out].peer_port, 0, 0);
	emit(f, RECORD_XOFF_SENT, f->port[out].peer_port, bytes, 0);
	emit(f, RECORD_PAUSED, out, 0, 0);
}

static inline void release(struct fabric *f, uint32_t out, int64_t how)
{
	f->paused[out] = false;
	emit(f, RECORD_RESUMED, out, 1, how);
}

static uint32_t out_of(uint32_t i) { return 3 * i + 1; }

static void close_ring(struct fabric *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		stop(f, out_of(i), out_of((i + 1) % n), 100000);
}
#endif
