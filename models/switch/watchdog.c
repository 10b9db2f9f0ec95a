/* The polling state machine; its rules and actions lie in the files beside it. */
#include "models/switch/watchdog.h"

#include <stdlib.h>
#include "models/switch/switch.h"
#include "sim/mem.h"

enum { KEY_POLL, KEY_ACTION };	/* tie of NET_WATCHDOG */

/* ------------------------------------------------------------------------ life */

static bool watchdog_port(const struct switch_node *sw, int number)
{
	bool on = true;
	for (int i = 0; i < sw->nports_conf; i++)
		if (number >= sw->ports_conf[i].from && number <= sw->ports_conf[i].to &&
		    sw->ports_conf[i].watchdog != SWITCH_AS_IS)
			on = sw->ports_conf[i].watchdog;
	return on;
}

static void init_port(struct net *net, struct switch_node *sw, struct port *p)
{
	struct watchdog *w = &sw->watchdog;
	const struct watchdog_conf *conf = w->conf;
	bool host = !net->nodes[net->ports[p->peer].node].is_switch;
	bool here = watchdog_port(sw, p->number) &&
		    (conf->ports == WATCHDOG_ALL || host == (conf->ports == WATCHDOG_HOSTS)) &&
		    (conf->rule != WATCHDOG_HARDWARE || conf->dldr);

	for (int prio = 0; prio < 8; prio++) {
		uint32_t i = (uint32_t)p->local * 8 + (uint32_t)prio;
		w->row[i] = (struct watchdog_row){ .watched = here && sw->mmu.group[i].lossless, .known = true,
			.left_ps = w->times.detect_ps, .restore_left_ps = w->times.restore_ps };
		if (sw->mmu.group[i].lossless && conf->frozen_counter)
			p->freezes |= (uint8_t)(1u << prio);
		if (w->row[i].watched && conf->big_red_switch)
			watchdog_red(net, sw, p, prio);
	}
}

void watchdog_init(struct net *net, struct switch_node *sw, const struct watchdog_conf *conf)
{
	struct watchdog *w = &sw->watchdog;

	*w = (struct watchdog){ .conf = conf, .next_ps = UNITS_NEVER, .acting_ps = -1,
				.times = watchdog_times(conf, sw->node->ports) };
	if (!conf->on)
		return;
	w->row = mem_zalloc(sw->node->ports * 8 * sizeof *w->row);
	w->phase_ps = conf->phase_ps;
	if (w->phase_ps < 0) {
		struct rng r = rng_named(net->seed ^ UINT64_C(0x7764), sw->node->name);
		w->phase_ps = (int64_t)rng_below(&r, (uint64_t)w->times.poll_ps);
	}
	for (uint32_t i = 0; i < sw->node->ports; i++)
		init_port(net, sw, switch_port(net, sw, i));
}

void watchdog_fini(struct watchdog *w)
{
	free(w->row);
	w->row = NULL;
}

/* --------------------------------------------------------------------- polling */

static void remember(const struct net *net, const struct port *p, int prio, struct watchdog_row *r)
{
	const struct port_stats *st = port_stats(net, p, prio);
	r->rx = st->pfc_received;
	r->tx = st->tx_frames;
	r->on_to_off = st->on_to_off;
	r->paused_ps = watchdog_paused_ps(net, p, prio);
	r->was_paused = p->paused >> prio & 1;
}

static void arm(struct net *net, struct switch_node *sw)
{
	struct watchdog *w = &sw->watchdog;
	int64_t poll = w->times.poll_ps, past = net->now_ps - w->phase_ps;
	int64_t k = past < 0 ? 0 : past / poll + 1;

	w->next_ps = w->phase_ps + k * poll;
	engine_arm(net->engine, w->next_ps, ENGINE_KEY(NET_TIMER, NET_WATCHDOG, KEY_POLL, sw->node->id));
}

/*
 * Polls that could see nothing are skipped: without a pause frame no row can
 * turn bad.  On waking, each row is given what the skipped poll before this
 * instant would have stored; of its counters only the frames sent can have
 * moved since, and port_stats knows when the last one was.
 */
void watchdog_wake(struct net *net, struct switch_node *sw)
{
	struct watchdog *w = &sw->watchdog;

	if (!w->row || w->next_ps != UNITS_NEVER || w->conf->big_red_switch)
		return;
	arm(net, sw);
	int64_t missed = w->next_ps - w->times.poll_ps;
	for (uint32_t i = 0; i < sw->node->ports; i++) {
		const struct port *p = switch_port(net, sw, i);
		for (int prio = 0; prio < 8; prio++) {
			struct watchdog_row *r = &w->row[i * 8 + (uint32_t)prio];
			const struct port_stats *st = port_stats(net, p, prio);
			r->tx = st->tx_frames - (st->last_tx_ps > missed ? 1 : 0);
		}
	}
}

/* The script tells of a storm or of its end; the switch acts at once, or later. */
static void tell(struct net *net, struct switch_node *sw, struct port *p, int prio, struct watchdog_row *r,
		 int what)
{
	struct watchdog *w = &sw->watchdog;
	int64_t due = net->now_ps + w->conf->action_delay_ps;

	w->told += what == WATCHDOG_STORM;
	if (r->pending)
		return;		/* the same again */
	if (due == net->now_ps) {
		if (what == WATCHDOG_STORM)
			watchdog_begin(net, sw, p, prio);
		else
			watchdog_end(net, sw, p, prio);
		return;
	}
	r->pending = (uint8_t)what;
	r->due_ps = due;
	if (w->acting_ps != due)
		engine_arm(net->engine, due, ENGINE_KEY(NET_TIMER, NET_WATCHDOG, KEY_ACTION, sw->node->id));
	w->acting_ps = due;
}

static void act(struct net *net, struct switch_node *sw)
{
	for (uint32_t i = 0; i < sw->node->ports * 8; i++) {
		struct watchdog_row *r = &sw->watchdog.row[i];
		int what = r->pending;

		if (!what || r->due_ps > net->now_ps)
			continue;
		r->pending = WATCHDOG_NOTHING;
		if (what == WATCHDOG_STORM)
			watchdog_begin(net, sw, switch_port(net, sw, i / 8), (int)(i % 8));
		else
			watchdog_end(net, sw, switch_port(net, sw, i / 8), (int)(i % 8));
	}
}

/* One row of the detect script: queues that are operational, or action alert. */
static void look(struct net *net, struct switch_node *sw, struct port *p, int prio, struct watchdog_row *r)
{
	const struct watchdog *w = &sw->watchdog;
	bool known = r->known;

	r->known = true;
	if (!known)
		return;
	if (!watchdog_bad(net, w, p, prio)) {
		r->left_ps = w->times.detect_ps;
		if (r->stormed)
			tell(net, sw, p, prio, r, WATCHDOG_RESTORE);
	} else if (r->stormed) {
		return;
	} else if (watchdog_enough(w, r)) {
		r->left_ps = w->times.detect_ps;
		r->known = !w->conf->forget || w->conf->rule == WATCHDOG_HARDWARE;
		tell(net, sw, p, prio, r, WATCHDOG_STORM);
	} else {
		r->left_ps -= w->times.poll_ps;
	}
}

/* One row of the restore script. */
static void look_stormed(struct net *net, struct switch_node *sw, struct port *p, int prio,
			 struct watchdog_row *r)
{
	const struct watchdog_times *t = &sw->watchdog.times;

	if (!watchdog_quiet(net, &sw->watchdog, p, prio))
		r->restore_left_ps = t->restore_ps;
	else if (t->restore_ps == UNITS_NEVER)
		return;
	else if (r->restore_left_ps <= t->poll_ps)
		tell(net, sw, p, prio, r, WATCHDOG_RESTORE);
	else
		r->restore_left_ps -= t->poll_ps;
}

static bool poll_row(struct net *net, struct switch_node *sw, struct port *p, int prio)
{
	struct watchdog_row *r = &sw->watchdog.row[(uint32_t)p->local * 8 + (uint32_t)prio];
	bool received = port_stats(net, p, prio)->pfc_received > r->rx;

	if (!r->stormed || sw->watchdog.conf->action == WATCHDOG_ALERT)
		look(net, sw, p, prio, r);
	else
		look_stormed(net, sw, p, prio, r);
	remember(net, p, prio, r);
	return received || r->stormed || r->pending || p->paused >> prio & 1;
}

void watchdog_poll(struct net *net, struct switch_node *sw)
{
	struct watchdog *w = &sw->watchdog;
	bool again = false;

	if (w->acting_ps >= net->now_ps)
		act(net, sw);
	if (w->next_ps != net->now_ps)
		return;
	w->next_ps = UNITS_NEVER;
	for (uint32_t i = 0; i < sw->node->ports; i++)
		for (int prio = 0; prio < 8; prio++)
			if (w->row[i * 8 + (uint32_t)prio].watched)
				again |= poll_row(net, sw, switch_port(net, sw, i), prio);
	if (again)
		arm(net, sw);
}
