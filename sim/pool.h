/*
 * sim/pool.h - fixed-size records named by 32-bit handles.
 *
 * Records never move.  A pool starts at an estimate and grows in chunks (each
 * growth is counted, so a run shows whether the estimate held).  Free records
 * form a LIFO list through their first four bytes, so the hottest is reused
 * first.  Handle 0 is never given out: POOL_NONE.
 */
#ifndef POOL_H
#define POOL_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "sim/assert.h"

#define POOL_NONE UINT32_C(0)

struct pool {
	char *base;
	size_t item_bytes;
	uint32_t free_head;	/* POOL_NONE: take a fresh one */
	uint32_t fresh;		/* next never-used handle */
	uint32_t committed;	/* handles that have memory */
	uint32_t limit;		/* handles that have addresses */
	uint32_t live;		/* taken now */
	uint64_t growths;
};

/* `estimate` records at once; at most `limit` ever. */
void pool_init(struct pool *p, size_t item_bytes, uint32_t estimate, uint32_t limit);
void pool_fini(struct pool *p);
void pool_grow(struct pool *p);		/* one chunk more; exits with 4 at the limit */

static inline void *pool_at(const struct pool *p, uint32_t handle)
{
	return p->base + (size_t)handle * p->item_bytes;
}

/* The record's content is what its last user left. */
static inline uint32_t pool_take(struct pool *p)
{
	uint32_t h = p->free_head;
	p->live++;
	if (__builtin_expect(h != POOL_NONE, 1)) {
		memcpy(&p->free_head, pool_at(p, h), sizeof p->free_head);
		return h;
	}
	if (__builtin_expect(p->fresh == p->committed, 0))
		pool_grow(p);
	return p->fresh++;
}

static inline void pool_give(struct pool *p, uint32_t handle)
{
	sim_assert(handle != POOL_NONE);
	memcpy(pool_at(p, handle), &p->free_head, sizeof p->free_head);
	p->free_head = handle;
	p->live--;
}
#endif
