#include "sim/arena.h"

#include "sim/mem.h"

struct arena_chunk {
	_Alignas(64) struct arena_chunk *next;
	size_t bytes;
};

enum { ARENA_FIRST_BYTES = 1 << 16, ARENA_MOST_BYTES = 1 << 23 };

void *arena_take(struct arena *a, size_t bytes)
{
	size_t n = (bytes + 63) / 64 * 64;

	if (!a->chunk || a->room - a->used < n) {
		size_t room = a->chunk ? a->chunk->bytes * 2 : ARENA_FIRST_BYTES;
		if (room > ARENA_MOST_BYTES)
			room = ARENA_MOST_BYTES;
		if (room < n + sizeof(struct arena_chunk))
			room = n + sizeof(struct arena_chunk);
		struct arena_chunk *c = mem_block(room);
		c->next = a->chunk;
		c->bytes = room;
		a->chunk = c;
		a->used = sizeof *c;
		a->room = room;
	}
	void *p = (char *)a->chunk + a->used;
	a->used += n;
	return p;
}

void arena_free(struct arena *a)
{
	while (a->chunk) {
		struct arena_chunk *c = a->chunk;
		a->chunk = c->next;
		mem_block_free(c, c->bytes);
	}
	*a = (struct arena){ 0 };
}
