/*
 * scenario/faults.h - what goes wrong in a run.
 */
#ifndef FAULTS_H
#define FAULTS_H
#include "scenario/run.h"

/* Reads its section of the experiment into the run, whose classes and topology
 * are loaded.  Errors go to the diag. */
int faults_load(const struct read *experiment, struct run *run);
#endif
