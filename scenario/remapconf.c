/* scenario/remapconf.c - see remapconf.h. */
#include "scenario/remapconf.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/pattern.h"
#include "sim/mem.h"

/* A rule as it is written: the nodes it picks, neighbours or not. */
struct rule {
	const char *name;
	struct run_names from, to;
	int8_t class_to[FABRIC_CLASSES];
	int hits;			/* switches that it has a way through */
};

/* ------------------------------------------------------------------- reading */

static int read_side(const struct read *at, const struct run *run, const char *key, struct run_names *out)
{
	struct read side;

	if (!read_child(at, key, &side))
		return read_fail(at, JSONC_KEY, "a remap needs \"%s\", neighbours of the switch", key);
	return run_pick(&side, run->topo.names, run->topo.nnodes, out);
}

static int read_classes(const struct read *at, const struct run *run, int8_t *class_to)
{
	struct read map, one;
	const char *name;
	json_t *value;
	int rc = 0;

	memset(class_to, -1, FABRIC_CLASSES);
	if (!read_child(at, "class", &map))
		return read_fail(at, JSONC_KEY, "a remap needs \"class\", such as {\"rdma\": \"bounced\"}");
	if (read_object(&map))
		return -1;
	json_object_foreach(map.json, name, value) {
		struct read key = map;
		json_t *text = json_string(name);
		int from, to;

		(void)value;
		jsonc_pointer_add(key.pointer, sizeof key.pointer, name);
		key.json = text;
		from = run_class(run, &key);
		json_decref(text);
		to = read_entry(&map, name, "class", &one) ? run_class(run, &one) : -1;
		if (from < 0 || to < 0)
			rc = -1;
		else
			class_to[from] = (int8_t)to;
	}
	return rc;
}

static int read_rule(const struct read *at, const struct run *run, struct rule *r)
{
	int rc = read_keys(at, "switch.remap.NAME");

	if (!json_is_object(at->json))
		return -1;
	rc |= read_side(at, run, "from", &r->from);
	rc |= read_side(at, run, "to", &r->to);
	return rc | read_classes(at, run, r->class_to);
}

/* ------------------------------------------------------------------ applying */

/* Those of `picked` that are neighbours of the switch. */
static char **neighbours(const struct run *run, const char *sw, const struct run_names *picked, int *n)
{
	char **list = mem_zalloc((size_t)picked->n * sizeof *list + 1);

	*n = 0;
	for (int i = 0; i < picked->n; i++)
		if (topology_linked(&run->topo, sw, picked->names[i]))
			list[(*n)++] = picked->names[i];
	return list;
}

static void fini(struct switch_remap_conf *r)
{
	free((char *)(uintptr_t)r->name);
	free(r->from);
	free(r->to);
}

static void take_away(struct switch_conf *c, const char *name)
{
	for (int i = 0; i < c->nremaps; i++)
		if (!strcmp(c->remap[i].name, name)) {
			fini(&c->remap[i]);
			c->remap[i] = c->remap[--c->nremaps];
			return;
		}
}

static void apply(struct run *run, int node, struct rule *r)
{
	struct switch_conf *c = &run->switches[node];
	struct switch_remap_conf new = { .name = mem_strdup(r->name) };
	const char *sw = run->topo.switches[node];

	new.from = neighbours(run, sw, &r->from, &new.froms);
	new.to = neighbours(run, sw, &r->to, &new.tos);
	memcpy(new.class_to, r->class_to, sizeof new.class_to);
	take_away(c, r->name);
	if (!new.froms || !new.tos) {
		fini(&new);
		return;
	}
	r->hits++;
	c->remap = mem_grow(c->remap, (size_t)(c->nremaps + 1) * sizeof *c->remap);
	c->remap[c->nremaps++] = new;
}

/* The rules of one `switch` or entry of `switches`, for the switches of that name. */
static int load_rules(const struct read *at, struct run *run, const char *pattern)
{
	struct read all, one;
	const char *name;
	json_t *value;
	int rc = 0;

	if (!read_child(at, "remap", &all))
		return 0;
	if (read_object(&all))
		return -1;
	json_object_foreach(all.json, name, value) {
		struct rule r = { .name = name };
		struct sim_error err = { 0 };
		bool there = read_child(&all, name, &one), good;

		if (there && pattern_name_check(name, &err))
			rc = read_fail(&one, JSONC_KEY, "%s", err.text);
		good = !there || read_rule(&one, run, &r) == 0;
		for (int i = 0; good && i < run->topo.nswitches; i++) {
			if (!pattern_match(pattern, run->topo.switches[i]))
				continue;
			if (there)
				apply(run, i, &r);
			else
				take_away(&run->switches[i], name);
		}
		if (good && there && !r.hits)
			good = !read_fail(&one, JSONC_KEY, "\"%s\" changes nothing: no switch that it holds for "
					  "has neighbours of both \"from\" and \"to\"", name);
		rc |= good ? 0 : -1;
		free(r.from.names);
		free(r.to.names);
	}
	return rc;
}

/* ------------------------------------------------------------------ checking */

/* Where the rule that holds for the switch stands. */
static bool find_rule(const struct read *experiment, const char *sw, const char *name, struct read *out)
{
	struct read at, all, part;
	const char *pattern;
	json_t *value;
	bool found = read_child(experiment, "switch", &at) && read_child(&at, "remap", &part) &&
		     read_child(&part, name, out);

	if (read_child(experiment, "switches", &all))
		json_object_foreach(all.json, pattern, value)
			if (pattern_match(pattern, sw) && read_child(&all, pattern, &at) &&
			    read_child(&at, "remap", &part) && read_child(&part, name, &at)) {
				*out = at;
				found = true;
			}
	return found;
}

static const char *both(char *const *a, int na, char *const *b, int nb)
{
	for (int i = 0; i < na; i++)
		for (int k = 0; k < nb; k++)
			if (!strcmp(a[i], b[k]))
				return a[i];
	return NULL;
}

/* Two rules that give one class on one way through a switch different classes. */
static int check_pair(const struct read *experiment, const struct run *run, int node,
		      const struct switch_remap_conf *a, const struct switch_remap_conf *b)
{
	const char *from = both(a->from, a->froms, b->from, b->froms), *to = both(a->to, a->tos, b->to, b->tos);
	struct read at = *experiment;

	for (int c = 0; from && to && c < run->nclasses; c++) {
		if (a->class_to[c] < 0 || b->class_to[c] < 0 || a->class_to[c] == b->class_to[c])
			continue;
		find_rule(experiment, run->topo.switches[node], b->name, &at);
		return read_fail(&at, JSONC_KEY, "at %s, from %s to %s, class \"%s\" becomes \"%s\" by \"%s\", but \"%s\" "
				 "by \"%s\"", run->topo.switches[node], from, to, run->classes[c].name,
				 run->classes[b->class_to[c]].name, b->name, run->classes[a->class_to[c]].name, a->name);
	}
	return 0;
}

static int check_rules(const struct read *experiment, const struct run *run)
{
	for (int i = 0; i < run->topo.nswitches; i++)
		for (int k = 0; k < run->switches[i].nremaps; k++)
			for (int j = 0; j < k; j++)
				if (check_pair(experiment, run, i, &run->switches[i].remap[j],
					       &run->switches[i].remap[k]))
					return -1;
	return 0;
}

int remapconf_load(const struct read *experiment, struct run *run)
{
	struct read at, all, one;
	const char *pattern;
	json_t *value;
	int rc = 0;

	if (read_child(experiment, "switch", &at))
		rc |= load_rules(&at, run, "*");
	if (read_child(experiment, "switches", &all) && json_is_object(all.json))
		json_object_foreach(all.json, pattern, value)
			if (read_child(&all, pattern, &one) && json_is_object(one.json))
				rc |= load_rules(&one, run, pattern);
	return rc ? rc : check_rules(experiment, run);
}

void remapconf_fini(struct run *run)
{
	for (int i = 0; run->switches && i < run->topo.nswitches; i++) {
		for (int k = 0; k < run->switches[i].nremaps; k++)
			fini(&run->switches[i].remap[k]);
		free(run->switches[i].remap);
	}
}
