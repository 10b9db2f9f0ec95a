/*
 * cli/progress.h - how far a run is, on standard error.
 *
 * A timer of the system looks at the fabric four times a second of real time
 * and writes one line, if standard error is a terminal; on SIGUSR1 it writes
 * the line once, wherever standard error goes.  The run takes no part in it:
 * no event, no sampler, so nothing changes.
 */
#ifndef PROGRESS_H
#define PROGRESS_H
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "models/view.h"

struct progress {
	const struct fabric *fabric;
	const char *label;	/* "storm/quiet [2/8]"; borrowed */
	int64_t until_ps;
	struct timespec start;
	timer_t timer;
	int columns;		/* of the terminal: a longer line is cut */
	bool on, terminal, drawn;
};

/* Before fabric_run; *p must stay where it is until progress_stop. */
void progress_start(struct progress *p, const struct fabric *f, const char *label);
/* After fabric_run, before fabric_free; wipes the line. */
void progress_stop(struct progress *p);
#endif
