/*
 * scenario/source.c - reads a file within bounds and parses it.
 */
#include "scenario/source.h"

#include <errno.h>
#include <fcntl.h>
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
static int read_all(int fd, struct source *src)
{
	size_t room = 65536;
	ssize_t n;

	src->text = mem_grow(NULL, room + 1);
	while ((n = read(fd, src->text + src->length, room - src->length)) > 0) {
		src->length += (size_t)n;
		if (src->length > SOURCE_BYTES_MAX) {
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

static int read_file(struct source *src)
{
	int fd = strcmp(src->path, "-") == 0 ? STDIN_FILENO
					     : open(src->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int rc = -1, saved;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0) {
		src->dev = st.st_dev;
		src->ino = st.st_ino;
		if (S_ISREG(st.st_mode) && st.st_size > SOURCE_BYTES_MAX)
			errno = EFBIG;
		else
			rc = read_all(fd, src);
	}
	saved = errno;
	if (fd != STDIN_FILENO)
		close(fd);
	errno = saved;
	return rc;
}

static int unreadable(const char *path, const struct diag_place *from, struct diag *diag)
{
	struct diag_place here = {.file = path};
	const char *why = errno == EFBIG ? "larger than 64 MiB, which no experiment is"
					 : strerror(errno);
	char hint[NEARPATH_MAX];

	nearpath_hint(path, hint, sizeof hint);
	if (from)
		return diag_add(diag, DIAG_ERROR, from, "cannot read \"%s\": %s%s", path, why, hint);
	return diag_add(diag, DIAG_ERROR, &here, "cannot read: %s%s", why, hint);
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
	anchor_topology(src->json, src->path);
	json_object_foreach(json_object_get(src->json, "variants"), name, variant) {
		if (json_is_object(variant))
			anchor_topology(variant, src->path);
	}
	return 0;
}

struct source *source_load(const char *path, const struct diag_place *from, struct diag *diag)
{
	struct source *src = mem_zalloc(sizeof *src);
	int rc;

	src->path = mem_strdup(path);
	rc = read_file(src) ? unreadable(path, from, diag) : parse(src, diag);
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
