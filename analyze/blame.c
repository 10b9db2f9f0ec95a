/* analyze/blame.c - see blame.h: the sums. */
#include <stdlib.h>
#include "sim/mem.h"
#include "analyze/blame_in.h"

const char *const blame_kind_names[] = {
	"contention", "nic_storm", "slow_receiver", "deadlock", "circle", "passing", NULL
};

struct sums {
	struct blame_work work;
	const struct blame_conf *conf;
	struct blame_report *report;
	struct tally hops;		/* root, depth, place: x */
	struct tally pairs;		/* root, pair: x lost, y brought */
	struct tally losses;		/* root, place: x, y stops */
	struct tally edges;
	int64_t *mass;			/* of each root, of this stop */
	size_t mass_cap;
	uint32_t *touched;		/* roots of this stop */
	size_t ntouched;
};

/* ------------------------------------------------------------------ one stop */

static void add_brought(struct sums *s, const struct blame_landed *l)
{
	const struct blame_cause *cause;
	__int128 weight[17] = { 0 };
	int64_t share[17], rest;
	uint32_t n;

	if (l->cause == BLAME_NONE)
		return;
	cause = &s->work.log->causes[s->work.log->pauses[l->pause].cause + l->cause];
	n = cause->nparts < 16 ? cause->nparts : 16;
	rest = cause->bytes;
	for (uint32_t i = 0; i < n; i++) {
		weight[i] = s->work.log->parts[cause->part + i].bytes;
		rest -= (int64_t)weight[i];
	}
	/* a frame takes whole cells, so a little is nobody's */
	weight[n] = rest > cause->bytes / 10 || !n ? (rest > 0 ? rest : 1) : 0;
	blame_split(l->ps, weight, share, n + 1);
	for (uint32_t i = 0; i < n; i++)
		tally_at(&s->pairs, l->root, s->work.log->parts[cause->part + i].pair, 0)->y +=
			share[i];
	s->work.roots[l->root].brought_others_ps += share[n];
}

/* Makes room in a span (last_ps 0: it is new) for [from, until). */
static void add_time(int64_t *first_ps, int64_t *last_ps, int64_t from_ps, int64_t until_ps)
{
	if (!*last_ps || from_ps < *first_ps)
		*first_ps = from_ps;
	if (until_ps > *last_ps)
		*last_ps = until_ps;
}

/* The shares of a stop, by root; the hops on the way. */
static void add_landed(struct sums *s, const struct blame_piece *piece)
{
	struct blame_work *w = &s->work;
	uint32_t place = w->log->stops[piece->stop].place;

	s->ntouched = 0;
	if (s->mass_cap < w->nroots) {
		size_t cap = w->roots_cap;

		s->mass = mem_grow(s->mass, cap * sizeof(*s->mass));
		s->touched = mem_grow(s->touched, cap * sizeof(*s->touched));
		for (size_t i = s->mass_cap; i < cap; i++)
			s->mass[i] = 0;
		s->mass_cap = cap;
	}
	for (size_t i = 0; i < w->nlanded; i++) {
		const struct blame_landed *l = &w->landed[i];
		struct blame_root *root = &w->roots[l->root];

		if (!s->mass[l->root])
			s->touched[s->ntouched++] = l->root;
		s->mass[l->root] += l->ps;
		root->ps += l->ps;
		add_time(&root->first_ps, &root->last_ps, piece->from_ps, piece->until_ps);
		add_time(&root->cause_first_ps, &root->cause_last_ps, l->from_ps, l->until_ps);
		tally_at(&s->hops, l->root, l->depth, place)->x += l->ps;
		add_brought(s, l);
	}
}

/* A root's share of a stop, among those who waited: the same for each. */
static void add_waiting(struct sums *s, uint32_t stop_id, uint32_t root, int64_t mass)
{
	const struct blame_stop *stop = &s->work.log->stops[stop_id];
	const uint32_t *pair = s->work.log->waiting + stop->waiting;
	int64_t each, more, left = mass, lost = 0;

	if (!stop->pairs) {
		s->work.roots[root].nobody_ps += mass;
		return;
	}
	each = mass / stop->pairs;
	more = mass % stop->pairs;	/* one more for so many, not always the same */
	for (uint32_t i = 0; i < stop->nwaiting; i++) {
		int64_t turn = (int64_t)(i + stop_id) % stop->pairs;
		int64_t share = each + (turn < more);

		tally_at(&s->pairs, root, pair[i], 0)->x += share;
		left -= share;
		if (s->conf->pairs && s->conf->pairs[pair[i]])
			lost += share;
	}
	s->work.roots[root].others_ps += left;
	if (lost) {
		struct tally_entry *e = tally_at(&s->losses, root, stop->place, 0);

		e->x += lost;
		e->y++;
	}
}

/* The stop of a member of a deadlock waits for the next members. */
static void add_deadlock_edges(struct sums *s, const struct blame_piece *piece, int64_t mass)
{
	const struct blame_pause *p = &s->work.log->pauses[piece->pause];
	const struct blame_cause *cause = s->work.log->causes + p->cause;
	uint32_t most = 0;

	for (uint32_t i = 1; i < p->ncauses; i++)
		if (cause[i].bytes > cause[most].bytes)
			most = i;
	tally_at(&s->edges, s->work.log->stops[piece->stop].place,
		 p->ncauses ? cause[most].place : BLAME_NONE, 0)->x += mass;
}

static void add_piece(struct sums *s, const struct blame_piece *piece, int64_t from_ps,
		      int64_t until_ps, int64_t mass)
{
	struct blame_work *w = &s->work;
	uint32_t place = w->log->stops[piece->stop].place;

	w->nlanded = 0;
	w->depth = 0;
	w->stopped = place;
	if (piece->deadlock != BLAME_NONE) {
		blame_land_deadlock(w, piece->deadlock, mass);
		if (piece->pause != BLAME_NONE)
			add_deadlock_edges(s, piece, mass);
	} else if (piece->pause != BLAME_NONE) {
		blame_follow(w, piece->pause, from_ps, until_ps, mass);
	} else {	/* no pause of it is recorded */
		uint32_t root = blame_root_of(w, BLAME_PASSING, place);

		struct blame_root *r = &w->roots[root];

		r->ps += mass;
		r->nobody_ps += mass;
		add_time(&r->first_ps, &r->last_ps, piece->from_ps, piece->until_ps);
		add_time(&r->cause_first_ps, &r->cause_last_ps, piece->from_ps, piece->until_ps);
		return;
	}
	add_landed(s, piece);
	for (size_t i = 0; i < s->ntouched; i++) {
		add_waiting(s, piece->stop, s->touched[i], s->mass[s->touched[i]]);
		s->mass[s->touched[i]] = 0;
	}
}

static void add_place(struct sums *s, uint32_t place)
{
	size_t n;
	const struct blame_piece *piece = blame_pieces(&s->work.stops, place, &n);
	int64_t at = s->conf->at_ps;

	for (size_t i = 0; i < n; i++) {
		int64_t from = piece[i].from_ps, until = piece[i].until_ps;

		if (at >= 0 && (at < from || at >= until))
			continue;
		if (at >= 0) {
			int64_t since = s->work.log->stops[piece[i].stop].from_ps;

			int64_t age = at > since ? at - since : 1;

			add_piece(s, &piece[i], at, at + 1, age);
			s->report->stopped_ps += age;
		} else {
			add_piece(s, &piece[i], from, until, until - from);
			s->report->stopped_ps += until - from;
		}
		s->report->stops++;
	}
}

/* ------------------------------------------------------------------- answers */

static int order(int64_t a_ps, int64_t b_ps, uint32_t a, uint32_t b)
{
	if (a_ps != b_ps)
		return a_ps > b_ps ? -1 : 1;
	return (a > b) - (a < b);
}

static int by_root(const void *x, const void *y)
{
	const struct blame_root *a = x, *b = y;

	if (a->ps != b->ps)
		return a->ps > b->ps ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static int by_hop(const void *x, const void *y)
{
	const struct blame_hop *a = x, *b = y;

	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return order(a->ps, b->ps, a->place, b->place);
}

static int by_pair(const void *x, const void *y)
{
	const struct blame_pair *a = x, *b = y;

	return order(a->lost_ps, b->lost_ps, a->pair, b->pair);
}

static int by_edge(const void *x, const void *y)
{
	const struct blame_edge *a = x, *b = y;

	if (a->ps != b->ps || a->stopped != b->stopped)
		return order(a->ps, b->ps, a->stopped, b->stopped);
	return (a->egress > b->egress) - (a->egress < b->egress);
}

static int by_loss(const void *x, const void *y)
{
	const struct blame_loss *a = x, *b = y;

	if (a->ps != b->ps || a->root != b->root)
		return order(a->ps, b->ps, a->root, b->root);
	return (a->place > b->place) - (a->place < b->place);
}

static void sort(void *list, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	if (n)
		qsort(list, n, size, cmp);
}

static void *append(void *list, size_t *n, const void *item, size_t size)
{
	char *at;

	if (!(*n & (*n - 1)))	/* a power of two: full, or empty */
		list = mem_grow(list, (*n ? 2 * *n : 1) * size);
	at = (char *)list + *n * size;
	for (size_t i = 0; i < size; i++)
		at[i] = ((const char *)item)[i];
	++*n;
	return list;
}

static bool is_own(const struct blame_log *log, const struct blame_root *root, uint32_t pair,
		   const struct tally_entry *e)
{
	const struct blame_deadlock *d;

	switch (root->kind) {
	case BLAME_CONTENTION:
		return (e->y && 10 * e->y >= e->x) ||
		       (log->host[root->place] != BLAME_NONE &&
			log->dst[pair] == log->host[root->place]);
	case BLAME_STORM:
	case BLAME_RECEIVER:
		return log->dst[pair] == log->node[root->place];
	case BLAME_DEADLOCK:
		d = &log->deadlocks[root->place];
		for (uint32_t i = 0; i < d->nwaiting; i++)
			if (log->waiting[d->waiting + i] == pair)
				return true;
		return false;
	default:
		return false;
	}
}

static void fill_roots(struct sums *s)
{
	struct blame_root *roots = s->work.roots;

	for (size_t i = 0; i < s->hops.n; i++) {
		const struct tally_entry *e = &s->hops.entry[i];
		struct blame_hop hop = { e->b, e->c, e->x };

		roots[e->a].hops = append(roots[e->a].hops, &roots[e->a].nhops, &hop,
					  sizeof(hop));
	}
	for (size_t i = 0; i < s->pairs.n; i++) {
		const struct tally_entry *e = &s->pairs.entry[i];
		struct blame_root *root = &roots[e->a];
		struct blame_pair pair = { e->b, is_own(s->work.log, root, e->b, e), e->y,
					   e->x };

		*(pair.own ? &root->own_ps : &root->victims_ps) += pair.lost_ps;
		root->pairs = append(root->pairs, &root->npairs, &pair, sizeof(pair));
	}
	for (size_t i = 0; i < s->work.nroots; i++) {
		sort(roots[i].hops, roots[i].nhops, sizeof(*roots[i].hops), by_hop);
		sort(roots[i].pairs, roots[i].npairs, sizeof(*roots[i].pairs), by_pair);
	}
}

/* Roots in order, those without time left out; losses name them by their new place. */
static void fill_report(struct sums *s)
{
	struct blame_report *r = s->report;
	struct blame_work *w = &s->work;

	r->roots = w->roots;
	w->roots = NULL;
	for (size_t i = 0; i < w->nroots; i++)
		if (r->roots[i].ps)
			r->nroots++;
	sort(r->roots, w->nroots, sizeof(*r->roots), by_root);
	for (size_t i = 0; i < r->nroots; i++)
		w->root_of[r->roots[i].kind][r->roots[i].place] = (uint32_t)i;
	for (size_t i = 0; i < s->edges.n; i++) {
		struct blame_edge e = { s->edges.entry[i].a, s->edges.entry[i].b,
					s->edges.entry[i].x };
		r->edges = append(r->edges, &r->nedges, &e, sizeof(e));
	}
	sort(r->edges, r->nedges, sizeof(*r->edges), by_edge);
}

static void fill_losses(struct sums *s, const struct blame_root *was)
{
	struct blame_report *r = s->report;

	for (size_t i = 0; i < s->losses.n; i++) {
		const struct tally_entry *e = &s->losses.entry[i];
		struct blame_loss loss = {
			s->work.root_of[was[e->a].kind][was[e->a].place], e->b, e->x, e->y
		};

		r->losses = append(r->losses, &r->nlosses, &loss, sizeof(loss));
	}
	sort(r->losses, r->nlosses, sizeof(*r->losses), by_loss);
}

static void finish(struct sums *s)
{
	size_t bytes = s->work.nroots * sizeof(*s->work.roots);
	struct blame_root *was = mem_zalloc(bytes);

	for (size_t i = 0; i < s->work.nroots; i++)
		was[i] = s->work.roots[i];
	fill_roots(s);
	fill_report(s);
	fill_losses(s, was);
	free(was);
}

static void fini(struct sums *s)
{
	blame_label_fini(&s->work);
	for (int i = 0; i < BLAME_KINDS; i++)
		free(s->work.root_of[i]);
	free(s->work.landed);
	free(s->work.choice);
	free(s->work.weight);
	free(s->work.share);
	tally_fini(&s->hops);
	tally_fini(&s->pairs);
	tally_fini(&s->losses);
	tally_fini(&s->edges);
	free(s->mass);
	free(s->touched);
}

void blame_analyze(const struct blame_log *log, const struct blame_conf *conf,
		   struct blame_report *report)
{
	struct sums s = { .work = { .log = log }, .conf = conf, .report = report };

	*report = (struct blame_report){ 0 };
	for (int i = 0; i < BLAME_KINDS; i++)
		s.work.root_of[i] = mem_zalloc(
			(i == BLAME_DEADLOCK ? log->ndeadlocks : log->nplaces) *
			sizeof(*s.work.root_of[i]));
	blame_label(&s.work);
	report->classes = mem_zalloc(log->ndeadlocks * sizeof(*report->classes));
	blame_origins(&s.work, report->classes);
	s.work.edges = &s.edges;
	for (uint32_t place = 0; place < log->nplaces; place++)
		if (!conf->places || conf->places[place])
			add_place(&s, place);
	finish(&s);
	fini(&s);
}

void blame_free(struct blame_report *r)
{
	for (size_t i = 0; i < r->nroots; i++) {
		free(r->roots[i].hops);
		free(r->roots[i].pairs);
	}
	free(r->roots);
	free(r->edges);
	free(r->losses);
	free(r->classes);
	*r = (struct blame_report){ 0 };
}
