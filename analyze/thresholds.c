/* analyze/thresholds.c - see thresholds.h */
#include "analyze/thresholds.h"

#include <math.h>
#include "sim/units.h"

double thresholds_queue(double mark, int64_t kmin, int64_t kmax, double pmax)
{
	return mark > pmax ? -1 : (double)kmin + (double)(kmax - kmin) * mark / pmax;
}

/* A row's thresholds are proportional to the rate, stated for `per_gbps`. */
static int64_t scaled(int64_t bytes, int64_t rate_bps, int64_t per_gbps)
{
	return (int64_t)((__int128)bytes * rate_bps / (per_gbps * 1000000000));
}

/* Two digits are enough for advice. */
static int64_t rounded(double bytes)
{
	double step = pow(10, floor(log10(bytes)) - 1);

	return (int64_t)(ceil(bytes / step) * step);
}

void thresholds_advice(const struct fluid_conf *c, int64_t rtt_ps, double mark,
		       struct thresholds_advice out[THRESHOLDS_ADVICE])
{
	double kmin = (double)units_bytes_in(rtt_ps, c->rate_bps) / 7;
	double frames = 2.0 * (double)c->frame_bytes, pmax = mark * 2 > 0.01 ? mark * 2 : 0.01;
	int64_t rate = c->rate_bps;

	kmin = kmin > frames ? kmin : frames;
	pmax = pmax > 1 ? 1 : ceil(pmax * 100) / 100;
	out[0] = (struct thresholds_advice){ scaled(5000, rate, 40), scaled(200000, rate, 40), 0.01,
		"DCQCN, SIGCOMM 2015, by rate (at 40G 5/200 KB)" };
	out[1] = (struct thresholds_advice){ scaled(100000, rate, 25), scaled(400000, rate, 25), 0.2,
		"HPCC's baseline, by rate (at 25G 100/400 KB)" };
	out[2] = (struct thresholds_advice){ 1048576, 2097152, 0.05, "SONiC's AZURE_LOSSLESS" };
	out[3] = (struct thresholds_advice){ 150000, 1500000, 1, "NVIDIA Cumulus" };
	out[4] = (struct thresholds_advice){ rounded(kmin), rounded(5 * kmin), pmax,
		"C RTT / 7, five times that, and a pmax of twice the mark at the fixed point" };
}
