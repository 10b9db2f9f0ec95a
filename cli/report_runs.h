/*
 * cli/report_runs.h - the runs that directories hold: a run's own, one with a
 * folder a variant, one with a folder an experiment.
 */
#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H
#include "sim/error.h"

struct report_run { char *dir, *label; };	/* label: unique in its list */
struct report_runs { struct report_run *run; int n; };

/* Appends those of `dir`, in the order of its summary.json. */
int report_runs_add(struct report_runs *list, const char *dir,
		    struct sim_error *err) SIM_MUST_CHECK;
void report_runs_fini(struct report_runs *list);
#endif
