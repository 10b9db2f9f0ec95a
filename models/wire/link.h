/*
 * models/wire/link.h - what a cable is: rate, length, delay.
 *
 * One link is full duplex; each direction is a FIFO of frames in flight.  A
 * frame occupies the wire for preamble 8 + frame + IFG 12 bytes and is
 * delivered at the last bit of the frame (IEEE 802.3 clause 4; DESIGN 4).
 */
#ifndef LINK_H
#define LINK_H
#include <stdint.h>
#include "sim/param.h"

enum { LINK_PREAMBLE_BYTES = 8, LINK_IFG_BYTES = 12, LINK_OVERHEAD_BYTES = 20 };

struct link_conf {
	int64_t rate_bps;
	int64_t cable_mm;	/* 5 ns/m */
	int64_t delay_ps;	/* one way; -1 ("cable"): from cable_mm */
	int64_t phy_ps;		/* PHY + FEC latency, added one way */
};
extern const struct param link_params[];

/* One-way propagation, at least 1 ps. */
int64_t link_delay_ps(const struct link_conf *conf);
#endif
