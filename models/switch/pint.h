/*
 * models/switch/pint.h - what a switch keeps of a port for PINT: its utilisation.
 *
 * Ben Basat et al., "PINT: probabilistic in-band network telemetry", SIGCOMM 2020,
 * section 4.3, example HPCC; read through alibaba-edu/High-Precision-Congestion-
 * Control, switch-node.cc and pint.cc (the exact form there; its tables of
 * logarithms, which stand for what a switch chip can compute, are not modelled).
 *
 * With each frame that a port of line rate C sends, dt after the one before of B
 * wire bytes (at most T), q being the bytes that wait at the port:
 *
 *	u = q / (C T) + B / (C dt)
 *	U = (1 - dt/T) U + (dt/T) u
 *
 * A frame that asks carries the largest U of its path as a power of `base` (sim/
 * powercode.h) of 512 U: U from 1/512 to 512, 8 bits at base 1.05, 11 at 1.01.
 * T, which a deployment sets in its switches, is the largest one that the senders
 * through this port reckon with; base is the senders'.
 */
#ifndef PINT_H
#define PINT_H
#include <stdint.h>

enum { PINT_UNIT = 512 };	/* of 1 / PINT_UNIT is the least U */

struct pint_port {		/* zero at first */
	double u;
	int64_t rtt_ps;		/* T; 0 as long as nobody asked */
	int64_t start_ps;	/* of the frame before */
	int64_t wire_bytes;	/* of it, with preamble and gap; 0: there was none */
};

/* A frame of `wire_bytes` starts at `now_ps`, `queue_bytes` wait behind it. */
void pint_sent(struct pint_port *p, int64_t now_ps, int64_t wire_bytes, int64_t queue_bytes,
	       int64_t line_bps);
/* What the frame carries now: a power, plus 1; 0 is none yet.  `draw` of 0..65535. */
uint16_t pint_stamp(const struct pint_port *p, uint16_t carried, double base, uint32_t draw);
#endif
