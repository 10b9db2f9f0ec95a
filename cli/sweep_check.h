/*
 * cli/sweep_check.h - the points of a sweep are checked before the first is run.
 */
#ifndef SWEEP_CHECK_H
#define SWEEP_CHECK_H
#include "cli/sweep_point.h"

/* Builds points and prints what is wrong with them, at its place in the file: all
 * that are wanted while they are few (seeds apart); of many, one for each value of
 * each axis, and the combinations are found out when they are run.  An exit code. */
int sweep_check(const struct sweep_points *p);
#endif
