/*
 * models/cc/cc.h - congestion control: what a host tells an algorithm, and all
 * it may answer.
 *
 * An algorithm is a pure state machine.  It is handed facts (an ACK, a CNP, a
 * loss, bytes sent, an expired deadline) and writes its answer into cc->out.
 * It calls nothing: no simulator, no switch, no allocator, no clock.  So one
 * file holds one paper, and a test drives it with a table of facts.
 *
 * Units are in the names: _ps picoseconds, _bytes, _bps bits per second.
 * Doubles inside an algorithm: + - * / sqrt only, so that every machine agrees.
 */
#ifndef CC_H
#define CC_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/param.h"

#define CC_NEVER_PS INT64_MAX	/* deadline not armed */
#define CC_NO_WINDOW INT64_MAX	/* the rate alone limits */
enum { CC_TIMERS = 2, CC_HOPS = 8, CC_STATE_BYTES = 512 /* at most; ops->state_size is what a QP gets */ };

enum cc_need {			/* what the fabric must supply */
	CC_NEED_ECN = 1u << 0,	/* data is ECN capable; cc_ack.ce_bytes is filled */
	CC_NEED_CNP = 1u << 1,	/* receiver returns CNPs; on_cnp is called */
	CC_NEED_RTT = 1u << 2,	/* rtt_ps is filled */
	CC_NEED_INT = 1u << 3	/* switches write into data frames, which grow: a cc_hop each, or
				 * what ops->telemetry says */
};
enum cc_loss { CC_LOSS_NAK, CC_LOSS_TIMEOUT };

struct cc_path {		/* constants of the flow's path */
	int64_t base_rtt_ps;	/* no-queue round trip of one MTU and its ACK */
	int64_t line_bps;	/* sender's port; upper bound of out.rate_bps */
	int32_t mtu_bytes;
	int32_t hops;		/* links from sender to receiver */
};

struct cc_hop {			/* one switch's INT record, the hop nearest to the sender first */
	int64_t ts_ps;		/* when the frame left that egress */
	int64_t tx_bytes;	/* that egress' running count of wire bytes */
	int64_t qlen_bytes;	/* queue left behind the frame */
	int64_t line_bps;
};

struct cc_telemetry {		/* what a flow asks of the switches */
	int32_t bytes;		/* by which a frame is longer that carries it */
	uint32_t sample_q16;	/* of 65536 packets so many carry it */
	double base;		/* 0: a cc_hop each; else the largest load of the path as a
				 * power of this (PINT, models/switch/pint.h) */
	int64_t rtt_ps;		/* T of that load; 0: the path's base_rtt_ps */
};

struct cc_ack {
	int64_t now_ps;
	int64_t ack_seq;	/* bytes below this are delivered */
	int64_t snd_nxt;	/* next byte to be sent; go-back sets it back, below what was sent */
	int64_t acked_bytes;	/* newly delivered, > 0 */
	int64_t ce_bytes;	/* marked CE, of all that has come in since the last call: also packets out
				 * of order and duplicates, so it may be more than acked_bytes */
	int64_t rtt_ps;		/* from the start of the packet to its ACK */
	int32_t nhops;		/* 0 without CC_NEED_INT; at most CC_HOPS */
	const struct cc_hop *hop;	/* borrowed: valid during the call */
	int32_t pint;			/* power of the largest load, plus 1; 0: the packet had none */
};

struct cc_out {			/* the whole answer; the host reads it after every hook */
	int64_t cwnd_bytes;	/* > 0; the host always lets one MTU fly */
	int64_t rate_bps;	/* 0 < rate_bps <= path.line_bps, of wire bytes */
	int64_t timer_ps[CC_TIMERS];	/* absolute deadlines, or CC_NEVER_PS */
};

struct cc {
	const struct cc_ops *ops;
	const void *conf;	/* ops->conf_size bytes, shared by QPs, immutable */
	struct cc_out out;
	struct cc_path path;
	_Alignas(16) unsigned char state[CC_STATE_BYTES];	/* ops->state_size of it exist, zeroed before init */
};

struct cc_preset { const char *name; const char *const *settings; /* key, value, ..., NULL */ };

struct cc_ops {
	const char *name;		/* the key in an experiment */
	const char *paper;		/* citation */
	unsigned needs;			/* enum cc_need, or-ed */
	size_t conf_size, state_size;
	const struct param *params;	/* how the experiment fills conf */
	const struct cc_preset *presets;/* NULL-name ends; the first is the default; NULL: none */
	int (*check)(const void *conf, struct sim_error *err);	/* optional */
	void (*telemetry)(const void *conf, struct cc_telemetry *out);	/* optional, with CC_NEED_INT:
					 * changes what stands there, all hops in every packet */
	void (*init)(struct cc *cc, int64_t now_ps);			/* required */
	void (*on_ack)(struct cc *cc, const struct cc_ack *ack);	/* optional */
	void (*on_cnp)(struct cc *cc, int64_t now_ps);			/* iff CC_NEED_CNP */
	void (*on_send)(struct cc *cc, int64_t now_ps, int64_t bytes);	/* optional: payload bytes */
	void (*on_loss)(struct cc *cc, int64_t now_ps, enum cc_loss why);/* optional */
	void (*on_timer)(struct cc *cc, int64_t now_ps, int id);	/* iff it arms one; deadline is cleared before */
};

extern const struct cc_ops *const cc_registry[];	/* NULL-terminated, cc_registry.c */
const struct cc_ops *cc_find(const char *name);		/* NULL when unknown */
#endif
