/*
 * models/switch/ecn.h - WRED marking of one egress queue; or by a PI controller (pi.h).
 *
 * Instantaneous queue length q (SONiC forces weight 0): probability 0 up to
 * kmin, linear to pmax at kmax, 1 above kmax.  ECT frames are marked, others
 * of a queue with `drop_not_ect` are dropped by the same curve.
 * The draw compares integers only, so it is the same on every machine.
 */
#ifndef ECN_H
#define ECN_H
#include <stdbool.h>
#include <stdint.h>
#include "sim/param.h"

enum ecn_where { ECN_DEQUEUE, ECN_ENQUEUE };
struct ecn_conf {
	bool on;		/* set by whoever fills the rest */
	int64_t kmin_bytes, kmax_bytes;
	struct units_ratio pmax;
	int where;		/* enum ecn_where */
	int64_t pi_ref_bytes;	/* 0: the curve; else the rest is for pi.h, and the curve is not used */
	int64_t pi_interval_ps;
	struct units_ratio pi_a, pi_b;	/* a kilobyte */
};
extern const struct param ecn_params[];

int ecn_check(const struct ecn_conf *conf, struct sim_error *err) SIM_MUST_CHECK;
/* Does a frame that finds (or leaves) `queue_bytes` get marked?  `draw` is 32
 * uniform bits, only looked at between kmin and kmax. */
bool ecn_marks(const struct ecn_conf *conf, int64_t queue_bytes, uint32_t draw);
#endif
