#include "sim/rng.h"

#include <stddef.h>

uint64_t rng_hash_text(uint64_t seed, const char *text)
{
	uint64_t h = rng_hash(seed, UINT64_C(0x9e3779b97f4a7c15));
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		h = rng_hash(h, *c + UINT64_C(0x100));
	return h;
}

struct rng rng_named(uint64_t seed, const char *name)
{
	return (struct rng){ rng_hash_text(seed, name) };
}

/*
 * The classic bit-by-bit logarithm: normalise u to [1, 2), square; each time
 * the square reaches 2 the next fraction bit is 1.  32 squarings in 64-bit
 * fixed point keep the error under 2^-31.
 */
uint64_t rng_neg_log2(uint64_t u)
{
	int lead = __builtin_clzll(u);
	uint64_t m = u << lead;			/* 1.63 fixed point, in [1, 2) */
	uint64_t fraction = 0;
	for (int i = 0; i < 32; i++) {
		unsigned __int128 sq = (unsigned __int128)m * m;	/* 2.126, in [1, 4) */
		int two = (int)(sq >> 127);
		m = (uint64_t)(two ? sq >> 64 : sq >> 63);
		fraction = fraction << 1 | (uint64_t)two;
	}
	/* log2(u/2^64) = -(lead + 1) + fraction/2^32 */
	return ((uint64_t)(lead + 1) << 32) - fraction;
}

int64_t rng_exponential(struct rng *r, int64_t mean)
{
	uint64_t u = rng_next(r);
	uint64_t log2_q32 = rng_neg_log2(u ? u : 1);
	/* x = mean * ln2 * log2; ln2 = 0xB17217F7D1CF79AC / 2^64. */
	unsigned __int128 ln_q32 = ((unsigned __int128)log2_q32 * UINT64_C(0xB17217F7D1CF79AC)) >> 64;
	return (int64_t)((ln_q32 * (uint64_t)mean) >> 32);
}
