/*
 * models/cc/fixed_window: one bandwidth-delay product, or what is asked.
 *
 * The definition is Mittal et al., SIGCOMM 2018, section 3.2 (BDP-FC); the
 * products are worked out by hand.
 */
#include "tests/unit/cc_facts.h"

#define OPS cc_find("fixed_window")

static const struct cc_path path = { .base_rtt_ps = 8 * US, .line_bps = G100,
				     .mtu_bytes = 4096, .hops = 2 };

static const struct {
	const char *settings[5];
	int64_t base_rtt_ps, line_bps, window;
} cases[] = {
	{ { NULL }, 8 * US, G100, 100000 },		/* 12.5 GB/s * 8 us */
	{ { NULL }, 13 * US, G100, 162500 },		/* HPCC's 13 us */
	{ { NULL }, 8 * US, 4 * G10, 40000 },
	{ { NULL }, 100 * 1000, G100, 4096 },		/* 1250 B: one MTU at least */
	{ { NULL }, 0, G100, 4096 },			/* no path yet */
	{ { "factor", "1.5" }, 8 * US, G100, 150000 },
	{ { "factor", "1/3" }, 8 * US, G100, 33333 },
	{ { "window", "64KB" }, 8 * US, G100, 64000 },
	{ { "window", "1B" }, 8 * US, G100, 1 },
};

START_TEST(window_is_what_it_says)
{
	struct cc_path p = path;

	p.base_rtt_ps = cases[_i].base_rtt_ps;
	p.line_bps = cases[_i].line_bps;
	facts_begin(OPS, NULL, &p, cases[_i].settings);
	ck_assert_int_eq(cc->out.cwnd_bytes, cases[_i].window);
	ck_assert_int_eq(cc->out.rate_bps, cases[_i].line_bps);
	ck_assert(cc->out.timer_ps[0] == CC_NEVER_PS);
	ck_assert(cc->out.timer_ps[1] == CC_NEVER_PS);
	ck_assert_ptr_null(OPS->on_ack);
}
END_TEST

START_TEST(a_factor_of_given_bytes_is_refused)
{
	static const char *const both[] = { "window", "64KB", "factor", "2", NULL };
	static const char *const one[] = { "window", "64KB", "factor", "1", NULL };

	ck_assert_str_eq(facts_refusal(OPS, NULL, both),
			 "factor multiplies the bandwidth-delay product; "
			 "here window gives the bytes themselves");
	ck_assert_str_eq(facts_refusal(OPS, NULL, one), "");
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("fixed_window");

	tcase_add_loop_test(tc, window_is_what_it_says, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tc, a_factor_of_given_bytes_is_refused);
	return facts_main("fixed_window", tc);
}
