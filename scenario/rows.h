/*
 * scenario/rows.h - a text file that is a table, row by row: CSV, or columns
 * between blanks, as other programs write them.
 *
 * Empty lines and lines that begin with # are no rows; a byte order mark and
 * the \r of \r\n are taken away.  In CSV a cell may stand in double quotes, which may
 * hold commas.  What is wrong is said with the place in that file.
 */
#ifndef ROWS_H
#define ROWS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "scenario/read.h"

enum { ROWS_CELLS = 64, ROWS_BYTES_MAX = 1 << 30 };

struct rows_cell { const char *text; size_t length; };	/* within the file; not 0-terminated */

struct rows {
	const struct read_ctx *ctx;
	const char *path;		/* as messages show it; the cursor's */
	char *text;
	size_t length, next, row;	/* offsets: the next line, this row */
	struct rows_cell cell[ROWS_CELLS];
	int n;				/* cells of this row; more than ROWS_CELLS are not looked at */
};

/* Reads the file whose path is the value at `at`, which outlives the rows. */
int rows_open(struct rows *r, const struct read *at);
/* The same of a path from the command line; ctx and path outlive the rows. */
int rows_open_path(struct rows *r, const struct read_ctx *ctx, const char *path);
void rows_close(struct rows *r);

/* The next row, its cells parted by commas (`comma`) or by blanks; false at the end. */
bool rows_next(struct rows *r, bool comma);
/* Would the next row have a comma?  (false at the end) */
bool rows_comma_ahead(const struct rows *r);

bool rows_is(const struct rows_cell *cell, const char *text);
/* A copy that ends in 0, cut to `size`; returns buf. */
char *rows_copy(const struct rows_cell *cell, char *buf, size_t size);

/* Says what is wrong with a cell (of this row); always -1. */
int rows_fail(const struct rows *r, const struct rows_cell *cell, const char *fmt, ...) SIM_PRINTF(3, 4);
/* As rows_fail, of this row or, at the end, of the file. */
int rows_fail_row(const struct rows *r, const char *fmt, ...) SIM_PRINTF(2, 3);
void rows_warn_row(const struct rows *r, const char *fmt, ...) SIM_PRINTF(2, 3);

/* A decimal number ("2.000000873") times 10^exponent, which must come out whole and in
 * 0..max.  `what` and `unit` ("": none) are for the message. */
int rows_number(const struct rows *r, const struct rows_cell *cell, int exponent, int64_t max,
		const char *what, const char *unit, int64_t *out);
#endif
