/*
 * cli/explain_run.h - `xoff explain DIR`: who paused whom in a finished run, and why.
 *
 * explain_run reads the run directory, lets analyze/blame.h trace every stop to its
 * root and tells the story: for people (explain_text.h), as JSON or as a graph
 * (explain_json.h), and with --what-if after trying cures (explain_whatif.h).
 */
#ifndef EXPLAIN_RUN_H
#define EXPLAIN_RUN_H
#include <stdbool.h>
#include "cli/rundir_read.h"

struct explain_options {
	const char *at;		/* an instant, or "deadlock"; NULL: the whole run */
	const char *flow;	/* "db", "h17>h25" or "db h17>h25" */
	const char *port;	/* "leaf3:6", or a node: all its ports */
	const char *prio;	/* "0" to "7" */
	const char *variant;
	bool json, dot, what_if;
	int budget_s;		/* for what_if; 0: a minute */
};

struct explain_story {		/* what there is to tell */
	const struct rundir_read *run;
	const struct explain_options *opt;
	int64_t at_ps;		/* -1: the whole run */
	struct blame_report all;
	struct blame_report here;	/* opt->port: of its own stops */
	bool *pairs, *places, *here_places;	/* what opt asks for; NULL */
	const struct explain_whatif *whatif;	/* opt->what_if */
};

/* An exit code. */
int explain_run(const char *path, const struct explain_options *opt);
#endif
