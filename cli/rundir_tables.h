/*
 * cli/rundir_tables.h - inside rundir_read: the tables of pauses, stops, deadlocks
 * and events.  Each reads its file and appends to the run.
 */
#ifndef RUNDIR_TABLES_H
#define RUNDIR_TABLES_H
#include "cli/csv.h"
#include "cli/rundir_read.h"

int rundir_tables_pauses(struct rundir_read *r, struct sim_error *err) SIM_MUST_CHECK;
int rundir_tables_stops(struct rundir_read *r, struct sim_error *err) SIM_MUST_CHECK;
int rundir_tables_deadlocks(struct rundir_read *r, struct sim_error *err) SIM_MUST_CHECK;
int rundir_tables_events(struct rundir_read *r, struct sim_error *err) SIM_MUST_CHECK;
/* The port named in a field, made known when it is new. */
int rundir_tables_port(struct rundir_read *r, const struct csv *t, int wanted, uint32_t *port,
		       struct sim_error *err) SIM_MUST_CHECK;
#endif
