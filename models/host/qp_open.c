/* Opening and closing: both halves of a QP, and the two directions of a READ. */
#include "models/host/qp.h"

#include <string.h>
#include "models/host/qp_inside.h"

static void qp_init_stream(struct qp *q, const struct qp_open *o)
{
	q->cc.out.rate_bps = o->rate_bps ? o->rate_bps : q->cc.path.line_bps;
	if (q->cc.out.rate_bps > q->cc.path.line_bps)
		q->cc.out.rate_bps = q->cc.path.line_bps;
	q->frame_bytes = (uint16_t)o->frame_bytes;
	q->jitter_q16 = (uint16_t)(o->jitter.num * 65536 / o->jitter.den - (o->jitter.num == o->jitter.den));
	q->jitter_state = q->hash;
}

static void qp_init_window(const struct nic_conf *conf, struct qp *q, struct qp_remote *r)
{
	int64_t mtu = q->cc.path.mtu_bytes, most;
	int64_t bdp = units_bytes_in(q->cc.path.base_rtt_ps, q->cc.path.line_bps);

	q->recover_seq = -1;
	q->window_bytes = CC_NO_WINDOW;
	if (q->side == QP_REQUESTER)	/* a request is no data: max_reads bounds it */
		return;
	if (conf->window_bytes >= 0)
		q->window_bytes = conf->window_bytes;
	if (conf->bdp_cap && bdp < q->window_bytes)
		q->window_bytes = bdp > mtu ? bdp : mtu;
	most = q->window_bytes == CC_NO_WINDOW ? 2 * bdp : q->window_bytes;
	q->holes_size = r->holes_size = holes_size(units_div_ceil(most, mtu));
	most = ((int64_t)HOLES_LEAST << q->holes_size) * mtu;
	if (q->selective && q->window_bytes > most)
		q->window_bytes = most;
}

/* A SEND takes receive buffers, where there is not always one. */
static void qp_open_queue(struct host_net *hn, const struct qp_open *o, struct qp_remote *r)
{
	const struct nic_conf *there = &hn->nic[o->dst]->conf;

	if (o->verb != NIC_SEND || o->stream || there->recv_queue < 0)
		return;
	r->recv_queue = pool_take(&hn->recv_queues);
	recv_queue_init(pool_at(&hn->recv_queues, r->recv_queue), there);
}

/* The sending half at o->src and the receiving half at o->dst.  `asks`: the requester whose data goes
 * this way; the path MTU is its own, and the five-tuple that of its answers. */
static uint32_t qp_make(struct host_net *hn, const struct qp_open *o, enum qp_side side, const struct qp *asks)
{
	uint32_t id = pool_take(&hn->qps), rid = pool_take(&hn->remotes);
	struct qp *q = host_qp(hn, id);
	struct qp_remote *r = host_remote(hn, id);
	struct nic *nic = hn->nic[o->src];
	uint8_t gen = q->gen;
	uint64_t h = rng_hash(o->name_hash, UINT64_C(0x5151));
	uint32_t hash = (uint32_t)(h >> 32), back = (uint32_t)(rng_hash(h, 1) >> 32);
	int32_t mtu = asks ? asks->cc.path.mtu_bytes : (int32_t)nic->conf.mtu_bytes;

	sim_assert(id == rid);
	memset(q, 0, hn->qps.item_bytes);	/* no more of struct qp has memory */
	q->id = id;
	q->src = o->src;
	q->dst = o->dst;
	q->hash = asks ? back : hash;
	q->state = QP_IDLE;
	q->class_ = (uint8_t)o->class_;
	q->queue = nic->queue[o->class_];
	q->prio = nic->prio[o->class_];
	q->dscp = nic->dscp[o->class_];
	q->gen = gen;
	q->stream = o->stream;
	q->once = o->once;
	q->verb = (uint8_t)o->verb;
	q->side = (uint8_t)side;
	q->selective = nic->conf.recovery == NIC_SELECTIVE_REPEAT && side != QP_REQUESTER;
	q->local = nic->qps++;
	q->retry_at_ps = q->timer_at_ps = UNITS_NEVER;
	q->rate_cap_bps = o->rate_cap_bps;
	q->part = o->part;
	q->stop_ps = o->stop_ps;
	q->port = nic->node->first_port + (nic->node->ports > 1 ? q->hash % nic->node->ports : 0);
	*r = (struct qp_remote){ .part = o->remote_part, .mtu = (uint16_t)mtu,
		.hash = asks ? hash : back, .gen = gen, .open = true, .last_cnp_ps = INT64_MIN / 2 };
	qp_open_queue(hn, o, r);
	q->cc.ops = nic->conf.cc;
	q->cc.conf = nic->conf.cc_conf;
	q->cc.out = (struct cc_out){ CC_NO_WINDOW, host_port(hn, q)->rate_bps, { CC_NEVER_PS, CC_NEVER_PS } };
	q->cc.path = (struct cc_path){ .line_bps = host_port(hn, q)->rate_bps,
				       .mtu_bytes = mtu };
	if (o->stream) {
		qp_init_stream(q, o);
		return id;
	}
	hn->path(hn->path_ctx, q->src, q->dst, q->hash, q->class_, &q->cc.path);
	if (side != QP_REQUESTER)
		q->answer_bytes = (int32_t)(hn->nic[o->dst]->conf.ack_every * mtu);
	qp_init_window(&nic->conf, q, r);
	if (side == QP_REQUESTER) {	/* requests go out as they come */
		q->cc.ops = cc_find("none");
		return id;
	}
	q->cc.ops->init(&q->cc, hn->net->now_ps);
	qp_answered(hn, q);
	return id;
}

/*
 * The way of the data of a READ.  The responder is the sender of the data: its congestion control, its rate, its
 * port, as ConnectX does (the requester is the notification point: it sends the CNPs).  Plain
 * RoCE acknowledges no READ response; the requester sees what is missing and asks again.  Where
 * the algorithm or a window needs acknowledgements, and with selective repeat, the requester
 * sends them, as IRN proposes (SIGCOMM 2018, section 3.1: "read (N)ACK").
 */
static void qp_open_responder(struct host_net *hn, const struct qp_open *o, struct qp *requester)
{
	struct qp_open back = *o;
	uint32_t id;

	back.src = o->dst;
	back.dst = o->src;
	back.once = false;
	id = qp_make(hn, &back, QP_RESPONDER, requester);
	struct qp *s = host_qp(hn, id);
	struct qp_remote *r = host_remote(hn, id);
	s->pair = requester->id;
	requester->pair = id;
	r->reader = requester->id;
	s->no_acks = r->no_acks = !s->selective && !s->cc.ops->on_ack && s->cc.out.cwnd_bytes == CC_NO_WINDOW &&
				  s->window_bytes == CC_NO_WINDOW;
}

uint32_t qp_open(struct host_net *hn, const struct qp_open *o)
{
	uint32_t id = qp_make(hn, o, o->verb == NIC_READ ? QP_REQUESTER : QP_SENDER, NULL);

	if (o->verb == NIC_READ)
		qp_open_responder(hn, o, host_qp(hn, id));
	return id;
}

void qp_close(struct host_net *hn, struct qp *q)
{
	struct qp_remote *r = host_remote(hn, q->id);
	uint32_t id = q->id, responder = q->side == QP_REQUESTER ? q->pair : POOL_NONE;

	sim_assert(q->holes == POOL_NONE && r->holes == POOL_NONE);
	q->state = QP_CLOSED;
	q->gen++;
	r->open = false;
	if (r->recv_queue != POOL_NONE)
		pool_give(&hn->recv_queues, r->recv_queue);
	pool_give(&hn->qps, id);
	pool_give(&hn->remotes, id);
	if (responder == POOL_NONE)
		return;
	host_qp(hn, responder)->once = true;	/* closes when it has sent what it still sends */
	qp_settle(hn, host_qp(hn, responder));
}
