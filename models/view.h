/*
 * models/view.h - the fabric as observers see it: read only.
 *
 * Node ids and port ids are dense, in natural order of names (h2 before h10),
 * ports by node then number; so any loop over ids gives the order of output.
 */
#ifndef VIEW_H
#define VIEW_H
#include <stdbool.h>
#include <stdint.h>
#include "models/fabric.h"
#include "models/record.h"
#include "models/switch/headroom.h"

#define VIEW_NONE UINT32_MAX

/* Sinks, samplers and settle hooks are added after fabric_finish, before fabric_run. */
void fabric_add_sink(struct fabric *f, uint64_t kinds_mask, record_sink *sink, void *ctx);
/* Called for t = every_ps, 2 every_ps, ... with each node after its last event at or before t. */
void fabric_add_sampler(struct fabric *f, int64_t every_ps, void (*sample)(void *ctx, int64_t at_ps), void *ctx);
/* A sink that wants to look at several nodes calls fabric_want_settle; the hook runs at the end of that instant. */
void fabric_add_settle(struct fabric *f, void (*settle)(void *ctx, int64_t at_ps), void *ctx);
void fabric_want_settle(struct fabric *f);

struct view_run {
	int64_t now_ps;		/* simulated so far */
	uint64_t events;
	uint64_t packet_hops;	/* arrivals of frames at the far end of a link, pauses excluded */
	uint64_t pool_growths;	/* chunks added while running */
	uint64_t digest;
	int64_t last_delivery_ps; /* of any payload byte at any receiver */
	bool complete;		/* reached `until` */
};
struct view_run view_run(const struct fabric *f);
/* Where the clock and the event count stand while the fabric lives (for sim_assert). */
void view_clock(const struct fabric *f, const int64_t **now_ps, const uint64_t **events);
const struct run_conf *view_run_conf(const struct fabric *f);
int view_classes(const struct fabric *f);
const struct class_conf *view_class(const struct fabric *f, int class_);

uint32_t view_nodes(const struct fabric *f);
const char *view_node_name(const struct fabric *f, uint32_t node);
bool view_is_switch(const struct fabric *f, uint32_t node);
const struct switch_conf *view_switch_conf(const struct fabric *f, uint32_t node);
const struct nic_conf *view_nic_conf(const struct fabric *f, uint32_t node);
int64_t view_switch_peak_bytes(const struct fabric *f, uint32_t node);	/* whole buffer, high water */

uint32_t view_ports(const struct fabric *f);		/* all ports of all nodes */
struct view_port {
	uint32_t node, peer_port;	/* peer_port: dense id of the far end */
	int number;			/* the user's: "leaf0:3" has number 3 */
	int64_t rate_bps, delay_ps;
	int64_t now_bps;	/* what a fault has made of the rate */
	bool up;
};
struct view_port view_port(const struct fabric *f, uint32_t port);
uint32_t view_first_port(const struct fabric *f, uint32_t node);	/* its ports are consecutive */
uint32_t view_port_count(const struct fabric *f, uint32_t node);

/* Always-on counters, per port and priority. */
struct view_counters {
	int64_t tx_frames, tx_bytes;		/* frame bytes, FCS included, preamble not */
	int64_t rx_frames, rx_bytes;
	int64_t marked;				/* CE set here (egress) */
	int64_t xoff_frames, refresh_frames, xon_frames;	/* sent by this port */
	int64_t xoff_received;			/* XOFF frames, refreshes included */
	int64_t pauses, paused_ps, longest_pause_ps;	/* of this transmitter; one standing now counts up to now */
	int64_t drops[RECORD_DROPS];		/* frames */
	uint8_t short_of;			/* enum mmu_short: limits that lossless frames lost here met */
	int64_t queue_peak_bytes;		/* egress queue */
	int64_t group_peak_bytes;		/* ingress group: all it held */
	int64_t headroom_peak_bytes;
	int64_t queue_bytes, group_bytes, headroom_bytes;	/* now */
	int64_t headroom_limit_bytes;
	bool paused;				/* now */
	bool lossless;				/* a lossless group on this switch port */
};
struct view_counters view_counters(const struct fabric *f, uint32_t port, int prio);

struct view_queue {			/* egress queue of a switch port */
	int64_t tx_frames, tx_bytes;
	int64_t lost_frames, lost_bytes;	/* at the queue: its limit, WRED, the watchdog; not at ingress */
	int64_t peak_bytes;
};
struct view_queue view_queue(const struct fabric *f, uint32_t port, int queue);

/* For pause causes and the deadlock detector (switch ports only). */
struct view_group {			/* ingress group (port, prio) */
	bool xoff;			/* the MMU holds it in XOFF */
	bool xoff_sent;			/* an XOFF has been sent and no XON since (sent, not only wanted) */
	bool refreshed;			/* refresh period plus one frame shorter than the quanta */
	int64_t reserved_bytes, shared_bytes, headroom_bytes;
};
struct view_group view_group(const struct fabric *f, uint32_t port, int prio);
/* Priorities as which frames that came into switch `node` as `prio` may leave it; `prio` alone, unless
 * the switch remaps classes.  A pause of that priority is what holds them. */
uint8_t view_leaves_as(const struct fabric *f, uint32_t node, int prio);
/* Bytes of ingress group (in, prio), lossless, that wait at egress (out, same switch) to leave as priority
 * `as`, the frame in transmission excluded; a copied frame counts at its first waiting egress only. */
int64_t view_held_for(const struct fabric *f, uint32_t in, int prio, uint32_t out, int as);
/* Would the MMU's own XON rule free group (in, prio) if only `own` bytes of it, `all_shared` bytes of
 * its partition of the shared pool, and of these `port_shared` bytes of its port (of matter with
 * two-level thresholds only) were still held?  Headroom drains first, then shared, then reserved;
 * `more`: frames may still come to the group (mmu.h). */
bool view_would_xon(const struct fabric *f, uint32_t in, int prio, int64_t own_bytes, int64_t all_shared_bytes,
		    int64_t port_shared_bytes, bool more);
/* Are frames for group (in, prio) on their way on the link to it? */
bool view_arriving(const struct fabric *f, uint32_t in, int prio);
int view_part(const struct fabric *f, uint32_t port);	/* of the pools, of a switch port: 0 .. view_parts - 1 */
/* Is the pause of egress (out, prio) in effect, link up, and no watchdog action on it? */
bool view_is_paused(const struct fabric *f, uint32_t out, int prio);

struct view_flow {			/* one message of a QP */
	const char *name;		/* workload */
	int workload;			/* index in order of names */
	int class_;
	uint32_t src, dst;		/* node ids */
	int64_t size_bytes;
	int64_t start_ps;		/* intended start */
	uint64_t hash;			/* from names; orders flows that start together */
	int64_t retransmitted_bytes, cnps;	/* so far */
	int64_t rnr_naks, rnr_wait_ps;	/* receivers that were not ready, and what it waited for them */
	int64_t sent_bytes, acked_bytes;	/* of this message, so far */
	int part;			/* 0; request 0 and response 1 of a transaction; step of a collective */
	int64_t transaction_start_ps;	/* request_response: the intended start of the request */
};
struct view_flow view_flow(const struct fabric *f, uint32_t flow);
/* The exact time the message would need alone on its path, ps.  Without telemetry, whether its control
 * asks for it or not: it is the same for every control, so slowdowns compare, and what the header costs
 * is part of them (as in HPCC's simulations, third.cc: "with header but no INT"). */
int64_t view_ideal_ps(const struct fabric *f, uint32_t flow);
/* Unfinished flows, at the end of a run: walks them in order of (start, hash). */
void view_unfinished(const struct fabric *f, void (*each)(void *ctx, uint32_t flow, const char *waits_for), void *ctx);

int view_workloads(const struct fabric *f);		/* in order of names */
struct view_workload {
	const char *name;
	int kind, class_;
	int64_t delivered_bytes;	/* payload (streams: frame bytes) in order at receivers */
	int64_t delivered_after_warmup_bytes;
	int64_t first_delivery_ps, last_delivery_ps;	/* -1: none */
	int64_t sent_frames, sent_bytes;	/* streams: frames sent */
	int64_t iterations;		/* collectives: whole rounds done */
	int64_t qps;			/* standing queue pairs of its `from` hosts; poisson and list open one a flow: 0 */
};
struct view_workload view_workload(const struct fabric *f, int workload);
/* Messages that its settings ask for and that have not begun: workload_not_begun of
 * models/host/workload_run.h.  Goes through all its hosts, or flows of a list. */
int64_t view_not_begun(const struct fabric *f, int workload);

struct view_totals { int64_t cnps, data_frames, marked_frames, watchdog_storms, watchdog_restores, watchdog_dropped,
	watchdog_told; };
struct view_totals view_totals(const struct fabric *f);
/* I1 for every port and I2 for every switch; on a mismatch returns -1 and says which. */
int view_conservation(const struct fabric *f, struct sim_error *err);

/* ---- Wanted by observe/ (added by its author; see observe/deadlock.c, findings.c) ---- */
/* Bytes of ingress group (in, prio), lossy ones too, that wait in any egress queue of the set `outs` of the same
 * switch: eight bitmaps, one for each priority that they leave as (bit i: port view_first_port(node) + i;
 * as many words as its ports need), the frame in transmission excluded; a copied frame counts once if any
 * copy waits there.  view_held_for would miss a copy whose first waiting egress is free. */
int64_t view_held_in(const struct fabric *f, uint32_t in, int prio, const uint64_t *outs);
/* Bytes of use of group (in, prio) at which it goes XOFF as things stand now: reserved + shared
 * limit (static, or alpha * free pool); 0 for a lossy group or a host. */
int64_t view_xoff_limit(const struct fabric *f, uint32_t in, int prio);
/* `start` and `stop` of a workload's settings (stop UNITS_NEVER: none). */
void view_workload_span(const struct fabric *f, int workload, int64_t *start_ps, int64_t *stop_ps);

/* ---- For analyze/: what was settled when the fabric was finished (models/view_plan.c) ---- */
uint32_t view_find(const struct fabric *f, const char *name);	/* node id, or VIEW_NONE */
enum { VIEW_FLOOD = -1, VIEW_DROP = -2 };
/* Where switch `node` sends frames to host `dst`: egress ports in ascending order, at most `max`
 * (255 are enough); 0 no way, VIEW_FLOOD, VIEW_DROP. */
int view_next_hops(const struct fabric *f, uint32_t node, uint32_t dst, uint32_t *ports, int max);
int view_dscp_of(const struct fabric *f, uint32_t host, int class_);	/* what the NIC stamps */
int view_priority_of(const struct fabric *f, uint32_t node, int dscp);	/* of a switch: priority group */
int view_queue_of(const struct fabric *f, uint32_t node, int dscp);	/* of a switch: egress queue */
bool view_remaps(const struct fabric *f, uint32_t node);	/* does the switch change classes? */
/* The DSCP with which a frame leaves by `out` that came in by `in` (of the same switch) with `dscp`. */
int view_dscp_after(const struct fabric *f, uint32_t in, uint32_t out, int dscp);
uint8_t view_lossless_of(const struct fabric *f, uint32_t port);	/* mask of priorities, any node */
uint8_t view_queues_of(const struct fabric *f, uint32_t port, int prio);	/* stopped by a pause of `prio` */
/* Pauses stop egress `out`: of 802.1Qbb by priority (VIEW_BY_PRIORITY); of 802.3x at both ends, so that
 * any group of the peer stops all of it (WHOLE); never, the ends speak different kinds. */
enum view_stops { VIEW_STOPS_BY_PRIORITY, VIEW_STOPS_WHOLE, VIEW_STOPS_NEVER };
enum view_stops view_stops(const struct fabric *f, uint32_t out);
/* What the headroom of a switch port depends on; the peer's rate, delay and response. */
struct headroom_conf view_headroom_conf(const struct fabric *f, uint32_t in);
struct view_limits {		/* of ingress group (in, prio), as set */
	bool lossless, in_use;
	int64_t reserved_bytes, headroom_bytes;
	int64_t xoff_bytes;		/* static; -1: alpha times the free pool */
	struct units_ratio alpha;
	struct units_ratio port_alpha;	/* num > 0: of two levels, alpha times what the port has left */
	int64_t xon_bytes, xon_offset_bytes;
};
struct view_limits view_limits(const struct fabric *f, uint32_t in, int prio);
struct view_watchdog {		/* queue (port, prio) of a switch: columns of `pfcwd show stats' */
	bool watched, stormed;
	int64_t storms, restores;
	struct watchdog_count all, last;	/* during storms, during the last */
};
struct view_watchdog view_watchdog(const struct fabric *f, uint32_t port, int prio);
struct watchdog_times view_watchdog_times(const struct fabric *f, uint32_t node);
bool view_watched(const struct fabric *f, uint32_t port, int prio);	/* by its switch's watchdog */
int64_t view_pool_bytes(const struct fabric *f, uint32_t node);			/* shared pool of a switch */
int64_t view_headroom_pool_bytes(const struct fabric *f, uint32_t node);
int view_parts(const struct fabric *f, uint32_t node);		/* partitions of its pools */
struct view_pool { int64_t shared_bytes, headroom_bytes; };	/* what the groups of a partition have together */
struct view_pool view_pool(const struct fabric *f, uint32_t node, int part);
int64_t view_frame_bytes_max(const struct fabric *f);		/* largest that any host may send */
const struct workload_conf *view_workload_conf(const struct fabric *f, int workload);
/* Node ids of its `from` or `to`. */
const uint32_t *view_workload_hosts(const struct fabric *f, int workload, bool to, int *n);

/* ---- Frames, for captures ---- */
enum view_frame_kind { VIEW_DATA, VIEW_STREAM, VIEW_ACK, VIEW_NAK, VIEW_CNP, VIEW_FRAGMENT, VIEW_MTU_ERROR,
		       VIEW_PAUSE, VIEW_READ, VIEW_RNR };
struct view_frame {
	enum view_frame_kind kind;
	int bytes;			/* Ethernet frame with FCS */
	int payload_bytes;		/* data, stream */
	uint32_t src, dst;		/* node ids (not of VIEW_PAUSE) */
	uint32_t qp;			/* 24 bits: the queue pair, from 0 up */
	uint32_t psn;			/* 24 bits: of the packet; of the last packet that an ACK acknowledges */
	uint16_t source_port;		/* UDP entropy */
	int dscp, ttl;
	bool ect, ce, df;
	bool first, last;		/* of its message (data) */
	bool again;			/* sent before (data) */
	bool asks;			/* the receiver answers at once: BTH AckReq (data, not a READ's) */
	int verb;			/* enum nic_verb (data); READ: a response */
	int rnr_timer;			/* VIEW_RNR: code */
	int64_t message_bytes;		/* data: of the whole message; VIEW_READ: asked for */
	uint8_t enabled;		/* VIEW_PAUSE: class-enable vector */
	bool global;			/* VIEW_PAUSE: 802.3x, quanta[0] */
	uint16_t quanta[8];
};
struct view_frame view_frame(const struct fabric *f, int64_t handle);

/* ---- Who waits where (observe/waits.c; models/view_waits.c) ---- */
struct view_wait {		/* a frame in an egress queue, or a QP that a host would let send next */
	uint32_t qp;		/* an ACK or CNP counts as its flow's, which waits for it */
	uint8_t gen;
	int64_t bytes;		/* of the frame; 0 of a QP */
};
/* All that waits in the queues which a pause of (port, prio) stops: of each queue the frames, in
 * the order in which they will be sent (the one in transmission is gone), then the ready QPs.
 * Of a switch, with `in`, only the frames of ingress group (in, in_prio); VIEW_NONE: of all. */
void view_waiting(const struct fabric *f, uint32_t port, int prio, uint32_t in, int in_prio,
		  void (*each)(void *ctx, const struct view_wait *w), void *ctx);
/* Whose QP it is; false: it is closed by now, nobody knows. */
bool view_waits_for(const struct fabric *f, uint32_t qp, uint8_t gen, int *workload, uint32_t *src,
		    uint32_t *dst);
#endif
