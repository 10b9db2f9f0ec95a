/*
 * scenario/device.c - settings of every switch and NIC.
 *
 * A node's settings are those of `switch` (or `nic`), then of each entry of
 * `switches` (`nics`) whose pattern matches its name, in the order of the file.
 */
#include "scenario/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/nicconf.h"
#include "scenario/pattern.h"
#include "scenario/remapconf.h"
#include "scenario/swconf.h"
#include "sim/mem.h"

static int override_misses(const struct read *at, const char *pattern, const char *what,
			   const char **names, int n, const char *other, const char **others,
			   int nothers)
{
	for (int i = 0; i < nothers; i++) {
		if (pattern_match(pattern, others[i]))
			return read_fail(at, JSONC_KEY,
					 "\"%s\" matches no %s, but %s; those are "
					 "under \"%s\"",
					 pattern, what, others[i], other);
	}
	if (n == 0)
		return read_fail(at, JSONC_KEY, "\"%s\" matches nothing: there is no %s",
				 pattern, what);
	return read_fail(at, JSONC_KEY, "\"%s\" matches no %s; they are named %s .. %s",
			 pattern, what, names[0], names[n - 1]);
}

/* Calls `apply` for each node that an entry of `key` matches. */
static int each_override(const struct read *experiment, struct run *run, bool switches,
			 int (*apply)(const struct read *at, struct run *run, int node))
{
	const char **names = switches ? run->topo.switches : run->topo.hosts;
	const char **others = switches ? run->topo.hosts : run->topo.switches;
	int n = switches ? run->topo.nswitches : run->topo.nhosts;
	int nothers = switches ? run->topo.nhosts : run->topo.nswitches;
	struct read all, one;
	const char *pattern;
	json_t *value;
	int rc = 0;

	if (!read_child(experiment, switches ? "switches" : "nics", &all))
		return 0;
	if (read_object(&all))
		return -1;
	json_object_foreach(all.json, pattern, value) {
		struct read_ctx ctx = *experiment->ctx;
		struct sim_error err = {0};
		bool hit = false;

		if (!read_entry(&all, pattern, "entry", &one)) {
			rc = -1;
			continue;
		}
		if (pattern_check(pattern, &err)) {
			rc = read_fail(&one, JSONC_KEY, "%s", err.text);
			continue;
		}
		one.ctx = &ctx;
		for (int i = 0; i < n; i++) {
			if (!pattern_match(pattern, names[i]))
				continue;
			hit = true;
			rc |= apply(&one, run, i);
			ctx.quiet = true;	/* what is wrong has been said */
		}
		if (!hit)
			rc = override_misses(&one, pattern, switches ? "switch" : "host", names,
					     n, switches ? "nics" : "switches", others,
					     nothers);
	}
	return rc;
}

static int apply_switch(const struct read *at, struct run *run, int node)
{
	return swconf_read(at, run, &run->switches[node]);
}

static int apply_nic(const struct read *at, struct run *run, int node)
{
	return nicconf_read(at, run, &run->nics[node]);
}

/* Says an error of several values where the node's last word on the part stands. */
static int blame_switch(const struct read *experiment, const char *name, const char *part,
			const struct sim_error *err)
{
	struct read all, one, at = *experiment, hit;
	struct sim_error inside = *err;
	const char *pattern;
	json_t *value;

	jsonc_pointer_add(at.pointer, sizeof at.pointer, "switch");
	if (read_child(experiment, "switches", &all)) {
		json_object_foreach(all.json, pattern, value) {
			if (pattern_match(pattern, name) && read_child(&all, pattern, &one) &&
			    read_child(&one, strncmp(part, "ecn", 3) ? part : "ecn", &hit))
				at = one;
		}
	}
	snprintf(inside.where, sizeof inside.where, "/%s%.128s", part, err->where);
	return read_fail_error(&at, &inside);
}

static int load_switches(const struct read *experiment, struct run *run)
{
	struct switch_conf base;
	struct read at;
	char part[80];
	int rc = 0;

	swconf_defaults(&base);
	if (read_child(experiment, "switch", &at))
		rc = swconf_read(&at, run, &base);
	run->switches = mem_zalloc((size_t)run->topo.nswitches * sizeof base + 1);
	for (int i = 0; i < run->topo.nswitches; i++)
		run->switches[i] = base;
	rc |= each_override(experiment, run, true, apply_switch);
	rc |= remapconf_load(experiment, run);
	for (int i = 0; i < run->topo.nswitches && rc == 0; i++) {
		struct sim_error err = {0};

		if (swconf_check(run, &run->switches[i], part, sizeof part, &err))
			rc = blame_switch(experiment, run->topo.switches[i], part, &err);
	}
	return rc;
}

static int load_nics(const struct read *experiment, struct run *run)
{
	struct nic_conf base;
	struct read at;
	int rc = nicconf_defaults(experiment, run, &base);

	if (read_child(experiment, "nic", &at))
		rc |= nicconf_read(&at, run, &base);
	run->nics = mem_zalloc((size_t)run->topo.nhosts * sizeof base + 1);
	for (int i = 0; i < run->topo.nhosts; i++)
		run->nics[i] = base;
	return rc | each_override(experiment, run, false, apply_nic);
}

int device_load(const struct read *experiment, struct run *run)
{
	int rc = load_switches(experiment, run);

	return rc | load_nics(experiment, run);
}
