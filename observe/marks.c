/* observe/marks.c - see marks.h. */
#include <inttypes.h>
#include <stdlib.h>
#include "sim/mem.h"
#include "observe/marks.h"
#include "observe/names.h"
#include "observe/outfile.h"
#include "observe/series.h"

enum { PRIOS = 8, BELOW = 5, RAMP = 20, ABOVE = 5, BINS = BELOW + RAMP + ABOVE + 1 };

/* The curve; of a PI controller a step at pi_ref, so that there are bins about it. */
struct mark_bin { int64_t frames, marked, queue_bytes; double expected; };
struct mark_place { struct ecn_conf curve; struct mark_bin bin[BINS]; };

struct marks {
	struct fabric *f;
	struct outfile csv;
	int64_t warmup_ps;
	bool *wanted;			/* by port */
	struct mark_place **place;	/* by port and priority; made at the first frame */
};

static const struct ecn_conf *curve_of(const struct fabric *f, uint32_t node, int prio)
{
	for (int i = 0; i < view_classes(f); i++)
		if (view_class(f, i)->priority == prio && view_switch_conf(f, node)->ecn[i].on)
			return &view_switch_conf(f, node)->ecn[i];
	return NULL;
}

/* The upper end of a bin; -1: none. */
static int64_t upper(const struct ecn_conf *c, int bin)
{
	if (bin < BELOW)
		return c->kmin_bytes * (bin + 1) / BELOW;
	if (bin < BELOW + RAMP)
		return c->kmin_bytes + (c->kmax_bytes - c->kmin_bytes) * (bin - BELOW + 1) / RAMP;
	if (bin < BINS - 1)
		return c->kmax_bytes + c->kmax_bytes * (bin - BELOW - RAMP + 1) / ABOVE;
	return -1;
}

static int bin_of(const struct ecn_conf *c, int64_t queue_bytes)
{
	int bin = 0;

	while (bin < BINS - 1 && queue_bytes > upper(c, bin))
		bin++;
	return bin;
}

static double probability(const struct ecn_conf *c, int64_t queue_bytes)
{
	if (queue_bytes <= c->kmin_bytes)
		return 0;
	if (queue_bytes > c->kmax_bytes)
		return 1;
	return (double)c->pmax.num / (double)c->pmax.den * (double)(queue_bytes - c->kmin_bytes) /
	       (double)(c->kmax_bytes - c->kmin_bytes);
}

static void sink(void *ctx, const struct record *rec)
{
	struct marks *m = ctx;

	if (!m->wanted[rec->port] || rec->at_ps < m->warmup_ps)
		return;
	struct mark_place **place = &m->place[rec->port * PRIOS + rec->prio];
	if (!*place) {
		const struct ecn_conf *curve = curve_of(m->f, rec->node, rec->prio);
		if (!curve)
			return;
		*place = mem_zalloc(sizeof(**place));
		(*place)->curve = *curve;
		if (curve->pi_ref_bytes)
			(*place)->curve.kmin_bytes = (*place)->curve.kmax_bytes = curve->pi_ref_bytes;
	}
	struct mark_bin *bin = &(*place)->bin[bin_of(&(*place)->curve, rec->a)];
	bin->frames++;
	bin->marked += rec->b;
	bin->queue_bytes += rec->a;
	bin->expected += probability(&(*place)->curve, rec->a);
}

struct marks *marks_new(struct fabric *f, const struct observe_series *conf, const char *dir,
			struct sim_error *err)
{
	struct marks *m = mem_zalloc(sizeof(*m));
	uint32_t n, *ports = series_ports(f, conf, &n, err);
	char file[256];

	m->f = f;
	m->warmup_ps = view_run_conf(f)->warmup_ps;
	m->wanted = mem_zalloc(view_ports(f) * sizeof(*m->wanted));
	m->place = mem_zalloc(view_ports(f) * PRIOS * sizeof(*m->place));
	for (uint32_t i = 0; ports && i < n; i++)
		m->wanted[ports[i]] = true;
	snprintf(file, sizeof(file), "series/%.200s-marks.csv", conf->name);
	bool good = ports && !outfile_mkdir(dir, "series", err) &&
		    !outfile_open(&m->csv, dir, file, err);
	free(ports);
	if (!good) {
		marks_free(&m);
		return NULL;
	}
	fabric_add_sink(f, UINT64_C(1) << RECORD_ECN, sink, m);
	return m;
}

static void write_bin(struct marks *m, uint32_t key, int i)
{
	const struct mark_place *place = m->place[key];
	const struct mark_bin *bin = &place->bin[i];
	const struct ecn_conf *c = &place->curve;
	char name[NAMES_MAX];

	outfile_text(&m->csv, names_port(m->f, key / PRIOS, name, sizeof(name)));
	fprintf(m->csv.stream, ",%u,%" PRId64 ",", key % PRIOS, i ? upper(c, i - 1) : 0);
	if (upper(c, i) >= 0)
		fprintf(m->csv.stream, "%" PRId64, upper(c, i));
	if (c->pi_ref_bytes)
		fprintf(m->csv.stream, ",%" PRId64 ",%" PRId64 ",,%" PRId64 ",,,,%" PRId64 "\n",
			bin->frames, bin->marked, bin->queue_bytes / bin->frames, c->pi_ref_bytes);
	else
		fprintf(m->csv.stream, ",%" PRId64 ",%" PRId64 ",%.3f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%.9g,\n",
			bin->frames, bin->marked, bin->expected, bin->queue_bytes / bin->frames,
			c->kmin_bytes, c->kmax_bytes, (double)c->pmax.num / (double)c->pmax.den);
}

int marks_finish(struct marks *m, struct sim_error *err)
{
	fputs("port,prio,from_bytes,to_bytes,frames,marked_frames,expected_frames,mean_queue_bytes,"
	      "kmin_bytes,kmax_bytes,pmax,pi_ref_bytes\n", m->csv.stream);
	for (uint32_t key = 0; key < view_ports(m->f) * PRIOS; key++)
		for (int i = 0; m->place[key] && i < BINS; i++)
			if (m->place[key]->bin[i].frames)
				write_bin(m, key, i);
	return outfile_close(&m->csv, err);
}

void marks_free(struct marks **mp)
{
	struct marks *m = *mp;

	*mp = NULL;
	if (!m)
		return;
	outfile_abandon(&m->csv);
	for (uint32_t key = 0; key < view_ports(m->f) * PRIOS; key++)
		free(m->place[key]);
	free(m->place);
	free(m->wanted);
	free(m);
}
