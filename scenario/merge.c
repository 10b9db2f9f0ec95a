/*
 * scenario/merge.c - merge patch, and dotted paths.
 */
#include "scenario/merge.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/jsonc.h"

enum { KEY_MAX = 512, NAMES_MAX = 256 };

void merge_patch(json_t *target, const json_t *patch)
{
	const char *key;
	json_t *value, *old;

	json_object_foreach((json_t *)patch, key, value) {
		old = json_object_get(target, key);
		if (json_is_null(value) && old && !json_is_null(old)) {
			json_object_del(target, key);
		} else if (json_is_object(value)) {
			if (!json_is_object(old)) {
				json_object_set_new(target, key, json_object());
				old = json_object_get(target, key);
			}
			merge_patch(old, value);
		} else {
			json_object_set_new(target, key, json_deep_copy(value));
		}
	}
}

/* The child under the first `n` bytes of path, or NULL. */
static json_t *child(json_t *at, const char *path, size_t n, char *key)
{
	char *end;
	unsigned long i;

	if (n >= KEY_MAX)
		return NULL;
	memcpy(key, path, n);
	key[n] = 0;
	if (json_is_object(at))
		return json_object_get(at, key);
	i = strtoul(key, &end, 10);
	return json_is_array(at) && n && !*end && key[0] >= '0' && key[0] <= '9'
		? json_array_get(at, i) : NULL;
}

json_t *merge_find(json_t *root, const char *path, char *pointer, size_t size)
{
	char key[KEY_MAX];
	size_t kept = 0;

	if (pointer)
		kept = strlen(pointer);
	for (size_t n = strlen(path); n > 0; n--) {
		json_t *c, *found;

		if (path[n] && path[n] != '.')
			continue;
		c = child(root, path, n, key);
		if (!c)
			continue;
		if (pointer)
			jsonc_pointer_add(pointer, size, key);
		found = path[n] ? merge_find(c, path + n + 1, pointer, size) : c;
		if (found)
			return found;
		if (pointer)
			pointer[kept] = 0;
	}
	return NULL;
}

/* Bytes of the first key of path: the longest that is there, else up to a dot. */
static size_t first_key(json_t *at, const char *path)
{
	char key[KEY_MAX];

	for (size_t n = strlen(path); n > 0; n--) {
		if ((path[n] == 0 || path[n] == '.') && child(at, path, n, key))
			return n;
	}
	return strcspn(path, ".");
}

static int put(json_t *at, const char *key, const json_t *value, struct sim_error *err)
{
	if (json_is_object(at) && json_is_null(value) && json_object_get(at, key))
		json_object_del(at, key);
	else if (json_is_object(at))
		json_object_set_new(at, key, json_deep_copy(value));
	else if (json_array_set_new(at, strtoul(key, NULL, 10), json_deep_copy(value)))
		return error_set(err, "", "there is no element %s to set", key);
	return 0;
}

int merge_set(json_t *root, const char *path, const json_t *value, char *pointer, size_t size,
	      struct sim_error *err)
{
	json_t *at = root, *next;
	char key[KEY_MAX];

	pointer[0] = 0;
	for (;;) {
		size_t n = first_key(at, path);

		if (n == 0 || n >= KEY_MAX)
			return error_set(err, "",
					 "a path is made of keys with dots between them, "
					 "such as \"run.seed\"");
		next = child(at, path, n, key);
		jsonc_pointer_add(pointer, size, key);
		if (!path[n])
			return put(at, key, value, err);
		if (json_is_object(at) && (!next || json_is_null(next))) {
			json_object_set_new(at, key, json_object());
			next = json_object_get(at, key);
		}
		if (!json_is_object(next) && !json_is_array(next))
			return error_set(err, "",
					 "\"%s\" holds a value, so there is no \"%s\" in it",
					 key, path + n + 1);
		at = next;
		path += n + 1;
	}
}

const char *merge_near(json_t *root, const char *path, bool last, char *pointer, size_t size)
{
	const char *names[NAMES_MAX + 1], *name;
	char key[KEY_MAX];
	json_t *at = root, *next, *value;
	int k = 0;

	pointer[0] = 0;
	for (;;) {
		size_t n = first_key(at, path);

		if (n == 0 || n >= KEY_MAX || (!path[n] && !last))
			return NULL;
		next = child(at, path, n, key);
		jsonc_pointer_add(pointer, size, key);
		if (!next || json_is_null(next))
			break;
		if (!path[n])
			return NULL;
		at = next;
		path += n + 1;
	}
	json_object_foreach(at, name, value) {
		if (!json_is_null(value) && k < NAMES_MAX)
			names[k++] = name;
	}
	names[k] = NULL;
	return error_nearest(key, names);
}

bool merge_reaches(json_t *root, const char *path)
{
	json_t *at = root;
	char key[KEY_MAX];

	for (;;) {
		size_t n = first_key(at, path);

		if (!path[n])
			return json_is_object(at) || json_is_array(at);
		at = child(at, path, n, key);
		if (!at)
			return false;
		path += n + 1;
	}
}
