/*
 * tests/support/trial.h - a check in a process of its own: an assertion of the
 * simulator, a crash or a hang fails it like anything else, and the caller lives.
 */
#ifndef TRIAL_H
#define TRIAL_H
#include <stdbool.h>
#include <stddef.h>
#include "sim/error.h"

/* Fails by trial_fail, or by ending in any other way than to return. */
typedef void trial_fn(void *ctx);

/* True: it passed.  Else `why` has the beginning of what it said. */
bool trial_run(trial_fn *fn, void *ctx, unsigned seconds, char *why, size_t size);

/* Ends the trial.  Only inside one. */
_Noreturn void trial_fail(const char *fmt, ...) SIM_PRINTF(1, 2);

#define trial_must(cond, ...) do { if (!(cond)) trial_fail(__VA_ARGS__); } while (0)
#endif
