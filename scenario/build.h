/*
 * scenario/build.h - a loaded run to a fabric.
 */
#ifndef BUILD_H
#define BUILD_H
#include "scenario/run.h"

/* fabric_new, every fabric_add_*, fabric_finish.  NULL: an error, at the place
 * in the experiment that is to blame.  The fabric's warnings go to the diag
 * under the name of `file`. */
struct fabric *build_fabric(const struct read *experiment, const struct run *run,
			    const char *file, int64_t base_until_ps);
#endif
