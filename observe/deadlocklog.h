/*
 * observe/deadlocklog.h - deadlocks.csv: who waits on whom when a deadlock forms,
 * and the proof that it cannot end by itself.
 *
 * One row for each switch queue that can never move again.  Columns:
 *	deadlock, at_ps		number of the deadlock, from 0, and when it formed
 *	place			0, 1, ... round the circle; empty: in the deadlock,
 *				but not in its shortest circle
 *	port, prio		the egress queue, paused by
 *	by			the port at the far end, whose priority group ("B:2/3" when
 *				that is of another priority than the queue, as with 802.3x)
 *	held_bytes		held so much in all, and of it
 *	stuck_bytes		so much that waits for queues of the deadlock;
 *	xon_bytes		only at so much or less would it let go
 *	waits_for		"C:1=98000;...": those queues, in order of names; "C:1/2=98000"
 *				when its frames leave as another priority, 2
 *	waiting			pairs of hosts whose frames wait in the queue
 * All of a deadlock's rows stand together, the circle first.  Of a run the first
 * 1000 deadlocks are written; the file is there even if there was none.
 */
#ifndef DEADLOCKLOG_H
#define DEADLOCKLOG_H
#include "observe/deadlock.h"
#include "observe/waits.h"

struct deadlocklog;
/* `waits` is borrowed. */
struct deadlocklog *deadlocklog_new(struct fabric *f, struct waits *waits, const char *dir,
				    struct sim_error *err);
/* From the detector's note, when one has formed. */
void deadlocklog_add(struct deadlocklog *l, struct deadlock *d, int64_t at_ps,
		     const uint32_t *cycle, uint32_t ncycle);
int deadlocklog_finish(struct deadlocklog *l, struct sim_error *err);	/* NULL l: 0 */
void deadlocklog_free(struct deadlocklog **l);
#endif
