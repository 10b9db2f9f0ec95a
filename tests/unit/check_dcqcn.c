/*
 * models/cc/dcqcn: both forms, value by value, through the ops only.
 *
 * Every expected rate is worked out by hand from the equations at the head of
 * dcqcn.c (SIGCOMM 2015 section 3; NVIDIA's table), the arithmetic beside it.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "models/cc/cc.h"

#define US INT64_C(1000000)
#define G40 INT64_C(40000000000)
#define G100 INT64_C(100000000000)

static _Alignas(16) unsigned char conf[1024];
static struct cc cc;

/* settings: "key", "value", ..., NULL */
static void conf_set(const struct cc_ops *ops, const char *const *settings)
{
	struct sim_error err = {0};

	for (; settings && settings[0]; settings += 2) {
		const struct param *row = param_find(ops->params, settings[0]);

		ck_assert_ptr_nonnull(row);
		ck_assert_msg(param_set(row, conf, settings[1], &err) == 0, "%s", err.text);
	}
}

static void setup(const char *preset, int64_t line_bps, const char *const *settings)
{
	const struct cc_ops *ops = cc_find("dcqcn");
	const struct cc_preset *p = ops->presets;
	struct sim_error err = {0};

	ck_assert_uint_le(ops->conf_size, sizeof(conf));
	memset(conf, 0, sizeof(conf));
	memset(&cc, 0, sizeof(cc));
	param_defaults(ops->params, conf);
	while (p->name && strcmp(p->name, preset) != 0)
		p++;
	ck_assert_ptr_nonnull(p->name);
	conf_set(ops, p->settings);
	conf_set(ops, settings);
	ck_assert_msg(ops->check(conf, &err) == 0, "%s", err.text);
	cc.ops = ops;
	cc.conf = conf;
	cc.path = (struct cc_path){ .base_rtt_ps = 8 * US, .line_bps = line_bps,
				    .mtu_bytes = 1024, .hops = 2 };
	ops->init(&cc, 0);
}

enum fact { CNP, TIMER, CUT, SEND };
struct step {
	enum fact fact;
	int64_t now_ps;
	int64_t bytes;		/* SEND */
	int64_t rate_bps;	/* afterwards */
};

static void walk(const struct step *steps, int n)
{
	for (int i = 0; i < n; i++) {
		const struct step *s = &steps[i];

		switch (s->fact) {
		case CNP:
			cc.ops->on_cnp(&cc, s->now_ps);
			break;
		case TIMER:
		case CUT:
			ck_assert_msg(cc.out.timer_ps[s->fact == CUT] == s->now_ps,
				      "step %d: deadline %lld", i,
				      (long long)cc.out.timer_ps[s->fact == CUT]);
			cc.out.timer_ps[s->fact == CUT] = CC_NEVER_PS;
			cc.ops->on_timer(&cc, s->now_ps, s->fact == CUT);
			break;
		case SEND:
			cc.ops->on_send(&cc, s->now_ps, s->bytes);
			break;
		}
		ck_assert_msg(cc.out.rate_bps == s->rate_bps, "step %d: %lld, not %lld", i,
			      (long long)cc.out.rate_bps, (long long)s->rate_bps);
		ck_assert(cc.out.cwnd_bytes == CC_NO_WINDOW);
	}
}
#define WALK(steps) walk(steps, (int)(sizeof(steps) / sizeof((steps)[0])))

/* -------------------------------------------------------------- paper */

START_TEST(starts_at_line_rate_with_no_timer)
{
	setup("paper", G40, NULL);
	ck_assert_int_eq(cc.out.rate_bps, G40);
	ck_assert(cc.out.timer_ps[0] == CC_NEVER_PS);
	ck_assert(cc.out.timer_ps[1] == CC_NEVER_PS);
	cc.ops->on_send(&cc, 0, INT64_C(1) << 40);
	ck_assert(cc.out.timer_ps[0] == CC_NEVER_PS);
}
END_TEST

/* alpha = 1: Rt = 40, Rc = 40 (1 - 1/2) = 20; then the half of the gap, four
 * times; the fifth event is additive, Rt = 40.04 clamped to 40. */
START_TEST(first_cnp_halves_and_ladder)
{
	static const struct step steps[] = {
		{ CNP, 10 * US, 0, 20000000000 },
		{ TIMER, 65 * US, 0, 30000000000 },
		{ TIMER, 120 * US, 0, 35000000000 },
		{ TIMER, 175 * US, 0, 37500000000 },
		{ TIMER, 230 * US, 0, 38750000000 },
		{ TIMER, 285 * US, 0, 39375000000 },
	};

	setup("paper", G40, NULL);
	WALK(steps);
}
END_TEST

/* Two CNPs within one alpha period: Rt = 20, Rc = 10.  The fifth event:
 * Rt = 20.04, Rc = (20.04 + 19.375)/2 (algorithms.md section 0). */
START_TEST(ladder_below_line)
{
	static const struct step steps[] = {
		{ CNP, 0, 0, 20000000000 },
		{ CNP, 50 * US, 0, 10000000000 },
		{ TIMER, 105 * US, 0, 15000000000 },
		{ TIMER, 160 * US, 0, 17500000000 },
		{ TIMER, 215 * US, 0, 18750000000 },
		{ TIMER, 270 * US, 0, 19375000000 },
		{ TIMER, 325 * US, 0, 19707500000 },
		/* Rt = 20.08 */
		{ TIMER, 380 * US, 0, 19893750000 },
	};

	setup("paper", G40, NULL);
	WALK(steps);
}
END_TEST

/* alpha after n periods of 55 us: (255/256)^n; Rc = 20 (1 - alpha/2). */
START_TEST(alpha_decays_step_by_step)
{
	static const struct step one[] = {
		{ CNP, 0, 0, 20000000000 },
		/* 20 (1 - 0.99609375/2) */
		{ CNP, 55 * US, 0, 10039062500 },
		/* alpha = 255/256 * 255/256 + 1/256 = 65281/65536;
		 * 10039062500 * 65791/131072 = 5039062201.98 */
		{ CNP, 109 * US, 0, 5039062201 },
	};
	static const struct step two[] = {
		{ CNP, 0, 0, 20000000000 },
		/* alpha = 65025/65536; 20e9 * (1 - 65025/131072) = 10077972412.1 */
		{ CNP, 164 * US, 0, 10077972412 },
	};
	static const struct step idle[] = {
		{ CNP, 0, 0, 20000000000 },
		/* 18181 periods: alpha is 0 and nothing is cut; alpha = 1/256 */
		{ CNP, 1000000 * US, 0, 20000000000 },
		/* 20e9 * 511/512 */
		{ CNP, 1000001 * US, 0, 19960937500 },
	};

	setup("paper", G40, NULL);
	WALK(one);
	setup("paper", G40, NULL);
	WALK(two);
	setup("paper", G40, NULL);
	WALK(idle);
}
END_TEST

START_TEST(byte_counter)
{
	static const struct step steps[] = {
		{ SEND, 0, 9999999, G40 },		/* at line rate: not counted */
		{ CNP, 0, 0, 20000000000 },
		{ SEND, US, 9999999, 20000000000 },
		{ SEND, 2 * US, 501, 30000000000 },	/* 10 MB + 500 B */
		{ SEND, 3 * US, 9999499, 30000000000 },
		{ SEND, 4 * US, 1, 35000000000 },	/* the 500 B counted */
		{ TIMER, 55 * US, 0, 37500000000 },	/* T = 1, BC = 2 */
		{ SEND, 56 * US, 9999999, 37500000000 },
		{ CNP, 57 * US, 0, 18823242187 },	/* 37.5e9 (1 - 255/512), 1 period */
		{ SEND, 58 * US, 1, 18823242187 },	/* the counter was reset */
		{ TIMER, 112 * US, 0, 28161621093 },	/* Rt = 37.5e9; .5 + .75 dropped */
	};

	setup("paper", G40, NULL);
	WALK(steps);
}
END_TEST

/* F = 1: AI while min(T, BC) <= 1, then i = min - 1 steps of 200 Mb/s. */
START_TEST(hyper_increase)
{
	static const char *const settings[] = {
		"fast_recovery", "1", "byte_counter", "1000B", NULL
	};
	static const struct step steps[] = {
		{ CNP, 0, 0, 20000000000 },
		{ CNP, 50 * US, 0, 10000000000 },
		{ TIMER, 105 * US, 0, 15020000000 },		/* Rt = 20.04 */
		{ SEND, 106 * US, 1000, 17550000000 },		/* Rt = 20.08 */
		{ TIMER, 160 * US, 0, 18835000000 },		/* Rt = 20.12 */
		{ SEND, 161 * US, 1000, 19577500000 },		/* i = 1: Rt = 20.32 */
		{ TIMER, 215 * US, 0, 20048750000 },		/* i = 1: Rt = 20.52 */
		{ SEND, 216 * US, 1000, 20484375000 },		/* i = 2: Rt = 20.92 */
	};

	setup("paper", G40, settings);
	WALK(steps);
}
END_TEST

/* 20e9 / 2^35 < 1: after 35 halvings of the gap the rate is the line's, and no
 * timer runs (DESIGN, law 5). */
START_TEST(timer_stops_at_line_rate)
{
	int events = 0;

	setup("paper", G40, NULL);
	cc.ops->on_cnp(&cc, 0);
	while (cc.out.timer_ps[0] != CC_NEVER_PS) {
		int64_t now_ps = cc.out.timer_ps[0];

		cc.out.timer_ps[0] = CC_NEVER_PS;
		cc.ops->on_timer(&cc, now_ps, 0);
		events++;
	}
	ck_assert_int_eq(events, 35);
	ck_assert_int_eq(cc.out.rate_bps, G40);
}
END_TEST

START_TEST(never_below_min_rate)
{
	setup("paper", G40, NULL);
	for (int i = 0; i < 50; i++)
		cc.ops->on_cnp(&cc, i * 50 * US);
	ck_assert_int_eq(cc.out.rate_bps, 100000000);
	setup("connectx", G40, NULL);
	for (int i = 0; i < 50; i++)
		cc.ops->on_cnp(&cc, i * 4 * US);
	ck_assert_int_eq(cc.out.rate_bps, 1000000);
}
END_TEST

/* ------------------------------------------------------------ connectx */

/* 1e11 - (1e11 * 1023 >> 11); then (1e11 + Rc + 1)/2, twice: the second event
 * is additive, Rt clamped to the line. */
START_TEST(connectx_first_cnp_and_ladder)
{
	static const struct step steps[] = {
		{ CNP, 0, 0, 50048828125 },
		{ TIMER, 300 * US, 0, 75024414063 },
		{ TIMER, 600 * US, 0, 87512207032 },
	};

	setup("connectx", G100, NULL);
	WALK(steps);
}
END_TEST

/* alpha without CNP: 1023, 1018, 1013, 1008, 1003 (each * 1019 >> 10); with
 * one in the period: 1003 * 1019 >> 10 = 998, + 5 = 1003, then 998, 993, 988. */
START_TEST(connectx_alpha_in_integers)
{
	static const struct step steps[] = {
		{ CNP, 0, 0, 50048828125 },
		/* 50048828125 - (50048828125 * 1003 >> 11) */
		{ CNP, 4 * US, 0, 25537610055 },
		/* 25537610055 - (25537610055 * 988 >> 11) */
		{ CNP, 8 * US, 0, 13217708330 },
	};

	setup("connectx", G100, NULL);
	WALK(steps);
}
END_TEST

/* A CNP inside the monitor period cuts at its end.  Alpha: 1018 at 1 us, the
 * CNP comes, 1013 + 5 = 1018 at 2 us, 1013, 1008 at 4 us. */
START_TEST(connectx_defers_the_cut)
{
	static const struct step steps[] = {
		{ CNP, 0, 0, 50048828125 },
		{ CNP, 1 * US, 0, 50048828125 },
		{ CNP, 1 * US + 5, 0, 50048828125 },
		/* 50048828125 - (50048828125 * 1008 >> 11) */
		{ CUT, 4 * US, 0, 25415420533 },
		{ CNP, 7 * US, 0, 25415420533 },
	};

	setup("connectx", G100, NULL);
	WALK(steps);
	ck_assert_int_eq(cc.out.timer_ps[1], 8 * US);
	ck_assert_int_eq(cc.out.timer_ps[0], 304 * US);	/* from the cut */
}
END_TEST

/* alpha after 301 steps of * 1019 >> 10 from 1023 is ALPHA_301 (python, the
 * same integer formula); the next event shows Rt: pulled down to 75024414063
 * by the time increase, or left at the line. */
#define ALPHA_301 165
START_TEST(connectx_clamps_the_target)
{
	static const char *const off[] = { "clamp_tgt_rate_after_time_inc", "false", NULL };
	const int64_t was = 75024414063, cut = was - (was * ALPHA_301 >> 11);
	const struct step clamped[] = {
		{ CNP, 0, 0, 50048828125 },
		{ TIMER, 300 * US, 0, was },
		{ CNP, 301 * US, 0, cut },
		{ TIMER, 601 * US, 0, (was + cut + 1) / 2 },
	};
	const struct step left[] = {
		{ CNP, 0, 0, 50048828125 },
		{ TIMER, 300 * US, 0, was },
		{ CNP, 301 * US, 0, cut },
		{ TIMER, 601 * US, 0, (G100 + cut + 1) / 2 },
	};

	setup("connectx", G100, NULL);
	WALK(clamped);
	setup("connectx", G100, off);
	WALK(left);
}
END_TEST

/* rate_to_set_on_first_cnp sets current and target.  Events: fast (T = 1),
 * additive (T = 2 > 1), then by bytes: BC = 1 additive, BC = 2 hyper. */
START_TEST(connectx_stages)
{
	static const char *const settings[] = { "rate_to_set_on_first_cnp", "10Gbps", NULL };
	static const struct step steps[] = {
		{ CNP, 0, 0, 10000000000 },
		{ TIMER, 300 * US, 0, 10000000000 },
		{ TIMER, 600 * US, 0, 10002500000 },	/* Rt = 10.005 */
		{ SEND, 601 * US, 32766, 10002500000 },
		{ SEND, 602 * US, 1, 10006250000 },	/* Rt = 10.010 */
		{ SEND, 603 * US, 32767, 10033125000 },	/* Rt = 10.060 */
	};

	setup("connectx", G100, settings);
	WALK(steps);
}
END_TEST

START_TEST(connectx_limits)
{
	static const char *const dec[] = { "rpg_min_dec_fac", "75%", NULL };
	static const char *const most[] = { "rpg_max_rate", "50Gbps", NULL };
	/* 5e10 * 1023 >> 11 = 24975585937 */
	static const struct step limited[] = { { CNP, 0, 0, 25024414063 } };
	static const struct step fac[] = { { CNP, 0, 0, 75000000000 } };

	setup("connectx", G100, dec);
	WALK(fac);
	setup("connectx", G100, most);
	ck_assert_int_eq(cc.out.rate_bps, G100);
	WALK(limited);
}
END_TEST

/* At the most allowed the limiter is released; the next CNP is a first one. */
START_TEST(connectx_release)
{
	setup("connectx", G100, NULL);
	for (int round = 0; round < 2; round++) {
		cc.ops->on_cnp(&cc, round * 1000000 * US);
		ck_assert_int_eq(cc.out.rate_bps, 50048828125);
		while (cc.out.timer_ps[0] != CC_NEVER_PS) {
			int64_t now_ps = cc.out.timer_ps[0];

			cc.out.timer_ps[0] = CC_NEVER_PS;
			cc.ops->on_timer(&cc, now_ps, 0);
		}
		ck_assert_int_eq(cc.out.rate_bps, G100);
	}
}
END_TEST

/* --------------------------------------------------------------- both */

START_TEST(keys_of_the_other_form_are_refused)
{
	const struct cc_ops *ops = cc_find("dcqcn");
	static const char *const rpg[] = { "rpg_ai_rate", "6Mbps", NULL };
	static const char *const g[] = { "form", "connectx", "g", "1/16", NULL };
	struct sim_error err = {0};

	param_defaults(ops->params, conf);
	conf_set(ops, rpg);
	ck_assert_int_eq(ops->check(conf, &err), -1);
	ck_assert_str_eq(err.text,
			 "rpg_ai_rate is of the form \"connectx\"; this is \"paper\"");
	param_defaults(ops->params, conf);
	conf_set(ops, g);
	memset(&err, 0, sizeof(err));
	ck_assert_int_eq(ops->check(conf, &err), -1);
	ck_assert_str_eq(err.text, "g is of the form \"paper\"; this is \"connectx\"");
}
END_TEST

/* Any facts in any order: 0 < rate <= line, no deadline in the past. */
START_TEST(answers_stay_in_bounds)
{
	const char *preset = _i % 2 ? "connectx" : "paper";
	uint64_t x = 88172645463325252u + (uint64_t)_i;
	int64_t now_ps = 0;

	setup(preset, _i % 3 ? G100 : 50000000, NULL);
	for (int i = 0; i < 100000; i++) {
		int due = -1;

		x ^= x << 13; x ^= x >> 7; x ^= x << 17;	/* xorshift64, Marsaglia 2003 */
		now_ps += (int64_t)(x >> 20) % (_i % 5 ? 3 * US : 60 * US);
		for (int t = 0; t < CC_TIMERS; t++)
			if (cc.out.timer_ps[t] <= now_ps &&
			    (due < 0 || cc.out.timer_ps[t] < cc.out.timer_ps[due]))
				due = t;
		if (due >= 0) {
			now_ps = cc.out.timer_ps[due];
			cc.out.timer_ps[due] = CC_NEVER_PS;
			cc.ops->on_timer(&cc, now_ps, due);
		} else if (x % 64 == 0) {
			cc.ops->on_cnp(&cc, now_ps);
		} else {
			cc.ops->on_send(&cc, now_ps, (int64_t)(x % 4096) + 1);
		}
		ck_assert(cc.out.rate_bps > 0);
		ck_assert(cc.out.rate_bps <= cc.path.line_bps);
		ck_assert(cc.out.timer_ps[0] >= now_ps);
		ck_assert(cc.out.timer_ps[1] >= now_ps);
		if (cc.out.rate_bps < cc.path.line_bps)
			ck_assert(cc.out.timer_ps[0] != CC_NEVER_PS);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dcqcn");
	TCase *tc = tcase_create("dcqcn");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, starts_at_line_rate_with_no_timer);
	tcase_add_test(tc, first_cnp_halves_and_ladder);
	tcase_add_test(tc, ladder_below_line);
	tcase_add_test(tc, alpha_decays_step_by_step);
	tcase_add_test(tc, byte_counter);
	tcase_add_test(tc, hyper_increase);
	tcase_add_test(tc, timer_stops_at_line_rate);
	tcase_add_test(tc, never_below_min_rate);
	tcase_add_test(tc, connectx_first_cnp_and_ladder);
	tcase_add_test(tc, connectx_alpha_in_integers);
	tcase_add_test(tc, connectx_defers_the_cut);
	tcase_add_test(tc, connectx_clamps_the_target);
	tcase_add_test(tc, connectx_stages);
	tcase_add_test(tc, connectx_limits);
	tcase_add_test(tc, connectx_release);
	tcase_add_test(tc, keys_of_the_other_form_are_refused);
	tcase_add_loop_test(tc, answers_stay_in_bounds, 0, 12);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
