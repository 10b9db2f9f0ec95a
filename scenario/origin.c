/*
 * scenario/origin.c - asks the layers of a merged document who wrote a value.
 */
#include "scenario/origin.h"

#include <stdlib.h>
#include <string.h>

#include "sim/mem.h"

enum { POINTER_MAX = 2048 };

struct origin_layer *origin_add(struct origin *o, const struct source *src, const char *from,
				const char *to)
{
	o->layers = mem_grow(o->layers, (size_t)(o->n + 1) * sizeof *o->layers);
	o->layers[o->n] = (struct origin_layer){
		.src = src, .from = mem_strdup(from), .to = mem_strdup(to)};
	return &o->layers[o->n++];
}

void origin_copy(struct origin *to, const struct origin *from)
{
	for (int i = 0; i < from->n; i++) {
		const struct origin_layer *l = &from->layers[i];
		struct origin_layer *copy = origin_add(to, l->src, l->from, l->to);

		copy->key = mem_strdup(l->key);
		copy->made = mem_strdup(l->made);
		copy->near = mem_strdup(l->near);
	}
}

void origin_fini(struct origin *o)
{
	for (int i = 0; i < o->n; i++) {
		free(o->layers[i].from);
		free(o->layers[i].to);
		free(o->layers[i].key);
		free(o->layers[i].made);
		free(o->layers[i].near);
	}
	free(o->layers);
	*o = (struct origin){0};
}

/* The value of a --set has no text; only whether it exists counts. */
static bool in_json(const json_t *json, const char *pointer)
{
	char name[512];

	while (json && jsonc_pointer_next(&pointer, name, sizeof name))
		json = json_is_array(json) ? json_array_get(json, strtoul(name, NULL, 10))
					   : json_object_get(json, name);
	return json != NULL;
}

static bool in_layer(const struct origin_layer *layer, const char *pointer, enum jsonc_at at,
		     struct diag_place *place)
{
	size_t n = strlen(layer->to), offset;
	char inner[POINTER_MAX];

	if (strncmp(pointer, layer->to, n) != 0 || (pointer[n] && pointer[n] != '/') ||
	    strlen(layer->from) + strlen(pointer + n) >= sizeof inner)
		return false;
	strcpy(inner, layer->from);
	strcat(inner, pointer + n);
	place->file = layer->src->path;
	place->text = layer->src->text;
	place->length = layer->src->length;
	if (!layer->src->text)
		return in_json(layer->src->json, inner);
	if (layer->key && at == JSONC_KEY && !pointer[n])
		strcpy(inner, layer->key);
	offset = jsonc_locate(layer->src->text, layer->src->length, inner, at);
	place->offset = offset;
	return offset != JSONC_NOWHERE;
}

bool origin_exact(const struct origin *o, const char *pointer, enum jsonc_at at,
		  struct diag_place *place)
{
	for (int i = o->n - 1; i >= 0; i--) {
		if (in_layer(&o->layers[i], pointer, at, place))
			return true;
	}
	return false;
}

const struct origin_layer *origin_holder(const struct origin *o, const char *pointer)
{
	struct diag_place place = {0};

	for (int i = o->n - 1; i >= 0; i--) {
		if (in_layer(&o->layers[i], pointer, JSONC_VALUE, &place))
			return &o->layers[i];
	}
	return NULL;
}

/* A --set, or an axis, of something below the pointer, which made it. */
static bool made_by_path(const struct origin *o, const char *pointer, struct diag_place *place)
{
	size_t n = strlen(pointer);

	for (int i = o->n - 1; i >= 0 && n; i--) {
		const struct origin_layer *l = &o->layers[i];

		if ((l->src->text && !l->key) || strncmp(l->to, pointer, n) != 0 ||
		    l->to[n] != '/')
			continue;
		place->file = l->src->path;
		place->text = l->src->text;
		place->length = l->src->length;
		if (l->key && place->text)
			place->offset = jsonc_locate(place->text, place->length, l->key,
						     JSONC_KEY);
		return true;
	}
	return false;
}

bool origin_find(const struct origin *o, const char *pointer, enum jsonc_at at,
		 struct diag_place *place)
{
	char up[POINTER_MAX], *slash;

	if (strlen(pointer) >= sizeof up)
		return false;
	strcpy(up, pointer);
	while (!origin_exact(o, up, at, place) && !made_by_path(o, up, place)) {
		slash = strrchr(up, '/');
		if (!slash)
			return false;
		*slash = 0;
		at = JSONC_KEY;
	}
	return true;
}
