/*
 * sim/assert.h - our own mistakes.  On in every build.
 *
 * A failed sim_assert prints time, event number, experiment, seed and version
 * (from the context that cli/ sets) and exits with 3; XOFF_ABORT=1 dumps core.
 */
#ifndef SIM_ASSERT_H
#define SIM_ASSERT_H
#include <stdint.h>

struct assert_context {		/* what a failure prints; any pointer may be NULL */
	const char *experiment;
	const char *version;
	uint64_t seed;
	const int64_t *now_ps;
	const uint64_t *events;
};
/* Thread-local; borrowed until replaced; NULL clears it. */
void assert_set_context(const struct assert_context *ctx);
_Noreturn void assert_fail(const char *cond, const char *file, int line, const char *func);

#define sim_assert(cond)							\
	(__builtin_expect(!!(cond), 1) ? (void)0				\
	 : assert_fail(#cond, __FILE__, __LINE__, __func__))
#endif
