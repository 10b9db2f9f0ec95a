/*
 * scenario/jsonc.c - a lexer that skips comments; on it, the blanking of what
 * Jansson would refuse, and the search for a value's place.
 */
#include "scenario/jsonc.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/mem.h"

/* ------------------------------------------------------------------ lexer */

struct lexer {
	const char *text;
	size_t length, pos;
	char *blank;		/* comments are overwritten here, or NULL */
	size_t open_comment;	/* start of a comment that never ends, or JSONC_NOWHERE */
};

struct token {
	char kind;		/* { } [ ] : , as they are; '"' string; 'w' word; 0 end */
	size_t start, end;
};

static struct lexer lexer(const char *text, size_t length)
{
	struct lexer lx = {.text = text, .length = length, .open_comment = JSONC_NOWHERE};

	if (length >= 3 && memcmp(text, "\357\273\277", 3) == 0)	/* byte order mark */
		lx.pos = 3;
	return lx;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void blank(struct lexer *lx, size_t from, size_t to)
{
	for (size_t i = from; lx->blank && i < to; i++) {
		if (lx->blank[i] != '\n' && lx->blank[i] != '\r')
			lx->blank[i] = ' ';
	}
}

/* Past a comment that begins at pos; false when none does. */
static bool skip_comment(struct lexer *lx)
{
	const char *p = lx->text + lx->pos, *end;
	size_t left = lx->length - lx->pos, start = lx->pos;

	if (left < 2 || p[0] != '/' || (p[1] != '/' && p[1] != '*'))
		return false;
	if (p[1] == '/') {
		end = memchr(p, '\n', left);
		lx->pos = end ? (size_t)(end - lx->text) : lx->length;
	} else {
		end = memmem(p + 2, left - 2, "*/", 2);
		if (!end)
			lx->open_comment = start;
		lx->pos = end ? (size_t)(end - lx->text) + 2 : lx->length;
	}
	blank(lx, start, lx->pos);
	return true;
}

static size_t string_end(const struct lexer *lx, size_t i)
{
	for (i++; i < lx->length && lx->text[i] != '"' && lx->text[i] != '\n'; i++) {
		if (lx->text[i] == '\\' && i + 1 < lx->length && lx->text[i + 1] != '\n')
			i++;
	}
	return i < lx->length && lx->text[i] == '"' ? i + 1 : i;
}

static struct token next(struct lexer *lx)
{
	struct token t = {0};

	do {
		while (lx->pos < lx->length && is_space(lx->text[lx->pos]))
			lx->pos++;
	} while (lx->pos < lx->length && skip_comment(lx));
	t.start = t.end = lx->pos;
	if (lx->pos >= lx->length)
		return t;
	t.kind = lx->text[t.start];
	if (t.kind == '"') {
		t.end = string_end(lx, t.start);
	} else if (t.kind && strchr("{}[]:,", t.kind)) {
		t.end = t.start + 1;
	} else {
		t.kind = 'w';
		for (t.end++; t.end < lx->length && !is_space(lx->text[t.end]) &&
		     !memchr("{}[]:,\"/", lx->text[t.end], 9); t.end++)
			;
	}
	lx->pos = t.end;
	return t;
}

/* Past the value whose first token is t. */
static void skip_value(struct lexer *lx, struct token t)
{
	int depth = 0;

	for (;;) {
		depth += (t.kind == '{' || t.kind == '[') - (t.kind == '}' || t.kind == ']');
		if (depth <= 0 || t.kind == 0)
			return;
		t = next(lx);
	}
}

/* ---------------------------------------------------------------- parsing */

static int fail(struct jsonc_error *err, size_t offset, const char *text)
{
	err->offset = offset;
	snprintf(err->text, sizeof err->text, "%s", text);
	return -1;
}

/* Blanks comments and trailing commas of `copy`, and keeps the bounds. */
static int prepare(const char *text, size_t length, char *copy, struct jsonc_error *err)
{
	struct lexer lx = lexer(text, length);
	struct token t, before = {0}, comma = {0};
	int depth = 0;
	long values = 0;

	lx.blank = copy;
	blank(&lx, 0, lx.pos);
	do {
		t = next(&lx);
		if (t.kind == '{' || t.kind == '[')
			depth++;
		if (t.kind == '}' || t.kind == ']') {
			depth--;
			if (before.kind == ',' && comma.kind && !strchr("{[:,", comma.kind))
				blank(&lx, before.start, before.end);
		}
		if (depth > JSONC_DEPTH_MAX)
			return fail(err, t.start, "nested deeper than 64 levels");
		values += t.kind == '"' || t.kind == 'w' || t.kind == '{' || t.kind == '[';
		if (values > JSONC_VALUES_MAX)
			return fail(err, t.start, "more than 4 million values in one file");
		comma = before;		/* what stood before `before` */
		before = t;
	} while (t.kind);
	if (lx.open_comment != JSONC_NOWHERE)
		return fail(err, lx.open_comment, "this comment never ends; \"*/\" is missing");
	return 0;
}

/* The token that holds the byte before `offset`: Jansson names a token's end. */
static struct token token_at(const char *text, size_t length, size_t offset)
{
	struct lexer lx = lexer(text, length);
	struct token t;

	do
		t = next(&lx);
	while (t.kind && t.end < offset);
	return t;
}

static int line_of(const char *text, size_t offset)
{
	int line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

/* The first key equal to `dup` in the object that holds it. */
static size_t first_key(const char *text, size_t length, struct token dup)
{
	struct lexer lx = lexer(text, length);
	size_t open[JSONC_DEPTH_MAX + 1] = {0}, size = dup.end - dup.start;
	struct token t, colon;
	int depth = 0;

	for (t = next(&lx); t.kind && t.start < dup.start; t = next(&lx)) {
		if ((t.kind == '{' || t.kind == '[') && depth < JSONC_DEPTH_MAX)
			open[++depth] = t.end;
		if ((t.kind == '}' || t.kind == ']') && depth > 0)
			depth--;
	}
	lx.pos = open[depth];
	for (t = next(&lx); t.kind == '"' && t.start < dup.start; t = next(&lx)) {
		if (t.end - t.start == size && !memcmp(text + t.start, text + dup.start, size))
			return t.start;
		colon = next(&lx);
		if (colon.kind != ':')
			break;
		skip_value(&lx, next(&lx));
		next(&lx);	/* the comma */
	}
	return JSONC_NOWHERE;
}

static void explain(const char *text, size_t length, const json_error_t *je,
		    struct jsonc_error *err)
{
	size_t at = je->position < 0 ? 0 : (size_t)je->position;
	struct token t = token_at(text, length, at < length ? at : length);
	size_t first;
	int size;

	fail(err, t.start < length ? t.start : length, je->text);
	if (strstr(je->text, "near end of file"))
		err->offset = length;
	if (strncmp(je->text, "'}' exp", 7) == 0 || strncmp(je->text, "']' exp", 7) == 0)
		snprintf(err->text, sizeof err->text, "',' or %s", je->text);
	if (json_error_code(je) != json_error_duplicate_key || t.kind != '"')
		return;
	size = (int)(t.end - t.start < 100 ? t.end - t.start : 100);
	first = first_key(text, length, t);
	if (first == JSONC_NOWHERE)
		snprintf(err->text, sizeof err->text, "duplicate key %.*s", size,
			 text + t.start);
	else
		snprintf(err->text, sizeof err->text,
			 "duplicate key %.*s; the first is in line %d", size, text + t.start,
			 line_of(text, first));
}

json_t *jsonc_parse(const char *text, size_t length, struct jsonc_error *err)
{
	char *copy = mem_zalloc(length + 1);
	json_error_t je;
	json_t *json = NULL;

	memcpy(copy, text, length);
	if (prepare(text, length, copy, err) == 0) {
		json = json_loadb(copy, length, JSON_REJECT_DUPLICATES, &je);
		if (!json)
			explain(text, length, &je, err);
	}
	free(copy);
	return json;
}

/* ----------------------------------------------------------------- places */

void jsonc_pointer_add(char *buf, size_t size, const char *key)
{
	size_t n = strlen(buf);

	for (const char *p = key - 1; p < key || *p; p++) {
		const char *s = p < key ? "/" : *p == '~' ? "~0" : *p == '/' ? "~1" : NULL;
		size_t len = s ? strlen(s) : 1;

		if (n + len >= size)
			return;
		memcpy(buf + n, s ? s : p, len);
		n += len;
		buf[n] = 0;
	}
}

int jsonc_pointer_next(const char **pointer, char *buf, size_t size)
{
	const char *p = *pointer;
	size_t n = 0;

	if (*p != '/')
		return 0;
	for (p++; *p && *p != '/'; p++) {
		char c = *p;

		if (c == '~' && (p[1] == '0' || p[1] == '1'))
			c = *++p == '0' ? '~' : '/';
		if (n + 1 < size)
			buf[n++] = c;
	}
	buf[n] = 0;
	*pointer = p;
	return 1;
}

static bool key_equals(const char *text, struct token t, const char *key)
{
	size_t n = t.end - t.start;
	json_t *s;
	bool same;

	if (n >= 2 && !memchr(text + t.start, '\\', n))
		return strlen(key) == n - 2 && memcmp(text + t.start + 1, key, n - 2) == 0;
	s = json_loadb(text + t.start, n, JSON_DECODE_ANY, NULL);
	same = s && json_is_string(s) && strcmp(json_string_value(s), key) == 0;
	json_decref(s);
	return same;
}

/* From the '{' or '[' at *value to the child: fills *key and *value. */
static bool descend(struct lexer *lx, const char *name, struct token *key, struct token *value)
{
	char close = value->kind == '{' ? '}' : ']';
	bool object = value->kind == '{';
	char *end;
	unsigned long want = strtoul(name, &end, 10), i = 0;

	if (value->kind != '{' && (value->kind != '[' || *end || end == name))
		return false;
	for (struct token t = next(lx); t.kind && t.kind != close; t = next(lx)) {
		if (t.kind == ',')
			continue;
		*key = t;
		if (object) {
			if (t.kind != '"' || next(lx).kind != ':')
				return false;
			t = next(lx);
		}
		if (object ? key_equals(lx->text, *key, name) : i++ == want) {
			*value = t;
			return true;
		}
		skip_value(lx, t);
	}
	return false;
}

size_t jsonc_locate(const char *text, size_t length, const char *pointer, enum jsonc_at at)
{
	struct lexer lx = lexer(text, length);
	struct token value = next(&lx), key = value;
	char name[512];

	while (jsonc_pointer_next(&pointer, name, sizeof name)) {
		if (!descend(&lx, name, &key, &value))
			return JSONC_NOWHERE;
	}
	return at == JSONC_KEY ? key.start : value.start;
}

/* ---------------------------------------------------------------- scalars */

void jsonc_real(double value, char *buf, size_t size)
{
	char sci[40], digits[40], *exp;
	int n = 0, e, precision = 0;
	size_t at = 0;

	do
		snprintf(sci, sizeof sci, "%.*e", precision, value);
	while (precision++ < 17 && strtod(sci, NULL) != value);
	exp = strchr(sci, 'e');
	if (!exp || size < 2) {		/* not finite: cannot come from JSON */
		snprintf(buf, size, "%s", sci);
		return;
	}
	e = atoi(exp + 1);
	for (char *p = sci; p < exp; p++) {
		if (*p >= '0' && *p <= '9')
			digits[n++] = *p;
	}
	if (e < -300 || e > 300 || (size_t)(e < 0 ? -e : e) + 24 > size) {
		snprintf(buf, size, "%s", sci);
		return;
	}
	if (value < 0)
		buf[at++] = '-';
	if (e < 0) {
		at += (size_t)snprintf(buf + at, size - at, "0.%0*d", -e - 1, 0);
		at -= e == -1;		/* "%0*d" of width 0 still prints a digit */
	}
	for (int i = 0; i < n || i <= e; i++) {
		if (i == e + 1 && e >= 0)
			buf[at++] = '.';
		buf[at++] = i < n ? digits[i] : '0';
	}
	buf[at] = 0;
}

const char *jsonc_scalar(const json_t *value, char *buf, size_t size)
{
	switch (json_typeof(value)) {
	case JSON_STRING:
		return json_string_value(value);
	case JSON_INTEGER:
		snprintf(buf, size, "%" PRId64, (int64_t)json_integer_value(value));
		return buf;
	case JSON_REAL:
		jsonc_real(json_real_value(value), buf, size);
		return buf;
	case JSON_TRUE:
		return "true";
	case JSON_FALSE:
		return "false";
	case JSON_NULL:
		return "null";
	case JSON_OBJECT:
	case JSON_ARRAY:
		break;
	}
	return NULL;
}
