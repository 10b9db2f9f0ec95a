#include "sim/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "sim/mem.h"

enum { POOL_CHUNK_BYTES = 1 << 21 };	/* one huge page */

static uint32_t pool_chunk(const struct pool *p)
{
	return (uint32_t)(POOL_CHUNK_BYTES / p->item_bytes);
}

static size_t pool_space(const struct pool *p)
{
	return ((size_t)p->limit * p->item_bytes + POOL_CHUNK_BYTES) / 4096 * 4096;
}

/* Gives memory to handles [committed, upto). */
static void pool_commit(struct pool *p, uint32_t upto)
{
	size_t from = (size_t)p->committed * p->item_bytes / 4096 * 4096;
	size_t to = ((size_t)upto * p->item_bytes + 4095) / 4096 * 4096;
	mem_commit(p->base + from, to - from);
	p->committed = upto;
}

void pool_init(struct pool *p, size_t item_bytes, uint32_t estimate, uint32_t limit)
{
	sim_assert(item_bytes >= sizeof(uint32_t) && item_bytes <= POOL_CHUNK_BYTES);
	sim_assert(limit > 1 && limit < UINT32_MAX);
	*p = (struct pool){ .item_bytes = item_bytes, .fresh = 1, .limit = limit };
	p->base = mem_reserve(pool_space(p));
	uint32_t want = estimate + 1 < limit ? estimate + 1 : limit;
	pool_commit(p, want);
}

void pool_fini(struct pool *p)
{
	if (p->base)
		munmap(p->base, pool_space(p));
	*p = (struct pool){ 0 };
}

void pool_grow(struct pool *p)
{
	if (p->committed >= p->limit) {
		fprintf(stderr, "xoff: error: out of memory (%u records of %zu bytes in use)\n",
			p->live, p->item_bytes);
		exit(4);
	}
	uint32_t chunk = pool_chunk(p), room = p->limit - p->committed;
	pool_commit(p, p->committed + (chunk < room ? chunk : room));
	p->growths++;
}
