/* cli/rundir.c - see rundir.h */
#include "cli/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/find.h"
#include "cli/path.h"
#include "observe/outfile.h"
#include "sim/mem.h"

struct rundir {
	char *path, *partial;
	int lock;		/* PATH.partial, open and locked; -1 */
	bool force, replaced_partial;
};

/* Does it hold a summary.json of ours? */
static bool is_ours(const char *path)
{
	char *summary = path_join(path, "summary.json");
	bool ours = find_schema(summary, "xoff.summary/1\"");

	free(summary);
	return ours;
}

static int remove_below(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	return ftw->level == 0 ? 0 : remove(path);
}

/* Removes what is in a directory; links are removed, not followed. */
static int empty(const char *path)
{
	return nftw(path, remove_below, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static int check_target(const char *path, bool force, struct sim_error *err)
{
	const char *last = strrchr(path, '/');
	struct stat st;

	last = last ? last + 1 : path;
	if (!*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
		return error_set(err, "", "cannot write to %s: a run directory needs a name of "
				 "its own", path);
	if (lstat(path, &st)) {
		if (errno == ENOENT)
			return 0;
		return error_set(err, "", "cannot write to %s: %s", path, strerror(errno));
	}
	if (!S_ISDIR(st.st_mode) || !is_ours(path))
		return error_set(err, "", "%s exists and is not a run of xoff's; give -o another "
				 "name", path);
	if (!force)
		return error_set(err, "", "%s holds a run already; --force replaces it", path);
	return 0;
}

static int take_partial(struct rundir *dir, struct sim_error *err)
{
	bool made = mkdir(dir->partial, 0777) == 0;

	if (!made && errno != EEXIST)
		return error_set(err, "", "cannot make directory %s: %s", dir->partial,
				 strerror(errno));
	dir->lock = open(dir->partial, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir->lock < 0)
		return error_set(err, "", "cannot open %s: %s", dir->partial, strerror(errno));
	if (flock(dir->lock, LOCK_EX | LOCK_NB)) {
		if (errno == EWOULDBLOCK)
			return error_set(err, "", "another xoff is writing %s", dir->partial);
		/* a file system without locks: go on */
	}
	if (made)
		return 0;
	if (!is_ours(dir->partial))
		return error_set(err, "", "%s exists and is not a run of xoff's; move it away, or "
				 "give -o another name", dir->partial);
	if (empty(dir->partial))
		return error_set(err, "", "cannot empty %s: %s", dir->partial, strerror(errno));
	dir->replaced_partial = true;
	return 0;
}

/* What stands there until the run is over: no run that could be mistaken for one. */
static int write_marker(const struct rundir *dir, struct sim_error *err)
{
	struct outfile out;

	if (outfile_open(&out, dir->partial, "summary.json", err))
		return -1;
	fputs("{\"schema\": \"xoff.summary/1\", \"complete\": false, \"runs\": []}\n", out.stream);
	return outfile_close(&out, err);
}

struct rundir *rundir_open(const char *path, bool force, struct sim_error *err)
{
	struct rundir *dir = mem_zalloc(sizeof(*dir));
	size_t n;

	*dir = (struct rundir){ .path = mem_strdup(path), .lock = -1, .force = force };
	n = strlen(dir->path);
	while (n > 1 && dir->path[n - 1] == '/')
		dir->path[--n] = '\0';
	dir->partial = path_append(dir->path, ".partial");
	if (check_target(dir->path, force, err) || take_partial(dir, err)) {
		rundir_free(&dir);
		return NULL;
	}
	if (write_marker(dir, err)) {
		rundir_discard(dir);
		rundir_free(&dir);
	}
	return dir;
}

const char *rundir_path(const struct rundir *dir)
{
	return dir->path;
}

const char *rundir_partial(const struct rundir *dir)
{
	return dir->partial;
}

bool rundir_replaced_partial(const struct rundir *dir)
{
	return dir->replaced_partial;
}

/* For file systems that cannot exchange two names: at every moment PATH is
 * whole or not there. */
static int replace_in_steps(struct rundir *dir)
{
	char *old = path_append(dir->partial, ".old");
	int rc = rename(dir->path, old) || rename(dir->partial, dir->path);

	if (!rc && empty(old) == 0)
		rmdir(old);
	free(old);
	return rc;
}

static int replace(struct rundir *dir)
{
	if (renameat2(AT_FDCWD, dir->partial, AT_FDCWD, dir->path, RENAME_EXCHANGE)) {
		if (errno == ENOSYS || errno == EINVAL)
			return replace_in_steps(dir);
		return -1;
	}
	/* PATH is the new run; what was there has the other name now */
	if (empty(dir->partial) == 0)
		rmdir(dir->partial);
	return 0;
}

int rundir_commit(struct rundir *dir, struct sim_error *err)
{
	struct stat st;
	int rc;

	if (lstat(dir->path, &st) == 0 && dir->force && is_ours(dir->path)) {
		rc = replace(dir);
	} else {
		rc = renameat2(AT_FDCWD, dir->partial, AT_FDCWD, dir->path, RENAME_NOREPLACE);
		if (rc && (errno == ENOSYS || errno == EINVAL))
			rc = rename(dir->partial, dir->path);
	}
	if (rc)
		return error_set(err, "", "cannot rename %s to %s: %s", dir->partial, dir->path,
				 strerror(errno));
	return 0;
}

void rundir_discard(struct rundir *dir)
{
	if (empty(dir->partial) == 0)
		rmdir(dir->partial);
}

void rundir_free(struct rundir **dir)
{
	if (!*dir)
		return;
	if ((*dir)->lock >= 0)
		close((*dir)->lock);
	free((*dir)->path);
	free((*dir)->partial);
	free(*dir);
	*dir = NULL;
}
