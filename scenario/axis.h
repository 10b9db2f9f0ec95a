/*
 * scenario/axis.h - the section `sweep`: paths and the values they take.
 */
#ifndef AXIS_H
#define AXIS_H
#include "scenario/read.h"
#include "scenario/scenario.h"

/* Reads "sweep" (json, at pointer /sweep); the axes are the caller's. */
int axis_load(const struct read *sweep, struct scenario_axis **axes, int *n);
void axis_free(struct scenario_axis *axes, int n);
#endif
