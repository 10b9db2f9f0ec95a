/*
 * models/host/qp.h - the sending half of a QP: messages, pacing, windows,
 * go-back-N and selective repeat, retry timer.
 *
 *	IDLE --message--> READY <--> PACED      next_send_ps lies ahead
 *	                    |  <--> WINDOW      outstanding >= cwnd
 *	                    +-----> IDLE        everything queued has been sent
 *	any --retries exhausted, MTU error--> FAILED
 *	any --RNR NAK--> RNR --its timer--> any
 */
#ifndef QP_H
#define QP_H
#include "models/host/host.h"

struct qp_open {		/* all that a new QP needs to know */
	uint32_t src, dst;
	int class_;
	uint64_t name_hash;	/* of what makes it itself: workload, hosts, number */
	uint32_t part, remote_part;
	int verb;		/* enum nic_verb */
	int64_t rate_cap_bps;	/* 0 line; of the data */
	bool once;
	/* streams */
	bool stream;
	int64_t rate_bps;	/* 0 greedy */
	int64_t stop_ps;
	int64_t frame_bytes;
	struct units_ratio jitter;
};
uint32_t qp_open(struct host_net *hn, const struct qp_open *open);	/* returns its id */

/* Queues a message; `start_ps` is its intended start, now or earlier. */
uint32_t qp_post(struct host_net *hn, uint32_t qp, const struct msg *message);
/* A stream begins: from now it always has something to send. */
void qp_stream_start(struct host_net *hn, uint32_t qp);

/* Something changed: puts the QP where its state belongs. */
void qp_settle(struct host_net *hn, struct qp *q);
/* Something to send, new or again? */
bool qp_has_data(const struct host_net *hn, const struct qp *q);
/* Cuts the next packet of a READY QP; the caller sends it now. */
uint32_t qp_cut(struct host_net *hn, struct qp *q, int64_t start_ps);
void qp_receive_ack(struct host_net *hn, struct qp *q, const struct frame *f);	/* ACK and NAK */
void qp_receive_cnp(struct host_net *hn, struct qp *q);
void qp_receive_rnr(struct host_net *hn, struct qp *q, const struct frame *f);
void qp_timer(struct host_net *hn, struct qp *q);	/* NET_QP */
void qp_paced(struct host_net *hn, struct qp *q);	/* NET_PACE */
void qp_fail(struct host_net *hn, struct qp *q, int why, int64_t detail);

/* ---- READ (models/host/qp_read.c) ---- */
/* The requester has everything below `seq`. */
void qp_read_progress(struct host_net *hn, struct qp *requester, int64_t seq);
/* It misses what lies at `seq`: asks for it and all that follows again. */
void qp_read_again(struct host_net *hn, struct qp *requester, int64_t seq);
/* The responder is asked for `bytes` from `seq` on; `again`: by a request that it had seen. */
void qp_respond(struct host_net *hn, struct qp *responder, const struct frame *request, bool again);

/* In words, for the list of unfinished flows. */
const char *qp_waits_for(const struct host_net *hn, const struct qp *q);
#endif
