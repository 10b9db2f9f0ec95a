/*
 * models/wire/telemetry.h - what switches write into frames that ask for it.
 *
 * In-band telemetry as HPCC defines it (Li et al., SIGCOMM 2019, section 4.1):
 * every egress appends time, bytes sent, queue and line rate.  The records are
 * too large for a frame of one cache line, so a frame with FRAME_INT holds the
 * handle of one of these instead of its sending time; net_frame_free frees both.
 * On the wire a frame with telemetry is TELEMETRY_BYTES longer (five hops of 8
 * bytes and a count, as in the authors' simulator), ACKs that echo it too.
 *
 * With a `base` (PINT, models/switch/pint.h) they write one number of 1 or 2 bytes
 * instead, and only into the packets that the sender has picked.
 */
#ifndef TELEMETRY_H
#define TELEMETRY_H
#include <stdint.h>

enum { TELEMETRY_HOPS = 8, TELEMETRY_BYTES = 42 };

struct telemetry_hop {
	int64_t ts_ps;		/* first bit out */
	int64_t tx_bytes;	/* wire bytes that this egress has sent before */
	int64_t qlen_bytes;	/* left in the queue behind the frame */
	int64_t line_bps;
};
struct telemetry {
	uint32_t next;		/* pool_give keeps its list here */
	int16_t hops;
	int16_t bytes;		/* by which its frame is longer */
	int64_t sent_ps;	/* as frame.sent_ps */
	double base;		/* of the power; 0: records */
	int64_t rtt_ps;		/* with a base: T */
	uint16_t power;		/* with a base: the largest so far, plus 1; 0 none */
	struct telemetry_hop hop[TELEMETRY_HOPS];
};
#endif
