/*
 * observe/replay_marks.h - the thresholds of one port and priority, for replay.json.
 *
 * A lossless group of a switch is stopped at its XOFF limit, which moves with
 * the pool, and freed at max(xon_floor_bytes, limit - xon_gap_bytes).  All are
 * uses of the whole group, reserve and headroom included.
 */
#ifndef REPLAY_MARKS_H
#define REPLAY_MARKS_H
#include "models/view.h"
#include "observe/jsonout.h"

struct replay_marks { int64_t xon_floor_bytes, xon_gap_bytes; };
/* Before the run, while the pool is free.  Zeros where there is no such group. */
struct replay_marks replay_marks_read(const struct fabric *f, uint32_t port, int prio);
/* Members of the object that is open: the above and headroom_bytes; kmin_bytes and
 * kmax_bytes of a queue that marks; xoff_bytes and xon_bytes of a host's buffer. */
void replay_marks_write(const struct fabric *f, uint32_t port, int prio, struct replay_marks m,
			struct jsonout *j);
#endif
