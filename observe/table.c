/* observe/table.c - see table.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "sim/units.h"
#include "observe/table.h"
#include "observe/table_in.h"

/* --- cells -------------------------------------------------------------- */

char *table_count(int64_t value, char *buf, size_t size)	/* "12,408" */
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

char *table_duration(int64_t ps, char *buf, size_t size)
{
	if (ps >= 0)
		return units_format(ps, UNITS_TIME, buf, size);
	snprintf(buf, size, "-");
	return buf;
}

char *table_bytes(int64_t value, char *buf, size_t size)
{
	return units_format(value, UNITS_BYTES, buf, size);
}

char *table_rate(double bps, char *buf, size_t size)
{
	return units_format((int64_t)(bps + 0.5), UNITS_RATE, buf, size);
}

int64_t table_other_drops(const struct summary *s)
{
	return s->drops[SUMMARY_WIRE] + s->drops[SUMMARY_TTL] + s->drops[SUMMARY_NIC];
}

char *table_deadlock(const struct summary *s, char *buf, size_t size)
{
	char from[CELL / 3], to[CELL / 3];

	if (!s->deadlock.found)
		snprintf(buf, size, "none");
	else if (s->deadlock.cleared_ps < 0)
		snprintf(buf, size, "%s", table_duration(s->deadlock.first_ps, from, sizeof(from)));
	else
		snprintf(buf, size, "%s..%s",
			 table_duration(s->deadlock.first_ps, from, sizeof(from)),
			 table_duration(s->deadlock.cleared_ps, to, sizeof(to)));
	return buf;
}

int table_passed(const struct summary *s)
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
void table_others(FILE *out, const struct summary *const *runs, int n)
{
	int worst = worst_run(runs, n);

	for (int i = 0; i < n; i++)
		for (int k = i == worst; k < runs[i]->nfindings; k++)
			if (runs[i]->findings[k].level != SUMMARY_NOTE)
				fprintf(out, "ALSO (%s): %s\n", runs[i]->variant,
					runs[i]->findings[k].text);
}

void table_failed(FILE *out, const struct summary *s, bool name)
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
		table_duration(s->simulated_ps, time, sizeof(time)),
		s->complete ? "" : " (interrupted)");
	if (s->cost.set && s->cost.wall_s > 0) {
		double slower = s->simulated_ps > 0 ? s->cost.wall_s * 1e12 / (double)s->simulated_ps : 1;
		double times = slower >= 1 ? slower : 1 / slower;

		fprintf(out, " in %.2fs (%.*fx %s than real time)\n", s->cost.wall_s, times < 10,
			times, slower >= 1 ? "slower" : "faster");
		fprintf(out, "COST      %s events, %.2fM/s  packet-hops %.2fM/s  memory %s",
			table_count(s->events, events, sizeof(events)),
			(double)s->events / s->cost.wall_s / 1e6,
			(double)s->packet_hops / s->cost.wall_s / 1e6,
			table_bytes(s->cost.peak_rss_bytes, rss, sizeof(rss)));
	}
	fputc('\n', out);
}

static void print_flows(FILE *out, const struct summary *s)
{
	char a[CELL], b[CELL], c[CELL], d[CELL];
	const struct summary_times *t = &s->flows.fct;

	fprintf(out, "FLOWS     finished %s  failed %s  unfinished %s",
		table_count(s->flows.finished, a, sizeof(a)), table_count(s->flows.failed, b, sizeof(b)),
		table_count(s->flows.unfinished, c, sizeof(c)));
	if (s->flows.not_begun)
		fprintf(out, "  not begun %s", table_count(s->flows.not_begun, a, sizeof(a)));
	fprintf(out, "   goodput %s, whole run\n", table_rate(s->flows.goodput_bps, d, sizeof(d)));
	if (!t->count)
		return;
	fprintf(out,
		"FCT       p50 %s  p99 %s  p99.9 %s  max %s   slowdown p50 %.2f  p99 %.2f  p99.9 %.2f\n",
		table_duration(t->p50, a, sizeof(a)), table_duration(t->p99, b, sizeof(b)),
		table_duration(t->p999, c, sizeof(c)), table_duration(t->max, d, sizeof(d)),
		s->flows.slowdown.p50, s->flows.slowdown.p99, s->flows.slowdown.p999);
}

static void print_workloads(FILE *out, const struct summary *s)
{
	char a[CELL], b[CELL], c[CELL];

	for (int i = 0; i < s->nworkloads && i < WORKLOADS; i++) {
		const struct summary_workload *w = &s->workloads[i];
		fprintf(out, "  %-20s goodput %-*s", w->name,
			w->flows.fct.count || w->flows.started ? 11 : 0,
			table_rate(w->flows.goodput_bps, a, sizeof(a)));
		if (w->flows.fct.count)
			fprintf(out, " FCT p50 %-9s p99 %-9s",
				table_duration(w->flows.fct.p50, b, sizeof(b)),
				table_duration(w->flows.fct.p99, c, sizeof(c)));
		if (w->flows.started)
			fprintf(out, " %s of %s finished",
				table_count(w->flows.finished, b, sizeof(b)),
				table_count(w->flows.started, c, sizeof(c)));
		if (w->flows.not_begun)
			fprintf(out, "%s %s not begun (wait for %s)", w->flows.started ? "," : "",
				table_count(w->flows.not_begun, b, sizeof(b)), w->not_begun_for);
		fputc('\n', out);
	}
	if (s->nworkloads > WORKLOADS)
		fprintf(out, "  and %d more in summary.json\n", s->nworkloads - WORKLOADS);
}

static void print_network(FILE *out, const struct summary *s)
{
	char a[CELL], b[CELL], c[CELL], d[CELL];

	fprintf(out, "PFC       %s XOFF  %s ports paused for %s in all",
		table_count(s->pfc.xoff_frames, a, sizeof(a)),
		table_count(s->pfc.paused_ports, b, sizeof(b)),
		table_duration(s->pfc.paused_ps, c, sizeof(c)));
	if (s->pfc.longest_at)
		fprintf(out, "; longest %s at %s",
			table_duration(s->pfc.longest_pause_ps, d, sizeof(d)), s->pfc.longest_at);
	if (s->pfc.most_paused_at && s->simulated_ps > 0)
		fprintf(out, "; most %s (%.1f%% of the time)", s->pfc.most_paused_at,
			100.0 * (double)s->pfc.most_paused_ps / (double)s->simulated_ps);
	fprintf(out, "\nECN       %s of %s data frames marked (%.2f%%)  CNP %s\n",
		table_count(s->ecn.marked, a, sizeof(a)), table_count(s->ecn.data_frames, b, sizeof(b)),
		100 * s->ecn.marked_ratio, table_count(s->ecn.cnps, c, sizeof(c)));
	fprintf(out, "LOSS      lossless %s  lossy %s  watchdog %s",
		table_count(s->drops[SUMMARY_LOSSLESS], a, sizeof(a)),
		table_count(s->drops[SUMMARY_LOSSY], b, sizeof(b)),
		table_count(s->drops[SUMMARY_WATCHDOG], c, sizeof(c)));
	fprintf(out, "  wire %s", table_count(s->drops[SUMMARY_WIRE], a, sizeof(a)));
	fprintf(out, "  TTL %s", table_count(s->drops[SUMMARY_TTL], a, sizeof(a)));
	fprintf(out, "  NIC %s\n", table_count(s->drops[SUMMARY_NIC], a, sizeof(a)));
	if (s->buffer.peak_at)
		fprintf(out, "BUFFER    peak %s of %s (%s)",
			table_bytes(s->buffer.peak_bytes, a, sizeof(a)),
			table_bytes(s->buffer.size_bytes, b, sizeof(b)), s->buffer.peak_at);
	if (s->buffer.headroom_at)
		fprintf(out, "  headroom peak %.0f%% (%s)", 100 * s->buffer.headroom_peak_ratio,
			s->buffer.headroom_at);
	if (s->buffer.peak_at)
		fputc('\n', out);
	fprintf(out, "DEADLOCK  %s", table_deadlock(s, a, sizeof(a)));
	for (int i = 0; i < s->deadlock.ncycle; i++)
		fprintf(out, "%s%s", i ? " > " : "  ", s->deadlock.cycle[i]);
	fputc('\n', out);
	if (s->watchdog.storms)
		fprintf(out, "WATCHDOG  storms %s  restores %s  frames dropped %s\n",
			table_count(s->watchdog.storms, a, sizeof(a)),
			table_count(s->watchdog.restores, b, sizeof(b)),
			table_count(s->watchdog.dropped, c, sizeof(c)));
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
		fprintf(out, "EXPECT    %d of %d hold\n", table_passed(s), s->nexpects);
	table_failed(out, s, false);
}

int table_print(FILE *out, const struct summary *const *runs, int n)
{
	print_worst(out, runs, n);
	if (n == 1)
		print_one(out, runs[0]);
	else if (n > 1)
		table_several(out, runs, n);
	return ferror(out) ? -1 : 0;
}
