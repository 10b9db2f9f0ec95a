/*
 * analyze/witness.h - an experiment that closes a circle of buffer dependencies.
 *
 * A circle is a deadlock only when all its groups are over their limit, each
 * because of the next one.  Streams along the circle get there by themselves
 * sometimes; these plans help:
 *
 * WITNESS_FILL	One receiver is held by a storm, and a first stream to it fills one
 *	group of the circle.  Then each stream in turn, going backwards, fills its
 *	own group with frames that wait on the one filled before.  When the circle
 *	is full the receiver is released, and the last gap closes: frames that
 *	stood ready take the place of the first stream's.
 * WITNESS_HOLD	All streams at once, all receivers held until everything is full.
 * WITNESS_GREEDY	All streams at once, nobody held.
 */
#ifndef WITNESS_H
#define WITNESS_H
#include "analyze/bdg.h"

enum witness_plan { WITNESS_FILL, WITNESS_HOLD, WITNESS_GREEDY, WITNESS_PLANS };

struct witness_stream {
	char name[24];
	uint32_t src, dst;		/* hosts */
	int class_;
	int64_t start_ps, stop_ps;	/* stop UNITS_NEVER: none */
};
struct witness_route { uint32_t at, to, via; bool flood; };	/* nodes; via: a neighbour */

struct witness {
	struct witness_stream *stream;
	int streams;
	struct witness_route *route;	/* pins the ways of the streams */
	int routes;
	uint32_t *held;			/* hosts that pause from 0 ... */
	int helds;
	int64_t release_ps;		/* ... to here */
	int64_t until_ps;
	int64_t frame_bytes;
};

/* False: this plan cannot be made here (two streams would have to go different
 * ways to one host, or no host is left to send). */
bool witness_make(const struct routing *r, const struct bdg_cycle *cycle,
		  enum witness_plan plan, struct witness *out);
void witness_fini(struct witness *w);
#endif
