/*
 * tests/support/scratch.h - where a test's files go: the folder of its own that
 * tests/one.sh makes, and the temporary one when it is run by hand.
 */
#ifndef SCRATCH_H
#define SCRATCH_H
#include <stdlib.h>
#include "sim/mem.h"

static inline const char *scratch_dir(void)
{
	const char *dir = getenv("XOFF_SCRATCH");

	return dir ? dir : "/tmp";
}

/* For mkstemp or mkdtemp; free() it. */
static inline char *scratch_name(const char *what)
{
	return mem_printf("%s/%s.XXXXXX", scratch_dir(), what);
}
#endif
