/*
 * observe/deadlock.h - the runtime deadlock detector, as DESIGN section 4
 * defines it.  Exact: it finds the set of switch groups of which none can ever
 * leave XOFF again unless something outside the fabric's own rules steps in.
 *
 * Queues are named by keys (observe/stuck.h).  Nothing is allocated after
 * deadlock_new.  A frame that joins a paused queue costs a look at what its far
 * group waits for; everything is reckoned only where that leads round a circle.
 */
#ifndef DEADLOCK_H
#define DEADLOCK_H
#include <stdbool.h>
#include <stdint.h>
#include "models/view.h"

enum deadlock_force { DEADLOCK_NONE, DEADLOCK_WATCHDOG, DEADLOCK_FAULT };

struct deadlock_report {
	int64_t count;			/* deadlocks that formed */
	bool standing;			/* the last of them is there now */
	int64_t first_ps, cleared_ps;	/* of the first; -1 */
	enum deadlock_force cleared_by;	/* what had stepped in last by cleared_ps */
	const uint32_t *cycle;		/* of the first: keys in circular order */
	uint32_t ncycle;
	/* Stopped queues, hosts' too, outside the cycle: when the first one formed, or
	 * at the end if it stands then. */
	const uint32_t *victims;
	uint32_t nvictims;
};

/* Told when one forms (`formed`, with its cycle) and when it has cleared. */
typedef void deadlock_note(void *ctx, int64_t at_ps, bool formed, const uint32_t *cycle,
			   uint32_t ncycle, enum deadlock_force by);

struct deadlock;
/* Attaches itself to the fabric; before fabric_run.  `note` may be NULL. */
struct deadlock *deadlock_new(struct fabric *f, deadlock_note *note, void *ctx);
struct deadlock_report deadlock_report(struct deadlock *d);	/* after the run */
bool deadlock_standing(const struct deadlock *d);
/* While `note` is told that one has formed: all members of D, in any order, and
 * of each the priority of a group that keeps it, what this holds for good and its XON
 * mark (stuck_mark). */
const uint32_t *deadlock_members(const struct deadlock *d, uint32_t *n);
int64_t deadlock_mark(struct deadlock *d, uint32_t key, int *prio, int64_t *stuck);
/* Switch queues that will never move if the hosts that storm now do so for ever;
 * only in a settle hook or sampler, or after the run. */
uint32_t deadlock_behind_storms(struct deadlock *d);
/* A NIC storm fault is on. */
bool deadlock_storming(const struct deadlock *d, uint32_t host);
/* From a pause that the peer of `port` decides to send to its effect here: at most;
 * a later pause has its effect after more than that. */
int64_t deadlock_flight_ps(const struct fabric *f, uint32_t port);
void deadlock_free(struct deadlock **d);
#endif
