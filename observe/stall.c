/* observe/stall.c - see stall.h. */
#include <stdio.h>
#include <stdlib.h>
#include "sim/mem.h"
#include "observe/names.h"
#include "observe/stall.h"
#include "observe/stuck.h"

struct stall {
	struct fabric *f;
	const struct flowtable *flows;
	struct deadlock *dead;
	struct eventlog *log;
	int64_t after_ps;
	int64_t idle_ps;		/* last sample at which there was nothing to do */
	int64_t sent_frames;		/* of all streams, at the last sample */
	int64_t drops, drops_before;	/* so far, and at the last sample */
	bool standing;
	int64_t first_ps, until_ps;	/* of the first stall; -1 */
	char *why;
};

/* --- is there work? ----------------------------------------------------- */

static int64_t sent_frames(const struct fabric *f)
{
	int64_t sum = 0;

	for (int i = 0; i < view_workloads(f); i++)
		sum += view_workload(f, i).sent_frames;
	return sum;
}

static bool frames_wait(const struct fabric *f)
{
	for (uint32_t port = 0; port < view_ports(f); port++)
		for (int prio = 0; prio < STUCK_PRIOS; prio++) {
			struct view_counters c = view_counters(f, port, prio);
			if (c.queue_bytes || c.group_bytes)
				return true;
		}
	return false;
}

static bool has_work(const struct stall *s, bool sends)
{
	return sends || flowtable_open(s->flows) || frames_wait(s->f);
}

/* --- why does it stand? -------------------------------------------------- */

struct causes {
	uint32_t storm, slow, loss, down, between;	/* ports; VIEW_NONE: none */
	int storm_prio, slow_prio, loss_cause;
	int64_t slow_bytes, loss_frames;
};

/* A switch egress that is paused: by a storm, by a receiver that is slow, or by
 * another switch. */
static void look_at_pause(const struct stall *s, uint32_t port, int prio,
			  const struct view_counters *c, struct causes *why)
{
	uint32_t host = view_port(s->f, view_port(s->f, port).peer_port).node;

	if (!c->paused)
		return;
	if (view_is_switch(s->f, host)) {
		if (why->between == VIEW_NONE)
			why->between = port;
		return;
	}
	if (deadlock_storming(s->dead, host)) {
		if (why->storm == VIEW_NONE) {
			why->storm = port;
			why->storm_prio = prio;
		}
	} else if (why->slow == VIEW_NONE || c->queue_bytes > why->slow_bytes) {
		why->slow = port;
		why->slow_prio = prio;
		why->slow_bytes = c->queue_bytes;
	}
}

static void look_at_drops(uint32_t port, const struct view_counters *c, struct causes *why)
{
	for (int i = 0; i < RECORD_DROPS; i++) {
		if (c->drops[i] <= why->loss_frames)
			continue;
		why->loss = port;
		why->loss_cause = i;
		why->loss_frames = c->drops[i];
	}
}

static struct causes look(const struct stall *s)
{
	struct causes why = { .storm = VIEW_NONE, .slow = VIEW_NONE, .loss = VIEW_NONE,
			      .down = VIEW_NONE, .between = VIEW_NONE };

	for (uint32_t port = 0; port < view_ports(s->f); port++) {
		struct view_port p = view_port(s->f, port);
		if (!p.up && why.down == VIEW_NONE)
			why.down = port;
		for (int prio = 0; prio < STUCK_PRIOS; prio++) {
			struct view_counters c = view_counters(s->f, port, prio);
			look_at_drops(port, &c, &why);
			if (view_is_switch(s->f, p.node))
				look_at_pause(s, port, prio, &c, &why);
		}
	}
	return why;
}

static void explain(struct stall *s, char *text, size_t size)
{
	static const char *const kinds[RECORD_DROPS] = {
		"want of headroom", "a lossy queue's limit", "the watchdog", "the wire",
		"their TTL", "a full receive buffer",
	};
	struct causes why = look(s);
	char queue[NAMES_MAX];
	const char *host = "";

	if (why.storm != VIEW_NONE || why.slow != VIEW_NONE) {
		uint32_t port = why.storm != VIEW_NONE ? why.storm : why.slow;
		int prio = why.storm != VIEW_NONE ? why.storm_prio : why.slow_prio;
		names_queue(s->f, port, prio, queue, sizeof(queue));
		host = view_node_name(s->f,
				      view_port(s->f, view_port(s->f, port).peer_port).node);
	}
	if (deadlock_standing(s->dead))
		snprintf(text, size, "a deadlock stands");
	else if (why.storm != VIEW_NONE)
		snprintf(text, size,
			 "the NIC of %s storms: it pauses %s, and %u switch queues wait "
			 "behind it",
			 host, queue, deadlock_behind_storms(s->dead));
	else if (s->drops > s->drops_before && why.loss != VIEW_NONE)
		snprintf(text, size, "frames are lost: most on %s, by %s",
			 names_port(s->f, why.loss, queue, sizeof(queue)),
			 kinds[why.loss_cause]);
	else if (why.slow != VIEW_NONE)
		snprintf(text, size, "%s pauses %s and takes nothing", host, queue);
	else if (why.down != VIEW_NONE)
		snprintf(text, size, "the link at %s is down",
			 names_port(s->f, why.down, queue, sizeof(queue)));
	else if (why.between != VIEW_NONE)
		snprintf(text, size,
			 "switches pause each other (%s is one), none of them for good",
			 names_port(s->f, why.between, queue, sizeof(queue)));
	else if (why.loss != VIEW_NONE)
		snprintf(text, size,
			 "no pause; senders wait for retry timers after losses, most on %s, by %s",
			 names_port(s->f, why.loss, queue, sizeof(queue)), kinds[why.loss_cause]);
	else
		snprintf(text, size, "no pause, no loss: senders wait for a timer, a window or "
			 "each other");
}

/* --- samples ------------------------------------------------------------ */

static void ends(struct stall *s, int64_t at_ps)
{
	s->standing = false;
	if (s->until_ps < 0)
		s->until_ps = at_ps;
	eventlog_add(s->log, at_ps, EVENTLOG_STALL_END, NULL);
}

static void begins(struct stall *s, int64_t since_ps)
{
	char text[2 * NAMES_MAX];

	s->standing = true;
	explain(s, text, sizeof(text));
	eventlog_add(s->log, since_ps, EVENTLOG_STALL, text);
	if (s->first_ps >= 0)
		return;
	s->first_ps = since_ps;
	s->why = mem_strdup(text);
}

static void sample(void *ctx, int64_t at_ps)
{
	struct stall *s = ctx;
	int64_t last_ps = view_run(s->f).last_delivery_ps;
	int64_t since_ps = last_ps > s->idle_ps ? last_ps : s->idle_ps, sent = sent_frames(s->f);
	bool sends = sent != s->sent_frames;	/* streams, since the last sample */

	if (s->standing && last_ps > s->idle_ps)
		ends(s, last_ps);
	if (s->standing || at_ps - since_ps >= s->after_ps) {
		if (!has_work(s, sends)) {
			if (s->standing)
				ends(s, at_ps);
			s->idle_ps = at_ps;
		} else if (!s->standing) {
			s->idle_ps = since_ps;
			begins(s, since_ps);
		}
	}
	s->drops_before = s->drops;
	s->sent_frames = sent;
}

static void sink(void *ctx, const struct record *rec)
{
	struct stall *s = ctx;

	(void)rec;
	s->drops++;
}

struct stall *stall_new(struct fabric *f, const struct flowtable *flows, struct deadlock *dead,
			struct eventlog *log)
{
	struct stall *s = mem_zalloc(sizeof(*s));

	s->f = f;
	s->flows = flows;
	s->dead = dead;
	s->log = log;
	s->after_ps = view_run_conf(f)->stall_ps;
	s->first_ps = s->until_ps = -1;
	if (s->after_ps > 0 && s->after_ps < UNITS_NEVER) {
		fabric_add_sampler(f, s->after_ps, sample, s);
		fabric_add_sink(f, 1u << RECORD_DROP, sink, s);
	}
	return s;
}

void stall_fill(struct stall *s, struct summary *out)
{
	out->stall.found = s->first_ps >= 0;
	out->stall.first_ps = s->first_ps;
	out->stall.until_ps = s->until_ps;
	out->stall.why = mem_strdup(s->why);
}

void stall_free(struct stall **sp)
{
	struct stall *s = *sp;

	*sp = NULL;
	if (!s)
		return;
	free(s->why);
	free(s);
}
