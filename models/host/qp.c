#include "models/host/qp.h"

#include "models/host/nic.h"
#include "models/host/workload_run.h"

static void qp_arm(struct host_net *hn, struct qp *q)
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
static void qp_answered(struct host_net *hn, struct qp *q)
{
	struct cc_out *out = &q->cc.out;

	sim_assert(out->cwnd_bytes > 0);
	sim_assert(out->rate_bps > 0 && out->rate_bps <= q->cc.path.line_bps);
	NET_TRACE(hn->net, RECORD_RATE, q->src, q->port, q->prio, q->msg_una, out->rate_bps,
		  out->cwnd_bytes == CC_NO_WINDOW ? 0 : out->cwnd_bytes);
	qp_arm(hn, q);
}

/* ---- opening ---- */

static void qp_init_stream(struct qp *q, const struct qp_open *o)
{
	q->cc.out.rate_bps = o->rate_bps ? o->rate_bps : q->cc.path.line_bps;
	if (q->cc.out.rate_bps > q->cc.path.line_bps)
		q->cc.out.rate_bps = q->cc.path.line_bps;
	q->frame_bytes = (uint16_t)o->frame_bytes;
	q->jitter_q16 = (uint16_t)(o->jitter.num * 65536 / o->jitter.den - (o->jitter.num == o->jitter.den));
	q->jitter_state = q->hash;
}

uint32_t qp_open(struct host_net *hn, const struct qp_open *o)
{
	uint32_t id = pool_take(&hn->qps), rid = pool_take(&hn->remotes);
	struct qp *q = host_qp(hn, id);
	struct qp_remote *r = host_remote(hn, id);
	struct nic *nic = hn->nic[o->src];
	uint8_t gen = q->gen;
	uint64_t h = rng_hash(o->name_hash, UINT64_C(0x5151));

	sim_assert(id == rid);
	*q = (struct qp){ .id = id, .src = o->src, .dst = o->dst, .hash = (uint32_t)(h >> 32),
		.state = QP_IDLE, .class_ = (uint8_t)o->class_, .queue = nic->queue[o->class_],
		.prio = nic->prio[o->class_], .dscp = nic->dscp[o->class_], .gen = gen,
		.stream = o->stream, .once = o->once, .local = nic->qps++,
		.retry_at_ps = UNITS_NEVER, .timer_at_ps = UNITS_NEVER, .rate_cap_bps = o->rate_cap_bps,
		.part = o->part, .stop_ps = o->stop_ps };
	q->port = nic->node->first_port + (nic->node->ports > 1 ? q->hash % nic->node->ports : 0);
	*r = (struct qp_remote){ .part = o->remote_part, .hash = (uint32_t)(rng_hash(h, 1) >> 32),
		.gen = gen, .open = true, .last_cnp_ps = INT64_MIN / 2 };
	q->cc = (struct cc){ .ops = nic->conf.cc, .conf = nic->conf.cc_conf,
		.out = { CC_NO_WINDOW, host_port(hn, q)->rate_bps, { CC_NEVER_PS, CC_NEVER_PS } } };
	q->cc.path = (struct cc_path){ .line_bps = host_port(hn, q)->rate_bps,
				       .mtu_bytes = (int32_t)nic->conf.mtu_bytes };
	if (o->stream) {
		qp_init_stream(q, o);
		return id;
	}
	hn->path(hn->path_ctx, q->src, q->dst, q->hash, q->class_, &q->cc.path);
	q->cc.ops->init(&q->cc, hn->net->now_ps);
	qp_answered(hn, q);
	return id;
}

static void qp_close(struct host_net *hn, struct qp *q)
{
	struct qp_remote *r = host_remote(hn, q->id);
	uint32_t id = q->id;

	q->state = QP_CLOSED;
	q->gen++;
	r->open = false;
	pool_give(&hn->qps, id);
	pool_give(&hn->remotes, id);
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
	msg->end_seq = q->end += msg->size;
	if (q->msg_tail != POOL_NONE)
		host_msg(hn, q->msg_tail)->next = m;
	q->msg_tail = m;
	if (q->msg_una == POOL_NONE)
		q->msg_una = m;
	if (q->msg_send == POOL_NONE)
		q->msg_send = m;
	NET_TRACE(hn->net, RECORD_FLOW_START, q->src, q->port, q->prio, m, msg->size, 0);
	if (q->failed) {
		qp_fail(hn, q, RECORD_FAIL_RETRIES, q->fail_detail);
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

void qp_settle(struct host_net *hn, struct qp *q)
{
	const struct port *p = host_port(hn, q);
	int64_t now = hn->net->now_ps, start = p->free_ps > now ? p->free_ps : now;

	if (q->state == QP_READY || q->failed)
		return;
	if (q->stream && start >= q->stop_ps)
		q->end = q->snd_nxt;
	if (q->snd_nxt >= q->end) {
		q->state = QP_IDLE;
		if (q->once && q->end > 0 && q->snd_una == q->end)
			qp_close(hn, q);
	} else if (!q->stream && q->snd_nxt - q->snd_una >= q->cc.out.cwnd_bytes && q->snd_nxt > q->snd_una) {
		q->state = QP_WINDOW;
	} else if (q->next_send_ps > start) {
		if (q->state == QP_PACED)
			return;
		q->state = QP_PACED;
		engine_arm(hn->net->engine, q->next_send_ps,
			   ENGINE_KEY(NET_TIMER, NET_PACE, q->local, q->id));
	} else {
		q->state = QP_READY;
		nic_ready(hn, q);
	}
}

void qp_paced(struct host_net *hn, struct qp *q)
{
	if (q->state != QP_PACED || q->next_send_ps != hn->net->now_ps)
		return;
	q->state = QP_IDLE;
	qp_settle(hn, q);
}

/* ---- sending ---- */

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
	q->next_send_ps = start + gap;
}

static uint32_t qp_cut_stream(struct host_net *hn, struct qp *q, int64_t start)
{
	uint32_t h = net_frame_take(hn->net);
	struct workload_total *t = &hn->workload[hn->part[q->part].workload].total;

	*net_frame(hn->net, h) = (struct frame){ .msg = NET_NONE, .qp = q->id, .dst = q->dst, .src = q->src,
		.seq = q->snd_nxt, .sent_ps = start, .hash = q->hash, .bytes = q->frame_bytes,
		.payload = q->frame_bytes, .kind = FRAME_STREAM, .flags = FRAME_ECT, .prio = q->prio,
		.queue = q->queue, .dscp = q->dscp, .ttl = (uint8_t)hn->nic[q->src]->conf.ttl,
		.class_ = q->class_, .gen = q->gen };
	q->snd_nxt += q->frame_bytes;
	t->sent_frames++;
	t->sent_bytes += q->frame_bytes;
	qp_pace(hn, q, start, q->frame_bytes);
	return h;
}

uint32_t qp_cut(struct host_net *hn, struct qp *q, int64_t start)
{
	struct net *net = hn->net;
	const struct nic_conf *conf = &hn->nic[q->src]->conf;

	if (q->stream)
		return qp_cut_stream(hn, q, start);
	struct msg *m = host_msg(hn, q->msg_send);
	int64_t left = m->end_seq - q->snd_nxt, payload = left < conf->mtu_bytes ? left : conf->mtu_bytes;
	int64_t bytes = FRAME_ROCE_BYTES + (payload + 3) / 4 * 4 +
			(q->snd_nxt == m->start_seq ? FRAME_RETH_BYTES : 0);
	uint32_t h = net_frame_take(net);

	sim_assert(payload > 0 && q->snd_nxt >= m->start_seq);
	*net_frame(net, h) = (struct frame){ .msg = q->msg_send, .qp = q->id, .dst = q->dst, .src = q->src,
		.seq = q->snd_nxt, .sent_ps = start, .hash = q->hash,
		.bytes = (uint16_t)(bytes < FRAME_MIN_BYTES ? FRAME_MIN_BYTES : bytes),
		.payload = (uint16_t)payload, .kind = FRAME_DATA,
		.flags = (uint8_t)((q->cc.ops->needs & CC_NEED_ECN ? FRAME_ECT : 0) | (left == payload ? FRAME_LAST : 0) | (conf->df ? FRAME_DF : 0)),
		.prio = q->prio, .queue = q->queue, .dscp = q->dscp, .ttl = (uint8_t)conf->ttl,
		.class_ = q->class_, .gen = q->gen };
	if (q->snd_nxt < q->snd_max)
		m->retransmitted += payload;
	q->snd_nxt += payload;
	if (q->snd_nxt > q->snd_max)
		q->snd_max = q->snd_nxt;
	if (left == payload)
		q->msg_send = m->next;
	hn->data_frames++;
	qp_pace(hn, q, start, net_frame(net, h)->bytes);
	if (q->retry_at_ps == UNITS_NEVER) {
		q->retry_at_ps = net->now_ps + conf->retry_timeout_ps;
		qp_arm(hn, q);
	}
	if (q->cc.ops->on_send) {
		q->cc.ops->on_send(&q->cc, net->now_ps, payload);
		qp_answered(hn, q);
	}
	return h;
}

/* ---- answers ---- */

static void qp_finish_messages(struct host_net *hn, struct qp *q)
{
	while (q->msg_una != POOL_NONE) {
		uint32_t id = q->msg_una;
		struct msg *m = host_msg(hn, id);
		if (m->end_seq > q->snd_una)
			return;
		q->msg_una = m->next;
		if (q->msg_send == id)
			q->msg_send = m->next;
		if (q->msg_tail == id)
			q->msg_tail = POOL_NONE;
		NET_TRACE(hn->net, RECORD_FLOW_ACKED, q->src, q->port, q->prio, id,
			  hn->net->now_ps - m->start_ps, 0);
		struct msg done = *m;
		pool_give(&hn->msgs, id);
		workload_acked(hn, q, &done);
	}
}

static void qp_go_back(struct host_net *hn, struct qp *q, int64_t seq, enum cc_loss why)
{
	uint32_t m = q->msg_una;

	if (seq >= q->snd_nxt)
		return;
	while (m != POOL_NONE && host_msg(hn, m)->end_seq <= seq)
		m = host_msg(hn, m)->next;
	sim_assert(m != POOL_NONE);
	NET_TRACE(hn->net, RECORD_RETRANSMIT, q->src, q->port, q->prio, m, q->snd_nxt - seq,
		  why == CC_LOSS_TIMEOUT);
	q->snd_nxt = seq;
	q->msg_send = m;
	if (q->cc.ops->on_loss) {
		q->cc.ops->on_loss(&q->cc, hn->net->now_ps, why);
		qp_answered(hn, q);
	}
}

static void qp_advance(struct host_net *hn, struct qp *q, const struct frame *f, int64_t acked)
{
	const struct nic_conf *conf = &hn->nic[q->src]->conf;
	int64_t now = hn->net->now_ps;

	q->snd_una = f->seq;
	q->retries = 0;
	if (q->snd_nxt < q->snd_una) {	/* acknowledged before it was sent again */
		q->snd_nxt = q->snd_una;
		while (q->msg_send != POOL_NONE && host_msg(hn, q->msg_send)->end_seq <= q->snd_nxt)
			q->msg_send = host_msg(hn, q->msg_send)->next;
	}
	q->retry_at_ps = q->snd_una < q->snd_nxt ? now + conf->retry_timeout_ps : UNITS_NEVER;
	if (q->cc.ops->on_ack) {
		int64_t ce = (int64_t)f->payload * conf->mtu_bytes;
		struct cc_ack ack = { .now_ps = now, .ack_seq = f->seq, .snd_nxt = q->snd_nxt,
			.acked_bytes = acked, .ce_bytes = ce < acked ? ce : acked,
			.rtt_ps = now - f->sent_ps };
		q->cc.ops->on_ack(&q->cc, &ack);
		qp_answered(hn, q);
	}
	qp_finish_messages(hn, q);
}

void qp_receive_ack(struct host_net *hn, struct qp *q, const struct frame *f)
{
	int64_t acked;

	if (q->failed || q->state == QP_CLOSED || f->gen != q->gen)
		return;
	sim_assert(f->seq <= q->snd_max);
	acked = f->seq - q->snd_una;
	if (f->kind == FRAME_NAK && acked < 0)
		q->snd_una = f->seq;	/* go-back-0: the message starts again */
	if (acked > 0)
		qp_advance(hn, q, f, acked);
	if (f->kind == FRAME_NAK)
		qp_go_back(hn, q, f->seq, CC_LOSS_NAK);
	qp_settle(hn, q);
}

void qp_receive_cnp(struct host_net *hn, struct qp *q)
{
	if (q->failed || q->state == QP_CLOSED)
		return;
	if (q->msg_una != POOL_NONE)
		host_msg(hn, q->msg_una)->cnps++;
	if (!q->cc.ops->on_cnp)
		return;
	q->cc.ops->on_cnp(&q->cc, hn->net->now_ps);
	qp_answered(hn, q);
}

/* ---- time ---- */

static void qp_retry(struct host_net *hn, struct qp *q)
{
	const struct nic_conf *conf = &hn->nic[q->src]->conf;

	if (q->retries >= conf->retry_count) {
		qp_fail(hn, q, RECORD_FAIL_RETRIES, q->retries);
		return;
	}
	q->retries++;
	q->retry_at_ps = hn->net->now_ps + conf->retry_timeout_ps;
	int64_t from = q->snd_una;
	if (conf->recovery == NIC_GO_BACK_0 && q->msg_una != POOL_NONE)
		from = host_msg(hn, q->msg_una)->start_seq;
	if (from < q->snd_una)
		q->snd_una = from;
	qp_go_back(hn, q, from, CC_LOSS_TIMEOUT);
}

void qp_timer(struct host_net *hn, struct qp *q)
{
	int64_t now = hn->net->now_ps;

	if (q->timer_at_ps != now || q->state == QP_CLOSED)
		return;
	q->timer_at_ps = UNITS_NEVER;
	if (q->failed)
		return;
	for (int i = 0; i < CC_TIMERS; i++) {
		if (q->cc.out.timer_ps[i] > now)
			continue;
		q->cc.out.timer_ps[i] = CC_NEVER_PS;
		q->cc.ops->on_timer(&q->cc, now, i);
		qp_answered(hn, q);
	}
	if (q->retry_at_ps <= now)
		qp_retry(hn, q);
	if (q->failed)
		return;
	qp_arm(hn, q);
	qp_settle(hn, q);
}

void qp_fail(struct host_net *hn, struct qp *q, int why, int64_t detail)
{
	struct node *node = &hn->net->nodes[q->src];

	q->failed = true;
	if (q->state != QP_READY)	/* a READY one leaves its ring when its turn comes */
		q->state = QP_FAILED;
	q->fail_detail = (uint32_t)detail;
	q->retry_at_ps = UNITS_NEVER;
	q->cc.out.timer_ps[0] = q->cc.out.timer_ps[1] = CC_NEVER_PS;
	net_digest(hn->net, node, NET_WHAT(NET_D_FAIL, 0, q->prio, why), q->hash);
	while (q->msg_una != POOL_NONE) {
		uint32_t id = q->msg_una;
		q->msg_una = host_msg(hn, id)->next;
		NET_TRACE(hn->net, RECORD_FLOW_FAILED, q->src, q->port, q->prio, id, why, detail);
		pool_give(&hn->msgs, id);
	}
	q->msg_send = q->msg_tail = POOL_NONE;
	q->end = q->snd_una = q->snd_nxt;
}

const char *qp_waits_for(const struct host_net *hn, const struct qp *q)
{
	const struct port *p = host_port(hn, q);

	if (!p->up)
		return "its link is down";
	if (q->state == QP_READY)
		return p->paused_queues >> q->queue & 1 ? "its port is paused" : "its turn at the port";
	if (q->state == QP_PACED)
		return "its pacing rate";
	if (q->state == QP_WINDOW)
		return "acknowledgements (window full)";
	if (q->snd_una < q->snd_nxt)
		return "acknowledgements of what it has sent";
	return "nothing";
}
