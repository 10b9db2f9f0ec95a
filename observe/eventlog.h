/*
 * observe/eventlog.h - events.csv: what happened that a person would be told.
 *
 * Columns: at_ps, event, where (node or port), prio, flow (workload and hosts),
 * detail.  Rows come in order of (at_ps, event, where, prio, flow).  Drops are
 * counted in ports.csv; here stands the first of each (port, priority, cause).
 */
#ifndef EVENTLOG_H
#define EVENTLOG_H
#include <stdbool.h>
#include "models/view.h"
#include "observe/outfile.h"

enum eventlog_kind {
	EVENTLOG_FAULT, EVENTLOG_FAULT_END,
	EVENTLOG_DROP_LOSSLESS, EVENTLOG_DROP_LOSSY, EVENTLOG_DROP_WATCHDOG, EVENTLOG_DROP_WIRE,
	EVENTLOG_DROP_TTL, EVENTLOG_DROP_NIC,
	EVENTLOG_STORM, EVENTLOG_RESTORE, EVENTLOG_NIC_WATCHDOG, EVENTLOG_FLOW_FAILED,
	EVENTLOG_DEADLOCK, EVENTLOG_DEADLOCK_CLEARED, EVENTLOG_STALL, EVENTLOG_STALL_END,
	EVENTLOG_KINDS
};

struct eventlog_event {
	int64_t at_ps;
	uint32_t node, port;	/* VIEW_NONE: none */
	int kind, prio;		/* prio -1: none */
	uint64_t hash;		/* of the flow, 0: none */
	char *flow, *detail;	/* owned by the log; NULL: none */
};

struct eventlog;
/* `dir` NULL: kept, not written. */
struct eventlog *eventlog_new(struct fabric *f, const char *dir, struct sim_error *err);
/* Of what other observers find. */
void eventlog_add(struct eventlog *e, int64_t at_ps, enum eventlog_kind kind,
		  const char *detail);
/* Sorts, and writes the file. */
int eventlog_finish(struct eventlog *e, struct sim_error *err);
/* After eventlog_finish: the first of its kind, or NULL; and how many there are. */
const struct eventlog_event *eventlog_first(const struct eventlog *e, enum eventlog_kind kind);
int64_t eventlog_count(const struct eventlog *e, enum eventlog_kind kind);
void eventlog_free(struct eventlog **e);
#endif
