/* observe/findings.c - see findings.h. */
#include <stdio.h>
#include <string.h>
#include "sim/units.h"
#include "observe/findings.h"
#include "observe/names.h"
#include "observe/stuck.h"

enum { TEXT = 64 };	/* a quantity in human form */

/* --- lossless drops ----------------------------------------------------- */

/* The port and priority that lost most. */
static bool worst_loss(const struct fabric *f, uint32_t *port, int *prio)
{
	int64_t most = 0;

	for (uint32_t at = 0; at < view_ports(f); at++) {
		for (int q = 0; q < STUCK_PRIOS; q++) {
			int64_t lost = view_counters(f, at, q).drops[RECORD_DROP_LOSSLESS];
			if (lost <= most)
				continue;
			most = lost;
			*port = at;
			*prio = q;
		}
	}
	return most > 0;
}

/* Which limit the lost frames met; the limits are the switch's, the headroom is the port's. */
struct loss { const struct fabric *f; uint32_t port; int prio; struct view_counters c; char *text; size_t size; };

static void add_limit(struct loss *x, int limit, const char *what, int64_t bytes)
{
	size_t used = strlen(x->text);
	char size[TEXT];

	if (x->c.short_of & limit)
		snprintf(x->text + used, x->size - used, "%s %s (%s) had no room left", used ? " and" : ", where",
			 what, units_format(bytes, UNITS_BYTES, size, sizeof(size)));
}

static const struct pfc_conf *pfc_of(const struct fabric *f, uint32_t port)
{
	uint32_t node = view_port(f, port).node;

	return view_is_switch(f, node) ? &view_switch_conf(f, node)->pfc : &view_nic_conf(f, node)->pfc;
}

/* Why headroom that is enough was not. */
static const char *unheard(const struct loss *x)
{
	const struct pfc_conf *peer = pfc_of(x->f, view_port(x->f, x->port).peer_port);

	if (!peer->enable)
		return "the peer obeys no pauses (pfc.enable)";
	if (peer->mode != pfc_of(x->f, x->port)->mode)
		return "the peer obeys pauses of the other kind only (pfc.mode: priority, global)";
	return "its pauses did not stop the peer in time";
}

/* Too small for the link, or for what came: small frames fill more cells. */
static void add_headroom(struct loss *x)
{
	struct headroom_conf ask = view_headroom_conf(x->f, x->port);
	struct headroom_terms need;
	char have[TEXT], full[TEXT], all[TEXT];

	if (!(x->c.short_of & MMU_SHORT_HEADROOM))
		return;
	headroom_compute(&ask, &need);
	units_format(x->c.headroom_limit_bytes, UNITS_BYTES, have, sizeof(have));
	units_format(need.full.bytes, UNITS_BYTES, full, sizeof(full));
	units_format(need.auto_bytes, UNITS_BYTES, all, sizeof(all));
	if (x->c.headroom_limit_bytes < need.full.bytes)
		snprintf(x->text, x->size, ", whose headroom is %s where the link needs %s", have, full);
	else if (x->c.headroom_limit_bytes < need.auto_bytes)
		snprintf(x->text, x->size, ", whose headroom is %s where the link needs %s for frames of %lldB, "
			 "and up to %s for a mixture of sizes", have, full, (long long)need.full.frame_bytes, all);
	else
		snprintf(x->text, x->size, ", whose headroom of %s is what the link needs: %s", have, unheard(x));
}

/* Behind the name of the place: ", where ..." */
static void why_lost(struct loss *x)
{
	uint32_t node = view_port(x->f, x->port).node;
	const struct mmu_conf *b = &view_switch_conf(x->f, node)->buffer;
	char pool[TEXT] = "the shared headroom pool";

	*x->text = '\0';
	add_headroom(x);
	if (b->partitions > 1)
		snprintf(pool, sizeof(pool), "its 1/%d of the shared headroom pool", view_parts(x->f, node));
	add_limit(x, MMU_SHORT_POOL, pool, view_pool(x->f, node, view_part(x->f, x->port)).headroom_bytes);
	add_limit(x, MMU_SHORT_PORT, "the port_headroom", b->port_headroom_bytes);
	add_limit(x, MMU_SHORT_EGRESS_QUEUE, "the egress_lossless limit", b->egress_lossless_bytes);
	add_limit(x, MMU_SHORT_EGRESS_POOL, "the egress_pool", b->egress_pool_bytes);
	if (x->c.short_of & MMU_SHORT_DESCRIPTORS) {
		size_t used = strlen(x->text);

		snprintf(x->text + used, x->size - used, "%s all %lld descriptors of the switch were in use",
			 used ? " and" : ", where", (long long)b->descriptors);
	}
}

static void find_loss(const struct fabric *f, const struct eventlog *log, struct summary *s)
{
	const struct eventlog_event *first = eventlog_first(log, EVENTLOG_DROP_LOSSLESS);
	char where[NAMES_MAX], at[TEXT], why[512];
	struct loss x = { .f = f, .text = why, .size = sizeof(why) };

	if (!s->drops[SUMMARY_LOSSLESS] || !worst_loss(f, &x.port, &x.prio))
		return;
	x.c = view_counters(f, x.port, x.prio);
	why_lost(&x);
	units_format(first ? first->at_ps : 0, UNITS_TIME, at, sizeof(at));
	summary_find(s, SUMMARY_LOSS,
		     "a lossless class lost %lld frames, the first at %s; most (%lld) on %s%s",
		     (long long)s->drops[SUMMARY_LOSSLESS], at, (long long)x.c.drops[RECORD_DROP_LOSSLESS],
		     names_queue(f, x.port, x.prio, where, sizeof(where)), why);
}

/* --- deadlock and stall ------------------------------------------------- */

static void find_deadlock(struct summary *s)
{
	char at[TEXT], until[TEXT], circle[512] = "";
	size_t used = 0;

	if (!s->deadlock.found)
		return;
	for (int i = 0; i < s->deadlock.ncycle && used < sizeof(circle) - 1; i++)
		used += (size_t)snprintf(circle + used, sizeof(circle) - used, "%s > ",
					 s->deadlock.cycle[i]);
	if (used < sizeof(circle) - 1 && s->deadlock.ncycle)
		snprintf(circle + used, sizeof(circle) - used, "%s", s->deadlock.cycle[0]);
	units_format(s->deadlock.first_ps, UNITS_TIME, at, sizeof(at));
	summary_find(s, SUMMARY_DEADLOCK, "deadlock at %s: %s wait in a circle, %d more behind "
		     "them", at, circle, s->deadlock.nvictims);
	if (s->deadlock.cleared_ps < 0)
		return;
	units_format(s->deadlock.cleared_ps, UNITS_TIME, until, sizeof(until));
	summary_find(s, SUMMARY_DEADLOCK,
		     "the %s ended that deadlock at %s; %lld formed in all%s",
		     s->deadlock.cleared_by, until, (long long)s->deadlock.count,
		     s->deadlock.standing ? ", the last one stands" : "");
}

static void find_stall(struct summary *s)
{
	char at[TEXT], until[TEXT] = "the end";

	if (!s->stall.found)
		return;
	units_format(s->stall.first_ps, UNITS_TIME, at, sizeof(at));
	if (s->stall.until_ps >= 0)
		units_format(s->stall.until_ps, UNITS_TIME, until, sizeof(until));
	summary_find(s, SUMMARY_STALL, "nothing was delivered from %s to %s: %s", at, until,
		     s->stall.why);
}

static void find_livelock(struct summary *s)
{
	char at[TEXT], until[TEXT] = "the end", sent[TEXT];

	if (!s->livelock.found)
		return;
	units_format(s->livelock.first_ps, UNITS_TIME, at, sizeof(at));
	if (s->livelock.until_ps >= 0)
		units_format(s->livelock.until_ps, UNITS_TIME, until, sizeof(until));
	units_format(s->livelock.again_bytes, UNITS_BYTES, sent, sizeof(sent));
	if (s->livelock.flows == 1)
		summary_find(s, SUMMARY_LIVELOCK, "livelock: %s sent %s from %s to %s, and none of it "
			     "brought it on", s->livelock.flow, sent, at, until);
	else
		summary_find(s, SUMMARY_LIVELOCK, "livelock: %lld messages sent %s that did not bring them "
			     "on; the first, %s, from %s to %s", (long long)s->livelock.flows, sent,
			     s->livelock.flow, at, until);
}

/* --- flows and storms --------------------------------------------------- */

static void find_failures(const struct eventlog *log, struct summary *s)
{
	const struct eventlog_event *first = eventlog_first(log, EVENTLOG_FLOW_FAILED);
	char at[TEXT], more[TEXT] = "";
	int64_t never = 0;

	if (!s->flows.failed || !first)
		return;
	for (int i = 0; i < s->nworkloads; i++)
		if (s->workloads[i].flows.failed)
			never += s->workloads[i].flows.not_begun;
	if (never)
		snprintf(more, sizeof(more), "; %lld that were to come after them never began", (long long)never);
	units_format(first->at_ps, UNITS_TIME, at, sizeof(at));
	summary_find(s, SUMMARY_FAILURE, "%lld flow%s failed; the first at %s, %s: %s%s",
		     (long long)s->flows.failed, s->flows.failed == 1 ? "" : "s", at, first->flow ? first->flow : "",
		     first->detail ? first->detail : "", more);
}

/* It looks like a pause, and is none: no switch is to blame. */
static void find_rnr(struct summary *s)
{
	const struct summary_workload *most = NULL;
	char all[TEXT];

	for (int i = 0; i < s->nworkloads; i++)
		if (s->workloads[i].rnr_naks && (!most || s->workloads[i].rnr_wait_ps > most->rnr_wait_ps))
			most = &s->workloads[i];
	if (!most)
		return;
	units_format(s->rnr.wait_ps, UNITS_TIME, all, sizeof(all));
	summary_find(s, SUMMARY_NOTE,
		     "receivers were not ready: %lld SENDs, most of %s, found no receive buffer, and "
		     "their senders waited %s for RNR timers; that is no pause",
		     (long long)s->rnr.naks, most->name, all);
}

static void find_storms(const struct fabric *f, const struct eventlog *log, struct summary *s)
{
	const struct eventlog_event *first = eventlog_first(log, EVENTLOG_STORM);
	const struct eventlog_event *nic = eventlog_first(log, EVENTLOG_NIC_WATCHDOG);
	char at[TEXT], where[NAMES_MAX];

	if (s->watchdog.storms && first) {
		units_format(first->at_ps, UNITS_TIME, at, sizeof(at));
		summary_find(s, SUMMARY_STORM,
			     "watchdog storms: %lld, the first at %s on %s; %lld "
			     "frames dropped",
			     (long long)s->watchdog.storms, at,
			     names_queue(f, first->port, first->prio, where, sizeof(where)),
			     (long long)s->watchdog.dropped);
	}
	if (nic) {
		units_format(nic->at_ps, UNITS_TIME, at, sizeof(at));
		summary_find(s, SUMMARY_STORM, "the NIC of %s stopped its own storm at %s",
			     view_node_name(f, nic->node), at);
	}
}

/* A NIC that pauses its switch to the end, while other flows go on: no stall says so. */
static void find_storming(const struct fabric *f, struct deadlock *dead, struct summary *s)
{
	char where[NAMES_MAX];

	if (s->stall.found && s->stall.until_ps < 0)
		return;
	for (uint32_t port = 0; port < view_ports(f); port++) {
		struct view_port p = view_port(f, port);
		uint32_t host = view_port(f, p.peer_port).node;
		if (!view_is_switch(f, p.node) || view_is_switch(f, host) ||
		    !deadlock_storming(dead, host))
			continue;
		for (int prio = 0; prio < STUCK_PRIOS; prio++) {
			if (!view_is_paused(f, port, prio))
				continue;
			summary_find(s, SUMMARY_STORM, "the NIC of %s still storms at the end: it "
				     "stops %s, and %u switch queues wait behind storms for ever",
				     view_node_name(f, host),
				     names_queue(f, port, prio, where, sizeof(where)),
				     deadlock_behind_storms(dead));
			return;
		}
	}
}

/* --- no pause: how near? ------------------------------------------------ */

static void find_nearest(const struct fabric *f, struct summary *s)
{
	uint32_t nearest = VIEW_NONE;
	int nearest_prio = 0;
	int64_t peak = 0, limit = 1;
	char where[NAMES_MAX], have[TEXT], most[TEXT];
	bool lossless = false;

	if (s->pfc.xoff_frames)
		return;
	for (uint32_t port = 0; port < view_ports(f); port++) {
		for (int prio = 0; prio < STUCK_PRIOS; prio++) {
			struct view_counters c = view_counters(f, port, prio);
			int64_t xoff = c.lossless ? view_xoff_limit(f, port, prio) : 0;
			lossless |= c.lossless;
			if (xoff <= 0 ||
			    (__int128)c.group_peak_bytes * limit <= (__int128)peak * xoff)
				continue;
			nearest = port;
			nearest_prio = prio;
			peak = c.group_peak_bytes;
			limit = xoff;
		}
	}
	if (nearest == VIEW_NONE) {
		if (lossless)
			summary_find(s, SUMMARY_NOTE,
				     "no pause: no lossless priority group held a byte");
		return;
	}
	units_format(peak, UNITS_BYTES, have, sizeof(have));
	units_format(limit, UNITS_BYTES, most, sizeof(most));
	summary_find(s, SUMMARY_NOTE,
		     "no pause: the highest priority group, %s, held %s of its "
		     "XOFF limit of %s (%lld%%)",
		     names_queue(f, nearest, nearest_prio, where, sizeof(where)), have, most,
		     (long long)(peak * 100 / limit));
}

void findings_fill(const struct fabric *f, struct deadlock *dead, const struct eventlog *log,
		   struct summary *s)
{
	find_loss(f, log, s);
	find_deadlock(s);
	find_livelock(s);
	find_stall(s);
	find_failures(log, s);
	if (s->drops[SUMMARY_NIC])
		summary_find(s, SUMMARY_FAILURE,
			     "receive buffers of hosts overran: %lld frames lost",
			     (long long)s->drops[SUMMARY_NIC]);
	find_rnr(s);
	find_storms(f, log, s);
	find_storming(f, dead, s);
	find_nearest(f, s);
	if (!s->complete)
		summary_find(s, SUMMARY_NOTE,
			     "the run was interrupted; these numbers end where it did");
}
