/*
 * models/switch/route: sets of ports by destination, and ECMP that is uniform on
 * one switch and independent between two (no polarisation).
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "models/switch/route.h"

enum { NODES = 300 };

static struct route_table *table_new(uint64_t seed)
{
	struct route_table *t = calloc(1, sizeof *t);

	route_init(t, calloc(NODES, sizeof(uint32_t)), NODES, seed);
	return t;
}

static void table_free(struct route_table *t)
{
	free(t->to);
	route_fini(t);
	free(t);
}

/* ---- the table ---- */

START_TEST(kinds)
{
	struct route_table *t = table_new(1);
	uint16_t ports[] = { 4, 9 };

	ck_assert_int_eq(route_kind(t, 7), ROUTE_NONE);
	ck_assert_int_eq(route_count(t, 7), 0);
	route_set(t, 7, ports, 2);
	ck_assert_int_eq(route_kind(t, 7), ROUTE_PORTS);
	ck_assert_int_eq(route_count(t, 7), 2);
	route_set_kind(t, 7, ROUTE_FLOOD);
	ck_assert_int_eq(route_kind(t, 7), ROUTE_FLOOD);
	route_set_kind(t, 8, ROUTE_DROP);
	ck_assert_int_eq(route_kind(t, 8), ROUTE_DROP);
	ck_assert_int_eq(route_kind(t, 9), ROUTE_NONE);
	route_set(t, 7, ports + 1, 1);
	ck_assert_uint_eq(route_pick(t, 7, 12345), 9);
	table_free(t);
}
END_TEST

/* Equal sets lie in memory once, and every destination keeps its own. */
START_TEST(sets_are_shared)
{
	struct route_table *t = table_new(1);
	uint16_t ports[255];

	for (int i = 0; i < 255; i++)
		ports[i] = (uint16_t)(2 * i);
	for (uint32_t d = 0; d < NODES; d++)
		route_set(t, d, ports + d % 5, 1 + (int)(d % 7) * 30);
	uint32_t used = t->sets;
	for (uint32_t d = 0; d < NODES; d++)
		route_set(t, d, ports + d % 5, 1 + (int)(d % 7) * 30);
	ck_assert_uint_eq(t->sets, used);
	for (uint32_t d = 0; d < NODES; d++) {
		ck_assert_int_eq(route_count(t, d), 1 + (int)(d % 7) * 30);
		for (uint32_t hash = 0; hash < 100; hash++) {
			uint16_t port = route_pick(t, d, hash * 123456789);
			ck_assert_uint_eq(port % 2, 0);
			ck_assert_uint_ge(port / 2, d % 5);
			ck_assert_uint_lt(port / 2, d % 5 + 1 + d % 7 * 30);
		}
	}
	route_set(t, 0, ports, 255);
	ck_assert_int_eq(route_count(t, 0), 255);
	table_free(t);
}
END_TEST

/* ---- ECMP ---- */

static void chi2_is_fair(const uint64_t *count, int cells, uint64_t total)
{
	double want = (double)total / cells, chi2 = 0;

	for (int i = 0; i < cells; i++)
		chi2 += ((double)count[i] - want) * ((double)count[i] - want) / want;
	ck_assert_double_gt(gsl_cdf_chisq_Q(chi2, cells - 1), 0.0005);
}

/* Five-tuples as flows have them: hashes of names. */
static uint32_t flow_hash(int i)
{
	char name[32];

	snprintf(name, sizeof name, "load/h%d/h%d", i % 300, i / 300);
	return (uint32_t)(rng_hash(rng_hash_text(1, name), 0x5151) >> 32);
}

static void all_ports(struct route_table *t, int n)
{
	uint16_t ports[64];

	for (int i = 0; i < n; i++)
		ports[i] = (uint16_t)i;
	route_set(t, 0, ports, n);
}

static const int ways[] = { 2, 3, 4, 8, 16, 64 };

START_TEST(picks_are_uniform)
{
	enum { FLOWS = 60000 };

	for (uint64_t seed = 0; seed < 5; seed++) {
		struct route_table *t = table_new(rng_hash_text(seed, "leaf3"));
		uint64_t count[64] = { 0 };
		all_ports(t, ways[_i]);
		for (int i = 0; i < FLOWS; i++)
			count[route_pick(t, 0, flow_hash(i))]++;
		chi2_is_fair(count, ways[_i], FLOWS);
		table_free(t);
	}
}
END_TEST

/* Flows that one switch sends one way are spread by the next as all are. */
START_TEST(two_switches_are_independent)
{
	static const char *const names[][2] = {
		{ "leaf0", "leaf1" }, { "edge0_1", "agg0_1" }, { "s1", "s2" }, { "a", "b" },
	};
	enum { FLOWS = 60000 };

	for (uint64_t seed = 0; seed < 5; seed++) {
		struct route_table *a = table_new(rng_hash_text(seed, names[_i][0]));
		struct route_table *b = table_new(rng_hash_text(seed, names[_i][1]));
		uint64_t count[64] = { 0 };
		all_ports(a, 8);
		all_ports(b, 8);
		for (int i = 0; i < FLOWS; i++)
			count[route_pick(a, 0, flow_hash(i)) * 8 + route_pick(b, 0, flow_hash(i))]++;
		chi2_is_fair(count, 64, FLOWS);
		table_free(a);
		table_free(b);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("route");
	TCase *tc = tcase_create("route");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, kinds);
	tcase_add_test(tc, sets_are_shared);
	tcase_add_loop_test(tc, picks_are_uniform, 0, sizeof(ways) / sizeof(ways[0]));
	tcase_add_loop_test(tc, two_switches_are_independent, 0, 4);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
