#include "models/host/transport.h"

#include "models/host/nic.h"
#include "models/host/qp.h"
#include "models/host/workload_run.h"

static uint8_t transport_ttl(const struct nic *nic) { return (uint8_t)nic->conf.ttl; }

/* Turns the received data frame round as a control frame of `class_`. */
static struct frame *transport_answer(struct host_net *hn, struct nic *nic, uint32_t h, int kind, int class_)
{
	struct frame *f = net_frame(hn->net, h);
	uint32_t to = f->src;

	f->src = f->dst;
	f->dst = to;
	f->kind = (uint8_t)kind;
	f->hash = host_remote(hn, f->qp)->hash;
	f->flags = (uint8_t)(FRAME_ECT | (f->flags & FRAME_INT));	/* an ACK echoes the telemetry */
	f->bytes = (uint16_t)((kind == FRAME_CNP ? FRAME_CNP_BYTES : FRAME_ACK_BYTES) +
			      (f->flags & FRAME_INT ? net_telemetry(hn->net, f)->bytes : 0));
	f->payload = 0;
	f->fragments = 0;
	f->class_ = (uint8_t)class_;
	f->dscp = nic->dscp[class_] & 63u;
	f->asks = 0;
	f->prio = nic->prio[class_];
	f->queue = nic->queue[class_];
	f->ttl = transport_ttl(nic);
	return f;
}

static void transport_cnp(struct host_net *hn, struct nic *nic, struct port *p, uint32_t data)
{
	struct qp_remote *r = host_remote(hn, net_frame(hn->net, data)->qp);

	hn->marked_frames++;
	if (hn->net->now_ps - r->last_cnp_ps < nic->conf.cnp_interval_ps)
		return;
	r->last_cnp_ps = hn->net->now_ps;
	if (r->reader != POOL_NONE && net_frame(hn->net, data)->seq >= r->rcv_nxt)
		host_msg(hn, net_frame(hn->net, data)->msg)->cnps++;
	hn->cnps++;
	uint32_t h = net_frame_take(hn->net);
	struct frame *f = net_frame(hn->net, h);
	*f = *net_frame(hn->net, data);
	f->sent_ps = net_sent_ps(hn->net, f);
	f->flags = 0;
	transport_answer(hn, nic, h, FRAME_CNP, nic->conf.cnp_class);
	NET_TRACE(hn->net, RECORD_CNP, nic->node->id, port_id(hn->net, p), f->prio, f->msg, 0, 0);
	nic_control(hn, p, h, nic->conf.cnp_delay_ps);
}

static void transport_count(struct host_net *hn, uint16_t workload, int64_t bytes)
{
	struct workload_total *t = &hn->workload[workload].total;
	struct net *net = hn->net;

	t->delivered += bytes;
	if (net->now_ps >= hn->warmup_ps)
		t->delivered_after_warmup += bytes;
	if (t->first_ps < 0)
		t->first_ps = net->now_ps;
	t->last_ps = net->now_ps;
	net->last_delivery_ps = net->now_ps;
	net->delivered_bytes += bytes;
}

static void transport_ack(struct host_net *hn, struct nic *nic, struct port *p, uint32_t h, int kind,
			  uint32_t above)
{
	struct frame *f = net_frame(hn->net, h);
	struct qp_remote *r = host_remote(hn, f->qp);
	int class_ = nic->conf.ack_class >= 0 ? nic->conf.ack_class : f->class_;

	f = transport_answer(hn, nic, h, kind, class_);
	f->seq = r->rcv_nxt;
	f->payload = r->ce;
	f->msg = above;			/* NAK of selective repeat: packets above seq; RNR: timer code */
	r->unacked = 0;
	nic_control(hn, p, h, nic->conf.ack_delay_ps);
}

/* Has the message that comes in its receive buffer?  Only a SEND needs one. */
static bool transport_ready(struct host_net *hn, struct nic *nic, struct qp_remote *r)
{
	return __builtin_expect(r->recv_queue == POOL_NONE, 1) ||
	       recv_queue_take(pool_at(&hn->recv_queues, r->recv_queue), &nic->conf, hn->net->now_ps);
}

static void transport_rnr(struct host_net *hn, struct nic *nic, struct port *p, uint32_t h)
{
	host_remote(hn, net_frame(hn->net, h)->qp)->nak_sent = true;
	transport_ack(hn, nic, p, h, FRAME_RNR, (uint32_t)nic->conf.rnr_timer);
}

static void transport_message_done(struct host_net *hn, struct nic *nic, struct port *p, uint32_t id,
				   uint32_t src, struct qp_remote *r, int prio)
{
	const struct msg *m = host_msg(hn, id);
	uint32_t part = r->part;

	if (r->recv_queue != POOL_NONE)
		recv_queue_done(pool_at(&hn->recv_queues, r->recv_queue), &nic->conf, hn->net->now_ps);

	net_digest(hn->net, nic->node, NET_WHAT(NET_D_DELIVER, p->local, prio, m->size), m->hash);
	NET_TRACE(hn->net, RECORD_FLOW_DELIVERED, nic->node->id, port_id(hn->net, p), prio, id,
		  hn->net->now_ps - m->start_ps, 0);
	workload_delivered(hn, nic, part, src, m);
}

/* Selective repeat: packets that were waiting for this one are now in order.  False: they
 * stop at a SEND that has no receive buffer. */
static bool transport_fill(struct host_net *hn, struct nic *nic, struct port *p, struct qp_remote *r,
			   uint32_t src, int prio)
{
	struct holes *h = host_holes(hn, r->holes_size, r->holes);

	for (;;) {
		int64_t n = r->rcv_nxt / r->mtu;
		if (!holes_has(h, n))
			break;
		if (r->rcv_nxt == r->msg_start && !transport_ready(hn, nic, r))
			return false;
		holes_clear(h, n);
		r->rcv_nxt += r->mtu;
		if (*holes_last(h, n) != POOL_NONE) {
			r->msg_start = r->rcv_nxt;
			transport_message_done(hn, nic, p, *holes_last(h, n), src, r, prio);
		}
	}
	if (h->highest < r->rcv_nxt) {
		pool_give(&hn->holes[r->holes_size], r->holes);
		r->holes = POOL_NONE;
	}
	return true;
}

/* Has the packet been kept, out of order, before?  It is not counted again. */
static bool transport_kept(struct host_net *hn, struct qp_remote *r, int64_t seq)
{
	struct holes *h = host_holes(hn, r->holes_size, r->holes);
	bool kept = holes_has(h, seq / r->mtu);

	holes_clear(h, seq / r->mtu);
	return kept;
}

/* ... of a SEND that needs a receive buffer, of a READ, or with packets kept out of order. */
static void transport_in_order_other(struct host_net *hn, struct nic *nic, struct port *p, uint32_t h)
{
	struct frame *f = net_frame(hn->net, h);
	struct qp_remote *r = host_remote(hn, f->qp);
	uint32_t reader = r->reader;
	bool last = f->flags & FRAME_LAST, filled = r->holes != POOL_NONE, ready = true;

	if (!transport_ready(hn, nic, r)) {
		transport_rnr(hn, nic, p, h);
		return;
	}
	r->rcv_nxt += r->mtu;
	r->nak_sent = false;
	r->unacked++;
	if (!filled || !transport_kept(hn, r, f->seq))	/* kept: where a SEND had no receive buffer */
		transport_count(hn, host_msg(hn, f->msg)->workload, f->payload);
	if (last) {
		r->msg_start = r->rcv_nxt;
		transport_message_done(hn, nic, p, f->msg, f->src, r, f->prio);
	}
	if (filled)
		ready = transport_fill(hn, nic, p, r, f->src, f->prio);
	int64_t have = r->rcv_nxt;
	if (!ready)
		transport_rnr(hn, nic, p, h);
	else if (!r->no_acks && (last || filled || f->asks || r->unacked >= nic->conf.ack_every))
		transport_ack(hn, nic, p, h, FRAME_ACK, 0);
	else
		net_frame_free(hn->net, h);
	if (reader != POOL_NONE)
		qp_read_progress(hn, host_qp(hn, reader), have);
}

static void transport_in_order(struct host_net *hn, struct nic *nic, struct port *p, uint32_t h)
{
	struct frame *f = net_frame(hn->net, h);
	struct qp_remote *r = host_remote(hn, f->qp);
	bool last = f->flags & FRAME_LAST;

	if (__builtin_expect(r->recv_queue | r->reader | r->holes, POOL_NONE)) {
		transport_in_order_other(hn, nic, p, h);
		return;
	}
	r->rcv_nxt += r->mtu;
	r->nak_sent = false;
	r->unacked++;
	transport_count(hn, host_msg(hn, f->msg)->workload, f->payload);
	if (last) {
		r->msg_start = r->rcv_nxt;
		transport_message_done(hn, nic, p, f->msg, f->src, r, f->prio);
	}
	if (last || f->asks || r->unacked >= nic->conf.ack_every)
		transport_ack(hn, nic, p, h, FRAME_ACK, 0);
	else
		net_frame_free(hn->net, h);
}

/* Selective repeat keeps what comes early and says which (IRN: each one a NAK). */
static void transport_early(struct host_net *hn, struct nic *nic, struct port *p, uint32_t frame)
{
	const struct frame *f = net_frame(hn->net, frame);
	struct qp_remote *r = host_remote(hn, f->qp);
	int64_t above = (f->seq - r->rcv_nxt) / r->mtu;
	int64_t n = f->seq / r->mtu, packets = (int64_t)HOLES_LEAST << r->holes_size;

	if (above >= packets) {
		net_frame_free(hn->net, frame);
		return;
	}
	if (r->holes == POOL_NONE)
		r->holes = holes_take(&hn->holes[r->holes_size], (uint32_t)packets);
	struct holes *h = host_holes(hn, r->holes_size, r->holes);
	if (!holes_has(h, n)) {
		holes_set(h, n);
		*holes_last(h, n) = f->flags & FRAME_LAST ? f->msg : POOL_NONE;
		if (f->seq > h->highest)
			h->highest = f->seq;
		transport_count(hn, host_msg(hn, f->msg)->workload, f->payload);
	}
	transport_ack(hn, nic, p, frame, FRAME_NAK, (uint32_t)above);
}

void transport_rewind(struct host_net *hn, struct qp_remote *r, uint32_t msg)
{
	struct workload_total *t = &hn->workload[host_msg(hn, msg)->workload].total;
	int64_t undone = r->rcv_nxt - r->msg_start;	/* whole packets: only the last is shorter */

	t->delivered -= undone;
	if (hn->net->now_ps >= hn->warmup_ps)
		t->delivered_after_warmup -= undone;
	hn->net->delivered_bytes -= undone;
	r->rcv_nxt = r->msg_start;
}

/* Go-back-N and go-back-0 ask once for what is missing. */
static void transport_gap(struct host_net *hn, struct nic *nic, struct port *p, uint32_t h)
{
	const struct frame *f = net_frame(hn->net, h);
	struct qp_remote *r = host_remote(hn, f->qp);

	if (r->nak_sent) {
		net_frame_free(hn->net, h);
		return;
	}
	r->nak_sent = true;
	if (nic->conf.recovery == NIC_GO_BACK_0)
		transport_rewind(hn, r, f->msg);
	if (!r->no_acks) {
		transport_ack(hn, nic, p, h, FRAME_NAK, 0);
		return;
	}
	int64_t have = r->rcv_nxt;
	uint32_t reader = r->reader;
	net_frame_free(hn->net, h);
	qp_read_again(hn, host_qp(hn, reader), have);
}

/* At the responder. */
static void transport_read(struct host_net *hn, struct nic *nic, struct port *p, uint32_t h)
{
	struct frame *f = net_frame(hn->net, h);
	struct qp_remote *r = host_remote(hn, f->qp);

	if (!r->open || f->gen != r->gen || (f->seq > r->rcv_nxt && r->nak_sent)) {
		net_frame_free(hn->net, h);
		return;
	}
	if (f->seq > r->rcv_nxt) {	/* a request before it was lost */
		r->nak_sent = true;
		transport_ack(hn, nic, p, h, FRAME_NAK, 0);
		return;
	}
	struct qp *responder = host_qp(hn, host_qp(hn, f->qp)->pair);
	bool again = f->seq < r->rcv_nxt;
	r->nak_sent = false;
	if (!again || responder->no_acks)
		r->rcv_nxt = f->seq + units_div_ceil(f->read_bytes, r->mtu) * r->mtu;
	qp_respond(hn, responder, f, again);
	net_frame_free(hn->net, h);
}

static void transport_data(struct host_net *hn, struct nic *nic, struct port *p, uint32_t h)
{
	struct frame *f = net_frame(hn->net, h);
	struct qp_remote *r = host_remote(hn, f->qp);

	if (!r->open || f->gen != r->gen) {
		net_frame_free(hn->net, h);
		return;
	}
	if (f->flags & FRAME_CE) {
		r->ce++;
		transport_cnp(hn, nic, p, h);
		f = net_frame(hn->net, h);
	}
	if (f->fragments) {
		bool whole = r->fragments == f->fragments - 1;
		r->fragments = 0;
		if (!whole) {		/* a fragment was lost: so is the packet */
			net_frame_free(hn->net, h);
			return;
		}
	}
	if (__builtin_expect(r->reader != POOL_NONE, 0) && f->flags & FRAME_AGAIN && f->seq >= r->rcv_nxt)
		host_msg(hn, f->msg)->retransmitted += f->payload;
	if (f->seq == r->rcv_nxt)
		transport_in_order(hn, nic, p, h);
	else if (f->seq < r->rcv_nxt && r->no_acks)
		net_frame_free(hn->net, h);
	else if (f->seq < r->rcv_nxt)
		transport_ack(hn, nic, p, h, FRAME_ACK, 0);
	else if (nic->conf.recovery == NIC_SELECTIVE_REPEAT && !r->no_acks)
		transport_early(hn, nic, p, h);
	else
		transport_gap(hn, nic, p, h);
}

static void transport_stream(struct host_net *hn, uint32_t h)
{
	const struct frame *f = net_frame(hn->net, h);
	const struct qp *q = host_qp(hn, f->qp);	/* streams never close: part and hash do not change */

	hn->marked_frames += (f->flags & FRAME_CE) != 0;
	transport_count(hn, hn->part[q->part].workload, f->payload);
	net_frame_free(hn->net, h);
}

void transport_receive(struct host_net *hn, struct nic *nic, struct port *p, uint32_t h)
{
	struct frame *f = net_frame(hn->net, h);
	struct qp *q = host_qp(hn, f->qp);

	switch (f->kind) {
	case FRAME_DATA:
		transport_data(hn, nic, p, h);
		return;
	case FRAME_STREAM:
		transport_stream(hn, h);
		return;
	case FRAME_FRAGMENT:
		if (f->gen == host_remote(hn, f->qp)->gen)	/* else of one whose place it took */
			host_remote(hn, f->qp)->fragments++;
		break;
	case FRAME_ACK:
	case FRAME_NAK:
		qp_receive_ack(hn, q, f);
		break;
	case FRAME_RNR:
		qp_receive_rnr(hn, q, f);
		break;
	case FRAME_READ:
		transport_read(hn, nic, p, h);
		return;
	case FRAME_CNP:
		if (f->gen == q->gen)
			qp_receive_cnp(hn, q);
		break;
	case FRAME_MTU_ERROR:
		if (f->gen == q->gen && !q->failed && q->state != QP_CLOSED)
			qp_fail(hn, q, RECORD_FAIL_MTU, f->seq);
		break;
	default:
		sim_assert(!"a frame of no known kind");
	}
	net_frame_free(hn->net, h);
}
