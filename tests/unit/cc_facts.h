/*
 * tests/unit/cc_facts.h - drives one algorithm of models/cc through its ops by a
 * table of facts.  Included by one file of a program.
 *
 * The queue pair has no more state than the algorithm asks for, on the heap, so
 * that a sanitizer sees a step beyond it.
 */
#ifndef CC_FACTS_H
#define CC_FACTS_H
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "models/cc/cc.h"

#define US INT64_C(1000000)
#define G10 INT64_C(10000000000)
#define G100 INT64_C(100000000000)

static _Alignas(16) unsigned char facts_conf[1024];
static struct cc *cc;

static inline void facts_end(void)
{
	free(cc);
	cc = NULL;
}

/* settings: "key", "value", ..., NULL */
static inline void facts_settings(const struct cc_ops *ops, const char *const *settings)
{
	struct sim_error err = {0};

	for (; settings && settings[0]; settings += 2) {
		const struct param *row = param_find(ops->params, settings[0]);

		ck_assert_msg(row != NULL, "no setting %s", settings[0]);
		ck_assert_msg(!param_set(row, facts_conf, settings[1], &err), "%s", err.text);
	}
}

/* Defaults, then the preset (NULL: the first), then the settings. */
static inline void facts_conf_fill(const struct cc_ops *ops, const char *preset,
				   const char *const *settings)
{
	const struct cc_preset *p = ops->presets;

	ck_assert_uint_le(ops->conf_size, sizeof(facts_conf));
	memset(facts_conf, 0, sizeof(facts_conf));
	param_defaults(ops->params, facts_conf);
	for (; preset && strcmp(p->name, preset) != 0; p++)
		ck_assert_msg(p[1].name != NULL, "no preset %s", preset);
	if (p)
		facts_settings(ops, p->settings);
	facts_settings(ops, settings);
}

/* A new queue pair, initialised at 0. */
static inline void facts_begin(const struct cc_ops *ops, const char *preset,
			       const struct cc_path *path, const char *const *settings)
{
	struct sim_error err = {0};
	size_t bytes = offsetof(struct cc, state) + ops->state_size;

	facts_conf_fill(ops, preset, settings);
	ck_assert_msg(!ops->check || ops->check(facts_conf, &err) == 0, "%s", err.text);
	facts_end();
	cc = calloc(1, (bytes + 15) / 16 * 16);
	ck_assert_ptr_nonnull(cc);
	cc->ops = ops;
	cc->conf = facts_conf;
	cc->path = *path;
	ops->init(cc, 0);
}

/* What check() says of a preset with these settings; "" when it accepts. */
static inline const char *facts_refusal(const struct cc_ops *ops, const char *preset,
					const char *const *settings)
{
	static struct sim_error err;

	memset(&err, 0, sizeof(err));
	facts_conf_fill(ops, preset, settings);
	return ops->check(facts_conf, &err) ? err.text : "";
}

enum fact { ACK, LOST, EXPIRED };	/* EXPIRED: a timeout of the sender */
struct fact_row {
	enum fact fact;
	struct cc_ack ack;		/* LOST, EXPIRED: now_ps alone */
	int64_t cwnd_bytes, rate_bps;	/* afterwards */
};

static inline void facts_walk(const struct fact_row *rows, int n)
{
	for (int i = 0; i < n; i++) {
		const struct fact_row *r = &rows[i];

		if (r->fact == ACK)
			cc->ops->on_ack(cc, &r->ack);
		else
			cc->ops->on_loss(cc, r->ack.now_ps,
					 r->fact == LOST ? CC_LOSS_NAK : CC_LOSS_TIMEOUT);
		ck_assert_msg(cc->out.cwnd_bytes == r->cwnd_bytes,
			      "row %d: window %lld, not %lld", i,
			      (long long)cc->out.cwnd_bytes, (long long)r->cwnd_bytes);
		ck_assert_msg(cc->out.rate_bps == r->rate_bps, "row %d: rate %lld, not %lld", i,
			      (long long)cc->out.rate_bps, (long long)r->rate_bps);
		ck_assert(cc->out.timer_ps[0] == CC_NEVER_PS);
		ck_assert(cc->out.timer_ps[1] == CC_NEVER_PS);
	}
}
#define WALK(rows) facts_walk(rows, (int)(sizeof(rows) / sizeof((rows)[0])))
/* A new queue pair of the program's OPS, and its facts. */
#define WALK_FROM(preset, path, settings, rows)		\
	do {						\
		facts_begin(OPS, preset, path, settings);	\
		WALK(rows);				\
	} while (0)

static inline uint64_t facts_draw(uint64_t *x)	/* xorshift64, Marsaglia 2003 */
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x >> 11;
}

/* Any facts in any order: 0 < window, 0 < rate <= line, no deadline. */
static inline void facts_any(uint64_t seed)
{
	uint64_t x = UINT64_C(88172645463325252) + seed * UINT64_C(7919);
	int64_t now = 0, una = 0, nxt = 0, mtu = cc->path.mtu_bytes;
	struct cc_hop hop[CC_HOPS] = {{0}};

	for (int i = 0; i < 50000; i++) {
		int nhops = facts_draw(&x) % 8 ? 3 : (int)(facts_draw(&x) % (CC_HOPS + 1));
		struct cc_ack ack = { .hop = hop, .nhops = nhops };

		now += (int64_t)(facts_draw(&x) % (facts_draw(&x) % 16 ? 400000 : 90000000));
		nxt += mtu * (int64_t)(facts_draw(&x) % 3);
		if (nxt <= una)
			nxt = una + mtu;
		for (int h = 0; h < CC_HOPS; h++) {
			hop[h].line_bps = h % 2 ? G100 : 4 * G100;
			if (facts_draw(&x) % 4 == 0)
				continue;
			hop[h].ts_ps = now + (int64_t)(facts_draw(&x) % 5) - 2;
			hop[h].tx_bytes += (int64_t)(facts_draw(&x) % 9000);
			hop[h].qlen_bytes = (int64_t)(facts_draw(&x) % 400000);
		}
		if (facts_draw(&x) % 500 == 0 && cc->ops->on_loss) {
			nxt = una;	/* back to the first unacknowledged byte */
			cc->ops->on_loss(cc, now, facts_draw(&x) % 2 ? CC_LOSS_NAK
								     : CC_LOSS_TIMEOUT);
		} else {
			una += mtu;
			ack.now_ps = now;
			ack.ack_seq = una;
			ack.snd_nxt = nxt > una ? nxt : una;
			ack.acked_bytes = mtu;
			ack.ce_bytes = facts_draw(&x) % 3 ? 0 : mtu;
			ack.rtt_ps = (int64_t)(facts_draw(&x) % 700000000) + 1;
			cc->ops->on_ack(cc, &ack);
		}
		ck_assert(cc->out.cwnd_bytes > 0);
		ck_assert(cc->out.rate_bps > 0);
		ck_assert(cc->out.rate_bps <= cc->path.line_bps);
		ck_assert(cc->out.timer_ps[0] == CC_NEVER_PS);
		ck_assert(cc->out.timer_ps[1] == CC_NEVER_PS);
	}
}

static inline int facts_main(const char *name, TCase *tc)
{
	Suite *suite = suite_create(name);
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tc, NULL, facts_end);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
#endif
