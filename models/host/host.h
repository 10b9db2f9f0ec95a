/*
 * models/host/host.h - what all hosts of a run share: QPs, messages, workloads.
 *
 * A QP is two halves with one id: struct qp at its source and struct qp_remote
 * at its destination; each is written by its own node only.  A message (one
 * row of flows.csv) belongs to the source; the destination reads what does not
 * change.  Hosts know no switch: path facts come through `path`.
 */
#ifndef HOST_H
#define HOST_H
#include "models/host/holes.h"
#include "models/host/nic_conf.h"
#include "models/host/recv_queue.h"
#include "models/host/workload.h"
#include "models/wire/port.h"

enum qp_state { QP_IDLE, QP_READY, QP_PACED, QP_WINDOW, QP_RNR, QP_FAILED, QP_CLOSED };

/*
 * A READ has two sending halves: the requester's, whose packets are the requests,
 * and the responder's, whose packets are the data.  Each has a receiving half at
 * the other host; `pair` names the one from the other.  They share sequence
 * numbers: a request takes those of its responses, as it does PSNs in IBTA 9.4.4.
 */
enum qp_side { QP_SENDER, QP_REQUESTER, QP_RESPONDER };

struct qp {			/* the sending half */
	uint32_t ring_next;		/* pool_give keeps its list here; in the ring of ready QPs */
	uint32_t id;
	uint32_t src, dst;		/* node ids */
	uint32_t hash;			/* five-tuple */
	uint32_t port;			/* it leaves by; dense port id */
	uint8_t state, queue, prio, class_;
	uint8_t dscp, gen, retries;
	uint8_t failed;			/* 1 + enum record_failure, even while it still stands in a ring */
	uint8_t verb, side;		/* enum nic_verb, enum qp_side */
	uint8_t rnr_tries;		/* RNR NAKs in a row */
	uint8_t reads;			/* requester: outstanding */
	uint8_t holes_size;		/* HOLES_LEAST << this packets */
	bool stream;
	bool rnr_wait;			/* until retry_at_ps */
	bool once : 1;			/* closes with its only message */
	bool selective : 1;		/* repeats selectively */
	bool no_acks : 1;		/* responder: nobody acknowledges what it sends */
	bool rto_low : 1;		/* retry_at_ps is by the low timeout of selective repeat */
	bool resend_first;		/* selective repeat: the packet at snd_una is certainly lost */
	uint16_t ce_seen;		/* the receiver's count of marks when last read */
	int32_t answer_bytes;		/* so much the receiver answers unasked; 0 of a requester */
	int64_t next_send_ps;		/* pacing */
	int64_t snd_nxt, snd_una, snd_max, end;	/* bytes: next, unacknowledged, highest sent, all queued */
	uint32_t msg_una, msg_send, msg_tail;	/* oldest unacknowledged, being cut, newest */
	uint32_t local;			/* number on its host: the tie of its timers */
	uint32_t holes;			/* selective repeat: what is acknowledged above snd_una, struct holes */
	uint32_t pair;			/* READ: the other sending half */
	int64_t asked_seq;		/* up to here an answer has been asked for */
	int64_t recover_seq;		/* in recovery until this is acknowledged; -1 not */
	int64_t resend_nxt;		/* next candidate to send again; all between snd_una and it are, or are there */
	int64_t window_bytes;		/* the host's own cap (BDP), CC_NO_WINDOW none */
	int64_t retry_at_ps;		/* UNITS_NEVER: nothing outstanding */
	int64_t timer_at_ps;		/* pending NET_QP */
	int64_t rate_cap_bps;
	uint32_t part;			/* of the workload */
	uint32_t fail_detail;
	int64_t stop_ps;		/* stream */
	uint16_t frame_bytes;		/* stream */
	uint16_t jitter_q16;		/* stream: gap times 1 +- this / 65536 */
	uint32_t jitter_state;
	struct cc cc;			/* last: only the state that the algorithm uses has memory */
};

struct qp_remote {		/* the receiving half */
	uint32_t pool_next;
	uint32_t part;			/* of the workload at the receiver, NET_NONE */
	uint32_t holes;			/* struct holes, POOL_NONE: all in order */
	uint32_t reader;		/* READ responses: the requester's half that asked for them */
	int64_t rcv_nxt, msg_start;
	int64_t last_cnp_ps;
	uint32_t hash;			/* of the way back */
	uint16_t unacked;		/* packets since the last answer */
	uint16_t ce;			/* marked packets so far, mod 65536 */
	uint16_t mtu;			/* of the path; what a packet advances rcv_nxt by */
	uint16_t fragments;
	uint8_t gen, holes_size;	/* as the sending half's */
	bool nak_sent, open;
	bool no_acks;			/* of READ responses */
	uint32_t recv_queue;		/* SEND: struct recv_queue; POOL_NONE never short */
};
/* Both ends of a QP with DCQCN stay within 512 bytes: host_qp_bytes, checked by bench. */

struct msg {
	uint32_t next;			/* on its QP */
	uint32_t qp;
	int64_t size, start_seq, end_seq;	/* sequences advance in whole packets: size rounded up to the MTU */
	int64_t start_ps;		/* intended */
	int64_t transaction_ps;		/* intended start of the request it belongs to */
	int64_t retransmitted;		/* of a READ: what came again */
	int64_t rnr_ps;			/* waited for receive buffers */
	uint64_t hash;
	int32_t cnps, rnrs;
	uint32_t origin;		/* responder's copy: the requester's message */
	uint16_t workload;
	uint8_t part, class_;		/* 0 request or write, 1 response or copy */
	uint32_t cookie;		/* the workload's own */
	bool started;
};

struct nic_port {			/* beside struct port: the QPs that may send */
	uint32_t ring_tail[8];		/* circular lists by queue; POOL_NONE empty */
	uint8_t data_ready;		/* queues with a non-empty ring */
	/* receive buffer, where it does not drain at line rate */
	uint32_t rx_head, rx_tail;
	/* control frames that the NIC still works on: ACKs and NAKs, CNPs */
	uint32_t late_head[2], late_tail[2];
	bool rx_busy;
	int64_t rx_bytes[8], rx_total, rx_peak;
};

struct nic {
	struct node *node;
	struct nic_conf conf;		/* rx_rate_bps changes by faults */
	struct cc_telemetry telemetry;	/* of conf.cc */
	struct nic_port *port;
	uint8_t dscp[8], prio[8], queue[8];	/* by class */
	uint8_t lossless;		/* mask of priorities */
	uint8_t storm;			/* priorities that it storms */
	int64_t storm_until_ps, storm_wd_ps;
	uint32_t qps;			/* opened so far: QP's local numbers */
	struct switch_loss_host { int64_t every, count, seen, lost; } loss;
};

struct workload_total {
	int64_t delivered, delivered_after_warmup;
	int64_t first_ps, last_ps;
	int64_t sent_frames, sent_bytes;
};

struct part {			/* what one host does for one workload */
	uint32_t id, node;
	uint16_t workload;
	struct rng rng;
	int64_t next_ps;		/* pending NET_WORKLOAD; UNITS_NEVER */
	int64_t issued;			/* messages or transactions begun */
	uint32_t *qp;			/* its QPs, in the order of its peers */
	uint32_t *peer;			/* node ids; poisson: all candidates */
	int qps, peers, turn;
	int64_t step, iteration;	/* ring; list: step is the place of the next flow */
};

struct workload {
	struct workload_conf conf;	/* owned copy */
	uint32_t *from, *to;		/* node ids of conf.from, conf.to */
	uint64_t hash;			/* of (seed, name) */
	int64_t cdf_mean;
	struct workload_total total;
	uint32_t first_part;
	int parts;
};

struct host_net {
	struct net *net;
	struct pool msgs, qps, remotes, recv_queues;
	struct pool holes[HOLES_SIZES];
	struct nic **nic;		/* by node id; NULL for switches */
	struct class_conf *classes;
	int nclasses;
	struct workload *workload;	/* in order of names */
	int workloads;
	struct part *part;
	uint32_t parts;
	int64_t warmup_ps, until_ps;
	int64_t cnps, data_frames, marked_frames;
	void (*path)(void *ctx, uint32_t src, uint32_t dst, uint32_t hash, int class_, struct cc_path *out);
	void *path_ctx;
};

/* Memory of a sending half whose algorithm keeps `state_size` bytes. */
static inline size_t host_qp_bytes(size_t state_size)
{
	return (offsetof(struct qp, cc) + offsetof(struct cc, state) + state_size + 15) / 16 * 16;
}
static inline struct qp *host_qp(const struct host_net *hn, uint32_t id) { return pool_at(&hn->qps, id); }
static inline struct qp_remote *host_remote(const struct host_net *hn, uint32_t id)
{
	return pool_at(&hn->remotes, id);
}
static inline struct holes *host_holes(const struct host_net *hn, uint8_t size, uint32_t id)
{
	return pool_at(&hn->holes[size], id);
}
static inline struct msg *host_msg(const struct host_net *hn, uint32_t id) { return pool_at(&hn->msgs, id); }
static inline struct port *host_port(const struct host_net *hn, const struct qp *q)
{
	return &hn->net->ports[q->port];
}
#endif
