/*
 * analyze/prove: with the exact need nothing is lost in any phase and all of it is
 * used in the worst one; with a frame less something is lost; and so for the frame
 * size that fills cells worst.  20 draws of rate, cable, MTU both ways, response and
 * cell.  (tests/oracle/check_lossless.c builds the same case by its own hand.)
 */
#include <check.h>
#include <stdlib.h>

#include "analyze/prove.h"
#include "models/wire/pfc.h"
#include "sim/rng.h"

enum { DRAWS = 20, PHASES = 24 };

static int64_t below(struct rng *r, int64_t n) { return (int64_t)rng_below(r, (uint64_t)n); }

static struct headroom_conf draw(int i)
{
	static const int64_t rates[] = { 10, 25, 40, 50, 100, 200, 400, 800 };
	struct rng r = { rng_hash(4, (uint64_t)i) };
	struct headroom_conf c = { .rate_bps = rates[below(&r, 8)] * 1000000000 };

	c.delay_ps = 1 + below(&r, 5 * 400) * 1000;	/* up to 400 m */
	c.response_ps = below(&r, 2) ? pfc_response_ps(c.rate_bps) : below(&r, 4000000);
	c.forward_bytes = 64 + below(&r, 9153);
	c.reverse_bytes = 64 + below(&r, 9153);
	c.cell_bytes = below(&r, 3) ? 1 + below(&r, 256) : 1;
	return c;
}

static struct prove_outcome prove(const struct headroom_conf *c, int64_t frame,
				  int64_t headroom)
{
	struct prove_outcome o;
	struct sim_error err = { 0 };

	ck_assert_msg(!prove_run(c, frame, headroom, PHASES, &o, &err), "%s", err.text);
	ck_assert_int_eq(o.phases, PHASES);
	return o;
}

START_TEST(need_is_exact)
{
	struct headroom_conf c = draw(_i);
	struct headroom_terms t;
	struct prove_outcome o;

	headroom_compute(&c, &t);
	o = prove(&c, t.full.frame_bytes, t.full.bytes);
	ck_assert_int_eq(o.lost, 0);
	ck_assert_int_eq(o.peak_bytes, t.full.bytes);
	ck_assert_int_eq(o.worst_phase_ps, -1);
	o = prove(&c, t.full.frame_bytes, t.full.bytes - t.full.bytes / t.full.frames);
	ck_assert_int_gt(o.lost, 0);
	ck_assert_int_ge(o.worst_phase_ps, 1);
	o = prove(&c, t.worst.frame_bytes, t.worst.bytes);
	ck_assert_int_eq(o.lost, 0);
	ck_assert_int_eq(o.peak_bytes, t.worst.bytes);
	o = prove(&c, t.worst.frame_bytes, t.worst.bytes - t.worst.bytes / t.worst.frames);
	ck_assert_int_gt(o.lost, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("prove");
	TCase *tc = tcase_create("prove");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, need_is_exact, 0, DRAWS);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
