/*
 * cli/step_why.c - see step.h: the waits of this instant.
 *
 * A stopped transmitter waits for the group (or NIC) at its far end, which has
 * paused it.  What that group holds waits in egress queues of its switch: those
 * that are stopped wait in their turn, the others send, and are the root.  The tree
 * of a stopped transmitter follows that down to the roots, or round a circle.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/step.h"
#include "observe/names.h"
#include "sim/mem.h"

enum { LINES_MAX = 60 };
enum mark { NEW, OPEN, DONE };

struct why {
	const struct step *s;
	uint8_t *mark;		/* of each transmitter * 8 + priority: enum mark */
	int lines;
	bool cut;
};

static bool stopped(const struct step *s, uint32_t port, int prio)
{
	return view_counters(s->f, port, prio).paused;
}

/* An indented line; false: enough has been said. */
static bool line(struct why *w, int depth)
{
	if (w->lines == LINES_MAX) {
		w->cut = true;
		return false;
	}
	w->lines++;
	printf("%*s", 2 * depth, "");
	return true;
}

/* Bytes of what came in by `in`, as whatever priority, that wait at `out` as priority `as`. */
static int64_t waits_at(const struct step *s, uint32_t in, uint32_t out, int as)
{
	int64_t sum = 0;

	for (int prio = 0; prio < STEP_PRIOS; prio++)
		sum += view_held_for(s->f, in, prio, out, as);
	return sum;
}

static void root(struct why *w, uint32_t out, int prio, int64_t held, int depth)
{
	const struct step *s = w->s;
	uint32_t node = view_port(s->f, out).node, first = view_first_port(s->f, node);
	char name[NAMES_MAX], bytes[32], queue[32];
	int feeders = 0;

	for (uint32_t i = 0; i < view_port_count(s->f, node); i++)
		feeders += waits_at(s, first + i, out, prio) > 0;
	if (!line(w, depth))
		return;
	printf("%s bytes wait for %s, which sends: ROOT, its queue holds %s bytes from %d port%s\n",
	       step_number(held, bytes, sizeof bytes), names_queue(s->f, out, prio, name, sizeof name),
	       step_number(view_counters(s->f, out, prio).queue_bytes, queue, sizeof queue), feeders,
	       feeders == 1 ? "" : "s");
}

static void follow(struct why *w, uint32_t port, int prio, int64_t held, int depth);

/* What the group that has paused a transmitter waits for. */
static void below(struct why *w, uint32_t in, int prio, int depth)
{
	const struct step *s = w->s;
	uint32_t node = view_port(s->f, in).node, first = view_first_port(s->f, node);

	for (uint32_t i = 0; i < view_port_count(s->f, node) * STEP_PRIOS; i++) {
		uint32_t out = first + i / STEP_PRIOS;
		int as = (int)(i % STEP_PRIOS);
		int64_t held = view_held_for(s->f, in, prio, out, as);

		if (held <= 0)
			continue;
		if (stopped(s, out, as))
			follow(w, out, as, held, depth);
		else
			root(w, out, as, held, depth);
	}
}

static void host_words(const struct step *s, uint32_t peer, int prio)
{
	uint32_t node = view_port(s->f, peer).node;
	char bytes[32];

	if (deadlock_storming(s->dead, node))
		printf("ROOT, its NIC storms\n");
	else
		printf("ROOT, a slow receiver: its buffer holds %s bytes\n",
		       step_number(view_counters(s->f, peer, prio).group_bytes, bytes, sizeof bytes));
}

uint8_t step_groups(const struct step *s, uint32_t in, int prio)
{
	uint8_t set = 0;

	if (view_stops(s->f, view_port(s->f, in).peer_port) != VIEW_STOPS_WHOLE)
		return (uint8_t)(1u << prio);
	for (int of = 0; of < STEP_PRIOS; of++)
		if (view_group(s->f, in, of).xoff)
			set |= (uint8_t)(1u << of);
	return set;
}

/* What the groups hold that have stopped a transmitter, and whether they still would. */
static void group_words(const struct step *s, uint32_t in, int prio)
{
	bool whole = view_stops(s->f, view_port(s->f, in).peer_port) == VIEW_STOPS_WHOLE;
	uint8_t set = step_groups(s, in, prio);
	char bytes[32], limit[32];

	for (unsigned of = set; of; of &= of - 1) {
		int p = __builtin_ctz(of);
		struct view_group g = view_group(s->f, in, p);

		printf(of == set ? "its group " : ", and that ");
		if (whole)
			printf("of priority %d ", p);
		printf("holds %s bytes, limit %s%s",
		       step_number(g.reserved_bytes + g.shared_bytes + g.headroom_bytes, bytes,
				   sizeof bytes),
		       step_number(view_xoff_limit(s->f, in, p), limit, sizeof limit),
		       g.xoff ? "" : "; it is free again, the XON is on its way");
	}
	puts(set ? "" : "its groups are free again, the XON is on its way");
}

/* held -1: the top of a tree. */
static void follow(struct why *w, uint32_t port, int prio, int64_t held, int depth)
{
	const struct step *s = w->s;
	uint32_t key = port * STEP_PRIOS + (uint32_t)prio, peer = view_port(s->f, port).peer_port;
	bool host = !view_is_switch(s->f, view_port(s->f, peer).node);
	char name[NAMES_MAX], far[NAMES_MAX], time[32], bytes[32];
	uint8_t mark = w->mark[key];

	if (!line(w, depth))
		return;
	if (held >= 0)
		printf("%s bytes wait for ", step_number(held, bytes, sizeof bytes));
	names_queue(s->f, port, prio, name, sizeof name);
	if (mark == OPEN) {
		printf("%s: the circle closes\n", name);
		return;
	}
	if (mark == DONE) {
		printf("%s, stopped (see above)\n", name);
		return;
	}
	printf("%s, stopped for %s by %s: ", name,
	       s->since_ps[key] < 0 ? "no time" :
	       step_time(view_run(s->f).now_ps - s->since_ps[key], time, sizeof time),
	       names_port(s->f, peer, far, sizeof far));
	w->mark[key] = OPEN;
	if (host) {
		host_words(s, peer, prio);
	} else {
		group_words(s, peer, prio);
		for (unsigned of = step_groups(s, peer, prio); of; of &= of - 1)
			below(w, peer, __builtin_ctz(of), depth + 1);
	}
	w->mark[key] = DONE;
}

/* Does a stopped transmitter of the node before wait for this one? */
static bool waited_for(const struct step *s, uint32_t port, int prio)
{
	uint32_t node = view_port(s->f, port).node, first = view_first_port(s->f, node);

	for (uint32_t i = 0; view_is_switch(s->f, node) && i < view_port_count(s->f, node); i++)
		for (int in_prio = 0; in_prio < STEP_PRIOS; in_prio++)
			if (view_held_for(s->f, first + i, in_prio, port, prio) > 0 &&
			    stopped(s, view_port(s->f, first + i).peer_port, in_prio))
				return true;
	return false;
}

static bool inside(const struct step *s, uint32_t port, int prio, const struct step_place *place)
{
	return !place->set || (view_port(s->f, port).node == place->node &&
			       (place->port == VIEW_NONE || place->port == port) &&
			       (place->prio < 0 || place->prio == prio));
}

/* First those that nobody waits for, hence with the whole tree below them; then
 * what is left: circles. */
static int trees(struct why *w, const struct step_place *place, bool tops)
{
	int n = 0;

	for (uint32_t port = 0; port < view_ports(w->s->f); port++)
		for (int prio = 0; prio < STEP_PRIOS; prio++) {
			if (w->mark[port * STEP_PRIOS + (uint32_t)prio] != NEW ||
			    !stopped(w->s, port, prio) || !inside(w->s, port, prio, place) ||
			    (tops && waited_for(w->s, port, prio)))
				continue;
			follow(w, port, prio, -1, 0);
			n++;
		}
	return n;
}

static void circle(const struct step *s)
{
	char name[NAMES_MAX];

	if (!s->formed)
		return;
	printf("a deadlock stands:");
	for (uint32_t i = 0; i <= s->ncycle && s->ncycle; i++) {
		uint32_t key = s->cycle[i % s->ncycle];

		printf("%s %s", i ? " ->" : "", names_queue(s->f, key / STEP_PRIOS,
							   (int)(key % STEP_PRIOS), name, sizeof name));
	}
	printf("; nothing to come can free it\n");
}

void step_why(const struct step *s, const struct step_place *place)
{
	struct why w = { .s = s };
	int n;

	w.mark = mem_zalloc((size_t)view_ports(s->f) * STEP_PRIOS);
	circle(s);
	n = trees(&w, place, !place->set);
	n += place->set ? 0 : trees(&w, place, false);
	if (!n)
		puts(place->set ? "nothing there is stopped" : "nothing is stopped");
	else if (w.cut)
		puts("and more; `why NODE' or `why NODE:PORT' tells of one place");
	free(w.mark);
}
