/* cli/find.c - see find.h */
#include "cli/find.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/path.h"
#include "sim/mem.h"
#include "sim/nearpath.h"

enum { LOOK_BYTES = 65536, DEPTH_MAX = 32 };

static const char *skip_blank(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

bool find_schema(const char *path, const char *schema)
{
	FILE *in = fopen(path, "r");
	char *text, *p;
	size_t n;
	bool found = false;

	if (!in)
		return false;
	text = mem_zalloc(LOOK_BYTES + 1);
	n = fread(text, 1, LOOK_BYTES, in);
	fclose(in);
	for (size_t i = 0; i < n; i++)		/* so that a NUL does not end the search */
		if (!text[i])
			text[i] = ' ';
	for (p = text; !found && (p = strstr(p, "\"schema\"")); ) {
		p += strlen("\"schema\"");
		const char *value = skip_blank(p);

		if (*value != ':')
			continue;
		value = skip_blank(value + 1);
		found = *value == '"' && strncmp(value + 1, schema, strlen(schema)) == 0;
	}
	free(text);
	return found;
}

static void append(struct find_list *list, const char *path)
{
	list->paths = mem_grow(list->paths, sizeof(*list->paths) * (size_t)(list->n + 1));
	list->paths[list->n++] = mem_strdup(path);
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_run_directory(const char *dir)
{
	char *path = path_join(dir, "summary.json");
	bool is = find_schema(path, "xoff.summary/");

	free(path);
	return is;
}

static int walk(struct find_list *list, const char *dir, int depth, struct sim_error *err)
{
	struct dirent **entries;
	int n, rc = 0;

	if (is_run_directory(dir))
		return 0;
	n = scandir(dir, &entries, visible, by_bytes);
	if (n < 0)
		return error_set(err, "", "cannot read %s: %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		char *path = path_join(dir, entries[i]->d_name);
		struct stat st;

		if (rc == 0 && lstat(path, &st) == 0) {
			if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
				rc = walk(list, path, depth + 1, err);
			else if (ends_in(path, ".json") && find_schema(path, "xoff.experiment/"))
				append(list, path);
		}
		free(path);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

int find_experiments(struct find_list *list, const char *path, struct sim_error *err)
{
	struct stat st;
	int before = list->n;
	char hint[NEARPATH_MAX];

	if (strcmp(path, "-") == 0) {
		append(list, path);
		return 0;
	}
	if (stat(path, &st))
		return error_set(err, "", "cannot read %s: %s%s", path, strerror(errno),
				 nearpath_hint(path, hint, sizeof hint));
	if (!S_ISDIR(st.st_mode)) {
		append(list, path);
		return 0;
	}
	if (walk(list, path, 0, err))
		return -1;
	if (list->n == before)
		return error_set(err, "", "no experiment in %s: no *.json there says "
				 "\"schema\": \"xoff.experiment/1\"", path);
	return 0;
}

void find_fini(struct find_list *list)
{
	for (int i = 0; i < list->n; i++)
		free(list->paths[i]);
	free(list->paths);
	*list = (struct find_list){ 0 };
}
