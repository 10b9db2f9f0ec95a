/*
 * scenario/routes.h - explicit ways, expanded to one for each (at, to).
 */
#ifndef ROUTES_H
#define ROUTES_H
#include "scenario/run.h"

/* Reads its section of the experiment into the run, whose classes and topology
 * are loaded.  Errors go to the diag. */
int routes_load(const struct read *experiment, struct run *run);
#endif
