/* cli/rules.c - see rules.h */
#include "cli/rules.h"

#include <stdlib.h>

#include "cli/batch.h"
#include "models/view.h"
#include "observe/observe.h"
#include "sim/assert.h"
#include "sim/mem.h"

/* A summary lists only nodes that were paused; a rule may ask for any. */
static void all_nodes(const struct fabric *f, struct summary *s)
{
	uint32_t n = view_nodes(f);

	for (int i = 0; i < s->pfc.nnodes; i++)
		free(s->pfc.by_node[i].name);
	free(s->pfc.by_node);
	s->pfc.by_node = mem_zalloc(n * sizeof(*s->pfc.by_node));
	s->pfc.nnodes = (int)n;
	for (uint32_t i = 0; i < n; i++)
		s->pfc.by_node[i].name = mem_strdup(view_node_name(f, i));
}

void rules_shape(const struct scenario *sc, int run, struct fabric *f,
		 struct scenario_results *shapes)
{
	struct sim_error err = { 0 };
	int nseries, nsizes;
	struct observe_series *series = batch_series(sc, run, &nseries);
	const int64_t *sizes = scenario_sizes(sc, run, &nsizes);
	struct observe *o = observe_new(f, &(struct observe_conf){
		.experiment = scenario_name(sc), .variant = scenario_run_name(sc, run),
		.series = series, .nseries = nseries, .sizes_bytes = sizes, .nsizes = nsizes,
	}, &err);

	if (o && !observe_finish(o, &err)) {
		struct summary *s = observe_summary(o);
		char *json = NULL;
		size_t length = 0;
		FILE *out = mem_stream(&json, &length);

		all_nodes(f, s);
		s->cost.set = true;
		for (int i = 0; i < s->nseries; i++)
			s->series[i].samples = 1;	/* of none, no place is written */
		summary_write_run(out, s, 0);
		mem_stream_close(out);
		if (scenario_results_add(shapes, scenario_run_name(sc, run), json, length, &err))
			sim_assert(0);		/* ours */
		free(json);
	}
	observe_free(&o);
	free(series);
}
