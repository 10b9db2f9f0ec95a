/* Life of a fabric, and the loop that runs it. */
#include <stdlib.h>
#include <string.h>
#include "models/fabric_inside.h"
#include "sim/mem.h"

/* ---- adding ---- */

#define GROW(list, n) ((list) = mem_grow((list), (size_t)((n) + 1) * sizeof *(list)), &(list)[(n)++])

struct fabric *fabric_new(const struct run_conf *run, const struct class_conf *classes, int nclasses)
{
	struct fabric *f = mem_zalloc(sizeof *f);

	sim_assert(nclasses > 0 && nclasses <= FABRIC_CLASSES);
	f->run = *run;
	f->nclasses = nclasses;
	for (int i = 0; i < nclasses; i++) {
		f->classes[i] = classes[i];
		f->classes[i].name = mem_strdup(classes[i].name);
	}
	return f;
}

static struct added_node *add_node(struct fabric *f, const char *name, struct sim_error *err)
{
	for (int i = f->nodes; i-- > 0; )
		if (!strcmp(f->node[i].name, name)) {
			error_set(err, "", "two nodes are named \"%s\"", name);
			return NULL;
		}
	struct added_node *n = GROW(f->node, f->nodes);
	*n = (struct added_node){ .name = mem_strdup(name) };
	return n;
}

int fabric_add_switch(struct fabric *f, const char *name, const struct switch_conf *conf, struct sim_error *err)
{
	struct added_node *n = add_node(f, name, err);
	if (!n)
		return -1;
	n->is_switch = true;
	n->sw = *conf;
	return 0;
}

int fabric_add_host(struct fabric *f, const char *name, const struct nic_conf *conf, struct sim_error *err)
{
	struct added_node *n = add_node(f, name, err);
	if (!n)
		return -1;
	n->nic = *conf;
	return 0;
}

int fabric_add_link(struct fabric *f, const char *a, int a_port, const char *b, int b_port,
		    const struct link_conf *conf, struct sim_error *err)
{
	if (!strcmp(a, b))
		return error_set(err, "", "a link joins \"%s\" to itself", a);
	*GROW(f->link, f->links) = (struct added_link){ mem_strdup(a), mem_strdup(b), a_port, b_port, *conf };
	return 0;
}

int fabric_add_route(struct fabric *f, const struct route_conf *r, struct sim_error *err)
{
	struct route_conf *n = GROW(f->route, f->routes);

	(void)err;
	*n = *r;
	n->name = mem_strdup(r->name);
	n->at = mem_strdup(r->at);
	n->to = mem_strdup(r->to);
	n->via = mem_zalloc((size_t)r->vias * sizeof *n->via);
	for (int i = 0; i < r->vias; i++)
		n->via[i] = mem_strdup(r->via[i]);
	return 0;
}

static char **copy_names(char **names, int n)
{
	char **copy = mem_zalloc((size_t)n * sizeof *copy);
	for (int i = 0; i < n; i++)
		copy[i] = mem_strdup(names[i]);
	return copy;
}

int fabric_add_traffic(struct fabric *f, const struct workload_conf *c, struct sim_error *err)
{
	if (c->nfrom < 1)
		return error_set(err, "", "traffic \"%s\" names no host", c->name);
	struct workload_conf *n = GROW(f->traffic, f->traffics);
	*n = *c;
	n->name = mem_strdup(c->name);
	n->from = copy_names(c->from, c->nfrom);
	n->to = copy_names(c->to, c->nto);
	if (c->cdf.n) {
		n->cdf.size_bytes = mem_zalloc((size_t)c->cdf.n * sizeof *n->cdf.size_bytes);
		n->cdf.fraction = mem_zalloc((size_t)c->cdf.n * sizeof *n->cdf.fraction);
		memcpy(n->cdf.size_bytes, c->cdf.size_bytes, (size_t)c->cdf.n * sizeof *n->cdf.size_bytes);
		memcpy(n->cdf.fraction, c->cdf.fraction, (size_t)c->cdf.n * sizeof *n->cdf.fraction);
	}
	n->list = mem_zalloc((size_t)c->nlist * sizeof *n->list);
	if (c->nlist)
		memcpy(n->list, c->list, (size_t)c->nlist * sizeof *n->list);
	return 0;
}

int fabric_add_fault(struct fabric *f, const struct fault_conf *c, struct sim_error *err)
{
	struct fault_conf *n = GROW(f->fault, f->faults);

	(void)err;
	*n = *c;
	n->name = mem_strdup(c->name);
	n->a = mem_strdup(c->a);
	n->b = mem_strdup(c->b);
	return 0;
}

/* ---- freeing ---- */

static void free_names(char **names, int n)
{
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static void free_added(struct fabric *f)
{
	for (int i = 0; i < f->nclasses; i++)
		free(f->classes[i].name);
	for (int i = 0; i < f->nodes; i++)
		free(f->node[i].name);
	for (int i = 0; i < f->links; i++) {
		free(f->link[i].a);
		free(f->link[i].b);
	}
	for (int i = 0; i < f->routes; i++) {
		free(f->route[i].name);
		free(f->route[i].at);
		free(f->route[i].to);
		free_names(f->route[i].via, f->route[i].vias);
	}
	for (int i = 0; i < f->traffics; i++) {
		free(f->traffic[i].name);
		free_names(f->traffic[i].from, f->traffic[i].nfrom);
		free_names(f->traffic[i].to, f->traffic[i].nto);
		free(f->traffic[i].cdf.size_bytes);
		free(f->traffic[i].cdf.fraction);
		free(f->traffic[i].list);
	}
	for (int i = 0; i < f->faults; i++) {
		free(f->fault[i].name);
		free(f->fault[i].a);
		free(f->fault[i].b);
	}
	free(f->node);
	free(f->link);
	free(f->route);
	free(f->traffic);
	free(f->fault);
}

static void free_running(struct fabric *f)
{
	struct net *net = &f->net;

	workload_fini(&f->hosts);
	for (uint32_t i = 0; i < net->nnodes; i++)
		if (f->sw && f->sw[i])
			switch_fini(f->sw[i]);
	for (int i = 0; i < f->hosts.workloads; i++) {
		free(f->hosts.workload[i].from);
		free(f->hosts.workload[i].to);
	}
	free(f->hosts.workload);
	free(f->by_id);
	arena_free(&net->arena);
	pool_fini(&net->frames);
	pool_fini(&net->copies);
	pool_fini(&net->telemetry);
	pool_fini(&f->hosts.msgs);
	pool_fini(&f->hosts.qps);
	pool_fini(&f->hosts.remotes);
	for (int i = 0; i < HOLES_SIZES; i++)
		pool_fini(&f->hosts.holes[i]);
	engine_free(&net->engine);
}

void fabric_free(struct fabric **fp)
{
	struct fabric *f = *fp;
	if (!f)
		return;
	free_running(f);
	free_added(f);
	free(f);
	*fp = NULL;
}

/* ---- observers ---- */

void fabric_add_sink(struct fabric *f, uint64_t kinds, record_sink *sink, void *ctx)
{
	sim_assert(f->net.sinks < NET_SINKS);
	f->net.sink[f->net.sinks++] = (struct net_sink){ sink, ctx, kinds };
	f->net.trace_mask |= kinds;
}

void fabric_add_sampler(struct fabric *f, int64_t every_ps, void (*sample)(void *, int64_t), void *ctx)
{
	sim_assert(f->samplers < FABRIC_HOOKS && every_ps > 0);
	f->sampler[f->samplers++] = (struct fabric_sampler){ every_ps, every_ps, sample, ctx };
}

void fabric_add_settle(struct fabric *f, void (*settle)(void *, int64_t), void *ctx)
{
	sim_assert(f->settles < FABRIC_HOOKS);
	f->settle[f->settles++] = (struct fabric_settle){ settle, ctx };
}

void fabric_want_settle(struct fabric *f) { f->net.settle = true; }

/* Samples due before `next_ps`: every event at or before them is done. */
static int64_t sample_until(struct fabric *f, int64_t next_ps)
{
	int64_t soonest = UNITS_NEVER;

	for (;;) {
		struct fabric_sampler *due = NULL;
		for (int i = 0; i < f->samplers; i++)
			if (!due || f->sampler[i].next_ps < due->next_ps)
				due = &f->sampler[i];
		if (due)
			soonest = due->next_ps;
		if (!due || due->next_ps >= next_ps || due->next_ps > f->run.until_ps)
			return soonest;
		f->net.now_ps = due->next_ps;
		due->sample(due->ctx, due->next_ps);
		due->next_ps += due->every_ps;
	}
}

/* ---- running ---- */

/* What an instant calls is compiled into fabric_run and into fabric_step: a call an
 * event costs 3 % of the instructions of a run. */
#define IN_THE_LOOP static inline __attribute__((always_inline))

IN_THE_LOOP void dispatch(struct fabric *f, uint64_t key)
{
	struct net *net = &f->net;
	struct host_net *hn = &f->hosts;
	uint32_t id = engine_object(key), node, h;
	struct port *p;

	switch (engine_code(key)) {
	case NET_CODE(NET_ARRIVAL, 0):
		p = &net->ports[id];
		h = port_take_arrival(net, p);
		if (h == POOL_NONE)
			return;
		node = p->node;
		if (f->sw[node])
			switch_receive(net, f->sw[node], p, h);
		else
			nic_receive(hn, hn->nic[node], p, h);
		return;
	case NET_CODE(NET_TX_END, 0):
		p = &net->ports[id];
		if (!p->tx_end_armed || p->busy_until_ps != net->now_ps)
			return;
		p->tx_end_armed = false;
		if (f->sw[p->node])
			switch_tx_end(net, f->sw[p->node], p);
		else
			nic_tx_end(hn, hn->nic[p->node], p);
		return;
	case NET_CODE(NET_TIMER, NET_PACE):
		qp_paced(hn, host_qp(hn, id));
		return;
	case NET_CODE(NET_TIMER, NET_QP):
		qp_timer(hn, host_qp(hn, id));
		return;
	case NET_CODE(NET_PAUSE, NET_PAUSE_EFFECT):
		port_pause_effect(net, &net->ports[id]);
		return;
	case NET_CODE(NET_PAUSE, NET_PAUSE_EXPIRY):
		port_pause_expiry(net, &net->ports[id]);
		return;
	case NET_CODE(NET_TIMER, NET_REFRESH):
		port_refresh(net, &net->ports[id]);
		return;
	case NET_CODE(NET_TIMER, NET_PIPELINE):
		switch_pipeline(net, f->sw[id]);
		return;
	case NET_CODE(NET_TIMER, NET_RECEIVE):
		p = &net->ports[id];
		nic_receive_done(hn, hn->nic[p->node], p);
		return;
	case NET_CODE(NET_TIMER, NET_REROUTE):
		p = &net->ports[id];
		switch_reroute(net, f->sw[p->node], p);
		return;
	case NET_CODE(NET_TIMER, NET_PI):
		p = &net->ports[id];
		switch_pi(net, f->sw[p->node], p, (int)(key >> 32 & 7));
		return;
	case NET_CODE(NET_TIMER, NET_CONTROL):
		p = &net->ports[id];
		nic_control_due(hn, hn->nic[p->node], p);
		return;
	case NET_CODE(NET_TIMER, NET_WATCHDOG):
		watchdog_poll(net, f->sw[id]);
		return;
	case NET_CODE(NET_TIMER, NET_WORKLOAD):
		workload_timer(hn, &hn->part[id]);
		return;
	case NET_CODE(NET_TIMER, NET_STORM):
		nic_storm_watchdog(hn, hn->nic[id]);
		return;
	case NET_CODE(NET_FAULT, 0):
		fabric_fault(f, id);
		return;
	default:
		sim_assert(!"an event of no known kind");
	}
}

IN_THE_LOOP void decide(struct fabric *f)
{
	struct net *net = &f->net;

	for (uint32_t i = 0; i < net->ndecide; i++) {
		struct port *p = &net->ports[net->decide[i]];
		p->deciding = 0;
		if (net->now_ps < p->busy_until_ps)
			port_arm_tx_end(net, p);
		else if (f->sw[p->node])
			switch_decide(net, f->sw[p->node], p);
		else
			nic_decide(&f->hosts, f->hosts.nic[p->node], p);
	}
	net->ndecide = 0;
}

/*
 * A large fabric is bound by cache misses, and the opened bucket tells what
 * comes next: fetch the port, then its peer, then the frame at the head of the
 * wire, a few events ahead of their use (1024 hosts: 1.3 times the speed).
 */
IN_THE_LOOP void prefetch(const struct fabric *f)
{
	const struct net *net = &f->net;
	uint64_t key = engine_ahead(net->engine, 6);

	if (key && engine_code(key) <= NET_CODE(NET_ARRIVAL, 0))
		__builtin_prefetch(&net->ports[engine_object(key)]);
	key = engine_ahead(net->engine, 4);
	if (key && engine_code(key) == NET_CODE(NET_ARRIVAL, 0))
		__builtin_prefetch(&net->ports[net->ports[engine_object(key)].peer]);
	key = engine_ahead(net->engine, 3);
	if (key && engine_code(key) == NET_CODE(NET_TX_END, 0))
		__builtin_prefetch(net_frame(net, net->ports[engine_object(key)].tx_frame));
	else if (key && engine_code(key) == NET_CODE(NET_ARRIVAL, 0))
		__builtin_prefetch(net_frame(net, net->ports[net->ports[engine_object(key)].peer].wire_head));
	key = engine_ahead(net->engine, 1);
	if (!key || engine_code(key) != NET_CODE(NET_ARRIVAL, 0))
		return;
	const struct port *p = &net->ports[engine_object(key)];
	const struct frame *x = net_frame(net, net->ports[p->peer].wire_head);
	__builtin_prefetch(port_stats(net, p, x->prio & 7));
	__builtin_prefetch(net_frame(net, x->next));
	if (f->sw[p->node]) {
		__builtin_prefetch(&f->sw[p->node]->route.to[x->dst]);
		__builtin_prefetch(&f->sw[p->node]->mmu.group[p->local * 8 + (x->prio & 7)]);
	}
}

/* All that happens at one time, and the look of those who asked for one. */
IN_THE_LOOP void instant(struct fabric *f, int64_t at)
{
	struct net *net = &f->net;
	uint64_t key;

	sim_assert(at >= net->now_ps);
	net->now_ps = at;
	while (engine_take(net->engine, at, &key)) {
		prefetch(f);
		dispatch(f, key);
	}
	decide(f);
	if (__builtin_expect(net->settle, 0)) {
		net->settle = false;
		for (int i = 0; i < f->settles; i++)
			f->settle[i].settle(f->settle[i].ctx, at);
	}
}

uint64_t fabric_growths(const struct fabric *f)
{
	const struct net *net = &f->net;
	uint64_t n = net->frames.growths + net->copies.growths + net->telemetry.growths + f->hosts.msgs.growths +
		     f->hosts.qps.growths + f->hosts.remotes.growths + engine_growths(net->engine);

	for (int i = 0; i < HOLES_SIZES; i++)
		n += f->hosts.holes[i].growths;
	return n;
}

static void begin(struct fabric *f)
{
	sim_assert(f->finished);
	if (f->begun)
		return;
	f->begun = true;
	f->growths_before = fabric_growths(f);
}

static void finish(struct fabric *f)
{
	sample_until(f, UNITS_NEVER);
	f->net.now_ps = f->run.until_ps;
	f->complete = true;
}

void fabric_run(struct fabric *f, const volatile int *stop)
{
	struct net *net = &f->net;
	int64_t sample = sample_until(f, 0);
	uint32_t look = 0;

	begin(f);
	for (;;) {
		int64_t at = engine_next_ps(net->engine);
		if (at > f->run.until_ps)
			break;
		if (__builtin_expect(at > sample, 0))
			sample = sample_until(f, at);
		if (stop && ++look % 4096 == 0 && *stop)
			return;
		instant(f, at);
	}
	finish(f);
}

bool fabric_step(struct fabric *f, int64_t until_ps)
{
	begin(f);
	if (f->complete)
		return false;
	int64_t at = engine_next_ps(f->net.engine);

	if (at > f->run.until_ps && until_ps >= f->run.until_ps) {
		finish(f);
		return false;
	}
	if (at > until_ps) {
		sample_until(f, until_ps + 1);
		f->net.now_ps = until_ps;
		return false;
	}
	sample_until(f, at);
	instant(f, at);
	return true;
}
