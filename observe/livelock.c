/*
 * observe/livelock.c - see livelock.h.
 *
 * A flow id is used again by later messages, so an entry belongs to one start time
 * and hash; it is judged when the message gets on, when another takes its id, and at
 * the end of the run.
 */
#include "observe/livelock.h"

#include <stdio.h>
#include <stdlib.h>
#include "sim/mem.h"

enum { BUSY_PART = 10 };	/* of the line: a tenth */

struct try {			/* zero: none */
	uint64_t hash;
	int64_t start_ps;
	int64_t at_bytes;		/* where it goes back to */
	int64_t since_ps, last_ps;	/* first and last time there */
	int64_t again_bytes;		/* sent beyond it in vain, after the first time */
	int64_t line_bps;
	uint32_t src, dst;
	int workload;
};

struct livelock {
	struct fabric *f;
	int64_t after_ps;
	struct try *try; size_t n;	/* by flow id */
	int64_t flows, first_ps, again_bytes;
	int64_t until_ps;		/* of the first one; -1: it stands */
	char flow[256];			/* ... for people */
};

static void judge(struct livelock *l, const struct try *t, bool stands)
{
	int64_t took_ps = t->last_ps - t->since_ps;

	if (took_ps < l->after_ps ||
	    t->again_bytes < units_bytes_in(took_ps, t->line_bps) / BUSY_PART)
		return;
	l->flows++;
	l->again_bytes += t->again_bytes;
	if (l->first_ps >= 0 && t->since_ps >= l->first_ps)
		return;
	l->first_ps = t->since_ps;
	l->until_ps = stands ? -1 : t->last_ps;
	snprintf(l->flow, sizeof(l->flow), "%s from %s to %s", view_workload(l->f, t->workload).name,
		 view_node_name(l->f, t->src), view_node_name(l->f, t->dst));
}

static void sink(void *ctx, const struct record *rec)
{
	struct livelock *l = ctx;
	struct view_flow flow = view_flow(l->f, rec->flow);

	if (rec->flow >= l->n) {
		size_t n = l->n ? l->n : 64;
		while (n <= rec->flow)
			n *= 2;
		l->try = mem_grow(l->try, n * sizeof(*l->try));
		for (size_t i = l->n; i < n; i++)
			l->try[i] = (struct try){ .start_ps = -1 };
		l->n = n;
	}
	struct try *t = &l->try[rec->flow];
	bool same = t->start_ps == flow.start_ps && t->hash == flow.hash;
	if (same && t->at_bytes == flow.acked_bytes) {
		t->last_ps = rec->at_ps;
		t->again_bytes += rec->a;
		return;
	}
	if (t->start_ps >= 0)
		judge(l, t, false);
	*t = (struct try){ .hash = flow.hash, .start_ps = flow.start_ps, .at_bytes = flow.acked_bytes,
			   .since_ps = rec->at_ps, .last_ps = rec->at_ps,
			   .line_bps = view_port(l->f, rec->port).rate_bps,
			   .src = flow.src, .dst = flow.dst, .workload = flow.workload };
}

struct livelock *livelock_new(struct fabric *f)
{
	struct livelock *l = mem_zalloc(sizeof(*l));

	l->f = f;
	l->after_ps = view_run_conf(f)->stall_ps;
	l->first_ps = -1;
	if (l->after_ps > 0 && l->after_ps < UNITS_NEVER)
		fabric_add_sink(f, 1u << RECORD_RETRANSMIT, sink, l);
	return l;
}

static void each_unfinished(void *ctx, uint32_t id, const char *waits_for)
{
	struct livelock *l = ctx;

	(void)waits_for;
	if (id >= l->n)
		return;
	struct view_flow flow = view_flow(l->f, id);
	struct try *t = &l->try[id];
	if (t->start_ps != flow.start_ps || t->hash != flow.hash)
		return;
	judge(l, t, true);
	t->start_ps = -1;
}

void livelock_fill(struct livelock *l, struct summary *s)
{
	view_unfinished(l->f, each_unfinished, l);
	for (size_t i = 0; i < l->n; i++)
		if (l->try[i].start_ps >= 0)
			judge(l, &l->try[i], false);
	s->livelock.found = l->flows > 0;
	s->livelock.flows = l->flows;
	s->livelock.first_ps = l->first_ps;
	s->livelock.again_bytes = l->again_bytes;
	s->livelock.until_ps = l->first_ps >= 0 ? l->until_ps : -1;
	s->livelock.flow = l->flows ? mem_strdup(l->flow) : NULL;
}

void livelock_free(struct livelock **lp)
{
	struct livelock *l = *lp;

	*lp = NULL;
	if (!l)
		return;
	free(l->try);
	free(l);
}
