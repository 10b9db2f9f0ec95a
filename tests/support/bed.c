#include "tests/support/bed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"

static void bed_must(int failed, const struct sim_error *err)
{
	if (!failed)
		return;
	fprintf(stderr, "bed: %s %s\n", err->where, err->text);
	fflush(stderr);
	abort();
}

void bed_open(struct bed *b, int64_t until_ps)
{
	static const struct class_conf classes[BED_CLASSES] = {
		[BED_RDMA] = { .dscp = 26, .tc = 3, .priority = 3, .lossless = true, .weight = 1 },
		[BED_CNP] = { .dscp = 48, .tc = 6, .priority = 6, .strict = true, .weight = 1 },
		[BED_BULK] = { .dscp = 10, .tc = 1, .priority = 1, .weight = 1 },
		[BED_SCAVENGER] = { .dscp = 8, .tc = 0, .priority = 0, .weight = 1 },
	};
	static const char *const names[BED_CLASSES] = { "rdma", "cnp", "bulk", "scavenger" };

	*b = (struct bed){ 0 };
	param_defaults(run_params, &b->run);
	b->run.until_ps = until_ps;
	memcpy(b->classes, classes, sizeof classes);
	for (int c = 0; c < BED_CLASSES; c++) {
		snprintf(b->names[c], sizeof b->names[c], "%s", names[c]);
		b->classes[c].name = b->names[c];
	}
	param_defaults(switch_params, &b->sw);
	param_defaults(mmu_params, &b->sw.buffer);
	param_defaults(pfc_params, &b->sw.pfc);
	param_defaults(watchdog_params, &b->sw.watchdog);
	b->sw.buffer.cell_bytes = 1;
	for (int c = 0; c < FABRIC_CLASSES; c++)
		param_defaults(ecn_params, &b->sw.ecn[c]);
	for (int d = 0; d < FABRIC_DSCPS; d++)
		b->sw.dscp_to_tc[d] = -1;
	param_defaults(nic_params, &b->nic);
	param_defaults(pfc_params, &b->nic.pfc);
	bed_cc(b, "none", NULL, NULL);
	b->nic.cnp_class = BED_CNP;
	b->nic.ack_class = -1;
	for (int c = 0; c < FABRIC_CLASSES; c++)
		b->nic.dscp[c] = -1;
	param_defaults(link_params, &b->link);
}

void bed_close(struct bed *b)
{
	fabric_free(&b->f);
	free(b->log);
	for (int i = 0; i < b->ccs; i++)
		free(b->cc_confs[i]);
	*b = (struct bed){ 0 };
}

static void bed_setting(struct bed *b, const char *key, const char *value)
{
	struct sim_error err;
	const struct param *row = param_find(b->nic.cc->params, key);

	error_init(&err);
	bed_must(row ? param_set(row, b->nic.cc_conf, value, &err)
		     : error_set(&err, key, "no such setting"), &err);
}

void bed_cc(struct bed *b, const char *name, const char *preset, const char *const *settings)
{
	b->nic.cc = cc_find(name);
	if (b->ccs == BED_CCS)
		abort();
	b->nic.cc_conf = b->cc_confs[b->ccs++] = mem_zalloc(b->nic.cc->conf_size);
	param_defaults(b->nic.cc->params, b->nic.cc_conf);
	for (const struct cc_preset *p = b->nic.cc->presets; p && p->name; p++)
		if (preset && !strcmp(p->name, preset))
			for (const char *const *s = p->settings; *s; s += 2)
				bed_setting(b, s[0], s[1]);
	for (const char *const *s = settings; s && *s; s += 2)
		bed_setting(b, s[0], s[1]);
}

/* ---- adding ---- */

static struct fabric *bed_fabric(struct bed *b)
{
	if (!b->f)
		b->f = fabric_new(&b->run, b->classes, BED_CLASSES);
	return b->f;
}

void bed_host(struct bed *b, const char *name)
{
	struct sim_error err;

	error_init(&err);
	bed_must(fabric_add_host(bed_fabric(b), name, &b->nic, &err), &err);
}

void bed_switch(struct bed *b, const char *name)
{
	struct sim_error err;

	error_init(&err);
	bed_must(fabric_add_switch(bed_fabric(b), name, &b->sw, &err), &err);
}

void bed_link(struct bed *b, const char *x, int x_port, const char *y, int y_port,
	      int64_t rate_bps, int64_t delay_ps)
{
	struct sim_error err;

	error_init(&err);
	b->link.rate_bps = rate_bps;
	b->link.delay_ps = delay_ps;
	bed_must(fabric_add_link(bed_fabric(b), x, x_port, y, y_port, &b->link, &err), &err);
}

void bed_leaf(struct bed *b, const char *host, const char *sw, int sw_port, int64_t rate_bps,
	      int64_t delay_ps)
{
	bed_host(b, host);
	bed_link(b, host, 0, sw, sw_port, rate_bps, delay_ps);
}

static void bed_way(struct bed *b, const char *at, const char *to, const char *via)
{
	char name[64], *ways[] = { (char *)(uintptr_t)via };
	struct route_conf r = { .name = name, .at = (char *)(uintptr_t)at,
				.to = (char *)(uintptr_t)to, .via = ways, .vias = via != NULL,
				.flood = via == NULL };
	struct sim_error err;

	error_init(&err);
	snprintf(name, sizeof name, "%s-%s", at, to);
	bed_must(fabric_add_route(bed_fabric(b), &r, &err), &err);
}

void bed_route(struct bed *b, const char *at, const char *to, const char *via)
{
	bed_way(b, at, to, via);
}

void bed_flood(struct bed *b, const char *at, const char *to) { bed_way(b, at, to, NULL); }

void bed_traffic(struct bed *b, struct workload_conf w, const char *name)
{
	struct sim_error err;

	error_init(&err);
	w.name = (char *)(uintptr_t)name;
	w.class_ = b->class_;
	w.qps = w.qps ? w.qps : 1;
	w.replicas = w.replicas ? w.replicas : 1;
	w.stop_ps = w.stop_ps ? w.stop_ps : UNITS_NEVER;
	w.load.den = w.load.den ? w.load.den : 1;
	w.jitter.den = w.jitter.den ? w.jitter.den : 1;
	bed_must(fabric_add_traffic(bed_fabric(b), &w, &err), &err);
}

static void bed_pair(struct bed *b, struct workload_conf w, const char *name, const char *from,
		     const char *to)
{
	char *source = (char *)(uintptr_t)from, *sink = (char *)(uintptr_t)to;

	w.from = &source;
	w.to = &sink;
	w.nfrom = w.nto = 1;
	bed_traffic(b, w, name);
}

void bed_stream(struct bed *b, const char *name, const char *from, const char *to,
		int64_t rate_bps, int64_t frame_bytes, int64_t start_ps, int64_t stop_ps)
{
	bed_pair(b, (struct workload_conf){ .kind = WORKLOAD_STREAM, .rate_bps = rate_bps,
		.frame_bytes = frame_bytes, .start_ps = start_ps, .stop_ps = stop_ps }, name, from,
		to);
}

void bed_flow(struct bed *b, const char *name, const char *from, const char *to,
	      int64_t size_bytes, int64_t count)
{
	bed_pair(b, (struct workload_conf){ .kind = WORKLOAD_FLOW, .size_bytes = size_bytes,
		.count = count }, name, from, to);
}

void bed_fault(struct bed *b, const struct fault_conf *fault)
{
	struct sim_error err;

	error_init(&err);
	bed_must(fabric_add_fault(bed_fabric(b), fault, &err), &err);
}

void bed_storm(struct bed *b, const char *host, int64_t at_ps, int64_t lasts_ps)
{
	char name[64];

	snprintf(name, sizeof name, "storm-%s", host);
	bed_fault(b, &(struct fault_conf){ .name = name, .kind = FAULT_NIC_STORM,
		.a = (char *)(uintptr_t)host, .class_ = BED_RDMA, .at_ps = at_ps,
		.lasts_ps = lasts_ps });
}

/* ---- running and looking ---- */

void bed_finish(struct bed *b)
{
	struct sim_error err;

	error_init(&err);
	bed_must(fabric_finish(b->f, &err), &err);
	b->finished = true;
}

static void bed_sink(void *ctx, const struct record *rec)
{
	struct bed *b = ctx;

	if (b->logged == b->log_room) {
		b->log_room = b->log_room ? 2 * b->log_room : 1024;
		b->log = mem_grow(b->log, (size_t)b->log_room * sizeof *b->log);
	}
	b->log[b->logged++] = *rec;
}

void bed_watch(struct bed *b, uint64_t kinds)
{
	if (!b->finished)
		bed_finish(b);
	fabric_add_sink(b->f, kinds, bed_sink, b);
}

void bed_run(struct bed *b)
{
	struct sim_error err;

	error_init(&err);
	if (!b->finished)
		bed_finish(b);
	fabric_run(b->f, NULL);
	bed_must(view_conservation(b->f, &err), &err);
}

uint32_t bed_node(const struct bed *b, const char *name)
{
	for (uint32_t n = 0; n < view_nodes(b->f); n++)
		if (!strcmp(view_node_name(b->f, n), name))
			return n;
	return VIEW_NONE;
}

uint32_t bed_port(const struct bed *b, const char *node, int number)
{
	uint32_t n = bed_node(b, node), first = view_first_port(b->f, n);

	for (uint32_t p = first; p < first + view_port_count(b->f, n); p++)
		if (view_port(b->f, p).number == number)
			return p;
	return VIEW_NONE;
}

struct view_counters bed_counters(const struct bed *b, const char *node, int number, int prio)
{
	return view_counters(b->f, bed_port(b, node, number), prio);
}

struct view_workload bed_workload(const struct bed *b, const char *name)
{
	for (int w = 0; w < view_workloads(b->f); w++)
		if (!strcmp(view_workload(b->f, w).name, name))
			return view_workload(b->f, w);
	abort();
}

const struct record *bed_record(const struct bed *b, int kind, uint32_t port, int n)
{
	for (int i = 0; i < b->logged; i++)
		if (b->log[i].kind == kind && (port == VIEW_NONE || b->log[i].port == port) &&
		    n-- == 0)
			return &b->log[i];
	return NULL;
}

int bed_count(const struct bed *b, int kind, uint32_t port)
{
	int n = 0;

	for (int i = 0; i < b->logged; i++)
		n += b->log[i].kind == kind && (port == VIEW_NONE || b->log[i].port == port);
	return n;
}
