/*
 * models/fabric_inside.h - the fabric's own state, for models/fabric*.c and
 * view.c only.
 */
#ifndef FABRIC_INSIDE_H
#define FABRIC_INSIDE_H
#include "models/fabric.h"
#include "models/host/host.h"
#include "models/host/nic.h"
#include "models/host/qp.h"
#include "models/host/workload_run.h"
#include "models/switch/headroom.h"
#include "models/switch/switch.h"
#include "models/view.h"

/* What was added, as it was added; indices are places in these lists. */
struct added_node {
	char *name;
	bool is_switch;
	struct switch_conf sw;		/* whichever applies */
	struct nic_conf nic;
	uint32_t id;			/* set by fabric_finish */
};
struct added_link { char *a, *b; int a_port, b_port; struct link_conf conf; };

struct fabric_sampler { int64_t every_ps, next_ps; void (*sample)(void *, int64_t); void *ctx; };
struct fabric_settle { void (*settle)(void *, int64_t); void *ctx; };
enum { FABRIC_HOOKS = 32, IDEAL_PATH_MAX = 256 };

struct fabric {
	struct run_conf run;
	struct class_conf classes[FABRIC_CLASSES];
	int nclasses;
	struct added_node *node;
	struct added_link *link;
	struct route_conf *route;
	struct workload_conf *traffic;
	struct fault_conf *fault;
	int nodes, links, routes, traffics, faults;
	bool finished, begun, complete;
	bool sprays;			/* some switch sends the frames of a flow more than one way */

	struct net net;
	struct host_net hosts;
	struct switch_node **sw;	/* by node id; NULL for hosts */
	uint32_t *by_id;		/* node id -> place in `node` */
	bool pint;			/* some NIC asks switches for their load as one number */
	int64_t frame_bytes_max;	/* largest frame any host may send */
	struct fabric_sampler sampler[FABRIC_HOOKS];
	struct fabric_settle settle[FABRIC_HOOKS];
	int samplers, settles;
	uint64_t growths_before;
	uint64_t stamp;			/* of the last count of flooded copies (view.c) */
};

/* Natural order of names: digits compare as numbers ("h2" < "h10"). */
int fabric_natural(const char *a, const char *b);
/* Node id of a name, NET_NONE when there is none. */
uint32_t fabric_find(const struct fabric *f, const char *name);

uint64_t fabric_growths(const struct fabric *f);	/* of all pools, so far (fabric.c) */

/* ---- fabric_spray.c ---- */
struct fabric_packets { int64_t first, mid, mids, tail; };	/* frame bytes of a message; tail 0: none */
/* The least time of a message from its first preamble bit to its last byte there; 0: no way. */
int64_t fabric_spray_ideal(const struct fabric *f, uint32_t src, uint32_t dst, uint32_t hash,
			   const struct fabric_packets *m);

/* ---- fabric_routes.c ---- */
void fabric_routes_compute(struct fabric *f);
int fabric_routes_override(struct fabric *f, struct sim_error *err);
/* The way of (src, dst, hash): fills up to `max` port ids (transmitters), returns how many
 * links; -1 when it does not arrive. */
int fabric_path(const struct fabric *f, uint32_t src, uint32_t dst, uint32_t hash, uint32_t *ports, int max);

/* ---- fabric_remap.c ---- */
/* Fills sw->remap and sw->leaves_as; after the maps. */
int fabric_remap(struct fabric *f, const struct switch_conf *c, struct switch_node *sw, struct sim_error *err);

/* ---- fabric_traffic.c ---- */
void fabric_traffic_largest(struct fabric *f);		/* frame_bytes_max */
int fabric_traffic_make(struct fabric *f, struct sim_error *err);

/* ---- fabric_headroom.c ---- */
/* Links of a fabric are of few kinds: the last answer usually serves. */
struct fabric_headroom_memo { struct headroom_conf ask; struct headroom_terms terms; bool set; };
struct headroom_conf fabric_headroom_ask(const struct fabric *f, const struct switch_node *sw, uint32_t local);
const struct headroom_terms *fabric_headroom_need(struct fabric_headroom_memo *memo, const struct headroom_conf *ask);

/* ---- fabric_buffer.c ---- */
int fabric_buffer_make(struct fabric *f, struct switch_node *sw, struct fabric_headroom_memo *memo,
		       struct sim_error *err);

/* ---- fabric_faults.c ---- */
int fabric_faults_prepare(struct fabric *f, struct sim_error *err);
void fabric_fault(struct fabric *f, uint32_t object);	/* NET_FAULT: fault * 2 + (1: it ends) */
#endif
