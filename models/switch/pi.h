/*
 * models/switch/pi.h - marks by a PI controller, in place of the WRED curve.
 *
 *   every pi_interval:   p += pi_a (q - pi_ref) - pi_b (q_before - pi_ref),   0 <= p <= 1
 *
 * with q the queue in kilobytes (1000 bytes) now and an interval ago.  Where the senders
 * stand still so does p, and then q is pi_ref: the queue does not depend on how many they
 * are, as the one of WRED does.  pi_a > pi_b; their difference is the integral part.
 *
 * Hollot, Misra, Towsley, Gong, "On Designing Improved Controllers for AQM Routers Supporting
 * TCP Flows", INFOCOM 2001; for DCQCN: Zhu et al., "ECN or Delay", CoNEXT 2016.
 *
 * A controller works from the first frame that asks it until p is 0 and the queue empty, so
 * an idle port has no events.
 */
#ifndef PI_H
#define PI_H
#include <stdbool.h>
#include <stdint.h>
#include "models/switch/ecn.h"

struct pi {			/* of one egress queue; zeroed: at rest */
	double p;
	int64_t before_bytes;
	bool on;		/* its timer is armed */
};

void pi_update(struct pi *pi, const struct ecn_conf *conf, int64_t queue_bytes);
static inline bool pi_rests(const struct pi *pi, int64_t queue_bytes) { return pi->p == 0 && !queue_bytes; }
/* `draw` is 32 uniform bits. */
static inline bool pi_marks(const struct pi *pi, uint32_t draw) { return (double)draw < pi->p * 4294967296.0; }
#endif
