/*
 * scenario/read.h - a value of the merged experiment together with its place.
 *
 * The loaders walk with this cursor: it knows the JSON pointer of the value it
 * stands on, so that an error finds its file, line and column.  Everything
 * wrong goes to the context's diag; functions return 0 or -1 and go on where
 * they can, so that one pass finds all errors.
 */
#ifndef READ_H
#define READ_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "scenario/diag.h"
#include "scenario/origin.h"
#include "scenario/section.h"
#include "sim/param.h"

enum { READ_POINTER_MAX = 1024 };

struct read_ctx {		/* all borrowed */
	const struct origin *origin;
	const struct section_list *sections;
	struct diag *diag;
	const char *run;	/* variant, or NULL for base */
	bool quiet;		/* say nothing: the base has said it */
};

struct read {
	const struct read_ctx *ctx;
	json_t *json;		/* borrowed; NULL only before use */
	char pointer[READ_POINTER_MAX];
};

struct read read_root(const struct read_ctx *ctx, json_t *root);

/* The value at a key (or index); false when it is absent or null. */
bool read_child(const struct read *at, const char *key, struct read *child);
/* As read_child, for an entry of a map by names: a null there removed nothing,
 * which is an error (unless other entries were meant: the nearest is named). */
bool read_entry(const struct read *at, const char *key, const char *what, struct read *child);
bool read_index(const struct read *at, size_t i, struct read *child);
/* A string or list as a list: how many, and each. */
size_t read_count(const struct read *at);
bool read_item(const struct read *at, size_t i, struct read *child);

/* Says what is wrong with the value (or its key); always -1. */
int read_fail(const struct read *at, enum jsonc_at key_or_value, const char *fmt, ...)
	SIM_PRINTF(3, 4);
/* As read_fail, with what a module found; err->where may point below `at`. */
int read_fail_error(const struct read *at, const struct sim_error *err);

/* "there is no WHAT \"NAME\"", with the nearest of `names`, or all of them and what
 * else could stand there (`else_`, or ""). */
int read_fail_names(const struct read *at, const char *what, const char *name,
		    const char *const *names, const char *else_);

/* "an object", "a string", ... */
const char *read_kind(const json_t *value);
/* Is it an object?  Says so when not. */
int read_object(const struct read *at);
/* Is it an object with only keys that the section knows? */
int read_keys(const struct read *at, const char *section);
/* The string; NULL (and an error) when it is none or empty. */
const char *read_text(const struct read *at);
int read_bool(const struct read *at, bool *out);
int read_integer(const struct read *at, int64_t min, int64_t max, int64_t *out);

/* Fills conf from the keys of `at` that are rows of `table` and in `only` (see
 * section.h); keys that are absent leave their fields alone. */
int read_table(const struct read *at, const struct param *table, const char *only, void *conf);
/* Says which row without a default is absent from `at` and from `beside` (may be NULL). */
int read_required(const struct read *at, const struct read *beside, const struct param *table);
/* The object at a key, if there is one: its keys checked, its rows filled. */
int read_part(const struct read *at, const char *key, const char *section,
	      const struct param *table, void *conf);
/* One value into one field. */
int read_param(const struct read *at, const struct param *row, void *conf);
#endif
