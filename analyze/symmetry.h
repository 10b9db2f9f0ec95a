/*
 * analyze/symmetry.h - which edges of a graph are alike.
 *
 * Two edges are alike when some automorphism of the graph (one that keeps the
 * colours) takes one to the other.  Candidates come from colour refinement; each
 * claim is proved by an automorphism that is checked edge by edge, so a graph
 * that refinement cannot see through costs more classes, never a wrong one.
 */
#ifndef SYMMETRY_H
#define SYMMETRY_H
#include <stdbool.h>
#include <stdint.h>

struct symmetry_edge {
	uint32_t a, b;
	uint64_t color;
}; /* at most one between two nodes */
struct symmetry {
	uint32_t nodes, edges;
	uint64_t *color;		/* of nodes */
	struct symmetry_edge *edge;
	uint32_t *near_at, *near;	/* neighbours of a node: edge numbers */
};

/* Copies both arrays. */
void symmetry_new(struct symmetry *s, uint32_t nodes, const uint64_t *color, uint32_t edges,
		  const struct symmetry_edge *edge);
void symmetry_free(struct symmetry *s);
/* rep[e]: the lowest edge known to be like e, with edge `fixed` staying where it
 * is (UINT32_MAX: none). */
void symmetry_orbits(const struct symmetry *s, uint32_t fixed, uint32_t *rep);
#endif
