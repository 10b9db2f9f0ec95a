/*
 * scenario/section.c - the list of sections.
 */
#include "scenario/section.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/cc/cc.h"
#include "models/fabric.h"
#include "models/host/workload_cdf.h"
#include "scenario/cdfconf.h"
#include "scenario/generate.h"
#include "scenario/recording.h"
#include "sim/mem.h"

enum { NAMES_MAX = 128 };

#define OBJECT(p, t, d) {.path = p, .kind = SECTION_OBJECT, .table = t, .doc = d}
#define PART(p, t, o, d) {.path = p, .kind = SECTION_OBJECT, .table = t, .only = o, .doc = d}
#define ITEM(p, k, d) {.path = p, .kind = SECTION_##k, .doc = d}

static const struct section fixed[] = {
	{.path = "", .kind = SECTION_OBJECT, .doc = "An experiment: a fabric, its traffic, and "
	 "what must come out."},
	ITEM("$schema", TEXT, "For editors; ignored."),
	ITEM("schema", TEXT, "The format of this file: xoff.experiment/1."),
	ITEM("name", TEXT, "Short name of the experiment; default: the file's name."),
	ITEM("about", TEXT, "The claim, in one or two sentences."),
	ITEM("source", TEXT, "Where the claim comes from."),
	ITEM("slow", FLAG, "It takes long; xoff verify leaves it out without --slow."),
	ITEM("include", TEXTS, "Files merged before this one; paths are relative to this file."),
	ITEM("expect", TEXTS, "Rules PATH OP VALUE that the run's summary must meet."),

	{.path = "topology", .kind = SECTION_OBJECT, .or_text = true, .doc = "Nodes and links: "
	 "one generator, or nodes and links, or both; a string is the path of a file."},
	ITEM("topology.schema", TEXT, "The format: xoff.topology/1."),
	ITEM("topology.name", TEXT, "Name of the topology."),
	ITEM("topology.about", TEXT, "What it is."),
	ITEM("topology.source", TEXT, "Where it comes from."),
	ITEM("topology.file", TEXT, "A topology file, merged under the rest of this section."),
	OBJECT("topology.leaf_spine", generate_leaf_spine_params, "Hosts hI on leaves leafJ "
	       "(J = I / hosts_per_leaf), every leaf linked to every spineK; the ports of a leaf "
	       "are its hosts in order, then its spines; the ports of a spine are its leaves."),
	OBJECT("topology.leaf_spine.host_link", link_params, "Links of hosts."),
	OBJECT("topology.leaf_spine.fabric_link", link_params, "Links between switches."),
	OBJECT("topology.fat_tree", generate_fat_tree_params, "A k-ary fat-tree: k pods of k/2 "
	       "edgeP_I and k/2 aggP_J, (k/2)^2 coreC, hosts hN in order of edges; agg J of every "
	       "pod is linked to cores J*k/2 .. J*k/2 + k/2 - 1."),
	OBJECT("topology.fat_tree.host_link", link_params, "Links of hosts."),
	OBJECT("topology.fat_tree.fabric_link", link_params, "Links between switches."),
	OBJECT("topology.ring", generate_ring_params, "Switches sI in a ring (port 0 to the next, "
	       "port 1 to the one before), hosts hN in order of switches from port 2."),
	OBJECT("topology.ring.host_link", link_params, "Links of hosts."),
	OBJECT("topology.ring.fabric_link", link_params, "Links between switches."),
	OBJECT("topology.dumbbell", generate_dumbbell_params, "Hosts h0 .. on switch s0 (left), "
	       "the next ones on s1 (right), one bottleneck between them."),
	OBJECT("topology.dumbbell.host_link", link_params, "Links of hosts."),
	OBJECT("topology.dumbbell.bottleneck_link", link_params, "The link s0-s1."),
	OBJECT("topology.star", generate_star_params, "Hosts h0 .. on one switch s0."),
	OBJECT("topology.star.host_link", link_params, "Links of hosts."),
	ITEM("topology.nodes", MAP, "Nodes by name, besides those of a generator."),
	ITEM("topology.nodes.NAME", TEXT, "\"switch\" or \"host\"."),
	OBJECT("topology.link", link_params, "What entries of links leave out."),
	ITEM("topology.links", LIST, "Links, besides those of a generator."),
	OBJECT("topology.links.ITEM", link_params, "One link."),
	ITEM("topology.links.ITEM.a", TEXT, "One end: NODE or NODE:PORT; without a port, the "
	     "lowest that is free."),
	ITEM("topology.links.ITEM.b", TEXT, "The other end."),
	ITEM("topology.override", MAP, "Changes of links, by pattern A-B."),
	OBJECT("topology.override.LINKS", link_params, "What is different on these links."),

	ITEM("classes", MAP, "Traffic classes: what NICs stamp and switches trust; at most 8."),
	OBJECT("classes.CLASS", class_params, "One traffic class."),
	OBJECT("switch", switch_params, "Settings of every switch."),
	OBJECT("switch.buffer", mmu_params, "The packet buffer."),
	ITEM("switch.ecn", MAP, "WRED marking by class; a class that is not named is not marked."),
	OBJECT("switch.ecn.CLASS", ecn_params, "Marking of one class; null: off."),
	OBJECT("switch.watchdog", watchdog_params, "PFC watchdog; without it (or null): off."),
	ITEM("switch.watchdog.preset", TEXT, "Named timers and rule, under those that are given; sonic: as "
	     "`pfcwd start_default' scales them."),
	OBJECT("switch.pfc", pfc_params, "Priority flow control of the ports."),
	ITEM("switch.dscp", MAP, "DSCPs that the switch maps otherwise than the classes say."),
	ITEM("switch.dscp.DSCP", COUNT, "Traffic class (0..7) of this DSCP (0..63)."),
	ITEM("switch.ports", MAP, "Ports that differ, by number, range or list (\"0-31,40\"), later entries over earlier."),
	OBJECT("switch.ports.PORTS", switch_ports_params, "Buffer profile of these ports."),
	ITEM("switch.ports.PORTS.priorities", LIST, "Priorities that the profile is for; default: every lossless one."),
	ITEM("switch.ports.PORTS.pfc", LIST, "Priorities that are lossless on these ports; default: as the classes say."),
	ITEM("switch.ports.PORTS.watchdog", FLAG, "Whether the watchdog looks after these ports."),
	ITEM("switch.remap", MAP, "Frames that change their class here, such as those that turn up again, by name of the rule."),
	ITEM("switch.remap.NAME", OBJECT, "What comes from one of `from` and leaves towards one of `to`; it pauses its sender "
	     "as what it came in as, and waits and goes on as what it becomes."),
	ITEM("switch.remap.NAME.from", TEXTS, "Neighbours that it comes from."),
	ITEM("switch.remap.NAME.to", TEXTS, "Neighbours that it leaves towards."),
	ITEM("switch.remap.NAME.class", MAP, "The new class of each class that changes: {\"rdma\": \"bounced\"}."),
	ITEM("switch.remap.NAME.class.CLASS", TEXT, "The class that it becomes."),
	ITEM("switches", MAP, "Switches that differ, by pattern, later entries over earlier."),
	{.path = "switches.PATTERN", .kind = SECTION_OBJECT, .same_as = "switch",
	 .doc = "What is different on these switches; the keys of `switch`."},
	OBJECT("nic", nic_params, "Settings of every host's NIC."),
	{.path = "nic.cc", .kind = SECTION_OBJECT, .or_text = true, .doc = "Congestion control: "
	 "one algorithm by name, or with its settings; default: none, which reacts to no ECN mark."},
	ITEM("nic.cnp_class", TEXT, "Class of CNPs; default: \"cnp\" if there is one, else the "
	     "class of highest priority."),
	ITEM("nic.ack_class", TEXT, "Class of ACKs; default: that of the data."),
	OBJECT("nic.pfc", pfc_params, "Priority flow control of the NIC."),
	ITEM("nic.dscp", MAP, "DSCPs that the NIC stamps otherwise than the classes say."),
	ITEM("nic.dscp.CLASS", COUNT, "DSCP (0..63) stamped on this class."),
	ITEM("nics", MAP, "Hosts that differ, by pattern, later entries over earlier."),
	{.path = "nics.PATTERN", .kind = SECTION_OBJECT, .same_as = "nic",
	 .doc = "What is different on these hosts; the keys of `nic`."},

	ITEM("traffic", MAP, "Who sends what to whom, by name."),
	ITEM("routes", MAP, "Ways that differ from the shortest, by name."),
	ITEM("routes.NAME", OBJECT, "At some switches, to some hosts: a way, a flood or a drop."),
	ITEM("routes.NAME.at", TEXTS, "Switches (or hosts) by pattern."),
	ITEM("routes.NAME.to", TEXTS, "Destination hosts by pattern."),
	ITEM("routes.NAME.via", TEXTS, "Neighbours to send to; ECMP over several."),
	ITEM("routes.NAME.flood", FLAG, "Copies to every port but the one it came by."),
	ITEM("routes.NAME.drop", FLAG, "Drops."),
	ITEM("faults", MAP, "What goes wrong, and when, by name."),
	PART("faults.NAME", fault_params, " at for ", "One fault of one kind."),
	PART("faults.NAME.link_down", fault_params, " at for ", "A link goes down, and up again."),
	ITEM("faults.NAME.link_down.link", TEXT, "The link: \"A-B\"."),
	ITEM("faults.NAME.link_down.a", TEXT, "Or one end ..."),
	ITEM("faults.NAME.link_down.b", TEXT, "... and the other."),
	PART("faults.NAME.nic_storm", fault_params, " at for ", "A NIC that sends XOFF without end."),
	ITEM("faults.NAME.nic_storm.host", TEXTS, "The host, or several by pattern."),
	ITEM("faults.NAME.nic_storm.class", TEXT, "The class that it pauses."),
	PART("faults.NAME.slow_receiver", fault_params, " at for rate ", "A NIC that drains its "
	     "receive buffer slowly."),
	ITEM("faults.NAME.slow_receiver.host", TEXTS, "The host, or several by pattern."),
	PART("faults.NAME.drop", fault_params, " at for every count ", "Every n-th data frame is "
	     "lost on arrival."),
	ITEM("faults.NAME.drop.node", TEXT, "The node that loses them."),
	ITEM("faults.NAME.drop.from", TEXT, "The neighbour they come from; default: any."),
	PART("faults.NAME.pause_frames", fault_params, " at for quanta period frame ", "A NIC that sends "
	     "pause frames at regular times, whatever it holds."),
	ITEM("faults.NAME.pause_frames.host", TEXTS, "The host, or several by pattern."),
	ITEM("faults.NAME.pause_frames.class", TEXT, "The class that they pause."),
	PART("faults.NAME.bit_errors", fault_params, " at for ber ", "Random bit errors on a link, both ways."),
	ITEM("faults.NAME.bit_errors.link", TEXT, "The link: \"A-B\"."),
	ITEM("faults.NAME.bit_errors.a", TEXT, "Or one end ..."),
	ITEM("faults.NAME.bit_errors.b", TEXT, "... and the other."),
	PART("faults.NAME.link_slow", fault_params, " at for rate ", "A link that runs below its rate, both ways: "
	     "lanes that are gone, or a wrong speed. Of several at once the slowest counts."),
	ITEM("faults.NAME.link_slow.link", TEXT, "The link: \"A-B\"."),
	ITEM("faults.NAME.link_slow.a", TEXT, "Or one end ..."),
	ITEM("faults.NAME.link_slow.b", TEXT, "... and the other."),
	OBJECT("run", run_params, "How long and with which seed."),
	ITEM("record", OBJECT, "What is written besides the standard files."),
	ITEM("record.sizes", TEXTS,
	     "Upper edges of the size buckets of flows.by_size; default: 10KB, 100KB, 1MB, 10MB."),
	ITEM("record.series", MAP, "Time series, one file each."),
	OBJECT("record.series.NAME", recording_params, "One series."),
	ITEM("record.series.NAME.match", TEXTS, "Ports by pattern NODE:PORT."),
	ITEM("record.series.NAME.what", TEXTS, "Columns: queue, group, rate, pause (default: these four); and files of their own: flows, the goodput of each message that these nodes send, and marks, the frames marked by queue length."),
	ITEM("variants", MAP, "Runs that differ from the base, by name."),
	ITEM("variants.VARIANT", ANY, "A merge patch (RFC 7396) over the whole experiment; its "
	     "expect replaces the base's."),
	ITEM("sweep", MAP, "The grid of xoff sweep, by dotted path."),
	ITEM("sweep.PATH", ANY, "A list of values, or \"A..B\" for whole numbers."),
};

static const struct {
	enum workload_kind kind;
	const char *doc;
	const char *from, *from_doc;
	const char *to, *to_doc;
} kinds[] = {
	{WORKLOAD_FLOW, "Messages of one queue pair.", "from", "The sender.", "to",
	 "The receiver."},
	{WORKLOAD_STREAM, "Frames at a constant rate, never acknowledged.", "from", "The sender.",
	 "to", "The receiver."},
	{WORKLOAD_INCAST, "Many send to one at once.", "from", "The senders.", "to",
	 "The receiver."},
	{WORKLOAD_PERMUTATION, "Each host sends to one other, at random.", "hosts", "The hosts.",
	 NULL, NULL},
	{WORKLOAD_ALL_TO_ALL, "Each host sends to each other.", "hosts", "The hosts.", NULL, NULL},
	{WORKLOAD_POISSON, "Flows that start at random, with random sizes.", "hosts",
	 "The senders.", "to", "The receivers; default: the senders."},
	{WORKLOAD_REQUEST_RESPONSE, "Clients ask, servers answer.", "clients",
	 "Who asks; client i asks server i mod n.", "servers", "Who answers."},
	{WORKLOAD_RING_ALLREDUCE, "Ring all-reduce: 2(n-1) dependent steps.", "hosts",
	 "The ranks, in order.", NULL, NULL},
	{WORKLOAD_STORAGE_WRITE, "Writes to several replicas.", "clients", "Who writes.",
	 "servers", "Who stores."},
	{WORKLOAD_LIST, "Flows one by one, from a file or as they stand here.", NULL, NULL, NULL, NULL},
};

/* What some kinds have besides. */
static const struct section inside[] = {
	{.path = "traffic.NAME.poisson.cdf", .kind = SECTION_ANY, .table = cdfconf_params, .doc = "Flow sizes: a name, "
	 "a list of [size, fraction] points, or a file of them; linear "
	 "between two points."},
	ITEM("traffic.NAME.poisson.cdf.file", TEXT, "Rows \"BYTES CUMULATIVE\", up to 1 or (percent) 100; of three "
	     "columns the middle one says nothing; # begins a comment."),
	ITEM("traffic.NAME.list.file", TEXT, "CSV whose first row names the columns from, to, size_bytes, start_ps (a "
	     "run's flows.csv is such a list), or HPCC's flow.txt."),
	ITEM("traffic.NAME.list.flows", TEXTS, "Or the flows themselves: \"from,to,size,start\", such as "
	     "\"h0,h1,64KB,10us\"."),
	ITEM("traffic.NAME.list.workload", TEXT, "Takes the rows of the file with this name in the column workload; "
	     "default: all."),
};

/* ------------------------------------------------------------------ making */

/* `path`, and below it `key` where given; copied. */
static void add(struct section_list *list, struct section s, const char *key)
{
	char path[128];

	snprintf(path, sizeof path, "%s%s%s", s.path, key ? "." : "", key ? key : "");
	list->v = mem_grow(list->v, (size_t)(list->n + 1) * sizeof *list->v);
	s.path = mem_strdup(path);
	list->v[list->n++] = s;
}

static void add_name(struct section *s, const char *name)
{
	size_t n = 0;

	while (s->names && s->names[n])
		n++;
	s->names = mem_grow(s->names, (n + 2) * sizeof *s->names);
	s->names[n] = name;
	s->names[n + 1] = NULL;
}

static struct section *find(const struct section_list *list, const char *path)
{
	for (int i = 0; i < list->n; i++) {
		if (strcmp(list->v[i].path, path) == 0)
			return &list->v[i];
	}
	return NULL;
}

static void add_kinds(struct section_list *list)
{
	struct section name = PART("traffic.NAME", workload_params(WORKLOAD_FLOW),
				   " start stop ", "One workload of one kind.");

	add(list, name, NULL);
	name = (struct section)ITEM("traffic.NAME.class", TEXT, "Traffic class of its data.");
	add(list, name, NULL);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct section s = {.path = "traffic.NAME", .kind = SECTION_OBJECT,
				    .doc = kinds[i].doc, .table = workload_params(kinds[i].kind)};
		struct section sub = {.kind = SECTION_TEXTS};
		const char *path;

		add(list, s, workload_kind_name(kinds[i].kind));
		path = sub.path = list->v[list->n - 1].path;
		sub.doc = kinds[i].from_doc;
		if (kinds[i].from)
			add(list, sub, kinds[i].from);
		sub.doc = kinds[i].to_doc;
		if (kinds[i].to)
			add(list, sub, kinds[i].to);
		sub = (struct section)ITEM(path, TEXT, "Traffic class of its data.");
		add(list, sub, "class");
	}
	for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
		add(list, inside[i], NULL);
}

static void add_ccs(struct section_list *list)
{
	for (int i = 0; cc_registry[i]; i++) {
		struct section s = {.path = "nic.cc", .kind = SECTION_OBJECT,
				    .doc = cc_registry[i]->paper, .table = cc_registry[i]->params};
		struct section preset = {.kind = SECTION_TEXT, .doc = "Named set of values, under "
					 "those that are given; default: the first."};

		add(list, s, cc_registry[i]->name);
		preset.path = list->v[list->n - 1].path;
		if (!cc_registry[i]->presets)
			continue;
		add(list, preset, "preset");
		for (const struct cc_preset *p = cc_registry[i]->presets; p->name; p++)
			add_name(&list->v[list->n - 1], p->name);
	}
}

/* The names of built-in things, from the tables that hold them. */
static void add_names(struct section_list *list)
{
	struct section *s = find(list, "switch.watchdog.preset");

	for (const struct watchdog_preset *p = watchdog_presets; p->name; p++)
		add_name(s, p->name);
	s = find(list, "traffic.NAME.poisson.cdf");
	for (const char *const *name = workload_cdf_names; *name; name++)
		add_name(s, *name);
}

struct section_list *section_list_new(void)
{
	struct section_list *list = mem_zalloc(sizeof *list);

	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		add(list, fixed[i], NULL);
	add_kinds(list);
	add_ccs(list);
	add_names(list);
	return list;
}

void section_list_free(struct section_list **list)
{
	if (!*list)
		return;
	for (int i = 0; i < (*list)->n; i++) {
		free((char *)(uintptr_t)(*list)->v[i].path);
		free((*list)->v[i].names);
	}
	free((*list)->v);
	free(*list);
	*list = NULL;
}

/* ------------------------------------------------------------------ asking */

const struct section *section_find(const struct section_list *list, const char *path)
{
	return find(list, path);
}

bool section_has_row(const struct section *s, const struct param *row)
{
	size_t n = strlen(row->key);

	for (const char *p = s->only; p && (p = strstr(p, row->key)); p++) {
		if (p[-1] == ' ' && p[n] == ' ')
			return true;
	}
	return !s->only;
}

const char *section_below(const char *parent, const char *child)
{
	size_t n = strlen(parent);

	if (n && (strncmp(parent, child, n) != 0 || child[n] != '.'))
		return NULL;
	child += n ? n + 1 : 0;
	return *child && !strchr(child, '.') ? child : NULL;
}

/* Where the rows and children are listed. */
static const struct section *body(const struct section_list *list, const struct section *s)
{
	return s->same_as ? section_find(list, s->same_as) : s;
}

static bool any_name(const char *part)
{
	return isupper((unsigned char)part[0]);
}

bool section_free(const struct section *s)
{
	const char *dot = strrchr(s->path, '.');

	return any_name(dot ? dot + 1 : s->path);
}

const struct section *section_child(const struct section_list *list, const struct section *s,
				    const char *key)
{
	s = body(list, s);
	for (int i = 0; i < list->n; i++) {
		const char *part = section_below(s->path, list->v[i].path);

		if (part && (any_name(part) || strcmp(part, key) == 0))
			return &list->v[i];
	}
	return NULL;
}

bool section_knows(const struct section_list *list, const struct section *s, const char *key)
{
	const struct param *row;

	s = body(list, s);
	row = s->table ? param_find(s->table, key) : NULL;
	return (row && section_has_row(s, row)) || section_child(list, s, key);
}

const char *section_suggest(const struct section_list *list, const struct section *s,
			    const char *key)
{
	const char *names[NAMES_MAX + 1];
	int n = 0;

	s = body(list, s);
	for (const struct param *row = s->table; row && row->key && n < NAMES_MAX; row++) {
		if (section_has_row(s, row))
			names[n++] = row->key;
	}
	for (int i = 0; i < list->n && n < NAMES_MAX; i++) {
		const char *part = section_below(s->path, list->v[i].path);

		if (part && !any_name(part))
			names[n++] = part;
	}
	names[n] = NULL;
	return error_nearest(key, names);
}

static const char *lasting_row(const struct param *table, const char *key)
{
	const struct param *row = table ? param_find(table, key) : NULL;

	return row ? row->key : NULL;
}

const char *section_lasting(const char *key)
{
	const char *hit = NULL;

	for (size_t i = 0; key && !hit && i < sizeof fixed / sizeof *fixed; i++) {
		const char *dot = strrchr(fixed[i].path, '.');
		const char *last = dot ? dot + 1 : fixed[i].path;

		hit = strcmp(last, key) == 0 ? last : lasting_row(fixed[i].table, key);
	}
	for (size_t i = 0; key && !hit && i < sizeof kinds / sizeof *kinds; i++) {
		const char *names[] = {workload_kind_name(kinds[i].kind), kinds[i].from, kinds[i].to,
				       "class", "preset"};

		for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
			if (names[j] && strcmp(names[j], key) == 0)
				hit = names[j];
		}
		if (!hit)
			hit = lasting_row(workload_params(kinds[i].kind), key);
	}
	for (size_t i = 0; key && !hit && i < sizeof inside / sizeof *inside; i++) {
		const char *last = strrchr(inside[i].path, '.') + 1;

		hit = strcmp(last, key) == 0 ? last : lasting_row(inside[i].table, key);
	}
	for (int i = 0; key && !hit && cc_registry[i]; i++) {
		hit = strcmp(cc_registry[i]->name, key) == 0 ? cc_registry[i]->name
			: lasting_row(cc_registry[i]->params, key);
	}
	return hit;
}
