/* What comes back: ACKs, NAKs, CNPs. */
#include "models/host/qp.h"

#include "models/host/nic.h"
#include "models/host/qp_inside.h"
#include "models/host/workload_run.h"

/* Of a message that is done; a responder's copy is no flow. */
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
		if (q->side == QP_RESPONDER) {
			pool_give(&hn->msgs, id);
			continue;
		}
		if (q->side == QP_REQUESTER)
			qp_fewer_reads(q, q->reads ? q->reads - 1 : 0);
		NET_TRACE(hn->net, RECORD_FLOW_ACKED, q->src, q->port, q->prio, id,
			  hn->net->now_ps - m->start_ps, 0);
		struct msg done = *m;
		pool_give(&hn->msgs, id);
		workload_acked(hn, q, &done);
	}
}

void qp_go_back(struct host_net *hn, struct qp *q, int64_t seq, enum cc_loss why)
{
	if (seq >= q->snd_nxt)
		return;
	uint32_t m = qp_message_at(hn, q, seq);
	NET_TRACE(hn->net, RECORD_RETRANSMIT, q->src, q->port, q->prio, q->side == QP_RESPONDER ? qp_flow(hn, q) : m, q->snd_nxt - seq,
		  why == CC_LOSS_TIMEOUT);
	q->snd_nxt = q->asked_seq = seq;
	q->msg_send = m;
	if (q->side == QP_REQUESTER)
		qp_fewer_reads(q, 0);	/* it asks for all of it again */
	if (q->cc.ops->on_loss) {
		q->cc.ops->on_loss(&q->cc, hn->net->now_ps, why);
		qp_answered(hn, q);
	}
}

/* Marks since the last call.  The receiver's count runs on, so that neither the answers that
 * acknowledge nothing (to early packets and duplicates) nor lost ones lose a mark. */
static int64_t qp_marked(struct qp *q, const struct frame *f)
{
	uint16_t more = (uint16_t)(f->payload - q->ce_seen);

	if (more > INT16_MAX)		/* go-back-0: of before the message began again */
		return 0;
	q->ce_seen = f->payload;
	return (int64_t)more * q->cc.path.mtu_bytes;
}

static void qp_tell_ack(struct host_net *hn, struct qp *q, const struct frame *f, int64_t acked)
{
	int64_t now = hn->net->now_ps;
	struct cc_hop hop[CC_HOPS];
	struct cc_ack ack = { .now_ps = now, .ack_seq = f->seq, .snd_nxt = q->snd_nxt,
		.acked_bytes = acked, .ce_bytes = qp_marked(q, f),
		.rtt_ps = now - net_sent_ps(hn->net, f), .hop = hop };

	if (f->flags & FRAME_INT) {
		const struct telemetry *t = net_telemetry(hn->net, f);
		ack.nhops = t->hops;
		ack.pint = t->power;
		for (int i = 0; i < t->hops; i++)
			hop[i] = (struct cc_hop){ t->hop[i].ts_ps, t->hop[i].tx_bytes, t->hop[i].qlen_bytes,
						  t->hop[i].line_bps };
	}
	q->cc.ops->on_ack(&q->cc, &ack);
	qp_answered(hn, q);
}

/* Forgets what lies below the new cumulative point. */
static void qp_fill_holes(struct host_net *hn, struct qp *q, int64_t from)
{
	int64_t mtu = q->cc.path.mtu_bytes;

	if (q->recover_seq >= 0 && q->snd_una >= q->recover_seq) {
		q->recover_seq = -1;
		q->resend_first = false;
	}
	if (q->holes == POOL_NONE)
		return;
	struct holes *h = host_holes(hn, q->holes_size, q->holes);
	for (; from < q->snd_una; from += mtu)
		holes_clear(h, from / mtu);
	if (h->highest < q->snd_una) {
		pool_give(&hn->holes[q->holes_size], q->holes);
		q->holes = POOL_NONE;
	}
}

/* A NAK of selective repeat: cumulative in seq, and the packet that came out of
 * order `msg` packets above it. */
static void qp_selective_nak(struct host_net *hn, struct qp *q, const struct frame *f)
{
	int64_t mtu = q->cc.path.mtu_bytes, seq = f->seq + (int64_t)f->msg * mtu;

	if (seq <= q->snd_una || seq >= q->snd_max)
		return;
	if (q->holes == POOL_NONE)
		q->holes = holes_take(&hn->holes[q->holes_size], (uint32_t)HOLES_LEAST << q->holes_size);
	struct holes *h = host_holes(hn, q->holes_size, q->holes);
	holes_set(h, seq / mtu);
	if (seq > h->highest)
		h->highest = seq;
	if (q->recover_seq >= 0)
		return;
	NET_TRACE(hn->net, RECORD_RETRANSMIT, q->src, q->port, q->prio, qp_flow(hn, q), mtu, 0);
	q->recover_seq = q->snd_nxt;
	q->resend_nxt = q->snd_una;
	q->resend_first = true;
	if (q->cc.ops->on_loss) {
		q->cc.ops->on_loss(&q->cc, hn->net->now_ps, CC_LOSS_NAK);
		qp_answered(hn, q);
	}
}

void qp_advance(struct host_net *hn, struct qp *q, const struct frame *f, int64_t seq)
{
	const struct nic_conf *conf = &hn->nic[q->src]->conf;
	int64_t now = hn->net->now_ps, acked = seq - q->snd_una;

	q->snd_una = seq;
	q->retries = q->rnr_tries = 0;
	if (q->selective)
		qp_fill_holes(hn, q, seq - acked);
	if (q->snd_nxt < q->snd_una) {	/* acknowledged before it was sent again */
		q->snd_nxt = q->snd_una;
		while (q->msg_send != POOL_NONE && host_msg(hn, q->msg_send)->end_seq <= q->snd_nxt)
			q->msg_send = host_msg(hn, q->msg_send)->next;
	}
	if (!q->rnr_wait && q->snd_una < q->snd_nxt)
		qp_start_retry(q, conf, now);
	else if (!q->rnr_wait)
		q->retry_at_ps = UNITS_NEVER;
	if (q->retry_at_ps < q->timer_at_ps)	/* a shorter timeout than the one that is armed */
		qp_arm(hn, q);
	if (q->cc.ops->on_ack && f)
		qp_tell_ack(hn, q, f, acked);
	qp_finish_messages(hn, q);
}

void qp_receive_ack(struct host_net *hn, struct qp *q, const struct frame *f)
{
	int64_t acked;

	if (q->failed || q->state == QP_CLOSED || f->gen != q->gen)
		return;
	sim_assert(f->seq <= q->snd_max);
	if (q->side == QP_REQUESTER) {	/* it lacks a request; what it has is no data that came back */
		if (f->seq >= q->snd_una)
			qp_go_back(hn, q, f->seq, CC_LOSS_NAK);
		qp_settle(hn, q);
		return;
	}
	acked = f->seq - q->snd_una;
	if (f->kind == FRAME_NAK && acked < 0 && !q->selective) {
		/* An ACK that went a shorter way has overtaken it: it is ignored (IBTA 9.7.5: not of
		 * an unacknowledged PSN).  Of go-back-0 it may be real: the message starts again. */
		if (hn->nic[q->dst]->conf.recovery != NIC_GO_BACK_0 || q->msg_una == POOL_NONE ||
		    f->seq != host_msg(hn, q->msg_una)->start_seq)
			return;
		q->snd_una = f->seq;
	}
	if (acked > 0)
		qp_advance(hn, q, f, f->seq);
	if (f->kind == FRAME_NAK && q->selective)
		qp_selective_nak(hn, q, f);
	else if (f->kind == FRAME_NAK)
		qp_go_back(hn, q, f->seq, CC_LOSS_NAK);
	qp_settle(hn, q);
}

/* The receiver has no buffer for the SEND at f->seq: it is sent again, with all that
 * follows, when the time that the NAK names is over (IBTA 9.7.5.2.8).  No loss: the
 * congestion control is not told. */
void qp_receive_rnr(struct host_net *hn, struct qp *q, const struct frame *f)
{
	const struct nic_conf *conf = &hn->nic[q->src]->conf;
	int64_t wait = nic_rnr_ps((int)f->msg);

	if (q->failed || q->state == QP_CLOSED || f->gen != q->gen)
		return;
	if (f->seq > q->snd_una)
		qp_advance(hn, q, f, f->seq);
	if (f->seq < q->snd_una || q->rnr_wait || q->msg_una == POOL_NONE)
		return;
	if (conf->rnr_retry < NIC_RNR_FOR_EVER && q->rnr_tries >= conf->rnr_retry) {
		qp_fail(hn, q, RECORD_FAIL_RNR, q->rnr_tries);
		return;
	}
	if (q->rnr_tries < UINT8_MAX)
		q->rnr_tries++;
	host_msg(hn, q->msg_una)->rnrs++;
	host_msg(hn, q->msg_una)->rnr_ps += wait;
	NET_TRACE(hn->net, RECORD_RNR, q->src, q->port, q->prio, q->msg_una, wait, f->msg);
	q->rnr_wait = true;
	q->retry_at_ps = hn->net->now_ps + wait;
	q->snd_nxt = q->asked_seq = f->seq;
	q->msg_send = q->msg_una;
	q->recover_seq = -1;
	q->resend_first = false;
	qp_arm(hn, q);
	qp_settle(hn, q);
}

void qp_receive_cnp(struct host_net *hn, struct qp *q)
{
	if (q->failed || q->state == QP_CLOSED)
		return;
	if (q->msg_una != POOL_NONE)	/* a responder's copy: its requester counts them */
		host_msg(hn, q->msg_una)->cnps++;
	if (!q->cc.ops->on_cnp)
		return;
	q->cc.ops->on_cnp(&q->cc, hn->net->now_ps);
	qp_answered(hn, q);
}
