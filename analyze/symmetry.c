/*
 * analyze/symmetry.c - see symmetry.h.
 *
 * To prove that e is like e2, two copies of the graph are coloured: in the first
 * the ends of e get colours of their own, in the second those of e2.  Both are
 * refined; where a colour still has several nodes, the first of them in one copy
 * is matched with one in the other, and so on until every node has a colour of
 * its own.  Then the colours are a map between the copies, which is checked.
 * There is no going back: a wrong match only means that nothing is proved.
 */
#include "analyze/symmetry.h"

#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "sim/rng.h"

#define NONE UINT32_MAX
enum { TRIES = 4 }; /* representatives of one colour that an edge is compared with */

void symmetry_new(struct symmetry *s, uint32_t nodes, const uint64_t *color, uint32_t edges,
		  const struct symmetry_edge *edge)
{
	uint32_t *at;

	*s = (struct symmetry){ .nodes = nodes, .edges = edges };
	s->color = mem_zalloc((nodes + 1) * sizeof(*s->color));
	s->edge = mem_zalloc((edges + 1) * sizeof(*s->edge));
	memcpy(s->color, color, nodes * sizeof(*color));
	if (edges)
		memcpy(s->edge, edge, edges * sizeof(*edge));
	s->near_at = at = mem_zalloc((nodes + 2) * sizeof(*at));
	s->near = mem_zalloc((2 * (size_t)edges + 1) * sizeof(*s->near));
	for (uint32_t e = 0; e < edges; e++) {
		at[edge[e].a + 2]++;
		at[edge[e].b + 2]++;
	}
	for (uint32_t v = 2; v < nodes + 2; v++)
		at[v] += at[v - 1];
	for (uint32_t e = 0; e < edges; e++) {
		s->near[at[edge[e].a + 1]++] = e;
		s->near[at[edge[e].b + 1]++] = e;
	}
}

void symmetry_free(struct symmetry *s)
{
	free(s->color);
	free(s->edge);
	free(s->near_at);
	free(s->near);
	*s = (struct symmetry){ 0 };
}

static uint32_t other_end(const struct symmetry *s, uint32_t e, uint32_t v)
{
	return s->edge[e].a == v ? s->edge[e].b : s->edge[e].a;
}

/* --------------------------------------------------------------- refinement */

static int color_order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint32_t distinct(const uint64_t *color, uint32_t n, uint64_t *sorted)
{
	uint32_t count = n > 0;

	memcpy(sorted, color, n * sizeof(*color));
	qsort(sorted, n, sizeof(*sorted), color_order);
	for (uint32_t i = 1; i < n; i++)
		count += sorted[i] != sorted[i - 1];
	return count;
}

/* A node's new colour is its own and the sum of its neighbours', until no colour
 * splits any more.  `scratch` holds 2 n words; the sorted colours stay in it. */
static uint32_t refine(const struct symmetry *s, uint64_t *color, uint64_t *scratch)
{
	uint64_t *next = scratch + s->nodes;
	uint32_t had = 0, have = distinct(color, s->nodes, scratch);

	while (have > had && have < s->nodes) {
		for (uint32_t v = 0; v < s->nodes; v++) {
			uint64_t sum = 0;

			for (uint32_t i = s->near_at[v]; i < s->near_at[v + 1]; i++) {
				uint32_t e = s->near[i];

				sum += rng_hash(color[other_end(s, e, v)], s->edge[e].color);
			}
			next[v] = rng_hash(color[v], sum);
		}
		memcpy(color, next, s->nodes * sizeof(*color));
		had = have;
		have = distinct(color, s->nodes, scratch);
	}
	return have;
}

/* ------------------------------------------------------------------- a proof */

struct proof {
	const struct symmetry *s;
	uint64_t *a, *b;		/* colours of the two copies */
	uint64_t *scratch_a, *scratch_b;
	uint32_t *image;		/* of each node */
	uint32_t *edge_image;
	uint32_t single;		/* nodes below it have a colour of their own */
};

static void proof_new(struct proof *p, const struct symmetry *s)
{
	uint64_t *block = mem_zalloc((6 * (size_t)s->nodes + 1) * sizeof(*block));

	*p = (struct proof){ .s = s,
			     .a = block,
			     .b = block + s->nodes,
			     .scratch_a = block + 2 * s->nodes,
			     .scratch_b = block + 4 * s->nodes,
			     .image = mem_zalloc((s->nodes + 1) * sizeof(uint32_t)),
			     .edge_image = mem_zalloc((s->edges + 1) * sizeof(uint32_t)) };
}

static void proof_free(struct proof *p)
{
	free(p->a);
	free(p->image);
	free(p->edge_image);
}

static uint64_t mark(uint64_t color, uint64_t what) { return rng_hash(color, what * 2 + 1); }

static uint32_t find_edge(const struct symmetry *s, uint32_t u, uint32_t v)
{
	for (uint32_t i = s->near_at[u]; i < s->near_at[u + 1]; i++)
		if (other_end(s, s->near[i], u) == v)
			return s->near[i];
	return NONE;
}

/* Every colour has one node in each copy: is the map between them one of the graph? */
static bool check_map(struct proof *p)
{
	const struct symmetry *s = p->s;

	for (uint32_t v = 0; v < s->nodes; v++) {
		p->image[v] = NONE;
		for (uint32_t w = 0; w < s->nodes; w++)
			if (p->b[w] == p->a[v])
				p->image[v] = w;
		if (p->image[v] == NONE || s->color[p->image[v]] != s->color[v])
			return false;
	}
	for (uint32_t e = 0; e < s->edges; e++) {
		uint32_t x = find_edge(s, p->image[s->edge[e].a], p->image[s->edge[e].b]);

		if (x == NONE || s->edge[x].color != s->edge[e].color)
			return false;
		p->edge_image[e] = x;
	}
	return true;
}

static bool shared(const struct proof *p, uint64_t color)
{
	const uint64_t *sorted = p->scratch_a, *at;

	at = bsearch(&color, sorted, p->s->nodes, sizeof(color), color_order);
	return (at > sorted && at[-1] == color) ||
	       (at < sorted + p->s->nodes - 1 && at[1] == color);
}

/* The first node whose colour others share, and the next after it in the other copy:
 * going round makes long cycles, and few maps join many edges. */
static bool match_one(struct proof *p, uint64_t step)
{
	uint32_t n = p->s->nodes, v = p->single, w = NONE;

	while (v < n && !shared(p, p->a[v]))
		v++;
	p->single = v;
	for (uint32_t i = 1; v < n && i <= n && w == NONE; i++)
		if (p->b[(v + i) % n] == p->a[v])
			w = (v + i) % n;
	if (w == NONE)
		return false;
	p->a[v] = mark(p->a[v], step);
	p->b[w] = mark(p->b[w], step);
	return true;
}

static bool complete(struct proof *p)
{
	const struct symmetry *s = p->s;

	p->single = 0;
	for (uint64_t step = 16; ; step++) {
		uint32_t n = refine(s, p->a, p->scratch_a), m = refine(s, p->b, p->scratch_b);

		if (n != m || memcmp(p->scratch_a, p->scratch_b, s->nodes * sizeof(uint64_t)))
			return false;
		if (n == s->nodes)
			return check_map(p);
		if (!match_one(p, step))
			return false;
	}
}

/* Is there a map that takes `e` to `x`, the ends of e to those of x in this order? */
static bool prove(struct proof *p, uint32_t fixed, uint32_t e, uint32_t x, bool swap)
{
	const struct symmetry *s = p->s;
	uint32_t ea = s->edge[e].a, eb = s->edge[e].b;
	uint32_t xa = swap ? s->edge[x].b : s->edge[x].a,
		 xb = swap ? s->edge[x].a : s->edge[x].b;

	memcpy(p->a, s->color, s->nodes * sizeof(*p->a));
	memcpy(p->b, s->color, s->nodes * sizeof(*p->b));
	if (fixed != NONE) {
		uint32_t ends[2] = { s->edge[fixed].a, s->edge[fixed].b };

		for (int i = 0; i < 2; i++) {
			p->a[ends[i]] = mark(p->a[ends[i]], 1);
			p->b[ends[i]] = mark(p->b[ends[i]], 1);
		}
	}
	p->a[ea] = mark(p->a[ea], 2);
	p->a[eb] = mark(p->a[eb], 3);
	p->b[xa] = mark(p->b[xa], 2);
	p->b[xb] = mark(p->b[xb], 3);
	return complete(p) && p->edge_image[e] == x &&
	       (fixed == NONE || p->edge_image[fixed] == fixed);
}

/* ------------------------------------------------------------------- orbits */

static uint32_t root(uint32_t *rep, uint32_t e)
{
	while (rep[e] != e)
		e = rep[e] = rep[rep[e]];
	return e;
}

static void unite(uint32_t *rep, uint32_t x, uint32_t y)
{
	x = root(rep, x);
	y = root(rep, y);
	if (x < y)
		rep[y] = x;
	else
		rep[x] = y;
}

/* The colour of an edge under the refined colours of its ends. */
static uint64_t edge_color(const struct symmetry *s, const uint64_t *color, uint32_t e)
{
	uint64_t a = color[s->edge[e].a], b = color[s->edge[e].b];

	return rng_hash(rng_hash(s->edge[e].color, a + b), a ^ b);
}

struct keyed { uint64_t kind; uint32_t edge; };

static int keyed_order(const void *pa, const void *pb)
{
	const struct keyed *a = pa, *b = pb;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->edge < b->edge ? -1 : a->edge > b->edge;
}

/* Edges by colour: only those of one colour can be alike. */
static struct keyed *by_kind(const struct symmetry *s, uint32_t fixed)
{
	uint64_t *color = mem_zalloc((3 * (size_t)s->nodes + 1) * sizeof(*color));
	struct keyed *list = mem_zalloc((s->edges + 1) * sizeof(*list));

	memcpy(color, s->color, s->nodes * sizeof(*color));
	if (fixed != NONE) {
		color[s->edge[fixed].a] = mark(color[s->edge[fixed].a], 1);
		color[s->edge[fixed].b] = mark(color[s->edge[fixed].b], 1);
	}
	refine(s, color, color + s->nodes);
	for (uint32_t e = 0; e < s->edges; e++)
		list[e] = (struct keyed){ edge_color(s, color, e), e };
	qsort(list, s->edges, sizeof(*list), keyed_order);
	free(color);
	return list;
}

/* Joins edge list[i] to one of those of its colour before it, if a proof is found. */
static void join(struct proof *p, const struct keyed *list, uint32_t first, uint32_t i,
		 uint32_t fixed, uint32_t *rep)
{
	uint32_t e = list[i].edge;

	for (uint32_t k = first, tries = 0; k < i && tries < TRIES && root(rep, e) == e; k++) {
		uint32_t x = list[k].edge;

		if (rep[x] != x || x == fixed || e == fixed)
			continue;
		tries++;
		if (!prove(p, fixed, x, e, false) && !prove(p, fixed, x, e, true))
			continue;
		for (uint32_t y = 0; y < p->s->edges; y++)
			unite(rep, y, p->edge_image[y]);
	}
}

void symmetry_orbits(const struct symmetry *s, uint32_t fixed, uint32_t *rep)
{
	struct keyed *list = by_kind(s, fixed);
	struct proof p;

	proof_new(&p, s);
	for (uint32_t e = 0; e < s->edges; e++)
		rep[e] = e;
	for (uint32_t i = 1, first = 0; i < s->edges; i++) {
		if (list[i].kind != list[first].kind)
			first = i;
		join(&p, list, first, i, fixed, rep);
	}
	for (uint32_t e = 0; e < s->edges; e++)
		rep[e] = root(rep, e);
	proof_free(&p);
	free(list);
}
