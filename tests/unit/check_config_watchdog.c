/* analyze/config_watchdog: does it act in time, in the right place, and what ends a storm? */
#include "tests/unit/config_fabric.h"

static void watch(struct switch_conf *c, int64_t detect_ms, int ports)
{
	c->watchdog.on = true;
	c->watchdog.detect_ps = c->watchdog.restore_ps = detect_ms * BED_MS;
	c->watchdog.poll_ps = 100 * BED_MS;
	c->watchdog.ports = ports;
}

static void nics(int64_t watchdog_ps)
{
	b.nic.storm_watchdog_ps = odd_nic.storm_watchdog_ps = watchdog_ps;
}

START_TEST(watchdog)
{
	/* 200 ms and poll 100 ms act between 200 and 300 ms; 8 x 67.1 ms = 537 ms */
	defaults();
	nics(UNITS_NEVER);
	watch(&b.sw, 200, WATCHDOG_HOSTS);
	watch(&odd, 200, WATCHDOG_HOSTS);
	check();
	ck_assert_int_eq(finding_wrong(&list), 0);
	finding_fini(&list);

	/* cases.md E4: 3.2 s */
	defaults();
	nics(UNITS_NEVER);
	watch(&b.sw, 200, WATCHDOG_HOSTS);
	watch(&odd, 3200, WATCHDOG_HOSTS);
	check();
	ck_assert_int_eq(must("watchdog", FINDING_WRONG, "h0", "3.3s")->value, 8 * 67108864000);
	finding_fini(&list);

	defaults();
	nics(UNITS_NEVER);
	watch(&b.sw, 200, WATCHDOG_ALL);
	watch(&odd, 200, WATCHDOG_HOSTS);
	check();
	ck_assert_int_eq(must("watchdog", FINDING_WRONG, "to a switch", "300ms")->value,
			 200 * BED_MS);
	finding_fini(&list);

	defaults();
	nics(UNITS_NEVER);
	watch(&b.sw, 250, WATCHDOG_HOSTS);
	watch(&odd, 200, WATCHDOG_HOSTS);
	check();
	must("watchdog", FINDING_NOTE, "leaf0", "300ms"); /* and spines, which watch nothing */
	finding_fini(&list);

	defaults();
	nics(UNITS_NEVER);
	watch(&b.sw, 200, WATCHDOG_HOSTS);
	watch(&odd, 200, WATCHDOG_HOSTS);
	b.sw.watchdog.big_red_switch = true;
	check();
	must("watchdog", FINDING_WRONG, "leaf0", "big_red_switch");
	finding_fini(&list);
}
END_TEST

/* The NIC's own watchdog ends its storm before a port of the fabric may act (200 ms), or the
 * queue pairs give up (537 ms): nothing to find.  Not so where it takes as long, or one has none. */
START_TEST(nics_watch_themselves)
{
	defaults();
	watch(&b.sw, 200, WATCHDOG_ALL);
	watch(&odd, 200, WATCHDOG_ALL);
	nics(100 * BED_MS);
	check();
	ck_assert_int_eq(finding_wrong(&list), 0);
	finding_fini(&list);

	defaults();
	watch(&b.sw, 200, WATCHDOG_FABRIC);
	watch(&odd, 200, WATCHDOG_FABRIC);
	nics(100 * BED_MS);
	check();
	ck_assert_int_eq(finding_wrong(&list), 0);
	finding_fini(&list);

	defaults();
	watch(&b.sw, 200, WATCHDOG_FABRIC);
	watch(&odd, 200, WATCHDOG_FABRIC);
	nics(100 * BED_MS);
	odd_nic.storm_watchdog_ps = 250 * BED_MS;
	check();
	must("watchdog", FINDING_WRONG, "to a switch", "the watchdog in the NIC of h3 may take until 250ms");
	ck_assert_int_eq(finding_wrong(&list), 1);
	finding_fini(&list);

	defaults();
	watch(&b.sw, 200, WATCHDOG_FABRIC);
	watch(&odd, 200, WATCHDOG_FABRIC);
	nics(100 * BED_MS);
	odd_nic.storm_watchdog_ps = UNITS_NEVER;
	check();
	must("watchdog", FINDING_WRONG, "to a switch", "neither leaf1:3, at a host, nor its NIC has a watchdog");
	finding_fini(&list);

	defaults();
	watch(&b.sw, 200, WATCHDOG_HOSTS);
	watch(&odd, 3200, WATCHDOG_HOSTS);
	nics(100 * BED_MS);
	check();
	ck_assert_int_eq(finding_wrong(&list), 0);
	finding_fini(&list);

	defaults();
	watch(&b.sw, 200, WATCHDOG_HOSTS);
	watch(&odd, 3200, WATCHDOG_HOSTS);
	nics(1000 * BED_MS);
	check();
	must("watchdog", FINDING_WRONG, "h0", "the watchdog in the NIC of h2 may take until 1s");
	finding_fini(&list);
}
END_TEST

/* Those count whose storm nothing ends, whichever they are. */
START_TEST(nobody_watches)
{
	defaults();
	nics(UNITS_NEVER);
	check();
	ck_assert_int_eq(must("watchdog", FINDING_NOTE, "leaf0:0 (and 3 more)", "for ever")->value, 4);
	finding_fini(&list);

	defaults();
	nics(UNITS_NEVER);
	odd_nic.storm_watchdog_ps = 100 * BED_MS;
	check();
	ck_assert_int_eq(must("watchdog", FINDING_NOTE, "leaf0:0 (and 2 more)", "for ever")->value, 3);
	finding_fini(&list);

	defaults();
	nics(100 * BED_MS);
	odd_nic.storm_watchdog_ps = UNITS_NEVER;
	check();
	ck_assert_int_eq(must("watchdog", FINDING_NOTE, "leaf1:3", "for ever")->value, 1);
	finding_fini(&list);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("config_watchdog");
	TCase *tc = tcase_create("config_watchdog");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, watchdog);
	tcase_add_test(tc, nics_watch_themselves);
	tcase_add_test(tc, nobody_watches);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
