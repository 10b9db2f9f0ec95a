/*
 * sim/engine.h - the clock and the pending-event set.  Knows nothing of networks.
 *
 * An event is a value of 16 bytes: when, and a key that both orders events of
 * one instant and names what to do:
 *
 *	class 4 bits | kind 4 bits | tie 24 bits | object 32 bits
 *
 * Events leave in the order of (at_ps, key).  Two events pending for one
 * instant never have the same key (each object arms at most one of a kind at
 * an instant), so the order is total: it depends on neither the structure of
 * the queue nor on who armed first.  Nothing is cancelled: an owner knows when
 * it expects to be called and ignores a stale event.
 *
 * Two structures behind one interface give the same order, hence the same
 * digest: a bitmap wheel of unsorted buckets, each sorted when it is opened,
 * with a 4-ary heap for what lies beyond its horizon (the default); and the
 * plain 4-ary heap (the oracle).  Figures stand at the head of engine.c.
 */
#ifndef ENGINE_H
#define ENGINE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/units.h"

enum engine_queue { ENGINE_WHEEL, ENGINE_HEAP };

struct engine_event {
	int64_t at_ps;
	uint64_t key;
};

#define ENGINE_KEY(class_, kind, tie, object)						\
	((uint64_t)(class_) << 60 | (uint64_t)(kind) << 56 |				\
	 ((uint64_t)(tie) & 0xffffff) << 32 | (uint32_t)(object))
static inline unsigned engine_code(uint64_t key) { return (unsigned)(key >> 56); }	/* class and kind */
static inline uint32_t engine_object(uint64_t key) { return (uint32_t)key; }

struct engine;

/* `pending` is an estimate of how many events wait at once. */
struct engine *engine_new(enum engine_queue queue, uint32_t pending);
void engine_free(struct engine **e);

/* at_ps must not lie before what engine_next_ps last returned. */
void engine_arm(struct engine *e, int64_t at_ps, uint64_t key);
/* When the next event is due; UNITS_NEVER when none waits. */
int64_t engine_next_ps(struct engine *e);
/* Takes the next event if it is due at `at_ps`; false when none (more) is. */
bool engine_take(struct engine *e, int64_t at_ps, uint64_t *key);

/* Key of the n-th event to come (0: the next), as far as it is known without
 * work; 0 when it is not.  A hint for prefetching, nothing to act on. */
uint64_t engine_ahead(const struct engine *e, uint32_t n);

uint64_t engine_fired(const struct engine *e);		/* events taken */
const uint64_t *engine_fired_at(const struct engine *e);	/* where that number stands */
uint64_t engine_growths(const struct engine *e);	/* allocations after engine_new */
#endif
