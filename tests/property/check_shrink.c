/*
 * The shrinker of the property test, on failures that are planted: what it leaves is
 * as small as the failure allows, and `xoff run' takes it.
 */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario.h"
#include "sim/assert.h"
#include "tests/support/shrink.h"
#include "tests/support/scratch.h"
#include "tests/support/trial.h"

enum { SEEDS = 400, TRIES = 4000 };

/* The first plan that fits and fails. */
static struct chance *first(shrink_fails *fails)
{
	struct chance *c = malloc(sizeof(*c));

	for (uint64_t seed = 2; seed < 2 * SEEDS; seed += 2) {
		chance_draw(c, seed, false);
		if (c->traffics > 2 && c->faults > 1 && fails(c, NULL))
			return c;
	}
	ck_abort_msg("no plan fails");
}

static struct fabric *built(const struct chance *c, struct bed *b)
{
	struct chance_build how = { 0 };
	struct sim_error err;

	return chance_make(c, &how, b, &err) == 0 ? b->f : NULL;
}

/* It loads, and the fabric is the same. */
static void check_file(const struct chance *c)
{
	char path[4096];
	struct diag *diag = diag_new();
	struct bed b;

	snprintf(path, sizeof(path), "%s/smallest.json", scratch_dir());
	FILE *out = fopen(path, "w");
	ck_assert(out != NULL && chance_json(c, "planted", out) == 0 && fclose(out) == 0);
	struct scenario *sc = scenario_open(path, NULL, diag);
	ck_assert(sc != NULL);
	struct fabric *f = scenario_build(sc, 0, diag);
	ck_assert(f != NULL && built(c, &b) != NULL);
	fabric_run(f, NULL);
	fabric_run(b.f, NULL);
	ck_assert_uint_eq(view_run(f).digest, view_run(b.f).digest);
	bed_close(&b);
	fabric_free(&f);
	scenario_free(&sc);
	diag_free(&diag);
}

/* ---- a planted mistake: a watchdog, a storm and an incast never go together ---- */

/* A watchdog on the switch of a host that storms. */
static bool watched_storm(const struct chance *c)
{
	for (int i = 0; i < c->links; i++)
		for (int k = 0; k < c->switches; k++)
			for (int f = 0; f < c->faults; f++)
				if (c->sw[k].watchdog.on && c->link[i].b == c->sw_name[k] &&
				    c->fault[f].kind == FAULT_NIC_STORM && c->link[i].a == c->fault[f].a)
					return true;
	return false;
}

static bool watchdog_storm_incast(const struct chance *c, void *ctx)
{
	bool incast = false, fits;
	struct bed b;

	(void)ctx;
	for (int i = 0; i < c->traffics; i++)
		incast |= c->traffic[i].kind == WORKLOAD_INCAST;
	if (!incast || !watched_storm(c))
		return false;
	fits = built(c, &b) != NULL;
	bed_close(&b);
	return fits;
}

START_TEST(three_things_are_left)
{
	struct chance *c = first(watchdog_storm_incast);

	shrink(c, watchdog_storm_incast, NULL, TRIES);
	ck_assert(watchdog_storm_incast(c, NULL));
	ck_assert_int_eq(c->traffics, 1);
	ck_assert_int_eq(c->traffic[0].kind, WORKLOAD_INCAST);
	ck_assert_int_eq(c->traffic[0].nfrom, 1);
	ck_assert_int_eq(c->faults, 1);
	ck_assert_int_eq(c->routes, 0);
	/* the storm may be that of a third host, at a switch of its own */
	ck_assert_int_ge(c->hosts, 2);
	ck_assert_int_le(c->hosts, 3);
	ck_assert_int_eq(c->switches, c->hosts - 1);
	ck_assert_int_eq(c->links, c->hosts);
	for (int i = 0; i < c->hosts; i++)
		ck_assert_str_eq(c->cc[i]->name, "none");
	check_file(c);
	free(c);
}
END_TEST

/* ---- a failure of a run: a frame of a lossless class is lost ---- */

static void lose_nothing(void *ctx)
{
	struct bed b;

	if (built(ctx, &b) == NULL)
		return;
	bed_run(&b);
	for (uint32_t p = 0; p < view_ports(b.f); p++)
		for (int prio = 0; prio < 8; prio++)
			sim_assert(view_counters(b.f, p, prio).drops[RECORD_DROP_LOSSLESS] == 0);
	bed_close(&b);
}

static bool loses(const struct chance *c, void *ctx)
{
	char why[400];

	(void)ctx;
	return !trial_run(lose_nothing, (void *)(uintptr_t)c, 60, why, sizeof(why)) &&
	       strstr(why, "RECORD_DROP_LOSSLESS");
}

START_TEST(a_loss_needs_one_switch)
{
	struct chance *c = first(loses);
	int hosts = c->hosts, links = c->links;

	shrink(c, loses, NULL, 600);
	ck_assert(loses(c, NULL));
	ck_assert_int_lt(c->hosts + c->links, hosts + links);
	ck_assert_int_le(c->traffics, 2);
	ck_assert_int_le(c->faults, 1);
	check_file(c);
	free(c);
}
END_TEST

/* ---- trials ---- */

static void passes(void *ctx) { (void)ctx; }
static void crashes(void *ctx) { (void)ctx; abort(); }
static void asserts(void *ctx) { sim_assert(ctx != NULL); }
static void hangs(void *ctx) { for (volatile int *go = ctx; *go;) ; }

START_TEST(a_trial_sees_every_end)
{
	int go = 1;
	char why[400];

	ck_assert(trial_run(passes, NULL, 5, why, sizeof(why)));
	ck_assert(!trial_run(crashes, NULL, 5, why, sizeof(why)));
	ck_assert_str_eq(why, "signal 6");
	ck_assert(!trial_run(asserts, NULL, 5, why, sizeof(why)));
	ck_assert(strstr(why, "ctx != NULL") != NULL);
	ck_assert(!trial_run(hangs, &go, 1, why, sizeof(why)));
	ck_assert_str_eq(why, "no end within 1 s");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shrink");
	TCase *tc = tcase_create("shrink");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, a_trial_sees_every_end);
	tcase_add_test(tc, three_things_are_left);
	tcase_add_test(tc, a_loss_needs_one_switch);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
