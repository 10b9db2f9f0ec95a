/*
 * scenario/sets.c - see sets.h.
 */
#include "scenario/sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/jsonc.h"
#include "scenario/merge.h"
#include "sim/mem.h"

enum { POINTER_MAX = 1024 };

static struct set *add(struct sets *sets, const char *path, size_t length, json_t *value)
{
	struct set *set;

	sets->v = mem_grow(sets->v, (size_t)(sets->n + 1) * sizeof *sets->v);
	set = &sets->v[sets->n++];
	*set = (struct set){.path = mem_zalloc(length + 1), .value = value};
	memcpy(set->path, path, length);
	return set;
}

static void add_option(struct sets *sets, struct assembly *a, const char *label,
		       const char *path, size_t length, const char *value)
{
	struct source *src = assemble_keep(a, source_set(label, value));
	struct set *set = add(sets, path, length, json_incref(src->json));

	set->src = src;
	set->from = mem_strdup("");
}

int sets_parse(struct sets *sets, struct assembly *a, const struct scenario_options *opt,
	       struct diag *diag)
{
	char label[300];
	int rc = 0;

	for (int i = 0; opt && i < opt->nsets; i++) {
		const char *equals = strchr(opt->sets[i], '=');

		snprintf(label, sizeof label, "--set %s", opt->sets[i]);
		if (!equals || equals == opt->sets[i])
			rc = diag_add(diag, DIAG_ERROR, &(struct diag_place){.file = label},
				      "wanted PATH=VALUE, such as run.seed=7");
		else
			add_option(sets, a, label, opt->sets[i], (size_t)(equals - opt->sets[i]),
				   equals + 1);
	}
	if (opt && opt->seed) {
		snprintf(label, sizeof label, "--seed %s", opt->seed);
		add_option(sets, a, label, "run.seed", strlen("run.seed"), opt->seed);
	}
	return rc;
}

/* Value number i of an axis: of a list the element, of "A..B" a whole number. */
static json_t *axis_value(const json_t *axis, int i)
{
	const char *range = json_string_value(axis);

	if (range)
		return json_integer(strtol(range, NULL, 10) + i);
	return json_incref(json_array_get(axis, (size_t)i));
}

void sets_point(struct sets *sets, const struct assemble_run *base, json_t *sweep,
		const int *point)
{
	const char *path;
	json_t *axis;
	int k = 0;

	json_object_foreach(sweep, path, axis) {
		char pointer[POINTER_MAX] = "/sweep", element[24];
		const struct origin_layer *holder;
		int choice = point[k++];
		json_t *value = axis_value(axis, choice);
		struct set *set;

		jsonc_pointer_add(pointer, sizeof pointer, path);
		holder = value ? origin_holder(&base->origin, pointer) : NULL;
		if (!holder) {
			json_decref(value);
			continue;
		}
		set = add(sets, path, strlen(path), value);
		set->src = holder->src;
		set->key = mem_printf("%s%s", holder->from, pointer + strlen(holder->to));
		snprintf(element, sizeof element, "/%d", choice);
		set->from = mem_printf("%s%s", set->key, json_is_array(axis) ? element : "");
	}
}

void sets_fini(struct sets *sets)
{
	for (int i = 0; i < sets->n; i++) {
		free(sets->v[i].path);
		free(sets->v[i].from);
		free(sets->v[i].key);
		json_decref(sets->v[i].value);
	}
	free(sets->v);
}

/* -------------------------------------------------------------- into a run */

bool sets_base_only(const struct set *set)
{
	return strncmp(set->path, "variants.", 9) == 0 || strncmp(set->path, "sweep.", 6) == 0;
}

static int put(struct assemble_run *run, const struct set *set, struct diag *diag)
{
	struct diag_place at = {
		.file = set->src->path, .text = set->src->text, .length = set->src->length};
	struct sim_error err = {0};
	char pointer[POINTER_MAX], made[POINTER_MAX];
	const char *near = merge_near(run->doc, set->path, false, made, sizeof made);
	char *meant = mem_strdup(near);	/* the document changes */
	struct origin_layer *layer;
	int rc;

	if (set->key && at.text)
		at.offset = jsonc_locate(at.text, at.length, set->key, JSONC_KEY);
	if (meant && strncmp(made, "/variants/", 10) == 0 && !strchr(made + 10, '/'))
		rc = diag_add(diag, DIAG_ERROR, &at, "there is no variant \"%s\" to change; did "
			      "you mean \"%s\"? (a new one must be whole)", made + 10, meant);
	else if (merge_set(run->doc, set->path, set->value, pointer, sizeof pointer, &err))
		rc = diag_add(diag, DIAG_ERROR, &at, "%s", err.text);
	else
		rc = 0;
	if (rc) {
		free(meant);
		return rc;
	}
	assemble_open_topology(run->doc);
	layer = origin_add(&run->origin, set->src, set->from, pointer);
	layer->key = mem_strdup(set->key);
	layer->made = meant ? mem_strdup(made) : NULL;
	layer->near = meant;
	return 0;
}

int sets_apply(struct set *set, struct assemble_run *run, struct diag *diag)
{
	json_t *old = merge_find(run->doc, set->path, NULL, 0);

	if (json_is_null(set->value) && !sets_base_only(set)) {
		if (!old || (json_is_null(old) && !set->removed))
			return 0;	/* a null of a variant, where it was removed: goes too */
		set->removed = true;
	}
	return put(run, set, diag);
}

/* What the last layer of the run was meant for: the same in all runs, so that one
 * message tells of all. */
static void name_meant(struct assemble_run *run, const char *pointer, const char *near)
{
	struct origin_layer *layer = &run->origin.layers[run->origin.n - 1];

	if (!near || layer->near)
		return;
	layer->made = mem_strdup(pointer);
	layer->near = mem_strdup(near);
}

int sets_leave_nulls(const struct sets *sets, struct assembly *a, struct diag *diag)
{
	char pointer[POINTER_MAX], *near = NULL;
	int rc = 0;

	for (int i = 0; i < sets->n; i++) {
		const struct set *set = &sets->v[i];

		if (!json_is_null(set->value) || set->removed || sets_base_only(set))
			continue;
		for (int r = 0; r < a->nruns && !near; r++)
			near = mem_strdup(merge_near(a->runs[r].doc, set->path, true, pointer,
						     sizeof pointer));
		for (int r = 0; r < a->nruns; r++) {
			if (merge_find(a->runs[r].doc, set->path, NULL, 0))
				continue;
			rc |= put(&a->runs[r], set, diag);
			if (rc == 0)
				name_meant(&a->runs[r], pointer, near);
		}
		free(near);
		near = NULL;
	}
	return rc;
}
