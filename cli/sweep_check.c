/*
 * cli/sweep_check.c - see sweep_check.h.
 */
#include "cli/sweep_check.h"

#include <stdlib.h>
#include <string.h>

#include "cli/status.h"
#include "sim/mem.h"
#include "sweep/grid.h"

enum { CHECK_ALL = 256 };	/* so many points are built one by one */

/* Is `v` the first or last value of a seed axis, which stand for those between? */
static bool counts(const struct sweep_points *p, int axis, int v)
{
	return strcmp(p->axes[axis].path, "run.seed") != 0 || v == 0 || v == p->sizes[axis] - 1;
}

/* Has this point a value that no point before had?  Marks what it has. */
static bool brings(const struct sweep_points *p, const int *choice, bool **seen)
{
	bool any = false;

	for (int i = 0; i < p->naxes; i++) {
		any |= !seen[i][choice[i]] && counts(p, i, choice[i]);
		seen[i][choice[i]] = true;
	}
	return any;
}

static bool all_count(const struct sweep_points *p, const int *choice)
{
	for (int i = 0; i < p->naxes; i++)
		if (!counts(p, i, choice[i]))
			return false;
	return true;
}

static void build(const struct sweep_points *p, const int *choice, const int *runs, int nruns,
		  struct diag *diag)
{
	struct scenario_options with = {
		.sets = p->sets->items, .nsets = p->sets->n, .point = choice };
	struct scenario *sc = scenario_open(p->path, &with, diag);

	for (int i = 0; sc && i < nruns; i++) {
		struct fabric *f = scenario_build(sc, runs[i], diag);
		fabric_free(&f);
	}
	scenario_free(&sc);
}

static void check(const struct sweep_points *p, const int *runs, int nruns, struct diag *diag)
{
	bool **seen = mem_zalloc((size_t)p->naxes * sizeof *seen);
	int *choice = mem_zalloc((size_t)p->naxes * sizeof *choice);
	int64_t n = 0;

	for (int i = 0; i < p->naxes; i++)
		seen[i] = mem_zalloc((size_t)p->sizes[i] * sizeof(bool));
	for (int64_t i = 0; i < p->n; i++) {
		grid_choice(p->sizes, p->naxes, i, choice);
		n += p->wanted[i] && all_count(p, choice);
	}
	for (int64_t i = 0; i < p->n && diag_errors(diag) < DIAG_MAX; i++) {
		if (!p->wanted[i])
			continue;
		grid_choice(p->sizes, p->naxes, i, choice);
		if (brings(p, choice, seen) || (n <= CHECK_ALL && all_count(p, choice)))
			build(p, choice, runs, nruns, diag);
	}
	for (int i = 0; i < p->naxes; i++)
		free(seen[i]);
	free(seen);
	free(choice);
}

int sweep_check(const struct sweep_points *p)
{
	int *runs, nruns, status = STATUS_OK;
	struct diag *diag;

	if (sweep_point_runs(p, &runs, &nruns) != STATUS_OK)
		return STATUS_INPUT;
	diag = diag_new();
	check(p, runs, nruns, diag);
	if (diag_errors(diag)) {
		diag_print(diag, stderr);
		status = STATUS_INPUT;
	}
	diag_free(&diag);
	free(runs);
	return status;
}
