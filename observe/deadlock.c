/*
 * observe/deadlock.c - see deadlock.h.
 *
 * The definition.  An egress queue (S, out, q) towards switch S' is *held* when
 * its pause is in effect and the group (S', in, q) that it fills is in XOFF, has
 * told so, has no XON in flight and refreshes in time.  D starts as all groups
 * in XOFF; a group leaves D if its own XON rule would be met once everything not
 * stuck has left (observe/stuck.c).  Deadlock iff D is not empty.
 *
 * When is it looked at?  When a pause takes effect, a group enters XOFF (or
 * says so again), or a frame joins a held queue; always in a settle hook, where
 * all nodes stand at the same instant.  Each of these changes one queue, and
 * only for the worse if that queue itself is in D: nothing else can put a first
 * member into D.  So stuck_may is asked about that queue alone, and all are
 * reckoned only when it says maybe.  (A group may hang on a frame that is on its way
 * to it; then each instant is looked at until the frame is there.)  While a deadlock
 * stands it stays, until a pause ends, the watchdog or a fault acts.
 *
 * An XON in flight: from the start of its frame for as long as it takes to get
 * there.  Several may be on their way, with pauses between them: the last counts,
 * and a resume by an earlier one ends nothing.
 */
#include <stdlib.h>
#include <string.h>
#include "models/wire/link.h"
#include "models/wire/pfc.h"
#include "sim/assert.h"
#include "sim/mem.h"
#include "observe/deadlock.h"
#include "observe/stuck.h"

struct deadlock {
	struct fabric *f;
	deadlock_note *note;
	void *ctx;
	struct stuck stuck;
	bool *storming;		/* of each node */

	/* Paused queues from switch to switch, any order; place[key] = index + 1. */
	uint32_t *paused, *place, npaused;
	int64_t *xon_ps;	/* of each port: from its peer's pause to the effect here */
	int64_t *xon_until;	/* of each key: an XON is in flight to it until then */

	uint32_t *asked, nasked;	/* queues that this instant has touched */
	bool *is_asked;			/* of each key */
	bool all;			/* look whatever they are */
	bool wanted;			/* a settle hook */

	int64_t count, first_ps, cleared_ps;
	bool standing;
	enum deadlock_force force, cleared_by;
	uint32_t *cycle, *first_cycle, *victims;
	uint32_t ncycle, nfirst_cycle, nvictims;
};

/* --- the evaluation ----------------------------------------------------- */

static bool is_held(const struct deadlock *d, uint32_t key, int64_t now_ps)
{
	bool held = false;

	if (d->xon_until[key] > now_ps || !view_is_paused(d->f, key / STUCK_PRIOS, (int)(key % STUCK_PRIOS)))
		return false;
	for (unsigned m = stuck_groups(&d->stuck, key); m; m &= m - 1) {
		struct view_group g = view_group(d->f, stuck_peer(&d->stuck, key), __builtin_ctz(m));
		held |= g.xoff && g.xoff_sent && g.refreshed;
	}
	return held;
}

/* D of this instant. */
static void evaluate(struct deadlock *d, int64_t now_ps)
{
	stuck_clear(&d->stuck);
	for (uint32_t i = 0; i < d->npaused; i++)
		if (is_held(d, d->paused[i], now_ps))
			stuck_add(&d->stuck, d->paused[i]);
	stuck_reduce(&d->stuck);
}

static void formed(struct deadlock *d, int64_t now_ps)
{
	d->standing = true;
	d->force = DEADLOCK_NONE;
	d->ncycle = stuck_cycle(&d->stuck, d->cycle);
	sim_assert(d->ncycle > 0);
	if (!d->count++) {
		d->first_ps = now_ps;
		d->nfirst_cycle = d->ncycle;
		memcpy(d->first_cycle, d->cycle, d->ncycle * sizeof(*d->cycle));
		d->nvictims = stuck_victims(&d->stuck, d->cycle, d->ncycle, d->victims);
	}
	if (d->note)
		d->note(d->ctx, now_ps, true, d->cycle, d->ncycle, DEADLOCK_NONE);
}

static void cleared(struct deadlock *d, int64_t now_ps)
{
	d->standing = false;
	if (d->count == 1) {
		d->cleared_ps = now_ps;
		d->cleared_by = d->force;
	}
	if (d->note)
		d->note(d->ctx, now_ps, false, d->cycle, d->ncycle, d->force);
}

static bool worth_a_look(struct deadlock *d)
{
	bool look = d->all;

	for (uint32_t i = 0; i < d->nasked; i++) {
		uint32_t key = d->asked[i];
		d->is_asked[key] = false;
		if (!look && d->place[key] && d->npaused > 1)
			look = stuck_may(&d->stuck, key);
	}
	d->nasked = 0;
	d->all = false;
	return look;
}

static void want(struct deadlock *d)
{
	d->wanted = true;
	fabric_want_settle(d->f);
}

static void ask_all(struct deadlock *d)
{
	d->all = true;
	want(d);
}

static void settle(void *ctx, int64_t at_ps)
{
	struct deadlock *d = ctx;

	if (!d->wanted)
		return;
	d->wanted = d->stuck.arriving = false;
	if (worth_a_look(d)) {
		evaluate(d, at_ps);
		if (d->stuck.nmember && !d->standing)
			formed(d, at_ps);
		else if (!d->stuck.nmember && d->standing)
			cleared(d, at_ps);
		stuck_clear(&d->stuck);
	}
	if (d->stuck.arriving && !d->standing)
		ask_all(d);
}

/* --- what happens ------------------------------------------------------- */

/* Something has happened to this queue or to the group that it fills. */
static void ask(struct deadlock *d, uint32_t key)
{
	if (d->standing || !d->place[key] || d->npaused < 2 || d->is_asked[key])
		return;
	d->is_asked[key] = true;
	d->asked[d->nasked++] = key;
	want(d);
}

static void pause_begins(struct deadlock *d, uint32_t key)
{
	const struct stuck *s = &d->stuck;
	uint32_t peer = stuck_peer(s, key);

	if (d->place[key] || peer == VIEW_NONE || !s->is_switch[s->node[peer]] ||
	    !s->is_switch[s->node[key / STUCK_PRIOS]])
		return;
	d->paused[d->npaused++] = key;
	d->place[key] = d->npaused;
	stuck_pause(&d->stuck, key, true);
	ask(d, key);
}

static void pause_ends(struct deadlock *d, uint32_t key, int64_t how)
{
	if (!d->place[key])
		return;
	uint32_t last = d->paused[--d->npaused];
	d->paused[d->place[key] - 1] = last;
	d->place[last] = d->place[key];
	d->place[key] = 0;
	stuck_pause(&d->stuck, key, false);
	if (!d->standing)
		return;
	if (how == 2)
		d->force = DEADLOCK_WATCHDOG;
	if (how == 3)
		d->force = DEADLOCK_FAULT;
	ask_all(d);
}

static void outside_force(struct deadlock *d, const struct record *rec)
{
	bool fault = rec->kind == RECORD_FAULT;

	if (fault && rec->a == FAULT_NIC_STORM)
		d->storming[rec->node] = rec->b != 0;
	if (fault && rec->a == FAULT_LINK_SLOW)
		d->xon_ps[rec->port] = deadlock_flight_ps(d->f, rec->port);
	if (d->standing)
		d->force = fault ? DEADLOCK_FAULT : DEADLOCK_WATCHDOG;
	if (d->standing || d->npaused > 1)
		ask_all(d);
}

/* An XON of 802.3x frees all. */
static void xon_sent(struct deadlock *d, uint32_t key, int64_t at_ps)
{
	uint32_t port = key / STUCK_PRIOS, n = 1;

	if (d->stuck.stops[port] == VIEW_STOPS_WHOLE) {
		key = port * STUCK_PRIOS;
		n = STUCK_PRIOS;
	}
	for (uint32_t i = 0; i < n; i++)
		d->xon_until[key + i] = at_ps + d->xon_ps[port];
}

static void sink(void *ctx, const struct record *rec)
{
	struct deadlock *d = ctx;
	uint32_t key = 0, far = 0;	/* the queue, and the one that fills the group */

	if (rec->port != VIEW_NONE) {
		key = rec->port * STUCK_PRIOS + rec->prio;
		far = stuck_peer(&d->stuck, key) * STUCK_PRIOS + rec->prio;
	}
	switch ((enum record_kind)rec->kind) {
	case RECORD_PAUSED:
		pause_begins(d, key);
		break;
	case RECORD_RESUMED:
		pause_ends(d, key, rec->b);
		break;
	case RECORD_HELD:
		ask(d, key);
		break;
	case RECORD_GROUP_XOFF:
	case RECORD_XOFF_SENT:
		ask(d, far);
		break;
	case RECORD_GROUP_XON:
		if (d->standing)
			ask_all(d);
		break;
	case RECORD_XON_SENT:
		xon_sent(d, far, rec->at_ps);
		break;
	case RECORD_WATCHDOG:
	case RECORD_FAULT:
		outside_force(d, rec);
		break;
	default:
		break;
	}
}

/* --- life and answers --------------------------------------------------- */

int64_t deadlock_flight_ps(const struct fabric *f, uint32_t port)
{
	struct view_port p = view_port(f, port);
	const struct pfc_conf *pfc = view_is_switch(f, p.node) ?
		&view_switch_conf(f, p.node)->pfc : &view_nic_conf(f, p.node)->pfc;

	/* the record is stamped at the decision; the preamble may start one IFG later */
	return units_tx_ps(LINK_OVERHEAD_BYTES + PFC_FRAME_BYTES, p.now_bps) + p.delay_ps +
	       pfc_conf_response_ps(pfc, p.rate_bps);
}

struct deadlock *deadlock_new(struct fabric *f, deadlock_note *note, void *ctx)
{
	struct deadlock *d = mem_zalloc(sizeof(*d));
	uint32_t nodes = view_nodes(f), ports = view_ports(f), n;

	d->f = f;
	d->note = note;
	d->ctx = ctx;
	d->first_ps = d->cleared_ps = -1;
	stuck_init(&d->stuck, f);
	n = d->stuck.nkeys;
	d->storming = mem_zalloc(nodes * sizeof(*d->storming));
	d->paused = mem_zalloc(n * sizeof(*d->paused));
	d->place = mem_zalloc(n * sizeof(*d->place));
	d->xon_ps = mem_zalloc(ports * sizeof(*d->xon_ps));
	d->xon_until = mem_zalloc(n * sizeof(*d->xon_until));
	d->asked = mem_zalloc(n * sizeof(*d->asked));
	d->is_asked = mem_zalloc(n * sizeof(*d->is_asked));
	d->cycle = mem_zalloc(n * sizeof(*d->cycle));
	d->first_cycle = mem_zalloc(n * sizeof(*d->first_cycle));
	d->victims = mem_zalloc(n * sizeof(*d->victims));
	for (uint32_t port = 0; port < ports; port++)
		d->xon_ps[port] = deadlock_flight_ps(f, port);
	fabric_add_sink(f, 1u << RECORD_PAUSED | 1u << RECORD_RESUMED | 1u << RECORD_HELD |
			   1u << RECORD_GROUP_XOFF | 1u << RECORD_GROUP_XON |
			   1u << RECORD_XOFF_SENT | 1u << RECORD_XON_SENT |
			   1u << RECORD_WATCHDOG | 1u << RECORD_FAULT, sink, d);
	fabric_add_settle(f, settle, d);
	return d;
}

/* Queues towards storming hosts, held or let go. */
static void hold_storms(struct deadlock *d, bool on)
{
	struct stuck *s = &d->stuck;

	for (uint32_t key = 0; key < s->nkeys; key++) {
		uint32_t port = key / STUCK_PRIOS, peer = s->peer[port];
		if (peer == VIEW_NONE || !s->is_switch[s->node[port]] ||
		    !d->storming[s->node[peer]])
			continue;
		if (!on || view_is_paused(d->f, port, (int)(key % STUCK_PRIOS)))
			stuck_hold(s, key, on);
	}
}

uint32_t deadlock_behind_storms(struct deadlock *d)
{
	hold_storms(d, true);
	evaluate(d, view_run(d->f).now_ps);
	uint32_t answer = d->stuck.nmember;
	stuck_clear(&d->stuck);
	hold_storms(d, false);
	return answer;
}

bool deadlock_storming(const struct deadlock *d, uint32_t host)
{
	return d->storming[host];
}

const uint32_t *deadlock_members(const struct deadlock *d, uint32_t *n)
{
	*n = d->stuck.nmember;
	return d->stuck.member;
}

int64_t deadlock_mark(struct deadlock *d, uint32_t key, int *prio, int64_t *stuck)
{
	return stuck_mark(&d->stuck, key, prio, stuck);
}

bool deadlock_standing(const struct deadlock *d)
{
	return d->standing;
}

struct deadlock_report deadlock_report(struct deadlock *d)
{
	if (d->standing && d->count == 1) {
		evaluate(d, view_run(d->f).now_ps);
		d->nvictims = stuck_victims(&d->stuck, d->first_cycle, d->nfirst_cycle,
					    d->victims);
		stuck_clear(&d->stuck);
	}
	return (struct deadlock_report){
		.count = d->count, .standing = d->standing, .first_ps = d->first_ps,
		.cleared_ps = d->cleared_ps, .cleared_by = d->cleared_by,
		.cycle = d->first_cycle, .ncycle = d->nfirst_cycle,
		.victims = d->victims, .nvictims = d->nvictims,
	};
}

void deadlock_free(struct deadlock **dp)
{
	struct deadlock *d = *dp;

	*dp = NULL;
	if (!d)
		return;
	stuck_free(&d->stuck);
	free(d->storming);
	free(d->paused);
	free(d->place);
	free(d->xon_ps);
	free(d->xon_until);
	free(d->asked);
	free(d->is_asked);
	free(d->cycle);
	free(d->first_cycle);
	free(d->victims);
	free(d);
}
