/*
 * tests/support/circles.h - small fabrics with random routes, from a seed.
 *
 * Half of them have their traffic's circle of buffer dependencies only by ways set by
 * hand, the other half have shortest paths on a ring with chords.  Every fourth has
 * switches whose maps disagree, every third some that change classes on the way; ACKs
 * ride in the data's class, in another lossless one or in a lossy one; a few switches
 * flood.  Two lossless classes, greedy streams or flows from every host.  In every
 * fourth pauses are those of 802.3x, and hosts send in either class.
 */
#ifndef CIRCLES_H
#define CIRCLES_H
#include "sim/rng.h"
#include "tests/support/bed.h"

enum { CIRCLES_SWITCHES = 7, CIRCLES_HOSTS = 2 };	/* at most; at each switch */

struct circles {
	struct bed bed;			/* finished */
	int switches;
	bool whole;			/* 802.3x */
	/* while it is being drawn */
	struct rng rng;
	int ports[CIRCLES_SWITCHES];
	bool linked[CIRCLES_SWITCHES][CIRCLES_SWITCHES];
	char name[CIRCLES_SWITCHES * (1 + CIRCLES_HOSTS)][16];	/* switches, then hosts */
	struct switch_remap_conf remap[CIRCLES_SWITCHES];
	char *from[CIRCLES_SWITCHES][CIRCLES_SWITCHES * (1 + CIRCLES_HOSTS)];
	char *to[CIRCLES_SWITCHES][CIRCLES_SWITCHES * (1 + CIRCLES_HOSTS)];
};

/* Not to be moved; bed_close(&c->bed) ends it. */
void circles_draw(struct circles *c, uint64_t seed);
#endif
