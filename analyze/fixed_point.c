/* analyze/fixed_point.c - see fixed_point.h. */
#include "analyze/fixed_point.h"

#include <math.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include "sim/assert.h"

struct equation { struct fluid_model m; double rate; };

/* log(exp(y) - 1), for every y > 0. */
static double log_expm1(double y)
{
	return y > 40 ? y + log1p(-exp(-y)) : log(expm1(y));
}

/* log(exp(u) + exp(v)); either may be -HUGE_VAL. */
static double log_sum(double u, double v)
{
	double most = u > v ? u : v, least = u > v ? v : u;

	return isinf(least) ? most : most + log1p(exp(least - most));
}

/* Logarithm of left side over right side, in logarithms throughout: for many
 * packets (1-p)^(F B) is far below what a double holds. */
static double imbalance(double log_p, void *ctx)
{
	const struct equation *q = ctx;
	const struct fluid_model *m = &q->m;
	double p = exp(log_p), x = -log1p(-p), by_time = m->t * q->rate;
	double a = -expm1(-m->tau * q->rate * x), alpha = -expm1(-m->tau_alpha * q->rate * x);
	double log_b = isinf(m->b) ? -HUGE_VAL : log_p - log_expm1(m->b * x);
	double log_c = isinf(m->b) ? -HUGE_VAL : log_b - m->f * m->b * x;
	double log_d = log_p - log_expm1(by_time * x), log_e = log_d - m->f * by_time * x;

	return 2 * log(a) + log(alpha) - log_sum(log_b, log_d) - log_sum(log_c, log_e) -
	       log(m->tau * m->tau * m->ai * q->rate);
}

/* The parameter table keeps R_AI > 0 and all times in bounds, so that the signs
 * at the ends differ: p^3 on one side, no bound on the other. */
static double solve(struct equation *q)
{
	gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	gsl_function f = { imbalance, q };
	double lower = log(1e-15), upper = log(1 - 1e-15), root;
	int status = GSL_CONTINUE;

	sim_assert(solver);
	if (imbalance(lower, q) >= 0 || imbalance(upper, q) <= 0) {
		gsl_root_fsolver_free(solver);
		return imbalance(lower, q) >= 0 ? 0 : 1;
	}
	gsl_root_fsolver_set(solver, &f, lower, upper);
	for (int i = 0; i < 200 && status == GSL_CONTINUE; i++) {
		gsl_root_fsolver_iterate(solver);
		status = gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
						gsl_root_fsolver_x_upper(solver), 0, 1e-14);
	}
	root = gsl_root_fsolver_root(solver);
	gsl_root_fsolver_free(solver);
	return exp(root);
}

static double approximate(const struct fluid_model *m)
{
	double event = 1 / m->b + m->n / (m->t * m->c);

	return cbrt(m->ai * m->n * m->n / (m->tau_alpha * m->c * m->c) * event * event);
}

void fixed_point_solve(const struct fluid_conf *conf, struct fixed_point *out)
{
	struct equation eq = { .m = fluid_model_of(conf) };
	const struct fluid_model *m = &eq.m;
	double bits = m->frame_bytes * 8;

	eq.rate = m->c / m->n;
	*out = (struct fixed_point){ .mark = solve(&eq), .mark_approx = approximate(m) };
	fluid_terms_at(m, out->mark, eq.rate, &out->terms);
	out->alpha = out->terms.a_alpha;
	out->rate_bps = eq.rate * bits;
	out->target_ratio = out->terms.a > 0 ?
		1 + (out->terms.c + out->terms.e) * m->tau * m->ai / out->terms.a : 1;
	out->target_bps = out->rate_bps * out->target_ratio;
	out->queue_bytes =
		(m->kmin + (m->kmax - m->kmin) * out->mark / m->pmax) * m->frame_bytes;
	out->cnps_per_s = out->terms.a / m->tau;
	out->on_ramp = out->mark <= m->pmax;
	out->fed = m->n * m->line > m->c;
}

int64_t fixed_point_trap(const struct fluid_conf *conf)
{
	struct fluid_conf trial = *conf;
	struct fixed_point at;
	int64_t below = 0, above = 1;

	/* p grows with N: double, then halve the gap. */
	for (;; above *= 2) {
		trial.flows = above;
		fixed_point_solve(&trial, &at);
		if (!at.on_ramp || above > INT32_MAX)
			break;
		below = above;
	}
	while (above - below > 1) {
		trial.flows = below + (above - below) / 2;
		fixed_point_solve(&trial, &at);
		if (at.on_ramp)
			below = trial.flows;
		else
			above = trial.flows;
	}
	return above;
}
