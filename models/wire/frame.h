/*
 * models/wire/frame.h - one Ethernet frame: a 64-byte record in a pool.
 *
 * Sizes are of the frame with FCS, without preamble and IFG.  RoCEv2 over
 * IPv4 (IBTA annex A17): Eth 14, IP 20, UDP 8, BTH 12, ICRC 4, FCS 4 = 62;
 * RETH +16 on the first packet of a WRITE and on a READ request; AETH +4 on ACK
 * and NAK and on the first and last READ response; a SEND has neither; a CNP
 * carries 16 reserved bytes.
 */
#ifndef FRAME_H
#define FRAME_H
#include <stdint.h>

enum {
	FRAME_ROCE_BYTES = 62, FRAME_RETH_BYTES = 16, FRAME_AETH_BYTES = 4,
	FRAME_ACK_BYTES = 66, FRAME_CNP_BYTES = 78,
	FRAME_MIN_BYTES = 64, FRAME_MAX_BYTES = 16000,
	FRAME_ETH_BYTES = 18,		/* Ethernet header and FCS: what is not IP */
	FRAME_IP_BYTES = 20
};

enum { FRAME_NO_CLASS = 255 };
enum frame_kind { FRAME_DATA, FRAME_STREAM, FRAME_ACK, FRAME_NAK, FRAME_CNP, FRAME_FRAGMENT,
		  FRAME_MTU_ERROR, FRAME_PAUSE,
		  FRAME_READ,			/* a READ request; its responses are FRAME_DATA */
		  FRAME_RNR			/* NAK of a receiver that is not ready; msg: timer code */ };

enum frame_flag {
	FRAME_ECT = 1, FRAME_CE = 2, FRAME_LAST = 4, FRAME_DF = 8,
	FRAME_FLOODED = 16,		/* a copy of a frame whose MAC nobody knew */
	FRAME_INT = 32,			/* carries telemetry */
	FRAME_AGAIN = 64,		/* sent before */
	FRAME_GLOBAL = 128,		/* FRAME_PAUSE: 802.3x, of the whole link */
	FRAME_REMAPPED = 128		/* of all other kinds: a switch has changed its DSCP */
};

/* In `fragments`, while it is on a wire with bit errors: its FCS will not match. */
enum { FRAME_DAMAGED = 0x8000 };

struct frame {
	uint32_t next;			/* in a queue or on the wire; POOL_NONE ends */
	uint32_t msg;			/* message it belongs to (data, stream); of an answer see frame_msg */
	uint32_t qp;			/* QP id, the same at both ends */
	uint32_t dst;			/* node id */
	int64_t last_ps;		/* when its last bit reaches the far end of the link it is on */
	union {
		struct {
			int64_t seq;	/* first byte (data), or cumulative (ACK, NAK) */
			union {
				int64_t sent_ps;	/* when the sender started it; echoed by the ACK */
				uint32_t telemetry;	/* FRAME_INT: handle of a struct telemetry */
				int64_t read_bytes;	/* FRAME_READ: payload asked for, from seq on */
			};
		};
		uint16_t quanta[8];	/* FRAME_PAUSE */
	};
	uint32_t hash;			/* five-tuple, for ECMP */
	union {
		uint32_t src;		/* node id of the sender */
		uint32_t copy;		/* FRAME_FLOODED: shared charge of the copies; POOL_NONE: its own */
	};
	uint16_t bytes;
	uint16_t payload;		/* bytes (data, stream); of an answer: packets with CE that the receiver has had, mod 65536 */
	uint16_t in_port;		/* local number of the port it came in by */
	uint8_t kind, flags;
	uint8_t prio, queue;		/* at the node where it is */
	uint8_t dscp : 6;
	uint8_t asks : 1;		/* data: to be answered at once (the AckReq bit of the BTH) */
	uint8_t ttl;
	uint8_t class_;			/* what its sender meant it to be, FRAME_NO_CLASS of what a switch
					 * makes; FRAME_PAUSE: class-enable vector */
	uint8_t gen;			/* of the QP, so that a late frame of a closed one is known */
	uint16_t fragments;		/* on the last fragment: how many there are; FRAME_DAMAGED */
};
_Static_assert(sizeof(struct frame) == 64, "a frame is one cache line");

/* The message that observers are told of; UINT32_MAX: none.  In `msg' an answer has a number of
 * its own (packets above seq, a timer code), which names no message. */
static inline uint32_t frame_msg(const struct frame *f)
{
	return f->kind == FRAME_ACK || f->kind == FRAME_NAK || f->kind == FRAME_RNR ? UINT32_MAX : f->msg;
}
#endif
