/*
 * interop/sonic_lookup.c - pg_profile_lookup.ini: the lossless profile that a
 * switch of the traditional model makes for a speed and a cable.
 *
 *	# speed cable size xon xoff threshold [xon_offset]
 *	  40000    5m 1248 2288 66560 0 2288
 *
 * threshold is dynamic_th or static_th, as the mode of the pool says
 * (sonic-swss cfgmgr/buffermgr.cpp).
 */
#include "interop/sonic_inside.h"

#include <stdlib.h>
#include <string.h>

#include "sim/mem.h"
#include "sim/units.h"

enum { COLUMNS_MIN = 6, COLUMNS = 7, WORD_MAX = 31 };

struct sonic_rows { struct sonic_row *v; int n; };

int64_t sonic_cable_mm(const char *text)
{
	struct sim_error err = {0};
	int64_t mm = -1;

	if (!text || units_parse(text, UNITS_LENGTH, &mm, NULL, &err) || mm < 0)
		return -1;
	return mm;
}

struct line {			/* of the file */
	struct sonic *s;
	const char *text;
	size_t length;		/* of the file */
};

static int fail(const struct line *l, const char *at, const char *text)
{
	struct diag_place place = {.file = l->s->opt->lookup, .text = l->text,
				   .length = l->length, .offset = (size_t)(at - l->text)};

	return diag_add(l->s->diag, DIAG_ERROR, &place, "%s", text);
}

/* The words of a line; at most COLUMNS + 1 are looked at. */
static int words_of(const char *from, const char *end, const char *at[COLUMNS + 1],
		    char word[COLUMNS + 1][WORD_MAX + 1])
{
	int n = 0;

	for (const char *c = from; n <= COLUMNS;) {
		size_t size;

		while (c < end && (*c == ' ' || *c == '\t' || *c == '\r'))
			c++;
		if (c == end || *c == '#' || *c == ';')
			break;
		at[n] = c;
		while (c < end && *c != ' ' && *c != '\t' && *c != '\r')
			c++;
		size = (size_t)(c - at[n]) < WORD_MAX ? (size_t)(c - at[n]) : WORD_MAX;
		memcpy(word[n], at[n], size);
		word[n++][size] = 0;
	}
	return n;
}

static int read_line(const struct line *l, const char *from, const char *end,
		     struct sonic_rows *rows)
{
	const char *at[COLUMNS + 1];
	char word[COLUMNS + 1][WORD_MAX + 1];
	int n = words_of(from, end, at, word);
	struct sonic_row row = {0};
	int64_t *fields[COLUMNS] = {&row.mbps, NULL, &row.size, &row.xon, &row.xoff,
				    &row.threshold, &row.xon_offset};

	if (n == 0)
		return 0;
	if (n < COLUMNS_MIN || n > COLUMNS)
		return fail(l, at[0], "a row has 6 or 7 columns: speed, cable, size, xon, "
			    "xoff, threshold and perhaps xon_offset");
	for (int i = 0; i < n; i++) {
		if (!fields[i])
			continue;
		if (!sonic_whole(word[i], fields[i]))
			return fail(l, at[i], "this is no whole number");
		if (*fields[i] < 0 && fields[i] != &row.threshold)
			return fail(l, at[i], "this must not be negative");
	}
	row.cable_mm = sonic_cable_mm(word[1]);
	if (row.cable_mm < 0)
		return fail(l, at[1], "this is no length of a cable, such as 40m");
	if (row.threshold < -8)
		return fail(l, at[5], "a dynamic threshold is -8 to 8, a static one 0 or more");
	rows->v = mem_grow(rows->v, (size_t)(rows->n + 1) * sizeof row);
	rows->v[rows->n++] = row;
	return 0;
}

int sonic_rows_load(struct sonic *s)
{
	struct line l = {.s = s};
	char *text;
	int rc = 0;

	if (!s->opt->lookup)
		return 0;
	text = sonic_read(s, s->opt->lookup, &l.length);
	if (!text)
		return -1;
	l.text = text;
	s->rows = mem_zalloc(sizeof *s->rows);
	for (const char *c = text, *stop = text + l.length; c < stop;) {
		const char *end = memchr(c, '\n', (size_t)(stop - c));

		end = end ? end : stop;
		rc |= read_line(&l, c, end, s->rows);
		c = end + (end < stop);
	}
	if (rc == 0 && s->rows->n == 0)
		rc = fail(&l, text, "there is no row in this table");
	free(text);
	return rc;
}

void sonic_rows_free(struct sonic_rows **rows)
{
	if (*rows)
		free((*rows)->v);
	free(*rows);
	*rows = NULL;
}

const struct sonic_row *sonic_row_find(const struct sonic_rows *rows, int64_t mbps,
				       int64_t cable_mm)
{
	for (int i = 0; rows && i < rows->n; i++) {
		if (rows->v[i].mbps == mbps && rows->v[i].cable_mm == cable_mm)
			return &rows->v[i];
	}
	return NULL;
}
