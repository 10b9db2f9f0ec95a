/*
 * models/switch/pint: the load of a port, frame by frame.  100 Gb/s and T 8 us, so
 * that C T = 100000 bytes; a frame of 1000 wire bytes takes 80 ns.
 */
#include <check.h>
#include <stdlib.h>

#include "models/switch/pint.h"

#define NS INT64_C(1000)
#define G100 INT64_C(100000000000)

START_TEST(load_of_a_port)
{
	static const struct { int64_t at_ns, queue; double u; } row[] = {
		{ 1000, 0, 0 },			/* nothing was sent before */
		{ 1080, 0, 0.01 },		/* u 1, dt/T 1/100 */
		{ 1160, 50000, 0.0249 },	/* u 1.5: 0.99 * 0.01 + 0.015 */
		{ 1320, 0, 0.034402 },		/* u 0.5, dt/T 1/50: 0.98 * 0.0249 + 0.01 */
		{ 1320, 900000, 0.034402 },	/* no time has passed: nothing */
		{ 9320, 0, 0.01 },		/* T: u = 1000/100000 */
		{ 99320, 100000, 1.01 },	/* longer counts as T; a queue of C T is 1 */
	};
	struct pint_port p = { .rtt_ps = 8000 * NS };

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		pint_sent(&p, row[i].at_ns * NS, 1000, row[i].queue, G100);
		ck_assert_double_eq_tol(p.u, row[i].u, 1e-12);
	}
}
END_TEST

/* Without T nothing can be said yet, but the next frame has its predecessor. */
START_TEST(nobody_has_asked)
{
	struct pint_port p = { .u = 0 };

	pint_sent(&p, 1000 * NS, 1000, 50000, G100);
	ck_assert(p.u == 0);
	p.rtt_ps = 8000 * NS;
	pint_sent(&p, 1080 * NS, 1000, 0, G100);
	ck_assert_double_eq_tol(p.u, 0.01, 1e-12);
}
END_TEST

/* Powers of 2 of 512 U, plus 1: U 1 is 2^9. */
START_TEST(frames_carry_the_largest)
{
	struct pint_port p = { .u = 1 };

	ck_assert_int_eq(pint_stamp(&p, 0, 2, 0), 10);
	ck_assert_int_eq(pint_stamp(&p, 9, 2, 0), 10);
	ck_assert_int_eq(pint_stamp(&p, 11, 2, 0), 11);
	p.u = 0;		/* the least is 1/512 */
	ck_assert_int_eq(pint_stamp(&p, 0, 2, 0), 1);
	p.u = 1.5;		/* half way from 2^9 to 2^10 */
	ck_assert_int_eq(pint_stamp(&p, 0, 2, 32767), 11);
	ck_assert_int_eq(pint_stamp(&p, 0, 2, 32768), 10);
	p.u = 9000;		/* no more than 512 */
	ck_assert_int_eq(pint_stamp(&p, 0, 2, 0), 19);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pint");
	TCase *tc = tcase_create("pint");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, load_of_a_port);
	tcase_add_test(tc, nobody_has_asked);
	tcase_add_test(tc, frames_carry_the_largest);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
