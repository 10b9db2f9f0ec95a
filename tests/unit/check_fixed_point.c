/*
 * analyze/fixed_point and analyze/fluid_margin against numbers from outside.
 *
 * Fixed points: a solve made for this project by other code (algorithms.md 1.4,
 * see doc/sources.md), for 1000-byte packets, B 10 MB, T 55 us, F 5, tau 50 us,
 * tau' 55 us, Kmin 5 KB, Kmax 200 KB, Pmax 1 %.  Each is to hold to its last
 * digit.  Margins: the authors' files conext2016/figures/pm_*.txt and
 * paper/figures/pm_*.txt of github.com/jitupadhye-zz/rdma, made by their stability.m.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/fixed_point.h"
#include "analyze/fluid_margin.h"
#include "models/cc/cc.h"

#define ROWS(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define near(value, expected, tolerance) \
	ck_assert_double_eq_tol((double)(value), (double)(expected), tolerance)

/* "key", "value", ..., NULL on top of the defaults. */
static struct fluid_conf conf_of(const char *const *settings)
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
	ck_assert_msg(fluid_check(&conf, &err) == 0, "%s", err.text);
	return conf;
}
#define CONF(...) conf_of((const char *const []){ __VA_ARGS__, NULL })

/* ------------------------------------------------------------ fixed point */

static const struct {
	const char *rate, *ai, *flows;
	double mark, approx, approx_digit;	/* percent */
	double alpha, ratio, queue_kb, cnps;
} table[] = {	/* algorithms.md 1.4, all rows; queue 0: printed there as "> Kmax" */
	{ "40Gbps", "40Mbps", "1", 0.03182, 0.03703, 1e-5, .0838, 1.0073, 11.2, 1530 },
	{ "40Gbps", "40Mbps", "2", 0.07770, 0.09247, 1e-5, .1014, 1.0109, 20.2, 1852 },
	{ "40Gbps", "40Mbps", "4", 0.18877, 0.23195, 1e-5, .1218, 1.0160, 41.8, 2228 },
	{ "40Gbps", "40Mbps", "8", 0.45521, 0.58315, 1e-5, .1452, 1.0230, 93.8, 2658 },
	{ "40Gbps", "40Mbps", "10", 0.60320, 0.78487, 1e-5, .1533, 1.0258, 122.6, 2807 },
	{ "40Gbps", "40Mbps", "16", 1.08727, 1.46777, 1e-5, .1713, 1.0327, 0, 3140 },
	{ "40Gbps", "40Mbps", "64", 5.90536, 9.31, 1e-2, .2301, 1.0631, 0, 4232 },
	{ "40Gbps", "10Mbps", "10", 0.41289, 0.49443, 1e-5, .1075, 1.0123, 85.5, 1965 },
	{ "100Gbps", "40Mbps", "2", 0.02387, 0.02762, 1e-5, .0788, 1.0064, 9.7, 1438 },
	{ "100Gbps", "40Mbps", "10", 0.18877, 0.23195, 1e-5, .1218, 1.0160, 41.8, 2228 },
	{ "100Gbps", "40Mbps", "20", 0.45521, 0.58315, 1e-5, .1452, 1.0230, 93.8, 2658 },
};

START_TEST(every_row_of_the_table_to_its_last_digit)
{
	struct fluid_conf conf = CONF("rate", table[_i].rate, "rate_ai", table[_i].ai, "flows",
				      table[_i].flows);
	struct fixed_point at;

	fixed_point_solve(&conf, &at);
	near(100 * at.mark, table[_i].mark, .5e-5);
	near(100 * at.mark_approx, table[_i].approx, .5 * table[_i].approx_digit);
	near(at.alpha, table[_i].alpha, .5e-4);
	near(at.target_ratio, table[_i].ratio, .5e-4);
	near(at.cnps_per_s, table[_i].cnps, .5 + 1e-9);
	if (table[_i].queue_kb > 0) {
		near(at.queue_bytes / 1e3, table[_i].queue_kb, .05);
		ck_assert(at.on_ramp);
	} else {
		ck_assert(at.queue_bytes > 200e3);
		ck_assert(!at.on_ramp);
	}
}
END_TEST

/* What comes out fulfils what it was solved from, all derivatives 0 (fluid.h). */
START_TEST(at_the_fixed_point_nothing_moves)
{
	struct fluid_conf conf = CONF("rate", table[_i].rate, "rate_ai", table[_i].ai, "flows",
				      table[_i].flows);
	struct fluid_model m = fluid_model_of(&conf);
	struct fixed_point at;
	double rc, rt;

	fixed_point_solve(&conf, &at);
	rc = m.c / m.n;
	rt = rc * at.target_ratio;
	const struct fluid_terms *t = &at.terms;
	ck_assert(t->a_alpha == at.alpha);
	near((rt - rc) * t->a / m.tau / (m.ai * rc * (t->c + t->e)), 1, 1e-9);
	near(rc * at.alpha * t->a / (2 * m.tau) / ((rt - rc) / 2 * rc * (t->b + t->d)), 1,
	     1e-9);
}
END_TEST

/* p depends on C and N through C/N alone (1.4): the same, not merely near. */
START_TEST(same_rate_a_flow_is_same_point)
{
	struct fluid_conf small = CONF("rate", "40Gbps", "flows", "4");
	struct fluid_conf large = CONF("rate", "100Gbps", "flows", "10");
	struct fixed_point a, b;

	fixed_point_solve(&small, &a);
	fixed_point_solve(&large, &b);
	ck_assert(a.mark == b.mark);
	ck_assert(a.alpha == b.alpha);
	ck_assert(a.queue_bytes == b.queue_bytes);
	ck_assert(a.target_bps == b.target_bps);
}
END_TEST

/* Kmax 2000 KB, Pmax 10 %: the regime of the published figure 5 and of the data
 * file unstable.2.0.100.dat, which ends at 20.501 KB (1.4). */
START_TEST(queue_of_the_published_figures)
{
	static const struct { const char *flows; double kb, digit; } rows[] = {
		{ "2", 20.50, .01 }, { "10", 125.3, .1 }, { "64", 1183.1, .1 } };
	struct fluid_conf conf = CONF("kmax", "2000KB", "pmax", "10%", "flows", rows[_i].flows);
	struct fixed_point at;

	fixed_point_solve(&conf, &at);
	near(at.queue_bytes / 1e3, rows[_i].kb, rows[_i].digit / 2);
	ck_assert(at.on_ramp);
}
END_TEST

/* "With the recommended Pmax = 1% the fixed point leaves the linear region at
 * N >= 15" (1.4). */
START_TEST(trap_from_fifteen_flows_on)
{
	struct fluid_conf conf = CONF("rate", "40Gbps");
	struct fixed_point at;

	ck_assert_int_eq(fixed_point_trap(&conf), 15);
	for (conf.flows = 1; conf.flows <= 40; conf.flows++) {
		fixed_point_solve(&conf, &at);
		ck_assert(at.on_ramp == (conf.flows < 15));
	}
}
END_TEST

/* N = 1 cannot be reached with a 40G NIC on a 40G link; with a 100G NIC it can
 * (algorithms.md 0, whose packet run gave 11.4 KB; table 1.4 has 11.2). */
START_TEST(one_sender_needs_a_faster_port)
{
	struct fluid_conf same = CONF("flows", "1"),
			  faster = CONF("flows", "1", "line", "100Gbps");
	struct fixed_point at;

	fixed_point_solve(&same, &at);
	ck_assert(!at.fed);
	fixed_point_solve(&faster, &at);
	ck_assert(at.fed);
	near(at.queue_bytes / 1e3, 11.2, .05);
}
END_TEST

/* The error of the small-p form is of the next order in p: it vanishes with p. */
START_TEST(small_p_form_is_the_limit)
{
	double before = HUGE_VAL;
	static const char *const ai[] = { "40Mbps", "1Mbps", "20Kbps", "1Kbps" };

	for (int i = 0; i < ROWS(ai); i++) {
		struct fluid_conf conf = CONF("flows", "16", "rate_ai", ai[i]);
		struct fixed_point at;
		double error;

		fixed_point_solve(&conf, &at);
		error = at.mark_approx / at.mark - 1;
		ck_assert(error > 0 && error < before / 1.5);
		before = error;
	}
	near(before, 0, .02);
}
END_TEST

START_TEST(extremes_have_a_fixed_point)
{
	static const char *const rows[][6] = {
		{ "rate", "10Tbps", "flows", "1", NULL },
		{ "rate", "1Mbps", "flows", "1", "byte_counter", "off" },
		{ "rate", "40Gbps", "flows", "100000", NULL },
		{ "byte_counter", "off", "flows", "10", NULL },
		{ "rate_ai", "10Tbps", "flows", "1000", NULL },
		{ "rate_ai", "1Kbps", "increase_timer", "1s", NULL } };
	const char *settings[7] = { NULL };
	struct fixed_point at;

	memcpy(settings, rows[_i], sizeof rows[_i]);
	struct fluid_conf conf = conf_of(settings);
	fixed_point_solve(&conf, &at);
	ck_assert(at.mark > 0 && at.mark <= 1);
	ck_assert(isfinite(at.target_ratio) && at.target_ratio >= 1);
	ck_assert(isfinite(at.queue_bytes));
}
END_TEST

/* The defaults are those of the NIC's own algorithm, row by row. */
START_TEST(defaults_are_those_of_models_cc_dcqcn)
{
	static const char *const keys[] = {
		"g",	  "alpha_timer", "increase_timer", "byte_counter", "fast_recovery",
		"rate_ai"};
	const struct cc_ops *ops = cc_find("dcqcn");

	for (int i = 0; i < ROWS(keys); i++) {
		const struct param *here = param_find(fluid_params, keys[i]);
		const struct param *there = param_find(ops->params, keys[i]);

		ck_assert_ptr_nonnull(here);
		ck_assert_ptr_nonnull(there);
		ck_assert_str_eq(here->def, there->def);
	}
}
END_TEST

/* ----------------------------------------------------------------- margin */

static const struct {
	const char *rate, *ai, *kmax, *delay, *flows;
	double degrees;
} margins[] = {
	{"40Gbps", "40Mbps", "200KB", "none", "2", 26.624}, /* pm_rai40_delay0 */
	{"40Gbps", "40Mbps", "200KB", "none", "10", 4.7564},
	{"40Gbps", "40Mbps", "200KB", "none", "64", 43.472},
	{"40Gbps", "40Mbps", "200KB", "none", "100", 56.48},
	{"40Gbps", "40Mbps", "200KB", "1us", "2", 26.257}, /* pm_rai40_delay1 */
	{"40Gbps", "40Mbps", "200KB", "1us", "50", 34.874},
	{"40Gbps", "40Mbps", "200KB", "25us", "8", -0.52166}, /* pm_rai40_delay25 */
	{"40Gbps", "40Mbps", "200KB", "25us", "14", 0.28606},
	{"40Gbps", "40Mbps", "200KB", "50us", "2", 8.2626}, /* pm_rai40_delay50 */
	{"40Gbps", "40Mbps", "200KB", "50us", "4", -0.75215},
	{"40Gbps", "40Mbps", "200KB", "50us", "10", -6.5844},
	{"40Gbps", "40Mbps", "200KB", "50us", "20", -0.95129},
	{"40Gbps", "40Mbps", "200KB", "50us", "22", 0.67343},
	{"40Gbps", "40Mbps", "200KB", "50us", "64", 29.548},
	{"40Gbps", "40Mbps", "200KB", "100us", "2", -10.099}, /* pm_rai40_delay100 */
	{"40Gbps", "40Mbps", "200KB", "100us", "8", -18.252},
	{"40Gbps", "40Mbps", "200KB", "100us", "34", -0.21667},
	{"40Gbps", "40Mbps", "200KB", "100us", "36", 1.2794},
	{"40Gbps", "40Mbps", "200KB", "100us", "100", 23.142},
	{"40Gbps", "10Mbps", "200KB", "100us", "2", 19.902}, /* pm_rai10_delay100 */
	{"40Gbps", "10Mbps", "200KB", "100us", "4", 24.618},
	{"40Gbps", "10Mbps", "200KB", "100us", "14", -0.50778},
	{"40Gbps", "10Mbps", "200KB", "100us", "20", -2.4981},
	{"40Gbps", "10Mbps", "200KB", "100us", "36", 0.29114},
	{"40Gbps", "10Mbps", "1000KB", "100us", "2", 44.183}, /* pm_rai10_delay100_kmax1000 */
	{"40Gbps", "10Mbps", "1000KB", "100us", "10", 43.849}, /* two more crossings appear */
	{"40Gbps", "10Mbps", "1000KB", "100us", "12", 15.798}, /* between these two */
	{"40Gbps", "10Mbps", "1000KB", "100us", "14", 15.491},
	{"100Gbps", "40Mbps", "200KB", "50us", "2", -16.686}, /* pm_100gbps_delay50 */
	{"100Gbps", "40Mbps", "200KB", "50us", "32", -16.638},
	{"100Gbps", "40Mbps", "200KB", "50us", "100", -3.7909},
};

/* Their files hold what MATLAB's margin() printed; "within 0.05 deg" (1.5). */
START_TEST(published_margin)
{
	struct fluid_conf conf =
		CONF("rate", margins[_i].rate, "rate_ai", margins[_i].ai, "kmax",
		     margins[_i].kmax, "delay", margins[_i].delay, "flows", margins[_i].flows);
	struct fluid_margin m;

	fluid_margin_published(&conf, &m);
	ck_assert(m.crosses);
	near(m.degrees, margins[_i].degrees, .05);
}
END_TEST

/* 1.5: with R_AI 10M and Kmax 1000KB "never negative (min 15.5 at N = 14)"; at
 * 100 Gb/s and 50 us "negative for all N <= 100 (min -16.6 at N ~ 32)". */
START_TEST(published_margin_over_all_flows)
{
	struct fluid_conf gentle =
		CONF("rate_ai", "10Mbps", "kmax", "1000KB", "delay", "100us");
	struct fluid_conf fast = CONF("rate", "100Gbps", "delay", "50us");
	double least = 1e9, least_fast = 1e9;
	int64_t at = 0, at_fast = 0;

	for (int64_t n = 2; n <= 100; n += 2) {
		struct fluid_margin m;

		gentle.flows = fast.flows = n;
		fluid_margin_published(&gentle, &m);
		if (m.degrees < least) {
			least = m.degrees;
			at = n;
		}
		fluid_margin_published(&fast, &m);
		ck_assert(m.degrees < 0);
		if (m.degrees < least_fast && n > 2) {	/* at N = 2 the file has -16.686 */
			least_fast = m.degrees;
			at_fast = n;
		}
	}
	near(least, 15.5, .05);
	ck_assert_int_eq(at, 14);
	near(least_fast, -16.6, .05);
	ck_assert_int_eq(at_fast, 32);
}
END_TEST

/* The loop delay takes w tau* off the phase and nothing off the gain: the exact
 * margin falls by that, in a straight line. */
START_TEST(exact_margin_falls_with_the_delay)
{
	struct fluid_conf none = CONF("flows", "10", "delay", "none");
	struct fluid_conf some = CONF("flows", "10", "delay", "50us");
	struct fluid_margin a, b;

	fluid_margin(&none, &a);
	fluid_margin(&some, &b);
	ck_assert(a.crosses && b.crosses);
	near(b.crossover / a.crossover, 1, 1e-9);
	near(a.degrees - b.degrees, a.crossover * 50e-6 * 180 / 3.14159265358979, 1e-6);
}
END_TEST

/* What the equations do (check_fluid.c integrates them; 1.5 has the outcomes),
 * by sign; stability.m gets the two at 50 us and N = 2 at 85 us wrong. */
START_TEST(exact_margin_tells_what_the_equations_do)
{
	static const struct {
		const char *flows, *delay, *kmax, *pmax, *ai;
		bool stable;
	} rows[] = {
		{"2", "4us", "200KB", "1%", "40Mbps", true},
		{"10", "4us", "200KB", "1%", "40Mbps", true},
		{"4", "50us", "200KB", "1%", "40Mbps", true},
		{"10", "50us", "200KB", "1%", "40Mbps", true},
		{"2", "85us", "200KB", "1%", "40Mbps", true},
		{"2", "100us", "200KB", "1%", "40Mbps", false},
		{"10", "85us", "200KB", "1%", "40Mbps", false},
		{"10", "85us", "2000KB", "10%", "40Mbps", false},
		{"64", "85us", "2000KB", "10%", "40Mbps", true},
		{"10", "85us", "1000KB", "1%", "10Mbps", true},
	};

	for (int i = 0; i < ROWS(rows); i++) {
		struct fluid_conf conf =
			CONF("flows", rows[i].flows, "delay", rows[i].delay, "kmax",
			     rows[i].kmax, "pmax", rows[i].pmax, "rate_ai", rows[i].ai);
		struct fluid_margin m;

		fluid_margin(&conf, &m);
		ck_assert(m.crosses);
		ck_assert_msg((m.degrees > 0) == rows[i].stable, "row %d: %.3f degrees", i,
			      m.degrees);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fixed_point");
	TCase *tc = tcase_create("fixed_point");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, every_row_of_the_table_to_its_last_digit, 0, ROWS(table));
	tcase_add_loop_test(tc, at_the_fixed_point_nothing_moves, 0, ROWS(table));
	tcase_add_test(tc, same_rate_a_flow_is_same_point);
	tcase_add_loop_test(tc, queue_of_the_published_figures, 0, 3);
	tcase_add_test(tc, trap_from_fifteen_flows_on);
	tcase_add_test(tc, one_sender_needs_a_faster_port);
	tcase_add_test(tc, small_p_form_is_the_limit);
	tcase_add_loop_test(tc, extremes_have_a_fixed_point, 0, 6);
	tcase_add_test(tc, defaults_are_those_of_models_cc_dcqcn);
	tcase_add_loop_test(tc, published_margin, 0, ROWS(margins));
	tcase_add_test(tc, published_margin_over_all_flows);
	tcase_add_test(tc, exact_margin_falls_with_the_delay);
	tcase_add_test(tc, exact_margin_tells_what_the_equations_do);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
