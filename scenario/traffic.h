/*
 * scenario/traffic.h - the workloads of a run.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H
#include "scenario/run.h"

/* Reads its section of the experiment into the run, whose classes and topology
 * are loaded.  Errors go to the diag. */
int traffic_load(const struct read *experiment, struct run *run);
#endif
