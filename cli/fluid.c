/*
 * cli/fluid.c - `xoff fluid`: where DCQCN settles, whether it does, and how it
 * gets there, by the fluid model of analyze/fluid.h.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/fixed_point.h"
#include "analyze/fluid.h"
#include "analyze/fluid_margin.h"
#include "cli/command.h"
#include "cli/fluid_packet.h"
#include "cli/fluid_plot.h"
#include "cli/message.h"
#include "cli/status.h"
#include "sim/assert.h"
#include "sim/units.h"

struct fluid_options {
	const char *rate, *line, *flows, *frame, *delay, *kmin, *kmax, *pmax, *g, *cnp_interval,
		*alpha_timer, *increase_timer, *byte_counter, *fast_recovery, *rate_ai, *until,
		*step; /* as in fluid_params */
	const char *preset, *plot, *csv, *beside;
	struct options_list join;
};

#define TEXT(name_, field_, arg_, doc_) \
	{ name_, 0, OPTIONS_TEXT, offsetof(struct fluid_options, field_), arg_, doc_, NULL }
/* Up to --step they are fluid_params, in the same order. */
static const struct options_row options[] = {
	TEXT("rate", rate, "RATE", "C: of the bottleneck (default 40Gbps)"),
	TEXT("line", line, "RATE", "of a sender's port (default: that of the bottleneck)"),
	TEXT("flows", flows, "N", "through the bottleneck (default 10)"),
	TEXT("frame", frame, "BYTES", "of a packet (default 1000B)"),
	TEXT("delay", delay, "TIME", "tau*: of the control loop (default 4us; none)"),
	TEXT("kmin", kmin, "BYTES", "no marks up to here (default 5KB)"),
	TEXT("kmax", kmax, "BYTES", "all marked above (default 200KB)"),
	TEXT("pmax", pmax, "RATIO", "marks at kmax (default 1%)"),
	TEXT("g", g, "RATIO", "gain of alpha (default 1/256)"),
	TEXT("cnp-interval", cnp_interval, "TIME", "tau (default 50us)"),
	TEXT("alpha-timer", alpha_timer, "TIME", "tau' (default 55us)"),
	TEXT("increase-timer", increase_timer, "TIME", "T (default 55us)"),
	TEXT("byte-counter", byte_counter, "BYTES", "B (default 10MB; off)"),
	TEXT("fast-recovery", fast_recovery, "N", "F (default 5)"),
	TEXT("rate-ai", rate_ai, "RATE", "R_AI (default 40Mbps)"),
	TEXT("until", until, "TIME", "length of the trajectory (default 100ms)"),
	TEXT("step", step, "TIME", "of the integration (default 500ns)"),
	TEXT("preset", preset, "NAME", "paper, wide or gentle; single options win"),
	{ "join", 0, OPTIONS_LIST, offsetof(struct fluid_options, join), "N@TIME",
	  "N more flows from then on, up to three times: 1@100ms", NULL },
	TEXT("plot", plot, "FILE.svg", "draw queue and rates (or .png; needs gnuplot)"),
	TEXT("csv", csv, "FILE", "keep the trajectory"),
	TEXT("beside", beside, "DIR", "a run with series/*.csv, to be compared"),
	{ .name = NULL }
};

enum { POINTS = 4000 };		/* of a trajectory, kept */

struct session {
	struct fluid_options opt;
	const char *preset;
	struct fluid_conf conf, all;	/* all: with those that join */
	struct fluid_group more[FLUID_GROUPS - 1];
	int nmore;
	struct fixed_point fixed;
	struct fluid_summary summary;
	struct fluid_packet packet;
	struct fluid_plot plot;
};

/* ---- what was asked ---- */

static int apply_preset(struct session *s, struct sim_error *err)
{
	const char *names[16] = { NULL };
	int n = 0;

	for (const struct fluid_preset *p = fluid_presets; p->name; p++) {
		names[n++] = p->name;
		if (s->opt.preset && strcmp(p->name, s->opt.preset))
			continue;
		s->preset = p->name;
		for (const char *const *kv = p->settings; *kv; kv += 2)
			if (param_set(param_find(fluid_params, kv[0]), &s->conf, kv[1], err))
				return -1;
		return 0;
	}
	if (!strcmp(s->opt.preset, "connectx"))
		return error_set(err, "",
				 "preset \"connectx\": the fluid model is of the paper's "
				 "form; that of the NIC has none");
	const char *near = error_nearest(s->opt.preset, names);
	return near ? error_set(err, "", "unknown preset \"%s\"; did you mean \"%s\"?",
				s->opt.preset, near)
		    : error_set(err, "",
				"unknown preset \"%s\"; there are paper, wide and gentle",
				s->opt.preset);
}

/* "cnp-interval" is "cnp_interval". */
static bool same_name(const char *option, const char *key)
{
	for (; *option && (*option == *key || (*option == '-' && *key == '_')); option++)
		key++;
	return !*option && !*key;
}

static int apply_params(struct session *s, struct sim_error *err)
{
	for (int i = 0; fluid_params[i].key; i++) {
		const char *text = *(const char *const *)(const void *)
			((const char *)&s->opt + options[i].offset);
		struct sim_error own = { 0 };

		sim_assert(same_name(options[i].name, fluid_params[i].key));
		if (text && param_set(&fluid_params[i], &s->conf, text, &own))
			return error_set(err, "", "--%s: %s", options[i].name, own.text);
	}
	return fluid_check(&s->conf, err);
}

/* "1@100ms" */
static int apply_join(struct session *s, const char *text, struct sim_error *err)
{
	const char *at = strchr(text, '@');
	char count[32];
	struct fluid_group *g = &s->more[s->nmore];
	struct sim_error own = { 0 };

	if (s->nmore == FLUID_GROUPS - 1)
		return error_set(err, "", "--join: at most %d times", FLUID_GROUPS - 1);
	if (!at || at - text >= (int)sizeof count)
		return error_set(err, "", "--join wants N@TIME, such as 1@100ms, not \"%s\"",
				 text);
	snprintf(count, sizeof count, "%.*s", (int)(at - text), text);
	if (units_parse(count, UNITS_COUNT, &g->flows, NULL, &own) ||
	    units_parse(at + 1, UNITS_TIME, &g->start_ps, NULL, &own))
		return error_set(err, "", "--join %s: %s", text, own.text);
	if (g->flows < 1 || g->flows > 100000 || g->start_ps < 0 ||
	    g->start_ps >= s->conf.until_ps)
		return error_set(err, "", "--join %s: 1 to 100000 flows, before --until", text);
	s->nmore++;
	return 0;
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && !strcmp(text + n - m, end);
}

static int ask(struct session *s, struct sim_error *err)
{
	param_defaults(fluid_params, &s->conf);
	if (apply_preset(s, err) || apply_params(s, err))
		return -1;
	for (int i = 0; i < s->opt.join.n; i++)
		if (apply_join(s, s->opt.join.items[i], err))
			return -1;
	if (s->opt.plot && !ends_in(s->opt.plot, ".svg") && !ends_in(s->opt.plot, ".png"))
		return error_set(err, "", "--plot draws FILE.svg or FILE.png, not \"%s\"", s->opt.plot);
	return s->opt.beside ? fluid_packet_read(&s->packet, s->opt.beside, err) : 0;
}

/* ---- what comes out ---- */

static const char *text_of(double value, enum units_kind kind, char *buf, size_t size)
{
	return units_format(llround(value), kind, buf, size);
}
#define RATE(v) text_of(v, UNITS_RATE, (char[32]){ 0 }, 32)
#define TIME(v) text_of(v, UNITS_TIME, (char[32]){ 0 }, 32)
#define BYTES(v) text_of(v, UNITS_BYTES, (char[32]){ 0 }, 32)

static void print_setting(const struct session *s)
{
	const struct fluid_conf *c = &s->all;

	printf("DCQCN fluid model, preset %s: %lld flows of %s into %s, loop delay %s\n",
	       s->preset, (long long)c->flows,
	       RATE((double)(c->line_bps ? c->line_bps : c->rate_bps)),
	       RATE((double)c->rate_bps), c->delay_ps ? TIME((double)c->delay_ps) : "none");
	printf("  marks per packet of %s: 0 to Kmin %s, %g %% at Kmax %s, 100 %% above\n",
	       BYTES((double)c->frame_bytes), BYTES((double)c->kmin_bytes),
	       100 * (double)c->pmax.num / (double)c->pmax.den, BYTES((double)c->kmax_bytes));
	printf("  g %lld/%lld  tau %s  tau' %s  T %s  B %s  F %lld  R_AI %s\n",
	       (long long)c->g.num, (long long)c->g.den, TIME((double)c->cnp_interval_ps),
	       TIME((double)c->alpha_timer_ps), TIME((double)c->increase_timer_ps),
	       c->byte_counter ? BYTES((double)c->byte_counter) : "off",
	       (long long)c->fast_recovery, RATE((double)c->ai_bps));
}

static void print_fixed(const struct session *s)
{
	const struct fixed_point *f = &s->fixed;
	const struct fluid_terms *t = &f->terms;

	printf("\nFIXED POINT\n");
	printf("  Rc     %-12s rate of a flow, C/N\n", RATE(f->rate_bps));
	printf("  Rt     %-12s its target: Rt/Rc = 1 + (c + e) tau R_AI/a = %.4f\n",
	       RATE(f->target_bps), f->target_ratio);
	printf("  p      %.5f %%    of the packets are marked (small-p form: %.5f %%)\n",
	       100 * f->mark, 100 * f->mark_approx);
	printf("  alpha  %-12.4f 1 - (1-p)^(tau' Rc), a CNP in tau'\n", f->alpha);
	printf("  a      %-12.5f 1 - (1-p)^(tau Rc), a CNP in tau: %.1f CNPs/s of a flow\n",
	       t->a, f->cnps_per_s);
	printf("  b      %-12.4g events of the byte counter, a packet\n", t->b);
	printf("  c      %-12.4g of them past fast recovery\n", t->c);
	printf("  d      %-12.4g events of the increase timer, a packet\n", t->d);
	printf("  e      %-12.4g of them past fast recovery\n", t->e);
	printf("  q      %-12s %s\n", BYTES(f->queue_bytes),
	       f->on_ramp ? "Kmin + (Kmax - Kmin) p/Pmax, on the ramp" :
			    "NOT on the ramp: p is above Pmax");
	if (!f->fed)
		printf("  Its senders together offer no more than C: no queue builds, and\n"
		       "  this point is not reached.  Give them a faster port: --line.\n");
	printf("  p rises with the flows: from %lld on it is above Pmax.%s\n",
	       (long long)fixed_point_trap(&s->all),
	       f->on_ramp ? "" : "  There marking jumps from Pmax\n"
				 "  to 100 % at Kmax, and the queue goes round that.");
}

static void print_margin(const char *what, const struct fluid_margin *m, const char *verdict)
{
	if (m->crosses)
		printf("  %-13s%+.3f degrees, crossover %.1f Hz%s\n", what, m->degrees,
		       m->crossover / 6.283185307179586, verdict);
	else
		printf("  %-13snone: the gain is never 1%s\n", what, verdict);
}

static void print_stability(const struct session *s)
{
	struct fluid_margin exact, published;

	printf("\nSTABILITY    phase margin of the loop, linearised\n");
	fluid_margin_published(&s->all, &published);
	if (s->fixed.on_ramp) {
		fluid_margin(&s->all, &exact);
		print_margin("model", &exact, !exact.crosses ? "" :
			     exact.degrees > 0 ? ": comes to rest" : ": goes round");
	} else {
		printf("  model        none: there is no slope at the fixed point\n");
	}
	print_margin("as published", &published, " (stability.m: Taylor terms, endless ramp)");
}

static void print_run(const struct session *s)
{
	static const char *const ends[] = {
		[FLUID_SETTLED] = "at rest", [FLUID_SETTLING] = "coming to rest",
		[FLUID_OSCILLATES] = "goes round and round" };
	const struct fluid_summary *u = &s->summary;

	printf("\nTRAJECTORY   %s..%s\n", TIME(u->from_s * 1e12), TIME(u->until_s * 1e12));
	printf("  queue        mean %s  sd %s  %s..%s: %s\n", BYTES(u->queue_mean),
	       BYTES(u->queue_sd), BYTES(u->queue_min), BYTES(u->queue_max),
	       ends[fluid_end_of(u)]);
	printf("  utilization  %.4f\n", u->utilization);
	for (int i = 0; i <= s->nmore; i++)
		printf("  %-13smean %s  alpha %.4f\n", i ? "joined later" : "rate",
		       RATE(u->rate_mean_bps[i]), u->alpha_mean[i]);
	if (!s->packet.n)
		return;
	printf("\nPACKETS      %s..%s of %s, %s\n", TIME((double)s->packet.from_ps),
	       TIME((double)s->packet.until_ps), s->packet.file, s->packet.place);
	printf("  queue        mean %s  sd %s  %s..%s", BYTES(s->packet.queue_mean),
	       BYTES(s->packet.queue_sd), BYTES(s->packet.queue_min),
	       BYTES(s->packet.queue_max));
	if (u->queue_mean > 0)
		printf(": mean %.3f of the fluid's", s->packet.queue_mean / u->queue_mean);
	printf("\n");
}

static int answer(struct session *s)
{
	int status = STATUS_OK;

	s->all = s->conf;
	for (int i = 0; i < s->nmore; i++)
		s->all.flows += s->more[i].flows;
	fixed_point_solve(&s->all, &s->fixed);
	s->plot = (struct fluid_plot){.conf = &s->all,
				      .fixed = &s->fixed,
				      .groups = 1 + s->nmore,
				      .packet = s->packet.n ? &s->packet : NULL};
	print_setting(s);
	print_fixed(s);
	print_stability(s);
	fluid_run(&s->conf, s->more, s->nmore, s->conf.until_ps / POINTS, fluid_plot_add,
		  &s->plot, &s->summary);
	print_run(s);
	if (s->opt.csv && fluid_plot_csv(&s->plot, s->opt.csv))
		status = STATUS_OUTPUT;
	if (s->opt.plot && fluid_plot_draw(&s->plot, s->opt.plot))
		status = STATUS_OUTPUT;
	return status;
}

static int fluid_main(const struct command *self, int argc, char **argv)
{
	struct session s = { .preset = NULL };
	struct options_list args = { 0 };
	struct sim_error err = { 0 };
	enum options_answer go = options_parse(self, argc, argv, &s.opt, &args);
	int status = go == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (go == OPTIONS_GO) {
		if (ask(&s, &err)) {
			message_error("fluid", "%s", err.text);
			status = STATUS_INPUT;
		} else {
			status = answer(&s);
		}
	}
	fluid_plot_fini(&s.plot);
	fluid_packet_fini(&s.packet);
	options_fini(self, &s.opt, &args);
	return status;
}

const struct command fluid_command = {
	.name = "fluid",
	.args = "",
	.about = "where DCQCN settles, and whether: fixed point, stability, trajectory",
	.details =
	"The fluid model of CoNEXT 2016 (the paper's form of DCQCN, without hyper increase\n"
	"and without PFC): every term of its fixed point, the phase margin of its loop, and\n"
	"its trajectory, beside a packet run's queue with --beside.\n"
	"Presets: paper (5KB..200KB to 1%), wide (Kmax 2000KB, Pmax 10%), gentle (R_AI\n"
	"10Mbps, Kmax 1000KB).\n",
	.examples = "  xoff fluid --flows 10 --delay 85us --plot queue.svg\n"
		    "  xoff fluid --flows 2 --join 1@100ms --until 200ms --csv three.csv\n"
		    "  xoff fluid --flows 4 --beside out/fixedpoint --plot both.svg\n",
	.options = options,
	.main = fluid_main,
};
