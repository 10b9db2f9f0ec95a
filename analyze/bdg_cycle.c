/* analyze/bdg_cycle.c - a circle of the graph, and who would make it. */
#include <stdlib.h>
#include <string.h>
#include "analyze/bdg_inside.h"
#include "sim/assert.h"
#include "sim/mem.h"

enum { STARTS = 512 };		/* vertices from which a shorter circle is looked for */

/* ----------------------------------------------------------- shortest circle */

/* Breadth first from `v` inside its component until it comes back: the circle's
 * length, with the way in `parent`; 0 when none is shorter than `most`. */
static uint32_t way_back(const struct bdg *b, uint32_t v, uint32_t most, uint32_t *parent,
			 uint32_t *depth, uint32_t *queue, uint32_t *last)
{
	uint32_t head = 0, tail = 0;

	memset(depth, 0, bdg_vertices(b) * sizeof(*depth));
	queue[tail++] = v;
	depth[v] = 1;
	while (head < tail) {
		uint32_t u = queue[head++];

		if (depth[u] >= most)
			return 0;
		for (uint32_t e = b->edge_at[u]; e < b->edge_at[u + 1]; e++) {
			uint32_t w = b->edge[e];

			if (w == v) {
				*last = u;
				return depth[u];
			}
			if (b->component[w] != b->component[v] || depth[w])
				continue;
			depth[w] = depth[u] + 1;
			parent[w] = u;
			queue[tail++] = w;
		}
	}
	return 0;
}

/* The vertices of a shortest circle; returns how many. */
static uint32_t shortest_circle(const struct bdg *b, uint32_t **out)
{
	uint32_t n = bdg_vertices(b), best = UINT32_MAX, starts = 0, last = 0;
	uint32_t *block = mem_zalloc((3 * (size_t)n + 1) * sizeof(*block));
	uint32_t *parent = block, *depth = block + n, *queue = block + 2 * n;

	*out = NULL;
	for (uint32_t v = 0; v < n && starts < STARTS && best > 2; v++) {
		uint32_t length;

		if (b->component[v] == BDG_ALONE)
			continue;
		starts++;
		length = way_back(b, v, best, parent, depth, queue, &last);
		if (!length)
			continue;
		best = length;
		*out = mem_grow(*out, length * sizeof(**out));
		for (uint32_t i = length, u = last; i-- > 0; u = parent[u])
			(*out)[i] = u;
	}
	free(block);
	return *out ? best : 0;
}

/* ------------------------------------------------------------------ its flows */

struct search {
	struct bdg *b;
	struct bdg_cycle *cycle;
	const uint32_t *v;		/* vertices of the circle */
	uint32_t *parent, *depth, *queue;	/* by state */
	uint32_t tail, from;		/* of the queue; the state that is being left */
	uint32_t *best;			/* by edge: channels up to the vertex */
	bool *on;			/* by channel: of the circle */
	bool through;			/* follow frames along the circle */
	bool *been;			/* by switch: scratch */
};

static void step(void *ctx, int lane, uint32_t c)
{
	struct search *s = ctx;
	uint32_t x = bdg_state(s->b, lane, c);

	if (s->depth[x])
		return;
	s->depth[x] = s->from == ROUTING_NONE ? 1 : s->depth[s->from] + 1;
	s->parent[x] = s->from;
	s->queue[s->tail++] = x;
}

/* Breadth first from all that send to the group.  Unless `through`, frames that have
 * entered the circle are not followed: those found enter it at the vertex itself. */
static void spread(struct search *s, int lane, uint32_t group)
{
	struct bdg *b = s->b;
	const struct routing *r = b->r;
	uint64_t set[BDG_WORDS];

	memset(s->depth, 0, b->states * sizeof(*s->depth));
	s->tail = 0;
	s->from = ROUTING_NONE;
	for (uint32_t sw = 0; sw < r->nswitches; sw++)
		if (bdg_sends(b, lane, sw, group) && bdg_out(b, &b->ways, group, sw, ROUTING_NONE, set))
			bdg_leave(b, lane, sw, VIEW_NONE, set, step, s);
	for (uint32_t head = 0; head < s->tail; head++) {
		uint32_t x = s->from = s->queue[head], c = x % r->nchannels, sw = r->channel[c].to;
		int now = b->remaps ? (int)(x / r->nchannels) : lane;

		if ((s->on[c] && !s->through) ||
		    !bdg_out(b, &b->ways, group, sw, bdg_local(b, r->channel[c].back), set))
			continue;
		bdg_leave(b, now, sw, r->channel[c].in_port, set, step, s);
	}
}

static bool reaches(const struct routing_group *g, uint32_t sw)
{
	for (int i = 0; i < g->nat; i++)
		if (g->at[i] == sw)
			return true;
	return false;
}

/* The way on from `c` to a switch of the group: its last channel, with `from` (+ 1)
 * back to c; ROUTING_NONE when there is none that passes no switch twice. */
static uint32_t find_end(const struct search *s, uint32_t group, uint32_t c, bool twice,
			 uint32_t *from, uint32_t *queue)
{
	const struct bdg *b = s->b;
	const struct routing *r = b->r;
	uint64_t set[BDG_WORDS];
	uint32_t head = 0, tail = 0;

	memset(from, 0, r->nchannels * sizeof(*from));
	queue[tail++] = c;
	from[c] = c + 1;
	while (head < tail) {
		uint32_t x = queue[head++], sw = r->channel[x].to;

		if (reaches(&r->group[group], sw))
			return x;
		if (!bdg_out(b, &b->ways, group, sw, bdg_local(b, r->channel[x].back), set))
			continue;
		for (uint32_t o = 0; o < routing_degree(r, sw); o++) {
			uint32_t next = r->first[sw] + o;

			if (!routing_has(set, o) || from[next] ||
			    (!twice && s->been[r->channel[next].to]))
				continue;
			from[next] = x + 1;
			queue[tail++] = next;
		}
	}
	return ROUTING_NONE;
}

/* Appends the way on from the last channel of the path, if it can be without passing a
 * switch of the path again. */
static void go_on(const struct search *s, uint32_t group, struct bdg_flow *f)
{
	const struct routing *r = s->b->r;
	uint32_t *from = mem_zalloc((2 * (size_t)r->nchannels + 1) * sizeof(*from));
	uint32_t c = f->path[f->npath - 1], end, i = 0;
	int n = 0;

	memset(s->been, 0, r->nswitches);
	s->been[r->channel[f->path[0]].from] = true;
	for (int k = 0; k < f->npath; k++)
		s->been[r->channel[f->path[k]].to] = true;
	end = find_end(s, group, c, false, from, from + r->nchannels);
	if (end == ROUTING_NONE)
		end = find_end(s, group, c, true, from, from + r->nchannels);
	for (uint32_t x = end; x != ROUTING_NONE && x != c; x = from[x] - 1)
		n++;
	f->path = mem_grow(f->path, (size_t)(f->npath + n + 1) * sizeof(*f->path));
	f->npath += n;
	for (uint32_t x = end; x != ROUTING_NONE && x != c; x = from[x] - 1)
		f->path[f->npath - 1 - (int)i++] = x;
	free(from);
}

/* Frames of the lane in state `x` make edge i. */
static void set_flow(struct search *s, int i, int lane, uint32_t group, uint32_t x,
		     uint32_t next)
{
	const struct bdg *b = s->b;
	const struct routing *r = b->r;
	struct bdg_flow *f = &s->cycle->flow[i];
	uint32_t first = ROUTING_NONE, leaf;

	free(f->path);
	*f = (struct bdg_flow){ .dscp = b->lane[lane].dscp, .class_ = b->lane[lane].class_,
				.at = (int)s->depth[x] - 1, .npath = (int)s->depth[x] + 1 };
	f->path = mem_zalloc((size_t)f->npath * sizeof(*f->path));
	f->path[f->npath - 1] = next;
	for (int k = f->at; k >= 0; k--, x = s->parent[x])
		first = f->path[k] = x % r->nchannels;
	leaf = r->channel[first].from;
	f->dst = r->group[group].hosts[0];
	f->src = routing_host_at(r, leaf, f->dst);
	if (b->scope == BDG_TRAFFIC) {
		f->src = b->lane[lane].pair[(size_t)group * r->nswitches + leaf].src;
		f->dst = b->lane[lane].pair[(size_t)group * r->nswitches + leaf].dst;
	}
	f->floods = r->group[group].kind[r->channel[next].from] == ROUTING_FLOOD;
	if (!f->floods)
		go_on(s, group, f);
}

/* Is edge i made by frames that are in channel v / 8 in lane `now`?  They were sent in `lane`. */
static void try_edge(struct search *s, int i, int lane, int now, uint32_t group)
{
	const struct bdg *b = s->b;
	const struct routing *r = b->r;
	uint64_t set[BDG_WORDS];
	uint32_t v = s->v[i], w = s->v[(i + 1) % s->cycle->n], c = v / 8, x = bdg_state(b, now, c);
	uint32_t sw = r->channel[c].to;

	if (!s->depth[x] || s->depth[x] >= s->best[i] || b->lane[now].prio[sw] != v % 8)
		return;
	if (!(bdg_stoppers(b, bdg_after(b, now, r->channel[c].in_port, w / 8), w / 8) >> w % 8 & 1))
		return;
	bdg_out(b, &b->ways, group, sw, bdg_local(b, r->channel[c].back), set);
	if (!routing_has(set, bdg_local(b, w / 8)))
		return;
	s->best[i] = s->depth[x];
	set_flow(s, i, lane, group, x, w / 8);
}

/* Which edges of the circle do frames of the lane to the group make? */
static void try_edges(struct search *s, int lane, uint32_t group)
{
	for (int i = 0; i < s->cycle->n; i++) {
		if (!s->b->remaps)
			try_edge(s, i, lane, lane, group);
		for (int now = 0; s->b->remaps && now < s->b->nlanes; now++)
			try_edge(s, i, lane, now, group);
	}
}

static void look_through(struct search *s)
{
	struct bdg *b = s->b;

	for (uint32_t g = 0; g < b->r->ngroups; g++) {
		routing_ways(b->r, g, b->mode, b->down, b->ndown, &b->ways);
		for (int lane = 0; lane < b->nlanes; lane++) {
			spread(s, lane, g);
			try_edges(s, lane, g);
		}
	}
}

/* Those found so far stay; true when that is all. */
static bool all_found(struct search *s)
{
	bool all = true;

	for (int i = 0; i < s->cycle->n; i++) {
		all &= s->best[i] != UINT32_MAX;
		if (s->best[i] != UINT32_MAX)
			s->best[i] = 0;
	}
	return all;
}

static void find_flows(struct bdg *b, const uint32_t *v, struct bdg_cycle *cycle)
{
	const struct routing *r = b->r;
	size_t n = b->states;
	uint32_t *block = mem_zalloc((3 * n + (size_t)cycle->n + 1) * sizeof(*block));
	struct search s = { .b = b, .cycle = cycle, .v = v, .parent = block, .depth = block + n,
			    .queue = block + 2 * n, .best = block + 3 * n,
			    .on = mem_zalloc(r->nchannels + 1), .been = mem_zalloc(r->nswitches + 1) };

	for (int i = 0; i < cycle->n; i++) {
		s.best[i] = UINT32_MAX;
		s.on[v[i] / 8] = true;
	}
	look_through(&s);
	s.through = true;
	if (!all_found(&s))
		look_through(&s);
	free(s.on);
	free(s.been);
	free(block);
}

/* As ids of vertices. */
static uint32_t *vertices_of(const struct bdg *b, const struct bdg_cycle *c)
{
	uint32_t *v = mem_zalloc((size_t)c->n * sizeof(*v) + 1);

	for (int i = 0; i < c->n; i++)
		for (uint32_t k = 0; k < b->r->nchannels; k++)
			if (b->r->channel[k].in_port == c->vertex[i].port)
				v[i] = k * 8 + (uint32_t)c->vertex[i].prio;
	return v;
}

void bdg_flows(struct bdg *b, struct bdg_cycle *cycle)
{
	uint32_t *v = vertices_of(b, cycle);
	struct bdg_cycle other = *cycle;

	other.flow = mem_zalloc((size_t)cycle->n * sizeof(*other.flow));
	find_flows(b, v, &other);
	for (int i = 0; i < cycle->n; i++) {
		if (!other.flow[i].path)
			continue;
		free(cycle->flow[i].path);
		cycle->flow[i] = other.flow[i];
	}
	free(other.flow);
	free(v);
}

void bdg_cycle(struct bdg *b, struct bdg_cycle *out)
{
	uint32_t *v;

	*out = (struct bdg_cycle){ .n = (int)shortest_circle(b, &v) };
	if (!out->n)
		return;
	out->vertex = mem_zalloc((size_t)out->n * sizeof(*out->vertex));
	out->flow = mem_zalloc((size_t)out->n * sizeof(*out->flow));
	for (int i = 0; i < out->n; i++)
		out->vertex[i] = (struct bdg_vertex){ .port = b->r->channel[v[i] / 8].in_port,
						      .prio = (int)(v[i] % 8) };
	find_flows(b, v, out);
	for (int i = 0; i < out->n; i++)
		sim_assert(out->flow[i].path);
	free(v);
}

void bdg_cycle_fini(struct bdg_cycle *c)
{
	for (int i = 0; i < c->n; i++)
		free(c->flow[i].path);
	free(c->flow);
	free(c->vertex);
	*c = (struct bdg_cycle){ 0 };
}
