/*
 * How soon the watchdog acts: polls at fixed instants, so from the start of a
 * pause the storm is called after n to n + 1 polls, n = ceil(detect / poll), and
 * restored m to m + 1 polls after the last pause frame, m = ceil(restore / poll)
 * (sonic-swss orchagent/pfc_detect_*.lua, pfc_restore.lua).  Over many phases the
 * whole interval is seen; check_storms has every rule's own window.
 */
#include <check.h>
#include <stdlib.h>

#include "tests/support/bed.h"

static const struct { int rule; int64_t detect, restore, poll, n, m; } dogs[] = {
	{ WATCHDOG_BROADCOM, 200 * BED_US, 200 * BED_US, 100 * BED_US, 2, 2 },
	{ WATCHDOG_BROADCOM, 250 * BED_US, 410 * BED_US, 100 * BED_US, 3, 5 },
	{ WATCHDOG_BROADCOM, 100 * BED_US, 100 * BED_US, 100 * BED_US, 1, 1 },
	{ WATCHDOG_CLASSIC, 200 * BED_US, 200 * BED_US, 100 * BED_US, 2, 2 },
	{ WATCHDOG_CLASSIC, 410 * BED_US, 250 * BED_US, 100 * BED_US, 5, 3 },
};
enum { PHASES = 60 };

static int64_t next(uint64_t *x, int64_t below)
{
	*x ^= *x << 13; *x ^= *x >> 7; *x ^= *x << 17;		/* xorshift64 */
	return (int64_t)(*x >> 11) % below;
}

struct seen { int64_t detect_ps, restore_ps; };

static struct seen watch_storm(int dog, int64_t phase, int64_t begins, int64_t lasts)
{
	uint64_t kinds = UINT64_C(1) << RECORD_PAUSED | UINT64_C(1) << RECORD_WATCHDOG |
			 UINT64_C(1) << RECORD_XON_SENT;
	struct seen seen;
	struct bed b;

	bed_open(&b, begins + lasts + 800 * BED_US);
	b.sw.watchdog.on = true;
	b.sw.watchdog.rule = dogs[dog].rule;
	b.sw.watchdog.detect_ps = dogs[dog].detect;
	b.sw.watchdog.restore_ps = dogs[dog].restore;
	b.sw.watchdog.poll_ps = dogs[dog].poll;
	b.sw.watchdog.phase_ps = phase;
	b.nic.pfc.refresh_ps = 20 * BED_US;
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 10 * BED_G, BED_US);
	bed_leaf(&b, "c", "s", 1, 10 * BED_G, BED_US);
	bed_stream(&b, "load", "a", "c", 0, 1000, 0, UNITS_NEVER);
	bed_storm(&b, "c", begins, lasts);
	bed_watch(&b, kinds);
	bed_run(&b);
	uint32_t out = bed_port(&b, "s", 1);
	const struct record *storm = bed_record(&b, RECORD_WATCHDOG, out, 0);
	const struct record *end = bed_record(&b, RECORD_WATCHDOG, out, 1);
	int64_t xon = bed_record(&b, RECORD_XON_SENT, bed_port(&b, "c", 0), 0)->at_ps;
	ck_assert_int_eq(bed_count(&b, RECORD_WATCHDOG, VIEW_NONE), 2);
	ck_assert_int_eq(storm->a, 1);
	ck_assert_int_eq(end->a, 0);
	/* polls are where they belong */
	ck_assert_int_eq((storm->at_ps - phase) % dogs[dog].poll, 0);
	ck_assert_int_eq((end->at_ps - phase) % dogs[dog].poll, 0);
	seen.detect_ps = storm->at_ps - bed_record(&b, RECORD_PAUSED, out, 0)->at_ps;
	/* the XON waits for no frame: its last bit is in 72 bytes and a link later */
	seen.restore_ps = end->at_ps - (xon + 72 * 800 + BED_US);
	bed_close(&b);
	return seen;
}

static void spans(int64_t least, int64_t most, int64_t n, int64_t poll)
{
	ck_assert_int_ge(least, n * poll);
	ck_assert_int_le(most, (n + 1) * poll);
	ck_assert_int_lt(least, n * poll + poll / 10);	/* and all of it is seen */
	ck_assert_int_gt(most, (n + 1) * poll - poll / 10);
}

START_TEST(latency_of_the_watchdog)
{
	int64_t least[2] = { INT64_MAX, INT64_MAX }, most[2] = { 0, 0 }, poll = dogs[_i].poll;
	uint64_t x = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(_i + 1);

	for (int k = 0; k < PHASES; k++) {
		int64_t lasts = (dogs[_i].n + 2) * poll + next(&x, 3 * poll);
		struct seen s = watch_storm(_i, next(&x, poll), 250 * BED_US + next(&x, poll), lasts);
		int64_t seen[2] = { s.detect_ps, s.restore_ps };
		for (int i = 0; i < 2; i++) {
			least[i] = seen[i] < least[i] ? seen[i] : least[i];
			most[i] = seen[i] > most[i] ? seen[i] : most[i];
		}
	}
	spans(least[0], most[0], dogs[_i].n, poll);
	spans(least[1], most[1], dogs[_i].m, poll);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("detection");
	TCase *tc = tcase_create("detection");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, latency_of_the_watchdog, 0, sizeof(dogs) / sizeof(dogs[0]));
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
