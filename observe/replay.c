/* observe/replay.c - see replay.h. */
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/jsonout.h"
#include "observe/replay.h"
#include "observe/replay_frames.h"
#include "observe/replay_pauses.h"
#include "observe/stuck.h"

enum { DEADLOCKS_MAX = 1000 };		/* the first ones */

struct found {				/* a deadlock */
	int64_t at_ps, cleared_ps;	/* -1: it stands */
	const char *by;
	uint32_t *cycle, ncycle;
};

struct replay {
	struct fabric *f;
	struct outfile out;
	struct replay_frames *frames;
	struct replay_pauses *pauses;
	struct found *found;
	int nfound;
	bool paused, lost;		/* the first of its kind has been */
};

/* --- what happens ------------------------------------------------------- */

static void sink(void *ctx, const struct record *rec)
{
	struct replay *r = ctx;

	if (rec->kind == RECORD_PAUSED) {
		if (r->paused)
			return;
		r->paused = true;
	}
	if (rec->kind == RECORD_DROP) {
		if (r->lost || rec->b != RECORD_DROP_LOSSLESS)
			return;
		r->lost = true;
	}
	replay_frames_mark(r->frames);
}

void replay_deadlock(struct replay *r, int64_t at_ps, bool formed, const uint32_t *cycle,
		     uint32_t ncycle, const char *by)
{
	replay_frames_mark(r->frames);
	replay_pauses_mark(r->pauses, at_ps);
	if (!formed) {
		if (r->nfound && r->found[r->nfound - 1].cleared_ps < 0) {
			r->found[r->nfound - 1].cleared_ps = at_ps;
			r->found[r->nfound - 1].by = by;
		}
		return;
	}
	if (r->nfound == DEADLOCKS_MAX)
		return;
	r->found = mem_grow(r->found, (size_t)(r->nfound + 1) * sizeof(*r->found));
	struct found *d = &r->found[r->nfound++];
	*d = (struct found){ .at_ps = at_ps, .cleared_ps = -1, .ncycle = ncycle };
	d->cycle = mem_zalloc(ncycle * sizeof(*d->cycle));
	memcpy(d->cycle, cycle, ncycle * sizeof(*d->cycle));
}

/* --- writing ------------------------------------------------------------ */

static void write_classes(const struct replay *r, struct jsonout *j)
{
	jsonout_open(j, "classes", '[');
	for (int i = 0; i < view_classes(r->f); i++) {
		const struct class_conf *c = view_class(r->f, i);
		jsonout_open_flat(j, NULL, '{');
		jsonout_text(j, "name", c->name);
		jsonout_int(j, "priority", c->priority);
		jsonout_bool(j, "lossless", c->lossless);
		jsonout_close(j, '}');
	}
	jsonout_close(j, ']');
}

static void write_topology(const struct replay *r, struct jsonout *j)
{
	jsonout_open(j, "nodes", '[');
	for (uint32_t node = 0; node < view_nodes(r->f); node++) {
		bool is_switch = view_is_switch(r->f, node);
		jsonout_open_flat(j, NULL, '[');
		jsonout_text(j, NULL, view_node_name(r->f, node));
		jsonout_int(j, NULL, is_switch);
		jsonout_int(j, NULL,
			    is_switch ? view_switch_conf(r->f, node)->buffer.size_bytes : 0);
		jsonout_close(j, ']');
	}
	jsonout_close(j, ']');
	jsonout_open(j, "ports", '[');
	for (uint32_t port = 0; port < view_ports(r->f); port++) {
		struct view_port p = view_port(r->f, port);
		jsonout_open_flat(j, NULL, '[');
		jsonout_int(j, NULL, p.node);
		jsonout_int(j, NULL, p.number);
		jsonout_int(j, NULL, p.peer_port);
		jsonout_int(j, NULL, p.rate_bps);
		jsonout_int(j, NULL, p.delay_ps);
		jsonout_close(j, ']');
	}
	jsonout_close(j, ']');
}

static void write_deadlocks(const struct replay *r, struct jsonout *j)
{
	jsonout_open(j, "deadlocks", '[');
	for (int i = 0; i < r->nfound; i++) {
		const struct found *d = &r->found[i];
		jsonout_open_flat(j, NULL, '{');
		jsonout_int(j, "at_ps", d->at_ps);
		jsonout_time(j, "cleared_ps", d->cleared_ps);
		jsonout_text(j, "by", d->by);
		jsonout_open(j, "cycle", '[');
		for (uint32_t k = 0; k < d->ncycle; k++) {
			jsonout_open(j, NULL, '[');
			jsonout_int(j, NULL, d->cycle[k] / STUCK_PRIOS);
			jsonout_int(j, NULL, d->cycle[k] % STUCK_PRIOS);
			jsonout_close(j, ']');
		}
		jsonout_close(j, ']');
		jsonout_close(j, '}');
	}
	jsonout_close(j, ']');
}

int replay_finish(struct replay *r, struct sim_error *err)
{
	struct jsonout j;

	if (!r)
		return 0;
	replay_frames_finish(r->frames);
	jsonout_init(&j, r->out.stream, 0);
	jsonout_open(&j, NULL, '{');
	jsonout_text(&j, "schema", "xoff.replay/1");
	jsonout_int(&j, "end_ps", view_run(r->f).now_ps);
	write_classes(r, &j);
	write_topology(r, &j);
	write_deadlocks(r, &j);
	replay_frames_write(r->frames, &j);
	replay_pauses_write(r->pauses, &j);
	jsonout_close(&j, '}');
	fputc('\n', r->out.stream);
	return outfile_close(&r->out, err);
}

/* --- life --------------------------------------------------------------- */

struct replay *replay_new(struct fabric *f, const char *dir, struct sim_error *err)
{
	struct replay *r = mem_zalloc(sizeof(*r));

	r->f = f;
	if (outfile_open(&r->out, dir, "replay.json", err)) {
		free(r);
		return NULL;
	}
	r->frames = replay_frames_new(f);
	r->pauses = replay_pauses_new(f);
	fabric_add_sink(f, 1u << RECORD_PAUSED | 1u << RECORD_DROP | 1u << RECORD_WATCHDOG |
			   1u << RECORD_NIC_WATCHDOG | 1u << RECORD_FAULT, sink, r);
	return r;
}

void replay_free(struct replay **rp)
{
	struct replay *r = *rp;

	*rp = NULL;
	if (!r)
		return;
	outfile_abandon(&r->out);
	replay_frames_free(&r->frames);
	replay_pauses_free(&r->pauses);
	for (int i = 0; i < r->nfound; i++)
		free(r->found[i].cycle);
	free(r->found);
	free(r);
}
