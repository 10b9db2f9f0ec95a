/* cli/glossary.c - see glossary.h */
#include "cli/glossary.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "sim/error.h"
#include "sim/mem.h"

enum { COLUMNS = 92 };

static bool matches(const struct glossary_entry *e, const char *key)
{
	size_t n = strlen(key), m = strlen(e->key);

	if (strcmp(e->key, key) == 0 || strcmp(e->file, key) == 0)
		return true;
	if (m > n && e->key[n] == '.' && strncmp(e->key, key, n) == 0)
		return true;
	return m > n && e->key[m - n - 1] == '.' && strcmp(e->key + m - n, key) == 0;
}

static int count(void)
{
	int n = 0;

	while (glossary_table[n].file)
		n++;
	return n;
}

/* The nearest file, key, or last part of a key. */
static const char *find_nearest(const char *key)
{
	int n = count(), k = 0;
	const char **names = mem_zalloc(sizeof(*names) * (size_t)(3 * n + 1));
	const char *nearest;

	for (int i = 0; i < n; i++) {
		const char *dot = strrchr(glossary_table[i].key, '.');

		names[k++] = glossary_table[i].key;
		names[k++] = glossary_table[i].file;
		if (dot)
			names[k++] = dot + 1;
	}
	nearest = error_nearest(key, names);
	free(names);
	return nearest;
}

static int print(const char *file, const char *key, FILE *out)
{
	int n = 0;

	for (const struct glossary_entry *e = glossary_table; e->file; e++)
		if ((!file || strcmp(file, e->file) == 0) && matches(e, key)) {
			fprintf(out, "%s: %s\n    %s\n", e->file, e->key, e->doc);
			n++;
		}
	return n;
}

/* Whether `path` is the key, of which parts in capitals stand for any name. */
static bool fits(const char *key, const char *path)
{
	while (*key && *path) {
		size_t n = strcspn(key, "."), m = strcspn(path, ".");
		bool any = strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ/") == n;

		if (!any && (n != m || strncmp(key, path, n) != 0))
			return false;
		key += n + (key[n] == '.');
		path += m + (path[m] == '.');
	}
	return !*key && !*path;
}

static int print_fitting(const char *path, FILE *out)
{
	int n = 0;

	for (const struct glossary_entry *e = glossary_table; e->file; e++)
		if (strcmp("summary.json", e->file) == 0 && fits(e->key, path)) {
			fprintf(out, "%s: %s\n    %s\n", e->file, e->key, e->doc);
			n++;
		}
	return n;
}

int glossary_explain_path(const char *path, FILE *out)
{
	char *copy = mem_strdup(path);
	char *last = strrchr(copy, '.');
	int n = last ? print_fitting(path, out) : 0, of;

	/* a percentile says little without what it is of */
	if (last && !n && (n = print("summary.json", last + 1, out)) > 0) {
		*last = '\0';
		of = print_fitting(copy, out);
		last = strrchr(copy, '.');
		n += of ? of : print("summary.json", last ? last + 1 : copy, out);
	}
	free(copy);
	return n;
}

int glossary_explain(const char *key, FILE *out, const char **nearest)
{
	int n = print(NULL, key, out);

	if (!n)
		*nearest = find_nearest(key);
	return n;
}

void glossary_all(FILE *out)
{
	const char *file = "";
	size_t column = 0;

	for (const struct glossary_entry *e = glossary_table; e->file; e++) {
		if (strcmp(e->file, file)) {
			fprintf(out, "%s%s", *file ? "\n" : "", e->file);
			column = COLUMNS;
		}
		if (column + strlen(e->key) + 1 > COLUMNS) {
			fputs("\n   ", out);
			column = 3;
		}
		fprintf(out, " %s", e->key);
		column += strlen(e->key) + 1;
		file = e->file;
	}
	fputc('\n', out);
}
