/*
 * observe/stall.h - nothing is delivered anywhere, and there is work to do.
 *
 * A sampler at run.stall: a stall is found when no receiver has had a payload
 * byte for that long while a message is unfinished, a switch holds frames or a
 * stream sends.  It begins at the last delivery (or when the work came) and
 * ends with the next one.  Why it stands is looked up when it is found: a
 * deadlock, a storming or slow host, losses, a link that is down.
 */
#ifndef STALL_H
#define STALL_H
#include "models/view.h"
#include "observe/deadlock.h"
#include "observe/eventlog.h"
#include "observe/flowtable.h"
#include "observe/summary.h"

struct stall;
/* The observers it asks are borrowed. */
struct stall *stall_new(struct fabric *f, const struct flowtable *flows, struct deadlock *dead,
			struct eventlog *log);
void stall_fill(struct stall *s, struct summary *out);
void stall_free(struct stall **s);
#endif
