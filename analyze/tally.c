/* analyze/tally.c - see tally.h. */
#include "analyze/tally.h"

#include <stdlib.h>
#include "sim/mem.h"

static uint32_t *find(const struct tally *t, uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t at = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15) +
		      c * UINT64_C(0xd1342543de82ef95);

	for (at ^= at >> 29;; at++) {
		uint32_t *place = &t->place[at & (t->room - 1)];
		const struct tally_entry *e = t->entry + *place - 1;

		if (!*place || (e->a == a && e->b == b && e->c == c))
			return place;
	}
}

static void make_room(struct tally *t)
{
	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->entry = mem_grow(t->entry, t->cap * sizeof(*t->entry));
	}
	if (2 * (t->n + 1) <= t->room)
		return;
	free(t->place);
	t->room = t->room ? 2 * t->room : 128;
	t->place = mem_zalloc(t->room * sizeof(*t->place));
	for (size_t i = 0; i < t->n; i++) {
		const struct tally_entry *e = &t->entry[i];

		*find(t, e->a, e->b, e->c) = (uint32_t)i + 1;
	}
}

struct tally_entry *tally_at(struct tally *t, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t *place;

	make_room(t);
	place = find(t, a, b, c);
	if (!*place) {
		t->entry[t->n] = (struct tally_entry){ .a = a, .b = b, .c = c };
		*place = (uint32_t)++t->n;
	}
	return &t->entry[*place - 1];
}

void tally_fini(struct tally *t)
{
	free(t->entry);
	free(t->place);
	*t = (struct tally){ 0 };
}
