/*
 * analyze/bdg_fail.c - the graph under every failure of one or two links.
 *
 * Links between the same two switches are a bundle: which of them fails is all
 * one.  Bundles that a symmetry of the fabric takes into one another are tried
 * once; of pairs, one for each class of first links, and each class of second
 * links under the symmetries that leave the first where it is.  A link that no
 * frame passes changes nothing when it fails.
 *
 * The symmetries are those of the switches with their settings.  What somebody
 * set by hand, for some destination only, stays in its place.
 */
#include <stdlib.h>
#include <string.h>
#include "analyze/bdg_inside.h"
#include "analyze/symmetry.h"
#include "sim/mem.h"
#include "sim/rng.h"

struct bundle { uint32_t link, second; int64_t links; };

struct fail {
	struct bdg *b;
	enum routing_mode mode;
	const volatile int *stop;
	struct symmetry sym;
	struct bundle *bundle;
	uint32_t bundles;
	uint32_t *rep, *rep2;		/* of bundles: alone; with the first one down */
	bool *used;			/* by bundle: with the first one down */
	int64_t base_cut_off;
	int64_t cyclic2, cut_off2;	/* twice the numbers: pairs of one class come twice */
	struct bdg_failures *out;
};

/* -------------------------------------------------------------------- graph */

/* What the switch's remaps say of a neighbour: alike for those that they treat alike. */
static uint64_t role(const struct bdg *b, uint32_t s, uint32_t node)
{
	const struct fabric *f = b->r->f;
	const struct switch_conf *c = view_switch_conf(f, b->r->node[s]);
	const char *name = view_node_name(f, node);
	uint64_t sum = 0;

	for (int i = 0; i < c->nremaps; i++) {
		const struct switch_remap_conf *x = &c->remap[i];
		uint64_t rule = rng_hash_text(0, x->name), in = 0, out = 0;

		for (int k = 0; k < FABRIC_CLASSES; k++)
			rule = rng_hash(rule, (uint64_t)(x->class_to[k] + 1));
		for (int k = 0; k < x->froms; k++)
			in |= !strcmp(x->from[k], name);
		for (int k = 0; k < x->tos; k++)
			out |= !strcmp(x->to[k], name);
		sum += in || out ? rng_hash(rule, 1 + in + 2 * out) : 0;
	}
	return sum;
}

/* Of its hosts, all together. */
static uint64_t host_roles(const struct bdg *b, uint32_t s)
{
	const struct fabric *f = b->r->f;
	uint32_t port = view_first_port(f, b->r->node[s]);
	uint32_t end = port + view_port_count(f, b->r->node[s]);
	uint64_t sum = 0;

	for (; b->remaps && port < end; port++)
		if (b->r->switch_of[routing_far(b->r, port)] == ROUTING_NONE)
			sum += rng_hash(5, role(b, s, routing_far(b->r, port)));
	return sum;
}

static uint64_t switch_color(const struct bdg *b, uint32_t s)
{
	const struct routing *r = b->r;
	uint64_t color = 1;

	for (int i = 0; i < b->nlanes; i++)
		color = rng_hash(color, (uint64_t)b->lane[i].prio[s] * 8 + b->lane[i].queue[s]);
	color = rng_hash(color, (uint64_t)view_switch_conf(r->f, r->node[s])->pfc.mode);
	color = rng_hash(color, r->host[2 * s] != ROUTING_NONE);
	color = rng_hash(color, r->host[2 * s + 1] != ROUTING_NONE);
	color = rng_hash(color, host_roles(b, s));
	for (uint32_t c = r->first[s]; c < r->first[s + 1]; c++) {
		uint8_t mask = b->lossless[r->channel[c].back];

		if (mask != b->lossless[r->channel[r->first[s]].back])
			return rng_hash(7, s);		/* its ports differ: it stays */
		color = c == r->first[s] ? rng_hash(color, mask) : color;
	}
	return color;
}

static void pin_by_hand(const struct bdg *b, const struct routing_group *g, uint64_t *color)
{
	const struct routing *r = b->r;
	bool any = false;

	for (uint32_t s = 0; s < r->nswitches; s++) {
		if (!g->set_by_hand[s])
			continue;
		any = true;
		color[s] = rng_hash(7, s);
		for (uint32_t c = r->first[s]; c < r->first[s + 1]; c++)
			if (routing_has(g->base + r->word[s], c - r->first[s]))
				color[r->channel[c].to] = rng_hash(7, r->channel[c].to);
	}
	for (int i = 0; any && i < g->nat; i++)
		color[g->at[i]] = rng_hash(7, g->at[i]);
}

/* Nodes: the switches, then the hosts with several links. */
static uint64_t *node_colors(const struct bdg *b, uint32_t *nodes)
{
	const struct routing *r = b->r;
	uint64_t *color = mem_zalloc((r->nswitches + r->ngroups + 1) * sizeof(*color));

	*nodes = r->nswitches + r->ngroups;
	for (uint32_t s = 0; s < r->nswitches; s++)
		color[s] = b->scope == BDG_ALL ? switch_color(b, s) : rng_hash(7, s);
	for (uint32_t g = 0; g < r->ngroups; g++) {
		color[r->nswitches + g] = r->group[g].nat > 1 ? 3 : rng_hash(9, g);
		pin_by_hand(b, &r->group[g], color);
	}
	return color;
}

/* The node at the far end of a link: a switch, or the group of a host. */
static uint32_t far_node(const struct routing *r, const struct routing_link *l)
{
	if (l->b != ROUTING_NONE)
		return l->b;
	return r->nswitches + r->group_of[view_port(r->f, l->b_port).node];
}

/* The roles at both ends of a link; the nodes are pinned when these could be taken for
 * one another. */
static uint64_t edge_roles(const struct bdg *b, uint32_t x, uint32_t y, uint64_t *color)
{
	const struct routing *r = b->r;
	bool is_switch = y < r->nswitches;
	uint32_t far = is_switch ? r->node[y] : r->group[y - r->nswitches].hosts[0];
	uint64_t here = role(b, x, far), there = is_switch ? role(b, y, r->node[x]) : 0;

	if (here != there && color[x] == color[y]) {
		color[x] = rng_hash(7, x);
		color[y] = rng_hash(7, y);
	}
	return rng_hash(here + there, here ^ there) << 8;
}

static void make_graph(struct fail *x)
{
	const struct routing *r = x->b->r;
	struct symmetry_edge *edge = mem_zalloc((r->nlinks + 1) * sizeof(*edge));
	uint64_t *color;
	uint32_t nodes;

	x->bundle = mem_zalloc((r->nlinks + 1) * sizeof(*x->bundle));
	for (uint32_t l = 0; l < r->nlinks; l++) {
		uint32_t a = r->link[l].a, b = far_node(r, &r->link[l]), i = x->bundles;

		/* links of one switch lie together: look back no further than they go */
		while (i-- > 0 && edge[i].a == a)
			if (edge[i].b == b)
				break;
		if (i != UINT32_MAX && edge[i].a == a && edge[i].b == b) {
			x->bundle[i].links++;
			x->bundle[i].second = l;
			edge[i].color++;
			continue;
		}
		edge[x->bundles] = (struct symmetry_edge){ a, b, 1 };
		x->bundle[x->bundles++] = (struct bundle){ l, l, 1 };
	}
	color = node_colors(x->b, &nodes);
	for (uint32_t i = 0; x->b->remaps && i < x->bundles; i++)
		edge[i].color += edge_roles(x->b, edge[i].a, edge[i].b, color);
	symmetry_new(&x->sym, nodes, color, x->bundles, edge);
	free(color);
	free(edge);
	x->rep = mem_zalloc((x->bundles + 1) * sizeof(*x->rep));
	x->rep2 = mem_zalloc((x->bundles + 1) * sizeof(*x->rep2));
	x->used = mem_zalloc((x->bundles + 1) * sizeof(*x->used));
	symmetry_orbits(&x->sym, UINT32_MAX, x->rep);
}

static void free_graph(struct fail *x)
{
	symmetry_free(&x->sym);
	free(x->bundle);
	free(x->rep);
	free(x->rep2);
	free(x->used);
}

/* -------------------------------------------------------------------- tries */

static bool stopped(struct fail *x)
{
	if (x->stop && *x->stop)
		x->out->stopped = true;
	return x->out->stopped;
}

static void look_used(struct fail *x)
{
	for (uint32_t i = 0; i < x->bundles; i++)
		x->used[i] = bdg_used(x->b, x->bundle[i].link) ||
			     bdg_used(x->b, x->bundle[i].second);
}

/* One class, of `twice` / 2 sets. */
static void account(struct fail *x, const uint32_t *down, int n, int64_t twice, bool built,
		    const struct bdg_result *result)
{
	struct bdg_failures *out = x->out;

	out->classes += built;
	if (result->cut_off > x->base_cut_off)
		x->cut_off2 += twice;
	if (!result->components)
		return;
	x->cyclic2 += twice;
	if (!built || out->nfound == BDG_FOUND)
		return;
	out->found[out->nfound] =
		(struct bdg_failed){ .alike = (twice + 1) / 2, .result = *result };
	memcpy(out->found[out->nfound++].down, down, (size_t)n * sizeof(*down));
}

/* Links in the bundles that are like `i`. */
static int64_t orbit_links(const struct fail *x, const uint32_t *rep, uint32_t i)
{
	int64_t n = 0;

	for (uint32_t k = 0; k < x->bundles; k++)
		if (rep[k] == i)
			n += x->bundle[k].links;
	return n;
}

static void fail_one(struct fail *x)
{
	struct bdg_result base, result;

	bdg_build(x->b, x->mode, NULL, 0, &base);
	look_used(x);
	for (uint32_t i = 0; i < x->bundles && !stopped(x); i++) {
		uint32_t down = x->bundle[i].link;

		if (x->rep[i] != i)
			continue;
		result = base;
		if (x->used[i])
			bdg_build(x->b, x->mode, &down, 1, &result);
		account(x, &down, 1, 2 * orbit_links(x, x->rep, i), x->used[i], &result);
	}
}

/* The pairs with a first link like bundle `i`. */
static void fail_second(struct fail *x, uint32_t i)
{
	uint32_t down[2] = { x->bundle[i].link };
	int64_t firsts = orbit_links(x, x->rep, i), m = x->bundle[i].links;
	struct bdg_result one, result;

	bdg_build(x->b, x->mode, down, 1, &one);
	look_used(x);
	symmetry_orbits(&x->sym, i, x->rep2);
	for (uint32_t j = 0; j < x->bundles && !stopped(x); j++) {
		bool same = j == i, alike = x->rep[j] == i;
		bool built = x->used[j];
		int64_t twice;

		if (x->rep2[j] != j || x->rep[j] < i || (same && m < 2))
			continue;
		down[1] = same ? x->bundle[i].second : x->bundle[j].link;
		twice = same ? firsts * (m - 1)
			     : firsts * orbit_links(x, x->rep2, j) * (alike ? 1 : 2);
		result = one;
		if (built)
			bdg_build(x->b, x->mode, down, 2, &result);
		account(x, down, 2, twice, built, &result);
	}
}

void bdg_fail(struct bdg *b, enum routing_mode mode, int n, const volatile int *stop,
	      struct bdg_failures *out)
{
	struct fail x = { .b = b, .mode = mode, .stop = stop, .out = out };
	struct bdg_result base;
	int64_t links = b->r->nlinks;

	*out = (struct bdg_failures){ .n = n,
				      .sets = n == 1 ? links : links * (links - 1) / 2 };
	bdg_build(b, mode, NULL, 0, &base);
	x.base_cut_off = base.cut_off;
	make_graph(&x);
	if (n == 1)
		fail_one(&x);
	for (uint32_t i = 0; n == 2 && i < x.bundles && !stopped(&x); i++)
		if (x.rep[i] == i)
			fail_second(&x, i);
	out->cyclic = x.cyclic2 / 2;
	out->cut_off = x.cut_off2 / 2;
	free_graph(&x);
}
