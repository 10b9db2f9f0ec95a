/*
 * scenario/writer.h - writes JSON that people read: indented, one key a line,
 * short objects and lists on one line.
 */
#ifndef WRITER_H
#define WRITER_H
#include <stdbool.h>
#include <stdio.h>
#include "sim/param.h"

enum { WRITER_DEPTH_MAX = 16 };

struct writer {			/* zero but for `out` before use */
	FILE *out;
	int depth;
	bool flat[WRITER_DEPTH_MAX];	/* on one line */
	bool some[WRITER_DEPTH_MAX];	/* has an entry already */
};

/* `key` is NULL in a list and at the top. */
void writer_open(struct writer *w, const char *key, char bracket, bool flat);	/* '{' or '[' */
void writer_close(struct writer *w, char bracket);
void writer_text(struct writer *w, const char *key, const char *text);
/* Copied as it is: a number, true, false, null. */
void writer_raw(struct writer *w, const char *key, const char *raw);
/* Every row of the table that `only` names (section.h), as param_set reads it back. */
void writer_table(struct writer *w, const struct param *table, const char *only,
		  const void *conf);
/* An object `key` with an entry for each of the names; those with the same text (what stands
 * in it, three levels deep) share one, by pattern.  Frees the texts; NULL: no entry. */
void writer_alike(struct writer *w, const char *key, const char *const *names, char **texts, int n);
#endif
