/*
 * cli/flatten.h - the numbers of a summary, by dotted path.
 */
#ifndef FLATTEN_H
#define FLATTEN_H
#include <stddef.h>

/* Calls `each` for every number and boolean (0, 1) in the JSON object, with the
 * path of its keys; lists are left out.  -1: not JSON. */
int flatten_json(const char *json, size_t length, void (*each)(void *ctx, const char *path, double value),
		 void *ctx);
#endif
