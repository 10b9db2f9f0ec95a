/*
 * analyze/prove.h - headroom put to the test: the worst case of one port, run.
 *
 * A sender at line rate fills a group whose egress is stopped.  Frames of the
 * other direction leave back to back, so that one has just begun when the group
 * goes to XOFF: the pause waits for it.  How long before, the phase, goes over
 * that frame's whole wire time.
 */
#ifndef PROVE_H
#define PROVE_H
#include "models/switch/headroom.h"
#include "sim/error.h"

struct prove_outcome {
	int phases;
	int64_t lost;			/* frames, over all phases */
	int64_t worst_phase_ps;		/* of the phase that lost most; -1 none */
	int64_t peak_bytes;		/* of headroom in use */
};

/* `frame_bytes`: of the sender (conf's forward_bytes, or a size that fills cells
 * badly); `headroom_bytes`: what the group has. */
int prove_run(const struct headroom_conf *conf, int64_t frame_bytes, int64_t headroom_bytes,
	      int phases, struct prove_outcome *out, struct sim_error *err) SIM_MUST_CHECK;
#endif
