/*
 * analyze/blame_label.c - time lines: when a place was stopped, by which pause, and
 * until when it worked that off.
 *
 * A stop is borne by the latest pause of the far end; where a new XOFF is sent
 * while the old stop still lasts, it is cut there (as pauses.csv counts).  What a
 * stop keeps back is a debt of time: it grows with the stop, is never more than
 * what waits takes to send, and is paid off while the place is free.
 */
#include <stdlib.h>
#include "sim/mem.h"
#include "analyze/blame_in.h"

struct order { uint32_t place; int64_t at_ps; uint32_t id; };

static int by_place(const void *x, const void *y)
{
	const struct order *a = x, *b = y;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->at_ps != b->at_ps)
		return a->at_ps < b->at_ps ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static struct order *sort(struct order *list, size_t n)
{
	if (n)
		qsort(list, n, sizeof(*list), by_place);
	return list;
}

static struct order *pauses_by_place(const struct blame_log *log)
{
	struct order *list = mem_zalloc(log->npauses * sizeof(*list));

	for (size_t i = 0; i < log->npauses; i++)
		list[i] = (struct order){ log->pauses[i].paused, log->pauses[i].xoff_ps,
					  (uint32_t)i };
	return sort(list, log->npauses);
}

static struct order *stops_by_place(const struct blame_log *log)
{
	struct order *list = mem_zalloc(log->nstops * sizeof(*list));

	for (size_t i = 0; i < log->nstops; i++)
		list[i] = (struct order){ log->stops[i].place, log->stops[i].from_ps,
					  (uint32_t)i };
	return sort(list, log->nstops);
}

/* Members of deadlocks; `id` is the deadlock. */
static struct order *members_by_place(const struct blame_log *log, size_t *n)
{
	struct order *list;

	*n = 0;
	for (size_t k = 0; k < log->ndeadlocks; k++)
		*n += log->deadlocks[k].nmembers;
	list = mem_zalloc(*n * sizeof(*list));
	*n = 0;
	for (size_t k = 0; k < log->ndeadlocks; k++) {
		const struct blame_deadlock *d = &log->deadlocks[k];

		for (uint32_t i = 0; i < d->nmembers; i++)
			list[(*n)++] = (struct order){ log->members[d->member + i], d->from_ps,
						       (uint32_t)k };
	}
	return sort(list, *n);
}

/* ------------------------------------------------------------------- pieces */

static void add(struct blame_line *l, struct blame_piece piece)
{
	if (piece.from_ps >= piece.until_ps)
		return;
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 256;
		l->piece = mem_grow(l->piece, l->cap * sizeof(*l->piece));
	}
	l->piece[l->n++] = piece;
}

struct cutter {			/* of one place */
	const struct blame_log *log;
	const struct order *pause, *member;
	size_t npauses, nmembers;
	size_t next;		/* pause: the first after the stop's beginning */
};

/* Cuts a piece where a deadlock that the place is in begins and ends. */
static void add_cut(struct blame_line *l, const struct cutter *c, struct blame_piece piece)
{
	for (size_t i = 0; i < c->nmembers; i++) {
		const struct blame_deadlock *d = &c->log->deadlocks[c->member[i].id];
		struct blame_piece before = piece, in = piece;

		if (d->until_ps <= piece.from_ps)
			continue;
		if (d->from_ps >= piece.until_ps)
			break;
		before.until_ps = d->from_ps;
		add(l, before);
		in.deadlock = c->member[i].id;
		if (in.from_ps < d->from_ps)
			in.from_ps = d->from_ps;
		if (in.until_ps > d->until_ps)
			in.until_ps = d->until_ps;
		add(l, in);
		piece.from_ps = in.until_ps;
	}
	add(l, piece);
}

/* The pieces of one stop; those that are stopped go to `stops`, and with what is
 * worked off until `paid_ps` to `labels`. */
static void cut_stop(struct blame_work *w, struct cutter *c, uint32_t id, int64_t paid_ps)
{
	const struct blame_stop *stop = &w->log->stops[id];
	struct blame_piece piece = { .from_ps = stop->from_ps, .stop = id,
				     .pause = BLAME_NONE, .deadlock = BLAME_NONE };

	while (c->next < c->npauses && c->pause[c->next].at_ps <= stop->from_ps)
		c->next++;
	if (c->next)
		piece.pause = c->pause[c->next - 1].id;
	if (piece.pause != BLAME_NONE && w->lag_ps[piece.pause] < 0)
		w->lag_ps[piece.pause] =
			stop->from_ps - w->log->pauses[piece.pause].xoff_ps;
	for (;; c->next++) {
		bool last = c->next == c->npauses || c->pause[c->next].at_ps >= stop->until_ps;

		piece.until_ps = last ? stop->until_ps : c->pause[c->next].at_ps;
		add_cut(&w->stops, c, piece);
		if (last)
			piece.until_ps = paid_ps;
		if (piece.pause != BLAME_NONE)
			add_cut(&w->labels, c, piece);
		if (last)
			return;
		piece.from_ps = c->pause[c->next].at_ps;
		piece.pause = c->pause[c->next].id;
		w->lag_ps[piece.pause] = 0;
	}
}

static void cut_place(struct blame_work *w, struct cutter *c, const struct order *stop,
		      size_t n)
{
	int64_t debt_ps = 0, free_ps = 0;	/* free since then */

	for (size_t i = 0; i < n; i++) {
		const struct blame_stop *s = &w->log->stops[stop[i].id];
		int64_t paid_ps;

		debt_ps -= s->from_ps - free_ps;
		debt_ps = (debt_ps > 0 ? debt_ps : 0) + s->until_ps - s->from_ps;
		if (debt_ps > s->drain_ps)
			debt_ps = s->drain_ps;
		free_ps = s->until_ps;
		paid_ps = free_ps + debt_ps;
		if (i + 1 < n && paid_ps > stop[i + 1].at_ps)
			paid_ps = stop[i + 1].at_ps;
		cut_stop(w, c, stop[i].id, paid_ps);
	}
}

/* Those of `list` from *at on that belong to `place`. */
static size_t run_of(const struct order *list, size_t n, size_t *at, uint32_t place,
		     const struct order **first)
{
	size_t begin = *at;

	*first = list + begin;
	while (*at < n && list[*at].place == place)
		++*at;
	return *at - begin;
}

void blame_label(struct blame_work *w)
{
	const struct blame_log *log = w->log;
	struct order *pauses = pauses_by_place(log), *stops = stops_by_place(log), *members;
	size_t nmembers, pause = 0, stop = 0, member = 0;

	members = members_by_place(log, &nmembers);
	w->lag_ps = mem_zalloc(log->npauses * sizeof(*w->lag_ps));
	for (size_t i = 0; i < log->npauses; i++)
		w->lag_ps[i] = -1;
	w->stops.first = mem_zalloc((log->nplaces + 1) * sizeof(size_t));
	w->labels.first = mem_zalloc((log->nplaces + 1) * sizeof(size_t));
	for (uint32_t place = 0; place < log->nplaces; place++) {
		struct cutter c = { .log = log };
		const struct order *own;
		size_t n = run_of(stops, log->nstops, &stop, place, &own);

		c.npauses = run_of(pauses, log->npauses, &pause, place, &c.pause);
		c.nmembers = run_of(members, nmembers, &member, place, &c.member);
		cut_place(w, &c, own, n);
		w->stops.first[place + 1] = w->stops.n;
		w->labels.first[place + 1] = w->labels.n;
	}
	free(pauses);
	free(stops);
	free(members);
}

void blame_label_fini(struct blame_work *w)
{
	free(w->stops.piece);
	free(w->stops.first);
	free(w->labels.piece);
	free(w->labels.first);
	free(w->lag_ps);
}

size_t blame_after(const struct blame_piece *piece, size_t n, int64_t ps)
{
	size_t low = 0;

	while (n) {
		size_t half = n / 2;

		if (piece[low + half].until_ps > ps) {
			n = half;
		} else {
			low += half + 1;
			n -= half + 1;
		}
	}
	return low;
}
