/* observe/outfile.c - see outfile.h */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "sim/mem.h"
#include "observe/outfile.h"

static char *join(const char *dir, const char *name)
{
	size_t size = strlen(dir) + strlen(name) + 2;
	char *path = mem_zalloc(size);
	snprintf(path, size, "%s/%s", dir, name);
	return path;
}

static int open_owned(struct outfile *out, char *path, struct sim_error *err)
{
	*out = (struct outfile){ .stream = fopen(path, "w"), .path = path };
	if (out->stream)
		return 0;
	error_set(err, "", "cannot make %s: %s", path, strerror(errno));
	free(path);
	out->path = NULL;
	return -1;
}

int outfile_open(struct outfile *out, const char *dir, const char *name, struct sim_error *err)
{
	return open_owned(out, join(dir, name), err);
}

int outfile_open_path(struct outfile *out, const char *path, struct sim_error *err)
{
	return open_owned(out, mem_strdup(path), err);
}

int outfile_mkdir(const char *dir, const char *name, struct sim_error *err)
{
	char *path = join(dir, name);
	int rc = 0;

	if (mkdir(path, 0777) && errno != EEXIST)
		rc = error_set(err, "", "cannot make directory %s: %s", path, strerror(errno));
	free(path);
	return rc;
}

char *outfile_quote(const char *text)
{
	char *quoted = mem_zalloc(2 * strlen(text) + 3), *at = quoted;

	if (!strpbrk(text, ",\"\r\n"))
		return strcpy(quoted, text);
	*at++ = '"';
	for (; *text; text++) {
		if (*text == '"')
			*at++ = '"';
		*at++ = *text;
	}
	*at = '"';
	return quoted;
}

void outfile_text(struct outfile *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out->stream);
		return;
	}
	char *quoted = outfile_quote(text);
	fputs(quoted, out->stream);
	free(quoted);
}

int outfile_close(struct outfile *out, struct sim_error *err)
{
	int rc = 0;

	if (!out->stream)
		return 0;
	errno = 0;
	int failed = fflush(out->stream) | ferror(out->stream);
	int why = errno;
	if (fclose(out->stream) && !failed) {
		failed = 1;
		why = errno;
	}
	if (failed)	/* an earlier write may have failed with errno long gone */
		rc = error_set(err, "", "cannot write %s: %s", out->path,
			       strerror(why ? why : EIO));
	free(out->path);
	*out = (struct outfile){ 0 };
	return rc;
}

void outfile_abandon(struct outfile *out)
{
	if (out->stream)
		fclose(out->stream);
	free(out->path);
	*out = (struct outfile){ 0 };
}
