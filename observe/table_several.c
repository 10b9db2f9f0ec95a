/* observe/table_several.c - see table_in.h: several runs, a column each. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/table_in.h"

enum { LABEL = 26, WIDTH = 100 };

static int64_t fct(const struct summary_times *t, int64_t value)
{
	return t->count ? value : -1;
}

enum metric {
	GOODPUT,
	UNFINISHED, NOT_BEGUN,
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
		return table_count(w->iterations, buf, size);
	case FLOW_P50:
		return table_duration(fct(&w->flows.fct, w->flows.fct.p50), buf, size);
	case FLOW_P99:
		return table_duration(fct(&w->flows.fct, w->flows.fct.p99), buf, size);
	case FLOW_FAILED:
		return table_count(w->flows.failed, buf, size);
	default:
		return table_rate(w->flows.goodput_bps, buf, size);
	}
}

static char *cell(const struct summary *s, enum metric m, const char *name, char *buf,
		  size_t size)
{
	switch (m) {
	case GOODPUT:	return table_rate(s->flows.goodput_bps, buf, size);
	case UNFINISHED: return table_count(s->flows.unfinished, buf, size);
	case NOT_BEGUN:	return table_count(s->flows.not_begun, buf, size);
	case XOFF:	return table_count(s->pfc.xoff_frames, buf, size);
	case PAUSED:	return table_duration(s->pfc.paused_ps, buf, size);
	case HOSTS_PAUSED: return table_duration(hosts_paused(s), buf, size);
	case LONGEST:	return table_duration(s->pfc.longest_pause_ps, buf, size);
	case MARKED:	return table_count(s->ecn.marked, buf, size);
	case LOSSLESS:	return table_count(s->drops[SUMMARY_LOSSLESS], buf, size);
	case LOSSY:	return table_count(s->drops[SUMMARY_LOSSY], buf, size);
	case WATCHDOG:	return table_count(s->drops[SUMMARY_WATCHDOG], buf, size);
	case OTHER:	return table_count(table_other_drops(s), buf, size);
	case DEADLOCK:	return table_deadlock(s, buf, size);
	case STORMS:	return table_count(s->watchdog.storms, buf, size);
	case EXPECT:
		snprintf(buf, size, "%d/%d%s", table_passed(s), s->nexpects,
			 table_passed(s) < s->nexpects ? " FAIL" : "");
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
	case NOT_BEGUN:		return s->flows.not_begun;
	case LOSSY:		return s->drops[SUMMARY_LOSSY];
	case WATCHDOG:		return s->drops[SUMMARY_WATCHDOG];
	case OTHER:		return table_other_drops(s);
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
	print_row_if(b, "flows not begun", NOT_BEGUN, NULL);
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

void table_several(FILE *out, const struct summary *const *runs, int n)
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
		width[i] = 2 + (int)strlen(table_deadlock(runs[i], text, sizeof(text)));
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
	table_others(out, runs, n);
	for (int i = 0; i < n; i++)
		table_failed(out, runs[i], true);
	free(names);
	free(width);
}
