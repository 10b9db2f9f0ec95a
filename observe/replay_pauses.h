/*
 * observe/replay_pauses.h - when each transmitter stood still, and what for.
 *
 * An interval runs from the instant a pause takes effect at a transmitter to its
 * end.  With it goes what its sender held when it sent XOFF (as pauses.csv has
 * it), and again at a refresh or a marked moment where that has changed since: the bytes
 * of its group (where its pauses stop the whole port: of all groups of the port in XOFF),
 * and of those what waits for each queue of its switch.  A queue is the place of its port
 * in the switch, of the transmitter's priority; with another priority q, that place plus
 * (q + 1) times the ports of the switch.  A part has the level of the whole only if it is
 * all of it; else it is one less where it would be the same.
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
