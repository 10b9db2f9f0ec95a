/*
 * scenario/expand.h - a pattern (pattern.h) to the names it picks, and back.
 */
#ifndef EXPAND_H
#define EXPAND_H
#include "sim/error.h"

enum { EXPAND_NAMES_MAX = 1 << 20 };

/* Indices of the names that a pattern picks out of `names` (sorted by
 * pattern_natural), each once, in the pattern's order: that of a range where it
 * is written as one, else natural order.  A name or range that reaches beyond
 * the names is an error, and so is a pattern that picks none. */
struct expand_list { int *index; int n, room; };
int expand_names(const char *pattern, const char *const *names, int nnames,
		   struct expand_list *out, struct sim_error *err) SIM_MUST_CHECK;
void expand_list_free(struct expand_list *list);

/* A pattern that expands to exactly these names in this order; malloc'ed. */
char *expand_compact(const char *const *names, int n);
#endif
