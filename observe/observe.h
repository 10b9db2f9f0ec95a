/*
 * observe/observe.h - everything that watches one run, as one object.
 *
 *	fabric_finish(f, err);
 *	o = observe_new(f, &conf, err);		opens the files, attaches the observers
 *	fabric_run(f, &stop);
 *	rc = observe_finish(o, err);		writes the files, fills the summary
 *	s = observe_summary(o);			yours to complete: cost, expects
 *	observe_free(&o);			before fabric_free
 *
 * Observers read; they never write, steer or stop a run (DESIGN, law 6).  The
 * digest is the same with all of them and with none.
 *
 * With `dir` set these files are written there: flows.csv, ports.csv,
 * pauses.csv, stops.csv, deadlocks.csv, events.csv, replay.json, series/NAME.csv,
 * series/NAME-flows.csv, series/NAME-marks.csv
 * (resolved.json and summary.json are the caller's).  The caller makes `dir`
 * (usually DIR.partial) and renames it.
 * Without `dir` nothing is written and the pause log is not kept; the series are
 * sampled all the same, for the summary.
 */
#ifndef OBSERVE_H
#define OBSERVE_H
#include <stdbool.h>
#include <stdint.h>
#include "sim/error.h"
#include "sim/param.h"
#include "models/fabric.h"
#include "observe/summary.h"

enum observe_what {			/* columns of a series; names in observe_what_names */
	OBSERVE_QUEUE = 1u << 0,	/* "queue": bytes in the egress queue */
	OBSERVE_GROUP = 1u << 1,	/* "group": bytes of the ingress group */
	OBSERVE_RATE = 1u << 2,		/* "rate": sent since the last sample */
	OBSERVE_PAUSE = 1u << 3,	/* "pause": 1 while the transmitter is paused */
	OBSERVE_COLUMNS = (1u << 4) - 1,
	/* Files of their own, only with a directory: */
	OBSERVE_FLOWS = 1u << 4,	/* "flows": goodput of each message (observe/flowrates.h) */
	OBSERVE_MARKS = 1u << 5		/* "marks": frames marked by queue length (observe/marks.h) */
};
extern const char *const observe_what_names[];	/* bit order, NULL-terminated */

enum { OBSERVE_SERIES_MAX = 12 };	/* of a run: each takes a sampler of the fabric */
struct observe_series {
	const char *name;	/* file name: letters, digits, - _ . ; checked */
	const char *match;	/* globs (* and ?) of "NODE:PORT", separated by commas */
	unsigned what;		/* enum observe_what, or-ed; 0: all columns */
	int64_t every_ps;	/* > 0 */
};

enum { OBSERVE_SIZES_MAX = 15 };

struct observe_conf {			/* borrowed until observe_free */
	const char *experiment, *variant;	/* variant NULL: "base" */
	const char *version, *commit, *compiler;/* NULL: "" */
	const char *dir;		/* NULL: no files */
	const struct observe_series *series;
	int nseries;
	const int64_t *sizes_bytes;	/* ascending upper edges of summary.sizes */
	int nsizes;			/* at most OBSERVE_SIZES_MAX; 0: one bucket */
};

struct observe;

/* NULL on an error: a series that matches no port (`where` =
 * "/record/series/NAME/match"), or a file that cannot be made.  The fabric can
 * only be freed then. */
struct observe *observe_new(struct fabric *f, const struct observe_conf *conf,
			    struct sim_error *err) SIM_MUST_CHECK;
/* Once, after fabric_run.  -1: a file could not be written; `text` has its path
 * and the system's reason (exit code 4).  The summary is filled all the same. */
int observe_finish(struct observe *o, struct sim_error *err) SIM_MUST_CHECK;
/* After observe_finish; owned by o. */
struct summary *observe_summary(struct observe *o);
/* An invariant of ours that broke (exit code 3), as a sentence; or NULL. */
const char *observe_broken(const struct observe *o);
void observe_free(struct observe **o);
#endif
