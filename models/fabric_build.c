/* fabric_finish: from what was added to what runs, in order of names. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "models/fabric_inside.h"
#include "sim/mem.h"

int fabric_natural(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			while (*a == '0' && isdigit((unsigned char)a[1]))
				a++;
			while (*b == '0' && isdigit((unsigned char)b[1]))
				b++;
			size_t na = strspn(a, "0123456789"), nb = strspn(b, "0123456789");
			if (na != nb)
				return na < nb ? -1 : 1;
			int c = strncmp(a, b, na);
			if (c)
				return c;
			a += na;
			b += nb;
		} else if (*a != *b) {
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		} else {
			a++;
			b++;
		}
	}
	return *a ? 1 : *b ? -1 : 0;
}

static int by_name(const char *a, const char *b)
{
	int c = fabric_natural(a, b);
	return c ? c : strcmp(a, b);
}
static int node_order(const void *a, const void *b)
{
	return by_name(((const struct added_node *)a)->name, ((const struct added_node *)b)->name);
}
static int traffic_order(const void *a, const void *b)
{
	return by_name(((const struct workload_conf *)a)->name, ((const struct workload_conf *)b)->name);
}
static int fault_order(const void *a, const void *b)
{
	return by_name(((const struct fault_conf *)a)->name, ((const struct fault_conf *)b)->name);
}
static int route_order(const void *a, const void *b)
{
	return by_name(((const struct route_conf *)a)->name, ((const struct route_conf *)b)->name);
}

uint32_t fabric_find(const struct fabric *f, const char *name)
{
	int lo = 0, hi = f->nodes;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2, c = by_name(f->node[mid].name, name);
		if (c == 0)
			return (uint32_t)mid;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NET_NONE;
}

/* ---- nodes and ports ---- */

static void make_nodes(struct fabric *f)
{
	struct net *net = &f->net;

	qsort(f->node, (size_t)f->nodes, sizeof *f->node, node_order);
	if (f->traffics)
		qsort(f->traffic, (size_t)f->traffics, sizeof *f->traffic, traffic_order);
	if (f->faults)
		qsort(f->fault, (size_t)f->faults, sizeof *f->fault, fault_order);
	if (f->routes)
		qsort(f->route, (size_t)f->routes, sizeof *f->route, route_order);
	net->nnodes = (uint32_t)f->nodes;
	net->nodes = arena_take(&net->arena, net->nnodes * sizeof *net->nodes);
	f->by_id = mem_zalloc(net->nnodes * sizeof *f->by_id);
	for (uint32_t i = 0; i < net->nnodes; i++) {
		f->by_id[i] = f->node[i].id = i;
		net->nodes[i] = (struct node){ .name = f->node[i].name, .is_switch = f->node[i].is_switch, .id = i };
	}
}

struct end { uint32_t node; int number, link; };

static int end_order(const void *pa, const void *pb)
{
	const struct end *a = pa, *b = pb;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static int find_ends(const struct fabric *f, struct end *end, struct sim_error *err)
{
	for (int i = 0; i < f->links; i++) {
		const struct added_link *l = &f->link[i];
		uint32_t a = fabric_find(f, l->a), b = fabric_find(f, l->b);
		if (a == NET_NONE || b == NET_NONE)
			return error_set(err, "", "a link names \"%s\", and there is no such node",
					 a == NET_NONE ? l->a : l->b);
	}
	for (int i = 0; i < f->links; i++) {
		const struct added_link *l = &f->link[i];
		end[2 * i] = (struct end){ fabric_find(f, l->a), l->a_port, i };
		end[2 * i + 1] = (struct end){ fabric_find(f, l->b), l->b_port, i };
	}
	qsort(end, (size_t)f->links * 2, sizeof *end, end_order);
	for (int i = 1; i < 2 * f->links; i++)
		if (end[i].node == end[i - 1].node && end[i].number == end[i - 1].number)
			return error_set(err, "", "two links use port %d of %s", end[i].number,
					 f->node[end[i].node].name);
	return 0;
}

static void make_port(struct fabric *f, uint32_t id, const struct end *e)
{
	struct net *net = &f->net;
	struct node *n = &net->nodes[e->node];
	struct port *p = &net->ports[id];
	const struct added_node *a = &f->node[e->node];
	const struct link_conf *l = &f->link[e->link].conf;
	char name[512];

	if (!n->ports)
		n->first_port = id;
	snprintf(name, sizeof name, "%s:%d", n->name, e->number);
	port_init(p, l->rate_bps, link_delay_ps(l), a->is_switch ? &a->sw.pfc : &a->nic.pfc,
		  rng_named(net->seed, name));
	p->node = e->node;
	p->number = (uint16_t)e->number;
	p->local = (uint16_t)n->ports++;
}

static int make_ports(struct fabric *f, struct sim_error *err)
{
	struct net *net = &f->net;
	struct end *end = mem_zalloc((size_t)f->links * 2 * sizeof *end);
	uint32_t *first = mem_zalloc((size_t)f->links * sizeof *first);

	if (find_ends(f, end, err)) {
		free(end);
		free(first);
		return -1;
	}
	net->nports = (uint32_t)f->links * 2;
	net->ports = arena_take(&net->arena, (net->nports + 1) * sizeof *net->ports);
	net->stats = arena_take(&net->arena, (net->nports + 1) * 8 * sizeof *net->stats);
	net->queue_stats = arena_take(&net->arena, (net->nports + 1) * 8 * sizeof *net->queue_stats);
	net->decide = arena_take(&net->arena, (2 * (size_t)net->nports + 2) * sizeof *net->decide);
	for (uint32_t i = 0; i < net->nports; i++) {
		make_port(f, i, &end[i]);
		uint32_t *seen = &first[end[i].link];
		if (*seen) {
			net->ports[i].peer = *seen - 1;
			net->ports[*seen - 1].peer = i;
		} else {
			*seen = i + 1;
		}
	}
	free(end);
	free(first);
	return 0;
}

/* ---- classes on ports ---- */

static void class_masks(const struct fabric *f, struct port *p)
{
	int64_t weights[8] = { 0 };
	unsigned strict = 0;

	memset(p->queues_of, 0, sizeof p->queues_of);
	for (int c = 0; c < f->nclasses; c++) {
		const struct class_conf *k = &f->classes[c];
		weights[k->tc] = k->weight;
		if (k->strict)
			strict |= 1u << k->tc;
		p->queues_of[k->priority] |= (uint8_t)(1u << k->tc);
	}
	sched_init(&p->sched, strict, weights);
}

static uint8_t lossless_mask(const struct fabric *f, const struct pfc_conf *pfc)
{
	uint8_t mask = 0;
	for (int c = 0; c < f->nclasses; c++)
		if (f->classes[c].lossless && pfc->enable)
			mask |= (uint8_t)(1u << f->classes[c].priority);
	return mask;
}

/* ---- switches ---- */

static void make_maps(const struct fabric *f, const struct switch_conf *c, struct switch_node *sw)
{
	int64_t tc[64];
	uint8_t prio[8];

	for (int t = 0; t < 8; t++)
		prio[t] = 0;
	for (int i = 0; i < f->nclasses; i++)
		prio[f->classes[i].tc] = (uint8_t)f->classes[i].priority;
	for (int d = 0; d < 64; d++)
		tc[d] = c->default_tc;
	for (int i = 0; i < f->nclasses; i++)
		tc[f->classes[i].dscp] = f->classes[i].tc;
	for (int d = 0; d < 64; d++) {
		if (c->dscp_to_tc[d] >= 0)
			tc[d] = c->dscp_to_tc[d];
		if (c->trust == SWITCH_TRUST_PCP)
			tc[d] = c->default_tc;
		sw->queue_of[d] = (uint8_t)tc[d];
		sw->prio_of[d] = prio[tc[d]];
	}
	for (int i = 0; i < f->nclasses; i++)
		if (c->ecn[i].on) {
			sw->ecn[f->classes[i].tc] = c->ecn[i];
			sw->ecn_mask[c->ecn[i].where] |= (uint8_t)(1u << f->classes[i].tc);
			if (c->ecn[i].pi_ref_bytes)
				sw->ecn[f->classes[i].tc].kmin_bytes = -1;	/* every frame asks */
		}
}

/* Does a priority group stand for several queues?  Then the queues have counters of their own. */
static bool shares_a_group(const struct switch_node *sw)
{
	uint8_t queues[8] = { 0 };
	bool shared = false;

	for (int d = 0; d < 64; d++)
		queues[sw->prio_of[d]] |= (uint8_t)(1u << sw->queue_of[d]);
	for (int prio = 0; prio < 8; prio++)
		shared |= (queues[prio] & (queues[prio] - 1)) != 0;
	return shared;
}

static int make_switch(struct fabric *f, uint32_t id, struct fabric_headroom_memo *memo, struct sim_error *err)
{
	struct net *net = &f->net;
	const struct switch_conf *c = &f->node[id].sw;
	struct switch_node *sw = f->sw[id] = arena_take(&f->net.arena, sizeof *sw);
	struct node *n = &net->nodes[id];
	int lanes = 0;

	sw->node = n;
	n->self = sw;
	sw->buffer = c->buffer;
	sw->latency_ps = c->latency_ps;
	sw->mtu_bytes = c->mtu_bytes;
	sw->flood_per_copy = c->flood_per_copy;
	sw->balance = c->balance;
	sw->flowlet_gap_ps = c->flowlet_gap_ps;
	sw->spray = rng_named((uint64_t)f->run.seed ^ UINT64_C(0x7370726179), n->name);
	if (sw->balance == SWITCH_BALANCE_FLOWLET)
		sw->flowlet = arena_take(&net->arena, SWITCH_FLOWLETS * sizeof *sw->flowlet);
	f->sprays |= sw->balance != SWITCH_BALANCE_FLOW;
	sw->reroute = c->reroute;
	sw->reroute_delay_ps = c->reroute_delay_ps;
	sw->avoid = arena_take(&net->arena, n->ports * sizeof *sw->avoid);
	sw->fits = arena_take(&net->arena, n->ports * sizeof *sw->fits);
	sw->watchdog_conf = c->watchdog;
	sw->ports_conf = c->ports;
	sw->nports_conf = c->nports;
	sw->lossless = lossless_mask(f, &c->pfc);
	make_maps(f, c, sw);
	if (fabric_remap(f, c, sw, err))
		return -1;
	for (int prio = 0; prio < 8; prio++)
		for (int as = 0; as < 8 && sw->lossless >> prio & 1; as++)
			if (sw->leaves_as[prio] >> as & 1)
				sw->lane[prio][as] = (uint8_t)lanes++;
	sw->held = arena_take(&net->arena, (size_t)lanes * n->ports * n->ports * sizeof *sw->held);
	for (int i = 0; i < f->nclasses; i++)
		if (c->ecn[i].on && c->ecn[i].pi_ref_bytes && !sw->pi)
			sw->pi = arena_take(&net->arena, (size_t)n->ports * 8 * sizeof *sw->pi);
	sw->pint = f->pint ? arena_take(&net->arena, n->ports * sizeof *sw->pint) : NULL;
	sw->dropping = arena_take(&net->arena, n->ports);
	sw->refusing = arena_take(&net->arena, n->ports);
	for (uint32_t i = 0; i < n->ports; i++) {
		class_masks(f, switch_port(net, sw, i));
		switch_port(net, sw, i)->by_queue = shares_a_group(sw);
	}
	route_init(&sw->route, arena_take(&net->arena, net->nnodes * sizeof(uint32_t)), net->nnodes,
		   rng_hash_text((uint64_t)f->run.seed, n->name));
	if (fabric_buffer_make(f, sw, memo, err))
		return -1;
	watchdog_init(net, sw, &sw->watchdog_conf);
	return 0;
}

/* ---- hosts ---- */

static void make_nic(struct fabric *f, uint32_t id)
{
	struct net *net = &f->net;
	struct nic_conf *c = &f->node[id].nic;
	struct nic *nic = f->hosts.nic[id] = arena_take(&net->arena, sizeof *nic);
	struct node *n = &net->nodes[id];

	nic->node = n;
	n->self = nic;
	c->retry_timeout_ps = nic_timeout_ps(c);
	nic->conf = *c;
	nic->telemetry = nic_conf_telemetry(c);
	nic->port = arena_take(&net->arena, (n->ports + 1) * sizeof *nic->port);
	nic->lossless = lossless_mask(f, &c->pfc);
	nic->storm_wd_ps = UNITS_NEVER;
	for (int i = 0; i < f->nclasses; i++) {
		nic->dscp[i] = (uint8_t)(c->dscp[i] >= 0 ? c->dscp[i] : f->classes[i].dscp);
		nic->prio[i] = (uint8_t)f->classes[i].priority;
		nic->queue[i] = (uint8_t)f->classes[i].tc;
	}
	for (uint32_t i = 0; i < n->ports; i++) {
		class_masks(f, &net->ports[n->first_port + i]);
		net->ports[n->first_port + i].deaf = (uint8_t)~nic->lossless;
	}
}

/* ---- all of it ---- */

static void path_facts(void *ctx, uint32_t src, uint32_t dst, uint32_t hash, int class_, struct cc_path *out)
{
	const struct fabric *f = ctx;
	uint32_t ports[IDEAL_PATH_MAX];
	int links = fabric_path(f, src, dst, hash, ports, IDEAL_PATH_MAX);
	const struct nic_conf *nic = &f->hosts.nic[src]->conf;
	int64_t extra = f->hosts.nic[src]->telemetry.bytes;
	int64_t full = nic->mtu_bytes + FRAME_ROCE_BYTES + extra;

	(void)class_;
	out->hops = links > 0 ? links : 0;
	out->base_rtt_ps = 0;
	for (int i = 0; i < links; i++) {
		const struct port *p = &f->net.ports[ports[i]];
		const struct switch_node *sw = f->sw[p->node];
		int64_t bps = port_built_bps(&f->net, p);
		out->base_rtt_ps += 2 * p->delay_ps + units_tx_ps(full + 8, bps) +
				    units_tx_ps(FRAME_ACK_BYTES + extra + 8, bps) + (sw ? 2 * sw->latency_ps : 0);
	}
}

/* Estimates for the pools: what can be in flight and in buffers at once. */
static void make_pools(struct fabric *f)
{
	struct net *net = &f->net;
	uint64_t frames = 4096, qps = 1024;

	for (uint32_t i = 0; i < net->nports; i++)
		frames += 16 + (uint64_t)(units_bytes_in(net->ports[i].delay_ps, net->ports[i].rate_bps) / 500);
	for (int i = 0; i < f->traffics; i++) {
		const struct workload_conf *c = &f->traffic[i];
		uint64_t n = (uint64_t)c->nfrom, to = (uint64_t)(c->nto ? c->nto : 1);
		if (c->kind == WORKLOAD_ALL_TO_ALL)
			qps += n * n;
		else if (c->kind == WORKLOAD_POISSON || c->kind == WORKLOAD_LIST)
			qps += n * 256;
		else
			qps += n * to * (uint64_t)(c->qps > 0 ? c->qps : 1) * 2;
	}
	frames += (uint64_t)f->nodes * 256;
	if (frames > 1u << 24)
		frames = 1u << 24;
	if (qps > 1u << 24)
		qps = 1u << 24;
	size_t state = 0;
	bool telemetry = false;
	for (int i = 0; i < f->nodes; i++)
		if (!f->node[i].is_switch) {
			const struct cc_ops *cc = f->node[i].nic.cc;
			state = cc->state_size > state ? cc->state_size : state;
			telemetry |= (cc->needs & CC_NEED_INT) != 0;
			f->pint |= nic_conf_telemetry(&f->node[i].nic).base > 0;
		}
	net->engine = engine_new((enum engine_queue)f->run.queue, net->nports * 3 + (uint32_t)qps);
	pool_init(&net->frames, sizeof(struct frame), (uint32_t)frames, 1u << 27);
	pool_init(&net->telemetry, sizeof(struct telemetry), telemetry ? (uint32_t)frames : 1, 1u << 24);
	pool_init(&net->copies, sizeof(struct switch_copy), 64, 1u << 24);
	pool_init(&f->hosts.qps, host_qp_bytes(state), (uint32_t)qps, 1u << 25);
	pool_init(&f->hosts.remotes, sizeof(struct qp_remote), (uint32_t)qps, 1u << 25);
	pool_init(&f->hosts.recv_queues, sizeof(struct recv_queue), 16, 1u << 25);
	for (int i = 0; i < HOLES_SIZES; i++)
		pool_init(&f->hosts.holes[i], holes_bytes((uint32_t)HOLES_LEAST << i), i ? 0 : 16, 1u << (20 - i));
	pool_init(&f->hosts.msgs, sizeof(struct msg), (uint32_t)(2 * qps), 1u << 26);
}

int fabric_finish(struct fabric *f, struct sim_error *err)
{
	struct net *net = &f->net;
	struct fabric_headroom_memo memo = { .set = false };

	sim_assert(!f->finished);
	net->seed = (uint64_t)f->run.seed;
	net->last_delivery_ps = -1;
	make_nodes(f);
	f->sw = arena_take(&net->arena, net->nnodes * sizeof *f->sw);
	f->hosts.nic = arena_take(&net->arena, net->nnodes * sizeof *f->hosts.nic);
	if (make_ports(f, err))
		return -1;
	fabric_traffic_largest(f);
	make_pools(f);
	for (uint32_t i = 0; i < net->nnodes; i++) {
		if (!net->nodes[i].is_switch)
			make_nic(f, i);
		else if (make_switch(f, i, &memo, err))
			return -1;
	}
	f->hosts.net = net;
	f->hosts.classes = f->classes;
	f->hosts.nclasses = f->nclasses;
	f->hosts.warmup_ps = f->run.warmup_ps;
	f->hosts.until_ps = f->run.until_ps;
	f->hosts.path = path_facts;
	f->hosts.path_ctx = f;
	fabric_routes_compute(f);
	if (fabric_routes_override(f, err) || fabric_traffic_make(f, err) || fabric_faults_prepare(f, err))
		return -1;
	workload_setup(&f->hosts);
	workload_arm(&f->hosts);
	f->finished = true;
	return 0;
}
