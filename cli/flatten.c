#include "cli/flatten.h"

#include <jansson.h>
#include <stdio.h>

struct walk { void (*each)(void *, const char *, double); void *ctx; };

static void walk_value(const struct walk *w, const char *path, json_t *value)
{
	const char *key;
	json_t *inner;

	if (json_is_number(value)) {
		w->each(w->ctx, path, json_number_value(value));
	} else if (json_is_boolean(value)) {
		w->each(w->ctx, path, json_is_true(value) ? 1 : 0);
	} else if (json_is_object(value)) {
		json_object_foreach(value, key, inner) {
			char deeper[512];
			snprintf(deeper, sizeof deeper, "%s%s%s", path, *path ? "." : "", key);
			walk_value(w, deeper, inner);
		}
	}
}

int flatten_json(const char *json, size_t length, void (*each)(void *, const char *, double), void *ctx)
{
	json_t *root = json_loadb(json, length, 0, NULL);
	struct walk w = { each, ctx };

	if (!root)
		return -1;
	walk_value(&w, "", root);
	json_decref(root);
	return 0;
}
