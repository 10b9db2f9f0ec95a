/*
 * observe/flowtable_fill.c - what the flow table says in the summary.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/flowtable_in.h"
#include "observe/percentile.h"

/* Which samples count: -1 is any. */
struct pick { int workload, class_, size; };

static bool picked(const struct pick *p, const struct flowtable_sample *s)
{
	return (p->workload < 0 || s->workload == p->workload) &&
	       (p->class_ < 0 || s->class_ == p->class_) && (p->size < 0 || s->size == p->size);
}

static void fill_times(const struct flowtable *t, struct pick pick, struct summary_times *times,
		       struct summary_ratios *ratios)
{
	int64_t *fct = mem_zalloc(t->nsamples * sizeof(*fct));
	double *slowdown = mem_zalloc(t->nsamples * sizeof(*slowdown));
	size_t n = 0;

	for (size_t i = 0; i < t->nsamples; i++) {
		const struct flowtable_sample *s = &t->samples[i];
		if (!picked(&pick, s))
			continue;
		fct[n] = s->fct_ps;
		slowdown[n++] = s->slowdown;
	}
	*times = percentile_times(fct, n);
	*ratios = percentile_ratios(slowdown, n);
	free(fct);
	free(slowdown);
}

static void fill_flows(const struct flowtable *t, struct pick pick, struct summary_flows *out)
{
	fill_times(t, pick, &out->fct, &out->slowdown);
}

/* "upto_10KB": in the largest unit without a fraction, since a rule's path has no
 * room for a dot. */
static char *size_name(int64_t above_bytes, int64_t upto_bytes)
{
	static const char *const units[] = { "B", "KB", "MB", "GB", "TB" };
	int64_t edge = upto_bytes < 0 ? above_bytes : upto_bytes;
	int unit = 0;
	char name[48];

	for (; unit < 4 && edge && edge % 1000 == 0; unit++)
		edge /= 1000;
	snprintf(name, sizeof(name), "%s_%lld%s", upto_bytes < 0 ? "above" : "upto", (long long)edge,
		 units[unit]);
	return mem_strdup(name);
}

static void fill_sizes(const struct flowtable *t, struct summary *s)
{
	s->nsizes = t->nsizes + 1;
	s->sizes = mem_zalloc((size_t)s->nsizes * sizeof(*s->sizes));
	for (int i = 0; i < s->nsizes; i++) {
		struct summary_size *b = &s->sizes[i];
		b->above_bytes = i ? t->sizes_bytes[i - 1] : 0;
		b->upto_bytes = i < t->nsizes ? t->sizes_bytes[i] : -1;
		b->name = size_name(b->above_bytes, b->upto_bytes);
		fill_times(t, (struct pick){ -1, -1, i }, &b->fct, &b->slowdown);
	}
}

static double rate_bps(int64_t bytes, int64_t ps)
{
	return ps > 0 ? (double)bytes * 8e12 / (double)ps : 0;
}

/* A workload's goodput counts over the time it had work: from its start or the
 * warm-up to its last delivery when all is done, else to its stop or the end. */
static int64_t work_time(const struct flowtable *t, int i, const struct view_workload *v,
			 int64_t now_ps)
{
	int64_t start_ps = 0, stop_ps = UNITS_NEVER;

	view_workload_span(t->f, i, &start_ps, &stop_ps);
	if (start_ps < t->warmup_ps)
		start_ps = t->warmup_ps;
	if (stop_ps <= 0 || stop_ps > now_ps)
		stop_ps = now_ps;
	if (t->work[i].started && !t->work[i].unfinished && v->last_delivery_ps >= 0)
		stop_ps = v->last_delivery_ps;
	if (stop_ps < v->last_delivery_ps)
		stop_ps = v->last_delivery_ps;
	return stop_ps - start_ps;
}

/* What the messages wait for that have not begun; owned by the caller. */
static char *not_begun_for(const struct flowtable *t, int i, int kind, int64_t not_begun)
{
	const struct flowtable_work *w = &t->work[i];
	char text[64];

	if (!not_begun)
		return NULL;
	bool chain = kind == WORKLOAD_FLOW || kind == WORKLOAD_RING_ALLREDUCE ||
		     kind == WORKLOAD_REQUEST_RESPONSE || kind == WORKLOAD_STORAGE_WRITE;
	if (!chain || !(w->failed + w->unfinished))
		return mem_strdup("their time, after the end of the run");
	snprintf(text, sizeof(text), "%lld that %s", (long long)(w->failed ? w->failed : w->unfinished),
		 w->failed ? "failed" : "did not finish");
	return mem_strdup(text);
}

static void fill_workload(struct flowtable *t, int i, struct summary *s,
			  struct summary_workload *out)
{
	struct view_workload v = view_workload(t->f, i);
	struct flowtable_work *w = &t->work[i];
	int64_t not_begun = view_not_begun(t->f, i);

	*out = (struct summary_workload){
		.name = mem_strdup(v.name),
		.kind = v.kind,
		.class_ = mem_strdup(view_class(t->f, v.class_)->name),
		.flows = {.started = w->started,
			  .finished = w->finished,
			  .failed = w->failed,
			  .unfinished = w->unfinished,
			  .not_begun = not_begun},
		.mean_bytes = w->started ? (w->size_bytes + w->started / 2) / w->started : 0,
		.delivered_bytes = v.delivered_bytes,
		.first_delivery_ps = v.first_delivery_ps,
		.last_delivery_ps = v.last_delivery_ps,
		.longest_gap_ps = w->longest_gap_ps,
		.sent_frames = v.sent_frames,
		.sent_bytes = v.sent_bytes,
		.iterations = v.iterations,
		.qps = v.qps,
		.retransmitted_bytes = w->retransmitted_bytes,
		.cnps = w->cnps,
		.rnr_naks = w->rnr_naks,
		.rnr_wait_ps = w->rnr_wait_ps,
		.failure = mem_strdup(w->failure),
		.not_begun_for = not_begun_for(t, i, v.kind, not_begun),
	};
	out->flows.goodput_bps = rate_bps(v.delivered_after_warmup_bytes,
					  work_time(t, i, &v, s->simulated_ps));
	s->rnr.naks += w->rnr_naks;
	s->rnr.wait_ps += w->rnr_wait_ps;
	fill_flows(t, (struct pick){ i, -1, -1 }, &out->flows);
	for (int part = 0; part < 2; part++) {
		struct summary_flows *sum = part ? &s->flows : &s->classes[v.class_].flows;
		sum->started += w->started;
		sum->finished += w->finished;
		sum->failed += w->failed;
		sum->unfinished += w->unfinished;
		sum->not_begun += not_begun;
		sum->goodput_bps += rate_bps(v.delivered_after_warmup_bytes,
					     s->simulated_ps - t->warmup_ps);
	}
	if (w->started != w->finished + w->failed + w->unfinished && !t->broken[0])
		snprintf(t->broken, sizeof(t->broken),
			 "flows of %s: started is not finished + failed + unfinished", v.name);
}

void flowtable_fill(struct flowtable *t, struct summary *s)
{
	double *goodput = mem_zalloc((size_t)t->nwork * sizeof(*goodput));

	s->nclasses = view_classes(t->f);
	s->classes = mem_zalloc((size_t)s->nclasses * sizeof(*s->classes));
	for (int c = 0; c < s->nclasses; c++) {
		s->classes[c].name = mem_strdup(view_class(t->f, c)->name);
		s->classes[c].lossless = view_class(t->f, c)->lossless;
		fill_flows(t, (struct pick){ -1, c, -1 }, &s->classes[c].flows);
	}
	s->nworkloads = t->nwork;
	s->workloads = mem_zalloc((size_t)t->nwork * sizeof(*s->workloads));
	for (int i = 0; i < t->nwork; i++) {
		fill_workload(t, i, s, &s->workloads[i]);
		goodput[i] = s->workloads[i].flows.goodput_bps;
	}
	fill_flows(t, (struct pick){ -1, -1, -1 }, &s->flows);
	fill_sizes(t, s);
	s->fairness.jain = percentile_jain(goodput, (size_t)t->nwork);
	s->fairness.jain_flows = percentile_jain(t->rates, t->nrates);
	free(goodput);
}

