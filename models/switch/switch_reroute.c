/* Which of several next hops: spraying, flowlets, local re-route after a link failure. */
#include "models/switch/switch.h"

uint32_t switch_balance(const struct net *net, struct switch_node *sw, const struct frame *f)
{
	if (route_count(&sw->route, f->dst) < 2)
		return f->hash;
	if (sw->balance == SWITCH_BALANCE_PACKET)
		return rng_next32(&sw->spray);
	struct switch_flowlet *e = &sw->flowlet[f->hash % SWITCH_FLOWLETS];
	if (!e->last_ps || net->now_ps - e->last_ps > sw->flowlet_gap_ps)
		e->salt = rng_next32(&sw->spray);
	e->last_ps = net->now_ps;
	return f->hash ^ e->salt;
}

/* Among the `n` ports that `fits` says yes to, the one the hash falls on. */
static uint32_t pick_of(const bool *fits, uint32_t ports, uint32_t n, uint64_t hash)
{
	uint32_t k = n ? (uint32_t)(((hash >> 32) * n) >> 32) : 0;

	for (uint32_t i = 0; n && i < ports; i++)
		if (fits[i] && k-- == 0)
			return i;
	return NET_NONE;
}

/* Local re-route: the other next hops; without one any neighbouring switch, but not
 * the one it came from if there is another (a bounce). */
uint32_t switch_detour(const struct net *net, const struct switch_node *sw, const struct frame *f, uint32_t ecmp)
{
	uint64_t hash = rng_hash(ecmp, sw->route.seed ^ UINT64_C(0x64657461));
	uint32_t ports = sw->node->ports, n = 0;
	bool *fits = sw->fits;

	for (uint32_t i = 0; i < ports; i++)
		fits[i] = false;
	for (int i = 0; i < route_count(&sw->route, f->dst); i++) {
		uint32_t port = route_port(&sw->route, f->dst, i);
		fits[port] = !sw->avoid[port];
		n += fits[port];
	}
	if (n)
		return pick_of(fits, ports, n, hash);
	for (uint32_t i = 0; i < ports; i++) {
		const struct port *p = switch_port(net, sw, i);
		fits[i] = !sw->avoid[i] && p->up && i != f->in_port &&
			  net->nodes[net->ports[p->peer].node].is_switch;
		n += fits[i];
	}
	if (n)
		return pick_of(fits, ports, n, hash);
	return switch_port(net, sw, f->in_port)->up ? f->in_port : NET_NONE;
}

void switch_link_changed(struct net *net, struct switch_node *sw, struct port *p)
{
	if (sw->reroute == SWITCH_REROUTE_LOCAL)
		engine_arm(net->engine, net->now_ps + sw->reroute_delay_ps,
			   ENGINE_KEY(NET_TIMER, NET_REROUTE, p->local, port_id(net, p)));
}

void switch_reroute(struct net *net, struct switch_node *sw, struct port *p)
{
	(void)net;
	if (sw->avoid[p->local] == !p->up)
		return;
	sw->avoid[p->local] = !p->up;
	if (p->up)
		sw->dead--;
	else
		sw->dead++;
}
