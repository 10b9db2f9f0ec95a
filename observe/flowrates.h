/*
 * observe/flowrates.h - the goodput of each message over time: NAME-flows.csv.
 *
 * Columns at_ps, flow (as in flows.csv), workload, src, dst, acked_bps: what was
 * acknowledged since the last sample.  One row a sample and message that was under
 * way for all of that time, in order of (start, flow); so the rows of one instant
 * are the shares of those who competed.  Streams have no messages and are not here.
 */
#ifndef FLOWRATES_H
#define FLOWRATES_H
#include "models/view.h"
#include "observe/observe.h"

struct flowrates;
/* DIR/series/NAME-flows.csv, of messages whose source is the node of a port that
 * matches; NULL on an error. */
struct flowrates *flowrates_new(struct fabric *f, const struct observe_series *conf,
				const char *dir, struct sim_error *err);
int flowrates_finish(struct flowrates *r, struct sim_error *err);
void flowrates_free(struct flowrates **r);
#endif
