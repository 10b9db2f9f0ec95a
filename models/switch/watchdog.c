#include "models/switch/watchdog.h"

#include <stdlib.h>
#include "models/switch/switch.h"
#include "sim/mem.h"

static const char *const actions[] = { "drop", "forward", "alert", NULL };
static const char *const rules[] = { "broadcom", "classic", "mellanox", "teralynx", "cisco", NULL };
static const char *const places[] = { "all", "hosts", "fabric", NULL };
const struct param watchdog_params[] = {
	{ .key = "detect", .type = PARAM_TIME, .offset = offsetof(struct watchdog_conf, detect_ps),
	  .def = "200ms", .min = "10us", .max = "1000s",
	  .doc = "A queue that is bad for ceil(detect/poll) polls running is in a storm." },
	{ .key = "restore", .type = PARAM_TIME, .offset = offsetof(struct watchdog_conf, restore_ps),
	  .def = "200ms", .min = "10us",
	  .doc = "Time without a pause frame after which a stormed queue is restored; never keeps it stormed." },
	{ .key = "poll", .type = PARAM_TIME, .offset = offsetof(struct watchdog_conf, poll_ps),
	  .def = "100ms", .min = "10us", .max = "1000s", .doc = "Time between two looks at the counters." },
	{ .key = "phase", .type = PARAM_TIME, .offset = offsetof(struct watchdog_conf, phase_ps),
	  .def = "seed", .min = "0ns", .max = "1000s", .word = "seed", .word_value = -1,
	  .doc = "Instant of the first poll; seed draws it from the seed and the name of the switch." },
	{ .key = "action", .type = PARAM_ENUM, .offset = offsetof(struct watchdog_conf, action),
	  .def = "drop", .names = actions,
	  .doc = "What a storm does to its queue: drop its frames, forward them in spite of pauses, or only count." },
	{ .key = "rule", .type = PARAM_ENUM, .offset = offsetof(struct watchdog_conf, rule),
	  .def = "broadcom", .names = rules,
	  .doc = "Whose condition makes a poll bad: paused throughout (broadcom), stuck packets or a long pause "
		 "(classic), both (mellanox), pauses without progress (teralynx), paused at the poll (cisco)." },
	{ .key = "ports", .type = PARAM_ENUM, .offset = offsetof(struct watchdog_conf, ports),
	  .def = "all", .names = places, .doc = "Ports that are watched: all, those to hosts, or those to switches." },
	{ .key = NULL }
};

int watchdog_check(const struct watchdog_conf *c, struct sim_error *err)
{
	char poll[32], other[32];
	int64_t least = c->detect_ps < c->restore_ps ? c->detect_ps : c->restore_ps;

	if (c->poll_ps > least)
		return error_set(err, "/poll", "the poll interval %s is longer than the smaller of detect and restore, %s",
				 units_format(c->poll_ps, UNITS_TIME, poll, sizeof poll),
				 units_format(least, UNITS_TIME, other, sizeof other));
	return 0;
}

static bool watchdog_port(const struct switch_node *sw, int number)
{
	bool on = true;
	for (int i = 0; i < sw->nports_conf; i++)
		if (number >= sw->ports_conf[i].from && number <= sw->ports_conf[i].to &&
		    sw->ports_conf[i].watchdog != SWITCH_AS_IS)
			on = sw->ports_conf[i].watchdog;
	return on;
}

void watchdog_init(struct net *net, struct switch_node *sw, const struct watchdog_conf *conf)
{
	struct watchdog *w = &sw->watchdog;

	*w = (struct watchdog){ .conf = conf, .next_ps = UNITS_NEVER };
	if (!conf->on)
		return;
	w->row = mem_zalloc(sw->node->ports * 8 * sizeof *w->row);
	w->phase_ps = conf->phase_ps;
	if (w->phase_ps < 0) {
		struct rng r = rng_named(net->seed ^ UINT64_C(0x7764), sw->node->name);
		w->phase_ps = (int64_t)rng_below(&r, (uint64_t)conf->poll_ps);
	}
	for (uint32_t i = 0; i < sw->node->ports; i++) {
		const struct port *p = switch_port(net, sw, i);
		bool host = !net->nodes[net->ports[p->peer].node].is_switch;
		for (uint32_t prio = 0; prio < 8; prio++)
			w->row[i * 8 + prio] = (struct watchdog_row){
				.watched = sw->mmu.group[i * 8 + prio].lossless && watchdog_port(sw, p->number) &&
					   (conf->ports == WATCHDOG_ALL || host == (conf->ports == WATCHDOG_HOSTS)),
				.left_ps = conf->detect_ps, .restore_left_ps = conf->restore_ps };
	}
}

void watchdog_fini(struct watchdog *w)
{
	free(w->row);
	w->row = NULL;
}

/* Total pause time so far, one that stands included. */
static int64_t paused_ps(const struct net *net, const struct port *p, int prio)
{
	int64_t sum = port_stats(net, p, prio)->paused_ps;
	if (p->paused >> prio & 1)
		sum += net->now_ps - p->paused_since_ps[prio];
	return sum;
}

static void remember(const struct net *net, const struct port *p, int prio, struct watchdog_row *r)
{
	const struct port_stats *st = port_stats(net, p, prio);
	r->rx = st->pfc_received;
	r->tx = st->tx_frames;
	r->on_to_off = st->on_to_off;
	r->paused_ps = paused_ps(net, p, prio);
	r->was_paused = p->paused >> prio & 1;
}

static void arm(struct net *net, struct switch_node *sw)
{
	struct watchdog *w = &sw->watchdog;
	int64_t poll = w->conf->poll_ps, past = net->now_ps - w->phase_ps;
	int64_t k = past < 0 ? 0 : past / poll + 1;

	w->next_ps = w->phase_ps + k * poll;
	engine_arm(net->engine, w->next_ps, ENGINE_KEY(NET_TIMER, NET_WATCHDOG, 0, sw->node->id));
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

	if (!w->row || w->next_ps != UNITS_NEVER)
		return;
	arm(net, sw);
	int64_t missed = w->next_ps - w->conf->poll_ps;
	for (uint32_t i = 0; i < sw->node->ports; i++) {
		const struct port *p = switch_port(net, sw, i);
		for (int prio = 0; prio < 8; prio++) {
			struct watchdog_row *r = &w->row[i * 8 + (uint32_t)prio];
			const struct port_stats *st = port_stats(net, p, prio);
			r->tx = st->tx_frames - (st->last_tx_ps > missed ? 1 : 0);
		}
	}
}

/* sonic-swss orchagent/pfc_detect_<platform>.lua */
static bool bad(const struct net *net, const struct watchdog *w, const struct port *p, int prio,
		const struct watchdog_row *r)
{
	const struct port_stats *st = port_stats(net, p, prio);
	bool paused = p->paused >> prio & 1, received = st->pfc_received > r->rx, moved = st->tx_frames != r->tx;
	int64_t waiting = 0, stopped = paused_ps(net, p, prio) - r->paused_ps, poll = w->conf->poll_ps;

	for (unsigned m = p->queues_of[prio]; m; m &= m - 1)
		waiting += p->queue[__builtin_ctz(m)].bytes;
	switch (w->conf->rule) {
	case WATCHDOG_BROADCOM:
		return received && st->on_to_off == r->on_to_off && paused && r->was_paused;
	case WATCHDOG_MELLANOX:
		return waiting && !moved && 100 * stopped > 99 * poll;
	case WATCHDOG_TERALYNX:
		return received && 5 * stopped > 4 * poll && (!waiting || !moved);
	case WATCHDOG_CISCO:
		return paused;
	default:
		return !moved && (waiting ? received : 5 * stopped > 4 * poll);
	}
}

/* Is this bad poll the one that makes it a storm? */
static bool enough(const struct watchdog_conf *c, const struct watchdog_row *r)
{
	if (c->rule == WATCHDOG_MELLANOX)
		return 100 * (c->detect_ps - r->left_ps + c->poll_ps) > 99 * c->detect_ps;
	return r->left_ps <= c->poll_ps;
}

static void storm(struct net *net, struct switch_node *sw, struct port *p, int prio, struct watchdog_row *r)
{
	struct watchdog *w = &sw->watchdog;
	uint8_t bit = (uint8_t)(1u << prio);

	r->stormed = true;
	r->restore_left_ps = w->conf->restore_ps;
	w->storms++;
	r->dropped = -w->dropped;
	net_digest(net, sw->node, NET_WHAT(NET_D_WATCHDOG, p->local, prio, 1), 0);
	NET_TRACE(net, RECORD_WATCHDOG, sw->node->id, port_id(net, p), prio, NET_NONE, 1, 0);
	if (w->conf->action == WATCHDOG_ALERT)
		return;
	port_pause_want(net, p, prio, false);
	p->ignore |= bit;
	if (w->conf->action == WATCHDOG_DROP) {
		sw->dropping[p->local] |= bit;
		w->dropped += switch_flush(net, sw, p, bit, RECORD_DROP_WATCHDOG);
	}
	port_resume(net, p, bit, 2);
}

static void restore(struct net *net, struct switch_node *sw, struct port *p, int prio, struct watchdog_row *r)
{
	struct watchdog *w = &sw->watchdog;
	uint8_t bit = (uint8_t)(1u << prio);

	r->stormed = false;
	r->left_ps = w->conf->detect_ps;
	w->restores++;
	r->dropped += w->dropped;
	p->ignore &= (uint8_t)~bit;
	sw->dropping[p->local] &= (uint8_t)~bit;
	net_digest(net, sw->node, NET_WHAT(NET_D_WATCHDOG, p->local, prio, 0), 0);
	NET_TRACE(net, RECORD_WATCHDOG, sw->node->id, port_id(net, p), prio, NET_NONE, 0, r->dropped);
	switch_ask_again(net, sw, p);
}

static void look(struct net *net, struct switch_node *sw, struct port *p, int prio, struct watchdog_row *r)
{
	const struct watchdog_conf *c = sw->watchdog.conf;

	if (!r->stormed || c->action == WATCHDOG_ALERT) {
		if (!bad(net, &sw->watchdog, p, prio, r)) {
			r->left_ps = c->detect_ps;
			if (r->stormed)
				restore(net, sw, p, prio, r);
		} else if (!r->stormed) {
			if (enough(c, r))
				storm(net, sw, p, prio, r);
			else
				r->left_ps -= c->poll_ps;
		}
	} else if (c->rule == WATCHDOG_CISCO ? p->until_ps[prio] > net->now_ps
					       : port_stats(net, p, prio)->pfc_received > r->rx) {
		r->restore_left_ps = c->restore_ps;
	} else if (c->restore_ps != UNITS_NEVER) {
		if (r->restore_left_ps <= c->poll_ps)
			restore(net, sw, p, prio, r);
		else
			r->restore_left_ps -= c->poll_ps;
	}
}

void watchdog_poll(struct net *net, struct switch_node *sw)
{
	struct watchdog *w = &sw->watchdog;
	bool again = false;

	if (w->next_ps != net->now_ps)
		return;
	w->next_ps = UNITS_NEVER;
	for (uint32_t i = 0; i < sw->node->ports; i++) {
		struct port *p = switch_port(net, sw, i);
		for (int prio = 0; prio < 8; prio++) {
			struct watchdog_row *r = &w->row[i * 8 + (uint32_t)prio];
			if (!r->watched)
				continue;
			bool received = port_stats(net, p, prio)->pfc_received > r->rx;
			look(net, sw, p, prio, r);
			remember(net, p, prio, r);
			again |= received || r->stormed || p->paused >> prio & 1;
		}
	}
	if (again)
		arm(net, sw);
}
