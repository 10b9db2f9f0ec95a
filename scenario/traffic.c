/*
 * scenario/traffic.c - the section `traffic`.
 */
#include "scenario/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/cdfconf.h"
#include "scenario/flowlist.h"
#include "scenario/pattern.h"
#include "sim/mem.h"

/* How each kind names its two lists of hosts, and how many each may have. */
static const struct {
	enum workload_kind kind;
	const char *from, *to;
	int from_min, from_max, to_min, to_max;	/* max 0: no limit; to_min 0: may be absent */
} kinds[] = {
	{WORKLOAD_FLOW, "from", "to", 1, 1, 1, 1},
	{WORKLOAD_STREAM, "from", "to", 1, 1, 1, 1},
	{WORKLOAD_INCAST, "from", "to", 1, 0, 1, 1},
	{WORKLOAD_PERMUTATION, "hosts", NULL, 2, 0, 0, 0},
	{WORKLOAD_ALL_TO_ALL, "hosts", NULL, 2, 0, 0, 0},
	{WORKLOAD_POISSON, "hosts", "to", 1, 0, 0, 0},
	{WORKLOAD_REQUEST_RESPONSE, "clients", "servers", 1, 0, 1, 0},
	{WORKLOAD_RING_ALLREDUCE, "hosts", NULL, 2, 0, 0, 0},
	{WORKLOAD_STORAGE_WRITE, "clients", "servers", 1, 0, 1, 0},
	{WORKLOAD_LIST, NULL, NULL, 0, 0, 0, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ------------------------------------------------------------------ parts */

static int read_hosts(const struct read *at, const struct run *run, const char *key, int min,
		      int max, struct run_names *out)
{
	struct read hosts;
	char own[64];

	if (!read_child(at, key, &hosts))
		return min == 0 ? 0 : read_fail(at, JSONC_KEY, "%s needs \"%s\"",
						run_key(at, own, sizeof own), key);
	if (run_pick(&hosts, run->topo.hosts, run->topo.nhosts, out))
		return -1;
	if (max && out->n > max)
		return read_fail(&hosts, JSONC_VALUE, "%s must be one host here; this picks %d",
				 key, out->n);
	if (out->n < min)
		return read_fail(&hosts, JSONC_VALUE,
				 "%s must be at least %d hosts; this picks %d", key, min,
				 out->n);
	return 0;
}

/* Inside the kind or beside it; where there is one class, it may be left out. */
static int read_class(const struct read *name, const struct read *kind, const struct run *run)
{
	struct read at;
	char own[64];

	if (read_child(kind, "class", &at) || read_child(name, "class", &at))
		return run_class(run, &at);
	if (run->nclasses == 1)
		return 0;
	return read_fail(name, JSONC_KEY, "%s needs a \"class\"",
			 run_key(name, own, sizeof own));
}

/* Nobody sends to himself. */
static int check_hosts(const struct read *at, const struct workload_conf *w)
{
	bool one = w->kind == WORKLOAD_FLOW || w->kind == WORKLOAD_STREAM ||
		w->kind == WORKLOAD_INCAST;

	for (int i = 0; one && i < w->nfrom; i++) {
		if (strcmp(w->from[i], w->to[0]) == 0)
			return read_fail(at, JSONC_KEY, "%s would send to itself", w->from[i]);
	}
	if (w->kind == WORKLOAD_STORAGE_WRITE && w->replicas > w->nto)
		return read_fail(at, JSONC_KEY,
				 "%lld replicas need as many servers; there are %d",
				 (long long)w->replicas, w->nto);
	if (w->kind == WORKLOAD_POISSON && w->nto == 0 && w->nfrom < 2)
		return read_fail(at, JSONC_KEY,
				 "one host alone has nobody to send to; give \"to\"");
	if (w->stop_ps < w->start_ps)
		return read_fail(at, JSONC_KEY, "it stops before it starts");
	return 0;
}

/* ------------------------------------------------------------- one workload */

/* The kind's key in the workload at `at`: its index in kinds, or -1 (said, but
 * when none is there because its name is `misspelt`, which has been said). */
static int find_kind(const struct read *at, bool misspelt, struct read *kind)
{
	struct read one;
	char own[64], list[300] = "";
	size_t n = 0;
	int found = -1;

	for (int i = 0; i < KINDS; i++) {
		const char *name = workload_kind_name(kinds[i].kind);

		n += (size_t)snprintf(list + n, sizeof list - n, " %s", name);
		if (!read_child(at, name, &one))
			continue;
		if (found >= 0)
			return read_fail(&one, JSONC_KEY,
					 "%s has two kinds, \"%s\" and \"%s\"; "
					 "make two entries",
					 run_key(at, own, sizeof own),
					 workload_kind_name(kinds[found].kind), name);
		found = i;
		*kind = one;
	}
	if (found < 0 && !misspelt)
		return read_fail(at, JSONC_KEY, "%s needs a kind, one of:%s",
				 run_key(at, own, sizeof own), list);
	return found;
}

static int read_kind_keys(const struct read *at, const struct read *kind, int k,
			  const struct run *run, struct workload_conf *w)
{
	const struct param *table = workload_params(kinds[k].kind);
	struct run_names from = {0}, to = {0};
	struct read cdf;
	char section[64];
	int rc;

	snprintf(section, sizeof section, "traffic.NAME.%s", workload_kind_name(kinds[k].kind));
	rc = read_keys(kind, section);
	if (!json_is_object(kind->json))
		return -1;
	rc |= read_table(at, table, " start stop ", w);
	rc |= read_table(kind, table, NULL, w);
	rc |= read_required(kind, at, table);
	if (kinds[k].kind == WORKLOAD_LIST)
		return rc | flowlist_read(kind, &run->topo, w);
	rc |= read_hosts(kind, run, kinds[k].from, kinds[k].from_min, kinds[k].from_max, &from);
	if (kinds[k].to)
		rc |= read_hosts(kind, run, kinds[k].to, kinds[k].to_min, kinds[k].to_max, &to);
	w->from = from.names;
	w->nfrom = from.n;
	w->to = to.names;
	w->nto = to.n;
	if (kinds[k].kind == WORKLOAD_POISSON && read_child(kind, "cdf", &cdf))
		rc |= cdfconf_read(&cdf, &w->cdf);
	else if (kinds[k].kind == WORKLOAD_POISSON)
		rc = read_fail(kind, JSONC_KEY, "poisson needs \"cdf\", such as \"websearch\"");
	return rc;
}

static int read_workload(const struct read *at, const char *name, struct run *run)
{
	struct workload_conf *w;
	struct sim_error err = {0};
	struct read kind;
	int k, rc;

	if (pattern_name_check(name, &err))
		return read_fail(at, JSONC_KEY, "%s", err.text);
	rc = read_keys(at, "traffic.NAME");
	if (!json_is_object(at->json))
		return -1;
	k = find_kind(at, rc != 0, &kind);
	if (k < 0)
		return -1;
	run->traffic = mem_grow(run->traffic, (size_t)(run->ntraffic + 1) * sizeof *w);
	w = &run->traffic[run->ntraffic++];
	memset(w, 0, sizeof *w);
	w->name = mem_strdup(name);
	w->kind = (int)kinds[k].kind;
	w->jitter.den = w->load.den = 1;
	param_defaults(workload_params(kinds[k].kind), w);
	w->class_ = read_class(at, &kind, run);
	rc |= read_kind_keys(at, &kind, k, run, w);
	if (rc || w->class_ < 0)
		return -1;
	return check_hosts(&kind, w);
}

static int by_name(const void *a, const void *b)
{
	return pattern_natural(((const struct workload_conf *)a)->name,
			       ((const struct workload_conf *)b)->name);
}

int traffic_load(const struct read *experiment, struct run *run)
{
	struct read at, one;
	const char *name;
	json_t *value;
	int rc = 0;

	if (!read_child(experiment, "traffic", &at))
		return 0;
	if (read_object(&at))
		return -1;
	json_object_foreach(at.json, name, value) {
		rc |= read_entry(&at, name, "traffic", &one) ? read_workload(&one, name, run)
							     : -1;
	}
	if (run->ntraffic)
		qsort(run->traffic, (size_t)run->ntraffic, sizeof *run->traffic, by_name);
	return rc;
}
