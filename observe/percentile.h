/*
 * observe/percentile.h - nearest-rank percentiles of what was measured.
 *
 * The p-th percentile of n sorted values is the one of rank ceil(p * n),
 * counted from 1; the 0th is the smallest.  p is a fraction num/den, so that no
 * rounding of a double decides a rank (0.999 * 1000 is not 999).
 */
#ifndef PERCENTILE_H
#define PERCENTILE_H
#include <stddef.h>
#include <stdint.h>
#include "observe/summary.h"

/* Index (from 0) of the nearest rank; n > 0, 0 <= num <= den. */
size_t percentile_index(size_t n, uint64_t num, uint64_t den);
/* Both sort `values` in place.  n == 0 gives all zeroes, count 0. */
struct summary_times percentile_times(int64_t *values, size_t n);
struct summary_ratios percentile_ratios(double *values, size_t n);
/* Jain's index (sum x)^2 / (n * sum x^2); NaN for fewer than two values or all zero. */
double percentile_jain(const double *values, size_t n);
#endif
