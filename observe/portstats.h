/*
 * observe/portstats.h - the counters of every port and priority, after a run:
 * ports.csv, and their sums in the summary.
 */
#ifndef PORTSTATS_H
#define PORTSTATS_H
#include "models/view.h"
#include "observe/summary.h"

/* ports.csv: one row a (port, priority) that saw a frame, a pause or a drop;
 * switches.csv: one row a switch, with the most its buffer held;
 * queues.csv: one row an egress queue of a switch that sent, held or lost a frame. */
int portstats_write(const struct fabric *f, const char *dir, struct sim_error *err);
/* pfc, ecn, drops, buffer, watchdog totals, and classes' paused_ps and drops
 * (the classes themselves are there already). */
void portstats_fill(const struct fabric *f, struct summary *s);
#endif
