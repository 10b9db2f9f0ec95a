/*
 * cli/rundir.h - the directory a run leaves, which is whole or not there.
 *
 * Everything is written to PATH.partial.  rundir_commit renames it to PATH, in
 * one step even where an older PATH is replaced.  A run that does not get so
 * far leaves PATH.partial, whose summary.json says so from the first moment.
 */
#ifndef RUNDIR_H
#define RUNDIR_H
#include <stdbool.h>
#include "sim/error.h"

struct rundir;

/* Makes PATH.partial and tries to write there, before anything is run.  NULL
 * when PATH exists and may not be replaced, or nothing can be written. */
struct rundir *rundir_open(const char *path, bool force, struct sim_error *err) SIM_MUST_CHECK;
const char *rundir_path(const struct rundir *dir);		/* PATH */
const char *rundir_partial(const struct rundir *dir);		/* PATH.partial */
/* An interrupted run's PATH.partial was there and has been emptied. */
bool rundir_replaced_partial(const struct rundir *dir);
/* All is written: PATH.partial becomes PATH. */
int rundir_commit(struct rundir *dir, struct sim_error *err) SIM_MUST_CHECK;
/* Nothing was run: PATH.partial goes. */
void rundir_discard(struct rundir *dir);
void rundir_free(struct rundir **dir);
#endif
