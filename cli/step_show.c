/* cli/step_show.c - see step.h: the state at this instant, as tables. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/step.h"
#include "observe/names.h"
#include "sim/units.h"

enum { ROWS_MAX = 40 };		/* of a table that is not of one place */

struct each {			/* a walk over ports and priorities */
	const struct step_place *place;
	uint32_t port;
	int prio, rows;
	int64_t left_out;
};

/* The next (port, priority) of the place; a priority of 8 starts the next port. */
static bool walk(const struct step *s, struct each *e)
{
	for (;; e->port++, e->prio = -1) {
		if (e->port >= view_ports(s->f))
			return false;
		if (e->place->set && (view_port(s->f, e->port).node != e->place->node ||
				      (e->place->port != VIEW_NONE && e->place->port != e->port)))
			continue;
		while (++e->prio < STEP_PRIOS)
			if (e->place->prio < 0 || !e->place->set || e->place->prio == e->prio)
				return true;
	}
}

static struct each start(const struct step_place *place)
{
	return (struct each){ .place = place, .prio = -1 };
}

/* One more row; false: there are too many. */
static bool row(struct each *e, const char *head)
{
	if (!e->rows)
		puts(head);
	if (e->rows == ROWS_MAX && !e->place->set) {
		e->left_out++;
		return false;
	}
	e->rows++;
	return true;
}

static void end(const struct each *e, const char *what, const char *none)
{
	if (!e->rows)
		printf("%s\n", none);
	else if (e->left_out)
		printf("and %" PRId64 " more; `show %s NODE' shows those of one\n", e->left_out, what);
}

static const char *place_of(const struct step *s, uint32_t port, int prio, char *buf)
{
	return names_queue(s->f, port, prio, buf, NAMES_MAX);
}

/* "4.480us", or "-". */
static const char *stopped_for(const struct step *s, uint32_t port, int prio, char *buf, size_t size)
{
	int64_t since = s->since_ps[port * STEP_PRIOS + (uint32_t)prio];

	if (since < 0)
		return "-";
	return step_time(view_run(s->f).now_ps - since, buf, size);
}

void step_show_queues(const struct step *s, const struct step_place *place)
{
	struct each e = start(place);
	char name[NAMES_MAX], bytes[32], peak[32], time[32], who[3 * NAMES_MAX];

	while (walk(s, &e)) {
		struct view_counters c = view_counters(s->f, e.port, e.prio);

		if (!c.queue_bytes && !c.paused)
			continue;
		if (!row(&e, "egress queue        bytes        peak  stopped for   waiting"))
			continue;
		printf("%-14s %10s  %10s  %11s   %s\n", place_of(s, e.port, e.prio, name),
		       step_number(c.queue_bytes, bytes, sizeof bytes),
		       view_is_switch(s->f, view_port(s->f, e.port).node) ?
		       step_number(c.queue_peak_bytes, peak, sizeof peak) : "-",
		       stopped_for(s, e.port, e.prio, time, sizeof time),
		       step_waiters(s, e.port, e.prio, who, sizeof who));
	}
	end(&e, "queues", "no queue holds anything, and none is stopped");
}

void step_show_groups(const struct step *s, const struct step_place *place)
{
	struct each e = start(place);
	char name[NAMES_MAX], reserved[32], shared[32], headroom[32], limit[32];

	while (walk(s, &e)) {
		if (!view_is_switch(s->f, view_port(s->f, e.port).node))
			continue;
		struct view_group g = view_group(s->f, e.port, e.prio);
		int64_t at = view_xoff_limit(s->f, e.port, e.prio);

		if (!g.reserved_bytes && !g.shared_bytes && !g.headroom_bytes && !g.xoff)
			continue;
		if (!row(&e, "ingress group    reserved      shared    headroom     XOFF at   state"))
			continue;
		printf("%-14s %10s  %10s  %10s  %10s   %s\n", place_of(s, e.port, e.prio, name),
		       step_number(g.reserved_bytes, reserved, sizeof reserved),
		       step_number(g.shared_bytes, shared, sizeof shared),
		       step_number(g.headroom_bytes, headroom, sizeof headroom),
		       at ? step_number(at, limit, sizeof limit) : "lossy",
		       g.xoff && g.xoff_sent ? "XOFF sent" : g.xoff ? "XOFF, not sent yet" :
		       g.xoff_sent ? "free, XON not sent yet" : "free");
	}
	end(&e, "groups", "no priority group of a switch holds anything");
}

/* Of the far end: the group that stops `prio`, or, of a port that it stops as a whole, its groups in
 * XOFF ("C:2/3,4"; none: "C:2"); what they hold. */
static void by_groups(const struct step *s, uint32_t in, int prio, char *buf, int64_t *bytes)
{
	uint8_t set = view_is_switch(s->f, view_port(s->f, in).node) ? step_groups(s, in, prio) :
								       (uint8_t)(1u << prio);
	const char *between = "/";
	size_t n;

	names_port(s->f, in, buf, NAMES_MAX);
	*bytes = 0;
	for (unsigned of = set; of; of &= of - 1, between = ",") {
		n = strlen(buf);
		snprintf(buf + n, NAMES_MAX - n, "%s%d", between, __builtin_ctz(of));
		*bytes += view_counters(s->f, in, __builtin_ctz(of)).group_bytes;
	}
}

void step_show_pauses(const struct step *s, const struct step_place *place)
{
	struct each e = start(place);
	char name[NAMES_MAX], by[NAMES_MAX], time[32], wait[32], held[32];
	int64_t bytes;

	while (walk(s, &e)) {
		uint32_t peer = view_port(s->f, e.port).peer_port;

		if (!view_counters(s->f, e.port, e.prio).paused)
			continue;
		if (!row(&e, "stopped        by              stopped for    waits here    held there"))
			continue;
		by_groups(s, peer, e.prio, by, &bytes);
		printf("%-14s %-14s %12s  %12s  %12s\n", place_of(s, e.port, e.prio, name), by,
		       stopped_for(s, e.port, e.prio, time, sizeof time),
		       step_number(view_counters(s->f, e.port, e.prio).queue_bytes, wait, sizeof wait),
		       step_number(bytes, held, sizeof held));
	}
	end(&e, "pauses", "no transmitter is stopped");
}

void step_show_port(const struct step *s, const struct step_place *place)
{
	struct view_port v = view_port(s->f, place->port);
	struct each e = start(place);
	char rate[32], now[48] = "", peer[NAMES_MAX], a[32], b[32], c2[32];
	static const char *const drops[RECORD_DROPS] = { "lossless", "lossy", "watchdog", "wire",
							 "TTL", "NIC" };

	if (v.now_bps != v.rate_bps)
		snprintf(now, sizeof now, " (now %s, for a fault)", units_format(v.now_bps, UNITS_RATE, rate, sizeof rate));
	printf("%s:%d  %s%s, %s, to %s\n", view_node_name(s->f, v.node), v.number,
	       units_format(v.rate_bps, UNITS_RATE, rate, sizeof rate), now, v.up ? "up" : "down",
	       names_port(s->f, v.peer_port, peer, sizeof peer));
	while (walk(s, &e)) {
		struct view_counters c = view_counters(s->f, e.port, e.prio);

		if (!c.tx_frames && !c.rx_frames && !c.pauses && !c.xoff_frames && !c.queue_bytes)
			continue;
		e.rows++;
		printf("  priority %d  sent %s frames, received %s; marked %s\n", e.prio,
		       step_number(c.tx_frames, a, sizeof a), step_number(c.rx_frames, b, sizeof b),
		       step_number(c.marked, c2, sizeof c2));
		printf("              XOFF sent %s, repeated %s; XON sent %s\n",
		       step_number(c.xoff_frames, a, sizeof a),
		       step_number(c.refresh_frames, b, sizeof b),
		       step_number(c.xon_frames, c2, sizeof c2));
		printf("              stopped %s times, %s in all%s\n",
		       step_number(c.pauses, a, sizeof a), step_time(c.paused_ps, b, sizeof b),
		       c.paused ? ", and now" : "");
		printf("              queue %s (peak %s), group %s\n",
		       step_number(c.queue_bytes, a, sizeof a),
		       step_number(c.queue_peak_bytes, b, sizeof b),
		       step_number(c.group_bytes, c2, sizeof c2));
		for (int d = 0; d < RECORD_DROPS; d++)
			if (c.drops[d])
				printf("              lost (%s): %s frames\n", drops[d],
				       step_number(c.drops[d], a, sizeof a));
	}
	if (!e.rows)
		puts("  nothing has passed it");
}

struct flows { const struct step *s; const char *glob; int rows; int64_t left_out; };

static void one_flow(void *ctx, uint32_t flow, const char *waits_for)
{
	struct flows *t = ctx;
	struct view_flow v = view_flow(t->s->f, flow);
	const char *src = view_node_name(t->s->f, v.src), *dst = view_node_name(t->s->f, v.dst);
	char name[3 * NAMES_MAX], size[32], sent[32], acked[32];

	if (v.start_ps > view_run(t->s->f).now_ps)
		return;
	snprintf(name, sizeof name, "%s %s>%s", v.name, src, dst);
	if (t->glob && !names_match(t->glob, name) && !names_match(t->glob, v.name) &&
	    !names_match(t->glob, strchr(name, ' ') + 1) && !names_match(t->glob, src) &&
	    !names_match(t->glob, dst))
		return;
	if (!t->rows)
		puts("flow                      size        sent       acked   waits for");
	if (t->rows == ROWS_MAX && !t->glob) {
		t->left_out++;
		return;
	}
	t->rows++;
	printf("%-18s %11s %11s %11s   %s\n", name, step_number(v.size_bytes, size, sizeof size),
	       step_number(v.sent_bytes, sent, sizeof sent),
	       step_number(v.acked_bytes, acked, sizeof acked), waits_for);
}

/* Streams have no messages: what they have sent and delivered so far. */
static void streams(const struct step *s, struct flows *t)
{
	char sent[32], delivered[32];

	for (int i = 0; i < view_workloads(s->f); i++) {
		struct view_workload w = view_workload(s->f, i);

		if (!w.sent_frames || (t->glob && !names_match(t->glob, w.name)))
			continue;
		t->rows++;
		printf("%-18s stream: sent %s bytes, delivered %s\n", w.name,
		       step_number(w.sent_bytes, sent, sizeof sent),
		       step_number(w.delivered_bytes, delivered, sizeof delivered));
	}
}

/* What waits for messages that have to come first, or for its time. */
static void not_begun(const struct step *s, struct flows *t)
{
	char count[32];

	for (int i = 0; i < view_workloads(s->f); i++) {
		const char *name = view_workload(s->f, i).name;
		int64_t n = view_not_begun(s->f, i);

		if (!n || (t->glob && !names_match(t->glob, name)))
			continue;
		t->rows++;
		printf("%-18s %s not begun yet\n", name, step_number(n, count, sizeof count));
	}
}

void step_show_flows(const struct step *s, const char *glob)
{
	struct flows t = { .s = s, .glob = glob };

	view_unfinished(s->f, one_flow, &t);
	streams(s, &t);
	not_begun(s, &t);
	if (!t.rows)
		puts(glob ? "no such flow is under way" : "no flow is under way");
	else if (t.left_out)
		printf("and %" PRId64 " more; `show flows NAME' shows those of one\n", t.left_out);
}

void step_show_now(const struct step *s)
{
	struct view_run run = view_run(s->f);
	char now[32], until[32], events[32], hops[32];

	printf("%s of %s; %s events, %s packet-hops; digest so far %016" PRIx64 "\n",
	       step_time(run.now_ps, now, sizeof now),
	       units_format(view_run_conf(s->f)->until_ps, UNITS_TIME, until, sizeof until),
	       step_number((int64_t)run.events, events, sizeof events),
	       step_number((int64_t)run.packet_hops, hops, sizeof hops), run.digest);
	if (run.complete)
		puts("the run is over");
	if (s->formed)
		puts("a deadlock stands; `why' shows it");
}
