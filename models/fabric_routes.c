/* Shortest paths, explicit overrides, and the way one flow takes. */
#include <stdlib.h>
#include <string.h>
#include "models/fabric_inside.h"
#include "sim/mem.h"

enum { FAR = INT32_MAX };

/* Hops from every switch to `dst`; hosts do not forward. */
static void distances(const struct fabric *f, uint32_t dst, int32_t *dist, uint32_t *queue)
{
	const struct net *net = &f->net;
	uint32_t head = 0, tail = 0;

	for (uint32_t i = 0; i < net->nnodes; i++)
		dist[i] = FAR;
	dist[dst] = 0;
	queue[tail++] = dst;
	while (head < tail) {
		uint32_t at = queue[head++];
		const struct node *n = &net->nodes[at];
		for (uint32_t i = 0; i < n->ports; i++) {
			uint32_t to = net->ports[net->ports[n->first_port + i].peer].node;
			if (!net->nodes[to].is_switch || dist[to] != FAR)
				continue;
			dist[to] = dist[at] + 1;
			queue[tail++] = to;
		}
	}
}

static void fill(struct fabric *f, uint32_t dst, const int32_t *dist)
{
	const struct net *net = &f->net;
	uint16_t set[255];

	for (uint32_t s = 0; s < net->nnodes; s++) {
		const struct node *n = &net->nodes[s];
		int count = 0;
		if (!n->is_switch || dist[s] == FAR)
			continue;
		for (uint32_t i = 0; i < n->ports && count < 255; i++) {
			uint32_t to = net->ports[net->ports[n->first_port + i].peer].node;
			if ((to == dst || net->nodes[to].is_switch) && dist[to] == dist[s] - 1)
				set[count++] = (uint16_t)i;
		}
		if (count)
			route_set(&f->sw[s]->route, dst, set, count);
	}
}

/* Hosts of one switch share their distances but at that switch; with one port
 * each (the usual case) the search runs once a switch. */
void fabric_routes_compute(struct fabric *f)
{
	const struct net *net = &f->net;
	int32_t *dist = mem_zalloc(net->nnodes * sizeof *dist);
	uint32_t *queue = mem_zalloc(net->nnodes * sizeof *queue);
	uint32_t last = NET_NONE;

	for (uint32_t h = 0; h < net->nnodes; h++) {
		const struct node *n = &net->nodes[h];
		if (n->is_switch)
			continue;
		uint32_t leaf = n->ports == 1 ? net->ports[net->ports[n->first_port].peer].node : NET_NONE;
		if (leaf == NET_NONE || !net->nodes[leaf].is_switch || leaf != last) {
			distances(f, h, dist, queue);
			last = leaf != NET_NONE && net->nodes[leaf].is_switch ? leaf : NET_NONE;
		}
		for (uint32_t i = 0; i < net->nnodes; i++)	/* the host itself moves, nothing else */
			if (!net->nodes[i].is_switch)
				dist[i] = i == h ? 0 : FAR;
		fill(f, h, dist);
	}
	free(dist);
	free(queue);
}

static int override_via(struct fabric *f, const struct route_conf *r, uint32_t at, uint32_t to,
			struct sim_error *err)
{
	const struct net *net = &f->net;
	const struct node *n = &net->nodes[at];
	uint16_t set[255];
	int count = 0;

	for (int v = 0; v < r->vias; v++) {
		uint32_t via = fabric_find(f, r->via[v]);
		int before = count;
		if (via == NET_NONE)
			return error_set(err, "", "route \"%s\": there is no node \"%s\"", r->name, r->via[v]);
		for (uint32_t i = 0; i < n->ports && count < 255; i++)
			if (net->ports[net->ports[n->first_port + i].peer].node == via)
				set[count++] = (uint16_t)i;
		if (count == before)
			return error_set(err, "", "route \"%s\": %s has no link to %s", r->name, r->at, r->via[v]);
	}
	for (int i = 1; i < count; i++)		/* ascending, whatever the order of the file */
		for (int j = i; j && set[j] < set[j - 1]; j--) {
			uint16_t t = set[j];
			set[j] = set[j - 1];
			set[j - 1] = t;
		}
	route_set(&f->sw[at]->route, to, set, count);
	return 0;
}

int fabric_routes_override(struct fabric *f, struct sim_error *err)
{
	for (int i = 0; i < f->routes; i++) {
		const struct route_conf *r = &f->route[i];
		uint32_t at = fabric_find(f, r->at), to = fabric_find(f, r->to);
		if (at == NET_NONE || !f->sw[at])
			return error_set(err, "", "route \"%s\": there is no switch \"%s\"", r->name, r->at);
		if (to == NET_NONE || f->sw[to])
			return error_set(err, "", "route \"%s\": there is no host \"%s\"", r->name, r->to);
		if (r->flood) {
			route_set_kind(&f->sw[at]->route, to, ROUTE_FLOOD);
			f->sw[at]->floods = true;
		} else if (r->drop) {
			route_set_kind(&f->sw[at]->route, to, ROUTE_DROP);
		} else if (r->vias == 0) {
			return error_set(err, "", "route \"%s\": names no way: wants via, flood or drop", r->name);
		} else if (override_via(f, r, at, to, err)) {
			return -1;
		}
	}
	return 0;
}

int fabric_path(const struct fabric *f, uint32_t src, uint32_t dst, uint32_t hash, uint32_t *ports, int max)
{
	const struct net *net = &f->net;
	const struct node *n = &net->nodes[src];
	uint32_t port = n->first_port + (n->ports > 1 ? hash % n->ports : 0);

	for (int links = 0; links < max; ) {
		ports[links++] = port;
		uint32_t at = net->ports[net->ports[port].peer].node;
		if (at == dst)
			return links;
		if (!net->nodes[at].is_switch || route_kind(&f->sw[at]->route, dst) != ROUTE_PORTS)
			return -1;
		port = net->nodes[at].first_port + route_pick(&f->sw[at]->route, dst, hash);
	}
	return -1;
}
