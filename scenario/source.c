/*
 * scenario/source.c - reads a file within bounds and parses it.
 */
#include "scenario/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scenario/jsonc.h"
#include "sim/mem.h"
#include "sim/nearpath.h"

void source_free(struct source **src)
{
	if (!*src)
		return;
	free((*src)->path);
	free((*src)->text);
	json_decref((*src)->json);
	free(*src);
	*src = NULL;
}

char *source_beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash && name[0] != '/' ? (size_t)(slash - path) + 1 : 0;
	char *out = mem_zalloc(n + strlen(name) + 1);

	memcpy(out, path, n);
	memcpy(out + n, name, strlen(name));
	return out;
}

/* Everything behind fd; -1: errno, or EFBIG. */
static int read_all(int fd, size_t max, struct source *src)
{
	size_t room = 65536;
	ssize_t n;

	src->text = mem_grow(NULL, room + 1);
	while ((n = read(fd, src->text + src->length, room - src->length)) > 0) {
		src->length += (size_t)n;
		if (src->length > max) {
			errno = EFBIG;
			return -1;
		}
		if (src->length == room) {
			room *= 2;
			src->text = mem_grow(src->text, room + 1);
		}
	}
	src->text[src->length] = 0;
	return n < 0 ? -1 : 0;
}

/* `regular`: nothing but a file of the file system will do (it is read once a run). */
static int read_file(struct source *src, size_t max, bool regular)
{
	int fd = strcmp(src->path, "-") == 0 && !regular ? STDIN_FILENO
		: open(src->path, O_RDONLY | O_CLOEXEC | (regular ? O_NONBLOCK : 0));
	struct stat st;
	int rc = -1, saved;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0) {
		src->dev = st.st_dev;
		src->ino = st.st_ino;
		if (S_ISREG(st.st_mode) && st.st_size > (off_t)max)
			errno = EFBIG;
		else if (regular && !S_ISREG(st.st_mode))
			errno = S_ISDIR(st.st_mode) ? EISDIR : ESPIPE;
		else
			rc = read_all(fd, max, src);
	}
	saved = errno;
	if (fd != STDIN_FILENO)
		close(fd);
	errno = saved;
	return rc;
}

static int unreadable(const char *path, size_t max, const struct diag_place *from,
		      struct diag *diag)
{
	struct diag_place here = {.file = path};
	char hint[NEARPATH_MAX], large[80];
	const char *why = errno == EFBIG ? large
		: errno == ESPIPE ? "no regular file; it is read once for each run" : strerror(errno);

	snprintf(large, sizeof large, "larger than %zu MiB%s", max >> 20,
		 max == SOURCE_BYTES_MAX ? ", which no experiment is" : "");
	nearpath_hint(path, hint, sizeof hint);
	if (errno == EISDIR) {
		char *run = mem_printf("%s/resolved.json", path);

		if (access(run, F_OK) == 0)
			snprintf(hint, sizeof hint, "; the experiment of that run is %.900s", run);
		free(run);
	}
	if (from)
		return diag_add(diag, DIAG_ERROR, from, "cannot read \"%s\": %s%s", path, why, hint);
	return diag_add(diag, DIAG_ERROR, &here, "cannot read: %s%s", why, hint);
}

char *source_bytes(const char *path, size_t max, const struct diag_place *from, struct diag *diag,
		   size_t *length)
{
	struct source src = {.path = (char *)(uintptr_t)path};

	if (read_file(&src, max, true)) {
		unreadable(path, max, from, diag);
		free(src.text);
		return NULL;
	}
	*length = src.length;
	return src.text;
}

/* {"topology": "x.json"} becomes {"topology": "DIR/x.json"}; likewise its "file". */
static void anchor_topology(json_t *experiment, const char *path)
{
	json_t *topology = json_object_get(experiment, "topology");
	json_t *file = json_is_object(topology) ? json_object_get(topology, "file") : topology;
	json_t *anchored;
	char *beside;

	if (!json_is_string(file))
		return;
	beside = source_beside(path, json_string_value(file));
	anchored = json_string(beside);
	free(beside);
	if (json_is_object(topology))
		json_object_set_new(topology, "file", anchored);
	else
		json_object_set_new(experiment, "topology", anchored);
}

/* {"file": "x.csv"} becomes {"file": "DIR/x.csv"}. */
static void anchor_file(json_t *at, const char *path)
{
	json_t *file = json_object_get(at, "file");
	char *beside;

	if (!json_is_string(file) || !*json_string_value(file))
		return;
	beside = source_beside(path, json_string_value(file));
	json_object_set_new(at, "file", json_string(beside));
	free(beside);
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* "sweep": {"traffic.web.list.file": ["a.csv", ...]}, and whole CDFs. */
static void anchor_sweep(json_t *sweep, const char *path)
{
	const char *axis;
	json_t *values, *value;
	size_t i;

	json_object_foreach(sweep, axis, values) {
		bool file = ends_in(axis, ".list.file") || ends_in(axis, ".cdf.file");

		json_array_foreach(values, i, value) {
			char *beside = file && json_is_string(value) ? source_beside(path, json_string_value(value)) : NULL;

			if (ends_in(axis, ".cdf") || ends_in(axis, ".list"))
				anchor_file(value, path);
			if (beside)
				json_array_set_new(values, i, json_string(beside));
			free(beside);
		}
	}
}

/* All that names a file beside this one. */
static void anchor(json_t *experiment, const char *path)
{
	const char *name;
	json_t *work;

	anchor_topology(experiment, path);
	anchor_sweep(json_object_get(experiment, "sweep"), path);
	json_object_foreach(json_object_get(experiment, "traffic"), name, work) {
		anchor_file(json_object_get(work, "list"), path);
		anchor_file(json_object_get(json_object_get(work, "poisson"), "cdf"), path);
	}
}

static int parse(struct source *src, struct diag *diag)
{
	struct diag_place at = {.file = src->path, .text = src->text, .length = src->length};
	struct jsonc_error err = {0};
	const char *name;
	json_t *variant;

	if (src->length == 0)
		return diag_add(diag, DIAG_ERROR, &at, "the file is empty");
	at.offset = jsonc_locate(src->text, src->length, "", JSONC_VALUE);
	if (at.offset >= src->length || src->text[at.offset] != '{')
		return diag_add(diag, DIAG_ERROR, &at,
				"the file must hold one JSON object, { ... }");
	src->json = jsonc_parse(src->text, src->length, &err);
	at.offset = err.offset;
	if (!src->json)
		return diag_add(diag, DIAG_ERROR, &at, "%s", err.text);
	anchor(src->json, src->path);
	json_object_foreach(json_object_get(src->json, "variants"), name, variant) {
		if (json_is_object(variant))
			anchor(variant, src->path);
	}
	return 0;
}

struct source *source_load(const char *path, const struct diag_place *from, struct diag *diag)
{
	struct source *src = mem_zalloc(sizeof *src);
	int rc;

	src->path = mem_strdup(path);
	rc = read_file(src, SOURCE_BYTES_MAX, false) ? unreadable(path, SOURCE_BYTES_MAX, from, diag) : parse(src, diag);
	if (rc)
		source_free(&src);
	return src;
}

struct source *source_set(const char *label, const char *value)
{
	struct source *src = mem_zalloc(sizeof *src);
	struct jsonc_error err;

	src->path = mem_strdup(label);
	src->json = json_loads(value, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
	if (!src->json)
		src->json = jsonc_parse(value, strlen(value), &err);	/* with comments */
	if (!src->json)
		src->json = json_string(value);
	if (!src->json)			/* not UTF-8 */
		src->json = json_string("?");
	return src;
}
