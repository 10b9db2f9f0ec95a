/* analyze/bdg.c - see bdg.h: builds the graph. */
#include "analyze/bdg.h"

#include <stdlib.h>
#include <string.h>
#include "analyze/bdg_inside.h"
#include "sim/assert.h"
#include "sim/mem.h"

/* --------------------------------------------------------------------- life */

/* Priorities whose pause stops the queue of the lane at `sw`; of 802.1Qbb. */
static uint8_t stoppers_at(const struct bdg *b, int lane, uint32_t sw)
{
	uint32_t port = b->r->channel[b->r->first[sw]].out_port;
	int q = b->lane[lane].queue[sw];
	unsigned mask = 0;

	for (int prio = 0; prio < 8; prio++)
		mask |= ((unsigned)view_queues_of(b->r->f, port, prio) >> q & 1u) << prio;
	return (uint8_t)mask;
}

/* `mask`, unless the pauses on the channel are of another kind. */
static uint8_t stopped(const struct bdg *b, uint32_t channel, uint8_t mask)
{
	enum view_stops stops = view_stops(b->r->f, b->r->channel[channel].out_port);

	return stops == VIEW_STOPS_WHOLE ? 0xff : stops == VIEW_STOPS_NEVER ? 0 : mask;
}

uint8_t bdg_stoppers(const struct bdg *b, int lane, uint32_t channel)
{
	return stopped(b, channel, stoppers_at(b, lane, b->r->channel[channel].from));
}

bool bdg_whole(const struct bdg *b)
{
	for (uint32_t c = 0; c < b->r->nchannels; c++)
		if (view_stops(b->r->f, b->r->channel[c].out_port) == VIEW_STOPS_WHOLE)
			return true;
	return false;
}

static void add_matrix(struct bdg *b, int first_lane, int lanes)
{
	const struct routing *r = b->r;
	struct bdg_matrix *m = &b->matrix[b->nmatrices++];

	m->row = mem_zalloc((b->row_at[r->nswitches] + 1) * sizeof(*m->row));
	m->target = mem_zalloc(r->nswitches * 8 + 1);
	m->passed = mem_zalloc((r->nchannels / 64 + 1) * sizeof(*m->passed));
	for (uint32_t s = 0; s < r->nswitches; s++)
		for (int i = first_lane; i < first_lane + lanes && routing_degree(r, s); i++)
			m->target[s * 8 + b->lane[i].prio[s]] |= stoppers_at(b, i, s);
}

struct bdg *bdg_new(const struct routing *r, enum bdg_scope scope)
{
	struct bdg *b = mem_zalloc(sizeof(*b));
	uint32_t n = r->nchannels * 8;

	b->r = r;
	b->scope = scope;
	b->row_at = mem_zalloc((r->nswitches + 1) * sizeof(*b->row_at));
	for (uint32_t s = 0; s < r->nswitches; s++) {
		sim_assert(routing_words(r, s) <= BDG_WORDS);
		b->row_at[s + 1] =
			b->row_at[s] + (size_t)routing_degree(r, s) * routing_words(r, s);
	}
	b->lossless = mem_zalloc(r->nchannels + 1);
	for (uint32_t c = 0; c < r->nchannels; c++)
		b->lossless[c] = view_lossless_of(r->f, r->channel[c].in_port);
	bdg_lanes(b);
	b->matrix = mem_zalloc((size_t)(b->nlanes + 1) * sizeof(*b->matrix));
	if (!b->remaps && scope == BDG_ALL)
		add_matrix(b, 0, b->nlanes);
	for (int i = 0; (b->remaps || scope == BDG_TRAFFIC) && i < b->nlanes; i++)
		add_matrix(b, i, 1);
	b->states = r->nchannels * (b->remaps ? (uint32_t)b->nlanes : 1);
	routing_ways_new(&b->ways, r);
	b->stack = mem_zalloc((b->states + 1) * sizeof(*b->stack));
	b->seen = mem_zalloc((b->states / 64 + 1) * sizeof(*b->seen));
	b->edge_at = mem_zalloc((n + 2) * sizeof(*b->edge_at));
	b->component = mem_zalloc((n + 1) * sizeof(*b->component));
	b->order = mem_zalloc((n + 1) * sizeof(*b->order));
	return b;
}

void bdg_free(struct bdg **bp)
{
	struct bdg *b = *bp;

	if (!b)
		return;
	bdg_lanes_free(b);
	for (int i = 0; i < b->nmatrices; i++) {
		free(b->matrix[i].row);
		free(b->matrix[i].target);
		free(b->matrix[i].passed);
	}
	free(b->matrix);
	routing_ways_free(&b->ways);
	free(b->row_at);
	free(b->lossless);
	free(b->stack);
	free(b->seen);
	free(b->edge_at);
	free(b->edge);
	free(b->component);
	free(b->order);
	free(b);
	*bp = NULL;
}

bool bdg_empty(const struct bdg *b) { return b->nlanes == 0; }
uint32_t bdg_vertices(const struct bdg *b) { return b->r->nchannels * 8; }
uint32_t bdg_component(const struct bdg *b, uint32_t v) { return b->component[v]; }

uint32_t bdg_edges_of(const struct bdg *b, uint32_t v, const uint32_t **to)
{
	*to = b->edge + b->edge_at[v];
	return b->edge_at[v + 1] - b->edge_at[v];
}

bool bdg_used(const struct bdg *b, uint32_t link)
{
	uint32_t c = b->r->link[link].channel;

	if (c == ROUTING_NONE)
		return true;		/* of a host: not followed */
	for (int i = 0; i < b->nmatrices; i++)
		if (routing_has(b->matrix[i].passed, c) ||
		    routing_has(b->matrix[i].passed, b->r->channel[c].back))
			return true;
	return false;
}

/* --------------------------------------------------------------------- walk */

bool bdg_sends(const struct bdg *b, int lane, uint32_t sw, uint32_t group)
{
	const struct bdg_pair *pair = b->lane[lane].pair;

	if (b->scope == BDG_ALL)
		return b->lane[lane].sent && routing_may_send(b->r, sw, group);
	return pair && pair[(size_t)group * b->r->nswitches + sw].src != ROUTING_NONE;
}

static bool link_is_down(const struct bdg *b, uint32_t link)
{
	return (b->ndown > 0 && b->down[0] == link) || (b->ndown > 1 && b->down[1] == link);
}

bool bdg_out(const struct bdg *b, const struct routing_ways *w, uint32_t group, uint32_t sw,
	     uint32_t in, uint64_t *out)
{
	const struct routing *r = b->r;
	uint32_t words = routing_words(r, sw);
	uint64_t rest = 0;

	if (r->group[group].kind[sw] == ROUTING_FLOOD) {
		memset(out, 0, words * sizeof(*out));
		for (uint32_t c = r->first[sw], i = 0; c < r->first[sw + 1]; c++, i++)
			if (i != in && !link_is_down(b, r->channel[c].link))
				out[i / 64] |= UINT64_C(1) << i % 64;
		return false;
	}
	memcpy(out, routing_next(w, r, sw), words * sizeof(*out));
	if (w->mode != ROUTING_LOCAL || in == ROUTING_NONE || !routing_has(out, in))
		return true;
	out[in / 64] &= ~(UINT64_C(1) << in % 64);
	for (uint32_t i = 0; i < words; i++)
		rest |= out[i];
	if (!rest)
		out[in / 64] |= UINT64_C(1) << in % 64;
	return true;
}

static void leave_by_port(const struct bdg *b, int lane, uint32_t sw, uint32_t in_port,
			  const uint64_t *out, bdg_each *each, void *ctx)
{
	for (uint32_t i = 0; i < routing_words(b->r, sw); i++)
		for (uint64_t m = out[i]; m; m &= m - 1) {
			uint32_t c = b->r->first[sw] + i * 64 + (uint32_t)__builtin_ctzll(m);

			each(ctx, bdg_after(b, lane, in_port, c), c);
		}
}

void bdg_leave(const struct bdg *b, int lane, uint32_t sw, uint32_t in_port, const uint64_t *out,
	       bdg_each *each, void *ctx)
{
	const struct fabric *f = b->r->f;
	uint32_t port = view_first_port(f, b->r->node[sw]);
	uint32_t end = port + view_port_count(f, b->r->node[sw]);

	if (in_port != VIEW_NONE || !b->remaps) {
		leave_by_port(b, lane, sw, in_port, out, each, ctx);
		return;
	}
	for (; port < end; port++)	/* what a class becomes may depend on the host */
		if (b->r->switch_of[routing_far(b->r, port)] == ROUTING_NONE)
			leave_by_port(b, lane, sw, port, out, each, ctx);
}

struct walk { struct bdg *b; uint32_t depth; };

static void push(void *ctx, int lane, uint32_t c)
{
	struct walk *w = ctx;
	uint32_t x = bdg_state(w->b, lane, c);

	if (routing_has(w->b->seen, x))
		return;
	w->b->seen[x / 64] |= UINT64_C(1) << x % 64;
	w->b->stack[w->depth++] = x;
}

static bool begin(struct walk *w, int lane, uint32_t group)
{
	struct bdg *b = w->b;
	uint64_t set[BDG_WORDS];
	bool at_all = false;

	for (uint32_t s = 0; s < b->r->nswitches; s++) {
		if (!bdg_sends(b, lane, s, group))
			continue;
		at_all = true;
		if (bdg_out(b, &b->ways, group, s, ROUTING_NONE, set))
			bdg_leave(b, lane, s, VIEW_NONE, set, push, w);
	}
	return at_all;
}

/* All that frames to the group can do, from all that send to it in these lanes. */
static void walk(struct bdg *b, int first, int lanes, uint32_t group)
{
	const struct routing *r = b->r;
	uint64_t set[BDG_WORDS];
	struct walk w = { b, 0 };
	bool at_all = false;

	memset(b->seen, 0, (b->states / 64 + 1) * sizeof(*b->seen));
	for (int lane = first; lane < first + lanes; lane++)
		at_all |= begin(&w, lane, group);
	while (at_all && w.depth) {
		uint32_t x = b->stack[--w.depth], c = x % r->nchannels, s = r->channel[c].to;
		int lane = b->remaps ? (int)(x / r->nchannels) : first;
		struct bdg_matrix *m = &b->matrix[b->nmatrices == 1 ? 0 : lane];
		uint32_t in = bdg_local(b, r->channel[c].back), words = routing_words(r, s);
		uint64_t *row = bdg_row(b, m, s, in);
		bool on = bdg_out(b, &b->ways, group, s, in, set);

		m->passed[c / 64] |= UINT64_C(1) << c % 64;
		for (uint32_t i = 0; i < words; i++)
			row[i] |= set[i];
		if (on)
			bdg_leave(b, lane, s, r->channel[c].in_port, set, push, &w);
	}
}

/* Sources that have nothing to send by: the group is cut off from them. */
static int64_t cut_off(const struct bdg *b, int lane, uint32_t group)
{
	const struct routing *r = b->r;
	const struct routing_group *g = &r->group[group];
	int64_t n = 0;

	for (uint32_t s = 0; s < r->nswitches; s++) {
		const uint64_t *next = routing_next(&b->ways, r, s);
		uint64_t any = g->kind[s] != ROUTING_WAYS;

		for (uint32_t i = 0; i < routing_words(r, s); i++)
			any |= next[i];
		for (int i = 0; i < g->nat; i++)
			any |= g->at[i] == s;
		n += !any && bdg_sends(b, lane, s, group);
	}
	return n;
}

static void walk_all(struct bdg *b, struct bdg_result *out)
{
	const struct routing *r = b->r;
	int lanes = b->scope == BDG_ALL && !b->remaps ? b->nlanes > 0 : b->nlanes;

	for (int i = 0; i < b->nmatrices; i++) {
		memset(b->matrix[i].row, 0, b->row_at[r->nswitches] * sizeof(uint64_t));
		memset(b->matrix[i].passed, 0, (r->nchannels / 64 + 1) * sizeof(uint64_t));
	}
	for (uint32_t g = 0; g < r->ngroups; g++) {
		routing_ways(r, g, b->mode, b->down, b->ndown, &b->ways);
		if (b->remaps)
			walk(b, 0, b->nlanes, g);
		for (int i = 0; i < lanes; i++) {
			if (!b->remaps)
				walk(b, i, 1, g);
			out->cut_off += cut_off(b, i, g);
		}
	}
}

/* -------------------------------------------------------------------- edges */

/* Priorities whose pause stops frames that the matrix brings in by `channel` as `prio`
 * and that leave by the channel `out`. */
static uint8_t waits_for(const struct bdg *b, int matrix, uint32_t channel, int prio, uint32_t out)
{
	uint32_t s = b->r->channel[channel].to;

	if (!b->remaps)
		return stopped(b, out, b->matrix[matrix].target[s * 8 + (uint32_t)prio]);
	return bdg_stoppers(b, bdg_after(b, matrix, b->r->channel[channel].in_port, out), out);
}

/* Does the matrix bring frames in by the channel as the priority? */
static bool brings(const struct bdg *b, int matrix, uint32_t channel, int prio)
{
	const struct bdg_matrix *m = &b->matrix[matrix];
	uint32_t s = b->r->channel[channel].to;

	return routing_has(m->passed, channel) && m->target[s * 8 + (uint32_t)prio];
}

static void add_edges(struct bdg *b, uint32_t channel, int prio, size_t *n)
{
	const struct routing *r = b->r;
	uint32_t s = r->channel[channel].to, in = bdg_local(b, r->channel[channel].back);
	size_t most = *n + (size_t)routing_degree(r, s) * 8 * (size_t)b->nmatrices;

	if (most > b->edge_room) {
		b->edge_room = 2 * most + 1024;
		b->edge = mem_grow(b->edge, b->edge_room * sizeof(*b->edge));
	}
	for (int i = 0; i < b->nmatrices; i++) {
		const uint64_t *row = bdg_row(b, &b->matrix[i], s, in);

		if (!brings(b, i, channel, prio))
			continue;
		for (uint32_t w = 0; w < routing_words(r, s); w++)
			for (uint64_t m = row[w]; m; m &= m - 1) {
				uint32_t c =
					r->first[s] + w * 64 + (uint32_t)__builtin_ctzll(m);
				uint8_t target = waits_for(b, i, channel, prio, c);

				for (unsigned p = target & b->lossless[c]; p; p &= p - 1)
					b->edge[(*n)++] = c * 8 + (uint32_t)__builtin_ctz(p);
			}
	}
}

/* Frames of the priority can come in by the channel. */
static bool vertex(const struct bdg *b, uint32_t channel, int prio)
{
	if (!(b->lossless[channel] >> prio & 1))
		return false;
	for (int i = 0; i < b->nmatrices; i++)
		if (brings(b, i, channel, prio))
			return true;
	return false;
}

bool bdg_build(struct bdg *b, enum routing_mode mode, const uint32_t *down, int ndown,
	       struct bdg_result *out)
{
	size_t n = 0;

	sim_assert(ndown <= 2);
	*out = (struct bdg_result){ 0 };
	b->mode = mode;
	b->ndown = ndown;
	for (int i = 0; i < ndown; i++)
		b->down[i] = down[i];
	walk_all(b, out);
	for (uint32_t v = 0; v < bdg_vertices(b); v++) {
		b->edge_at[v] = (uint32_t)n;
		if (!vertex(b, v / 8, (int)(v % 8)))
			continue;
		out->vertices++;
		add_edges(b, v / 8, (int)(v % 8), &n);
	}
	b->edge_at[bdg_vertices(b)] = (uint32_t)n;
	out->edges = (uint32_t)n;
	bdg_scc(b, out);
	return out->components > 0;
}
