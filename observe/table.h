/*
 * observe/table.h - a summary for people: one screen for one run, columns side
 * by side for several.  The first line is the worst finding there is.
 */
#ifndef TABLE_H
#define TABLE_H
#include <stdio.h>
#include "observe/summary.h"

/* n == 1: labels and numbers of one run; n > 1: a row a metric, a column a run.
 * 0, or -1 when the stream has failed. */
int table_print(FILE *out, const struct summary *const *runs, int n);
#endif
