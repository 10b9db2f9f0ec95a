/* A plan of chance.h to an experiment in JSON. */
#include <stdlib.h>
#include <string.h>

#include "scenario/pattern.h"
#include "scenario/resolved.h"
#include "tests/support/chance.h"

/* The n names in natural order: order[k] is which comes k-th. */
static void in_order(const char names[][24], int n, int *order)
{
	for (int i = 0; i < n; i++) {
		int k = i;

		for (; k > 0 && pattern_natural(names[order[k - 1]], names[i]) > 0; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
}

static char *mutable(const char *text) { return (char *)(uintptr_t)text; }

static bool joined(const struct chance *c, const char *a, const char *b)
{
	for (int i = 0; i < c->links; i++)
		if ((c->link[i].a == a && c->link[i].b == b) || (c->link[i].a == b && c->link[i].b == a))
			return true;
	return false;
}

/* The neighbours among the names: a file says what a rule is for. */
static char **neighbours(const struct chance *c, const char *sw, char **names, int n, char **out, int *kept)
{
	*kept = 0;
	for (int i = 0; i < n; i++)
		if (joined(c, sw, names[i]))
			out[(*kept)++] = names[i];
	return out;
}

struct remaps {
	struct switch_remap_conf rule[CHANCE_SWITCHES];
	char *from[CHANCE_SWITCHES][CHANCE_SWITCHES + CHANCE_HOSTS];
	char *to[CHANCE_SWITCHES][CHANCE_SWITCHES + CHANCE_HOSTS];
};

static void remaps(const struct chance *c, int i, struct switch_conf *sw, struct remaps *all)
{
	struct switch_remap_conf *r = &all->rule[i];
	bool any = false;

	if (!sw->nremaps)
		return;
	*r = *sw->remap;
	r->from = neighbours(c, c->sw_name[i], sw->remap->from, sw->remap->froms, all->from[i], &r->froms);
	r->to = neighbours(c, c->sw_name[i], sw->remap->to, sw->remap->tos, all->to[i], &r->tos);
	for (int k = 0; k < FABRIC_CLASSES; k++)
		any |= r->class_to[k] >= 0;
	sw->remap = r;
	sw->nremaps = any && r->froms && r->tos;
}

static void nodes(const struct chance *c, struct run *run, struct bed *b, struct remaps *all)
{
	int sw[CHANCE_SWITCHES], host[CHANCE_HOSTS];
	struct topology *t = &run->topo;

	in_order(c->sw_name, c->switches, sw);
	in_order(c->host_name, c->hosts, host);
	for (int k = 0; k < c->switches; k++) {
		t->switches[t->nswitches++] = c->sw_name[sw[k]];
		t->nodes[t->nnodes++] = (struct topology_node){ .name = mutable(c->sw_name[sw[k]]) };
		run->switches[k] = c->sw[sw[k]];
		remaps(c, sw[k], &run->switches[k], all);
	}
	for (int k = 0; k < c->hosts; k++) {
		t->hosts[t->nhosts++] = c->host_name[host[k]];
		t->nodes[t->nnodes++] = (struct topology_node){ .name = mutable(c->host_name[host[k]]),
								.host = true };
		run->nics[k] = c->nic[host[k]];
		chance_cc(c, host[k], b);
		run->nics[k].cc = b->nic.cc;
		run->nics[k].cc_conf = b->nic.cc_conf;
	}
	for (int i = 0; i < c->links; i++)
		t->links[t->nlinks++] = (struct topology_link){ .a = c->link[i].a, .b = c->link[i].b,
			.a_port = c->link[i].a_port, .b_port = c->link[i].b_port, .conf = c->link[i].conf };
}

static void work(const struct chance *c, struct run *run, struct chance_listed *listed)
{
	for (int i = 0; i < c->traffics; i++)
		run->traffic[run->ntraffic++] = c->traffic[i];
	for (int i = 0; i < c->traffics; i++)
		if (c->traffic[i].kind == WORKLOAD_LIST)
			chance_listed(c, i, false, &run->traffic[i], &listed[i]);
	for (int i = 0; i < c->faults; i++) {
		run->faults[run->nfaults] = c->fault[i];
		if (c->fault[i].class_ < 0)	/* every lossless class: there is one */
			run->faults[run->nfaults].class_ = BED_RDMA;
		run->nfaults++;
	}
	for (int i = 0; i < c->routes; i++)
		run->routes[run->nroutes++] = (struct route_conf){ .name = mutable(c->route[i].name),
			.at = c->route[i].at, .to = c->route[i].to,
			.via = (char **)(uintptr_t)c->route[i].via,
			.vias = !c->route[i].flood && !c->route[i].drop, .flood = c->route[i].flood,
			.drop = c->route[i].drop };
}

int chance_json(const struct chance *c, const char *about, FILE *out)
{
	struct topology_node node[CHANCE_SWITCHES + CHANCE_HOSTS];
	struct topology_link link[CHANCE_LINKS];
	const char *hosts[CHANCE_HOSTS], *switches[CHANCE_SWITCHES], *none = NULL;
	struct switch_conf sw[CHANCE_SWITCHES];
	struct nic_conf nic[CHANCE_HOSTS];
	struct workload_conf traffic[CHANCE_TRAFFIC];
	struct fault_conf fault[CHANCE_FAULTS];
	struct route_conf route[CHANCE_ROUTES];
	struct chance_listed listed[CHANCE_TRAFFIC];
	struct remaps all;
	char name[40];
	struct bed b;

	bed_open(&b, c->run.until_ps);
	struct run run = { .conf = c->run, .nclasses = BED_CLASSES, .switches = sw, .nics = nic,
		.traffic = traffic, .routes = route, .faults = fault,
		.topo = { .nodes = node, .links = link, .hosts = hosts, .switches = switches } };
	memcpy(run.classes, b.classes, sizeof(b.classes));
	run.classes[BED_BULK].lossless |= c->bulk_lossless;
	nodes(c, &run, &b, &all);
	work(c, &run, listed);
	snprintf(name, sizeof(name), "seed-%llu", (unsigned long long)c->seed);
	int rc = resolved_print(&run, &(struct resolved_head){ .name = name, .about = about,
		.source = "", .rules = &none }, out);
	bed_close(&b);
	return rc;
}
