/*
 * models/fabric.h - builds a fabric, runs it, lets observers look.
 *
 * Life: fabric_new, then add_* in any order, then fabric_finish once (sorts
 * everything by name, computes routes, checks), then fabric_run, fabric_free.
 * The result does not depend on the order of the add_* calls.
 * Strings are copied.  Nodes are named by strings until fabric_finish; after
 * it by dense ids in natural order of their names (h2 before h10).
 */
#ifndef FABRIC_H
#define FABRIC_H
#include <stdbool.h>
#include <stdint.h>
#include "sim/error.h"
#include "sim/param.h"
#include "models/fault.h"
#include "models/host/nic_conf.h"
#include "models/host/workload.h"
#include "models/run.h"
#include "models/switch/switch_conf.h"
#include "models/wire/class.h"
#include "models/wire/link.h"

struct route_conf {		/* explicit override of the way from `at` to host `to` */
	char *name;
	char *at, *to;
	char **via;		/* neighbour node names: ECMP over them */
	int vias;
	bool flood;		/* unknown MAC: copy to every other port */
	bool drop;
};

struct fabric;

struct fabric *fabric_new(const struct run_conf *run, const struct class_conf *classes, int nclasses);
void fabric_free(struct fabric **f);

int fabric_add_switch(struct fabric *f, const char *name, const struct switch_conf *conf, struct sim_error *err);
int fabric_add_host(struct fabric *f, const char *name, const struct nic_conf *conf, struct sim_error *err);
/* Port numbers are the user's, unique on each node, 0..65535. */
int fabric_add_link(struct fabric *f, const char *a, int a_port, const char *b, int b_port,
		    const struct link_conf *conf, struct sim_error *err);
int fabric_add_route(struct fabric *f, const struct route_conf *route, struct sim_error *err);
int fabric_add_traffic(struct fabric *f, const struct workload_conf *conf, struct sim_error *err);
int fabric_add_fault(struct fabric *f, const struct fault_conf *fault, struct sim_error *err);

/* After all add_*: errors a user can make (unreachable host, reservations
 * larger than the buffer) come out here, `where` empty or naming the object. */
int fabric_finish(struct fabric *f, struct sim_error *err) SIM_MUST_CHECK;
/* Unwise, not wrong: too little headroom and the like.  Called with each
 * warning's sentence; returns how many. */
int fabric_warnings(const struct fabric *f, void (*each)(void *ctx, const char *text), void *ctx);
/* Likewise: traffic and faults that start at `from_ps` or later, when the run is over,
 * and a warm-up that lasts until then. */
int fabric_late(const struct fabric *f, int64_t from_ps, void (*each)(void *ctx, const char *text), void *ctx);

/* Runs until `until_ps` of the run conf, or until `*stop` becomes non-zero
 * (looked at every few thousand events; may be NULL). */
void fabric_run(struct fabric *f, const volatile int *stop);
/* The same run from outside, an instant a call: all that happens at the next time at which
 * anything does, if that is not after `until_ps` (at least what view_run says of now).  False:
 * nothing more up to then, and the clock stands there; the run is over when it is at its end
 * (view_run: complete).  The digest is that of fabric_run. */
bool fabric_step(struct fabric *f, int64_t until_ps);
#endif
