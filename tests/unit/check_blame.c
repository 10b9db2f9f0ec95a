/* analyze/blame: stops traced to their roots, by cases reckoned by hand and by sums. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/blame.h"
#include "sim/rng.h"

/* Places 0..9 are transmitters and groups alike; node n owns place n.  Host places
 * are 8 and 9.  Pair p ends at node p. */
enum { PLACES = 10, PAIRS = 6, ROOM = 4000 };

struct box {
	struct blame_log log;
	struct blame_pause pause[ROOM];
	struct blame_cause cause[ROOM];
	struct blame_part part[ROOM];
	struct blame_stop stop[ROOM];
	uint32_t waiting[ROOM], members[ROOM];
	struct blame_deadlock deadlock[4];
	struct blame_span storm[4];
	int64_t drain[PLACES];
	uint32_t host[PLACES], node[PLACES], dst[PAIRS];
	size_t ncauses, nparts, nwaiting, nmembers;
	struct blame_report r;
};

static struct box *b;		/* of the test that runs */

static void open_box(void)
{
	b = calloc(1, sizeof(*b));
	ck_assert_ptr_nonnull(b);
	for (uint32_t i = 0; i < PLACES; i++) {
		b->drain[i] = 1000000;
		b->host[i] = BLAME_NONE;
		b->node[i] = i;
	}
	for (uint32_t i = 0; i < PAIRS; i++)
		b->dst[i] = i;
	b->log = (struct blame_log){
		.nplaces = PLACES, .npairs = PAIRS, .drain_ps = b->drain, .host = b->host,
		.node = b->node, .dst = b->dst, .pauses = b->pause, .causes = b->cause,
		.parts = b->part, .stops = b->stop, .waiting = b->waiting,
		.members = b->members, .deadlocks = b->deadlock, .storms = b->storm,
	};
}

static void close_box(void)
{
	blame_free(&b->r);
	free(b);
}

static void pause_of(uint32_t sender, uint32_t paused, int64_t xoff, int64_t end,
		     enum blame_sender by)
{
	b->pause[b->log.npauses++] = (struct blame_pause){
		.sender = sender, .paused = paused, .xoff_ps = xoff, .end_ps = end, .by = by,
		.cause = b->ncauses
	};
}

/* Of the latest pause. */
static void cause_of(uint32_t egress, int64_t bytes)
{
	b->cause[b->ncauses++] = (struct blame_cause){
		.place = egress, .bytes = bytes, .part = b->nparts };
	b->pause[b->log.npauses - 1].ncauses++;
}

/* Of the latest cause. */
static void part_of(uint32_t pair, int64_t bytes)
{
	b->part[b->nparts++] = (struct blame_part){ pair, bytes };
	b->cause[b->ncauses - 1].nparts++;
}

static void stop_of(uint32_t place, int64_t from, int64_t until, int64_t drain)
{
	b->stop[b->log.nstops++] = (struct blame_stop){
		.place = place, .from_ps = from, .until_ps = until, .drain_ps = drain,
		.waiting = b->nwaiting };
}

/* A pause and the stop that it makes, at the same times. */
static void blocks(uint32_t sender, uint32_t paused, int64_t from, int64_t until, enum blame_sender by)
{
	pause_of(sender, paused, from, until, by);
	stop_of(paused, from, until, 0);
}

/* At the latest stop. */
static void waits(uint32_t pair)
{
	b->waiting[b->nwaiting++] = pair;
	b->stop[b->log.nstops - 1].nwaiting++;
	b->stop[b->log.nstops - 1].pairs++;
}

static void analyze(struct blame_conf conf)
{
	blame_free(&b->r);
	blame_analyze(&b->log, &conf, &b->r);
}

static const struct blame_conf whole = { .at_ps = -1 };

static int64_t root_ps(enum blame_kind kind, uint32_t place)
{
	for (size_t i = 0; i < b->r.nroots; i++)
		if (b->r.roots[i].kind == kind && b->r.roots[i].place == place)
			return b->r.roots[i].ps;
	return 0;
}

static struct blame_pair pair_at(const struct blame_root *root, uint32_t pair)
{
	for (size_t i = 0; i < root->npairs; i++)
		if (root->pairs[i].pair == pair)
			return root->pairs[i];
	return (struct blame_pair){ .pair = BLAME_NONE };
}

START_TEST(splits_are_whole_and_in_proportion)
{
	const __int128 even[3] = { 1, 1, 1 }, some[4] = { 0, 5, 3, 2 };
	const __int128 huge[2] = { (__int128)1 << 100, (__int128)3 << 100 };
	int64_t share[4];

	blame_split(10, even, share, 3);
	ck_assert_int_eq(share[0], 4);
	ck_assert_int_eq(share[1], 3);
	ck_assert_int_eq(share[2], 3);
	blame_split(19, some, share, 4);	/* 9.5, 5.7, 3.8: remainders .5 .7 .8 */
	ck_assert_int_eq(share[0], 0);
	ck_assert_int_eq(share[1], 9);
	ck_assert_int_eq(share[2], 6);
	ck_assert_int_eq(share[3], 4);
	blame_split(INT64_C(4000000000000000000), huge, share, 2);
	ck_assert_int_eq(share[0], INT64_C(1000000000000000000));
	ck_assert_int_eq(share[1], INT64_C(3000000000000000000));
}
END_TEST

/* 0 is stopped by the group at 1, whose bytes wait for egress 2, which is free. */
START_TEST(a_free_egress_is_the_root)
{
	b->host[2] = 4;		/* egress 2 leads to host 4 */
	pause_of(1, 0, 100, 1100, BLAME_GROUP);
	cause_of(2, 4000);
	part_of(3, 3000);
	part_of(4, 1000);
	stop_of(0, 150, 1150, 0);
	waits(3);
	waits(4);
	waits(5);
	analyze(whole);
	ck_assert_int_eq(b->r.stopped_ps, 1000);
	ck_assert_uint_eq(b->r.nroots, 1);
	ck_assert_int_eq(root_ps(BLAME_CONTENTION, 2), 1000);
	const struct blame_root *root = b->r.roots;
	ck_assert_int_eq(pair_at(root, 3).brought_ps, 750);
	ck_assert_int_eq(pair_at(root, 4).brought_ps, 250);
	ck_assert_int_eq(pair_at(root, 3).lost_ps + pair_at(root, 4).lost_ps +
			 pair_at(root, 5).lost_ps, 1000);
	ck_assert_int_le(llabs(pair_at(root, 5).lost_ps - 333), 1);
	ck_assert(pair_at(root, 3).own && pair_at(root, 4).own && !pair_at(root, 5).own);
	ck_assert_int_eq(root->victims_ps, pair_at(root, 5).lost_ps);
	ck_assert_uint_eq(root->nhops, 1);
	ck_assert_uint_eq(root->hops[0].depth, 1);
	ck_assert_uint_eq(b->r.nedges, 1);
	ck_assert_uint_eq(b->r.edges[0].egress, 2);
}
END_TEST

/* Bytes for two egresses: 3 to 1; the larger is itself stopped, by the group at 4
 * whose bytes wait for egress 5. */
START_TEST(a_stopped_egress_passes_the_blame_on)
{
	blocks(4, 2, 0, 1000, BLAME_GROUP);
	cause_of(5, 10);
	blocks(1, 0, 100, 900, BLAME_GROUP);
	cause_of(2, 3000);
	cause_of(3, 1000);
	analyze(whole);
	ck_assert_int_eq(b->r.stopped_ps, 1800);
	ck_assert_int_eq(root_ps(BLAME_CONTENTION, 5), 1000 + 600);
	ck_assert_int_eq(root_ps(BLAME_CONTENTION, 3), 200);
	ck_assert_uint_eq(b->r.roots[0].nhops, 2);
	ck_assert_uint_eq(b->r.roots[0].hops[1].depth, 2);
	ck_assert_uint_eq(b->r.roots[0].hops[1].place, 0);
	ck_assert_int_eq(b->r.roots[0].hops[1].ps, 600);
	ck_assert_int_eq(b->r.roots[0].nobody_ps, 1600);
}
END_TEST

/* Egress 2 was stopped for 100 and needs 60 to send what waited; the pause of 0
 * stands for 200 from 50 on: 50 stopped, 60 worked off, 90 free. */
START_TEST(what_a_stop_keeps_back_is_its_own_until_it_is_sent)
{
	pause_of(4, 2, 0, 100, BLAME_GROUP);
	cause_of(5, 10);
	stop_of(2, 0, 100, 60);
	blocks(1, 0, 50, 250, BLAME_GROUP);
	cause_of(2, 3000);
	analyze(whole);
	ck_assert_int_eq(root_ps(BLAME_CONTENTION, 5), 100 + 110);
	ck_assert_int_eq(root_ps(BLAME_CONTENTION, 2), 90);

	/* ... and never longer than it was stopped */
	b->stop[0].drain_ps = 100000;
	analyze(whole);
	ck_assert_int_eq(root_ps(BLAME_CONTENTION, 5), 100 + 150);
	ck_assert_int_eq(root_ps(BLAME_CONTENTION, 2), 50);
}
END_TEST

/* Half of the bytes were for an egress that is free: in 8 times 10 they have left. */
START_TEST(bytes_for_a_free_egress_do_not_hold_for_ever)
{
	b->drain[2] = 10;
	blocks(8, 3, 0, 10080, BLAME_HOST_STORM);
	blocks(1, 0, 0, 10080, BLAME_GROUP);
	cause_of(2, 500);
	cause_of(3, 500);
	analyze(whole);
	/* weights 80 and 10080 */
	ck_assert_int_eq(root_ps(BLAME_CONTENTION, 2), 79);
	ck_assert_int_eq(root_ps(BLAME_STORM, 8), 10080 + 10001);
}
END_TEST

START_TEST(a_host_is_slow_until_it_storms)
{
	b->storm[0] = (struct blame_span){ 8, 700, 5000 };
	b->log.nstorms = 1;
	blocks(8, 2, 0, 1000, BLAME_HOST_SLOW);
	waits(1);
	blocks(9, 3, 0, 1000, BLAME_HOST_SLOW);
	analyze(whole);
	ck_assert_int_eq(root_ps(BLAME_RECEIVER, 8), 700);
	ck_assert_int_eq(root_ps(BLAME_STORM, 8), 300);
	ck_assert_int_eq(root_ps(BLAME_RECEIVER, 9), 1000);
	ck_assert_uint_eq(b->r.edges[0].egress, BLAME_NONE);
}
END_TEST

static const struct blame_root *the_root(enum blame_kind kind, uint32_t place)
{
	for (size_t i = 0; i < b->r.nroots; i++)
		if (b->r.roots[i].kind == kind && b->r.roots[i].place == place)
			return &b->r.roots[i];
	ck_abort_msg("no such root");
	return NULL;
}

/* Host 8 is slow in 100..700 and storms in 700..5000, of which its link sees 1000 (a watchdog, say).
 * Egress 3 is free until the pause of 300..1000 stops it, so that of the stop of 0 in 200..1000 the
 * first 100 are contention's. */
START_TEST(a_cause_has_times_of_its_own)
{
	b->storm[0] = (struct blame_span){ 8, 700, 5000 };
	b->storm[1] = (struct blame_span){ 9, 300, 2000 };
	b->log.nstorms = 2;
	blocks(8, 2, 100, 1000, BLAME_HOST_SLOW);
	blocks(9, 3, 300, 1000, BLAME_HOST_STORM);
	blocks(1, 0, 200, 1000, BLAME_GROUP);
	cause_of(3, 1000);
	analyze(whole);
	ck_assert_int_eq(root_ps(BLAME_CONTENTION, 3), 100);
	const struct blame_root *root = the_root(BLAME_CONTENTION, 3);
	ck_assert_int_eq(root->cause_first_ps, 200);
	ck_assert_int_eq(root->cause_last_ps, 300);
	ck_assert_int_eq(root->first_ps, 200);
	ck_assert_int_eq(root->last_ps, 1000);
	root = the_root(BLAME_STORM, 9);
	ck_assert_int_eq(root->cause_first_ps, 300);
	ck_assert_int_eq(root->cause_last_ps, 2000);
	ck_assert_int_eq(root->first_ps, 200);
	root = the_root(BLAME_STORM, 8);
	ck_assert_int_eq(root->cause_first_ps, 700);
	ck_assert_int_eq(root->cause_last_ps, 5000);
	root = the_root(BLAME_RECEIVER, 8);
	ck_assert_int_eq(root->cause_first_ps, 100);
	ck_assert_int_eq(root->cause_last_ps, 700);
	ck_assert_int_eq(root->last_ps, 1000);
}
END_TEST

/* 0 and 1 wait for each other alone. */
START_TEST(a_circle_without_an_end_is_its_own_root)
{
	blocks(5, 0, 0, 1000, BLAME_GROUP);	/* 0 is stopped: 5 waits for 1 */
	cause_of(1, 100);
	blocks(6, 1, 0, 1000, BLAME_GROUP);	/* 1 is stopped: 6 waits for 0 */
	cause_of(0, 100);
	analyze(whole);
	ck_assert_int_eq(root_ps(BLAME_CIRCLE, 5), 1000);
	ck_assert_int_eq(root_ps(BLAME_CIRCLE, 6), 1000);

	/* One byte of 100 waits elsewhere: all leads there. */
	cause_of(3, 1);
	analyze(whole);
	ck_assert_int_eq(root_ps(BLAME_CONTENTION, 3), 2000);
}
END_TEST

/* The same circle as a deadlock from 400 on; before that 6 also had bytes for 3. */
START_TEST(a_deadlock_is_the_root_of_its_members_from_the_time_it_formed)
{
	blocks(5, 0, 0, 1000, BLAME_GROUP);
	cause_of(1, 100);
	blocks(6, 1, 0, 1000, BLAME_GROUP);
	cause_of(0, 50);
	cause_of(3, 50);
	blocks(7, 2, 0, 1000, BLAME_GROUP);	/* behind it: waits for 0 */
	cause_of(0, 10);
	b->members[0] = 0;
	b->members[1] = 1;
	b->deadlock[0] = (struct blame_deadlock){
		.from_ps = 400, .until_ps = 1000, .nmembers = 2, .ncircle = 2 };
	b->log.ndeadlocks = 1;
	analyze(whole);
	ck_assert_int_eq(root_ps(BLAME_DEADLOCK, 0), 3 * 600);
	ck_assert_int_eq(root_ps(BLAME_CONTENTION, 3), 3 * 400);
	/* 3 is not in the circle */
	ck_assert(b->r.classes[0].known && b->r.classes[0].outside);
	ck_assert_uint_eq(b->r.classes[0].place, 3);
	ck_assert_int_eq(b->r.classes[0].outside_ps, 800);

	/* what fed it may be a queue of the circle: the group at 5 once waited for 1
	 * while that was free */
	b->pause[0].xoff_ps = b->stop[0].from_ps = 0;
	b->pause[1].xoff_ps = b->stop[1].from_ps = 300;
	b->cause[2].bytes = 1;
	analyze(whole);
	ck_assert(b->r.classes[0].known && !b->r.classes[0].outside);
	ck_assert_uint_eq(b->r.classes[0].place, 1);
	ck_assert_uint_eq(b->r.classes[0].first, 0);
}
END_TEST

/* XON is on its way when the next XOFF goes: the old stop lasts to 600, but from
 * 500 on the new pause bears it. */
START_TEST(a_stop_is_cut_where_a_new_pause_takes_it_over)
{
	pause_of(1, 0, 0, 450, BLAME_GROUP);
	cause_of(2, 100);
	pause_of(1, 0, 500, 900, BLAME_GROUP);
	cause_of(3, 100);
	stop_of(0, 50, 600, 0);
	stop_of(0, 650, 950, 0);
	analyze(whole);
	ck_assert_int_eq(root_ps(BLAME_CONTENTION, 2), 450);
	ck_assert_int_eq(root_ps(BLAME_CONTENTION, 3), 100 + 300);
	ck_assert_uint_eq(b->r.stops, 3);
}
END_TEST

START_TEST(an_instant_a_place_and_a_pair_can_be_asked_for)
{
	bool places[PLACES] = { false }, pairs[PAIRS] = { false };

	blocks(1, 0, 0, 1000, BLAME_GROUP);
	cause_of(2, 100);
	waits(1);
	waits(2);
	blocks(3, 4, 500, 1000, BLAME_GROUP);
	cause_of(2, 100);
	waits(2);
	analyze((struct blame_conf){ .at_ps = 400 });
	ck_assert_uint_eq(b->r.stops, 1);
	ck_assert_int_eq(b->r.stopped_ps, 400);
	places[4] = true;
	analyze((struct blame_conf){ .at_ps = -1, .places = places });
	ck_assert_int_eq(b->r.stopped_ps, 500);
	pairs[2] = true;
	analyze((struct blame_conf){ .at_ps = -1, .pairs = pairs });
	ck_assert_uint_eq(b->r.nlosses, 2);
	ck_assert_int_eq(b->r.losses[0].ps, 500);
	ck_assert_int_eq(b->r.losses[1].ps, 500);
}
END_TEST

/* ---- sums, whatever the log ---- */

static void draw(uint64_t seed)
{
	struct rng r = { seed };
	int pauses = 1 + (int)rng_below(&r, 60);

	for (uint32_t i = 0; i < PLACES; i++)
		b->drain[i] = 1 + (int64_t)rng_below(&r, 500);
	for (int i = 0; i < pauses; i++) {
		uint32_t place = (uint32_t)rng_below(&r, 8);
		int64_t from = (int64_t)rng_below(&r, 100000), last = 0;

		/* the stops of a place do not overlap: behind its latest */
		for (size_t k = 0; k < b->log.nstops; k++)
			if (b->stop[k].place == place && b->stop[k].until_ps > last)
				last = b->stop[k].until_ps;
		from = last + from % 3000;
		pause_of((uint32_t)rng_below(&r, 8), place, from,
			 from + 1 + (int64_t)rng_below(&r, 5000),
			 rng_below(&r, 8) ? BLAME_GROUP : BLAME_HOST_SLOW);
		for (uint64_t k = rng_below(&r, 5); k; k--) {
			cause_of((uint32_t)rng_below(&r, 8),
				 1 + (int64_t)rng_below(&r, 9999));
			for (uint64_t p = rng_below(&r, 3); p; p--)
				part_of((uint32_t)rng_below(&r, PAIRS), 1);
		}
		stop_of(place, from + (int64_t)rng_below(&r, 20),
			from + 20 + (int64_t)rng_below(&r, 6000), (int64_t)rng_below(&r, 1000));
		for (uint64_t k = rng_below(&r, 4); k; k--)
			waits((uint32_t)rng_below(&r, PAIRS));
		b->stop[b->log.nstops - 1].pairs += (int64_t)rng_below(&r, 2);
	}
	for (uint32_t i = 0; i < 3; i++)
		b->members[i] = i;
	b->deadlock[0] = (struct blame_deadlock){ .from_ps = (int64_t)rng_below(&r, 50000),
		.until_ps = 100000, .nmembers = 3, .ncircle = 2 };
	b->log.ndeadlocks = rng_below(&r, 2);
}

static void check_root(const struct blame_root *root)
{
	int64_t hops = 0, own = 0, victims = 0, brought = root->brought_others_ps;

	for (size_t i = 0; i < root->nhops; i++)
		hops += root->hops[i].ps;
	for (size_t i = 0; i < root->npairs; i++) {
		*(root->pairs[i].own ? &own : &victims) += root->pairs[i].lost_ps;
		brought += root->pairs[i].brought_ps;
	}
	ck_assert_int_lt(root->cause_first_ps, root->cause_last_ps);
	ck_assert_int_eq(hops, root->ps);
	ck_assert_int_eq(own, root->own_ps);
	ck_assert_int_eq(victims, root->victims_ps);
	ck_assert_int_eq(own + victims + root->others_ps + root->nobody_ps, root->ps);
	if (root->kind == BLAME_CONTENTION)
		ck_assert_int_eq(brought, root->ps);
	else
		ck_assert_int_eq(brought, 0);
}

START_TEST(every_sum_is_exact_whatever_was_recorded)
{
	for (uint64_t seed = 0; seed < 500; seed++) {
		int64_t stopped = 0, roots = 0, edges = 0;

		close_box();
		open_box();
		draw(seed);
		analyze(whole);
		for (size_t i = 0; i < b->log.nstops; i++)
			stopped += b->stop[i].until_ps - b->stop[i].from_ps;
		for (size_t i = 0; i < b->r.nroots; i++) {
			roots += b->r.roots[i].ps;
			ck_assert_int_gt(b->r.roots[i].ps, 0);
			check_root(&b->r.roots[i]);
		}
		for (size_t i = 0; i < b->r.nedges; i++)
			edges += b->r.edges[i].ps;
		ck_assert_int_eq(b->r.stopped_ps, stopped);
		ck_assert_int_eq(roots, stopped);
		ck_assert_int_le(edges, stopped);	/* none of a pause without causes */
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("blame");
	TCase *tc = tcase_create("blame");

	tcase_add_checked_fixture(tc, open_box, close_box);
	tcase_add_test(tc, splits_are_whole_and_in_proportion);
	tcase_add_test(tc, a_free_egress_is_the_root);
	tcase_add_test(tc, a_stopped_egress_passes_the_blame_on);
	tcase_add_test(tc, what_a_stop_keeps_back_is_its_own_until_it_is_sent);
	tcase_add_test(tc, bytes_for_a_free_egress_do_not_hold_for_ever);
	tcase_add_test(tc, a_host_is_slow_until_it_storms);
	tcase_add_test(tc, a_cause_has_times_of_its_own);
	tcase_add_test(tc, a_circle_without_an_end_is_its_own_root);
	tcase_add_test(tc, a_deadlock_is_the_root_of_its_members_from_the_time_it_formed);
	tcase_add_test(tc, a_stop_is_cut_where_a_new_pause_takes_it_over);
	tcase_add_test(tc, an_instant_a_place_and_a_pair_can_be_asked_for);
	tcase_add_test(tc, every_sum_is_exact_whatever_was_recorded);
	suite_add_tcase(suite, tc);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
