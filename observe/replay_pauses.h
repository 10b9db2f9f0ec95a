/*
 * observe/replay_pauses.h - when each transmitter stood still, and what for.
 *
 * An interval runs from the instant a pause takes effect at a transmitter to its
 * end.  With it goes what its sender held when it sent XOFF (as pauses.csv has
 * it), and again at a refresh or a marked moment where that has changed since.
 *
 * Bounded: when there are PAUSES_MAX of them the shortest half is left out, and
 * from then on whatever is shorter than those; how many, and how short, is
 * written down.
 */
#ifndef REPLAY_PAUSES_H
#define REPLAY_PAUSES_H
#include <stdbool.h>
#include "models/view.h"
#include "observe/jsonout.h"

struct replay_pauses;
struct replay_pauses *replay_pauses_new(struct fabric *f);
/* What every standing pause waits for is looked at again.  At an instant at
 * which several nodes may be looked at (a settle hook). */
void replay_pauses_mark(struct replay_pauses *p, int64_t at_ps);
/* "pauses": {...}; after the run, once. */
void replay_pauses_write(struct replay_pauses *p, struct jsonout *j);
void replay_pauses_free(struct replay_pauses **p);
#endif
