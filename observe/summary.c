/* observe/summary.c - see summary.h; the names are those of DESIGN, section 7. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/jsonout.h"
#include "observe/outfile.h"
#include "observe/summary.h"

const char *const summary_columns[SUMMARY_COLUMNS] = {
	"queue_bytes", "group_bytes", "tx_bps", "paused"
};

/* --- life --------------------------------------------------------------- */

static void free_names(char **names, int n)
{
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static void free_nodes(struct summary_node *nodes, int n)
{
	for (int i = 0; i < n; i++)
		free(nodes[i].name);
	free(nodes);
}

static void free_series(struct summary_series *series)
{
	for (int i = 0; i < series->nplaces; i++)
		free(series->places[i].name);
	free(series->places);
	free(series->name);
}

void summary_free(struct summary *s)
{
	for (int i = 0; i < s->nworkloads; i++) {
		free(s->workloads[i].name);
		free(s->workloads[i].class_);
		free(s->workloads[i].failure);
		free(s->workloads[i].not_begun_for);
	}
	free(s->workloads);
	for (int i = 0; i < s->nclasses; i++)
		free(s->classes[i].name);
	free(s->classes);
	for (int i = 0; i < s->nsizes; i++)
		free(s->sizes[i].name);
	free(s->sizes);
	free(s->pfc.longest_at);
	free(s->pfc.most_paused_at);
	free_nodes(s->pfc.by_node, s->pfc.nnodes);
	free_nodes(s->pfc.hosts_by_switch, s->pfc.nswitches);
	free(s->buffer.peak_at);
	free(s->buffer.headroom_at);
	free_names(s->deadlock.cycle, s->deadlock.ncycle);
	free_names(s->deadlock.victims, s->deadlock.nvictims);
	free(s->stall.why);
	free(s->livelock.flow);
	for (int i = 0; i < s->nseries; i++)
		free_series(&s->series[i]);
	free(s->series);
	for (int i = 0; i < s->nfindings; i++)
		free(s->findings[i].text);
	free(s->findings);
	free_names(s->warnings, s->nwarnings);
	*s = (struct summary){ 0 };
}

void summary_find(struct summary *s, enum summary_level level, const char *fmt, ...)
{
	char text[2048];
	va_list args;
	int at = s->nfindings;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	s->findings = mem_grow(s->findings, (size_t)(at + 1) * sizeof(*s->findings));
	for (; at > 0 && s->findings[at - 1].level > level; at--)
		s->findings[at] = s->findings[at - 1];
	s->findings[at] = (struct summary_finding){ level, mem_strdup(text) };
	s->nfindings++;
}

/* --- parts -------------------------------------------------------------- */

static void write_times(struct jsonout *j, const char *key, const struct summary_times *t)
{
	jsonout_open_flat(j, key, '{');
	jsonout_int(j, "count", t->count);
	jsonout_time(j, "mean", t->count ? t->mean : -1);
	jsonout_time(j, "p50", t->count ? t->p50 : -1);
	jsonout_time(j, "p99", t->count ? t->p99 : -1);
	jsonout_time(j, "p999", t->count ? t->p999 : -1);
	jsonout_time(j, "max", t->count ? t->max : -1);
	jsonout_close(j, '}');
}

static void write_ratio(struct jsonout *j, const char *key, bool there, double value)
{
	if (there)
		jsonout_double(j, key, value);
	else
		jsonout_raw(j, key, NULL);
}

static void write_ratios(struct jsonout *j, const char *key, const struct summary_ratios *r)
{
	bool any = r->count > 0;

	jsonout_open_flat(j, key, '{');
	jsonout_int(j, "count", r->count);
	write_ratio(j, "mean", any, r->mean);
	write_ratio(j, "p50", any, r->p50);
	write_ratio(j, "p99", any, r->p99);
	write_ratio(j, "p999", any, r->p999);
	write_ratio(j, "max", any, r->max);
	jsonout_close(j, '}');
}

static void write_counts(struct jsonout *j, const struct summary_flows *f)
{
	jsonout_int(j, "started", f->started);
	jsonout_int(j, "finished", f->finished);
	jsonout_int(j, "failed", f->failed);
	jsonout_int(j, "unfinished", f->unfinished);
	jsonout_int(j, "not_begun", f->not_begun);
	jsonout_int(j, "goodput_bps", (int64_t)(f->goodput_bps + 0.5));
}

static void write_workload(struct jsonout *j, const struct summary_workload *w)
{
	jsonout_open(j, w->name, '{');
	jsonout_text(j, "class", w->class_);
	write_counts(j, &w->flows);
	jsonout_int(j, "mean_bytes", w->mean_bytes);
	jsonout_int(j, "delivered_bytes", w->delivered_bytes);
	jsonout_time(j, "first_delivery_ps", w->first_delivery_ps);
	jsonout_time(j, "last_delivery_ps", w->last_delivery_ps);
	jsonout_int(j, "longest_gap_ps", w->longest_gap_ps);
	jsonout_int(j, "sent_frames", w->sent_frames);
	jsonout_int(j, "sent_bytes", w->sent_bytes);
	jsonout_int(j, "iterations", w->iterations);
	jsonout_int(j, "qps", w->qps);
	jsonout_int(j, "retransmitted_bytes", w->retransmitted_bytes);
	jsonout_int(j, "cnps", w->cnps);
	jsonout_int(j, "rnr_naks", w->rnr_naks);
	jsonout_int(j, "rnr_wait_ps", w->rnr_wait_ps);
	jsonout_text(j, "failure", w->failure);
	jsonout_text(j, "not_begun_for", w->not_begun_for);
	write_times(j, "fct_ps", &w->flows.fct);
	write_ratios(j, "slowdown", &w->flows.slowdown);
	jsonout_close(j, '}');
}

static void write_sizes(struct jsonout *j, const struct summary *s)
{
	jsonout_open(j, "by_size", '{');
	for (int i = 0; i < s->nsizes; i++) {
		const struct summary_size *b = &s->sizes[i];
		jsonout_open(j, b->name, '{');
		jsonout_int(j, "above_bytes", b->above_bytes);
		jsonout_time(j, "upto_bytes", b->upto_bytes);
		write_times(j, "fct_ps", &b->fct);
		write_ratios(j, "slowdown", &b->slowdown);
		jsonout_close(j, '}');
	}
	jsonout_close(j, '}');
}

static void write_flows(struct jsonout *j, const struct summary *s)
{
	jsonout_open(j, "flows", '{');
	write_counts(j, &s->flows);
	write_times(j, "fct_ps", &s->flows.fct);
	write_ratios(j, "slowdown", &s->flows.slowdown);
	jsonout_open(j, "by_name", '{');
	for (int i = 0; i < s->nworkloads; i++)
		write_workload(j, &s->workloads[i]);
	jsonout_close(j, '}');
	write_sizes(j, s);
	jsonout_close(j, '}');
	jsonout_open(j, "classes", '{');
	for (int i = 0; i < s->nclasses; i++) {
		const struct summary_class *c = &s->classes[i];
		jsonout_open(j, c->name, '{');
		jsonout_bool(j, "lossless", c->lossless);
		write_counts(j, &c->flows);
		jsonout_int(j, "paused_ps", c->paused_ps);
		jsonout_int(j, "drops", c->drops);
		write_times(j, "fct_ps", &c->flows.fct);
		write_ratios(j, "slowdown", &c->flows.slowdown);
		jsonout_close(j, '}');
	}
	jsonout_close(j, '}');
}

static void write_nodes(struct jsonout *j, const char *key, const struct summary_node *nodes,
			int n)
{
	jsonout_open(j, key, '{');
	for (int i = 0; i < n; i++)
		jsonout_int(j, nodes[i].name, nodes[i].paused_ps);
	jsonout_close(j, '}');
}

static void write_pfc(struct jsonout *j, const struct summary *s)
{
	jsonout_open(j, "pfc", '{');
	jsonout_int(j, "xoff_frames", s->pfc.xoff_frames);
	jsonout_int(j, "refresh_frames", s->pfc.refresh_frames);
	jsonout_int(j, "xon_frames", s->pfc.xon_frames);
	jsonout_int(j, "paused_ps", s->pfc.paused_ps);
	jsonout_int(j, "paused_ports", s->pfc.paused_ports);
	jsonout_int(j, "longest_pause_ps", s->pfc.longest_pause_ps);
	jsonout_text(j, "longest_at", s->pfc.longest_at);
	jsonout_int(j, "most_paused_ps", s->pfc.most_paused_ps);
	jsonout_text(j, "most_paused_at", s->pfc.most_paused_at);
	write_nodes(j, "by_node", s->pfc.by_node, s->pfc.nnodes);
	write_nodes(j, "hosts_by_switch", s->pfc.hosts_by_switch, s->pfc.nswitches);
	jsonout_close(j, '}');
}

static void write_buffers(struct jsonout *j, const struct summary *s)
{
	static const char *const drops[SUMMARY_DROPS] = {
		"lossless", "lossy", "watchdog", "wire", "ttl", "nic"
	};

	jsonout_open_flat(j, "ecn", '{');
	jsonout_int(j, "marked", s->ecn.marked);
	jsonout_double(j, "marked_ratio", s->ecn.marked_ratio);
	jsonout_int(j, "data_frames", s->ecn.data_frames);
	jsonout_int(j, "cnps", s->ecn.cnps);
	jsonout_close(j, '}');
	jsonout_open_flat(j, "rnr", '{');
	jsonout_int(j, "naks", s->rnr.naks);
	jsonout_int(j, "wait_ps", s->rnr.wait_ps);
	jsonout_close(j, '}');
	jsonout_open_flat(j, "drops", '{');
	for (int i = 0; i < SUMMARY_DROPS; i++)
		jsonout_int(j, drops[i], s->drops[i]);
	jsonout_close(j, '}');
	jsonout_open_flat(j, "buffer", '{');
	jsonout_int(j, "peak_bytes", s->buffer.peak_bytes);
	jsonout_int(j, "size_bytes", s->buffer.size_bytes);
	jsonout_text(j, "peak_at", s->buffer.peak_at);
	jsonout_int(j, "headroom_peak_bytes", s->buffer.headroom_peak_bytes);
	jsonout_double(j, "headroom_peak_ratio", s->buffer.headroom_peak_ratio);
	jsonout_text(j, "headroom_at", s->buffer.headroom_at);
	jsonout_close(j, '}');
}

static void write_list(struct jsonout *j, const char *key, char *const *texts, int n)
{
	jsonout_open(j, key, '[');
	for (int i = 0; i < n; i++)
		jsonout_text(j, NULL, texts[i]);
	jsonout_close(j, ']');
}

static void write_trouble(struct jsonout *j, const struct summary *s)
{
	jsonout_open(j, "deadlock", '{');
	jsonout_bool(j, "found", s->deadlock.found);
	jsonout_time(j, "first_ps", s->deadlock.first_ps);
	jsonout_time(j, "cleared_ps", s->deadlock.cleared_ps);
	jsonout_text(j, "cleared_by", s->deadlock.cleared_by);
	jsonout_int(j, "count", s->deadlock.count);
	jsonout_bool(j, "standing", s->deadlock.standing);
	write_list(j, "cycle", s->deadlock.cycle, s->deadlock.ncycle);
	write_list(j, "victims", s->deadlock.victims, s->deadlock.nvictims);
	jsonout_close(j, '}');
	jsonout_open(j, "stall", '{');
	jsonout_bool(j, "found", s->stall.found);
	jsonout_time(j, "first_ps", s->stall.first_ps);
	jsonout_time(j, "until_ps", s->stall.until_ps);
	jsonout_text(j, "why", s->stall.why);
	jsonout_close(j, '}');
	jsonout_open(j, "livelock", '{');
	jsonout_bool(j, "found", s->livelock.found);
	jsonout_int(j, "flows", s->livelock.flows);
	jsonout_time(j, "first_ps", s->livelock.first_ps);
	jsonout_time(j, "until_ps", s->livelock.until_ps);
	jsonout_int(j, "again_bytes", s->livelock.again_bytes);
	jsonout_text(j, "flow", s->livelock.flow);
	jsonout_close(j, '}');
	jsonout_open_flat(j, "watchdog", '{');
	jsonout_int(j, "storms", s->watchdog.storms);
	jsonout_int(j, "restores", s->watchdog.restores);
	jsonout_int(j, "dropped", s->watchdog.dropped);
	jsonout_int(j, "told", s->watchdog.told);
	jsonout_int(j, "nic_gave_up", s->watchdog.nic_gave_up);
	jsonout_close(j, '}');
	jsonout_open_flat(j, "fairness", '{');
	jsonout_double(j, "jain", s->fairness.jain);
	jsonout_double(j, "jain_flows", s->fairness.jain_flows);
	jsonout_close(j, '}');
}

static void write_place(struct jsonout *j, const struct summary_place *place, unsigned what)
{
	jsonout_open(j, place->name, '{');
	for (int col = 0; col < SUMMARY_COLUMNS; col++) {
		const struct summary_stat *stat = &place->stat[col];

		if (!(what >> col & 1))
			continue;
		jsonout_open_flat(j, summary_columns[col], '{');
		jsonout_double(j, "mean", stat->mean);
		jsonout_double(j, "sd", stat->sd);
		jsonout_int(j, "min", stat->min);
		jsonout_int(j, "max", stat->max);
		jsonout_close(j, '}');
	}
	jsonout_close(j, '}');
}

static void write_series(struct jsonout *j, const struct summary *s)
{
	jsonout_open(j, "series", '{');
	for (int i = 0; i < s->nseries; i++) {
		const struct summary_series *series = &s->series[i];

		jsonout_open(j, series->name, '{');
		jsonout_int(j, "samples", series->samples);
		for (int k = 0; series->samples && k < series->nplaces; k++)
			write_place(j, &series->places[k], series->what);
		jsonout_close(j, '}');
	}
	jsonout_close(j, '}');
}

static void write_cost(struct jsonout *j, const struct summary *s)
{
	const struct summary_cost *c = &s->cost;

	jsonout_open_flat(j, "cost", '{');
	if (c->set) {
		bool timed = c->wall_s > 0;
		jsonout_double(j, "wall_s", c->wall_s);
		jsonout_double(j, "cpu_s", c->cpu_s);
		write_ratio(j, "events_per_s", timed, (double)s->events / c->wall_s);
		write_ratio(j, "packet_hops_per_s", timed, (double)s->packet_hops / c->wall_s);
		jsonout_int(j, "peak_rss_bytes", c->peak_rss_bytes);
	}
	jsonout_close(j, '}');
}

/* --- the whole ---------------------------------------------------------- */

static void write_run(struct jsonout *j, const struct summary *s)
{
	char digest[20];

	snprintf(digest, sizeof(digest), "%016" PRIx64, s->digest);
	jsonout_open(j, NULL, '{');
	jsonout_text(j, "experiment", s->experiment);
	jsonout_text(j, "variant", s->variant);
	jsonout_int(j, "seed", s->seed);
	jsonout_text(j, "version", s->version);
	jsonout_text(j, "commit", s->commit);
	jsonout_text(j, "compiler", s->compiler);
	jsonout_text(j, "digest", digest);
	jsonout_bool(j, "complete", s->complete);
	jsonout_int(j, "simulated_ps", s->simulated_ps);
	jsonout_int(j, "warmup_ps", s->warmup_ps);
	jsonout_int(j, "events", s->events);
	jsonout_int(j, "packet_hops", s->packet_hops);
	jsonout_int(j, "pool_growths", s->pool_growths);
	write_cost(j, s);
	write_flows(j, s);
	write_pfc(j, s);
	write_buffers(j, s);
	write_trouble(j, s);
	write_series(j, s);
	jsonout_open(j, "findings", '[');
	for (int i = 0; i < s->nfindings; i++)
		jsonout_text(j, NULL, s->findings[i].text);
	jsonout_close(j, ']');
	int notes = 0;
	for (int i = 0; i < s->nfindings; i++)
		notes += s->findings[i].level == SUMMARY_NOTE;
	jsonout_int(j, "notes", notes);
	write_list(j, "warnings", s->warnings, s->nwarnings);
	jsonout_open(j, "expect", '[');
	for (int i = 0; i < s->nexpects; i++) {
		jsonout_open_flat(j, NULL, '{');
		jsonout_text(j, "rule", s->expects[i].rule);
		jsonout_bool(j, "passed", s->expects[i].passed);
		jsonout_raw(j, "value", s->expects[i].value);
		jsonout_close(j, '}');
	}
	jsonout_close(j, ']');
	jsonout_close(j, '}');
}

int summary_write_run(FILE *out, const struct summary *s, int indent)
{
	struct jsonout j;

	jsonout_init(&j, out, indent);
	write_run(&j, s);
	return ferror(out) ? -1 : 0;
}

int summary_write(FILE *out, const struct summary *const *runs, int n)
{
	struct jsonout j;

	jsonout_init(&j, out, 0);
	jsonout_open(&j, NULL, '{');
	jsonout_text(&j, "schema", "xoff.summary/1");
	jsonout_open(&j, "runs", '[');
	for (int i = 0; i < n; i++)
		write_run(&j, runs[i]);
	jsonout_close(&j, ']');
	jsonout_close(&j, '}');
	fputc('\n', out);
	return ferror(out) ? -1 : 0;
}

int summary_write_file(const char *path, const struct summary *const *runs, int n,
		       struct sim_error *err)
{
	struct outfile out;

	if (outfile_open_path(&out, path, err))
		return -1;
	(void)summary_write(out.stream, runs, n);	/* outfile_close tells */
	return outfile_close(&out, err);
}
