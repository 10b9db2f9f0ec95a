/*
 * models/wire/port.h - one end of a link: transmitter, wire and pause state.
 *
 * Transmit.  A port is asked for its decision (port_wants_decision, then
 * fabric's dispatch) when something may have become sendable; decisions of an
 * instant are taken after all its other events.  The frame chosen when the
 * last bit of its predecessor has left starts its preamble one IFG later, so a
 * frame occupies the wire for preamble + frame + IFG and its fate is settled
 * at the start of that IFG.  From there it cannot be recalled: it is in the
 * FIFO of frames in flight, stamped with the arrival of its last bit.  Only
 * the FIFO's head is in the event queue.
 *
 * Pause, both ways.  `want` is what the owner (MMU or receive buffer) asks,
 * `sent` what the peer has last been told; a pause frame is built from `want`
 * at the moment it starts, so a flip that is taken back in time sends nothing.
 * Received pauses wait for the response time in a FIFO; see pfc.h.
 *
 *   running --port_pause_want--> XOFF wanted --port_send_pause--> XOFF sent
 *      ^                                                            | refresh (NET_REFRESH)
 *      +------------- XON sent <--port_send_pause-- XON wanted <----+
 *
 * Invariants: I4 no frame of a paused queue is chosen (port_sendable masks it);
 * I6 XOFF and XON alternate per priority (asserted in port_send_pause);
 * I9 starts never lie before free_ps (asserted in port_send).
 */
#ifndef PORT_H
#define PORT_H
#include "models/wire/net.h"
#include "models/wire/pfc.h"
#include "models/wire/sched.h"

/* Pauses of a fault that name no priority: bits of raw_due above those of the priorities. */
enum port_blank { PORT_BLANK_EMPTY = 0x100, PORT_BLANK_GLOBAL = 0x200 };
struct port_queue { uint32_t head, tail; int64_t bytes; };


struct port_errors {			/* bit errors on the wire to the peer */
	struct rng rng;
	int64_t mean_bits;		/* between two errors */
	int64_t left_bits;		/* of frames, until the next one */
};

struct port {
	/* first cache line: every frame, both ways */
	_Alignas(64) uint32_t wire_head;/* in flight to the peer */
	uint32_t wire_tail;
	uint32_t tx_frame;		/* switch: being sent, to be released at its last bit */
	uint32_t peer, node;
	uint16_t number, local;		/* the user's, and the index on the node */
	uint32_t arrivals;		/* frames received here: makes the ties of one link distinct */
	uint8_t ready;			/* queues that hold a frame */
	uint8_t paused_queues;		/* queues stopped by `paused` */
	uint8_t paused;			/* priorities whose pause is in effect */
	uint8_t want, sent, refresh_due;/* PFC to the peer, by priority */
	uint8_t ignore;			/* priorities whose pauses the watchdog ignores and forbids */
	bool deciding;			/* in net->decide */
	bool up, tx_end_armed;
	bool tx_lost : 1;		/* tx_frame was cut off the wire */
	bool rate_exact : 1;		/* ps_per_byte is exact */
	bool errors : 1;		/* bit errors on the wire to the peer: net->errors */
	bool by_queue : 1;		/* a priority has several queues: count each in port_queue_stats too */
	uint8_t tx_prio;		/* switch that remaps: ingress priority of tx_frame */
	int64_t busy_until_ps;		/* last bit of the frame being sent */
	int64_t free_ps;		/* one IFG later: earliest next preamble */
	int64_t ps_per_byte;
	/* transmit */
	struct port_queue queue[8];
	int64_t delay_ps, rate_bps;
	int64_t remainder;		/* of the division, carried from frame to frame */
	int64_t wire_bytes;		/* sent so far, with preamble and IFG */
	struct sched sched;
	struct rng rng;
	/* PFC */
	bool pfc : 1;
	bool global : 1;		/* 802.3x: `want` is all priorities in use, or none, by what they have `asked` */
	uint8_t mute;			/* priorities that it must not pause (NIC watchdog) */
	uint8_t deaf;			/* not lossless here, or in recovery: their pauses are not obeyed */
	uint8_t freezes;		/* an ASIC's fault: when all of these are in `ignore`, pauses are not counted */
	uint8_t queues_of[8];		/* queues that a priority pauses */
	uint16_t quanta;
	uint16_t raw_quanta[8];		/* of frames that a fault sends, beside want and sent */
	uint16_t raw_due;		/* by priority, and enum port_blank, whose time is raw_quanta[0] */
	int64_t quantum_ps, refresh_ps, response_ps;
	int64_t refresh_at_ps;		/* pending NET_REFRESH; UNITS_NEVER none */
	int64_t expiry_at_ps;		/* pending NET_PAUSE_EXPIRY; UNITS_NEVER none */
	uint32_t response_head, response_tail;	/* received pauses, not yet in effect */
	int64_t until_ps[8], paused_since_ps[8];
};

_Static_assert(sizeof(struct port) == 512, "a port is eight cache lines");

struct port_stats {			/* per port and priority; the first line is touched by every frame */
	_Alignas(64) int64_t tx_frames;
	int64_t tx_bytes, last_tx_ps, rx_frames, rx_bytes, marked;
	int64_t queue_peak, headroom_peak;
	int64_t xoff, refresh, xon, xoff_received;
	int64_t pfc_received;		/* what the watchdog reads: XOFF and XON */
	int64_t pauses, paused_ps, longest_pause_ps;
	int64_t on_to_off;		/* pauses that ended */
	int64_t drops[RECORD_DROPS];
	uint8_t short_of;		/* of a switch: enum mmu_short of the lossless frames lost here */
	bool asked;			/* 802.3x: the priority wants the peer stopped */
	int64_t dropped_bytes, cut_bytes;	/* all drops; those that were on the wire when it went down */
	int64_t damaged_bytes;		/* arrived with a wrong FCS: in drops, but neither received nor dropped_bytes */
};

struct port_queue_stats {		/* of a switch, by port and queue */
	int64_t lost_frames, lost_bytes;	/* that were to join it, or waited in it */
	int64_t tx_frames, tx_bytes, peak;	/* where `by_queue`; else those of the priority serve */
};

static inline uint32_t port_id(const struct net *net, const struct port *p)
{
	return (uint32_t)(p - net->ports);
}

/* From its next frame on; the quanta of pauses change with it, response and refresh do not. */
void port_set_rate(struct port *p, int64_t rate_bps);
void port_init(struct port *p, int64_t rate_bps, int64_t delay_ps, const struct pfc_conf *pfc,
	       struct rng rng);
/* Its rate as built, whatever a fault has made of it. */
static inline int64_t port_built_bps(const struct net *net, const struct port *p)
{
	return net->built_bps ? net->built_bps[port_id(net, p)] : p->rate_bps;
}
static inline struct port_stats *port_stats(const struct net *net, const struct port *p, int prio)
{
	return &net->stats[(size_t)port_id(net, p) * 8 + (size_t)prio];
}

static inline struct port_queue_stats *port_queue_stats(const struct net *net, const struct port *p, int queue)
{
	return &net->queue_stats[(size_t)port_id(net, p) * 8 + (size_t)queue];
}

/* Something may have become sendable: puts the port on this instant's list, or
 * arms the end of the frame in flight. */
void port_kick(struct net *net, struct port *p);
/* Queues that hold a frame and are not paused. */
static inline unsigned port_sendable(const struct port *p)
{
	return p->ready & ~(unsigned)p->paused_queues;
}

void port_enqueue(struct net *net, struct port *p, int queue, uint32_t frame);
uint32_t port_dequeue(struct net *net, struct port *p, int queue);	/* not empty */
/* Puts the frame on the wire.  Only at a decision: up, and now >= busy_until_ps. */
void port_send(struct net *net, struct port *p, uint32_t frame);
/* The end of the frame in flight matters to the owner: arms NET_TX_END (once). */
void port_arm_tx_end(struct net *net, struct port *p);
/* Takes the frame that has just arrived at `p` off the wire; POOL_NONE when the
 * event is stale (the link went down). */
uint32_t port_take_arrival(struct net *net, struct port *p);

/* ---- PFC ---- */
/* The owner wants the peer's `prio` stopped (true) or free. */
void port_pause_want(struct net *net, struct port *p, int prio, bool xoff);
/* Of a port whose pauses are global: what `prio` wants makes all its priorities want it, and a
 * pause that was received, which has one timer, holds for every priority this end uses. */
void port_global_want(struct net *net, struct port *p, int prio, bool xoff);
void port_global_widen(const struct port *p, struct frame *f);
/* A port sends an 802.3x pause that is not its own doing: told as one of each priority that
 * the peer stops for it, none where the peer speaks PFC. */
void port_global_tell(struct net *net, const struct port *p, uint16_t quanta);
static inline bool port_pause_due(const struct port *p)
{
	return ((p->want ^ p->sent) | p->refresh_due | p->raw_due) != 0;
}
/* Builds the pause that is due and sends it; at a decision. `held[prio]` are the
 * bytes that the owner holds, for the record. */
bool port_send_pause(struct net *net, struct port *p, const int64_t held[8]);	/* false: nothing was due after all */
void port_receive_pause(struct net *net, struct port *p, uint32_t frame);	/* owns the frame */
void port_pause_effect(struct net *net, struct port *p);	/* NET_PAUSE_EFFECT */
void port_pause_expiry(struct net *net, struct port *p);	/* NET_PAUSE_EXPIRY */
void port_refresh(struct net *net, struct port *p);		/* NET_REFRESH */
/* Ends the pause of these priorities at once; why as RECORD_RESUMED.b. */
void port_resume(struct net *net, struct port *p, unsigned prios, int why);
/* Stops `prio` again if the last pause received, ignored so far, still holds. */
void port_pause_again(struct net *net, struct port *p, int prio);
/* Link down: forgets pauses, loses what is on the wire towards the peer. */
void port_cut(struct net *net, struct port *p);
#endif
