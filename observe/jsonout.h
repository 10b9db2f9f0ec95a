/*
 * observe/jsonout.h - writes JSON, the same bytes on every machine.
 *
 * Integers as integers; doubles in the shortest of 15, 16 or 17 digits that
 * reads back the same; NaN and infinities as null.  A key is given to each
 * value inside an object and is NULL inside an array.
 *
 *	struct jsonout j;
 *	jsonout_init(&j, stdout, 0);
 *	jsonout_open(&j, NULL, '{');
 *	jsonout_int(&j, "seed", 1);
 *	jsonout_close(&j, '}');
 */
#ifndef JSONOUT_H
#define JSONOUT_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct jsonout {
	FILE *out;
	int depth;	/* two spaces each */
	int flat;	/* > 0: inside an object or array on one line */
	bool first;	/* nothing written yet at this depth */
};

void jsonout_init(struct jsonout *j, FILE *out, int depth);
void jsonout_open(struct jsonout *j, const char *key, char bracket);	/* '{' or '[' */
void jsonout_close(struct jsonout *j, char bracket);			/* '}' or ']' */
/* The same, and all inside on one line. */
void jsonout_open_flat(struct jsonout *j, const char *key, char bracket);
void jsonout_int(struct jsonout *j, const char *key, int64_t value);
void jsonout_time(struct jsonout *j, const char *key, int64_t ps);	/* negative: null */
void jsonout_double(struct jsonout *j, const char *key, double value);
void jsonout_bool(struct jsonout *j, const char *key, bool value);
void jsonout_text(struct jsonout *j, const char *key, const char *text);	/* NULL: null */
void jsonout_raw(struct jsonout *j, const char *key, const char *json);	/* NULL: null */
#endif
