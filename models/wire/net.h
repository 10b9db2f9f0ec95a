/*
 * models/wire/net.h - what all nodes of one run stand on: clock, frames,
 * ports, records, digest.
 *
 * A node owns its state; frames on links are the only channel between nodes.
 * Node ids and port ids are dense, in natural order of names.
 */
#ifndef NET_H
#define NET_H
#include <stdbool.h>
#include <stdint.h>
#include "models/record.h"
#include "models/wire/frame.h"
#include "models/wire/telemetry.h"
#include "sim/arena.h"
#include "sim/assert.h"
#include "sim/engine.h"
#include "sim/pool.h"
#include "sim/rng.h"

#define NET_NONE UINT32_MAX

/* Classes of events: their order at one instant on one node (DESIGN, law 3).
 * Transmit decisions come after all of these: net_decide. */
enum net_class { NET_FAULT, NET_TX_END, NET_PAUSE, NET_ARRIVAL, NET_TIMER };
enum net_kind {			/* second half of the code, per class */
	NET_PAUSE_EFFECT = 0, NET_PAUSE_EXPIRY = 1,	/* NET_PAUSE; object: port */
	NET_PIPELINE = 0,	/* NET_TIMER; object: switch node: a frame leaves the pipeline */
	NET_REFRESH,		/* port: a standing XOFF is due again */
	NET_RECEIVE,		/* port of a host: the receive buffer has drained a frame */
	NET_WATCHDOG,		/* switch node */
	NET_PACE,		/* QP: may send again */
	NET_QP,			/* QP: congestion control or retry deadline */
	NET_WORKLOAD,		/* part of a workload */
	NET_CONTROL,		/* port of a host: an ACK or CNP has been worked out */
	NET_REROUTE,		/* port of a switch: the routes learn of its link */
	NET_STORM,		/* host node: NIC watchdog */
	NET_PI			/* port of a switch, tie: and queue: a PI controller's interval */
};
#define NET_CODE(class_, kind) ((unsigned)(class_) << 4 | (unsigned)(kind))

struct port;
struct port_stats;
struct port_queue_stats;
struct node {
	char *name;		/* owned */
	bool is_switch;
	uint32_t id, first_port, ports;
	uint64_t digest;	/* chain over what happened here */
	void *self;		/* struct switch_node or struct nic */
};

struct net_sink { record_sink *fn; void *ctx; uint64_t mask; };
enum { NET_SINKS = 40 };

struct net {
	int64_t now_ps;
	uint64_t trace_mask;	/* kinds that any sink wants */
	struct engine *engine;
	struct arena arena;	/* what lives as long as the run */
	struct pool frames;
	struct pool copies;	/* struct switch_copy */
	struct pool telemetry;	/* struct telemetry */
	struct port *ports;
	struct port_errors *errors;	/* by port; NULL: no link has had any */
	int64_t *built_bps;	/* by port, rates before any fault; NULL: no fault changes one */
	struct port_stats *stats;	/* 8 a port */
	struct port_queue_stats *queue_stats;	/* likewise */
	struct node *nodes;
	uint32_t nports, nnodes;
	uint32_t *decide;	/* ports whose transmit decision is due at this instant */
	uint32_t ndecide;
	bool settle;		/* an observer wants a look when the instant is done */
	uint64_t packet_hops;
	int64_t last_delivery_ps, delivered_bytes;
	uint64_t seed;
	struct net_sink sink[NET_SINKS];
	int sinks;
};

void net_emit(struct net *net, const struct record *rec);	/* cold */
#define NET_TRACES(net, kind_) __builtin_expect((net)->trace_mask >> (kind_) & 1, 0)
#define NET_TRACE(net, kind_, node_, port_, prio_, flow_, a_, b_)			\
	do {										\
		if (NET_TRACES(net, kind_))						\
			net_emit((net), &(struct record){ (net)->now_ps, (kind_),	\
				(uint8_t)(prio_), 0, (node_), (port_), (flow_), (a_), (b_) }); \
	} while (0)

static inline struct frame *net_frame(const struct net *net, uint32_t handle)
{
	return (struct frame *)(void *)(net->frames.base + (size_t)handle * sizeof(struct frame));
}
static inline uint32_t net_frame_take(struct net *net) { return pool_take(&net->frames); }
static inline struct telemetry *net_telemetry(const struct net *net, const struct frame *f)
{
	return pool_at(&net->telemetry, f->telemetry);
}
/* When its sender started it, wherever that stands. */
static inline int64_t net_sent_ps(const struct net *net, const struct frame *f)
{
	return f->flags & FRAME_INT ? net_telemetry(net, f)->sent_ps : f->sent_ps;
}
/* Before a frame is copied: the copy goes without. */
static inline void net_strip_telemetry(struct net *net, struct frame *f)
{
	if (!(f->flags & FRAME_INT))
		return;
	uint32_t t = f->telemetry;
	f->sent_ps = net_telemetry(net, f)->sent_ps;
	f->flags &= (uint8_t)~FRAME_INT;
	pool_give(&net->telemetry, t);
}
static inline void net_frame_free(struct net *net, uint32_t h)
{
	if (__builtin_expect(net_frame(net, h)->flags & FRAME_INT, 0))
		net_strip_telemetry(net, net_frame(net, h));
	pool_give(&net->frames, h);
}

/* The digest of a node: a chain over (time, kind, port, priority, bytes, flow). */
static inline void net_digest(struct net *net, struct node *node, uint64_t what, uint64_t flow)
{
	node->digest = rng_mix(node->digest ^ (uint64_t)net->now_ps ^ UINT64_C(0x9e3779b97f4a7c15),
			       what ^ flow << 32 ^ UINT64_C(0xd1342543de82ef95));
}
enum net_digest_kind { NET_D_ARRIVE = 1, NET_D_PAUSED, NET_D_RESUMED, NET_D_DROP, NET_D_DELIVER,
		       NET_D_FAIL, NET_D_WATCHDOG, NET_D_FAULT };
#define NET_WHAT(kind, local_port, prio, bytes)						\
	((uint64_t)(kind) << 56 | (uint64_t)(prio) << 52 | (uint64_t)((local_port) & 0xfffff) << 32 | \
	 (uint32_t)(bytes))
#endif
