/*
 * cli/check.h - what the parts of `xoff check` share.
 *
 * Each part checks one run, appends to ctx->findings, and shows what it looked
 * at: as text, or into ctx->json where that is not NULL.
 */
#ifndef CHECK_H
#define CHECK_H
#include <stdio.h>
#include "analyze/bdg.h"
#include "analyze/finding.h"
#include "cli/options.h"
#include "observe/jsonout.h"
#include "scenario/scenario.h"

enum check_reroute { CHECK_BOTH, CHECK_GLOBAL, CHECK_LOCAL };
enum check_pairs { CHECK_AUTO, CHECK_ALL, CHECK_TRAFFIC };

struct check_options {
	bool json;
	const char *emit, *prove, *seed;
	int failures, phases;
	int reroute, pairs;		/* enum check_reroute, check_pairs */
	struct options_list variants, sets;
};

struct check_context {
	const struct check_options *opt;
	const char *path;		/* of the experiment */
	struct scenario *sc;
	int run;
	const struct fabric *f;
	const struct routing *r;
	struct finding_list findings;
	struct jsonout *json;		/* NULL: text */
	bool emitted;			/* --emit has been served */
	bool circles;			/* there were some */
};

void check_headroom(struct check_context *ctx);
/* STATUS_OK, or what went wrong with --emit after a message. */
int check_deadlock(struct check_context *ctx);
void check_config(struct check_context *ctx);
/* Writes the experiment and runs it: STATUS_OK, or after a message another.  Sets
 * ctx->emitted, unless no streams can be made to go along the circle by fixed ways.  `down`: the links
 * that the circle needs down.  *deadlock_ps: when it locked, -1 never.  The flows of the
 * circle may be replaced by others. */
int check_emit(struct check_context *ctx, struct bdg_cycle *cycle, enum routing_mode mode,
	       const uint32_t *down, int ndown, int64_t *deadlock_ps);
/* --prove: STATUS_OK; STATUS_FAILED when frames are lost; STATUS_INPUT after a message. */
int check_prove(struct check_context *ctx);

/* The findings from `first` on. */
void check_print_findings(const struct check_context *ctx, int first);
#endif
