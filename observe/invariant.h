/*
 * observe/invariant.h - what must hold after every run, checked from outside.
 *
 * The models assert their invariants where they are made (DESIGN, section 8);
 * here the same is asked again of what they show: bytes are conserved, XOFF and
 * XON alternate, every flow ends once and not before its ideal, and a deadlock
 * ends only by an outside force.
 */
#ifndef INVARIANT_H
#define INVARIANT_H
#include "models/view.h"
#include "observe/deadlock.h"
#include "observe/flowtable.h"

/* A sentence in `text`, and false, when something does not hold. */
bool invariant_check(const struct fabric *f, const struct flowtable *flows,
		     struct deadlock *dead, char *text, size_t size);
#endif
