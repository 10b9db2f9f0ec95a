/*
 * sim/rng.h - random streams by name, with exact integer methods.
 *
 * A stream is 64 bits of state: a Weyl sequence through a 128-bit multiply
 * (wyrand, Wang Yi, public domain idea).  Streams are seeded from (seed, name),
 * so adding a node or a flow shifts nobody else's draws.  Everything here is
 * integer arithmetic: the same on every machine and compiler.
 */
#ifndef RNG_H
#define RNG_H
#include <stdint.h>

struct rng { uint64_t state; };

static inline uint64_t rng_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 m = (unsigned __int128)a * b;
	return (uint64_t)(m >> 64) ^ (uint64_t)m;
}
/* Mixes two words into one; used wherever a hash of names or numbers is wanted. */
static inline uint64_t rng_hash(uint64_t a, uint64_t b)
{
	return rng_mix(a ^ UINT64_C(0xa0761d6478bd642f), b ^ UINT64_C(0xe7037ed1a0b428db));
}
uint64_t rng_hash_text(uint64_t seed, const char *text);

struct rng rng_named(uint64_t seed, const char *name);

static inline uint64_t rng_next(struct rng *r)	/* 64 uniform bits */
{
	r->state += UINT64_C(0xa0761d6478bd642f);
	return rng_mix(r->state, r->state ^ UINT64_C(0xe7037ed1a0b428db));
}
static inline uint32_t rng_next32(struct rng *r) { return (uint32_t)(rng_next(r) >> 32); }
/* 64 bits for a pair of small numbers, as of unrelated streams.  (rng_hash of two
 * small numbers orders the values of one `a` before those of another too often.) */
static inline uint64_t rng_pair(uint32_t a, uint32_t b)
{
	struct rng r = { ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15) };
	return rng_next(&r);
}
/* Uniform in [0, n), n > 0; the bias is below n / 2^64. */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)rng_next(r) * n) >> 64);
}
/* Exponential with the given mean (> 0), rounded down to an integer. */
int64_t rng_exponential(struct rng *r, int64_t mean);
/* -log2(u / 2^64) in 1/2^32, for u > 0: bit by bit, exact to the last place. */
uint64_t rng_neg_log2(uint64_t u);
#endif
