#include "models/switch/route.h"

#include <stdlib.h>
#include <string.h>
#include "sim/assert.h"
#include "sim/mem.h"

void route_init(struct route_table *t, uint32_t *to, uint32_t nodes, uint64_t seed)
{
	*t = (struct route_table){ .to = to, .nodes = nodes, .seed = seed, .room = 64 };
	t->set = mem_zalloc(t->room * sizeof *t->set);
}

void route_fini(struct route_table *t)
{
	free(t->set);
	*t = (struct route_table){ 0 };
}

void route_set_kind(struct route_table *t, uint32_t dst, enum route_kind kind)
{
	t->to[dst] = (uint32_t)kind << 8;
}

void route_set(struct route_table *t, uint32_t dst, const uint16_t *ports, int n)
{
	sim_assert(n > 0 && n < 256);
	uint32_t at = 0;

	while (at + (uint32_t)n <= t->sets && memcmp(t->set + at, ports, (size_t)n * sizeof *ports))
		at++;
	if (at + (uint32_t)n > t->sets) {
		at = t->sets;
		while (t->sets + (uint32_t)n > t->room) {
			t->room *= 2;
			t->set = mem_grow(t->set, t->room * sizeof *t->set);
		}
		memcpy(t->set + at, ports, (size_t)n * sizeof *ports);
		t->sets += (uint32_t)n;
	}
	sim_assert(at < UINT32_C(1) << 24);
	t->to[dst] = at << 8 | (uint32_t)n;
}
