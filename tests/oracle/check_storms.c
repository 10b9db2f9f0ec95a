/*
 * A thousand storms at random phase to the polls, for every rule of the watchdog: the
 * delays are uniform over one poll interval P, and which one the rule says.  With n =
 * ceil(detect / P) bad polls (n = 2 here), after the first pause takes effect:
 *
 *   the first interval cannot be bad (it was not paused at its begin, or frames went):
 *                                                   n P to (n + 1) P       broadcom, ...
 *   ... or is if 0.8 P (0.99 P) of it are paused:   0.2 P (0.01 P) sooner  classic, empty; mellanox
 *   ... or is if it is paused at its end:           P sooner               cisco; stuck from the begin
 *
 * At 200/100 ms that is 200-300, 180-280 (classic), 199-299 (NVIDIA), 100-200 (Cisco).
 * sonic-swss orchagent/pfc_detect_*.lua; sonic-buildimage #3964 and the timer accuracy
 * test of sonic-mgmt (detect < t < detect + poll).  Restored likewise after the last
 * pause frame; by status, one poll sooner.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include "tests/support/bed.h"

enum { HOSTS = 100, FABRICS = 10, STORMS = HOSTS * FABRICS, DETECT = 2, RESTORE = 2 };
#define POLL BED_MS
#define GAP (20 * BED_US)	/* between the frames to a host: by so much "frames went" is blurred */

enum load { EMPTY, FLOWING, LATE };	/* LATE: the first frame comes when the port is paused */
static const struct {
	int rule, load;
	double first;			/* window of detection: first P to (first + 1) P */
	double restored;		/* of restoration; 0: by the clock */
} cases[] = {
	{ WATCHDOG_BROADCOM, EMPTY, 2, 2 },	 { WATCHDOG_BROADCOM, FLOWING, 2, 2 },
	{ WATCHDOG_CLASSIC, EMPTY, 1.8, 2 },	 { WATCHDOG_CLASSIC, FLOWING, 2, 2 },
	{ WATCHDOG_CLASSIC, LATE, 1, 2 },	 { WATCHDOG_MELLANOX, LATE, 1.99, 2 },
	{ WATCHDOG_MELLANOX, FLOWING, 2, 2 },	 { WATCHDOG_MELLANOX_OLD, EMPTY, 1.8, 2 },
	{ WATCHDOG_TERALYNX, EMPTY, 1.8, 2 },	 { WATCHDOG_TERALYNX, FLOWING, 2, 2 },
	{ WATCHDOG_CISCO, EMPTY, 1, 1 },	 { WATCHDOG_CISCO, FLOWING, 1, 1 },
	{ WATCHDOG_PRESTERA, FLOWING, 2, 2 },	 { WATCHDOG_PRESTERA, LATE, 1, 2 },
	{ WATCHDOG_JUNIPER, FLOWING, 2, 0 },	 { WATCHDOG_JUNIPER, LATE, 1, 0 },
	{ WATCHDOG_PAUSED, EMPTY, 2, 2 },	 { WATCHDOG_HARDWARE, EMPTY, 2, 0 },
};
/* These see no storm on an empty queue at all (sonic-mgmt #27425). */
static const int blind[] = { WATCHDOG_MELLANOX, WATCHDOG_PRESTERA, WATCHDOG_JUNIPER };

static int64_t next(uint64_t *x, int64_t below)
{
	*x ^= *x << 13; *x ^= *x >> 7; *x ^= *x << 17;		/* xorshift64 */
	return (int64_t)(*x >> 11) % below;
}

static void dog(struct bed *b, int rule, int64_t phase)
{
	bed_open(b, 14 * POLL);
	b->sw.watchdog.on = true;
	b->sw.watchdog.rule = rule;
	b->sw.watchdog.detect_ps = DETECT * POLL;
	b->sw.watchdog.restore_ps = RESTORE * POLL;
	b->sw.watchdog.poll_ps = POLL;
	b->sw.watchdog.phase_ps = phase;
	b->sw.buffer.xoff_bytes = 4000000;
	b->nic.pfc.refresh_ps = POLL / 5;
}

/* A host, its storm, and what is sent to it. */
static void one_host(struct bed *b, int i, int load, int64_t begins, int64_t lasts)
{
	char host[16], name[16];

	snprintf(host, sizeof host, "c%d", i);
	snprintf(name, sizeof name, "load%d", i);
	bed_leaf(b, host, "s", i + 1, 10 * BED_G, BED_US);
	bed_storm(b, host, begins, lasts);
	if (load != EMPTY)	/* 100 bytes and 20 of gap and preamble */
		bed_stream(b, name, "a", host, 120 * 8 * (1000000000000 / GAP), 100,
			   load == LATE ? begins + 5 * BED_US : i * GAP / HOSTS, begins + 4 * POLL);
}

static const struct record *must(const struct bed *b, int kind, uint32_t port, int n)
{
	const struct record *r = bed_record(b, kind, port, n);

	ck_assert_ptr_nonnull(r);
	return r;
}

/* Delays of one fabric's storms, in polls. */
static void storms(int k, uint64_t *x, double *detected, double *restored)
{
	uint64_t kinds = UINT64_C(1) << RECORD_PAUSED | UINT64_C(1) << RECORD_WATCHDOG |
			 UINT64_C(1) << RECORD_XON_SENT;
	struct bed b;

	dog(&b, cases[k].rule, next(x, POLL));
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	for (int i = 0; i < HOSTS; i++)
		one_host(&b, i, cases[k].load, 2 * POLL + next(x, POLL), 4 * POLL + next(x, POLL));
	bed_watch(&b, kinds);
	bed_run(&b);
	for (int i = 0; i < HOSTS; i++) {
		char host[16];
		uint32_t port = bed_port(&b, "s", i + 1);
		snprintf(host, sizeof host, "c%d", i);
		const struct record *storm = must(&b, RECORD_WATCHDOG, port, 0);
		ck_assert_int_eq(storm->a, 1);
		detected[i] = (double)(storm->at_ps - must(&b, RECORD_PAUSED, port, 0)->at_ps) / POLL;
		restored[i] = 0;
		if (cases[k].restored == 0)
			continue;
		ck_assert_int_eq(bed_count(&b, RECORD_WATCHDOG, port), 2);
		/* the XON waits for no frame: its last bit is in 72 bytes and a link later */
		int64_t xon = must(&b, RECORD_XON_SENT, bed_port(&b, host, 0), 0)->at_ps + 72 * 800 + BED_US;
		restored[i] = (double)(must(&b, RECORD_WATCHDOG, port, 1)->at_ps - xon) / POLL;
	}
	bed_close(&b);
}

/* Uniform over [first, first + 1], but for `blur`: bounds, mean within three standard
 * deviations, and Kolmogorov and Smirnov's distance (1 %: 1.63 / sqrt(n)). */
static void uniform(double *delay, double first, double blur)
{
	double n = STORMS, off = 0;

	gsl_sort(delay, 1, STORMS);
	ck_assert_double_ge(delay[0], first - blur);
	ck_assert_double_le(delay[STORMS - 1], first + 1 + blur);
	ck_assert_double_eq_tol(gsl_stats_mean(delay, 1, STORMS), first + 0.5, 3 / sqrt(12 * n) + blur);
	for (int i = 0; i < STORMS; i++) {
		double u = delay[i] - first;
		off = fmax(off, fmax((i + 1) / n - u, u - i / n));
	}
	ck_assert_double_le(off, 1.63 / sqrt(n) + blur);
}

START_TEST(a_thousand_storms)
{
	static double detected[STORMS], restored[STORMS];
	uint64_t x = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(_i + 1);
	double blur = cases[_i].load == EMPTY ? 1e-9 : (double)GAP / POLL;

	for (int f = 0; f < FABRICS; f++)
		storms(_i, &x, detected + f * HOSTS, restored + f * HOSTS);
	uniform(detected, cases[_i].first, blur);
	if (cases[_i].restored > 0)
		uniform(restored, cases[_i].restored, 1e-9);
}
END_TEST

START_TEST(storms_that_nobody_sees)
{
	uint64_t x = 7;
	struct bed b;

	dog(&b, blind[_i], next(&x, POLL));
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 10 * BED_G, BED_US);
	for (int i = 0; i < HOSTS; i++)
		one_host(&b, i, EMPTY, 2 * POLL + next(&x, POLL), 4 * POLL);
	bed_run(&b);
	ck_assert_int_eq(view_totals(b.f).watchdog_told, 0);
	bed_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("storms");
	TCase *tc = tcase_create("storms");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, a_thousand_storms, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_loop_test(tc, storms_that_nobody_sees, 0, sizeof(blind) / sizeof(blind[0]));
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
