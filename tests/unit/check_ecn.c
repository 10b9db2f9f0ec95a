/* models/switch/ecn: the WRED curve, exact in integers. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "models/switch/ecn.h"

static struct ecn_conf conf(int64_t kmin, int64_t kmax, int64_t num, int64_t den)
{
	return (struct ecn_conf){ .on = true, .kmin_bytes = kmin, .kmax_bytes = kmax,
				  .pmax = { num, den } };
}

/* p(q) = 0 up to kmin, pmax at kmax, 1 above (algorithms.md 1.1). */
START_TEST(ends_of_the_curve)
{
	struct ecn_conf c = conf(5000, 200000, 1, 100);

	ck_assert(!ecn_marks(&c, 0, 0));
	ck_assert(!ecn_marks(&c, 5000, 0));
	ck_assert(ecn_marks(&c, 5001, 0));
	ck_assert(ecn_marks(&c, 200001, UINT32_MAX));
	ck_assert(!ecn_marks(&c, 200000, UINT32_MAX));
	/* at kmax: draw < 2^32/100 = 42949672.96 */
	ck_assert(ecn_marks(&c, 200000, 42949672));
	ck_assert(!ecn_marks(&c, 200000, 42949673));
	/* half way, 102.5 KB: 0.5 %, 21474836.48 (algorithms.md 6.9) */
	ck_assert(ecn_marks(&c, 102500, 21474836));
	ck_assert(!ecn_marks(&c, 102500, 21474837));
}
END_TEST

START_TEST(a_step_and_extremes)
{
	struct ecn_conf step = conf(30000, 30000, 1, 1), never = conf(1000, 2000, 0, 1);
	struct ecn_conf sure = conf(0, INT64_C(1000000000000), 999999999999, 1000000000000);

	ck_assert(!ecn_marks(&step, 30000, 0));
	ck_assert(ecn_marks(&step, 30001, UINT32_MAX));
	ck_assert(!ecn_marks(&never, 2000, 0));
	ck_assert(ecn_marks(&never, 2001, UINT32_MAX));
	/* no overflow: p = 1 - 1e-12 at kmax, 2^32 - 1 < p * 2^32 */
	ck_assert(ecn_marks(&sure, INT64_C(1000000000000), UINT32_MAX));
	ck_assert(ecn_marks(&sure, INT64_C(500000000000), UINT32_MAX / 2));
	ck_assert(!ecn_marks(&sure, INT64_C(500000000000), UINT32_MAX / 2 + 1));
}
END_TEST

START_TEST(checks)
{
	struct ecn_conf c;
	struct sim_error err = {0};

	param_defaults(ecn_params, &c);
	ck_assert_int_eq(c.where, ECN_DEQUEUE);
	ck_assert_int_eq(ecn_check(&c, &err), 0);
	c = conf(2000, 1000, 1, 2);
	ck_assert_int_eq(ecn_check(&c, &err), -1);
	ck_assert_str_eq(err.text, "kmin (2000B) is larger than kmax (1000B)");
	c = conf(1000, 2000, 1, INT64_MAX);
	err.set = false;
	ck_assert_int_eq(ecn_check(&c, &err), -1);
	ck_assert_str_eq(err.where, "/pmax");
	for (const struct param *row = ecn_params; row->key; row++)
		ck_assert_int_eq(row->doc[strlen(row->doc) - 1], '.');
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ecn");
	TCase *tc = tcase_create("ecn");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, ends_of_the_curve);
	tcase_add_test(tc, a_step_and_extremes);
	tcase_add_test(tc, checks);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
