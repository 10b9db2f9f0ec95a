/*
 * cli/explain_cures.h - changes to a run's resolved.json that might have helped, by
 * what was found.  Inside --what-if (explain_whatif.h).
 */
#ifndef EXPLAIN_CURES_H
#define EXPLAIN_CURES_H
#include <jansson.h>
#include "cli/explain_run.h"

enum { EXPLAIN_CURES_MAX = 16 };

struct explain_cure {
	char what[160];		/* "burst in a priority of its own (1)" */
	json_t *doc;		/* resolved.json with the change; owned */
};

/* Up to EXPLAIN_CURES_MAX, the most promising first; returns how many. */
int explain_cures(const struct explain_story *s, const json_t *resolved,
		  struct explain_cure *cures);
#endif
