/*
 * analyze/bdg_scc.c - strongly connected components.
 *
 * Tarjan, Depth-first search and linear graph algorithms, SIAM J. Computing
 * 1972; with a stack of its own in place of recursion.
 */
#include <stdlib.h>
#include <string.h>
#include "analyze/bdg_inside.h"
#include "sim/mem.h"

#define UNSEEN UINT32_MAX

struct scc {
	struct bdg *b;
	uint32_t n, counter, done;
	uint32_t *index, *low;
	uint32_t *next;		/* edge to look at next */
	uint32_t *path;		/* the search's own stack */
	uint32_t *open;		/* visited, component not yet known */
	uint32_t paths, opens;
	bool *is_open;
};

static bool self_loop(const struct bdg *b, uint32_t v)
{
	for (uint32_t e = b->edge_at[v]; e < b->edge_at[v + 1]; e++)
		if (b->edge[e] == v)
			return true;
	return false;
}

static void enter(struct scc *s, uint32_t v)
{
	s->index[v] = s->low[v] = s->counter++;
	s->next[v] = s->b->edge_at[v];
	s->path[s->paths++] = v;
	s->open[s->opens++] = v;
	s->is_open[v] = true;
}

/* All that was opened after `v`, and v, is one component. */
static void close_component(struct scc *s, uint32_t v, struct bdg_result *out)
{
	uint32_t top = s->opens;
	bool alone;

	while (s->open[--top] != v)
		;
	alone = s->opens - top == 1 && !self_loop(s->b, v);
	for (uint32_t i = top; i < s->opens; i++) {
		s->is_open[s->open[i]] = false;
		s->b->component[s->open[i]] = alone ? BDG_ALONE : out->components;
	}
	if (!alone) {
		out->components++;
		out->members += s->opens - top;
	}
	s->opens = top;
}

static void leave(struct scc *s, struct bdg_result *out)
{
	uint32_t v = s->path[--s->paths];

	s->b->order[v] = ++s->done;
	if (s->low[v] == s->index[v])
		close_component(s, v, out);
	if (s->paths) {
		uint32_t parent = s->path[s->paths - 1];

		if (s->low[v] < s->low[parent])
			s->low[parent] = s->low[v];
	}
}

static void search(struct scc *s, uint32_t root, struct bdg_result *out)
{
	const struct bdg *b = s->b;

	enter(s, root);
	while (s->paths) {
		uint32_t v = s->path[s->paths - 1], w;

		if (s->next[v] == b->edge_at[v + 1]) {
			leave(s, out);
			continue;
		}
		w = b->edge[s->next[v]++];
		if (s->index[w] == UNSEEN)
			enter(s, w);
		else if (s->is_open[w] && s->index[w] < s->low[v])
			s->low[v] = s->index[w];
	}
}

void bdg_scc(struct bdg *b, struct bdg_result *out)
{
	uint32_t n = bdg_vertices(b);
	uint32_t *block = mem_zalloc(((size_t)n + 1) * 5 * sizeof(*block));
	struct scc s = { .b = b,
			 .n = n,
			 .index = block,
			 .low = block + n,
			 .next = block + 2 * n,
			 .path = block + 3 * n,
			 .open = block + 4 * n,
			 .is_open = mem_zalloc(n + 1) };

	memset(s.index, 0xff, n * sizeof(*s.index));
	memset(b->component, 0xff, n * sizeof(*b->component));
	memset(b->order, 0, n * sizeof(*b->order));
	for (uint32_t v = 0; v < n; v++)
		if (s.index[v] == UNSEEN && b->edge_at[v] != b->edge_at[v + 1])
			search(&s, v, out);
	free(s.is_open);
	free(block);
}
