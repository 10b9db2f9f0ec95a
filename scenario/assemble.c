/*
 * scenario/assemble.c - includes, variants and topology files.
 */
#include "scenario/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/jsonc.h"
#include "scenario/merge.h"
#include "scenario/pattern.h"
#include "scenario/read.h"
#include "scenario/sets.h"
#include "sim/mem.h"

enum { INCLUDE_DEPTH = 32, POINTER_MAX = 1024 };

void assemble_close(struct assembly *a)
{
	for (int i = 0; i < a->nruns; i++) {
		free(a->runs[i].name);
		json_decref(a->runs[i].doc);
		origin_fini(&a->runs[i].origin);
	}
	for (int i = 0; i < a->nsources; i++)
		source_free(&a->sources[i]);
	section_list_free(&a->sections);
	free(a->sources);
	free(a->runs);
	free(a->path);
	json_decref(a->sweep);
	*a = (struct assembly){0};
}

struct source *assemble_keep(struct assembly *a, struct source *src)
{
	if (!src)
		return NULL;
	a->sources = mem_grow(a->sources, (size_t)(a->nsources + 1) * sizeof(void *));
	a->sources[a->nsources++] = src;
	return src;
}

static struct assemble_run *add_run(struct assembly *a, const char *name, json_t *doc)
{
	a->runs = mem_grow(a->runs, (size_t)(a->nruns + 1) * sizeof *a->runs);
	a->runs[a->nruns] = (struct assemble_run){.name = mem_strdup(name), .doc = doc};
	return &a->runs[a->nruns++];
}

void assemble_open_topology(json_t *doc)
{
	json_t *topology = json_object_get(doc, "topology");

	if (json_is_string(topology))
		json_object_set_new(doc, "topology", json_pack("{s:O}", "file", topology));
}

/* --------------------------------------------------------------- includes */

struct including {		/* the chain of files that include each other */
	const struct source *src;
	const struct including *by;
	int depth;
};

static int cycle(const struct including *chain, const struct source *src,
		 const struct diag_place *from, struct diag *diag)
{
	char text[600] = "";
	size_t n = 0;

	for (const struct including *c = chain; c; c = c->by) {
		if (n < sizeof text)
			n += (size_t)snprintf(text + n, sizeof text - n, ", included by %s",
				      c->src->path);
		if (c->src->ino == src->ino && c->src->dev == src->dev)
			break;
	}
	return diag_add(diag, DIAG_ERROR, from, "cyclic include: %s%s", src->path, text);
}

static int include_file(struct assembly *a, struct assemble_run *base, const char *path,
			const struct diag_place *from, const struct including *by,
			struct diag *diag);

/* The entry of "include" at a pointer. */
static int include_one(struct assembly *a, struct assemble_run *base,
		       const struct including *me, const json_t *value, const char *pointer,
		       struct diag *diag)
{
	const struct source *src = me->src;
	struct diag_place at = {.file = src->path, .text = src->text, .length = src->length};
	const char *name = json_string_value(value);
	char *path;
	int rc;

	at.offset = jsonc_locate(src->text, src->length, pointer, JSONC_VALUE);
	if (!name || !*name)
		return diag_add(diag, DIAG_ERROR, &at,
				"include must be a path, or a list of paths");
	path = source_beside(src->path, name);
	rc = include_file(a, base, path, &at, me, diag);
	free(path);
	return rc;
}

static int include_file(struct assembly *a, struct assemble_run *base, const char *path,
			const struct diag_place *from, const struct including *by,
			struct diag *diag)
{
	struct source *src = assemble_keep(a, source_load(path, from, diag));
	struct including me = {src, by, by ? by->depth + 1 : 0};
	json_t *include;
	char pointer[40];
	int rc = 0;

	if (!src)
		return -1;
	for (const struct including *c = by; c; c = c->by) {
		if (c->src->ino == src->ino && c->src->dev == src->dev)
			return cycle(by, src, from, diag);
	}
	if (me.depth == INCLUDE_DEPTH)
		return diag_add(diag, DIAG_ERROR, from, "more than %d files include each other",
				INCLUDE_DEPTH);
	include = json_object_get(src->json, "include");
	if (include && !json_is_array(include) && !json_is_null(include))
		rc = include_one(a, base, &me, include, "/include", diag);
	for (size_t i = 0; i < json_array_size(include); i++) {
		snprintf(pointer, sizeof pointer, "/include/%zu", i);
		rc |= include_one(a, base, &me, json_array_get(include, i), pointer, diag);
	}
	merge_patch(base->doc, src->json);
	assemble_open_topology(base->doc);
	json_object_del(base->doc, "include");
	origin_add(&base->origin, src, "", "");
	return rc;
}

/* --------------------------------------------------------------- variants */

/* Layers of the base that hold part of this variant, seen from the variant. */
static void variant_origin(struct origin *to, const struct origin *base, const char *pointer)
{
	size_t n = strlen(pointer);
	char from[POINTER_MAX];

	origin_copy(to, base);
	for (int i = 0; i < base->n; i++) {
		const struct origin_layer l = base->layers[i];

		if (l.to[0] == 0) {
			snprintf(from, sizeof from, "%s%s", l.from, pointer);
			origin_add(to, l.src, from, "");
		} else if (strncmp(l.to, pointer, n) == 0 && (l.to[n] == 0 || l.to[n] == '/')) {
			origin_add(to, l.src, l.from, l.to + n)->key = mem_strdup(l.key);
		}
	}
}

static int check_variant(const struct read *at, const char *name)
{
	static const char *const never[] = {"variants", "sweep",  "include",
					    "name",	"schema", NULL};
	struct sim_error err = {0};
	struct read part;
	int rc = 0;

	if (pattern_name_check(name, &err))
		return read_fail(at, JSONC_KEY, "%s", err.text);
	if (strcmp(name, "base") == 0 || name[0] == '.')
		return read_fail(at, JSONC_KEY, "a variant cannot be named \"%s\"", name);
	if (read_object(at))
		return -1;
	for (int i = 0; never[i]; i++) {
		if (read_child(at, never[i], &part))
			rc = read_fail(&part, JSONC_KEY, "a variant cannot change \"%s\"",
				       never[i]);
	}
	return rc;
}

static int add_variant(struct assembly *a, const struct read *at, const char *name,
		       const struct sets *sets, struct diag *diag)
{
	struct assemble_run *run;
	json_t *doc;
	int rc = check_variant(at, name);

	if (rc)
		return rc;
	doc = json_deep_copy(a->runs[0].doc);
	json_object_del(doc, "expect");		/* its own, or none */
	merge_patch(doc, at->json);
	assemble_open_topology(doc);
	run = add_run(a, name, doc);
	variant_origin(&run->origin, &a->runs[0].origin, at->pointer);
	for (int i = 0; i < sets->n; i++) {
		if (!sets_base_only(&sets->v[i]) && merge_reaches(doc, sets->v[i].path))
			rc |= sets_apply(&sets->v[i], run, diag);
	}
	return rc;
}

static int add_variants(struct assembly *a, const struct sets *sets, struct diag *diag)
{
	struct read_ctx ctx = {&a->runs[0].origin, a->sections, diag, NULL, false};
	struct read root = read_root(&ctx, a->runs[0].doc), all, one;
	json_t *variants = json_object_get(root.json, "variants"), *value;
	const char *name;
	int rc = 0;

	if (!read_child(&root, "variants", &all))
		return 0;
	if (read_object(&all))
		return -1;
	json_incref(variants);			/* outlives its key */
	json_object_del(root.json, "variants");
	json_object_foreach(variants, name, value) {
		/* the runs move when one is added; the base's origin with them */
		struct origin origin = a->runs[0].origin;

		ctx.origin = &origin;
		rc |= read_entry(&all, name, "variant", &one)
			? add_variant(a, &one, name, sets, diag) : -1;
	}
	json_decref(variants);
	return rc;
}

/* --------------------------------------------------------- topology files */

static struct source *topology_source(struct assembly *a, const char *path,
				      const struct diag_place *from, struct diag *diag)
{
	for (int i = 0; i < a->nsources; i++) {
		if (a->sources[i]->text && strcmp(a->sources[i]->path, path) == 0)
			return a->sources[i];
	}
	return assemble_keep(a, source_load(path, from, diag));
}

/* The file goes under the rest of `topology`, as the lowest layer. */
static int add_topology(struct assembly *a, struct assemble_run *run, struct diag *diag)
{
	json_t *topology = json_object_get(run->doc, "topology"), *merged;
	json_t *file = json_object_get(topology, "file");
	struct diag_place at = {.run = run == a->runs ? NULL : run->name};
	struct origin origin = {0};
	struct source *src;

	if (!json_is_string(file))
		return 0;		/* a wrong type is found by the loader */
	if (!origin_exact(&run->origin, "/topology/file", JSONC_VALUE, &at) &&
	    !origin_exact(&run->origin, "/topology", JSONC_VALUE, &at))
		at.file = NULL;
	src = topology_source(a, json_string_value(file), &at, diag);
	if (!src)
		return -1;
	if (json_object_get(src->json, "file"))
		return diag_add(diag, DIAG_ERROR, &at, "\"%s\" refers to a file itself",
				src->path);
	merged = json_deep_copy(src->json);
	json_object_del(topology, "file");
	merge_patch(merged, topology);
	json_object_set_new(run->doc, "topology", merged);
	origin_add(&origin, src, "", "/topology");
	origin_copy(&origin, &run->origin);
	origin_fini(&run->origin);
	run->origin = origin;
	return 0;
}

/* -------------------------------------------------------------------- all */

static void add_until(struct assemble_run *run, const char *until)
{
	json_t *conf = json_object_get(run->doc, "run");

	if (!conf)
		json_object_set_new(run->doc, "run", conf = json_object());
	if (json_is_object(conf) && !json_object_get(conf, "until"))
		json_object_set_new(conf, "until", json_string(until));
}

int assemble_open(struct assembly *a, const char *path, const struct scenario_options *opt,
		  struct diag *diag)
{
	struct assemble_run *base = add_run(a, "base", json_object());
	struct sets sets = {0};
	json_t *sweep;
	int rc;

	a->sections = section_list_new();
	a->path = mem_strdup(path);
	rc = sets_parse(&sets, a, opt, diag);
	rc |= include_file(a, base, path, NULL, NULL, diag);
	for (int i = 0; i < sets.n && rc == 0; i++)
		rc = sets_apply(&sets.v[i], base, diag);
	if (rc == 0) {
		int n = sets.n;

		sweep = json_incref(json_object_get(base->doc, "sweep"));
		json_object_del(base->doc, "sweep");
		a->sweep = sweep;
		if (opt && opt->point)
			sets_point(&sets, base, sweep, opt->point);
		for (int i = n; i < sets.n; i++)
			rc |= sets_apply(&sets.v[i], base, diag);
		rc |= add_variants(a, &sets, diag);
		rc |= sets_leave_nulls(&sets, a, diag);
		for (int i = 0; i < a->nruns; i++)
			rc |= add_topology(a, &a->runs[i], diag);
		for (int i = 0; opt && opt->until && i < a->nruns; i++)
			add_until(&a->runs[i], opt->until);
	}
	sets_fini(&sets);
	return rc;
}
