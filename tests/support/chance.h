/*
 * tests/support/chance.h - a small experiment from a seed: any shape, buffers,
 * NICs, traffic and faults that the models know.
 *
 * The plan is drawn whole before anything is built, so that it can be built again
 * in another order, with another queue, or with all times divided.  It points into
 * itself: it must not be moved.
 */
#ifndef CHANCE_H
#define CHANCE_H
#include <stdio.h>
#include "sim/rng.h"
#include "tests/support/bed.h"

enum { CHANCE_SWITCHES = 8, CHANCE_HOSTS = 14, CHANCE_LINKS = 40, CHANCE_TRAFFIC = 7,
       CHANCE_FAULTS = 4, CHANCE_ROUTES = 3, CHANCE_CC_SETS = 3, CHANCE_FLOWS = 12 };

struct chance_link { char *a, *b; int a_port, b_port; struct link_conf conf; };

struct chance_flow { char *from, *to; int64_t start_ps, size_bytes; };

struct chance {
	uint64_t seed;
	bool scalable;			/* all times are multiples of 4 ps, nothing random takes time */
	bool sane;			/* no setting excuses a loss in a lossless class */
	bool wild;			/* some settings are anything that the parameter tables allow */
	struct run_conf run;
	int switches, hosts, links, traffics, faults, routes;
	char sw_name[CHANCE_SWITCHES][24], host_name[CHANCE_HOSTS][24];
	struct switch_conf sw[CHANCE_SWITCHES];
	struct nic_conf nic[CHANCE_HOSTS];
	const struct cc_ops *cc[CHANCE_HOSTS];
	const char *preset[CHANCE_HOSTS];
	struct { const char *key; char value[48]; } cc_set[CHANCE_HOSTS][CHANCE_CC_SETS];
	int cc_sets[CHANCE_HOSTS];
	struct switch_ports_conf some_ports[CHANCE_SWITCHES];
	bool bulk_lossless;		/* the class "bulk" */
	struct switch_remap_conf remap[CHANCE_SWITCHES];
	char *remap_from[CHANCE_SWITCHES][CHANCE_SWITCHES + CHANCE_HOSTS];
	char *remap_to[CHANCE_SWITCHES][CHANCE_SWITCHES + CHANCE_HOSTS];
	struct chance_link link[CHANCE_LINKS];
	struct workload_conf traffic[CHANCE_TRAFFIC];
	char traffic_name[CHANCE_TRAFFIC][24];
	char *from[CHANCE_TRAFFIC][CHANCE_HOSTS], *to[CHANCE_TRAFFIC][CHANCE_HOSTS];
	struct chance_flow flow[CHANCE_TRAFFIC][CHANCE_FLOWS];	/* of WORKLOAD_LIST; its hosts are in `from` */
	int flows[CHANCE_TRAFFIC];
	struct fault_conf fault[CHANCE_FAULTS];
	char fault_name[CHANCE_FAULTS][24];
	struct { char name[24]; char *at, *to, *via[1]; bool flood, drop; } route[CHANCE_ROUTES];
	int64_t size_bytes[4];		/* a CDF */
	double fraction[4];
	/* while it is being drawn */
	struct rng rng;
	int ports[CHANCE_SWITCHES];
};

/* Draws the plan of a seed; `scalable`: one that chance_build can scale. */
void chance_draw(struct chance *c, uint64_t seed, bool scalable);

/* At the end of chance_draw: some traffic among hosts becomes a list of flows. */
void chance_lists(struct chance *c);
/* The list of traffic i as `w` and `out` hold it; `back`: its rows and hosts in another order. */
struct chance_listed { char *from[CHANCE_FLOWS], *to[CHANCE_FLOWS]; struct workload_flow list[CHANCE_FLOWS]; };
void chance_listed(const struct chance *c, int i, bool back, struct workload_conf *w, struct chance_listed *out);

/* After chance_draw has drawn all else: sets settings to anything their rows allow.
 * A setting that no line of chance.c knows is drawn too. */
void chance_wild(struct chance *c);
/* Spraying, bit errors and slow links (chance_wild.c). */
void chance_ways(struct chance *c);
/* A multiple of 4 ps, most often short. */
int64_t chance_time(struct chance *c, int64_t most);
size_t chance_field_size(enum param_type type);	/* bytes of a row's field */

struct chance_build {
	int queue;			/* enum engine_queue */
	uint64_t shuffle;		/* order in which things are added; 0: as drawn */
	int faster;			/* rates times this, every time divided by it: 2 or 4 */
	int64_t later_ps;		/* everything begins so much later */
	bool island;			/* and a fabric of its own beside it */
};
/* Into a bed that is not open yet: ready for bed_finish.  Returns what
 * fabric_finish says: 0, or -1 and the reason (the plan asks for too much). */
int chance_make(const struct chance *c, const struct chance_build *how, struct bed *b,
		struct sim_error *err);
/* The congestion control of host i, as the settings of the hosts added next. */
void chance_cc(const struct chance *c, int i, struct bed *b);

/* Writes the plan as an experiment that `xoff run` takes and that has the same digest.
 * 0, or -1 when `out` cannot be written. */
int chance_json(const struct chance *c, const char *about, FILE *out);
#endif
