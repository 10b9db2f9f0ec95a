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
	uint32_t *before;		/* by state: ways into it not yet followed */
	int *turns;			/* by state: most turns back so far */
	uint32_t *queue, tail;
	uint32_t from;			/* the state that is being left, ROUTING_NONE: a host */
	int lane;			/* of that */
	uint32_t *list, ready;		/* states whose ways in are all followed */
	bool goes_on;			/* they are no copies, which wait there and go no further */
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
static bool turns_back(const struct tags *t, int lane, uint32_t next)
{
	uint32_t v = vertex_of(t, t->lane, t->from % t->b->r->nchannels), w = vertex_of(t, lane, next);

	return holds(t, v) && holds(t, w) && t->rank[w] <= t->rank[v];
}

static void meet(void *ctx, int lane, uint32_t next)
{
	struct tags *t = ctx;
	uint32_t x = bdg_state(t->b, lane, next);

	if (t->turns[x] < 0) {
		t->turns[x] = 0;
		t->queue[t->tail++] = x;
	}
	t->before[x] += t->from != ROUTING_NONE;
}

/* Leaves state x, in `lane` where classes do not change. */
static void leave(struct tags *t, int lane, uint32_t group, uint32_t x, bool copies, bdg_each *each)
{
	const struct bdg *b = t->b;
	const struct routing *r = b->r;
	uint64_t set[BDG_WORDS];
	uint32_t c = x % r->nchannels, sw = r->channel[c].to;

	t->from = x;
	t->lane = b->remaps ? (int)(x / r->nchannels) : lane;
	t->goes_on = bdg_out(b, &b->ways, group, sw, bdg_local(b, r->channel[c].back), set);
	if (t->goes_on || copies)
		bdg_leave(b, t->lane, sw, r->channel[c].in_port, set, each, t);
}

/* All states that frames to the group enter, in t->queue; counts the ways in. */
static void reach(struct tags *t, int lane, uint32_t group)
{
	const struct bdg *b = t->b;
	uint64_t set[BDG_WORDS];

	memset(t->before, 0, b->states * sizeof(*t->before));
	memset(t->turns, 0xff, b->states * sizeof(*t->turns));
	t->tail = 0;
	t->from = ROUTING_NONE;
	for (uint32_t s = 0; s < b->r->nswitches; s++)
		if (bdg_sends(b, lane, s, group) && bdg_out(b, &b->ways, group, s, ROUTING_NONE, set))
			bdg_leave(b, lane, s, VIEW_NONE, set, meet, t);
	for (uint32_t head = 0; head < t->tail; head++)
		leave(t, lane, group, t->queue[head], false, meet);
}

static void count_way(void *ctx, int lane, uint32_t next)
{
	struct tags *t = ctx;
	uint32_t x = bdg_state(t->b, lane, next);
	int turns = t->turns[t->from] + turns_back(t, lane, next);

	if (turns > t->most)
		t->most = turns;
	if (!t->goes_on)
		return;
	if (turns > t->turns[x])
		t->turns[x] = turns;
	if (!--t->before[x])
		t->list[t->ready++] = x;
}

/* In the order of the routes: each state once all that lead to it are done. */
static void count_turns(struct tags *t, int lane, uint32_t group)
{
	uint32_t done = 0;

	reach(t, lane, group);
	t->ready = 0;
	for (uint32_t i = 0; i < t->tail; i++)
		if (!t->before[t->queue[i]])
			t->list[t->ready++] = t->queue[i];
	while (done < t->ready)
		leave(t, lane, group, t->list[done++], true, count_way);
	t->loops |= done < t->tail;
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
	uint32_t n = b->states + 1;
	struct tags t = { .b = b, .rank = mem_zalloc((bdg_vertices(b) + 1) * sizeof(int64_t)),
			  .before = mem_zalloc(n * sizeof(uint32_t)),
			  .turns = mem_zalloc(n * sizeof(int)),
			  .queue = mem_zalloc(n * sizeof(uint32_t)),
			  .list = mem_zalloc(n * sizeof(uint32_t)) };
	int by_tier, by_search;

	rank_by_tier(&t);
	by_tier = most_turns(&t);
	rank_by_search(&t);
	by_search = most_turns(&t);
	free(t.rank);
	free(t.before);
	free(t.turns);
	free(t.queue);
	free(t.list);
	if (t.loops)
		return 0;
	return 1 + (by_tier < by_search ? by_tier : by_search);
}
