/*
 * models/host/workload_cdf.c - flow size distributions.
 *
 * WebSearch: Alizadeh et al., "Data center TCP", SIGCOMM 2010, as in
 * traffic_gen/WebSearch_distribution.txt of the HPCC simulator (Li et al.,
 * SIGCOMM 2019), whose linear interpolation ours is; mean 1,711,250 B.
 */
#include "models/host/workload_cdf.h"
#include "sim/assert.h"
#include "sim/mem.h"

#include <stdlib.h>
#include <string.h>

#define CDF_ONE (INT64_C(1) << 53)	/* fraction 1 */

static const struct { int64_t size_bytes; double fraction; } cdf_websearch[] = {
	{ 10000, 0.15 }, { 20000, 0.2 }, { 30000, 0.3 }, { 50000, 0.4 }, { 80000, 0.53 },
	{ 200000, 0.6 }, { 1000000, 0.7 }, { 2000000, 0.8 }, { 5000000, 0.9 },
	{ 10000000, 0.97 }, { 30000000, 1.0 },
};

const char *const workload_cdf_names[] = { "websearch", NULL };

int workload_cdf_builtin(const char *name, struct workload_cdf *cdf)
{
	enum { POINTS = sizeof(cdf_websearch) / sizeof(cdf_websearch[0]) };

	if (!name || strcmp(name, workload_cdf_names[0]) != 0)
		return -1;
	cdf->n = POINTS;
	cdf->size_bytes = mem_zalloc(POINTS * sizeof(*cdf->size_bytes));
	cdf->fraction = mem_zalloc(POINTS * sizeof(*cdf->fraction));
	for (int i = 0; i < POINTS; i++) {
		cdf->size_bytes[i] = cdf_websearch[i].size_bytes;
		cdf->fraction[i] = cdf_websearch[i].fraction;
	}
	return 0;
}

void workload_cdf_fini(struct workload_cdf *cdf)
{
	free(cdf->size_bytes);
	free(cdf->fraction);
	memset(cdf, 0, sizeof(*cdf));
}

int workload_cdf_check(const struct workload_cdf *cdf, struct sim_error *err)
{
	if (cdf->n < 1)
		return error_set(err, "", "a CDF needs at least one point");
	for (int i = 0; i < cdf->n; i++) {
		if (!(cdf->fraction[i] >= 0 && cdf->fraction[i] <= 1))
			return error_set(err, "", "fraction of CDF point %d is not in 0..1", i);
		if (cdf->size_bytes[i] < 1 || cdf->size_bytes[i] > INT64_C(1) << 50)
			return error_set(err, "", "size of CDF point %d is not in 1B..1PiB", i);
		if (i > 0 && cdf->fraction[i] < cdf->fraction[i - 1])
			return error_set(err, "", "fraction of CDF point %d descends", i);
		if (i > 0 && cdf->size_bytes[i] < cdf->size_bytes[i - 1])
			return error_set(err, "", "size of CDF point %d descends", i);
	}
	if (cdf->fraction[cdf->n - 1] < 1)
		return error_set(err, "", "the last fraction of a CDF must be 1");
	return 0;
}

/* A product with a power of two and a truncation: exact on every machine. */
static int64_t cdf_units(double fraction)
{
	return (int64_t)(fraction * (double)CDF_ONE);
}

int64_t workload_cdf_draw(const struct workload_cdf *cdf, uint64_t uniform64)
{
	int64_t u = (int64_t)(uniform64 >> 11);		/* 0 .. 2^53 - 1 */
	int64_t from = 0, from_size = 0, size;
	int i = 0;

	while (i < cdf->n - 1 && cdf_units(cdf->fraction[i]) <= u)
		i++;
	if (i > 0) {
		from = cdf_units(cdf->fraction[i - 1]);
		from_size = cdf->size_bytes[i - 1];
	}
	sim_assert(u < cdf_units(cdf->fraction[i]));
	size = from_size + (int64_t)((__int128)(cdf->size_bytes[i] - from_size) * (u - from)
				     / (cdf_units(cdf->fraction[i]) - from));
	return size > 0 ? size : 1;
}

int64_t workload_cdf_mean(const struct workload_cdf *cdf)
{
	__int128 twice = 0;
	int64_t from = 0, from_size = 0, mean;

	for (int i = 0; i < cdf->n; i++) {
		int64_t to = cdf_units(cdf->fraction[i]);

		twice += (__int128)(to - from) * (from_size + cdf->size_bytes[i]);
		from = to;
		from_size = cdf->size_bytes[i];
	}
	mean = (int64_t)((twice + CDF_ONE) / (2 * (__int128)CDF_ONE));
	return mean > 0 ? mean : 1;
}
