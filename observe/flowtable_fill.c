/*
 * observe/flowtable_fill.c - what the flow table says in the summary.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/flowtable_in.h"
#include "observe/percentile.h"

/* Percentiles over the samples of one workload or class; -1: any. */
static void fill_times(const struct flowtable *t, struct summary_flows *out, int workload,
		       int class_)
{
	int64_t *fct = mem_zalloc(t->nsamples * sizeof(*fct));
	double *slowdown = mem_zalloc(t->nsamples * sizeof(*slowdown));
	size_t n = 0;

	for (size_t i = 0; i < t->nsamples; i++) {
		const struct flowtable_sample *s = &t->samples[i];
		if ((workload >= 0 && s->workload != workload) ||
		    (class_ >= 0 && s->class_ != class_))
			continue;
		fct[n] = s->fct_ps;
		slowdown[n++] = s->slowdown;
	}
	out->fct = percentile_times(fct, n);
	out->slowdown = percentile_ratios(slowdown, n);
	free(fct);
	free(slowdown);
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

static void fill_workload(struct flowtable *t, int i, struct summary *s,
			  struct summary_workload *out)
{
	struct view_workload v = view_workload(t->f, i);
	struct flowtable_work *w = &t->work[i];

	*out = (struct summary_workload){
		.name = mem_strdup(v.name),
		.kind = v.kind,
		.class_ = mem_strdup(view_class(t->f, v.class_)->name),
		.flows = {.started = w->started,
			  .finished = w->finished,
			  .failed = w->failed,
			  .unfinished = w->unfinished},
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
		.failure = mem_strdup(w->failure),
	};
	out->flows.goodput_bps = rate_bps(v.delivered_after_warmup_bytes,
					  work_time(t, i, &v, s->simulated_ps));
	fill_times(t, &out->flows, i, -1);
	for (int part = 0; part < 2; part++) {
		struct summary_flows *sum = part ? &s->flows : &s->classes[v.class_].flows;
		sum->started += w->started;
		sum->finished += w->finished;
		sum->failed += w->failed;
		sum->unfinished += w->unfinished;
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
		fill_times(t, &s->classes[c].flows, -1, c);
	}
	s->nworkloads = t->nwork;
	s->workloads = mem_zalloc((size_t)t->nwork * sizeof(*s->workloads));
	for (int i = 0; i < t->nwork; i++) {
		fill_workload(t, i, s, &s->workloads[i]);
		goodput[i] = s->workloads[i].flows.goodput_bps;
	}
	fill_times(t, &s->flows, -1, -1);
	s->fairness.jain = percentile_jain(goodput, (size_t)t->nwork);
	s->fairness.jain_flows = percentile_jain(t->rates, t->nrates);
	free(goodput);
}

