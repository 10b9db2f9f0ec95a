/*
 * cli/explain_changes.h - one change at a time to a run's resolved.json.
 *
 * Each appends one cure, or none where the change does not apply or there are
 * enough.  Names are those of the file; what was changed is said in the cure.
 */
#ifndef EXPLAIN_CHANGES_H
#define EXPLAIN_CHANGES_H
#include "cli/explain_cures.h"

enum { EXPLAIN_CULPRITS = 16 };
struct explain_culprits { const char *name[EXPLAIN_CULPRITS]; int n; };	/* workloads */

struct explain_changes {
	const struct rundir_read *run;
	const json_t *resolved;
	struct explain_cure *cures;
	int n;
};

/* Their class again, under another name and in a free priority. */
void explain_changes_own_priority(struct explain_changes *m,
				  const struct explain_culprits *who);
void explain_changes_without_traffic(struct explain_changes *m,
				     const struct explain_culprits *who);
/* ECN of a class at a fifth of the XOFF limit. */
void explain_changes_marks(struct explain_changes *m, const char *class_);
/* Twice the static XOFF limit, or four times alpha. */
void explain_changes_limit(struct explain_changes *m);
/* On switches that have none; `ports` "all" or "hosts". */
void explain_changes_watchdog(struct explain_changes *m, const char *ports);
void explain_changes_nic_watchdog(struct explain_changes *m);
/* The faults of a kind that `host` has, away; `what` is said of it. */
void explain_changes_without_fault(struct explain_changes *m, const char *kind,
				   const char *host, const char *what);
/* No link_slow between two nodes. */
void explain_changes_whole_link(struct explain_changes *m, const char *a, const char *b);
void explain_changes_line_rate(struct explain_changes *m);	/* of NICs set to take less */
void explain_changes_no_flood(struct explain_changes *m);
void explain_changes_without_route(struct explain_changes *m, const char *name);
void explain_changes_without_routes(struct explain_changes *m);
#endif
