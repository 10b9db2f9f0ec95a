/*
 * cli/export_perfetto.h - a finished run as a trace for ui.perfetto.dev.
 *
 * A process a node, switches first; a thread a thing that a port does in one
 * priority:
 *	port 3 priority 3 stopped	a slice a row of stops.csv: why it ended, what waited
 *	port 3 priority 3 XOFF sent	a slice a row of pauses.csv: what its group held
 *	port 3 priority 3 watchdog	a slice from each storm found to its restoration
 *	port 3 priority 3 deadlock	a slice from the forming to the end of a deadlock
 * A process of the run's name has what concerns no single node: deadlocks, and faults
 * from their beginning to their end.  Other rows of events.csv are instants of their node.  Counters come from replay.json and
 * have its precision (levels, rounded down by less than 1.6 %): the queue and the rate
 * of an egress, what its ingress group holds, and how much of that lies above its XOFF
 * limit.  Those of every port and priority that was ever stopped or sent XOFF;
 * with `all`, of every one that carried traffic.
 *
 * Sizes: the ring deadlock 1.1 MB (78 KB as .gz), the incident's base 17 MB (1.6 MB),
 * of which counters are 9.9 MB.
 */
#ifndef EXPORT_PERFETTO_H
#define EXPORT_PERFETTO_H
#include <stdbool.h>
#include "cli/intern.h"
#include "interop/chrometrace.h"
#include "sim/error.h"

enum { EXPORT_PRIOS = 8, EXPORT_TRACKS = 4, EXPORT_FIRST_PID = 2 };	/* pid of node 0 */

struct export_perfetto {
	const char *dir;
	struct chrometrace *trace;
	struct intern ports, nodes;	/* as ports.csv has them */
	uint32_t *node;			/* of each port */
	bool *paused;			/* of each port * 8 + priority: ever stopped or stopping */
	bool *named;			/* of each thread: it has a name */
	int64_t end_ps;
};

/* The trace of the run in `dir` (itself, not above it); NULL and err. */
struct chrometrace *export_perfetto(const char *dir, bool all, struct sim_error *err);

/* export_counters.c: adds the counters, and tells of each node whether it is a switch. */
int export_counters(struct export_perfetto *x, bool all, struct sim_error *err);
#endif
