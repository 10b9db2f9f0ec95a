/* observe/names.c - see names.h */
#include <stdio.h>
#include "observe/names.h"

char *names_port(const struct fabric *f, uint32_t port, char *buf, size_t size)
{
	if (port == VIEW_NONE) {
		buf[0] = '\0';
		return buf;
	}
	struct view_port p = view_port(f, port);
	snprintf(buf, size, "%s:%d", view_node_name(f, p.node), p.number);
	return buf;
}

char *names_queue(const struct fabric *f, uint32_t port, int prio, char *buf, size_t size)
{
	struct view_port p = view_port(f, port);
	snprintf(buf, size, "%s:%d/%d", view_node_name(f, p.node), p.number, prio);
	return buf;
}

/* Glob of `len` bytes against the whole name; backtracks to the last star only. */
static bool match_one(const char *glob, size_t len, const char *name)
{
	size_t g = 0, star = 0;
	const char *retry = NULL;

	while (*name) {
		if (g < len && glob[g] == '*') {
			star = ++g;
			retry = name;
		} else if (g < len && (glob[g] == '?' || glob[g] == *name)) {
			g++;
			name++;
		} else if (retry) {
			g = star;
			name = ++retry;
		} else {
			return false;
		}
	}
	while (g < len && glob[g] == '*')
		g++;
	return g == len;
}

bool names_match(const char *globs, const char *name)
{
	for (const char *at = globs;;) {
		while (*at == ' ')
			at++;
		size_t len = 0;
		while (at[len] && at[len] != ',')
			len++;
		size_t used = len;
		while (used && at[used - 1] == ' ')
			used--;
		if (match_one(at, used, name))
			return true;
		if (!at[len])
			return false;
		at += len + 1;
	}
}
