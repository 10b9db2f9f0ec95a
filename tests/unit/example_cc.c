/*
 * AIMD on CE: a window that halves when a packet comes back marked, at most once
 * in a window of data, and else grows by one MTU a round trip (Chiu and Jain,
 * "Analysis of the increase and decrease algorithms for congestion avoidance in
 * computer networks", 1989; Ramakrishnan et al., RFC 3168):
 *
 *	marked		W = W * decrease		then deaf until what is in
 *	not marked	W += MTU * acknowledged / W	flight now is acknowledged
 */
#include "tests/unit/example_cc.h"

struct example_conf {			/* what the experiment sets; shared, read only */
	struct units_ratio decrease;
};

struct example {			/* what a queue pair keeps; zero before init */
	double window;			/* bytes */
	int64_t deaf_seq;
};
_Static_assert(sizeof(struct example) <= CC_STATE_BYTES, "state of a queue pair");

static const struct param example_params[] = {
	{ .key = "decrease", .type = PARAM_RATIO, .def = "1/2", .min = "0", .max = "1",
	  .offset = offsetof(struct example_conf, decrease),
	  .doc = "What a mark leaves of the window." },
	{ .key = NULL }
};

static void example_answer(struct cc *cc, struct example *s)
{
	if (s->window < (double)cc->path.mtu_bytes)
		s->window = (double)cc->path.mtu_bytes;
	cc->out.cwnd_bytes = (int64_t)s->window;
}

static void example_init(struct cc *cc, int64_t now_ps)
{
	struct example *s = (struct example *)(void *)cc->state;

	(void)now_ps;
	s->window = (double)units_bytes_in(cc->path.base_rtt_ps, cc->path.line_bps);
	cc->out.rate_bps = cc->path.line_bps;	/* the window alone limits */
	cc->out.timer_ps[0] = cc->out.timer_ps[1] = CC_NEVER_PS;
	example_answer(cc, s);
}

static void example_on_ack(struct cc *cc, const struct cc_ack *ack)
{
	const struct example_conf *conf = cc->conf;
	struct example *s = (struct example *)(void *)cc->state;
	double mtu = (double)cc->path.mtu_bytes;

	if (ack->ce_bytes == 0) {
		s->window += mtu * (double)ack->acked_bytes / s->window;
	} else if (ack->ack_seq > s->deaf_seq) {
		s->window *= (double)conf->decrease.num / (double)conf->decrease.den;
		s->deaf_seq = ack->snd_nxt;
	}
	example_answer(cc, s);
}

const struct cc_ops example_cc_ops = {
	.name = "example",
	.paper = "Chiu and Jain, 1989",
	.needs = CC_NEED_ECN,
	.conf_size = sizeof(struct example_conf),
	.state_size = sizeof(struct example),
	.params = example_params,
	.init = example_init,
	.on_ack = example_on_ack,
};
