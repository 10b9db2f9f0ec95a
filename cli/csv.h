/*
 * cli/csv.h - reads the tables of a run directory back (RFC 4180, with a header).
 *
 *	struct csv t;
 *	if (csv_open(&t, dir, "pauses.csv", names, err))	names: columns wanted, NULL ends
 *		...
 *	while (csv_next(&t, err) == 1)
 *		... t.field[0] is the first column wanted, of this row
 *	csv_close(&t);						always
 */
#ifndef CSV_H
#define CSV_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/error.h"

enum { CSV_COLUMNS = 64, CSV_WANTED = 16 };

struct csv {
	char *path, *text, *at;
	int line;
	int column[CSV_WANTED];		/* of each wanted: its place in the file */
	int nwanted, ncolumns;
	char *field[CSV_WANTED];	/* borrowed until the next row */
};

/* -1: the file cannot be read, or lacks one of the columns. */
int csv_open(struct csv *t, const char *dir, const char *name, const char *const *wanted,
	     struct sim_error *err) SIM_MUST_CHECK;
/* 1: a row; 0: the end; -1: a row that is not one. */
int csv_next(struct csv *t, struct sim_error *err) SIM_MUST_CHECK;
/* A whole number; `empty` where the field is empty.  -1: it is none. */
int csv_number(const struct csv *t, int wanted, int64_t empty, int64_t *value,
	       struct sim_error *err) SIM_MUST_CHECK;
/* Says that a field is not what it should be; returns -1. */
int csv_wrong(const struct csv *t, int wanted, struct sim_error *err);
void csv_close(struct csv *t);
#endif
