/*
 * scenario/read.c - the cursor over a merged experiment.
 */
#include "scenario/read.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scenario/jsonc.h"

/* Bytes of a list of keys; wrong keys after which no more are looked for. */
enum { KEYS_SHOWN = 200, KEYS_WRONG = 1000 };

struct read read_root(const struct read_ctx *ctx, json_t *root)
{
	return (struct read){.ctx = ctx, .json = root};
}

static void step(const struct read *at, const char *key, json_t *value, struct read *child)
{
	child->ctx = at->ctx;
	child->json = value;
	strcpy(child->pointer, at->pointer);
	jsonc_pointer_add(child->pointer, sizeof child->pointer, key);
}

bool read_child(const struct read *at, const char *key, struct read *child)
{
	json_t *value = json_object_get(at->json, key);

	if (!value || json_is_null(value))
		return false;
	step(at, key, value, child);
	return true;
}

bool read_index(const struct read *at, size_t i, struct read *child)
{
	json_t *value = json_array_get(at->json, i);
	char key[24];

	if (!value)
		return false;
	snprintf(key, sizeof key, "%zu", i);
	step(at, key, value, child);
	return true;
}

size_t read_count(const struct read *at)
{
	return json_is_array(at->json) ? json_array_size(at->json) : 1;
}

bool read_item(const struct read *at, size_t i, struct read *child)
{
	if (json_is_array(at->json))
		return read_index(at, i, child);
	*child = *at;
	return i == 0;
}

/* ----------------------------------------------------------------- errors */

/* One sentence at its place. */
static int fail(const struct read *at, enum jsonc_at key_or_value, const char *text)
{
	struct diag_place place = {.run = at->ctx->run};

	/* those that are only counted are not worth a search of the file */
	if (diag_errors(at->ctx->diag) >= DIAG_MAX ||
	    !origin_find(at->ctx->origin, at->pointer, key_or_value, &place))
		place.file = NULL;
	return diag_add(at->ctx->diag, DIAG_ERROR, &place, "%s", text);
}

/* Is the last key of the pointer one that the user chooses? */
static bool free_name(const struct section_list *list, const char *pointer)
{
	const struct section *s = section_find(list, "");
	char key[512];

	while (s && jsonc_pointer_next(&pointer, key, sizeof key))
		s = section_child(list, s, key);
	return s && section_free(s);
}

/* Is the value in an entry that only a dotted path has made, by a name near another?
 * Then that name is what is wrong, whatever the entry lacks. */
static void mistyped_path(const struct read *at, char *text, size_t size)
{
	const struct origin *o = at->ctx->origin;

	for (int i = o->n - 1; i >= 0; i--) {
		const struct origin_layer *l = &o->layers[i];
		size_t n = l->made ? strlen(l->made) : 0;
		struct diag_place place = {0};

		if (!n || strncmp(at->pointer, l->made, n) != 0 ||
		    (at->pointer[n] && at->pointer[n] != '/') ||
		    !free_name(at->ctx->sections, l->made) ||
		    (origin_exact(o, l->made, JSONC_KEY, &place) && place.text))
			continue;
		snprintf(text, size, "there is no \"%s\" to change; did you mean \"%s\"? "
			 "(a new one must be whole)", strrchr(l->made, '/') + 1, l->near);
		return;
	}
}

int read_fail(const struct read *at, enum jsonc_at key_or_value, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	if (at->ctx->quiet)
		return -1;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (strncmp(text, "there is no ", 12) != 0)	/* that says it already */
		mistyped_path(at, text, sizeof text);
	return fail(at, key_or_value, text);
}

int read_fail_error(const struct read *at, const struct sim_error *err)
{
	struct read below = *at;
	bool inside = err->where[0] == '/' &&
		strlen(at->pointer) + strlen(err->where) < sizeof below.pointer;

	if (inside)
		strcat(below.pointer, err->where);
	return read_fail(&below, inside ? JSONC_VALUE : JSONC_KEY, "%s", err->text);
}

int read_fail_names(const struct read *at, const char *what, const char *name,
		    const char *const *names, const char *else_)
{
	const char *near = error_nearest(name, names);
	char list[300] = "";
	size_t n = 0;

	if (near)
		return read_fail(at, JSONC_VALUE, "there is no %s \"%s\"; did you mean \"%s\"?", what,
				 name, near);
	for (int i = 0; names[i] && n < sizeof list; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", names[i]);
	return read_fail(at, JSONC_VALUE, "there is no %s \"%s\"; wanted one of: %s%s", what, name, list,
			 else_);
}

const char *read_kind(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT: return "an object";
	case JSON_ARRAY: return "a list";
	case JSON_STRING: return "a string";
	case JSON_INTEGER:
	case JSON_REAL: return "a number";
	case JSON_TRUE:
	case JSON_FALSE: return "true or false";
	case JSON_NULL: break;
	}
	return "null";
}

/* The last key of the pointer, for messages. */
static const char *own_key(const struct read *at, char *buf, size_t size)
{
	const char *slash = strrchr(at->pointer, '/');

	snprintf(buf, size, "%s", "the experiment");
	if (slash)
		jsonc_pointer_next(&slash, buf, size);
	return buf;
}

bool read_entry(const struct read *at, const char *key, const char *what, struct read *child)
{
	const char *names[257], *name;
	json_t *value;
	int n = 0;

	if (read_child(at, key, child))
		return true;
	json_object_foreach(at->json, name, value) {
		if (!json_is_null(value) && n < 256)
			names[n++] = name;
	}
	names[n] = NULL;
	step(at, key, at->json, child);
	name = error_nearest(key, names);
	for (int i = 0; i < at->ctx->origin->n; i++) {
		const struct origin_layer *l = &at->ctx->origin->layers[i];

		if (l->made && strcmp(l->made, child->pointer) == 0)
			name = l->near;
	}
	read_fail(child, JSONC_KEY, "there is no %s \"%s\" to remove%s%s%s", what, key,
		  name ? "; did you mean \"" : "", name ? name : "", name ? "\"?" : "");
	return false;
}

int read_object(const struct read *at)
{
	char key[128];

	if (json_is_object(at->json))
		return 0;
	return read_fail(at, JSONC_VALUE, "%s must be an object { ... }, not %s",
			 own_key(at, key, sizeof key), read_kind(at->json));
}

static void list_keys(const struct read *at, const struct section *s, char *buf, size_t size)
{
	const struct section_list *list = at->ctx->sections;
	size_t n = 0;

	if (s->same_as)
		s = section_find(list, s->same_as);
	for (const struct param *row = s->table; row && row->key && n < size; row++) {
		if (section_has_row(s, row))
			n += (size_t)snprintf(buf + n, size - n, " %s", row->key);
	}
	for (int i = 0; i < list->n && n < size; i++) {
		const char *part = section_below(s->path, list->v[i].path);

		if (part)
			n += (size_t)snprintf(buf + n, size - n, " %s", part);
	}
}

static int unknown_key(const struct read *at, const struct section *s, const char *key)
{
	const char *near = section_suggest(at->ctx->sections, s, key);
	char own[128], keys[400] = "", text[600];
	struct read child;

	if (at->ctx->quiet)
		return -1;
	step(at, key, at->json, &child);
	own_key(at, own, sizeof own);
	if (!near)
		list_keys(at, s, keys, sizeof keys);
	if (near)
		snprintf(text, sizeof text, "unknown key \"%s\" in %s; did you mean \"%s\"?", key,
			 own, near);
	else if (strlen(keys) > KEYS_SHOWN)
		snprintf(text, sizeof text,
			 "unknown key \"%s\" in %s; `xoff explain %s' lists its keys", key, own,
			 own);
	else
		snprintf(text, sizeof text, "unknown key \"%s\" in %s; keys:%s", key, own, keys);
	return fail(&child, JSONC_KEY, text);
}

int read_keys(const struct read *at, const char *section)
{
	const struct section *s = section_find(at->ctx->sections, section);
	const char *key;
	json_t *value;
	int rc = read_object(at);

	if (rc)
		return rc;
	json_object_foreach(at->json, key, value) {
		if (!section_knows(at->ctx->sections, s, key))
			rc = unknown_key(at, s, key);
		if (diag_errors(at->ctx->diag) > KEYS_WRONG)
			break;
	}
	return rc;
}

/* ----------------------------------------------------------------- values */

const char *read_text(const struct read *at)
{
	const char *text = json_string_value(at->json);
	char key[128];

	if (text && *text)
		return text;
	read_fail(at, JSONC_VALUE, "%s must be a string%s%s", own_key(at, key, sizeof key),
		  text ? " that is not empty" : ", not ", text ? "" : read_kind(at->json));
	return NULL;
}

int read_bool(const struct read *at, bool *out)
{
	char key[128];

	if (!json_is_boolean(at->json))
		return read_fail(at, JSONC_VALUE, "%s must be true or false, not %s",
				 own_key(at, key, sizeof key), read_kind(at->json));
	*out = json_is_true(at->json);
	return 0;
}

int read_integer(const struct read *at, int64_t min, int64_t max, int64_t *out)
{
	int64_t value = json_integer_value(at->json);
	char key[128];

	if (!json_is_integer(at->json) || value < min || value > max)
		return read_fail(at, JSONC_VALUE, "%s must be a whole number from %" PRId64
				 " to %" PRId64, own_key(at, key, sizeof key), min, max);
	*out = value;
	return 0;
}

/* The JSON type is as strict as the schema: words are strings, flags are not. */
static int check_type(const struct read *at, const struct param *row)
{
	bool ok = !json_is_object(at->json) && !json_is_array(at->json) &&
		!json_is_null(at->json);

	if (row->type == PARAM_BOOL)
		ok = json_is_boolean(at->json);
	else if (row->type == PARAM_ENUM || row->type == PARAM_TEXT)
		ok = json_is_string(at->json);
	else if (json_is_boolean(at->json))
		ok = false;
	if (ok)
		return 0;
	return read_fail(at, JSONC_VALUE, "%s must be %s, not %s%s", row->key,
			 row->type == PARAM_BOOL			      ? "true or false"
			 : row->type == PARAM_ENUM || row->type == PARAM_TEXT ? "a string"
			 : row->type == PARAM_COUNT || row->type == PARAM_RATIO
				 ? "a number"
				 : "a quantity with its unit",
			 read_kind(at->json),
			 row->type == PARAM_BOOL && json_is_string(at->json)
				 ? "; leave out the quotes"
				 : "");
}

int read_param(const struct read *at, const struct param *row, void *conf)
{
	struct sim_error err = {0};
	char buf[64];

	if (check_type(at, row))
		return -1;
	if (param_set(row, conf, jsonc_scalar(at->json, buf, sizeof buf), &err))
		return read_fail(at, JSONC_VALUE, "%s", err.text);
	return 0;
}

static bool counts(const char *only, const char *key)
{
	struct section s = {.only = only};
	struct param row = {.key = key};

	return section_has_row(&s, &row);
}

int read_table(const struct read *at, const struct param *table, const char *only, void *conf)
{
	struct read child;
	int rc = 0;

	for (const struct param *row = table; row->key; row++) {
		if (counts(only, row->key) && read_child(at, row->key, &child) &&
		    read_param(&child, row, conf))
			rc = -1;
	}
	return rc;
}

int read_required(const struct read *at, const struct read *beside, const struct param *table)
{
	struct read child;
	char key[128];
	int rc = 0;

	for (const struct param *row = table; row->key; row++) {
		if (row->def || row->type == PARAM_TEXT || read_child(at, row->key, &child) ||
		    (beside && read_child(beside, row->key, &child)))
			continue;
		rc = read_fail(at, JSONC_KEY, "%s needs \"%s\": %s",
			       own_key(at, key, sizeof key), row->key, row->doc);
	}
	return rc;
}

int read_part(const struct read *at, const char *key, const char *section,
		     const struct param *table, void *conf)
{
	struct read part;

	if (!read_child(at, key, &part))
		return 0;
	return read_keys(&part, section) ? -1 : read_table(&part, table, NULL, conf);
}
