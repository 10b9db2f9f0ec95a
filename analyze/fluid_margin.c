/* analyze/fluid_margin.c - see fluid_margin.h. */
#include "analyze/fluid_margin.h"

#include <complex.h>
#include <math.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_roots.h>
#include "analyze/fixed_point.h"
#include "sim/assert.h"

typedef double complex cplx;

struct loop { cplx (*at)(const struct loop *loop, cplx s); double k[16], delay; };

/* ---- margin of any loop ---- */

static double log_gain(double log_w, void *ctx)
{
	const struct loop *loop = ctx;

	return log(cabs(loop->at(loop, I * exp(log_w))));
}

static double refine(struct loop *loop, double lower, double upper)
{
	gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	gsl_function f = { log_gain, loop };
	int status = GSL_CONTINUE;
	double root;

	sim_assert(solver);
	gsl_root_fsolver_set(solver, &f, lower, upper);
	for (int i = 0; i < 100 && status == GSL_CONTINUE; i++) {
		gsl_root_fsolver_iterate(solver);
		status = gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
						gsl_root_fsolver_x_upper(solver), 0, 1e-12);
	}
	root = gsl_root_fsolver_root(solver);
	gsl_root_fsolver_free(solver);
	return root;
}

/* Looks for crossings from 0.01 rad/s to 1e8, some 500 looks a decade. */
static void margin_of(struct loop *loop, struct fluid_margin *out)
{
	enum { LOOKS = 5000 };
	double lower = log(1e-2), upper = log(1e8), before = log_gain(lower, loop);

	*out = (struct fluid_margin){ .crosses = false };
	for (int i = 1; i <= LOOKS; i++) {
		double x = lower + (upper - lower) * i / LOOKS, gain = log_gain(x, loop);

		if ((before > 0) != (gain > 0)) {
			double w = exp(refine(loop, x - (upper - lower) / LOOKS, x));
			double degrees = (carg(loop->at(loop, I * w)) + M_PI) * 180 / M_PI;

			if (degrees > 180)
				degrees -= 360;
			if (!out->crosses || fabs(degrees) < fabs(out->degrees))
				*out = (struct fluid_margin){ true, degrees, w };
		}
		before = gain;
	}
}

/* ---- the model, linearised ---- */

enum { R_Q, R_R, R_C, R_T, R_A, T_Q, T_R, T_C, T_T, A_Q, A_R, A_A, N };

static cplx exact_at(const struct loop *loop, cplx s)
{
	const double *k = loop->k;
	cplx q = k[N] / s, target = s - k[T_T];
	cplx over = k[R_Q] * q + k[R_R] + k[R_A] * (k[A_Q] * q + k[A_R]) / (s - k[A_A]) +
		    k[R_T] * (k[T_Q] * q + k[T_R]) / target;

	return -over / (s - k[R_C] - k[R_T] * k[T_C] / target) * cexp(-s * loop->delay);
}

/* The parts of the three equations that p_d and Rc_d act on, with Rc, Rt and
 * alpha at rest. */
struct acted { double rc, rt, alpha; };

static struct acted act(const struct fluid_model *m, const struct fixed_point *at, double p,
			double rc_d)
{
	double rc = m->c / m->n, gap = rc * (at->target_ratio - 1);
	struct fluid_terms t;

	fluid_terms_at(m, p, rc_d, &t);
	return (struct acted){
		.rc = -rc * at->alpha * t.a / (2 * m->tau) + gap / 2 * rc_d * (t.b + t.d),
		.rt = -gap * t.a / m->tau + m->ai * rc_d * (t.c + t.e),
		.alpha = m->g / m->tau_alpha * t.a_alpha,
	};
}

void fluid_margin(const struct fluid_conf *conf, struct fluid_margin *out)
{
	struct fluid_model m = fluid_model_of(conf);
	struct loop loop = { .at = exact_at, .delay = m.delay };
	double *k = loop.k, rc = m.c / m.n, ramp = m.pmax / (m.kmax - m.kmin);
	struct fixed_point at;
	struct acted u, v;

	fixed_point_solve(conf, &at);
	const double dp = at.mark * 1e-5, dr = rc * 1e-5; /* errors: 1e-10 of the derivatives */
	u = act(&m, &at, at.mark - dp, rc);
	v = act(&m, &at, at.mark + dp, rc);
	k[R_Q] = (v.rc - u.rc) / (2 * dp) * ramp;
	k[T_Q] = (v.rt - u.rt) / (2 * dp) * ramp;
	k[A_Q] = (v.alpha - u.alpha) / (2 * dp) * ramp;
	u = act(&m, &at, at.mark, rc - dr);
	v = act(&m, &at, at.mark, rc + dr);
	k[R_R] = (v.rc - u.rc) / (2 * dr);
	k[T_R] = (v.rt - u.rt) / (2 * dr);
	k[A_R] = (v.alpha - u.alpha) / (2 * dr);
	/* By the undelayed variables, in which the equations are linear or bilinear. */
	k[R_T] = rc * (at.terms.b + at.terms.d) / 2;
	k[R_C] = -at.alpha * at.terms.a / (2 * m.tau) - k[R_T];
	k[R_A] = -rc * at.terms.a / (2 * m.tau);
	k[T_T] = -at.terms.a / m.tau;
	k[T_C] = -k[T_T];
	k[A_A] = -m.g / m.tau_alpha;
	k[N] = m.n;
	margin_of(&loop, out);
}

/* ---- as the authors published it ---- */

enum { P_AA, P_BB, P_CC, P_DD, P_EE, P_FF, P_GG, P_N, P_GC, P_PR };

/* stability.m: numerator over denominator, both times s (N s + g C)(s + p Rc). */
static cplx published_at(const struct loop *loop, cplx s)
{
	const double *k = loop->k;
	cplx y = k[P_N] * s + k[P_GC], z = s + k[P_PR];
	cplx over = y * z * k[P_AA] + y * z * s * k[P_BB] + z * k[P_DD] + y * s * k[P_FF] +
		    y * k[P_GG];
	cplx under = -s * y * z * s + y * z * s * k[P_CC] + s * y * k[P_EE];

	return over / under * cexp(-s * loop->delay);
}

void fluid_margin_published(const struct fluid_conf *conf, struct fluid_margin *out)
{
	struct fluid_model m = fluid_model_of(conf);
	struct loop loop = { .at = published_at, .delay = m.delay };
	double *k = loop.k, rc = m.c / m.n, ramp = m.n * m.pmax / (m.kmax - m.kmin);
	double event = 1 / m.b + 1 / (m.t * rc), p, rt, alpha, half = 0.5 + event / 4;
	double up, lost, ai_lost;
	struct fixed_point at;
	struct fluid_terms terms;

	fixed_point_solve(conf, &at);
	p = at.mark_approx < 1 ? at.mark_approx : 1;
	fluid_terms_at(&m, p, rc, &terms);
	alpha = terms.a_alpha;
	rt = rc * (1 + (terms.c + terms.e) * m.tau * m.ai / terms.a);
	up = event / 2 * rc - half * p * rc;		/* of Rt in dRc/dt */
	lost = rc * (rt - rc);
	ai_lost = (1 + 2 * m.f + event / 2) * m.ai;
	k[P_AA] = (-rc * rc * alpha / 2 - half * lost) * ramp;
	k[P_BB] = -p * rc * alpha / 2 - event / 2 * rc + half * p * rc;
	k[P_CC] = -p * rc * alpha / 2 - event / 2 * rc + event / 2 * rt - half * p * (rt - rc);
	k[P_DD] = -p * rc * rc * m.g * m.c * ramp / 2;
	k[P_EE] = up * (p * rc + event * m.ai);
	k[P_FF] = up * (-p * (rt - rc) + event * m.ai - ai_lost * p);
	k[P_GG] = up * (-lost - ai_lost * rc) * ramp;
	k[P_N] = m.n;
	k[P_GC] = m.g * m.c;
	k[P_PR] = p * rc;
	margin_of(&loop, out);
}
