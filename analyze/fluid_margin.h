/*
 * analyze/fluid_margin.h - is the fixed point stable?  Phase margin of the loop.
 *
 * Linearised about the fixed point, the model of fluid.h is a loop 1 + L(s) = 0.
 * With q = N Rc/s, x_d = x e^(-s tau*), and of dRc/dt, dRt/dt, dalpha/dt the
 * derivatives by q_d, Rc_d, Rc, Rt, alpha (r_q r_R r_c r_t r_a, t_q t_R t_c t_t,
 * a_q a_R, the last with -g/tau'),
 *
 *	       r_q N/s + r_R + r_a (a_q N/s + a_R)/(s + g/tau')
 *			+ r_t (t_q N/s + t_R)/(s - t_t)
 *	L = -  ------------------------------------------------  e^(-s tau*)
 *	       s - r_c - r_t t_c/(s - t_t)
 *
 * The margin is 180 degrees + arg L(jw) where |L(jw)| = 1; of several such w,
 * the margin nearest to 0.  Above 0 the queue comes to rest; below it goes round,
 * at about crossover/(2 pi) times a second.
 *
 * The authors' own analysis (stability.m, which made the pm_*.txt behind figure
 * 3 of EoD) takes the small-p form of p, Taylor terms for a..e, the unclipped
 * ramp, and for alpha the pole g Rc where the model has g/tau'.  It is given
 * too, to be compared with what they published; it calls some loops unstable
 * that are stable in the model itself (N = 4 and 10 at 50 us).
 */
#ifndef FLUID_MARGIN_H
#define FLUID_MARGIN_H
#include "analyze/fluid.h"

struct fluid_margin {
	bool crosses;			/* else |L| is never 1 and the rest is 0 */
	double degrees;			/* -180..180 */
	double crossover;		/* w, rad/s */
};

/* The model linearised exactly.  Means nothing where the fixed point is not on
 * the ramp: there is no slope. */
void fluid_margin(const struct fluid_conf *conf, struct fluid_margin *out);
/* As the authors' stability.m has it, on the ramp or not. */
void fluid_margin_published(const struct fluid_conf *conf, struct fluid_margin *out);
#endif
