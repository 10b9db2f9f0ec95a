/*
 * models/host/qp_read.c - READ: requests, and the responder that answers them.
 *
 * Requester: a message is one READ request, which takes the sequence numbers of its
 * responses (IBTA 9.4.4); the responses are its acknowledgement.  What is missing
 * (a gap, or a timeout) is asked for again from there on, with all that follows:
 * IBTA 9.7.5.2, an "implied NAK".  Responder: it remembers what it has been asked
 * for, in order, as messages of its own half; a request that it had seen makes it
 * begin again there.
 */
#include "models/host/qp.h"

#include "models/host/qp_inside.h"

uint32_t qp_flow(const struct host_net *hn, const struct qp *q)
{
	if (q->side != QP_RESPONDER || q->msg_una == POOL_NONE)
		return q->msg_una;
	return host_msg(hn, q->msg_una)->origin;
}

/* ---- requester ---- */

void qp_fewer_reads(struct qp *q, int n)
{
	q->reads = (uint8_t)n;
	q->window_bytes = CC_NO_WINDOW;
}

uint32_t qp_cut_request(struct host_net *hn, struct qp *q, int64_t start)
{
	uint32_t h = net_frame_take(hn->net), m = q->msg_send;
	const struct msg *msg = host_msg(hn, m);
	const struct nic_conf *conf = &hn->nic[q->src]->conf;

	*net_frame(hn->net, h) = (struct frame){ .kind = FRAME_READ, .msg = m, .qp = q->id, .dst = q->dst,
		.src = q->src, .seq = q->snd_nxt, .read_bytes = msg->size - (q->snd_nxt - msg->start_seq),
		.hash = q->hash, .bytes = FRAME_ROCE_BYTES + FRAME_RETH_BYTES,
		.flags = (uint8_t)((conf->cc->needs & CC_NEED_ECN ? FRAME_ECT : 0) | (conf->df ? FRAME_DF : 0) |
				   (q->snd_nxt < q->snd_max ? FRAME_AGAIN : 0)),
		.prio = q->prio, .queue = q->queue, .dscp = q->dscp & 63u, .ttl = (uint8_t)conf->ttl,
		.class_ = q->class_, .gen = q->gen };
	q->snd_nxt = msg->end_seq;
	if (q->snd_nxt > q->snd_max)
		q->snd_max = q->snd_nxt;
	q->msg_send = msg->next;
	q->reads++;
	if (q->reads >= conf->max_reads)
		q->window_bytes = 1;	/* full */
	q->next_send_ps = start;
	if (q->retry_at_ps == UNITS_NEVER) {
		qp_start_retry(q, conf, hn->net->now_ps);
		qp_arm(hn, q);
	}
	return h;
}

void qp_read_progress(struct host_net *hn, struct qp *q, int64_t seq)
{
	if (q->failed || seq <= q->snd_una)
		return;
	qp_advance(hn, q, NULL, seq);
	qp_settle(hn, q);
}

void qp_read_again(struct host_net *hn, struct qp *q, int64_t seq)
{
	if (q->failed)
		return;
	if (seq < q->snd_una)
		q->snd_una = seq;	/* go-back-0: the message starts again */
	qp_go_back(hn, q, seq, CC_LOSS_NAK);
	qp_settle(hn, q);
}

bool qp_rewinds(const struct host_net *hn, const struct qp *q)
{
	return q->side == QP_REQUESTER && hn->nic[q->src]->conf.recovery == NIC_GO_BACK_0 &&
	       host_remote(hn, q->pair)->no_acks;
}

/* ---- responder ---- */

static void qp_forget_first(struct host_net *hn, struct qp *q)
{
	uint32_t id = q->msg_una;

	q->msg_una = host_msg(hn, id)->next;
	if (q->msg_send == id)
		q->msg_send = q->msg_una;
	if (q->msg_tail == id)
		q->msg_tail = POOL_NONE;
	pool_give(&hn->msgs, id);
}

void qp_sent_for_good(struct host_net *hn, struct qp *q)
{
	q->snd_una = q->snd_nxt;
	while (q->msg_una != POOL_NONE && host_msg(hn, q->msg_una)->end_seq <= q->snd_una)
		qp_forget_first(hn, q);
}

void qp_respond(struct host_net *hn, struct qp *q, const struct frame *f, bool again)
{
	if (q->failed || (again && !q->no_acks))
		return;		/* what it has not been acknowledged it sends again by itself */
	if (again) {
		while (q->msg_una != POOL_NONE)
			qp_forget_first(hn, q);
		q->end = q->snd_una = q->snd_nxt = f->seq;
	}
	uint32_t m = pool_take(&hn->msgs);
	struct msg *msg = host_msg(hn, m);
	int64_t mtu = q->cc.path.mtu_bytes;

	sim_assert(f->seq == q->end);
	*msg = (struct msg){ .next = POOL_NONE, .qp = q->id, .size = f->read_bytes, .start_seq = q->end,
		.end_seq = q->end + units_div_ceil(f->read_bytes, mtu) * mtu, .class_ = q->class_,
		.workload = hn->part[q->part].workload, .origin = f->msg };
	q->end = msg->end_seq;
	if (q->msg_tail != POOL_NONE)
		host_msg(hn, q->msg_tail)->next = m;
	q->msg_tail = m;
	if (q->msg_una == POOL_NONE)
		q->msg_una = m;
	if (q->msg_send == POOL_NONE)
		q->msg_send = m;
	qp_settle(hn, q);
}
