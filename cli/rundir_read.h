/*
 * cli/rundir_read.h - a finished run read back from its directory, for `xoff
 * explain`: who was stopped, by whom, and who waited, as analyze/blame.h wants it.
 *
 * Ports, nodes and pairs are numbered as they are met, ports.csv first, whose order
 * is that of names; a place is port * 8 + priority.  The struct owns everything.
 */
#ifndef RUNDIR_READ_H
#define RUNDIR_READ_H
#include <stdbool.h>
#include <stdint.h>
#include "analyze/blame.h"
#include "cli/intern.h"
#include "sim/error.h"

enum { RUNDIR_READ_PRIOS = 8 };

struct rundir_read_port {
	uint32_t node, peer;		/* peer: the port at the far end, or INTERN_NONE */
	int64_t rate_bps;
	/* A fault had it run at slow_rate ("25Gbps"); from the last such fault, "": none. */
	char slow_rate[24];
	int64_t slow_from_ps, slow_until_ps;
};
struct rundir_read_pair { uint32_t workload, src, dst; };
struct rundir_read_member {	/* a row of deadlocks.csv */
	uint32_t deadlock, place, by;	/* by: place of the group that pauses it */
	int ring;			/* its place round the circle, -1: outside it */
	int64_t held_bytes, stuck_bytes, xon_bytes;
	char *waits_for;		/* "C:1=98000;..." */
};

struct rundir_read {
	char *dir;
	char *experiment, *variant, *stall;	/* stall: why nothing was delivered, or NULL */
	int64_t seed, simulated_ps, paused_ps, xoff_frames, rnr_wait_ps;
	double wall_s;
	bool complete;
	struct intern ports, nodes, workloads, pairs;	/* pairs: "db h17>h25" */
	struct rundir_read_port *port;
	struct rundir_read_pair *pair;
	bool *is_host;				/* of each node */
	struct rundir_read_member *members;
	size_t nmembers, members_cap;
	uint32_t ports_cap, pairs_cap;
	/* The same for analyze/blame.h: `log` borrows the arrays below. */
	struct blame_log log;
	int64_t *drain_ps, *peak_bytes;
	uint32_t *host, *node, *dst, *waiting, *places;
	struct blame_pause *pauses;
	struct blame_cause *causes;
	struct blame_part *parts;
	struct blame_stop *stops;
	struct blame_deadlock *deadlocks;
	struct blame_span *storms;
	size_t npauses, ncauses, nparts, nstops, nwaiting, ndeadlocks, nstorms, nplaces;
	size_t pauses_cap, causes_cap, parts_cap, stops_cap, waiting_cap, deadlocks_cap,
	       storms_cap, places_cap;
};

/* Which directory at or below `path` holds the run: itself, or that of a variant
 * (NULL: base, or the only one there is).  free() the answer. */
/* Does the folder hold a run, or folders of runs? */
bool rundir_read_any(const char *path);
char *rundir_read_find(const char *path, const char *variant, struct sim_error *err);
/* NULL when something is missing or broken. */
struct rundir_read *rundir_read_open(const char *dir, struct sim_error *err);
void rundir_read_free(struct rundir_read **r);

/* "leaf3:6/3"; returns buf. */
char *rundir_read_place(const struct rundir_read *r, uint32_t place, char *buf, size_t size);
#endif
