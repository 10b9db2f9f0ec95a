/*
 * sweep/compare.h - the arms of a sweep beside each other: variants, or the values of
 * one setting, over the seeds that they share.
 *
 * A seed draws the same arrivals for every arm, so two arms are compared seed by seed,
 * and the interval of the mean (paired Student's t) leaves out what the seeds have in
 * common.  It is narrower than the two arms' own intervals make believe, and the right
 * one to ask whether two arms differ.
 *
 * What is compared is the ratio where all values of both are above 0: mean and interval
 * are those of its logarithm, since slowdowns and times scatter by factors and not by
 * amounts.  Otherwise, or when asked, it is the difference.
 */
#ifndef COMPARE_H
#define COMPARE_H
#include <stdbool.h>
#include "sim/error.h"
#include "sweep/stats.h"
#include "sweep/store.h"

struct compare {
	char **setting, **metric, **arm, **seed;	/* settings without the arm and the seed */
	int settings, metrics, arms, seeds;
	double *value;		/* [setting][metric][arm][seed]; NaN: there is none */
	int again;		/* runs that a later one of the same place has taken the place of */
};

/* All metrics that match one of the globs, of every run; `by` as for store_arms. */
struct compare *compare_new(struct store *s, const char *const *globs, int nglobs, const char *by,
			    struct sim_error *err);
void compare_free(struct compare **c);

int compare_arm(const struct compare *c, const char *name);	/* -1: none */
/* Of one arm, over its seeds; n 0 when it has no value. */
struct stats compare_own(const struct compare *c, int setting, int metric, int arm, double confidence);
struct compare_pair {		/* of an arm and the base, over the seeds that both have */
	int n;
	bool ratio;		/* arm / base; else arm - base */
	double mean, low, high;	/* low and high NaN with fewer than two pairs */
	int verdict;		/* -1 less, 1 more, 0 cannot be told: low..high holds 1, or 0 */
};
/* base -1: of the arm alone (1, or 0): its geometric mean where all is above 0. */
struct compare_pair compare_pair(const struct compare *c, int setting, int metric, int arm, int base,
				 double confidence, bool differences);
/* The arm with the least mean; -1: none has a value. */
int compare_least(const struct compare *c, int setting, int metric);
#endif
