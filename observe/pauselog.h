/*
 * observe/pauselog.h - pauses.csv: one row a pause, with its cause.
 *
 * A pause is what one XOFF of a sender (a switch's ingress port, a host) begins
 * and its XON ends.  Columns:
 *	sender, prio		who sent it: "leaf0:3"
 *	paused			whose transmitter it stops: the port at the far end
 *	xoff_ps, xon_ps		first XOFF sent; XON sent, empty: it stands at the end
 *	end			xon, fault, nic_watchdog, or run
 *	refreshes		XOFF frames after the first
 *	held_bytes		what the priority group (or the NIC's buffer) held at XOFF
 *	stopped_ps		how long the transmitter stood still for it; these sum up to
 *				pfc.paused_ps of the summary
 *	cause			bytes of the group that waited for each egress at XOFF,
 *				largest first: "leaf0:9=81120;leaf0:8=4160"; with the
 *				priority they leave as, if it is another: "leaf0:9/2=81120";
 *				where pauses are those of 802.3x, of all groups of the
 *				port in XOFF;
 *				of a host: storm, or receiver
 *	flows			whose bytes these were: of the first four egresses in
 *				the order of `cause`, with a bar between them, the eight
 *				pairs of hosts with most: "burst h0>h30=64000|db h17>h25=300"
 * Rows come in order of (xoff_ps, sender, prio).
 *
 * Rows whose pause is over are written out as the run goes; only those after
 * the oldest pause that stands are kept.
 */
#ifndef PAUSELOG_H
#define PAUSELOG_H
#include "models/view.h"
#include "observe/waits.h"

struct pauselog;
/* `waits` is borrowed. */
struct pauselog *pauselog_new(struct fabric *f, struct waits *waits, const char *dir,
			      struct sim_error *err);
int pauselog_finish(struct pauselog *p, struct sim_error *err);	/* NULL p: 0 */
void pauselog_free(struct pauselog **p);
#endif
