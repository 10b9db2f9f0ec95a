/* analyze/bdg_fail: failures by symmetry against all of them one by one. */
#include "tests/unit/bdg_fabrics.h"

static void all_sets(struct bdg *g, const struct routing *r, enum routing_mode mode, int n,
		     int64_t *circles, int64_t *cut)
{
	struct bdg_result base, x;

	bdg_build(g, mode, NULL, 0, &base);
	*circles = *cut = 0;
	for (uint32_t i = 0; i < r->nlinks; i++)
		for (uint32_t j = n == 1 ? i : i + 1; j < (n == 1 ? i + 1 : r->nlinks); j++) {
			uint32_t down[2] = { i, j };

			*circles += bdg_build(g, mode, down, n, &x);
			*cut += x.cut_off > base.cut_off;
		}
}

enum { FABRICS = 11 };

static void make(int i)
{
	if (i >= 5 && i < 8) {
		random_fabric(rng_hash(8, (uint64_t)i));
		return;
	}
	begin();
	if (i > 8)
		tag_bounces(3);
	if (i == 0 || i > 8)
		leaf_spine(4, 3, 2, 1);
	else if (i == 1)
		leaf_spine(3, 2, 1, 2);
	else if (i == 2)
		fat_tree(4);
	else if (i == 3)
		ring(6);
	else if (i == 4)
		leaf_spine(4, 2, 2, 1);
	if (i == 4) {		/* set by hand: what was alike no longer is */
		bed_route(&b, "leaf1", "h0", "spine1");
		bed_route(&b, "spine0", "h2", "leaf3");
	}
	if (i == 10) {		/* a rule of one switch alone */
		bed_route(&b, "leaf1", "h0", "spine1");
		b.sw.nremaps = 0;
	}
	if (i == 8) {		/* servers on two racks each */
		leaf_spine(4, 2, 1, 1);
		for (int h = 0; h < 2; h++) {
			bed_host(&b, name(2, "dual%d", h, 0));
			wire(name(2, "dual%d", h, 0), 0, name(0, "leaf%d", 2 * h, 0), 60);
			wire(name(2, "dual%d", h, 0), 1, name(0, "leaf%d", 2 * h + 1, 0), 60);
		}
	}
}

START_TEST(symmetry_counts_all_sets)
{
	make(_i);
	struct routing *r = finish();
	struct bdg *g = bdg_new(r, BDG_ALL);
	for (int n = 1; n <= 2; n++)
		for (int mode = 0; mode < 2; mode++) {
			struct bdg_failures x;
			int64_t circles, cut;

			all_sets(g, r, (enum routing_mode)mode, n, &circles, &cut);
			bdg_fail(g, (enum routing_mode)mode, n, NULL, &x);
			ck_assert_int_eq(x.cyclic, circles);
			ck_assert_int_eq(x.cut_off, cut);
			if (_i == 0 || _i == 2 || _i == 9)
				ck_assert_int_le(x.classes, 16);
		}
	bdg_free(&g);
	end(r);
}
END_TEST

/* Two links of 4 leaves and 3 spines: same leaf, same spine, neither.  With tags that
 * rise at a bounce, and let a second bounce go lossy, no failure closes a circle. */
START_TEST(classes_of_a_leaf_spine)
{
	struct bdg_failures x;

	for (int tagged = 0; tagged < 2; tagged++) {
		begin();
		if (tagged)
			tag_bounces(3);
		leaf_spine(4, 3, 2, 1);
		struct routing *r = finish();
		struct bdg *g = bdg_new(r, BDG_ALL);
		bdg_fail(g, ROUTING_LOCAL, 2, NULL, &x);
		ck_assert_int_eq(x.sets, 66);
		ck_assert_int_eq(x.classes, 3);
		/* not when both fail at one spine: 18 */
		ck_assert_int_eq(x.cyclic, tagged ? 0 : 12 + 36);
		bdg_fail(g, ROUTING_GLOBAL, 2, NULL, &x);
		ck_assert_int_eq(x.cyclic, 0);
		bdg_free(&g);
		end(r);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bdg_fail");
	TCase *tc = tcase_create("bdg_fail");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, symmetry_counts_all_sets, 0, FABRICS);
	tcase_add_test(tc, classes_of_a_leaf_spine);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
