/*
 * analyze/fluid.h - the fluid model of DCQCN: N flows, one queue, one loop delay.
 *
 * Zhu, Ghobadi, Misra, Padhye, "ECN or Delay: Lessons Learnt from Analysis of
 * DCQCN and TIMELY", CoNEXT 2016, figure 1 (below: EoD); the authors' text and
 * MATLAB: github.com/jitupadhye-zz/rdma.  It is the paper form of
 * models/cc/dcqcn.c without hyper increase, and knows no PFC.
 *
 * Of every flow: Rc its rate, Rt its target, alpha its estimate; q the queue.
 * Counted in packets (of `frame` bytes) and seconds, since marks fall on packets.
 * A subscript d is a value tau* ago: what the sender learns now.
 *
 *	p(q)      = 0 to Kmin; Pmax (q - Kmin)/(Kmax - Kmin) to Kmax; 1 above
 *	dq/dt     = sum Rc - C                          (not below q = 0)
 *	dalpha/dt = g/tau' (a' - alpha)
 *	dRt/dt    = -(Rt - Rc) a/tau + R_AI Rc_d (c + e)
 *	dRc/dt    = -Rc alpha a/(2 tau) + (Rt - Rc)/2 Rc_d (b + d)
 *
 *	a  = 1 - (1-p)^(tau Rc)		a CNP comes within tau
 *	a' = 1 - (1-p)^(tau' Rc)	... within tau'
 *	b  = p/((1-p)^-B - 1)		events of the byte counter, a packet
 *	c  = b (1-p)^(F B)		... of them past fast recovery
 *	d  = p/((1-p)^-(T Rc) - 1)	events of the increase timer, a packet
 *	e  = d (1-p)^(F T Rc)		... of them past fast recovery
 *
 * all of p_d and Rc_d.  Rc and Rt stay at or below the sender's line rate, as
 * the authors' code has it.  Every flow starts at Rc = Rt = line, alpha = 1,
 * q = 0; the marks from before its start are not its own (p_d = 0).
 */
#ifndef FLUID_H
#define FLUID_H
#include <stdbool.h>
#include <stdint.h>
#include "sim/param.h"

struct fluid_conf {		/* filled from fluid_params */
	int64_t rate_bps;		/* C: of the bottleneck */
	int64_t line_bps;		/* of a sender; 0: C */
	int64_t flows;			/* N */
	int64_t frame_bytes;		/* a packet */
	int64_t delay_ps;		/* tau*: from the mark to the sender's reaction */
	int64_t kmin_bytes, kmax_bytes;
	struct units_ratio pmax, g;
	int64_t cnp_interval_ps;	/* tau */
	int64_t alpha_timer_ps;		/* tau' */
	int64_t increase_timer_ps;	/* T */
	int64_t byte_counter;		/* B; 0: none */
	int64_t fast_recovery;		/* F */
	int64_t ai_bps;			/* R_AI */
	int64_t until_ps, step_ps;	/* of a trajectory */
};
extern const struct param fluid_params[];

struct fluid_preset {
	const char *name;
	const char *const *settings;
}; /* key, value, ..., NULL */
extern const struct fluid_preset fluid_presets[]; /* NULL-name ends; first: the defaults */

/* What no single row can say: kmin < kmax, a delay that a step resolves, ... */
int fluid_check(const struct fluid_conf *conf, struct sim_error *err) SIM_MUST_CHECK;

/* The same in packets, packets a second and seconds. */
struct fluid_model {
	double c, line, n, frame_bytes;
	double kmin, kmax, pmax, g, f, b;	/* b: HUGE_VAL without a byte counter */
	double tau, tau_alpha, t, ai, delay;	/* tau, tau', T, R_AI, tau* */
};
struct fluid_model fluid_model_of(const struct fluid_conf *conf);

double fluid_mark(const struct fluid_model *m, double q);	/* p(q) */

struct fluid_terms { double a, a_alpha, b, c, d, e; };
/* At 0 <= p <= 1, rate > 0.  The limits at p = 0 (b = c = 1/B, d = e = 1/(T Rc))
 * and p = 1 (a = 1, the others 0) are exact, and near them nothing is lost. */
void fluid_terms_at(const struct fluid_model *m, double p, double rate,
		    struct fluid_terms *out);

/* ---- trajectory: fluid_run.c ---- */

enum { FLUID_GROUPS = 4 };
/* Flows that start together are alike for ever: one state for all of them. */
struct fluid_group { int64_t flows, start_ps; };

struct fluid_point {
	double at_s, queue_bytes, mark;
	/* of a flow of each group; 0 before its start */
	double rate_bps[FLUID_GROUPS], target_bps[FLUID_GROUPS], alpha[FLUID_GROUPS];
};

struct fluid_summary {		/* of the second half */
	double from_s, until_s;
	double queue_mean, queue_sd, queue_min, queue_max;	/* bytes */
	double early_sd, late_sd;	/* in the third and the last quarter of the run */
	double utilization;
	double rate_mean_bps[FLUID_GROUPS], alpha_mean[FLUID_GROUPS];
};

/* Integrates from 0 to conf->until_ps by RK4 with a fixed step (conf->step_ps, or
 * the loop delay where that is shorter), the delayed values by straight lines
 * between kept steps.  `each`, if not NULL, gets a point about every `every_ps`.
 * groups[0] is conf->flows from the start; those in `more` join later. */
void fluid_run(const struct fluid_conf *conf, const struct fluid_group *more, int nmore,
	       int64_t every_ps, void (*each)(void *ctx, const struct fluid_point *point),
	       void *ctx, struct fluid_summary *out);

/* Is the queue at rest, on its way there (each quarter calmer than the one
 * before), or does it go round? */
enum fluid_end { FLUID_SETTLED, FLUID_SETTLING, FLUID_OSCILLATES };
enum fluid_end fluid_end_of(const struct fluid_summary *s);
#endif
