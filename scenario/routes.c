/*
 * scenario/routes.c - the section `routes`.
 */
#include "scenario/routes.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/pattern.h"
#include "sim/mem.h"

enum { ROUTES_MAX = 1 << 22 };

/* Is each of `via` a neighbour of `at`? */
static int check_via(const struct read *entry, const struct run *run, const char *at,
		     const struct run_names *via)
{
	struct read value;

	for (int i = 0; i < via->n; i++) {
		if (!topology_linked(&run->topo, at, via->names[i]))
			return read_child(entry, "via", &value)
				? read_fail(&value, JSONC_VALUE, "%s is no neighbour of %s",
					    via->names[i], at) : -1;
	}
	return 0;
}

static void add(struct run *run, const struct route_conf *like, const char *name, char *at,
		char *to, const struct run_names *via)
{
	struct route_conf *r;

	if ((run->nroutes & (run->nroutes - 1)) == 0)
		run->routes = mem_grow(
			run->routes, (size_t)(run->nroutes ? 2 * run->nroutes : 1) * sizeof *r);
	r = &run->routes[run->nroutes++];
	*r = *like;
	r->name = mem_strdup(name);
	r->at = at;
	r->to = to;
	r->vias = via->n;
	r->via = mem_zalloc((size_t)via->n * sizeof *r->via + 1);
	for (int i = 0; i < via->n; i++)
		r->via[i] = via->names[i];
}

struct lists { struct run_names at, to, via; };

static int read_lists(const struct read *entry, const struct run *run, const char *name,
		      struct lists *l)
{
	const struct topology *t = &run->topo;
	struct read part;
	int rc = 0;

	if (read_child(entry, "at", &part))
		rc = run_pick(&part, t->names, t->nnodes, &l->at);
	else
		rc = read_fail(entry, JSONC_KEY, "%s needs \"at\", the switches it holds for",
			       name);
	if (read_child(entry, "to", &part))
		rc |= run_pick(&part, t->hosts, t->nhosts, &l->to);
	else
		rc = read_fail(entry, JSONC_KEY, "%s needs \"to\", the hosts it leads to",
			       name);
	if (read_child(entry, "via", &part))
		rc |= run_pick(&part, t->names, t->nnodes, &l->via);
	return rc;
}

static int expand(const struct read *entry, struct run *run, const char *name,
		  const struct route_conf *like, const struct lists *l)
{
	for (int i = 0; i < l->at.n; i++) {
		if (check_via(entry, run, l->at.names[i], &l->via))
			return -1;
		for (int j = 0; j < l->to.n; j++) {
			if (run->nroutes == ROUTES_MAX)
				return read_fail(entry, JSONC_KEY,
						 "more than 4 million routes");
			add(run, like, name, l->at.names[i], l->to.names[j], &l->via);
		}
	}
	return 0;
}

static int read_route(const struct read *entry, const char *name, struct run *run)
{
	struct route_conf like = {0};
	struct sim_error err = {0};
	struct lists l = {0};
	struct read flag;
	int rc;

	if (pattern_name_check(name, &err))
		return read_fail(entry, JSONC_KEY, "%s", err.text);
	rc = read_keys(entry, "routes.NAME");
	if (!json_is_object(entry->json))
		return -1;
	if (read_child(entry, "flood", &flag))
		rc |= read_bool(&flag, &like.flood);
	if (read_child(entry, "drop", &flag))
		rc |= read_bool(&flag, &like.drop);
	rc |= read_lists(entry, run, name, &l);
	if (rc == 0 && like.flood + like.drop + (l.via.n > 0) != 1)
		rc = read_fail(entry, JSONC_KEY, "%s needs one of \"via\", \"flood\": true and "
			       "\"drop\": true", name);
	if (rc == 0)
		rc = expand(entry, run, name, &like, &l);
	free(l.at.names);
	free(l.to.names);
	free(l.via.names);
	return rc;
}

int routes_load(const struct read *experiment, struct run *run)
{
	struct read at, one;
	const char *name;
	json_t *value;
	int rc = 0;

	if (!read_child(experiment, "routes", &at))
		return 0;
	if (read_object(&at))
		return -1;
	json_object_foreach(at.json, name, value)
		rc |= read_entry(&at, name, "route", &one) ? read_route(&one, name, run) : -1;
	return rc;
}
