/* analyze/headroom_table: NVIDIA's formula gives the tables that NVIDIA ships. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/headroom_table.h"

/* sonic-buildimage device/mellanox/.../pg_profile_lookup.ini: Gb/s, cable in metres, size
 * and xoff in bytes; xon is 19456 in every row. */
struct row { int64_t gbps, metres, size, xoff; };

/* x86_64-mlnx_msn2700-r0: all packets small (s = 100), no shared headroom pool */
static const struct row sn2700[] = {
	{ 10, 5, 49152, 29696 }, { 25, 5, 49152, 29696 }, { 40, 5, 49152, 29696 },
	{ 50, 5, 49152, 29696 }, { 100, 5, 50176, 30720 }, { 10, 40, 49152, 29696 },
	{ 25, 40, 51200, 31744 }, { 40, 40, 52224, 32768 }, { 50, 40, 53248, 33792 },
	{ 100, 40, 58368, 38912 }, { 10, 300, 56320, 36864 }, { 25, 300, 67584, 48128 },
	{ 40, 300, 78848, 59392 }, { 50, 300, 86016, 66560 }, { 100, 300, 123904, 104448 },
};

/* x86_64-nvidia_sn5640-r0 (C512S2): lossless MTU 4096, s = 50, shared headroom pool */
static const struct row sn5640[] = {
	{ 10, 5, 19456, 20480 }, { 25, 5, 19456, 21504 }, { 50, 5, 19456, 26624 },
	{ 100, 5, 19456, 44032 }, { 200, 5, 19456, 50176 }, { 400, 5, 19456, 86016 },
	{ 10, 30, 19456, 20480 }, { 25, 30, 19456, 22528 }, { 50, 30, 19456, 27648 },
	{ 100, 30, 19456, 48128 }, { 200, 30, 19456, 57344 }, { 400, 30, 19456, 99328 },
	{ 10, 40, 19456, 20480 }, { 25, 40, 19456, 22528 }, { 50, 40, 19456, 28672 },
	{ 100, 40, 19456, 49152 }, { 200, 40, 19456, 60416 }, { 400, 40, 19456, 104448 },
	{ 10, 250, 19456, 23552 }, { 25, 250, 19456, 29696 }, { 50, 250, 19456, 43008 },
	{ 100, 250, 19456, 76800 }, { 200, 250, 19456, 116736 }, { 400, 250, 19456, 217088 },
	{ 10, 300, 19456, 23552 }, { 25, 300, 19456, 30720 }, { 50, 300, 19456, 46080 },
	{ 100, 300, 19456, 83968 }, { 200, 300, 19456, 130048 }, { 400, 300, 19456, 243712 },
	{ 10, 1000, 19456, 33792 }, { 25, 1000, 19456, 54272 }, { 50, 1000, 19456, 93184 },
	{ 100, 1000, 19456, 177152 }, { 200, 1000, 19456, 317440 },
	{ 400, 1000, 19456, 619520 },
};
enum {
	SN2700 = sizeof(sn2700) / sizeof(sn2700[0]),
	SN5640 = sizeof(sn5640) / sizeof(sn5640[0])
};

static const struct headroom_table_asic *asic(const char *name)
{
	const struct headroom_table_asic *a = headroom_table_asics;

	while (a->name && strcmp(a->name, name))
		a++;
	ck_assert(a->name);
	return a;
}

static void check_row(const char *name, const struct row *row, bool shared)
{
	const struct headroom_table_asic *a = asic(name);
	struct headroom_table_terms t;

	headroom_table_nvidia(&(struct headroom_table_conf){ .asic = a,
		.rate_bps = row->gbps * 1000000000, .cable_mm = row->metres * 1000,
		.port_mtu_bytes = 9216, .lossless_mtu_bytes = a->lossless_mtu_bytes,
		.small_percent = a->small_percent, .shared_pool = shared }, &t);
	ck_assert_int_eq(t.xoff_bytes, row->xoff);
	ck_assert_int_eq(t.xon_bytes, 19456);
	ck_assert_int_eq(t.size_bytes, row->size);
}

START_TEST(sn2700_row) { check_row("spc1", &sn2700[_i], false); }
END_TEST
START_TEST(sn5640_row) { check_row("spc5", &sn5640[_i], true); }
END_TEST

START_TEST(all_rows_are_here)
{
	ck_assert_int_eq(SN2700, 15);
	ck_assert_int_eq(SN5640, 36);
}
END_TEST

/* By hand, 100G and 300 m on Spectrum-5: cable 2 * 300 / 1.98e8 s = 3.0303 us = 37879 B;
 * peer 394 quanta * 64 B; tile 120 ns = 1500 B; w = 192 / 64 = 3; half of the packets
 * small: p = 64 / ((64 + 4096) / 2) = 3.077 %. */
START_TEST(terms_by_hand)
{
	struct headroom_table_terms t;

	headroom_table_nvidia(&(struct headroom_table_conf){ .asic = asic("spc5"),
		.rate_bps = 100000000000, .cable_mm = 300000, .port_mtu_bytes = 9216,
		.lossless_mtu_bytes = 4096, .small_percent = 50, .shared_pool = true }, &t);
	ck_assert_double_eq_tol(t.cable, 37878.8, 0.1);
	ck_assert_double_eq(t.peer, 25216);
	ck_assert_double_eq(t.tile, 1500);
	ck_assert_double_eq_tol(t.delay, 9216 + 37878.8 + 819.2 + 25216 + 1500, 0.1);
	ck_assert_double_eq_tol(t.share, 0.0307692, 1e-6);
	ck_assert_double_eq_tol(t.factor, 1 + 2 * 0.0307692, 1e-5);
	ck_assert_int_eq(t.xoff_bytes, 83968);
}
END_TEST

/* Linux mlx5, 100G, MTU 1500: 35180 at 5 m and 42780 at 40 m (switch-and-nic.md 6.3). */
START_TEST(mlx5)
{
	ck_assert_int_eq(headroom_table_mlx5(100000000000, 5000, 1500), 35180);
	ck_assert_int_eq(headroom_table_mlx5(100000000000, 40000, 1500), 42780);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("headroom_table");
	TCase *tc = tcase_create("headroom_table");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, sn2700_row, 0, SN2700);
	tcase_add_loop_test(tc, sn5640_row, 0, SN5640);
	tcase_add_test(tc, all_rows_are_here);
	tcase_add_test(tc, terms_by_hand);
	tcase_add_test(tc, mlx5);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
