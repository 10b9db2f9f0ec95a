/*
 * scenario/lookup.c - matches a dotted key against the ends of all paths.
 */
#include "scenario/lookup.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/mem.h"

enum { PARTS_MAX = 16, PATH_MAX_BYTES = 256 };

struct parts { char buf[PATH_MAX_BYTES]; char *v[PARTS_MAX]; int n; };

static void split(const char *path, struct parts *p)
{
	char *rest = p->buf, *part;

	snprintf(p->buf, sizeof p->buf, "%s", path);
	for (p->n = 0; p->n < PARTS_MAX && (part = strsep(&rest, ".")); p->n++)
		p->v[p->n] = part;
}

/* Does the path end in the key?  A part in capitals stands for any, but for
 * the last: that one must be meant. */
static bool ends_in(const char *path, const struct parts *key)
{
	struct parts p;

	split(path, &p);
	if (key->n > p.n)
		return false;
	for (int i = 1; i <= key->n; i++) {
		const char *have = p.v[p.n - i], *want = key->v[key->n - i];

		if (strcmp(have, want) != 0 && (i == 1 || !isupper((unsigned char)*have)))
			return false;
	}
	return true;
}

/* "switches.spine*.ecn" is explained by "switch.ecn". */
static void follow_same_as(const struct section_list *list, const char *key, char *out,
			   size_t size)
{
	struct parts p;
	const char *rest;

	snprintf(out, size, "%s", key);
	split(key, &p);
	for (int i = 0; i < list->n && p.n > 2; i++) {
		const struct section *s = &list->v[i];
		size_t n = strlen(p.v[0]);

		if (!s->same_as || strncmp(s->path, p.v[0], n) != 0 || s->path[n] != '.')
			continue;
		rest = key + strlen(p.v[0]) + 1 + strlen(p.v[1]);
		snprintf(out, size, "%s%s", s->same_as, rest);
	}
}

/* "bytes, default 1MiB, 0B to 1000GB" */
static void facts(const struct param *row, FILE *out)
{
	fputs(param_type_name(row->type), out);
	if (row->type == PARAM_ENUM) {
		for (int i = 0; row->names[i]; i++)
			fprintf(out, "%s%s", i ? " | " : ": ", row->names[i]);
	}
	if (row->def)
		fprintf(out, ", default %s", row->def);
	else if (row->type != PARAM_TEXT)
		fputs(", must be given", out);
	if (row->min && row->max)
		fprintf(out, ", %s to %s", row->min, row->max);
	else if (row->min)
		fprintf(out, ", at least %s", row->min);
	else if (row->max)
		fprintf(out, ", at most %s", row->max);
	if (row->word && (!row->def || strcmp(row->def, row->word) != 0))
		fprintf(out, ", or \"%s\"", row->word);
}

static void print_row(const struct section *s, const struct param *row, FILE *out)
{
	fprintf(out, "%s.%s  (", s->path, row->key);
	facts(row, out);
	fprintf(out, ")\n    %s\n", row->doc);
}

/* "(one of: paper, connectx)" */
static void print_names(const struct section *s, FILE *out)
{
	for (int i = 0; s->names && s->names[i]; i++)
		fprintf(out, "%s%s", i ? ", " : s->kind == SECTION_ANY ? " (names: " : " (one of: ",
			s->names[i]);
	fputs(s->names ? ")\n" : "\n", out);
}

static void print_section(const struct section_list *list, const struct section *s, FILE *out)
{
	const struct section *body = s->same_as ? section_find(list, s->same_as) : s;

	fprintf(out, "%s\n    %s", s->path, s->doc);
	print_names(s, out);
	for (const struct param *row = body->table; row && row->key; row++) {
		if (!section_has_row(body, row))
			continue;
		fprintf(out, "    %-16s %s (", row->key, row->doc);
		facts(row, out);
		fputs(")\n", out);
	}
	for (int i = 0; i < list->n; i++) {
		const char *part = section_below(body->path, list->v[i].path);

		if (!part)
			continue;
		fprintf(out, "    %-16s %s", part, list->v[i].doc);
		print_names(&list->v[i], out);
	}
}

static const char *suggest(const struct section_list *list, const char *last)
{
	const char **names = mem_zalloc(1000 * sizeof *names), *near;
	int n = 0;

	for (int i = 0; i < list->n && n < 990; i++) {
		const char *dot = strrchr(list->v[i].path, '.');

		names[n++] = dot ? dot + 1 : list->v[i].path;
		for (const struct param *row = list->v[i].table; row && row->key && n < 990;
		     row++)
			names[n++] = row->key;
	}
	near = error_nearest(last, names);
	free(names);
	return near;
}

int lookup_print(const struct section_list *list, const char *key, FILE *out,
		 const char **nearest)
{
	char path[PATH_MAX_BYTES], full[PATH_MAX_BYTES];
	struct parts parts;
	int found = 0;

	follow_same_as(list, key, path, sizeof path);
	split(path, &parts);
	for (int i = 0; i < list->n && parts.n; i++) {
		const struct section *s = &list->v[i];

		if (s->path[0] && ends_in(s->path, &parts)) {
			print_section(list, s, out);
			found++;
		}
		for (const struct param *row = s->table; row && row->key; row++) {
			snprintf(full, sizeof full, "%s.%s", s->path, row->key);
			if (!section_has_row(s, row) || !ends_in(full, &parts))
				continue;
			print_row(s, row, out);
			found++;
		}
	}
	if (nearest)
		*nearest = found || !parts.n ? NULL : suggest(list, parts.v[parts.n - 1]);
	return found;
}

void lookup_all(const struct section_list *list, FILE *out)
{
	for (int i = 0; i < list->n; i++) {
		const struct section *s = &list->v[i];

		if (s->path[0] && (s->kind == SECTION_OBJECT || s->kind == SECTION_MAP))
			fprintf(out, "%-34s %s\n", s->path, s->doc);
	}
}
