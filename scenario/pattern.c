/*
 * scenario/pattern.c - matches and expands name patterns.
 */
#include "scenario/pattern.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


/* ------------------------------------------------------------------ names */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t digits(const char *s)
{
	size_t n = 0;

	while (is_digit(s[n]))
		n++;
	return n;
}

int pattern_natural(const char *a, const char *b)
{
	const char *x = a, *y = b;

	while (*x && *y) {
		if (is_digit(*x) && is_digit(*y)) {
			size_t n, m;
			int c;

			while (*x == '0')
				x++;
			while (*y == '0')
				y++;
			n = digits(x);
			m = digits(y);
			if (n != m)
				return n < m ? -1 : 1;
			c = memcmp(x, y, n);
			if (c)
				return c;
			x += n;
			y += m;
		} else {
			if (*x != *y)
				return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
			x++;
			y++;
		}
	}
	if (*x || *y)
		return *x ? 1 : -1;
	return strcmp(a, b);	/* h01 and h1 */
}

int pattern_natural_qsort(const void *a, const void *b)
{
	return pattern_natural(*(const char *const *)a, *(const char *const *)b);
}

int pattern_name_check(const char *name, struct sim_error *err)
{
	if (!*name || strlen(name) > 63)
		return error_set(err, "", "a name has 1 to 63 characters");
	for (const char *p = name; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("_-.", *p))
			return error_set(err, "",
					 "\"%s\" is no name: only letters, digits, '_', "
					 "'-' and '.' are allowed",
					 name);
	}
	return 0;
}

/* ------------------------------------------------------------------ items */

bool pattern_next_item(const char **rest, char *item)
{
	const char *p = *rest;
	size_t n = 0;
	int depth = 0;

	if (!p)
		return false;
	while (*p == ' ')
		p++;
	for (; *p && (*p != ',' || depth); p++) {
		depth += (*p == '[') - (*p == ']' && depth);
		if (n < PATTERN_ITEM_MAX)
			item[n++] = *p;
	}
	while (n && item[n - 1] == ' ')
		n--;
	item[n < PATTERN_ITEM_MAX ? n : PATTERN_ITEM_MAX - 1] = 0;
	*rest = *p ? p + 1 : NULL;
	return true;
}

static bool end_scan(const char **p, long *value, bool *letters, int *width)
{
	size_t n = digits(*p);

	*letters = n == 0;
	if (n > PATTERN_DIGITS_MAX || (n == 0 && !isalpha((unsigned char)**p)))
		return false;
	*width = n > 1 && **p == '0' ? (int)n : 1;
	*value = n ? strtol(*p, NULL, 10) : (unsigned char)**p;
	*p += n ? n : 1;
	return true;
}

bool pattern_range_scan(const char **p, struct pattern_range *r)
{
	bool letters;
	int width;

	*r = (struct pattern_range){.step = 1};
	if (!end_scan(p, &r->first, &r->letters, &r->width))
		return false;
	r->last = r->first;
	if (**p == '-') {
		++*p;
		if (!end_scan(p, &r->last, &letters, &width) || letters != r->letters)
			return false;
	}
	if (**p == ':') {
		++*p;
		if (!end_scan(p, &r->step, &letters, &width) || letters || r->step < 1)
			return false;
	}
	return **p == ',' || **p == ']';
}

static bool range_holds(const struct pattern_range *r, const char *text, size_t n)
{
	long v = r->letters ? (unsigned char)*text : strtol(text, NULL, 10);
	long low = r->first < r->last ? r->first : r->last;
	long high = r->first < r->last ? r->last : r->first;
	int width = n > 1 && *text == '0' ? (int)n : 1;

	if (v < low || v > high || labs(v - r->first) % r->step)
		return false;
	return r->letters || width == r->width || ((int)n == r->width && *text != '0');
}

/* Does the bracket at p ("[...]") hold the number or letter at name? */
static bool bracket_match(const char *p, const char *name, size_t *used)
{
	size_t n = digits(name);
	struct pattern_range r;

	*used = n ? n : 1;
	if (n > PATTERN_DIGITS_MAX || (n == 0 && !isalpha((unsigned char)*name)))
		return false;
	for (p++; pattern_range_scan(&p, &r); p++) {
		if (r.letters == (n == 0) && range_holds(&r, name, n))
			return true;
		if (*p == ']')
			break;
	}
	return false;
}

/* Iterative glob: on a mismatch go back to the last star. */
bool pattern_item_match(const char *p, const char *name)
{
	const char *star = NULL, *resume = NULL;
	size_t used;

	while (*name) {
		const char *close = *p == '[' ? strchr(p, ']') : NULL;

		if (*p == '*') {
			star = p++;
			resume = name;
		} else if (close && bracket_match(p, name, &used)) {
			p = close + 1;
			name += used;
		} else if (*p && *p != '[' && (*p == '?' || *p == *name)) {
			p++;
			name++;
		} else if (star) {
			p = star + 1;
			name = ++resume;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return *p == 0;
}

typedef bool match_fn(char *item, const void *what);

static bool list_match(const char *pattern, match_fn *match, const void *what)
{
	char item[PATTERN_ITEM_MAX];
	bool in = false;

	while (pattern_next_item(&pattern, item)) {
		if (item[0] == '!')
			in = in && !match(item + 1, what);
		else
			in = in || match(item, what);
	}
	return in;
}

static bool match_name(char *item, const void *what)
{
	return pattern_item_match(item, what);
}

bool pattern_match(const char *pattern, const char *name)
{
	return list_match(pattern, match_name, name);
}

/* The last `c` outside brackets, or NULL. */
static char *last_outside(char *item, char c)
{
	char *at = NULL;
	int depth = 0;

	for (; *item; item++) {
		depth += (*item == '[') - (*item == ']' && depth);
		if (*item == c && !depth)
			at = item;
	}
	return at;
}

struct port_name { const char *node; char number[12]; };

static bool match_port(char *item, const void *what)
{
	const struct port_name *port = what;
	char *colon = last_outside(item, ':');

	if (colon)
		*colon = 0;
	return pattern_item_match(item, port->node) &&
	       (!colon || pattern_item_match(colon + 1, port->number));
}

bool pattern_match_port(const char *pattern, const char *node, int port)
{
	struct port_name what = {.node = node};

	snprintf(what.number, sizeof what.number, "%d", port);
	return list_match(pattern, match_port, &what);
}

struct link_name { const char *a, *b; };

static bool match_link(char *item, const void *what)
{
	const struct link_name *link = what;
	int depth = 0;

	for (char *p = item; *p; p++) {
		bool hit;

		depth += (*p == '[') - (*p == ']' && depth);
		if (*p != '-' || depth)
			continue;
		*p = 0;
		hit = (pattern_item_match(item, link->a) &&
		       pattern_item_match(p + 1, link->b)) ||
		      (pattern_item_match(item, link->b) && pattern_item_match(p + 1, link->a));
		*p = '-';
		if (hit)
			return true;
	}
	return false;
}

bool pattern_match_link(const char *pattern, const char *a, const char *b)
{
	struct link_name what = {a, b};

	return list_match(pattern, match_link, &what);
}

int pattern_check(const char *pattern, struct sim_error *err)
{
	char item[PATTERN_ITEM_MAX];
	const char *rest = pattern;

	while (pattern_next_item(&rest, item)) {
		if (!*item || (*item == '!' && !item[1]))
			return error_set(err, "", "empty name in the pattern \"%s\"", pattern);
		if (strlen(item) == PATTERN_ITEM_MAX - 1)
			return error_set(err, "", "a pattern of more than %d characters",
					 PATTERN_ITEM_MAX - 2);
		for (const char *p = item; *p; p++) {
			struct pattern_range r;
			bool ok;

			if (*p == ']')
				return error_set(err, "",
						 "']' without '[' in the pattern \"%s\"", item);
			if (*p != '[')
				continue;
			p++;
			while ((ok = pattern_range_scan(&p, &r)) && *p == ',')
				p++;
			if (!ok)
				return error_set(err, "",
						 "what stands in the brackets of \"%s\" "
						 "is no list of numbers; wanted something like "
						 "\"h[0-31:2]\" or \"h[0,4-7]\"",
						 item);
		}
	}
	return 0;
}
