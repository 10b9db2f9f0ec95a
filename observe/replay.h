/*
 * observe/replay.h - replay.json: all that `xoff report' shows moving.
 *
 *	schema		"xoff.replay/1"
 *	end_ps		the last instant simulated
 *	classes		[{name, priority, lossless}]
 *	nodes		[[name, 1 switch or 0 host, buffer bytes or 0]]
 *	ports		[[node, number, port at the far end, rate_bps, delay_ps]]: the
 *			places in these two lists are the numbers used below
 *	deadlocks	[{at_ps, cleared_ps or null, by, cycle: [[port, priority]]}]
 *	frames		when the fabric was looked at (replay_frames.h)
 *	channels	one a port and priority with traffic: its thresholds
 *			(replay_marks.h), and a column a quantity with one value a
 *			frame: queue (bytes), group (bytes), limit (bytes at which the
 *			group is stopped; a number: as in that channel), sent (bytes
 *			since the frame before), marked (frames, likewise)
 *	pauses		exact intervals (replay_pauses.h), by transmitter: gap_ns since
 *			the end before, length_ns, end (0 XON, 1 expiry, 2 watchdog,
 *			3 fault, 4 it stands), why
 *
 * Columns are differences from value to value, as text (replay_code.h); those
 * of channels are differences of levels.  The size is bounded whatever the run.
 */
#ifndef REPLAY_H
#define REPLAY_H
#include <stdbool.h>
#include "models/view.h"
#include "observe/outfile.h"

struct replay;
/* Opens DIR/replay.json and attaches itself to the fabric. */
struct replay *replay_new(struct fabric *f, const char *dir, struct sim_error *err);
/* A deadlock has formed (keys of its cycle, observe/stuck.h), or has cleared.  In
 * a settle hook. */
void replay_deadlock(struct replay *r, int64_t at_ps, bool formed, const uint32_t *cycle,
		     uint32_t ncycle, const char *by);
int replay_finish(struct replay *r, struct sim_error *err);	/* NULL r: 0 */
void replay_free(struct replay **r);
#endif
