/*
 * models/cc/none.c - no congestion control: line rate, and a window if asked.
 *
 * What a NIC does with DCQCN switched off.  With a window of one bandwidth-delay
 * product it is the "PFC + window" baseline of Li et al., SIGCOMM 2019 (HPCC).
 */
#include "models/cc/cc.h"

struct none_conf {
	int64_t window_bytes;
};

static const struct param none_params[] = {
	{ .key = "window", .type = PARAM_BYTES,
	  .offset = offsetof(struct none_conf, window_bytes),
	  .def = "none", .min = "1B", .max = "1000GB", .word = "none",
	  .word_value = CC_NO_WINDOW,
	  .doc = "Most bytes of a queue pair that may be unacknowledged; none is no limit." },
	{ .key = NULL }
};

static void none_init(struct cc *cc, int64_t now_ps)
{
	const struct none_conf *conf = cc->conf;

	(void)now_ps;
	cc->out.cwnd_bytes = conf->window_bytes;
	cc->out.rate_bps = cc->path.line_bps;
	cc->out.timer_ps[0] = CC_NEVER_PS;
	cc->out.timer_ps[1] = CC_NEVER_PS;
}

const struct cc_ops none_ops = {
	.name = "none",
	.paper = "none: the line rate, held back by PFC alone",
	.conf_size = sizeof(struct none_conf),
	.params = none_params,
	.init = none_init,
};
