/*
 * models/host/qp_inside.h - shared by models/host/qp*.c only.
 */
#ifndef QP_INSIDE_H
#define QP_INSIDE_H
#include "models/host/host.h"

void qp_arm(struct host_net *hn, struct qp *q);		/* its next deadline */
void qp_answered(struct host_net *hn, struct qp *q);	/* the algorithm has spoken */
/* The message that records speak of: a responder's copies are no flows of their own. */
uint32_t qp_flow(const struct host_net *hn, const struct qp *q);
void qp_fewer_reads(struct qp *q, int n);	/* of a requester: n are outstanding */
uint32_t qp_cut_request(struct host_net *hn, struct qp *q, int64_t start_ps);
void qp_sent_for_good(struct host_net *hn, struct qp *q);	/* nobody will acknowledge it */
bool qp_rewinds(const struct host_net *hn, const struct qp *q);	/* a READ of go-back-0 */
void qp_close(struct host_net *hn, struct qp *q);
uint32_t qp_message_at(const struct host_net *hn, const struct qp *q, int64_t seq);
/* IRN: RTO_low holds. */
bool qp_few_fly(const struct qp *q, const struct nic_conf *conf);
void qp_start_retry(struct qp *q, const struct nic_conf *conf, int64_t now_ps);	/* its timer, from now */
/* Everything below `seq` has arrived; `ack` says so, NULL of a requester. */
void qp_advance(struct host_net *hn, struct qp *q, const struct frame *ack, int64_t seq);
void qp_go_back(struct host_net *hn, struct qp *q, int64_t seq, enum cc_loss why);
#endif
