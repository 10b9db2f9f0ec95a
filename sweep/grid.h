/*
 * sweep/grid.h - the points of a sweep, numbered.
 *
 * Every combination of one value an axis; the last axis turns fastest, so that
 * the seeds of one setting (put them last) are neighbours.
 */
#ifndef GRID_H
#define GRID_H
#include <stdbool.h>
#include <stdint.h>
#include "sim/error.h"

/* How many points `naxes` axes of these sizes have; -1 when too many to number. */
int64_t grid_size(const int *sizes, int naxes);
/* Which value of each axis point `index` takes. */
void grid_choice(const int *sizes, int naxes, int64_t index, int *choice);
/* "3,5-9": marks the points; every one when text is NULL. */
int grid_select(const char *text, int64_t points, bool *wanted, struct sim_error *err) SIM_MUST_CHECK;
/* "2/5": the second of five parts, every fifth point. */
int grid_shard(const char *text, int64_t points, bool *wanted, struct sim_error *err) SIM_MUST_CHECK;
#endif
