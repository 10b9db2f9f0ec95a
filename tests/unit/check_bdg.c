/* analyze/routing, bdg: graphs whose circles are known, components against a closure,
 * and failures by symmetry against all of them one by one. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/bdg.h"
#include "sim/mem.h"
#include "sim/rng.h"
#include "tests/support/bed.h"

static struct bed b;
static char text[8][32];

static const char *name(int slot, const char *fmt, int i, int j)
{
	snprintf(text[slot], sizeof(text[slot]), fmt, i, j);
	return text[slot];
}

static void begin(void)
{
	bed_open(&b, BED_MS);
	b.sw.buffer.size_bytes = 16000000;
	b.class_ = BED_RDMA;
}

static void wire(const char *x, int xp, const char *y, int yp)
{
	bed_link(&b, x, xp, y, yp, 40 * BED_G, 100 * BED_NS);
}

static void hosts(const char *sw, int first, int n)
{
	for (int i = 0; i < n; i++)
		bed_leaf(&b, name(7, "h%d", first + i, 0), sw, 100 + i, 40 * BED_G,
			 100 * BED_NS);
}

static void ring(int n)
{
	for (int i = 0; i < n; i++)
		bed_switch(&b, name(0, "s%d", i, 0));
	for (int i = 0; i < n; i++)
		wire(name(0, "s%d", i, 0), 0, name(1, "s%d", (i + 1) % n, 0), 1);
	for (int i = 0; i < n; i++)
		hosts(name(0, "s%d", i, 0), i, 1);
}

static void leaf_spine(int leaves, int spines, int per_leaf, int parallel)
{
	for (int s = 0; s < spines; s++)
		bed_switch(&b, name(0, "spine%d", s, 0));
	for (int l = 0; l < leaves; l++) {
		bed_switch(&b, name(0, "leaf%d", l, 0));
		hosts(name(0, "leaf%d", l, 0), l * per_leaf, per_leaf);
		for (int s = 0; s < spines * parallel; s++)
			wire(name(0, "leaf%d", l, 0), s, name(1, "spine%d", s / parallel, 0),
			     l * parallel + s % parallel);
	}
}

static void fat_tree(int k)
{
	for (int c = 0; c < k * k / 4; c++)
		bed_switch(&b, name(0, "core%d", c, 0));
	for (int p = 0; p < k; p++) {
		for (int a = 0; a < k / 2; a++) {
			bed_switch(&b, name(0, "agg%d_%d", p, a));
			for (int c = 0; c < k / 2; c++)
				wire(text[0], c, name(1, "core%d", a * k / 2 + c, 0), p);
		}
		for (int e = 0; e < k / 2; e++) {
			bed_switch(&b, name(0, "edge%d_%d", p, e));
			hosts(text[0], (p * k / 2 + e) * 2, 2);
			for (int a = 0; a < k / 2; a++)
				wire(name(0, "edge%d_%d", p, e), a, name(1, "agg%d_%d", p, a),
				     50 + e);
		}
	}
}

static struct routing *finish(void)
{
	bed_finish(&b);
	return routing_new(b.f);
}

static void end(struct routing *r)
{
	routing_free(&r);
	bed_close(&b);
}

static bool cyclic(const struct routing *r, enum bdg_scope scope, int *priorities,
		   struct bdg_cycle *c)
{
	struct bdg *g = bdg_new(r, scope);
	struct bdg_result result;
	bool has = bdg_build(g, ROUTING_GLOBAL, NULL, 0, &result);

	if (priorities)
		*priorities = bdg_priorities(g);
	if (c)
		bdg_cycle(g, c);
	ck_assert_int_eq(has, result.members > 0);
	bdg_free(&g);
	return has;
}

/* --------------------------------------------------------------- known graphs */

START_TEST(ring_has_circle)
{
	struct bdg_cycle c;
	int priorities;

	begin();
	ring(4);
	struct routing *r = finish();
	ck_assert(cyclic(r, BDG_ALL, &priorities, &c));
	ck_assert_int_eq(c.n, 4);
	ck_assert_int_eq(priorities, 2);
	for (int i = 0; i < c.n; i++) {		/* each vertex's frames go on to the next */
		const struct bdg_flow *f = &c.flow[i];
		ck_assert_uint_eq(r->channel[f->path[f->at]].in_port, c.vertex[i].port);
		ck_assert_uint_eq(r->channel[f->path[f->at + 1]].in_port,
				  c.vertex[(i + 1) % 4].port);
		ck_assert_int_eq(f->at, 0);	/* shortest witness: it enters there */
		ck_assert_int_eq(c.vertex[i].prio, 3);
	}
	bdg_cycle_fini(&c);
	end(r);
}
END_TEST

START_TEST(up_down_has_none)
{
	int priorities;

	for (int k = 0; k < 3; k++) {
		begin();
		if (k == 0)
			leaf_spine(4, 3, 2, 1);
		else if (k == 1)
			leaf_spine(3, 2, 2, 2);
		else
			fat_tree(4);
		struct routing *r = finish();
		ck_assert(!cyclic(r, BDG_ALL, &priorities, NULL));
		ck_assert_int_eq(priorities, 1);
		ck_assert(!r->by_hand);
		ck_assert_uint_eq(r->ngroups, k == 0 ? 4 : k == 1 ? 3 : 8);
		end(r);
	}
}
END_TEST

/* spine0 has lost leaf0 and turns back down to leaf2, spine1 leaf1 and to leaf3. */
START_TEST(bounce_has_circle)
{
	int priorities;

	begin();
	leaf_spine(4, 2, 2, 1);
	bed_route(&b, "spine0", "h0", "leaf2");
	bed_route(&b, "leaf2", "h0", "spine1");
	bed_route(&b, "spine1", "h2", "leaf3");
	bed_route(&b, "leaf3", "h2", "spine0");
	struct routing *r = finish();
	ck_assert(r->by_hand);
	ck_assert(cyclic(r, BDG_ALL, &priorities, NULL));
	ck_assert_int_eq(priorities, 2);
	end(r);
}
END_TEST

START_TEST(loop_needs_more_than_priorities)
{
	int priorities;

	begin();
	ring(3);
	bed_route(&b, "s0", "h2", "s1");
	bed_route(&b, "s1", "h2", "s0");
	struct routing *r = finish();
	ck_assert(cyclic(r, BDG_ALL, &priorities, NULL));
	ck_assert_int_eq(priorities, 0);
	end(r);
}
END_TEST

/* The two flooding ToRs of Guo et al., SIGCOMM 2016, 4.2. */
static void flooding(bool drop)
{
	static const char *const ways[][3] = { { "T0", "S3", "La" }, { "T1", "S2", "Lb" } };
	struct sim_error err = { 0 };

	begin();
	for (int i = 0; i < 4; i++)
		bed_switch(&b, (const char *[]){ "T0", "T1", "La", "Lb" }[i]);
	wire("T0", 20, "La", 0);
	wire("T0", 21, "Lb", 0);
	wire("T1", 20, "La", 1);
	wire("T1", 21, "Lb", 1);
	for (int i = 1; i < 5; i++)
		bed_leaf(&b, name(7, "S%d", i, 0), i < 3 ? "T0" : "T1", i, 40 * BED_G, BED_NS);
	for (int i = 0; i < 2; i++) {
		char way[2] = { (char)('a' + i), 0 }, at[4], to[4];

		bed_route(&b, ways[i][0], ways[i][1], ways[i][2]);
		snprintf(at, sizeof(at), "T%d", 1 - i);
		snprintf(to, sizeof(to), "S%d", 3 - i);
		ck_assert(!fabric_add_route(
			b.f,
			&(struct route_conf){
				.name = way, .at = at, .to = to, .flood = !drop, .drop = drop },
			&err));
	}
	bed_stream(&b, "one", "S1", "S3", 0, 1000, 0, UNITS_NEVER);
	bed_stream(&b, "two", "S4", "S2", 0, 1000, 0, UNITS_NEVER);
}

START_TEST(flooding_has_circle)
{
	struct bdg_cycle c;
	int flooded = 0;

	flooding(false);
	struct routing *r = finish();
	ck_assert(cyclic(r, BDG_TRAFFIC, NULL, &c));
	ck_assert_int_eq(c.n, 4);
	for (int i = 0; i < c.n; i++)
		flooded += c.flow[i].floods;
	ck_assert_int_eq(flooded, 2);
	bdg_cycle_fini(&c);
	end(r);
	flooding(true);
	r = finish();
	ck_assert(!cyclic(r, BDG_TRAFFIC, NULL, NULL));
	end(r);
}
END_TEST

/* Two streams round half a ring each close no circle; their ACKs would. */
START_TEST(answers_count)
{
	for (int acked = 0; acked < 2; acked++) {
		begin();
		ring(3);
		if (acked) {
			bed_route(&b, "s0", "h2", "s1");
			bed_route(&b, "s2", "h1", "s0"); /* ACKs of h0 > h2 do not pass here */
			bed_route(&b, "s1", "h0", "s2");
			bed_flow(&b, "a", "h0", "h2", 1000, 1);
			bed_flow(&b, "b", "h2", "h1", 1000, 1);
			bed_flow(&b, "c", "h0", "h1", 1000, 1);
		} else {
			bed_route(&b, "s0", "h2", "s1");
			bed_route(&b, "s2", "h1", "s0");
			bed_route(&b, "s1", "h0", "s2");
			bed_stream(&b, "a", "h0", "h2", 0, 1000, 0, UNITS_NEVER);
			bed_stream(&b, "b", "h2", "h1", 0, 1000, 0, UNITS_NEVER);
		}
		struct routing *r = finish();
		ck_assert_int_eq(cyclic(r, BDG_TRAFFIC, NULL, NULL), acked);
		end(r);
	}
}
END_TEST

/* A switch that takes the DSCP for a lossy class waits on nobody: no circle. */
START_TEST(lossy_switch_breaks_it)
{
	begin();
	for (int i = 0; i < 4; i++) {
		b.sw.dscp_to_tc[26] = i == 2 ? 1 : -1;
		bed_switch(&b, name(0, "s%d", i, 0));
	}
	for (int i = 0; i < 4; i++)
		wire(name(0, "s%d", i, 0), 0, name(1, "s%d", (i + 1) % 4, 0), 1);
	for (int i = 0; i < 4; i++)
		hosts(name(0, "s%d", i, 0), i, 1);
	struct routing *r = finish();
	ck_assert(!cyclic(r, BDG_ALL, NULL, NULL));
	end(r);
}
END_TEST

/* ---------------------------------------------------- components by closure */

static void close_paths(const struct bdg *g, uint32_t n, bool *reach)
{
	for (uint32_t v = 0; v < n; v++) {
		const uint32_t *to;
		uint32_t edges = bdg_edges_of(g, v, &to);

		for (uint32_t e = 0; e < edges; e++)
			reach[v * n + to[e]] = true;
	}
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; reach[i * n + k] && j < n; j++)
				reach[i * n + j] |= reach[k * n + j];
}

static void random_fabric(uint64_t seed)
{
	struct rng rng = { seed };
	int n = 3 + (int)rng_below(&rng, 4);

	begin();
	ring(n);
	for (int k = 0; k < 2 * n; k++) {
		int at = (int)rng_below(&rng, (uint64_t)n),
		    to = (int)rng_below(&rng, (uint64_t)n);
		int via = (at + (rng_below(&rng, 2) ? 1 : n - 1)) % n;

		if (at != to)
			bed_route(&b, name(0, "s%d", at, 0), name(1, "h%d", to, 0),
				  name(2, "s%d", via, 0));
	}
}

START_TEST(components_are_those_of_the_closure)
{
	random_fabric(rng_hash(5, (uint64_t)_i));
	struct routing *r = finish();
	struct bdg *g = bdg_new(r, BDG_ALL);
	struct bdg_result result;
	bdg_build(g, ROUTING_GLOBAL, NULL, 0, &result);
	uint32_t n = bdg_vertices(g);
	bool *reach = mem_zalloc((size_t)n * n);

	close_paths(g, n, reach);
	for (uint32_t v = 0; v < n; v++) {
		ck_assert_int_eq(reach[v * n + v], bdg_component(g, v) != UINT32_MAX);
		for (uint32_t w = 0; w < n && reach[v * n + v]; w++)
			ck_assert_int_eq(reach[v * n + w] && reach[w * n + v],
					 bdg_component(g, v) == bdg_component(g, w));
	}
	free(reach);
	bdg_free(&g);
	end(r);
}
END_TEST

/* ------------------------------------------------------- failures, one by one */

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

enum { FABRICS = 9 };

static void make(int i)
{
	if (i >= 5 && i < 8) {
		random_fabric(rng_hash(8, (uint64_t)i));
		return;
	}
	begin();
	if (i == 0)
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
			if (_i == 0 || _i == 2)
				ck_assert_int_le(x.classes, 16);
		}
	bdg_free(&g);
	end(r);
}
END_TEST

/* Two links of 4 leaves and 3 spines: same leaf, same spine, neither. */
START_TEST(classes_of_a_leaf_spine)
{
	struct bdg_failures x;

	begin();
	leaf_spine(4, 3, 2, 1);
	struct routing *r = finish();
	struct bdg *g = bdg_new(r, BDG_ALL);
	bdg_fail(g, ROUTING_LOCAL, 2, NULL, &x);
	ck_assert_int_eq(x.sets, 66);
	ck_assert_int_eq(x.classes, 3);
	ck_assert_int_eq(x.cyclic, 12 + 36);	/* not when both fail at one spine: 18 */
	bdg_fail(g, ROUTING_GLOBAL, 2, NULL, &x);
	ck_assert_int_eq(x.cyclic, 0);
	bdg_free(&g);
	end(r);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bdg");
	TCase *tc = tcase_create("bdg");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, ring_has_circle);
	tcase_add_test(tc, up_down_has_none);
	tcase_add_test(tc, bounce_has_circle);
	tcase_add_test(tc, loop_needs_more_than_priorities);
	tcase_add_test(tc, flooding_has_circle);
	tcase_add_test(tc, answers_count);
	tcase_add_test(tc, lossy_switch_breaks_it);
	tcase_add_loop_test(tc, components_are_those_of_the_closure, 0, 30);
	tcase_add_loop_test(tc, symmetry_counts_all_sets, 0, FABRICS);
	tcase_add_test(tc, classes_of_a_leaf_spine);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
