/* sim/nearpath.c - see nearpath.h */
#include "sim/nearpath.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sim/error.h"
#include "sim/mem.h"

struct names { char **at; int n; };	/* of a folder, in order of bytes, NULL at the end */

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct names names_in(const char *folder)
{
	struct names list = { mem_zalloc(sizeof(char *)), 0 };
	DIR *dir = opendir(*folder ? folder : ".");
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		list.at = mem_grow(list.at, sizeof(*list.at) * (size_t)(list.n + 2));
		list.at[list.n++] = mem_strdup(d->d_name);
		list.at[list.n] = NULL;
	}
	if (dir)
		closedir(dir);
	qsort(list.at, (size_t)list.n, sizeof(*list.at), by_bytes);
	return list;
}

static void names_free(struct names *list)
{
	for (int i = 0; i < list->n; i++)
		free(list->at[i]);
	free(list->at);
}

/* The name in `folder` that `part` was meant to be, into buf; 0, or -1: none. */
static int nearest(const char *folder, const char *part, char *buf, size_t size)
{
	struct names list = names_in(folder);
	const char *near = NULL;
	char ended[NEARPATH_MAX + 8];

	snprintf(ended, sizeof ended, "%s.json", part);
	for (int i = 0; i < list.n && !near; i++)
		if (strcmp(list.at[i], ended) == 0)
			near = list.at[i];
	if (!near)
		near = error_nearest(part, (const char *const *)list.at);
	if (near)
		snprintf(buf, size, "%s", near);
	names_free(&list);
	return near ? 0 : -1;
}

/* Adds one part of the path to `found`, as it is or as it was meant. */
static int add_part(char *found, const char *part)
{
	size_t n = strlen(found), room = NEARPATH_MAX - n;

	if ((size_t)snprintf(found + n, room, "%s", part) >= room)
		return -1;
	if (access(found, F_OK) == 0)
		return 0;
	found[n] = '\0';
	return nearest(found, part, found + n, room);
}

const char *nearpath_hint(const char *path, char *buf, size_t size)
{
	char found[NEARPATH_MAX] = "", part[NEARPATH_MAX];
	int saved = errno;
	const char *p = path;
	size_t n;

	*buf = '\0';
	if (!*path || strlen(path) >= NEARPATH_MAX / 2 || strcmp(path, "-") == 0 || access(path, F_OK) == 0)
		goto out;
	while (*p) {
		if (*p == '/') {
			n = strlen(found);
			found[n] = '/';
			found[n + 1] = '\0';
			p += strspn(p, "/");
			continue;
		}
		n = strcspn(p, "/");
		snprintf(part, sizeof part, "%.*s", (int)n, p);
		if (strlen(found) + 1 >= NEARPATH_MAX || add_part(found, part))
			goto out;
		p += n;
	}
	snprintf(buf, size, "; did you mean \"%s\"?", found);
out:
	errno = saved;
	return buf;
}
