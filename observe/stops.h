/*
 * observe/stops.h - stops.csv: one row each time a transmitter is stopped.
 *
 * The other side of pauses.csv: a pause is what its sender did, a stop is what
 * it did to the one at the far end.  Columns:
 *	port, prio		the transmitter, NODE:PORT, and the PFC priority
 *	from_ps, until_ps	empty until_ps: it stood at the end of the run
 *	end			xon, expiry, watchdog, fault or run
 *	queue_bytes		what waited in the egress queue when it ended (of a
 *				host's NIC: in its queue of ACKs and CNPs)
 *	pairs			how many pairs of hosts waited then
 *	waiting			the first of them, in the order in which they will
 *				be sent: "db h17>h25;burst h0>h30"; empty: nobody
 * A host's flow waits when it may send and its NIC is stopped; one that waits
 * for its window or its pace does not, and one that failed in the meantime, for
 * it waited too long, stands at the end of the list.  until_ps - from_ps sums up, with the
 * end of the run for an empty until_ps, to pfc.paused_ps of the summary.
 *
 * Rows come in order of (end of the stop, port, prio), those that stand at the
 * end last; nothing is kept of a stop whose row is written.
 */
#ifndef STOPS_H
#define STOPS_H
#include "observe/waits.h"

struct stops;
/* `waits` is borrowed. */
struct stops *stops_new(struct fabric *f, struct waits *waits, const char *dir,
			struct sim_error *err);
int stops_finish(struct stops *s, struct sim_error *err);	/* NULL s: 0 */
void stops_free(struct stops **s);
#endif
