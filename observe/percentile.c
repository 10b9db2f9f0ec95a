/*
 * observe/percentile.c - see percentile.h.  The sums run over sorted values, so
 * that they do not depend on the order in which flows ended.
 */
#include <math.h>
#include <stdlib.h>
#include "observe/percentile.h"

size_t percentile_index(size_t n, uint64_t num, uint64_t den)
{
	unsigned __int128 rank = ((unsigned __int128)n * num + den - 1) / den;
	return rank ? (size_t)(rank - 1) : 0;
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int by_ratio(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct summary_times percentile_times(int64_t *values, size_t n)
{
	struct summary_times t = { 0 };
	__int128 sum = 0;

	if (!n)
		return t;
	qsort(values, n, sizeof(*values), by_time);
	for (size_t i = 0; i < n; i++)
		sum += values[i];
	t.count = (int64_t)n;
	t.mean = (int64_t)((sum + (__int128)n / 2) / (__int128)n);
	t.p50 = values[percentile_index(n, 1, 2)];
	t.p99 = values[percentile_index(n, 99, 100)];
	t.p999 = values[percentile_index(n, 999, 1000)];
	t.max = values[n - 1];
	return t;
}

struct summary_ratios percentile_ratios(double *values, size_t n)
{
	struct summary_ratios r = { 0 };
	double sum = 0;

	if (!n)
		return r;
	qsort(values, n, sizeof(*values), by_ratio);
	for (size_t i = 0; i < n; i++)
		sum += values[i];
	r.count = (int64_t)n;
	r.mean = sum / (double)n;
	r.p50 = values[percentile_index(n, 1, 2)];
	r.p99 = values[percentile_index(n, 99, 100)];
	r.p999 = values[percentile_index(n, 999, 1000)];
	r.max = values[n - 1];
	return r;
}

double percentile_jain(const double *values, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += values[i];
		squares += values[i] * values[i];
	}
	if (n < 2 || squares <= 0)
		return NAN;
	return sum * sum / ((double)n * squares);
}
