/*
 * observe/marks.h - which frames were marked, by queue length: NAME-marks.csv.
 *
 * Columns port, prio, from_bytes, to_bytes (empty: no end), frames, marked_frames,
 * expected_frames, mean_queue_bytes, kmin_bytes, kmax_bytes, pmax, pi_ref_bytes.  One row for
 * each bin (from, to] of queue lengths in which a frame was held against the curve:
 * five up to kmin, twenty between kmin and kmax, five up to 2 kmax, and the rest.
 * expected_frames is the sum of the configured probabilities over just these
 * frames, so the marks of a bin are binomial round it to within its width.
 * Where a PI controller marks (pi.h), no queue length has a probability of its own:
 * expected_frames and the curve are empty, and ten bins go up to 2 pi_ref; pi_ref_bytes
 * is empty where the curve marks.
 * ECT frames only, at enqueue or dequeue as the queue is set; after the warm-up.
 */
#ifndef MARKS_H
#define MARKS_H
#include "models/view.h"
#include "observe/observe.h"

struct marks;
/* DIR/series/NAME-marks.csv of the ports that match; NULL on an error. */
struct marks *marks_new(struct fabric *f, const struct observe_series *conf, const char *dir,
			struct sim_error *err);
int marks_finish(struct marks *m, struct sim_error *err);
void marks_free(struct marks **m);
#endif
