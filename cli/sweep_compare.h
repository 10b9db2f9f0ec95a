/*
 * cli/sweep_compare.h - `xoff sweep compare`: how the variants of a sweep, or the values
 * of one of its settings, differ, and how surely.
 */
#ifndef SWEEP_COMPARE_H
#define SWEEP_COMPARE_H
#include <stdbool.h>

enum sweep_format { SWEEP_TEXT, SWEEP_MARKDOWN, SWEEP_RATIOS, SWEEP_CSV };
extern const char *const sweep_compare_formats[];

struct sweep_comparison {
	const char *const *metrics;	/* globs */
	int nmetrics;
	const char *by;		/* "variant" or a setting; NULL: variants if there are any, else the first */
	const char *against;	/* NULL: the first */
	const char *confidence;	/* "95%"; NULL is that */
	const char *figure;	/* FILE.svg; NULL none */
	int format;		/* enum sweep_format */
	bool differences;	/* never ratios */
};
/* Prints; returns an exit code. */
int sweep_compare(const char *path, const struct sweep_comparison *q);
#endif
