/*
 * models/host/holes.h - which packets of a QP are there, above the first that is not.
 *
 * Sequence numbers count bytes, but a packet always advances them by one MTU (the last
 * of a message may carry less): so seq / MTU is the packet's number, which selective
 * repeat needs.  struct holes exists only while packets are out of order, one at each
 * end; packet n is bit n mod its size.
 *
 * Its size is the QP's, found when it opens: HOLES_LEAST packets, or the next power of
 * two that holds the window that its NIC sets, or twice bandwidth times base round trip
 * where it sets none; at most HOLES_MOST.  A QP with selective repeat has no more in
 * flight than that.  There is a pool for each size.
 */
#ifndef HOLES_H
#define HOLES_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "sim/pool.h"

enum { HOLES_LEAST = 1024, HOLES_SIZES = 9, HOLES_MOST = HOLES_LEAST << (HOLES_SIZES - 1) };

struct holes {
	uint32_t pool_next;
	uint32_t packets;		/* a power of two */
	int64_t highest;		/* highest sequence set */
	uint64_t bits[];		/* packets / 64; behind them holes_last */
};

static inline size_t holes_bytes(uint32_t packets)
{
	return sizeof(struct holes) + packets / 64 * sizeof(uint64_t) + packets * sizeof(uint32_t);
}
/* The size, as a power of two times HOLES_LEAST, for so many packets. */
static inline uint8_t holes_size(int64_t packets)
{
	uint8_t size = 0;

	while (size < HOLES_SIZES - 1 && (int64_t)HOLES_LEAST << size < packets)
		size++;
	return size;
}
static inline bool holes_has(const struct holes *h, int64_t n)
{
	return h->bits[n % h->packets / 64] >> n % 64 & 1;
}
static inline void holes_set(struct holes *h, int64_t n)
{
	h->bits[n % h->packets / 64] |= UINT64_C(1) << n % 64;
}
static inline void holes_clear(struct holes *h, int64_t n)
{
	h->bits[n % h->packets / 64] &= ~(UINT64_C(1) << n % 64);
}
/* Receiver: the message that ends with packet n, POOL_NONE. */
static inline uint32_t *holes_last(struct holes *h, int64_t n)
{
	return (uint32_t *)(h->bits + h->packets / 64) + n % h->packets;
}
/* A fresh one, with none set. */
static inline uint32_t holes_take(struct pool *pool, uint32_t packets)
{
	uint32_t id = pool_take(pool);
	struct holes *h = pool_at(pool, id);

	h->packets = packets;
	h->highest = 0;
	memset(h->bits, 0, packets / 64 * sizeof *h->bits);
	return id;
}
#endif
