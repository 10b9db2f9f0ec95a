/* Deadlines, failures, and what a QP waits for. */
#include "models/host/qp.h"

#include "models/host/nic.h"
#include "models/host/qp_inside.h"
#include "models/host/transport.h"
#include "models/host/workload_run.h"

static void qp_retry(struct host_net *hn, struct qp *q)
{
	const struct nic_conf *conf = &hn->nic[q->src]->conf;

	if (q->retries >= conf->retry_count) {
		qp_fail(hn, q, q->side == QP_REQUESTER ? RECORD_FAIL_NO_RESPONSE : RECORD_FAIL_RETRIES,
			q->retries);
		return;
	}
	q->retries++;
	qp_start_retry(q, conf, hn->net->now_ps);
	if (q->selective) {
		q->recover_seq = q->snd_nxt;
		q->resend_nxt = q->snd_una;
		q->resend_first = true;
		NET_TRACE(hn->net, RECORD_RETRANSMIT, q->src, q->port, q->prio, qp_flow(hn, q),
			  q->cc.path.mtu_bytes, 1);
		if (q->cc.ops->on_loss) {
			q->cc.ops->on_loss(&q->cc, hn->net->now_ps, CC_LOSS_TIMEOUT);
			qp_answered(hn, q);
		}
		return;
	}
	int64_t from = q->snd_una;
	if (qp_rewinds(hn, q))
		transport_rewind(hn, host_remote(hn, q->pair), q->msg_una);
	if (conf->recovery == NIC_GO_BACK_0 && q->msg_una != POOL_NONE &&
	    (q->side != QP_REQUESTER || qp_rewinds(hn, q)))
		from = host_msg(hn, q->msg_una)->start_seq;
	if (from < q->snd_una)
		q->snd_una = from;
	qp_go_back(hn, q, from, CC_LOSS_TIMEOUT);
}

/* RTO_low is over, but it was set when few packets flew, and now more do: RTO_high holds,
 * from the same instant (IRN, SIGCOMM 2018, section 3.1). */
static bool qp_low_is_over(struct host_net *hn, struct qp *q)
{
	const struct nic_conf *conf = &hn->nic[q->src]->conf;
	int64_t more = nic_retry_ps(conf, q->retries) - conf->rto_low_ps;

	if (!q->rto_low || qp_few_fly(q, conf) || more <= 0)
		return false;
	q->rto_low = false;
	q->retry_at_ps += more;
	return true;
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
	if (q->retry_at_ps <= now && q->rnr_wait) {
		q->rnr_wait = false;
		q->retry_at_ps = UNITS_NEVER;
		if (q->state == QP_RNR)
			q->state = QP_IDLE;
	} else if (q->retry_at_ps <= now && !qp_low_is_over(hn, q)) {
		qp_retry(hn, q);
	}
	if (q->failed)
		return;
	qp_arm(hn, q);
	qp_settle(hn, q);
}

void qp_fail(struct host_net *hn, struct qp *q, int why, int64_t detail)
{
	struct node *node = &hn->net->nodes[q->src];

	q->failed = (uint8_t)(1 + why);
	if (q->state != QP_READY)	/* a READY one leaves its ring when its turn comes */
		q->state = QP_FAILED;
	q->fail_detail = (uint32_t)detail;
	q->retry_at_ps = UNITS_NEVER;
	q->rnr_wait = false;
	q->cc.out.timer_ps[0] = q->cc.out.timer_ps[1] = CC_NEVER_PS;
	net_digest(hn->net, node, NET_WHAT(NET_D_FAIL, 0, q->prio, why), q->hash);
	while (q->msg_una != POOL_NONE) {
		uint32_t id = q->msg_una;
		q->msg_una = host_msg(hn, id)->next;
		if (q->side == QP_RESPONDER) {	/* its requester will notice */
			pool_give(&hn->msgs, id);
			continue;
		}
		NET_TRACE(hn->net, RECORD_FLOW_FAILED, q->src, q->port, q->prio, id, why, detail);
		/* Frames of it may still arrive, and the receiver reads what they belong to. */
		if (host_msg(hn, id)->start_seq >= q->snd_max)
			pool_give(&hn->msgs, id);
	}
	q->msg_send = q->msg_tail = POOL_NONE;
	q->end = q->snd_una = q->snd_nxt = q->snd_max;
	q->recover_seq = -1;
	if (q->holes != POOL_NONE)
		pool_give(&hn->holes[q->holes_size], q->holes);
	q->holes = POOL_NONE;
}

/* A requester has asked: what keeps the responder? */
static const char *qp_waits_for_responder(const struct host_net *hn, const struct qp *q)
{
	const struct port *p = host_port(hn, q);

	if (q->failed)
		return "READ responses (the responder's queue pair has failed)";
	if (!p->up)
		return "READ responses (the responder's link is down)";
	if (q->state == QP_READY)
		return p->paused_queues >> q->queue & 1 ? "READ responses (the responder's port is paused)"
							: "READ responses (their turn at the responder's port)";
	if (q->state == QP_PACED)
		return "READ responses (the responder's pacing rate)";
	if (q->state == QP_WINDOW)
		return "READ responses (the responder's window is full)";
	return "READ responses, or its retry timer";
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
		return q->side == QP_REQUESTER ? qp_waits_for_responder(hn, host_qp(hn, q->pair))
					       : "acknowledgements (window full)";
	if (q->state == QP_RNR)
		return "its RNR timer (the receiver had no receive buffer posted)";
	if (q->snd_una < q->snd_nxt && q->side == QP_REQUESTER)
		return qp_waits_for_responder(hn, host_qp(hn, q->pair));
	if (q->snd_una < q->snd_nxt && q->retries)
		return "acknowledgements of what it has sent again, or its retry timer";
	if (q->snd_una < q->snd_nxt)
		return "acknowledgements of what it has sent";
	return "nothing";
}
