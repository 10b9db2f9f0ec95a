/*
 * sweep/stats.h - a mean over seeds and how sure it is.
 */
#ifndef STATS_H
#define STATS_H

struct stats {
	int n;
	double mean, sd;
	double half;	/* half width of the 95 % interval (Student's t); NaN with one value */
};
struct stats stats_of(const double *values, int n);
#endif
