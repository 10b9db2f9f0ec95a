/*
 * scenario/merge.h - one document over another; one value into a document.
 *
 * Merging is RFC 7396: objects merge, anything else replaces, null removes.
 * One addition: a null that finds nothing to remove stays, so that the loader
 * can tell a typing error from a removal, and so that `switches` and `nics` may
 * say "watchdog": null.  Everywhere a null that stays means "not there".
 */
#ifndef MERGE_H
#define MERGE_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "sim/error.h"

void merge_patch(json_t *target, const json_t *patch);	/* both objects; patch is copied */

/* The value at a dotted path ("flows.by_name.db.fct_ps.p99"), or NULL; its
 * JSON pointer in `pointer` (may be NULL).  A key may itself hold dots: the
 * longest key that leads on wins.  Elements of arrays go by number. */
json_t *merge_find(json_t *root, const char *path, char *pointer, size_t size);

/* Puts a copy of `value` at a dotted path, making objects on the way; null
 * removes, or stays where there is nothing to remove.  `pointer` gets where it is.  -1: the way leads through a value. */
int merge_set(json_t *root, const char *path, const json_t *value, char *pointer, size_t size,
	      struct sim_error *err) SIM_MUST_CHECK;
/* The name that was probably meant by the first key of `path` that is not there, on
 * the way or, if `last` counts, at its end; `pointer` gets that key's.  Or NULL. */
const char *merge_near(json_t *root, const char *path, bool last, char *pointer, size_t size);
/* Does the object that would hold `path`'s last key exist? */
bool merge_reaches(json_t *root, const char *path);
#endif
