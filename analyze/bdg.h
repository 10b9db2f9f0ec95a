/*
 * analyze/bdg.h - who may wait on whom: the buffer-dependency graph.
 *
 * A vertex is a lossless ingress group (switch, ingress port, priority).  There
 * is an edge from q to r when a frame held by q may stand in an egress queue
 * that a pause of r stops: some route brings frames into q and out towards r.
 * PFC can deadlock only along a circle of this graph; whether it does is a
 * matter of load (Hu et al., HotNets 2016).  A group of a port to a host waits,
 * but nothing waits on it, so such groups are left out.
 *
 * Who sends (enum bdg_scope): every host to every other with every DSCP that
 * some NIC stamps, so the classes of ACKs and CNPs are in it; or only the
 * sources and destinations of the experiment's traffic, and what is sent back
 * to them.  Flooded frames wait for all ports; the copies die at the next switch.
 *
 * Pauses of 802.3x know no priorities: there a frame waits on every lossless group of the
 * port that its link leads to.  Where the ends of a link speak different kinds no pause is
 * obeyed, and nothing waits.
 *
 * Where switches change classes (models/switch/remap.h) a frame is followed with
 * its class: it fills the group of the priority it comes in as, and waits for a
 * pause of the one it leaves as.  A class that a switch gives towards another one, and
 * no traffic, ACK or CNP has, is then sent by no host.
 *
 *	struct bdg *b = bdg_new(r, BDG_ALL);
 *	if (bdg_build(b, ROUTING_GLOBAL, NULL, 0, &result))	there is a circle
 *		bdg_cycle(b, &cycle);
 *	bdg_free(&b);
 */
#ifndef BDG_H
#define BDG_H
#include "analyze/routing.h"

enum bdg_scope { BDG_ALL, BDG_TRAFFIC };

struct bdg;

/* `r` outlives it. */
struct bdg *bdg_new(const struct routing *r, enum bdg_scope scope);
void bdg_free(struct bdg **b);
/* Is there anyone who sends? */
bool bdg_empty(const struct bdg *b);

struct bdg_result {
	uint32_t vertices, edges;	/* that some frame can use */
	uint32_t components;		/* strongly connected, with a circle */
	uint32_t members;		/* vertices in them */
	int64_t cut_off;		/* (switch, group) without a way */
};
/* The graph with these links down; true when it has a circle.  What follows
 * speaks of the graph built last. */
bool bdg_build(struct bdg *b, enum routing_mode mode, const uint32_t *down, int ndown,
	       struct bdg_result *out);
/* Does some frame pass the link? */
bool bdg_used(const struct bdg *b, uint32_t link);

struct bdg_vertex { uint32_t port; int prio; };	/* ingress port, an id of models/view.h */
struct bdg_flow {		/* frames that pass from one vertex to the next */
	uint32_t src, dst;	/* hosts */
	int class_, dscp;
	uint32_t *path;		/* channels (routing.h), from the source's switch on */
	int npath;
	int at; /* path[at] enters the vertex; path[at + 1] leaves to the next */
	bool floods;		/* the next one only holds up a copy: the path ends there */
};
struct bdg_cycle {
	int n;			/* 0: none */
	struct bdg_vertex *vertex;
	struct bdg_flow *flow;	/* flow[i] makes vertex[i] wait on vertex[i + 1] */
};
/* A shortest circle, with the flow of the shortest way for each edge. */
void bdg_cycle(struct bdg *b, struct bdg_cycle *out);
void bdg_cycle_fini(struct bdg_cycle *c);
/* Other flows for the edges of the circle: those that `b`, which may have more senders,
 * finds; the rest stay. */
void bdg_flows(struct bdg *b, struct bdg_cycle *cycle);

/* Does some link between switches have pauses of 802.3x? */
bool bdg_whole(const struct bdg *b);

/* How many priorities in place of one would make the graph free of circles, if a
 * frame rose to the next at each turn back; 0: no number does, some route loops.
 * An upper bound, and for paths that only go up, then down, 1.  Of matter to pauses by
 * priority only. */
int bdg_priorities(struct bdg *b);

/* For tests: all vertices as dense ids, the edges of one, and its component. */
uint32_t bdg_vertices(const struct bdg *b);
uint32_t bdg_edges_of(const struct bdg *b, uint32_t v, const uint32_t **to);
uint32_t bdg_component(const struct bdg *b, uint32_t v);

/* All sets of `n` links down (n = 1 or 2).  Sets that a symmetry of the fabric
 * takes into one another are checked once. */
enum { BDG_FOUND = 16 };
struct bdg_failures {
	int n;
	int64_t sets;			/* of n links */
	int64_t classes;		/* that were built */
	int64_t cyclic;			/* sets with a circle */
	int64_t cut_off;		/* sets that leave some host without a way */
	struct bdg_failed {
		uint32_t down[2];
		int64_t alike;		/* sets of its class */
		struct bdg_result result;
	} found[BDG_FOUND];		/* classes with a circle; the first ones */
	int nfound;
	bool stopped;
};
/* `stop` (may be NULL) ends it when it becomes non-zero. */
void bdg_fail(struct bdg *b, enum routing_mode mode, int n, const volatile int *stop,
	      struct bdg_failures *out);
#endif
