/*
 * scenario/source.h - one text that settings come from: a file, or one --set.
 */
#ifndef SOURCE_H
#define SOURCE_H
#include <jansson.h>
#include <stddef.h>
#include <sys/types.h>
#include "scenario/diag.h"

enum { SOURCE_BYTES_MAX = 64 << 20 };	/* larger files are refused unread */

struct source {
	char *path;		/* as messages show it; of a --set "--set PATH=VALUE" */
	char *text;		/* NULL: a --set */
	size_t length;
	json_t *json;		/* always an object, but of a --set any value */
	dev_t dev;		/* which file it is, to see cycles */
	ino_t ino;
};

/* Reads and parses a file ("-": standard input); paths of topologies, lists of
 * flows and CDFs in it are made relative to the working directory.  `from` is where it was asked for,
 * NULL on the command line.  NULL: see diag. */
struct source *source_load(const char *path, const struct diag_place *from,
			   struct diag *diag);
/* The value of a --set: JSON if it parses as such, else a string.  Messages show
 * the label ("--set run.seed=7"). */
struct source *source_set(const char *label, const char *value);
void source_free(struct source **src);

/* The bytes of a regular file that is no JSON, at most `max` of them, a 0 behind them; free()
 * it.  NULL: see diag. */
char *source_bytes(const char *path, size_t max, const struct diag_place *from, struct diag *diag,
		   size_t *length);

/* `name` seen from the folder of `path`; malloc'ed. */
char *source_beside(const char *path, const char *name);
#endif
