/*
 * No seed breaks it: random small fabrics, buffers, NICs, traffic and faults, with
 * every assertion on.
 *
 * Each seed is run six times: as drawn; again in the same process; with the heap
 * for the queue; added in another order (twice, once with every link's ends and
 * every list of hosts turned round); and an instant a call (fabric_step), with
 * every observer, whose own findings of broken invariants count, and the books of
 * every switch and link looked at while it runs: each byte is delivered, dropped for
 * a reason, or somewhere.  All have one digest (design.md, law 3).  Half of the seeds
 * are also run at twice or four times the rates and a half or a quarter of the times:
 * the same records, each at that part of its time; the other half with a second fabric
 * beside the first, which changes nothing there.  Every fifth is written as an
 * experiment, read back, and run.
 *
 * A seed that fails is printed, with the smallest experiment that fails like it
 * (support/shrink.h; the JSON stays in the test's scratch folder, and may or may not
 * fail under `xoff run`: the failure can be in the comparison).  It is kept in
 * tests/failed-seeds of the build tree, which is tried first from then on, with
 * those of tests/property/seeds.
 *
 * XOFF_CHECK=long tries more; FABRICS=FIRST-LAST tries those (`make check-fabrics':
 * 20,000); SEED=N tries that one alone and says more.
 */
#include <check.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "observe/observe.h"
#include "sim/engine.h"
#include "scenario/scenario.h"
#include "tests/support/chance.h"
#include "tests/support/scratch.h"
#include "tests/support/shrink.h"
#include "tests/support/trial.h"

enum { SEEDS = 500, SEEDS_LONG = 2000, SLICES = 10, SECONDS = 60, TRIES = 1500 };

struct outcome { uint64_t digest, events, hops; int64_t delivered, last_ps; };

static struct outcome outcome_of(const struct bed *b)
{
	struct view_run r = view_run(b->f);
	struct outcome o = { .digest = r.digest, .events = r.events, .hops = r.packet_hops,
			     .last_ps = r.last_delivery_ps };

	for (int w = 0; w < view_workloads(b->f); w++)
		o.delivered += view_workload(b->f, w).delivered_bytes;
	return o;
}

static void same(const char *what, struct outcome a, struct outcome b)
{
	trial_must(a.digest == b.digest, "%s: digest %016" PRIx64 ", not %016" PRIx64, what,
		   b.digest, a.digest);
	trial_must(a.events == b.events && a.hops == b.hops && a.delivered == b.delivered &&
		   a.last_ps == b.last_ps, "%s: same digest, other counts", what);
}

/* False: the plan does not fit together (the reason, which must not depend on
 * the order, is in `err`). */
static bool plain_run(const struct chance *c, struct chance_build how, struct outcome *o,
		      struct sim_error *err)
{
	struct bed b;
	bool ok;

	error_init(err);
	ok = chance_make(c, &how, &b, err) == 0;
	if (ok) {
		bed_run(&b);
		*o = outcome_of(&b);
	}
	bed_close(&b);
	return ok;
}

/* ---- with every observer ---- */

static void audit(void *ctx, int64_t at_ps)
{
	const struct bed *b = ctx;
	struct sim_error err;

	error_init(&err);
	trial_must(view_conservation(b->f, &err) == 0, "at %lld ps: %s", (long long)at_ps,
		   err.text);
}

/* Lossless classes lose nothing for want of headroom where the headroom is right,
 * the maps agree, the pool never came near its end and no watchdog took a port out
 * of PFC. */
static void lossless(const struct bed *b)
{
	if (view_totals(b->f).watchdog_storms)
		return;
	for (uint32_t n = 0; n < view_nodes(b->f); n++) {
		uint32_t first = view_first_port(b->f, n);
		int64_t reserved = 0;
		if (!view_is_switch(b->f, n))
			continue;
		for (uint32_t p = first; p < first + view_port_count(b->f, n); p++)
			for (int prio = 0; prio < 8; prio++)
				reserved += view_counters(b->f, p, prio).headroom_limit_bytes +
					    view_switch_conf(b->f, n)->buffer.reserved_bytes;
		if (view_switch_peak_bytes(b->f, n) + 20000 + reserved >
		    view_switch_conf(b->f, n)->buffer.size_bytes)
			return;
	}
	for (uint32_t p = 0; p < view_ports(b->f); p++)
		for (int prio = 0; prio < 8; prio++)
			trial_must(view_counters(b->f, p, prio).drops[RECORD_DROP_LOSSLESS] == 0,
				      "a lossless class lost a frame");
}

/* As `xoff step' drives it; the clock also stops between events. */
static void step_through(struct bed *b, int64_t until_ps)
{
	struct sim_error err;

	error_init(&err);
	for (int i = 1; i <= SLICES; i++) {
		int64_t stop = i < SLICES ? until_ps / SLICES * i : until_ps;

		trial_must(!view_run(b->f).complete, "over before its end");
		while (fabric_step(b->f, stop))
			trial_must(view_run(b->f).now_ps <= stop, "a step too far");
		trial_must(view_run(b->f).now_ps == stop, "the clock stands elsewhere");
	}
	trial_must(view_run(b->f).complete && !fabric_step(b->f, UNITS_NEVER), "not over at its end");
	trial_must(view_conservation(b->f, &err) == 0, "%s", err.text);
}

static void watched_run(const struct chance *c, const char *dir, struct outcome *o)
{
	struct observe_series series = { .name = "all", .match = "*", .every_ps = 7 * BED_US };
	struct observe_conf conf = { .experiment = "property", .dir = dir, .series = &series,
				     .nseries = 1 };
	struct chance_build how = { .queue = ENGINE_WHEEL };
	struct sim_error err;
	struct bed b;
	int64_t slice = c->run.until_ps / SLICES;

	error_init(&err);
	trial_must(chance_make(c, &how, &b, &err) == 0, "%s", err.text);
	struct observe *obs = observe_new(b.f, &conf, &err);
	trial_must(obs != NULL, "%s", err.text);
	fabric_add_sampler(b.f, slice, audit, &b);
	step_through(&b, c->run.until_ps);
	trial_must(observe_finish(obs, &err) == 0, "%s", err.text);
	trial_must(observe_broken(obs) == NULL, "%s", observe_broken(obs));
	*o = outcome_of(&b);
	if (c->sane)
		lossless(&b);
	observe_free(&obs);
	bed_close(&b);
}

/* ---- faster ---- */

static void scaled_run(const struct chance *c)
{
	int faster = c->seed % 4 == 1 ? 2 : 4;
	uint64_t kinds = UINT64_MAX & ~(UINT64_C(1) << RECORD_RATE);
	struct sim_error err;
	struct bed b[2];

	for (int k = 0; k < 2; k++) {
		struct chance_build how = { .queue = ENGINE_WHEEL, .faster = k ? faster : 1 };
		error_init(&err);
		trial_must(chance_make(c, &how, &b[k], &err) == 0, "scaled: %s", err.text);
		bed_watch(&b[k], kinds);
		bed_run(&b[k]);
	}
	for (int i = 0; i < b[0].logged && i < b[1].logged; i++) {
		const struct record *x = &b[0].log[i], *y = &b[1].log[i];
		trial_must(x->at_ps == faster * y->at_ps && x->kind == y->kind && x->node == y->node &&
			   x->port == y->port && x->prio == y->prio,
			   "scaled: record %d (kind %d) at %lld ps, scaled (kind %d) at %lld", i,
			   x->kind, (long long)x->at_ps, y->kind, (long long)y->at_ps);
	}
	trial_must(b[0].logged == b[1].logged, "scaled: %d records, not %d", b[1].logged,
		   b[0].logged);
	for (int k = 0; k < 2; k++)
		bed_close(&b[k]);
}

/* ---- an island ---- */

/* The index of the next record of the node with this name; -1 at the end. */
static int next_of(const struct bed *b, const char *name, int from)
{
	for (int i = from; i < b->logged; i++)
		if (!strcmp(view_node_name(b->f, b->log[i].node), name))
			return i;
	return -1;
}

/* A fabric beside it changes nothing: what a node does and draws depends on its
 * name, and not on how many others there are. */
static void island_run(const struct chance *c)
{
	uint64_t kinds = UINT64_MAX & ~(UINT64_C(1) << RECORD_RATE | UINT64_C(1) << RECORD_FAULT);
	struct sim_error err;
	struct bed b[2];

	for (int k = 0; k < 2; k++) {
		struct chance_build how = { .queue = ENGINE_WHEEL, .island = k };
		error_init(&err);
		trial_must(chance_make(c, &how, &b[k], &err) == 0, "with an island: %s", err.text);
		bed_watch(&b[k], kinds);
		bed_run(&b[k]);
	}
	for (uint32_t n = 0; n < view_nodes(b[0].f); n++) {
		const char *name = view_node_name(b[0].f, n);
		int i = next_of(&b[0], name, 0), j = next_of(&b[1], name, 0);
		for (; i >= 0 && j >= 0; i = next_of(&b[0], name, i + 1), j = next_of(&b[1], name, j + 1)) {
			const struct record *x = &b[0].log[i], *y = &b[1].log[j];
			trial_must(x->at_ps == y->at_ps && x->kind == y->kind && x->prio == y->prio,
				   "%s differs at %lld ps from a run with an island", name,
				   (long long)x->at_ps);
		}
		trial_must(i < 0 && j < 0, "%s has other records with an island", name);
	}
	for (int k = 0; k < 2; k++)
		bed_close(&b[k]);
}

/* ---- as a file ---- */

static void json_run(const struct chance *c, const char *dir, struct outcome *base)
{
	struct diag *diag = diag_new();
	char path[4096];

	snprintf(path, sizeof(path), "%s/plan.json", dir);
	FILE *out = fopen(path, "w");
	trial_must(out != NULL && chance_json(c, "", out) == 0 && fclose(out) == 0, "%s", path);
	struct scenario *sc = scenario_open(path, NULL, diag);
	struct fabric *f = sc ? scenario_build(sc, 0, diag) : NULL;
	if (!f)
		diag_print(diag, stderr);
	trial_must(f != NULL, "as a file: it is refused");
	fabric_run(f, NULL);
	trial_must(view_run(f).digest == base->digest, "as a file: another digest");
	fabric_free(&f);
	scenario_free(&sc);
	diag_free(&diag);
}

/* ---- a seed ---- */

struct seed_trial {
	const struct chance *c;
	const char *dir;
	struct outcome base;
	bool as_file, talk;
};

static const char no_fit[] = "does not fit: ";

static void all_checks(void *ctx)
{
	struct seed_trial *t = ctx;
	const struct chance *c = t->c;
	struct sim_error err, again;
	struct outcome o;

	if (!plain_run(c, (struct chance_build){ 0 }, &t->base, &err)) {
		trial_must(!plain_run(c, (struct chance_build){ .shuffle = c->seed | 1 }, &o, &again),
			   "fits in another order only");
		trial_fail("%s%s", no_fit, err.text);
	}
	plain_run(c, (struct chance_build){ 0 }, &o, &again);
	same("run twice", t->base, o);
	plain_run(c, (struct chance_build){ .queue = ENGINE_HEAP }, &o, &again);
	same("heap", t->base, o);
	plain_run(c, (struct chance_build){ .shuffle = UINT64_MAX }, &o, &again);
	same("added turned round", t->base, o);
	plain_run(c, (struct chance_build){ .shuffle = rng_hash(c->seed, 1) | 1 }, &o, &again);
	same("added in another order", t->base, o);
	watched_run(c, t->dir, &o);
	t->base.events = o.events; /* samples are no events of the run, but be sure of the rest */
	same("observers on", t->base, o);
	if (c->scalable)
		scaled_run(c);
	else
		island_run(c);
	if (t->as_file)
		json_run(c, t->dir, &t->base);
	if (t->talk)
		printf("SEED=%" PRIu64 ": digest %016" PRIx64 ", %" PRIu64 " events, %" PRId64
		       " bytes delivered\n", c->seed, t->base.digest, o.events, o.delivered);
}

/* A failure is like another when they say the same but for numbers. */
static void kind_of(const char *why, char *kind, size_t size)
{
	size_t n = 0;

	for (; *why && *why != '\n' && n + 1 < size; why++)
		if (!isxdigit((unsigned char)*why))
			kind[n++] = *why;
	kind[n] = 0;
}

struct like { struct seed_trial *t; char kind[60]; };

static bool fails_like(const struct chance *c, void *ctx)
{
	struct like *like = ctx;
	struct seed_trial t = *like->t;
	char why[400], kind[sizeof(like->kind)];

	t.c = c;
	t.talk = false;
	if (trial_run(all_checks, &t, SECONDS, why, sizeof(why)))
		return false;
	kind_of(why, kind, sizeof(kind));
	return strcmp(kind, like->kind) == 0;
}

static void keep_seed(uint64_t seed, const char *why)
{
	const char *build = getenv("XOFF_BUILD");
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/failed-seeds", build ? build : "/tmp");
	FILE *out = fopen(path, "a");
	if (!out)
		return;
	fprintf(out, "%" PRIu64 " # %s: %.*s\n", seed, PACKAGE_VERSION, (int)strcspn(why, "\n"), why);
	fclose(out);
	printf("kept in %s\n", path);
}

/* Says all there is to say of a seed that failed. */
static void tell(struct chance *c, struct seed_trial *t, const char *why)
{
	const char *xoff = getenv("XOFF");
	struct like like = { .t = t };
	char path[4096], version[4096];

	printf("SEED=%" PRIu64 " failed: %s\n", c->seed, why);
	snprintf(version, sizeof(version), "'%s' --version | head -n 4", xoff ? xoff : "build/xoff");
	fflush(stdout);
	if (system(version) != 0)
		printf("version %s\n", PACKAGE_VERSION);
	keep_seed(c->seed, why);
	kind_of(why, like.kind, sizeof(like.kind));
	int asked = shrink(c, fails_like, &like, TRIES);
	snprintf(path, sizeof(path), "%s/../seed-%" PRIu64 ".json", t->dir, c->seed);
	FILE *out = fopen(path, "w");
	if (out && chance_json(c, why, out) == 0 && fclose(out) == 0)
		printf("smallest after %d tries: %d hosts, %d switches, %d links, %d traffic, %d faults, "
		       "%d routes: %s\n", asked, c->hosts, c->switches, c->links, c->traffics,
		       c->faults, c->routes, path);
	chance_json(c, why, stdout);
	fflush(stdout);
}

static const char *scratch(char *path, size_t size)
{
	snprintf(path, size, "%s/run", scratch_dir());
	mkdir(path, 0700);
	return path;
}

static int fitted, tried;

static void try_seed(uint64_t seed)
{
	struct chance *c = malloc(sizeof(*c));
	char path[4096], why[2000];
	struct seed_trial t = { .c = c, .dir = scratch(path, sizeof(path)),
				.as_file = seed % 5 == 0 || getenv("SEED"), .talk = getenv("SEED") };

	chance_draw(c, seed, seed % 2);
	tried++;
	bool passed = trial_run(all_checks, &t, SECONDS, why, sizeof(why));
	bool fits = passed || strncmp(why, no_fit, strlen(no_fit)) != 0;
	fitted += fits;
	if (t.talk && !fits)
		printf("SEED=%" PRIu64 " %s\n", seed, why);
	if (!passed && fits)
		tell(c, &t, why);
	free(c);
	ck_assert_msg(passed || !fits, "SEED=%" PRIu64 ": %s", seed, why);
}

/* ---- those that failed once ---- */

static void try_file(const char *dir, const char *name)
{
	char path[4096], line[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *in = fopen(path, "r");
	while (in && fgets(line, sizeof(line), in))
		if (isdigit((unsigned char)line[0]))
			try_seed(strtoull(line, NULL, 10));
	if (in)
		fclose(in);
}

START_TEST(kept_seeds)
{
	const char *src = getenv("XOFF_SRC"), *build = getenv("XOFF_BUILD");

	try_file(src ? src : ".", "tests/property/seeds");
	try_file(build ? build : "/tmp", "tests/failed-seeds");
}
END_TEST

START_TEST(seed)
{
	try_seed((uint64_t)_i);
}
END_TEST

/* Most plans fit, or nothing is shown. */
START_TEST(most_plans_fit)
{
	printf("%d fabrics drawn, %d ran\n", tried, fitted);
	ck_assert_int_gt(fitted, tried * 3 / 4);
}
END_TEST

/* The seeds to try: first and last. */
static void range(int *first, int *last)
{
	const char *one = getenv("SEED"), *some = getenv("FABRICS"), *check = getenv("XOFF_CHECK");

	*first = 1;
	*last = check && !strcmp(check, "long") ? SEEDS_LONG : SEEDS;
	if (one)
		*first = *last = atoi(one);
	else if (some && sscanf(some, "%d-%d", first, last) != 2)
		exit(2);
}

int main(void)
{
	Suite *suite = suite_create("fabric_property");
	TCase *tc = tcase_create("fabric_property");
	SRunner *runner = srunner_create(suite);
	int first, last, failed;

	range(&first, &last);
	if (!getenv("SEED"))
		tcase_add_test(tc, kept_seeds);
	tcase_add_loop_test(tc, seed, first, last + 1);
	if (!getenv("SEED"))
		tcase_add_test(tc, most_plans_fit);
	suite_add_tcase(suite, tc);
	srunner_set_fork_status(runner, CK_NOFORK);	/* each trial is a process as it is */
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
