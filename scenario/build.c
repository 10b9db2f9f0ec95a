/*
 * scenario/build.c - hands a run to the fabric, and its errors to their places.
 */
#include "scenario/build.h"

#include <stdio.h>
#include <string.h>

#include "scenario/jsonc.h"
#include "scenario/pattern.h"

/* `experiment` moved to a pointer. */
static struct read at_pointer(const struct read *experiment, const char *pointer)
{
	struct read at = *experiment;

	snprintf(at.pointer, sizeof at.pointer, "%s", pointer);
	return at;
}

/* ---------------------------------------------------------------- places */

/* The last entry of `switches` that matches the switch and says something of
 * the section, else `switch`. */
static void blame_switch(const struct read *experiment, const char *name, const char *inside,
			 struct read *at)
{
	char section[64];
	struct read all, one, hit;
	const char *pattern, *rest = inside;
	json_t *value;

	*at = at_pointer(experiment, "/switch");
	if (read_child(experiment, "switches", &all) &&
	    jsonc_pointer_next(&rest, section, sizeof section)) {
		json_object_foreach(all.json, pattern, value) {
			if (pattern_match(pattern, name) && read_child(&all, pattern, &one) &&
			    read_child(&one, section, &hit))
				*at = one;
		}
	}
	if (strlen(at->pointer) + strlen(inside) < sizeof at->pointer)
		strcat(at->pointer, inside);
}

/* The name in `traffic "NAME"...`, or false. */
static bool quoted(const char *text, const char *what, char *name, size_t size)
{
	size_t n = strlen(what);
	const char *end;

	if (strncmp(text, what, n) != 0 || strncmp(text + n, " \"", 2) != 0)
		return false;
	end = strchr(text + n + 2, '"');
	snprintf(name, size, "%.*s", end ? (int)(end - text - (long)n - 2) : 0, text + n + 2);
	return end != NULL;
}

/* The fabric names the object at fault: a pointer, or a name in its sentence. */
static int blame(const struct read *experiment, const struct sim_error *err)
{
	static const char *const kinds[][2] = {
		{"traffic", "traffic"}, {"route", "routes"}, {"fault", "faults"}};
	struct read at = *experiment;
	char name[128];
	const char *colon = strchr(err->text, ':');

	if (strncmp(err->where, "/switch/", 8) == 0 && colon) {
		snprintf(name, sizeof name, "%.*s", (int)(colon - err->text), err->text);
		blame_switch(experiment, name, err->where + 7, &at);
	} else if (err->where[0] == '/') {
		at = at_pointer(experiment, err->where);
	}
	for (size_t i = 0; !err->where[0] && i < sizeof kinds / sizeof *kinds; i++) {
		if (!quoted(err->text, kinds[i][0], name, sizeof name))
			continue;
		jsonc_pointer_add(at.pointer, sizeof at.pointer, kinds[i][1]);
		jsonc_pointer_add(at.pointer, sizeof at.pointer, name);
	}
	return read_fail(&at, JSONC_KEY, "%s", err->text);
}

/* ----------------------------------------------------------------- adding */

static int add_nodes(struct fabric *f, const struct run *run, struct sim_error *err)
{
	const struct topology *t = &run->topo;

	for (int i = 0; i < t->nswitches; i++) {
		if (fabric_add_switch(f, t->switches[i], &run->switches[i], err))
			return -1;
	}
	for (int i = 0; i < t->nhosts; i++) {
		if (fabric_add_host(f, t->hosts[i], &run->nics[i], err))
			return -1;
	}
	for (int i = 0; i < t->nlinks; i++) {
		const struct topology_link *l = &t->links[i];

		if (fabric_add_link(f, l->a, l->a_port, l->b, l->b_port, &l->conf, err)) {
			snprintf(err->where, sizeof err->where, "%s", l->pointer);
			return -1;
		}
	}
	return 0;
}

static int add_work(struct fabric *f, const struct run *run, struct sim_error *err)
{
	for (int i = 0; i < run->nroutes; i++) {
		if (fabric_add_route(f, &run->routes[i], err))
			return -1;
	}
	for (int i = 0; i < run->ntraffic; i++) {
		if (fabric_add_traffic(f, &run->traffic[i], err))
			return -1;
	}
	for (int i = 0; i < run->nfaults; i++) {
		if (fabric_add_fault(f, &run->faults[i], err))
			return -1;
	}
	return 0;
}

struct warn { const struct read *experiment; const char *file; };

static void warn(void *ctx, const char *text)
{
	const struct warn *w = ctx;
	struct diag_place place = {.file = w->file, .run = w->experiment->ctx->run};

	diag_add(w->experiment->ctx->diag, DIAG_WARNING, &place, "%s", text);
}

struct fabric *build_fabric(const struct read *experiment, const struct run *run,
			    const char *file, int64_t base_until_ps)
{
	struct warn w = {experiment, file};
	struct sim_error err = {0};
	struct fabric *f = fabric_new(&run->conf, run->classes, run->nclasses);

	if (add_nodes(f, run, &err) || add_work(f, run, &err) || fabric_finish(f, &err)) {
		blame(experiment, &err);
		fabric_free(&f);
		return NULL;
	}
	fabric_warnings(f, warn, &w);
	fabric_late(f, base_until_ps, warn, &w);
	return f;
}
