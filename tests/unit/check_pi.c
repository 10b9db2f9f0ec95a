/*
 * models/switch/pi: the controller's steps by hand, and that it comes to rest at pi_ref
 * and nowhere else (Hollot et al., INFOCOM 2001).
 */
#include <check.h>
#include <stdlib.h>

#include "models/switch/pi.h"

static struct ecn_conf conf(void)
{
	return (struct ecn_conf){ .on = true, .pi_ref_bytes = 100000, .pi_interval_ps = 1,
				  .pi_a = { 3, 1000 }, .pi_b = { 2, 1000 } };
}

/* p += .003 (q - 100) - .002 (q_before - 100), q in KB; before the first step q was 0. */
START_TEST(steps_by_hand)
{
	static const struct { int64_t queue_bytes; double p; } step[] = {
		{ 120000, 0.260 },	/* 0 + .060 + .200 */
		{ 120000, 0.280 },	/* + .060 - .040: the integral alone, .001 x 20 */
		{ 150000, 0.390 },	/* + .150 - .040 */
		{ 100000, 0.290 },	/* + 0 - .100 */
		{ 100000, 0.290 },	/* at rest */
		{ 0, 0 },		/* - .300 - 0: not below 0 */
		{ 0, 0 },		/* - .300 + .200 */
		{ 600000, 1 },		/* + 1.5 + .200: not above 1 */
		{ 600000, 1 },		/* + 1.5 - 1.0 */
		{ 90000, 0 },		/* - .030 - 1.0 */
	};
	struct ecn_conf c = conf();
	struct pi pi = { 0 };

	for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
		pi_update(&pi, &c, step[i].queue_bytes);
		ck_assert_double_eq_tol(pi.p, step[i].p, 1e-12);
	}
	ck_assert(!pi_rests(&pi, 90000));
	ck_assert(pi_rests(&pi, 0));
}
END_TEST

/* A draw of 32 bits is under p with probability p. */
START_TEST(marks_as_often_as_p_says)
{
	struct pi none = { .p = 0 }, half = { .p = 0.5 }, all = { .p = 1 };

	ck_assert(!pi_marks(&none, 0));
	ck_assert(pi_marks(&half, 0x7fffffff));
	ck_assert(!pi_marks(&half, 0x80000000));
	ck_assert(pi_marks(&all, UINT32_MAX));
}
END_TEST

/* A queue fed at `demand` times what is left when p is marked away: dq = D (1 - p) - 1 KB a
 * step.  It rests where p = 1 - 1 / D, another p for each D, and always with q = pi_ref. */
START_TEST(rests_at_its_reference_whatever_the_demand)
{
	static const double demand[] = { 1.1, 1.5, 2, 4, 10 };
	struct ecn_conf c = conf();

	c.pi_a = (struct units_ratio){ 10005, 1000000 };	/* slow enough for all of them */
	c.pi_b = (struct units_ratio){ 10000, 1000000 };
	for (size_t i = 0; i < sizeof demand / sizeof *demand; i++) {
		struct pi pi = { 0 };
		double queue = 0;

		for (int k = 0; k < 2000000; k++) {
			queue += 1000 * (demand[i] * (1 - pi.p) - 1);
			if (queue < 0)
				queue = 0;
			pi_update(&pi, &c, (int64_t)queue);
		}
		ck_assert_double_eq_tol(queue, 100000, 100);
		ck_assert_double_eq_tol(pi.p, 1 - 1 / demand[i], 1e-3);
	}
}
END_TEST

START_TEST(needs_an_integral)
{
	struct ecn_conf c = conf();
	struct sim_error err = { 0 };

	c.pmax = (struct units_ratio){ 1, 1 };
	ck_assert_int_eq(ecn_check(&c, &err), 0);
	c.pi_a = c.pi_b;
	ck_assert_int_eq(ecn_check(&c, &err), -1);
	ck_assert_str_eq(err.where, "/pi_a");
	c.pi_ref_bytes = 0;			/* the curve: the gains are not looked at */
	err.set = false;
	ck_assert_int_eq(ecn_check(&c, &err), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pi");
	TCase *tc = tcase_create("pi");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, steps_by_hand);
	tcase_add_test(tc, marks_as_often_as_p_says);
	tcase_add_test(tc, rests_at_its_reference_whatever_the_demand);
	tcase_add_test(tc, needs_an_integral);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
