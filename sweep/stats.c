#include "sweep/stats.h"

#include <math.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

struct stats stats_of(const double *values, int n)
{
	return stats_at(values, n, 0.95);
}

struct stats stats_at(const double *values, int n, double confidence)
{
	struct stats s = { .n = n, .mean = NAN, .sd = NAN, .half = NAN };

	if (n < 1)
		return s;
	s.mean = gsl_stats_mean(values, 1, (size_t)n);
	if (n < 2)
		return s;
	s.sd = gsl_stats_sd_m(values, 1, (size_t)n, s.mean);
	s.half = gsl_cdf_tdist_Pinv((1 + confidence) / 2, n - 1) * s.sd / sqrt(n);
	return s;
}
