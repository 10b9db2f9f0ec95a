/*
 * scenario/sets.h - values put over a document at dotted paths: each --set of the
 * command line, and the values that one point of a sweep takes.
 *
 * Both act alike; only the place in messages differs: "--set PATH=VALUE", or the
 * value's (of a wrong path, the axis') in `sweep` of the file.
 */
#ifndef SETS_H
#define SETS_H
#include <stdbool.h>
#include "scenario/assemble.h"

struct set {
	char *path;
	json_t *value;		/* owned */
	const struct source *src;	/* borrowed from the assembly ... */
	char *from;		/* ... and the pointer of the value in it */
	char *key;		/* of an axis: its pointer; NULL: a --set */
	bool removed;		/* a null: it has removed something in some run */
};
struct sets { struct set *v; int n; };	/* zero: none */

/* Those of the command line, --seed last. */
int sets_parse(struct sets *sets, struct assembly *a, const struct scenario_options *opt,
	       struct diag *diag);
/* Adds, for each axis of `sweep`, its value number point[i].  `base` knows where
 * the sweep was written; axes and values that cannot be (see axis.h) are left out. */
void sets_point(struct sets *sets, const struct assemble_run *base, json_t *sweep,
		const int *point);
void sets_fini(struct sets *sets);

/* Is it about `variants` or `sweep`, which only the base has? */
bool sets_base_only(const struct set *set);
/* One of them over a run.  A null that finds nothing waits for the other runs: it
 * may be for a variant alone. */
int sets_apply(struct set *set, struct assemble_run *run, struct diag *diag);
/* When all runs are there: a null that removed nothing in any stays in all, for
 * the loader to see: a typing error, or off for what `switches` or `nics` name. */
int sets_leave_nulls(const struct sets *sets, struct assembly *a, struct diag *diag);
#endif
