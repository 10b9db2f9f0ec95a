/*
 * models/cc/fixed_window.c - a window that never changes, one bandwidth-delay
 * product by default.
 *
 * Mittal et al., "Revisiting network support for RDMA", SIGCOMM 2018, section
 * 3.2 (BDP-FC); Li et al., SIGCOMM 2019 (HPCC), whose simulator calls the same
 * bound HAS_WIN.  It bounds what one queue pair can put into a queue, and leaves
 * the rest to PFC:
 *
 *	W = window, or factor * line * T, at least one MTU	T = base RTT
 *	R = line
 *
 * The factor of 1 is both texts'.  A host sends while less than W is
 * unacknowledged, so what flies is W rounded up to whole packets.
 */
#include "models/cc/cc.h"

struct fixed_window_conf {
	int64_t window_bytes;		/* 0: of the path */
	struct units_ratio factor;
};

static const struct param fixed_window_params[] = {
	{ .key = "window", .type = PARAM_BYTES,
	  .offset = offsetof(struct fixed_window_conf, window_bytes),
	  .def = "bdp", .min = "1B", .max = "1000GB", .word = "bdp", .word_value = 0,
	  .doc = "Most payload that may be unacknowledged; bdp is line rate times base RTT." },
	{ .key = "factor", .type = PARAM_RATIO,
	  .offset = offsetof(struct fixed_window_conf, factor),
	  .def = "1", .min = "1/1000", .max = "1000",
	  .doc = "How many bandwidth-delay products the window is." },
	{ .key = NULL }
};

static int fixed_window_check(const void *conf_, struct sim_error *err)
{
	const struct fixed_window_conf *conf = conf_;

	if (conf->window_bytes && conf->factor.num != conf->factor.den)
		return error_set(err, "", "factor multiplies the bandwidth-delay product; "
					  "here window gives the bytes themselves");
	return 0;
}

static void fixed_window_init(struct cc *cc, int64_t now_ps)
{
	const struct fixed_window_conf *conf = cc->conf;
	int64_t window = conf->window_bytes;

	(void)now_ps;
	if (!window) {
		int64_t bdp = units_bytes_in(cc->path.base_rtt_ps, cc->path.line_bps);

		window = (int64_t)((__int128)bdp * conf->factor.num / conf->factor.den);
		if (window < cc->path.mtu_bytes)
			window = cc->path.mtu_bytes;
	}
	cc->out.cwnd_bytes = window;
	cc->out.rate_bps = cc->path.line_bps;
	cc->out.timer_ps[0] = CC_NEVER_PS;
	cc->out.timer_ps[1] = CC_NEVER_PS;
}

const struct cc_ops fixed_window_ops = {
	.name = "fixed_window",
	.paper = "Mittal et al., Revisiting network support for RDMA, SIGCOMM 2018 (BDP-FC)",
	.conf_size = sizeof(struct fixed_window_conf),
	.params = fixed_window_params,
	.check = fixed_window_check,
	.init = fixed_window_init,
};
