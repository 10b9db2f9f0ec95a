/*
 * models/host/workload_cdf.h - flow sizes drawn from a piecewise-linear CDF.
 *
 * Points ascend in size and fraction; the last fraction is 1.  Between two
 * points the size is linear in the fraction; below the first it starts from
 * size 0 at fraction 0.  Two points of one size are an atom: a first point of
 * fraction 0 (or a repeated size) makes the distribution start (or jump) there.
 * Fractions are used as whole multiples of 2^-53 and the rest is integers, so
 * that a draw is the same on every machine.
 */
#ifndef WORKLOAD_CDF_H
#define WORKLOAD_CDF_H
#include <stdint.h>
#include "models/host/workload.h"

/* NULL-terminated names of the distributions that are built in. */
extern const char *const workload_cdf_names[];
/* Fills `cdf` with one of them (NULL-safe: -1 when the name is unknown); the
 * arrays are the caller's, for workload_cdf_fini. */
int workload_cdf_builtin(const char *name, struct workload_cdf *cdf);
void workload_cdf_fini(struct workload_cdf *cdf);
int workload_cdf_check(const struct workload_cdf *cdf, struct sim_error *err) SIM_MUST_CHECK;

/* A size >= 1 B for 64 uniform bits (the low 11 are not used). */
int64_t workload_cdf_draw(const struct workload_cdf *cdf, uint64_t uniform64);
/* The mean of the distribution, to the nearest byte, >= 1. */
int64_t workload_cdf_mean(const struct workload_cdf *cdf);
#endif
