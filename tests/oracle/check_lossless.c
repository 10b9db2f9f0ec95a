/*
 * Headroom is exact: with N frames of it nothing is lost in any phase, with one
 * frame less something is.
 *
 * Algorithms.md, section 0: N = ceil((2D + t_resp + t_M + t_84) / t_W), need =
 * N * ceil(F / cell) cells, t_W = t(F + 20), t_M = t(M + 20); the frame that
 * crosses XOFF is not in it.  The worst case is built here: the egress of the
 * lossless class is stopped by a storm; frames of M bytes leave back to back
 * towards the sender, so that one is committed (at the last bit of the one
 * before, a gap ahead of its first) `delta` before the crossing frame is in;
 * delta goes over the whole wire time of M.  The last bit of the pause is then
 * t(M + 104) after that, and the sender commits to frames every t_W from the
 * moment the crossing frame left it:
 *
 *	frames = ceil((2D + t_resp + t(M + 104) - delta) / t_W)
 */
#include <check.h>
#include <stdlib.h>

#include "models/switch/headroom.h"
#include "tests/support/bed.h"

enum { PRIO = 3, CROSSING = 6, BEFORE = 3 };

struct worst {
	int64_t rate, delay, frame, reverse, cell;
	int64_t headroom;		/* in bytes */
};

struct outcome { int64_t headroom_peak, lost, delivered; };

static int64_t byte_ps(int64_t rate) { return 8 * UNITS_PS_PER_S / rate; }
static int64_t cells(const struct worst *w)
{
	return (w->frame + w->cell - 1) / w->cell * w->cell;
}

static struct outcome run(const struct worst *w, int64_t delta)
{
	int64_t t = byte_ps(w->rate), start = 20 * BED_US;
	int64_t in = start + (CROSSING - 1) * (w->frame + 20) * t + (8 + w->frame) * t + w->delay;
	int64_t commit = in - delta, first = commit + 12 * t - BEFORE * (w->reverse + 20) * t;
	struct outcome o;
	struct bed b;

	bed_open(&b, in + 3 * w->delay + 20 * BED_US);
	b.sw.buffer.size_bytes = 64000000;
	b.sw.buffer.cell_bytes = w->cell;
	b.sw.buffer.xoff_bytes = CROSSING * cells(w);
	b.sw.buffer.headroom_bytes = w->headroom;
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, w->rate, w->delay);
	bed_leaf(&b, "c", "s", 1, w->rate, 1);
	bed_leaf(&b, "r", "s", 2, 4 * w->rate, 1);
	bed_storm(&b, "c", 0, UNITS_NEVER);
	bed_stream(&b, "load", "a", "c", 0, w->frame, start, UNITS_NEVER);
	b.class_ = BED_BULK;
	bed_stream(&b, "reverse", "r", "a", 0, w->reverse,
		   first - (8 + w->reverse) * byte_ps(4 * w->rate) - 1, UNITS_NEVER);
	bed_run(&b);
	struct view_counters v = bed_counters(&b, "s", 0, PRIO);
	o.headroom_peak = v.headroom_peak_bytes;
	o.lost = v.drops[RECORD_DROP_LOSSLESS];
	o.delivered = bed_workload(&b, "load").delivered_bytes;
	ck_assert_int_eq(v.xoff_frames, 1);
	ck_assert_int_eq(o.delivered, 0);
	bed_close(&b);
	return o;
}

static const struct worst worst[] = {
	{ 100 * BED_G, 1500 * BED_NS, 4178, 4178, 1, 0 },
	{ 100 * BED_G, 25 * BED_NS, 1518, 9216, 208, 0 },
	{ 100 * BED_G, 200 * BED_NS, 1049, 1500, 208, 0 },	/* one byte over 5 cells */
	{ 40 * BED_G, 1500 * BED_NS, 1518, 1518, 1, 0 },
	{ 400 * BED_G, 200 * BED_NS, 4158, 64, 254, 0 },
	{ 25 * BED_G, 10 * BED_US, 9216, 9216, 256, 0 },
	{ 10 * BED_G, 50 * BED_NS, 64, 1518, 80, 0 },
};
enum { CASES = sizeof(worst) / sizeof(worst[0]), DELAYS = 4 };

static int64_t next(uint64_t *x, int64_t below)
{
	*x ^= *x << 13; *x ^= *x >> 7; *x ^= *x << 17;		/* xorshift64 */
	return (int64_t)(*x >> 11) % below;
}

/* The window of the formula; with delta = 0 that of the worst case above. */
static int64_t window(const struct worst *w)
{
	int64_t t = byte_ps(w->rate);
	return 2 * w->delay + pfc_response_ps(w->rate) + (w->reverse + 20) * t + 84 * t;
}

/* The delay moves the arrival of the pause within a frame of the sender. */
static struct worst pick(int i, uint64_t *x)
{
	struct worst w = worst[i / DELAYS];

	w.delay += i % DELAYS * (w.frame + 20) * byte_ps(w.rate) / (2 * DELAYS) +
		   (i % DELAYS ? next(x, 1000) : 0);
	return w;
}

START_TEST(need_is_exact)
{
	uint64_t x = UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)_i;
	struct worst w = pick(_i, &x);
	int64_t t = byte_ps(w.rate), wire = (w.frame + 20) * t, span = (w.reverse + 20) * t;
	int64_t n = (window(&w) + wire - 1) / wire, spare = window(&w) - (n - 1) * wire;
	int64_t deltas[12] = { 1, 2, spare - 1, spare, spare + 1, span };
	struct headroom_terms terms;

	for (int k = 6; k < 12; k++)
		deltas[k] = 1 + next(&x, span);
	w.headroom = n * cells(&w);
	for (int k = 0; k < 12; k++) {
		if (deltas[k] < 1 || deltas[k] > span)
			continue;
		struct outcome o = run(&w, deltas[k]);
		int64_t frames = (window(&w) - deltas[k] + wire - 1) / wire;
		ck_assert_int_eq(o.lost, 0);
		ck_assert_int_eq(o.headroom_peak, frames * cells(&w));
	}
	w.headroom = (n - 1) * cells(&w);
	ck_assert_int_eq(run(&w, 1).lost, 1);
	ck_assert_int_eq(run(&w, spare < span ? spare : span).lost, spare < span ? 0 : 1);

	headroom_compute(&(struct headroom_conf){ .rate_bps = w.rate, .delay_ps = w.delay,
		.response_ps = pfc_response_ps(w.rate), .forward_bytes = w.frame,
		.reverse_bytes = w.reverse, .cell_bytes = w.cell }, &terms);
	ck_assert_int_eq(terms.full.bytes, n * cells(&w));
}
END_TEST

/* Frames of many sizes mixed: "auto" is a bound of every mixture. */
START_TEST(auto_bounds_a_mixture)
{
	uint64_t x = UINT64_C(0x2545f4914f6cdd1d) * (uint64_t)(_i + 1);
	struct bed b;
	char name[] = "load0";

	bed_open(&b, 400 * BED_US);
	b.run.seed = _i;
	b.sw.buffer.cell_bytes = 1 + next(&x, 300);
	b.sw.buffer.xoff_bytes = 5000 + next(&x, 20000);
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, 1 + next(&x, 3 * BED_US));
	bed_leaf(&b, "c", "s", 1, 100 * BED_G, 1);
	bed_leaf(&b, "r", "s", 2, 400 * BED_G, 1);
	bed_storm(&b, "c", 0, UNITS_NEVER);
	for (int k = 0; k < 6; k++) {
		name[4] = (char)('0' + k);
		bed_stream(&b, name, "a", "c", 0, 64 + next(&x, k ? 1500 : 9000),
			   20 * BED_US + next(&x, BED_US), UNITS_NEVER);
	}
	b.class_ = BED_BULK;
	bed_stream(&b, "reverse", "r", "a", 0, 64 + next(&x, 9000), next(&x, 20 * BED_US),
		   UNITS_NEVER);
	bed_run(&b);
	struct view_counters v = bed_counters(&b, "s", 0, PRIO);
	ck_assert_int_eq(v.drops[RECORD_DROP_LOSSLESS], 0);
	ck_assert_int_gt(v.headroom_peak_bytes, 0);
	ck_assert_int_le(v.headroom_peak_bytes, v.headroom_limit_bytes);
	bed_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lossless");
	TCase *tc = tcase_create("lossless");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, need_is_exact, 0, CASES * DELAYS);
	tcase_add_loop_test(tc, auto_bounds_a_mixture, 0, 40);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
