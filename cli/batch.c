/* cli/batch.c - see batch.h */
#include "cli/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "build_id.h"
#include "cli/cost.h"
#include "cli/message.h"
#include "cli/path.h"
#include "cli/progress.h"
#include "cli/rules.h"
#include "cli/signals.h"
#include "cli/status.h"
#include "models/view.h"
#include "observe/observe.h"
#include "observe/outfile.h"
#include "sim/assert.h"
#include "sim/mem.h"
#include "sim/units.h"

/* ------------------------------------------------------------------ choose */

int batch_variant(const char *command, const struct scenario *sc, const char *name)
{
	const char *near = NULL, *path = scenario_path(sc);
	int run = scenario_run_find(sc, name, &near);

	if (run >= 0)
		return run;
	if (near)
		message_error(command, "no variant \"%s\" in %s; did you mean \"%s\"?", name, path,
			      near);
	else
		message_error(command, "no variant \"%s\" in %s; `xoff list %s' shows them", name,
			      path, path);
	return -1;
}

/* -1 after a message. */
static int mark_named(const struct batch *b, const struct batch_wanted *wanted, bool *marks)
{
	for (int i = 0; i < wanted->nvariants; i++) {
		int run = batch_variant(b->command, b->sc, wanted->variants[i]);

		if (run < 0)
			return -1;
		marks[run] = true;
	}
	return 0;
}

/* Marks the runs that one rule refers to: each word "runs.NAME.". */
static void mark_referred(const struct scenario *sc, const char *rule, bool *marks)
{
	for (const char *p = rule; (p = strstr(p, "runs.")); ) {
		bool word = p == rule || strchr(" *(", p[-1]);
		const char *name = p + strlen("runs.");
		size_t n = strcspn(name, ". ");
		char *copy = mem_strdup(name);
		int run;

		copy[n] = '\0';
		run = word ? scenario_run_find(sc, copy, NULL) : -1;
		if (run >= 0)
			marks[run] = true;
		free(copy);
		p = name;
	}
}

static int choose(struct batch *b, const struct batch_wanted *wanted)
{
	int n = scenario_runs(b->sc);
	bool *named = mem_zalloc((size_t)n), *referred = mem_zalloc((size_t)n);
	int rc = mark_named(b, wanted, named);

	if (!wanted->nvariants)
		memset(named, true, (size_t)n);
	b->runs = mem_zalloc(sizeof(*b->runs) * (size_t)n);
	for (int run = 0; run < n && !wanted->no_expect; run++)
		for (int i = 0; named[run] && i < scenario_rules(b->sc, run); i++)
			mark_referred(b->sc, scenario_rule(b->sc, run, i), referred);
	for (int run = 0; run < n && rc == 0; run++) {
		if (!named[run] && !referred[run])
			continue;
		b->runs[b->nruns++] = (struct batch_run){ .run = run, .wanted = named[run] };
		b->nwanted += named[run];
	}
	free(named);
	free(referred);
	return rc;
}

static bool any_rule(const struct batch *b)
{
	for (int i = 0; i < b->nruns; i++)
		if (b->runs[i].wanted && scenario_rules(b->sc, b->runs[i].run))
			return true;
	return false;
}

int batch_open(struct batch *b, const char *command, const char *path,
	       const struct batch_wanted *wanted)
{
	struct scenario_results *shapes = NULL;
	int status = STATUS_OK;

	*b = (struct batch){
		.command = command, .diag = diag_new(), .no_expect = wanted->no_expect
	};
	b->sc = scenario_open(path, &wanted->scenario, b->diag);
	if (!b->sc || choose(b, wanted))
		return STATUS_INPUT;
	if (any_rule(b) && !wanted->no_expect)
		shapes = scenario_results_new();

	for (int i = 0; i < b->nruns && status == STATUS_OK; i++) {
		struct fabric *f = scenario_build(b->sc, b->runs[i].run, b->diag);
		struct sim_error err = { 0 };

		if (f && pcapng_check(f, wanted->pcap, wanted->npcap, &err)) {
			message_error(command, "%s", err.text);
			status = STATUS_INPUT;
		} else if (f && shapes) {
			rules_shape(b->sc, b->runs[i].run, f, shapes);
		}
		fabric_free(&f);
	}
	for (int i = 0; i < b->nruns && shapes && !diag_errors(b->diag); i++)
		if (b->runs[i].wanted)
			scenario_rules_check(b->sc, b->runs[i].run, shapes, b->diag);
	scenario_results_free(&shapes);
	return diag_errors(b->diag) ? STATUS_INPUT : status;
}

/* -------------------------------------------------------------------- files */

static int write_resolved(const struct batch *b, const struct batch_run *r, const char *dir,
			  struct sim_error *err)
{
	struct outfile out;

	if (outfile_open(&out, dir, "resolved.json", err))
		return -1;
	if (scenario_resolved(b->sc, r->run, dir, out.stream))
		error_set(err, "", "cannot write %s: %s", out.path,
			  strerror(errno ? errno : EIO));
	return outfile_close(&out, err) || err->set ? -1 : 0;
}

static char *directory(const struct batch *b, const struct batch_run *r,
		       const struct batch_how *how)
{
	if (!how->dir || !r->wanted)
		return NULL;
	return how->flat ? mem_strdup(how->dir) : path_join(how->dir, batch_run_name(b, r));
}

/* Every run's summary.json, once the rules are checked. */
static int write_summaries(const struct batch *b, const struct batch_how *how,
			   struct sim_error *err)
{
	int rc = 0;

	for (int i = 0; i < b->nruns && !rc; i++) {
		const struct batch_run *r = &b->runs[i];
		const struct summary *s = &r->summary;
		char *dir = r->done ? directory(b, r, how) : NULL;

		if (dir) {
			char *path = path_join(dir, "summary.json");

			rc = summary_write_file(path, &s, 1, err);
			free(path);
		}
		free(dir);
	}
	return rc;
}

/* ---------------------------------------------------------------------- run */

static unsigned series_what(unsigned what)
{
	return (what & SCENARIO_QUEUE ? OBSERVE_QUEUE : 0) |
	       (what & SCENARIO_GROUP ? OBSERVE_GROUP : 0) |
	       (what & SCENARIO_RATE ? OBSERVE_RATE : 0) |
	       (what & SCENARIO_PAUSE ? OBSERVE_PAUSE : 0) |
	       (what & SCENARIO_FLOWS ? OBSERVE_FLOWS : 0) |
	       (what & SCENARIO_MARKS ? OBSERVE_MARKS : 0);
}

struct observe_series *batch_series(const struct scenario *sc, int run, int *n)
{
	const struct scenario_series *from = scenario_series(sc, run, n);
	struct observe_series *to = mem_zalloc(sizeof(*to) * (size_t)(*n + 1));

	for (int i = 0; i < *n; i++)
		to[i] = (struct observe_series){
			.name = from[i].name, .match = from[i].match,
			.what = series_what(from[i].what), .every_ps = from[i].every_ps,
		};
	return to;
}

/* The fabric is built, the observers are attached. */
static int drive(struct batch *b, struct batch_run *r, struct fabric *f, struct observe *o,
		 const struct batch_how *how, struct sim_error *err)
{
	struct assert_context context = {
		.experiment = scenario_name(b->sc), .version = XOFF_VERSION,
		.seed = (uint64_t)scenario_run_conf(b->sc, r->run)->seed,
	};
	struct progress progress = { .on = false };
	struct cost cost;
	char label[160];
	int rc;

	view_clock(f, &context.now_ps, &context.events);
	snprintf(label, sizeof label, "%s/%s [%d/%d]", scenario_name(b->sc),
		 batch_run_name(b, r), (int)(r - b->runs) + 1, b->nruns);
	assert_set_context(&context);
	if (how->progress)
		progress_start(&progress, f, label);
	cost_start(&cost);
	fabric_run(f, signals_stop());
	cost_stop(&cost);
	progress_stop(&progress);
	rc = observe_finish(o, err);
	assert_set_context(NULL);

	r->summary = *observe_summary(o);		/* ours from here on */
	*observe_summary(o) = (struct summary){ 0 };
	r->summary.cost = (struct summary_cost){
		.set = true, .wall_s = cost.wall_s, .cpu_s = cost.cpu_s,
		.peak_rss_bytes = cost.peak_rss_bytes,
	};
	r->done = true;
	if (observe_broken(o))
		r->broken = mem_strdup(observe_broken(o));
	return rc;
}

static struct pcapng *capture(struct fabric *f, const char *dir, const struct batch_how *how,
			      struct sim_error *err)
{
	char *path = path_join(dir, how->pcap->zst ? "capture.pcapng.zst" : "capture.pcapng");
	struct pcapng *p = pcapng_new(f, how->pcap, path, err);

	free(path);
	return p;
}

static int run_one(struct batch *b, struct batch_run *r, const struct batch_how *how)
{
	char *dir = directory(b, r, how);
	int status = STATUS_OUTPUT, nseries = 0, nsizes = 0;
	struct sim_error err = { 0 };
	struct observe_series *series = NULL;
	struct observe *o = NULL;
	struct pcapng *pcap = NULL;
	struct fabric *f = scenario_build(b->sc, r->run, b->diag);

	if (!f) {
		free(dir);
		return STATUS_INPUT;	/* batch_open has built it already: cannot be */
	}
	if (dir && ((!how->flat && outfile_mkdir(how->dir, batch_run_name(b, r), &err)) ||
		    write_resolved(b, r, dir, &err)))
		goto out;
	series = batch_series(b->sc, r->run, &nseries);
	const int64_t *sizes = scenario_sizes(b->sc, r->run, &nsizes);
	o = observe_new(f, &(struct observe_conf){
		.experiment = scenario_name(b->sc), .variant = batch_run_name(b, r),
		.version = XOFF_VERSION, .commit = XOFF_COMMIT, .compiler = XOFF_COMPILER,
		.dir = dir, .series = series, .nseries = nseries,
		.sizes_bytes = sizes, .nsizes = nsizes,
	}, &err);
	if (!o)
		status = *err.where ? STATUS_INPUT : STATUS_OUTPUT;
	else if (dir && how->pcap && !(pcap = capture(f, dir, how, &err)))
		status = STATUS_OUTPUT;
	else if (drive(b, r, f, o, how, &err) == 0 && !(pcap && pcapng_finish(pcap, &err)))
		status = r->broken ? STATUS_BROKEN : STATUS_OK;
out:
	if (err.set)
		message_error(b->command, "%s", err.text);
	pcapng_free(&pcap);
	observe_free(&o);
	fabric_free(&f);
	free(series);
	free(dir);
	return status;
}

/* ------------------------------------------------------------------- judge */

static int add_result(const struct batch *b, const struct batch_run *r,
		      struct scenario_results *results, struct sim_error *err)
{
	char *json = NULL;
	size_t length = 0;
	FILE *out = mem_stream(&json, &length);

	summary_write_run(out, &r->summary, 0);
	mem_stream_close(out);
	int rc = scenario_results_add(results, batch_run_name(b, r), json, length, err);
	free(json);
	return rc;
}

static bool judge_run(struct batch *b, struct batch_run *r,
		      const struct scenario_results *results)
{
	int n = scenario_rules(b->sc, r->run);
	bool passed = true;

	r->verdicts = mem_zalloc(sizeof(*r->verdicts) * (size_t)n);
	r->expects = mem_zalloc(sizeof(*r->expects) * (size_t)n);
	r->nverdicts = n;
	for (int i = 0; i < n; i++) {
		struct scenario_verdict *v = &r->verdicts[i];

		scenario_verdict(b->sc, r->run, i, results, v);
		r->expects[i] = (struct summary_expect){
			.rule = v->rule, .passed = v->passed, .value = v->value
		};
		passed = passed && v->passed;
	}
	r->summary.expects = r->expects;
	r->summary.nexpects = n;
	return passed;
}

static int judge(struct batch *b)
{
	struct scenario_results *results = scenario_results_new();
	struct sim_error err = { 0 };
	int status = STATUS_OK;

	for (int i = 0; i < b->nruns; i++)
		if (add_result(b, &b->runs[i], results, &err)) {
			message_error(b->command, "a summary of ours cannot be read: %s",
				      err.text);
			status = STATUS_BROKEN;
		}
	for (int i = 0; i < b->nruns; i++)
		if (b->runs[i].wanted && !judge_run(b, &b->runs[i], results))
			status = status_worse(status, STATUS_FAILED);
	scenario_results_free(&results);
	return status;
}

int batch_execute(struct batch *b, const struct batch_how *how)
{
	int status = STATUS_OK;
	struct sim_error err = { 0 };

	for (int i = 0; i < b->nruns && status != STATUS_OUTPUT; i++) {
		status = status_worse(status, run_one(b, &b->runs[i], how));
		if (signals_stopped() && !(b->runs[i].summary.complete && i + 1 == b->nruns))
			status = STATUS_INTERRUPTED;
		if (status == STATUS_INTERRUPTED || status == STATUS_INPUT)
			break;
	}
	if (!b->no_expect && (status == STATUS_OK || status == STATUS_BROKEN))
		status = status_worse(status, judge(b));
	if (status != STATUS_OUTPUT && write_summaries(b, how, &err)) {
		message_error(b->command, "%s", err.text);
		status = status_worse(status, STATUS_OUTPUT);
	}
	return status;
}

/* ------------------------------------------------------------------ results */

const char *batch_run_name(const struct batch *b, const struct batch_run *r)
{
	return scenario_run_name(b->sc, r->run);
}

int batch_summaries(const struct batch *b, const struct summary **out)
{
	int n = 0;

	for (int i = 0; i < b->nruns; i++)
		if (b->runs[i].wanted && b->runs[i].done)
			out[n++] = &b->runs[i].summary;
	return n;
}

/* Does the last part of the path, or the one before it, end so? */
static bool has_unit(const char *path, size_t length, const char *unit)
{
	size_t n = strlen(unit);

	for (int dots = 0; length > n && dots < 2; dots++) {
		if (strncmp(path + length - n, unit, n) == 0)
			return true;
		while (length && path[length - 1] != '.')
			length--;
		length -= length > 0;
	}
	return false;
}

/* "291826320" of "flows.fct_ps.p99" for people: "291.8us". */
static const char *for_people(const char *rule, const char *value, char *buf, size_t size)
{
	size_t length = strcspn(rule, " ");
	char *end;
	double number = strtod(value, &end);

	if (end == value || *end || number >= 9e18 || number <= -9e18)
		return value;
	if (has_unit(rule, length, "_ps") || has_unit(rule, length, "by_node") ||
	    has_unit(rule, length, "by_switch"))
		return units_format((int64_t)number, UNITS_TIME, buf, size);
	if (has_unit(rule, length, "_bytes"))
		return units_format((int64_t)number, UNITS_BYTES, buf, size);
	if (has_unit(rule, length, "_bps"))
		return units_format((int64_t)number, UNITS_RATE, buf, size);
	return value;
}

void batch_print_verdict(FILE *out, const char *prefix, const struct scenario_verdict *v,
			 bool colored)
{
	char value[64];

	fprintf(out, "%s %s: %s (%s)", message_verdict(v->passed, colored), prefix, v->rule,
		for_people(v->rule, v->value, value, sizeof value));
	if (!v->passed && *v->why)
		fprintf(out, ": %s", v->why);
	fputc('\n', out);
}

void batch_fini(struct batch *b)
{
	for (int i = 0; i < b->nruns; i++) {
		summary_free(&b->runs[i].summary);
		free(b->runs[i].verdicts);
		free(b->runs[i].expects);
		free(b->runs[i].broken);
	}
	free(b->runs);
	scenario_free(&b->sc);
	diag_free(&b->diag);
	*b = (struct batch){ 0 };
}
