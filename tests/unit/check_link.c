/* models/wire/link and models/wire/pfc: delays and the standard's numbers. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "models/wire/link.h"
#include "models/wire/pfc.h"

#define G INT64_C(1000000000)

START_TEST(defaults)
{
	struct link_conf link;
	struct pfc_conf pfc;

	param_defaults(link_params, &link);
	ck_assert_int_eq(link.rate_bps, 100 * G);
	ck_assert_int_eq(link_delay_ps(&link), 25000);		/* 5 m at 5 ns/m */
	param_defaults(pfc_params, &pfc);
	ck_assert(pfc.enable);
	ck_assert_int_eq(pfc.quanta, 65535);
	ck_assert_int_eq(pfc_conf_response_ps(&pfc, 100 * G), 394 * 5120);
	ck_assert_int_eq(pfc_conf_refresh_ps(&pfc, 100 * G), 65535 * INT64_C(5120) / 2);
}
END_TEST

START_TEST(delay_is_cable_or_delay_and_phy)
{
	struct link_conf link = { .rate_bps = G, .cable_mm = 300000, .delay_ps = -1 };

	ck_assert_int_eq(link_delay_ps(&link), 1500000);	/* 300 m: 1.5 us */
	link.phy_ps = 250000;
	ck_assert_int_eq(link_delay_ps(&link), 1750000);
	link.delay_ps = 1000000;
	ck_assert_int_eq(link_delay_ps(&link), 1250000);
	link = (struct link_conf){ .rate_bps = G, .delay_ps = -1 };
	ck_assert_int_eq(link_delay_ps(&link), 1);		/* never 0: DESIGN law 2 */
}
END_TEST

/* IEEE 802.3 31B.3.7, as sonic-swss cfgmgr/buffer_headroom_mellanox.lua cites
 * it, in quanta of 512 bit times. */
static const struct { int64_t rate_bps, quanta; } response[] = {
	{ G / 10, 1 }, { G, 2 }, { 10 * G, 67 }, { 25 * G, 80 }, { 40 * G, 118 },
	{ 50 * G, 147 },
	{ 100 * G, 394 }, { 200 * G, 453 }, { 400 * G, 905 }, { 800 * G, 905 },
	/* between two rows, and above the last: our rule */
	{ 5 * G, 67 }, { 56 * G, 394 }, { 1600 * G, 905 },
};

START_TEST(response_is_the_standards)
{
	int64_t bits_ps = response[_i].quanta * 512 * INT64_C(1000000000000);

	ck_assert_int_eq(pfc_response_ps(response[_i].rate_bps),
			 (bits_ps + response[_i].rate_bps - 1) / response[_i].rate_bps);
}
END_TEST

/* 65535 quanta: 3.3554 ms at 10G, 335.5 us at 100G, 83.9 us at 400G. */
START_TEST(quanta_in_time)
{
	ck_assert_int_eq(pfc_quanta_ps(65535, 10 * G), INT64_C(3355392000));
	ck_assert_int_eq(pfc_quanta_ps(65535, 100 * G), 335539200);
	ck_assert_int_eq(pfc_quanta_ps(65535, 400 * G), 83884800);
	ck_assert_int_eq(pfc_quanta_ps(0, 400 * G), 0);
}
END_TEST

START_TEST(docs_are_sentences)
{
	const struct param *tables[] = { link_params, pfc_params };

	for (int t = 0; t < 2; t++)
		for (const struct param *row = tables[t]; row->key; row++)
			ck_assert_int_eq(row->doc[strlen(row->doc) - 1], '.');
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("link");
	TCase *tc = tcase_create("link");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, defaults);
	tcase_add_test(tc, delay_is_cable_or_delay_and_phy);
	tcase_add_loop_test(tc, response_is_the_standards, 0,
			    sizeof(response) / sizeof(response[0]));
	tcase_add_test(tc, quanta_in_time);
	tcase_add_test(tc, docs_are_sentences);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
