/* observe/flowrates.c - see flowrates.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/flowrates.h"
#include "observe/grow.h"
#include "observe/names.h"
#include "observe/outfile.h"
#include "observe/series.h"

struct open_flow { uint32_t id; int64_t start_ps, acked_bytes; uint64_t hash; bool whole; };

struct flowrates {
	struct fabric *f;
	struct outfile csv;
	bool *wanted;			/* by node: it is a source that counts */
	struct open_flow *open;		/* in order of (start, hash) */
	size_t n, room;
	int64_t last_ps;
};

static bool before(const struct open_flow *a, const struct open_flow *b)
{
	return a->start_ps != b->start_ps ? a->start_ps < b->start_ps : a->hash < b->hash;
}

static void started(struct flowrates *r, uint32_t id)
{
	struct view_flow flow = view_flow(r->f, id);
	struct open_flow new = { .id = id, .start_ps = flow.start_ps, .hash = flow.hash };
	size_t at = r->n;

	r->open = grow_room(r->open, r->n, &r->room, sizeof(*r->open));
	while (at && before(&new, &r->open[at - 1]))
		at--;
	memmove(r->open + at + 1, r->open + at, (r->n++ - at) * sizeof(*r->open));
	r->open[at] = new;
}

static void ended(struct flowrates *r, uint32_t id)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->open[i].id != id)
			continue;
		memmove(r->open + i, r->open + i + 1, (--r->n - i) * sizeof(*r->open));
		return;
	}
}

static void sink(void *ctx, const struct record *rec)
{
	struct flowrates *r = ctx;

	if (!r->wanted[rec->node])
		return;
	if (rec->kind == RECORD_FLOW_START)
		started(r, rec->flow);
	else
		ended(r, rec->flow);
}

static void write_row(struct flowrates *r, int64_t at_ps, const struct view_flow *flow, int64_t bytes)
{
	fprintf(r->csv.stream, "%" PRId64 ",%016" PRIx64 ",", at_ps, flow->hash);
	outfile_text(&r->csv, flow->name);
	fputc(',', r->csv.stream);
	outfile_text(&r->csv, view_node_name(r->f, flow->src));
	fputc(',', r->csv.stream);
	outfile_text(&r->csv, view_node_name(r->f, flow->dst));
	fprintf(r->csv.stream, ",%" PRId64 "\n",
		(int64_t)((__int128)bytes * 8 * UNITS_PS_PER_S / (at_ps - r->last_ps)));
}

static void sample(void *ctx, int64_t at_ps)
{
	struct flowrates *r = ctx;

	for (size_t i = 0; i < r->n; i++) {
		struct open_flow *o = &r->open[i];
		struct view_flow flow = view_flow(r->f, o->id);
		if (o->whole)
			write_row(r, at_ps, &flow, flow.acked_bytes - o->acked_bytes);
		o->whole = true;
		o->acked_bytes = flow.acked_bytes;
	}
	r->last_ps = at_ps;
}

struct flowrates *flowrates_new(struct fabric *f, const struct observe_series *conf,
				const char *dir, struct sim_error *err)
{
	struct flowrates *r = mem_zalloc(sizeof(*r));
	uint32_t n, *ports = series_ports(f, conf, &n, err);
	char file[256];

	r->f = f;
	r->wanted = mem_zalloc(view_nodes(f) * sizeof(*r->wanted));
	for (uint32_t i = 0; ports && i < n; i++)
		r->wanted[view_port(f, ports[i]).node] = true;
	snprintf(file, sizeof(file), "series/%.200s-flows.csv", conf->name);
	bool good = ports && !outfile_mkdir(dir, "series", err) &&
		    !outfile_open(&r->csv, dir, file, err);
	free(ports);
	if (!good) {
		flowrates_free(&r);
		return NULL;
	}
	fputs("at_ps,flow,workload,src,dst,acked_bps\n", r->csv.stream);
	fabric_add_sink(f, UINT64_C(1) << RECORD_FLOW_START | UINT64_C(1) << RECORD_FLOW_ACKED |
			   UINT64_C(1) << RECORD_FLOW_FAILED, sink, r);
	fabric_add_sampler(f, conf->every_ps, sample, r);
	return r;
}

int flowrates_finish(struct flowrates *r, struct sim_error *err)
{
	return outfile_close(&r->csv, err);
}

void flowrates_free(struct flowrates **rp)
{
	struct flowrates *r = *rp;

	*rp = NULL;
	if (!r)
		return;
	outfile_abandon(&r->csv);
	free(r->wanted);
	free(r->open);
	free(r);
}
