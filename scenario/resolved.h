/*
 * scenario/resolved.h - a run written out with every effective value.
 *
 * The JSON is an experiment: run, it gives the same digest.  Nodes and links are
 * written one by one; settings of nodes that agree are written once, under a
 * pattern; quantities in units that read back exactly.
 */
#ifndef RESOLVED_H
#define RESOLVED_H
#include <stdio.h>
#include "scenario/run.h"

struct resolved_head {
	const char *name, *about, *source;
	const char *const *rules;	/* NULL-terminated */
	const char *dir;		/* folder of the file, where long lists of flows go; NULL: all in one */
};

/* 0, or -1 (errno) when `out` or a list cannot be written. */
int resolved_print(const struct run *run, const struct resolved_head *head, FILE *out);
#endif
