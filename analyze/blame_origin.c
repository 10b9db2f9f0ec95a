/*
 * analyze/blame_origin.c - what fed a deadlock: Hawkeye's classes (SIGCOMM 2024),
 * table 2, from pauses instead of polls.
 *
 * The pauses of the circle that stand when it closes began for a reason of their
 * own.  Each is followed from its XOFF to that instant, by its age.  Where that
 * ends in contention at a queue of the circle, the deadlock grew in the loop;
 * where it ends at an egress or a host beside the circle, it was fed from outside.
 */
#include "analyze/blame_in.h"

/* The pause that stops `place` at `at_ps`, or BLAME_NONE. */
static uint32_t pause_at(const struct blame_work *w, uint32_t place, int64_t at_ps)
{
	size_t n, i;
	const struct blame_piece *piece = blame_pieces(&w->stops, place, &n);

	i = blame_after(piece, n, at_ps);
	return i < n && piece[i].from_ps <= at_ps ? piece[i].pause : BLAME_NONE;
}

static bool in_circle(const struct blame_log *log, const struct blame_deadlock *d,
		      uint32_t place)
{
	for (uint32_t i = 0; i < d->ncircle; i++)
		if (log->members[d->member + i] == place)
			return true;
	return false;
}

/* Adds where one pause of the circle leads to. */
static void add_origins(struct blame_work *w, const struct blame_deadlock *d,
			struct blame_class *class_, struct tally *origins)
{
	for (size_t i = 0; i < w->nlanded; i++) {
		const struct blame_landed *l = &w->landed[i];
		const struct blame_root *root = &w->roots[l->root];
		bool outside = root->kind == BLAME_STORM || root->kind == BLAME_RECEIVER ||
			       (root->kind == BLAME_CONTENTION &&
				!in_circle(w->log, d, root->place));

		if (root->kind == BLAME_CIRCLE || root->kind == BLAME_PASSING ||
		    root->kind == BLAME_DEADLOCK)
			continue;
		*(outside ? &class_->outside_ps : &class_->inside_ps) += l->ps;
		tally_at(origins, root->kind, root->place, outside)->x += l->ps;
	}
}

static void look_at(struct blame_work *w, const struct blame_deadlock *d,
		    struct blame_class *class_)
{
	struct tally origins = { 0 };
	int64_t first_ps = INT64_MAX, most = 0;

	class_->first = BLAME_NONE;
	for (uint32_t i = 0; i < d->ncircle; i++) {
		uint32_t place = w->log->members[d->member + i];
		uint32_t pause = pause_at(w, place, d->from_ps);
		const struct blame_pause *p = &w->log->pauses[pause];

		if (pause == BLAME_NONE)
			continue;
		if (p->xoff_ps < first_ps) {
			first_ps = p->xoff_ps;
			class_->first = pause;
		}
		if (p->xoff_ps >= d->from_ps)
			continue;
		blame_follow(w, pause, p->xoff_ps, d->from_ps, d->from_ps - p->xoff_ps);
		add_origins(w, d, class_, &origins);
	}
	class_->known = class_->inside_ps + class_->outside_ps > 0;
	class_->outside = class_->outside_ps > class_->inside_ps;
	for (size_t i = 0; i < origins.n; i++) {
		const struct tally_entry *e = &origins.entry[i];

		if (e->c != class_->outside || e->x <= most)
			continue;
		most = e->x;
		class_->kind = (enum blame_kind)e->a;
		class_->place = e->b;
	}
	tally_fini(&origins);
}

void blame_origins(struct blame_work *w, struct blame_class *classes)
{
	for (size_t k = 0; k < w->log->ndeadlocks; k++)
		look_at(w, &w->log->deadlocks[k], &classes[k]);
}
