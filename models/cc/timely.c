/*
 * models/cc/timely.c - TIMELY, and TIMELY as patched: rate by RTT gradient.
 *
 * Mittal et al., "TIMELY: RTT-based congestion control for the datacenter",
 * SIGCOMM 2015; Zhu et al., "ECN or delay: lessons learnt from analysis of DCQCN
 * and TIMELY", CoNEXT 2016, algorithms 1 and 2 (the text followed here); hyper
 * increase as in alibaba-edu/High-Precision-Congestion-Control, rdma-hw.cc.
 *
 * Every sample of the RTT, the first one (which is only remembered) excepted:
 *
 *	rttDiff = (1 - alpha) rttDiff + alpha (RTT - previous RTT)
 *	g = rttDiff / minRTT
 *	RTT < Tlow	R += delta
 *	RTT > Thigh	R *= 1 - beta (1 - Thigh/RTT)
 *	else, timely	g <= 0: R += delta, or k delta after `hai_after` in a row
 *			g > 0:  R *= max(0, 1 - beta g)
 *	else, patched	w = 2 g + 1/2, within 0 .. 1
 *			R = delta (1 - w) + R (1 - beta w (RTT - RTTref)/RTTref)
 *
 * Fixed point of the patched form: R = C/N, RTT = RTTref (1 + N delta/(beta C));
 * TIMELY itself has none, or any: unequal rates stay unequal.
 *
 * A sample is due when a segment has been acknowledged and minRTT has passed
 * since the last (the tau* of the analysis, max(Seg/R, minRTT)), or once per
 * round trip as the simulator named above does.  Packets are paced one by one,
 * not sent in bursts of a segment.  The paper starts at C/(N+1) beside N flows
 * of the same sender; an algorithm does not know N: `initial_rate` says it.
 *
 * Parameters: CoNEXT 2016 section 4 (alpha, beta, delta at 10 Gb/s, thresholds,
 * minRTT, patched beta and segment); delta in proportion to the line and the
 * factor of 5 as in the run.py of that simulator.
 */
#include "models/cc/cc.h"

enum timely_form { TIMELY_PAPER, TIMELY_PATCHED };

struct timely_conf {
	int form;			/* enum timely_form */
	struct units_ratio alpha, beta;
	int64_t ai_bps;			/* delta; 0: of the line */
	int64_t hai_factor, hai_after;
	int64_t low_ps, high_ps;
	int64_t ref_ps;			/* 0: low_ps */
	int64_t min_rtt_ps;
	int64_t segment_bytes;		/* 0: a round trip */
	int64_t initial_bps;		/* 0: the line */
	int64_t min_bps;
};

struct timely {
	double rate;
	double rtt_diff_ps;
	int64_t rtt_ps;		/* of the last sample */
	int64_t sample_ps;	/* time of it */
	int64_t acked_bytes;	/* since then */
	int64_t round_seq;	/* the round trip ends when this is acknowledged */
	int32_t falling;	/* samples in a row with g <= 0 between the thresholds */
	bool sampled;
};
_Static_assert(sizeof(struct timely) <= CC_STATE_BYTES, "state of a queue pair");

#define ROW(key_, type_, field) \
	.key = key_, .type = type_, .offset = offsetof(struct timely_conf, field)

static const char *const timely_form_names[] = { "timely", "patched", NULL };

static const struct param timely_params[] = {
	{ ROW("form", PARAM_ENUM, form), .def = "timely", .names = timely_form_names,
	  .doc = "Whether the published algorithm runs or the patched one." },
	{ ROW("alpha", PARAM_RATIO, alpha), .def = "0.875", .min = "0", .max = "1",
	  .doc = "Weight of a new sample in the mean difference of RTTs." },
	{ ROW("beta", PARAM_RATIO, beta), .def = "0.8", .min = "0", .max = "1",
	  .doc = "Factor of multiplicative decrease." },
	{ ROW("rate_ai", PARAM_RATE, ai_bps), .def = "auto", .min = "1bps", .max = "10Tbps",
	  .word = "auto", .word_value = 0,
	  .doc = "Delta, the additive increase of a sample; auto is a 1000th of the line." },
	{ ROW("hai_factor", PARAM_COUNT, hai_factor), .def = "5", .min = "1", .max = "1000",
	  .doc = "Factor of the additive increase when the RTT keeps falling." },
	{ ROW("hai_after", PARAM_COUNT, hai_after), .def = "5", .min = "0", .max = "1000000",
	  .doc = "Samples in a row without a positive gradient before that factor counts." },
	{ ROW("t_low", PARAM_TIME, low_ps), .def = "50us", .min = "0ns", .max = "10s",
	  .doc = "RTT below which the rate always grows." },
	{ ROW("t_high", PARAM_TIME, high_ps), .def = "500us", .min = "1ns", .max = "10s",
	  .doc = "RTT above which the rate always falls." },
	{ ROW("rtt_ref", PARAM_TIME, ref_ps), .def = "t_low", .min = "1ns", .max = "10s",
	  .word = "t_low", .word_value = 0,
	  .doc = "RTT that the patched form holds against the measured one." },
	{ ROW("min_rtt", PARAM_TIME, min_rtt_ps), .def = "20us", .min = "1ns", .max = "10s",
	  .doc = "RTT by which the gradient is normalised, and least time between samples." },
	{ ROW("segment", PARAM_BYTES, segment_bytes), .def = "64KB", .min = "1B", .max = "1GB",
	  .word = "rtt", .word_value = 0,
	  .doc = "Bytes acknowledged that make a sample; rtt is one sample a round trip." },
	{ ROW("initial_rate", PARAM_RATE, initial_bps), .def = "line", .min = "1Kbps",
	  .max = "10Tbps", .word = "line", .word_value = 0,
	  .doc = "Rate of a new queue pair." },
	{ ROW("min_rate", PARAM_RATE, min_bps), .def = "100Mbps", .min = "1bps",
	  .max = "10Tbps", .doc = "Rate below which nothing reduces." },
	{ .key = NULL }
};

static const char *const timely_preset_paper[] = { "form", "timely", NULL };
static const char *const timely_preset_patched[] = {
	"form", "patched", "beta", "0.008", "segment", "16KB", NULL
};
static const char *const timely_preset_ns3[] = {
	"form", "timely", "segment", "rtt", NULL
};
static const struct cc_preset timely_presets[] = {
	{ "paper", timely_preset_paper },
	{ "patched", timely_preset_patched },
	{ "ns3", timely_preset_ns3 },
	{ NULL, NULL }
};

static int timely_check(const void *conf_, struct sim_error *err)
{
	const struct timely_conf *conf = conf_;

	if (conf->low_ps >= conf->high_ps)
		return error_set(err, "", "t_low must be below t_high");
	if (conf->form == TIMELY_PATCHED && conf->ref_ps == 0 && conf->low_ps == 0)
		return error_set(err, "", "rtt_ref is t_low, which is 0");
	if (conf->form != TIMELY_PATCHED && conf->ref_ps != 0)
		return error_set(err, "", "rtt_ref is of the form \"patched\"; "
					  "this is \"timely\"");
	return 0;
}

static struct timely *timely_of(struct cc *cc)
{
	return (struct timely *)(void *)cc->state;
}

static double timely_ratio(struct units_ratio r)
{
	return (double)r.num / (double)r.den;
}

static void timely_answer(struct cc *cc)
{
	const struct timely_conf *conf = cc->conf;
	struct timely *s = timely_of(cc);

	if (s->rate < (double)conf->min_bps)
		s->rate = (double)conf->min_bps;
	if (s->rate > (double)cc->path.line_bps)
		s->rate = (double)cc->path.line_bps;
	cc->out.rate_bps = (int64_t)s->rate;
}

static void timely_init(struct cc *cc, int64_t now_ps)
{
	const struct timely_conf *conf = cc->conf;
	struct timely *s = timely_of(cc);

	s->rate = (double)(conf->initial_bps ? conf->initial_bps : cc->path.line_bps);
	s->sample_ps = now_ps;
	cc->out.cwnd_bytes = CC_NO_WINDOW;
	cc->out.timer_ps[0] = CC_NEVER_PS;
	cc->out.timer_ps[1] = CC_NEVER_PS;
	timely_answer(cc);
}

static bool timely_due(struct cc *cc, const struct cc_ack *ack)
{
	const struct timely_conf *conf = cc->conf;
	struct timely *s = timely_of(cc);

	s->acked_bytes += ack->acked_bytes;
	if (ack->snd_nxt < s->round_seq)	/* the sender went back */
		s->round_seq = ack->snd_nxt;
	if (conf->segment_bytes == 0)
		return ack->ack_seq > s->round_seq;
	return s->acked_bytes >= conf->segment_bytes &&
	       ack->now_ps - s->sample_ps >= conf->min_rtt_ps;
}

/* Between the thresholds, by gradient `g`. */
static void timely_by_gradient(struct cc *cc, double g, double delta)
{
	const struct timely_conf *conf = cc->conf;
	struct timely *s = timely_of(cc);
	double keep = 1 - timely_ratio(conf->beta) * g;

	if (g > 0) {
		s->falling = 0;
		s->rate *= keep > 0 ? keep : 0;
		return;
	}
	if (s->falling >= conf->hai_after) {
		s->rate += (double)conf->hai_factor * delta;
		return;
	}
	s->falling++;
	s->rate += delta;
}

static void timely_by_error(struct cc *cc, double g, double delta)
{
	const struct timely_conf *conf = cc->conf;
	struct timely *s = timely_of(cc);
	double ref = (double)(conf->ref_ps ? conf->ref_ps : conf->low_ps);
	double error = ((double)s->rtt_ps - ref) / ref;
	double w = 2 * g + 0.5, keep;

	w = w < 0 ? 0 : w > 1 ? 1 : w;
	keep = 1 - timely_ratio(conf->beta) * w * error;
	s->rate = delta * (1 - w) + s->rate * (keep > 0 ? keep : 0);
}

static void timely_sample(struct cc *cc, int64_t rtt_ps)
{
	const struct timely_conf *conf = cc->conf;
	struct timely *s = timely_of(cc);
	double alpha = timely_ratio(conf->alpha), delta = (double)conf->ai_bps, g;

	if (conf->ai_bps == 0)
		delta = (double)cc->path.line_bps / 1000;
	s->rtt_diff_ps = (1 - alpha) * s->rtt_diff_ps + alpha * (double)(rtt_ps - s->rtt_ps);
	s->rtt_ps = rtt_ps;
	g = s->rtt_diff_ps / (double)conf->min_rtt_ps;
	if (rtt_ps < conf->low_ps) {
		s->falling = 0;
		s->rate += delta;
	} else if (rtt_ps > conf->high_ps) {
		s->falling = 0;
		s->rate *= 1 - timely_ratio(conf->beta) *
				       (1 - (double)conf->high_ps / (double)rtt_ps);
	} else if (conf->form == TIMELY_PATCHED) {
		timely_by_error(cc, g, delta);
	} else {
		timely_by_gradient(cc, g, delta);
	}
	timely_answer(cc);
}

static void timely_on_ack(struct cc *cc, const struct cc_ack *ack)
{
	struct timely *s = timely_of(cc);

	if (!timely_due(cc, ack))
		return;
	s->acked_bytes = 0;
	s->sample_ps = ack->now_ps;
	s->round_seq = ack->snd_nxt;
	if (s->sampled)
		timely_sample(cc, ack->rtt_ps);
	s->rtt_ps = ack->rtt_ps;
	s->sampled = true;
}

const struct cc_ops timely_ops = {
	.name = "timely",
	.paper = "Mittal et al., TIMELY: RTT-based congestion control for the datacenter, "
		 "SIGCOMM 2015",
	.needs = CC_NEED_RTT,
	.conf_size = sizeof(struct timely_conf),
	.state_size = sizeof(struct timely),
	.params = timely_params,
	.presets = timely_presets,
	.check = timely_check,
	.init = timely_init,
	.on_ack = timely_on_ack,
};
