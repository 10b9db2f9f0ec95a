/*
 * models/wire/sched.c - the slow half of the scheduler.
 */
#include "models/wire/sched.h"
#include "sim/assert.h"

void sched_init(struct sched *s, unsigned strict_mask, const int64_t weights[SCHED_QUEUES])
{
	int64_t least = SCHED_WEIGHT_MAX, unit;

	s->strict_mask = (uint8_t)strict_mask;
	s->turn = 0;
	for (int q = 0; q < SCHED_QUEUES; q++) {
		sim_assert(weights[q] >= 0);
		sim_assert(weights[q] <= SCHED_WEIGHT_MAX);
		if (!(strict_mask >> q & 1) && weights[q] > 0 && weights[q] < least)
			least = weights[q];
	}
	unit = (SCHED_QUANTUM_BYTES + least - 1) / least;
	for (int q = 0; q < SCHED_QUEUES; q++) {
		s->deficit[q] = 0;
		s->quantum[q] = (int32_t)(unit * (weights[q] > 0 ? weights[q] : least));
	}
}

/* Turns until queue q may send.  While the turn goes round, no queue has anything left:
 * one that may send gets the turn, and what it has not used when it loses it is gone. */
static int32_t sched_turns(const struct sched *s, int q)
{
	sim_assert(s->deficit[q] <= 0);
	return -s->deficit[q] / s->quantum[q] + 1;
}

/* `rounds` turns pass for queue q. */
static void sched_pass(struct sched *s, int q, int32_t rounds, unsigned ready_mask)
{
	int64_t deficit = s->deficit[q] + (int64_t)rounds * s->quantum[q];

	if (deficit > 0 && !(ready_mask >> q & 1))
		deficit = 0;	/* idle: debts are paid, nothing is saved */
	s->deficit[q] = (int32_t)deficit;
}

/*
 * The turn goes round from the queue after the present one.  The problem: a
 * large frame may owe many quanta, and the loop would go round as often.  So
 * whole rounds in which nobody can send are taken in one step: `rounds` is the
 * least number of turns that any ready queue needs, less the last, which is
 * walked so that the order of the round decides between equals.
 */
int sched_pick_weighted(struct sched *s, unsigned ready_mask)
{
	int32_t rounds = INT32_MAX;
	int q = s->turn;

	if (s->deficit[q] > 0)
		s->deficit[q] = 0;	/* it is empty, or sched_pick had picked it */
	for (int i = 0; i < SCHED_QUEUES; i++)
		if (ready_mask >> i & 1) {
			int32_t turns = sched_turns(s, i);

			rounds = turns < rounds ? turns : rounds;
		}
	if (rounds > 1)
		for (int i = 0; i < SCHED_QUEUES; i++)
			sched_pass(s, i, rounds - 1, ready_mask);
	do {
		q = (q + 1) % SCHED_QUEUES;
		sched_pass(s, q, 1, ready_mask);
	} while (s->deficit[q] <= 0);
	sim_assert(ready_mask >> q & 1);
	s->turn = (uint8_t)q;
	return q;
}
