/*
 * scenario/device.h - switch and nic settings of every node, overrides applied.
 */
#ifndef DEVICE_H
#define DEVICE_H
#include "scenario/run.h"

/* Reads its section of the experiment into the run, whose classes and topology
 * are loaded.  Errors go to the diag. */
int device_load(const struct read *experiment, struct run *run);
#endif
