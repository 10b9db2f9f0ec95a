/*
 * models/cc/dcqcn.c - DCQCN, as published and as ConnectX NICs do it.
 *
 * Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM
 * 2015, section 3 (the paper); NVIDIA, "DCQCN CC parameters" (DOCA 3.4.0) and
 * Mellanox DOC-2790 (the NIC); IEEE 802.1Qau clause 32 (QCN), from which both
 * take the increase.
 *
 * Both forms: rate Rc, target Rt, start at the line rate; T and BC count the
 * increase events by time and by bytes since the last cut.  An event, by n =
 * max(T, BC) and m = min(T, BC):
 *
 *	fast recovery		Rc = (Rt + Rc)/2
 *	additive increase	Rt += R_AI,  Rc = (Rt + Rc)/2
 *	hyper increase		Rt += steps * R_HAI,  Rc = (Rt + Rc)/2
 *
 *			paper			connectx
 *	fast		n < F			n <= rpg_threshold
 *	hyper		m > F			m > rpg_threshold
 *	steps		m - F			1
 *	on CNP		Rt = Rc			flags only; a cut at most every
 *			Rc *= 1 - alpha/2	rate_reduce_monitor_period:
 *			alpha = (1-g)alpha + g	Rc -= Rc * alpha >> rpg_gd
 *	alpha		*= 1-g each alpha_timer	each dce_tcp_rtt, in 1/1024:
 *			without CNP		alpha = alpha*g >> 10, and
 *						+ 1024 - g if a CNP came
 *
 * connectx, where the texts leave it open:
 *  - the first CNP installs the limiter (alpha = initial_alpha_value, Rt = Rc =
 *    the most allowed) and cuts at once; when Rc is back at the most allowed the
 *    limiter is released, and the next CNP is a first one again;
 *  - rate_to_set_on_first_cnp sets current and target, and is the first cut;
 *  - a cut pulls Rt down to Rc if clamp_tgt_rate, or if bytes have raised the
 *    rate since the last cut (QCN), or time has and clamp_tgt_rate_after_time_inc;
 *  - a cut restarts T, BC, the byte counter and the increase timer.
 * rpg_byte_reset is disputed: 32767 (bytes) in NVIDIA's table, 2 MB in testers
 * (Spirent); the preset says which.
 *
 * Alpha is computed when next read, step by step (a power rounds differently),
 * never by a timer.  The increase timer runs only while the rate is limited.
 */
#include "models/cc/cc.h"
#include "sim/assert.h"

#include <string.h>

enum dcqcn_form { DCQCN_PAPER, DCQCN_CONNECTX };
enum { DCQCN_TIMER_INCREASE, DCQCN_TIMER_CUT };
#define DCQCN_ALPHA_ONE 1024	/* connectx: 10 bits of fraction */
#define DCQCN_ALPHA_NIL 1e-9	/* paper: smaller is 0, a cut of 1 bps at 2 Gbps */

struct dcqcn_conf {
	int form;			/* enum dcqcn_form */
	/* paper */
	struct units_ratio g;
	int64_t alpha_timer_ps, increase_timer_ps;
	int64_t byte_counter;		/* 0: none */
	int64_t fast_recovery;		/* F */
	int64_t ai_bps, hai_bps, min_bps;
	/* connectx */
	int64_t time_reset_ps, byte_reset, threshold;
	int64_t rpg_ai_bps, rpg_hai_bps, rpg_min_bps, rpg_max_bps;
	int64_t gd;
	struct units_ratio min_dec_fac;
	int64_t first_cnp_bps;
	int64_t monitor_ps;
	int64_t alpha_g, alpha_rtt_ps, alpha_initial;
	bool clamp, clamp_after_time;
};

struct dcqcn {			/* a queue pair's state */
	double rc, rt;		/* paper */
	double alpha;		/* paper */
	int64_t rc_bps, rt_bps;	/* connectx */
	int64_t alpha_ps;	/* when alpha was last stepped */
	int64_t cut_ps;		/* connectx: time of the last cut */
	int64_t bytes_left;	/* until the next increase by bytes */
	int32_t t_count, bc_count;
	int16_t alpha_1024;	/* connectx */
	bool limited;		/* below the most allowed: timers and counters run */
	bool cnp_seen;		/* paper: ever; connectx: since the last step of alpha */
};
_Static_assert(sizeof(struct dcqcn) <= CC_STATE_BYTES, "state of a queue pair");

#define ROW(key_, type_, field) \
	.key = key_, .type = type_, .offset = offsetof(struct dcqcn_conf, field)

static const char *const dcqcn_form_names[] = { "paper", "connectx", NULL };
/* Rows from this key on belong to connectx, those before it (but form) to paper. */
static const char dcqcn_first_connectx[] = "rpg_time_reset";

/* Defaults: paper: SIGCOMM 2015 section 5 and table 14 (hyper step: the authors'
 * ns-3 configuration); connectx: NVIDIA's table. */
static const struct param dcqcn_params[] = {
	{ ROW("form", PARAM_ENUM, form), .def = "paper", .names = dcqcn_form_names,
	  .doc = "Whether the algorithm of the paper runs or that of ConnectX NICs." },
	{ ROW("g", PARAM_RATIO, g), .def = "1/256", .min = "0", .max = "1",
	  .doc = "Gain of alpha." },
	{ ROW("alpha_timer", PARAM_TIME, alpha_timer_ps), .def = "55us", .min = "1ns",
	  .max = "1s", .doc = "Time without a CNP after which alpha decays by one step." },
	{ ROW("increase_timer", PARAM_TIME, increase_timer_ps), .def = "55us", .min = "100ns",
	  .max = "1s", .doc = "Time of one increase event." },
	{ ROW("byte_counter", PARAM_BYTES, byte_counter), .def = "10MB", .min = "1B",
	  .max = "1000GB", .word = "off", .word_value = 0,
	  .doc = "Payload bytes sent of one increase event; off is none by bytes." },
	{ ROW("fast_recovery", PARAM_COUNT, fast_recovery), .def = "5", .min = "1",
	  .max = "1000", .doc = "F: the event of this number is the first additive one." },
	{ ROW("rate_ai", PARAM_RATE, ai_bps), .def = "40Mbps", .min = "0bps", .max = "10Tbps",
	  .doc = "Step of the target rate in additive increase." },
	{ ROW("rate_hai", PARAM_RATE, hai_bps), .def = "200Mbps", .min = "0bps",
	  .max = "10Tbps", .doc = "Step of the target rate in hyper increase." },
	{ ROW("min_rate", PARAM_RATE, min_bps), .def = "100Mbps", .min = "1bps",
	  .max = "10Tbps", .doc = "Rate below which no cut goes." },

	{ ROW("rpg_time_reset", PARAM_TIME, time_reset_ps), .def = "300us", .min = "100ns",
	  .max = "1s", .doc = "Time of one increase event, from the last cut." },
	{ ROW("rpg_byte_reset", PARAM_BYTES, byte_reset), .def = "32767B", .min = "1B",
	  .max = "1000GB", .word = "off", .word_value = 0,
	  .doc = "Payload bytes sent of one increase event; its unit in the NIC is disputed, "
		 "and testers use 2MB." },
	{ ROW("rpg_threshold", PARAM_COUNT, threshold), .def = "1", .min = "0", .max = "31",
	  .doc = "Events before additive (of one kind) and hyper increase (of both)." },
	{ ROW("rpg_ai_rate", PARAM_RATE, rpg_ai_bps), .def = "5Mbps", .min = "0bps",
	  .max = "10Tbps", .doc = "Step of the target rate in additive increase." },
	{ ROW("rpg_hai_rate", PARAM_RATE, rpg_hai_bps), .def = "50Mbps", .min = "0bps",
	  .max = "10Tbps", .doc = "Step of the target rate in hyper increase." },
	{ ROW("rpg_min_rate", PARAM_RATE, rpg_min_bps), .def = "1Mbps", .min = "1bps",
	  .max = "10Tbps", .doc = "Rate below which no cut goes." },
	{ ROW("rpg_max_rate", PARAM_RATE, rpg_max_bps), .def = "line", .min = "1Mbps",
	  .max = "10Tbps", .word = "line", .word_value = 0,
	  .doc = "Rate at which the limiter is released." },
	{ ROW("rpg_gd", PARAM_COUNT, gd), .def = "11", .min = "10", .max = "15",
	  .doc = "A cut takes alpha / 2^rpg_gd of the rate, alpha in 1/1024." },
	{ ROW("rpg_min_dec_fac", PARAM_RATIO, min_dec_fac), .def = "50%", .min = "0",
	  .max = "1", .doc = "Least part of the rate that one cut leaves." },
	{ ROW("rate_to_set_on_first_cnp", PARAM_RATE, first_cnp_bps), .def = "none",
	  .min = "1Mbps", .max = "10Tbps", .word = "none", .word_value = 0,
	  .doc = "Current and target rate that the first CNP sets, instead of a cut." },
	{ ROW("rate_reduce_monitor_period", PARAM_TIME, monitor_ps), .def = "4us",
	  .min = "1ns", .max = "1s", .doc = "Least time between two cuts." },
	{ ROW("dce_tcp_g", PARAM_COUNT, alpha_g), .def = "1019", .min = "0", .max = "1023",
	  .doc = "What is kept of alpha at each step, in 1/1024." },
	{ ROW("dce_tcp_rtt", PARAM_TIME, alpha_rtt_ps), .def = "1us", .min = "1ns",
	  .max = "1s", .doc = "Time between two steps of alpha." },
	{ ROW("initial_alpha_value", PARAM_COUNT, alpha_initial), .def = "1023", .min = "1",
	  .max = "1023", .doc = "Alpha at the first CNP, in 1/1024." },
	{ ROW("clamp_tgt_rate", PARAM_BOOL, clamp), .def = "false",
	  .doc = "Whether every cut pulls the target down to the rate before the cut." },
	{ ROW("clamp_tgt_rate_after_time_inc", PARAM_BOOL, clamp_after_time), .def = "true",
	  .doc = "Whether a cut does so if time, not only bytes, has raised the rate." },
	{ .key = NULL }
};

static const char *const dcqcn_preset_paper[] = {
	"form", "paper", NULL
};
static const char *const dcqcn_preset_connectx[] = {
	"form", "connectx", "rpg_byte_reset", "32767B", NULL
};
static const struct cc_preset dcqcn_presets[] = {
	{ "paper", dcqcn_preset_paper },
	{ "connectx", dcqcn_preset_connectx },
	{ NULL, NULL }
};

/* A key of the other form would be read by nobody: say so. */
static int dcqcn_check(const void *conf_, struct sim_error *err)
{
	const struct dcqcn_conf *conf = conf_;
	struct dcqcn_conf defaults = {0};
	int form = DCQCN_PAPER;

	param_defaults(dcqcn_params, &defaults);
	for (const struct param *row = dcqcn_params + 1; row->key; row++) {
		char is[64], was[64];

		if (strcmp(row->key, dcqcn_first_connectx) == 0)
			form = DCQCN_CONNECTX;
		param_get(row, conf, is, sizeof(is));
		param_get(row, &defaults, was, sizeof(was));
		if (form != conf->form && strcmp(is, was) != 0)
			return error_set(err, "", "%s is of the form \"%s\"; this is \"%s\"",
					 row->key, dcqcn_form_names[form],
					 dcqcn_form_names[conf->form]);
	}
	return 0;
}

static struct dcqcn *dcqcn_of(struct cc *cc)
{
	return (struct dcqcn *)(void *)cc->state;
}

/* Restarts the counts of increase events and their timer. */
static void dcqcn_restart(struct cc *cc, int64_t now_ps, int64_t every_ps, int64_t every_bytes)
{
	struct dcqcn *s = dcqcn_of(cc);

	s->limited = true;
	s->t_count = 0;
	s->bc_count = 0;
	s->bytes_left = every_bytes ? every_bytes : INT64_MAX;
	cc->out.timer_ps[DCQCN_TIMER_INCREASE] = now_ps + every_ps;
}

static int32_t dcqcn_min(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t dcqcn_max(int32_t a, int32_t b) { return a > b ? a : b; }

/* ---------------------------------------------------------------- paper */

static void paper_answer(struct cc *cc)
{
	struct dcqcn *s = dcqcn_of(cc);
	double line = (double)cc->path.line_bps;

	if (line - s->rc < 1) {		/* the halving never ends by itself */
		s->rc = line;
		s->limited = false;
		cc->out.timer_ps[DCQCN_TIMER_INCREASE] = CC_NEVER_PS;
	}
	cc->out.rate_bps = (int64_t)s->rc;
}

static void paper_cnp(struct cc *cc, int64_t now_ps)
{
	const struct dcqcn_conf *conf = cc->conf;
	struct dcqcn *s = dcqcn_of(cc);
	double g = (double)conf->g.num / (double)conf->g.den;

	if (s->cnp_seen) {
		int64_t steps = (now_ps - s->alpha_ps) / conf->alpha_timer_ps;

		for (; steps > 0 && s->alpha > 0; steps--) {
			s->alpha *= 1 - g;
			if (s->alpha < DCQCN_ALPHA_NIL)
				s->alpha = 0;
			else if (g <= 0)
				break;
		}
	}
	s->rt = s->rc;
	s->rc *= 1 - s->alpha / 2;
	if (s->rc < (double)conf->min_bps)
		s->rc = (double)conf->min_bps;
	if (s->rc > s->rt)		/* a line slower than min_rate */
		s->rc = s->rt;
	s->alpha = (1 - g) * s->alpha + g;
	s->alpha_ps = now_ps;
	s->cnp_seen = true;
	dcqcn_restart(cc, now_ps, conf->increase_timer_ps, conf->byte_counter);
	paper_answer(cc);
}

static void paper_increase(struct cc *cc)
{
	const struct dcqcn_conf *conf = cc->conf;
	struct dcqcn *s = dcqcn_of(cc);
	int32_t most = dcqcn_max(s->t_count, s->bc_count);
	int32_t least = dcqcn_min(s->t_count, s->bc_count);

	if (least > conf->fast_recovery)
		s->rt += (double)(least - conf->fast_recovery) * (double)conf->hai_bps;
	else if (most >= conf->fast_recovery)
		s->rt += (double)conf->ai_bps;
	if (s->rt > (double)cc->path.line_bps)
		s->rt = (double)cc->path.line_bps;
	s->rc = (s->rt + s->rc) / 2;
	paper_answer(cc);
}

/* ------------------------------------------------------------- connectx */

static int64_t connectx_most_bps(const struct cc *cc)
{
	const struct dcqcn_conf *conf = cc->conf;
	int64_t line = cc->path.line_bps;

	return conf->rpg_max_bps && conf->rpg_max_bps < line ? conf->rpg_max_bps : line;
}

/* Steps alpha to `now_ps`.  Whole numbers rounded down reach 0 in at most 1023
 * steps without a CNP, so the loop is bounded however long nobody looked. */
static void connectx_alpha(struct cc *cc, int64_t now_ps)
{
	const struct dcqcn_conf *conf = cc->conf;
	struct dcqcn *s = dcqcn_of(cc);
	int64_t steps = (now_ps - s->alpha_ps) / conf->alpha_rtt_ps;
	int64_t alpha = s->alpha_1024;

	s->alpha_ps += steps * conf->alpha_rtt_ps;
	for (; steps > 0 && (alpha > 0 || s->cnp_seen); steps--) {
		alpha = alpha * conf->alpha_g / DCQCN_ALPHA_ONE;
		if (s->cnp_seen)
			alpha += DCQCN_ALPHA_ONE - conf->alpha_g;
		s->cnp_seen = false;
	}
	s->alpha_1024 = (int16_t)alpha;
}

static void connectx_answer(struct cc *cc)
{
	struct dcqcn *s = dcqcn_of(cc);

	if (s->rc_bps >= connectx_most_bps(cc) &&
	    cc->out.timer_ps[DCQCN_TIMER_CUT] == CC_NEVER_PS) {	/* no cut is owed */
		s->limited = false;
		cc->out.timer_ps[DCQCN_TIMER_INCREASE] = CC_NEVER_PS;
		cc->out.rate_bps = cc->path.line_bps;
		return;
	}
	cc->out.rate_bps = s->rc_bps;
}

static void connectx_cut(struct cc *cc, int64_t now_ps)
{
	const struct dcqcn_conf *conf = cc->conf;
	struct dcqcn *s = dcqcn_of(cc);
	int64_t floor_bps, old = s->rc_bps;

	if (conf->clamp || s->bc_count > 0 || (conf->clamp_after_time && s->t_count > 0))
		s->rt_bps = old;
	s->rc_bps -= old * s->alpha_1024 >> conf->gd;
	floor_bps = (int64_t)((__int128)old * conf->min_dec_fac.num / conf->min_dec_fac.den);
	if (s->rc_bps < floor_bps)
		s->rc_bps = floor_bps;
	if (s->rc_bps < conf->rpg_min_bps)
		s->rc_bps = old < conf->rpg_min_bps ? old : conf->rpg_min_bps;
	s->cut_ps = now_ps;
	dcqcn_restart(cc, now_ps, conf->time_reset_ps, conf->byte_reset);
}

static void connectx_first_cnp(struct cc *cc, int64_t now_ps)
{
	const struct dcqcn_conf *conf = cc->conf;
	struct dcqcn *s = dcqcn_of(cc);
	int64_t most = connectx_most_bps(cc);

	s->alpha_1024 = (int16_t)conf->alpha_initial;
	s->alpha_ps = now_ps;
	s->cnp_seen = false;	/* the initial alpha is this CNP's */
	s->t_count = 0;
	s->bc_count = 0;
	s->rc_bps = most;
	if (conf->first_cnp_bps && conf->first_cnp_bps < most) {
		s->rc_bps = conf->first_cnp_bps;
		s->rt_bps = s->rc_bps;
		s->cut_ps = now_ps;
		dcqcn_restart(cc, now_ps, conf->time_reset_ps, conf->byte_reset);
	} else {
		s->rt_bps = most;
		connectx_cut(cc, now_ps);
	}
	connectx_answer(cc);
}

static void connectx_cnp(struct cc *cc, int64_t now_ps)
{
	const struct dcqcn_conf *conf = cc->conf;
	struct dcqcn *s = dcqcn_of(cc);

	if (!s->limited) {
		connectx_first_cnp(cc, now_ps);
		return;
	}
	connectx_alpha(cc, now_ps);
	s->cnp_seen = true;
	if (now_ps - s->cut_ps < conf->monitor_ps) {
		cc->out.timer_ps[DCQCN_TIMER_CUT] = s->cut_ps + conf->monitor_ps;
		return;
	}
	cc->out.timer_ps[DCQCN_TIMER_CUT] = CC_NEVER_PS;
	connectx_cut(cc, now_ps);
	connectx_answer(cc);
}

static void connectx_increase(struct cc *cc)
{
	const struct dcqcn_conf *conf = cc->conf;
	struct dcqcn *s = dcqcn_of(cc);
	int64_t most_bps = connectx_most_bps(cc);

	if (dcqcn_min(s->t_count, s->bc_count) > conf->threshold)
		s->rt_bps += conf->rpg_hai_bps;
	else if (dcqcn_max(s->t_count, s->bc_count) > conf->threshold)
		s->rt_bps += conf->rpg_ai_bps;
	if (s->rt_bps > most_bps)
		s->rt_bps = most_bps;
	s->rc_bps = (s->rt_bps + s->rc_bps + 1) / 2;	/* up: the halving must end */
	connectx_answer(cc);
}

/* ---------------------------------------------------------------- hooks */

static void dcqcn_increase(struct cc *cc)
{
	const struct dcqcn_conf *conf = cc->conf;

	if (conf->form == DCQCN_PAPER)
		paper_increase(cc);
	else
		connectx_increase(cc);
}

static void dcqcn_init(struct cc *cc, int64_t now_ps)
{
	struct dcqcn *s = dcqcn_of(cc);

	s->rc = (double)cc->path.line_bps;
	s->rt = s->rc;
	s->alpha = 1;
	s->alpha_ps = now_ps;
	cc->out.cwnd_bytes = CC_NO_WINDOW;
	cc->out.rate_bps = cc->path.line_bps;
	cc->out.timer_ps[DCQCN_TIMER_INCREASE] = CC_NEVER_PS;
	cc->out.timer_ps[DCQCN_TIMER_CUT] = CC_NEVER_PS;
}

static void dcqcn_on_cnp(struct cc *cc, int64_t now_ps)
{
	const struct dcqcn_conf *conf = cc->conf;

	if (conf->form == DCQCN_PAPER)
		paper_cnp(cc, now_ps);
	else
		connectx_cnp(cc, now_ps);
}

static void dcqcn_on_send(struct cc *cc, int64_t now_ps, int64_t bytes)
{
	const struct dcqcn_conf *conf = cc->conf;
	struct dcqcn *s = dcqcn_of(cc);

	(void)now_ps;
	if (!s->limited)
		return;
	s->bytes_left -= bytes;
	while (s->bytes_left <= 0 && s->limited) {
		s->bytes_left += conf->form == DCQCN_PAPER ? conf->byte_counter
							   : conf->byte_reset;
		s->bc_count++;
		dcqcn_increase(cc);
	}
}

static void dcqcn_on_timer(struct cc *cc, int64_t now_ps, int id)
{
	const struct dcqcn_conf *conf = cc->conf;
	struct dcqcn *s = dcqcn_of(cc);

	sim_assert(s->limited);
	if (id == DCQCN_TIMER_CUT) {
		connectx_alpha(cc, now_ps);
		connectx_cut(cc, now_ps);
		connectx_answer(cc);
		return;
	}
	cc->out.timer_ps[DCQCN_TIMER_INCREASE] = now_ps +
		(conf->form == DCQCN_PAPER ? conf->increase_timer_ps : conf->time_reset_ps);
	s->t_count++;
	dcqcn_increase(cc);
}

const struct cc_ops dcqcn_ops = {
	.name = "dcqcn",
	.paper = "Zhu et al., Congestion control for large-scale RDMA deployments, "
		 "SIGCOMM 2015",
	.needs = CC_NEED_ECN | CC_NEED_CNP,
	.conf_size = sizeof(struct dcqcn_conf),
	.state_size = sizeof(struct dcqcn),
	.params = dcqcn_params,
	.presets = dcqcn_presets,
	.check = dcqcn_check,
	.init = dcqcn_init,
	.on_cnp = dcqcn_on_cnp,
	.on_send = dcqcn_on_send,
	.on_timer = dcqcn_on_timer,
};
