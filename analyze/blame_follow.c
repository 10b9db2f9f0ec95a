/*
 * analyze/blame_follow.c - one share of a stop, followed from pause to pause.
 */
#include <stdlib.h>
#include <string.h>
#include "sim/assert.h"
#include "sim/mem.h"
#include "analyze/blame_in.h"

enum { FREE_FACTOR = 8 };	/* as many queues may share the wire */

/* What a pause waited for, for a time: a cause and what its egress did. */
struct blame_choice {
	int64_t from_ps, until_ps;
	uint32_t cause;
	uint32_t pause;		/* that stopped the egress; BLAME_NONE: it was free */
	uint32_t deadlock;
};

/* ------------------------------------------------------------------- splits */

static __int128 sum_of(const __int128 *weight, size_t n, int *shift)
{
	__int128 sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += weight[i];
	for (*shift = 0; sum >> *shift > INT64_MAX / 2;)
		++*shift;
	if (!*shift)
		return sum;
	sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += weight[i] >> *shift;
	return sum;
}

struct rest { int64_t rest; size_t at; };

static int by_rest(const void *x, const void *y)
{
	const struct rest *a = x, *b = y;

	if (a->rest != b->rest)
		return a->rest > b->rest ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

void blame_split(int64_t mass, const __int128 *weight, int64_t *share, size_t n)
{
	struct rest few[16], *rest = few;
	int64_t left = mass;
	int shift;
	__int128 sum = sum_of(weight, n, &shift);

	sim_assert(sum > 0);
	if (n > sizeof(few) / sizeof(few[0]))
		rest = mem_zalloc(n * sizeof(*rest));
	for (size_t i = 0; i < n; i++) {
		__int128 product = (weight[i] >> shift) * mass;

		share[i] = (int64_t)(product / sum);
		rest[i] = (struct rest){ (int64_t)(product % sum), i };
		left -= share[i];
	}
	if (left)
		qsort(rest, n, sizeof(*rest), by_rest);
	for (size_t i = 0; left > 0; i++, left--)	/* fewer than n */
		share[rest[i].at]++;
	if (rest != few)
		free(rest);
}

/* ------------------------------------------------------------------ landing */

uint32_t blame_root_of(struct blame_work *w, enum blame_kind kind, uint32_t place)
{
	uint32_t *root = &w->root_of[kind][place];

	if (!*root) {
		if (w->nroots == w->roots_cap) {
			w->roots_cap = w->roots_cap ? 2 * w->roots_cap : 64;
			w->roots = mem_grow(w->roots, w->roots_cap * sizeof(*w->roots));
		}
		w->roots[w->nroots] = (struct blame_root){ .kind = kind, .place = place };
		*root = (uint32_t)++w->nroots;
	}
	return *root - 1;
}

static void land(struct blame_work *w, uint32_t root, uint32_t cause, int64_t from_ps, int64_t until_ps,
		 int64_t mass)
{
	if (!mass)
		return;
	if (w->nlanded == w->landed_cap) {
		w->landed_cap = w->landed_cap ? 2 * w->landed_cap : 256;
		w->landed = mem_grow(w->landed, w->landed_cap * sizeof(*w->landed));
	}
	w->landed[w->nlanded++] = (struct blame_landed){
		.root = root, .depth = w->depth ? w->depth : 1, .cause = cause, .ps = mass,
		.from_ps = from_ps, .until_ps = until_ps,
		.pause = w->depth ? w->stack[w->depth - 1] : BLAME_NONE,
	};
}

void blame_land_deadlock(struct blame_work *w, uint32_t deadlock, int64_t mass)
{
	const struct blame_deadlock *d = &w->log->deadlocks[deadlock];

	land(w, blame_root_of(w, BLAME_DEADLOCK, deadlock), BLAME_NONE, d->from_ps, d->until_ps, mass);
}

/* A pause that a host sent: a storm for as long as one is on. */
static void land_host(struct blame_work *w, uint32_t pause, int64_t from_ps, int64_t until_ps,
		      int64_t mass)
{
	const struct blame_pause *p = &w->log->pauses[pause];
	__int128 weight[2] = { 0 };	/* storm, receiver */
	int64_t share[2], storm_ps = 0, on_ps = INT64_MAX, off_ps = 0;
	int64_t slow_ps = from_ps, slow_until_ps = until_ps;

	for (size_t i = 0; i < w->log->nstorms; i++) {
		const struct blame_span *s = &w->log->storms[i];
		int64_t from = s->from_ps > from_ps ? s->from_ps : from_ps;
		int64_t until = s->until_ps < until_ps ? s->until_ps : until_ps;

		if (s->place != p->sender || from >= until)
			continue;
		storm_ps += until - from;
		on_ps = s->from_ps < on_ps ? s->from_ps : on_ps;
		off_ps = s->until_ps > off_ps ? s->until_ps : off_ps;
		if (from <= slow_ps)
			slow_ps = until;
		else if (until >= slow_until_ps)
			slow_until_ps = from;
	}
	if (p->by == BLAME_HOST_STORM || storm_ps > until_ps - from_ps)	/* or two at once */
		storm_ps = until_ps - from_ps;
	if (on_ps == INT64_MAX) {	/* none that began is recorded */
		on_ps = from_ps;
		off_ps = until_ps;
	}
	weight[0] = storm_ps;
	weight[1] = until_ps - from_ps - storm_ps;
	blame_split(mass, weight, share, 2);
	if (share[0])
		land(w, blame_root_of(w, BLAME_STORM, p->sender), BLAME_NONE, on_ps, off_ps, share[0]);
	if (share[1])
		land(w, blame_root_of(w, BLAME_RECEIVER, p->sender), BLAME_NONE, slow_ps, slow_until_ps,
		     share[1]);
}

/* ------------------------------------------------------------------ choices */

static void choose(struct blame_work *w, struct blame_choice choice, __int128 weight)
{
	if (weight <= 0)
		return;
	if (w->nchoice == w->choice_cap) {
		w->choice_cap = w->choice_cap ? 2 * w->choice_cap : 256;
		w->choice = mem_grow(w->choice, w->choice_cap * sizeof(*w->choice));
		w->weight = mem_grow(w->weight, w->choice_cap * sizeof(*w->weight));
		w->share = mem_grow(w->share, w->choice_cap * sizeof(*w->share));
	}
	w->weight[w->nchoice] = weight;
	w->choice[w->nchoice++] = choice;
}

/* The free time of an egress: from its first instant to its last, and how much it is. */
struct blame_free { int64_t from_ps, until_ps, ps; };

/* Adds of [from, until) the part before `end`. */
static void add_free(struct blame_free *f, int64_t from, int64_t until, int64_t end)
{
	if (until > end)
		until = end;
	if (until <= from)
		return;
	if (!f->ps)
		f->from_ps = from;
	f->until_ps = until;
	f->ps += until - from;
}

/* What cause `number` of the pause means in [from, until); free time after
 * `free_end` does not count. */
static void choose_cause(struct blame_work *w, const struct blame_cause *cause, uint32_t number,
			 int64_t from, int64_t until, int64_t free_end)
{
	size_t n, i;
	const struct blame_piece *piece = blame_pieces(&w->labels, cause->place, &n);
	struct blame_free free_ = { 0 };
	int64_t at = from;

	for (i = blame_after(piece, n, from); i < n && piece[i].from_ps < until; i++) {
		struct blame_choice c = {
			.from_ps = piece[i].from_ps > from ? piece[i].from_ps : from,
			.until_ps = piece[i].until_ps < until ? piece[i].until_ps : until,
			.cause = number, .pause = piece[i].pause, .deadlock = piece[i].deadlock,
		};

		add_free(&free_, at, c.from_ps, free_end);
		at = c.until_ps;
		choose(w, c, (__int128)cause->bytes * (c.until_ps - c.from_ps));
	}
	add_free(&free_, at, until, free_end);
	choose(w, (struct blame_choice){ free_.from_ps, free_.until_ps, number, BLAME_NONE, BLAME_NONE },
	       (__int128)cause->bytes * free_.ps);
}

/* All choices of a pause, from w->nchoice on. */
static void choose_all(struct blame_work *w, const struct blame_pause *p, int64_t from,
		       int64_t until)
{
	const struct blame_cause *cause = w->log->causes + p->cause;
	size_t before_all = w->nchoice;

	for (uint32_t i = 0; i < p->ncauses; i++)
		choose_cause(w, &cause[i], i, from, until,
			     p->xoff_ps + FREE_FACTOR * w->log->drain_ps[cause[i].place]);
	for (uint32_t i = 0; i < p->ncauses && w->nchoice == before_all; i++)
		choose_cause(w, &cause[i], i, from, until, INT64_MAX);
}

/* Small shares are not split: the largest choice takes all. */
static void divide(struct blame_work *w, size_t first, int64_t mass)
{
	size_t n = w->nchoice - first, most = 0;

	if (mass > w->least_ps) {
		blame_split(mass, w->weight + first, w->share + first, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		w->share[first + i] = 0;
		if (w->weight[first + i] > w->weight[first + most])
			most = i;
	}
	w->share[first + most] = mass;
}

/* ---------------------------------------------------------------- following */

/* The time of a stop, as the group behind its pause lived it. */
static void shift(const struct blame_work *w, uint32_t pause, int64_t *from, int64_t *until)
{
	const struct blame_pause *p = &w->log->pauses[pause];
	int64_t lag = w->lag_ps[pause] > 0 ? w->lag_ps[pause] : 0, length = *until - *from;
	int64_t end = p->end_ps > p->xoff_ps ? p->end_ps : p->xoff_ps + 1;

	*from -= lag;
	if (*from + length > end)	/* its end, and what was worked off after it */
		*from = end - length;
	*until = *from + length;
	if (*from < p->xoff_ps)
		*from = p->xoff_ps;
	if (*until <= *from)
		*until = *from + 1;
}

static void follow(struct blame_work *w, uint32_t pause, int64_t from, int64_t until,
		   int64_t mass);

static void go_on(struct blame_work *w, const struct blame_choice *c, int64_t mass)
{
	const struct blame_pause *p = &w->log->pauses[w->stack[w->depth - 1]];
	const struct blame_cause *cause = w->log->causes + p->cause + c->cause;

	if (w->edges && w->depth == 1)
		tally_at(w->edges, w->stopped, cause->place, 0)->x += mass;
	if (c->deadlock != BLAME_NONE) {
		blame_land_deadlock(w, c->deadlock, mass);
		return;
	}
	if (c->pause == BLAME_NONE) {
		land(w, blame_root_of(w, BLAME_CONTENTION, cause->place), c->cause, c->from_ps, c->until_ps,
		     mass);
		return;
	}
	for (uint32_t i = 0; i < w->depth; i++)
		if (w->stack[i] == c->pause) {
			land(w, BLAME_BACK + i, BLAME_NONE, c->from_ps, c->until_ps, mass);
			return;
		}
	follow(w, c->pause, c->from_ps, c->until_ps, mass);
}

/* What came back to the pause at the top of the stack goes where the rest went. */
static void bring_back(struct blame_work *w, size_t first)
{
	uint32_t back = BLAME_BACK + w->depth - 1;
	int64_t returned = 0, from_ps = INT64_MAX, until_ps = 0;
	size_t n = first;

	for (size_t i = first; i < w->nlanded; i++)
		if (w->landed[i].root == back) {
			const struct blame_landed *l = &w->landed[i];

			returned += l->ps;
			from_ps = l->from_ps < from_ps ? l->from_ps : from_ps;
			until_ps = l->until_ps > until_ps ? l->until_ps : until_ps;
		} else {
			w->landed[n++] = w->landed[i];
		}
	w->nlanded = n;
	if (!returned)
		return;
	if (n == first) {
		land(w, blame_root_of(w, BLAME_CIRCLE,
				      w->log->pauses[w->stack[w->depth - 1]].sender),
		     BLAME_NONE, from_ps, until_ps, returned);
		return;
	}
	n -= first;
	__int128 *weight = mem_zalloc(n * sizeof(*weight));
	int64_t *share = mem_zalloc(n * sizeof(*share));
	for (size_t i = 0; i < n; i++)
		weight[i] = w->landed[first + i].ps;
	blame_split(returned, weight, share, n);
	for (size_t i = 0; i < n; i++)
		w->landed[first + i].ps += share[i];
	free(weight);
	free(share);
}

/* [from, until) is the time of the stop that `pause` bears. */
static void follow(struct blame_work *w, uint32_t pause, int64_t from, int64_t until,
		   int64_t mass)
{
	const struct blame_pause *p = &w->log->pauses[pause];
	size_t landed = w->nlanded, first = w->nchoice;

	shift(w, pause, &from, &until);
	if (w->depth == BLAME_DEPTH) {
		land(w, blame_root_of(w, BLAME_CIRCLE, p->sender), BLAME_NONE, from, until, mass);
		return;
	}
	w->stack[w->depth++] = pause;
	if (p->by != BLAME_GROUP) {
		if (w->edges && w->depth == 1)
			tally_at(w->edges, w->stopped, BLAME_NONE, 0)->x += mass;
		land_host(w, pause, from, until, mass);
	} else if (!p->ncauses) {
		land(w, blame_root_of(w, BLAME_PASSING, p->sender), BLAME_NONE, from, until, mass);
	} else {
		choose_all(w, p, from, until);
		divide(w, first, mass);
		for (size_t i = first, end = w->nchoice; i < end; i++) {
			struct blame_choice c = w->choice[i];
			int64_t share = w->share[i];

			if (share)
				go_on(w, &c, share);
		}
		w->nchoice = first;
	}
	bring_back(w, landed);
	w->depth--;
}

void blame_follow(struct blame_work *w, uint32_t pause, int64_t from_ps, int64_t until_ps,
		  int64_t mass)
{
	w->nlanded = w->nchoice = 0;
	w->depth = 0;
	w->least_ps = mass / 1000;
	follow(w, pause, from_ps, until_ps, mass);
}
