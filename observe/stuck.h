/*
 * observe/stuck.h - what can never leave: the fixed point of DESIGN section 4.
 *
 * Given a set of held egress queues, it takes out all whose group would leave
 * XOFF by the MMU's own rule once everything not stuck has left.  What remains
 * is D.  Only the caller knows which queues are held (observe/deadlock.c).
 *
 * A queue is named by its key, port * 8 + priority.  Its *group* is the ingress
 * group (peer port, priority) that it fills; the group's own bytes wait in
 * other queues of the far switch.  Where both ends of a link speak 802.3x every
 * group of the peer port in XOFF stops all queues of the port, lossy ones too: each
 * key then has all those groups.  Lossy frames that can never leave keep their part
 * of the pool.  Reads several nodes: settle hooks only.
 */
#ifndef STUCK_H
#define STUCK_H
#include <stdbool.h>
#include <stdint.h>
#include "models/view.h"

enum { STUCK_PRIOS = 8, STUCK_ENOUGH = 64, STUCK_PARTS = 8 };

struct stuck {
	const struct fabric *f;
	uint32_t nkeys;
	/* Of each port, constant: node, far port, place in the node. */
	uint32_t *node, *peer, *index;
	/* Of each node: its bitmaps of egress ports, one a priority. */
	uint64_t *first_word;
	uint32_t *words;
	bool *is_switch, *dynamic, *two_level;
	uint8_t *stops;		/* of each port: enum view_stops */
	int64_t *shared;	/* stuck shared bytes by node and partition, -1: not known */
	uint64_t *held, *paused, *one;	/* the bitmaps; `one` has a single bit */
	uint32_t *member;	/* keys in D, any order */
	uint32_t nmember;
	uint32_t *queue, *parent;	/* breadth-first search */
	bool *mark;			/* of each key */
	bool arriving;			/* a group was let go for a frame on its way to it: ask again when it is there */
};

void stuck_init(struct stuck *s, const struct fabric *f);
void stuck_free(struct stuck *s);

void stuck_add(struct stuck *s, uint32_t key);		/* a held queue becomes a member */
/* A queue held from outside (a storming host): never taken out, no member. */
void stuck_hold(struct stuck *s, uint32_t key, bool on);
void stuck_reduce(struct stuck *s);			/* to the fixed point */
/* Queues towards switches whose pause is in effect, held or not: for stuck_may. */
void stuck_pause(struct stuck *s, uint32_t key, bool on);
/* Might the paused queue `key` be in D?  A no is certain: what `key` depends on,
 * from queue to queue, has been looked at as if all of it were held and every
 * pool full.  Cheap where packets go up and down: the way ends after few hops. */
bool stuck_may(struct stuck *s, uint32_t key);
void stuck_clear(struct stuck *s);			/* no members */
/* The priorities whose groups at the peer, in XOFF now, stop the queue. */
uint8_t stuck_groups(const struct stuck *s, uint32_t key);
/* Of a member of the fixed point: *prio is that of a group of its own which keeps it,
 * *stuck what the group holds that can never leave; the answer is the use at or below
 * which the group would leave XOFF once everything not stuck has left (less than
 * *stuck; -1: not even when empty). */
int64_t stuck_mark(struct stuck *s, uint32_t key, int *prio, int64_t *stuck);
/* A shortest cycle among the members into `cycle` (room for nkeys); of equals
 * the one with the smallest queue, which also begins it.  Returns its length. */
uint32_t stuck_cycle(struct stuck *s, uint32_t *cycle);
/* Members outside the cycle and hosts' transmitters stopped by groups in D, in
 * order of keys, into `out` (room for nkeys).  Returns how many. */
uint32_t stuck_victims(struct stuck *s, const uint32_t *cycle, uint32_t n, uint32_t *out);

static inline uint32_t stuck_peer(const struct stuck *s, uint32_t key)
{
	return s->peer[key / STUCK_PRIOS];
}
#endif
