/*
 * scenario/expand.c - a pattern to the names it picks, and back.
 */
#include "scenario/expand.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/pattern.h"
#include "sim/mem.h"

/* -------------------------------------------------------------- expansion */

void expand_list_free(struct expand_list *list)
{
	free(list->index);
	*list = (struct expand_list){0};
}

struct expansion {
	const char *const *names;
	int nnames;
	struct expand_list *out;
	bool *taken;		/* by index of names */
	struct sim_error *err;
	const char *pattern;
	long left;		/* names still allowed */
};

static void take(struct expansion *x, int i)
{
	struct expand_list *out = x->out;

	if (x->taken[i])
		return;
	x->taken[i] = true;
	if (out->n == out->room) {
		out->room = out->room ? 2 * out->room : 16;
		out->index = mem_grow(out->index, (size_t)out->room * sizeof *out->index);
	}
	out->index[out->n++] = i;
}

static void drop(struct expansion *x, const char *item)
{
	struct expand_list *out = x->out;
	int n = 0;

	for (int i = 0; i < out->n; i++) {
		if (pattern_item_match(item, x->names[out->index[i]]))
			x->taken[out->index[i]] = false;
		else
			out->index[n++] = out->index[i];
	}
	out->n = n;
}

static int take_literal(struct expansion *x, const char *name)
{
	const char *const *hit = bsearch(&name, x->names, (size_t)x->nnames, sizeof *x->names,
					 pattern_natural_qsort);

	if (hit) {
		take(x, (int)(hit - x->names));
		return 0;
	}
	if (strcmp(name, x->pattern) == 0)
		return error_set(x->err, "", "there is no \"%s\" here; names are %s .. %s",
				 name, x->names[0], x->names[x->nnames - 1]);
	return error_set(x->err, "",
			 "\"%s\" names \"%s\", which does not exist; names are %s .. %s",
			 x->pattern, name, x->names[0], x->names[x->nnames - 1]);
}

/* Expands the brackets of `rest` behind the text already in `name`. */
static int take_range(struct expansion *x, char *name, size_t n, const char *rest)
{
	const char *close;
	struct pattern_range r;

	while (*rest && *rest != '[' && n + 1 < PATTERN_ITEM_MAX)
		name[n++] = *rest++;
	name[n] = 0;
	if (!*rest) {
		if (x->left-- <= 0)
			return error_set(x->err, "", "\"%s\" names more than %d names",
					 x->pattern, EXPAND_NAMES_MAX);
		return take_literal(x, name);
	}
	close = strchr(rest, ']');
	for (const char *p = rest + 1; close && pattern_range_scan(&p, &r); p++) {
		long step = r.first <= r.last ? r.step : -r.step;

		for (long v = r.first; step > 0 ? v <= r.last : v >= r.last; v += step) {
			int len = r.letters ? snprintf(name + n, PATTERN_ITEM_MAX - n, "%c",
						       (int)v)
					    : snprintf(name + n, PATTERN_ITEM_MAX - n, "%0*ld",
						       r.width, v);

			if (n + (size_t)len + 1 >= PATTERN_ITEM_MAX ||
			    take_range(x, name, n + (size_t)len, close + 1))
				return -1;
		}
		if (*p == ']')
			break;
	}
	return 0;
}

static int take_item(struct expansion *x, const char *item)
{
	char name[2 * PATTERN_ITEM_MAX];
	int before = x->out->n;
	bool any = false;

	if (!strpbrk(item, "*?"))
		return take_range(x, name, 0, item);
	for (int i = 0; i < x->nnames; i++) {
		if (pattern_item_match(item, x->names[i])) {
			take(x, i);
			any = true;
		}
	}
	if (!any && x->out->n == before)
		return error_set(x->err, "", "\"%s\" matches nothing; names are %s .. %s", item,
				 x->names[0], x->names[x->nnames - 1]);
	return 0;
}

int expand_names(const char *pattern, const char *const *names, int nnames,
		   struct expand_list *out, struct sim_error *err)
{
	struct expansion x = {names, nnames, out, NULL, err, pattern, EXPAND_NAMES_MAX};
	char item[PATTERN_ITEM_MAX];
	const char *rest = pattern;
	int rc = pattern_check(pattern, err);

	if (rc == 0 && nnames == 0)
		return error_set(err, "", "\"%s\" matches nothing: there is nothing here",
				 pattern);
	x.taken = mem_zalloc((size_t)nnames + 1);
	for (int i = 0; i < out->n; i++)
		x.taken[out->index[i]] = true;
	while (rc == 0 && pattern_next_item(&rest, item)) {
		if (item[0] == '!')
			drop(&x, item + 1);
		else
			rc = take_item(&x, item);
	}
	free(x.taken);
	return rc;
}

/* ------------------------------------------------------------- compaction */

struct numbered { size_t prefix; long number; };	/* number -1: none at the end */

static struct numbered split(const char *name)
{
	size_t n = strlen(name), d = n;

	while (d > 0 && name[d - 1] >= '0' && name[d - 1] <= '9')
		d--;
	if (d == n || n - d > PATTERN_DIGITS_MAX || (name[d] == '0' && n - d > 1))
		return (struct numbered){n, -1};
	return (struct numbered){d, strtol(name + d, NULL, 10)};
}

/* How many names from i on form one range, and its step. */
static int run_length(const char *const *names, int n, int i, long *step)
{
	struct numbered first = split(names[i]);
	long last = first.number;
	int len = 1;

	*step = 0;
	for (int j = i + 1; j < n && first.number >= 0; j++, len++) {
		struct numbered s = split(names[j]);

		if (s.number < 0 || s.prefix != first.prefix ||
		    memcmp(names[j], names[i], s.prefix) != 0)
			break;
		if (len == 1)
			*step = s.number - last;
		if (s.number - last != *step || *step == 0)
			break;
		last = s.number;
	}
	return len;
}

char *expand_compact(const char *const *names, int n)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = mem_stream(&text, &size);

	for (int i = 0; i < n;) {
		struct numbered s = split(names[i]);
		long step;
		int len = run_length(names, n, i, &step);

		if (i)
			fputc(',', out);
		if (len < 3) {
			fputs(names[i++], out);
			continue;
		}
		fprintf(out, "%.*s[%ld-%ld", (int)s.prefix, names[i], s.number,
			s.number + (len - 1) * step);
		if (labs(step) != 1)
			fprintf(out, ":%ld", labs(step));
		fputc(']', out);
		i += len;
	}
	mem_stream_close(out);
	return text;
}
