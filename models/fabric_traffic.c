/* From what was asked for to workloads with node ids, checked. */
#include <stdlib.h>
#include <string.h>
#include "models/fabric_inside.h"
#include "sim/mem.h"

void fabric_traffic_largest(struct fabric *f)
{
	int64_t max = FRAME_CNP_BYTES;

	for (int i = 0; i < f->nodes; i++) {
		const struct nic_conf *c = &f->node[i].nic;
		if (f->node[i].is_switch)
			continue;
		int64_t b = c->mtu_bytes + FRAME_ROCE_BYTES + FRAME_RETH_BYTES + nic_conf_telemetry(c).bytes;
		if (b > max)
			max = b;
	}
	for (int i = 0; i < f->traffics; i++)
		if (f->traffic[i].kind == WORKLOAD_STREAM && f->traffic[i].frame_bytes > max)
			max = f->traffic[i].frame_bytes;
	f->frame_bytes_max = max;
}

static int id_order(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static uint32_t *host_ids(const struct fabric *f, const char *traffic, char **names, int n, bool sort,
			  struct sim_error *err)
{
	uint32_t *ids = mem_zalloc((size_t)n * sizeof *ids);

	for (int i = 0; i < n; i++) {
		ids[i] = fabric_find(f, names[i]);
		if (ids[i] != NET_NONE && !f->node[ids[i]].is_switch && f->net.nodes[ids[i]].ports)
			continue;
		if (ids[i] == NET_NONE || f->node[ids[i]].is_switch)
			error_set(err, "", "traffic \"%s\": there is no host \"%s\"", traffic, names[i]);
		else
			error_set(err, "", "traffic \"%s\": host %s has no link", traffic, names[i]);
		free(ids);
		return NULL;
	}
	if (sort)
		qsort(ids, (size_t)n, sizeof *ids, id_order);
	return ids;
}

static int reachable(struct fabric *f, const struct workload *w, uint32_t a, uint32_t b, struct sim_error *err)
{
	const struct node *n = &f->net.nodes[a];
	uint32_t leaf = f->net.ports[f->net.ports[n->first_port].peer].node;

	if (a == b)
		return 0;
	if (leaf == b || (f->sw[leaf] && route_kind(&f->sw[leaf]->route, b) != ROUTE_NONE))
		return 0;
	return error_set(err, "", "traffic \"%s\": there is no way from host %s to host %s", w->conf.name, n->name,
			 f->net.nodes[b].name);
}

/* Where each of the names stands among the sorted ids. */
static int32_t *places(const struct fabric *f, char **names, const uint32_t *ids, int n)
{
	int32_t *place = mem_zalloc((size_t)n * sizeof *place);

	for (int i = 0; i < n; i++) {
		uint32_t id = fabric_find(f, names[i]);
		const uint32_t *at = bsearch(&id, ids, (size_t)n, sizeof *ids, id_order);
		place[i] = (int32_t)(at - ids);
	}
	return place;
}

/* From here on from and to are places in w->from and w->to. */
static void list_in_order(const struct fabric *f, struct workload *w)
{
	struct workload_conf *c = &w->conf;
	int32_t *from = places(f, c->from, w->from, c->nfrom), *to = places(f, c->to, w->to, c->nto);

	for (int64_t i = 0; i < c->nlist; i++) {
		c->list[i].from = from[c->list[i].from];
		c->list[i].to = to[c->list[i].to];
	}
	workload_list_sort(c->list, c->nlist);
	free(from);
	free(to);
}

static int check_list(struct fabric *f, const struct workload *w, struct sim_error *err)
{
	const struct workload_conf *c = &w->conf;

	for (int64_t i = 0; i < c->nlist; i++) {
		uint32_t from = w->from[c->list[i].from], to = w->to[c->list[i].to];
		bool back = workload_verb(c, &f->node[from].nic) == NIC_READ;

		sim_assert(c->list[i].start_ps >= c->origin_ps && c->list[i].size_bytes > 0);
		if (from == to)
			return error_set(err, "", "traffic \"%s\": host %s would send to itself", c->name,
					 f->net.nodes[from].name);
		if (reachable(f, w, from, to, err) || (back && reachable(f, w, to, from, err)))
			return -1;
	}
	return 0;
}

static int check_pairs(struct fabric *f, const struct workload *w, struct sim_error *err)
{
	bool both = w->conf.kind == WORKLOAD_REQUEST_RESPONSE || w->conf.kind == WORKLOAD_STORAGE_WRITE;
	const uint32_t *to = w->conf.nto ? w->to : w->from;
	int nto = w->conf.nto ? w->conf.nto : w->conf.nfrom;

	if (w->conf.kind == WORKLOAD_LIST)
		return check_list(f, w, err);
	for (int i = 0; i < w->conf.nfrom; i++)
		for (int j = 0; j < nto; j++) {
			if (w->conf.nto && !both && w->conf.kind != WORKLOAD_POISSON && w->from[i] == to[j])
				return error_set(err, "", "traffic \"%s\": host %s would send to itself",
						 w->conf.name, f->net.nodes[w->from[i]].name);
			bool back = both || workload_verb(&w->conf, &f->node[w->from[i]].nic) == NIC_READ;
			if (reachable(f, w, w->from[i], to[j], err) || (back && reachable(f, w, to[j], w->from[i], err)))
				return -1;
		}
	return 0;
}

static int check_counts(const struct workload_conf *c, struct sim_error *err)
{
	bool pair = c->kind == WORKLOAD_FLOW || c->kind == WORKLOAD_STREAM;

	if ((pair || c->kind == WORKLOAD_INCAST) && c->nto != 1)
		return error_set(err, "", "traffic \"%s\" wants one host in \"to\", not %d", c->name, c->nto);
	if (pair && c->nfrom != 1)
		return error_set(err, "", "traffic \"%s\" wants one host in \"from\", not %d", c->name, c->nfrom);
	if ((c->kind == WORKLOAD_REQUEST_RESPONSE || c->kind == WORKLOAD_STORAGE_WRITE) && c->nto < 1)
		return error_set(err, "", "traffic \"%s\" names no server", c->name);
	if (c->kind == WORKLOAD_LIST && (c->nlist < 1 || c->nto < 1))
		return error_set(err, "", "traffic \"%s\" lists no flow", c->name);
	if ((c->kind == WORKLOAD_PERMUTATION || c->kind == WORKLOAD_ALL_TO_ALL ||
	     c->kind == WORKLOAD_RING_ALLREDUCE || (c->kind == WORKLOAD_POISSON && !c->nto)) && c->nfrom < 2)
		return error_set(err, "", "traffic \"%s\" wants two hosts or more", c->name);
	return 0;
}

int fabric_traffic_make(struct fabric *f, struct sim_error *err)
{
	struct host_net *hn = &f->hosts;

	hn->workload = mem_zalloc((size_t)f->traffics * sizeof *hn->workload);
	for (int i = 0; i < f->traffics; i++) {
		struct workload *w = &hn->workload[hn->workloads++];
		const struct workload_conf *c = &f->traffic[i];
		bool sort = c->kind != WORKLOAD_RING_ALLREDUCE;
		w->conf = *c;
		w->hash = rng_hash_text((uint64_t)f->run.seed, c->name);
		if (i && !strcmp(c->name, f->traffic[i - 1].name))
			return error_set(err, "", "two traffic entries are named \"%s\"", c->name);
		if (check_counts(c, err))
			return -1;
		w->from = host_ids(f, c->name, c->from, c->nfrom, sort, err);
		if (w->from)
			w->to = host_ids(f, c->name, c->to, c->nto, sort, err);
		if (w->from && w->to && c->kind == WORKLOAD_LIST)
			list_in_order(f, w);
		if (!w->from || !w->to || check_pairs(f, w, err))
			return -1;
	}
	return 0;
}
