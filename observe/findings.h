/*
 * observe/findings.h - what the model found, in plain sentences: a lossless
 * drop, a deadlock, a livelock, a stall, failed flows, storms; and, when no pause occurred,
 * how near it came.  Results, not errors (DESIGN, section 9).
 */
#ifndef FINDINGS_H
#define FINDINGS_H
#include "models/view.h"
#include "observe/deadlock.h"
#include "observe/eventlog.h"
#include "observe/summary.h"

/* Reads the rest of the summary, which is filled, and appends. */
void findings_fill(const struct fabric *f, struct deadlock *dead, const struct eventlog *log,
		   struct summary *s);
#endif
