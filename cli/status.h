/*
 * cli/status.h - exit codes, the same for every command (doc/design.md, section 6).
 */
#ifndef STATUS_H
#define STATUS_H

enum {
	STATUS_OK = 0,			/* done and as expected */
	STATUS_FAILED = 1,		/* an expectation or a check failed */
	STATUS_INPUT = 2,		/* wrong usage or input: nothing run, nothing written */
	STATUS_BROKEN = 3,		/* an invariant of ours broke */
	STATUS_OUTPUT = 4,		/* output that cannot be written */
	STATUS_INTERRUPTED = 130
};

/* The worse of two: interrupted, broken, output, input, failed, ok. */
static inline int status_worse(int a, int b)
{
	/* 130 3 4 2 1 0: only 3 and 4 stand out of numeric order */
	int rank_a = a == STATUS_BROKEN ? 5 : a;
	int rank_b = b == STATUS_BROKEN ? 5 : b;

	return rank_a >= rank_b ? a : b;
}
#endif
