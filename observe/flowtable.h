/*
 * observe/flowtable.h - every message: counted, timed, and a row of flows.csv.
 *
 * A message is finished when its last byte has reached the receiver; its row is
 * made when its ACK is back, when it fails, or at the end of the run.  Times
 * count messages that started (by intention) at or after the warm-up.  In a
 * request/response workload the times are those of transactions: from the
 * intended start of the request to the delivery of the response; the counts and
 * rows are of messages.
 *
 * Memory: 8 bytes a flow id, 24 bytes a finished message, and, only when there
 * is a file, a row each: rows are sorted by (start, hash) and written at the end.
 */
#ifndef FLOWTABLE_H
#define FLOWTABLE_H
#include <stdbool.h>
#include <stdint.h>
#include "models/view.h"
#include "observe/outfile.h"
#include "observe/summary.h"

struct flowtable;
/* `dir` NULL: no flows.csv.  `sizes_bytes`: upper edges of the size buckets, ascending,
 * borrowed.  NULL when the file cannot be made. */
struct flowtable *flowtable_new(struct fabric *f, const char *dir, const int64_t *sizes_bytes,
				int nsizes, struct sim_error *err);
/* Messages started and not ended, now. */
int64_t flowtable_open(const struct flowtable *t);
/* After the run, once: takes stock of what is unfinished, fills flows, workloads,
 * classes (names, flows) and fairness of the summary, writes the file. */
int flowtable_finish(struct flowtable *t, struct summary *s, struct sim_error *err);
/* What broke (FCT below the ideal, a flow that ended twice), or NULL. */
const char *flowtable_broken(const struct flowtable *t);
void flowtable_free(struct flowtable **t);

/* Why a flow failed, from the a and b of its record; returns buf. */
char *flowtable_reason(const struct fabric *f, int64_t a, int64_t b, char *buf, size_t size);
#endif
