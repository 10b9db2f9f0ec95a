/* cli/sweep_compare.c - see sweep_compare.h. */
#include "cli/sweep_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/status.h"
#include "cli/sweep_best.h"
#include "cli/sweep_figure.h"
#include "sim/mem.h"
#include "sim/units.h"
#include "sweep/compare.h"

const char *const sweep_compare_formats[] = { "text", "markdown", "ratios", "csv", NULL };

struct question { const struct compare *c; int base; double confidence; bool differences; };

/* ---- text: one metric after the other ---- */

static struct compare_pair pair_of(const struct question *q, int s, int m, int a, int base)
{
	return compare_pair(q->c, s, m, a, base, q->confidence, q->differences);
}

static void print_pair_value(const struct compare_pair *p, const char *metric, double v)
{
	if (p->ratio)
		printf("%.3g", v);
	else
		sweep_best_value(stdout, metric, v);
}

/* The mean and, from two pairs on, its interval. */
static void print_pair(const struct compare_pair *p, const char *metric)
{
	print_pair_value(p, metric, p->mean);
	if (p->n < 2)
		return;
	printf(" (");
	print_pair_value(p, metric, p->low);
	printf(" .. ");
	print_pair_value(p, metric, p->high);
	printf(")");
}

static void print_arm(const struct question *q, int s, int m, int a)
{
	const char *metric = q->c->metric[m];
	struct stats own = compare_own(q->c, s, m, a, q->confidence);
	struct compare_pair p = pair_of(q, s, m, a, q->base);

	printf("  %-16s ", q->c->arm[a]);
	if (!own.n) {
		printf("no value\n");
		return;
	}
	sweep_best_value(stdout, metric, own.mean);
	if (!isnan(own.half)) {
		printf(" +- ");
		sweep_best_value(stdout, metric, own.half);
	}
	printf("  (%d)", own.n);
	if (a != q->base && p.n) {
		printf("   %s ", p.ratio ? "ratio" : "difference");
		print_pair(&p, metric);
		printf("   %s", p.n < 2 ? "one pair: no interval" : p.verdict < 0 ? "less" :
		       p.verdict > 0 ? "more" : "cannot be told apart");
	}
	printf("\n");
}

/* The winner, and who may be as good. */
static void print_least(const struct question *q, int s, int m)
{
	int least = compare_least(q->c, s, m), as_low = 0;

	if (least < 0)
		return;
	printf("  least: %s", q->c->arm[least]);
	for (int a = 0; a < q->c->arms; a++) {
		struct compare_pair p = pair_of(q, s, m, a, least);
		if (a != least && p.n && !p.verdict)
			printf("%s%s", as_low++ ? ", " : "; not told apart from it: ", q->c->arm[a]);
	}
	printf("\n");
}

static void print_text(const struct question *q)
{
	int asked = 0;

	for (int s = 0; s < q->c->settings; s++)
		for (int m = 0; m < q->c->metrics; m++) {
			printf("%s%s%s\n", q->c->setting[s], *q->c->setting[s] ? "  " : "", q->c->metric[m]);
			for (int a = 0; a < q->c->arms; a++)
				print_arm(q, s, m, a);
			print_least(q, s, m);
			asked += q->c->arms - 1;
		}
	printf("means and %.4g %% intervals over seeds; the others against %s seed by seed.", 100 * q->confidence,
	       q->c->arm[q->base]);
	if (asked > 1)
		printf("\nOf %d such comparisons %.2g would look sure by chance if nothing differed.", asked,
		       asked * (1 - q->confidence));
	printf("\n");
}

/* ---- markdown: a row an arm, a column a metric ---- */

static const char *arrow(int verdict)
{
	return verdict < 0 ? " ↓" : verdict > 0 ? " ↑" : "";
}

/* Against the base, with the interval. */
static void print_pair_cell(const struct question *q, int s, int m, int a)
{
	struct compare_pair p = pair_of(q, s, m, a, q->base);

	putchar(' ');
	if (p.n) {
		print_pair(&p, q->c->metric[m]);
		printf("%s", arrow(p.verdict));
	}
	printf(" |");
}

static void print_cell(const struct question *q, int s, int m, int a)
{
	struct stats own = compare_own(q->c, s, m, a, q->confidence);
	int verdict = a == q->base ? 0 : pair_of(q, s, m, a, q->base).verdict;
	const char *metric = q->c->metric[m];

	if (!own.n) {
		printf(" |");
		return;
	}
	printf(" ");
	sweep_best_value(stdout, metric, own.mean);
	if (!isnan(own.half) && own.half > 0) {
		printf(" ± ");
		if (own.half < 10)
			printf("%.2g", own.half);
		else
			sweep_best_value(stdout, metric, own.half < 1000 ? round(own.half) : own.half);
	}
	printf("%s |", arrow(verdict));
}

static void print_markdown(const struct question *q, bool pairs)
{
	char name[200];

	for (int s = 0; s < q->c->settings; s++) {
		printf("%s| %s |", s ? "\n" : "", *q->c->setting[s] ? q->c->setting[s] : "");
		for (int m = 0; m < q->c->metrics; m++)
			printf(" %s |", sweep_figure_name(q->c, m, name, sizeof name));
		printf("\n|---|");
		for (int m = 0; m < q->c->metrics; m++)
			printf("---|");
		printf("\n");
		for (int a = 0; a < q->c->arms; a++) {
			if (pairs && a == q->base)
				continue;
			printf("| %s |", q->c->arm[a]);
			for (int m = 0; m < q->c->metrics; m++)
				(pairs ? print_pair_cell : print_cell)(q, s, m, a);
			printf("\n");
		}
	}
}

/* ---- CSV ---- */

static void csv_text(const char *text)
{
	if (!strpbrk(text, ",\"\n")) {
		printf("%s,", text);
		return;
	}
	putchar('"');
	for (; *text; text++)
		printf(*text == '"' ? "\"\"" : "%c", *text);
	printf("\",");
}

static void csv_number(double v)
{
	if (isnan(v))
		putchar(',');
	else
		printf("%.17g,", v);
}

static void print_csv(const struct question *q)
{
	printf("setting,metric,arm,runs,mean,half_width,pairs,against,against_mean,against_low,against_high,verdict\n");
	for (int s = 0; s < q->c->settings; s++)
		for (int m = 0; m < q->c->metrics; m++)
			for (int a = 0; a < q->c->arms; a++) {
				struct stats own = compare_own(q->c, s, m, a, q->confidence);
				struct compare_pair p = pair_of(q, s, m, a, q->base);
				csv_text(q->c->setting[s]);
				csv_text(q->c->metric[m]);
				csv_text(q->c->arm[a]);
				printf("%d,", own.n);
				csv_number(own.mean);
				csv_number(own.half);
				printf("%d,%s,", p.n, p.ratio ? "ratio" : "difference");
				csv_number(p.mean);
				csv_number(p.low);
				csv_number(p.high);
				printf("%d\n", p.verdict);
			}
}

/* ---- all ---- */

static int read_confidence(const char *text, double *out, struct sim_error *err)
{
	struct units_ratio r = { 0 };

	*out = 0.95;
	if (!text)
		return 0;
	if (units_parse(text, UNITS_RATIO, NULL, &r, err))
		return -1;
	*out = r.den ? (double)r.num / (double)r.den : 0;
	if (*out >= 1 && *out < 100 && !strchr(text, '%'))
		return error_set(err, "", "a confidence of %s; did you mean %s%%?", text, text);
	if (*out <= 0 || *out >= 1)
		return error_set(err, "", "a confidence lies between 0%% and 100%%, such as 95%%, not at %s", text);
	return 0;
}

static int find_base(const struct compare *c, const char *against, struct sim_error *err)
{
	int base = against ? compare_arm(c, against) : 0;

	if (base >= 0)
		return base;
	const char **names = mem_zalloc((size_t)(c->arms + 1) * sizeof *names);
	for (int i = 0; i < c->arms; i++)
		names[i] = c->arm[i];
	const char *near = error_nearest(against, names);
	error_set(err, "", "nothing named \"%s\" is compared; %s \"%s\"%s", against, near ? "did you mean" : "there is",
		  near ? near : c->arm[0], near ? "?" : "");
	free(names);
	return -1;
}

static int answer(const struct compare *c, const struct sweep_comparison *ask, struct sim_error *err)
{
	struct question q = { .c = c, .differences = ask->differences };

	if (ask->figure && !sweep_best_svg(ask->figure))
		return STATUS_INPUT;
	if (read_confidence(ask->confidence, &q.confidence, err))
		return STATUS_INPUT;
	if (c->arms < 2) {
		error_set(err, "", "there is nothing to compare: %s only; run it with --variant all, or name a "
			  "setting with --by", c->arms ? c->arm[0] : "no run");
		return STATUS_INPUT;
	}
	q.base = find_base(c, ask->against, err);
	if (q.base < 0)
		return STATUS_INPUT;
	if (c->again)
		fprintf(stderr, "xoff sweep: %d runs have been run again since, by another version or with other "
			"settings; the later one counts\n", c->again);
	if (ask->format == SWEEP_CSV)
		print_csv(&q);
	else if (ask->format == SWEEP_MARKDOWN || ask->format == SWEEP_RATIOS)
		print_markdown(&q, ask->format == SWEEP_RATIOS);
	else
		print_text(&q);
	return ask->figure ? sweep_figure(c, ask->figure, ask->nmetrics == 1 ? ask->metrics[0] : "", q.confidence)
			   : STATUS_OK;
}

int sweep_compare(const char *path, const struct sweep_comparison *ask)
{
	struct sim_error err = { 0 };
	int status = STATUS_INPUT;
	struct store *s = NULL;
	struct compare *c = NULL;
	char *axis = NULL;

	if (!ask->nmetrics)
		error_set(&err, "", "compare wants --metric METRIC; a glob may pick several");
	else
		s = store_open(path, false, &err);
	if (s && ask->by && store_dimension(s, ask->by, &err))
		store_close(&s);
	if (s) {
		axis = ask->by ? mem_strdup(ask->by) : store_variants(s) < 2 ? store_axis(s) : NULL;
		c = compare_new(s, ask->metrics, ask->nmetrics, axis ? axis : "variant", &err);
	}
	if (c)
		status = answer(c, ask, &err);
	if (err.set)
		message_error("sweep", "%s", err.text);
	free(axis);
	compare_free(&c);
	store_close(&s);
	return status;
}
