/*
 * sim/assert.c - prints what is known of a broken invariant, and ends.
 */
#include "sim/assert.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASSERT_EXIT = 3 };

static _Thread_local const struct assert_context *context;

void assert_set_context(const struct assert_context *ctx)
{
	context = ctx;
}

_Noreturn void assert_fail(const char *cond, const char *file, int line, const char *func)
{
	const struct assert_context *ctx = context;
	const char *core = getenv("XOFF_ABORT");

	fflush(stdout);
	fprintf(stderr, "xoff: internal error: %s:%d: %s: \"%s\" does not hold\n",
		file, line, func, cond);
	if (ctx) {
		if (ctx->now_ps)
			fprintf(stderr, "  simulated time %" PRId64 " ps\n", *ctx->now_ps);
		if (ctx->events)
			fprintf(stderr, "  event %" PRIu64 "\n", *ctx->events);
		fprintf(stderr, "  experiment %s, seed %" PRIu64 ", version %s\n",
			ctx->experiment ? ctx->experiment : "?", ctx->seed,
			ctx->version ? ctx->version : "?");
	}
	fprintf(stderr, "This is a bug in Xoff, not in your experiment; please report it "
			"with the lines above.\n");
	fflush(stderr);
	if (core && strcmp(core, "1") == 0)
		abort();
	_Exit(ASSERT_EXIT);
}
