/*
 * scenario/topology.c - nodes and links from the section `topology`.
 */
#include "scenario/topology.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/generate.h"
#include "scenario/pattern.h"
#include "sim/mem.h"

enum { NAME_MAX_BYTES = 64, NEAR_MAX = 20000 };

void topology_fini(struct topology *topo)
{
	for (int i = 0; i < topo->nnodes; i++) {
		free(topo->nodes[i].name);
		free(topo->nodes[i].pointer);
	}
	for (int i = 0; i < topo->nlinks; i++) {
		free(topo->links[i].a);
		free(topo->links[i].b);
		free(topo->links[i].pointer);
	}
	free(topo->nodes);
	free(topo->links);
	free(topo->hosts);
	free(topo->switches);
	free(topo->names);
	*topo = (struct topology){0};
}

/* ----------------------------------------------------------------- adding */

int topology_add_node(struct topology *topo, const struct read *at, bool host, const char *fmt,
		      ...)
{
	char name[NAME_MAX_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof name, fmt, ap);
	va_end(ap);
	if (topo->nnodes == TOPOLOGY_NODES_MAX)
		return read_fail(at, JSONC_KEY, "more than %d nodes", TOPOLOGY_NODES_MAX);
	if (topo->nnodes == topo->nodes_room) {
		topo->nodes_room = topo->nodes_room ? 2 * topo->nodes_room : 64;
		topo->nodes =
			mem_grow(topo->nodes, (size_t)topo->nodes_room * sizeof *topo->nodes);
	}
	topo->nodes[topo->nnodes++] = (struct topology_node){mem_strdup(name), host,
							     mem_strdup(at->pointer)};
	return 0;
}

int topology_add_link(struct topology *topo, const struct read *at, const char *a, int a_port,
		      const char *b, int b_port, const struct link_conf *conf)
{
	if (topo->nlinks == TOPOLOGY_LINKS_MAX)
		return read_fail(at, JSONC_KEY, "more than %d links", TOPOLOGY_LINKS_MAX);
	if (topo->nlinks == topo->links_room) {
		topo->links_room = topo->links_room ? 2 * topo->links_room : 64;
		topo->links =
			mem_grow(topo->links, (size_t)topo->links_room * sizeof *topo->links);
	}
	topo->links[topo->nlinks++] = (struct topology_link){
		mem_strdup(a), mem_strdup(b), a_port, b_port, *conf, mem_strdup(at->pointer)};
	return 0;
}

/* A cable given over a delay takes its place, and the other way round. */
static int read_link_keys(const struct read *at, struct link_conf *conf)
{
	struct read cable, delay;
	bool has_cable = read_child(at, "cable", &cable);
	bool has_delay = read_child(at, "delay", &delay);

	if (has_cable && !has_delay)
		conf->delay_ps = -1;
	if (has_cable && has_delay && json_is_string(delay.json) &&
	    strcmp(json_string_value(delay.json), "cable") != 0)
		return read_fail(&delay, JSONC_KEY, "both cable and delay are given; give one");
	return read_table(at, link_params, NULL, conf);
}

int topology_read_link(const struct read *at, const char *key, const char *section,
		       struct link_conf *conf)
{
	struct read link;

	param_defaults(link_params, conf);
	if (!read_child(at, key, &link))
		return 0;
	return read_keys(&link, section) ? -1 : read_link_keys(&link, conf);
}

/* ------------------------------------------------------- nodes and links */

static int read_nodes(const struct read *at, struct topology *topo)
{
	struct read nodes, node;
	const char *name;
	json_t *value;
	int rc = 0;

	if (!read_child(at, "nodes", &nodes))
		return 0;
	if (read_object(&nodes))
		return -1;
	json_object_foreach(nodes.json, name, value) {
		struct sim_error err = {0};
		const char *kind;

		if (!read_entry(&nodes, name, "node", &node)) {
			rc = -1;
			continue;
		}
		kind = read_text(&node);
		if (pattern_name_check(name, &err))
			rc = read_fail(&node, JSONC_KEY, "%s", err.text);
		else if (kind && strcmp(kind, "switch") != 0 && strcmp(kind, "host") != 0)
			rc = read_fail(&node, JSONC_VALUE,
				       "a node is a \"switch\" or a \"host\", "
				       "not a \"%s\"",
				       kind);
		else if (!kind || topology_add_node(topo, &node, *kind == 'h', "%s", name))
			rc = -1;
	}
	return rc;
}

/* "leaf0:3" -> name and port. */
static int read_end(const struct read *link, const char *key, char *name, size_t size,
		    int *port)
{
	struct read end;
	const char *text, *colon;
	char *stop;
	long n;

	if (!read_child(link, key, &end))
		return read_fail(link, JSONC_VALUE,
				 "this link needs \"%s\", the node at one end", key);
	text = read_text(&end);
	if (!text)
		return -1;
	colon = strchr(text, ':');
	snprintf(name, size, "%.*s", colon ? (int)(colon - text) : (int)strnlen(text, size),
		 text);
	*port = TOPOLOGY_ANY_PORT;
	if (!colon)
		return 0;
	n = strtol(colon + 1, &stop, 10);
	if (colon[1] < '0' || colon[1] > '9' || *stop || n > TOPOLOGY_PORT_MAX)
		return read_fail(&end, JSONC_VALUE,
				 "\"%s\" is no port number (0 to %d) in \"%s\"", colon + 1,
				 TOPOLOGY_PORT_MAX, text);
	*port = (int)n;
	return 0;
}

static int read_links(const struct read *at, struct topology *topo)
{
	struct link_conf base, conf;
	struct read links, link;
	char a[NAME_MAX_BYTES], b[NAME_MAX_BYTES];
	int rc = topology_read_link(at, "link", "topology.link", &base), a_port, b_port;

	if (!read_child(at, "links", &links))
		return rc;
	if (!json_is_array(links.json))
		return read_fail(&links, JSONC_VALUE, "links must be a list [ ... ], not %s",
				 read_kind(links.json));
	for (size_t i = 0; read_index(&links, i, &link); i++) {
		conf = base;
		if (read_keys(&link, "topology.links.ITEM") ||
		    read_end(&link, "a", a, sizeof a, &a_port) ||
		    read_end(&link, "b", b, sizeof b, &b_port) ||
		    read_link_keys(&link, &conf) ||
		    topology_add_link(topo, &link, a, a_port, b, b_port, &conf))
			rc = -1;
	}
	return rc;
}

/* --------------------------------------------------------------- checking */

static int by_name(const void *a, const void *b)
{
	return pattern_natural(((const struct topology_node *)a)->name,
			       ((const struct topology_node *)b)->name);
}

const struct topology_node *topology_node(const struct topology *topo, const char *name)
{
	struct topology_node key = {.name = (char *)(uintptr_t)name};

	return topo->nnodes ? bsearch(&key, topo->nodes, (size_t)topo->nnodes,
				      sizeof *topo->nodes, by_name) : NULL;
}

bool topology_linked(const struct topology *topo, const char *a, const char *b)
{
	return topology_rate_bps(topo, a, b) > 0;
}

int64_t topology_rate_bps(const struct topology *topo, const char *a, const char *b)
{
	int64_t least = 0;

	for (int i = 0; i < topo->nlinks; i++) {
		const struct topology_link *l = &topo->links[i];

		if (((strcmp(l->a, a) == 0 && strcmp(l->b, b) == 0) ||
		     (strcmp(l->a, b) == 0 && strcmp(l->b, a) == 0)) &&
		    (!least || l->conf.rate_bps < least))
			least = l->conf.rate_bps;
	}
	return least;
}

int topology_unknown(const struct topology *topo, const struct read *at, const char *name)
{
	const char *near = NULL;

	if (topo->nnodes <= NEAR_MAX && topo->nnodes)
		near = error_nearest(name, topo->names);
	if (near)
		return read_fail(at, JSONC_VALUE,
				 "there is no node \"%s\"; did you mean \"%s\"?", name, near);
	return read_fail(at, JSONC_VALUE, "there is no node \"%s\"", name);
}

static int sort_nodes(const struct read *at, struct topology *topo)
{
	size_t n = (size_t)topo->nnodes + 1;
	int rc = 0;

	if (topo->nnodes == 0)
		return read_fail(at, JSONC_KEY,
				 "the topology has no nodes; give it a generator, "
				 "such as \"leaf_spine\", or \"nodes\" and \"links\"");
	qsort(topo->nodes, (size_t)topo->nnodes, sizeof *topo->nodes, by_name);
	topo->names = mem_zalloc(n * sizeof *topo->names);
	topo->hosts = mem_zalloc(n * sizeof *topo->hosts);
	topo->switches = mem_zalloc(n * sizeof *topo->switches);
	for (int i = 0; i < topo->nnodes; i++) {
		const struct topology_node *node = &topo->nodes[i];

		topo->names[i] = node->name;
		if (node->host)
			topo->hosts[topo->nhosts++] = node->name;
		else
			topo->switches[topo->nswitches++] = node->name;
		if (i && strcmp(node->name, topo->nodes[i - 1].name) == 0)
			rc = read_fail(at, JSONC_KEY, "two nodes are named \"%s\"", node->name);
	}
	return rc;
}

struct ports { uint64_t *bits; int words; };	/* of one node: those in use */

static bool port_take(struct ports *p, int port)
{
	int word = port / 64;
	uint64_t bit = UINT64_C(1) << (port % 64);

	if (word >= p->words) {
		p->bits = mem_grow(p->bits, (size_t)(word + 1) * sizeof *p->bits);
		memset(p->bits + p->words, 0, (size_t)(word + 1 - p->words) * sizeof *p->bits);
		p->words = word + 1;
	}
	if (p->bits[word] & bit)
		return false;
	p->bits[word] |= bit;
	return true;
}

static int port_free(const struct ports *p)
{
	for (int w = 0; w < p->words; w++) {
		if (~p->bits[w])
			return w * 64 + __builtin_ctzll(~p->bits[w]);
	}
	return p->words * 64;
}

static int check_end(const struct topology *topo, const struct read *link, const char *key,
		     const char *name, int *port, struct ports *ports, bool any)
{
	const struct topology_node *node = topology_node(topo, name);
	struct read end, *at = &end;
	struct ports *p;

	end = *link;
	jsonc_pointer_add(end.pointer, sizeof end.pointer, key);
	if (!node)
		return any ? 0 : topology_unknown(topo, at, name);
	p = &ports[node - topo->nodes];
	if (any && *port == TOPOLOGY_ANY_PORT)
		*port = port_free(p);
	else if (any || *port == TOPOLOGY_ANY_PORT)
		return 0;
	if (*port > TOPOLOGY_PORT_MAX)
		return read_fail(at, JSONC_VALUE, "%s has no port left", name);
	if (!port_take(p, *port))
		return read_fail(at, JSONC_VALUE, "port %s:%d has another link already", name,
				 *port);
	return 0;
}

/* Ports that are named first, then the others get the lowest that are free. */
static int check_links(const struct read *at, struct topology *topo)
{
	struct ports *ports = mem_zalloc((size_t)topo->nnodes * sizeof *ports);
	struct read place = *at;
	int rc = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < topo->nlinks; i++) {
			struct topology_link *l = &topo->links[i];

			snprintf(place.pointer, sizeof place.pointer, "%s", l->pointer);
			if (check_end(topo, &place, "a", l->a, &l->a_port, ports, pass == 1) ||
			    check_end(topo, &place, "b", l->b, &l->b_port, ports, pass == 1))
				rc = -1;
			if (pass == 0 && strcmp(l->a, l->b) == 0)
				rc = read_fail(&place, JSONC_KEY,
					       "this link joins \"%s\" to itself", l->a);
		}
	}
	for (int i = 0; i < topo->nnodes; i++)
		free(ports[i].bits);
	free(ports);
	return rc;
}

static int override_links(const struct read *at, struct topology *topo)
{
	struct read all, one;
	const char *pattern;
	json_t *value;
	int rc = 0;

	if (!read_child(at, "override", &all))
		return 0;
	if (read_object(&all))
		return -1;
	json_object_foreach(all.json, pattern, value) {
		struct sim_error err = {0};
		bool hit = false;

		if (!read_entry(&all, pattern, "override", &one)) {
			rc = -1;
			continue;
		}
		if (read_keys(&one, "topology.override.LINKS")) {
			rc = -1;
			continue;
		}
		if (pattern_check(pattern, &err)) {
			rc = read_fail(&one, JSONC_KEY, "%s", err.text);
			continue;
		}
		for (int i = 0; i < topo->nlinks; i++) {
			struct topology_link *l = &topo->links[i];

			if (!pattern_match_link(pattern, l->a, l->b))
				continue;
			hit = true;
			if (read_link_keys(&one, &l->conf))
				return -1;
		}
		if (!hit)
			rc = read_fail(&one, JSONC_KEY,
				       "no link matches \"%s\"; a link is written "
				       "\"%s-%s\"",
				       pattern, topo->nlinks ? topo->links[0].a : "A",
				       topo->nlinks ? topo->links[0].b : "B");
	}
	return rc;
}

static int run_generator(const struct read *at, struct topology *topo)
{
	const char *used = NULL;
	struct read section;
	int rc = 0;

	for (int i = 0; generate_name(i); i++) {
		if (!read_child(at, generate_name(i), &section))
			continue;
		if (used)
			return read_fail(&section, JSONC_KEY,
					 "two generators, \"%s\" and \"%s\"; "
					 "a topology has one",
					 used, generate_name(i));
		used = generate_name(i);
		rc = generate_add(i, &section, topo);
	}
	return rc;
}

int topology_load(const struct read *experiment, struct topology *topo)
{
	struct read at;
	int rc;

	if (!read_child(experiment, "topology", &at))
		return read_fail(experiment, JSONC_VALUE, "the experiment has no \"topology\"");
	rc = read_keys(&at, "topology");
	if (json_is_object(at.json)) {
		rc |= run_generator(&at, topo);
		rc |= read_nodes(&at, topo);
		rc |= read_links(&at, topo);
	}
	if (rc || sort_nodes(&at, topo))
		return -1;
	return check_links(&at, topo) || override_links(&at, topo) ? -1 : 0;
}
