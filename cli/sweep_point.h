/*
 * cli/sweep_point.h - the points of one sweep: what they set, which are known, and
 * running one in a child process.  Inside `xoff sweep`.
 */
#ifndef SWEEP_POINT_H
#define SWEEP_POINT_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "cli/batch.h"
#include "cli/options.h"
#include "sweep/store.h"

struct sweep_points {
	const char *path;
	const struct options_list *sets, *variants;	/* of the command line */
	struct scenario *sc;
	const struct scenario_axis *axes;
	int naxes, *sizes;
	int64_t n;
	bool *wanted;
};

/* Reads the experiment and checks its points; `only` and `shard` as of the command line.  An exit code. */
int sweep_point_open(struct sweep_points *p, const char *only, const char *shard);
void sweep_point_fini(struct sweep_points *p);
int sweep_point_list(const struct sweep_points *p, bool count);

/* Numbers of the runs that each point has; the caller frees.  An exit code, after a
 * message: there is no variant of such a name. */
int sweep_point_runs(const struct sweep_points *p, int **runs, int *nruns);
/* The first of the variants that a point runs. */
const char *sweep_point_variant(const struct sweep_points *p);
/* A hash of all that determines the result of a point: every effective value, and
 * what runs it.  An exit code. */
int sweep_point_key(const struct sweep_points *p, int64_t index, char key[24]);
/* In a child process: runs the point and writes what sweep_point_keep reads. */
_Noreturn void sweep_point_run(const struct sweep_points *p, int64_t index, FILE *out);
/* One run of the point into the store; *more false: there was none. */
int sweep_point_keep(const struct sweep_points *p, int64_t index, const char *key, FILE *in,
		     struct store *store, bool *more, struct sim_error *err);
#endif
