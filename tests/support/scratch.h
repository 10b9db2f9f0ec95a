/*
 * tests/support/scratch.h - where a test's files go: the folder of its own that
 * tests/one.sh makes, and the temporary one when it is run by hand.
 */
#ifndef SCRATCH_H
#define SCRATCH_H
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sim/mem.h"

static inline const char *scratch_dir(void)
{
	const char *dir = getenv("XOFF_SCRATCH");

	return dir ? dir : "/tmp";
}

/* For mkstemp or mkdtemp; free() it. */
static inline char *scratch_name(const char *what)
{
	return mem_printf("%s/%s.XXXXXX", scratch_dir(), what);
}

/* A folder in it; dir_free() it. */
static inline char *dir_new(const char *what)
{
	char *dir = scratch_name(what);

	ck_assert_ptr_nonnull(mkdtemp(dir));
	return dir;
}

/* Whatever was left there. */
static inline void dir_empty(const char *dir)
{
	DIR *d = opendir(dir);

	ck_assert_ptr_nonnull(d);
	for (struct dirent *e; (e = readdir(d)) != NULL; ) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		char *path = mem_printf("%s/%s", dir, e->d_name);
		if (remove(path))
			dir_empty(path);
		remove(path);
		free(path);
	}
	closedir(d);
}

static inline void dir_free(char *dir)
{
	dir_empty(dir);
	ck_assert_int_eq(rmdir(dir), 0);
	free(dir);
}

/* For setup and teardown of tests that name files in the folder they are in. */
struct scratch { char *dir, *back; };

static inline void scratch_enter(struct scratch *s, const char *what)
{
	s->back = getcwd(NULL, 0);
	s->dir = dir_new(what);
	ck_assert_int_eq(chdir(s->dir), 0);
}

static inline void scratch_leave(struct scratch *s)
{
	ck_assert_int_eq(chdir(s->back), 0);
	dir_free(s->dir);
	free(s->back);
}

/* A file in the folder that was entered. */
static inline void scratch_put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}
#endif
