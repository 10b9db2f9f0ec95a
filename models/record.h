/*
 * models/record.h - what observers are told, and how cheaply.
 *
 * A tracepoint is one load, one test and an untaken branch while nobody wants
 * that kind.  A record is a value; a sink may read the fabric through view.h,
 * and never writes, steers or stops it (DESIGN, law 6).
 * A sink may look at the state of the record's own node at once.  State of
 * several nodes may only be read in a settle hook (view.h), which runs when
 * every event of the instant is done: the order between nodes is undefined.
 */
#ifndef RECORD_H
#define RECORD_H
#include <stdint.h>

enum record_kind {
	/* kind		node	port	prio	flow	a			b */
	RECORD_FLOW_START,	/* source; flow; a = size; at_ps may be after the intended start */
	RECORD_FLOW_DELIVERED,	/* receiver; flow; a = fct_ps from the intended start */
	RECORD_FLOW_ACKED,	/* source; flow; a = acked_ps from the intended start; the flow id is free afterwards */
	RECORD_FLOW_FAILED,	/* source; flow; a = enum record_failure; b = detail (node id of the hop, or count) */
	RECORD_XOFF_SENT,	/* sender of the pause; port; prio; a = bytes the group (or NIC buffer) holds; b = 1: refresh */
	RECORD_XON_SENT,	/* ditto */
	RECORD_PAUSED,		/* transmitter that is stopped; port; prio; a = 0 */
	RECORD_RESUMED,		/* ditto; a = how long it was stopped, ps; b = 1: by expiry, 0: by XON, 2: watchdog, 3: fault */
	RECORD_GROUP_XOFF,	/* switch; ingress port; prio: the group has entered XOFF */
	RECORD_GROUP_XON,	/* ... and left it */
	RECORD_HELD,		/* switch; egress port; prio: a frame joined a queue that is paused */
	RECORD_DROP,		/* node; port (ingress, or egress where flow control or the watchdog dropped); prio; flow; a = bytes; b = enum record_drop */
	RECORD_WATCHDOG,	/* switch; egress port; prio; a = 1 storm, 0 restore; b = frames dropped in the storm (restore) */
	RECORD_FAULT,		/* node; port; a = enum fault_kind; b = 1 begins, 0 ends */
	RECORD_NIC_WATCHDOG,	/* host; port; prio: the NIC gave up pausing */
	RECORD_RETRANSMIT,	/* source; flow; a = bytes gone back; b = 0 NAK, 1 timeout */
	RECORD_CNP,		/* receiver that sends it; flow */
	RECORD_RATE,		/* source; flow; a = new rate_bps; b = window bytes or 0 */
	RECORD_RNR,		/* source; flow; its receiver had no receive buffer: a = how long it waits, ps; b = timer code */
	RECORD_FRAME_SENT,	/* any node; port; a = frame handle (view_frame), valid during the call; b = first bit of its preamble, ps */
	RECORD_FRAME_RECEIVED,	/* any node; port; a = frame handle; at_ps is its last bit, before anything is done with it */
	RECORD_ECN,		/* switch; egress port; prio; flow: an ECT frame was held against the marking curve; a = queue bytes that counted; b = 1 marked */
	RECORD_KINDS
};

enum record_drop {
	RECORD_DROP_LOSSLESS,	/* a lossless class lost a frame for want of headroom: a finding */
	RECORD_DROP_LOSSY,	/* admission of a lossy class, or WRED of a frame that is not ECT */
	RECORD_DROP_WATCHDOG,
	RECORD_DROP_WIRE,	/* link down, bit error (a pause too: flow none), deterministic drop, misaddressed copy, larger than the MTU with DF */
	RECORD_DROP_TTL,
	RECORD_DROP_NIC,	/* receive buffer of a host overran */
	RECORD_DROPS
};

enum record_failure {
	RECORD_FAIL_RETRIES,	/* retry count exhausted; b = retries */
	RECORD_FAIL_MTU,	/* a hop with a smaller MTU dropped it (DF); b = node id of the hop */
	RECORD_FAIL_RNR,	/* no receive buffer, too often; b = RNR retries */
	RECORD_FAIL_NO_RESPONSE	/* READ: retry count exhausted; b = retries */
};

struct record {
	int64_t at_ps;
	uint16_t kind;
	uint8_t prio;
	uint8_t pad;
	uint32_t node;		/* dense node id */
	uint32_t port;		/* dense port id, UINT32_MAX none */
	uint32_t flow;		/* flow id, UINT32_MAX none */
	int64_t a, b;
};

typedef void record_sink(void *ctx, const struct record *rec);
#endif
