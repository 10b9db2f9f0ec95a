/* analyze/witness.c - see witness.h */
#include "analyze/witness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/config.h"
#include "sim/mem.h"

enum { EXTRA = 3 };			/* more sources of the stream that closes the gap */

struct plan {
	const struct routing *r;
	const struct bdg_cycle *cycle;
	struct witness *w;
	bool *busy;			/* by node: a host that has its part */
	bool broken;			/* two ways for one switch and host */
};

/* ------------------------------------------------------------------ building */

static struct witness_stream *add_stream(struct plan *p, const char *name, int i, uint32_t src,
					 uint32_t dst, int class_)
{
	struct witness *w = p->w;
	struct witness_stream *s;

	w->stream = mem_grow(w->stream, (size_t)(w->streams + 1) * sizeof(*w->stream));
	s = &w->stream[w->streams++];
	*s = (struct witness_stream){ .src = src, .dst = dst, .class_ = class_,
				      .stop_ps = UNITS_NEVER };
	snprintf(s->name, sizeof(s->name), i < 0 ? "%s" : "%s-%d", name, i);
	p->busy[src] = p->busy[dst] = true;
	return s;
}

/* At switch `at`, to `dst`, via switch `via`.  A pin that contradicts breaks the plan. */
static void pin(struct plan *p, uint32_t at, uint32_t dst, uint32_t via, bool flood)
{
	struct witness *w = p->w;
	struct witness_route route = { p->r->node[at], dst, p->r->node[via], flood };

	for (int i = 0; i < w->routes; i++) {
		const struct witness_route *x = &w->route[i];

		if (x->at != route.at || x->to != dst)
			continue;
		p->broken |= x->flood != flood || (!flood && x->via != route.via);
		return;
	}
	w->route = mem_grow(w->route, (size_t)(w->routes + 1) * sizeof(*w->route));
	w->route[w->routes++] = route;
}

static bool pin_fits(const struct plan *p, uint32_t at, uint32_t dst, uint32_t via)
{
	for (int i = 0; i < p->w->routes; i++)
		if (p->w->route[i].at == p->r->node[at] && p->w->route[i].to == dst)
			return !p->w->route[i].flood && p->w->route[i].via == p->r->node[via];
	return true;
}

/* The first `must` of the path; the rest as far as it fits what is pinned: where a route
 * loops, frames go round until their TTL ends, and never get there. */
static void pin_path(struct plan *p, const uint32_t *path, int must, int n, uint32_t dst,
		     bool floods)
{
	for (int i = 0; i < n; i++) {
		const struct routing_channel *c = &p->r->channel[path[i]];

		if (i >= must && !pin_fits(p, c->from, dst, c->to))
			return;
		pin(p, c->from, dst, c->to, floods && i == n - 1);
	}
}

static void hold(struct plan *p, uint32_t host)
{
	struct witness *w = p->w;

	for (int i = 0; i < w->helds; i++)
		if (w->held[i] == host)
			return;
	w->held = mem_grow(w->held, (size_t)(w->helds + 1) * sizeof(*w->held));
	w->held[w->helds++] = host;
}

/* A host at the switch that has no part yet; ROUTING_NONE when there is none. */
static uint32_t idle_host(const struct plan *p, uint32_t sw)
{
	const struct fabric *f = p->r->f;
	uint32_t port = view_first_port(f, p->r->node[sw]);
	uint32_t end = port + view_port_count(f, p->r->node[sw]);

	for (; port < end; port++) {
		uint32_t h = view_port(f, view_port(f, port).peer_port).node;

		if (p->r->switch_of[h] == ROUTING_NONE && !p->busy[h] &&
		    view_port_count(f, h) == 1)
			return h;
	}
	return ROUTING_NONE;
}

/* ------------------------------------------------------------------- streams */

/* A host of the group of `dst` whose ways are still free to pin along the path. */
static uint32_t free_dst(const struct plan *p, const struct bdg_flow *f)
{
	const struct routing_group *g = &p->r->group[p->r->group_of[f->dst]];

	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < g->nhosts; i++) {
			bool fits = pass || !p->busy[g->hosts[i]];

			for (int k = 0; k < f->npath && fits && (!pass || k < f->at + 2); k++)
				fits = pin_fits(p, p->r->channel[f->path[k]].from, g->hosts[i],
						p->r->channel[f->path[k]].to);
			if (fits && g->hosts[i] != f->src)
				return g->hosts[i];
		}
	return f->dst;
}

/* The stream that makes vertex i wait on the next. */
static struct witness_stream *flow_stream(struct plan *p, int i)
{
	const struct bdg_flow *f = &p->cycle->flow[i];
	uint32_t src = idle_host(p, p->r->channel[f->path[0]].from), dst = f->dst;

	if (!f->floods)
		dst = free_dst(p, f);
	if (src == ROUTING_NONE || src == dst)
		src = f->src;
	pin_path(p, f->path, f->at + 2, f->npath, dst, f->floods);
	return add_stream(p, "circle", i, src, dst, f->class_);
}

static uint32_t channel_of(const struct plan *p, int i)
{
	return p->cycle->flow[i].path[p->cycle->flow[i].at];
}

/* How many edges of the circle, ending with i, the flow of i passes on its way. */
static int run_of(const struct plan *p, int i)
{
	const struct bdg_flow *f = &p->cycle->flow[i];
	int n = p->cycle->n, run = 1;

	while (run < n && run <= f->at &&
	       f->path[f->at - run] == channel_of(p, (i + n - run) % n))
		run++;
	return run;
}

/* --------------------------------------------------------------------- times */

/* Time to fill the ingress group behind `in_port` to its limit, at its line rate. */
static int64_t fill_ps(const struct plan *p, uint32_t in_port, int class_, uint32_t src)
{
	const struct fabric *f = p->r->f;
	struct view_port port = view_port(f, in_port);
	int prio = view_priority_of(f, port.node, view_dscp_of(f, src, class_));
	struct view_limits l = view_limits(f, in_port, prio);
	int64_t limit = config_limit(&l, view_pool(f, port.node, view_part(f, in_port)).shared_bytes, 1);

	return units_tx_ps((limit + l.headroom_bytes) * 5 / 4, port.rate_bps) +
	       4 * port.delay_ps + 20000000;
}

/* Of all groups from the source to the vertex. */
static int64_t flow_fill_ps(const struct plan *p, const struct bdg_flow *f)
{
	uint32_t host_port = view_port(p->r->f, view_first_port(p->r->f, f->src)).peer_port;
	int64_t sum = fill_ps(p, host_port, f->class_, f->src);

	for (int i = 0; i <= f->at; i++)
		sum += fill_ps(p, p->r->channel[f->path[i]].in_port, f->class_, f->src);
	return sum;
}

static int64_t circle_fill_ps(const struct plan *p)
{
	int64_t sum = 0;

	for (int i = 0; i < p->cycle->n; i++)
		sum += flow_fill_ps(p, &p->cycle->flow[i]);
	return sum;
}

/* ------------------------------------------------------------- WITNESS_FILL */

static bool on_circle(const struct plan *p, uint32_t channel)
{
	for (int i = 0; i < p->cycle->n; i++)
		if (channel_of(p, i) == channel)
			return true;
	return false;
}

/* The nearest idle host behind channel `c`, without entering the circle again; pins
 * the way from where c begins. */
static uint32_t sink_behind(struct plan *p, uint32_t c)
{
	const struct routing *r = p->r;
	uint32_t *from = mem_zalloc((r->nchannels + 1) * sizeof(*from)); /* + 1; 0: not seen */
	uint32_t *queue = mem_zalloc((r->nchannels + 1) * sizeof(*queue)), head = 0, tail = 0;
	uint32_t host = ROUTING_NONE;

	queue[tail++] = c;
	from[c] = c + 1;
	while (head < tail) {
		uint32_t x = queue[head++], sw = r->channel[x].to;

		host = idle_host(p, sw);
		if (host != ROUTING_NONE) {
			for (; ; x = from[x] - 1) {
				pin(p, r->channel[x].from, host, r->channel[x].to, false);
				if (x == c)
					break;
			}
			break;
		}
		for (uint32_t y = r->first[sw]; y < r->first[sw + 1]; y++)
			if (!from[y] && !on_circle(p, y) && r->channel[y].back != x) {
				from[y] = x + 1;
				queue[tail++] = y;
			}
	}
	free(from);
	free(queue);
	return host;
}

/* The edge whose gap is left to the end: its stream enters the circle there. */
static int last_gap(const struct plan *p)
{
	int best = -1;

	for (int i = 0; i < p->cycle->n; i++)
		if (run_of(p, i) == 1 &&
		    (best < 0 || p->cycle->flow[i].at < p->cycle->flow[best].at))
			best = i;
	return best;
}

/* Fills group `gap` for a while with frames to a host that is held. */
static int64_t first_stream(struct plan *p, int gap)
{
	const struct bdg_flow *f = &p->cycle->flow[gap];
	const struct bdg_flow *before = &p->cycle->flow[(gap + p->cycle->n - 1) % p->cycle->n];
	uint32_t c = channel_of(p, gap), dst = sink_behind(p, c), src;
	struct witness_stream *s;
	int64_t fill = fill_ps(p, p->r->channel[c].in_port, f->class_, f->src);

	if (dst == ROUTING_NONE)
		return -1;
	src = idle_host(p, p->r->channel[c].from);
	if (src == ROUTING_NONE || src == dst) {	/* along the stream before it */
		src = before->src;
		pin_path(p, before->path, before->at + 1, before->at + 1, dst, false);
		fill += flow_fill_ps(p, before);
	}
	s = add_stream(p, "first", -1, src, dst, f->class_);
	s->stop_ps = fill;
	hold(p, dst);
	return fill + 20000000;
}

static int64_t gap_stream(struct plan *p, int gap, int64_t at)
{
	const struct bdg_flow *f = &p->cycle->flow[gap];
	struct witness_stream *s = flow_stream(p, gap);
	int class_ = s->class_;
	uint32_t dst = s->dst;

	s->start_ps = at;
	for (int k = 0; k < EXTRA && f->at == 0; k++) {
		uint32_t src = idle_host(p, p->r->channel[f->path[0]].from);

		if (src == ROUTING_NONE)
			break;
		add_stream(p, "gap", k, src, dst, class_)->start_ps = at;
	}
	return at + flow_fill_ps(p, f);
}

static bool make_fill(struct plan *p)
{
	int n = p->cycle->n, gap = last_gap(p), i;
	int64_t at;

	if (gap < 0)
		return false;
	at = first_stream(p, gap);
	if (at < 0)
		return false;
	at = gap_stream(p, gap, at);
	for (int left = n - 1; left > 0;) { /* backwards: edges gap - 1, gap - 2, ... */
		int run;

		i = (gap + left) % n;
		run = run_of(p, i);
		if (run > left)
			run = left;
		flow_stream(p, i)->start_ps = at;
		at += flow_fill_ps(p, &p->cycle->flow[i]);
		left -= run;
	}
	p->w->release_ps = at;
	p->w->until_ps = at + 4 * circle_fill_ps(p);
	return true;
}

/* --------------------------------------------------------------- all at once */

static bool make_together(struct plan *p, bool held)
{
	int64_t fill = circle_fill_ps(p);

	for (int i = 0; i < p->cycle->n; i++) {
		const struct witness_stream *s = flow_stream(p, i);

		if (held)
			hold(p, s->dst);
	}
	p->w->release_ps = held ? fill : 0;
	p->w->until_ps = p->w->release_ps + 20 * fill;
	return true;
}

/* ----------------------------------------------------------------------- all */

static int64_t frame_bytes(const struct routing *r)
{
	int64_t most = 1000;

	for (uint32_t s = 0; s < r->nswitches; s++) {
		const struct switch_conf *c = view_switch_conf(r->f, r->node[s]);

		if (c->mtu_bytes + 18 < most)
			most = c->mtu_bytes + 18;
	}
	return most;
}

bool witness_make(const struct routing *r, const struct bdg_cycle *cycle,
		  enum witness_plan plan, struct witness *out)
{
	struct plan p = { .r = r, .cycle = cycle, .w = out,
			  .busy = mem_zalloc(view_nodes(r->f) + 1) };
	bool made;

	*out = (struct witness){ .frame_bytes = frame_bytes(r) };
	for (int i = 0; i < cycle->n; i++)	/* their own, before others take them */
		if (cycle->flow[i].floods)
			p.busy[cycle->flow[i].dst] = true;
	made = plan == WITNESS_FILL ? make_fill(&p) : make_together(&p, plan == WITNESS_HOLD);
	free(p.busy);
	if (made && !p.broken)
		return true;
	witness_fini(out);
	return false;
}

void witness_fini(struct witness *w)
{
	free(w->stream);
	free(w->route);
	free(w->held);
	*w = (struct witness){ 0 };
}
