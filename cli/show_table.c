/* cli/show_table.c - see show_table.h */
#include "cli/show_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "sim/mem.h"

enum { TITLE_PADDING = 2 };	/* tabulate's MIN_PADDING */

struct show_table {
	const char *const *titles;
	int columns;
	char **cells;
	size_t n, room;
	size_t width[SHOW_TABLE_COLUMNS];
};

struct show_table *show_table_new(const char *const *titles, int columns)
{
	struct show_table *t = mem_zalloc(sizeof(*t));

	sim_assert(columns <= SHOW_TABLE_COLUMNS);
	t->titles = titles;
	t->columns = columns;
	for (int i = 0; i < columns && titles; i++)
		t->width[i] = strlen(titles[i]) + TITLE_PADDING;
	return t;
}

void show_table_free(struct show_table **t)
{
	if (!*t)
		return;
	for (size_t i = 0; i < (*t)->n; i++)
		free((*t)->cells[i]);
	free((*t)->cells);
	free(*t);
	*t = NULL;
}

void show_table_text(struct show_table *t, const char *text)
{
	size_t *width = &t->width[t->n % (size_t)t->columns], length = strlen(text);

	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 256;
		t->cells = mem_grow(t->cells, t->room * sizeof(*t->cells));
	}
	t->cells[t->n++] = mem_strdup(text);
	*width = length > *width ? length : *width;
}

void show_table_number(struct show_table *t, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	show_table_text(t, text);
}

void show_table_grouped(struct show_table *t, int64_t value)
{
	char plain[24], text[40];
	int n = snprintf(plain, sizeof(plain), "%" PRId64, value), to = 0;

	for (int i = 0; i < n; i++) {
		text[to++] = plain[i];
		if (i + 1 < n && plain[i] != '-' && (n - i - 1) % 3 == 0)
			text[to++] = ',';
	}
	text[to] = '\0';
	show_table_text(t, text);
}

int show_table_rows(const struct show_table *t)
{
	return (int)(t->n / (size_t)t->columns);
}

static void rule(const struct show_table *t, FILE *out)
{
	for (int i = 0; i < t->columns; i++) {
		fputs(i ? "  " : "", out);
		for (size_t k = 0; k < t->width[i]; k++)
			fputc('-', out);
	}
	fputc('\n', out);
}

static void row(const struct show_table *t, const char *const *cells, FILE *out)
{
	for (int i = 0; i < t->columns; i++) {
		int width = (int)t->width[i];

		if (!t->titles && i == t->columns - 1)
			fprintf(out, "  %s", cells[i]);
		else
			fprintf(out, "%s%*s", i ? "  " : "", t->titles ? width : -width,
				cells[i]);
	}
	fputc('\n', out);
}

void show_table_print(const struct show_table *t, FILE *out)
{
	if (t->titles)
		row(t, t->titles, out);
	rule(t, out);
	for (int i = 0; i < show_table_rows(t); i++)
		row(t, (const char *const *)t->cells + (size_t)i * (size_t)t->columns, out);
	if (!t->titles)
		rule(t, out);
}
