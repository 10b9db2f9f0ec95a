/*
 * Who gets how much: PFC shares by ingress port, DWRR by weight, and a tie goes
 * to nobody in particular.
 *
 * PFC alone (algorithms.md, 1.6 and 6.7): k ports compete for an egress, each
 * gets C/k whatever flows come by it.  DWRR (6.21): a backlogged queue is within
 * a quantum and a frame of its share (Shreedhar, Varghese, SIGCOMM 1995).
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "models/wire/sched.h"
#include "tests/support/bed.h"

/* ---- N greedy flows ---- */

START_TEST(greedy_flows_share_by_port)
{
	static const int flows[] = { 2, 3, 8, 16 };
	int n = flows[_i];
	int64_t until = 20 * BED_MS, frame = 1000;
	double want = (double)until * 100e9 / 8e12 / 1020 * 1000 / n;
	char name[16], load[16];
	struct bed b;

	bed_open(&b, until);
	b.sw.buffer.xoff_bytes = 50000;
	bed_switch(&b, "s");
	bed_leaf(&b, "c", "s", 100, 100 * BED_G, BED_US);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof name, "h%d", i);
		snprintf(load, sizeof load, "load%d", i);
		bed_leaf(&b, name, "s", i, 100 * BED_G, BED_US);
		bed_stream(&b, load, name, "c", 0, frame, 0, UNITS_NEVER);
	}
	bed_run(&b);
	for (int i = 0; i < n; i++) {
		snprintf(load, sizeof load, "load%d", i);
		ck_assert_double_eq_tol((double)bed_workload(&b, load).delivered_bytes, want,
					0.02 * want);
	}
	bed_close(&b);
}
END_TEST

/* The parking lot of "PFC unfairness" (DCQCN, SIGCOMM 2015, figure 3; the values
 * by hand): near R sits h4; all others come by one uplink, behind which h2 has a
 * port of its own, and h1 and h3 share one.  40G: 20, and 5, 10, 5. */
START_TEST(parking_lot)
{
	static const struct { const char *load; double gbps; } want[] = {
		{ "h1", 5 }, { "h2", 10 }, { "h3", 5 }, { "h4", 20 },
	};
	int64_t until = 50 * BED_MS;
	struct bed b;

	bed_open(&b, until);
	b.sw.buffer.xoff_bytes = 40000;
	bed_switch(&b, "t1");
	bed_switch(&b, "l");
	bed_switch(&b, "t4");
	bed_link(&b, "t1", 9, "l", 0, 40 * BED_G, BED_US);
	bed_link(&b, "l", 9, "t4", 0, 40 * BED_G, BED_US);
	bed_leaf(&b, "h1", "t1", 1, 40 * BED_G, BED_US);
	bed_leaf(&b, "h3", "t1", 3, 40 * BED_G, BED_US);
	bed_leaf(&b, "h2", "l", 2, 40 * BED_G, BED_US);
	bed_leaf(&b, "h4", "t4", 4, 40 * BED_G, BED_US);
	bed_leaf(&b, "r", "t4", 9, 40 * BED_G, BED_US);
	for (int i = 0; i < 4; i++)
		bed_stream(&b, want[i].load, want[i].load, "r", 0, 1000, 0, UNITS_NEVER);
	bed_run(&b);
	for (int i = 0; i < 4; i++) {
		double frames = (double)bed_workload(&b, want[i].load).delivered_bytes / 1000;
		double gbps = frames * 1020 * 8 / ((double)until / 1000);
		ck_assert_double_eq_tol(gbps, want[i].gbps, 0.03 * want[i].gbps);
	}
	bed_close(&b);
}
END_TEST

/* ---- DWRR ---- */

struct split { const struct bed *b; int64_t wire[3]; int n; };
static const int split_prio[3] = { 0, 1, 3 };

static void tally(void *ctx, int64_t at_ps)
{
	struct split *s = ctx;

	(void)at_ps;
	for (int i = 0; i < 3; i++) {
		struct view_counters v = bed_counters(s->b, "s", 9, split_prio[i]);
		int64_t wire = v.tx_bytes + 20 * v.tx_frames;
		s->wire[i] = s->n ? wire - s->wire[i] : wire;
	}
	s->n++;
}

static const struct { int64_t weight[3], frame[3]; } splits[] = {
	{ { 1, 1, 1 }, { 1000, 1000, 1000 } },
	{ { 1, 1, 1 }, { 64, 1518, 9216 } },
	{ { 1, 2, 4 }, { 1000, 1000, 1000 } },
	{ { 1, 2, 4 }, { 9216, 64, 1518 } },
	{ { 70, 20, 10 }, { 256, 4178, 4178 } },
	{ { 1, 100, 1 }, { 1518, 777, 9216 } },
};

START_TEST(weights_share_the_wire)
{
	static const int classes[3] = { BED_SCAVENGER, BED_BULK, BED_RDMA };
	int64_t least = INT64_MAX, sum = 0, total = 0, window = 2 * BED_MS;
	char name[16];
	struct split s = { .n = 0 };
	struct bed b;

	bed_open(&b, 2 * window);
	for (int i = 0; i < 3; i++) {
		b.classes[classes[i]].weight = splits[_i].weight[i];
		sum += splits[_i].weight[i];
		if (splits[_i].weight[i] < least)
			least = splits[_i].weight[i];
	}
	bed_switch(&b, "s");
	bed_leaf(&b, "c", "s", 9, 100 * BED_G, BED_US);
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof name, "h%d", i);
		bed_leaf(&b, name, "s", i, 200 * BED_G, BED_US);
		b.class_ = classes[i];
		bed_stream(&b, name, name, "c", 0, splits[_i].frame[i], 0, UNITS_NEVER);
	}
	bed_finish(&b);
	s.b = &b;
	fabric_add_sampler(b.f, window, tally, &s);
	bed_run(&b);
	for (int i = 0; i < 3; i++)
		total += s.wire[i];
	ck_assert_int_ge(total, window / 80 - 2 * 9236);	/* nothing idles */
	for (int i = 0; i < 3; i++) {
		double share = (double)(total * splits[_i].weight[i]) / (double)sum;
		/* the quantum is 1536 bytes and more of the least weight */
		double quantum = (double)(SCHED_QUANTUM_BYTES + least) / (double)least *
				 (double)splits[_i].weight[i];
		ck_assert_double_eq_tol((double)s.wire[i], share, 2 * (quantum + 9236));
	}
	bed_close(&b);
}
END_TEST

/* A strict class takes all it asks for; the rest share what is left. */
START_TEST(strict_comes_first)
{
	int64_t until = 4 * BED_MS;
	struct bed b;

	bed_open(&b, until);
	bed_switch(&b, "s");
	bed_leaf(&b, "c", "s", 9, 100 * BED_G, BED_US);
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(&b, "b", "s", 1, 100 * BED_G, BED_US);
	bed_stream(&b, "greedy", "a", "c", 0, 1000, 0, UNITS_NEVER);
	b.class_ = BED_CNP;
	bed_stream(&b, "strict", "b", "c", 60 * BED_G, 1000, 0, UNITS_NEVER);
	bed_run(&b);
	double all = (double)(until - 2 * (BED_US + 1008 * 80)) * 100e9 / 8e12 / 1020 * 1000;
	ck_assert_double_eq_tol((double)bed_workload(&b, "strict").delivered_bytes, 0.6 * all, 2000);
	ck_assert_double_eq_tol((double)bed_workload(&b, "greedy").delivered_bytes, 0.4 * all, 2000);
	bed_close(&b);
}
END_TEST

/* ---- ties ---- */

/* Two senders alike in all but their names: their frames come in the same
 * instant, always, and one of the two finds the lossy queue full.  The tie is a
 * fair coin: the drops of each lie in its binomial interval, and within 2 %. */
static const char *const twins[][2] = { { "a", "b" }, { "h1", "h2" }, { "x", "leftmost" },
					{ "node7", "node8" } };

START_TEST(ties_are_fair)
{
	int64_t lost[2], sum = 0;
	char load[2][16] = { "load0", "load1" };
	struct bed b;

	bed_open(&b, 20 * BED_MS);
	b.run.seed = _i;
	b.sw.buffer.size_bytes = 1000000;
	b.class_ = BED_BULK;
	bed_switch(&b, "s");
	bed_leaf(&b, "c", "s", 9, 100 * BED_G, BED_US);
	for (int i = 0; i < 2; i++) {
		bed_leaf(&b, twins[_i][i], "s", i + 2, 100 * BED_G, BED_US);
		bed_stream(&b, load[i], twins[_i][i], "c", 0, 1000, 0, UNITS_NEVER);
	}
	bed_run(&b);
	for (int i = 0; i < 2; i++) {
		struct view_workload w = bed_workload(&b, load[i]);
		lost[i] = w.sent_frames - w.delivered_bytes / 1000;
		sum += lost[i];
	}
	ck_assert_int_gt(sum, 200000);		/* half of 2 * 245,000 frames */
	ck_assert_double_lt(fabs((double)(lost[0] - lost[1])), 0.02 * (double)sum);
	double fewer = (double)(lost[0] < lost[1] ? lost[0] : lost[1]);
	double z = ((double)sum / 2 - fewer) / sqrt((double)sum / 4);
	ck_assert_double_lt(z, gsl_cdf_ugaussian_Qinv(0.0005));
	bed_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shares");
	TCase *tc = tcase_create("shares");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, greedy_flows_share_by_port, 0, 4);
	tcase_add_test(tc, parking_lot);
	tcase_add_loop_test(tc, weights_share_the_wire, 0, sizeof(splits) / sizeof(splits[0]));
	tcase_add_test(tc, strict_comes_first);
	tcase_add_loop_test(tc, ties_are_fair, 0, 4);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
