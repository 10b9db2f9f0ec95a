/*
 * cli/sweep_best.h - which setting of a sweep is best, and how surely.
 */
#ifndef SWEEP_BEST_H
#define SWEEP_BEST_H
#include <stdbool.h>
#include <stdio.h>

struct sweep_question {
	const char *minimize, *maximize;	/* one of them */
	const char *const *where;		/* "METRIC < VALUE" */
	int nwhere;
	const char *heat;			/* FILE.svg, NULL none */
};
/* Is it FILE.svg?  Says so when not. */
bool sweep_best_svg(const char *file);
/* With the unit that the metric's name tells. */
void sweep_best_value(FILE *out, const char *metric, double v);
/* Prints the settings, best first; returns an exit code. */
int sweep_best(const char *path, const struct sweep_question *q);
#endif
