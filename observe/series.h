/*
 * observe/series.h - what ports did, sampled: series/NAME.csv and, of the samples
 * after the warm-up, mean, deviation and range in the summary.
 *
 * Columns at_ps, port, prio, then those asked for: queue_bytes, group_bytes,
 * tx_bps (frame bytes sent since the last sample), paused.  One row a sample,
 * port and priority of a class, in that order.  Streamed.
 */
#ifndef SERIES_H
#define SERIES_H
#include "models/view.h"
#include "observe/observe.h"

struct series;
/* The ports of a request, in order of names: yours to free.  NULL when it is wrong
 * (a name that makes no file, a period of 0, no port that matches). */
uint32_t *series_ports(const struct fabric *f, const struct observe_series *conf, uint32_t *n,
		       struct sim_error *err);
/* The directory DIR/series is made; `dir` NULL: no file.  NULL on an error. */
struct series *series_new(struct fabric *f, const struct observe_series *conf, const char *dir,
			  struct sim_error *err);
/* Fills its part of the summary, closes the file. */
int series_finish(struct series *s, struct summary_series *out, struct sim_error *err);
void series_free(struct series **s);
#endif
