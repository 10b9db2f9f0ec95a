/*
 * scenario/topology.h - the nodes and links of one run.
 *
 * Filled by topology_load from the section `topology`: a generator's, those
 * written one by one, and overrides of either.  After it nodes are sorted by
 * name in natural order, and every link has two nodes that exist and two ports
 * that no other link has.
 */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H
#include <stdbool.h>
#include "models/wire/link.h"
#include "scenario/read.h"

enum { TOPOLOGY_NODES_MAX = 1 << 18, TOPOLOGY_LINKS_MAX = 1 << 20, TOPOLOGY_PORT_MAX = 65535,
       TOPOLOGY_ANY_PORT = -1 };

struct topology_node {
	char *name;
	bool host;
	char *pointer;		/* where it was written, for messages */
};
struct topology_link {
	char *a, *b;
	int a_port, b_port;
	struct link_conf conf;
	char *pointer;
};
struct topology {
	struct topology_node *nodes;
	int nnodes, nodes_room;
	struct topology_link *links;
	int nlinks, links_room;
	const char **hosts, **switches, **names;	/* sorted; names point into nodes */
	int nhosts, nswitches;
};

/* Reads `topology` of the experiment.  topo is zero before; topology_fini after,
 * also on an error. */
int topology_load(const struct read *experiment, struct topology *topo);
void topology_fini(struct topology *topo);

/* NULL when there is none. */
const struct topology_node *topology_node(const struct topology *topo, const char *name);
/* Does a link join the two? */
bool topology_linked(const struct topology *topo, const char *a, const char *b);
/* Of the slowest link between them; 0: there is none. */
int64_t topology_rate_bps(const struct topology *topo, const char *a, const char *b);
/* Says that the node does not exist, with the nearest that does. */
int topology_unknown(const struct topology *topo, const struct read *at, const char *name);

/* For generators.  `pointer` is where the node or link was asked for. */
int topology_add_node(struct topology *topo, const struct read *at, bool host, const char *fmt,
		      ...) SIM_PRINTF(4, 5);
int topology_add_link(struct topology *topo, const struct read *at, const char *a, int a_port,
		      const char *b, int b_port, const struct link_conf *conf);
/* Defaults, then the object at `key` of `at` where there is one. */
int topology_read_link(const struct read *at, const char *key, const char *section,
		       struct link_conf *conf);
#endif
