/*
 * scenario/expect.h - rules on what must come out of a run.
 *
 *	PATH OP VALUE		OP one of == != < <= > >=
 *	PATH in A..B		both ends included
 *
 * PATH is dotted, into the run's object of summary.json; a key may itself hold
 * dots (the longest key that leads on wins), an array goes by index, and
 * ".length" of an array is its size.  A PATH that begins with runs.NAME is
 * another run's.
 * VALUE (and A, B) is a number, a quantity with its unit, true, false, null, a
 * word or 'text', or [NUMBER *] runs.NAME.PATH.  What is a time (_ps, and the
 * pauses of pfc.by_node and pfc.hosts_by_switch), a size (_bytes) or a rate (_bps)
 * by its name must have a unit that fits; 0 needs none.
 */
#ifndef EXPECT_H
#define EXPECT_H
#include <jansson.h>
#include "scenario/scenario.h"
#include "sim/error.h"

enum expect_op { EXPECT_EQ, EXPECT_NE, EXPECT_LT, EXPECT_LE, EXPECT_GT, EXPECT_GE, EXPECT_IN };
enum expect_kind {
	EXPECT_NUMBER,
	EXPECT_TEXT,
	EXPECT_TRUE,
	EXPECT_FALSE,
	EXPECT_NULL,
	EXPECT_RUN
};
enum { EXPECT_TEXT_MAX = 256 };

struct expect_number {
	bool whole;
	int64_t i;		/* where whole */
	double x;
	bool unit;		/* it was written with one, and the path's name calls for none */
};
struct expect_term {
	enum expect_kind kind;
	struct expect_number number;	/* of NUMBER; the factor of RUN */
	char text[EXPECT_TEXT_MAX];	/* of TEXT; "NAME.PATH" of RUN */
};
struct expect_rule {
	char path[EXPECT_TEXT_MAX];
	enum expect_op op;
	struct expect_term low, high;	/* the VALUE is low; high of `in` */
};

int expect_parse(const char *text, struct expect_rule *rule, struct sim_error *err)
	SIM_MUST_CHECK;
/* Do the rule's paths lead somewhere in these summaries, of runs that have not run
 * (see scenario_rules_check)?  -1: the error names the nearest path that does. */
int expect_check(const struct expect_rule *rule, json_t *shapes, const char *own,
		 struct sim_error *err) SIM_MUST_CHECK;
/* `runs` is an object of the runs' summaries by name; `own` is this run's name. */
void expect_eval(const struct expect_rule *rule, json_t *runs, const char *own,
		 struct scenario_verdict *out);
/* The value at a path of a summary, a new reference; NULL: none. */
json_t *expect_find(json_t *summary, const char *path);
/* Says that the path of a rule leads nowhere, and what was probably meant; -1. */
int expect_missing(json_t *runs, const char *own, const char *path, struct sim_error *err);
/* The name of the run that starts "NAME.PATH", the longest of `names`; NULL: none. */
const char *expect_run(const char *text, const char *const *names);
#endif
