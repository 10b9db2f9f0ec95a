/* analyze/symmetry: orbits of edges of graphs whose automorphisms are known. */
#include <check.h>
#include <stdlib.h>

#include "analyze/symmetry.h"

enum { MOST = 512 };

struct graph { uint32_t nodes, edges; uint64_t color[MOST]; struct symmetry_edge edge[MOST]; };

static void edge(struct graph *g, uint32_t a, uint32_t b)
{
	g->edge[g->edges++] = (struct symmetry_edge){ a, b, 1 };
	if (a >= g->nodes)
		g->nodes = a + 1;
	if (b >= g->nodes)
		g->nodes = b + 1;
}

static uint32_t orbits(const struct graph *g, uint32_t fixed, uint32_t *rep)
{
	struct symmetry s;
	uint32_t n = 0;

	symmetry_new(&s, g->nodes, g->color, g->edges, g->edge);
	symmetry_orbits(&s, fixed, rep);
	symmetry_free(&s);
	for (uint32_t e = 0; e < g->edges; e++)
		n += rep[e] == e;
	return n;
}

static struct graph *new_graph(void) { return calloc(1, sizeof(struct graph)); }

/* K(m,n): all edges alike; with one fixed, those that share its left end, its right
 * end, and the rest. */
START_TEST(complete_bipartite)
{
	struct graph *g = new_graph();
	uint32_t rep[MOST];

	for (uint32_t i = 0; i < 5; i++)
		for (uint32_t j = 0; j < 7; j++)
			edge(g, i, 5 + j);
	ck_assert_uint_eq(orbits(g, UINT32_MAX, rep), 1);
	ck_assert_uint_eq(orbits(g, 0, rep), 4);
	ck_assert_uint_eq(rep[3], rep[1]);		/* of 0 */
	ck_assert_uint_eq(rep[14], rep[7]);		/* to 5 */
	ck_assert_uint_ne(rep[1], rep[7]);
	ck_assert_uint_eq(rep[34], rep[8]);
	g->color[2] = 9;				/* one left node is special */
	ck_assert_uint_eq(orbits(g, UINT32_MAX, rep), 2);
	free(g);
}
END_TEST

START_TEST(paths_and_circles)
{
	struct graph *path = new_graph(), *circle = new_graph();
	uint32_t rep[MOST];

	for (uint32_t i = 0; i < 6; i++) {
		edge(path, i, i + 1);
		edge(circle, i, (i + 1) % 6);
	}
	ck_assert_uint_eq(orbits(path, UINT32_MAX, rep), 3);
	ck_assert_uint_eq(rep[5], 0);
	ck_assert_uint_eq(rep[3], 2);
	ck_assert_uint_eq(orbits(circle, UINT32_MAX, rep), 1);
	ck_assert_uint_eq(orbits(circle, 0, rep), 4);	/* itself, and by distance */
	free(path);
	free(circle);
}
END_TEST

/* A hexagon and two triangles: colour refinement cannot tell them apart, and their
 * edges must not be called alike. */
START_TEST(refinement_is_not_trusted)
{
	struct graph *g = new_graph();
	uint32_t rep[MOST];

	for (uint32_t i = 0; i < 6; i++)
		edge(g, i, (i + 1) % 6);
	for (uint32_t t = 6; t < 12; t += 3)
		for (uint32_t i = 0; i < 3; i++)
			edge(g, t + i, t + (i + 1) % 3);
	ck_assert_uint_ge(orbits(g, UINT32_MAX, rep), 2);
	for (uint32_t e = 0; e < 6; e++)
		for (uint32_t x = 6; x < 12; x++)
			ck_assert_uint_ne(rep[e], rep[x]);
	free(g);
}
END_TEST

/* Petersen's graph: all edges alike, and refinement sees one colour only. */
START_TEST(petersen)
{
	struct graph *g = new_graph();
	uint32_t rep[MOST];

	for (uint32_t i = 0; i < 5; i++) {
		edge(g, i, (i + 1) % 5);
		edge(g, i, 5 + i);
		edge(g, 5 + i, 5 + (i + 2) % 5);
	}
	ck_assert_uint_eq(orbits(g, UINT32_MAX, rep), 1);
	free(g);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symmetry");
	TCase *tc = tcase_create("symmetry");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, complete_bipartite);
	tcase_add_test(tc, paths_and_circles);
	tcase_add_test(tc, refinement_is_not_trusted);
	tcase_add_test(tc, petersen);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
