/* observe/table.c - see table.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "sim/units.h"
#include "observe/table.h"

enum { CELL = 48, LABEL = 26, WIDTH = 100, WORKLOADS = 12 };

/* --- cells -------------------------------------------------------------- */

static char *count(int64_t value, char *buf, size_t size)	/* "12,408" */
{
	char digits[32];
	int n = snprintf(digits, sizeof(digits), "%" PRId64, value), sign = value < 0;
	size_t used = 0;

	for (int i = 0; i < n && used + 2 < size; i++) {
		if (i > sign && (n - i) % 3 == 0)
			buf[used++] = ',';
		buf[used++] = digits[i];
	}
	buf[used] = '\0';
	return buf;
}

static char *duration(int64_t ps, char *buf, size_t size)
{
	if (ps >= 0)
		return units_format(ps, UNITS_TIME, buf, size);
	snprintf(buf, size, "-");
	return buf;
}

static char *bytes(int64_t value, char *buf, size_t size)
{
	return units_format(value, UNITS_BYTES, buf, size);
}

static char *rate(double bps, char *buf, size_t size)
{
	return units_format((int64_t)(bps + 0.5), UNITS_RATE, buf, size);
}

static int64_t fct(const struct summary_times *t, int64_t value)
{
	return t->count ? value : -1;
}

static int64_t other_drops(const struct summary *s)
{
	return s->drops[SUMMARY_WIRE] + s->drops[SUMMARY_TTL] + s->drops[SUMMARY_NIC];
}

static char *deadlock(const struct summary *s, char *buf, size_t size)
{
	char from[CELL / 3], to[CELL / 3];

	if (!s->deadlock.found)
		snprintf(buf, size, "none");
	else if (s->deadlock.cleared_ps < 0)
		snprintf(buf, size, "%s", duration(s->deadlock.first_ps, from, sizeof(from)));
	else
		snprintf(buf, size, "%s..%s",
			 duration(s->deadlock.first_ps, from, sizeof(from)),
			 duration(s->deadlock.cleared_ps, to, sizeof(to)));
	return buf;
}

static int passed(const struct summary *s)
{
	int n = 0;

	for (int i = 0; i < s->nexpects; i++)
		n += s->expects[i].passed;
	return n;
}

/* --- the first line, and the last ---------------------------------------- */

/* The run with the worst finding, or -1. */
static int worst_run(const struct summary *const *runs, int n)
{
	int worst = -1;

	for (int i = 0; i < n; i++)
		if (runs[i]->nfindings &&
		    (worst < 0 || runs[i]->findings->level < runs[worst]->findings->level))
			worst = i;
	return worst;
}

static void print_worst(FILE *out, const struct summary *const *runs, int n)
{
	int at = worst_run(runs, n);
	const struct summary_finding *worst = at < 0 ? NULL : runs[at]->findings;

	if (!worst) {
		fputs("no lossless frame lost, no deadlock, no stall\n", out);
		return;
	}
	fputs(worst->level == SUMMARY_NOTE ? "note" : "FINDING", out);
	if (n > 1)
		fprintf(out, " (%s)", runs[at]->variant);
	fprintf(out, ": %s\n", worst->text);
}

/* What else was found in several runs; the worst of all stands in the first line. */
static void print_others(FILE *out, const struct summary *const *runs, int n)
{
	int worst = worst_run(runs, n);

	for (int i = 0; i < n; i++)
		for (int k = i == worst; k < runs[i]->nfindings; k++)
			if (runs[i]->findings[k].level != SUMMARY_NOTE)
				fprintf(out, "ALSO (%s): %s\n", runs[i]->variant,
					runs[i]->findings[k].text);
}

static void print_failed(FILE *out, const struct summary *s, bool name)
{
	for (int i = 0; i < s->nexpects; i++) {
		const struct summary_expect *e = &s->expects[i];
		if (e->passed)
			continue;
		fprintf(out, "FAIL  %s%s%s  (%s)\n", name ? s->variant : "", name ? ": " : "",
			e->rule, e->value ? e->value : "null");
	}
}

/* --- one run ------------------------------------------------------------ */

static void print_head(FILE *out, const struct summary *s)
{
	char time[CELL], rss[CELL], events[CELL];

	fprintf(out, "%s%s%s  seed %" PRId64 "  %s simulated%s", s->experiment,
		strcmp(s->variant, "base") ? " " : "",
		strcmp(s->variant, "base") ? s->variant : "", s->seed,
		duration(s->simulated_ps, time, sizeof(time)),
		s->complete ? "" : " (interrupted)");
	if (s->cost.set && s->cost.wall_s > 0)
		fprintf(out, " in %.2fs, %s events, %.2fM packet-hops/s, %s", s->cost.wall_s,
			count(s->events, events, sizeof(events)),
			(double)s->packet_hops / s->cost.wall_s / 1e6,
			bytes(s->cost.peak_rss_bytes, rss, sizeof(rss)));
	fputc('\n', out);
}

static void print_flows(FILE *out, const struct summary *s)
{
	char a[CELL], b[CELL], c[CELL], d[CELL];
	const struct summary_times *t = &s->flows.fct;

	fprintf(out, "FLOWS     finished %s  failed %s  unfinished %s   goodput %s\n",
		count(s->flows.finished, a, sizeof(a)), count(s->flows.failed, b, sizeof(b)),
		count(s->flows.unfinished, c, sizeof(c)),
		rate(s->flows.goodput_bps, d, sizeof(d)));
	if (!t->count)
		return;
	fprintf(out,
		"FCT       p50 %s  p99 %s  p99.9 %s  max %s   slowdown p50 %.2f  p99 %.2f\n",
		duration(t->p50, a, sizeof(a)), duration(t->p99, b, sizeof(b)),
		duration(t->p999, c, sizeof(c)), duration(t->max, d, sizeof(d)),
		s->flows.slowdown.p50, s->flows.slowdown.p99);
}

static void print_workloads(FILE *out, const struct summary *s)
{
	char a[CELL], b[CELL], c[CELL];

	for (int i = 0; i < s->nworkloads && i < WORKLOADS; i++) {
		const struct summary_workload *w = &s->workloads[i];
		fprintf(out, "  %-20s goodput %-*s", w->name,
			w->flows.fct.count || w->flows.started ? 11 : 0,
			rate(w->flows.goodput_bps, a, sizeof(a)));
		if (w->flows.fct.count)
			fprintf(out, " FCT p50 %-9s p99 %-9s",
				duration(w->flows.fct.p50, b, sizeof(b)),
				duration(w->flows.fct.p99, c, sizeof(c)));
		if (w->flows.started)
			fprintf(out, " %s of %s finished",
				count(w->flows.finished, b, sizeof(b)),
				count(w->flows.started, c, sizeof(c)));
		fputc('\n', out);
	}
	if (s->nworkloads > WORKLOADS)
		fprintf(out, "  and %d more in summary.json\n", s->nworkloads - WORKLOADS);
}

static void print_network(FILE *out, const struct summary *s)
{
	char a[CELL], b[CELL], c[CELL], d[CELL];

	fprintf(out, "PFC       %s XOFF  %s ports paused for %s in all",
		count(s->pfc.xoff_frames, a, sizeof(a)),
		count(s->pfc.paused_ports, b, sizeof(b)),
		duration(s->pfc.paused_ps, c, sizeof(c)));
	if (s->pfc.longest_at)
		fprintf(out, "; longest %s at %s",
			duration(s->pfc.longest_pause_ps, d, sizeof(d)), s->pfc.longest_at);
	fprintf(out, "\nECN       %s of %s data frames marked (%.2f%%)  CNP %s\n",
		count(s->ecn.marked, a, sizeof(a)), count(s->ecn.data_frames, b, sizeof(b)),
		100 * s->ecn.marked_ratio, count(s->ecn.cnps, c, sizeof(c)));
	fprintf(out, "LOSS      lossless %s  lossy %s  watchdog %s",
		count(s->drops[SUMMARY_LOSSLESS], a, sizeof(a)),
		count(s->drops[SUMMARY_LOSSY], b, sizeof(b)),
		count(s->drops[SUMMARY_WATCHDOG], c, sizeof(c)));
	fprintf(out, "  wire %s", count(s->drops[SUMMARY_WIRE], a, sizeof(a)));
	fprintf(out, "  TTL %s", count(s->drops[SUMMARY_TTL], a, sizeof(a)));
	fprintf(out, "  NIC %s\n", count(s->drops[SUMMARY_NIC], a, sizeof(a)));
	if (s->buffer.peak_at)
		fprintf(out, "BUFFER    peak %s of %s (%s)",
			bytes(s->buffer.peak_bytes, a, sizeof(a)),
			bytes(s->buffer.size_bytes, b, sizeof(b)), s->buffer.peak_at);
	if (s->buffer.headroom_at)
		fprintf(out, "  headroom peak %.0f%% (%s)", 100 * s->buffer.headroom_peak_ratio,
			s->buffer.headroom_at);
	if (s->buffer.peak_at)
		fputc('\n', out);
	fprintf(out, "DEADLOCK  %s", deadlock(s, a, sizeof(a)));
	for (int i = 0; i < s->deadlock.ncycle; i++)
		fprintf(out, "%s%s", i ? " > " : "  ", s->deadlock.cycle[i]);
	fputc('\n', out);
	if (s->watchdog.storms)
		fprintf(out, "WATCHDOG  storms %s  restores %s  frames dropped %s\n",
			count(s->watchdog.storms, a, sizeof(a)),
			count(s->watchdog.restores, b, sizeof(b)),
			count(s->watchdog.dropped, c, sizeof(c)));
}

static void print_one(FILE *out, const struct summary *s)
{
	print_head(out, s);
	print_flows(out, s);
	print_workloads(out, s);
	print_network(out, s);
	for (int i = 1; i < s->nfindings; i++)
		fprintf(out, "ALSO      %s\n", s->findings[i].text);
	if (s->nexpects)
		fprintf(out, "EXPECT    %d of %d hold\n", passed(s), s->nexpects);
	print_failed(out, s, false);
}

/* --- several ------------------------------------------------------------ */

enum metric {
	GOODPUT,
	UNFINISHED,
	XOFF,
	PAUSED,
	HOSTS_PAUSED,
	LONGEST,
	MARKED,
	LOSSLESS,
	LOSSY,
	WATCHDOG,
	OTHER,
	DEADLOCK,
	STORMS,
	EXPECT,
	FLOW_ROUNDS,
	FLOW_P50,
	FLOW_P99,
	FLOW_GOODPUT,
	FLOW_FAILED
};

static int64_t hosts_paused(const struct summary *s)
{
	int64_t sum = 0;

	for (int i = 0; i < s->pfc.nswitches; i++)
		sum += s->pfc.hosts_by_switch[i].paused_ps;
	return sum;
}

static const struct summary_workload *workload(const struct summary *s, const char *name)
{
	for (int i = 0; i < s->nworkloads; i++)
		if (!strcmp(s->workloads[i].name, name))
			return &s->workloads[i];
	return NULL;
}

static char *flow_cell(const struct summary_workload *w, enum metric m, char *buf, size_t size)
{
	if (!w) {
		snprintf(buf, size, "-");
		return buf;
	}
	if ((m == FLOW_P50 || m == FLOW_P99) && w->flows.started && !w->flows.fct.count) {
		snprintf(buf, size, "none ended");
		return buf;
	}
	switch (m) {
	case FLOW_ROUNDS:
		return count(w->iterations, buf, size);
	case FLOW_P50:
		return duration(fct(&w->flows.fct, w->flows.fct.p50), buf, size);
	case FLOW_P99:
		return duration(fct(&w->flows.fct, w->flows.fct.p99), buf, size);
	case FLOW_FAILED:
		return count(w->flows.failed, buf, size);
	default:
		return rate(w->flows.goodput_bps, buf, size);
	}
}

static char *cell(const struct summary *s, enum metric m, const char *name, char *buf,
		  size_t size)
{
	switch (m) {
	case GOODPUT:	return rate(s->flows.goodput_bps, buf, size);
	case UNFINISHED: return count(s->flows.unfinished, buf, size);
	case XOFF:	return count(s->pfc.xoff_frames, buf, size);
	case PAUSED:	return duration(s->pfc.paused_ps, buf, size);
	case HOSTS_PAUSED: return duration(hosts_paused(s), buf, size);
	case LONGEST:	return duration(s->pfc.longest_pause_ps, buf, size);
	case MARKED:	return count(s->ecn.marked, buf, size);
	case LOSSLESS:	return count(s->drops[SUMMARY_LOSSLESS], buf, size);
	case LOSSY:	return count(s->drops[SUMMARY_LOSSY], buf, size);
	case WATCHDOG:	return count(s->drops[SUMMARY_WATCHDOG], buf, size);
	case OTHER:	return count(other_drops(s), buf, size);
	case DEADLOCK:	return deadlock(s, buf, size);
	case STORMS:	return count(s->watchdog.storms, buf, size);
	case EXPECT:
		snprintf(buf, size, "%d/%d%s", passed(s), s->nexpects,
			 passed(s) < s->nexpects ? " FAIL" : "");
		return buf;
	default:
		return flow_cell(workload(s, name), m, buf, size);
	}
}

struct block {			/* some of all the columns; their rows are those of all */
	FILE *out;
	const struct summary *const *all;
	int nall;
	const struct summary *const *runs;
	int n;
	const int *width;
};

static void print_row(const struct block *b, const char *label, enum metric m, const char *name)
{
	char text[CELL], full[LABEL + 1];

	snprintf(full, sizeof(full), "%s%s%s", name ? name : "", name ? " " : "", label);
	fprintf(b->out, "%-*s", LABEL, full);
	for (int i = 0; i < b->n; i++)
		fprintf(b->out, "%*s", b->width[i],
			cell(b->runs[i], m, name, text, sizeof(text)));
	fputc('\n', b->out);
}

/* Does the run say more than 0 here? */
static bool says(const struct summary *s, enum metric m, const struct summary_workload *w)
{
	switch (m) {
	case UNFINISHED:	return s->flows.unfinished;
	case LOSSY:		return s->drops[SUMMARY_LOSSY];
	case WATCHDOG:		return s->drops[SUMMARY_WATCHDOG];
	case OTHER:		return other_drops(s);
	case STORMS:		return s->watchdog.storms;
	case EXPECT:		return s->nexpects;
	case FLOW_ROUNDS:	return w && w->iterations;
	case FLOW_P50:		return w && w->flows.fct.count;
	case FLOW_FAILED:	return w && w->flows.failed;
	default:		return true;
	}
}

/* A row that any run has something to say in. */
static void print_row_if(const struct block *b, const char *label, enum metric m,
			 const char *name)
{
	for (int i = 0; i < b->nall; i++)
		if (says(b->all[i], m, name ? workload(b->all[i], name) : NULL)) {
			print_row(b, label, m, name);
			return;
		}
}

static void print_flow_rows(const struct block *b, const char *name)
{
	bool ends = false;

	for (int i = 0; i < b->nall; i++)
		ends |= says(b->all[i], FLOW_P50, workload(b->all[i], name));
	print_row_if(b, "rounds done", FLOW_ROUNDS, name);
	if (ends) {
		print_row(b, "FCT p50", FLOW_P50, name);
		print_row(b, "FCT p99", FLOW_P99, name);
	} else {
		print_row(b, "goodput", FLOW_GOODPUT, name);
	}
	print_row_if(b, "failed", FLOW_FAILED, name);
}

static void print_block(const struct block *b, char *const *names, int nnames)
{
	fprintf(b->out, "%-*s", LABEL, "");
	for (int i = 0; i < b->n; i++)
		fprintf(b->out, "%*s", b->width[i], b->runs[i]->variant);
	fputc('\n', b->out);
	for (int i = 0; i < nnames && i < WORKLOADS; i++)
		print_flow_rows(b, names[i]);
	print_row(b, "goodput, whole run", GOODPUT, NULL);
	print_row_if(b, "flows unfinished", UNFINISHED, NULL);
	print_row(b, "XOFF frames", XOFF, NULL);
	print_row(b, "paused, summed", PAUSED, NULL);
	print_row(b, "hosts paused, summed", HOSTS_PAUSED, NULL);
	print_row(b, "longest pause", LONGEST, NULL);
	print_row(b, "frames marked", MARKED, NULL);
	print_row(b, "lost: lossless", LOSSLESS, NULL);
	print_row_if(b, "lost: lossy", LOSSY, NULL);
	print_row_if(b, "lost: watchdog", WATCHDOG, NULL);
	print_row_if(b, "lost: wire, TTL, NIC", OTHER, NULL);
	print_row(b, "deadlock", DEADLOCK, NULL);
	print_row_if(b, "watchdog storms", STORMS, NULL);
	print_row_if(b, "expectations", EXPECT, NULL);
}

/* The names of all workloads of all runs, each once, in order. */
static int all_names(const struct summary *const *runs, int n, char ***names)
{
	int total = 0, nnames = 0;

	for (int i = 0; i < n; i++)
		total += runs[i]->nworkloads;
	*names = mem_zalloc((size_t)total * sizeof(**names));
	for (int i = 0; i < n; i++) {
		for (int w = 0; w < runs[i]->nworkloads; w++) {
			char *name = runs[i]->workloads[w].name;
			int at = nnames;
			while (at > 0 && strcmp((*names)[at - 1], name) > 0)
				at--;
			if (at > 0 && !strcmp((*names)[at - 1], name))
				continue;
			memmove(*names + at + 1, *names + at,
				(size_t)(nnames - at) * sizeof(**names));
			(*names)[at] = name;
			nnames++;
		}
	}
	return nnames;
}

static void print_several(FILE *out, const struct summary *const *runs, int n)
{
	int *width = mem_zalloc((size_t)n * sizeof(*width));
	char **names;
	int nnames = all_names(runs, n, &names);
	double wall_s = 0;

	fprintf(out, "%s  seed %" PRId64 "  %d variants", runs[0]->experiment, runs[0]->seed,
		n);
	for (int i = 0; i < n; i++)
		wall_s += runs[i]->cost.set ? runs[i]->cost.wall_s : 0;
	if (wall_s > 0)
		fprintf(out, " in %.2fs", wall_s);
	fputc('\n', out);
	for (int i = 0; i < n; i++) {
		char text[CELL];
		width[i] = 2 + (int)strlen(deadlock(runs[i], text, sizeof(text)));
		if (width[i] < 2 + (int)strlen(runs[i]->variant))
			width[i] = 2 + (int)strlen(runs[i]->variant);
		if (width[i] < 12)
			width[i] = 12;
	}
	for (int from = 0, to; from < n; from = to) {
		int used = LABEL;
		for (to = from; to < n && (to == from || used + width[to] <= WIDTH); to++)
			used += width[to];
		if (from)
			fputc('\n', out);
		print_block(&(struct block){ out, runs, n, runs + from, to - from, width + from },
			    names, nnames);
	}
	print_others(out, runs, n);
	for (int i = 0; i < n; i++)
		print_failed(out, runs[i], true);
	free(names);
	free(width);
}

int table_print(FILE *out, const struct summary *const *runs, int n)
{
	print_worst(out, runs, n);
	if (n == 1)
		print_one(out, runs[0]);
	else if (n > 1)
		print_several(out, runs, n);
	return ferror(out) ? -1 : 0;
}
