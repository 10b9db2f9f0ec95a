/*
 * models/wire/sched.h - which of a port's eight queues sends next.
 *
 * Strict queues come first, the highest number before the others.  The rest
 * share what is left by weight, as surplus round robin (Adiseshu, Parulkar,
 * Varghese, SIGCOMM 1996; the deficit round robin of Shreedhar and Varghese,
 * SIGCOMM 1995, for a server that does not know the length of a head before it
 * is sent): a queue may send while its deficit is positive and pays after; a
 * turn adds its quantum, which is proportional to its weight.
 *
 * Invariants of a weighted queue: -(largest frame) <= deficit <= quantum, so a
 * backlogged queue is never ahead or behind by more than a quantum and a
 * frame.  A queue found empty when its turn passes loses what it had left and
 * works off what it owes; a queue that is alone starts afresh with each frame.
 *
 * Pick changes nothing that a second pick would undo: picking twice without a
 * charge gives the same queue.
 */
#ifndef SCHED_H
#define SCHED_H
#include <stdint.h>

enum { SCHED_QUEUES = 8, SCHED_WEIGHT_MAX = 65535 };
/* Quantum of the smallest weight, rounded up to a multiple of that weight. */
enum { SCHED_QUANTUM_BYTES = 1536 };

struct sched {			/* open: the port's hot path sees inside */
	uint8_t strict_mask;	/* bit q: queue q is strict */
	uint8_t turn;		/* the weighted queue whose turn it is */
	int32_t deficit[SCHED_QUEUES];
	int32_t quantum[SCHED_QUEUES];	/* > 0 */
};

/* weights[q] of a strict queue is not looked at; 0 is a queue not in use, which
 * counts as the smallest weight should it ever be ready. */
void sched_init(struct sched *s, unsigned strict_mask, const int64_t weights[SCHED_QUEUES]);
/* The slow half of sched_pick: at least two weighted queues ready, none strict. */
int sched_pick_weighted(struct sched *s, unsigned ready_mask);

/* The queue that sends next, of those in ready_mask; -1 when it is 0. */
static inline int sched_pick(struct sched *s, unsigned ready_mask)
{
	unsigned strict;

	if (!(ready_mask & (ready_mask - 1))) {		/* at most one bit */
		int queue;

		if (!ready_mask)
			return -1;
		queue = __builtin_ctz(ready_mask);
		s->deficit[queue] = 0;
		return queue;
	}
	strict = ready_mask & s->strict_mask;
	if (strict)
		return 31 - __builtin_clz(strict);
	if (ready_mask >> s->turn & 1 && s->deficit[s->turn] > 0)
		return s->turn;
	return sched_pick_weighted(s, ready_mask);
}

/* `bytes` (of the wire) of a frame of the picked queue are being sent. */
static inline void sched_charge(struct sched *s, int queue, int32_t bytes)
{
	if (!(s->strict_mask >> queue & 1))
		s->deficit[queue] -= bytes;
}
#endif
