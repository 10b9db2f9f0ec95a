/*
 * scenario/diag.h - what is wrong with the user's files, collected and shown.
 *
 * At most 20 errors are kept (and 20 warnings), in the order found; one that
 * repeats an earlier one at the same place is dropped, so that variants do not
 * multiply what is wrong in their base.  Printed as
 *
 *   storm.json:31:27: error: unknown rate unit "Gbs" in "100Gbs"; did you mean "100Gbps"?
 *      31 |   "host_link": {"rate": "100Gbs", "cable": "5m"},
 *         |                         ^
 *
 * Lines and columns count from 1; a column is a UTF-8 character.
 */
#ifndef DIAG_H
#define DIAG_H
#include <stddef.h>
#include <stdio.h>
#include "sim/error.h"

enum diag_severity { DIAG_ERROR, DIAG_WARNING };
enum { DIAG_MAX = 20 };

struct diag_place {		/* where; all borrowed during the call */
	const char *file;	/* NULL or "": no place at all */
	const char *text;	/* the whole file, to quote the line from; may be NULL */
	size_t length;		/* of text */
	size_t offset;		/* of the token in text */
	const char *run;	/* variant in which it shows, or NULL */
};

struct diag;

struct diag *diag_new(void);
void diag_free(struct diag **diag);

/* Adds one sentence (no newline, no full stop).  `place` may be NULL.  Returns -1. */
int diag_add(struct diag *diag, enum diag_severity severity, const struct diag_place *place,
	     const char *fmt, ...) SIM_PRINTF(4, 5);

/* How many were found, those beyond DIAG_MAX included. */
int diag_errors(const struct diag *diag);
int diag_warnings(const struct diag *diag);

/* All of them, errors first; a last line tells how many were left out. */
void diag_print(const struct diag *diag, FILE *out);
/* The i-th kept entry as one line without newline ("f.json:3:5: error: ..."), or NULL. */
const char *diag_line(const struct diag *diag, int i);

/* 1-based line and column of a byte offset. */
void diag_line_column(const char *text, size_t length, size_t offset, int *line, int *column);
#endif
