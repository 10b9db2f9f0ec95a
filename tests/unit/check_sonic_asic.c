/*
 * interop/sonic_asic: NVIDIA's formula against the tables that SONiC ships.
 *
 * sonic-buildimage device/mellanox, pg_profile_lookup.ini: SN2700 (Spectrum-1; every
 * packet of minimum size, response of the peer 3.8 KiB), SN4700 (Spectrum-3, likewise),
 * SN5640-C512S2 (Spectrum-5; shared headroom pool, half of the packets small, response
 * by the quanta of the speed).
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "interop/sonic_inside.h"

enum { PEER_BYTES = 3891 };	/* 3.8 KiB */

struct row { int64_t mbps, metres, xoff; };

static const struct row sn2700[] = {
	{10000, 5, 29696}, {10000, 40, 29696}, {10000, 300, 36864}, {25000, 5, 29696},
	{25000, 40, 31744}, {25000, 300, 48128}, {40000, 5, 29696}, {40000, 40, 32768},
	{40000, 300, 59392}, {50000, 5, 29696}, {50000, 40, 33792}, {50000, 300, 66560},
	{100000, 5, 30720}, {100000, 40, 38912}, {100000, 300, 104448},
};
static const struct row sn4700[] = {
	{10000, 5, 32768}, {10000, 300, 40960}, {25000, 40, 35840}, {40000, 300, 66560},
	{50000, 40, 38912}, {100000, 5, 33792}, {100000, 40, 44032}, {100000, 300, 117760},
	{200000, 5, 35840}, {200000, 40, 55296}, {200000, 300, 203776}, {400000, 5, 38912},
	{400000, 40, 77824}, {400000, 300, 373760},
};
static const struct row sn5640[] = {
	{100000, 5, 44032}, {100000, 30, 48128}, {100000, 40, 49152}, {100000, 250, 76800},
	{100000, 300, 83968}, {100000, 1000, 177152}, {200000, 5, 50176}, {200000, 30, 57344},
	{200000, 40, 60416}, {200000, 250, 116736}, {200000, 300, 130048},
	{200000, 1000, 317440},
	{400000, 5, 86016}, {400000, 30, 99328}, {400000, 40, 104448}, {400000, 250, 217088},
	{400000, 300, 243712}, {400000, 1000, 619520},
};

static void check_rows(const char *sku, const struct row *rows, size_t n, int64_t lossless_mtu,
		       int64_t small_percent, bool shared, int64_t peer)
{
	const struct sonic_asic *asic = sonic_asic_find(sku, NULL);

	ck_assert_ptr_nonnull(asic);
	for (size_t i = 0; i < n; i++) {
		struct sonic_nvidia ask = {.mbps = rows[i].mbps,
					   .cable_mm = rows[i].metres * 1000,
					   .port_mtu = 9216, .lossless_mtu = lossless_mtu,
					   .small_percent = small_percent, .shared = shared};
		int64_t xoff = sonic_nvidia_xoff(asic, &ask, peer);

		ck_assert_msg(xoff == rows[i].xoff, "%s %lld Mb/s %lldm: %lld, not %lld", sku,
			      (long long)rows[i].mbps, (long long)rows[i].metres,
			      (long long)xoff, (long long)rows[i].xoff);
	}
}
#define N(rows) (sizeof(rows) / sizeof *(rows))

START_TEST(spectrum_1)
{
	check_rows("ACS-MSN2700", sn2700, N(sn2700), 1024, 100, false, PEER_BYTES);
}
END_TEST

START_TEST(spectrum_3)
{
	check_rows("ACS-MSN4700", sn4700, N(sn4700), 1024, 100, false, PEER_BYTES);
}
END_TEST

START_TEST(spectrum_5)
{
	struct sonic_nvidia ask = {.mbps = 400000, .cable_mm = 40000, .port_mtu = 9216,
				   .lossless_mtu = 4096, .small_percent = 50, .shared = true};
	struct sonic_nvidia_answer a;

	check_rows("Mellanox-SN5640-C512S2", sn5640, N(sn5640), 4096, 50, true, -1);
	a = sonic_nvidia(sonic_asic_find("Mellanox-SN5640-C512S2", NULL), &ask);
	ck_assert_int_eq(a.size, 19456);	/* shared headroom pool: size = xon */
	ck_assert_int_eq(a.xon, 19456);
	ck_assert_int_eq(a.xoff, 104448);
}
END_TEST

START_TEST(chips_are_known_by_their_hardware)
{
	static const struct { const char *hwsku, *platform, *asic; } cases[] = {
		{"Force10-S6000", NULL, "Trident2"}, {"Force10-S6100", NULL, "Tomahawk"},
		{"Arista-7060CX-32S-C32", NULL, "Tomahawk"}, {"Arista-7260CX3-C64", NULL,
		 "Tomahawk2"},
		{"Arista-7060X6-64PE-O128S2", NULL, "Tomahawk5"}, {"Arista-7050CX3-32S", NULL,
		"Trident3"}, {"DellEMC-Z9332f-O32", NULL, "Tomahawk3"}, {"Mellanox-SN4600C-C64",
									 NULL,
		"Spectrum-3"}, {"Mellanox-SN5600-V256", NULL, "Spectrum-4"},
		{"own", "x86_64-mlnx_msn2700-r0", "Spectrum-1"}, {"Cisco-8102-C64", NULL,
		 "Cisco 8000"},
	};

	for (size_t i = 0; i < N(cases); i++) {
		const struct sonic_asic *asic = sonic_asic_find(cases[i].hwsku,
								cases[i].platform);

		ck_assert_msg(asic && strcmp(asic->name, cases[i].asic) == 0, "%s: %s",
			      cases[i].hwsku, asic ? asic->name : "unknown");
	}
	ck_assert_ptr_null(sonic_asic_find("Seastone", NULL));
	ck_assert_ptr_null(sonic_asic_find(NULL, NULL));
	ck_assert_str_eq(sonic_asic_by_pool(60817392)->name, "Spectrum-3");
	ck_assert_ptr_null(sonic_asic_by_pool(1));
}
END_TEST

/* sonic-swss pfcactionhandler.cpp: which rule, and how a drop is done (NULL: as the rule has it). */
static const struct { const char *sku, *platform, *rule, *handler; } dogs[] = {
	{"Arista-7260CX3-C64", NULL, "broadcom", NULL}, {"DellEMC-Z9332f-O32", NULL, "broadcom", "dlr"},
	{"Arista-7060X6-64PE", NULL, "broadcom", "dlr"}, {"Mellanox-SN4600C-C64", NULL, "mellanox", NULL},
	{"Cisco-8102-C64", NULL, "cisco", NULL}, {"montara", "x86_64-accton_wedge100bf_32x-r0", "classic", "acl"},
	{"Force10-S6000", "x86_64-kvm_x86_64-r0", "broadcom", NULL}, {"db", "arm64-marvell_db98cx8580_32cd-r0", "prestera", NULL},
	{"midstone", "x86_64-cel_midstone-r0", "teralynx", NULL}, {"DBMVTX9180", "x86_64-marvell_dbmvtx9180-r0", "teralynx", NULL},
};

START_TEST(each_chip_has_its_watchdog)
{
	const struct sonic_asic *asic = sonic_asic_find(dogs[_i].sku, dogs[_i].platform);

	ck_assert_ptr_nonnull(asic);
	ck_assert_str_eq(asic->rule, dogs[_i].rule);
	ck_assert_pstr_eq(asic->handler, dogs[_i].handler);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sonic_asic");
	TCase *t = tcase_create("all");
	SRunner *r;
	int failed;

	tcase_add_test(t, spectrum_1);
	tcase_add_test(t, spectrum_3);
	tcase_add_test(t, spectrum_5);
	tcase_add_test(t, chips_are_known_by_their_hardware);
	tcase_add_loop_test(t, each_chip_has_its_watchdog, 0, N(dogs));
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
