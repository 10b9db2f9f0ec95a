/*
 * sweep/store.h - the results of a sweep, in one SQLite file.
 *
 *	run(key, idx, experiment, variant, status, digest)	one a point and variant
 *	param(key, variant, name, value)	the settings that the sweep changed
 *	metric(key, variant, name, value)	every number of the summary, by dotted path
 *
 * `key` is a hash of everything that determines the result, so a point that is
 * there need not be run again, and merging two files cannot count one twice.
 * One process writes a file; parts are merged afterwards.
 */
#ifndef STORE_H
#define STORE_H
#include <stdbool.h>
#include <stdint.h>
#include "sim/error.h"

struct store;

struct store_run {
	const char *key, *experiment, *variant, *digest;
	int64_t index;
	int status;		/* exit code of the run */
};

/* Opens or makes the file; `write` false: it must exist. */
struct store *store_open(const char *path, bool write, struct sim_error *err);
void store_close(struct store **s);

bool store_has(struct store *s, const char *key, const char *variant);
/* A run is written whole: begin, run, its params and metrics, commit. */
int store_begin(struct store *s, struct sim_error *err);
int store_run(struct store *s, const struct store_run *run, struct sim_error *err);
int store_param(struct store *s, const struct store_run *run, const char *name, const char *value,
		struct sim_error *err);
int store_metric(struct store *s, const struct store_run *run, const char *name, double value,
		 struct sim_error *err);
int store_commit(struct store *s, struct sim_error *err);
/* All of `other` that is not there yet. */
int store_merge(struct store *s, const char *other, struct sim_error *err);

/* One value of `metric` for each run, runs of one setting (all params but those
 * named seed) one after another: `each` gets the setting as "a=1 b=2".  Runs
 * without the metric are left out.  -1: no run has it. */
int store_each(struct store *s, const char *metric,
	       void (*each)(void *ctx, const char *setting, const char *key, const char *variant, double value),
	       void *ctx, struct sim_error *err);
/* The same with one dimension taken out, `by`: "variant", or the name of a param (whose
 * value `each` gets as `arm`; "" where a run has none).  A run that has been run again
 * comes again, later. */
int store_arms(struct store *s, const char *metric, const char *by,
	       void (*each)(void *ctx, const char *setting, const char *arm, const char *seed, double value),
	       void *ctx, struct sim_error *err);
/* Names of metrics that match a glob, in the order of the summary. */
int store_match(struct store *s, const char *glob, void (*each)(void *ctx, const char *metric), void *ctx,
		struct sim_error *err);
/* A param other than the seed that has more than one value; NULL: none. The caller frees. */
char *store_axis(struct store *s);
/* Is it "variant", or a param other than the seed?  -1: the error names the nearest. */
int store_dimension(struct store *s, const char *name, struct sim_error *err) SIM_MUST_CHECK;
/* How many variants there are. */
int store_variants(struct store *s);
/* The value of one run; false when it has none. */
bool store_value(struct store *s, const char *key, const char *variant, const char *metric, double *value);
/* Does any run have the metric?  -1: the error names the nearest. */
int store_known(struct store *s, const char *metric, struct sim_error *err) SIM_MUST_CHECK;
/* Names of metrics, for a suggestion; NULL-terminated, owned by the store. */
const char *const *store_metrics(struct store *s);
#endif
