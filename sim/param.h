/*
 * sim/param.h - one table row per setting, one loader for them all.
 *
 * A row is the single source of the key, type, default, range and sentence:
 * parsing, `xoff explain KEY`, the JSON Schema and the man page all come from
 * it.  def/min/max are texts parsed by the code that parses the user's file.
 */
#ifndef SIM_PARAM_H
#define SIM_PARAM_H
#include <stdbool.h>
#include <stddef.h>
#include "error.h"
#include "units.h"

enum param_type {
	PARAM_TIME,		/* int64_t picoseconds; "never" gives UNITS_NEVER where max is NULL */
	PARAM_BYTES,		/* int64_t */
	PARAM_RATE,		/* int64_t bits per second */
	PARAM_FREQ,		/* int64_t millihertz */
	PARAM_LENGTH,		/* int64_t millimetres */
	PARAM_COUNT,		/* int64_t */
	PARAM_RATIO,		/* struct units_ratio */
	PARAM_BOOL,		/* bool */
	PARAM_ENUM,		/* int: index into `names` */
	PARAM_TEXT		/* char * owned by whoever owns the conf; def NULL gives NULL */
};

struct param {
	const char *key;	/* NULL ends the table */
	enum param_type type;
	size_t offset;		/* offsetof(struct x_conf, field) */
	const char *def;	/* "55us"; NULL: must be given (PARAM_TEXT: stays NULL) */
	const char *min, *max;	/* inclusive; NULL: no bound */
	const char *doc;	/* one sentence, ending in a full stop */
	const char *const *names;	/* PARAM_ENUM: NULL-terminated */
	const char *word;	/* optional: one extra word that is accepted ("auto", "line"), */
	int64_t word_value;	/* and the value it stands for */
};

/* Fills every field that has a default (others are left alone). */
void param_defaults(const struct param *table, void *conf);
const struct param *param_find(const struct param *table, const char *key);
/* Nearest key of the table to a wrong one, or NULL. */
const char *param_suggest(const struct param *table, const char *key);
/* Parses `text` into the row's field and checks the range. */
int param_set(const struct param *row, void *conf, const char *text,
	      struct sim_error *err) SIM_MUST_CHECK;
/* The field as text that param_set reads back exactly; returns buf. */
char *param_get(const struct param *row, const void *conf, char *buf, size_t size);
/* "time", "bytes", ... for help and schema. */
const char *param_type_name(enum param_type type);
#endif
