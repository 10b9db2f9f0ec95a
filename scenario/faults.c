/*
 * scenario/faults.c - the section `faults`.
 */
#include "scenario/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/pattern.h"
#include "sim/mem.h"

static const struct { enum fault_kind kind; const char *name, *rows; } kinds[] = {
	{FAULT_LINK_DOWN, "link_down", " at for "},
	{FAULT_NIC_STORM, "nic_storm", " at for "},
	{FAULT_SLOW_RECEIVER, "slow_receiver", " at for rate "},
	{FAULT_DROP, "drop", " at for every count "},
	{FAULT_PAUSE_FRAMES, "pause_frames", " at for quanta period frame "},
	{FAULT_BIT_ERRORS, "bit_errors", " at for ber "},
	{FAULT_LINK_SLOW, "link_slow", " at for rate "},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *kind_name(const struct fault_conf *f)
{
	int i = 0;

	while (kinds[i].kind != (enum fault_kind)f->kind)
		i++;
	return kinds[i].name;
}

/* The two ends of "A-B", whose names may hold dashes. */
static int split_link(const struct read *at, const struct run *run, struct fault_conf *f)
{
	const char *text = read_text(at), *unknown = NULL;
	char a[64];

	for (const char *dash = text ? strchr(text, '-') : NULL; dash;
	     dash = strchr(dash + 1, '-')) {
		const struct topology_node *left, *right;

		snprintf(a, sizeof a, "%.*s", (int)(dash - text), text);
		left = topology_node(&run->topo, a);
		right = topology_node(&run->topo, dash + 1);
		if (left && !right)
			unknown = dash + 1;
		if (!left || !right)
			continue;
		f->a = left->name;
		f->b = right->name;
		return 0;
	}
	if (!text)
		return -1;
	if (unknown)
		return topology_unknown(&run->topo, at, unknown);
	return read_fail(at, JSONC_VALUE, "there is no link \"%s\"; a link is written "
			 "\"leaf0-spine1\"", text);
}

static char *node(const struct read *at, const struct run *run, const char *key)
{
	return (char *)(uintptr_t)run_node(run, at, key);
}

static int read_link(const struct read *at, const struct run *run, struct fault_conf *f)
{
	struct read link, end;

	if (read_child(at, "link", &link)) {
		if (split_link(&link, run, f))
			return -1;
	} else if (!read_child(at, "a", &end) && !read_child(at, "b", &end)) {
		return read_fail(at, JSONC_KEY, "%s needs \"link\", such as \"leaf0-spine1\"", kind_name(f));
	} else {
		link = *at;
		f->a = node(at, run, "a");
		f->b = node(at, run, "b");
		if (!f->a || !f->b)
			return -1;
	}
	if (!topology_linked(&run->topo, f->a, f->b))
		return read_fail(&link, JSONC_VALUE, "no link joins %s and %s", f->a, f->b);
	return 0;
}

/* A slow link has a rate, and it is below that of the link. */
static int slower(const struct read *at, const struct run *run, const struct fault_conf *f)
{
	int64_t bps = topology_rate_bps(&run->topo, f->a, f->b);
	char mine[32], links[32];
	struct read rate;

	if (!f->rate_bps && read_child(at, "rate", &rate)) {
		const char *text = json_string_value(rate.json);
		if (!text || strcmp(text, "line"))
			return -1;	/* said already */
	}
	if (!f->rate_bps)
		return read_fail(at, JSONC_KEY, "link_slow needs \"rate\", what is left of the link's %s",
				 units_format(bps, UNITS_RATE, links, sizeof links));
	if (f->rate_bps < bps)
		return 0;
	if (!read_child(at, "rate", &rate))
		rate = *at;
	return read_fail(&rate, JSONC_VALUE, "%s is not slower than the link between %s and %s, which runs at %s",
			 units_format(f->rate_bps, UNITS_RATE, mine, sizeof mine), f->a, f->b,
			 units_format(bps, UNITS_RATE, links, sizeof links));
}

/* A pattern ("h*", "h[0-7]") or a list names several hosts: `more` gets all but the first. */
static bool is_several(const struct read *at, struct read *host)
{
	const char *text;

	if (!read_child(at, "host", host))
		return false;
	text = json_string_value(host->json);
	return json_is_array(host->json) || (text && strpbrk(text, "*?[,"));
}

static int read_host(const struct read *at, const struct run *run, struct fault_conf *f,
		     struct run_names *more)
{
	struct read host;

	if (is_several(at, &host)) {
		if (run_pick(&host, run->topo.hosts, run->topo.nhosts, more))
			return -1;
		f->a = more->names[0];
		return 0;
	}
	f->a = node(at, run, "host");
	if (!f->a)
		return -1;
	if (!topology_node(&run->topo, f->a)->host && read_child(at, "host", &host))
		return read_fail(&host, JSONC_VALUE, "%s is a switch; this fault is a host's",
				 f->a);
	return 0;
}

static int read_ends(const struct read *at, const struct run *run, struct fault_conf *f,
		     struct run_names *more)
{
	struct read part;

	switch ((enum fault_kind)f->kind) {
	case FAULT_LINK_DOWN:
	case FAULT_BIT_ERRORS:
		return read_link(at, run, f);
	case FAULT_LINK_SLOW:
		return read_link(at, run, f) || slower(at, run, f) ? -1 : 0;
	case FAULT_NIC_STORM:
	case FAULT_PAUSE_FRAMES:
		if (read_child(at, "class", &part) && (f->class_ = run_class(run, &part)) < 0)
			return -1;
		if (f->class_ < 0)
			return read_fail(at, JSONC_KEY,
					 "%s needs \"class\", the class that is "
					 "paused", f->kind == FAULT_NIC_STORM ? "nic_storm" : "pause_frames");
		return read_host(at, run, f, more);
	case FAULT_SLOW_RECEIVER:
		return read_host(at, run, f, more);
	case FAULT_DROP:
		f->a = node(at, run, "node");
		if (f->a && read_child(at, "from", &part) && !(f->b = node(at, run, "from")))
			return -1;
		if (f->a && f->b && !topology_linked(&run->topo, f->a, f->b))
			return read_fail(&part, JSONC_VALUE, "%s is no neighbour of %s", f->b,
					 f->a);
		return f->a ? 0 : -1;
	}
	return -1;
}

/* `name` NULL: that there is no kind has been said as an unknown key. */
static int find_kind(const struct read *at, const char *name, struct read *kind)
{
	struct read one;
	int found = -1;

	for (int i = 0; i < KINDS; i++) {
		if (!read_child(at, kinds[i].name, &one))
			continue;
		if (found >= 0)
			return read_fail(&one, JSONC_KEY,
					 "two kinds, \"%s\" and \"%s\"; make two "
					 "entries",
					 kinds[found].name, kinds[i].name);
		found = i;
		*kind = one;
	}
	if (found < 0 && name)
		return read_fail(at, JSONC_KEY, "%s needs a kind, one of: link_down nic_storm "
				 "slow_receiver drop pause_frames bit_errors link_slow", name);
	return found;
}

/* Rows without a default are needed only by the kinds that have them. */
static int required(const struct read *at, const struct read *kind, int k)
{
	struct read child;
	int rc = 0;

	for (const struct param *row = fault_params; row->key; row++) {
		const struct section s = {.only = kinds[k].rows};

		if (row->def || !section_has_row(&s, row) ||
		    read_child(kind, row->key, &child) || read_child(at, row->key, &child))
			continue;
		rc = read_fail(kind, JSONC_KEY, "%s needs \"%s\": %s", kinds[k].name, row->key,
			       row->doc);
	}
	return rc;
}

/* The same fault at each of the hosts, by NAME.HOST. */
static void spread(struct run *run, const struct run_names *hosts)
{
	int first = run->nfaults - 1;
	char *name = run->faults[first].name;

	run->faults = mem_grow(run->faults, (size_t)(run->nfaults + hosts->n) * sizeof *run->faults);
	for (int i = 0; i < hosts->n; i++) {
		struct fault_conf *f = &run->faults[first + i];
		size_t size = strlen(name) + strlen(hosts->names[i]) + 2;

		*f = run->faults[first];
		f->a = hosts->names[i];
		f->name = mem_zalloc(size);
		snprintf(f->name, size, "%s.%s", name, hosts->names[i]);
	}
	run->nfaults = first + hosts->n;
	free(name);
}

static int read_fault(const struct read *at, const char *name, struct run *run)
{
	struct run_names more = {0};
	struct fault_conf *f;
	struct sim_error err = {0};
	struct read kind;
	char section[64];
	int k, rc;

	if (pattern_name_check(name, &err))
		return read_fail(at, JSONC_KEY, "%s", err.text);
	rc = read_keys(at, "faults.NAME");
	if (!json_is_object(at->json))
		return -1;
	k = find_kind(at, rc ? NULL : name, &kind);
	if (k < 0)
		return -1;
	snprintf(section, sizeof section, "faults.NAME.%s", kinds[k].name);
	run->faults = mem_grow(run->faults, (size_t)(run->nfaults + 1) * sizeof *f);
	f = &run->faults[run->nfaults++];
	*f = (struct fault_conf){
		.name = mem_strdup(name), .kind = (int)kinds[k].kind, .class_ = -1};
	param_defaults(fault_params, f);
	rc |= read_keys(&kind, section);
	if (!json_is_object(kind.json))
		return -1;
	rc |= read_table(at, fault_params, " at for ", f);
	rc |= read_table(&kind, fault_params, kinds[k].rows, f);
	rc |= required(at, &kind, k);
	rc |= read_ends(&kind, run, f, &more);
	if (more.n > 1 && !rc)
		spread(run, &more);
	free(more.names);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return pattern_natural(((const struct fault_conf *)a)->name,
			       ((const struct fault_conf *)b)->name);
}

int faults_load(const struct read *experiment, struct run *run)
{
	struct read at, one;
	const char *name;
	json_t *value;
	int rc = 0;

	if (!read_child(experiment, "faults", &at))
		return 0;
	if (read_object(&at))
		return -1;
	json_object_foreach(at.json, name, value)
		rc |= read_entry(&at, name, "fault", &one) ? read_fault(&one, name, run) : -1;
	if (run->nfaults)
		qsort(run->faults, (size_t)run->nfaults, sizeof *run->faults, by_name);
	return rc;
}
