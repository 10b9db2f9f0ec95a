/*
 * sim/engine: the wheel and the heap give the order of a sorted array, whatever
 * the spread of times, however many tie, and whoever arms while an instant runs.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine.h"

/* In loops: an assertion of Check's writes to a pipe each time. */
#define QUICK(cond) do { if (!(cond)) ck_abort_msg("%s", #cond); } while (0)

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13; *x ^= *x >> 7; *x ^= *x << 17;		/* xorshift64 */
	return *x >> 11;
}

/* ---- the reference: an array kept sorted, latest first ---- */

struct sorted { struct engine_event at[24000]; int n; };

static bool later(struct engine_event a, struct engine_event b)
{
	return a.at_ps != b.at_ps ? a.at_ps > b.at_ps : a.key > b.key;
}

static void sorted_add(struct sorted *s, struct engine_event ev)
{
	int lo = 0, hi = s->n;

	while (lo < hi) {
		int mid = (lo + hi) / 2;
		if (later(s->at[mid], ev))
			lo = mid + 1;
		else
			hi = mid;
	}
	memmove(&s->at[lo + 1], &s->at[lo], (size_t)(s->n - lo) * sizeof s->at[0]);
	s->at[lo] = ev;
	s->n++;
}

/* ---- random operations ---- */

/* How far ahead events are armed, and how long the set may get. */
static const struct {
	const char *what;
	int64_t grain, spread;	/* at = now + grain * (0 .. spread - 1) */
	int far_one_in;		/* one in so many lies 10^9 times as far; 0 none */
	int most, pending;	/* waiting at once; estimate given to engine_new */
} mixes[] = {
	{ "frames and delays", 6720, 200, 0, 500, 500 },
	{ "every event at one of three instants", 1000000, 3, 0, 3000, 16 },
	{ "all at once, always", 1, 1, 0, 2000, 16 },
	{ "single picoseconds", 1, 5000, 0, 4000, 4000 },
	{ "milliseconds and picoseconds", 1, 1000, 3, 1000, 1000 },
	{ "all far", 100000000000, 1000, 0, 20000, 16 },
	{ "a few", 80, 100000, 10, 3, 1 },
	{ "uniform over the horizon and beyond", 1, 40000000, 50, 3000, 100 },
};
enum { MIXES = sizeof(mixes) / sizeof(mixes[0]), OPERATIONS = 100000 };

struct trio { struct engine *wheel, *heap; struct sorted *sorted; uint32_t armed; int64_t now; };

static void arm(struct trio *t, int mix, uint64_t *x)
{
	int64_t ahead = mixes[mix].grain * (int64_t)(next(x) % (uint64_t)mixes[mix].spread);
	struct engine_event ev;

	if (mixes[mix].far_one_in && next(x) % (uint64_t)mixes[mix].far_one_in == 0)
		ahead = (int64_t)(next(x) % 1000000000) * 1000000;
	ev.at_ps = t->now + ahead;
	/* few classes and ties, so that the object must decide as well */
	ev.key = ENGINE_KEY(next(x) % 5, next(x) % 2, next(x) % 4, t->armed++);
	engine_arm(t->wheel, ev.at_ps, ev.key);
	engine_arm(t->heap, ev.at_ps, ev.key);
	sorted_add(t->sorted, ev);
}

/* Takes one instant whole; half of the events arm others, some of them at once. */
static int take_instant(struct trio *t, int mix, uint64_t *x)
{
	int64_t at = t->sorted->at[t->sorted->n - 1].at_ps;
	uint64_t wheel, heap;
	int n = 0;

	QUICK(engine_next_ps(t->wheel) == at);
	QUICK(engine_next_ps(t->heap) == at);
	t->now = at;
	while (t->sorted->n && t->sorted->at[t->sorted->n - 1].at_ps == at) {
		uint64_t want = t->sorted->at[--t->sorted->n].key, ahead;
		ahead = engine_ahead(t->wheel, 0);
		QUICK(engine_take(t->wheel, at, &wheel));
		QUICK(engine_take(t->heap, at, &heap));
		QUICK(wheel == want);
		QUICK(heap == want);
		QUICK(!ahead || ahead == want);
		n++;
		if (next(x) % 8 == 0 && t->sorted->n < mixes[mix].most)
			arm(t, mix, x);
	}
	QUICK(!engine_take(t->wheel, at, &wheel));
	QUICK(!engine_take(t->heap, at, &heap));
	return n;
}

START_TEST(same_order_as_a_sorted_array)
{
	uint64_t x = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(_i + 1), taken = 0;
	struct trio t = { engine_new(ENGINE_WHEEL, (uint32_t)mixes[_i].pending),
			  engine_new(ENGINE_HEAP, (uint32_t)mixes[_i].pending),
			  calloc(1, sizeof *t.sorted), 0, 0 };

	while (t.armed < OPERATIONS) {
		int some = (int)(next(&x) % (uint64_t)mixes[_i].most) + 1;
		while (t.sorted->n < some && t.armed < OPERATIONS)
			arm(&t, _i, &x);
		for (int k = (int)(next(&x) % 50); k >= 0 && t.sorted->n; k--)
			taken += (uint64_t)take_instant(&t, _i, &x);
	}
	while (t.sorted->n)
		taken += (uint64_t)take_instant(&t, _i, &x);
	ck_assert_int_eq(engine_next_ps(t.wheel), UNITS_NEVER);
	ck_assert_int_eq(engine_next_ps(t.heap), UNITS_NEVER);
	ck_assert_uint_eq(taken, t.armed);
	ck_assert_uint_eq(engine_fired(t.wheel), taken);
	ck_assert_uint_eq(engine_fired(t.heap), taken);
	engine_free(&t.wheel);
	engine_free(&t.heap);
	ck_assert_ptr_null(t.wheel);
	free(t.sorted);
}
END_TEST

/* ---- the rest of the contract ---- */

START_TEST(an_empty_engine)
{
	struct engine *e = engine_new(_i ? ENGINE_HEAP : ENGINE_WHEEL, 0);
	uint64_t key = 42;

	ck_assert_int_eq(engine_next_ps(e), UNITS_NEVER);
	ck_assert(!engine_take(e, 0, &key));
	ck_assert_uint_eq(engine_ahead(e, 0), 0);
	engine_arm(e, 0, ENGINE_KEY(3, 2, 1, 77));
	ck_assert_int_eq(engine_next_ps(e), 0);
	ck_assert(!engine_take(e, 1, &key));
	ck_assert(engine_take(e, 0, &key));
	ck_assert_uint_eq(engine_code(key), 3 << 4 | 2);
	ck_assert_uint_eq(engine_object(key), 77);
	ck_assert_int_eq(engine_next_ps(e), UNITS_NEVER);
	engine_free(&e);
	engine_free(&e);
}
END_TEST

/* As many as were announced cost no allocation, as often as they go round. */
START_TEST(no_growth_within_the_estimate)
{
	struct engine *e = engine_new(_i ? ENGINE_HEAP : ENGINE_WHEEL, 5000);
	uint64_t x = 88172645463325252, key, armed = 0;

	for (int k = 0; k < 5000; k++)
		engine_arm(e, (int64_t)(next(&x) % 2000000), ENGINE_KEY(3, 0, 0, armed++));
	for (int k = 0; k < 200000; k++) {
		int64_t at = engine_next_ps(e);
		QUICK(engine_take(e, at, &key));
		engine_arm(e, at + (int64_t)(next(&x) % 2000000), ENGINE_KEY(3, 0, 0, armed++));
	}
	ck_assert_uint_eq(engine_growths(e), 0);
	for (int k = 0; k < 50000; k++)
		engine_arm(e, INT64_C(1) << 40, ENGINE_KEY(3, 0, 0, armed++));
	ck_assert_uint_gt(engine_growths(e), 0);
	engine_free(&e);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("engine");
	TCase *tc = tcase_create("engine");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, same_order_as_a_sorted_array, 0, MIXES);
	tcase_add_loop_test(tc, an_empty_engine, 0, 2);
	tcase_add_loop_test(tc, no_growth_within_the_estimate, 0, 2);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
