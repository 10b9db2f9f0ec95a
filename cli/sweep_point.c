/*
 * cli/sweep_point.c - see sweep_point.h.
 */
#include "cli/sweep_point.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_id.h"
#include "cli/flatten.h"
#include "cli/message.h"
#include "cli/status.h"
#include "cli/sweep_check.h"
#include "sim/mem.h"
#include "sim/rng.h"
#include "sweep/grid.h"

/* ---- points ---- */

int sweep_point_open(struct sweep_points *p, const char *only, const char *shard)
{
	struct scenario_options with = { .sets = p->sets->items, .nsets = p->sets->n };
	struct diag *diag = diag_new();
	struct sim_error err = { 0 };

	p->sc = scenario_open(p->path, &with, diag);
	if (diag_errors(diag))
		diag_print(diag, stderr);
	diag_free(&diag);
	if (!p->sc)
		return STATUS_INPUT;
	p->axes = scenario_sweep(p->sc, &p->naxes);
	if (!p->naxes) {
		message_error("sweep", "%s has no \"sweep\": add one, such as {\"run.seed\": \"1..5\"}", p->path);
		return STATUS_INPUT;
	}
	p->sizes = mem_zalloc((size_t)p->naxes * sizeof *p->sizes);
	for (int i = 0; i < p->naxes; i++)
		p->sizes[i] = p->axes[i].nvalues;
	p->n = grid_size(p->sizes, p->naxes);
	if (p->n < 0) {
		message_error("sweep", "%s has too many points", p->path);
		return STATUS_INPUT;
	}
	p->wanted = mem_zalloc((size_t)p->n);
	if (grid_select(only, p->n, p->wanted, &err) ||
	    (shard && grid_shard(shard, p->n, p->wanted, &err))) {
		message_error("sweep", "%s", err.text);
		return STATUS_INPUT;
	}
	return sweep_check(p);
}

static int *point_choice(const struct sweep_points *p, int64_t index)
{
	int *choice = mem_zalloc((size_t)p->naxes * sizeof *choice);

	grid_choice(p->sizes, p->naxes, index, choice);
	return choice;
}

/* The --set texts of a point, the command line's own first; the caller frees. */
static char **point_sets(const struct sweep_points *p, int64_t index, int *n)
{
	int *choice = point_choice(p, index);
	char **sets = mem_zalloc((size_t)(p->sets->n + p->naxes) * sizeof *sets);

	*n = 0;
	for (int i = 0; i < p->sets->n; i++)
		sets[(*n)++] = mem_strdup(p->sets->items[i]);
	for (int i = 0; i < p->naxes; i++) {
		const char *path = p->axes[i].path, *value = p->axes[i].values[choice[i]];
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

int sweep_point_list(const struct sweep_points *p, bool count)
{
	int64_t n = 0;

	for (int64_t i = 0; i < p->n; i++) {
		int nsets;
		if (!p->wanted[i])
			continue;
		n++;
		if (count)
			continue;
		char **sets = point_sets(p, i, &nsets);
		printf("%lld", (long long)i);
		for (int k = 0; k < nsets; k++)
			printf(" %s", sets[k]);
		printf("\n");
		free_sets(sets, nsets);
	}
	if (count)
		printf("%lld\n", (long long)n);
	return STATUS_OK;
}

/* ---- running ---- */

static struct batch_wanted wanted_of(const struct sweep_points *p, const int *choice)
{
	static const char *const base[] = { "base" };
	const struct options_list *v = p->variants;
	bool all = v->n == 1 && !strcmp(v->items[0], "all") && scenario_run_find(p->sc, "all", NULL) < 0;

	return (struct batch_wanted){
		.scenario = { .sets = p->sets->items, .nsets = p->sets->n, .point = choice },
		.variants = all ? NULL : v->n ? v->items : base,
		.nvariants = all ? 0 : v->n ? v->n : 1, .no_expect = true };
}

const char *sweep_point_variant(const struct sweep_points *p)
{
	struct batch_wanted wanted = wanted_of(p, NULL);
	return wanted.nvariants ? wanted.variants[0] : "base";
}

int sweep_point_runs(const struct sweep_points *p, int **runs, int *nruns)
{
	struct batch_wanted wanted = wanted_of(p, NULL);
	int n = wanted.nvariants ? wanted.nvariants : scenario_runs(p->sc);

	*runs = mem_zalloc((size_t)n * sizeof **runs);
	for (*nruns = 0; *nruns < n; ++*nruns) {
		int run = *nruns;

		if (wanted.nvariants)
			run = batch_variant("sweep", p->sc, wanted.variants[*nruns]);
		if (run < 0) {
			free(*runs);
			return STATUS_INPUT;
		}
		(*runs)[*nruns] = run;
	}
	return STATUS_OK;
}

int sweep_point_key(const struct sweep_points *p, int64_t index, char key[24])
{
	int *choice = point_choice(p, index), status;
	struct batch_wanted wanted = wanted_of(p, choice);
	struct batch b;
	uint64_t h = rng_hash_text(1, XOFF_VERSION " " XOFF_COMMIT);

	status = batch_open(&b, "sweep", p->path, &wanted);
	if (status != STATUS_OK)
		diag_print(b.diag, stderr);
	for (int i = 0; status == STATUS_OK && i < b.nruns; i++) {
		char *text = NULL;
		size_t length = 0;
		FILE *out = mem_stream(&text, &length);
		if (scenario_resolved(b.sc, b.runs[i].run, NULL, out))
			status = STATUS_OUTPUT;
		mem_stream_close(out);
		h = rng_hash(h, rng_hash_text(2, text));
		free(text);
	}
	snprintf(key, 24, "%016llx", (unsigned long long)h);
	batch_fini(&b);
	free(choice);
	return status;
}

/* VARIANT STATUS DIGEST LENGTH, newline, JSON, for each run. */
_Noreturn void sweep_point_run(const struct sweep_points *p, int64_t index, FILE *out)
{
	int *choice = point_choice(p, index);
	struct batch_wanted wanted = wanted_of(p, choice);
	struct batch_how how = { .dir = NULL };
	struct batch b;
	int status = batch_open(&b, "sweep", p->path, &wanted);

	if (status == STATUS_OK)
		status = batch_execute(&b, &how);
	for (int i = 0; i < b.nruns; i++) {
		char *json = NULL;
		size_t length = 0;
		if (!b.runs[i].done)
			continue;
		FILE *mem = mem_stream(&json, &length);
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

static int keep_params(const struct sweep_points *p, struct store *store, const struct store_run *run,
		        struct sim_error *err)
{
	int *choice = point_choice(p, run->index), rc = 0;

	for (int i = 0; i < p->naxes; i++) {
		char *value = bare(p->axes[i].values[choice[i]]);
		rc |= store_param(store, run, p->axes[i].path, value, err);
		free(value);
	}
	free(choice);
	return rc;
}

int sweep_point_keep(const struct sweep_points *p, int64_t index, const char *key, FILE *in,
		     struct store *store, bool *more, struct sim_error *err)
{
	char variant[256], digest[32];
	int status;
	size_t length;

	*more = fscanf(in, "%255s %d %31s %zu", variant, &status, digest, &length) == 4;
	if (!*more)
		return 0;
	fgetc(in);
	char *json = mem_zalloc(length + 1);
	struct store_run run = { .key = key, .experiment = scenario_name(p->sc), .variant = variant,
				 .digest = digest, .index = index, .status = status };
	struct metric_sink sink = { store, &run, err };
	int rc = fread(json, 1, length, in) == length ? 0 : error_set(err, "", "a child's result is cut short");
	if (!rc && (store_run(store, &run, err) || keep_params(p, store, &run, err) ||
		    flatten_json(json, length, keep_metric, &sink) || err->set))
		rc = error_set(err, "", "a child's result cannot be kept");
	free(json);
	return rc;
}

void sweep_point_fini(struct sweep_points *p)
{
	scenario_free(&p->sc);
	free(p->sizes);
	free(p->wanted);
}
