/*
 * Small random fabrics with random routes (tests/support/circles.h): whenever a run
 * deadlocks, the buffer-dependency graph of its traffic had a circle.  Never the
 * reverse: a circle is needed, and not enough.  XOFF_CHECK=long: ten times as many.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/bdg.h"
#include "observe/observe.h"
#include "tests/support/circles.h"

enum { FABRICS = 300 };

static bool circle(const struct fabric *f)
{
	struct routing *r = routing_new(f);
	struct bdg *all = bdg_new(r, BDG_ALL), *some = bdg_new(r, BDG_TRAFFIC);
	struct bdg_result g;
	bool has = bdg_build(some, ROUTING_GLOBAL, NULL, 0, &g);

	if (has)
		ck_assert(bdg_build(all, ROUTING_GLOBAL, NULL, 0,
				    &g)); /* has all that traffic has */
	bdg_free(&all);
	bdg_free(&some);
	routing_free(&r);
	return has;
}

/* What a fabric came to: bit 0 a circle, bit 1 a deadlock, bit 2 classes that change, bit 3 802.3x. */
static int try_one(uint64_t seed)
{
	struct circles c;
	struct sim_error err = { 0 };
	struct observe *o;
	int came;

	circles_draw(&c, seed);
	came = circle(c.bed.f) | c.whole << 3;
	for (uint32_t n = 0; n < view_nodes(c.bed.f); n++)
		if (view_is_switch(c.bed.f, n) && view_remaps(c.bed.f, n))
			came |= 4;
	o = observe_new(c.bed.f,
			&(struct observe_conf){ .experiment = "random", .variant = "base" },
			&err);
	ck_assert_msg(o != NULL, "%s", err.text);
	fabric_run(c.bed.f, NULL);
	ck_assert(!observe_finish(o, &err));
	came |= observe_summary(o)->deadlock.found << 1;
	observe_free(&o);
	bed_close(&c.bed);
	return came;
}

START_TEST(deadlock_has_circle)
{
	const char *mode = getenv("XOFF_CHECK");
	int fabrics = mode && !strcmp(mode, "long") ? 10 * FABRICS : FABRICS;
	int came[8] = { 0 }, whole[4] = { 0 }, circles, deadlocks;

	for (int i = 0; i < fabrics; i++) {
		int x = try_one(rng_hash(0x77, (uint64_t)i));

		ck_assert_msg((x & 3) != 2, "fabric %d deadlocks, and no circle was found", i);
		came[x & 7]++;
		whole[x & 3] += x >> 3;
	}
	circles = came[1] + came[3] + came[5] + came[7];
	deadlocks = came[3] + came[7];
	printf("%d fabrics, %d with a circle, %d deadlocks; where classes change %d, %d, %d; with 802.3x %d, %d, "
	       "%d\n", fabrics, circles, deadlocks, came[4] + came[5] + came[7], came[5] + came[7], came[7],
	       whole[0] + whole[1] + whole[3], whole[1] + whole[3], whole[3]);
	/* not an empty claim, and not one that calls everything a circle */
	ck_assert_int_gt(came[3], fabrics / 20);
	ck_assert_int_gt(came[7], fabrics / 60);
	ck_assert_int_gt(came[0], fabrics / 20);
	ck_assert_int_gt(came[4], fabrics / 20);
	ck_assert_int_gt(whole[3], fabrics / 60);
	ck_assert_int_gt(whole[0], fabrics / 60);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("deadlock_found");
	TCase *tc = tcase_create("deadlock_found");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, deadlock_has_circle);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
