/*
 * analyze/fixed_point.h - where DCQCN settles: the fixed point of fluid.h.
 *
 * With all derivatives 0, every flow has Rc = R = C/N, and p is the one root of
 *
 *	a^2 alpha / ((b + d)(c + e)) = tau^2 R_AI R		(EoD, section 3.2)
 *
 * whose left side grows with p from 0 without bound.  With it
 *
 *	alpha = a'    Rt/Rc = 1 + (c + e) tau R_AI/a    CNPs of a flow: a/tau
 *	q = Kmin + (Kmax - Kmin) p/Pmax
 *
 * and, where p is small,  p^3 ~ R_AI N^2/(tau' C^2) (1/B + N/(T C))^2.
 *
 * p depends on C and N through R alone.  The trap: a p above Pmax lies on no
 * ramp.  There marking jumps from Pmax to 1, and the queue cycles round Kmax;
 * with the paper's Pmax of 1 % at 40 Gb/s this is so from 15 flows on.
 */
#ifndef FIXED_POINT_H
#define FIXED_POINT_H
#include "analyze/fluid.h"

struct fixed_point {
	double rate_bps, target_bps, target_ratio;	/* Rc, Rt, Rt/Rc */
	double mark, mark_approx;	/* p, and its small-p form */
	struct fluid_terms terms;	/* a, a' = alpha, b, c, d, e */
	double alpha;
	double queue_bytes;		/* on the ramp, thought to go on beyond Kmax */
	double cnps_per_s;		/* of a flow */
	bool on_ramp;			/* p <= Pmax */
	bool fed;			/* N senders together exceed C; else no queue builds */
};

/* conf has passed fluid_check.  Brent's method on log p (GSL). */
void fixed_point_solve(const struct fluid_conf *conf, struct fixed_point *out);

/* The fewest flows, from one on, whose fixed point lies above Pmax. */
int64_t fixed_point_trap(const struct fluid_conf *conf);
#endif
