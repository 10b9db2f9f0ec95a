/*
 * models/cc/dctcp.c - DCTCP on RDMA: a cut in proportion to the marked part.
 *
 * Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010; RFC 8257, section
 * 3.3; on RDMA as in alibaba-edu/High-Precision-Congestion-Control, rdma-hw.cc.
 *
 * A round is one window of data: it ends with the first ACK above what snd_nxt
 * was when it began.  Per ACK:
 *
 *	end of a round	F = marked bytes / acknowledged bytes of the round, 1 at most (packets
 *			sent twice may be marked twice)
 *			alpha = (1 - g) alpha + g F
 *	marked, and not already reduced in this window of data:
 *			W *= 1 - alpha/2, no more until what is now in flight
 *			has been acknowledged
 *	else		W += one MTU a round
 *
 *		window (the paper)		rate (that simulator)
 *	state	W; R is the line's		R; W = R T, T = base RTT
 *	growth	MTU * acknowledged / W an ACK	rate_ai at the end of a round
 *	start	W = line T			R = line
 *
 * The window grows only while it is what limits: above what the NIC can send it
 * would mean nothing (RFC 7661; Linux does the same).  There is no slow start,
 * as in no RDMA algorithm.  The first ACK begins the first round and leaves alpha
 * alone.  A NAK halves like a loss in RFC 8257, once per window of data; a
 * timeout leaves one MTU, or min_rate.
 *
 * Marking is the switch's: a step at K (kmin = kmax, pmax 100 %), 30 KB per 10
 * Gb/s in that simulator, K > C T/7 in the paper.
 *
 * Parameters: g = 1/16 of the paper, alpha = 1 at first of RFC 8257; 615 Mb/s
 * in that simulator is its MTU of 1 KB per 13 us.
 */
#include "models/cc/cc.h"

enum dctcp_form { DCTCP_WINDOW, DCTCP_RATE };

struct dctcp_conf {
	int form;			/* enum dctcp_form */
	struct units_ratio g, initial_alpha;
	int64_t initial_bytes;		/* window: 0: of the path */
	int64_t ai_bps, min_bps;	/* rate: 0: of the path */
};

struct dctcp {
	double size;		/* W in bytes or R in bits per second */
	double alpha;
	int64_t acked_bytes, marked_bytes;	/* in this round */
	int64_t round_seq;	/* the round ends above this */
	int64_t cut_seq;	/* reduced: until this is acknowledged */
	int64_t snd_nxt;	/* of the last ACK */
	bool cut, began;
};
_Static_assert(sizeof(struct dctcp) <= CC_STATE_BYTES, "state of a queue pair");

#define ROW(key_, type_, field) \
	.key = key_, .type = type_, .offset = offsetof(struct dctcp_conf, field)

static const char *const dctcp_form_names[] = { "window", "rate", NULL };

static const struct param dctcp_params[] = {
	{ ROW("form", PARAM_ENUM, form), .def = "window", .names = dctcp_form_names,
	  .doc = "Whether a window is controlled, as in the paper, or a rate." },
	{ ROW("g", PARAM_RATIO, g), .def = "1/16", .min = "0", .max = "1",
	  .doc = "Gain of alpha." },
	{ ROW("initial_alpha", PARAM_RATIO, initial_alpha), .def = "1", .min = "0", .max = "1",
	  .doc = "Alpha of a new queue pair; 1 halves at the first mark." },
	{ ROW("initial_window", PARAM_BYTES, initial_bytes), .def = "bdp", .min = "1B",
	  .max = "1000GB", .word = "bdp", .word_value = 0,
	  .doc = "Window of a new queue pair; bdp is line rate times base RTT." },
	{ ROW("rate_ai", PARAM_RATE, ai_bps), .def = "auto", .min = "1bps", .max = "10Tbps",
	  .word = "auto", .word_value = 0,
	  .doc = "Growth of the rate in a round; auto is one MTU per base RTT." },
	{ ROW("min_rate", PARAM_RATE, min_bps), .def = "100Mbps", .min = "1bps",
	  .max = "10Tbps", .doc = "Rate below which no cut goes." },
	{ .key = NULL }
};

static const char *const dctcp_preset_window[] = { "form", "window", NULL };
static const char *const dctcp_preset_rate[] = { "form", "rate", NULL };
static const struct cc_preset dctcp_presets[] = {
	{ "paper", dctcp_preset_window },
	{ "ns3", dctcp_preset_rate },
	{ NULL, NULL }
};

static int dctcp_check(const void *conf_, struct sim_error *err)
{
	const struct dctcp_conf *conf = conf_;

	if (conf->form == DCTCP_WINDOW && conf->ai_bps)
		return error_set(err, "", "rate_ai is of the form \"rate\"; "
					  "this is \"window\"");
	if (conf->form == DCTCP_RATE && conf->initial_bytes)
		return error_set(err, "", "initial_window is of the form \"window\"; "
					  "this is \"rate\"");
	return 0;
}

static struct dctcp *dctcp_of(struct cc *cc)
{
	return (struct dctcp *)(void *)cc->state;
}

static double dctcp_ratio(struct units_ratio r)
{
	return (double)r.num / (double)r.den;
}

static double dctcp_window_of(const struct cc *cc, double bps)
{
	return bps * (double)cc->path.base_rtt_ps / 8e12;
}

/* The answer, within its bounds. */
static void dctcp_answer(struct cc *cc)
{
	const struct dctcp_conf *conf = cc->conf;
	struct dctcp *s = dctcp_of(cc);
	double least = (double)cc->path.mtu_bytes, line = (double)cc->path.line_bps, window;

	if (conf->form == DCTCP_RATE) {
		if (s->size < (double)conf->min_bps)
			s->size = (double)conf->min_bps;
		if (s->size > line)
			s->size = line;
		window = dctcp_window_of(cc, s->size);
		cc->out.cwnd_bytes = (int64_t)(window > least ? window : least);
		cc->out.rate_bps = (int64_t)s->size;
		return;
	}
	if (s->size < least)
		s->size = least;
	cc->out.cwnd_bytes = (int64_t)s->size;
	cc->out.rate_bps = cc->path.line_bps;
}

static void dctcp_init(struct cc *cc, int64_t now_ps)
{
	const struct dctcp_conf *conf = cc->conf;
	struct dctcp *s = dctcp_of(cc);

	(void)now_ps;
	s->alpha = dctcp_ratio(conf->initial_alpha);
	s->size = (double)cc->path.line_bps;
	if (conf->form == DCTCP_WINDOW)
		s->size = conf->initial_bytes ? (double)conf->initial_bytes
					      : dctcp_window_of(cc, s->size);
	cc->out.timer_ps[0] = CC_NEVER_PS;
	cc->out.timer_ps[1] = CC_NEVER_PS;
	dctcp_answer(cc);
}

/* Whether a round ends with this ACK. */
static bool dctcp_round(struct cc *cc, const struct cc_ack *ack)
{
	const struct dctcp_conf *conf = cc->conf;
	struct dctcp *s = dctcp_of(cc);
	double g = dctcp_ratio(conf->g);

	s->acked_bytes += ack->acked_bytes;
	s->marked_bytes += ack->ce_bytes;
	if (ack->snd_nxt < s->snd_nxt) {	/* the sender went back */
		if (s->round_seq > ack->snd_nxt)
			s->round_seq = ack->snd_nxt;
		if (s->cut_seq > ack->snd_nxt)
			s->cut_seq = ack->snd_nxt;
	}
	s->snd_nxt = ack->snd_nxt;
	if (s->began && ack->ack_seq <= s->round_seq)
		return false;
	s->round_seq = ack->snd_nxt;
	if (!s->began) {
		s->began = true;
		return true;
	}
	if (s->marked_bytes > s->acked_bytes)
		s->marked_bytes = s->acked_bytes;
	s->alpha = (1 - g) * s->alpha +
		   g * (double)s->marked_bytes / (double)s->acked_bytes;
	s->acked_bytes = 0;
	s->marked_bytes = 0;
	return true;
}

static void dctcp_grow(struct cc *cc, const struct cc_ack *ack, bool round)
{
	const struct dctcp_conf *conf = cc->conf;
	struct dctcp *s = dctcp_of(cc);
	int64_t flew = ack->snd_nxt - ack->ack_seq + ack->acked_bytes;
	double mtu = (double)cc->path.mtu_bytes;

	if (conf->form == DCTCP_WINDOW) {
		if (flew >= cc->out.cwnd_bytes)
			s->size += mtu * (double)ack->acked_bytes / s->size;
	} else if (round) {
		s->size += conf->ai_bps ? (double)conf->ai_bps
			   : cc->path.base_rtt_ps ? mtu * 8e12 / (double)cc->path.base_rtt_ps
						  : 0;
	}
}

static void dctcp_on_ack(struct cc *cc, const struct cc_ack *ack)
{
	struct dctcp *s = dctcp_of(cc);
	bool round = dctcp_round(cc, ack);

	if (s->cut && ack->ack_seq > s->cut_seq)
		s->cut = false;
	if (s->cut)
		return;
	if (ack->ce_bytes > 0) {
		s->size *= 1 - s->alpha / 2;
		s->cut = true;
		s->cut_seq = ack->snd_nxt;
	} else {
		dctcp_grow(cc, ack, round);
	}
	dctcp_answer(cc);
}

static void dctcp_on_loss(struct cc *cc, int64_t now_ps, enum cc_loss why)
{
	struct dctcp *s = dctcp_of(cc);

	(void)now_ps;
	if (why == CC_LOSS_TIMEOUT)
		s->size = 0;		/* the least that the form allows */
	else if (!s->cut)
		s->size /= 2;
	s->cut = true;
	s->cut_seq = s->snd_nxt;
	dctcp_answer(cc);
}

const struct cc_ops dctcp_ops = {
	.name = "dctcp",
	.paper = "Alizadeh et al., Data Center TCP (DCTCP), SIGCOMM 2010",
	.needs = CC_NEED_ECN,
	.conf_size = sizeof(struct dctcp_conf),
	.state_size = sizeof(struct dctcp),
	.params = dctcp_params,
	.presets = dctcp_presets,
	.check = dctcp_check,
	.init = dctcp_init,
	.on_ack = dctcp_on_ack,
	.on_loss = dctcp_on_loss,
};
