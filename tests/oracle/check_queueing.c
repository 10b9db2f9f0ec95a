/*
 * A queue at random: M/D/1 and M/G/1 waits, Little's law, and a full link that never idles.
 *
 * Pollaczek and Khinchine for a constant service time S: mean wait Wq =
 * rho S / (2 (1 - rho)) (algorithms.md, 6.5).  A superposition of Poisson sources
 * is Poisson; their own links are eight times as fast, so that they hardly wait
 * at home (rho/512 of the load there: under 0.1 % of the wait).
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/bed.h"

enum { SOURCES = 64, PAYLOAD = 1000, WIRE = PAYLOAD + 78 + 20, BATCHES = 25 };

/* ---- M/D/1 ---- */

struct waits {
	const struct fabric *f;
	int64_t ideal_ps, skip, n;
	int64_t per_batch;
	double sum[BATCHES];
};

static void delivered(void *ctx, const struct record *rec)
{
	struct waits *w = ctx;
	int64_t k = w->n++ - w->skip;

	if (k >= 0 && k / w->per_batch < BATCHES)
		w->sum[k / w->per_batch] += (double)(rec->a - w->ideal_ps);
}

/* The load is the payload's share of an 800G line. */
static void sources(struct bed *b, struct workload_cdf cdf, struct units_ratio load)
{
	static char name[SOURCES][16];
	static char *from[SOURCES];
	char sink[] = "sink", *to[] = { sink };

	b->sw.buffer.size_bytes = INT64_C(1) << 32;	/* nothing is ever paused */
	bed_switch(b, "s");
	bed_leaf(b, "sink", "s", SOURCES, 100 * BED_G, BED_US);
	for (int i = 0; i < SOURCES; i++) {
		snprintf(name[i], sizeof name[i], "h%d", i);
		from[i] = name[i];
		bed_leaf(b, name[i], "s", i, 800 * BED_G, BED_US);
	}
	bed_traffic(b, (struct workload_conf){ .kind = WORKLOAD_POISSON, .from = from,
		.nfrom = SOURCES, .to = to, .nto = 1, .load = load, .cdf = cdf }, "load");
}

/* Frames of one size that take `percent` of the sink's wire. */
static void equal_frames(struct bed *b, int64_t percent)
{
	int64_t sizes[2] = { PAYLOAD, PAYLOAD };
	double fractions[2] = { 0, 1 };

	sources(b, (struct workload_cdf){ .n = 2, .size_bytes = sizes, .fraction = fractions },
		(struct units_ratio){ percent * PAYLOAD, INT64_C(100) * WIRE * 8 * SOURCES });
}

static const struct { int64_t percent, seed; } loads[] = {
	{ 50, 1 }, { 50, 2 }, { 80, 1 }, { 80, 2 }, { 80, 3 }, { 90, 1 },
};

START_TEST(m_d_1)
{
	double rho = (double)loads[_i].percent / 100, s = WIRE * 80;
	double want = rho * s / (2 * (1 - rho)), mean = 0, var = 0, se;
	int64_t flows = 240000;
	struct waits w = { .skip = 5000 };
	struct bed b;

	bed_open(&b, (int64_t)((double)flows * s / rho));
	b.run.seed = loads[_i].seed;
	equal_frames(&b, loads[_i].percent);
	bed_finish(&b);
	w.f = b.f;
	w.per_batch = (flows - 10000) / BATCHES;
	w.ideal_ps = (WIRE - 12) * 10 + (WIRE - 12) * 80 + 2 * BED_US;	/* alone */
	fabric_add_sink(b.f, UINT64_C(1) << RECORD_FLOW_DELIVERED, delivered, &w);
	bed_run(&b);
	ck_assert_int_gt(w.n, flows - 5000);
	for (int i = 0; i < BATCHES; i++)
		mean += w.sum[i] / (double)w.per_batch / BATCHES;
	for (int i = 0; i < BATCHES; i++)
		var += pow(w.sum[i] / (double)w.per_batch - mean, 2) / (BATCHES - 1);
	se = sqrt(var / BATCHES);		/* batch means: neighbours wait alike */
	ck_assert_double_lt(se, 0.05 * want);	/* the test can fail */
	ck_assert_double_eq_tol(mean, want, 3 * se);
	bed_close(&b);
}
END_TEST

/* ---- M/G/1 ---- */

/*
 * Any distribution of the service time: Wq = lambda E[S^2] / (2 (1 - rho)), Pollaczek
 * and Khinchine (algorithms.md, 6.6).  Two sizes, sizes spread evenly, and exponential
 * sizes up to six times their mean, for which it comes within a fifth of the rho S / (1 - rho)
 * of M/M/1.  A frame is one packet: its payload, padded to 4 bytes, and 98 of wire.
 */
enum { POINTS = 41 };

struct sizes { int n; int64_t size[POINTS]; double fraction[POINTS], mean, wire, wire2; };

static int64_t wire_of(int64_t payload) { return (payload + 3) / 4 * 4 + 98; }

/* Moments of the table as it is drawn from: linear between its points, rounded down. */
static void moments(struct sizes *s)
{
	s->mean = s->wire = s->wire2 = 0;
	for (int i = 1; i < s->n; i++) {
		int64_t from = s->size[i - 1], to = s->size[i], n = to > from ? to - from : 1;

		for (int64_t k = 0; k < n; k++) {
			double p = (s->fraction[i] - s->fraction[i - 1]) / (double)n;
			double w = (double)wire_of(from + k);

			s->mean += p * ((double)(from + k) + (to > from ? 0.5 : 0));
			s->wire += p * w;
			s->wire2 += p * w * w;
		}
	}
}

static void draw_sizes(struct sizes *s, int kind)
{
	static const struct sizes two = { .n = 4, .size = { 100, 100, 4000, 4000 },
					  .fraction = { 0, 0.7, 0.7, 1 } };
	static const struct sizes even = { .n = 2, .size = { 64, 4064 }, .fraction = { 0, 1 } };

	*s = kind == 0 ? two : even;
	if (kind == 2) {
		s->n = POINTS;
		for (int i = 0; i < POINTS; i++) {
			s->size[i] = 1 + i * 90;	/* mean about 600 */
			s->fraction[i] = (1 - exp(-i * 90 / 600.0)) / (1 - exp(-6));
		}
		s->fraction[POINTS - 1] = 1;
	}
	moments(s);
}

/* What a frame waited: beyond what its bytes take on two links. */
static void delivered_any(void *ctx, const struct record *rec)
{
	struct waits *w = ctx;

	w->ideal_ps = (wire_of(view_flow(w->f, rec->flow).size_bytes) - 12) * 90 + 2 * BED_US;
	delivered(ctx, rec);
}

START_TEST(m_g_1)
{
	static const double rho = 0.8;
	struct waits w = { .skip = 5000 };
	int64_t flows = 400000;
	double mean = 0, var = 0;
	struct sizes s;
	struct bed b;

	draw_sizes(&s, _i);
	double lambda = rho / (s.wire * 80), want = lambda * s.wire2 * 6400 / (2 * (1 - rho));
	bed_open(&b, (int64_t)((double)flows / lambda));
	sources(&b, (struct workload_cdf){ .n = s.n, .size_bytes = s.size, .fraction = s.fraction },
		(struct units_ratio){ (int64_t)(rho * s.mean * 1000),
				      (int64_t)(s.wire * 1000) * 8 * SOURCES });
	bed_finish(&b);
	w.f = b.f;
	w.per_batch = (flows - 12000) / BATCHES;
	fabric_add_sink(b.f, UINT64_C(1) << RECORD_FLOW_DELIVERED, delivered_any, &w);
	bed_run(&b);
	ck_assert_int_gt(w.n, flows - 7000);
	for (int i = 0; i < BATCHES; i++)
		mean += w.sum[i] / (double)w.per_batch / BATCHES;
	for (int i = 0; i < BATCHES; i++)
		var += pow(w.sum[i] / (double)w.per_batch - mean, 2) / (BATCHES - 1);
	ck_assert_double_lt(sqrt(var / BATCHES), 0.05 * want);
	ck_assert_double_eq_tol(mean, want, 3 * sqrt(var / BATCHES));
	if (_i == 2)	/* of M/M/1 no frame has 98 bytes that do not vary */
		ck_assert_double_eq_tol(want, rho * s.wire * 80 / (1 - rho), 0.2 * want);
	bed_close(&b);
}
END_TEST

/* ---- Little ---- */

struct little { const struct bed *b; double sum; int n; };

static void sample(void *ctx, int64_t at_ps)
{
	struct little *l = ctx;

	(void)at_ps;
	l->sum += (double)bed_counters(l->b, "s", SOURCES, 3).queue_bytes / (PAYLOAD + 78);
	l->n++;
}

/* L = lambda W, on the same run: what waits at random instants against what
 * frames have waited.  M/D/1: Lq = rho^2 / (2 (1 - rho)) = 1.6 at 0.8. */
START_TEST(little)
{
	double rho = 0.8, s = WIRE * 80, wait = 0;
	struct waits w = { .per_batch = 1 << 30 };
	struct little l = { .n = 0 };
	struct bed b;

	bed_open(&b, (int64_t)(200000 * s / rho));
	equal_frames(&b, 80);
	bed_finish(&b);
	w.ideal_ps = (WIRE - 12) * 10 + (WIRE - 12) * 80 + 2 * BED_US;
	l.b = &b;
	fabric_add_sink(b.f, UINT64_C(1) << RECORD_FLOW_DELIVERED, delivered, &w);
	fabric_add_sampler(b.f, 97003, sample, &l);
	bed_run(&b);
	wait = w.sum[0] / (double)w.n;
	double lambda = (double)w.n / (200000 * s / rho), queue = l.sum / l.n;
	/* A frame leaves the queue one gap ahead of its first bit: 12 bytes of S,
	 * when it finds another before it (probability rho). */
	ck_assert_double_eq_tol(queue, lambda * (wait - rho * 12 * 80), 0.01 * queue);
	ck_assert_double_eq_tol(queue, rho * rho / (2 * (1 - rho)), 0.1);
	bed_close(&b);
}
END_TEST

/* ---- a full link ---- */

/* N senders of M bytes each to one port: PFC on, no congestion control, and the
 * link never idles: the last byte comes N * M of wire after the first frame began
 * to leave (algorithms.md, 6.19). */
static const struct { int n; int64_t size; } incasts[] = {
	{ 16, 500000 }, { 2, 1000000 }, { 40, 100000 }, { 7, 4096 },
};

START_TEST(incast_is_work_conserving)
{
	int n = incasts[_i].n;
	int64_t size = incasts[_i].size, packets = (size + 4095) / 4096;
	int64_t wire = n * ((size + 3) / 4 * 4 + packets * 82 + 16);
	int64_t first = size < 4096 ? size + 78 : 4174;
	char name[48][16], *from[48], sink[] = "sink", *to[] = { sink };
	struct bed b;

	bed_open(&b, 20 * BED_MS);
	b.sw.buffer.xoff_bytes = 60000;
	bed_switch(&b, "s");
	bed_leaf(&b, "sink", "s", 100, 100 * BED_G, BED_US);
	for (int i = 0; i < n; i++) {
		snprintf(name[i], sizeof name[i], "h%d", i);
		from[i] = name[i];
		bed_leaf(&b, name[i], "s", i, 100 * BED_G, BED_US);
	}
	bed_traffic(&b, (struct workload_conf){ .kind = WORKLOAD_INCAST, .from = from, .nfrom = n,
		.to = to, .nto = 1, .size_bytes = size }, "incast");
	bed_run(&b);
	struct view_workload w = bed_workload(&b, "incast");
	int64_t pauses = 0;
	for (int i = 0; i < n; i++)
		pauses += bed_counters(&b, name[i], 0, 3).pauses;
	ck_assert_int_eq(w.delivered_bytes, n * size);
	ck_assert(size < 60000 || pauses >= n);
	ck_assert_int_eq(w.last_delivery_ps, (8 + first) * 80 + (wire - 12) * 80 + 2 * BED_US);
	bed_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("queueing");
	TCase *tc = tcase_create("queueing");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, m_d_1, 0, sizeof(loads) / sizeof(loads[0]));
	tcase_add_loop_test(tc, m_g_1, 0, 3);
	tcase_add_test(tc, little);
	tcase_add_loop_test(tc, incast_is_work_conserving, 0, 4);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
