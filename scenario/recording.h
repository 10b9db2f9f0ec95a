/*
 * scenario/recording.h - the series that a run is asked to record.
 */
#ifndef RECORDING_H
#define RECORDING_H
#include "scenario/read.h"
#include "scenario/scenario.h"
#include "scenario/topology.h"

extern const struct param recording_params[];	/* every */

/* Reads `record` of the experiment; the list belongs to the caller. */
int recording_load(const struct read *experiment, const struct topology *topo,
		   struct scenario_series **series, int *n);
/* Reads `record.sizes`: ascending upper edges, at most SCENARIO_SIZES. */
int recording_sizes(const struct read *experiment, int64_t *bytes, int *n);
void recording_free(struct scenario_series *series, int n);
#endif
