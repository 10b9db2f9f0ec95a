/*
 * scenario/rows.c - cuts lines into cells, and cells into numbers.
 */
#include "scenario/rows.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/source.h"

static int open_file(struct rows *r, const struct diag_place *from)
{
	r->text = source_bytes(r->path, ROWS_BYTES_MAX, from, r->ctx->diag, &r->length);
	if (!r->text)
		return -1;
	if (r->length >= 3 && memcmp(r->text, "\357\273\277", 3) == 0)
		r->next = 3;
	return 0;
}

int rows_open(struct rows *r, const struct read *at)
{
	struct diag_place place = {.run = at->ctx->run};
	const char *path = read_text(at);

	*r = (struct rows){.ctx = at->ctx, .path = path};
	if (!path || at->ctx->quiet)
		return -1;
	if (!origin_find(at->ctx->origin, at->pointer, JSONC_VALUE, &place))
		place.file = NULL;
	return open_file(r, place.file ? &place : NULL);
}

int rows_open_path(struct rows *r, const struct read_ctx *ctx, const char *path)
{
	*r = (struct rows){.ctx = ctx, .path = path};
	return open_file(r, NULL);
}

void rows_close(struct rows *r)
{
	free(r->text);
	r->text = NULL;
}

/* ------------------------------------------------------------------- cells */

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Moves over empty lines and comments; the offset of a row, or the length. */
static size_t row_from(const struct rows *r, size_t at)
{
	while (at < r->length) {
		size_t first = at;

		while (first < r->length && blank(r->text[first]))
			first++;
		if (first < r->length && r->text[first] != '\n' && r->text[first] != '#')
			return first;
		while (first < r->length && r->text[first] != '\n')
			first++;
		at = first + 1;
	}
	return r->length;
}

static void add(struct rows *r, const char *from, const char *to)
{
	while (from < to && blank(*from))
		from++;
	while (to > from && blank(to[-1]))
		to--;
	if (to - from >= 2 && *from == '"' && to[-1] == '"') {
		from++;
		to--;
	}
	if (r->n < ROWS_CELLS)
		r->cell[r->n++] = (struct rows_cell){from, (size_t)(to - from)};
}

static void cut_commas(struct rows *r, const char *at, const char *end)
{
	const char *from = at;
	bool quoted = false;

	for (; at < end; at++) {
		if (*at == '"')
			quoted = !quoted;
		if (*at != ',' || quoted)
			continue;
		add(r, from, at);
		from = at + 1;
	}
	add(r, from, end);
}

static void cut_blanks(struct rows *r, const char *at, const char *end)
{
	while (at < end) {
		const char *from;

		while (at < end && blank(*at))
			at++;
		if (at == end || *at == '#')
			return;
		for (from = at; at < end && !blank(*at);)
			at++;
		add(r, from, at);
	}
}

bool rows_next(struct rows *r, bool comma)
{
	const char *at, *end;

	r->n = 0;
	r->row = row_from(r, r->next);
	if (r->row >= r->length) {
		r->next = r->row = r->length;
		return false;
	}
	at = r->text + r->row;
	end = memchr(at, '\n', r->length - r->row);
	if (!end)
		end = r->text + r->length;
	r->next = (size_t)(end - r->text) + 1;
	if (r->next > r->length)
		r->next = r->length;
	if (comma)
		cut_commas(r, at, end);
	else
		cut_blanks(r, at, end);
	return true;
}

bool rows_comma_ahead(const struct rows *r)
{
	for (size_t at = row_from(r, r->next); at < r->length && r->text[at] != '\n'; at++) {
		if (r->text[at] == ',')
			return true;
	}
	return false;
}

bool rows_is(const struct rows_cell *cell, const char *text)
{
	return strlen(text) == cell->length && memcmp(cell->text, text, cell->length) == 0;
}

char *rows_copy(const struct rows_cell *cell, char *buf, size_t size)
{
	size_t n = cell->length < size ? cell->length : size - 1;

	memcpy(buf, cell->text, n);
	for (size_t i = 0; i < n; i++) {	/* what it may do to a terminal, the quoted line shows */
		if (buf[i] == 0)
			buf[i] = '?';
	}
	buf[n] = 0;
	return buf;
}

/* ------------------------------------------------------------------ errors */

static int say(const struct rows *r, enum diag_severity severity, size_t offset, const char *fmt,
	       va_list ap)
{
	struct diag_place place = {.file = r->path, .text = r->text, .length = r->length,
				   .offset = offset, .run = r->ctx->run};
	char text[600];

	vsnprintf(text, sizeof text, fmt, ap);
	if (severity == DIAG_ERROR && diag_errors(r->ctx->diag) >= DIAG_MAX)
		place.text = NULL;		/* only counted: no line to look for */
	return diag_add(r->ctx->diag, severity, &place, "%s", text);
}

int rows_fail(const struct rows *r, const struct rows_cell *cell, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(r, DIAG_ERROR, (size_t)(cell->text - r->text), fmt, ap);
	va_end(ap);
	return -1;
}

int rows_fail_row(const struct rows *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(r, DIAG_ERROR, r->row, fmt, ap);
	va_end(ap);
	return -1;
}

void rows_warn_row(const struct rows *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(r, DIAG_WARNING, r->row, fmt, ap);
	va_end(ap);
}

/* ----------------------------------------------------------------- numbers */

enum decimal { DECIMAL_GOOD, DECIMAL_NONE, DECIMAL_FINE, DECIMAL_LARGE };

/* The digits one after the other, then as many zeros as the exponent leaves; zeros
 * beyond it are nothing, other digits are too fine. */
static enum decimal decimal(const struct rows_cell *cell, int exponent, int64_t max, int64_t *out)
{
	__int128 value = 0;
	bool digits = false, point = false;

	for (size_t i = 0; i < cell->length; i++) {
		char c = cell->text[i];

		if (c == '.' && !point) {
			point = true;
			continue;
		}
		if (c < '0' || c > '9')
			return DECIMAL_NONE;
		digits = true;
		if (point && exponent == 0) {
			if (c != '0')
				return DECIMAL_FINE;
			continue;
		}
		exponent -= point;
		value = value * 10 + (c - '0');
		if (value > INT64_MAX)
			return DECIMAL_LARGE;
	}
	for (; exponent > 0 && value <= INT64_MAX; exponent--)
		value *= 10;
	if (!digits)
		return DECIMAL_NONE;
	*out = (int64_t)value;
	return value > max ? DECIMAL_LARGE : DECIMAL_GOOD;
}

int rows_number(const struct rows *r, const struct rows_cell *cell, int exponent, int64_t max,
		const char *what, const char *unit, int64_t *out)
{
	char text[80];

	switch (decimal(cell, exponent, max, out)) {
	case DECIMAL_GOOD:
		return 0;
	case DECIMAL_FINE:
		return rows_fail(r, cell, "%s must come out whole; \"%s\" %s is too fine", what,
				 rows_copy(cell, text, sizeof text), unit);
	case DECIMAL_LARGE:
		return rows_fail(r, cell, "%s is too large: \"%s\" %s", what,
				 rows_copy(cell, text, sizeof text), unit);
	case DECIMAL_NONE:
		break;
	}
	return rows_fail(r, cell, "%s must be a number%s%s without sign or exponent, not \"%s\"", what,
			 *unit ? " of " : "", unit, rows_copy(cell, text, sizeof text));
}
