/* cli/path.c - see path.h */
#include "cli/path.h"

#include <stdio.h>
#include <string.h>
#include "sim/mem.h"

static char *concat(const char *a, const char *b, const char *c)
{
	size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
	char *text = mem_zalloc(size);

	snprintf(text, size, "%s%s%s", a, b, c);
	return text;
}

char *path_join(const char *dir, const char *name)
{
	size_t n = strlen(dir);

	return concat(dir, n && dir[n - 1] == '/' ? "" : "/", name);
}

char *path_append(const char *path, const char *suffix)
{
	return concat(path, "", suffix);
}
