#include "models/host/qp.h"

#include "models/host/nic.h"
#include "models/host/qp_inside.h"
#include "models/host/workload_run.h"

void qp_arm(struct host_net *hn, struct qp *q)
{
	int64_t at = q->retry_at_ps;

	for (int i = 0; i < CC_TIMERS; i++)
		if (q->cc.out.timer_ps[i] < at)
			at = q->cc.out.timer_ps[i];
	if (at >= q->timer_at_ps)
		return;
	if (at < hn->net->now_ps)
		at = hn->net->now_ps;
	q->timer_at_ps = at;
	engine_arm(hn->net->engine, at, ENGINE_KEY(NET_TIMER, NET_QP, q->local, q->id));
}

/* What the algorithm answered, within what a host can do. */
void qp_answered(struct host_net *hn, struct qp *q)
{
	struct cc_out *out = &q->cc.out;

	sim_assert(out->cwnd_bytes > 0);
	sim_assert(out->rate_bps > 0 && out->rate_bps <= q->cc.path.line_bps);
	NET_TRACE(hn->net, RECORD_RATE, q->src, q->port, q->prio, qp_flow(hn, q), out->rate_bps,
		  out->cwnd_bytes == CC_NO_WINDOW ? 0 : out->cwnd_bytes);
	qp_arm(hn, q);
}

/* ---- messages ---- */

uint32_t qp_post(struct host_net *hn, uint32_t id, const struct msg *message)
{
	struct qp *q = host_qp(hn, id);
	uint32_t m = pool_take(&hn->msgs);
	struct msg *msg = host_msg(hn, m);

	*msg = *message;
	msg->next = POOL_NONE;
	msg->qp = id;
	msg->class_ = q->class_;
	msg->start_seq = q->end;
	msg->end_seq = q->end += units_div_ceil(msg->size, q->cc.path.mtu_bytes) * q->cc.path.mtu_bytes;
	if (q->msg_tail != POOL_NONE)
		host_msg(hn, q->msg_tail)->next = m;
	q->msg_tail = m;
	if (q->msg_una == POOL_NONE)
		q->msg_una = m;
	if (q->msg_send == POOL_NONE)
		q->msg_send = m;
	NET_TRACE(hn->net, RECORD_FLOW_START, q->src, q->port, q->prio, m, msg->size, 0);
	if (q->failed) {
		qp_fail(hn, q, q->failed - 1, q->fail_detail);
		return POOL_NONE;
	}
	qp_settle(hn, q);
	return m;
}

void qp_stream_start(struct host_net *hn, uint32_t id)
{
	struct qp *q = host_qp(hn, id);
	q->end = INT64_MAX;
	qp_settle(hn, q);
}

/* The first packet from resend_nxt on that is not there, or the highest that is. */
static int64_t qp_missing(const struct host_net *hn, const struct qp *q)
{
	int64_t mtu = q->cc.path.mtu_bytes, seq = q->resend_nxt > q->snd_una ? q->resend_nxt : q->snd_una;
	const struct holes *h = host_holes(hn, q->holes_size, q->holes);

	while (seq < h->highest && holes_has(h, seq / mtu))
		seq += mtu;
	return seq;
}

/* Selective repeat: the next packet that is known to be lost, -1 none (IRN, SIGCOMM
 * 2018, section 3.1: one above which another is acknowledged). */
static int64_t qp_hole(const struct host_net *hn, const struct qp *q)
{
	int64_t seq;

	if (q->recover_seq < 0)
		return -1;
	if (q->resend_first)
		return q->snd_una;
	if (q->holes == POOL_NONE)
		return -1;
	seq = qp_missing(hn, q);
	return seq < host_holes(hn, q->holes_size, q->holes)->highest ? seq : -1;
}

static bool qp_window_full(const struct qp *q)
{
	int64_t flying = q->snd_nxt - q->snd_una;
	int64_t window = q->cc.out.cwnd_bytes < q->window_bytes ? q->cc.out.cwnd_bytes : q->window_bytes;

	return flying > 0 && flying >= window;
}

/* Fewer packets fly than the receiver answers at once, and none of them asks. */
static bool qp_unanswered(const struct qp *q)
{
	return q->snd_nxt - q->snd_una < q->answer_bytes && q->asked_seq <= q->snd_una;
}

/*
 * A window that is full with fewer packets than the receiver's ACKs are apart waits for an
 * answer that nobody has asked for: so the packet that fills it asks (IBTA 9.7.5: the
 * requester sets AckReq, the responder answers).  So does every packet of a selective
 * repeat: nothing need follow it.  A window that shrinks below what flies lets one packet
 * more go, to ask.
 */
static void qp_ask(struct qp *q, struct frame *f, bool alone)
{
	int64_t end = f->seq + q->cc.path.mtu_bytes;

	if (q->answer_bytes <= q->cc.path.mtu_bytes)
		return;			/* every packet is answered */
	f->asks = alone || (qp_window_full(q) && q->snd_nxt - q->snd_una < q->answer_bytes);
	if ((f->asks || f->flags & FRAME_LAST) && end > q->asked_seq)
		q->asked_seq = end;
}

void qp_settle(struct host_net *hn, struct qp *q)
{
	const struct port *p = host_port(hn, q);
	int64_t now = hn->net->now_ps, start = p->free_ps > now ? p->free_ps : now;
	bool again;

	if (q->state == QP_READY || q->failed)
		return;
	if (q->stream && start >= q->stop_ps)
		q->end = q->snd_nxt;
	if (__builtin_expect(q->rnr_wait, 0)) {
		q->state = QP_RNR;
		return;
	}
	if (q->recover_seq >= 0 && q->holes != POOL_NONE)
		q->resend_nxt = qp_missing(hn, q);	/* so that each packet is looked at once */
	again = q->recover_seq >= 0 && qp_hole(hn, q) >= 0;
	if (!again && q->snd_nxt >= q->end) {
		q->state = QP_IDLE;
		if (q->once && q->end > 0 && q->snd_una == q->end)
			qp_close(hn, q);
	} else if (!again && !q->stream && qp_window_full(q) && !qp_unanswered(q)) {
		q->state = QP_WINDOW;
	} else if (q->next_send_ps > start) {
		if (q->state == QP_PACED)
			return;
		q->state = QP_PACED;
		engine_arm(hn->net->engine, q->next_send_ps,
			   ENGINE_KEY(NET_TIMER, NET_PACE, q->local, q->id));
	} else {
		if (q->next_send_ps < now)
			q->next_send_ps = now;	/* what it did not use while idle is gone */
		q->state = QP_READY;
		nic_ready(hn, q);
	}
}

bool qp_has_data(const struct host_net *hn, const struct qp *q)
{
	return !q->rnr_wait && (q->snd_nxt < q->end || (q->recover_seq >= 0 && qp_hole(hn, q) >= 0));
}

void qp_paced(struct host_net *hn, struct qp *q)
{
	if (q->state != QP_PACED || q->next_send_ps != hn->net->now_ps)
		return;
	q->state = QP_IDLE;
	qp_settle(hn, q);
}

/* ---- sending ---- */

/* The next frame counts from the instant this one was due: what it waited for the
 * wire is not lost to its rate, up to one gap. */
static void qp_pace(struct host_net *hn, struct qp *q, int64_t start, int64_t frame_bytes)
{
	const struct port *p = host_port(hn, q);
	int64_t wire = frame_bytes + 20, rate = q->cc.out.rate_bps, gap;

	if (q->rate_cap_bps && rate > q->rate_cap_bps)
		rate = q->rate_cap_bps;
	if (rate == p->rate_bps && p->rate_exact)
		gap = wire * p->ps_per_byte;
	else
		gap = wire * 8 * UNITS_PS_PER_S / rate;	/* a frame is under 16 KB: fits in 63 bits */
	if (q->jitter_q16) {
		q->jitter_state = q->jitter_state * UINT32_C(1664525) + UINT32_C(1013904223);
		int64_t u = (int64_t)(q->jitter_state >> 15) - 65536;	/* [-65536, 65536) */
		gap += (int64_t)((__int128)gap * u * q->jitter_q16 / (INT64_C(65536) * 65536));
	}
	q->next_send_ps += gap;
	if (q->next_send_ps < start)
		q->next_send_ps = start;
}

static uint32_t qp_cut_stream(struct host_net *hn, struct qp *q, int64_t start)
{
	uint32_t h = net_frame_take(hn->net);
	struct workload_total *t = &hn->workload[hn->part[q->part].workload].total;

	*net_frame(hn->net, h) = (struct frame){ .msg = NET_NONE, .qp = q->id, .dst = q->dst, .src = q->src,
		.seq = q->snd_nxt, .sent_ps = start, .hash = q->hash, .bytes = q->frame_bytes,
		.payload = q->frame_bytes, .kind = FRAME_STREAM, .flags = FRAME_ECT, .prio = q->prio,
		.queue = q->queue, .dscp = q->dscp & 63u, .ttl = (uint8_t)hn->nic[q->src]->conf.ttl,
		.class_ = q->class_, .gen = q->gen };
	q->snd_nxt += q->frame_bytes;
	hn->data_frames++;
	t->sent_frames++;
	t->sent_bytes += q->frame_bytes;
	qp_pace(hn, q, start, q->frame_bytes);
	return h;
}

/* PINT: which packets carry it is a hash of the packet, so that a run repeats. */
static bool qp_asks_telemetry(const struct qp *q, const struct cc_telemetry *asks, int64_t seq)
{
	if (!(q->cc.ops->needs & CC_NEED_INT))
		return false;
	return asks->sample_q16 >= 65536 ||
	       rng_pair(q->hash, (uint32_t)(seq / q->cc.path.mtu_bytes)) >> 48 < asks->sample_q16;
}

static void qp_ask_telemetry(struct net *net, const struct qp *q, const struct cc_telemetry *asks,
			     struct frame *f)
{
	uint32_t t = pool_take(&net->telemetry);
	struct telemetry *r = pool_at(&net->telemetry, t);

	r->hops = 0;
	r->bytes = (int16_t)asks->bytes;
	r->base = asks->base;
	r->rtt_ps = asks->rtt_ps ? asks->rtt_ps : q->cc.path.base_rtt_ps;
	r->power = 0;
	r->sent_ps = f->sent_ps;
	f->flags |= FRAME_INT;
	f->telemetry = t;
}

uint32_t qp_message_at(const struct host_net *hn, const struct qp *q, int64_t seq)
{
	uint32_t m = q->msg_una;
	while (m != POOL_NONE && host_msg(hn, m)->end_seq <= seq)
		m = host_msg(hn, m)->next;
	sim_assert(m != POOL_NONE);
	return m;
}

/* Headers beyond the BTH: RETH of a WRITE, AETH of READ responses. */
static int64_t qp_extra_bytes(const struct qp *q, bool first, bool last)
{
	if (q->verb == NIC_WRITE)
		return first ? FRAME_RETH_BYTES : 0;
	return q->verb == NIC_READ && (first || last) ? FRAME_AETH_BYTES : 0;
}

/* The packet of message `m` that starts at `seq`. */
static uint32_t qp_packet(struct host_net *hn, const struct qp *q, uint32_t m, int64_t seq, int64_t start)
{
	struct net *net = hn->net;
	const struct msg *msg = host_msg(hn, m);
	const struct nic *nic = hn->nic[q->src];
	const struct nic_conf *conf = &nic->conf;
	bool asks = qp_asks_telemetry(q, &nic->telemetry, seq);
	int64_t left = msg->size - (seq - msg->start_seq);
	int64_t mtu = q->cc.path.mtu_bytes, payload = left < mtu ? left : mtu;
	bool first = seq == msg->start_seq, last = left == payload;
	int64_t bytes = FRAME_ROCE_BYTES + (payload + 3) / 4 * 4 + qp_extra_bytes(q, first, last) +
			(asks ? nic->telemetry.bytes : 0);
	uint32_t h = net_frame_take(net);

	sim_assert(payload > 0 && seq >= msg->start_seq);
	*net_frame(net, h) = (struct frame){ .msg = q->side == QP_RESPONDER ? msg->origin : m, .qp = q->id,
		.dst = q->dst, .src = q->src, .seq = seq, .sent_ps = start, .hash = q->hash,
		.bytes = (uint16_t)(bytes < FRAME_MIN_BYTES ? FRAME_MIN_BYTES : bytes),
		.payload = (uint16_t)payload, .kind = FRAME_DATA,
		.flags = (uint8_t)((q->cc.ops->needs & CC_NEED_ECN ? FRAME_ECT : 0) |
				   (last ? FRAME_LAST : 0) | (conf->df ? FRAME_DF : 0)),
		.prio = q->prio, .queue = q->queue, .dscp = q->dscp & 63u, .ttl = (uint8_t)conf->ttl,
		.class_ = q->class_, .gen = q->gen };
	if (asks)
		qp_ask_telemetry(net, q, &nic->telemetry, net_frame(net, h));
	return h;
}

bool qp_few_fly(const struct qp *q, const struct nic_conf *conf)
{
	return q->snd_nxt - q->snd_una <= conf->rto_low_packets * q->cc.path.mtu_bytes;
}

void qp_start_retry(struct qp *q, const struct nic_conf *conf, int64_t now)
{
	q->rto_low = q->selective && conf->rto_low_ps >= 0 && qp_few_fly(q, conf);
	q->retry_at_ps = now + (q->rto_low ? conf->rto_low_ps : nic_retry_ps(conf, q->retries));
}

/* Which packet is next: one to send again, or a new one. */
static uint32_t qp_choose(struct host_net *hn, struct qp *q, int64_t start)
{
	int64_t mtu = q->cc.path.mtu_bytes, hole = q->recover_seq >= 0 ? qp_hole(hn, q) : -1;
	int64_t seq = hole >= 0 ? hole : q->snd_nxt;
	uint32_t m = hole >= 0 ? qp_message_at(hn, q, hole) : q->msg_send;
	uint32_t h = qp_packet(hn, q, m, seq, start);
	struct frame *f = net_frame(hn->net, h);

	if (seq < q->snd_max) {
		host_msg(hn, m)->retransmitted += f->payload;
		f->flags |= FRAME_AGAIN;
	}
	if (hole >= 0) {
		q->resend_first = false;
		q->resend_nxt = seq + mtu;
		qp_ask(q, f, true);
		return h;
	}
	q->snd_nxt += mtu;
	if (q->snd_nxt > q->snd_max)
		q->snd_max = q->snd_nxt;
	qp_ask(q, f, false);
	if (f->flags & FRAME_LAST)
		q->msg_send = host_msg(hn, m)->next;
	return h;
}

uint32_t qp_cut(struct host_net *hn, struct qp *q, int64_t start)
{
	const struct nic_conf *conf = &hn->nic[q->src]->conf;
	int64_t now = hn->net->now_ps;

	if (q->stream)
		return qp_cut_stream(hn, q, start);
	if (__builtin_expect(q->side == QP_REQUESTER, 0))
		return qp_cut_request(hn, q, start);
	uint32_t h = qp_choose(hn, q, start);
	const struct frame *f = net_frame(hn->net, h);
	hn->data_frames++;
	qp_pace(hn, q, start, f->bytes);
	if (__builtin_expect(q->no_acks, 0)) {
		qp_sent_for_good(hn, q);
	} else if (q->retry_at_ps == UNITS_NEVER) {
		qp_start_retry(q, conf, now);
		qp_arm(hn, q);
	}
	if (q->cc.ops->on_send) {
		q->cc.ops->on_send(&q->cc, now, f->payload);
		qp_answered(hn, q);
	}
	return h;
}
