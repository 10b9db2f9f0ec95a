/*
 * analyze/thresholds.h - ECN thresholds: what others set, and the queue they imply.
 *
 * The mark p at DCQCN's fixed point depends on the share of a flow and on the
 * sender's settings, not on the thresholds (fixed_point.h); they only say at which
 * queue it is reached: q = kmin + (kmax - kmin) p / pmax.
 */
#ifndef THRESHOLDS_H
#define THRESHOLDS_H
#include "analyze/fixed_point.h"

/* Queue at the fixed point; negative: p is above pmax, and the queue goes round kmax. */
double thresholds_queue(double mark, int64_t kmin_bytes, int64_t kmax_bytes, double pmax);

struct thresholds_advice {
	int64_t kmin_bytes, kmax_bytes;
	double pmax;
	const char *source;
};
enum { THRESHOLDS_ADVICE = 5 };
/* What others set for this rate and round trip; the last is ours: kmin C RTT / 7
 * (DCTCP's least for full use) and a slope on which p lies at half of pmax. */
void thresholds_advice(const struct fluid_conf *conf, int64_t rtt_ps, double mark,
		       struct thresholds_advice out[THRESHOLDS_ADVICE]);
#endif
