/*
 * The ideal time of a message whose packets may go several ways (view_ideal_ps).
 *
 * Its last packet leaves the sender when all before it have, and then takes at least
 * the shortest way; and all of them take their time on the receiver's link, once the
 * smallest of them may have come.  The later of the two is a bound for any order.
 */
#include "models/fabric_inside.h"

enum { DEPTH_MAX = 16 };		/* switches in a row; more is a loop */

static int64_t tx_ps(int64_t bytes, int64_t rate_bps)	/* rounded down: a bound */
{
	return (int64_t)((__int128)bytes * 8 * UNITS_PS_PER_S / rate_bps);
}

/* Least time from the first preamble bit on `port` until the last of `bytes` is at `dst`, or, with
 * `short_of`, until it may be sent on the last link; -1: no way. */
static int64_t least_way(const struct fabric *f, uint32_t port, uint32_t dst, uint32_t hash, int64_t bytes,
			 bool short_of, int depth)
{
	const struct net *net = &f->net;
	const struct port *p = &net->ports[port];
	uint32_t at = net->ports[p->peer].node;
	int64_t here = tx_ps(LINK_PREAMBLE_BYTES + bytes, port_built_bps(&f->net, p)) + p->delay_ps, best = -1;

	if (at == dst)
		return short_of ? 0 : here;
	const struct switch_node *sw = f->sw[at];
	if (!sw || depth == DEPTH_MAX || route_kind(&sw->route, dst) != ROUTE_PORTS)
		return -1;
	bool fixed = sw->balance == SWITCH_BALANCE_FLOW;
	for (int i = 0; i < (fixed ? 1 : route_count(&sw->route, dst)); i++) {
		uint32_t next = fixed ? route_pick(&sw->route, dst, hash) : route_port(&sw->route, dst, i);
		int64_t rest = least_way(f, net->nodes[at].first_port + next, dst, hash, bytes, short_of, depth + 1);
		if (rest >= 0 && (best < 0 || rest < best))
			best = rest;
	}
	return best < 0 ? -1 : here + sw->latency_ps + best;
}

/* The host's port that frames to it come by: its only one, or the slowest bound there is. */
static int64_t into_rate(const struct fabric *f, uint32_t dst)
{
	const struct node *n = &f->net.nodes[dst];
	int64_t rate = 0;

	for (uint32_t i = 0; i < n->ports; i++)
		rate += port_built_bps(&f->net, &f->net.ports[f->net.ports[n->first_port + i].peer]);
	return rate;
}

int64_t fabric_spray_ideal(const struct fabric *f, uint32_t src, uint32_t dst, uint32_t hash,
			   const struct fabric_packets *m)
{
	const struct node *n = &f->net.nodes[src];
	uint32_t port = n->first_port + (n->ports > 1 ? hash % n->ports : 0);
	int64_t last = m->tail ? m->tail : m->first, gap = LINK_OVERHEAD_BYTES;
	int64_t all = m->first + gap + m->mids * (m->mid + gap) + (m->tail ? m->tail + gap : 0);
	int64_t least = m->mids && m->mid < m->first ? m->mid : m->first;
	int64_t way = least_way(f, port, dst, hash, last, false, 0);

	if (way < 0)
		return 0;
	if (last < least)
		least = last;
	int64_t sent = tx_ps(all - last - gap, port_built_bps(&f->net, &f->net.ports[port])) + way;
	int64_t taken = least_way(f, port, dst, hash, least, true, 0) +
			tx_ps(all - LINK_IFG_BYTES, into_rate(f, dst));
	return sent > taken ? sent : taken;
}
