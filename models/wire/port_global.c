/* Pauses of 802.3x, which know no priorities (pfc.h, mode "global"). */
#include "models/wire/port.h"

/* Priorities that have a queue. */
static uint8_t port_used(const struct port *p)
{
	uint8_t used = 0;

	for (int prio = 0; prio < 8; prio++)
		used |= (uint8_t)((p->queues_of[prio] != 0) << prio);
	return used;
}

void port_global_want(struct net *net, struct port *p, int prio, bool xoff)
{
	bool any = false;

	port_stats(net, p, prio)->asked = xoff;
	for (int i = 0; i < 8; i++)
		any |= port_stats(net, p, i)->asked;
	p->want = any ? port_used(p) : 0;
}

void port_global_widen(const struct port *p, struct frame *f)
{
	uint16_t quanta = f->quanta[0];

	f->class_ = port_used(p);
	for (int prio = 0; prio < 8; prio++)
		f->quanta[prio] = quanta;
}

void port_global_tell(struct net *net, const struct port *p, uint16_t quanta)
{
	const struct port *peer = &net->ports[p->peer];

	for (unsigned m = peer->global ? port_used(peer) : 0; m; m &= m - 1)
		NET_TRACE(net, quanta ? RECORD_XOFF_SENT : RECORD_XON_SENT, p->node, port_id(net, p),
			  __builtin_ctz(m), NET_NONE, 0, 1);
}
