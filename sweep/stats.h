/*
 * sweep/stats.h - a mean over seeds and how sure it is.
 */
#ifndef STATS_H
#define STATS_H

struct stats {
	int n;
	double mean, sd;
	double half;	/* half width of the interval, 95 % (Student's t); NaN with one value */
};
struct stats stats_of(const double *values, int n);
/* With another confidence, 0..1. */
struct stats stats_at(const double *values, int n, double confidence);
#endif
