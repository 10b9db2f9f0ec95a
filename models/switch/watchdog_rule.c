/* The rules: sonic-swss orchagent/pfc_detect_<platform>.lua and pfc_restore*.lua. */
#include "models/switch/switch.h"

int64_t watchdog_paused_ps(const struct net *net, const struct port *p, int prio)
{
	int64_t sum = port_stats(net, p, prio)->paused_ps;

	if (p->paused >> prio & 1)
		sum += net->now_ps - p->paused_since_ps[prio];
	return sum;
}

bool watchdog_bad(const struct net *net, const struct watchdog *w, const struct port *p, int prio)
{
	const struct watchdog_row *r = &w->row[(uint32_t)p->local * 8 + (uint32_t)prio];
	const struct port_stats *st = port_stats(net, p, prio);
	bool paused = p->paused >> prio & 1, received = st->pfc_received > r->rx, moved = st->tx_frames != r->tx;
	bool throughout = paused && r->was_paused && st->on_to_off == r->on_to_off;
	int64_t held = 0, stopped = watchdog_paused_ps(net, p, prio) - r->paused_ps, poll = w->times.poll_ps;

	for (unsigned m = p->queues_of[prio]; m; m &= m - 1)
		held += p->queue[__builtin_ctz(m)].bytes;
	switch (w->conf->rule) {
	case WATCHDOG_BROADCOM:
		return received && throughout;
	case WATCHDOG_PAUSED:
	case WATCHDOG_HARDWARE:
		return throughout;
	case WATCHDOG_MELLANOX:
		return held && !moved && 100 * stopped > 99 * poll;
	case WATCHDOG_TERALYNX:
		return received && 5 * stopped > 4 * poll && (!held || !moved);
	case WATCHDOG_CISCO:
		return paused;
	case WATCHDOG_JUNIPER:
		return paused && held && !moved;
	case WATCHDOG_PRESTERA:
		return held && !moved && received;
	default:
		return !moved && (held ? received : 5 * stopped > 4 * poll);
	}
}

bool watchdog_enough(const struct watchdog *w, const struct watchdog_row *r)
{
	const struct watchdog_times *t = &w->times;

	if (w->conf->rule == WATCHDOG_MELLANOX)
		return 100 * (t->detect_ps - r->left_ps + t->poll_ps) > 99 * t->detect_ps;
	return r->left_ps <= t->poll_ps;
}

bool watchdog_quiet(const struct net *net, const struct watchdog *w, const struct port *p, int prio)
{
	switch (w->times.restore_rule) {
	case WATCHDOG_RESTORE_STATUS:
		return p->until_ps[prio] <= net->now_ps;
	case WATCHDOG_RESTORE_TIMER:
		return true;
	default:
		return port_stats(net, p, prio)->pfc_received ==
		       w->row[(uint32_t)p->local * 8 + (uint32_t)prio].rx;
	}
}
