/* cli/csv.c - see csv.h */
#include "cli/csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/path.h"
#include "sim/mem.h"

/* The whole file with a 0 behind it. */
static char *read_all(const char *path, struct sim_error *err)
{
	FILE *in = fopen(path, "rb");
	char *text = NULL;
	size_t n = 0, cap = 1 << 16;

	while (in && !ferror(in) && !feof(in)) {
		text = mem_grow(text, cap *= 2);
		n += fread(text + n, 1, cap - n - 1, in);
	}
	if (!in || ferror(in)) {
		error_set(err, "", "cannot read %s: %s", path, strerror(errno));
		free(text);
		text = NULL;
	} else {
		text[n] = '\0';
	}
	if (in)
		fclose(in);
	return text;
}

/* Cuts the next field off and returns it; *at is left behind its separator, which
 * goes to *ended: ',' or '\n' or 0. */
static char *cut(char **at, char *ended)
{
	char *from = *at, *to = *at, *start = *at;

	if (*from == '"') {
		for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
			if (*from == '"')
				from++;
			*to++ = *from;
		}
		if (*from == '"')
			from++;
	} else {
		to = from += strcspn(from, ",\n");
		if (to > start && to[-1] == '\r')
			to--;
	}
	*ended = *from;
	*at = *from ? from + 1 : from;
	*to = '\0';
	return start;
}

static int row(struct csv *t, char **field)
{
	int n = 0;
	char ended = ',';

	while (ended == ',' && n < CSV_COLUMNS)
		field[n++] = cut(&t->at, &ended);
	t->line++;
	return ended == ',' ? -1 : n;
}

int csv_open(struct csv *t, const char *dir, const char *name, const char *const *wanted,
	     struct sim_error *err)
{
	char *field[CSV_COLUMNS];

	*t = (struct csv){ .path = path_join(dir, name) };
	t->text = t->at = read_all(t->path, err);
	if (!t->text)
		return -1;
	t->ncolumns = row(t, field);
	for (; wanted[t->nwanted]; t->nwanted++) {
		int *column = &t->column[t->nwanted];

		for (*column = 0; *column < t->ncolumns; ++*column)
			if (!strcmp(field[*column], wanted[t->nwanted]))
				break;
		if (*column >= t->ncolumns)
			return error_set(err, "", "%s has no column \"%s\": an older xoff left "
					 "it, run the experiment again", t->path,
					 wanted[t->nwanted]);
	}
	return 0;
}

int csv_next(struct csv *t, struct sim_error *err)
{
	char *field[CSV_COLUMNS];
	int n;

	if (!*t->at)
		return 0;
	n = row(t, field);
	if (n != t->ncolumns)
		return error_set(err, "", "%s:%d: not %d fields", t->path, t->line,
				 t->ncolumns);
	for (int i = 0; i < t->nwanted; i++)
		t->field[i] = field[t->column[i]];
	return 1;
}

int csv_wrong(const struct csv *t, int wanted, struct sim_error *err)
{
	return error_set(err, "", "%s:%d: \"%.100s\" is not what column %d holds", t->path,
			 t->line, t->field[wanted], t->column[wanted] + 1);
}

int csv_number(const struct csv *t, int wanted, int64_t empty, int64_t *value,
	       struct sim_error *err)
{
	const char *text = t->field[wanted];
	char *end;

	if (!*text) {
		*value = empty;
		return 0;
	}
	errno = 0;
	*value = strtoll(text, &end, 10);
	return *end || errno ? csv_wrong(t, wanted, err) : 0;
}

void csv_close(struct csv *t)
{
	free(t->path);
	free(t->text);
	*t = (struct csv){ 0 };
}
