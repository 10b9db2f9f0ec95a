/*
 * scenario/generate.c - leaf-spine, fat-tree, ring, dumbbell, star.
 */
#include "scenario/generate.h"

#include <stdint.h>
#include <stdio.h>

struct generate_conf {		/* of all generators; each uses some */
	int64_t leaves, spines, hosts_per_leaf, links_per_spine;
	int64_t k, pods, edges, aggs, cores, hosts_per_edge;
	int64_t switches, hosts_per_switch;
	int64_t left, right, hosts;
};

#define COUNT(key_, field, def_, max_, doc_) \
	{.key = key_, .type = PARAM_COUNT, .offset = offsetof(struct generate_conf, field), \
	 .def = def_, .min = "1", .max = max_, .doc = doc_}
#define DERIVED(key_, field, doc_)                                                          \
	{                                                                                   \
		.key = key_, .type = PARAM_COUNT,                                           \
		.offset = offsetof(struct generate_conf, field), .def = "auto", .min = "1", \
		.max = "1024", .word = "auto", .word_value = -1, .doc = doc_                \
	}

const struct param generate_leaf_spine_params[] = {
	COUNT("leaves", leaves, NULL, "4096", "Number of leaves."),
	COUNT("spines", spines, NULL, "1024", "Number of spines."),
	COUNT("hosts_per_leaf", hosts_per_leaf, NULL, "1024", "Hosts on each leaf."),
	COUNT("links_per_spine", links_per_spine, "1", "64",
	      "Links from each leaf to each spine."),
	{.key = NULL}};

const struct param generate_fat_tree_params[] = {
	DERIVED("k", k, "Ports of a switch; gives pods = k and the other numbers = k/2."),
	DERIVED("pods", pods, "Number of pods; auto is k."),
	DERIVED("edges_per_pod", edges, "Edge switches of a pod; auto is k/2."),
	DERIVED("aggs_per_pod", aggs, "Aggregation switches of a pod; auto is k/2."),
	DERIVED("cores_per_agg", cores,
		"Core switches above each aggregation switch; auto is k/2."),
	DERIVED("hosts_per_edge", hosts_per_edge, "Hosts of an edge switch; auto is k/2."),
	{.key = NULL}};

const struct param generate_ring_params[] = {
	{.key = "switches",
	 .type = PARAM_COUNT,
	 .offset = offsetof(struct generate_conf, switches),
	 .min = "2",
	 .max = "4096",
	 .doc = "Number of switches."},
	COUNT("hosts_per_switch", hosts_per_switch, "1", "1024", "Hosts on each switch."),
	{.key = NULL}};

const struct param generate_dumbbell_params[] = {
	COUNT("left", left, NULL, "4096", "Hosts on the left."),
	COUNT("right", right, NULL, "4096", "Hosts on the right."),
	{.key = NULL}};

const struct param generate_star_params[] = {
	COUNT("hosts", hosts, NULL, "16384", "Number of hosts."),
	{.key = NULL}};

/* ------------------------------------------------------------------- tools */

/* One link between two generated names. */
struct wire {
	struct topology *topo;
	const struct read *at;
	const struct link_conf *conf;
};

static int join(const struct wire *w, const char *a, int64_t a_port, const char *b,
		int64_t b_port)
{
	return topology_add_link(w->topo, w->at, a, (int)a_port, b, (int)b_port, w->conf);
}

/* `count` hosts from number `first` on one switch, whose ports begin at `port`. */
static int add_hosts(const struct wire *w, const char *sw, int64_t first, int64_t count,
		     int64_t port)
{
	char host[32];

	for (int64_t i = 0; i < count; i++) {
		snprintf(host, sizeof host, "h%lld", (long long)(first + i));
		if (topology_add_node(w->topo, w->at, true, "%s", host) ||
		    join(w, sw, port + i, host, 0))
			return -1;
	}
	return 0;
}

static int add_switch(const struct wire *w, const char *name)
{
	return topology_add_node(w->topo, w->at, false, "%s", name);
}

/* -------------------------------------------------------------- generators */

static int leaf_spine(const struct read *at, struct topology *topo)
{
	struct generate_conf c = {0};
	struct link_conf host, fabric;
	struct wire hw = {topo, at, &host}, fw = {topo, at, &fabric};
	char leaf[32], spine[32];
	int64_t n;

	param_defaults(generate_leaf_spine_params, &c);
	if (read_table(at, generate_leaf_spine_params, NULL, &c) ||
	    read_required(at, NULL, generate_leaf_spine_params) ||
	    topology_read_link(at, "host_link", "topology.leaf_spine.host_link", &host) ||
	    topology_read_link(at, "fabric_link", "topology.leaf_spine.fabric_link", &fabric))
		return -1;
	n = c.links_per_spine;
	for (int64_t s = 0; s < c.spines; s++) {
		if (topology_add_node(topo, at, false, "spine%lld", (long long)s))
			return -1;
	}
	for (int64_t l = 0; l < c.leaves; l++) {
		snprintf(leaf, sizeof leaf, "leaf%lld", (long long)l);
		if (add_switch(&hw, leaf) ||
		    add_hosts(&hw, leaf, l * c.hosts_per_leaf, c.hosts_per_leaf, 0))
			return -1;
		for (int64_t i = 0; i < c.spines * n; i++) {
			snprintf(spine, sizeof spine, "spine%lld", (long long)(i / n));
			if (join(&fw, leaf, c.hosts_per_leaf + i, spine, l * n + i % n))
				return -1;
		}
	}
	return 0;
}

/* What is auto follows from k. */
static int derive(const struct read *at, const char *key, int64_t k, int64_t *value)
{
	if (*value >= 0)
		return 0;
	if (k < 0)
		return read_fail(at, JSONC_KEY, "a fat_tree needs \"k\", or else \"%s\"", key);
	if (k % 2)
		return read_fail(at, JSONC_KEY, "k is %lld; it must be even", (long long)k);
	*value = k / 2;
	return 0;
}

static int fat_tree_pod(const struct wire *hw, const struct wire *fw,
			const struct generate_conf *c, int64_t p)
{
	char edge[48], agg[48], core[48];

	for (int64_t j = 0; j < c->aggs; j++) {
		snprintf(agg, sizeof agg, "agg%lld_%lld", (long long)p, (long long)j);
		if (add_switch(fw, agg))
			return -1;
		for (int64_t i = 0; i < c->cores; i++) {
			snprintf(core, sizeof core, "core%lld", (long long)(j * c->cores + i));
			if (join(fw, agg, c->edges + i, core, p))
				return -1;
		}
	}
	for (int64_t e = 0; e < c->edges; e++) {
		snprintf(edge, sizeof edge, "edge%lld_%lld", (long long)p, (long long)e);
		if (add_switch(fw, edge) ||
		    add_hosts(hw, edge, (p * c->edges + e) * c->hosts_per_edge,
			      c->hosts_per_edge, 0))
			return -1;
		for (int64_t j = 0; j < c->aggs; j++) {
			snprintf(agg, sizeof agg, "agg%lld_%lld", (long long)p, (long long)j);
			if (join(fw, edge, c->hosts_per_edge + j, agg, e))
				return -1;
		}
	}
	return 0;
}

static int fat_tree(const struct read *at, struct topology *topo)
{
	struct generate_conf c = {0};
	struct link_conf host, fabric;
	struct wire hw = {topo, at, &host}, fw = {topo, at, &fabric};

	param_defaults(generate_fat_tree_params, &c);
	if (read_table(at, generate_fat_tree_params, NULL, &c) ||
	    topology_read_link(at, "host_link", "topology.fat_tree.host_link", &host) ||
	    topology_read_link(at, "fabric_link", "topology.fat_tree.fabric_link", &fabric) ||
	    derive(at, "edges_per_pod", c.k, &c.edges) ||
	    derive(at, "aggs_per_pod", c.k, &c.aggs) ||
	    derive(at, "cores_per_agg", c.k, &c.cores) ||
	    derive(at, "hosts_per_edge", c.k, &c.hosts_per_edge))
		return -1;
	if (c.pods < 0)
		c.pods = c.k;
	if (c.pods < 0)
		return read_fail(at, JSONC_KEY, "a fat_tree needs \"k\", or else \"pods\"");
	for (int64_t i = 0; i < c.aggs * c.cores; i++) {
		if (topology_add_node(topo, at, false, "core%lld", (long long)i))
			return -1;
	}
	for (int64_t p = 0; p < c.pods; p++) {
		if (fat_tree_pod(&hw, &fw, &c, p))
			return -1;
	}
	return 0;
}

static int ring(const struct read *at, struct topology *topo)
{
	struct generate_conf c = {0};
	struct link_conf host, fabric;
	struct wire hw = {topo, at, &host}, fw = {topo, at, &fabric};
	char name[32], after[32];

	param_defaults(generate_ring_params, &c);
	if (read_table(at, generate_ring_params, NULL, &c) ||
	    read_required(at, NULL, generate_ring_params) ||
	    topology_read_link(at, "host_link", "topology.ring.host_link", &host) ||
	    topology_read_link(at, "fabric_link", "topology.ring.fabric_link", &fabric))
		return -1;
	for (int64_t i = 0; i < c.switches; i++) {
		snprintf(name, sizeof name, "s%lld", (long long)i);
		snprintf(after, sizeof after, "s%lld", (long long)((i + 1) % c.switches));
		if (add_switch(&fw, name) ||
		    add_hosts(&hw, name, i * c.hosts_per_switch, c.hosts_per_switch, 2) ||
		    (!(c.switches == 2 && i == 1) && join(&fw, name, 0, after, 1)))
			return -1;
	}
	return 0;
}

static int dumbbell(const struct read *at, struct topology *topo)
{
	struct generate_conf c = {0};
	struct link_conf host, middle;
	struct wire hw = {topo, at, &host}, mw = {topo, at, &middle};

	param_defaults(generate_dumbbell_params, &c);
	if (read_table(at, generate_dumbbell_params, NULL, &c) ||
	    read_required(at, NULL, generate_dumbbell_params) ||
	    topology_read_link(at, "host_link", "topology.dumbbell.host_link", &host) ||
	    topology_read_link(at, "bottleneck_link", "topology.dumbbell.bottleneck_link",
			       &middle))
		return -1;
	if (add_switch(&mw, "s0") || add_switch(&mw, "s1") ||
	    add_hosts(&hw, "s0", 0, c.left, 0) || add_hosts(&hw, "s1", c.left, c.right, 0))
		return -1;
	return join(&mw, "s0", c.left, "s1", c.right);
}

static int star(const struct read *at, struct topology *topo)
{
	struct generate_conf c = {0};
	struct link_conf host;
	struct wire hw = {topo, at, &host};

	param_defaults(generate_star_params, &c);
	if (read_table(at, generate_star_params, NULL, &c) ||
	    read_required(at, NULL, generate_star_params) ||
	    topology_read_link(at, "host_link", "topology.star.host_link", &host))
		return -1;
	return add_switch(&hw, "s0") ? -1 : add_hosts(&hw, "s0", 0, c.hosts, 0);
}

static const struct {
	const char *name;
	int (*add)(const struct read *at, struct topology *topo);
} generators[] = {
	{"leaf_spine", leaf_spine}, {"fat_tree", fat_tree}, {"ring", ring},
	{"dumbbell", dumbbell}, {"star", star}};

const char *generate_name(int i)
{
	return (size_t)i < sizeof generators / sizeof *generators ? generators[i].name : NULL;
}

int generate_add(int i, const struct read *at, struct topology *topo)
{
	char section[64];

	snprintf(section, sizeof section, "topology.%s", generators[i].name);
	return read_keys(at, section) ? -1 : generators[i].add(at, topo);
}
