/*
 * cli/glossary.h - what every column and every field of a run directory means.
 *
 * scenario/ knows the settings; this table knows the results.  A test compares
 * it with what a run really writes (tests/cli/run.sh).
 */
#ifndef GLOSSARY_H
#define GLOSSARY_H
#include <stdio.h>

struct glossary_entry {
	const char *file;	/* "flows.csv", "series/NAME.csv", "summary.json" */
	const char *key;	/* column, or dotted path below a run; NAME stands for any name */
	const char *doc;	/* one sentence with its unit, ending in a full stop */
};
extern const struct glossary_entry glossary_table[];	/* file NULL ends it */

/* Prints the entries whose key is, ends in ".KEY", or starts with "KEY.", and of
 * a file all of it.  Returns how many; 0: *nearest may be a suggestion. */
int glossary_explain(const char *key, FILE *out, const char **nearest);
/* A path as rules have it: the entry of summary.json that it fits
 * ("flows.by_name.db.goodput_bps"), else what its last parts are
 * ("flows.by_name.db.fct_ps.p99").  Returns how many entries were printed. */
int glossary_explain_path(const char *path, FILE *out);
/* Every file with its columns. */
void glossary_all(FILE *out);
#endif
