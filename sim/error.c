/*
 * sim/error.c - fills struct sim_error; finds the nearest name to a wrong one.
 */
#include "sim/error.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 64 };		/* longer words are never near */

void error_init(struct sim_error *err)
{
	if (err)
		*err = (struct sim_error){0};
}

int error_set(struct sim_error *err, const char *where, const char *fmt, ...)
{
	va_list ap;

	if (!err || err->set)
		return -1;
	err->set = 1;
	snprintf(err->where, sizeof err->where, "%s", where ? where : "");
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, ap);
	va_end(ap);
	return -1;
}

static int fold(char c)
{
	return tolower((unsigned char)c);
}

static int min3(int a, int b, int c)
{
	int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Optimal string alignment: insert, delete, replace, swap of neighbours. */
static int distance(const char *a, int la, const char *b, int lb)
{
	int d[3][WORD_MAX + 1];

	for (int j = 0; j <= lb; j++)
		d[0][j] = j;
	for (int i = 1; i <= la; i++) {
		int *row = d[i % 3], *up = d[(i + 2) % 3], *upup = d[(i + 1) % 3];

		row[0] = i;
		for (int j = 1; j <= lb; j++) {
			int same = fold(a[i - 1]) == fold(b[j - 1]);

			row[j] = min3(up[j] + 1, row[j - 1] + 1, up[j - 1] + !same);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
			    fold(a[i - 2]) == fold(b[j - 1]) && upup[j - 2] + 1 < row[j])
				row[j] = upup[j - 2] + 1;
		}
	}
	return d[la % 3][lb];
}

const char *error_nearest(const char *word, const char *const *names)
{
	const char *best = NULL;
	int len = (int)strnlen(word, WORD_MAX + 1);
	int limit = len < 4 ? 1 : 2;	/* two changes make any short word any other */
	int best_d = limit + 1;

	if (len == 0 || len > WORD_MAX)
		return NULL;
	for (; *names; names++) {
		int n = (int)strnlen(*names, WORD_MAX + 1);
		int d;

		if (n > WORD_MAX || n - len > limit || len - n > limit)
			continue;
		d = distance(word, len, *names, n);
		/* a word of which nothing is left is not near */
		if (d < best_d && d < n) {
			best_d = d;
			best = *names;
		}
	}
	return best;
}
