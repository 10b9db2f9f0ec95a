/*
 * analyze/blame.h - who paused whom: every paused interval is traced to its root.
 *
 * Input is what a run recorded (pauses.csv, stops.csv, deadlocks.csv, events.csv)
 * as plain arrays; there is no fabric here.  A *place* is a port with a priority:
 * of a transmitter that is stopped, of the priority group behind a port that
 * sends XOFF, of a host's port.  A *pair* is a workload with source and
 * destination.  Both are the caller's numbers; so are nodes.
 *
 * How a stop is attributed.  A transmitter is stopped because the far end sent
 * XOFF; that group held bytes for some egresses of its switch (its *causes*).
 * The stop is split among them in proportion to those bytes and to the time,
 * and at each egress it goes on, by what the egress did at that time:
 *
 *	it was itself stopped	the share goes to the pause that stopped it,
 *				and on from there in the same way
 *	it worked off a stop	likewise: for as long after a stop as it takes to
 *				send what waited at its end, but not for longer
 *				than it had been stopped
 *	it was free		more came than it could carry: it is the root
 *
 * A free egress counts only until the bytes that the group had for it must have
 * left (eight times what its fullest queue took to send).  A pause sent by a
 * host is a root: a storm while one is on, else a receiver that is slow.  A stop
 * of a member of a deadlock, while that stands, has the deadlock as its root.
 * What comes back to a pause that it came from goes where the rest of that pause
 * goes; if all of it comes back the root is a circle that passed.  Shares of a
 * thousandth and less of a stop are not split but follow the largest part.
 *
 * All splits are of whole picoseconds by the largest remainder: roots sum up to
 * the stops exactly, and so do hops, pairs and edges to their root.
 *
 * Who lost what.  A stop's time is shared equally by the pairs that waited when
 * it ended; so a pair's `lost_ps` is its part of the time its NIC and the switch
 * queues on its way were stopped while it had data there.  Pairs that sent to the
 * root themselves wait for their own doing, `own`: those that end at its host, or
 * that brought at least a tenth of what they lost; to a deadlock, those whose
 * frames waited in its circle.  The others are victims.
 */
#ifndef BLAME_H
#define BLAME_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLAME_NONE UINT32_MAX

/* ------------------------------------------------------------- what was recorded */

enum blame_sender { BLAME_GROUP, BLAME_HOST_SLOW, BLAME_HOST_STORM };

struct blame_part { uint32_t pair; int64_t bytes; };
struct blame_cause {
	uint32_t place;		/* egress */
	int64_t bytes;		/* > 0 */
	size_t part;		/* pairs whose bytes these were, as far as recorded */
	uint32_t nparts;
};
struct blame_pause {		/* in any order */
	uint32_t sender, paused;	/* places */
	int64_t xoff_ps, end_ps;	/* end of the run if it stood then */
	enum blame_sender by;
	size_t cause;
	uint32_t ncauses;
};
struct blame_stop {		/* in any order; those of one place do not overlap */
	uint32_t place;
	int64_t from_ps, until_ps;
	int64_t drain_ps;	/* to send what waited at its end */
	size_t waiting;		/* pairs that waited at its end; the first of all */
	uint32_t nwaiting;
	int64_t pairs;		/* all of them */
};
struct blame_span { uint32_t place; int64_t from_ps, until_ps; };
struct blame_deadlock {
	int64_t from_ps, until_ps;
	size_t member;		/* places, those of the circle first, in its order */
	uint32_t nmembers, ncircle;
	size_t waiting;		/* pairs that waited in the circle */
	uint32_t nwaiting;
};

struct blame_log {		/* borrowed, read only */
	uint32_t nplaces, npairs;
	const int64_t *drain_ps;	/* of each place: to send the fullest queue it had */
	const uint32_t *host;		/* of each place: the host it faces; BLAME_NONE */
	const uint32_t *node;		/* of each place */
	const uint32_t *dst;		/* of each pair: node */
	const struct blame_pause *pauses; size_t npauses;
	const struct blame_cause *causes;
	const struct blame_part *parts;
	const struct blame_stop *stops; size_t nstops;
	const uint32_t *waiting;	/* pairs */
	const uint32_t *members;	/* places */
	const struct blame_deadlock *deadlocks; size_t ndeadlocks;
	const struct blame_span *storms; size_t nstorms;	/* of hosts' places */
};

struct blame_conf {		/* which stops to attribute; zero with at_ps -1: all */
	int64_t at_ps;		/* >= 0: those standing then, as old as they were, by what
				 * their causes did at that instant */
	const bool *places;	/* of these places only; NULL: all */
	const bool *pairs;	/* where these pairs lost their time; NULL: not asked */
};

/* ---------------------------------------------------------------------- answers */

enum blame_kind {
	BLAME_CONTENTION,	/* more came to an egress than it could carry */
	BLAME_STORM,		/* a host that paused whatever happened */
	BLAME_RECEIVER,		/* a host that took less than its link brought */
	BLAME_DEADLOCK,
	BLAME_CIRCLE,		/* pauses that waited for each other, and ended */
	BLAME_PASSING,		/* a group none of whose bytes waited anywhere */
	BLAME_KINDS
};
extern const char *const blame_kind_names[];

struct blame_hop {		/* stops so many pauses away from the root */
	uint32_t depth, place;	/* depth 1: stopped by the root's own switch or host */
	int64_t ps;
};
struct blame_pair {
	uint32_t pair;
	bool own;		/* sent to the root itself */
	int64_t brought_ps;	/* time that it caused, by its part of the bytes held */
	int64_t lost_ps;	/* time that it lost */
};
struct blame_root {
	enum blame_kind kind;
	uint32_t place;		/* egress, host's port, group; of a deadlock: its number */
	int64_t ps;		/* stopped time that goes back to it */
	int64_t first_ps, last_ps;	/* first and last instant of those stops */
	/* First and last instant of the cause itself.  A storm: when it was on.  A
	 * deadlock: while it stood.  Else as far as stops went back to it: from the first
	 * instant to the last at which the egress was free and its bytes had not left,
	 * the receiver was slow, the pauses waited for each other. */
	int64_t cause_first_ps, cause_last_ps;
	struct blame_hop *hops; size_t nhops;	/* by depth, then most time first */
	struct blame_pair *pairs; size_t npairs;/* most lost first */
	int64_t own_ps, victims_ps;	/* lost by pairs that sent to it, by others, */
	int64_t others_ps, nobody_ps;	/* by pairs not recorded, by nobody: sum is ps */
	int64_t brought_others_ps;	/* brought by pairs not recorded */
};
struct blame_edge {		/* `stopped` waited for `egress`: its share of `ps` */
	uint32_t stopped, egress;	/* egress BLAME_NONE: stopped by a host */
	int64_t ps;
};
struct blame_loss {		/* of the pairs asked for: lost at a place, to a root */
	uint32_t root, place;
	int64_t ps, stops;
};
struct blame_class {		/* of a deadlock */
	bool known;		/* false: nothing is recorded of how its pauses began */
	bool outside;		/* fed from outside its circle */
	enum blame_kind kind;	/* what fed it most, */
	uint32_t place;		/* and where */
	int64_t inside_ps, outside_ps;	/* age of its pauses when it formed, by origin */
	uint32_t first;		/* the pause of the circle that had stood longest */
};
struct blame_report {
	int64_t stopped_ps;	/* of all stops asked for: the sum of roots[].ps */
	size_t stops;
	struct blame_root *roots; size_t nroots;	/* most time first */
	struct blame_edge *edges; size_t nedges;	/* most time first */
	struct blame_loss *losses; size_t nlosses;	/* most time first */
	struct blame_class *classes;	/* of each deadlock */
};

void blame_analyze(const struct blame_log *log, const struct blame_conf *conf,
		   struct blame_report *report);
void blame_free(struct blame_report *report);
/* `mass` in proportion to the weights (not all zero), whole, by the largest
 * remainder (of equals the first). */
void blame_split(int64_t mass, const __int128 *weight, int64_t *share, size_t n);
#endif
