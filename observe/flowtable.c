/*
 * observe/flowtable.c - see flowtable.h.
 *
 * A flow id lives from FLOW_START to FLOW_ACKED or FLOW_FAILED and is used again
 * afterwards.  Delivery is seen at the receiver, the rest at the source; what
 * the source knows (retransmissions, CNPs) is read only in its own records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/flowtable_in.h"
#include "observe/grow.h"

char *flowtable_reason(const struct fabric *f, int64_t a, int64_t b, char *buf, size_t size)
{
	if (a == RECORD_FAIL_MTU && b >= 0 && b < (int64_t)view_nodes(f)) {
		uint32_t hop = (uint32_t)b;
		bool is_switch = view_is_switch(f, hop);
		long long mtu = is_switch ? view_switch_conf(f, hop)->mtu_bytes : 0;
		snprintf(buf, size,
			 "larger than the MTU of %s (%lld bytes) and do not fragment is set",
			 view_node_name(f, hop), mtu);
	} else if (a == RECORD_FAIL_RNR) {
		snprintf(buf, size, "the receiver had no receive buffer after %lld RNR retries",
			 (long long)b);
	} else if (a == RECORD_FAIL_NO_RESPONSE) {
		snprintf(buf, size, "no READ response after %lld retries", (long long)b);
	} else {
		snprintf(buf, size, "no acknowledgement after %lld retries", (long long)b);
	}
	return buf;
}

/* --- requests and their ideal times ------------------------------------- */

static struct flowtable_pair *pair_place(struct flowtable_pair *pairs, size_t cap, int workload,
					 uint32_t src, uint32_t dst)
{
	uint64_t at =
		((uint64_t)src << 32 | dst) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)workload;

	for (at ^= at >> 29;; at++) {
		struct flowtable_pair *p = &pairs[at & (cap - 1)];
		if (!p->ideal_ps || (p->workload == workload && p->src == src && p->dst == dst))
			return p;
	}
}

static void pairs_room(struct flowtable *t)
{
	if (2 * (t->npairs + 1) <= t->pairs_cap)
		return;
	size_t cap = t->pairs_cap ? 2 * t->pairs_cap : 256;
	struct flowtable_pair *pairs = mem_zalloc(cap * sizeof(*pairs));
	for (size_t i = 0; i < t->pairs_cap; i++) {
		const struct flowtable_pair *p = &t->pairs[i];
		if (p->ideal_ps)
			*pair_place(pairs, cap, p->workload, p->src, p->dst) = *p;
	}
	free(t->pairs);
	t->pairs = pairs;
	t->pairs_cap = cap;
}

static void remember_request(struct flowtable *t, uint32_t id, const struct view_flow *flow)
{
	pairs_room(t);
	struct flowtable_pair *p =
		pair_place(t->pairs, t->pairs_cap, flow->workload, flow->src, flow->dst);
	if (p->ideal_ps)
		return;
	*p = (struct flowtable_pair){.ideal_ps = view_ideal_ps(t->f, id),
				     .src = flow->src,
				     .dst = flow->dst,
				     .workload = flow->workload};
	if (p->ideal_ps)
		t->npairs++;
}

static int64_t request_ideal(const struct flowtable *t, const struct view_flow *response)
{
	return t->pairs_cap ? pair_place(t->pairs, t->pairs_cap, response->workload,
					 response->dst, response->src)->ideal_ps : 0;
}

/* --- what happens ------------------------------------------------------- */

static void broke(struct flowtable *t, const char *what, const struct view_flow *flow)
{
	if (!t->broken[0])
		snprintf(t->broken, sizeof(t->broken),
			 "%s: flow %s from %s to %s, started at %lld ps", what, flow->name,
			 view_node_name(t->f, flow->src), view_node_name(t->f, flow->dst),
			 (long long)flow->start_ps);
}

static bool is_transaction(const struct flowtable *t, const struct view_flow *flow)
{
	return view_workload(t->f, flow->workload).kind == WORKLOAD_REQUEST_RESPONSE;
}

static int64_t *life_of(struct flowtable *t, uint32_t id)
{
	if (id >= t->nlife) {
		size_t n = t->nlife ? t->nlife : 256;
		while (n <= id)
			n *= 2;
		t->life = mem_grow(t->life, n * sizeof(*t->life));
		for (size_t i = t->nlife; i < n; i++)
			t->life[i] = FLOWTABLE_FREE;
		t->nlife = n;
	}
	return &t->life[id];
}

static void on_start(struct flowtable *t, uint32_t id)
{
	struct view_flow flow = view_flow(t->f, id);
	int64_t *life = life_of(t, id);

	if (*life > FLOWTABLE_FREE)
		broke(t, "a flow began before the one of its id had ended", &flow);
	*life = FLOWTABLE_STARTED;
	t->open++;
	t->work[flow.workload].started++;
	t->work[flow.workload].size_bytes += flow.size_bytes;
	if (flow.part == 0 && is_transaction(t, &flow))
		remember_request(t, id, &flow);
}

static void on_delivered(struct flowtable *t, uint32_t id, int64_t at_ps, int64_t fct_ps)
{
	struct view_flow flow = view_flow(t->f, id);
	struct flowtable_work *w = &t->work[flow.workload];
	int64_t *life = life_of(t, id);

	if (*life != FLOWTABLE_STARTED && *life != FLOWTABLE_LOST)
		broke(t, "a flow was delivered twice, or before it began", &flow);
	if (*life == FLOWTABLE_STARTED)
		*life = fct_ps;
	if (w->last_ps >= 0 && at_ps - w->last_ps > w->longest_gap_ps)
		w->longest_gap_ps = at_ps - w->last_ps;
	w->last_ps = at_ps;
}

static void add_rate(struct flowtable *t, int64_t bytes, int64_t ps)
{
	if (ps <= 0)
		return;
	t->rates = grow_room(t->rates, t->nrates, &t->rates_cap, sizeof(*t->rates));
	t->rates[t->nrates++] = (double)bytes * 8e12 / (double)ps;
}

/* Its size bucket: the first whose upper edge it does not exceed. */
static uint8_t size_of(const struct flowtable *t, int64_t bytes)
{
	int i = 0;

	while (i < t->nsizes && bytes > t->sizes_bytes[i])
		i++;
	return (uint8_t)i;
}

/* The times of a message that finished, or of the transaction it completes. */
static void add_sample(struct flowtable *t, const struct view_flow *flow, int64_t fct_ps,
		       int64_t ideal_ps)
{
	int64_t start_ps = flow->start_ps;

	if (is_transaction(t, flow)) {
		if (flow->part == 0)
			return;
		start_ps = flow->transaction_start_ps;
		fct_ps += flow->start_ps - start_ps;
		ideal_ps += request_ideal(t, flow);
	}
	if (start_ps < t->warmup_ps)
		return;
	t->samples = grow_room(t->samples, t->nsamples, &t->samples_cap, sizeof(*t->samples));
	t->samples[t->nsamples++] = (struct flowtable_sample){
		.fct_ps = fct_ps,
		.slowdown = ideal_ps > 0 ? (double)fct_ps / (double)ideal_ps : 1,
		.workload = (uint16_t)flow->workload,
		.class_ = (uint8_t)flow->class_,
		.size = size_of(t, flow->size_bytes),
	};
}

static void add_row(struct flowtable *t, const struct view_flow *flow, struct flowtable_row row,
		    const char *detail)
{
	if (!t->csv.stream)
		return;
	row.start_ps = flow->start_ps;
	if (flow->part && row.fct_ps >= 0 && is_transaction(t, flow))
		row.transaction_ps = row.start_ps - flow->transaction_start_ps + row.fct_ps;
	row.size_bytes = flow->size_bytes;
	row.retransmitted_bytes = flow->retransmitted_bytes;
	row.cnps = flow->cnps;
	row.rnr_naks = flow->rnr_naks;
	row.rnr_wait_ps = flow->rnr_wait_ps;
	row.acked_bytes = flow->acked_bytes;
	row.hash = flow->hash;
	row.src = flow->src;
	row.dst = flow->dst;
	row.part = flow->part;
	row.workload = (uint16_t)flow->workload;
	row.class_ = (uint8_t)flow->class_;
	row.detail = mem_strdup(detail);
	t->rows = grow_room(t->rows, t->nrows, &t->rows_cap, sizeof(*t->rows));
	t->rows[t->nrows++] = row;
}

static void add_work(struct flowtable_work *w, const struct view_flow *flow)
{
	w->retransmitted_bytes += flow->retransmitted_bytes;
	w->cnps += flow->cnps;
	w->rnr_naks += flow->rnr_naks;
	w->rnr_wait_ps += flow->rnr_wait_ps;
}

/* The message has been delivered and will be heard of no more. */
static void finished(struct flowtable *t, uint32_t id, int64_t acked_ps)
{
	struct view_flow flow = view_flow(t->f, id);
	int64_t fct_ps = t->life[id], ideal_ps = view_ideal_ps(t->f, id);

	if (fct_ps < ideal_ps)
		broke(t, "a flow was faster than its ideal", &flow);
	t->work[flow.workload].finished++;
	add_work(&t->work[flow.workload], &flow);
	add_sample(t, &flow, fct_ps, ideal_ps);
	add_rate(t, flow.size_bytes, fct_ps);
	add_row(t, &flow, (struct flowtable_row){ .fct_ps = fct_ps, .acked_ps = acked_ps,
		.ideal_ps = ideal_ps, .status = FLOWTABLE_FINISHED }, NULL);
}

static void on_acked(struct flowtable *t, uint32_t id, int64_t acked_ps)
{
	int64_t *life = life_of(t, id);

	if (*life < 0) {
		struct view_flow flow = view_flow(t->f, id);
		broke(t, "a flow was acknowledged before it was delivered", &flow);
		*life = acked_ps;
	}
	finished(t, id, acked_ps);
	*life = FLOWTABLE_FREE;
	t->open--;
}

static void on_failed(struct flowtable *t, const struct record *rec)
{
	struct view_flow flow = view_flow(t->f, rec->flow);
	struct flowtable_work *w = &t->work[flow.workload];
	int64_t *life = life_of(t, rec->flow);
	char reason[256];

	flowtable_reason(t->f, rec->a, rec->b, reason, sizeof(reason));
	if (*life <= FLOWTABLE_FREE)
		w->started++;	/* it failed with its QP, before its turn came */
	else
		t->open--;
	w->failed++;
	add_work(w, &flow);
	if (!w->failure || (rec->at_ps == w->failed_ps && flow.hash < w->failed_hash)) {
		free(w->failure);
		w->failure = mem_strdup(reason);
		w->failed_ps = rec->at_ps;
		w->failed_hash = flow.hash;
	}
	add_row(t, &flow,
		(struct flowtable_row){.fct_ps = *life >= 0 ? *life : -1,
				       .acked_ps = -1,
				       .ideal_ps = view_ideal_ps(t->f, rec->flow),
				       .status = FLOWTABLE_FAILED},
		reason);
	*life = FLOWTABLE_LOST;
}

static void sink(void *ctx, const struct record *rec)
{
	struct flowtable *t = ctx;

	switch ((enum record_kind)rec->kind) {
	case RECORD_FLOW_START:
		on_start(t, rec->flow);
		break;
	case RECORD_FLOW_DELIVERED:
		on_delivered(t, rec->flow, rec->at_ps, rec->a);
		break;
	case RECORD_FLOW_ACKED:
		on_acked(t, rec->flow, rec->a);
		break;
	case RECORD_FLOW_FAILED:
		on_failed(t, rec);
		break;
	default:
		break;
	}
}

/* --- the end of the run ------------------------------------------------- */

static void unfinished(struct flowtable *t, uint32_t id, const char *waits_for)
{
	struct view_flow flow = view_flow(t->f, id);
	struct flowtable_work *w = &t->work[flow.workload];
	int64_t now_ps = view_run(t->f).now_ps, *life = life_of(t, id);

	if (*life >= 0) {
		finished(t, id, -1);
		*life = FLOWTABLE_FREE;
		return;
	}
	if (*life == FLOWTABLE_FREE)
		w->started++;	/* its time has come, its turn has not */
	*life = FLOWTABLE_FREE;
	w->unfinished++;
	add_work(w, &flow);
	if (w->last_ps >= 0 && now_ps - w->last_ps > w->longest_gap_ps)
		w->longest_gap_ps = now_ps - w->last_ps;
	add_rate(t, flow.acked_bytes, now_ps - flow.start_ps);
	add_row(t, &flow,
		(struct flowtable_row){.fct_ps = -1,
				       .acked_ps = -1,
				       .ideal_ps = view_ideal_ps(t->f, id),
				       .status = FLOWTABLE_UNFINISHED},
		waits_for);
}

static void each_unfinished(void *ctx, uint32_t flow, const char *waits_for)
{
	unfinished(ctx, flow, waits_for);
}

int flowtable_finish(struct flowtable *t, struct summary *s, struct sim_error *err)
{
	view_unfinished(t->f, each_unfinished, t);
	for (size_t id = 0; id < t->nlife; id++)
		if (t->life[id] > FLOWTABLE_FREE)
			unfinished(t, (uint32_t)id, NULL);
	t->open = 0;
	flowtable_fill(t, s);
	if (!t->csv.stream)
		return 0;
	flowtable_sort(t->rows, t->nrows);
	flowtable_header(&t->csv);
	for (size_t i = 0; i < t->nrows; i++)
		flowtable_write(&t->csv, t->f, &t->rows[i]);
	return outfile_close(&t->csv, err);
}

/* --- life --------------------------------------------------------------- */

struct flowtable *flowtable_new(struct fabric *f, const char *dir, const int64_t *sizes_bytes,
				int nsizes, struct sim_error *err)
{
	struct flowtable *t = mem_zalloc(sizeof(*t));

	t->f = f;
	t->warmup_ps = view_run_conf(f)->warmup_ps;
	t->sizes_bytes = sizes_bytes;
	t->nsizes = nsizes;
	t->nwork = view_workloads(f);
	t->work = mem_zalloc((size_t)t->nwork * sizeof(*t->work));
	for (int i = 0; i < t->nwork; i++)
		t->work[i].last_ps = -1;
	if (dir && outfile_open(&t->csv, dir, "flows.csv", err)) {
		flowtable_free(&t);
		return NULL;
	}
	fabric_add_sink(f, 1u << RECORD_FLOW_START | 1u << RECORD_FLOW_DELIVERED |
			   1u << RECORD_FLOW_ACKED | 1u << RECORD_FLOW_FAILED, sink, t);
	return t;
}

int64_t flowtable_open(const struct flowtable *t)
{
	return t->open;
}

const char *flowtable_broken(const struct flowtable *t)
{
	return t->broken[0] ? t->broken : NULL;
}

void flowtable_free(struct flowtable **tp)
{
	struct flowtable *t = *tp;

	*tp = NULL;
	if (!t)
		return;
	outfile_abandon(&t->csv);
	for (int i = 0; i < t->nwork; i++)
		free(t->work[i].failure);
	for (size_t i = 0; i < t->nrows; i++)
		free(t->rows[i].detail);
	free(t->life);
	free(t->work);
	free(t->samples);
	free(t->rates);
	free(t->pairs);
	free(t->rows);
	free(t);
}
