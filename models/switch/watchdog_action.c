/* What a storm does to its queue, and its end: sonic-swss orchagent/pfcactionhandler.cpp. */
#include "models/switch/switch.h"

enum { DROP_SENT = 1, DROP_RECEIVED = 2, CLEAR_MASK = 4, DEAF = 8 };

/* The table at the head of watchdog.h. */
static unsigned effects(const struct watchdog *w, int action)
{
	if (action == WATCHDOG_ALERT)
		return 0;
	if (w->times.handler == WATCHDOG_DLR)
		return !w->conf->dldr ? 0 : action == WATCHDOG_DROP ? DEAF | DROP_SENT : DEAF;
	if (action == WATCHDOG_FORWARD)
		return CLEAR_MASK;
	return CLEAR_MASK | DROP_SENT | (w->times.handler == WATCHDOG_ACL ? DROP_RECEIVED : 0);
}

static struct watchdog_row *row_of(struct switch_node *sw, const struct port *p, int prio)
{
	return &sw->watchdog.row[(uint32_t)p->local * 8 + (uint32_t)prio];
}

static void install(struct net *net, struct switch_node *sw, struct port *p, int prio, unsigned what)
{
	uint8_t bit = (uint8_t)(1u << prio);

	if (what & CLEAR_MASK) {
		port_pause_want(net, p, prio, false);
		p->ignore |= bit;
	}
	if (what & DEAF)
		p->deaf |= bit;
	if (what & DROP_RECEIVED)
		sw->refusing[p->local] |= bit;
	if (what & DROP_SENT)
		sw->dropping[p->local] |= bit;
}

void watchdog_begin(struct net *net, struct switch_node *sw, struct port *p, int prio)
{
	struct watchdog *w = &sw->watchdog;
	struct watchdog_row *r = row_of(sw, p, prio);
	const struct port_stats *st = port_stats(net, p, prio);
	unsigned what = effects(w, w->conf->action);
	uint8_t bit = (uint8_t)(1u << prio);

	r->stormed = true;
	r->restore_left_ps = w->times.restore_ps;
	r->last = (struct watchdog_count){ 0 };
	r->tx_base = st->tx_frames;
	r->rx_base = st->rx_frames;
	r->storms++;
	w->storms++;
	net_digest(net, sw->node, NET_WHAT(NET_D_WATCHDOG, p->local, prio, 1), 0);
	NET_TRACE(net, RECORD_WATCHDOG, sw->node->id, port_id(net, p), prio, NET_NONE, 1, 0);
	if (!what)
		return;
	install(net, sw, p, prio, what);
	if (what & DROP_SENT) {
		int64_t lost = switch_flush(net, sw, p, bit, RECORD_DROP_WATCHDOG);
		w->dropped += lost;
		r->last.tx_drop += lost;
	}
	port_resume(net, p, bit, 2);
}

void watchdog_end(struct net *net, struct switch_node *sw, struct port *p, int prio)
{
	struct watchdog *w = &sw->watchdog;
	struct watchdog_row *r = row_of(sw, p, prio);
	unsigned what = effects(w, w->conf->action);
	uint8_t bit = (uint8_t)(1u << prio);

	watchdog_counts(net, sw, p, prio, &r->all, &r->last);
	r->stormed = false;
	r->left_ps = w->times.detect_ps;
	r->restores++;
	w->restores++;
	p->ignore &= (uint8_t)~bit;
	sw->dropping[p->local] &= (uint8_t)~bit;
	sw->refusing[p->local] &= (uint8_t)~bit;
	if (what & DEAF)
		p->deaf &= (uint8_t)~bit;
	net_digest(net, sw->node, NET_WHAT(NET_D_WATCHDOG, p->local, prio, 0), 0);
	NET_TRACE(net, RECORD_WATCHDOG, sw->node->id, port_id(net, p), prio, NET_NONE, 0,
		  r->last.tx_drop + r->last.rx_drop);
	if (w->times.restore_rule == WATCHDOG_RESTORE_TIMER)	/* it may be paused still */
		port_pause_again(net, p, prio);
	switch_ask_again(net, sw, p);
}

void watchdog_red(struct net *net, struct switch_node *sw, struct port *p, int prio)
{
	install(net, sw, p, prio, effects(&sw->watchdog, WATCHDOG_DROP));
}

void watchdog_lost(struct switch_node *sw, const struct port *p, int prio, bool received)
{
	sw->watchdog.dropped++;
	if (received)
		row_of(sw, p, prio)->last.rx_drop++;
	else
		row_of(sw, p, prio)->last.tx_drop++;
}

void watchdog_counts(const struct net *net, const struct switch_node *sw, const struct port *p, int prio,
		     struct watchdog_count *all, struct watchdog_count *last)
{
	const struct watchdog_row *r = &sw->watchdog.row[(uint32_t)p->local * 8 + (uint32_t)prio];
	const struct port_stats *st = port_stats(net, p, prio);
	struct watchdog_count sum = r->all, one = r->last;

	if (r->stormed || sw->watchdog.conf->big_red_switch) {
		one.tx_ok = st->tx_frames - r->tx_base;
		one.rx_ok = st->rx_frames - r->rx_base - one.rx_drop;
		sum.tx_ok += one.tx_ok;
		sum.tx_drop += one.tx_drop;
		sum.rx_ok += one.rx_ok;
		sum.rx_drop += one.rx_drop;
	}
	*all = sum;
	*last = one;
}
