/* cli/check.c - `xoff check`: verdicts on an experiment or a topology, without a run. */
#include "cli/check.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/find.h"
#include "cli/message.h"
#include "cli/status.h"
#include "sim/mem.h"

static const char *const what_names[] = { "headroom", "deadlock", "config", "all", NULL };
enum { HEADROOM, DEADLOCK, CONFIG, EVERYTHING };
static const char *const reroute_names[] = { "both", "global", "local", NULL };
static const char *const pairs_names[] = { "auto", "all", "traffic", NULL };

#define FIELD(name) offsetof(struct check_options, name)
static const struct options_row options[] = {
	{ "json", 0, OPTIONS_FLAG, FIELD(json), NULL, "print JSON, not text", NULL },
	{ "variant", 'V', OPTIONS_LIST, FIELD(variants), "NAME",
	  "check this variant only (or base); again for more", NULL },
	{ "set", 's', OPTIONS_LIST, FIELD(sets), "PATH=VALUE",
	  "change one setting: --set switch.buffer.headroom=100KB", NULL },
	{ "pairs", 0, OPTIONS_CHOICE, FIELD(pairs), "WHICH",
	  "who sends: all (to all), the experiment's traffic, or auto: that if there is any",
	  pairs_names },
	{ "failures", 0, OPTIONS_COUNT, FIELD(failures), "N",
	  "deadlock: also with every set of 1 .. N links down (N 1 or 2)", NULL },
	{ "reroute", 0, OPTIONS_CHOICE, FIELD(reroute), "HOW",
	  "after a failure: global (shortest paths anew), local (bounces), or both",
	  reroute_names },
	{ "emit", 0, OPTIONS_TEXT, FIELD(emit), "FILE",
	  "deadlock: write an experiment that closes the circle, and run it", NULL },
	{ "prove", 0, OPTIONS_TEXT, FIELD(prove), "PORT",
	  "headroom: build the worst case of leaf0:3 and run it", NULL },
	{ "phases", 0, OPTIONS_COUNT, FIELD(phases), "N", "... in so many phases (64)", NULL },
	{ .name = NULL },
};

/* ---------------------------------------------------------------------- open */

/* "topologies/ring4.json" -> "ring4", with the letters that a name may have. */
static void name_of(const char *path, char *name, size_t size)
{
	const char *slash = strrchr(path, '/');

	snprintf(name, size, "%s", slash ? slash + 1 : path);
	if (strrchr(name, '.') > name)
		*strrchr(name, '.') = '\0';
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '-';
}

/* A topology alone is wrapped into an experiment that only names it. */
static char *wrap_topology(const char *path)
{
	char *whole = realpath(path, NULL), *where = mem_zalloc(64), name[64];
	int fd = memfd_create("xoff-check", 0);
	FILE *out = fd >= 0 ? fdopen(dup(fd), "w") : NULL;
	struct jsonout j;

	if (!whole || !out) {
		free(whole);
		free(where);
		return mem_strdup(path);
	}
	jsonout_init(&j, out, 0);
	jsonout_open(&j, NULL, '{');
	jsonout_text(&j, "schema", "xoff.experiment/1");
	name_of(path, name, sizeof(name));
	jsonout_text(&j, "name", name);
	jsonout_text(&j, "topology", whole);
	jsonout_close(&j, '}');
	fclose(out);
	snprintf(where, 64, "/proc/self/fd/%d", fd);	/* open until the program ends */
	free(whole);
	return where;
}

/* An experiment from an importer has no end yet: no check asks for one. */
static struct scenario *open_scenario(const struct check_options *opt, const char *path,
				      struct diag *diag)
{
	const char **sets = mem_zalloc(sizeof(*sets) * (size_t)(opt->sets.n + 1));	/* not 0 bytes */
	char *wrapped =
		find_schema(path, "xoff.topology") ? wrap_topology(path) : mem_strdup(path);
	struct scenario_options how = { .sets = sets, .nsets = opt->sets.n,
					.until = "1000000s" };
	struct scenario *sc;

	for (int i = 0; i < opt->sets.n; i++)
		sets[i] = opt->sets.items[i];
	sc = scenario_open(wrapped, &how, diag);
	free(sets);
	free(wrapped);
	return sc;
}

static bool wanted(const struct check_options *opt, const struct scenario *sc, int run)
{
	if (!opt->variants.n)
		return true;
	for (int i = 0; i < opt->variants.n; i++)
		if (!strcmp(opt->variants.items[i], scenario_run_name(sc, run)))
			return true;
	return false;
}

static int check_names(const struct check_options *opt, const struct scenario *sc)
{
	for (int i = 0; i < opt->variants.n; i++) {
		const char *near = NULL;

		if (scenario_run_find(sc, opt->variants.items[i], &near) >= 0)
			continue;
		if (near)
			message_error("check", "no variant \"%s\" in %s; did you mean \"%s\"?",
				      opt->variants.items[i], scenario_path(sc), near);
		else
			message_error("check", "no variant \"%s\" in %s",
				      opt->variants.items[i], scenario_path(sc));
		return -1;
	}
	return 0;
}

/* --------------------------------------------------------------------- print */

static void json_findings(const struct check_context *ctx)
{
	struct jsonout *j = ctx->json;

	jsonout_open(j, "findings", '[');
	for (int i = 0; i < ctx->findings.n; i++) {
		const struct finding *x = &ctx->findings.item[i];

		jsonout_open(j, NULL, '{');
		jsonout_text(j, "grade", x->grade == FINDING_WRONG ? "finding" : "note");
		jsonout_text(j, "check", x->check);
		jsonout_text(j, "object", x->object);
		jsonout_int(j, "value", x->value);
		jsonout_text(j, "unit",
			     x->unit == UNITS_TIME    ? "ps"
			     : x->unit == UNITS_BYTES ? "B"
						      : "");
		jsonout_text(j, "reason", x->reason);
		jsonout_text(j, "remedy", x->remedy);
		jsonout_close(j, '}');
	}
	jsonout_close(j, ']');
}

void check_print_findings(const struct check_context *ctx, int first)
{
	char value[48];

	for (int i = first; i < ctx->findings.n && !ctx->json; i++) {
		const struct finding *x = &ctx->findings.item[i];
		int64_t size = x->value < 0 ? -x->value : x->value;

		printf("  %s: %s: %s [%s%s]\n      %s\n      remedy: %s\n",
		       x->grade == FINDING_WRONG ? "FINDING" : "note", x->check, x->object,
		       x->value < 0 ? "-" : "",
		       units_format(size, x->unit, value, sizeof(value)), x->reason, x->remedy);
	}
}

/* ------------------------------------------------------------------------ run */

static int check_parts(struct check_context *ctx, int what)
{
	int status = STATUS_OK;

	if (ctx->opt->prove)
		return check_prove(ctx);
	if (what == HEADROOM || what == EVERYTHING)
		check_headroom(ctx);
	if (what == DEADLOCK || what == EVERYTHING)
		status = check_deadlock(ctx);
	if (what == CONFIG || what == EVERYTHING)
		check_config(ctx);
	return status;
}

static int check_one(struct check_context *ctx, int what, struct diag *diag)
{
	struct fabric *f = scenario_build(ctx->sc, ctx->run, diag);
	struct routing *r;
	int status;

	if (!f) {
		diag_print(diag, stderr);
		return STATUS_INPUT;
	}
	ctx->f = f;
	ctx->r = r = routing_new(f);
	if (ctx->json) {
		jsonout_open(ctx->json, NULL, '{');
		jsonout_text(ctx->json, "experiment", scenario_name(ctx->sc));
		jsonout_text(ctx->json, "variant", scenario_run_name(ctx->sc, ctx->run));
	} else {
		printf("%s/%s\n", scenario_name(ctx->sc), scenario_run_name(ctx->sc, ctx->run));
	}
	status = check_parts(ctx, what);
	if (status == STATUS_OK && finding_wrong(&ctx->findings))
		status = STATUS_FAILED;
	if (ctx->json) {
		json_findings(ctx);
		jsonout_close(ctx->json, '}');
	}
	finding_fini(&ctx->findings);
	routing_free(&r);
	fabric_free(&f);
	return status;
}

static int check_file(const struct check_options *opt, int what, const char *path)
{
	struct diag *diag = diag_new();
	struct jsonout json;
	struct check_context ctx = { .opt = opt, .path = path,
				     .sc = open_scenario(opt, path, diag) };
	int status = STATUS_OK, shown = 0;

	if (!ctx.sc) {
		diag_print(diag, stderr);
		diag_free(&diag);
		return STATUS_INPUT;
	}
	if (check_names(opt, ctx.sc))
		status = STATUS_INPUT;
	if (opt->json && status == STATUS_OK) {
		ctx.json = &json;
		jsonout_init(&json, stdout, 0);
		jsonout_open(&json, NULL, '{');
		jsonout_text(&json, "schema", "xoff.check/1");
		jsonout_open(&json, "runs", '[');
	}
	for (ctx.run = 0; status < STATUS_INPUT && ctx.run < scenario_runs(ctx.sc); ctx.run++) {
		if (!wanted(opt, ctx.sc, ctx.run))
			continue;
		if (shown++ && !ctx.json)
			putchar('\n');
		status = status_worse(status, check_one(&ctx, what, diag));
	}
	if (ctx.json) {
		jsonout_close(&json, ']');
		jsonout_close(&json, '}');
		putchar('\n');
	}
	if (opt->emit && !ctx.emitted && status < STATUS_INPUT)
		message_note("check", "%s: %s is not written",
			     ctx.circles ? "no streams by fixed ways go along any circle found"
					 : "there is no circle to close",
			     opt->emit);
	scenario_free(&ctx.sc);
	diag_free(&diag);
	return status;
}

/* "headroom FILE" or "FILE". */
static int which(const struct options_list *args, const char **path)
{
	const char *near;

	*path = args->items[args->n - 1];
	if (args->n == 1)
		return EVERYTHING;
	for (int i = 0; what_names[i]; i++)
		if (!strcmp(what_names[i], args->items[0]))
			return i;
	near = error_nearest(args->items[0], what_names);
	if (near)
		message_error("check", "there is no check \"%s\"; did you mean \"%s\"?",
			      args->items[0], near);
	else
		message_error(
			"check",
			"there is no check \"%s\"; there are headroom, deadlock, config and all",
			args->items[0]);
	return -1;
}

static int check_main(const struct command *self, int argc, char **argv)
{
	struct check_options opt = { .phases = 64 };
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, &opt, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK, what;
	const char *path;

	if (answer == OPTIONS_GO) {
		what = which(&args, &path);
		status = STATUS_INPUT;
		if (opt.failures > 2)
			message_error("check", "--failures takes 1 or 2, not %d", opt.failures);
		else if (what >= 0)
			status = check_file(&opt, what, path);
	}
	options_fini(self, &opt, &args);
	return status;
}

const struct command check_command = {
	.name = "check",
	.args = "[headroom|deadlock|config|all] FILE",
	.about = "check headroom, deadlock circles and settings, without a run",
	.details =
	"FILE is an experiment, or a topology alone.  Exit status 1 when there is a finding;\n"
	"a note is none.\n"
	"\n"
	"  headroom   need against have of every lossless port, each term shown\n"
	"  deadlock   who may wait on whom under the routing: a circle is needed for a\n"
	"             deadlock, and is not enough\n"
	"  config     MTU, DSCP maps, pauses, thresholds, timers, from end to end\n"
	"\n"
	"When links fail, --reroute global recomputes all shortest paths; local leaves them\n"
	"as they were, and a switch without a next hop sends to any other neighbouring switch\n"
	"(a bounce), never back by the port that a frame came in by if there is another.\n",
	.examples =
		"  xoff check fabric.json\n"
		"  xoff check deadlock fabric.json --failures 2\n"
		"  xoff check deadlock experiments/deadlock/ring.json --variant base --emit circle.json\n"
		"  xoff check headroom fabric.json --prove leaf0:3\n",
	.options = options,
	.min_args = 1,
	.max_args = 2,
	.main = check_main,
};
