/*
 * sim/arena.h - memory that lives exactly as long as a run.
 *
 * What the hot path walks lies close together, on huge pages once there is
 * enough of it, and is freed all at once.
 */
#ifndef ARENA_H
#define ARENA_H
#include <stddef.h>

struct arena_chunk;
struct arena {			/* all zero: empty */
	struct arena_chunk *chunk;
	size_t used, room;
};

/* Zeroed, 64-byte aligned; never NULL. */
void *arena_take(struct arena *a, size_t bytes);
void arena_free(struct arena *a);
#endif
