/*
 * models/switch/switch.h - a store-and-forward switch.
 *
 * A frame is admitted whole at its last bit (mmu.h), spends the pipeline
 * latency, joins the queue of its egress port and is released when its last
 * bit has left.  Everything that concerns one frame is called from
 * fabric_dispatch: switch_receive, switch_pipeline, switch_decide, switch_tx_end.
 * A switch knows no host: it sees frames, ports and node ids.
 */
#ifndef SWITCH_H
#define SWITCH_H
#include "models/switch/ecn.h"
#include "models/switch/mmu.h"
#include "models/switch/pi.h"
#include "models/switch/pint.h"
#include "models/switch/remap.h"
#include "models/switch/route.h"
#include "models/switch/switch_conf.h"
#include "models/switch/watchdog.h"
#include "models/wire/port.h"

struct switch_copy {		/* a flooded frame, charged once */
	uint32_t refs, group;
	uint64_t seen;		/* observers' mark: counted once */
	int64_t charge;
};

struct switch_loss {		/* deterministic drops of what one port receives */
	int64_t every, count;	/* every n-th data frame; at most count, 0 no limit */
	int64_t seen, lost;
};

struct switch_flowlet { int64_t last_ps; uint32_t salt; };	/* last_ps 0: no frame yet */
enum { SWITCH_FLOWLETS = 4096 };	/* flows whose hashes fall on one entry share it, as in hardware */

struct switch_node {
	struct node *node;
	struct mmu mmu;
	struct route_table route;
	struct mmu_conf buffer;
	int64_t latency_ps, mtu_bytes;
	int balance;				/* enum switch_balance */
	int64_t flowlet_gap_ps;
	struct rng spray;			/* its own stream, for balance packet and flowlet */
	struct switch_flowlet *flowlet;		/* SWITCH_FLOWLETS; NULL unless balance is flowlet */
	int reroute;				/* enum switch_reroute */
	int64_t reroute_delay_ps;
	uint32_t dead;				/* ports that the routes avoid */
	bool *avoid, *fits;			/* by local port: one of those; scratch of switch_detour */
	bool flood_per_copy, floods;		/* floods: some route does */
	uint8_t queue_of[64], prio_of[64];	/* by DSCP */
	uint8_t lossless;			/* mask of priorities */
	struct ecn_conf ecn[8];			/* by queue */
	uint8_t ecn_mask[2];			/* queues that mark at enqueue, at dequeue: by enum ecn_where */
	uint8_t lane[8][8];			/* index in `held`: by ingress priority and the one it leaves as */
	int32_t *held;				/* [lane][in][out]: bytes waiting, as charged */
	uint8_t *remap;				/* remap.h; NULL: no frame changes its class */
	uint8_t leaves_as[8];			/* by ingress priority: mask of those it may leave as */
	int64_t made_bytes;			/* fragments, copies and errors made here */
	uint32_t pipe_head, pipe_tail;		/* frames in the pipeline */
	struct switch_loss *loss;		/* by local port; NULL none */
	uint8_t *dropping, *refusing;		/* by local port: priorities the watchdog drops, sent and received */
	struct pint_port *pint;			/* by local port; NULL: nobody asks */
	struct pi *pi;				/* by local port * 8 + queue; NULL: no queue has one */
	struct watchdog watchdog;
	struct watchdog_conf watchdog_conf;
	const struct switch_ports_conf *ports_conf;	/* what some ports say for themselves */
	int nports_conf;
};

static inline struct port *switch_port(const struct net *net, const struct switch_node *sw, uint32_t local)
{
	return &net->ports[sw->node->first_port + local];
}
/* Of ingress group (in, prio), what waits at `out` as priority `as`; both lossless here. */
static inline int32_t *switch_held(const struct switch_node *sw, int prio, uint32_t in, uint32_t out, int as)
{
	uint32_t n = sw->node->ports;
	return &sw->held[((size_t)sw->lane[prio][as] * n + in) * n + out];
}

static inline bool switch_loses(struct switch_loss *l, const struct frame *f)
{
	if (!l->every || (f->kind != FRAME_DATA && f->kind != FRAME_STREAM && f->kind != FRAME_READ))
		return false;
	if (++l->seen % l->every || (l->count && l->lost >= l->count))
		return false;
	l->lost++;
	return true;
}

void switch_receive(struct net *net, struct switch_node *sw, struct port *p, uint32_t frame);
void switch_pipeline(struct net *net, struct switch_node *sw);
void switch_decide(struct net *net, struct switch_node *sw, struct port *p);
void switch_tx_end(struct net *net, struct switch_node *sw, struct port *p);
/* Discards what waits in the queues of these priorities, as `cause`; returns frames. */
int64_t switch_flush(struct net *net, struct switch_node *sw, struct port *p, unsigned prios, int cause);
/* The group asks for what it should now want of its peer (after a watchdog or link event). */
void switch_ask_again(struct net *net, struct switch_node *sw, struct port *p);
/* Whether ECN marks `f` where its queue holds `bytes`; tells who asks.  switch_stamp.c. */
bool switch_marks_at(struct net *net, struct switch_node *sw, struct port *out, const struct frame *f, int64_t bytes);
/* NET_PI: the interval of a PI controller is over.  switch_stamp.c. */
void switch_pi(struct net *net, struct switch_node *sw, struct port *p, int queue);
/* The data frame `f`, from `queue`, asks for INT; `f` leaves a switch that keeps PINT.  switch_stamp.c. */
void switch_telemetry(const struct net *net, const struct port *p, int queue, const struct frame *f);
void switch_pint(const struct net *net, struct switch_node *sw, struct port *p, const struct frame *f);
/* What picks the next hop of a frame where balance is not flow.  switch_reroute.c. */
uint32_t switch_balance(const struct net *net, struct switch_node *sw, const struct frame *f);
/* Where a frame goes whose next hop is dead; NET_NONE: nowhere.  switch_reroute.c. */
uint32_t switch_detour(const struct net *net, const struct switch_node *sw, const struct frame *f, uint32_t ecmp);
/* A link went down or came back: the routes will know after the delay. */
void switch_link_changed(struct net *net, struct switch_node *sw, struct port *p);
void switch_reroute(struct net *net, struct switch_node *sw, struct port *p);	/* NET_REROUTE */
void switch_fini(struct switch_node *sw);
#endif
