/*
 * ECN end to end: the frequency of WRED marks, the first cut of DCQCN and its
 * recovery, each at its picosecond.
 *
 * WRED: p(q) of Floyd and Jacobson (ToN 1993) with the jump at kmax, on the
 * instantaneous queue (algorithms.md, 1.1 and 6.9).  The queue is pinned: one
 * sender fills it with n frames, another keeps it there at the line rate, so
 * that every frame leaves (and joins) a queue of n frames, itself included.
 *
 * DCQCN (SIGCOMM 2015, section 3): a CNP at the first mark, Rt = Rc, Rc halves
 * (alpha = 1), then fast recovery each 55 us (algorithms.md, 0 and 1.5).
 */
#include <check.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "tests/support/bed.h"

enum { PRIO = 3 };

/* ---- WRED ---- */

static const struct { int64_t kmin, kmax; struct units_ratio pmax; int64_t frame, frames; } pins[] = {
	{ 5000, 200000, { 1, 100 }, 1025, 100 },	/* half way: 0.5 % */
	{ 5000, 200000, { 1, 100 }, 1000, 190 },
	{ 100000, 400000, { 1, 5 }, 4000, 40 },		/* 4 % */
	{ 100000, 400000, { 1, 5 }, 4000, 99 },
	{ 10000, 20000, { 1, 1 }, 1000, 15 },		/* 50 % */
	{ 10000, 20000, { 9, 10 }, 1000, 20 },		/* kmax itself: pmax */
	{ 10000, 20000, { 9, 10 }, 1000, 10 },		/* kmin itself: none */
	{ 10000, 20000, { 9, 10 }, 1000, 8 },
	{ 10000, 20000, { 9, 10 }, 1000, 21 },		/* above kmax: all */
	{ 10000, 10000, { 1, 100 }, 1000, 11 },		/* a step */
	{ 0, 1000000, { 1, 50 }, 64, 300 },
};
enum { PINS = sizeof(pins) / sizeof(pins[0]) };

struct tally { const struct bed *b; int64_t marked, frames; int n; };

static void look(void *ctx, int64_t at_ps)
{
	struct tally *t = ctx;
	struct view_counters v = bed_counters(t->b, "s", 9, PRIO);

	(void)at_ps;
	t->marked = t->n ? v.marked - t->marked : v.marked;
	t->frames = t->n ? v.tx_frames - t->frames : v.tx_frames;
	t->n++;
}

START_TEST(marking_frequency)
{
	int pin = _i / 2;
	int64_t frame = pins[pin].frame, wire_ps = (frame + 20) * 80, q = frame * pins[pin].frames;
	int64_t half = 60000 * wire_ps;
	double p = q <= pins[pin].kmin ? 0 : q > pins[pin].kmax ? 1 :
		(double)pins[pin].pmax.num / (double)pins[pin].pmax.den *
		(double)(q - pins[pin].kmin) / (double)(pins[pin].kmax - pins[pin].kmin);
	struct tally t = { .n = 0 };
	struct bed b;

	bed_open(&b, 2 * half);
	b.run.seed = 7;
	b.sw.buffer.xoff_bytes = 10000000;
	b.sw.ecn[BED_RDMA] = (struct ecn_conf){ true, pins[pin].kmin, pins[pin].kmax, pins[pin].pmax,
		_i % 2 ? ECN_ENQUEUE : ECN_DEQUEUE };
	bed_switch(&b, "s");
	bed_leaf(&b, "c", "s", 9, 100 * BED_G, BED_US);
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(&b, "b", "s", 1, 100 * BED_G, BED_US + wire_ps / 2);
	bed_stream(&b, "keep", "a", "c", 0, frame, 0, UNITS_NEVER);
	bed_stream(&b, "fill", "b", "c", 0, frame, 0, (pins[pin].frames - 1) * wire_ps + 1);
	bed_finish(&b);
	t.b = &b;
	fabric_add_sampler(b.f, half, look, &t);
	bed_run(&b);
	ck_assert_int_eq(bed_workload(&b, "fill").sent_frames, pins[pin].frames);
	ck_assert_int_eq(t.frames, 60000);
	if (p == 0 || p == 1) {
		ck_assert_int_eq(t.marked, p > 0 ? t.frames : 0);
	} else {
		ck_assert_double_gt(gsl_cdf_binomial_P((unsigned)t.marked, p, 60000), 0.0005);
		ck_assert_double_gt(gsl_cdf_binomial_Q((unsigned)t.marked - 1, p, 60000), 0.0005);
	}
	bed_close(&b);
}
END_TEST

/* ---- DCQCN ---- */

/* Every frame is marked; CNPs at most every `interval`. */
static void dcqcn(struct bed *b, int64_t until, int64_t interval_ps, int64_t delay)
{
	bed_open(b, until);
	bed_cc(b, "dcqcn", "paper", NULL);
	b->nic.cnp_interval_ps = interval_ps;
	b->sw.ecn[BED_RDMA] = (struct ecn_conf){ true, 0, 0, { 1, 1 }, ECN_DEQUEUE };
	bed_switch(b, "s");
	bed_leaf(b, "a", "s", 0, 100 * BED_G, delay);
	bed_leaf(b, "c", "s", 1, 100 * BED_G, delay);
	bed_flow(b, "m", "a", "c", INT64_C(1000000000), 1);
	bed_watch(b, UINT64_C(1) << RECORD_RATE | UINT64_C(1) << RECORD_CNP);
	bed_run(b);
}

START_TEST(first_cut_and_recovery)
{
	static const int64_t rates[] = { 50000, 75000, 87500, 93750, 96875 };	/* Mb/s */
	int64_t d = 1234567, first = 2 * ((8 + 4174) * 80 + d);
	int64_t cut = first + 2 * ((8 + 78) * 80 + d), line = 100 * BED_G, now = line, at = 0;
	struct bed b;
	int n = 0;

	dcqcn(&b, 400 * BED_US, UNITS_PS_PER_S, d);
	ck_assert_int_eq(bed_count(&b, RECORD_CNP, VIEW_NONE), 1);
	ck_assert_int_eq(bed_record(&b, RECORD_CNP, VIEW_NONE, 0)->at_ps, first);
	for (int i = 0; i < b.logged; i++) {
		const struct record *r = &b.log[i];
		if (r->kind != RECORD_RATE || r->a == now)
			continue;
		now = r->a;
		at = r->at_ps;
		ck_assert_int_eq(at, cut + n * 55 * BED_US);
		if (n < 5)
			ck_assert_int_eq(now, rates[n] * 1000000);
		else	/* additive from here on; the target is held at the line rate */
			ck_assert_int_eq(now, (n == 5 ? 98437500 : n == 6 ? 99218750 : now / 1000) * 1000);
		n++;
	}
	ck_assert_int_ge(n, 7);
	bed_close(&b);
}
END_TEST

/* A CNP goes with the first marked packet 50 us or more after the last one: after
 * n cuts the rate is at least line / 2^n (and 100 Mb/s), and the next packet is no
 * further away than its wire time at that rate. */
START_TEST(cnps_keep_their_interval)
{
	const struct record *last = NULL;
	struct bed b;
	int n;

	dcqcn(&b, 4 * BED_MS, 50 * BED_US, BED_US);
	n = bed_count(&b, RECORD_CNP, VIEW_NONE);
	ck_assert_int_ge(n, 10);
	for (int i = 1; i < n; i++) {
		int64_t gap = bed_record(&b, RECORD_CNP, VIEW_NONE, i)->at_ps -
			      bed_record(&b, RECORD_CNP, VIEW_NONE, i - 1)->at_ps;
		int64_t packet = i < 10 ? INT64_C(4194) * 80 << i : INT64_C(4194) * 80 * 1000;
		ck_assert_int_ge(gap, 50 * BED_US);
		ck_assert_int_le(gap, 50 * BED_US + packet);
	}
	for (int i = 0; i < b.logged; i++)
		if (b.log[i].kind == RECORD_RATE)
			last = &b.log[i];
	ck_assert_int_ge(last->a, 100000000);	/* the least rate of the preset */
	ck_assert_int_le(last->a, BED_G);
	bed_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("marking");
	TCase *tc = tcase_create("marking");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, marking_frequency, 0, 2 * PINS);
	tcase_add_test(tc, first_cut_and_recovery);
	tcase_add_test(tc, cnps_keep_their_interval);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
