/*
 * cli/rules.h - what the summary of a run will look like, for checking the rules of
 * `expect` before anything is run.
 */
#ifndef RULES_H
#define RULES_H
#include "scenario/scenario.h"

/* Adds the summary that the run would have if it ended at once: every name of
 * workloads, classes, sizes, series and nodes is in it, and no value is true.  The
 * fabric has just been built, and can only be freed afterwards. */
void rules_shape(const struct scenario *sc, int run, struct fabric *f,
		 struct scenario_results *shapes);
#endif
