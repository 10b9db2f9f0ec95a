/*
 * models/cc/swift.c - Swift: a window held by a target delay.
 *
 * Kumar et al., "Swift: delay is simple and effective for congestion control in
 * the datacenter", SIGCOMM 2020, algorithm 1 and section 3; read through
 * Broadcom/csg-htsim, swift.cpp.
 *
 * The window, cwnd, counts packets (MTUs) and may be under one.  Per ACK, delay
 * being the RTT of the acknowledged packet:
 *
 *	target = base + hops * h + fs(cwnd)
 *	fs = a / sqrt(cwnd) + b, within 0 .. range
 *		a = range / (1/sqrt(fs_min) - 1/sqrt(fs_max)),  b = -a / sqrt(fs_max)
 *	delay < target	cwnd >= 1: cwnd += ai * acknowledged / cwnd
 *			cwnd <  1: cwnd += ai * acknowledged
 *	else, once in an RTT at most
 *			cwnd *= max(1 - beta (delay - target)/delay, 1 - max_mdf)
 *
 *	NAK		cwnd *= 1 - max_mdf, once in an RTT at most
 *	timeout		the same; the retransmit_reset-th in a row: cwnd = min_cwnd
 *
 * cwnd within min_cwnd .. max_cwnd after each.  From one packet on ACKs clock
 * the sender, at line rate; below, one packet is sent every RTT/cwnd, that is
 * at the rate MTU * cwnd / RTT.
 *
 * Left out: the second window for delay in the receiving host, because a NIC of
 * ours answers as the wire does (all delay is the fabric's), and the choice of
 * paths by delay.  Added: cwnd grows only while it is what limits (RFC 7661);
 * in the paper's host a window above what the NIC can send shows as delay in
 * its own queue, and ours has no such queue.
 *
 * Parameters: those of csg-htsim, whose author calls them guesses: ai, beta,
 * max_mdf, base 20 us, h = base / 6.55, fs 0.1 .. 100 packets with a range of 5
 * * base, reset at the 5th timeout, min_cwnd 10 bytes (here 1 % of a packet),
 * max_cwnd 1000 packets.  A queue pair starts with one bandwidth-delay product.
 */
#include "models/cc/cc.h"

#include <math.h>

struct swift_conf {
	int64_t base_ps, hop_ps;
	int64_t fs_range_ps;
	struct units_ratio fs_min, fs_max;	/* packets */
	struct units_ratio ai, beta, max_mdf;
	struct units_ratio cwnd_min, cwnd_max;	/* packets */
	int64_t initial_bytes;			/* 0: of the path */
	int64_t retransmit_reset;
};

struct swift {
	double cwnd;		/* packets */
	int64_t rtt_ps;		/* the last */
	int64_t cut_ps;		/* time of the last decrease */
	int64_t timeouts;	/* in a row */
	bool cut;		/* there was one */
};
_Static_assert(sizeof(struct swift) <= CC_STATE_BYTES, "state of a queue pair");

#define ROW(key_, type_, field) \
	.key = key_, .type = type_, .offset = offsetof(struct swift_conf, field)

static const struct param swift_params[] = {
	{ ROW("base_target", PARAM_TIME, base_ps), .def = "20us", .min = "1ns", .max = "1s",
	  .doc = "Target delay before the terms for hops and for small windows." },
	{ ROW("hop_target", PARAM_TIME, hop_ps), .def = "3050ns", .min = "0ns", .max = "1s",
	  .doc = "Target delay that each link of the path adds." },
	{ ROW("fs_range", PARAM_TIME, fs_range_ps), .def = "100us", .min = "0ns", .max = "1s",
	  .doc = "Most target delay that a small window adds." },
	{ ROW("fs_min_cwnd", PARAM_RATIO, fs_min), .def = "0.1", .min = "1/1000000",
	  .max = "1000000", .doc = "Window, in packets, from which down all of it is added." },
	{ ROW("fs_max_cwnd", PARAM_RATIO, fs_max), .def = "100", .min = "1/1000000",
	  .max = "1000000", .doc = "Window, in packets, from which up none of it is added." },
	{ ROW("ai", PARAM_RATIO, ai), .def = "1", .min = "0", .max = "1000",
	  .doc = "Packets that the window grows by in an RTT below the target." },
	{ ROW("beta", PARAM_RATIO, beta), .def = "0.8", .min = "0", .max = "1",
	  .doc = "Factor of the decrease in proportion to the delay above the target." },
	{ ROW("max_mdf", PARAM_RATIO, max_mdf), .def = "0.5", .min = "0", .max = "1",
	  .doc = "Most part of the window that one decrease takes." },
	{ ROW("min_cwnd", PARAM_RATIO, cwnd_min), .def = "0.01", .min = "1/1000000",
	  .max = "1000000", .doc = "Least window, in packets." },
	{ ROW("max_cwnd", PARAM_RATIO, cwnd_max), .def = "1000", .min = "1/1000000",
	  .max = "1000000", .doc = "Most window, in packets." },
	{ ROW("initial_window", PARAM_BYTES, initial_bytes), .def = "bdp", .min = "1B",
	  .max = "1000GB", .word = "bdp", .word_value = 0,
	  .doc = "Window of a new queue pair; bdp is line rate times base RTT." },
	{ ROW("retransmit_reset", PARAM_COUNT, retransmit_reset), .def = "5", .min = "1",
	  .max = "1000", .doc = "Timeouts in a row after which the window is the least." },
	{ .key = NULL }
};

static double swift_ratio(struct units_ratio r)
{
	return (double)r.num / (double)r.den;
}

static int swift_check(const void *conf_, struct sim_error *err)
{
	const struct swift_conf *conf = conf_;

	if (swift_ratio(conf->fs_min) >= swift_ratio(conf->fs_max))
		return error_set(err, "", "fs_min_cwnd must be below fs_max_cwnd");
	if (swift_ratio(conf->cwnd_min) > swift_ratio(conf->cwnd_max))
		return error_set(err, "", "min_cwnd is above max_cwnd");
	return 0;
}

static struct swift *swift_of(struct cc *cc)
{
	return (struct swift *)(void *)cc->state;
}

static double swift_target_ps(const struct cc *cc, double cwnd)
{
	const struct swift_conf *conf = cc->conf;
	double range = (double)conf->fs_range_ps, far = 1 / sqrt(swift_ratio(conf->fs_max));
	double a = range / (1 / sqrt(swift_ratio(conf->fs_min)) - far);
	double fs = a / sqrt(cwnd) - a * far;

	fs = fs < 0 ? 0 : fs > range ? range : fs;
	return (double)(conf->base_ps + cc->path.hops * conf->hop_ps) + fs;
}

/* Bounds the window and answers; `was` is the window before. */
static void swift_answer(struct cc *cc, int64_t now_ps, double was)
{
	const struct swift_conf *conf = cc->conf;
	struct swift *s = swift_of(cc);
	double line = (double)cc->path.line_bps, mtu = (double)cc->path.mtu_bytes, rate = line;

	if (s->cwnd < swift_ratio(conf->cwnd_min))
		s->cwnd = swift_ratio(conf->cwnd_min);
	if (s->cwnd > swift_ratio(conf->cwnd_max))
		s->cwnd = swift_ratio(conf->cwnd_max);
	if (s->cwnd < was) {
		s->cut_ps = now_ps;
		s->cut = true;
	}
	if (s->cwnd < 1 && s->rtt_ps > 0)
		rate = mtu * s->cwnd * 8e12 / (double)s->rtt_ps;
	rate = rate > line ? line : rate < 1 ? 1 : rate;
	cc->out.cwnd_bytes = s->cwnd * mtu < 1 ? 1 : (int64_t)(s->cwnd * mtu);
	cc->out.rate_bps = (int64_t)rate;
}

static void swift_init(struct cc *cc, int64_t now_ps)
{
	const struct swift_conf *conf = cc->conf;
	struct swift *s = swift_of(cc);
	int64_t window = conf->initial_bytes ? conf->initial_bytes
			 : units_bytes_in(cc->path.base_rtt_ps, cc->path.line_bps);

	s->cwnd = (double)window / (double)cc->path.mtu_bytes;
	if (s->cwnd < 1 && !conf->initial_bytes)
		s->cwnd = 1;
	s->rtt_ps = cc->path.base_rtt_ps;
	cc->out.timer_ps[0] = CC_NEVER_PS;
	cc->out.timer_ps[1] = CC_NEVER_PS;
	swift_answer(cc, now_ps, s->cwnd);
	s->cut = false;
}

static bool swift_may_cut(const struct swift *s, int64_t now_ps)
{
	return !s->cut || now_ps - s->cut_ps >= s->rtt_ps;
}

static void swift_on_ack(struct cc *cc, const struct cc_ack *ack)
{
	const struct swift_conf *conf = cc->conf;
	struct swift *s = swift_of(cc);
	int64_t flew = ack->snd_nxt - ack->ack_seq + ack->acked_bytes;
	double was = s->cwnd, delay = (double)ack->rtt_ps, target = swift_target_ps(cc, was);
	double acked = (double)ack->acked_bytes / (double)cc->path.mtu_bytes;

	s->timeouts = 0;
	s->rtt_ps = ack->rtt_ps;
	if (delay < target) {
		if (flew >= cc->out.cwnd_bytes)
			s->cwnd += swift_ratio(conf->ai) * (was >= 1 ? acked / was : acked);
	} else if (swift_may_cut(s, ack->now_ps)) {
		double keep = 1 - swift_ratio(conf->beta) * (delay - target) / delay;
		double least = 1 - swift_ratio(conf->max_mdf);

		s->cwnd *= keep > least ? keep : least;
	}
	swift_answer(cc, ack->now_ps, was);
}

static void swift_on_loss(struct cc *cc, int64_t now_ps, enum cc_loss why)
{
	const struct swift_conf *conf = cc->conf;
	struct swift *s = swift_of(cc);
	double was = s->cwnd;

	s->timeouts = why == CC_LOSS_TIMEOUT ? s->timeouts + 1 : 0;
	if (s->timeouts >= conf->retransmit_reset)
		s->cwnd = swift_ratio(conf->cwnd_min);
	else if (swift_may_cut(s, now_ps))
		s->cwnd *= 1 - swift_ratio(conf->max_mdf);
	swift_answer(cc, now_ps, was);
}

const struct cc_ops swift_ops = {
	.name = "swift",
	.paper = "Kumar et al., Swift: delay is simple and effective for congestion control "
		 "in the datacenter, SIGCOMM 2020",
	.needs = CC_NEED_RTT,
	.conf_size = sizeof(struct swift_conf),
	.state_size = sizeof(struct swift),
	.params = swift_params,
	.check = swift_check,
	.init = swift_init,
	.on_ack = swift_on_ack,
	.on_loss = swift_on_loss,
};
