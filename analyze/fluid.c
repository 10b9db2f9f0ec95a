/* analyze/fluid.c - see fluid.h: parameters, and the terms of the equations. */
#include "analyze/fluid.h"

#include <math.h>
#include "sim/assert.h"

#define ROW(key_, type_, field) \
	.key = key_, .type = type_, .offset = offsetof(struct fluid_conf, field)

/* Keys and defaults of a class's ecn, of a NIC and of its dcqcn where they have them. */
const struct param fluid_params[] = {
	{ROW("rate", PARAM_RATE, rate_bps), .def = "40Gbps", .min = "1Mbps", .max = "10Tbps",
	 .doc = "C: rate of the bottleneck."},
	{ROW("line", PARAM_RATE, line_bps), .def = "same", .min = "1Mbps", .max = "10Tbps",
	 .word = "same", .word_value = 0,
	 .doc = "Rate of a sender's port; same: the bottleneck's."},
	{ROW("flows", PARAM_COUNT, flows), .def = "10", .min = "1", .max = "100000",
	 .doc = "N: flows through the bottleneck."},
	{ROW("frame", PARAM_BYTES, frame_bytes), .def = "1000B", .min = "64B", .max = "9216B",
	 .doc = "Bytes of a packet, each of which is marked or not."},
	{ROW("delay", PARAM_TIME, delay_ps), .def = "4us", .min = "100ns", .max = "100ms",
	 .word = "none", .word_value = 0, .doc = "tau*: delay of the control loop."},
	{ROW("kmin", PARAM_BYTES, kmin_bytes), .def = "5KB", .min = "0B", .max = "1000GB",
	 .doc = "Queue up to which nothing is marked."},
	{ROW("kmax", PARAM_BYTES, kmax_bytes), .def = "200KB", .min = "1B", .max = "1000GB",
	 .doc = "Queue above which everything is marked."},
	{ROW("pmax", PARAM_RATIO, pmax), .def = "1%", .min = "0.000001", .max = "1",
	 .doc = "Probability of a mark at kmax."},
	{ROW("g", PARAM_RATIO, g), .def = "1/256", .min = "0.000001", .max = "1",
	 .doc = "Gain of alpha."},
	{ROW("cnp_interval", PARAM_TIME, cnp_interval_ps), .def = "50us", .min = "100ns",
	 .max = "1s", .doc = "tau: least time between two CNPs of a flow."},
	{ROW("alpha_timer", PARAM_TIME, alpha_timer_ps), .def = "55us", .min = "100ns",
	 .max = "1s", .doc = "tau': time without a CNP after which alpha decays by one step."},
	{ROW("increase_timer", PARAM_TIME, increase_timer_ps), .def = "55us", .min = "100ns",
	 .max = "1s", .doc = "T: time of one increase event."},
	{ROW("byte_counter", PARAM_BYTES, byte_counter), .def = "10MB", .min = "1000B",
	 .max = "1000GB", .word = "off", .word_value = 0,
	 .doc = "B: bytes sent of one increase event; off is none by bytes."},
	{ROW("fast_recovery", PARAM_COUNT, fast_recovery), .def = "5", .min = "1",
	 .max = "1000", .doc = "F: increase events of fast recovery."},
	{ROW("rate_ai", PARAM_RATE, ai_bps), .def = "40Mbps", .min = "1Kbps", .max = "10Tbps",
	 .doc = "R_AI: step of the target rate in additive increase."},
	{ROW("until", PARAM_TIME, until_ps), .def = "100ms", .min = "10us", .max = "100s",
	 .doc = "Length of the trajectory."},
	{ROW("step", PARAM_TIME, step_ps), .def = "500ns", .min = "1ns", .max = "1ms",
	 .doc = "Step of the integration; the loop delay where that is shorter."},
	{.key = NULL}};

/* As EoD takes SIGCOMM 2015; its figures of trajectories; its remedy for long loops. */
static const char *const none[] = { NULL };
static const char *const wide[] = { "kmax", "2000KB", "pmax", "10%", NULL };
static const char *const gentle[] = { "rate_ai", "10Mbps", "kmax", "1000KB", NULL };
const struct fluid_preset fluid_presets[] = {
	{ "paper", none },
	{ "wide", wide },
	{ "gentle", gentle },
	{ NULL, NULL }
};

enum { FLUID_STEPS_MAX = 100000000 };

int fluid_check(const struct fluid_conf *conf, struct sim_error *err)
{
	int64_t step_ps = conf->step_ps;
	char kmin[32], kmax[32];

	if (conf->delay_ps && conf->delay_ps < step_ps)
		step_ps = conf->delay_ps;
	if (conf->kmin_bytes >= conf->kmax_bytes)
		return error_set(err, "", "kmin, %s, must be below kmax, %s",
				 units_format(conf->kmin_bytes, UNITS_BYTES, kmin, sizeof kmin),
				 units_format(conf->kmax_bytes, UNITS_BYTES, kmax, sizeof kmax));
	if (conf->byte_counter && conf->byte_counter < conf->frame_bytes)
		return error_set(err, "", "a byte counter below one frame");
	if (conf->until_ps / step_ps > FLUID_STEPS_MAX)
		return error_set(err, "", "more than %d steps: a shorter time or a longer step",
				 FLUID_STEPS_MAX);
	if (conf->until_ps < 8 * step_ps)
		return error_set(err, "",
				 "fewer than 8 steps: a longer time or a shorter step");
	return 0;
}

static double seconds(int64_t ps) { return (double)ps * 1e-12; }
static double ratio(struct units_ratio r) { return (double)r.num / (double)r.den; }

struct fluid_model fluid_model_of(const struct fluid_conf *conf)
{
	double frame = (double)conf->frame_bytes, bits = frame * 8;

	sim_assert(conf->frame_bytes > 0);
	return (struct fluid_model){
		.c = (double)conf->rate_bps / bits,
		.line = (double)(conf->line_bps ? conf->line_bps : conf->rate_bps) / bits,
		.n = (double)conf->flows,
		.frame_bytes = frame,
		.kmin = (double)conf->kmin_bytes / frame,
		.kmax = (double)conf->kmax_bytes / frame,
		.pmax = ratio(conf->pmax),
		.g = ratio(conf->g),
		.f = (double)conf->fast_recovery,
		.b = conf->byte_counter ? (double)conf->byte_counter / frame : HUGE_VAL,
		.tau = seconds(conf->cnp_interval_ps),
		.tau_alpha = seconds(conf->alpha_timer_ps),
		.t = seconds(conf->increase_timer_ps),
		.ai = (double)conf->ai_bps / bits,
		.delay = seconds(conf->delay_ps),
	};
}

double fluid_mark(const struct fluid_model *m, double q)
{
	if (q <= m->kmin)
		return 0;
	if (q > m->kmax)
		return 1;
	return m->pmax * (q - m->kmin) / (m->kmax - m->kmin);
}

void fluid_terms_at(const struct fluid_model *m, double p, double rate, struct fluid_terms *out)
{
	double x, by_time = m->t * rate;

	sim_assert(p >= 0 && p <= 1);
	sim_assert(rate > 0);
	if (p <= 0) {
		*out = (struct fluid_terms){ .b = 1 / m->b, .c = 1 / m->b,
					     .d = 1 / by_time, .e = 1 / by_time };
		return;
	}
	if (p >= 1) {
		*out = (struct fluid_terms){ .a = 1, .a_alpha = 1 };
		return;
	}
	x = -log1p(-p);		/* (1-p)^k = exp(-k x) */
	out->a = -expm1(-m->tau * rate * x);
	out->a_alpha = -expm1(-m->tau_alpha * rate * x);
	out->b = p / expm1(m->b * x);
	out->c = out->b * exp(-m->f * m->b * x);
	out->d = p / expm1(by_time * x);
	out->e = out->d * exp(-m->f * by_time * x);
}
