/*
 * cli/explain_words.h - places, causes and sums of `xoff explain DIR`, in words.
 */
#ifndef EXPLAIN_WORDS_H
#define EXPLAIN_WORDS_H
#include "cli/rundir_read.h"

enum { EXPLAIN_WORDS_MAX = 200 };

/* All write into buf (EXPLAIN_WORDS_MAX bytes) and return it. */
char *explain_words_port(const struct rundir_read *r, uint32_t place, char *buf);
/* "leaf3:6 (to h30)" */
char *explain_words_place(const struct rundir_read *r, uint32_t place, char *buf);
/* The root as the object of a sentence: "contention at leaf3:6 (to h30)". */
char *explain_words_root(const struct rundir_read *r, const struct blame_root *root, char *buf);
char *explain_words_time(int64_t ps, char *buf);
char *explain_words_bytes(int64_t bytes, char *buf);
/* The node at the other end of a place's link, "" when it is not known. */
const char *explain_words_far(const struct rundir_read *r, uint32_t place);
const char *explain_words_node(const struct rundir_read *r, uint32_t place);

/* In capitals, for the head of a run or a root. */
const char *explain_words_class(enum blame_kind kind);
/* "contention", "nic_storm", "slow_receiver", "in_loop_deadlock",
 * "deadlock_fed_from_outside", or "quiet" when nothing was stopped: of the run. */
const char *explain_words_run_class(const struct rundir_read *r,
				    const struct blame_report *report);

enum explain_words_who { EXPLAIN_BROUGHT, EXPLAIN_OWN, EXPLAIN_VICTIMS };
struct explain_words_workload {	/* a sum over the pairs of a workload */
	uint32_t workload, most;	/* most: the pair with most of it */
	uint32_t npairs;
	int64_t ps, most_ps;
};
/* By workload, most first; `list` has room for all workloads.  Returns how many. */
uint32_t explain_words_workloads(const struct rundir_read *r, const struct blame_root *root,
				 enum explain_words_who who,
				 struct explain_words_workload *list);
/* "h17>h25" of "db h17>h25". */
const char *explain_words_hosts(const struct rundir_read *r, uint32_t pair);
#endif
