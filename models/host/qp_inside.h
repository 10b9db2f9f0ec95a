/*
 * models/host/qp_inside.h - shared by models/host/qp*.c only.
 */
#ifndef QP_INSIDE_H
#define QP_INSIDE_H
#include "models/host/host.h"

void qp_arm(struct host_net *hn, struct qp *q);		/* its next deadline */
void qp_answered(struct host_net *hn, struct qp *q);	/* the algorithm has spoken */
void qp_close(struct host_net *hn, struct qp *q);
uint32_t qp_message_at(const struct host_net *hn, const struct qp *q, int64_t seq);
int64_t qp_timeout_ps(const struct qp *q, const struct nic_conf *conf);
void qp_go_back(struct host_net *hn, struct qp *q, int64_t seq, enum cc_loss why);
#endif
