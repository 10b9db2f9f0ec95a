#include "models/host/nic.h"

#include "models/host/qp.h"
#include "models/host/transport.h"

static struct nic_port *nic_side(struct nic *nic, const struct port *p) { return &nic->port[p->local]; }

static unsigned nic_sendable(struct nic *nic, const struct port *p)
{
	return (p->ready | nic_side(nic, p)->data_ready) & ~(unsigned)p->paused_queues;
}

/* ---- transmit ---- */

void nic_ready(struct host_net *hn, struct qp *q)
{
	struct port *p = host_port(hn, q);
	struct nic_port *side = nic_side(hn->nic[q->src], p);
	uint32_t tail = side->ring_tail[q->queue];

	if (tail == POOL_NONE) {
		q->ring_next = q->id;
	} else {
		q->ring_next = host_qp(hn, tail)->ring_next;
		host_qp(hn, tail)->ring_next = q->id;
	}
	side->ring_tail[q->queue] = q->id;
	side->data_ready |= (uint8_t)(1u << q->queue);
	if (!(p->paused_queues >> q->queue & 1))
		port_kick(hn->net, p);
}

static struct qp *nic_ring_pop(struct host_net *hn, struct nic_port *side, int queue)
{
	uint32_t tail = side->ring_tail[queue];
	struct qp *head = host_qp(hn, host_qp(hn, tail)->ring_next);

	if (head->id == tail) {
		side->ring_tail[queue] = POOL_NONE;
		side->data_ready &= (uint8_t)~(1u << queue);
	} else {
		host_qp(hn, tail)->ring_next = head->ring_next;
	}
	return head;
}

static void nic_control_now(struct host_net *hn, struct port *p, uint32_t h)
{
	const struct frame *f = net_frame(hn->net, h);
	int queue = f->queue;

	if (!p->up) {
		port_stats(hn->net, p, f->prio)->drops[RECORD_DROP_WIRE]++;
		port_stats(hn->net, p, f->prio)->dropped_bytes += f->bytes;
		net_frame_free(hn->net, h);
		return;
	}
	port_enqueue(hn->net, p, queue, h);
	if (!(p->paused_queues >> queue & 1))
		port_kick(hn->net, p);
}

/* A constant delay keeps the order: a FIFO a kind, its head in the event queue. */
void nic_control(struct host_net *hn, struct port *p, uint32_t h, int64_t delay_ps)
{
	struct nic_port *side = nic_side(hn->nic[p->node], p);
	struct frame *f = net_frame(hn->net, h);
	int kind = f->kind == FRAME_CNP;

	if (!delay_ps) {
		nic_control_now(hn, p, h);
		return;
	}
	f->next = POOL_NONE;
	f->last_ps = hn->net->now_ps + delay_ps;
	if (side->late_head[kind] == POOL_NONE) {
		side->late_head[kind] = h;
		engine_arm(hn->net->engine, f->last_ps,
			   ENGINE_KEY(NET_TIMER, NET_CONTROL, kind << 16 | p->local, port_id(hn->net, p)));
	} else {
		net_frame(hn->net, side->late_tail[kind])->next = h;
	}
	side->late_tail[kind] = h;
}

void nic_control_due(struct host_net *hn, struct nic *nic, struct port *p)
{
	struct nic_port *side = nic_side(nic, p);

	for (int kind = 0; kind < 2; kind++) {
		bool moved = false;
		while (side->late_head[kind] != POOL_NONE) {
			uint32_t h = side->late_head[kind];
			struct frame *f = net_frame(hn->net, h);
			if (f->last_ps > hn->net->now_ps) {
				if (moved)
					engine_arm(hn->net->engine, f->last_ps,
						   ENGINE_KEY(NET_TIMER, NET_CONTROL, kind << 16 | p->local,
							      port_id(hn->net, p)));
				break;
			}
			side->late_head[kind] = f->next;
			nic_control_now(hn, p, h);
			moved = true;
		}
	}
}

static void nic_send(struct host_net *hn, struct port *p, int queue, uint32_t h)
{
	struct frame *f = net_frame(hn->net, h);
	struct port_stats *st = port_stats(hn->net, p, f->prio);

	sched_charge(&p->sched, queue, f->bytes + 20);
	st->tx_frames++;
	st->tx_bytes += f->bytes;
	st->last_tx_ps = hn->net->now_ps;
	port_send(hn->net, p, h);
}

static bool nic_send_pause(struct host_net *hn, struct nic *nic, struct port *p)
{
	return port_send_pause(hn->net, p, nic_side(nic, p)->rx_bytes);
}

/* The next ready QP of the queue sends; false when it had nothing left to send
 * (failed or stopped while it waited its turn). */
static bool nic_send_data(struct host_net *hn, struct nic_port *side, struct port *p, int queue)
{
	struct qp *q = nic_ring_pop(hn, side, queue);
	int64_t now = hn->net->now_ps, start = p->free_ps > now ? p->free_ps : now;

	q->state = q->failed ? QP_FAILED : QP_IDLE;
	if (q->failed || !qp_has_data(hn, q) || (q->stream && start >= q->stop_ps)) {
		qp_settle(hn, q);
		return false;
	}
	nic_send(hn, p, queue, qp_cut(hn, q, start));
	qp_settle(hn, q);
	return true;
}

void nic_decide(struct host_net *hn, struct nic *nic, struct port *p)
{
	struct nic_port *side = nic_side(nic, p);
	bool sent = false;

	if (!p->up)
		return;
	if (port_pause_due(p))
		sent = nic_send_pause(hn, nic, p);
	while (!sent) {
		int queue = sched_pick(&p->sched, nic_sendable(nic, p));
		if (queue < 0)
			return;
		if (p->ready >> queue & 1) {
			nic_send(hn, p, queue, port_dequeue(hn->net, p, queue));
			sent = true;
		} else {
			sent = nic_send_data(hn, side, p, queue);
		}
	}
	if (nic_sendable(nic, p) || port_pause_due(p))
		port_arm_tx_end(hn->net, p);
}

void nic_tx_end(struct host_net *hn, struct nic *nic, struct port *p)
{
	if (p->up && (nic_sendable(nic, p) || port_pause_due(p)))
		port_kick(hn->net, p);
}

/* ---- receive ---- */

static void nic_drop(struct host_net *hn, struct nic *nic, struct port *p, uint32_t h, int cause)
{
	const struct frame *f = net_frame(hn->net, h);

	struct port_stats *st = port_stats(hn->net, p, f->prio);

	st->drops[cause]++;
	st->dropped_bytes += f->bytes;
	net_digest(hn->net, nic->node, NET_WHAT(NET_D_DROP, p->local, f->prio, f->bytes), f->hash);
	NET_TRACE(hn->net, RECORD_DROP, nic->node->id, port_id(hn->net, p), f->prio, frame_msg(f), f->bytes, cause);
	net_frame_free(hn->net, h);
}

static void nic_rx_serve(struct host_net *hn, struct nic *nic, struct port *p)
{
	struct nic_port *side = nic_side(nic, p);
	const struct frame *f = net_frame(hn->net, side->rx_head);
	int64_t ps = nic->conf.rx_rate_bps ? units_tx_ps(f->bytes + 20, nic->conf.rx_rate_bps) : 1;

	if ((f->kind == FRAME_FRAGMENT || f->fragments) && nic->conf.fragment_ps > ps)
		ps = nic->conf.fragment_ps;
	side->rx_busy = true;
	engine_arm(hn->net->engine, hn->net->now_ps + ps,
		   ENGINE_KEY(NET_TIMER, NET_RECEIVE, p->local, port_id(hn->net, p)));
}

/* The receive buffer begins to pause its switch: the NIC's watchdog counts, if it is not yet. */
static void nic_stalls(struct host_net *hn, struct nic *nic, const struct port *p, int prio)
{
	int64_t now = hn->net->now_ps, due = nic->storm_wd_ps;

	if (nic->conf.storm_watchdog_ps == UNITS_NEVER || p->mute >> prio & 1 || (due > now && due != UNITS_NEVER))
		return;
	nic->storm_wd_ps = now + nic->conf.storm_watchdog_ps;
	engine_arm(hn->net->engine, nic->storm_wd_ps, ENGINE_KEY(NET_TIMER, NET_STORM, 0, nic->node->id));
}

/* It has drained: whatever the watchdog has silenced may pause again. */
static void nic_flows(struct nic *nic, struct port *p)
{
	p->mute &= nic->storm;
	if (!nic->storm)
		nic->storm_wd_ps = UNITS_NEVER;
}

static void nic_rx_queue(struct host_net *hn, struct nic *nic, struct port *p, uint32_t h)
{
	struct nic_port *side = nic_side(nic, p);
	struct frame *f = net_frame(hn->net, h);

	if (side->rx_total + f->bytes > nic->conf.rx_buffer_bytes) {
		nic_drop(hn, nic, p, h, RECORD_DROP_NIC);
		return;
	}
	f->next = POOL_NONE;
	if (side->rx_head == POOL_NONE)
		side->rx_head = h;
	else
		net_frame(hn->net, side->rx_tail)->next = h;
	side->rx_tail = h;
	side->rx_total += f->bytes;
	side->rx_bytes[f->prio] += f->bytes;
	if (side->rx_total > side->rx_peak)
		side->rx_peak = side->rx_total;
	if (side->rx_total >= nic->conf.rx_xoff_bytes && nic->lossless >> f->prio & 1) {
		port_pause_want(hn->net, p, f->prio, true);
		nic_stalls(hn, nic, p, f->prio);
	}
	if (!side->rx_busy)
		nic_rx_serve(hn, nic, p);
}

void nic_receive_done(struct host_net *hn, struct nic *nic, struct port *p)
{
	struct nic_port *side = nic_side(nic, p);
	uint32_t h = side->rx_head;
	struct frame *f = net_frame(hn->net, h);

	side->rx_busy = false;
	if (h == POOL_NONE)
		return;
	side->rx_head = f->next;
	side->rx_total -= f->bytes;
	side->rx_bytes[f->prio] -= f->bytes;
	if (side->rx_total <= nic->conf.rx_xon_bytes)
		for (unsigned m = p->want & ~(unsigned)nic->storm; m; m &= m - 1)
			port_pause_want(hn->net, p, __builtin_ctz(m), false);
	if (side->rx_total <= nic->conf.rx_xon_bytes && nic->conf.storm_watchdog_ps != UNITS_NEVER)
		nic_flows(nic, p);
	if (side->rx_head != POOL_NONE)
		nic_rx_serve(hn, nic, p);
	transport_receive(hn, nic, p, h);
}

/* A class is known by what its sender meant, whatever DSCP its NIC stamps for that; once a
 * switch has changed the DSCP, by that. */
static int nic_prio_of(const struct host_net *hn, const struct nic *nic, const struct frame *f)
{
	if (__builtin_expect(f->flags & FRAME_REMAPPED, 0))
		for (int c = 0; c < hn->nclasses; c++)
			if (hn->classes[c].dscp == f->dscp)
				return nic->prio[c];
	return f->class_ != FRAME_NO_CLASS ? nic->prio[f->class_] : 0;
}

void nic_receive(struct host_net *hn, struct nic *nic, struct port *p, uint32_t h)
{
	struct net *net = hn->net;
	struct frame *f = net_frame(net, h);

	if (__builtin_expect(f->kind == FRAME_PAUSE, 0)) {
		port_receive_pause(net, p, h);
		return;
	}
	net->packet_hops++;
	f->prio = (uint8_t)nic_prio_of(hn, nic, f);
	struct port_stats *st = port_stats(net, p, f->prio);
	st->rx_frames++;
	st->rx_bytes += f->bytes;
	net_digest(net, nic->node, NET_WHAT(NET_D_ARRIVE, p->local, f->prio, f->bytes), f->hash);
	if (__builtin_expect(f->dst != nic->node->id, 0)) {
		nic_drop(hn, nic, p, h, RECORD_DROP_WIRE);
		return;
	}
	if (__builtin_expect(nic->loss.every != 0, 0) && (f->kind == FRAME_DATA || f->kind == FRAME_STREAM || f->kind == FRAME_READ) &&
	    ++nic->loss.seen % nic->loss.every == 0 &&
	    (!nic->loss.count || nic->loss.lost < nic->loss.count)) {
		nic->loss.lost++;
		nic_drop(hn, nic, p, h, RECORD_DROP_WIRE);
		return;
	}
	if (__builtin_expect(f->flags & FRAME_FLOODED, 0)) {	/* `copy` lay over it */
		const struct qp *q = host_qp(hn, f->qp);
		f->src = q->src == nic->node->id ? q->dst : q->src;
	}
	const struct nic_port *side = nic_side(nic, p);
	if (__builtin_expect(nic->conf.rx_rate_bps || f->kind == FRAME_FRAGMENT || f->fragments ||
			     side->rx_head != POOL_NONE, 0))
		nic_rx_queue(hn, nic, p, h);
	else
		transport_receive(hn, nic, p, h);
}

/* ---- faults ---- */

void nic_storm(struct host_net *hn, struct nic *nic, unsigned prios, bool begins)
{
	int64_t wd = nic->conf.storm_watchdog_ps;

	nic->storm = (uint8_t)(begins ? nic->storm | prios : nic->storm & ~prios);
	for (uint32_t i = 0; i < nic->node->ports; i++) {
		struct port *p = &hn->net->ports[nic->node->first_port + i];
		for (unsigned m = prios; m; m &= m - 1)
			port_pause_want(hn->net, p, __builtin_ctz(m), begins);
		if (!begins)
			p->mute &= (uint8_t)~prios;
	}
	nic->storm_wd_ps = begins && wd != UNITS_NEVER ? hn->net->now_ps + wd : UNITS_NEVER;
	if (nic->storm_wd_ps != UNITS_NEVER)
		engine_arm(hn->net->engine, nic->storm_wd_ps, ENGINE_KEY(NET_TIMER, NET_STORM, 0, nic->node->id));
}

void nic_pause_frame(struct host_net *hn, struct nic *nic, int prio, uint16_t quanta)
{
	for (uint32_t i = 0; i < nic->node->ports; i++) {
		struct port *p = &hn->net->ports[nic->node->first_port + i];
		if (!p->up)
			continue;
		p->raw_due |= (uint16_t)(1u << prio);
		p->raw_quanta[prio] = quanta;
		port_kick(hn->net, p);
	}
}

void nic_pause_blank(struct host_net *hn, struct nic *nic, int blank, uint16_t quanta)
{
	for (uint32_t i = 0; i < nic->node->ports; i++) {
		struct port *p = &hn->net->ports[nic->node->first_port + i];
		if (!p->up)
			continue;
		p->raw_due |= (uint16_t)blank;
		p->raw_quanta[0] = quanta;
		port_kick(hn->net, p);
	}
}

/* mlx5 pfc-prevention: after the critical time the device stops sending pauses, for a storm
 * or for a receive buffer that does not drain; what then does not fit is lost. */
void nic_storm_watchdog(struct host_net *hn, struct nic *nic)
{
	if (nic->storm_wd_ps != hn->net->now_ps)
		return;
	nic->storm_wd_ps = UNITS_NEVER;
	for (uint32_t i = 0; i < nic->node->ports; i++) {
		struct port *p = &hn->net->ports[nic->node->first_port + i];
		for (unsigned m = nic->storm | p->want; m; m &= m - 1) {
			int prio = __builtin_ctz(m);
			port_pause_want(hn->net, p, prio, false);
			p->mute |= (uint8_t)(1u << prio);
			NET_TRACE(hn->net, RECORD_NIC_WATCHDOG, nic->node->id, port_id(hn->net, p), prio,
				  NET_NONE, 0, 0);
		}
	}
}

void nic_port_down(struct host_net *hn, struct nic *nic, struct port *p)
{
	for (int queue = 0; queue < 8; queue++)
		while (p->ready >> queue & 1)
			nic_drop(hn, nic, p, port_dequeue(hn->net, p, queue), RECORD_DROP_WIRE);
}
