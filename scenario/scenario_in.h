/*
 * scenario/scenario_in.h - an opened experiment, between scenario.c and scenario_rules.c.
 */
#ifndef SCENARIO_IN_H
#define SCENARIO_IN_H
#include "scenario/assemble.h"
#include "scenario/read.h"
#include "scenario/run.h"
#include "scenario/scenario.h"

struct rules {
	char **text, **pointer;	/* and where each stands in the merged document */
	int n;
};

struct scenario {
	struct assembly assembly;
	struct run *runs;		/* of assembly.runs; empty until built */
	struct rules *rules;		/* likewise */
	struct scenario_axis *axes;
	int naxes;
	char *name, *about, *source;
	bool slow;
};

/* The cursor at the root of a run.  *ctx must outlive it. */
struct read scenario_root(const struct scenario *sc, int run, struct diag *diag,
			  struct read_ctx *ctx);
/* The rules of a run's `expect`, their syntax and the runs they refer to checked. */
int scenario_read_rules(struct scenario *sc, int run, struct diag *diag);
#endif
