/*
 * scenario/pattern.h - names written short.
 *
 *	h7			one name
 *	leaf*  h1?		globs: any characters, any one character
 *	h[0-31:2]  h[0,4-7]	numbers: ranges (down too), steps, lists
 *	[A-D]			single letters
 *	h[0-7],h12		several, one after the other
 *	h*,!h30			without one (applies to all before it)
 *	leaf*:*  leaf0:[0-7]	ports: NODE:PORT; without ":PORT" all ports
 *	leaf3-spine*		links: two ends in either order
 *
 * Names are made of letters, digits, '_', '-' and '.'.  Their natural order
 * puts h2 before h10.
 */
#ifndef PATTERN_H
#define PATTERN_H
#include <stdbool.h>
#include <stddef.h>
#include "sim/error.h"

enum { PATTERN_ITEM_MAX = 256, PATTERN_DIGITS_MAX = 9 };

/* <0, 0, >0; 0 only for equal strings. */
int pattern_natural(const char *a, const char *b);
/* qsort comparator over char * elements. */
int pattern_natural_qsort(const void *a, const void *b);
/* Is it a legal name of a node?  Else says what is wrong. */
int pattern_name_check(const char *name, struct sim_error *err) SIM_MUST_CHECK;

/* Is the pattern well formed? */
int pattern_check(const char *pattern, struct sim_error *err) SIM_MUST_CHECK;

/* A malformed pattern matches nothing. */
bool pattern_match(const char *pattern, const char *name);
bool pattern_match_port(const char *pattern, const char *node, int port);
bool pattern_match_link(const char *pattern, const char *a, const char *b);

/* For expand.c: a comma list's items, and the ranges in a bracket. */
struct pattern_range {
	long first, last, step;	/* numbers, or letters as their codes */
	bool letters;
	int width;		/* digits to pad to: "[00-15]" */
};
/* Copies the next item (PATTERN_ITEM_MAX bytes; longer is cut); false at the end. */
bool pattern_next_item(const char **rest, char *item);
/* Scans one range at *p, which is left at the ',' or ']' behind it. */
bool pattern_range_scan(const char **p, struct pattern_range *r);
bool pattern_item_match(const char *item, const char *name);
#endif
