/*
 * analyze/bdg_tags.c - how many priorities would make the graph free of circles.
 *
 * Give the channels a rank.  If a frame rises to the next priority whenever the
 * next channel's rank is not above its own, then inside one priority ranks only
 * rise, and between priorities frames only rise: no circle (Dally and Seitz,
 * Deadlock-free message routing, 1987; Tagger, CoNEXT 2017, for Clos).  What a
 * route needs is 1 + its most turns back.  Two ranks are tried: by tier (up
 * channels from the bottom, then down channels from the top: no turn back on a
 * valley-free path), and by the order of the depth-first search.
 */
#include <stdlib.h>
#include <string.h>
#include "analyze/bdg_inside.h"
#include "sim/mem.h"

struct tags {
	struct bdg *b;
	int64_t *rank;			/* by vertex; 0: waits for nothing */
	uint32_t *before;		/* by channel: ways into it not yet followed */
	int *turns;			/* by channel: most turns back so far */
	uint32_t *queue;
	bool loops;
	int most;
};

/* Distance of each switch from the nearest with hosts. */
static uint32_t *tiers(const struct routing *r)
{
	uint32_t *tier = mem_zalloc((r->nswitches + 1) * sizeof(*tier));
	uint32_t *queue = mem_zalloc((r->nswitches + 1) * sizeof(*queue)), head = 0, tail = 0;

	for (uint32_t s = 0; s < r->nswitches; s++) {
		tier[s] = r->host[2 * s] == ROUTING_NONE ? UINT32_MAX : 0;
		if (!tier[s])
			queue[tail++] = s;
	}
	while (head < tail) {
		uint32_t s = queue[head++];

		for (uint32_t c = r->first[s]; c < r->first[s + 1]; c++) {
			uint32_t to = r->channel[c].to;

			if (tier[to] != UINT32_MAX)
				continue;
			tier[to] = tier[s] + 1;
			queue[tail++] = to;
		}
	}
	free(queue);
	return tier;
}

static void rank_by_tier(struct tags *t)
{
	const struct routing *r = t->b->r;
	uint32_t *tier = tiers(r);
	int64_t n = r->nswitches + 1;

	for (uint32_t c = 0; c < r->nchannels; c++) {
		int64_t from = tier[r->channel[c].from], to = tier[r->channel[c].to];
		int64_t step = to > from ? from : to == from ? n : 2 * n - from;

		for (uint32_t p = 0; p < 8; p++)
			t->rank[c * 8 + p] =
				1 + step * (r->nchannels + 1) + (step == n ? c : 0);
	}
	free(tier);
}

static void rank_by_search(struct tags *t)
{
	for (uint32_t v = 0; v < bdg_vertices(t->b); v++)
		t->rank[v] = (int64_t)UINT32_MAX - t->b->order[v];
}

static uint32_t vertex_of(const struct tags *t, int lane, uint32_t c)
{
	return c * 8 + t->b->lane[lane].prio[t->b->r->channel[c].to];
}

static bool holds(const struct tags *t, uint32_t v)
{
	return t->b->lossless[v / 8] >> v % 8 & 1;
}

/* Both ends lossless, and the rank does not rise. */
static bool turns_back(const struct tags *t, int lane, uint32_t c, uint32_t next)
{
	uint32_t v = vertex_of(t, lane, c), w = vertex_of(t, lane, next);

	return holds(t, v) && holds(t, w) && t->rank[w] <= t->rank[v];
}

/* Egress channels of frames to the group in `c`, or from a host at `sw`. */
static bool outs(const struct tags *t, uint32_t group, uint32_t sw, uint32_t c, uint64_t *set)
{
	const struct bdg *b = t->b;
	uint32_t in = c == ROUTING_NONE ? c : bdg_local(b, b->r->channel[c].back);

	return bdg_out(b, &b->ways, group, sw, in, set);
}

/* All channels that frames to the group enter, in t->queue; counts the ways in. */
static uint32_t reach(struct tags *t, int lane, uint32_t group)
{
	const struct routing *r = t->b->r;
	uint64_t set[BDG_WORDS];
	uint32_t head = 0, tail = 0;

	memset(t->before, 0, r->nchannels * sizeof(*t->before));
	memset(t->turns, 0xff, r->nchannels * sizeof(*t->turns));
	for (uint32_t i = 0; i < r->nswitches + tail; i++) {
		bool begin = i < r->nswitches;
		uint32_t c = begin ? ROUTING_NONE : t->queue[head++];
		uint32_t sw = begin ? i : r->channel[c].to;

		if ((begin && !bdg_sends(t->b, lane, sw, group)) || !outs(t, group, sw, c, set))
			continue;
		for (uint32_t o = 0; o < routing_degree(r, sw); o++) {
			uint32_t next = r->first[sw] + o;

			if (!routing_has(set, o))
				continue;
			if (t->turns[next] < 0) {
				t->turns[next] = 0;
				t->queue[tail++] = next;
			}
			t->before[next] += !begin;
		}
	}
	return tail;
}

/* In the order of the routes: each channel once all that lead to it are done. */
static void count_turns(struct tags *t, int lane, uint32_t group)
{
	const struct routing *r = t->b->r;
	uint64_t set[BDG_WORDS];
	uint32_t all = reach(t, lane, group), done = 0, ready = 0;
	uint32_t *list = mem_zalloc((all + 1) * sizeof(*list));

	for (uint32_t i = 0; i < all; i++)
		if (!t->before[t->queue[i]])
			list[ready++] = t->queue[i];
	while (done < ready) {
		uint32_t c = list[done++], sw = r->channel[c].to;

		bool on = outs(t, group, sw, c, set);

		for (uint32_t o = 0; o < routing_degree(r, sw); o++) {
			uint32_t next = r->first[sw] + o;
			int turns = t->turns[c];

			if (!routing_has(set, o))
				continue;
			turns += turns_back(t, lane, c, next);
			if (turns > t->most)
				t->most = turns;
			if (!on)		/* a copy: it waits here, and goes no further */
				continue;
			if (turns > t->turns[next])
				t->turns[next] = turns;
			if (!--t->before[next])
				list[ready++] = next;
		}
	}
	t->loops |= done < all;
	free(list);
}

static int most_turns(struct tags *t)
{
	const struct routing *r = t->b->r;

	t->most = 0;
	for (uint32_t g = 0; g < r->ngroups && !t->loops; g++) {
		routing_ways(r, g, t->b->mode, t->b->down, t->b->ndown, &t->b->ways);
		for (int lane = 0; lane < t->b->nlanes; lane++)
			count_turns(t, lane, g);
	}
	return t->most;
}

int bdg_priorities(struct bdg *b)
{
	uint32_t n = b->r->nchannels;
	struct tags t = { .b = b, .rank = mem_zalloc((bdg_vertices(b) + 1) * sizeof(int64_t)),
			  .before = mem_zalloc((n + 1) * sizeof(uint32_t)),
			  .turns = mem_zalloc((n + 1) * sizeof(int)),
			  .queue = mem_zalloc((n + 1) * sizeof(uint32_t)) };
	int by_tier, by_search;

	rank_by_tier(&t);
	by_tier = most_turns(&t);
	rank_by_search(&t);
	by_search = most_turns(&t);
	free(t.rank);
	free(t.before);
	free(t.turns);
	free(t.queue);
	if (t.loops)
		return 0;
	return 1 + (by_tier < by_search ? by_tier : by_search);
}
