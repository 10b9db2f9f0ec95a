/*
 * models/switch/route.h - where a switch sends a frame.
 *
 * Per destination host one set of egress ports: the shortest paths, or an
 * explicit override.  Sets are interned, so the table is one 32-bit word per
 * (switch, host).  ECMP takes a seeded hash of the five-tuple; the seed derives
 * from (run seed, switch name), so two tiers do not polarise.
 */
#ifndef ROUTE_H
#define ROUTE_H
#include <stdbool.h>
#include <stdint.h>
#include "sim/rng.h"

enum route_kind { ROUTE_NONE, ROUTE_PORTS, ROUTE_FLOOD, ROUTE_DROP };

struct route_table {
	uint32_t *to;		/* by node id of the destination: offset << 8 | count; or a kind with count 0 */
	uint16_t *set;		/* local port numbers; sets lie end to end */
	uint32_t sets, room, nodes;
	uint64_t seed;
};

/* `to`: `nodes` zeroed words of the caller's, which outlive the table. */
void route_init(struct route_table *t, uint32_t *to, uint32_t nodes, uint64_t seed);
void route_fini(struct route_table *t);
/* `ports`: ascending local port numbers, 1..255 of them. */
void route_set(struct route_table *t, uint32_t dst, const uint16_t *ports, int n);
void route_set_kind(struct route_table *t, uint32_t dst, enum route_kind kind);

static inline enum route_kind route_kind(const struct route_table *t, uint32_t dst)
{
	uint32_t w = t->to[dst];
	return w & 255 ? ROUTE_PORTS : (enum route_kind)(w >> 8);
}
/* Only where route_kind says ROUTE_PORTS. */
static inline uint16_t route_pick(const struct route_table *t, uint32_t dst, uint32_t hash)
{
	uint32_t w = t->to[dst], n = w & 255, i = 0;
	if (n > 1)
		i = (uint32_t)(((rng_hash(hash, t->seed) >> 32) * n) >> 32);
	return t->set[(w >> 8) + i];
}
/* The i-th of its ports. */
static inline uint16_t route_port(const struct route_table *t, uint32_t dst, int i)
{
	return t->set[(t->to[dst] >> 8) + (uint32_t)i];
}
static inline int route_count(const struct route_table *t, uint32_t dst) { return (int)(t->to[dst] & 255); }
#endif
