/*
 * scenario/resolved.c - prints a run as an experiment.
 */
#include "scenario/resolved.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/expand.h"
#include "scenario/flowlist.h"
#include "scenario/jsonc.h"
#include "scenario/writer.h"
#include "sim/mem.h"

/* Names of nodes as one pattern. */
static void names(struct writer *w, const char *key, const char *const *list, int n)
{
	char *pattern = expand_compact(list, n);

	writer_text(w, key, pattern);
	free(pattern);
}

/* ------------------------------------------------------------------ topology */

static void end(struct writer *w, const char *key, const char *node, int port)
{
	char text[80];

	snprintf(text, sizeof text, "%s:%d", node, port);
	writer_text(w, key, text);
}

/* A link says its cable or its delay: both are an error. */
static void link_settings(struct writer *w, const struct link_conf *conf)
{
	char only[200] = " ";

	for (const struct param *row = link_params; row->key; row++) {
		if (strcmp(row->key, conf->delay_ps >= 0 ? "cable" : "delay") == 0)
			continue;
		strncat(only, row->key, sizeof only - strlen(only) - 2);
		strcat(only, " ");
	}
	writer_table(w, link_params, only, conf);
}

static void topology(struct writer *w, const struct topology *t)
{
	writer_open(w, "topology", '{', false);
	writer_open(w, "nodes", '{', false);
	for (int i = 0; i < t->nnodes; i++)
		writer_text(w, t->nodes[i].name, t->nodes[i].host ? "host" : "switch");
	writer_close(w, '}');
	writer_open(w, "links", '[', false);
	for (int i = 0; i < t->nlinks; i++) {
		const struct topology_link *l = &t->links[i];

		writer_open(w, NULL, '{', true);
		end(w, "a", l->a, l->a_port);
		end(w, "b", l->b, l->b_port);
		link_settings(w, &l->conf);
		writer_close(w, '}');
	}
	writer_close(w, ']');
	writer_close(w, '}');
}

static void classes(struct writer *w, const struct run *run)
{
	writer_open(w, "classes", '{', false);
	for (int i = 0; i < run->nclasses; i++) {
		writer_open(w, run->classes[i].name, '{', true);
		writer_table(w, class_params, NULL, &run->classes[i]);
		writer_close(w, '}');
	}
	writer_close(w, '}');
}

/* ------------------------------------------------------------------- nodes */

static void part(struct writer *w, const char *key, const struct param *table, const void *conf)
{
	writer_open(w, key, '{', true);
	writer_table(w, table, NULL, conf);
	writer_close(w, '}');
}

static void mask(struct writer *w, const char *key, int64_t bits)
{
	char text[40], *at = text;

	*at++ = '[';
	for (int prio = 0; prio < 8; prio++)
		if (bits >> prio & 1) {
			if (at > text + 1)
				*at++ = ',';
			*at++ = (char)('0' + prio);
		}
	*at++ = ']';
	*at = 0;
	writer_raw(w, key, text);
}

/* The same key twice would be an error: leading zeros tell entries for the same
 * ports apart ("5-5", "05-5"). */
static void ports(struct writer *w, const struct switch_conf *c)
{
	char key[64], only[96];

	writer_open(w, "ports", '{', false);
	for (int i = 0; i < c->nports; i++) {
		const struct switch_ports_conf *p = &c->ports[i];
		int again = 0;
		for (int k = 0; k < i; k++)
			again += c->ports[k].from == p->from && c->ports[k].to == p->to;
		snprintf(key, sizeof key, "%.*s%d-%d", again, "00000000000000000000", (int)p->from, (int)p->to);
		snprintf(only, sizeof only, " %s%s%s%s%s%s", p->alpha.den ? "alpha " : "",
			 p->xoff_bytes != SWITCH_AS_IS ? "xoff " : "", p->xon_bytes != SWITCH_AS_IS ? "xon " : "",
			 p->xon_offset_bytes != SWITCH_AS_IS ? "xon_offset " : "",
			 p->reserved_bytes != SWITCH_AS_IS ? "reserved " : "",
			 p->headroom_bytes != SWITCH_AS_IS ? "headroom " : "");
		writer_open(w, key, '{', true);
		writer_table(w, switch_ports_params, only, p);
		if (p->priorities >= 0)
			mask(w, "priorities", p->priorities);
		if (p->pfc != SWITCH_AS_IS)
			mask(w, "pfc", p->pfc);
		if (p->watchdog != SWITCH_AS_IS)
			writer_raw(w, "watchdog", p->watchdog ? "true" : "false");
		writer_close(w, '}');
	}
	writer_close(w, '}');
}

/* What a rule holds for here; nodes with the same neighbours share it. */
static void remap(struct writer *w, const struct run *run, const struct switch_conf *c)
{
	if (!c->nremaps)
		return;
	writer_open(w, "remap", '{', false);
	for (int i = 0; i < c->nremaps; i++) {
		const struct switch_remap_conf *r = &c->remap[i];

		writer_open(w, r->name, '{', true);
		names(w, "from", (const char *const *)r->from, r->froms);
		names(w, "to", (const char *const *)r->to, r->tos);
		writer_open(w, "class", '{', true);
		for (int k = 0; k < run->nclasses; k++)
			if (r->class_to[k] >= 0)
				writer_text(w, run->classes[k].name, run->classes[r->class_to[k]].name);
		writer_close(w, '}');
		writer_close(w, '}');
	}
	writer_close(w, '}');
}

static void one_switch(struct writer *w, const struct run *run, int i)
{
	const struct switch_conf *c = &run->switches[i];
	char key[16], value[24];

	writer_table(w, switch_params, NULL, c);
	part(w, "buffer", mmu_params, &c->buffer);
	part(w, "pfc", pfc_params, &c->pfc);
	writer_open(w, "ecn", '{', false);
	for (int k = 0; k < run->nclasses; k++) {
		if (c->ecn[k].on)
			part(w, run->classes[k].name, ecn_params, &c->ecn[k]);
	}
	writer_close(w, '}');
	if (c->watchdog.on)
		part(w, "watchdog", watchdog_params, &c->watchdog);
	ports(w, c);
	remap(w, run, c);
	writer_open(w, "dscp", '{', true);
	for (int d = 0; d < FABRIC_DSCPS; d++) {
		if (c->dscp_to_tc[d] < 0)
			continue;
		snprintf(key, sizeof key, "%d", d);
		snprintf(value, sizeof value, "%lld", (long long)c->dscp_to_tc[d]);
		writer_raw(w, key, value);
	}
	writer_close(w, '}');
}

static void one_nic(struct writer *w, const struct run *run, int i)
{
	const struct nic_conf *c = &run->nics[i];
	char value[24];

	writer_table(w, nic_params, NULL, c);
	writer_open(w, "cc", '{', false);
	part(w, c->cc->name, c->cc->params, c->cc_conf);
	writer_close(w, '}');
	part(w, "pfc", pfc_params, &c->pfc);
	if (c->cnp_class >= 0)
		writer_text(w, "cnp_class", run->classes[c->cnp_class].name);
	if (c->ack_class >= 0)
		writer_text(w, "ack_class", run->classes[c->ack_class].name);
	writer_open(w, "dscp", '{', true);
	for (int k = 0; k < run->nclasses; k++) {
		snprintf(value, sizeof value, "%lld", (long long)c->dscp[k]);
		if (c->dscp[k] >= 0)
			writer_raw(w, run->classes[k].name, value);
	}
	writer_close(w, '}');
}

typedef void print_node(struct writer *w, const struct run *run, int i);

/* One node's settings, as they will stand three levels deep. */
static char *node_text(const struct run *run, print_node *print, int i)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = mem_stream(&text, &size);
	struct writer w = {.out = out, .depth = 3};

	print(&w, run, i);
	mem_stream_close(out);
	return text;
}

/* Nodes with the same text share an entry. */
static void nodes(struct writer *w, const char *key, const struct run *run, const char **list,
		  int n, print_node *print)
{
	char **texts = mem_zalloc((size_t)n * sizeof *texts + 1);

	for (int i = 0; i < n; i++)
		texts[i] = node_text(run, print, i);
	writer_alike(w, key, list, texts, n);
	free(texts);
}

/* ----------------------------------------------------------------- traffic */

static void cdf(struct writer *w, const struct workload_cdf *c)
{
	char text[64];

	writer_open(w, "cdf", '[', false);
	for (int i = 0; i < c->n; i++) {
		writer_open(w, NULL, '[', true);
		writer_text(w, NULL,
			    units_exact(c->size_bytes[i], UNITS_BYTES, text, sizeof text));
		jsonc_real(c->fraction[i], text, sizeof text);
		writer_raw(w, NULL, text);
		writer_close(w, ']');
	}
	writer_close(w, ']');
}

/* The rows as flowlist.h reads them. */
static void flows(struct writer *w, const struct workload_conf *c)
{
	char size[40], start[40], text[300];

	writer_open(w, "flows", '[', false);
	for (int64_t i = 0; i < c->nlist; i++) {
		const struct workload_flow *f = &c->list[i];

		snprintf(text, sizeof text, "%s,%s,%s,%s", c->from[f->from], c->to[f->to],
			 units_exact(f->size_bytes, UNITS_BYTES, size, sizeof size),
			 units_exact(f->start_ps, UNITS_TIME, start, sizeof start));
		writer_text(w, NULL, text);
	}
	writer_close(w, ']');
}

/* What a kind calls its senders and receivers (see traffic.c). */
static void host_keys(enum workload_kind kind, const char **from, const char **to)
{
	bool served = kind == WORKLOAD_REQUEST_RESPONSE || kind == WORKLOAD_STORAGE_WRITE;
	bool pair = kind == WORKLOAD_FLOW || kind == WORKLOAD_STREAM || kind == WORKLOAD_INCAST;

	*from = served ? "clients" : pair ? "from" : "hosts";
	*to = served ? "servers" : "to";
}

static int list(struct writer *w, const struct workload_conf *c, const char *dir)
{
	char *file;

	if (!dir || c->nlist <= FLOWLIST_SHORT) {
		flows(w, c);
		return 0;
	}
	file = mem_printf(FLOWLIST_FOLDER "/%s.csv", c->name);
	writer_text(w, "file", file);
	free(file);
	return flowlist_write(c, dir, c->name);
}

static int traffic(struct writer *w, const struct run *run, const char *dir)
{
	const char *from, *to;
	int rc = 0;

	writer_open(w, "traffic", '{', false);
	for (int i = 0; i < run->ntraffic; i++) {
		const struct workload_conf *c = &run->traffic[i];
		enum workload_kind kind = (enum workload_kind)c->kind;

		host_keys(kind, &from, &to);
		writer_open(w, c->name, '{', false);
		writer_text(w, "class", run->classes[c->class_].name);
		writer_open(w, workload_kind_name(kind), '{', false);
		if (kind != WORKLOAD_LIST)
			names(w, from, (const char *const *)c->from, c->nfrom);
		if (c->nto && kind != WORKLOAD_LIST)
			names(w, to, (const char *const *)c->to, c->nto);
		writer_table(w, workload_params(kind), NULL, c);
		if (kind == WORKLOAD_POISSON)
			cdf(w, &c->cdf);
		if (kind == WORKLOAD_LIST)
			rc |= list(w, c, dir);
		writer_close(w, '}');
		writer_close(w, '}');
	}
	writer_close(w, '}');
	return rc;
}

/* One entry's routes are all of at x to, in that order. */
static int route(struct writer *w, const struct run *run, int first)
{
	const struct route_conf *r = &run->routes[first];
	const char **list = mem_zalloc((size_t)run->nroutes * sizeof *list);
	int n = first, tos = 0, ats = 0;

	while (n < run->nroutes && strcmp(run->routes[n].name, r->name) == 0)
		n++;
	writer_open(w, r->name, '{', false);
	for (int i = first; i < n && strcmp(run->routes[i].at, r->at) == 0; i++)
		list[tos++] = run->routes[i].to;
	names(w, "to", list, tos);
	for (int i = first; i < n; i += tos)
		list[ats++] = run->routes[i].at;
	names(w, "at", list, ats);
	if (r->vias)
		names(w, "via", (const char *const *)r->via, r->vias);
	if (r->flood)
		writer_raw(w, "flood", "true");
	if (r->drop)
		writer_raw(w, "drop", "true");
	writer_close(w, '}');
	free(list);
	return n;
}

static void fault(struct writer *w, const struct run *run, const struct fault_conf *f)
{
	static const char *const kinds[] = {"link_down", "nic_storm", "slow_receiver", "drop",
					    "pause_frames", "bit_errors", "link_slow"};
	static const char *const rows[] = {" at for ", " at for ", " at for rate ",
					   " at for every count ", " at for quanta period frame ", " at for ber ",
					   " at for rate "};

	writer_open(w, f->name, '{', false);
	writer_open(w, kinds[f->kind], '{', true);
	if (f->kind == FAULT_LINK_DOWN || f->kind == FAULT_BIT_ERRORS || f->kind == FAULT_LINK_SLOW) {
		writer_text(w, "a", f->a);
		writer_text(w, "b", f->b);
	} else if (f->kind == FAULT_DROP) {
		writer_text(w, "node", f->a);
		if (f->b)
			writer_text(w, "from", f->b);
	} else {
		writer_text(w, "host", f->a);
	}
	if (f->kind == FAULT_NIC_STORM || f->kind == FAULT_PAUSE_FRAMES)
		writer_text(w, "class", run->classes[f->class_].name);
	writer_table(w, fault_params, rows[f->kind], f);
	writer_close(w, '}');
	writer_close(w, '}');
}

static void sizes(struct writer *w, const struct run *run)
{
	char text[32];

	writer_open(w, "sizes", '[', true);
	for (int i = 0; i < run->nsizes; i++)
		writer_text(w, NULL, units_exact(run->sizes_bytes[i], UNITS_BYTES, text, sizeof text));
	writer_close(w, ']');
}

static void series(struct writer *w, const struct scenario_series *s)
{
	static const char *const columns[] = {"queue", "group", "rate", "pause", "flows", "marks"};
	char every[32];

	writer_open(w, s->name, '{', true);
	writer_text(w, "match", s->written);
	if (s->what) {
		writer_open(w, "what", '[', true);
		for (int i = 0; i < 6; i++) {
			if (s->what & (1u << i))
				writer_text(w, NULL, columns[i]);
		}
		writer_close(w, ']');
	}
	writer_text(w, "every", units_exact(s->every_ps, UNITS_TIME, every, sizeof every));
	writer_close(w, '}');
}

/* --------------------------------------------------------------------- all */

static void head_and_run(struct writer *w, const struct run *run,
			 const struct resolved_head *head)
{
	writer_text(w, "schema", "xoff.experiment/1");
	writer_text(w, "name", head->name);
	if (head->about[0])
		writer_text(w, "about", head->about);
	if (head->source[0])
		writer_text(w, "source", head->source);
	writer_open(w, "run", '{', false);
	writer_table(w, run_params, NULL, &run->conf);
	writer_close(w, '}');
}

int resolved_print(const struct run *run, const struct resolved_head *head, FILE *out)
{
	struct writer w = {.out = out};
	int rc;

	writer_open(&w, NULL, '{', false);
	head_and_run(&w, run, head);
	classes(&w, run);
	nodes(&w, "switches", run, run->topo.switches, run->topo.nswitches, one_switch);
	nodes(&w, "nics", run, run->topo.hosts, run->topo.nhosts, one_nic);
	rc = traffic(&w, run, head->dir);
	writer_open(&w, "routes", '{', false);
	for (int i = 0; i < run->nroutes;)
		i = route(&w, run, i);
	writer_close(&w, '}');
	writer_open(&w, "faults", '{', false);
	for (int i = 0; i < run->nfaults; i++)
		fault(&w, run, &run->faults[i]);
	writer_close(&w, '}');
	writer_open(&w, "record", '{', false);
	sizes(&w, run);
	writer_open(&w, "series", '{', false);
	for (int i = 0; i < run->nseries; i++)
		series(&w, &run->series[i]);
	writer_close(&w, '}');
	writer_close(&w, '}');
	topology(&w, &run->topo);
	if (head->rules[0]) {
		writer_open(&w, "expect", '[', false);
		for (int i = 0; head->rules[i]; i++)
			writer_text(&w, NULL, head->rules[i]);
		writer_close(&w, ']');
	}
	writer_close(&w, '}');
	return ferror(out) ? -1 : rc;
}
