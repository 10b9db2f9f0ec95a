/* analyze/routing.c - see routing.h */
#include "analyze/routing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/assert.h"
#include "sim/mem.h"
#include "sim/rng.h"

enum { FAR = INT32_MAX, PORTS_MAX = 256 };

/* -------------------------------------------------------- switches, channels */

static uint32_t peer_node(const struct fabric *f, uint32_t port)
{
	return view_port(f, view_port(f, port).peer_port).node;
}

static void find_switches(struct routing *r)
{
	uint32_t n = view_nodes(r->f);

	r->node = mem_zalloc(n * sizeof(*r->node));
	r->switch_of = mem_zalloc(n * sizeof(*r->switch_of));
	for (uint32_t i = 0; i < n; i++) {
		r->switch_of[i] = ROUTING_NONE;
		if (!view_is_switch(r->f, i))
			continue;
		r->switch_of[i] = r->nswitches;
		r->node[r->nswitches++] = i;
	}
}

/* Channels leave by the ports that face a switch, in order. */
static void find_channels(struct routing *r)
{
	const struct fabric *f = r->f;
	uint32_t *of_port = mem_zalloc((view_ports(f) + 1) * sizeof(*of_port));

	r->first = mem_zalloc((r->nswitches + 1) * sizeof(*r->first));
	r->word = mem_zalloc((r->nswitches + 1) * sizeof(*r->word));
	r->channel = mem_zalloc((view_ports(f) + 1) * sizeof(*r->channel));
	for (uint32_t s = 0; s < r->nswitches; s++) {
		uint32_t port = view_first_port(f, r->node[s]);
		uint32_t end = port + view_port_count(f, r->node[s]);

		r->first[s] = r->nchannels;
		for (; port < end; port++) {
			uint32_t to = r->switch_of[peer_node(f, port)];

			if (to == ROUTING_NONE)
				continue;
			of_port[port] = r->nchannels;
			r->channel[r->nchannels++] = (struct routing_channel){
				.from = s, .to = to, .out_port = port,
				.in_port = view_port(f, port).peer_port };
		}
		r->word[s + 1] = r->word[s] + (r->nchannels - r->first[s] + 63) / 64;
	}
	r->first[r->nswitches] = r->nchannels;
	for (uint32_t c = 0; c < r->nchannels; c++)
		r->channel[c].back = of_port[r->channel[c].in_port];
	free(of_port);
}

static void find_hosts(struct routing *r)
{
	r->host = mem_zalloc((2 * r->nswitches + 1) * sizeof(*r->host));
	for (uint32_t s = 0; s < r->nswitches; s++) {
		uint32_t port = view_first_port(r->f, r->node[s]), n = 0;
		uint32_t end = port + view_port_count(r->f, r->node[s]);

		r->host[2 * s] = r->host[2 * s + 1] = ROUTING_NONE;
		for (; port < end && n < 2; port++) {
			uint32_t h = peer_node(r->f, port);

			if (r->switch_of[h] == ROUTING_NONE && (!n || r->host[2 * s] != h))
				r->host[2 * s + n++] = h;
		}
	}
}

static void add_link(struct routing *r, struct routing_link link)
{
	r->link = mem_grow(r->link, (r->nlinks + 1) * sizeof(*r->link));
	r->link[r->nlinks++] = link;
}

/* Between switches; and the links of hosts that have several. */
static void find_links(struct routing *r)
{
	const struct fabric *f = r->f;

	for (uint32_t c = 0; c < r->nchannels; c++) {
		struct routing_channel *x = &r->channel[c];

		if (x->back < c)
			continue;
		x->link = r->channel[x->back].link = r->nlinks;
		add_link(r,
			 (struct routing_link){ x->out_port, x->in_port, x->from, x->to, c });
	}
	for (uint32_t h = 0; h < view_nodes(f); h++) {
		uint32_t port = view_first_port(f, h), n = view_port_count(f, h);

		for (uint32_t i = 0; r->switch_of[h] == ROUTING_NONE && n > 1 && i < n; i++) {
			uint32_t far = view_port(f, port + i).peer_port;
			uint32_t sw = r->switch_of[view_port(f, far).node];

			if (sw != ROUTING_NONE)
				add_link(r,
					 (struct routing_link){ far, port + i, sw, ROUTING_NONE,
								ROUTING_NONE });
		}
	}
}

/* -------------------------------------------------------------------- groups */

/* What the fabric has for host `h`, as a group of one. */
static void take_row(const struct routing *r, uint32_t h, struct routing_group *g)
{
	uint32_t ports[PORTS_MAX];

	memset(g->base, 0, (r->word[r->nswitches] + 1) * sizeof(*g->base));
	for (uint32_t s = 0; s < r->nswitches; s++) {
		int n = view_next_hops(r->f, r->node[s], h, ports, PORTS_MAX);
		uint32_t c = r->first[s];

		g->kind[s] = n == VIEW_FLOOD ? ROUTING_FLOOD : n == VIEW_DROP ? ROUTING_DROP
									      : ROUTING_WAYS;
		for (int i = 0; i < n; i++) {
			while (c < r->first[s + 1] && r->channel[c].out_port < ports[i])
				c++;
			if (c < r->first[s + 1] && r->channel[c].out_port == ports[i])
				g->base[r->word[s] + (c - r->first[s]) / 64] |=
					UINT64_C(1) << (c - r->first[s]) % 64;
		}
	}
}

static uint32_t failable(const struct routing *r, uint32_t host_port)
{
	for (uint32_t l = r->nlinks; l-- > 0 && r->link[l].b == ROUTING_NONE; )
		if (r->link[l].b_port == host_port)
			return l;
	return ROUTING_NONE;
}

static void take_places(const struct routing *r, uint32_t h, struct routing_group *g)
{
	uint32_t port = view_first_port(r->f, h), n = view_port_count(r->f, h);

	g->nat = 0;
	g->at = mem_grow(g->at, n * sizeof(*g->at) + 1);
	g->at_link = mem_grow(g->at_link, n * sizeof(*g->at_link) + 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sw = r->switch_of[peer_node(r->f, port + i)];

		if (sw == ROUTING_NONE)
			continue;
		g->at[g->nat] = sw;
		g->at_link[g->nat++] = n > 1 ? failable(r, port + i) : ROUTING_NONE;
	}
}

static bool same_group(const struct routing *r, const struct routing_group *a,
		       const struct routing_group *b)
{
	return a->nat == b->nat && !memcmp(a->at, b->at, (size_t)a->nat * sizeof(*a->at)) &&
	       a->nat < 2 &&		/* each link of a host with several is its own */
	       !memcmp(a->kind, b->kind, r->nswitches) &&
	       !memcmp(a->base, b->base, r->word[r->nswitches] * sizeof(*a->base));
}

static struct routing_group new_group(const struct routing *r)
{
	return (struct routing_group){
		.base = mem_zalloc((r->word[r->nswitches] + 1) * sizeof(uint64_t)),
		.kind = mem_zalloc(r->nswitches + 1),
		.set_by_hand = mem_zalloc((r->nswitches + 1) * sizeof(bool)) };
}

static void free_group(struct routing_group *g)
{
	free(g->hosts);
	free(g->at);
	free(g->at_link);
	free(g->base);
	free(g->kind);
	free(g->set_by_hand);
}

static void join(struct routing *r, uint32_t group, uint32_t h)
{
	struct routing_group *g = &r->group[group];

	g->hosts = mem_grow(g->hosts, (size_t)(g->nhosts + 1) * sizeof(*g->hosts));
	g->hosts[g->nhosts++] = h;
	r->group_of[h] = group;
}

/* Hosts of one switch stand together in `last`, the groups that it has so far. */
static void find_groups(struct routing *r)
{
	uint32_t nodes = view_nodes(r->f), i;
	struct routing_group probe = new_group(r);

	r->group_of = mem_zalloc(nodes * sizeof(*r->group_of));
	for (uint32_t h = 0; h < nodes; h++) {
		r->group_of[h] = ROUTING_NONE;
		if (r->switch_of[h] != ROUTING_NONE || !view_port_count(r->f, h))
			continue;
		take_row(r, h, &probe);
		take_places(r, h, &probe);
		for (i = r->ngroups; i-- > 0; )
			if (same_group(r, &r->group[i], &probe))
				break;
		if (i == UINT32_MAX) {
			r->group = mem_grow(r->group, (r->ngroups + 1) * sizeof(*r->group));
			i = r->ngroups++;
			r->group[i] = probe;
			probe = new_group(r);
		}
		join(r, i, h);
	}
	free_group(&probe);
}

/* --------------------------------------------------------------------- ways */

void routing_ways_new(struct routing_ways *w, const struct routing *r)
{
	*w = (struct routing_ways){
		.next = mem_zalloc((r->word[r->nswitches] + 1) * sizeof(*w->next)),
		.bounced = mem_zalloc((r->nswitches + 1) * sizeof(*w->bounced)),
		.dist = mem_zalloc((r->nswitches + 1) * sizeof(*w->dist)),
		.queue = mem_zalloc((r->nswitches + 1) * sizeof(*w->queue)) };
}

void routing_ways_free(struct routing_ways *w)
{
	free(w->next);
	free(w->bounced);
	free(w->dist);
	free(w->queue);
	*w = (struct routing_ways){ 0 };
}

static bool is_down(uint32_t link, const uint32_t *down, int ndown)
{
	for (int i = 0; i < ndown; i++)
		if (down[i] == link)
			return true;
	return false;
}

/* Does a host of the group hang on the switch, by a link that is up? */
static bool delivers(const struct routing_group *g, uint32_t sw, const uint32_t *down,
		     int ndown)
{
	for (int i = 0; i < g->nat; i++)
		if (g->at[i] == sw && !is_down(g->at_link[i], down, ndown))
			return true;
	return false;
}

static void set_bit(uint64_t *set, uint32_t i) { set[i / 64] |= UINT64_C(1) << i % 64; }

/* Breadth first from where the hosts hang; all next hops one nearer. */
static void shortest(const struct routing *r, const struct routing_group *g,
		     const uint32_t *down, int ndown, struct routing_ways *w)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t s = 0; s < r->nswitches; s++)
		w->dist[s] = FAR;
	for (int i = 0; i < g->nat; i++)
		if (w->dist[g->at[i]] == FAR && !is_down(g->at_link[i], down, ndown)) {
			w->dist[g->at[i]] = 1;
			w->queue[tail++] = g->at[i];
		}
	memset(w->next, 0, r->word[r->nswitches] * sizeof(*w->next));
	while (head < tail) {
		uint32_t s = w->queue[head++];

		for (uint32_t c = r->first[s]; c < r->first[s + 1]; c++) {
			const struct routing_channel *x = &r->channel[c];

			if (is_down(x->link, down, ndown))
				continue;
			if (w->dist[x->to] == FAR) {
				w->dist[x->to] = w->dist[s] + 1;
				w->queue[tail++] = x->to;
			}
			if (w->dist[x->to] == w->dist[s] - 1)
				set_bit(w->next + r->word[s], c - r->first[s]);
		}
	}
}

/* The channels of `base` that are up; false when there are none. */
static bool left_over(const struct routing *r, const struct routing_group *g, uint32_t s,
		      const uint32_t *down, int ndown, uint64_t *out)
{
	uint32_t words = routing_words(r, s);
	uint64_t any = 0;

	memcpy(out, g->base + r->word[s], words * sizeof(*out));
	for (int i = 0; i < ndown; i++) {
		const struct routing_link *l = &r->link[down[i]];
		uint32_t c = l->channel;

		if (c != ROUTING_NONE && r->channel[c].from != s)
			c = r->channel[c].back;
		if (c != ROUTING_NONE && r->channel[c].from == s)
			out[(c - r->first[s]) / 64] &= ~(UINT64_C(1) << (c - r->first[s]) % 64);
	}
	for (uint32_t i = 0; i < words; i++)
		any |= out[i];
	return any != 0;
}

static void all_neighbours(const struct routing *r, uint32_t s, const uint32_t *down, int ndown,
			   uint64_t *out)
{
	memset(out, 0, routing_words(r, s) * sizeof(*out));
	for (uint32_t c = r->first[s]; c < r->first[s + 1]; c++)
		if (!is_down(r->channel[c].link, down, ndown))
			set_bit(out, c - r->first[s]);
}

static bool empty(const uint64_t *set, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		if (set[i])
			return false;
	return true;
}

static void local(const struct routing *r, const struct routing_group *g, uint32_t s,
		  const uint32_t *down, int ndown, struct routing_ways *w)
{
	uint64_t *next = w->next + r->word[s];
	bool had = !empty(g->base + r->word[s], routing_words(r, s));
	bool at = delivers(g, s, NULL, 0);

	if (left_over(r, g, s, down, ndown, next) || g->kind[s] != ROUTING_WAYS)
		return;
	if ((had || at) && !(at && delivers(g, s, down, ndown))) {
		all_neighbours(r, s, down, ndown, next);
		w->bounced[s] = true;
	}
}

void routing_ways(const struct routing *r, uint32_t group, enum routing_mode mode,
		  const uint32_t *down, int ndown, struct routing_ways *w)
{
	const struct routing_group *g = &r->group[group];

	w->mode = ndown ? mode : ROUTING_GLOBAL;
	memset(w->bounced, 0, r->nswitches * sizeof(*w->bounced));
	if (!ndown) {
		memcpy(w->next, g->base, r->word[r->nswitches] * sizeof(*w->next));
		return;
	}
	if (mode == ROUTING_LOCAL) {
		for (uint32_t s = 0; s < r->nswitches; s++)
			local(r, g, s, down, ndown, w);
		return;
	}
	shortest(r, g, down, ndown, w);
	for (uint32_t s = 0; s < r->nswitches; s++) {
		uint64_t keep[PORTS_MAX / 8];		/* 255 ports, and room */

		if (!g->set_by_hand[s])
			continue;
		sim_assert(routing_words(r, s) <= sizeof(keep) / sizeof(*keep));
		if (left_over(r, g, s, down, ndown, keep) || g->kind[s] != ROUTING_WAYS)
			memcpy(w->next + r->word[s], keep, routing_words(r, s) * sizeof(*keep));
	}
}

static void find_by_hand(struct routing *r)
{
	struct routing_ways w;

	routing_ways_new(&w, r);
	for (uint32_t i = 0; i < r->ngroups; i++) {
		struct routing_group *g = &r->group[i];

		shortest(r, g, NULL, 0, &w);
		for (uint32_t s = 0; s < r->nswitches; s++) {
			g->set_by_hand[s] = g->kind[s] != ROUTING_WAYS ||
				memcmp(g->base + r->word[s], w.next + r->word[s],
				       routing_words(r, s) * sizeof(*w.next));
			r->by_hand |= g->set_by_hand[s];
		}
	}
	routing_ways_free(&w);
}

/* --------------------------------------------------------------------- all */

struct routing *routing_new(const struct fabric *f)
{
	struct routing *r = mem_zalloc(sizeof(*r));

	r->f = f;
	find_switches(r);
	find_channels(r);
	find_hosts(r);
	find_links(r);
	find_groups(r);
	find_by_hand(r);
	return r;
}

void routing_free(struct routing **rp)
{
	struct routing *r = *rp;

	if (!r)
		return;
	for (uint32_t i = 0; i < r->ngroups; i++)
		free_group(&r->group[i]);
	free(r->group);
	free(r->group_of);
	free(r->host);
	free(r->node);
	free(r->switch_of);
	free(r->first);
	free(r->word);
	free(r->channel);
	free(r->link);
	free(r);
	*rp = NULL;
}

char *routing_port_name(const struct routing *r, uint32_t port, char *buf, size_t size)
{
	struct view_port p = view_port(r->f, port);

	snprintf(buf, size, "%s:%d", view_node_name(r->f, p.node), p.number);
	return buf;
}

char *routing_link_name(const struct routing *r, uint32_t link, char *buf, size_t size)
{
	char a[96], b[96];

	snprintf(buf, size, "%s - %s", routing_port_name(r, r->link[link].a_port, a, sizeof(a)),
		 routing_port_name(r, r->link[link].b_port, b, sizeof(b)));
	return buf;
}
