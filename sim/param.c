/*
 * sim/param.c - the one loader of all parameter tables.
 */
#include "sim/param.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "sim/mem.h"

enum { NAMES_MAX = 128 };

static const struct {
	const char *name;
	enum units_kind kind;	/* of the integer and ratio types */
} types[] = {
	[PARAM_TIME] = {"time", UNITS_TIME},
	[PARAM_BYTES] = {"bytes", UNITS_BYTES},
	[PARAM_RATE] = {"rate", UNITS_RATE},
	[PARAM_FREQ] = {"frequency", UNITS_FREQ},
	[PARAM_LENGTH] = {"length", UNITS_LENGTH},
	[PARAM_COUNT] = {"count", UNITS_COUNT},
	[PARAM_RATIO] = {"ratio", UNITS_RATIO},
	[PARAM_BOOL] = {"true or false", UNITS_COUNT},
	[PARAM_ENUM] = {"word", UNITS_COUNT},
	[PARAM_TEXT] = {"text", UNITS_COUNT},
};

const char *param_type_name(enum param_type type)
{
	return types[type].name;
}

static void *field(const struct param *row, void *conf)
{
	return (char *)conf + row->offset;
}

static const void *field_const(const struct param *row, const void *conf)
{
	return (const char *)conf + row->offset;
}

void param_defaults(const struct param *table, void *conf)
{
	for (const struct param *row = table; row->key; row++) {
		struct sim_error err = {0};

		if (row->type == PARAM_TEXT)
			*(char **)field(row, conf) = NULL;
		if (!row->def)
			continue;
		if (param_set(row, conf, row->def, &err))
			fprintf(stderr, "xoff: default of \"%s\": %s\n", row->key, err.text);
		sim_assert(!err.set);
	}
}

const struct param *param_find(const struct param *table, const char *key)
{
	for (; table->key; table++) {
		if (strcmp(table->key, key) == 0)
			return table;
	}
	return NULL;
}

const char *param_suggest(const struct param *table, const char *key)
{
	const char *names[NAMES_MAX + 1];
	int n = 0;

	for (; table->key && n < NAMES_MAX; table++)
		names[n++] = table->key;
	names[n] = NULL;
	return error_nearest(key, names);
}

/* ------------------------------------------------------------------ set */

static int out_of_range(const struct param *row, const char *text, bool below,
			struct sim_error *err)
{
	return error_set(err, "", "%s: %s is %s the %s allowed, %s", row->key, text,
			 below ? "below" : "above", below ? "least" : "most",
			 below ? row->min : row->max);
}

static int64_t parse_bound(const char *text, enum units_kind kind)
{
	int64_t value = 0;
	int rc = units_parse(text, kind, &value, NULL, NULL);

	sim_assert(rc == 0);	/* the table's own text */
	return value;
}

static int set_integer(const struct param *row, void *conf, const char *text,
		       struct sim_error *err)
{
	int64_t *out = field(row, conf), value;
	enum units_kind kind = types[row->type].kind;

	if (row->word && strcmp(text, row->word) == 0) {
		*out = row->word_value;
		return 0;
	}
	if (row->type == PARAM_TIME && !row->max && strcmp(text, "never") == 0) {
		*out = UNITS_NEVER;
		return 0;
	}
	if (units_parse(text, kind, &value, NULL, err)) {
		size_t n = err ? strlen(err->text) : 0;

		if (n && row->word && (text[0] < '0' || text[0] > '9'))
			snprintf(err->text + n, sizeof err->text - n, " or \"%s\"", row->word);
		return -1;
	}
	if (row->min && value < parse_bound(row->min, kind))
		return out_of_range(row, text, true, err);
	if (row->max && value > parse_bound(row->max, kind))
		return out_of_range(row, text, false, err);
	*out = value;
	return 0;
}

static struct units_ratio parse_ratio_bound(const char *text)
{
	struct units_ratio value = {0, 1};
	int rc = units_parse(text, UNITS_RATIO, NULL, &value, NULL);

	sim_assert(rc == 0);
	return value;
}

static bool ratio_less(struct units_ratio a, struct units_ratio b)
{
	return (__int128)a.num * b.den < (__int128)b.num * a.den;
}

static int set_ratio(const struct param *row, void *conf, const char *text,
		     struct sim_error *err)
{
	struct units_ratio value;

	if (units_parse(text, UNITS_RATIO, NULL, &value, err))
		return -1;
	if (row->min && ratio_less(value, parse_ratio_bound(row->min)))
		return out_of_range(row, text, true, err);
	if (row->max && ratio_less(parse_ratio_bound(row->max), value))
		return out_of_range(row, text, false, err);
	*(struct units_ratio *)field(row, conf) = value;
	return 0;
}

static int set_enum(const struct param *row, void *conf, const char *text,
		    struct sim_error *err)
{
	const char *near;
	char list[256] = "";
	size_t n = 0;

	for (int i = 0; row->names[i]; i++) {
		if (strcmp(text, row->names[i]) == 0) {
			*(int *)field(row, conf) = i;
			return 0;
		}
		if (n < sizeof list)
			n += (size_t)snprintf(list + n, sizeof list - n, " %s", row->names[i]);
	}
	near = error_nearest(text, row->names);
	if (near)
		return error_set(err, "", "unknown %s \"%s\"; did you mean \"%s\"? (one of:%s)",
				 row->key, text, near, list);
	return error_set(err, "", "unknown %s \"%s\"; one of:%s", row->key, text, list);
}

static int set_bool(const struct param *row, void *conf, const char *text,
		    struct sim_error *err)
{
	bool yes = strcmp(text, "true") == 0;

	if (!yes && strcmp(text, "false") != 0)
		return error_set(err, "", "%s must be true or false, not \"%s\"", row->key,
				 text);
	*(bool *)field(row, conf) = yes;
	return 0;
}

static int set_text(const struct param *row, void *conf, const char *text)
{
	char **out = field(row, conf);

	free(*out);
	*out = mem_strdup(text);
	return 0;
}

int param_set(const struct param *row, void *conf, const char *text, struct sim_error *err)
{
	switch (row->type) {
	case PARAM_TIME:
	case PARAM_BYTES:
	case PARAM_RATE:
	case PARAM_FREQ:
	case PARAM_LENGTH:
	case PARAM_COUNT:
		return set_integer(row, conf, text, err);
	case PARAM_RATIO:
		return set_ratio(row, conf, text, err);
	case PARAM_BOOL:
		return set_bool(row, conf, text, err);
	case PARAM_ENUM:
		return set_enum(row, conf, text, err);
	case PARAM_TEXT:
		return set_text(row, conf, text);
	}
	return error_set(err, "", "%s has a type that no loader knows", row->key);
}

/* ------------------------------------------------------------------ get */

static void get_ratio(const struct units_ratio *r, char *buf, size_t size)
{
	if (r->den == 1)
		snprintf(buf, size, "%" PRId64, r->num);
	else
		snprintf(buf, size, "%" PRId64 "/%" PRId64, r->num, r->den);
}

static void get_integer(const struct param *row, int64_t value, char *buf, size_t size)
{
	if (row->word && value == row->word_value)
		snprintf(buf, size, "%s", row->word);
	else
		units_exact(value, types[row->type].kind, buf, size);
}

char *param_get(const struct param *row, const void *conf, char *buf, size_t size)
{
	const void *at = field_const(row, conf);

	switch (row->type) {
	case PARAM_TIME:
	case PARAM_BYTES:
	case PARAM_RATE:
	case PARAM_FREQ:
	case PARAM_LENGTH:
	case PARAM_COUNT:
		get_integer(row, *(const int64_t *)at, buf, size);
		break;
	case PARAM_RATIO:
		get_ratio(at, buf, size);
		break;
	case PARAM_BOOL:
		snprintf(buf, size, "%s", *(const bool *)at ? "true" : "false");
		break;
	case PARAM_ENUM:
		snprintf(buf, size, "%s", row->names[*(const int *)at]);
		break;
	case PARAM_TEXT:
		snprintf(buf, size, "%s", *(char *const *)at ? *(char *const *)at : "");
		break;
	}
	return buf;
}
