/* cli/explain_text_deadlock.c - see explain_text.h */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/explain_text.h"
#include "cli/explain_words.h"

/* The stop of a place that stands at an instant, or NULL. */
static const struct blame_stop *stop_at(const struct rundir_read *r, uint32_t place,
					int64_t at_ps)
{
	for (size_t i = 0; i < r->nstops; i++)
		if (r->stops[i].place == place && r->stops[i].from_ps <= at_ps &&
		    r->stops[i].until_ps > at_ps)
			return &r->stops[i];
	return NULL;
}

static const struct rundir_read_member *first_member(const struct rundir_read *r,
						     uint32_t number)
{
	for (size_t i = 0; i < r->nmembers; i++)
		if (r->members[i].deadlock == number)
			return &r->members[i];
	return NULL;
}

/* Bytes that wait for `next`, of "C:1=98000;..." or "C:1/2=98000;..."; 0: none. */
static int64_t waits_for(const struct rundir_read *r, const struct rundir_read_member *m,
			 uint32_t next)
{
	char port[EXPLAIN_WORDS_MAX];
	size_t n = strlen(explain_words_port(r, next, port));

	for (const char *at = m->waits_for; at; at = strchr(at, ';')) {
		at += *at == ';';
		bool here = !strncmp(at, port, n);
		uint32_t as = m->place % RUNDIR_READ_PRIOS;
		const char *eq = at + n;
		if (here && *eq == '/') {
			as = (uint32_t)(eq[1] - '0');
			eq += 2;
		}
		if (here && *eq == '=' && as == next % RUNDIR_READ_PRIOS)
			return strtoll(eq + 1, NULL, 10);
	}
	return 0;
}

/* The port that keeps a member stopped; with the priority of its group if it is another. */
static const char *group(const struct rundir_read *r, const struct rundir_read_member *m, char *buf)
{
	char port[EXPLAIN_WORDS_MAX];
	uint32_t prio = m->by % RUNDIR_READ_PRIOS;

	explain_words_port(r, m->by, port);
	if (prio == m->place % RUNDIR_READ_PRIOS)
		snprintf(buf, EXPLAIN_WORDS_MAX, "%s", port);
	else
		snprintf(buf, EXPLAIN_WORDS_MAX, "%.150s/%u", port, prio);
	return buf;
}

/* "priority 3", "priorities 3, 4": those of the circle. */
static const char *priorities(const struct rundir_read_member *m, uint32_t n, char *buf)
{
	unsigned set = 0;
	int at = 0;

	for (uint32_t i = 0; i < n; i++)
		set |= 1u << m[i].place % RUNDIR_READ_PRIOS | 1u << m[i].by % RUNDIR_READ_PRIOS;
	at = snprintf(buf, EXPLAIN_WORDS_MAX, set & (set - 1) ? "priorities" : "priority");
	for (const char *between = " "; set; set &= set - 1, between = ", ")
		at += snprintf(buf + at, (size_t)(EXPLAIN_WORDS_MAX - at), "%s%d", between, __builtin_ctz(set));
	return buf;
}

/* One link of the circle: who waits on whom, since when, with how much. */
static void print_link(FILE *out, const struct rundir_read *r, const struct blame_deadlock *d,
		       const struct rundir_read_member *m,
		       const struct rundir_read_member *next)
{
	const struct blame_stop *stop = stop_at(r, m->place, d->from_ps);
	char port[EXPLAIN_WORDS_MAX], by[EXPLAIN_WORDS_MAX], text[EXPLAIN_WORDS_MAX];
	int64_t bytes = waits_for(r, m, next->place);

	fprintf(out, "  %s cannot send to %s: %s has kept it stopped",
		explain_words_port(r, m->place, port), explain_words_far(r, m->place),
		group(r, m, by));
	if (stop)
		fprintf(out, " since %s", explain_words_time(stop->from_ps, text));
	fprintf(out, ", it holds %s, ", explain_words_bytes(m->held_bytes, text));
	if (bytes == m->held_bytes)
		fprintf(out, "all");
	else
		fprintf(out, "of which %s", explain_words_bytes(bytes, text));
	fprintf(out, " for %s\n", explain_words_port(r, next->place, port));
}

static void print_proof(FILE *out, const struct rundir_read *r, const struct blame_deadlock *d,
			const struct rundir_read_member *m)
{
	char by[EXPLAIN_WORDS_MAX], stuck[EXPLAIN_WORDS_MAX], xon[EXPLAIN_WORDS_MAX];

	fprintf(out, "  Nothing in the future can free them: a group lets go only when it "
		"holds its XON mark or\n  less, and each holds more than that which can leave "
		"by a stopped queue of the circle alone:\n   ");
	for (uint32_t i = 0; i < d->ncircle; i++)
		fprintf(out, " %s %s > %s%s", group(r, &m[i], by),
			explain_words_bytes(m[i].stuck_bytes, stuck),
			explain_words_bytes(m[i].xon_bytes, xon),
			i + 1 < d->ncircle ? "," : "\n");
	if (d->nmembers > d->ncircle)
		fprintf(out, "  (counting %u more queues that are stuck with them)\n",
			d->nmembers - d->ncircle);
}

static void print_origin(FILE *out, const struct explain_story *s, uint32_t number)
{
	const struct rundir_read *r = s->run;
	const struct blame_class *c = &s->all.classes[number];
	struct blame_root origin = { .kind = c->kind, .place = c->place };
	char root[EXPLAIN_WORDS_MAX], port[EXPLAIN_WORDS_MAX], at[EXPLAIN_WORDS_MAX];
	int64_t whole = c->inside_ps + c->outside_ps;

	if (!c->known)
		return;
	fprintf(out, "  It %s: %s", c->outside ? "was fed from outside the circle" :
			"grew inside the circle", explain_words_root(r, &origin, root));
	fprintf(out, ", which %s part of it", c->outside ? "is no" : "is");
	fprintf(out, " (%.0f%% of what led to it)\n",
		100.0 * (double)(c->outside ? c->outside_ps : c->inside_ps) / (double)whole);
	if (c->first != BLAME_NONE) {
		const struct blame_pause *p = &r->pauses[c->first];

		fprintf(out, "  Of its pauses that of %s is the oldest, from %s\n",
			explain_words_port(r, p->paused, port),
			explain_words_time(p->xoff_ps, at));
	}
}

static const struct blame_root *root_of(const struct explain_story *s, uint32_t number)
{
	for (size_t i = 0; i < s->all.nroots; i++)
		if (s->all.roots[i].kind == BLAME_DEADLOCK && s->all.roots[i].place == number)
			return &s->all.roots[i];
	return NULL;
}

void explain_text_deadlock(FILE *out, const struct explain_story *s, uint32_t number)
{
	const struct rundir_read *r = s->run;
	const struct blame_deadlock *d = &r->deadlocks[number];
	const struct rundir_read_member *m = first_member(r, number);
	const struct blame_root *root = root_of(s, number);
	char at[EXPLAIN_WORDS_MAX], until[EXPLAIN_WORDS_MAX], prios[EXPLAIN_WORDS_MAX];

	fprintf(out, "\n%s at %s: %u queues wait in a circle, %s, %s%s\n",
		s->all.classes[number].outside ? "DEADLOCK FED FROM OUTSIDE" :
						 "IN-LOOP DEADLOCK",
		explain_words_time(d->from_ps, at), d->ncircle,
		priorities(m, d->ncircle, prios),
		d->until_ps < r->simulated_ps ? "until " : "to the end of the run",
		d->until_ps < r->simulated_ps ? explain_words_time(d->until_ps, until) : "");
	for (uint32_t i = 0; i < d->ncircle; i++)
		print_link(out, r, d, &m[i], &m[(i + 1) % d->ncircle]);
	print_proof(out, r, d, m);
	print_origin(out, s, number);
	if (root) {
		fprintf(out, "  %.1f%% of the stopped time, %s, goes back to it\n",
			100.0 * (double)root->ps / (double)s->all.stopped_ps,
			explain_words_time(root->ps, at));
		explain_text_root(out, s, root);
	}
	if (!s->whatif)
		fprintf(out, "  What would have avoided it?  xoff explain %s --what-if tries\n",
			r->dir);
}
