/*
 * cli/show_table.h - tables as SONiC's commands print them: columns to the right,
 * two blanks apart, a rule of dashes below the titles (tabulate's "simple" form).
 *
 * Without titles, columns stand to the left between two rules.
 */
#ifndef SHOW_TABLE_H
#define SHOW_TABLE_H
#include <stdint.h>
#include <stdio.h>

enum { SHOW_TABLE_COLUMNS = 16 };

struct show_table;

/* `titles` is NULL, or has `columns` entries; borrowed. */
struct show_table *show_table_new(const char *const *titles, int columns);
void show_table_free(struct show_table **t);

void show_table_text(struct show_table *t, const char *text);	/* the next cell; copied */
void show_table_number(struct show_table *t, int64_t value);
void show_table_grouped(struct show_table *t, int64_t value);	/* 1,234,567 */
int show_table_rows(const struct show_table *t);

void show_table_print(const struct show_table *t, FILE *out);
#endif
