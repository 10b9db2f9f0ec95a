/*
 * The strongly connected components of buffer-dependency graphs are those that igraph
 * finds (igraph_connected_components, IGRAPH_STRONG): of 300 random fabrics
 * (tests/support/circles.h), for every host to every other and for their traffic, and of
 * random graphs from none to many edges.  Skipped where igraph was not there when this
 * was configured.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef HAVE_IGRAPH
int main(void)
{
	puts("components: igraph (Debian: libigraph-dev) was not here at configure: nothing to compare with");
	return 77;
}
#else
#include <igraph/igraph.h>

#include "analyze/bdg_inside.h"
#include "sim/mem.h"
#include "tests/support/circles.h"

enum { FABRICS = 300, GRAPHS = 2000, CHANNELS_MAX = 12 };

static igraph_vector_int_t components_of(const struct bdg *b, igraph_vector_int_t *sizes)
{
	igraph_vector_int_t ends, member;
	igraph_integer_t n;
	igraph_t g;

	igraph_vector_int_init(&ends, 0);
	for (uint32_t v = 0; v < bdg_vertices(b); v++) {
		const uint32_t *to;
		uint32_t edges = bdg_edges_of(b, v, &to);

		for (uint32_t e = 0; e < edges; e++) {
			igraph_vector_int_push_back(&ends, (igraph_integer_t)v);
			igraph_vector_int_push_back(&ends, (igraph_integer_t)to[e]);
		}
	}
	igraph_create(&g, &ends, (igraph_integer_t)bdg_vertices(b), IGRAPH_DIRECTED);
	igraph_vector_int_init(&member, 0);
	igraph_connected_components(&g, &member, sizes, &n, IGRAPH_STRONG);
	igraph_vector_int_destroy(&ends);
	igraph_destroy(&g);
	return member;
}

static bool waits_for_itself(const struct bdg *b, uint32_t v)
{
	const uint32_t *to;
	uint32_t edges = bdg_edges_of(b, v, &to);

	for (uint32_t e = 0; e < edges; e++)
		if (to[e] == v)
			return true;
	return false;
}

/* Same components; those of one vertex that does not wait for itself are none. */
static uint32_t compare(const struct bdg *b, const struct bdg_result *result, const char *what, int i)
{
	igraph_vector_int_t sizes, member;
	uint32_t n = bdg_vertices(b), *name = mem_zalloc((n + 1) * sizeof(*name)), members = 0, found = 0;

	igraph_vector_int_init(&sizes, 0);
	member = components_of(b, &sizes);
	for (uint32_t v = 0; v < n; v++) {
		igraph_integer_t theirs = VECTOR(member)[v];
		bool circle = VECTOR(sizes)[theirs] > 1 || waits_for_itself(b, v);
		uint32_t ours = bdg_component(b, v);

		ck_assert_msg(circle == (ours != BDG_ALONE), "%s %d: vertex %u", what, i, v);
		if (!circle)
			continue;
		members++;
		if (!name[theirs]) {	/* of a component the first vertex names ours */
			name[theirs] = ours + 1;
			found++;
		}
		ck_assert_msg(name[theirs] == ours + 1, "%s %d: vertex %u is in another component", what, i, v);
	}
	/* as many of theirs as of ours, so none of ours is two of theirs */
	ck_assert_uint_eq(found, result->components);
	ck_assert_uint_eq(members, result->members);
	igraph_vector_int_destroy(&sizes);
	igraph_vector_int_destroy(&member);
	free(name);
	return found;
}

START_TEST(of_random_fabrics)
{
	uint32_t circles = 0;

	for (int i = 0; i < FABRICS; i++) {
		struct circles c;

		circles_draw(&c, rng_hash(0x77, (uint64_t)i));	/* those of check_deadlock_found */
		struct routing *r = routing_new(c.bed.f);
		for (int scope = 0; scope < 2; scope++) {
			struct bdg *b = bdg_new(r, (enum bdg_scope)scope);
			struct bdg_result result;

			bdg_build(b, ROUTING_GLOBAL, NULL, 0, &result);
			circles += compare(b, &result, "fabric", i);
			bdg_free(&b);
		}
		routing_free(&r);
		bed_close(&c.bed);
	}
	printf("%u components in %d fabrics\n", circles, FABRICS);
	ck_assert_uint_gt(circles, FABRICS / 10);
}
END_TEST

/* Vertices of a graph that no fabric has, in the shape in which bdg_scc takes them. */
static uint32_t random_graph(uint64_t seed, int i)
{
	struct rng rng = { seed };
	uint32_t channels = 1 + (uint32_t)rng_below(&rng, CHANNELS_MAX), n = channels * 8, edges = 0;
	uint64_t density = rng_below(&rng, 3 * n);	/* at most n / 40 edges a vertex */
	struct routing r = { .nchannels = channels };
	struct bdg b = { .r = &r };
	struct bdg_result result = { 0 };
	uint32_t found;

	b.edge_at = mem_zalloc((n + 1) * sizeof(*b.edge_at));
	b.edge = mem_zalloc((size_t)n * n * sizeof(*b.edge));
	b.component = mem_zalloc(n * sizeof(*b.component));
	b.order = mem_zalloc(n * sizeof(*b.order));
	for (uint32_t v = 0; v < n; v++) {
		for (uint32_t w = 0; w < n; w++)
			if (rng_below(&rng, 1000 * n / 8) < density)
				b.edge[edges++] = w;
		b.edge_at[v + 1] = edges;
	}
	bdg_scc(&b, &result);
	found = compare(&b, &result, "graph", i);
	free(b.edge_at);
	free(b.edge);
	free(b.component);
	free(b.order);
	return found;
}

START_TEST(of_random_graphs)
{
	uint32_t several = 0, none = 0;

	for (int i = 0; i < GRAPHS; i++) {
		uint32_t found = random_graph(rng_hash(0x78, (uint64_t)i), i);

		several += found > 1;
		none += !found;
	}
	printf("%d graphs: %u without a circle, %u with several components\n", GRAPHS, none, several);
	ck_assert_uint_gt(several, GRAPHS / 20);
	ck_assert_uint_gt(none, GRAPHS / 20);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("components");
	TCase *tc = tcase_create("components");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, of_random_fabrics);
	tcase_add_test(tc, of_random_graphs);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
#endif
