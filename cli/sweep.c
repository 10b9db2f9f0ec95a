/*
 * cli/sweep.c - `xoff sweep`: a grid of settings and seeds, run in parallel
 * processes, kept in one SQLite file, and asked which setting is best or how they compare.
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

#include "cli/command.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "cli/status.h"
#include "cli/sweep_best.h"
#include "cli/sweep_compare.h"
#include "cli/sweep_point.h"
#include "sim/mem.h"
#include "sweep/store.h"

struct sweep_options {
	const char *out, *only, *shard, *minimize, *maximize, *heat;
	const char *by, *against, *confidence, *figure;
	struct options_list sets, variants, where, metrics;
	int jobs, format;
	bool count, quiet, differences;
};

#define FIELD(name) offsetof(struct sweep_options, name)
static const struct options_row options[] = {
	{ "out", 'o', OPTIONS_TEXT, FIELD(out), "FILE", "results (default: EXPERIMENT's name .sqlite)", NULL },
	{ "jobs", 'j', OPTIONS_COUNT, FIELD(jobs), "N", "points at once (default: one a processor)", NULL },
	{ "only", 0, OPTIONS_TEXT, FIELD(only), "LIST", "these points only: 3,5-9", NULL },
	{ "shard", 0, OPTIONS_TEXT, FIELD(shard), "PART/PARTS", "one part of the points: 2/5", NULL },
	{ "variant", 'V', OPTIONS_LIST, FIELD(variants), "NAME", "this variant (default: base only; all: every one)", NULL },
	{ "set", 's', OPTIONS_LIST, FIELD(sets), "PATH=VALUE", "change one setting of every point", NULL },
	{ "count", 0, OPTIONS_FLAG, FIELD(count), NULL, "list: only how many points", NULL },
	{ "minimize", 0, OPTIONS_TEXT, FIELD(minimize), "METRIC", "best: the setting with the least of it", NULL },
	{ "maximize", 0, OPTIONS_TEXT, FIELD(maximize), "METRIC", "best: the setting with the most of it", NULL },
	{ "where", 0, OPTIONS_LIST, FIELD(where), "RULE", "best: only settings where it holds: 'pfc.xoff_frames < 100'", NULL },
	{ "heat", 0, OPTIONS_TEXT, FIELD(heat), "FILE.svg", "best: heat map over the two first axes (needs gnuplot)", NULL },
	{ "metric", 'm', OPTIONS_LIST, FIELD(metrics), "GLOB", "compare: these metrics: 'flows.by_size.*.slowdown.p99'", NULL },
	{ "by", 0, OPTIONS_TEXT, FIELD(by), "WHAT", "compare: what is compared: variant, or a setting of the sweep", NULL },
	{ "against", 0, OPTIONS_TEXT, FIELD(against), "NAME", "compare: the one that the others are measured by (default: the first)", NULL },
	{ "confidence", 0, OPTIONS_TEXT, FIELD(confidence), "PERCENT", "compare: of the intervals (default: 95%)", NULL },
	{ "differences", 0, OPTIONS_FLAG, FIELD(differences), NULL, "compare: by differences; else by ratios where all is above 0", NULL },
	{ "format", 0, OPTIONS_CHOICE, FIELD(format), "FORMAT", "compare: text, markdown (means), ratios (markdown too) or csv", sweep_compare_formats },
	{ "figure", 0, OPTIONS_TEXT, FIELD(figure), "FILE.svg", "compare: draw it too (needs gnuplot)", NULL },
	{ "quiet", 'q', OPTIONS_FLAG, FIELD(quiet), NULL, "no progress", NULL },
	{ .name = NULL },
};

struct slot { pid_t pid; int64_t index; FILE *out; char key[24]; };

struct session {
	struct sweep_options opt;
	struct sweep_points points;
	struct store *store;
	struct slot *slots;
	int64_t done, skipped, failed, total;
};

/* ---- running ---- */

static int collect(struct session *s, struct slot *slot, int wait_status)
{
	struct sim_error err = { 0 };
	bool more = true;
	int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : STATUS_BROKEN;

	if (status == STATUS_OK || status == STATUS_FAILED) {
		rewind(slot->out);
		store_begin(s->store, &err);
		while (more && !err.set)
			sweep_point_keep(&s->points, slot->index, slot->key, slot->out, s->store, &more, &err);
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
	int status = sweep_point_key(&s->points, index, slot->key);

	if (status != STATUS_OK)
		return status;
	if (store_has(s->store, slot->key, sweep_point_variant(&s->points))) {
		s->skipped++;
		return STATUS_OK;
	}
	slot->index = index;
	slot->out = tmpfile();
	fflush(NULL);
	slot->pid = slot->out ? fork() : -1;
	if (slot->pid == 0)
		sweep_point_run(&s->points, index, slot->out);
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
	const char *name = scenario_name(s->points.sc);
	char *path = mem_zalloc(strlen(name) + 8);

	sprintf(path, "%s.sqlite", name);
	return path;
}

static int run(struct session *s)
{
	int status = sweep_point_open(&s->points, s->opt.only, s->opt.shard);
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
	for (int64_t i = 0; i < s->points.n; i++)
		s->total += s->points.wanted[i];
	time_t from = time(NULL);
	for (int64_t i = 0; i < s->points.n && status != STATUS_OUTPUT && !signals_stopped(); i++) {
		if (!s->points.wanted[i])
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

static int list(struct session *s)
{
	int status = sweep_point_open(&s->points, s->opt.only, s->opt.shard);
	return status == STATUS_OK ? sweep_point_list(&s->points, s->opt.count) : status;
}

static int merge(const struct options_list *args, const char *out)
{
	struct sim_error err = { 0 };
	struct store *s = NULL;

	if (!out)
		error_set(&err, "", "merge needs -o FILE, where all of it goes");
	for (int i = 1; i < args->n && !err.set; i++) {
		struct store *part = store_open(args->items[i], false, &err);
		store_close(&part);
	}
	if (err.set) {
		message_error("sweep", "%s", err.text);
		return STATUS_INPUT;
	}
	s = store_open(out, true, &err);
	for (int i = 1; s && i < args->n && !err.set; i++)
		(void)store_merge(s, args->items[i], &err);
	store_close(&s);
	if (err.set)
		message_error("sweep", "%s", err.text);
	return err.set ? STATUS_OUTPUT : STATUS_OK;
}

/* The verbs that each option is for, in the order of the table. */
static const char *const verbs_of[] = {
	" run merge ", " run ", " list run ", " list run ", " list run ", " list run ", " list ",
	" best ", " best ", " best ", " best ", " compare ", " compare ", " compare ", " compare ",
	" compare ", " compare ", " compare ", " run "
};
_Static_assert(sizeof verbs_of / sizeof *verbs_of + 1 == sizeof options / sizeof *options,
	       "each option has its verbs");

static bool given(const struct sweep_options *o, const struct options_row *row)
{
	const void *field = (const char *)o + row->offset;

	switch (row->type) {
	case OPTIONS_FLAG: return *(const bool *)field;
	case OPTIONS_TEXT: return *(const char *const *)field != NULL;
	case OPTIONS_LIST: return ((const struct options_list *)field)->n > 0;
	case OPTIONS_COUNT:
	case OPTIONS_CHOICE: break;
	}
	return *(const int *)field > 0;
}

/* An option of another verb would be ignored without a word. */
static int check_options(const struct sweep_options *o, const char *verb)
{
	char word[32];

	snprintf(word, sizeof word, " %.20s ", verb);
	for (int i = 0; options[i].name; i++) {
		bool mine = strstr(verbs_of[i], word) || options[i].offset == FIELD(quiet);
		if (mine || !given(o, &options[i]))
			continue;
		message_error("sweep", "--%s is for%.*s, not for %s", options[i].name,
			      (int)strlen(verbs_of[i]) - 1, verbs_of[i], verb);
		return STATUS_INPUT;
	}
	return STATUS_OK;
}

static int dispatch(struct session *s, const struct options_list *args)
{
	static const char *const verbs[] = { "list", "run", "merge", "best", "compare", NULL };
	const char *verb = args->items[0], *near = error_nearest(verb, verbs);
	const char *path = args->n > 1 ? args->items[1] : "";

	if (near && !strcmp(near, verb) && check_options(&s->opt, verb) != STATUS_OK)
		return STATUS_INPUT;
	s->points = (struct sweep_points){ .path = path, .sets = &s->opt.sets, .variants = &s->opt.variants };
	if (!strcmp(verb, "list") && args->n == 2)
		return list(s);
	if (!strcmp(verb, "run") && args->n == 2)
		return run(s);
	if (!strcmp(verb, "merge") && args->n >= 2)
		return merge(args, s->opt.out);
	if (!strcmp(verb, "best") && args->n == 2)
		return sweep_best(path, &(struct sweep_question){ s->opt.minimize, s->opt.maximize,
					s->opt.where.items, s->opt.where.n, s->opt.heat });
	if (!strcmp(verb, "compare") && args->n == 2)
		return sweep_compare(path, &(struct sweep_comparison){ s->opt.metrics.items, s->opt.metrics.n,
					s->opt.by, s->opt.against, s->opt.confidence, s->opt.figure, s->opt.format,
					s->opt.differences });
	if (near && !strcmp(near, verb))
		message_error("sweep", "%s wants %s", verb, !strcmp(verb, "merge") ? "FILE... -o FILE" : "one file");
	else
		message_error("sweep", "unknown verb \"%s\"; wanted list, run, merge, best or compare", verb);
	return STATUS_INPUT;
}

static int sweep_main(const struct command *self, int argc, char **argv)
{
	struct session s = { .done = 0 };
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, &s.opt, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (answer == OPTIONS_GO)
		status = dispatch(&s, &args);
	store_close(&s.store);
	sweep_point_fini(&s.points);
	free(s.slots);
	options_fini(self, &s.opt, &args);
	return status;
}

const struct command sweep_command = {
	.name = "sweep",
	.args = "list|run|merge|best|compare FILE...",
	.about = "run the grid of an experiment's `sweep`, ask for the best point, compare",
	.details =
	"list and run take an experiment, the others SQLite files.  All points are checked before\n"
	"the first is run (of more than 256, each value once).  A point that is in the file\n"
	"is not run again.  best gives means over seeds with 95 % intervals (Student's t).\n"
	"compare puts variants (or the values of --by) beside one of them, seed by seed, since the\n"
	"same seed draws the same arrivals, and gives the interval of the mean ratio: which are\n"
	"less, which are more, and which cannot be told apart.\n",
	.examples =
	"  xoff sweep list thresholds.json\n"
	"  xoff sweep run thresholds.json -j 2 -o thresholds.sqlite\n"
	"  xoff sweep best thresholds.sqlite --minimize flows.fct_ps.p99 --where 'pfc.xoff_frames < 100'\n"
	"  xoff sweep run cc.json --variant all && xoff sweep compare cc.sqlite -m flows.slowdown.p99\n",
	.options = options,
	.min_args = 1,
	.max_args = 1000,
	.main = sweep_main,
};
