/*
 * scenario/run.c - classes, and what the loaders of a run share.
 */
#include "scenario/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/host/workload_cdf.h"
#include "scenario/device.h"
#include "scenario/expand.h"
#include "scenario/faults.h"
#include "scenario/pattern.h"
#include "scenario/recording.h"
#include "scenario/remapconf.h"
#include "scenario/routes.h"
#include "scenario/traffic.h"
#include "sim/mem.h"

void run_fini(struct run *run)
{
	for (int i = 0; i < run->nclasses; i++)
		free(run->classes[i].name);
	for (int i = 0; i < run->ncc_confs; i++)
		free(run->cc_confs[i]);
	for (int i = 0; i < run->ntraffic; i++) {
		free(run->traffic[i].name);
		free(run->traffic[i].from);
		free(run->traffic[i].to);
		workload_cdf_fini(&run->traffic[i].cdf);
		free(run->traffic[i].list);
	}
	for (int i = 0; i < run->nroutes; i++) {
		free(run->routes[i].name);
		free(run->routes[i].via);
	}
	for (int i = 0; i < run->nfaults; i++)
		free(run->faults[i].name);
	recording_free(run->series, run->nseries);
	for (int i = 0; i < run->nport_lists; i++)
		free(run->port_lists[i]);
	free(run->port_lists);
	remapconf_fini(run);
	free(run->switches);
	free(run->nics);
	free(run->cc_confs);
	free(run->traffic);
	free(run->routes);
	free(run->faults);
	topology_fini(&run->topo);
	*run = (struct run){0};
}

/* ------------------------------------------------------------------ shared */

const char *run_key(const struct read *at, char *buf, size_t size)
{
	const char *slash = strrchr(at->pointer, '/');

	buf[0] = 0;
	if (slash)
		jsonc_pointer_next(&slash, buf, size);
	return buf;
}

int run_class(const struct run *run, const struct read *at)
{
	const char *names[FABRIC_CLASSES + 1] = {0}, *text = read_text(at), *near;
	char list[400] = "";
	size_t n = 0;

	if (!text)
		return -1;
	for (int i = 0; i < run->nclasses; i++) {
		if (strcmp(run->classes[i].name, text) == 0)
			return i;
		names[i] = run->classes[i].name;
		if (n < sizeof list)
			n += (size_t)snprintf(list + n, sizeof list - n, " %s", names[i]);
	}
	near = error_nearest(text, names);
	if (near)
		return read_fail(at, JSONC_VALUE,
				 "there is no class \"%s\"; did you mean \"%s\"?", text, near);
	return read_fail(at, JSONC_VALUE, "there is no class \"%s\"; classes:%s", text, list);
}

const char *run_node(const struct run *run, const struct read *at, const char *key)
{
	const struct topology_node *node;
	const char *text;
	struct read value;
	char own[64];

	if (!read_child(at, key, &value)) {
		read_fail(at, JSONC_KEY, "%s needs \"%s\"", run_key(at, own, sizeof own), key);
		return NULL;
	}
	text = read_text(&value);
	if (!text)
		return NULL;
	node = topology_node(&run->topo, text);
	if (!node)
		topology_unknown(&run->topo, &value, text);
	return node ? node->name : NULL;
}

int run_pick(const struct read *at, const char **names, int nnames, struct run_names *out)
{
	struct expand_list list = {0};
	struct sim_error err = {0};
	struct read item;
	int rc = 0;

	for (size_t i = 0; i < read_count(at) && rc == 0; i++) {
		const char *text = read_item(at, i, &item) ? read_text(&item) : NULL;

		rc = -1;
		if (text && (rc = expand_names(text, names, nnames, &list, &err)))
			read_fail(&item, JSONC_VALUE, "%s", err.text);
	}
	if (rc == 0 && list.n == 0)
		rc = read_fail(at, JSONC_VALUE, "this picks nothing");
	out->n = rc ? 0 : list.n;
	out->names = mem_zalloc((size_t)out->n * sizeof *out->names + 1);
	for (int i = 0; i < out->n; i++)
		out->names[i] = (char *)(uintptr_t)names[list.index[i]];
	expand_list_free(&list);
	return rc;
}

/* ----------------------------------------------------------------- classes */

static int by_name(const void *a, const void *b)
{
	return pattern_natural(((const struct class_conf *)a)->name,
			       ((const struct class_conf *)b)->name);
}

/* Says what is wrong with two classes, at `key` of the one that was written later. */
static int pair_fail(const struct read *all, const struct class_conf *a,
		     const struct class_conf *b, const char *key, const char *fmt, int64_t value)
{
	struct read one = *all, at;
	const char *name, *later = a->name;
	json_t *class_;

	json_object_foreach(all->json, name, class_) {
		if (strcmp(name, a->name) == 0 || strcmp(name, b->name) == 0)
			later = name;
	}
	if (read_child(all, later, &one) && read_child(&one, key, &at))
		return read_fail(&at, JSONC_VALUE, fmt, a->name, b->name, (long long)value);
	return read_fail(&one, JSONC_KEY, fmt, a->name, b->name, (long long)value);
}

/* What switches could not tell apart, or treat both ways. */
static int check_pair(const struct read *at, const struct class_conf *a,
		      const struct class_conf *b)
{
	if (a->dscp == b->dscp)
		return pair_fail(at, a, b, "dscp",
				 "classes \"%s\" and \"%s\" have the same DSCP, %lld, "
				 "so no switch can tell them apart", a->dscp);
	if (a->priority == b->priority && a->lossless != b->lossless)
		return pair_fail(at, a, b, "priority",
				 "classes \"%s\" and \"%s\" share priority %lld, but "
				 "only one is lossless", a->priority);
	if (a->tc == b->tc && a->strict != b->strict)
		return pair_fail(at, a, b, "tc",
				 "classes \"%s\" and \"%s\" share queue %lld, but only "
				 "one is strict", a->tc);
	if (a->tc == b->tc && a->priority != b->priority)
		return pair_fail(at, a, b, "tc",
				 "classes \"%s\" and \"%s\" share queue %lld, but not "
				 "the priority that pauses it", a->tc);
	return 0;
}

static int read_class(const struct read *at, const char *name, struct run *run)
{
	struct class_conf *c = &run->classes[run->nclasses];
	struct sim_error err = {0};

	if (pattern_name_check(name, &err))
		return read_fail(at, JSONC_KEY, "%s", err.text);
	param_defaults(class_params, c);
	c->name = mem_strdup(name);
	run->nclasses++;
	if (read_keys(at, "classes.CLASS") || read_table(at, class_params, NULL, c))
		return -1;
	return read_required(at, NULL, class_params);
}

/* What an experiment has that names no classes: those of the manual. */
static void default_classes(struct run *run)
{
	static const struct class_conf classes[] = {
		{.name = (char *)"cnp", .dscp = 48, .tc = 6, .priority = 6, .strict = true,
		 .weight = 1},
		{.name = (char *)"rdma", .dscp = 3, .tc = 3, .priority = 3, .lossless = true,
		 .weight = 50},
		{.name = (char *)"rest", .dscp = 0, .tc = 0, .priority = 0, .weight = 50}};

	for (; run->nclasses < 3; run->nclasses++) {
		run->classes[run->nclasses] = classes[run->nclasses];
		run->classes[run->nclasses].name = mem_strdup(classes[run->nclasses].name);
	}
}

static int load_classes(const struct read *experiment, struct run *run)
{
	struct read at, one;
	const char *name;
	json_t *value;
	int rc = 0;

	if (!read_child(experiment, "classes", &at)) {
		default_classes(run);
		return 0;
	}
	if (read_object(&at))
		return -1;
	json_object_foreach(at.json, name, value) {
		if (!read_entry(&at, name, "class", &one)) {
			rc = -1;
			continue;
		}
		if (run->nclasses == FABRIC_CLASSES)
			return read_fail(&one, JSONC_KEY, "more than %d classes",
					 FABRIC_CLASSES);
		rc |= read_class(&one, name, run);
	}
	if (run->nclasses == 0 && rc == 0)
		return read_fail(&at, JSONC_KEY, "there must be at least one class");
	qsort(run->classes, (size_t)run->nclasses, sizeof *run->classes, by_name);
	for (int i = 0; i < run->nclasses && rc == 0; i++) {
		for (int j = i + 1; j < run->nclasses && rc == 0; j++)
			rc = check_pair(&at, &run->classes[i], &run->classes[j]);
	}
	return rc;
}

static int load_conf(const struct read *experiment, struct run *run)
{
	struct read at;

	param_defaults(run_params, &run->conf);
	if (!read_child(experiment, "run", &at))
		return read_required(experiment, NULL, run_params);
	if (read_keys(&at, "run") | read_table(&at, run_params, NULL, &run->conf))
		return -1;
	return read_required(&at, NULL, run_params);
}

/* Classes and nodes first: the rest refers to them. */
int run_load(const struct read *experiment, struct run *run)
{
	int rc = read_keys(experiment, "");

	rc |= load_conf(experiment, run);
	if (load_classes(experiment, run) | topology_load(experiment, &run->topo))
		return -1;
	rc |= device_load(experiment, run);
	rc |= traffic_load(experiment, run);
	rc |= routes_load(experiment, run);
	rc |= faults_load(experiment, run);
	rc |= recording_load(experiment, &run->topo, &run->series, &run->nseries);
	rc |= recording_sizes(experiment, run->sizes_bytes, &run->nsizes);
	return rc;
}
