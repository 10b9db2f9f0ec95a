/*
 * models/cc/hpcc.c - HPCC: window and rate from in-band telemetry.
 *
 * Li et al., "HPCC: High precision congestion control", SIGCOMM 2019, algorithm
 * 1; read through alibaba-edu/High-Precision-Congestion-Control, rdma-hw.cc, and
 * hpcc-group.github.io.
 *
 * T base RTT, C a hop's line rate, B its count of sent bytes, q its queue; what
 * is primed was stored with the ACK before.  Per ACK:
 *
 *	hop	tau = ts - ts',  u = (B - B') / (tau C) + min(q, q') / (C T)
 *	path	u the largest of the hops', tau that hop's, at most T
 *		U = (1 - tau/T) U + (tau/T) u
 *	U >= eta or stage >= max_stage
 *		R = Rc / (U/eta) + R_AI		else  R = Rc + R_AI
 *	an ACK above what snd_nxt was at the last such ACK (a full RTT):
 *		Rc = R, stage = 0 after the first formula, else + 1
 *
 * within min_rate .. line.  The answer is R and the window W = R T.  Other ACKs
 * reckon from the same Rc: they react at once and do not compound.
 *
 * Start: R = Rc = line, U = 1; the first ACK, and the first on a changed path,
 * only stores.  A path has changed when the number of hops has, when a clock or
 * a count runs back, or when a link would have carried more than it can.  A hop
 * with equal time stamps says nothing and is passed over.
 *
 * Fixed point of N flows without a queue: U = eta + N R_AI / C, R = U C / N.
 *
 * Parameters: eta 95 %; max_stage is 5 in the paper and 0 in its simulations (a
 * typo, say the authors); R_AI = 10 Mb/s per 25 Gb/s and min_rate 100 Mb/s (its
 * run.py: 1 Gb/s) as in that simulator.  The paper's W_AI is R_AI T.
 *
 * With `pint` (Ben Basat et al., "PINT: probabilistic in-band network telemetry",
 * SIGCOMM 2020, section 4.3; rdma-hw.cc, HandleAckHpPint) the switches keep U of
 * each port themselves (models/switch/pint.h) and one packet in `pint_sample`
 * brings the largest of its path, as a power p of `pint_base` in 1 or 2 bytes:
 *
 *	U = pint_base^p / 512
 *
 * It takes the place of the mean above; ACKs of other packets say nothing.  The
 * first one is only counted, as without.  A port reckons with the largest T of
 * those who send through it.
 */
#include "models/cc/cc.h"
#include "sim/powercode.h"

struct hpcc_conf {
	struct units_ratio eta;
	int64_t max_stage;
	int64_t ai_bps;			/* 0: of the line */
	int64_t base_rtt_ps;		/* 0: of the path */
	int64_t min_bps;
	bool fast_react;
	bool pint;
	struct units_ratio pint_base, pint_sample;
};

struct hpcc_hop {
	int64_t ts_ps, tx_bytes, qlen_bytes;
};

struct hpcc {
	double rate_c;		/* Rc */
	double u;
	int64_t round_seq;	/* the RTT is full above this */
	int32_t stage;
	int32_t hops;		/* stored; 0: none */
	struct hpcc_hop hop[CC_HOPS];
};
_Static_assert(sizeof(struct hpcc) <= CC_STATE_BYTES, "state of a queue pair");

/* Bytes by which a count may be ahead of what its clock allows: a frame is
 * counted whole, and stamped at one instant of its sending. */
#define HPCC_FRAME_BYTES 20000

#define HPCC_PINT_UNIT 512.0	/* as the switches have it: models/switch/pint.h */

#define ROW(key_, type_, field) \
	.key = key_, .type = type_, .offset = offsetof(struct hpcc_conf, field)

static const struct param hpcc_params[] = {
	{ ROW("eta", PARAM_RATIO, eta), .def = "95%", .min = "1%", .max = "10",
	  .doc = "Utilisation aimed at; above 1 a queue is kept." },
	{ ROW("max_stage", PARAM_COUNT, max_stage), .def = "5", .min = "0", .max = "1000000",
	  .doc = "Round trips of additive increase before a multiplicative one." },
	{ ROW("rate_ai", PARAM_RATE, ai_bps), .def = "auto", .min = "0bps", .max = "10Tbps",
	  .word = "auto", .word_value = -1,
	  .doc = "Additive increase of a round trip; auto is a 2500th of the line." },
	{ ROW("base_rtt", PARAM_TIME, base_rtt_ps), .def = "path", .min = "1ns", .max = "10s",
	  .word = "path", .word_value = 0,
	  .doc = "T, the RTT without queues; path is that of each queue pair's own path." },
	{ ROW("min_rate", PARAM_RATE, min_bps), .def = "100Mbps", .min = "1bps",
	  .max = "10Tbps", .doc = "Rate below which nothing reduces." },
	{ ROW("fast_react", PARAM_BOOL, fast_react), .def = "true",
	  .doc = "Whether every ACK counts, or only one a round trip." },
	{ ROW("pint", PARAM_BOOL, pint), .def = "false",
	  .doc = "Switches report their load in 1 or 2 bytes (PINT) instead of 42 of telemetry." },
	{ ROW("pint_base", PARAM_RATIO, pint_base), .def = "1.05", .min = "1.005", .max = "2",
	  .doc = "The load is reported as a power of this: 1.05 takes 1 byte, 1.01 takes 2." },
	{ ROW("pint_sample", PARAM_RATIO, pint_sample), .def = "1", .min = "1/65536", .max = "1",
	  .doc = "Part of the packets that carry the report." },
	{ .key = NULL }
};

static const char *const hpcc_preset_paper[] = { "max_stage", "5", NULL };
static const char *const hpcc_preset_ns3[] = { "max_stage", "0", "min_rate", "1Gbps", NULL };
static const char *const hpcc_preset_pint[] = { "max_stage", "0", "min_rate", "1Gbps",
						"pint", "true", NULL };
static const struct cc_preset hpcc_presets[] = {
	{ "paper", hpcc_preset_paper },
	{ "ns3", hpcc_preset_ns3 },
	{ "pint", hpcc_preset_pint },
	{ NULL, NULL }
};

static struct hpcc *hpcc_of(struct cc *cc)
{
	return (struct hpcc *)(void *)cc->state;
}

static double hpcc_t_ps(const struct cc *cc)
{
	const struct hpcc_conf *conf = cc->conf;
	int64_t t_ps = conf->base_rtt_ps ? conf->base_rtt_ps : cc->path.base_rtt_ps;

	return t_ps > 0 ? (double)t_ps : 1;
}

static void hpcc_answer(struct cc *cc, double rate)
{
	double window = rate * hpcc_t_ps(cc) / 8e12;

	cc->out.rate_bps = (int64_t)rate;
	cc->out.cwnd_bytes = window < 1 ? 1 : (int64_t)window;
}

static void hpcc_init(struct cc *cc, int64_t now_ps)
{
	struct hpcc *s = hpcc_of(cc);

	(void)now_ps;
	s->rate_c = (double)cc->path.line_bps;
	s->u = 1;
	cc->out.timer_ps[0] = CC_NEVER_PS;
	cc->out.timer_ps[1] = CC_NEVER_PS;
	hpcc_answer(cc, s->rate_c);
}

static void hpcc_store(struct hpcc *s, const struct cc_ack *ack)
{
	s->hops = ack->nhops;
	for (int i = 0; i < ack->nhops; i++)
		s->hop[i] = (struct hpcc_hop){ ack->hop[i].ts_ps, ack->hop[i].tx_bytes,
					       ack->hop[i].qlen_bytes };
}

static bool hpcc_same_path(const struct hpcc *s, const struct cc_ack *ack)
{
	if (s->hops == 0 || s->hops != ack->nhops)
		return false;
	for (int i = 0; i < s->hops; i++) {
		const struct cc_hop *now = &ack->hop[i];
		int64_t tau = now->ts_ps - s->hop[i].ts_ps;
		int64_t sent = now->tx_bytes - s->hop[i].tx_bytes;

		if (tau < 0 || sent < 0 ||
		    sent > units_bytes_in(tau, now->line_bps) + HPCC_FRAME_BYTES)
			return false;
	}
	return true;
}

/* Brings U up to this ACK; false: it says nothing. */
static bool hpcc_measure(struct cc *cc, const struct cc_ack *ack)
{
	struct hpcc *s = hpcc_of(cc);
	double t = hpcc_t_ps(cc), most = -1, most_tau = 0;

	for (int i = 0; i < s->hops; i++) {
		const struct cc_hop *now = &ack->hop[i];
		const struct hpcc_hop *was = &s->hop[i];
		double tau = (double)(now->ts_ps - was->ts_ps), c = (double)now->line_bps, u;
		int64_t q = now->qlen_bytes < was->qlen_bytes ? now->qlen_bytes
							      : was->qlen_bytes;

		if (tau <= 0)
			continue;
		u = (double)(now->tx_bytes - was->tx_bytes) * 8e12 / (tau * c) +
		    (double)q * 8e12 / (c * t);
		if (u > most) {
			most = u;
			most_tau = tau;
		}
	}
	if (most < 0)
		return false;
	if (most_tau > t)
		most_tau = t;
	s->u = (1 - most_tau / t) * s->u + most_tau / t * most;
	return true;
}

/* R by the present U; *stage is what follows if the RTT is full. */
static double hpcc_rate(const struct cc *cc, const struct hpcc *s, int32_t *stage)
{
	const struct hpcc_conf *conf = cc->conf;
	double line = (double)cc->path.line_bps, rate;
	double load = s->u * (double)conf->eta.den / (double)conf->eta.num;
	double ai = conf->ai_bps < 0 ? line / 2500 : (double)conf->ai_bps;

	if (load >= 1 || s->stage >= conf->max_stage) {
		*stage = 0;
		rate = load * line > s->rate_c ? s->rate_c / load + ai : line;
	} else {
		*stage = s->stage + 1;
		rate = s->rate_c + ai;
	}
	if (rate < (double)conf->min_bps)
		rate = (double)conf->min_bps;
	return rate > line ? line : rate;
}

/* Brings U up to this ACK; false: it says nothing.  *first: the first that could. */
static bool hpcc_hear(struct cc *cc, const struct cc_ack *ack, bool *first)
{
	const struct hpcc_conf *conf = cc->conf;
	struct hpcc *s = hpcc_of(cc);
	bool says;

	*first = s->hops == 0;
	if (!conf->pint) {
		says = hpcc_same_path(s, ack) && hpcc_measure(cc, ack);
		hpcc_store(s, ack);
		return says;
	}
	if (ack->pint <= 0) {
		*first = false;
		return false;
	}
	s->hops = 1;
	s->u = powercode_decode((double)conf->pint_base.num / (double)conf->pint_base.den,
				ack->pint - 1) / HPCC_PINT_UNIT;
	return !*first;
}

static void hpcc_on_ack(struct cc *cc, const struct cc_ack *ack)
{
	const struct hpcc_conf *conf = cc->conf;
	struct hpcc *s = hpcc_of(cc);
	bool full, first, says;
	int32_t stage;
	double rate;

	if (ack->snd_nxt < s->round_seq)	/* the sender went back */
		s->round_seq = ack->snd_nxt;
	full = ack->ack_seq > s->round_seq;
	if (!full && !conf->fast_react)
		return;
	says = hpcc_hear(cc, ack, &first);
	if (first)
		s->round_seq = ack->snd_nxt;
	if (!says)
		return;
	rate = hpcc_rate(cc, s, &stage);
	hpcc_answer(cc, rate);
	if (full) {
		s->rate_c = rate;
		s->stage = stage;
		s->round_seq = ack->snd_nxt;
	}
}

/* Powers up to the one of 512 * 512, and one above for the draw; 0 is none. */
static void hpcc_telemetry(const void *conf_, struct cc_telemetry *out)
{
	const struct hpcc_conf *conf = conf_;

	if (!conf->pint)
		return;
	out->base = (double)conf->pint_base.num / (double)conf->pint_base.den;
	out->bytes = powercode_floor(out->base, HPCC_PINT_UNIT * HPCC_PINT_UNIT) < 256 ? 1 : 2;
	out->sample_q16 = (uint32_t)((__int128)conf->pint_sample.num * 65536 / conf->pint_sample.den);
	out->rtt_ps = conf->base_rtt_ps;
}

const struct cc_ops hpcc_ops = {
	.name = "hpcc",
	.paper = "Li et al., HPCC: High precision congestion control, SIGCOMM 2019",
	.needs = CC_NEED_INT,
	.conf_size = sizeof(struct hpcc_conf),
	.state_size = sizeof(struct hpcc),
	.params = hpcc_params,
	.presets = hpcc_presets,
	.telemetry = hpcc_telemetry,
	.init = hpcc_init,
	.on_ack = hpcc_on_ack,
};
