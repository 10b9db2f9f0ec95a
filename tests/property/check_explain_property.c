/*
 * Whatever happens in a run, `xoff explain` accounts for all of it: random fabrics,
 * half of them anything at all (tests/support/chance.h), half of them rings with
 * storms, slow receivers and watchdogs, where deadlocks grow.
 *
 * Of each run the files are written, read back and traced.  The stops are those that
 * the summary counts, each picosecond of them goes back to a root, and the sums below
 * the roots agree.  A deadlock is a root where there was one, a storm where a NIC
 * stormed, and neither anywhere else.
 *
 * XOFF_CHECK=long tries more seeds; SEED=N tries that one alone and says more.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/blame.h"
#include "cli/rundir_read.h"
#include "observe/observe.h"
#include "tests/support/chance.h"
#include "tests/support/scratch.h"

enum { SEEDS = 200, SEEDS_LONG = 2000, KINDS = BLAME_KINDS };

static int64_t seen[KINDS];		/* runs in which a kind of root was found */
static bool sends_pauses;		/* a fault of the run makes a NIC send pause frames: a storm */

/* ---- a run that leaves its files ---- */

static void write_nodes(const struct fabric *f, const char *dir)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/resolved.json", dir);
	FILE *out = fopen(path, "w");
	ck_assert(out != NULL);
	fputs("{\"topology\": {\"nodes\": {", out);
	for (uint32_t n = 0; n < view_nodes(f); n++)
		fprintf(out, "%s\"%s\": \"%s\"", n ? ", " : "", view_node_name(f, n),
			view_is_switch(f, n) ? "switch" : "host");
	fputs("}}}\n", out);
	ck_assert(fclose(out) == 0);
}

/* True in *deadlock: the detector found one. */
static void run(struct bed *b, const char *dir, bool *deadlock)
{
	struct observe_conf conf = { .experiment = "explain", .dir = dir };
	char path[4096];
	struct sim_error err;

	error_init(&err);
	struct observe *o = observe_new(b->f, &conf, &err);
	ck_assert_msg(o != NULL, "%s", err.text);
	bed_run(b);
	ck_assert_msg(observe_finish(o, &err) == 0, "%s", err.text);
	const struct summary *s = observe_summary(o);
	*deadlock = s->deadlock.found;
	snprintf(path, sizeof(path), "%s/summary.json", dir);
	ck_assert(summary_write_file(path, &s, 1, &err) == 0);
	write_nodes(b->f, dir);
	observe_free(&o);
}

/* ---- what is asked of the answer ---- */

static void check_sums(const struct blame_root *root, uint64_t seed)
{
	int64_t hops = 0, pairs = root->others_ps + root->nobody_ps;
	int64_t brought = root->brought_others_ps;

	for (size_t i = 0; i < root->nhops; i++)
		hops += root->hops[i].ps;
	for (size_t i = 0; i < root->npairs; i++) {
		pairs += root->pairs[i].lost_ps;
		brought += root->pairs[i].brought_ps;
	}
	ck_assert_msg(hops == root->ps && pairs == root->ps, "SEED=%" PRIu64, seed);
	ck_assert_msg(brought == (root->kind == BLAME_CONTENTION ? root->ps : 0),
		      "SEED=%" PRIu64, seed);
}

/* Every stop began after some pause of the far end: nothing came from nowhere. */
static void check_known(const struct rundir_read *r, uint64_t seed)
{
	for (size_t i = 0; i < r->nstops; i++) {
		bool known = false;

		for (size_t k = 0; k < r->npauses && !known; k++)
			known = r->pauses[k].paused == r->stops[i].place &&
				r->pauses[k].xoff_ps <= r->stops[i].from_ps;
		ck_assert_msg(known, "SEED=%" PRIu64 ": a stop of %s without a pause", seed,
			      r->ports.name[r->stops[i].place / RUNDIR_READ_PRIOS]);
	}
}

/* The proof: each group holds more for good than it may hold to let go. */
static void check_proof(const struct rundir_read *r, uint64_t seed)
{
	for (size_t i = 0; i < r->nmembers; i++) {
		const struct rundir_read_member *m = &r->members[i];

		ck_assert_msg(m->stuck_bytes > m->xon_bytes && m->held_bytes >= m->stuck_bytes,
			      "SEED=%" PRIu64 ": %s holds %" PRId64 ", %" PRId64
			      " for good, XON at %" PRId64, seed,
			      r->ports.name[m->by / RUNDIR_READ_PRIOS], m->held_bytes,
			      m->stuck_bytes, m->xon_bytes);
	}
}

static bool storms(const struct rundir_read *r, uint32_t place)
{
	for (size_t i = 0; i < r->nstorms; i++)
		if (r->storms[i].place == place)
			return true;
	return false;
}

static void check_root(const struct rundir_read *r, const struct blame_root *root,
		       uint64_t seed)
{
	uint32_t node = root->kind == BLAME_DEADLOCK ? 0 : r->node[root->place];

	check_sums(root, seed);
	switch (root->kind) {
	case BLAME_DEADLOCK:
		ck_assert_msg(root->place < r->ndeadlocks, "SEED=%" PRIu64, seed);
		break;
	case BLAME_STORM:
		ck_assert_msg(r->is_host[node] && (sends_pauses || storms(r, root->place)), "SEED=%" PRIu64
			      ": no storm of %s", seed, r->nodes.name[node]);
		break;
	case BLAME_RECEIVER:
		ck_assert_msg(r->is_host[node], "SEED=%" PRIu64, seed);
		break;
	default:
		ck_assert_msg(!r->is_host[node], "SEED=%" PRIu64, seed);
		break;
	}
}

static void check(const char *dir, uint64_t seed, bool deadlock, bool talk)
{
	struct sim_error err = { 0 };
	struct rundir_read *r = rundir_read_open(dir, &err);
	struct blame_report report;
	int64_t sum = 0;
	bool dead = false, kinds[KINDS] = { false };

	ck_assert_msg(r != NULL, "SEED=%" PRIu64 ": %s", seed, err.text);
	blame_analyze(&r->log, &(struct blame_conf){ .at_ps = -1 }, &report);
	ck_assert_msg(report.stopped_ps == r->paused_ps, "SEED=%" PRIu64 ": %" PRId64
		      " ps stopped, %" PRId64 " attributed", seed, r->paused_ps,
		      report.stopped_ps);
	check_known(r, seed);
	check_proof(r, seed);
	for (size_t i = 0; i < report.nroots; i++) {
		const struct blame_root *root = &report.roots[i];

		check_root(r, root, seed);
		sum += root->ps;
		dead |= root->kind == BLAME_DEADLOCK;
		kinds[root->kind] = true;
		if (talk)
			printf("%-14s %s/%u %" PRId64 " ps\n", blame_kind_names[root->kind],
			       root->kind == BLAME_DEADLOCK ? "" :
			       r->ports.name[root->place / RUNDIR_READ_PRIOS],
			       (unsigned)(root->place % RUNDIR_READ_PRIOS), root->ps);
	}
	ck_assert_msg(sum == r->paused_ps, "SEED=%" PRIu64, seed);
	/* one that forms at the last instant has stopped nothing yet */
	ck_assert_msg((r->ndeadlocks > 0) == deadlock && (!dead || deadlock), "SEED=%" PRIu64
		      ": a deadlock that was%s found is%s a root", seed,
		      deadlock ? "" : " not", dead ? "" : " no");
	for (int k = 0; k < KINDS; k++)
		seen[k] += kinds[k];
	blame_free(&report);
	rundir_read_free(&r);
}

/* ---- rings ---- */

static void name(char *buf, const char *what, int i)
{
	snprintf(buf, 16, "%s%d", what, i);
}

static void make_ring(struct bed *b, int n, struct rng *r)
{
	char sw[16], next[16], host[16];

	for (int i = 0; i < n; i++) {
		name(sw, "s", i);
		bed_switch(b, sw);
	}
	for (int i = 0; i < n; i++) {
		name(sw, "s", i);
		name(next, "s", (i + 1) % n);
		name(host, "h", i);
		bed_leaf(b, host, sw, 0, 40 * BED_G, 100 * BED_NS);
		bed_link(b, sw, 1, next, 2, (int64_t)(1 + rng_below(r, 2)) * 20 * BED_G,
			 (int64_t)(1 + rng_below(r, 5)) * 100 * BED_NS);
	}
}

/* A stream from host i to host i + hops, clockwise; `known` are the routes so far. */
static void clockwise(struct bed *b, int n, int i, int hops, int number, int64_t rate_bps,
		      bool known[8][8])
{
	char stream[16], from[16], to[16], sw[16], next[16];
	int last = (i + hops) % n;

	name(stream, "f", number);
	name(from, "h", i);
	name(to, "h", last);
	bed_stream(b, stream, from, to, rate_bps, 1000, 0, UNITS_NEVER);
	for (int k = i; k < i + hops; k++) {
		if (known[k % n][last])
			continue;
		known[k % n][last] = true;
		name(sw, "s", k % n);
		name(next, "s", (k + 1) % n);
		bed_route(b, sw, to, next);
	}
}

static void spoil(struct bed *b, int n, struct rng *r)
{
	char host[16];

	name(host, "h", (int)rng_below(r, (uint64_t)n));
	switch (rng_below(r, 4)) {
	case 0:
		bed_storm(b, host, (int64_t)rng_below(r, 1000) * BED_US,
			  rng_below(r, 2) ? UNITS_NEVER : 500 * BED_US);
		break;
	case 1:
		bed_fault(b, &(struct fault_conf){ .name = (char *)(uintptr_t)"slow",
			.kind = FAULT_SLOW_RECEIVER, .a = host, .class_ = -1,
			.at_ps = (int64_t)rng_below(r, 500) * BED_US, .lasts_ps = UNITS_NEVER,
			.rate_bps = (int64_t)(1 + rng_below(r, 30)) * BED_G });
		break;
	default:
		break;
	}
}

static void ring_run(uint64_t seed, const char *dir, bool *deadlock)
{
	struct rng r = { seed * 77 + 5 };
	int n = 3 + (int)rng_below(&r, 3), streams = 3 + (int)rng_below(&r, 5);
	struct bed b;

	bed_open(&b, 2 * BED_MS);
	b.sw.buffer.xoff_bytes = 40000 + (int64_t)rng_below(&r, 60000);
	b.sw.buffer.xon_offset_bytes = 3000;
	if (rng_below(&r, 3) == 0) {
		b.sw.watchdog.detect_ps = b.sw.watchdog.restore_ps = 400 * BED_US;
		b.sw.watchdog.poll_ps = 100 * BED_US;
	}
	if (rng_below(&r, 4) == 0)
		b.nic.storm_watchdog_ps = 300 * BED_US;
	make_ring(&b, n, &r);
	bool known[8][8] = { { false } };
	for (int i = 0; i < streams; i++)
		clockwise(&b, n, (int)rng_below(&r, (uint64_t)n),
			  1 + (int)rng_below(&r, (uint64_t)n - 1), i, rng_below(&r, 4) ? 0 :
			  (int64_t)(1 + rng_below(&r, 30)) * BED_G, known);
	spoil(&b, n, &r);
	bed_finish(&b);
	run(&b, dir, deadlock);
	bed_close(&b);
}

/* ---- anything ---- */

/* False: the plan does not fit together. */
static bool chance_run(uint64_t seed, const char *dir, bool *deadlock)
{
	struct chance *c = calloc(1, sizeof(*c));
	struct chance_build how = { 0 };
	struct sim_error err;
	struct bed b;

	error_init(&err);
	chance_draw(c, seed, false);
	bool ok = chance_make(c, &how, &b, &err) == 0;
	for (int i = 0; i < c->faults; i++)
		sends_pauses |= c->fault[i].kind == FAULT_PAUSE_FRAMES;
	if (ok)
		run(&b, dir, deadlock);
	bed_close(&b);
	free(c);
	return ok;
}

START_TEST(all_is_attributed_and_nothing_else)
{
	const char *one = getenv("SEED");
	const char *how = getenv("XOFF_CHECK");
	uint64_t first = one ? strtoull(one, NULL, 10) : 0;
	uint64_t n = one ? 1 : how && !strcmp(how, "long") ? SEEDS_LONG : SEEDS;
	char dir[4000];

	snprintf(dir, sizeof(dir), "%s/explain", scratch_dir());
	mkdir(dir, 0777);
	for (uint64_t seed = first; n; seed++) {
		bool deadlock = false;

		sends_pauses = false;
		if (seed % 2)
			ring_run(seed, dir, &deadlock);
		else if (!chance_run(seed, dir, &deadlock) && !one)
			continue;	/* the next one counts */
		check(dir, seed, deadlock, one != NULL);
		n--;
	}
	for (int k = 0; k < KINDS; k++)
		printf("%-14s in %" PRId64 " runs\n", blame_kind_names[k], seen[k]);
	ck_assert(one || (seen[BLAME_DEADLOCK] > 10 && seen[BLAME_STORM] > 10 &&
			  seen[BLAME_RECEIVER] > 10 && seen[BLAME_CONTENTION] > 50));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("explain_property");
	TCase *tc = tcase_create("explain_property");

	tcase_add_test(tc, all_is_attributed_and_nothing_else);
	tcase_set_timeout(tc, 3600);
	suite_add_tcase(suite, tc);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
