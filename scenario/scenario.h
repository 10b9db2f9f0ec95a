/*
 * scenario/scenario.h - a JSON experiment, opened, checked, and built into
 * fabrics.  The only header of this room that others need (with diag.h for
 * messages and pattern.h for names).
 *
 * Life: scenario_open; then for each run scenario_build, fabric_run,
 * fabric_free; then scenario_free.  An experiment is a list of runs: run 0 is
 * "base", then one for each entry of `variants`, in the order of the file.
 *
 * All strings and arrays handed out are owned by the scenario.  Everything
 * wrong with the input goes to a struct diag; nothing here prints or exits.
 * No Jansson type crosses this header.
 */
#ifndef SCENARIO_H
#define SCENARIO_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "models/fabric.h"
#include "scenario/diag.h"
#include "sim/error.h"
#include "sim/units.h"

struct scenario;

/* ------------------------------------------------------------------ open */

struct scenario_options {	/* zero: nothing */
	const char *const *sets; /* "PATH=VALUE" of --set, applied in order, last of all */
	int nsets;
	const char *seed;		/* text of --seed, or NULL */
	const char *until;		/* of runs that give no run.until: who does not run them needs none */
	const int *point;	/* of each axis of `sweep` the number of the value to take; or NULL */
};

/* Reads the file and all it includes, merges, applies --set and variants,
 * checks the keys of the top level and the syntax of every `expect`.
 * `path` "-" reads standard input.  `opt` may be NULL.
 * NULL when there are errors (see diag). */
struct scenario *scenario_open(const char *path, const struct scenario_options *opt,
			       struct diag *diag);
void scenario_free(struct scenario **sc);

const char *scenario_path(const struct scenario *sc);	/* as given to scenario_open */
/* "name", else the file's name without its ending; a legal name (pattern.h). */
const char *scenario_name(const struct scenario *sc);
const char *scenario_about(const struct scenario *sc);	/* never NULL; "" when absent */
const char *scenario_source(const struct scenario *sc);	/* likewise */
bool scenario_slow(const struct scenario *sc);		/* "slow": true; takes long to run */

int scenario_runs(const struct scenario *sc);		/* at least 1: base */
const char *scenario_run_name(const struct scenario *sc, int run); /* "base", "quiet", ... */
/* Index of a run by name, or -1; then *nearest (may be NULL) is the name that
 * was probably meant, or NULL. */
int scenario_run_find(const struct scenario *sc, const char *name, const char **nearest);

/* ----------------------------------------------------------------- build */

/* Builds one run: checks every value, makes the fabric, fabric_finish.
 * Errors and the fabric's warnings go to diag with file, line and column.
 * NULL when there are errors.  The fabric borrows from the scenario: free it
 * before scenario_free and before the same run is built again. */
struct fabric *scenario_build(struct scenario *sc, int run, struct diag *diag);

/* Builds and frees every run, so that all errors of all variants are found
 * before anything is run or written.  0 or -1. */
int scenario_check(struct scenario *sc, struct diag *diag);

/* What follows describes run `run` and is valid once it has been built (the
 * build may have been freed), until it is built again or the scenario freed. */

const struct run_conf *scenario_run_conf(const struct scenario *sc, int run);
const struct class_conf *scenario_classes(const struct scenario *sc, int run, int *n);

/* Columns, as bits; the same numbers as enum observe_what (observe/observe.h). */
enum scenario_what {
	SCENARIO_QUEUE = 1, SCENARIO_GROUP = 2, SCENARIO_RATE = 4, SCENARIO_PAUSE = 8,
	SCENARIO_FLOWS = 16, SCENARIO_MARKS = 32
};
struct scenario_series {	/* one entry of record.series */
	const char *name;
	const char *match; /* its ports as globs or exact names of NODE:PORT, comma-separated */
	const char *written; /* the same as the file has it: patterns of scenario/pattern.h */
	unsigned what;		/* enum scenario_what, or-ed; 0: queue, group, rate and pause */
	int64_t every_ps;
};
/* record.sizes, or its default: ascending upper edges. */
enum { SCENARIO_SIZES = 15 };
const int64_t *scenario_sizes(const struct scenario *sc, int run, int *n);
const struct scenario_series *scenario_series(const struct scenario *sc, int run, int *n);

/* Names of the run's traffic, routes and faults, for progress and tables. */
const struct workload_conf *scenario_traffic(const struct scenario *sc, int run, int *n);
const struct fault_conf *scenario_faults(const struct scenario *sc, int run, int *n);

/* The run with every effective value, as JSON that gives the same digest when
 * run.  Strict JSON, deterministic.  `dir` is the folder of the file: a list of more than
 * 1000 flows goes to DIR/flows/NAME.csv; NULL: it stands in the JSON.  0, or -1 (errno) when
 * something cannot be written. */
int scenario_resolved(const struct scenario *sc, int run, const char *dir, FILE *out);

/* Where the value at a dotted path of this run comes from ("storm.json:31:27",
 * "--set run.seed=7", or "default"); returns buf. */
char *scenario_origin(const struct scenario *sc, int run, const char *path, char *buf,
		      size_t size);

/* ---------------------------------------------------------------- expect */

/* Rules of one run: a variant's own `expect`, else the base's for run 0 only
 * (a variant without `expect` promises nothing). */
int scenario_rules(const struct scenario *sc, int run);
const char *scenario_rule(const struct scenario *sc, int run, int rule);

/* The summaries the rules are checked against, by run name. */
struct scenario_results;
struct scenario_results *scenario_results_new(void);
void scenario_results_free(struct scenario_results **res);
/* `json` is the run's object of summary.json ({"experiment": ..., "flows": ...}),
 * or the whole summary.json, of which each run is added under its variant. */
int scenario_results_add(struct scenario_results *res, const char *run, const char *json,
			 size_t length, struct sim_error *err) SIM_MUST_CHECK;

/* Holds the paths of a run's rules against the shape of the summaries, before any
 * run: `shapes` has, of each run, what its summary would be if it had not run
 * at all.  What is in no such summary is said to diag, with the nearest name; what
 * lies in a list cannot be known yet.  0 or -1. */
int scenario_rules_check(const struct scenario *sc, int run,
			 const struct scenario_results *shapes, struct diag *diag);

struct scenario_verdict {
	const char *rule;
	bool passed;
	char value[160];	/* JSON text of the value found; "null" when missing */
	char why[512];		/* one sentence: why it failed; "" when passed */
};
/* Checks one rule.  A path that is missing or null fails (unless the rule asks
 * for null), and so does one that refers to a run that was not run. */
void scenario_verdict(const struct scenario *sc, int run, int rule,
		      const struct scenario_results *res, struct scenario_verdict *out);

/* The unit that a path of the summary calls for, by its name, and what that is called
 * ("a time"); false: a number without one. */
bool scenario_unit(const char *path, enum units_kind *kind, const char **name);

/* ----------------------------------------------------------------- sweep */

struct scenario_axis {		/* one entry of `sweep` */
	const char *path;	/* dotted: "switch.ecn.rdma.kmin" */
	const char *const *values;	/* JSON or plain text: --set PATH=VALUE gives it */
	int nvalues;
};
const struct scenario_axis *scenario_sweep(const struct scenario *sc, int *n);

/* ------------------------------------------------------------------ help */

/* `xoff explain KEY`: prints every setting and section whose name is or ends
 * in `key` ("kmin", "ecn.kmin", "switch.ecn", "dcqcn"), with type, default,
 * range and sentence.  Returns how many; 0: *nearest may be a suggestion. */
int scenario_explain(const char *key, FILE *out, const char **nearest);
/* One line for every section ("switch.ecn.CLASS  WRED marking of one class"). */
void scenario_explain_all(FILE *out);
/* `xoff schema`: the JSON Schema (draft-07) of an experiment. */
int scenario_schema(FILE *out);
#endif
