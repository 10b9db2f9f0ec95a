/*
 * tests/support/shrink.h - a plan that fails, made as small as it can be.
 *
 * Leaves out traffic, faults, routes, hosts, switches and links, sets settings back
 * to their defaults and halves times, one step at a time, and keeps each step after
 * which the plan still fails; until no step is left that does.
 */
#ifndef SHRINK_H
#define SHRINK_H
#include "tests/support/chance.h"

/* A plan that does not fit together is no failure. */
typedef bool shrink_fails(const struct chance *c, void *ctx);

/* Changes the plan in place; asks at most `tries` times.  Returns how often it asked. */
int shrink(struct chance *c, shrink_fails *fails, void *ctx, int tries);
#endif
