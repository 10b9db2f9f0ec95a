/*
 * models/host/workload_cdf.c - flow size distributions.
 *
 * websearch: Alizadeh et al., "Data center TCP", SIGCOMM 2010, as in
 * traffic_gen/WebSearch_distribution.txt of the HPCC simulator (Li et al.,
 * SIGCOMM 2019; github.com/alibaba-edu/High-Precision-Congestion-Control), whose
 * linear interpolation ours is; mean 1,711,250 B.
 *
 * fb_hadoop: Facebook's Hadoop cluster, Roy et al., "Inside the social network's
 * (datacenter) network", SIGCOMM 2015, as in traffic_gen/FbHdp_distribution.txt
 * there; mean 120,421 B.
 *
 * ali_storage: Alibaba's storage nodes, traffic_gen/AliStorage2019.txt there; mean
 * 40,870 B.
 *
 * solar: Alibaba's block storage, Miao et al., "From Luna to Solar", SIGCOMM 2022,
 * as in traffic_gen/Solar2022.txt of github.com/conweave-project/conweave-ns3;
 * mean 39,424 B.
 */
#include "models/host/workload_cdf.h"
#include "sim/assert.h"
#include "sim/mem.h"

#include <stdlib.h>
#include <string.h>

#define CDF_ONE (INT64_C(1) << 53)	/* fraction 1 */

struct cdf_point { int64_t size_bytes; double fraction; };

static const struct cdf_point cdf_websearch[] = {
	{ 10000, 0.15 }, { 20000, 0.2 }, { 30000, 0.3 }, { 50000, 0.4 }, { 80000, 0.53 },
	{ 200000, 0.6 }, { 1000000, 0.7 }, { 2000000, 0.8 }, { 5000000, 0.9 },
	{ 10000000, 0.97 }, { 30000000, 1.0 },
};

static const struct cdf_point cdf_fb_hadoop[] = {
	{ 100, 0.01 }, { 200, 0.02 }, { 300, 0.05 }, { 350, 0.15 }, { 400, 0.2 }, { 500, 0.3 },
	{ 600, 0.4 }, { 700, 0.5 }, { 1000, 0.6 }, { 2000, 0.67 }, { 7000, 0.7 }, { 30000, 0.72 },
	{ 50000, 0.82 }, { 80000, 0.87 }, { 120000, 0.9 }, { 300000, 0.95 }, { 1000000, 0.975 },
	{ 2000000, 0.99 }, { 10000000, 1.0 },
};

static const struct cdf_point cdf_ali_storage[] = {
	{ 4000, 0.2293 }, { 8000, 0.6921 }, { 16000, 0.8061 }, { 32000, 0.9047 }, { 64000, 0.9353 },
	{ 128000, 0.9677 }, { 256000, 0.9753 }, { 2000000, 1.0 },
};

static const struct cdf_point cdf_solar[] = {
	{ 4095, 0.00001 }, { 4096, 0.3 }, { 16383, 0.35 }, { 16384, 0.5 }, { 65535, 0.6 },
	{ 65536, 0.95 }, { 262144, 1.0 },
};

#define CDF_POINTS(table) table, sizeof(table) / sizeof(table[0])
static const struct { const struct cdf_point *point; size_t n; } cdf_builtin[] = {
	{ CDF_POINTS(cdf_websearch) }, { CDF_POINTS(cdf_fb_hadoop) }, { CDF_POINTS(cdf_ali_storage) },
	{ CDF_POINTS(cdf_solar) },
};
const char *const workload_cdf_names[] = { "websearch", "fb_hadoop", "ali_storage", "solar", NULL };

static void fill(struct workload_cdf *cdf, const struct cdf_point *point, size_t n)
{
	cdf->n = (int)n;
	cdf->size_bytes = mem_zalloc(n * sizeof(*cdf->size_bytes));
	cdf->fraction = mem_zalloc(n * sizeof(*cdf->fraction));
	for (size_t i = 0; i < n; i++) {
		cdf->size_bytes[i] = point[i].size_bytes;
		cdf->fraction[i] = point[i].fraction;
	}
}

int workload_cdf_builtin(const char *name, struct workload_cdf *cdf)
{
	for (int i = 0; name && workload_cdf_names[i]; i++) {
		if (strcmp(name, workload_cdf_names[i]) != 0)
			continue;
		fill(cdf, cdf_builtin[i].point, cdf_builtin[i].n);
		return 0;
	}
	return -1;
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
