#include "sweep/grid.h"

#include <stdlib.h>

enum { GRID_MOST = 100000000 };

int64_t grid_size(const int *sizes, int naxes)
{
	int64_t n = 1;

	for (int i = 0; i < naxes; i++) {
		n *= sizes[i];
		if (n > GRID_MOST)
			return -1;
	}
	return n;
}

void grid_choice(const int *sizes, int naxes, int64_t index, int *choice)
{
	for (int i = naxes; i-- > 0; index /= sizes[i])
		choice[i] = (int)(index % sizes[i]);
}

/* A whole number at *c, which then points behind it; -1: none. */
static int64_t number(const char **c)
{
	char *end;
	long long v = **c >= '0' && **c <= '9' ? strtoll(*c, &end, 10) : -1;

	if (v >= 0)
		*c = end;
	return v;
}

int grid_select(const char *text, int64_t points, bool *wanted, struct sim_error *err)
{
	const char *c = text;

	for (int64_t i = 0; i < points; i++)
		wanted[i] = !text;
	while (c) {
		int64_t from = number(&c), to = from;
		if (from >= 0 && *c == '-') {
			c++;
			to = number(&c);
		}
		if (from < 0 || to < from || (*c && *c != ','))
			return error_set(err, "", "\"%s\" names no points; wanted numbers and ranges, such as 3,5-9",
					 text);
		if (to >= points)
			return error_set(err, "", "there is no point %lld; the sweep has points 0 to %lld",
					 (long long)to, (long long)points - 1);
		for (; from <= to; from++)
			wanted[from] = true;
		c = *c ? c + 1 : NULL;
	}
	return 0;
}

int grid_shard(const char *text, int64_t points, bool *wanted, struct sim_error *err)
{
	const char *c = text;
	int64_t part = number(&c), of = -1;

	if (part > 0 && *c == '/') {
		c++;
		of = number(&c);
	}
	if (of < 1 || part > of || *c)
		return error_set(err, "", "\"%s\" is no part of a sweep; wanted PART/PARTS, such as 2/5", text);
	for (int64_t i = 0; i < points; i++)
		wanted[i] = wanted[i] && i % of == part - 1;
	return 0;
}
