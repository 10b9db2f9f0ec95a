/*
 * What must not matter does not: when a run begins, how fast its world is, and what the
 * hosts are called (algorithms.md, 6.32).  Exact to the picosecond; the scaling holds
 * where nothing random takes time and all delays are given, the names where no two
 * things happen at one instant (names decide those).
 *
 * Two and four times the rates: tests/property/check_fabric_property.c, on every seed
 * that can be scaled.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/chance.h"

enum { SEEDS = 100, SEEDS_LONG = 1000, HOSTS = 6, FLOWS = 9 };

/* ---- later ---- */

/* Everything begins `later_ps` later: the same records, each so much later.  Watchdogs
 * whose phase the switch chooses poll at fixed instants: they are off. */
static void shifted(uint64_t seed, int64_t later_ps)
{
	struct chance *c = malloc(sizeof(*c));
	struct chance_build how[2] = { { 0 }, { .later_ps = later_ps } };
	struct sim_error err;
	struct bed b[2];
	bool fits = true;

	chance_draw(c, seed, seed % 2);
	for (int i = 0; i < c->switches; i++)
		c->sw[i].watchdog.on &= c->sw[i].watchdog.phase_ps >= 0;
	for (int k = 0; k < 2 && fits; k++) {
		error_init(&err);
		fits = chance_make(c, &how[k], &b[k], &err) == 0;
		if (!fits) {
			ck_assert_int_eq(k, 0);
			bed_close(&b[k]);
			break;
		}
		bed_watch(&b[k], UINT64_MAX);
		bed_run(&b[k]);
	}
	for (int i = 0; fits && i < b[0].logged && i < b[1].logged; i++) {
		const struct record *x = &b[0].log[i], *y = &b[1].log[i];

		ck_assert_msg(x->at_ps + later_ps == y->at_ps && x->kind == y->kind &&
			      x->node == y->node && x->port == y->port && x->prio == y->prio,
			      "SEED=%" PRIu64 ": record %d (kind %d) at %" PRId64 " ps, later (kind %d) "
			      "at %" PRId64, seed, i, x->kind, x->at_ps, y->kind, y->at_ps);
	}
	ck_assert_msg(!fits || b[0].logged == b[1].logged, "SEED=%" PRIu64 ": %d records, %d later",
		      seed, b[0].logged, b[1].logged);
	for (int k = 0; k < 2 && fits; k++)
		bed_close(&b[k]);
	free(c);
}

START_TEST(the_start_does_not_matter)
{
	const char *check = getenv("XOFF_CHECK");
	uint64_t n = check && !strcmp(check, "long") ? SEEDS_LONG : SEEDS;

	for (uint64_t seed = 1; seed <= n; seed++)
		shifted(seed, seed % 3 ? 123456789 : 5 * BED_MS);
}
END_TEST

/* ---- other names ---- */

struct result { int64_t done_ps[FLOWS], bytes[FLOWS], paused_ps[HOSTS], xoffs[HOSTS]; };

/* Host i hangs at port i of the switch and is called `name[i]`. */
static struct result star(const int *name)
{
	static const struct { int from, to, kb; } flows[FLOWS] = {
		{ 0, 1, 300 }, { 2, 1, 500 }, { 3, 1, 200 }, { 4, 5, 100 }, { 5, 0, 700 },
		{ 1, 3, 150 }, { 2, 3, 250 }, { 4, 1, 350 }, { 0, 5, 400 },
	};
	char host[HOSTS][16], flow[16];
	struct result r;
	struct bed b;

	bed_open(&b, 2 * BED_MS);
	b.sw.buffer.xoff_bytes = 40000;
	bed_switch(&b, "s");
	for (int i = 0; i < HOSTS; i++) {
		snprintf(host[i], sizeof(host[i]), "h%d", name[i]);
		/* no two delays have a divisor in common, nor with a byte's 80 ps */
		bed_leaf(&b, host[i], "s", i, 100 * BED_G, 1000003 + 7919 * i * i + 104 * i);
	}
	for (int k = 0; k < FLOWS; k++) {
		char *from[] = { host[flows[k].from] }, *to[] = { host[flows[k].to] };

		snprintf(flow, sizeof(flow), "f%d", k);
		bed_traffic(&b, (struct workload_conf){ .kind = WORKLOAD_FLOW, .from = from, .to = to,
			.nfrom = 1, .nto = 1, .size_bytes = flows[k].kb * 1000 + 37 * k, .count = 2,
			.start_ps = 1009 * k * k + 13 * k }, flow);
	}
	bed_run(&b);
	for (int k = 0; k < FLOWS; k++) {
		snprintf(flow, sizeof(flow), "f%d", k);
		r.done_ps[k] = bed_workload(&b, flow).last_delivery_ps;
		r.bytes[k] = bed_workload(&b, flow).delivered_bytes;
	}
	for (int i = 0; i < HOSTS; i++) {
		r.paused_ps[i] = bed_counters(&b, host[i], 0, 3).paused_ps;
		r.xoffs[i] = bed_counters(&b, "s", i, 3).xoff_frames;
	}
	bed_close(&b);
	return r;
}

START_TEST(names_do_not_matter)
{
	int name[HOSTS] = { 0, 1, 2, 3, 4, 5 };
	struct result want = star(name);
	struct rng rng = { 11 };
	int64_t xoffs = 0;

	for (int try = 0; try < 20; try++) {
		for (int i = HOSTS - 1; i > 0; i--) {
			int k = (int)rng_below(&rng, (uint64_t)i + 1), t = name[i];
			name[i] = name[k];
			name[k] = t;
		}
		struct result got = star(name);
		for (int k = 0; k < FLOWS; k++) {
			ck_assert_int_eq(got.done_ps[k], want.done_ps[k]);
			ck_assert_int_eq(got.bytes[k], want.bytes[k]);
		}
		for (int i = 0; i < HOSTS; i++) {
			ck_assert_int_eq(got.paused_ps[i], want.paused_ps[i]);
			ck_assert_int_eq(got.xoffs[i], want.xoffs[i]);
			xoffs += got.xoffs[i];
		}
	}
	ck_assert_int_gt(xoffs, 20);	/* there was something to go wrong */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("metamorphic");
	TCase *tc = tcase_create("metamorphic");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(tc, 1200);
	tcase_add_test(tc, the_start_does_not_matter);
	tcase_add_test(tc, names_do_not_matter);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
