/* cli/check_headroom.c - `xoff check headroom`, `config`, and --prove. */
#include <stdlib.h>
#include <string.h>

#include "analyze/config.h"
#include "analyze/headroom_check.h"
#include "analyze/headroom_table.h"
#include "analyze/prove.h"
#include "cli/check.h"
#include "cli/message.h"
#include "cli/status.h"
#include "models/wire/frame.h"
#include "models/wire/link.h"
#include "sim/assert.h"

enum { ROWS = 20 };
static const char *const verdicts[] = { "LOSS POSSIBLE", "small frames", "enough" };

/* ------------------------------------------------------------------ headroom */

static void json_need(struct jsonout *j, const char *key, const struct headroom_need *n)
{
	jsonout_open_flat(j, key, '{');
	jsonout_int(j, "frame_bytes", n->frame_bytes);
	jsonout_int(j, "frames", n->frames);
	jsonout_int(j, "cells", n->cells);
	jsonout_int(j, "bytes", n->bytes);
	jsonout_close(j, '}');
}

/* As Spectrum-4's tables and the NIC's driver would have it. */
static int64_t nvidia_bytes(const struct headroom_conf *c)
{
	const struct headroom_table_asic *asic = headroom_table_asics;
	struct headroom_table_terms t;
	int64_t mtu = c->forward_bytes - FRAME_ETH_BYTES;

	while (asic[1].name && strcmp(asic->name, "spc4"))
		asic++;
	headroom_table_nvidia(&(struct headroom_table_conf){
		.asic = asic, .rate_bps = c->rate_bps, .cable_mm = c->delay_ps / 5,
		.port_mtu_bytes = mtu, .small_percent = asic->small_percent,
		.lossless_mtu_bytes = mtu < asic->lossless_mtu_bytes
			? mtu : asic->lossless_mtu_bytes }, &t);
	return t.xoff_bytes;
}

static int64_t mlx5_bytes(const struct headroom_conf *c)
{
	return headroom_table_mlx5(c->rate_bps, c->delay_ps / 5,
				   c->forward_bytes - FRAME_ETH_BYTES);
}

static void json_row(const struct check_context *ctx, const struct headroom_row *x)
{
	struct jsonout *j = ctx->json;
	const struct headroom_terms *t = &x->terms;
	char name[96];

	jsonout_open(j, NULL, '{');
	jsonout_text(j, "port", routing_port_name(ctx->r, x->port, name, sizeof(name)));
	jsonout_int(j, "priority", x->prio);
	jsonout_int(j, "alike", x->alike);
	jsonout_text(j, "verdict", verdicts[x->verdict]);
	jsonout_int(j, "have_bytes", x->have_bytes);
	jsonout_bool(j, "shared_pool", x->shared);
	jsonout_int(j, "margin_bytes", x->have_bytes - t->full.bytes);
	jsonout_int(j, "rate_bps", x->conf.rate_bps);
	jsonout_int(j, "delay_ps", x->conf.delay_ps);
	jsonout_int(j, "response_ps", x->conf.response_ps);
	jsonout_int(j, "cell_bytes", x->conf.cell_bytes);
	jsonout_int(j, "propagation_bytes", t->propagation_bytes);
	jsonout_int(j, "response_bytes", t->response_bytes);
	jsonout_int(j, "reverse_bytes", t->reverse_bytes);
	jsonout_int(j, "pause_bytes", t->pause_bytes);
	jsonout_int(j, "window_bytes", t->window_bytes);
	json_need(j, "need", &t->full);
	json_need(j, "worst", &t->worst);
	jsonout_int(j, "mix_bytes", t->mix_bytes);
	jsonout_int(j, "auto_bytes", t->auto_bytes);
	jsonout_int(j, "bears_response_ps", headroom_check_response_ps(&x->conf, x->have_bytes));
	jsonout_int(j, "bears_response_ieee_ps", headroom_check_response_ieee_ps(&x->conf, x->have_bytes));
	jsonout_int(j, "ieee_bytes", t->ieee_bytes);
	jsonout_int(j, "nvidia_spc4_bytes", nvidia_bytes(&x->conf));
	jsonout_int(j, "mlx5_bytes", mlx5_bytes(&x->conf));
	jsonout_close(j, '}');
}

static void json_list(const struct check_context *ctx, const struct headroom_list *list)
{
	struct jsonout *j = ctx->json;

	jsonout_open(j, "headroom", '{');
	jsonout_int(j, "groups", list->groups);
	jsonout_int(j, "short", list->short_groups);
	jsonout_open(j, "rows", '[');
	for (int i = 0; i < list->n; i++)
		json_row(ctx, &list->row[i]);
	jsonout_close(j, ']');
	jsonout_close(j, '}');
}

static void print_terms(const struct headroom_row *x)
{
	const struct headroom_terms *t = &x->terms;
	char response[32], delay[32];

	printf("  the first row, in bytes of the wire:\n");
	printf("    cable both ways (2 x %s) %lld + response of the peer (%s) %lld + frame in the way %lld"
	       " + pause %lld = window %lld\n",
	       units_format(x->conf.delay_ps, UNITS_TIME, delay, sizeof(delay)),
	       (long long)t->propagation_bytes,
	       units_format(x->conf.response_ps, UNITS_TIME, response, sizeof(response)),
	       (long long)t->response_bytes, (long long)t->reverse_bytes,
	       (long long)t->pause_bytes, (long long)t->window_bytes);
	printf("    frames of %lldB: ceil(%lld / %lld) = %lld of %lld cells of %lldB = %lldB; of the worst size, "
	       "%lldB: %lldB; any mixture %lldB, and one frame more (\"auto\") %lldB; IEEE %lldB\n",
	       (long long)t->full.frame_bytes,
	       (long long)t->window_bytes,
	       (long long)(t->full.frame_bytes + LINK_OVERHEAD_BYTES),
	       (long long)t->full.frames, (long long)(t->full.cells / t->full.frames),
	       (long long)x->conf.cell_bytes, (long long)t->full.bytes,
	       (long long)t->worst.frame_bytes, (long long)t->worst.bytes,
	       (long long)t->mix_bytes, (long long)t->auto_bytes, (long long)t->ieee_bytes);
	int64_t bears = headroom_check_response_ps(&x->conf, x->have_bytes);
	int64_t usual = headroom_check_response_ieee_ps(&x->conf, x->have_bytes);
	if (bears >= 0)
		printf("    %lldB bear a response of the peer of %s (%s by the usual arithmetic, two frames "
		       "and the cable off), and not a picosecond more at the worst\n",
		       (long long)x->have_bytes, units_format(bears, UNITS_TIME, response, sizeof(response)),
		       usual >= 0 ? units_format(usual, UNITS_TIME, delay, sizeof(delay)) : "none");
	printf("    others would have it: Spectrum-4's tables %lldB, mlx5 %lldB (xoff headroom: terms)\n",
	       (long long)nvidia_bytes(&x->conf), (long long)mlx5_bytes(&x->conf));
}

static void print_list(const struct check_context *ctx, const struct headroom_list *list)
{
	char port[96], rate[32], delay[32], response[32];

	if (list->short_groups)
		printf("headroom: %lld of %lld lossless (port, priority) have too little\n",
		       (long long)list->short_groups, (long long)list->groups);
	else if (list->groups)
		printf("headroom: enough at all %lld lossless (port, priority); smallest margin %lldB\n",
		       (long long)list->groups,
		       (long long)(list->row[0].have_bytes - list->row[0].terms.full.bytes));
	else
		printf("headroom: no port is lossless\n");
	if (!list->n)
		return;
	printf("  %-18s %4s %6s %8s %9s %9s %9s %9s %9s %9s  %s\n", "PORT", "PRIO", "ALIKE",
	       "RATE", "ONE WAY", "RESPONSE", "NEED", "HAVE", "MARGIN", "SMALL", "VERDICT");
	for (int i = 0; i < list->n && i < ROWS; i++) {
		const struct headroom_row *x = &list->row[i];

		printf("  %-18s %4d %6lld %8s %9s %9s %9lld %9lld %9lld %9lld  %s\n",
		       routing_port_name(ctx->r, x->port, port, sizeof(port)), x->prio,
		       (long long)x->alike,
		       units_format(x->conf.rate_bps, UNITS_RATE, rate, sizeof(rate)),
		       units_format(x->conf.delay_ps, UNITS_TIME, delay, sizeof(delay)),
		       units_format(x->conf.response_ps, UNITS_TIME, response,
				    sizeof(response)),
		       (long long)x->terms.full.bytes, (long long)x->have_bytes,
		       (long long)(x->have_bytes - x->terms.full.bytes),
		       (long long)x->terms.worst.bytes, verdicts[x->verdict]);
	}
	if (list->n > ROWS)
		printf("  ... and %d more kinds of port (--json has all)\n", list->n - ROWS);
	print_terms(&list->row[0]);
}

void check_headroom(struct check_context *ctx)
{
	int first = ctx->findings.n;
	struct headroom_list list;

	headroom_check(ctx->r, &list, &ctx->findings);
	if (ctx->json)
		json_list(ctx, &list);
	else
		print_list(ctx, &list);
	check_print_findings(ctx, first);
	headroom_check_fini(&list);
}

/* -------------------------------------------------------------------- config */

void check_config(struct check_context *ctx)
{
	int first = ctx->findings.n, wrong = finding_wrong(&ctx->findings);

	config_check(ctx->r, &ctx->findings);
	wrong = finding_wrong(&ctx->findings) - wrong;
	if (!ctx->json && ctx->findings.n == first)
		printf("config: nothing to say\n");
	else if (!ctx->json)
		printf("config: findings %d, notes %d\n", wrong,
		       ctx->findings.n - first - wrong);
	check_print_findings(ctx, first);
}

/* --------------------------------------------------------------------- prove */

/* "leaf0:3" -> its port id; VIEW_NONE after a message. */
static uint32_t find_port(const struct check_context *ctx)
{
	const char *text = ctx->opt->prove, *colon = strrchr(text, ':');
	char name[96];

	for (uint32_t p = 0; p < view_ports(ctx->f) && colon; p++) {
		routing_port_name(ctx->r, p, name, sizeof(name));
		if (strcmp(name, text))
			continue;
		if (view_is_switch(ctx->f, view_port(ctx->f, p).node) &&
		    view_lossless_of(ctx->f, p))
			return p;
		message_error("check", "%s is no lossless port of a switch", text);
		return VIEW_NONE;
	}
	message_error("check", "there is no port \"%s\"; a port is NODE:NUMBER, like leaf0:3",
		      text);
	return VIEW_NONE;
}

struct trial {
	const char *name;
	int64_t frame, headroom;
	bool may_lose;
	struct prove_outcome out;
};

static void show_trial(const struct check_context *ctx, const struct trial *t)
{
	struct jsonout *j = ctx->json;

	if (j) {
		jsonout_open(j, NULL, '{');
		jsonout_text(j, "what", t->name);
		jsonout_int(j, "frame_bytes", t->frame);
		jsonout_int(j, "headroom_bytes", t->headroom);
		jsonout_int(j, "phases", t->out.phases);
		jsonout_int(j, "lost_frames", t->out.lost);
		jsonout_int(j, "peak_bytes", t->out.peak_bytes);
		jsonout_close(j, '}');
		return;
	}
	printf("  %-38s %9lldB  frames of %5lldB  %3d phases  peak %9lldB  lost %lld\n",
	       t->name, (long long)t->headroom, (long long)t->frame, t->out.phases,
	       (long long)t->out.peak_bytes, (long long)t->out.lost);
}

static void lost_as_set(struct check_context *ctx, const struct trial *t)
{
	struct finding *x = finding_add(&ctx->findings, FINDING_WRONG, "prove");

	finding_object(x, "%s", ctx->opt->prove);
	finding_value(x, t->out.lost, UNITS_COUNT);
	finding_reason(
		x,
		"with its headroom of %lldB the worst case loses %lld frames of %lldB in %d phases",
		(long long)t->headroom, (long long)t->out.lost, (long long)t->frame,
		t->out.phases);
	finding_remedy(x, "the need of full frames, see the first line");
}

/* One group alone: its own headroom, or all that the pool or the port has for it. */
static int64_t has(const struct fabric *f, uint32_t port)
{
	uint32_t node = view_port(f, port).node;
	int64_t own = view_limits(f, port, __builtin_ctz(view_lossless_of(f, port))).headroom_bytes;
	int64_t pool = view_pool(f, node, view_part(f, port)).headroom_bytes;
	int64_t most = view_switch_conf(f, node)->buffer.port_headroom_bytes;

	own = pool < own ? pool : own;
	return most && most < own ? most : own;
}

int check_prove(struct check_context *ctx)
{
	uint32_t port = find_port(ctx);
	struct headroom_terms t;
	struct sim_error err = { 0 };
	struct headroom_conf c;

	if (port == VIEW_NONE)
		return STATUS_INPUT;
	c = view_headroom_conf(ctx->f, port);
	headroom_compute(&c, &t);
	int64_t have = has(ctx->f, port);
	struct trial trials[] = {
		{ .name = "the need of full frames",
		  .frame = t.full.frame_bytes,
		  .headroom = t.full.bytes },
		{ .name = "one frame less",
		  .frame = t.full.frame_bytes,
		  .headroom = t.full.bytes - t.full.bytes / t.full.frames,
		  .may_lose = true },
		{ .name = "the need of frames of the worst size",
		  .frame = t.worst.frame_bytes,
		  .headroom = t.worst.bytes },
		{ .name = "as it is set",
		  .frame = t.full.frame_bytes,
		  .headroom = have,
		  .may_lose = true },
	};
	if (ctx->json)
		jsonout_open(ctx->json, "prove", '[');
	else
		printf("prove %s: the worst case of the port, run in every phase\n",
		       ctx->opt->prove);
	for (size_t i = 0; i < sizeof(trials) / sizeof(*trials); i++) {
		if (prove_run(&c, trials[i].frame, trials[i].headroom, ctx->opt->phases,
			      &trials[i].out, &err)) {
			message_error("check", "%s", err.text);
			return STATUS_INPUT;
		}
		show_trial(ctx, &trials[i]);
		sim_assert(trials[i].may_lose || !trials[i].out.lost);
	}
	if (ctx->json)
		jsonout_close(ctx->json, ']');
	if (trials[3].out.lost)
		lost_as_set(ctx, &trials[3]);
	check_print_findings(ctx, ctx->findings.n - (trials[3].out.lost ? 1 : 0));
	return STATUS_OK;
}
