#include "models/wire/port.h"

#include "models/wire/link.h"

void port_set_rate(struct port *p, int64_t rate_bps)
{
	const int64_t bit_ps = 8 * UNITS_PS_PER_S;

	p->rate_bps = rate_bps;
	p->rate_exact = bit_ps % rate_bps == 0;
	p->ps_per_byte = bit_ps / rate_bps;
	p->remainder = 0;
	p->quantum_ps = pfc_quanta_ps(1, rate_bps);
}

void port_init(struct port *p, int64_t rate_bps, int64_t delay_ps, const struct pfc_conf *pfc,
	       struct rng rng)
{
	port_set_rate(p, rate_bps);
	p->delay_ps = delay_ps;
	p->up = true;
	p->rng = rng;
	p->pfc = pfc->enable;
	p->global = pfc->mode == PFC_MODE_GLOBAL;
	p->quanta = (uint16_t)pfc->quanta;
	p->refresh_ps = pfc_conf_refresh_ps(pfc, rate_bps);
	p->response_ps = pfc_conf_response_ps(pfc, rate_bps);
	p->refresh_at_ps = p->expiry_at_ps = UNITS_NEVER;
}

/* ---- transmit ---- */

void port_arm_tx_end(struct net *net, struct port *p)
{
	if (p->tx_end_armed)
		return;
	p->tx_end_armed = true;
	engine_arm(net->engine, p->busy_until_ps,
		   ENGINE_KEY(NET_TX_END, 0, p->local, port_id(net, p)));
}

void port_kick(struct net *net, struct port *p)
{
	if (net->now_ps < p->busy_until_ps) {
		port_arm_tx_end(net, p);
	} else if (!p->deciding) {
		p->deciding = 1;
		net->decide[net->ndecide++] = port_id(net, p);
	}
}

void port_enqueue(struct net *net, struct port *p, int queue, uint32_t h)
{
	struct port_queue *q = &p->queue[queue];
	struct frame *f = net_frame(net, h);

	f->next = POOL_NONE;
	if (q->head == POOL_NONE)
		q->head = h;
	else
		net_frame(net, q->tail)->next = h;
	q->tail = h;
	q->bytes += f->bytes;
	p->ready |= (uint8_t)(1u << queue);
}

uint32_t port_dequeue(struct net *net, struct port *p, int queue)
{
	struct port_queue *q = &p->queue[queue];
	uint32_t h = q->head;
	struct frame *f = net_frame(net, h);

	sim_assert(h != POOL_NONE);
	q->head = f->next;
	q->bytes -= f->bytes;
	if (q->head == POOL_NONE) {
		sim_assert(q->bytes == 0);
		p->ready &= (uint8_t)~(1u << queue);
	}
	return h;
}

/* `bytes` byte times after `from`; rates that do not divide 8e12 carry the rest. */
static int64_t port_after(struct port *p, int64_t from, int64_t bytes)
{
	if (__builtin_expect(p->rate_exact, 1))
		return from + bytes * p->ps_per_byte;
	__int128 t = (__int128)bytes * 8 * UNITS_PS_PER_S + p->remainder;
	p->remainder = (int64_t)(t % p->rate_bps);
	return from + (int64_t)(t / p->rate_bps);
}

static void port_arm_arrival(struct net *net, struct port *from)
{
	struct port *to = &net->ports[from->peer];
	uint64_t tie = rng_pair(to->local, to->arrivals);
	engine_arm(net->engine, net_frame(net, from->wire_head)->last_ps,
		   ENGINE_KEY(NET_ARRIVAL, 0, tie >> 40, from->peer));
}

/* Errors strike single bits, independently: the gaps between them are exponential.  Those
 * that fall on preambles and gaps hurt nobody and are not counted. */
static bool port_damages(struct port_errors *e, int64_t bits)
{
	bool hit = false;

	for (e->left_bits -= bits; e->left_bits <= 0; hit = true)
		e->left_bits += 1 + rng_exponential(&e->rng, e->mean_bits);
	return hit;
}

/* A frame whose FCS does not match is discarded by the MAC before anybody has seen it. */
static void port_discard(struct net *net, struct port *p, uint32_t h)
{
	struct frame *f = net_frame(net, h);
	bool pause = f->kind == FRAME_PAUSE;
	int prio = pause ? __builtin_ctz(f->class_ | 256u) & 7 : f->prio;
	struct port_stats *st = port_stats(net, p, prio);

	st->drops[RECORD_DROP_WIRE]++;
	if (!pause)
		st->damaged_bytes += f->bytes;
	net_digest(net, &net->nodes[p->node], NET_WHAT(NET_D_DROP, p->local, prio, f->bytes), pause ? 0 : f->hash);
	NET_TRACE(net, RECORD_DROP, p->node, port_id(net, p), prio, pause ? NET_NONE : frame_msg(f), f->bytes,
		  RECORD_DROP_WIRE);
	net_frame_free(net, h);
}

void port_send(struct net *net, struct port *p, uint32_t h)
{
	struct frame *f = net_frame(net, h);
	int64_t start = p->free_ps;

	sim_assert(net->now_ps >= p->busy_until_ps);
	if (start < net->now_ps) {
		start = net->now_ps;
		p->remainder = 0;
	}
	p->busy_until_ps = port_after(p, start, LINK_PREAMBLE_BYTES + f->bytes);
	p->free_ps = port_after(p, p->busy_until_ps, LINK_IFG_BYTES);
	p->tx_end_armed = false;
	NET_TRACE(net, RECORD_FRAME_SENT, p->node, port_id(net, p), f->prio, frame_msg(f), h, start);
	p->wire_bytes += f->bytes + LINK_OVERHEAD_BYTES;
	if (__builtin_expect(p->errors, 0) && port_damages(&net->errors[port_id(net, p)], f->bytes * 8))
		f->fragments |= FRAME_DAMAGED;
	f->last_ps = p->busy_until_ps + p->delay_ps;
	f->next = POOL_NONE;
	if (p->wire_head == POOL_NONE) {
		p->wire_head = h;
		port_arm_arrival(net, p);
	} else {
		net_frame(net, p->wire_tail)->next = h;
	}
	p->wire_tail = h;
}

uint32_t port_take_arrival(struct net *net, struct port *p)
{
	struct port *from = &net->ports[p->peer];
	uint32_t h = from->wire_head;
	struct frame *f;

	if (__builtin_expect(h == POOL_NONE, 0) ||
	    __builtin_expect((f = net_frame(net, h))->last_ps != net->now_ps, 0))
		return POOL_NONE;
	p->arrivals++;
	bool damaged = f->fragments & FRAME_DAMAGED;
	if (!damaged)
		NET_TRACE(net, RECORD_FRAME_RECEIVED, p->node, port_id(net, p), f->prio, frame_msg(f), h, 0);
	from->wire_head = f->next;
	if (from->wire_head != POOL_NONE) {
		__builtin_prefetch(net_frame(net, from->wire_head));
		port_arm_arrival(net, from);
	}
	if (__builtin_expect(damaged, 0)) {
		port_discard(net, p, h);
		return POOL_NONE;
	}
	return h;
}

/* ---- PFC, sending ---- */

/* Not lossless, so that pauses of these priorities are not obeyed; a global one stops all. */
static uint8_t port_deaf(const struct port *p) { return p->global ? 0 : p->deaf; }

void port_pause_want(struct net *net, struct port *p, int prio, bool xoff)
{
	uint8_t bit = (uint8_t)(1u << prio);

	if (!p->pfc || !p->up || ((p->ignore | p->mute) & bit))
		xoff = false;
	if (__builtin_expect(p->global, 0)) {
		port_global_want(net, p, prio, xoff);
	} else {
		p->want = (uint8_t)(xoff ? p->want | bit : p->want & ~bit);
	}
	if (port_pause_due(p))
		port_kick(net, p);
}

static void port_arm_refresh(struct net *net, struct port *p)
{
	if (p->refresh_at_ps != UNITS_NEVER)
		return;
	p->refresh_at_ps = net->now_ps + p->refresh_ps;
	engine_arm(net->engine, p->refresh_at_ps,
		   ENGINE_KEY(NET_TIMER, NET_REFRESH, p->local, port_id(net, p)));
}

void port_refresh(struct net *net, struct port *p)
{
	if (p->refresh_at_ps != net->now_ps)
		return;
	p->refresh_at_ps = UNITS_NEVER;
	p->refresh_due |= p->sent & p->want;
	if (p->refresh_due)
		port_kick(net, p);
}

/* A pause that names no priority: an empty class-enable vector, or 802.3x.  A port that
 * speaks PFC must obey neither. */
static bool port_send_blank(struct net *net, struct port *p, uint32_t h)
{
	struct frame *f = net_frame(net, h);

	if (!p->raw_due) {
		net_frame_free(net, h);
		return false;
	}
	if (p->raw_due & PORT_BLANK_GLOBAL) {
		f->flags = FRAME_GLOBAL;
		port_global_tell(net, p, p->raw_quanta[0]);
	}
	f->quanta[0] = p->raw_quanta[0];
	p->raw_due = 0;
	port_send(net, p, h);
	return true;
}

bool port_send_pause(struct net *net, struct port *p, const int64_t held[8])
{
	uint32_t h = net_frame_take(net);
	struct frame *f = net_frame(net, h);
	uint8_t change = p->want ^ p->sent;
	uint8_t refresh = p->refresh_due & p->want & (uint8_t)~change;
	uint8_t raw = (uint8_t)(p->raw_due & ~(change | refresh));

	*f = (struct frame){ .bytes = PFC_FRAME_BYTES, .kind = FRAME_PAUSE,
			     .class_ = change | refresh | raw, .msg = NET_NONE,
			     .flags = p->global ? FRAME_GLOBAL : 0 };
	for (int prio = 0; prio < 8; prio++) {
		uint8_t bit = (uint8_t)(1u << prio);
		struct port_stats *st = port_stats(net, p, prio);
		if (!(f->class_ & bit))
			continue;
		if (raw & bit) {
			f->quanta[prio] = p->raw_quanta[prio];
			NET_TRACE(net, f->quanta[prio] ? RECORD_XOFF_SENT : RECORD_XON_SENT, p->node,
				  port_id(net, p), prio, NET_NONE, held[prio], 1);
			continue;
		}
		bool xoff = p->want & bit;
		f->quanta[prio] = xoff ? p->quanta : 0;
		if (!xoff)
			st->xon++;
		else if (change & bit)
			st->xoff++;
		else
			st->refresh++;
		sim_assert(st->xoff - st->xon == (xoff ? 1 : 0));	/* I6 */
		NET_TRACE(net, xoff ? RECORD_XOFF_SENT : RECORD_XON_SENT, p->node, port_id(net, p),
			  prio, NET_NONE, held[prio], xoff && !(change & bit));
	}
	p->sent = p->want;
	p->refresh_due = 0;
	p->raw_due &= PORT_BLANK_EMPTY | PORT_BLANK_GLOBAL;
	if (p->sent)
		port_arm_refresh(net, p);
	if (!f->class_)
		return port_send_blank(net, p, h);
	if (p->global)
		f->quanta[0] = f->quanta[__builtin_ctz(f->class_)];
	port_send(net, p, h);
	return true;
}

/* ---- PFC, receiving ---- */

static void port_arm_expiry(struct net *net, struct port *p)
{
	int64_t soonest = UNITS_NEVER;

	for (unsigned m = p->paused; m; m &= m - 1) {
		int prio = __builtin_ctz(m);
		if (p->until_ps[prio] < soonest)
			soonest = p->until_ps[prio];
	}
	if (soonest >= p->expiry_at_ps)
		return;
	p->expiry_at_ps = soonest;
	engine_arm(net->engine, soonest,
		   ENGINE_KEY(NET_PAUSE, NET_PAUSE_EXPIRY, p->local, port_id(net, p)));
}

static void port_remask(struct port *p)
{
	p->paused_queues = 0;
	for (unsigned m = p->paused; m; m &= m - 1)
		p->paused_queues |= p->queues_of[__builtin_ctz(m)];
	if (p->global && p->paused)
		p->paused_queues = 0xff;
}

void port_resume(struct net *net, struct port *p, unsigned prios, int why)
{
	struct node *node = &net->nodes[p->node];

	prios &= p->paused;
	if (!prios)
		return;
	p->paused &= (uint8_t)~prios;
	port_remask(p);
	for (; prios; prios &= prios - 1) {
		int prio = __builtin_ctz(prios);
		int64_t held = net->now_ps - p->paused_since_ps[prio];
		struct port_stats *st = port_stats(net, p, prio);
		st->paused_ps += held;
		st->on_to_off++;
		if (held > st->longest_pause_ps)
			st->longest_pause_ps = held;
		net_digest(net, node, NET_WHAT(NET_D_RESUMED, p->local, prio, why), 0);
		NET_TRACE(net, RECORD_RESUMED, p->node, port_id(net, p), prio, NET_NONE, held, why);
	}
	port_kick(net, p);
}

static void port_stop(struct net *net, struct port *p, int prio)
{
	p->paused |= (uint8_t)(1u << prio);
	p->paused_since_ps[prio] = net->now_ps;
	port_stats(net, p, prio)->pauses++;
	net_digest(net, &net->nodes[p->node], NET_WHAT(NET_D_PAUSED, p->local, prio, 0), 0);
	NET_TRACE(net, RECORD_PAUSED, p->node, port_id(net, p), prio, NET_NONE, 0, 0);
}

void port_pause_again(struct net *net, struct port *p, int prio)
{
	uint8_t bit = (uint8_t)(1u << prio);

	if (((p->ignore | p->deaf | p->paused) & bit) || !p->pfc || !p->up || p->until_ps[prio] <= net->now_ps)
		return;
	port_stop(net, p, prio);
	port_remask(p);
	port_arm_expiry(net, p);
}

static void port_apply_pause(struct net *net, struct port *p, const struct frame *f)
{
	unsigned free_now = 0;

	for (unsigned m = f->class_; m; m &= m - 1) {
		int prio = __builtin_ctz(m);
		uint8_t bit = (uint8_t)(1u << prio);
		if (!f->quanta[prio] || p->until_ps[prio] <= net->now_ps) {
			free_now |= bit;
			continue;
		}
		if (((p->ignore | port_deaf(p)) & bit) || !p->pfc || (p->paused & bit))
			continue;
		port_stop(net, p, prio);
	}
	port_remask(p);
	port_arm_expiry(net, p);
	port_resume(net, p, free_now, 0);
}

/* The timer counts from the reception of the last XOFF, one still waiting for its
 * response included; a stop or an XON takes effect only after the response time. */
void port_receive_pause(struct net *net, struct port *p, uint32_t h)
{
	struct frame *f = net_frame(net, h);
	bool frozen = p->freezes && !(p->freezes & ~p->ignore);

	if (p->global != ((f->flags & FRAME_GLOBAL) != 0)) {
		net_frame_free(net, h);
		return;
	}
	if (__builtin_expect(p->global, 0))
		port_global_widen(p, f);
	for (unsigned m = f->class_; m; m &= m - 1) {
		int prio = __builtin_ctz(m);
		struct port_stats *st = port_stats(net, p, prio);
		st->pfc_received += !frozen;
		if (!f->quanta[prio]) {
			if ((p->ignore | port_deaf(p)) >> prio & 1)	/* no effect will follow: the status ends here */
				p->until_ps[prio] = f->last_ps;
			continue;
		}
		st->xoff_received++;
		p->until_ps[prio] = f->last_ps + f->quanta[prio] * p->quantum_ps;
	}
	if (p->response_ps == 0) {
		port_apply_pause(net, p, f);
		net_frame_free(net, h);
		return;
	}
	f->next = POOL_NONE;
	if (p->response_head == POOL_NONE) {
		p->response_head = h;
		engine_arm(net->engine, f->last_ps + p->response_ps,
			   ENGINE_KEY(NET_PAUSE, NET_PAUSE_EFFECT, p->local, port_id(net, p)));
	} else {
		net_frame(net, p->response_tail)->next = h;
	}
	p->response_tail = h;
}

void port_pause_effect(struct net *net, struct port *p)
{
	uint32_t h = p->response_head;

	if (h == POOL_NONE || net_frame(net, h)->last_ps + p->response_ps != net->now_ps)
		return;		/* the link went down meanwhile */
	p->response_head = net_frame(net, h)->next;
	if (p->response_head != POOL_NONE)
		engine_arm(net->engine, net_frame(net, p->response_head)->last_ps + p->response_ps,
			   ENGINE_KEY(NET_PAUSE, NET_PAUSE_EFFECT, p->local, port_id(net, p)));
	port_apply_pause(net, p, net_frame(net, h));
	net_frame_free(net, h);
}

void port_pause_expiry(struct net *net, struct port *p)
{
	unsigned due = 0;

	if (p->expiry_at_ps != net->now_ps)
		return;
	p->expiry_at_ps = UNITS_NEVER;
	for (unsigned m = p->paused; m; m &= m - 1)
		if (p->until_ps[__builtin_ctz(m)] <= net->now_ps)
			due |= m & -m;
	port_resume(net, p, due, 1);
	port_arm_expiry(net, p);
}

void port_cut(struct net *net, struct port *p)
{
	struct node *node = &net->nodes[p->node];

	while (p->wire_head != POOL_NONE) {
		uint32_t h = p->wire_head;
		struct frame *f = net_frame(net, h);
		p->wire_head = f->next;
		if (f->kind != FRAME_PAUSE) {
			struct port_stats *st = port_stats(net, p, f->prio);
			st->drops[RECORD_DROP_WIRE]++;
			st->dropped_bytes += f->bytes;
			st->cut_bytes += f->bytes;
			net_digest(net, node, NET_WHAT(NET_D_DROP, p->local, f->prio, f->bytes), f->hash);
			NET_TRACE(net, RECORD_DROP, p->node, port_id(net, p), f->prio, frame_msg(f), f->bytes,
				  RECORD_DROP_WIRE);
		}
		if (h == p->tx_frame)
			p->tx_lost = true;	/* still being sent: its owner frees it then */
		else
			net_frame_free(net, h);
	}
	while (p->response_head != POOL_NONE) {
		uint32_t h = p->response_head;
		p->response_head = net_frame(net, h)->next;
		net_frame_free(net, h);
	}
	port_resume(net, p, p->paused, 3);
	for (int prio = 0; prio < 8; prio++) {	/* the peer forgets too: books stay balanced */
		port_stats(net, p, prio)->asked = false;
		if (p->sent >> prio & 1)
			port_stats(net, p, prio)->xon++;
	}
	p->want = p->sent = p->refresh_due = 0;
	p->raw_due = 0;
}
