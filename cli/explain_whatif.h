/*
 * cli/explain_whatif.h - what would have avoided it?  The run again, with one thing
 * changed at a time, and what came of it.
 *
 * The changes start from the run's own resolved.json and follow from what was found:
 * a priority of its own for the traffic that brought it, marks (ECN) earlier, a
 * larger buffer limit, a watchdog, another way, the culprit away.  Each is run in
 * this process, to the same simulated time.
 */
#ifndef EXPLAIN_WHATIF_H
#define EXPLAIN_WHATIF_H
#include <stdio.h>
#include "cli/explain_run.h"
#include "observe/jsonout.h"

struct explain_whatif;
/* Tries for about `budget_s` seconds: what does not fit any more is named and left. */
struct explain_whatif *explain_whatif_try(const struct explain_story *s, int budget_s);
void explain_whatif_print(FILE *out, const struct explain_whatif *w);
void explain_whatif_json(struct jsonout *j, const struct explain_whatif *w);
void explain_whatif_free(struct explain_whatif **w);
#endif
