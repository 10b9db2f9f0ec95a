/*
 * analyze/fluid: the trajectory against outcomes computed for this project by
 * other code, which reproduce what the authors claim (algorithms.md 1.5, see
 * doc/sources.md; all over the second half of 0.5 s), and against closed forms.
 *
 * That code was Euler's method with a step of 0.5 us.  Where its error shows,
 * the value here is the one to which it tends with the step, as said there.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/fixed_point.h"
#include "analyze/fluid.h"

#define ROWS(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define near(value, expected, tolerance) \
	ck_assert_double_eq_tol((double)(value), (double)(expected), tolerance)

static struct fluid_conf conf_of(const char *const *settings, int *rc)
{
	struct fluid_conf conf;
	struct sim_error err = { 0 };

	memset(&conf, 0, sizeof conf);
	param_defaults(fluid_params, &conf);
	for (; *settings; settings += 2) {
		const struct param *row = param_find(fluid_params, settings[0]);

		ck_assert_ptr_nonnull(row);
		ck_assert_msg(param_set(row, &conf, settings[1], &err) == 0, "%s", err.text);
	}
	*rc = fluid_check(&conf, &err);
	return conf;
}

static struct fluid_conf good(const char *const *settings)
{
	int rc;
	struct fluid_conf conf = conf_of(settings, &rc);

	ck_assert_int_eq(rc, 0);
	return conf;
}
#define CONF(...) good((const char *const []){ __VA_ARGS__, NULL })

/* ------------------------------------------------- outcomes, second half of 0.5 s */

struct outcome {	/* KB; negative tolerance: not said */
	const char *flows, *delay, *kmax, *pmax, *ai;
	double mean, mean_tolerance, sd, sd_tolerance, least, most, range_tolerance;
	double utilization, utilization_tolerance;
	enum fluid_end end;
};
/* kmax, pmax, R_AI */
#define PAPER "200KB", "1%", "40Mbps"
#define WIDE "2000KB", "10%", "40Mbps"
#define GENTLE "1000KB", "1%", "10Mbps"
#define FULL 1, .0005, FLUID_SETTLED
#define ROUND FLUID_OSCILLATES
static const struct outcome outcomes[] = {
	/* "converges exactly to q* (sd 0.00), util 1.000" */
	{ "2", "4us", PAPER, 20.2, .05, 0, .005, 20.2, 20.2, .05, FULL },
	{ "4", "4us", PAPER, 41.8, .05, 0, .005, 41.8, 41.8, .05, FULL },
	{ "8", "4us", PAPER, 93.8, .05, 0, .005, 93.8, 93.8, .05, FULL },
	{ "10", "4us", PAPER, 122.6, .05, 0, .005, 122.6, 122.6, .05, FULL },
	/* "q 20.15 sd 0.5 (stable)": a margin of 0.1 degrees, so that Euler's error feeds
	 * the oscillation: sd 0.49 at 0.5 us, 0.16 at 0.1 us, and still less at 0. */
	{ "2", "85us", PAPER, 20.15, .005, .13, .04, 0, 0, -1, FULL },
	/* "q 0..40 KB oscillates, util 0.9995" */
	{ "2", "100us", PAPER, 0, -1, 0, -1, 0, 40, .5, .9995, .00005, ROUND },
	/* "UNSTABLE: q mean 56 sd 79 max 234 KB, util 0.949" */
	{ "10", "85us", PAPER, 56, .5, 79, .5, 0, 234, .5, .949, .0005, ROUND },
	/* "2000KB/10%: mean 133 sd 101, util 0.9975" */
	{ "10", "85us", WIDE, 133, .5, 101, .5, 0, 0, -1, .9975, .00005, ROUND },
	/* "stable q=1183.1 KB" */
	{ "64", "85us", WIDE, 1183.1, .05, 0, .05, 1183.1, 1183.1, .05, FULL },
	/* "stable q=415.8 KB (the paper's fix)" */
	{ "10", "85us", GENTLE, 415.8, .05, 0, .1, 415.8, 415.8, .5, FULL },
	/* "real DDE at N=4,10 tau*=50us is stable although PM<0" */
	{ "4", "50us", PAPER, 41.8, .05, 0, .05, 41.8, 41.8, .05, FULL },
	{ "10", "50us", PAPER, 122.6, .05, 0, .05, 122.6, 122.6, .05, FULL },
	/* The trap (1.4), N = 64 at 4 us: "mean q 160 KB, sd 44, range 108-232 KB": Euler at
	 * 0.5 us (159.9, 43.7, 107-233); at 0.05 us it gives 166.6, 35.9, 122-227. */
	{ "64", "4us", PAPER, 166.7, .5, 36, .5, 122.5, 226.7, 1, 1, .0005, ROUND },
	/* "at 85 us 0-442 KB, util 0.866" */
	{ "64", "85us", PAPER, 0, -1, 0, -1, 0, 442, 1, .866, .0005, ROUND },
};

START_TEST(outcome_of_half_a_second)
{
	const struct outcome *o = &outcomes[_i];
	struct fluid_conf conf = CONF("flows", o->flows, "delay", o->delay, "kmax", o->kmax,
				      "pmax", o->pmax, "rate_ai", o->ai, "until", "500ms");
	struct fluid_summary s;
	struct fixed_point at;

	fluid_run(&conf, NULL, 0, 0, NULL, NULL, &s);
	near(s.utilization, o->utilization, o->utilization_tolerance);
	if (o->mean_tolerance >= 0)
		near(s.queue_mean / 1e3, o->mean, o->mean_tolerance);
	if (o->sd_tolerance >= 0)
		near(s.queue_sd / 1e3, o->sd, o->sd_tolerance);
	if (o->range_tolerance >= 0) {
		near(s.queue_min / 1e3, o->least, o->range_tolerance);
		near(s.queue_max / 1e3, o->most, o->range_tolerance);
	}
	ck_assert_int_eq(fluid_end_of(&s), o->end);
	if (o->end != FLUID_SETTLED)
		return;
	fixed_point_solve(&conf, &at);		/* "Rc=C/N, alpha=alpha*" */
	near(s.queue_mean / at.queue_bytes, 1, 2e-4);
	near(s.rate_mean_bps[0] / at.rate_bps, 1, 1e-4);
	near(s.alpha_mean[0], at.alpha, 1e-4);
}
END_TEST

/* The published figure's regime: the fluid itself gives 20.50 (the authors' data
 * file ends at 20.501), 125.3 and 1183.1 KB (1.4). */
START_TEST(queue_of_the_published_figures)
{
	static const struct { const char *flows; double kb, digit; } rows[] = {
		{ "2", 20.50, .01 }, { "10", 125.3, .1 }, { "64", 1183.1, .1 } };
	struct fluid_conf conf = CONF("kmax", "2000KB", "pmax", "10%", "until", "500ms",
				      "flows", rows[_i].flows);
	struct fluid_summary s;

	fluid_run(&conf, NULL, 0, 0, NULL, NULL, &s);
	near(s.queue_mean / 1e3, rows[_i].kb, rows[_i].digit / 2);
	ck_assert_int_eq(fluid_end_of(&s), FLUID_SETTLED);
}
END_TEST

/* ------------------------------------------------------------- closed forms */

struct trace { struct fluid_point point[2048]; int n; };

static void keep(void *ctx, const struct fluid_point *point)
{
	struct trace *t = ctx;

	ck_assert_int_lt(t->n, ROWS(t->point));
	t->point[t->n++] = *point;
}

/* Until the loop has come round nothing is cut: q grows at (N - 1) C, exactly.
 * After that p = 1: a = 1, the others 0, and alpha and Rt - Rc obey
 * dalpha/dt = g/tau' (1 - alpha), dRc/dt = -Rc alpha/(2 tau), so with alpha = 1 at
 * the start of it, Rc = C exp(-t/(2 tau)). */
START_TEST(first_loop_and_first_cut)
{
	struct fluid_conf conf = CONF("flows", "10", "delay", "20us", "g", "0.000001", "until",
				      "100us", "step", "100ns", "kmin", "0B", "kmax", "1B");
	struct fluid_summary s;
	static struct trace t;

	fluid_run(&conf, NULL, 0, 1000000, keep, &t, &s);
	ck_assert_int_eq(t.n, 101);
	for (int i = 0; i < t.n; i++) {
		const struct fluid_point *p = &t.point[i];
		double cut_s = p->at_s - 20e-6;

		near(p->at_s, i * 1e-6, 1e-12);
		if (cut_s <= 1e-12) {
			near(p->rate_bps[0], 40e9, 1);
			near(p->queue_bytes, 9 * 40e9 / 8 * p->at_s, 1);
		} else {	/* the step in which the first mark falls is not resolved */
			near(p->rate_bps[0] / (40e9 * exp(-cut_s / 100e-6)), 1, 2e-3);
		}
	}
}
END_TEST

/* Without marks: a = 0, b = c = 1/B, d = e = 1/(T Rc).  Below the line rate
 * dRt/dt = R_AI (Rc/B + 1/T): with no byte counter R_AI/T = 727 Gb/s/s ("AI slope",
 * algorithms.md 6, 13), and Rt - Rc tends to 2 R_AI. */
START_TEST(additive_increase_has_its_slope)
{
	struct fluid_conf conf = CONF("flows", "2", "byte_counter", "off", "until", "8ms");
	struct fluid_summary s;
	static struct trace t;
	int rising = 0;

	fluid_run(&conf, NULL, 0, 100000000, keep, &t, &s);
	for (int i = 21; i < t.n; i++) {
		const struct fluid_point *p = &t.point[i], *before = &t.point[i - 1];

		if (p->queue_bytes > 0 || before->queue_bytes > 0 || p->target_bps[0] > 19e9)
			continue;
		rising++;
		near((p->target_bps[0] - before->target_bps[0]) / (p->at_s - before->at_s) /
			     1e9,
		     727.27, .01);
		if (p->at_s > 4e-3)
			near((p->target_bps[0] - p->rate_bps[0]) / 40e6, 2, .01);
	}
	ck_assert_int_gt(rising, 10);
}
END_TEST

/* "2 flows, third joins at 0.1 s -> 13.3 G each, well within 100 ms" (1.5). */
START_TEST(a_third_flow_gets_its_share)
{
	struct fluid_conf conf = CONF("flows", "2", "until", "200ms");
	static const struct fluid_group third = { .flows = 1, .start_ps = 100000000000 };
	struct fluid_summary s;
	static struct trace t;

	fluid_run(&conf, &third, 1, 1000000000, keep, &t, &s);
	ck_assert_int_eq(t.n, 201);
	near(t.point[100].rate_bps[0] / 1e9, 20, .05);
	ck_assert(t.point[99].rate_bps[1] == 0);
	near(t.point[180].rate_bps[0] / 1e9, 13.33, .1);
	near(t.point[180].rate_bps[1] / 1e9, 13.33, .1);
	near(t.point[200].rate_bps[1] / t.point[200].rate_bps[0], 1, .001);
}
END_TEST

/* Groups are only bookkeeping: 6 + 4 flows that start together are 10 flows. */
START_TEST(groups_add_up)
{
	struct fluid_conf ten = CONF("flows", "10", "delay", "85us");
	struct fluid_conf six = CONF("flows", "6", "delay", "85us");
	static const struct fluid_group four = { .flows = 4, .start_ps = 0 };
	struct fluid_summary a, b;

	fluid_run(&ten, NULL, 0, 0, NULL, NULL, &a);
	fluid_run(&six, &four, 1, 0, NULL, NULL, &b);
	near(b.queue_mean / a.queue_mean, 1, 1e-3);
	near(b.rate_mean_bps[0] / a.rate_mean_bps[0], 1, 1e-3);
	near(b.rate_mean_bps[1] / a.rate_mean_bps[0], 1, 1e-3);
}
END_TEST

/* On the ramp, where all is smooth, a step twice as long changes next to nothing. */
START_TEST(step_does_not_matter)
{
	static const char *const steps[] = { "2us", "1us", "250ns" };
	struct fluid_conf conf = CONF("flows", "10", "delay", "50us", "until", "50ms");
	struct fluid_summary s, t;

	fluid_run(&conf, NULL, 0, 0, NULL, NULL, &s);
	for (int i = 0; i < ROWS(steps); i++) {
		struct fluid_conf other =
			CONF("flows", "10", "delay", "50us", "until", "50ms", "step", steps[i]);

		fluid_run(&other, NULL, 0, 0, NULL, NULL, &t);
		near(t.queue_mean / s.queue_mean, 1, .002);
		near(t.alpha_mean[0], s.alpha_mean[0], .0005);
	}
}
END_TEST

/* The terms near their ends: no jump from the limits, nothing lost by 1 - (1-p). */
START_TEST(terms_meet_their_limits)
{
	struct fluid_conf conf = CONF("flows", "10");
	struct fluid_model m = fluid_model_of(&conf);
	struct fluid_terms none, little, all;
	double rate = m.c / m.n;

	fluid_terms_at(&m, 0, rate, &none);
	fluid_terms_at(&m, 1e-18, rate, &little);
	fluid_terms_at(&m, 1, rate, &all);
	ck_assert(none.a == 0 && none.a_alpha == 0);
	near(none.b * 10000, 1, 1e-12);			/* 1/B */
	near(none.d * 55e-6 * 500000, 1, 1e-12);	/* 1/(T Rc), 4 Gb/s: 500000 packets/s */
	near(little.a / (1e-18 * 50e-6 * 500000), 1, 1e-9);
	near(little.b / none.b, 1, 1e-9);
	near(little.c / none.c, 1, 1e-9);
	near(little.d / none.d, 1, 1e-9);
	near(little.e / none.e, 1, 1e-9);
	ck_assert(all.a == 1 && all.a_alpha == 1);
	ck_assert(all.b == 0 && all.c == 0 && all.d == 0 && all.e == 0);
}
END_TEST

/* p(q) of RED, q in packets of 1000 bytes: "Kmin 5 Kmax 200 Pmax 1% q=102.5 KB ->
 * 0.5%" (algorithms.md 6, 9), and its jump. */
START_TEST(marks_by_the_ramp)
{
	struct fluid_conf conf = CONF("flows", "10");
	struct fluid_model m = fluid_model_of(&conf);

	ck_assert(fluid_mark(&m, 0) == 0 && fluid_mark(&m, 5) == 0);
	near(fluid_mark(&m, 102.5), .005, 1e-15);
	near(fluid_mark(&m, 200), .01, 1e-15);
	ck_assert(fluid_mark(&m, 200.001) == 1);
}
END_TEST

START_TEST(wrong_settings_are_refused)
{
	static const char *const rows[][5] = {
		{ "kmin", "200KB", "kmax", "200KB", NULL },
		{ "byte_counter", "1000B", "frame", "1500B", NULL },
		{ "until", "100s", "step", "1ns", NULL },
		{ "until", "10us", "step", "10us", NULL } };
	int rc;

	conf_of(rows[_i], &rc);
	ck_assert_int_eq(rc, -1);
}
END_TEST

START_TEST(presets_are_sound)
{
	for (const struct fluid_preset *p = fluid_presets; p->name; p++)
		good(p->settings);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fluid");
	TCase *tc = tcase_create("fluid");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, outcome_of_half_a_second, 0, ROWS(outcomes));
	tcase_add_loop_test(tc, queue_of_the_published_figures, 0, 3);
	tcase_add_test(tc, first_loop_and_first_cut);
	tcase_add_test(tc, additive_increase_has_its_slope);
	tcase_add_test(tc, a_third_flow_gets_its_share);
	tcase_add_test(tc, groups_add_up);
	tcase_add_test(tc, step_does_not_matter);
	tcase_add_test(tc, terms_meet_their_limits);
	tcase_add_test(tc, marks_by_the_ramp);
	tcase_add_loop_test(tc, wrong_settings_are_refused, 0, 4);
	tcase_add_test(tc, presets_are_sound);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
