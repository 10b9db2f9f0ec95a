/* cli/sweep_best.c - `xoff sweep best`. */
#include "cli/sweep_best.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/status.h"
#include "scenario/scenario.h"
#include "sim/mem.h"
#include "sim/units.h"
#include "sweep/stats.h"
#include "sweep/store.h"

enum { WHERES = 16 };

struct rule { char metric[200], op[3]; double value; };

struct setting {
	char *name;
	double *value;		/* one a run */
	int n, room;
	double limit[WHERES];	/* sums of the metrics of the rules */
	int limits[WHERES];
	struct stats stats;
	bool holds;
};

struct board {
	struct store *store;
	struct setting *setting;
	int n;
	struct rule rule[WHERES];
	int rules;
};

/* ---- rules ---- */

/* A number, or a quantity: its unit must be the one that the metric calls for. */
static int rule_value(const char *metric, const char *text, double *out, struct sim_error *err)
{
	struct sim_error wrong = { 0 };
	enum units_kind kind;
	const char *name;
	int64_t exact;
	char *end;

	*out = strtod(text, &end);
	if (end != text && !*end && (*out == 0 || !scenario_unit(metric, &kind, &name)))
		return 0;
	if (!scenario_unit(metric, &kind, &name)) {
		struct units_ratio ratio;

		if (units_parse(text, UNITS_RATIO, NULL, &ratio, NULL))
			return error_set(err, "", "\"%s\" is no number, which %s is", text, metric);
		*out = (double)ratio.num / (double)ratio.den;
		return 0;
	}
	if (units_parse(text, kind, &exact, NULL, &wrong))
		return error_set(err, "", "%s is %s: %s", metric, name, wrong.text);
	*out = (double)exact;
	return 0;
}

static int parse_rule(const char *text, struct rule *r, struct sim_error *err)
{
	char value[64];

	if (sscanf(text, " %199s %2s %63s", r->metric, r->op, value) != 3 ||
	    (strcmp(r->op, "<") && strcmp(r->op, "<=") && strcmp(r->op, ">") && strcmp(r->op, ">=")))
		return error_set(err, "", "\"%s\" is no rule; wanted METRIC < VALUE (or <= > >=), with spaces", text);
	return rule_value(r->metric, value, &r->value, err);
}

static bool rule_holds(const struct rule *r, double v)
{
	if (!strcmp(r->op, "<"))
		return v < r->value;
	if (!strcmp(r->op, "<="))
		return v <= r->value;
	return strcmp(r->op, ">") ? v >= r->value : v > r->value;
}

/* ---- settings ---- */

static struct setting *setting_of(struct board *b, const char *name)
{
	if (b->n && !strcmp(b->setting[b->n - 1].name, name))
		return &b->setting[b->n - 1];
	b->setting = mem_grow(b->setting, (size_t)(b->n + 1) * sizeof *b->setting);
	b->setting[b->n] = (struct setting){ .name = mem_strdup(name) };
	return &b->setting[b->n++];
}

static void add(void *ctx, const char *name, const char *key, const char *variant, double value)
{
	struct board *b = ctx;
	struct setting *s = setting_of(b, name);
	double v;

	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 8;
		s->value = mem_grow(s->value, (size_t)s->room * sizeof *s->value);
	}
	s->value[s->n++] = value;
	for (int i = 0; i < b->rules; i++)
		if (store_value(b->store, key, variant, b->rule[i].metric, &v)) {
			s->limit[i] += v;
			s->limits[i]++;
		}
}

static void judge(struct board *b, double sign)
{
	for (int i = 0; i < b->n; i++) {
		struct setting *s = &b->setting[i];
		s->stats = stats_of(s->value, s->n);
		s->stats.mean *= sign;
		s->holds = true;
		for (int r = 0; r < b->rules; r++)
			s->holds &= s->limits[r] && rule_holds(&b->rule[r], s->limit[r] / s->limits[r]);
	}
}

static int order(const void *a, const void *b)
{
	const struct setting *x = a, *y = b;
	if (x->holds != y->holds)
		return x->holds ? -1 : 1;
	if (x->stats.mean != y->stats.mean)
		return x->stats.mean < y->stats.mean ? -1 : 1;
	return strcmp(x->name, y->name);
}

bool sweep_best_svg(const char *file)
{
	size_t n = strlen(file);

	if (n > 4 && !strcmp(file + n - 4, ".svg"))
		return true;
	message_error("sweep", "figures are SVG: wanted FILE.svg, not \"%s\"", file);
	return false;
}

void sweep_best_value(FILE *out, const char *metric, double v)
{
	enum units_kind kind;
	const char *name;
	char buf[64];

	if (scenario_unit(metric, &kind, &name))
		fprintf(out, "%s", units_format((int64_t)llround(v), kind, buf, sizeof buf));
	else
		fprintf(out, fabs(v) >= 1000 ? "%.0f" : "%.4g", v);
}

static void print_setting(const struct board *b, const struct setting *s, const char *metric, double sign)
{
	printf("%-48s %s ", *s->name ? s->name + strspn(s->name, " ") : "base", metric);
	sweep_best_value(stdout, metric, s->stats.mean * sign);
	if (isnan(s->stats.half)) {
		printf("  (one seed: no interval)");
	} else {
		printf(" +- ");
		sweep_best_value(stdout, metric, s->stats.half);
		printf("  (%d seeds)", s->n);
	}
	for (int r = 0; r < b->rules; r++)
		if (s->limits[r]) {
			printf("  %s ", b->rule[r].metric);
			sweep_best_value(stdout, b->rule[r].metric, s->limit[r] / s->limits[r]);
		}
	printf("%s\n", s->holds ? "" : "  [rule broken]");
}

/* Two settings whose intervals overlap cannot be ranked. */
static void print_doubt(const struct board *b)
{
	if (b->n < 2 || !b->setting[1].holds)
		return;
	const struct stats *a = &b->setting[0].stats, *c = &b->setting[1].stats;
	if (isnan(a->half) || isnan(c->half))
		printf("one seed cannot tell them apart: add seeds to the sweep (\"run.seed\": \"1..5\")\n");
	else if (a->mean + a->half > c->mean - c->half)
		printf("the first two cannot be told apart with this many seeds\n");
}

/* ---- heat map ---- */

/* Settings are "a=1 b=2 ...": the values of the first two params are the axes. */
struct axis { char *label[64]; int n; };

static int place(struct axis *x, const char *text, int length)
{
	for (int i = 0; i < x->n; i++)
		if ((int)strlen(x->label[i]) == length && !strncmp(x->label[i], text, (size_t)length))
			return i;
	if (x->n == 64)
		return -1;
	x->label[x->n] = mem_zalloc((size_t)length + 1);
	memcpy(x->label[x->n], text, (size_t)length);
	return x->n++;
}

static void heat_cell(FILE *out, const struct setting *s, struct axis *x, struct axis *y, double sign)
{
	const char *a = strchr(s->name, '=');
	const char *space = a ? strchr(a, ' ') : NULL, *c = space ? strchr(space, '=') : NULL;
	int i = a ? place(x, a + 1, (int)strcspn(a + 1, " ")) : place(x, "", 0);
	int j = c ? place(y, c + 1, (int)strcspn(c + 1, " ")) : place(y, "", 0);

	if (i >= 0 && j >= 0)
		fprintf(out, "%d %d %.17g\n", i, j, s->stats.mean * sign);
}

static void heat_tics(FILE *out, char name, struct axis *x)
{
	fprintf(out, "set %ctics (", name);
	for (int i = 0; i < x->n; i++) {
		fprintf(out, "%s'%s' %d", i ? ", " : "", x->label[i], i);
		free(x->label[i]);
	}
	fprintf(out, ")\n");
}

static int heat(const struct board *b, const char *file, const char *metric, double sign)
{
	FILE *g = popen("gnuplot", "w");
	struct axis x = { .n = 0 }, y = { .n = 0 };

	if (!g) {
		message_error("sweep", "cannot start gnuplot");
		return STATUS_OUTPUT;
	}
	fprintf(g, "set terminal svg size 800,500 font 'sans,14' background rgb 'white'\nset output '%s'\n"
		"set title '%s' noenhanced\nunset key\n$d << E\n", file, metric);
	for (int i = 0; i < b->n; i++)
		heat_cell(g, &b->setting[i], &x, &y, sign);
	fprintf(g, "E\nset xrange [-0.5:%d.5]\nset yrange [-0.5:%d.5]\n", x.n - 1, y.n - 1);
	if (b->n) {
		const char *name = b->setting[0].name, *a = strchr(name, '=');
		const char *second = a ? strchr(a, ' ') : NULL, *c = second ? strchr(second, '=') : NULL;
		fprintf(g, "set xlabel '%.*s' noenhanced\n", a ? (int)(a - name) : 0, name);
		if (c)
			fprintf(g, "set ylabel '%.*s' noenhanced\n", (int)(c - second - 1), second + 1);
	}
	heat_tics(g, 'x', &x);
	heat_tics(g, 'y', &y);
	fprintf(g, "set palette defined (0 '#f7fbff', 1 '#08306b')\nplot $d using 1:2:3 with image pixels\n");
	return pclose(g) ? STATUS_OUTPUT : STATUS_OK;
}

int sweep_best(const char *path, const struct sweep_question *q)
{
	struct board b = { .rules = 0 };
	struct sim_error err = { 0 };
	const char *metric = q->minimize ? q->minimize : q->maximize;
	double sign = q->minimize ? 1 : -1;
	int status = STATUS_OK;

	if (!metric || (q->minimize && q->maximize))
		error_set(&err, "", "best wants --minimize METRIC or --maximize METRIC");
	if (q->heat && !sweep_best_svg(q->heat))
		return STATUS_INPUT;
	if (q->nwhere > WHERES)
		error_set(&err, "", "at most %d rules", WHERES);
	for (int i = 0; i < q->nwhere && !err.set; i++)
		if (!parse_rule(q->where[i], &b.rule[b.rules], &err))
			b.rules++;
	if (!err.set)
		b.store = store_open(path, false, &err);
	for (int i = 0; i < b.rules && !err.set; i++)
		if (store_known(b.store, b.rule[i].metric, &err))
			break;
	if (!err.set && !store_each(b.store, metric, add, &b, &err)) {
		judge(&b, sign);
		qsort(b.setting, (size_t)b.n, sizeof *b.setting, order);
		for (int i = 0; i < b.n; i++)
			print_setting(&b, &b.setting[i], metric, sign);
		print_doubt(&b);
		if (!b.setting[0].holds)
			printf("no setting keeps every rule\n");
		status = b.setting[0].holds ? STATUS_OK : STATUS_FAILED;
		if (q->heat)
			status = status_worse(status, heat(&b, q->heat, metric, sign));
	}
	if (err.set) {
		message_error("sweep", "%s", err.text);
		status = STATUS_INPUT;
	}
	for (int i = 0; i < b.n; i++) {
		free(b.setting[i].name);
		free(b.setting[i].value);
	}
	free(b.setting);
	store_close(&b.store);
	return status;
}
