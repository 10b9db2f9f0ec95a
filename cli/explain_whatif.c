/* cli/explain_whatif.c - see explain_whatif.h */
#include "cli/explain_whatif.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cli/batch.h"
#include "cli/explain_cures.h"
#include "cli/explain_words.h"
#include "cli/path.h"
#include "cli/signals.h"
#include "cli/status.h"
#include "sim/mem.h"
#include "sim/units.h"

enum { WORKLOADS = 3 };

struct outcome {
	bool deadlock, stall;
	int64_t deadlock_ps, cleared_ps;	/* -1: never */
	int64_t paused_ps, lossless, dropped;	/* dropped: by watchdogs */
	struct {
		int64_t p99_ps;		/* -1: none ended */
		double goodput_bps;
	} of[WORKLOADS];		/* of the workloads looked at */
};

struct trial {
	char *what;
	char *why_not;		/* NULL: it was run */
	struct outcome outcome;
};

struct explain_whatif {
	char *workload[WORKLOADS];	/* whose times are shown: the worst hit */
	int nworkloads;
	struct outcome before;
	struct trial trial[EXPLAIN_CURES_MAX];
	int n;
};

/* ------------------------------------------------------------------- results */

static int64_t number(const json_t *at, const char *object, const char *key, int64_t none)
{
	const json_t *value = json_object_get(json_object_get(at, object), key);

	return json_is_integer(value) ? json_integer_value(value) : none;
}

static struct outcome outcome_of(const struct explain_whatif *w, const json_t *run)
{
	const json_t *by_name = json_object_get(json_object_get(run, "flows"), "by_name");
	struct outcome o = {
		.deadlock = json_is_true(json_object_get(json_object_get(run, "deadlock"),
							 "found")),
		.stall = json_is_true(json_object_get(json_object_get(run, "stall"), "found")),
		.deadlock_ps = number(run, "deadlock", "first_ps", -1),
		.cleared_ps = number(run, "deadlock", "cleared_ps", -1),
		.paused_ps = number(run, "pfc", "paused_ps", 0),
		.lossless = number(run, "drops", "lossless", 0),
		.dropped = number(run, "drops", "watchdog", 0),
	};

	for (int i = 0; i < w->nworkloads; i++) {
		const json_t *of = json_object_get(by_name, w->workload[i]);

		o.of[i].p99_ps = number(of, "fct_ps", "p99", -1);
		o.of[i].goodput_bps = json_number_value(json_object_get(of, "goodput_bps"));
	}
	return o;
}

static struct outcome outcome_of_summary(const struct explain_whatif *w,
					 const struct summary *s)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = mem_stream(&text, &length);

	summary_write_run(out, s, 0);
	mem_stream_close(out);
	json_t *doc = json_loadb(text, length, 0, NULL);
	struct outcome o = outcome_of(w, doc);
	json_decref(doc);
	free(text);
	return o;
}

/* The workloads that lost most without their own doing; if there are none, those
 * that lost most. */
static void worst_hit(struct explain_whatif *w, const struct explain_story *s)
{
	const struct rundir_read *r = s->run;
	int64_t *lost = mem_zalloc(r->workloads.n * sizeof(*lost));

	for (int own = 0; own < 2 && !w->nworkloads; own++) {
		for (size_t i = 0; i < s->all.nroots; i++)
			for (size_t k = 0; k < s->all.roots[i].npairs; k++) {
				const struct blame_pair *p = &s->all.roots[i].pairs[k];

				if (p->own == own &&
				    s->all.roots[i].ps * 100 > s->all.stopped_ps)
					lost[r->pair[p->pair].workload] += p->lost_ps;
			}
		while (w->nworkloads < WORKLOADS) {
			uint32_t most = 0;

			for (uint32_t i = 1; i < r->workloads.n; i++)
				if (lost[i] > lost[most])
					most = i;
			if (!r->workloads.n || !lost[most])
				break;
			w->workload[w->nworkloads++] = mem_strdup(r->workloads.name[most]);
			lost[most] = 0;
		}
	}
	free(lost);
}

/* --------------------------------------------------------------------- trials */

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What the scenario says against a change, without the place in a file of ours. */
static char *refusal(const struct diag *diag)
{
	const char *line = diag_line(diag, 0), *text = line ? strstr(line, "error: ") : NULL;

	return mem_strdup(text ? text + strlen("error: ") : line ? line : "it cannot be built");
}

static void run(const struct explain_whatif *w, struct trial *t, const char *path)
{
	struct batch_wanted wanted = { .no_expect = true };
	struct batch_how how = { .progress = true };
	struct batch b;

	if (batch_open(&b, "explain", path, &wanted))
		t->why_not = refusal(b.diag);
	else if (batch_execute(&b, &how) != STATUS_OK)
		t->why_not = mem_strdup(signals_stopped() ? "interrupted" : "the run broke");
	else
		t->outcome = outcome_of_summary(w, &b.runs[0].summary);
	batch_fini(&b);
}

/* The change as a file, for the scenario to read. */
static char *write_doc(const json_t *doc)
{
	const char *dir = getenv("TMPDIR");
	char *path = path_join(dir && *dir ? dir : "/tmp", "xoff-whatif-XXXXXX");
	int fd = mkstemp(path);
	bool written = fd >= 0 && json_dumpfd(doc, fd, 0) == 0;

	if (fd >= 0 && close(fd))
		written = false;
	if (written)
		return path;
	if (fd >= 0)
		unlink(path);
	free(path);
	return NULL;
}

static void try_one(const struct explain_whatif *w, struct trial *t, const json_t *doc)
{
	char *path = write_doc(doc);

	if (path) {
		run(w, t, path);
		unlink(path);
	} else {
		t->why_not = mem_strdup("it cannot be written to $TMPDIR");
	}
	free(path);
}

static void try_all(struct explain_whatif *w, const struct explain_story *s,
		    struct explain_cure *cures, int budget_s)
{
	double start = now_s(), longest = s->run->wall_s;

	for (int i = 0; i < w->n; i++) {
		struct trial *t = &w->trial[i];
		double before = now_s();

		t->what = mem_strdup(cures[i].what);
		if (signals_stopped())
			t->why_not = mem_strdup("interrupted");
		else if (before - start + longest > budget_s)
			t->why_not = mem_strdup("the time for trials is spent (--budget)");
		else
			try_one(w, t, cures[i].doc);
		if (now_s() - before > longest)
			longest = now_s() - before;
	}
}

static json_t *load(const char *dir, const char *name)
{
	char *path = path_join(dir, name);
	json_t *doc = json_load_file(path, 0, NULL);

	free(path);
	return doc;
}

/* A list of flows lies beside resolved.json; a change is tried elsewhere. */
static void anchor_lists(json_t *resolved, const char *dir)
{
	const char *name;
	json_t *work;

	json_object_foreach(json_object_get(resolved, "traffic"), name, work) {
		json_t *list = json_object_get(work, "list");
		const char *file = json_string_value(json_object_get(list, "file"));
		char *real, *path;

		if (!file)
			continue;
		path = path_join(dir, file);
		real = realpath(path, NULL);
		json_object_set_new(list, "file", json_string(real ? real : path));
		free(real);
		free(path);
	}
}

struct explain_whatif *explain_whatif_try(const struct explain_story *s, int budget_s)
{
	struct explain_whatif *w = mem_zalloc(sizeof(*w));
	struct explain_cure cures[EXPLAIN_CURES_MAX];
	json_t *resolved = load(s->run->dir, "resolved.json");
	json_t *summary = load(s->run->dir, "summary.json");

	anchor_lists(resolved, s->run->dir);
	worst_hit(w, s);
	w->before = outcome_of(w, json_array_get(json_object_get(summary, "runs"), 0));
	w->n = explain_cures(s, resolved, cures);
	try_all(w, s, cures, budget_s);
	for (int i = 0; i < w->n; i++)
		json_decref(cures[i].doc);
	json_decref(resolved);
	json_decref(summary);
	return w;
}

void explain_whatif_free(struct explain_whatif **wp)
{
	struct explain_whatif *w = *wp;

	*wp = NULL;
	if (!w)
		return;
	for (int i = 0; i < w->n; i++) {
		free(w->trial[i].what);
		free(w->trial[i].why_not);
	}
	for (int i = 0; i < w->nworkloads; i++)
		free(w->workload[i]);
	free(w);
}

/* ----------------------------------------------------------------------- told */

/* FCT where flows end, else goodput, as it was before. */
static void print_workload(FILE *out, const struct explain_whatif *w, int i,
			   const struct outcome *o)
{
	char text[EXPLAIN_WORDS_MAX];

	if (w->before.of[i].p99_ps < 0)
		units_format((int64_t)o->of[i].goodput_bps, UNITS_RATE, text, sizeof(text));
	else if (o->of[i].p99_ps < 0)
		snprintf(text, sizeof(text), "-");
	else
		explain_words_time(o->of[i].p99_ps, text);
	fprintf(out, " %13s", text);
}

static void print_outcome(FILE *out, const struct explain_whatif *w, const char *what,
			  const struct outcome *o)
{
	char a[EXPLAIN_WORDS_MAX], b[EXPLAIN_WORDS_MAX], dead[2 * EXPLAIN_WORDS_MAX] = "none";

	if (o->deadlock && o->cleared_ps >= 0)
		snprintf(dead, sizeof(dead), "%s..%s", explain_words_time(o->deadlock_ps, a),
			 explain_words_time(o->cleared_ps, b));
	else if (o->deadlock)
		explain_words_time(o->deadlock_ps, dead);
	fprintf(out, "  %-48s", what);
	if (w->before.deadlock)
		fprintf(out, " %17s", dead);
	fprintf(out, " %9s", explain_words_time(o->paused_ps, a));
	for (int i = 0; i < w->nworkloads; i++)
		print_workload(out, w, i, o);
	if (o->deadlock && !w->before.deadlock)
		fprintf(out, "  deadlock %s", dead);
	if (o->lossless)
		fprintf(out, "  %" PRId64 " lost", o->lossless);
	if (o->dropped)
		fprintf(out, "  %" PRId64 " dropped", o->dropped);
	fputc('\n', out);
}

static void print_columns(FILE *out, const struct explain_whatif *w)
{
	char head[64];

	fprintf(out, "  %-48s", "");
	if (w->before.deadlock)
		fprintf(out, " %17s", "deadlock");
	fprintf(out, " %9s", "stopped");
	for (int i = 0; i < w->nworkloads; i++) {
		snprintf(head, sizeof(head), "%.9s %s", w->workload[i],
			 w->before.of[i].p99_ps < 0 ? "bps" : "p99");
		fprintf(out, " %13s", head);
	}
	fputc('\n', out);
}

void explain_whatif_print(FILE *out, const struct explain_whatif *w)
{
	fprintf(out, "\nWHAT IF: the same run with one thing changed (p99 of FCT; bps of "
		"goodput)\n");
	print_columns(out, w);
	print_outcome(out, w, "as it was", &w->before);
	for (int i = 0; i < w->n; i++)
		if (w->trial[i].why_not)
			fprintf(out, "  %-48s not run: %s\n", w->trial[i].what,
				w->trial[i].why_not);
		else
			print_outcome(out, w, w->trial[i].what, &w->trial[i].outcome);
	if (!w->n)
		fprintf(out, "  nothing was found that could be changed\n");
}

static void put_outcome(struct jsonout *j, const struct explain_whatif *w, const char *what,
			const struct outcome *o)
{
	jsonout_open_flat(j, NULL, '{');
	jsonout_text(j, "what", what);
	jsonout_text(j, "not_run", NULL);
	jsonout_bool(j, "deadlock", o->deadlock);
	jsonout_time(j, "deadlock_ps", o->deadlock_ps);
	jsonout_time(j, "cleared_ps", o->cleared_ps);
	jsonout_bool(j, "stall", o->stall);
	jsonout_int(j, "paused_ps", o->paused_ps);
	jsonout_int(j, "drops_lossless", o->lossless);
	jsonout_int(j, "drops_watchdog", o->dropped);
	jsonout_open(j, "by_name", '{');
	for (int i = 0; i < w->nworkloads; i++) {
		jsonout_open(j, w->workload[i], '{');
		jsonout_time(j, "fct_p99_ps", o->of[i].p99_ps);
		jsonout_double(j, "goodput_bps", o->of[i].goodput_bps);
		jsonout_close(j, '}');
	}
	jsonout_close(j, '}');
	jsonout_close(j, '}');
}

void explain_whatif_json(struct jsonout *j, const struct explain_whatif *w)
{
	jsonout_open(j, "what_if", '[');
	put_outcome(j, w, "as it was", &w->before);
	for (int i = 0; i < w->n; i++) {
		if (!w->trial[i].why_not) {
			put_outcome(j, w, w->trial[i].what, &w->trial[i].outcome);
			continue;
		}
		jsonout_open_flat(j, NULL, '{');
		jsonout_text(j, "what", w->trial[i].what);
		jsonout_text(j, "not_run", w->trial[i].why_not);
		jsonout_close(j, '}');
	}
	jsonout_close(j, ']');
}
