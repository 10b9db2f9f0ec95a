#include "sweep/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"

/* ---- reading ---- */

static int place(char ***list, int *n, const char *text)
{
	for (int i = 0; i < *n; i++)
		if (!strcmp((*list)[i], text))
			return i;
	*list = mem_grow(*list, (size_t)(*n + 1) * sizeof **list);
	(*list)[*n] = mem_strdup(text);
	return (*n)++;
}

struct reader {
	struct compare *c;
	int metric;
	bool counting;		/* first pass: only names */
};

static void name_metric(void *ctx, const char *metric)
{
	struct compare *c = ctx;
	place(&c->metric, &c->metrics, metric);
}

static double *cell(const struct compare *c, int setting, int metric, int arm)
{
	size_t at = ((size_t)setting * (size_t)c->metrics + (size_t)metric) * (size_t)c->arms + (size_t)arm;
	return &c->value[at * (size_t)c->seeds];
}

static void take(void *ctx, const char *setting, const char *arm, const char *seed, double value)
{
	struct reader *r = ctx;
	struct compare *c = r->c;
	int s = place(&c->setting, &c->settings, setting), a = place(&c->arm, &c->arms, arm);
	int d = place(&c->seed, &c->seeds, seed);

	if (r->counting)
		return;
	double *v = &cell(c, s, r->metric, a)[d];
	if (!isnan(*v) && r->metric == 0)
		c->again++;
	*v = value;
}

static int read_all(struct store *s, struct compare *c, const char *by, bool counting, struct sim_error *err)
{
	for (int m = 0; m < c->metrics; m++) {
		struct reader r = { c, m, counting };
		if (store_arms(s, c->metric[m], by, take, &r, err))
			return -1;
	}
	return 0;
}

struct compare *compare_new(struct store *s, const char *const *globs, int nglobs, const char *by,
			    struct sim_error *err)
{
	struct compare *c = mem_zalloc(sizeof *c);
	int rc = 0;

	for (int i = 0; i < nglobs && !rc; i++)
		rc = store_match(s, globs[i], name_metric, c, err);
	if (!rc)
		rc = read_all(s, c, by, true, err);
	size_t n = (size_t)c->settings * (size_t)c->metrics * (size_t)c->arms * (size_t)c->seeds;
	c->value = mem_zalloc((n + 1) * sizeof *c->value);
	for (size_t i = 0; i < n; i++)
		c->value[i] = NAN;
	if (!rc)
		rc = read_all(s, c, by, false, err);
	if (rc)
		compare_free(&c);
	return c;
}

static void free_list(char **list, int n)
{
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

void compare_free(struct compare **cp)
{
	struct compare *c = *cp;

	*cp = NULL;
	if (!c)
		return;
	free_list(c->setting, c->settings);
	free_list(c->metric, c->metrics);
	free_list(c->arm, c->arms);
	free_list(c->seed, c->seeds);
	free(c->value);
	free(c);
}

/* ---- asking ---- */

int compare_arm(const struct compare *c, const char *name)
{
	for (int i = 0; i < c->arms; i++)
		if (!strcmp(c->arm[i], name))
			return i;
	return -1;
}

struct stats compare_own(const struct compare *c, int setting, int metric, int arm, double confidence)
{
	const double *a = cell(c, setting, metric, arm);
	double *v = mem_zalloc((size_t)(c->seeds + 1) * sizeof *v);
	int n = 0;

	for (int i = 0; i < c->seeds; i++)
		if (!isnan(a[i]))
			v[n++] = a[i];
	struct stats s = stats_at(v, n, confidence);
	free(v);
	return s;
}

struct compare_pair compare_pair(const struct compare *c, int setting, int metric, int arm, int base,
				 double confidence, bool differences)
{
	const double *a = cell(c, setting, metric, arm), *b = base < 0 ? NULL : cell(c, setting, metric, base);
	double *v = mem_zalloc((size_t)(c->seeds + 1) * sizeof *v);
	struct compare_pair p = { .ratio = !differences, .low = NAN, .high = NAN };

	for (int i = 0; i < c->seeds; i++)
		p.ratio &= isnan(a[i]) || (b && isnan(b[i])) || (a[i] > 0 && (!b || b[i] > 0));
	for (int i = 0; i < c->seeds; i++)
		if (!isnan(a[i]) && !(b && isnan(b[i])))
			v[p.n++] = p.ratio ? log(a[i] / (b ? b[i] : 1)) : a[i] - (b ? b[i] : 0);
	struct stats s = stats_at(v, p.n, confidence);
	free(v);
	p.mean = p.ratio ? exp(s.mean) : s.mean;
	if (p.n < 2)
		return p;
	p.low = p.ratio ? exp(s.mean - s.half) : s.mean - s.half;
	p.high = p.ratio ? exp(s.mean + s.half) : s.mean + s.half;
	p.verdict = s.mean + s.half < 0 ? -1 : s.mean - s.half > 0;
	return p;
}

int compare_least(const struct compare *c, int setting, int metric)
{
	double least = INFINITY;
	int found = -1;

	for (int i = 0; i < c->arms; i++) {
		struct stats s = compare_own(c, setting, metric, i, 0.95);
		if (s.n && s.mean < least) {
			least = s.mean;
			found = i;
		}
	}
	return found;
}
