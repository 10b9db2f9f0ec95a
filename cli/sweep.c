/*
 * cli/sweep.c - `xoff sweep`: a grid of settings and seeds, run in parallel
 * processes, kept in one SQLite file, and asked which setting is best.
 *
 * Each point runs in a child of its own; only the parent writes the file.  A
 * point whose key is in the file already is not run again: a sweep that was
 * stopped goes on where it was.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "build_id.h"
#include "cli/batch.h"
#include "cli/command.h"
#include "cli/flatten.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "cli/status.h"
#include "cli/sweep_best.h"
#include "sim/mem.h"
#include "sim/rng.h"
#include "sweep/grid.h"
#include "sweep/store.h"

struct sweep_options {
	const char *out, *only, *shard, *minimize, *maximize, *heat;
	struct options_list sets, variants, where;
	int jobs;
	bool count, quiet;
};

#define FIELD(name) offsetof(struct sweep_options, name)
static const struct options_row options[] = {
	{ "out", 'o', OPTIONS_TEXT, FIELD(out), "FILE", "results (default: EXPERIMENT's name .sqlite)", NULL },
	{ "jobs", 'j', OPTIONS_COUNT, FIELD(jobs), "N", "points at once (default: one a processor)", NULL },
	{ "only", 0, OPTIONS_TEXT, FIELD(only), "LIST", "these points only: 3,5-9", NULL },
	{ "shard", 0, OPTIONS_TEXT, FIELD(shard), "PART/PARTS", "one part of the points: 2/5", NULL },
	{ "variant", 'V', OPTIONS_LIST, FIELD(variants), "NAME", "this variant (default: base only)", NULL },
	{ "set", 's', OPTIONS_LIST, FIELD(sets), "PATH=VALUE", "change one setting of every point", NULL },
	{ "count", 0, OPTIONS_FLAG, FIELD(count), NULL, "list: only how many points", NULL },
	{ "minimize", 0, OPTIONS_TEXT, FIELD(minimize), "METRIC", "best: the setting with the least of it", NULL },
	{ "maximize", 0, OPTIONS_TEXT, FIELD(maximize), "METRIC", "best: the setting with the most of it", NULL },
	{ "where", 0, OPTIONS_LIST, FIELD(where), "RULE", "best: only settings where it holds: 'pfc.xoff_frames < 100'", NULL },
	{ "heat", 0, OPTIONS_TEXT, FIELD(heat), "FILE.svg", "best: heat map over the two first axes (needs gnuplot)", NULL },
	{ "quiet", 'q', OPTIONS_FLAG, FIELD(quiet), NULL, "no progress", NULL },
	{ .name = NULL },
};

struct slot { pid_t pid; int64_t index; FILE *out; char key[24]; };

struct session {
	struct sweep_options opt;
	const char *path;
	struct scenario *sc;
	const struct scenario_axis *axes;
	int naxes, *sizes;
	int64_t points;
	bool *wanted;
	struct store *store;
	struct slot *slots;
	int64_t done, skipped, failed, total;
};

/* ---- points ---- */

static int open_grid(struct session *s)
{
	struct scenario_options with = { .sets = s->opt.sets.items, .nsets = s->opt.sets.n };
	struct diag *diag = diag_new();
	struct sim_error err = { 0 };

	s->sc = scenario_open(s->path, &with, diag);
	if (diag_errors(diag))
		diag_print(diag, stderr);
	diag_free(&diag);
	if (!s->sc)
		return STATUS_INPUT;
	s->axes = scenario_sweep(s->sc, &s->naxes);
	if (!s->naxes) {
		message_error("sweep", "%s has no \"sweep\": add one, such as {\"run.seed\": \"1..5\"}", s->path);
		return STATUS_INPUT;
	}
	s->sizes = mem_zalloc((size_t)s->naxes * sizeof *s->sizes);
	for (int i = 0; i < s->naxes; i++)
		s->sizes[i] = s->axes[i].nvalues;
	s->points = grid_size(s->sizes, s->naxes);
	if (s->points < 0) {
		message_error("sweep", "%s has too many points", s->path);
		return STATUS_INPUT;
	}
	s->wanted = mem_zalloc((size_t)s->points);
	if (grid_select(s->opt.only, s->points, s->wanted, &err) ||
	    (s->opt.shard && grid_shard(s->opt.shard, s->points, s->wanted, &err))) {
		message_error("sweep", "%s", err.text);
		return STATUS_INPUT;
	}
	return STATUS_OK;
}

/* The --set texts of a point, the command line's own first; the caller frees. */
static char **point_sets(const struct session *s, int64_t index, int *n)
{
	int *choice = mem_zalloc((size_t)s->naxes * sizeof *choice);
	char **sets = mem_zalloc((size_t)(s->opt.sets.n + s->naxes) * sizeof *sets);

	*n = 0;
	grid_choice(s->sizes, s->naxes, index, choice);
	for (int i = 0; i < s->opt.sets.n; i++)
		sets[(*n)++] = mem_strdup(s->opt.sets.items[i]);
	for (int i = 0; i < s->naxes; i++) {
		const char *path = s->axes[i].path, *value = s->axes[i].values[choice[i]];
		size_t room = strlen(path) + strlen(value) + 2;
		sets[*n] = mem_zalloc(room);
		snprintf(sets[(*n)++], room, "%s=%s", path, value);
	}
	free(choice);
	return sets;
}

static void free_sets(char **sets, int n)
{
	for (int i = 0; i < n; i++)
		free(sets[i]);
	free(sets);
}

static int list(struct session *s)
{
	int status = open_grid(s);
	int64_t n = 0;

	for (int64_t i = 0; status == STATUS_OK && i < s->points; i++) {
		int nsets;
		if (!s->wanted[i])
			continue;
		n++;
		if (s->opt.count)
			continue;
		char **sets = point_sets(s, i, &nsets);
		printf("%lld", (long long)i);
		for (int k = 0; k < nsets; k++)
			printf(" %s", sets[k]);
		printf("\n");
		free_sets(sets, nsets);
	}
	if (status == STATUS_OK && s->opt.count)
		printf("%lld\n", (long long)n);
	return status;
}

/* ---- running ---- */

static struct batch_wanted wanted_of(const struct session *s, char **sets, int nsets)
{
	static const char *const base[] = { "base" };

	return (struct batch_wanted){
		.scenario = { .sets = (const char *const *)sets, .nsets = nsets },
		.variants = s->opt.variants.n ? s->opt.variants.items : base,
		.nvariants = s->opt.variants.n ? s->opt.variants.n : 1, .no_expect = true };
}

/* All that determines the result of a point: every effective value, and what runs it. */
static int point_key(const struct session *s, int64_t index, char key[24])
{
	int nsets, status;
	char **sets = point_sets(s, index, &nsets);
	struct batch_wanted wanted = wanted_of(s, sets, nsets);
	struct batch b;
	uint64_t h = rng_hash_text(1, XOFF_VERSION " " XOFF_COMMIT);

	status = batch_open(&b, "sweep", s->path, &wanted);
	if (status != STATUS_OK)
		diag_print(b.diag, stderr);
	for (int i = 0; status == STATUS_OK && i < b.nruns; i++) {
		char *text = NULL;
		size_t length = 0;
		FILE *out = mem_stream(&text, &length);
		if (scenario_resolved(b.sc, b.runs[i].run, out))
			status = STATUS_OUTPUT;
		mem_stream_close(out);
		h = rng_hash(h, rng_hash_text(2, text));
		free(text);
	}
	snprintf(key, 24, "%016llx", (unsigned long long)h);
	batch_fini(&b);
	free_sets(sets, nsets);
	return status;
}

/* In the child: VARIANT STATUS DIGEST LENGTH, newline, JSON, for each run. */
static _Noreturn void child(const struct session *s, int64_t index, FILE *out)
{
	int nsets;
	char **sets = point_sets(s, index, &nsets);
	struct batch_wanted wanted = wanted_of(s, sets, nsets);
	struct batch_how how = { .dir = NULL };
	struct batch b;
	int status = batch_open(&b, "sweep", s->path, &wanted);

	if (status == STATUS_OK)
		status = batch_execute(&b, &how);
	for (int i = 0; i < b.nruns; i++) {
		char *json = NULL;
		size_t length = 0;
		FILE *mem = b.runs[i].done ? mem_stream(&json, &length) : NULL;
		if (!mem)
			continue;
		summary_write_run(mem, &b.runs[i].summary, 0);
		mem_stream_close(mem);
		fprintf(out, "%s %d %016llx %zu\n", batch_run_name(&b, &b.runs[i]), status,
			(unsigned long long)b.runs[i].summary.digest, length);
		fwrite(json, 1, length, out);
		free(json);
	}
	fflush(out);
	_exit(ferror(out) ? STATUS_OUTPUT : status);
}

struct metric_sink { struct store *store; const struct store_run *run; struct sim_error *err; };

static void keep_metric(void *ctx, const char *path, double value)
{
	struct metric_sink *k = ctx;
	if (strncmp(path, "cost.", 5))
		(void)store_metric(k->store, k->run, path, value, k->err);
}

/* "20KB" without its quotes. */
static char *bare(const char *json)
{
	char *text = mem_strdup(json);
	size_t n = strlen(text);

	if (n >= 2 && text[0] == '"' && text[n - 1] == '"') {
		memmove(text, text + 1, n - 2);
		text[n - 2] = 0;
	}
	return text;
}

static int keep_params(struct session *s, const struct store_run *run, struct sim_error *err)
{
	int *choice = mem_zalloc((size_t)s->naxes * sizeof *choice), rc = 0;

	grid_choice(s->sizes, s->naxes, run->index, choice);
	for (int i = 0; i < s->naxes; i++) {
		char *value = bare(s->axes[i].values[choice[i]]);
		rc |= store_param(s->store, run, s->axes[i].path, value, err);
		free(value);
	}
	free(choice);
	return rc;
}

static int keep_run(struct session *s, const struct slot *slot, FILE *in, bool *more, struct sim_error *err)
{
	char variant[256], digest[32];
	int status;
	size_t length;

	*more = fscanf(in, "%255s %d %31s %zu", variant, &status, digest, &length) == 4;
	if (!*more)
		return 0;
	fgetc(in);
	char *json = mem_zalloc(length + 1);
	struct store_run run = { .key = slot->key, .experiment = scenario_name(s->sc), .variant = variant,
				 .digest = digest, .index = slot->index, .status = status };
	struct metric_sink sink = { s->store, &run, err };
	int rc = fread(json, 1, length, in) == length ? 0 : error_set(err, "", "a child's result is cut short");
	if (!rc && (store_run(s->store, &run, err) || keep_params(s, &run, err) ||
		    flatten_json(json, length, keep_metric, &sink) || err->set))
		rc = error_set(err, "", "a child's result cannot be kept");
	free(json);
	return rc;
}

static int collect(struct session *s, struct slot *slot, int wait_status)
{
	struct sim_error err = { 0 };
	bool more = true;
	int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : STATUS_BROKEN;

	if (status == STATUS_OK || status == STATUS_FAILED) {
		rewind(slot->out);
		store_begin(s->store, &err);
		while (more && !err.set)
			keep_run(s, slot, slot->out, &more, &err);
		if (!err.set)
			store_commit(s->store, &err);
		s->done++;
	} else {
		s->failed++;
		message_error("sweep", "point %lld ended with status %d", (long long)slot->index, status);
	}
	fclose(slot->out);
	slot->pid = 0;
	if (!err.set)
		return status == STATUS_FAILED ? STATUS_OK : status;
	message_error("sweep", "%s", err.text);
	return STATUS_OUTPUT;
}

static void progress(const struct session *s, time_t from)
{
	int64_t left = s->total - s->done - s->failed - s->skipped;
	double each = s->done ? difftime(time(NULL), from) / (double)s->done : 0;

	if (!s->opt.quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "\r%lld/%lld points  %lld known  %lld failed  ETA %.0f s   ",
			(long long)(s->done + s->skipped), (long long)s->total, (long long)s->skipped,
			(long long)s->failed, each * (double)left);
}

static int wait_one(struct session *s, time_t from)
{
	int wait_status, status = STATUS_OK;
	pid_t pid = wait(&wait_status);

	for (int i = 0; pid > 0 && i < s->opt.jobs; i++)
		if (s->slots[i].pid == pid)
			status = collect(s, &s->slots[i], wait_status);
	progress(s, from);
	return status;
}

static struct slot *free_slot(struct session *s)
{
	for (int i = 0; i < s->opt.jobs; i++)
		if (!s->slots[i].pid)
			return &s->slots[i];
	return NULL;
}

static int start(struct session *s, int64_t index)
{
	struct slot *slot = free_slot(s);
	int status = point_key(s, index, slot->key);

	if (status != STATUS_OK)
		return status;
	const char *variant = s->opt.variants.n ? s->opt.variants.items[0] : "base";
	if (store_has(s->store, slot->key, variant)) {
		s->skipped++;
		return STATUS_OK;
	}
	slot->index = index;
	slot->out = tmpfile();
	fflush(NULL);
	slot->pid = slot->out ? fork() : -1;
	if (slot->pid == 0)
		child(s, index, slot->out);
	if (slot->pid > 0)
		return STATUS_OK;
	message_error("sweep", "cannot start a process: %s", strerror(errno));
	slot->pid = 0;
	return STATUS_OUTPUT;
}

static bool busy(const struct session *s)
{
	for (int i = 0; i < s->opt.jobs; i++)
		if (s->slots[i].pid)
			return true;
	return false;
}

static char *default_out(const struct session *s)
{
	const char *name = scenario_name(s->sc);
	char *path = mem_zalloc(strlen(name) + 8);

	sprintf(path, "%s.sqlite", name);
	return path;
}

static int run(struct session *s)
{
	int status = open_grid(s);
	struct sim_error err = { 0 };
	char *own = NULL;

	if (status != STATUS_OK)
		return status;
	own = s->opt.out ? mem_strdup(s->opt.out) : default_out(s);
	s->store = store_open(own, true, &err);
	if (!s->store) {
		message_error("sweep", "%s", err.text);
		free(own);
		return STATUS_OUTPUT;
	}
	if (s->opt.jobs < 1)
		s->opt.jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
	s->slots = mem_zalloc((size_t)s->opt.jobs * sizeof *s->slots);
	for (int64_t i = 0; i < s->points; i++)
		s->total += s->wanted[i];
	time_t from = time(NULL);
	for (int64_t i = 0; i < s->points && status != STATUS_OUTPUT && !signals_stopped(); i++) {
		if (!s->wanted[i])
			continue;
		while (!free_slot(s))
			status = status_worse(status, wait_one(s, from));
		status = status_worse(status, start(s, i));
		if (status == STATUS_INPUT)
			break;
	}
	while (busy(s))
		status = status_worse(status, wait_one(s, from));
	if (signals_stopped())
		status = STATUS_INTERRUPTED;
	if (!s->opt.quiet && isatty(STDERR_FILENO))
		fputc('\n', stderr);
	printf("%s: %lld points run, %lld known before, %lld failed\n", own, (long long)s->done,
	       (long long)s->skipped, (long long)s->failed);
	free(own);
	return status;
}

/* ---- the other verbs ---- */

static int merge(const struct options_list *args, const char *out)
{
	struct sim_error err = { 0 };
	struct store *s = out ? store_open(out, true, &err) : NULL;

	if (!out)
		error_set(&err, "", "merge needs -o FILE, where all of it goes");
	for (int i = 1; s && i < args->n && !err.set; i++)
		(void)store_merge(s, args->items[i], &err);
	store_close(&s);
	if (err.set)
		message_error("sweep", "%s", err.text);
	return err.set ? (out ? STATUS_OUTPUT : STATUS_INPUT) : STATUS_OK;
}

static int dispatch(struct session *s, const struct options_list *args)
{
	static const char *const verbs[] = { "list", "run", "merge", "best", NULL };
	const char *verb = args->items[0], *near = error_nearest(verb, verbs);

	s->path = args->n > 1 ? args->items[1] : "";
	if (!strcmp(verb, "list") && args->n == 2)
		return list(s);
	if (!strcmp(verb, "run") && args->n == 2)
		return run(s);
	if (!strcmp(verb, "merge") && args->n >= 2)
		return merge(args, s->opt.out);
	if (!strcmp(verb, "best") && args->n == 2)
		return sweep_best(s->path, &(struct sweep_question){ s->opt.minimize, s->opt.maximize,
					s->opt.where.items, s->opt.where.n, s->opt.heat });
	if (near && !strcmp(near, verb))
		message_error("sweep", "%s wants %s", verb, !strcmp(verb, "merge") ? "FILE... -o FILE" : "one file");
	else
		message_error("sweep", "unknown verb \"%s\"; wanted list, run, merge or best", verb);
	return STATUS_INPUT;
}

static int sweep_main(const struct command *self, int argc, char **argv)
{
	struct session s = { .points = 0 };
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, &s.opt, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (answer == OPTIONS_GO)
		status = dispatch(&s, &args);
	store_close(&s.store);
	scenario_free(&s.sc);
	free(s.sizes);
	free(s.wanted);
	free(s.slots);
	options_fini(self, &s.opt, &args);
	return status;
}

const struct command sweep_command = {
	.name = "sweep",
	.args = "list|run|merge|best FILE...",
	.about = "run the grid of an experiment's `sweep`, and ask for the best point",
	.details =
	"list and run take an experiment, merge and best SQLite files.  A point that is in the\n"
	"file is not run again.  best gives means over seeds with 95 % intervals.\n",
	.examples =
	"  xoff sweep list thresholds.json\n"
	"  xoff sweep run thresholds.json -j 2 -o thresholds.sqlite\n"
	"  xoff sweep best thresholds.sqlite --minimize flows.fct_ps.p99 --where 'pfc.xoff_frames < 100'\n",
	.options = options,
	.min_args = 1,
	.max_args = 1000,
	.main = sweep_main,
};
