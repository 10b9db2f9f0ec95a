/*
 * models/host/workload_run.h - workloads at work: parts, timers, reactions.
 *
 * workload_setup opens the QPs that persist; workload_timer starts what is due
 * at one part; workload_delivered and workload_acked are the two places where
 * a message makes another one start (a response, the next step of a ring, a
 * replica, the next of a closed loop).
 */
#ifndef WORKLOAD_RUN_H
#define WORKLOAD_RUN_H
#include "models/host/host.h"

/* hn->workload is filled and in order of names; makes hn->part and the QPs. */
void workload_setup(struct host_net *hn);
void workload_fini(struct host_net *hn);
void workload_arm(struct host_net *hn);		/* the first timer of every part */

void workload_timer(struct host_net *hn, struct part *part);	/* NET_WORKLOAD */
/* The last byte of `m` has reached the host of `part` (NET_NONE: nobody waits). */
void workload_delivered(struct host_net *hn, struct nic *nic, uint32_t part, uint32_t src,
			const struct msg *m);
/* The source knows that `m` has arrived; it is no longer in the pool. */
void workload_acked(struct host_net *hn, struct qp *q, const struct msg *m);

/*
 * Messages that the settings ask for and that have not begun, because what they wait for
 * (a message, the step before, a request) has failed or is not done, or because their time
 * has not come.  With `count`: all of it, or none after `stop`; a ring that has begun a round
 * owes the rest of it, each request a response, each write its copies.  Endless loops and
 * rates owe nothing more.
 */
int64_t workload_not_begun(const struct host_net *hn, const struct workload *w);
#endif
