#include "models/host/workload_run.h"

#include <stdlib.h>
#include "models/host/qp.h"
#include "models/host/workload_cdf.h"
#include "sim/mem.h"

static struct workload *of(const struct host_net *hn, const struct part *p) { return &hn->workload[p->workload]; }

static uint64_t pair_hash(const struct host_net *hn, const struct workload *w, uint32_t src, uint32_t dst,
			  uint64_t k)
{
	uint64_t h = rng_hash_text(w->hash, hn->net->nodes[src].name);
	return rng_hash(rng_hash_text(h, hn->net->nodes[dst].name), k);
}

static int verb_of(const struct host_net *hn, const struct workload *w, uint32_t src)
{
	return workload_verb(&w->conf, &hn->nic[src]->conf);
}

/* ---- sending ---- */

/* A message on QP number `k` of the part. */
static void send(struct host_net *hn, struct part *p, int k, int64_t size, struct msg m)
{
	struct qp *q = host_qp(hn, p->qp[k]);
	m.size = size;
	m.workload = p->workload;
	m.hash = rng_hash(pair_hash(hn, of(hn, p), q->src, q->dst, (uint64_t)k), (uint64_t)p->issued);
	qp_post(hn, p->qp[k], &m);
}

static bool may_start(const struct host_net *hn, const struct part *p)
{
	const struct workload_conf *c = &of(hn, p)->conf;
	return hn->net->now_ps < c->stop_ps && (!c->count || p->issued < c->count);
}

static void start_request(struct host_net *hn, struct part *p)
{
	int64_t now = hn->net->now_ps;
	int k = p->turn;

	p->turn = (p->turn + 1) % p->qps;
	p->issued++;
	send(hn, p, k, of(hn, p)->conf.request_bytes,
	     (struct msg){ .start_ps = now, .transaction_ps = now, .cookie = p->peer[k] });
}

static void start_write(struct host_net *hn, struct part *p)
{
	int64_t now = hn->net->now_ps;
	int k = p->turn;

	p->turn = (p->turn + 1) % p->qps;
	p->issued++;
	send(hn, p, k, of(hn, p)->conf.size_bytes, (struct msg){ .start_ps = now, .transaction_ps = now });
}

static void start_step(struct host_net *hn, struct part *p)
{
	const struct workload *w = of(hn, p);
	int64_t n = w->conf.nfrom, now = hn->net->now_ps;
	int64_t chunk = (w->conf.size_bytes + n - 1) / n;

	p->issued++;
	send(hn, p, 0, chunk, (struct msg){ .start_ps = now, .transaction_ps = now });
}

/* A flow with a QP of its own, which closes with it.  Its name is that of the workload, the hosts
 * and its number among the sender's: a list of what Poisson drew, under the same name, is the same. */
static void start_own(struct host_net *hn, struct part *p, uint32_t dst, int64_t size)
{
	const struct workload *w = of(hn, p);
	int64_t now = hn->net->now_ps;
	uint64_t h = pair_hash(hn, w, p->node, dst, (uint64_t)p->issued);
	uint32_t qp = qp_open(hn, &(struct qp_open){ .src = p->node, .dst = dst, .class_ = w->conf.class_,
		.name_hash = h, .part = p->id, .remote_part = NET_NONE, .once = true,
		.verb = verb_of(hn, w, p->node) });
	p->issued++;
	qp_post(hn, qp, &(struct msg){ .size = size, .start_ps = now, .transaction_ps = now,
				       .workload = p->workload, .hash = h });
}

static void start_poisson(struct host_net *hn, struct part *p)
{
	uint32_t dst;

	do
		dst = p->peer[rng_below(&p->rng, (uint64_t)p->peers)];
	while (dst == p->node);
	start_own(hn, p, dst, workload_cdf_draw(&of(hn, p)->conf.cdf, rng_next(&p->rng)));
}

/* ---- timers ---- */

static void arm(struct host_net *hn, struct part *p, int64_t at)
{
	p->next_ps = at;
	if (at < of(hn, p)->conf.stop_ps)
		engine_arm(hn->net->engine, at, ENGINE_KEY(NET_TIMER, NET_WORKLOAD, p->id, p->id));
}

static int64_t mean_gap_ps(const struct host_net *hn, const struct part *p)
{
	const struct workload *w = of(hn, p);

	if (w->conf.kind != WORKLOAD_POISSON)
		return INT64_C(1000) * UNITS_PS_PER_S / w->conf.freq_mhz;
	int64_t line = hn->net->ports[hn->net->nodes[p->node].first_port].rate_bps;
	__int128 bits = (__int128)w->cdf_mean * 8 * UNITS_PS_PER_S * w->conf.load.den;
	return (int64_t)(bits / line / w->conf.load.num);
}

static void again(struct host_net *hn, struct part *p)
{
	if (may_start(hn, p))
		arm(hn, p, hn->net->now_ps + 1 + rng_exponential(&p->rng, mean_gap_ps(hn, p)));
}

static void post_each(struct host_net *hn, struct part *p)
{
	int64_t now = hn->net->now_ps;

	for (int k = 0; k < p->qps; k++) {
		p->issued++;
		send(hn, p, k, of(hn, p)->conf.size_bytes, (struct msg){ .start_ps = now, .transaction_ps = now });
	}
}

/* The next flow of the part, NULL when there is none. */
static const struct workload_flow *list_next(const struct host_net *hn, const struct part *p)
{
	const struct workload *w = of(hn, p);
	const struct workload_flow *next = &w->conf.list[p->step];

	return p->step < w->conf.nlist && (uint32_t)next->from == p->id - w->first_part ? next : NULL;
}

static int64_t list_start_ps(const struct workload_conf *c, const struct workload_flow *flow)
{
	return flow->start_ps - c->origin_ps + c->start_ps;
}

static void arm_list(struct host_net *hn, struct part *p)
{
	const struct workload_flow *next = list_next(hn, p);

	if (next)
		arm(hn, p, list_start_ps(&of(hn, p)->conf, next));
}

static void start_listed(struct host_net *hn, struct part *p)
{
	const struct workload *w = of(hn, p);
	const struct workload_flow *next;

	for (; (next = list_next(hn, p)) && list_start_ps(&w->conf, next) == hn->net->now_ps; p->step++)
		start_own(hn, p, w->to[next->to], next->size_bytes);
	arm_list(hn, p);
}

void workload_timer(struct host_net *hn, struct part *p)
{
	const struct workload_conf *c = &of(hn, p)->conf;

	if (p->next_ps != hn->net->now_ps)
		return;
	p->next_ps = UNITS_NEVER;
	switch (c->kind) {
	case WORKLOAD_STREAM:
		qp_stream_start(hn, p->qp[0]);
		break;
	case WORKLOAD_POISSON:
		if (p->step++)		/* the first timer only starts the process */
			start_poisson(hn, p);
		again(hn, p);
		break;
	case WORKLOAD_REQUEST_RESPONSE:
		if (c->freq_mhz == 0 || p->step++)
			start_request(hn, p);
		if (c->freq_mhz)
			again(hn, p);
		break;
	case WORKLOAD_STORAGE_WRITE:
		if (c->freq_mhz == 0 || p->step++)
			start_write(hn, p);
		if (c->freq_mhz)
			again(hn, p);
		break;
	case WORKLOAD_RING_ALLREDUCE:
		start_step(hn, p);
		break;
	case WORKLOAD_LIST:
		start_listed(hn, p);
		break;
	default:
		post_each(hn, p);
		for (int64_t i = 1; c->kind == WORKLOAD_FLOW && i < c->depth && may_start(hn, p); i++)
			post_each(hn, p);
	}
}

/* ---- reactions ---- */

/* Rank i sends step s when it has received step s - 1: 2(n-1) steps, reduce-scatter
 * then all-gather; the next all-reduce starts when this one is whole here. */
static void ring_received(struct host_net *hn, struct part *p)
{
	const struct workload *w = of(hn, p);
	int64_t steps = 2 * (w->conf.nfrom - 1);

	if (++p->step % steps == 0) {
		p->iteration++;
		if (p->iteration == w->conf.count || hn->net->now_ps >= w->conf.stop_ps)
			return;
	}
	start_step(hn, p);
}

static void respond(struct host_net *hn, struct part *p, const struct msg *m)
{
	p->issued++;
	send(hn, p, (int)m->cookie, of(hn, p)->conf.response_bytes,
	     (struct msg){ .start_ps = hn->net->now_ps, .transaction_ps = m->transaction_ps, .part = 1 });
}

/* The primary passes the write on to the other servers that hold it. */
static void replicate(struct host_net *hn, struct part *p, const struct msg *m)
{
	for (int k = 0; k < p->qps; k++) {
		p->issued++;
		send(hn, p, k, m->size, (struct msg){ .start_ps = hn->net->now_ps,
						      .transaction_ps = m->transaction_ps, .part = 1 });
	}
}

void workload_delivered(struct host_net *hn, struct nic *nic, uint32_t part, uint32_t src, const struct msg *m)
{
	(void)nic;
	(void)src;
	if (part == NET_NONE)
		return;
	struct part *p = &hn->part[part];
	const struct workload_conf *c = &of(hn, p)->conf;

	switch (c->kind) {
	case WORKLOAD_RING_ALLREDUCE:
		ring_received(hn, p);
		break;
	case WORKLOAD_REQUEST_RESPONSE:
		if (m->part == 0)
			respond(hn, p, m);
		else if (!c->freq_mhz && may_start(hn, p))
			start_request(hn, p);
		break;
	case WORKLOAD_STORAGE_WRITE:
		if (m->part == 0)
			replicate(hn, p, m);
		break;
	default:
		break;
	}
}

void workload_acked(struct host_net *hn, struct qp *q, const struct msg *m)
{
	struct part *p = &hn->part[q->part];
	const struct workload_conf *c = &of(hn, p)->conf;

	if (c->kind == WORKLOAD_STORAGE_WRITE && !c->freq_mhz && m->part == 0 && may_start(hn, p))
		start_write(hn, p);
	if (c->kind == WORKLOAD_FLOW && may_start(hn, p))
		post_each(hn, p);
}

/* ---- set-up ---- */

static struct part *add_part(struct host_net *hn, uint32_t *room, int w, uint32_t node)
{
	if (hn->parts == *room) {
		*room *= 2;
		hn->part = mem_grow(hn->part, *room * sizeof *hn->part);
	}
	struct part *p = &hn->part[hn->parts];
	*p = (struct part){ .id = hn->parts++, .node = node, .workload = (uint16_t)w, .next_ps = UNITS_NEVER };
	p->rng = rng_named(hn->workload[w].hash, hn->net->nodes[node].name);
	hn->workload[w].parts++;
	return p;
}

static void open_qp(struct host_net *hn, struct part *p, uint32_t dst, uint32_t remote_part)
{
	const struct workload *w = of(hn, p);
	const struct workload_conf *c = &w->conf;
	struct qp_open o = { .src = p->node, .dst = dst, .class_ = c->class_, .part = p->id,
		.remote_part = remote_part, .stop_ps = UNITS_NEVER, .verb = verb_of(hn, w, p->node),
		.name_hash = pair_hash(hn, w, p->node, dst, (uint64_t)p->qps) };

	if (c->kind == WORKLOAD_FLOW)
		o.rate_cap_bps = c->rate_bps;
	if (c->kind == WORKLOAD_STREAM) {
		o.stream = true;
		o.rate_bps = c->rate_bps;
		o.stop_ps = c->stop_ps;
		o.frame_bytes = c->frame_bytes;
		o.jitter = c->jitter;
	}
	p->qp = mem_grow(p->qp, (size_t)(p->qps + 1) * sizeof *p->qp);
	p->qp[p->qps++] = qp_open(hn, &o);
}

static void set_peer(struct part *p, int k, uint32_t value)
{
	if (k >= p->peers) {
		p->peers = k + 1;
		p->peer = mem_grow(p->peer, (size_t)p->peers * sizeof *p->peer);
	}
	p->peer[k] = value;
}

/* Sattolo's shuffle: one cycle through all hosts. */
static void setup_permutation(struct host_net *hn, struct workload *w)
{
	int n = w->conf.nfrom;
	uint32_t *next = mem_zalloc((size_t)n * sizeof *next);
	struct rng r = { w->hash };

	for (int i = 0; i < n; i++)
		next[i] = w->from[i];
	for (int i = n - 1; i > 0; i--) {
		int j = (int)rng_below(&r, (uint64_t)i);
		uint32_t t = next[i];
		next[i] = next[j];
		next[j] = t;
	}
	for (int i = 0; i < n; i++)
		open_qp(hn, &hn->part[w->first_part + (uint32_t)i], next[i], NET_NONE);
	free(next);
}

static void setup_request_response(struct host_net *hn, struct workload *w)
{
	for (int i = 0; i < w->conf.nfrom; i++) {
		int s = i % w->conf.nto;
		struct part *client = &hn->part[w->first_part + (uint32_t)i];
		struct part *server = &hn->part[w->first_part + (uint32_t)(w->conf.nfrom + s)];
		for (int64_t k = 0; k < w->conf.qps; k++) {
			set_peer(client, client->qps, (uint32_t)server->qps);
			open_qp(hn, client, server->node, server->id);
			open_qp(hn, server, client->node, client->id);
		}
	}
}

static void setup_storage(struct host_net *hn, struct workload *w)
{
	uint32_t servers = w->first_part + (uint32_t)w->conf.nfrom;
	int n = w->conf.nto;
	int64_t copies = w->conf.replicas < n ? w->conf.replicas : n;

	for (int i = 0; i < w->conf.nfrom; i++)
		for (int j = 0; j < n; j++) {
			uint32_t s = servers + (uint32_t)((i + j) % n);
			struct part *client = &hn->part[w->first_part + (uint32_t)i];
			if (hn->part[s].node == client->node)
				continue;
			for (int64_t k = 0; k < w->conf.qps; k++)
				open_qp(hn, client, hn->part[s].node, s);
		}
	for (int j = 0; j < n; j++)
		for (int64_t r = 1; r < copies; r++) {
			uint32_t to = hn->part[servers + (uint32_t)((j + r) % n)].node;
			open_qp(hn, &hn->part[servers + (uint32_t)j], to, NET_NONE);
		}
}

/* Where each sender's flows begin. */
static void setup_list(struct host_net *hn, struct workload *w)
{
	for (int64_t i = w->conf.nlist - 1; i >= 0; i--)
		hn->part[w->first_part + (uint32_t)w->conf.list[i].from].step = i;
}

static void setup_qps(struct host_net *hn, struct workload *w)
{
	const struct workload_conf *c = &w->conf;

	switch (c->kind) {
	case WORKLOAD_PERMUTATION:
		setup_permutation(hn, w);
		return;
	case WORKLOAD_REQUEST_RESPONSE:
		setup_request_response(hn, w);
		return;
	case WORKLOAD_STORAGE_WRITE:
		setup_storage(hn, w);
		return;
	case WORKLOAD_LIST:
		setup_list(hn, w);
		return;
	default:
		break;
	}
	for (int i = 0; i < c->nfrom; i++) {
		struct part *p = &hn->part[w->first_part + (uint32_t)i];
		if (c->kind == WORKLOAD_RING_ALLREDUCE) {
			int next = (i + 1) % c->nfrom;
			open_qp(hn, p, w->from[next], w->first_part + (uint32_t)next);
		} else if (c->kind == WORKLOAD_ALL_TO_ALL) {
			for (int j = 1; j < c->nfrom; j++)
				open_qp(hn, p, w->from[(i + j) % c->nfrom], NET_NONE);
		} else if (c->kind == WORKLOAD_POISSON) {
			int n = c->nto ? c->nto : c->nfrom;
			for (int j = 0; j < n; j++)
				set_peer(p, j, (c->nto ? w->to : w->from)[j]);
		} else {
			open_qp(hn, p, w->to[0], NET_NONE);
		}
	}
}

void workload_setup(struct host_net *hn)
{
	uint32_t room = 64;

	hn->part = mem_zalloc(room * sizeof *hn->part);
	for (int i = 0; i < hn->workloads; i++) {
		struct workload *w = &hn->workload[i];
		bool servers = w->conf.kind == WORKLOAD_REQUEST_RESPONSE || w->conf.kind == WORKLOAD_STORAGE_WRITE;
		w->total.first_ps = w->total.last_ps = -1;
		w->first_part = hn->parts;
		if (w->conf.kind == WORKLOAD_POISSON)
			w->cdf_mean = workload_cdf_mean(&w->conf.cdf);
		for (int j = 0; j < w->conf.nfrom; j++)
			add_part(hn, &room, i, w->from[j]);
		for (int j = 0; servers && j < w->conf.nto; j++)
			add_part(hn, &room, i, w->to[j]);
		setup_qps(hn, w);
	}
}

void workload_arm(struct host_net *hn)
{
	for (int i = 0; i < hn->workloads; i++) {
		const struct workload *w = &hn->workload[i];
		for (int j = 0; j < w->conf.nfrom; j++) {
			struct part *p = &hn->part[w->first_part + (uint32_t)j];
			if (w->conf.kind == WORKLOAD_STORAGE_WRITE && !p->qps)
				continue;
			if (w->conf.kind == WORKLOAD_LIST)
				arm_list(hn, p);
			else
				arm(hn, p, w->conf.start_ps);
		}
	}
}

void workload_fini(struct host_net *hn)
{
	for (uint32_t i = 0; i < hn->parts; i++) {
		free(hn->part[i].qp);
		free(hn->part[i].peer);
	}
	free(hn->part);
	hn->part = NULL;
}
