/*
 * observe/table_in.h - what the two halves of the table share: table.c (one run, a line a
 * subject) and table_several.c (several, a column each).
 */
#ifndef TABLE_IN_H
#define TABLE_IN_H
#include <stdbool.h>
#include <stdio.h>
#include "observe/summary.h"

enum { CELL = 48, WORKLOADS = 12 };	/* bytes of a cell; workloads with a line of their own */

/* Each writes a cell into buf and returns it. */
char *table_count(int64_t value, char *buf, size_t size);	/* "12,408" */
char *table_duration(int64_t ps, char *buf, size_t size);	/* "-" below 0 */
char *table_bytes(int64_t value, char *buf, size_t size);
char *table_rate(double bps, char *buf, size_t size);
char *table_deadlock(const struct summary *s, char *buf, size_t size);	/* "none", "1ms..2ms" */

int64_t table_other_drops(const struct summary *s);	/* wire, TTL, NIC */
int table_passed(const struct summary *s);		/* rules that hold */
/* What else was found in several runs; the worst of all stands in the first line. */
void table_others(FILE *out, const struct summary *const *runs, int n);
/* Rules that do not hold; `name`: with that of the variant before each. */
void table_failed(FILE *out, const struct summary *s, bool name);
void table_several(FILE *out, const struct summary *const *runs, int n);
#endif
