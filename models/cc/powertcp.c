/*
 * models/cc/powertcp.c - PowerTCP and theta-PowerTCP: window by the power of the
 * bottleneck.
 *
 * Addanki, Michel, Schmid, "PowerTCP: Pushing the performance limits of
 * datacenter networks", NSDI 2022, algorithms 1 and 2, which stand word for word
 * in inet-tub/powertcp-linux, tcp_powertcp.c; variants of the simulation from
 * inet-tub/ns3-datacenter, rdma-hw.cc and tcp-advanced.cc.
 *
 * T base RTT, C a hop's line rate, q its queue, B its count of sent bytes:
 *
 *	PowerTCP, per ACK
 *	  hop	lambda = (q - q' + B - B') / dt,  at least min_current C
 *		power = lambda (q + C T) / (C^2 T)
 *	  path	P the largest of the hops', dt that hop's, at most T
 *		S = (1 - dt/T) S + (dt/T) P
 *		W = gamma (W_old eta/S + beta) + (1 - gamma) W
 *
 *	theta, per ACK, dt since the last one
 *		P = max((RTT - RTT')/dt + 1, min_current) RTT / (base_factor T)
 *	  once an RTT	W = gamma (W/S + beta) + (1 - gamma) W
 *
 * beta = R_AI T, R = W/T, min_rate <= R <= line.  W_old is the window when the
 * acknowledged packet was sent.  Changes are remembered a 14th of the largest
 * window apart: exactly, while that is 13 packets or fewer.  With `reference` =
 * rtt it is, as in that simulator, the window at the last full RTT, and stands in
 * both terms.  In the theta form the packet whose ACK ends an RTT was sent just
 * after the last change, so that there W_old is W.
 *
 * The floor of the current is not in the paper's text but in its simulator.  It is
 * needed: senders that a cut window blocks send nothing, so that a long queue
 * drains without any current, without power, and asks for the largest window; a
 * synchronised incast then swings for ever.  min_current = 0 is the text's.
 *
 * Start: W = line T, S = 1.  The first ACK, and the first on a changed path,
 * only stores; dt = 0 says nothing.
 *
 * Equilibrium of n flows (section 3.4): q = n beta, W = (C T + q)/n.
 *
 * Parameters: gamma 0.9 and beta = HostBw T/N with N = 10 (powertcp-linux), the
 * floor of a half and the presets "ns3" (ns3-datacenter): R_AI 150 Mb/s, eta 95 %;
 * theta gamma 0.7, 1.05 T.
 */
#include "models/cc/cc.h"

enum powertcp_reference { POWERTCP_SENT, POWERTCP_RTT };
enum { POWERTCP_MARKS = 16 };

struct powertcp_conf {
	struct units_ratio gamma;
	int64_t flows;
	int64_t ai_bps;			/* -1: of the line and `flows` */
	int64_t base_rtt_ps;		/* 0: of the path */
	int64_t min_bps;
	struct units_ratio min_current;
	/* powertcp */
	struct units_ratio eta;
	int reference;			/* enum powertcp_reference */
	/* theta */
	struct units_ratio base_factor;
};

struct powertcp_hop {
	int64_t ts_ps, tx_bytes, qlen_bytes;
};

struct powertcp_mark {		/* what was sent from `seq` on was sent with `window` */
	int64_t seq;
	double window;
};

struct powertcp_common {
	double window;
	double power;		/* S */
	int64_t round_seq;	/* the RTT is full above this */
};

struct powertcp {
	struct powertcp_common c;
	int16_t hops;		/* stored; 0: none */
	int16_t marks, newest;	/* a ring */
	struct powertcp_hop hop[CC_HOPS];
	struct powertcp_mark mark[POWERTCP_MARKS];	/* RTT: only [0] */
};
_Static_assert(sizeof(struct powertcp) <= CC_STATE_BYTES, "state of a queue pair");

struct powertcp_theta {
	struct powertcp_common c;
	int64_t rtt_ps, ack_ps;	/* of the last ACK */
	bool began;
};
_Static_assert(sizeof(struct powertcp_theta) <= CC_STATE_BYTES, "state of a queue pair");

/* Bytes by which a count may be ahead of what its clock allows: a frame is
 * counted whole, and stamped at one instant of its sending. */
#define POWERTCP_FRAME_BYTES 20000
#define POWERTCP_NIL 1e-6	/* less power is none: it asks for all there is */

#define ROW(key_, type_, field) \
	.key = key_, .type = type_, .offset = offsetof(struct powertcp_conf, field)
#define COMMON_ROWS								\
	{ ROW("gamma", PARAM_RATIO, gamma), .def = "0.9", .min = "0", .max = "1", \
	  .doc = "Weight of a new window in the mean." },			\
	{ ROW("flows", PARAM_COUNT, flows), .def = "10", .min = "1", .max = "1000000", \
	  .doc = "Flows expected on a NIC: the automatic rate_ai is the line by this." }, \
	{ ROW("rate_ai", PARAM_RATE, ai_bps), .def = "auto", .min = "0bps",	\
	  .max = "10Tbps", .word = "auto", .word_value = -1,			\
	  .doc = "Additive increase of a round trip; beta is this times base RTT." }, \
	{ ROW("base_rtt", PARAM_TIME, base_rtt_ps), .def = "path", .min = "1ns", \
	  .max = "10s", .word = "path", .word_value = 0,			\
	  .doc = "RTT without queues; path is that of each queue pair's own path." }, \
	{ ROW("min_rate", PARAM_RATE, min_bps), .def = "100Mbps", .min = "1bps", \
	  .max = "10Tbps", .doc = "Rate below which nothing reduces." },	\
	{ ROW("min_current", PARAM_RATIO, min_current), .def = "50%", .min = "0", \
	  .max = "1", .doc = "Least current, as part of a hop's line rate." }

static const char *const powertcp_reference_names[] = { "sent", "rtt", NULL };

static const struct param powertcp_params[] = {
	COMMON_ROWS,
	{ ROW("eta", PARAM_RATIO, eta), .def = "1", .min = "1%", .max = "10",
	  .doc = "Power aimed at; below 1 the queue is kept shorter." },
	{ ROW("reference", PARAM_ENUM, reference), .def = "sent",
	  .names = powertcp_reference_names,
	  .doc = "Window that the power corrects: that of the packet, or of the last RTT." },
	{ .key = NULL }
};

static const struct param powertcp_theta_params[] = {
	COMMON_ROWS,
	{ ROW("base_factor", PARAM_RATIO, base_factor), .def = "1", .min = "0.1", .max = "10",
	  .doc = "RTT aimed at, as a multiple of base RTT." },
	{ .key = NULL }
};

static const char *const powertcp_preset_paper[] = { "reference", "sent", NULL };
static const char *const powertcp_preset_ns3[] = {
	"rate_ai", "150Mbps", "eta", "95%", "reference", "rtt", NULL
};
static const struct cc_preset powertcp_presets[] = {
	{ "paper", powertcp_preset_paper },
	{ "ns3", powertcp_preset_ns3 },
	{ NULL, NULL }
};
static const char *const powertcp_theta_preset_paper[] = { "base_factor", "1", NULL };
static const char *const powertcp_theta_preset_ns3[] = {
	"gamma", "0.7", "rate_ai", "150Mbps", "base_factor", "1.05", NULL
};
static const struct cc_preset powertcp_theta_presets[] = {
	{ "paper", powertcp_theta_preset_paper },
	{ "ns3", powertcp_theta_preset_ns3 },
	{ NULL, NULL }
};

static int powertcp_check(const void *conf_, struct sim_error *err)
{
	const struct powertcp_conf *conf = conf_;

	if (conf->ai_bps >= 0 && conf->flows != 10)
		return error_set(err, "", "flows makes the automatic rate_ai; "
					  "here rate_ai is given");
	return 0;
}

static double powertcp_ratio(struct units_ratio r)
{
	return (double)r.num / (double)r.den;
}

static double powertcp_t_ps(const struct cc *cc)
{
	const struct powertcp_conf *conf = cc->conf;
	int64_t t_ps = conf->base_rtt_ps ? conf->base_rtt_ps : cc->path.base_rtt_ps;

	return t_ps > 0 ? (double)t_ps : 1;
}

static double powertcp_bytes(const struct cc *cc, double bps)
{
	return bps * powertcp_t_ps(cc) / 8e12;
}

/* ---------------------------------------------------------- both forms */

static void powertcp_answer(struct cc *cc, struct powertcp_common *c)
{
	const struct powertcp_conf *conf = cc->conf;
	double line = (double)cc->path.line_bps, least = (double)conf->min_bps;
	double most = powertcp_bytes(cc, line), rate;

	least = powertcp_bytes(cc, least < line ? least : line);
	if (c->window < least)
		c->window = least;
	if (c->window > most)
		c->window = most;
	rate = c->window * 8e12 / powertcp_t_ps(cc);
	rate = rate < 1 ? 1 : rate > line ? line : rate;
	cc->out.rate_bps = (int64_t)rate;
	cc->out.cwnd_bytes = c->window < 1 ? 1 : (int64_t)c->window;
}

static void powertcp_begin(struct cc *cc, struct powertcp_common *c)
{
	c->window = powertcp_bytes(cc, (double)cc->path.line_bps);
	c->power = 1;
	cc->out.timer_ps[0] = CC_NEVER_PS;
	cc->out.timer_ps[1] = CC_NEVER_PS;
	powertcp_answer(cc, c);
}

static void powertcp_smooth(const struct cc *cc, struct powertcp_common *c, double power,
			    double dt)
{
	double t = powertcp_t_ps(cc);

	if (dt > t)
		dt = t;
	c->power = (1 - dt / t) * c->power + dt / t * power;
}

/* The window that corrects `old` and is averaged with `mean`. */
static double powertcp_update(const struct cc *cc, const struct powertcp_common *c, double old,
			      double mean, double eta)
{
	const struct powertcp_conf *conf = cc->conf;
	double line = (double)cc->path.line_bps, gamma = powertcp_ratio(conf->gamma);
	double power = c->power > POWERTCP_NIL ? c->power : POWERTCP_NIL;
	double beta = powertcp_bytes(cc, conf->ai_bps < 0 ? line / (double)conf->flows
							  : (double)conf->ai_bps);

	return gamma * (old * eta / power + beta) + (1 - gamma) * mean;
}

/* Whether the round trip is full with this ACK. */
static bool powertcp_full(struct powertcp_common *c, const struct cc_ack *ack)
{
	if (ack->snd_nxt < c->round_seq)	/* the sender went back */
		c->round_seq = ack->snd_nxt;
	return ack->ack_seq > c->round_seq;
}

/* ------------------------------------------------------------ PowerTCP */

static struct powertcp *powertcp_of(struct cc *cc)
{
	return (struct powertcp *)(void *)cc->state;
}

static void powertcp_init(struct cc *cc, int64_t now_ps)
{
	struct powertcp *s = powertcp_of(cc);

	(void)now_ps;
	powertcp_begin(cc, &s->c);
	s->mark[0].window = s->c.window;
	s->marks = 1;
}

static void powertcp_store(struct powertcp *s, const struct cc_ack *ack)
{
	s->hops = (int16_t)ack->nhops;
	for (int i = 0; i < ack->nhops; i++)
		s->hop[i] = (struct powertcp_hop){ ack->hop[i].ts_ps, ack->hop[i].tx_bytes,
						   ack->hop[i].qlen_bytes };
}

static bool powertcp_same_path(const struct powertcp *s, const struct cc_ack *ack)
{
	if (s->hops == 0 || s->hops != ack->nhops)
		return false;
	for (int i = 0; i < s->hops; i++) {
		const struct cc_hop *now = &ack->hop[i];
		int64_t dt = now->ts_ps - s->hop[i].ts_ps;
		int64_t sent = now->tx_bytes - s->hop[i].tx_bytes;

		if (dt < 0 || sent < 0 ||
		    sent > units_bytes_in(dt, now->line_bps) + POWERTCP_FRAME_BYTES)
			return false;
	}
	return true;
}

/* Brings S up to this ACK; false: it says nothing. */
static bool powertcp_measure(struct cc *cc, const struct cc_ack *ack)
{
	const struct powertcp_conf *conf = cc->conf;
	struct powertcp *s = powertcp_of(cc);
	double t = powertcp_t_ps(cc), least = powertcp_ratio(conf->min_current);
	double most = -1, most_dt = 0;

	for (int i = 0; i < s->hops; i++) {
		const struct cc_hop *now = &ack->hop[i];
		const struct powertcp_hop *was = &s->hop[i];
		double dt = (double)(now->ts_ps - was->ts_ps), c = (double)now->line_bps;
		double current, power;

		if (dt <= 0)
			continue;
		current = (double)(now->tx_bytes - was->tx_bytes + now->qlen_bytes -
				   was->qlen_bytes) * 8e12 / (dt * c);
		if (current < least)
			current = least;
		power = current * (1 + (double)now->qlen_bytes * 8e12 / (c * t));
		if (power > most) {
			most = power;
			most_dt = dt;
		}
	}
	if (most < 0)
		return false;
	powertcp_smooth(cc, &s->c, most, most_dt);
	return true;
}

/* The window when the last of the acknowledged packets was sent. */
static double powertcp_sent_window(const struct powertcp *s, int64_t ack_seq)
{
	const struct powertcp_mark *m = NULL;

	for (int i = 0; i < s->marks; i++) {
		m = &s->mark[(s->newest - i + POWERTCP_MARKS) % POWERTCP_MARKS];
		if (m->seq < ack_seq)
			break;
	}
	return m->window;
}

/* What is sent from now on is sent with the present window. */
static void powertcp_remember(struct cc *cc, int64_t snd_nxt)
{
	struct powertcp *s = powertcp_of(cc);
	double most = powertcp_bytes(cc, (double)cc->path.line_bps);
	int64_t step = (int64_t)((most + (double)cc->path.mtu_bytes) / (POWERTCP_MARKS - 2));

	if (snd_nxt < s->mark[s->newest].seq) {	/* the sender went back */
		s->marks = 1;
		s->newest = 0;
		s->mark[0].seq = snd_nxt;
	} else if (snd_nxt > s->mark[s->newest].seq) {
		if (snd_nxt - s->mark[s->newest].seq < step)
			return;
		s->newest = (int16_t)((s->newest + 1) % POWERTCP_MARKS);
		s->mark[s->newest].seq = snd_nxt;
		if (s->marks < POWERTCP_MARKS)
			s->marks++;
	}
	s->mark[s->newest].window = s->c.window;
}

static void powertcp_on_ack(struct cc *cc, const struct cc_ack *ack)
{
	const struct powertcp_conf *conf = cc->conf;
	struct powertcp *s = powertcp_of(cc);
	bool full = powertcp_full(&s->c, ack), first = s->hops == 0, says;
	double eta = powertcp_ratio(conf->eta), old;

	says = powertcp_same_path(s, ack) && powertcp_measure(cc, ack);
	powertcp_store(s, ack);
	if (first)
		s->c.round_seq = ack->snd_nxt;
	if (!says)
		return;
	if (conf->reference == POWERTCP_SENT) {
		old = powertcp_sent_window(s, ack->ack_seq);
		s->c.window = powertcp_update(cc, &s->c, old, s->c.window, eta);
		powertcp_answer(cc, &s->c);
		powertcp_remember(cc, ack->snd_nxt);
		return;
	}
	old = s->mark[0].window;
	s->c.window = powertcp_update(cc, &s->c, old, old, eta);
	powertcp_answer(cc, &s->c);
	if (full) {
		s->mark[0].window = s->c.window;
		s->c.round_seq = ack->snd_nxt;
	}
}

const struct cc_ops powertcp_ops = {
	.name = "powertcp",
	.paper = "Addanki, Michel, Schmid, PowerTCP: Pushing the performance limits of "
		 "datacenter networks, NSDI 2022",
	.needs = CC_NEED_INT,
	.conf_size = sizeof(struct powertcp_conf),
	.state_size = sizeof(struct powertcp),
	.params = powertcp_params,
	.presets = powertcp_presets,
	.check = powertcp_check,
	.init = powertcp_init,
	.on_ack = powertcp_on_ack,
};

/* ------------------------------------------------------ theta-PowerTCP */

static struct powertcp_theta *powertcp_theta_of(struct cc *cc)
{
	return (struct powertcp_theta *)(void *)cc->state;
}

static void powertcp_theta_init(struct cc *cc, int64_t now_ps)
{
	(void)now_ps;
	powertcp_begin(cc, &powertcp_theta_of(cc)->c);
}

static void powertcp_theta_measure(struct cc *cc, const struct cc_ack *ack)
{
	const struct powertcp_conf *conf = cc->conf;
	struct powertcp_theta *s = powertcp_theta_of(cc);
	double t = powertcp_t_ps(cc), dt = (double)(ack->now_ps - s->ack_ps), current;

	current = 1 + (double)(ack->rtt_ps - s->rtt_ps) / dt;
	if (current < powertcp_ratio(conf->min_current))
		current = powertcp_ratio(conf->min_current);
	powertcp_smooth(cc, &s->c, current * (double)ack->rtt_ps /
				   (powertcp_ratio(conf->base_factor) * t), dt);
}

static void powertcp_theta_on_ack(struct cc *cc, const struct cc_ack *ack)
{
	struct powertcp_theta *s = powertcp_theta_of(cc);
	bool full = powertcp_full(&s->c, ack);

	if (!s->began) {
		s->began = true;
		s->c.round_seq = ack->snd_nxt;
		full = false;
	} else if (ack->now_ps > s->ack_ps) {
		powertcp_theta_measure(cc, ack);
	} else {
		return;
	}
	s->rtt_ps = ack->rtt_ps;
	s->ack_ps = ack->now_ps;
	if (!full)
		return;
	s->c.window = powertcp_update(cc, &s->c, s->c.window, s->c.window, 1);
	s->c.round_seq = ack->snd_nxt;
	powertcp_answer(cc, &s->c);
}

const struct cc_ops powertcp_theta_ops = {
	.name = "theta_powertcp",
	.paper = "Addanki, Michel, Schmid, PowerTCP: Pushing the performance limits of "
		 "datacenter networks, NSDI 2022 (theta-PowerTCP, without switch support)",
	.needs = CC_NEED_RTT,
	.conf_size = sizeof(struct powertcp_conf),
	.state_size = sizeof(struct powertcp_theta),
	.params = powertcp_theta_params,
	.presets = powertcp_theta_presets,
	.check = powertcp_check,
	.init = powertcp_theta_init,
	.on_ack = powertcp_theta_on_ack,
};
