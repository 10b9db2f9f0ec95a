#include "models/switch/switch.h"

static void switch_count_drop(struct net *net, struct switch_node *sw, struct port *p,
			      const struct frame *f, int cause)
{
	int prio = sw->prio_of[f->dscp];	/* at an egress: what it was to leave as */
	struct port_stats *st = port_stats(net, p, prio);

	st->drops[cause]++;
	st->dropped_bytes += f->bytes;
	net_digest(net, sw->node, NET_WHAT(NET_D_DROP, p->local, prio, f->bytes), f->hash);
	NET_TRACE(net, RECORD_DROP, sw->node->id, port_id(net, p), prio, frame_msg(f), f->bytes, cause);
}

/* Lost at its egress queue, not at the door. */
static void switch_lose_at(struct net *net, struct switch_node *sw, struct port *out, const struct frame *f,
			   int cause)
{
	struct port_queue_stats *q = port_queue_stats(net, out, f->queue);

	q->lost_frames++;
	q->lost_bytes += f->bytes;
	switch_count_drop(net, sw, out, f, cause);
}

static void switch_drop(struct net *net, struct switch_node *sw, struct port *p, uint32_t h, int cause)
{
	switch_count_drop(net, sw, p, net_frame(net, h), cause);
	net_frame_free(net, h);
}

/* ---- buffer ---- */

static void switch_freed(struct net *net, struct switch_node *sw, int part)
{
	for (uint32_t g; (g = mmu_next_xon(&sw->mmu, part)) != UINT32_MAX; ) {
		struct port *in = switch_port(net, sw, g / 8);
		port_pause_want(net, in, (int)(g % 8), false);
		NET_TRACE(net, RECORD_GROUP_XON, sw->node->id, port_id(net, in), g % 8, NET_NONE, 0, 0);
	}
}

/* Gives back the bytes of a frame that leaves the switch, whole or as a copy; it came in
 * as `prio`. */
static void switch_release(struct net *net, struct switch_node *sw, const struct frame *f, int prio)
{
	uint32_t group = (uint32_t)f->in_port * 8 + (uint32_t)prio;

	if (__builtin_expect(f->flags & FRAME_FLOODED && f->copy != POOL_NONE, 0)) {
		struct switch_copy *c = pool_at(&net->copies, f->copy);
		if (--c->refs)
			return;
		mmu_release(&sw->mmu, group = c->group, c->charge);
		pool_give(&net->copies, f->copy);
	} else {
		mmu_release(&sw->mmu, group, mmu_charge(&sw->mmu, f->bytes));
	}
	int part = sw->mmu.group[group].part;
	if (mmu_may_xon(&sw->mmu, part))
		switch_freed(net, sw, part);
}

static void switch_xoff(struct net *net, struct switch_node *sw, struct port *in, int prio)
{
	NET_TRACE(net, RECORD_GROUP_XOFF, sw->node->id, port_id(net, in), prio, NET_NONE, 0, 0);
	port_pause_want(net, in, prio, true);
}

static bool switch_admit(struct net *net, struct switch_node *sw, struct port *in, struct frame *f)
{
	uint32_t g = (uint32_t)in->local * 8 + f->prio;
	struct mmu_group *group = &sw->mmu.group[g];
	bool was = group->xoff;
	bool ok = mmu_admit(&sw->mmu, g, mmu_charge(&sw->mmu, f->bytes));
	struct port_stats *st = port_stats(net, in, f->prio);

	if (group->headroom > st->headroom_peak)
		st->headroom_peak = group->headroom;
	if (group->xoff != was)
		switch_xoff(net, sw, in, f->prio);
	if (!ok && group->lossless)
		st->short_of |= mmu_short_of(&sw->mmu, g, mmu_charge(&sw->mmu, f->bytes));
	if (!ok)
		switch_count_drop(net, sw, in, f,
				  group->lossless ? RECORD_DROP_LOSSLESS : RECORD_DROP_LOSSY);
	return ok;
}

/* ---- queues ---- */

/* Most frames meet a queue below Kmin, and nobody who asks. */
static inline bool switch_marks(struct net *net, struct switch_node *sw, struct port *out, const struct frame *f,
				int64_t bytes)
{
	return __builtin_expect(bytes > sw->ecn[f->queue].kmin_bytes || NET_TRACES(net, RECORD_ECN), 0) &&
	       switch_marks_at(net, sw, out, f, bytes);
}

/* The frame leaves in another class than it came in. */
static void switch_remap(const struct switch_node *sw, struct frame *f, const struct port *out)
{
	uint8_t dscp = remap_at(sw->remap, sw->node->ports, f->in_port, out->local)[f->queue];

	if (dscp == REMAP_NONE)
		return;
	f->flags |= FRAME_REMAPPED;
	f->dscp = dscp & 63u;
	f->queue = sw->queue_of[dscp];
}

/* A frame joins an egress queue (1) or leaves it (-1). */
static void switch_waits(struct switch_node *sw, const struct frame *f, const struct port *out, int sign)
{
	if (!(sw->lossless >> f->prio & 1))
		return;
	int64_t charge = sign * mmu_charge(&sw->mmu, f->bytes);
	*switch_held(sw, f->prio, f->in_port, out->local, sw->prio_of[f->dscp]) += (int32_t)charge;
	if (__builtin_expect(sw->mmu.egress_limits, 0)) {
		sw->mmu.egress.queue[out->local * 8 + f->queue] += charge;
		sw->mmu.egress.queued += charge;
	}
}

/* The frame holds buffer; it joins its egress queue, or is lost there. */
static void switch_enqueue(struct net *net, struct switch_node *sw, struct port *out, uint32_t h)
{
	struct frame *f = net_frame(net, h);
	uint32_t group = (uint32_t)f->in_port * 8 + f->prio;
	int cause = -1;

	if (__builtin_expect(sw->remap != NULL, 0))
		switch_remap(sw, f, out);
	int queue = f->queue, prio = sw->prio_of[f->dscp];
	bool lossless = sw->mmu.group[group].lossless && sw->lossless >> prio & 1;
	if (__builtin_expect(!out->up, 0))
		cause = RECORD_DROP_WIRE;
	else if (__builtin_expect(sw->dropping[out->local] >> prio & 1, 0))
		cause = RECORD_DROP_WATCHDOG;
	else if (!lossless && !mmu_egress_room(&sw->mmu, group, out->queue[queue].bytes))
		cause = RECORD_DROP_LOSSY;
	else if (__builtin_expect(sw->mmu.egress_limits, 0) && lossless &&
		 !mmu_egress_lossless_room(&sw->mmu, out->local * 8u + (uint32_t)queue))
		cause = RECORD_DROP_LOSSLESS;
	if (cause < 0 && sw->ecn_mask[ECN_ENQUEUE] >> queue & 1 &&
	    switch_marks(net, sw, out, f, out->queue[queue].bytes + f->bytes)) {
		if (f->flags & FRAME_ECT)
			f->flags |= FRAME_CE;
		else if (!lossless)
			cause = RECORD_DROP_LOSSY;
		if (f->flags & FRAME_CE)
			port_stats(net, out, prio)->marked++;
	}
	if (cause >= 0) {
		if (cause == RECORD_DROP_WATCHDOG)
			watchdog_lost(sw, out, f->prio, false);
		if (cause == RECORD_DROP_LOSSLESS)
			port_stats(net, out, prio)->short_of |=
				mmu_egress_short_of(&sw->mmu, out->local * 8u + (uint32_t)queue);
		switch_lose_at(net, sw, out, f, cause);
		switch_release(net, sw, f, f->prio);
		net_frame_free(net, h);
		return;
	}
	switch_waits(sw, f, out, 1);
	port_enqueue(net, out, queue, h);
	struct port_stats *st = port_stats(net, out, prio);
	if (out->queue[queue].bytes > st->queue_peak)
		st->queue_peak = out->queue[queue].bytes;
	if (__builtin_expect(out->by_queue, 0) && out->queue[queue].bytes > port_queue_stats(net, out, queue)->peak)
		port_queue_stats(net, out, queue)->peak = out->queue[queue].bytes;
	if (out->paused_queues >> queue & 1)
		NET_TRACE(net, RECORD_HELD, sw->node->id, port_id(net, out), prio, frame_msg(f), 0, 0);
	else
		port_kick(net, out);
}

static void switch_flood(struct net *net, struct switch_node *sw, uint32_t h)
{
	struct frame *f = net_frame(net, h);
	uint32_t in = f->in_port, copies = 0, c = POOL_NONE;

	for (uint32_t i = 0; i < sw->node->ports; i++)
		copies += i != in && switch_port(net, sw, i)->up;
	f->flags |= FRAME_FLOODED;
	f->copy = POOL_NONE;
	if (!copies) {
		switch_count_drop(net, sw, switch_port(net, sw, in), f, RECORD_DROP_WIRE);
		switch_release(net, sw, f, f->prio);
		net_frame_free(net, h);
		return;
	}
	if (!sw->flood_per_copy) {
		c = pool_take(&net->copies);
		*(struct switch_copy *)pool_at(&net->copies, c) = (struct switch_copy){
			.refs = copies, .group = in * 8 + f->prio,
			.charge = mmu_charge(&sw->mmu, f->bytes) };
	}
	f->copy = c;
	net_strip_telemetry(net, f);
	struct frame image = *f;
	bool first = true;
	for (uint32_t i = 0; i < sw->node->ports; i++) {
		struct port *out = switch_port(net, sw, i);
		uint32_t x = h;
		if (i == in || !out->up)
			continue;
		if (!first) {
			x = net_frame_take(net);
			*net_frame(net, x) = image;
			sw->made_bytes += image.bytes;
			/* Every copy charged: the first uses the frame's own charge. */
			if (sw->flood_per_copy && !switch_admit(net, sw, switch_port(net, sw, in),
								net_frame(net, x))) {
				net_frame_free(net, x);
				continue;
			}
		}
		first = false;
		switch_enqueue(net, sw, out, x);
	}
}

static void switch_forward(struct net *net, struct switch_node *sw, uint32_t h)
{
	struct frame *f = net_frame(net, h);

	if (__builtin_expect(route_kind(&sw->route, f->dst) != ROUTE_PORTS, 0)) {
		switch_flood(net, sw, h);
		return;
	}
	uint32_t hash = f->hash;
	if (__builtin_expect(sw->balance != SWITCH_BALANCE_FLOW, 0))
		hash = switch_balance(net, sw, f);
	uint32_t out = route_pick(&sw->route, f->dst, hash);
	if (__builtin_expect(sw->dead && sw->avoid[out], 0)) {
		out = switch_detour(net, sw, f, hash);
		if (out == NET_NONE) {
			switch_count_drop(net, sw, switch_port(net, sw, f->in_port), f, RECORD_DROP_WIRE);
			switch_release(net, sw, f, f->prio);
			net_frame_free(net, h);
			return;
		}
	}
	switch_enqueue(net, sw, switch_port(net, sw, out), h);
}

/* ---- receive ---- */

/* IPv4: the sender learns of the hop and its MTU (ICMP type 3 code 4, RFC 1191). */
static void switch_mtu_error(struct net *net, struct switch_node *sw, struct port *in,
			     const struct frame *f)
{
	uint32_t h = net_frame_take(net);
	struct frame *e = net_frame(net, h);

	if (route_kind(&sw->route, f->src) != ROUTE_PORTS) {
		net_frame_free(net, h);
		return;
	}
	*e = (struct frame){ .kind = FRAME_MTU_ERROR, .bytes = 70, .payload = (uint16_t)sw->mtu_bytes,
			     .dst = f->src, .src = f->dst, .qp = f->qp, .gen = f->gen, .msg = f->msg,
			     .hash = f->hash, .seq = sw->node->id, .ttl = 255,
			     .in_port = in->local, .queue = sw->queue_of[0], .prio = sw->prio_of[0],
			     .class_ = FRAME_NO_CLASS };
	sw->made_bytes += e->bytes;
	if (switch_admit(net, sw, in, e))
		switch_enqueue(net, sw, switch_port(net, sw, route_pick(&sw->route, e->dst, e->hash)), h);
	else
		net_frame_free(net, h);
}

static void switch_enter(struct net *net, struct switch_node *sw, struct port *p, uint32_t h)
{
	struct frame *f = net_frame(net, h);

	if (!switch_admit(net, sw, p, f)) {
		net_frame_free(net, h);
		return;
	}
	if (!sw->latency_ps) {
		switch_forward(net, sw, h);
		return;
	}
	f->last_ps = net->now_ps + sw->latency_ps;
	f->next = POOL_NONE;
	if (sw->pipe_head == POOL_NONE) {
		sw->pipe_head = h;
		engine_arm(net->engine, f->last_ps,
			   ENGINE_KEY(NET_TIMER, NET_PIPELINE, 0, sw->node->id));
	} else {
		net_frame(net, sw->pipe_tail)->next = h;
	}
	sw->pipe_tail = h;
}

/* RFC 791: each fragment carries a multiple of 8 bytes of what follows the IP header. */
static void switch_fragment(struct net *net, struct switch_node *sw, struct port *p, uint32_t h)
{
	net_strip_telemetry(net, net_frame(net, h));
	struct frame image = *net_frame(net, h);
	int64_t room = (sw->mtu_bytes - FRAME_IP_BYTES) / 8 * 8;
	int64_t left = image.bytes - FRAME_ETH_BYTES - FRAME_IP_BYTES;
	uint16_t n = 0;

	sw->made_bytes -= image.bytes;
	while (left > 0) {
		bool last = left <= room;
		uint32_t x = last ? h : net_frame_take(net);
		struct frame *f = net_frame(net, x);
		*f = image;
		f->bytes = (uint16_t)((last ? left : room) + FRAME_IP_BYTES + FRAME_ETH_BYTES);
		if (f->bytes < FRAME_MIN_BYTES)
			f->bytes = FRAME_MIN_BYTES;
		left -= room;
		n++;
		sw->made_bytes += f->bytes;
		f->fragments = last ? n : 0;
		if (!last) {
			f->kind = FRAME_FRAGMENT;
			f->payload = 0;
		}
		switch_enter(net, sw, p, x);
	}
}

void switch_receive(struct net *net, struct switch_node *sw, struct port *p, uint32_t h)
{
	struct frame *f = net_frame(net, h);

	if (__builtin_expect(f->kind == FRAME_PAUSE, 0)) {
		port_receive_pause(net, p, h);
		watchdog_wake(net, sw);
		return;
	}
	net->packet_hops++;
	f->in_port = p->local;
	f->queue = sw->queue_of[f->dscp];
	f->prio = sw->prio_of[f->dscp];
	struct port_stats *st = port_stats(net, p, f->prio);
	st->rx_frames++;
	st->rx_bytes += f->bytes;
	net_digest(net, sw->node, NET_WHAT(NET_D_ARRIVE, p->local, f->prio, f->bytes), f->hash);

	int cause = -1;
	enum route_kind kind = route_kind(&sw->route, f->dst);
	if (__builtin_expect(sw->loss != NULL, 0) && switch_loses(&sw->loss[p->local], f))
		cause = RECORD_DROP_WIRE;
	else if (__builtin_expect(--f->ttl == 0, 0))
		cause = RECORD_DROP_TTL;
	else if (__builtin_expect(f->flags & FRAME_FLOODED || kind == ROUTE_NONE || kind == ROUTE_DROP, 0))
		cause = RECORD_DROP_WIRE;
	else if (__builtin_expect(sw->refusing[p->local] >> f->prio & 1, 0))
		cause = RECORD_DROP_WATCHDOG;
	if (__builtin_expect(cause >= 0, 0)) {
		if (cause == RECORD_DROP_WATCHDOG)
			watchdog_lost(sw, p, f->prio, true);
		switch_drop(net, sw, p, h, cause);
		return;
	}
	if (__builtin_expect(f->bytes - FRAME_ETH_BYTES > sw->mtu_bytes, 0)) {
		if (f->flags & FRAME_DF) {
			switch_mtu_error(net, sw, p, f);
			switch_drop(net, sw, p, h, RECORD_DROP_WIRE);
		} else {
			switch_fragment(net, sw, p, h);
		}
		return;
	}
	switch_enter(net, sw, p, h);
}

void switch_pipeline(struct net *net, struct switch_node *sw)
{
	while (sw->pipe_head != POOL_NONE) {
		uint32_t h = sw->pipe_head;
		struct frame *f = net_frame(net, h);
		if (f->last_ps > net->now_ps) {
			engine_arm(net->engine, f->last_ps,
				   ENGINE_KEY(NET_TIMER, NET_PIPELINE, 0, sw->node->id));
			return;
		}
		sw->pipe_head = f->next;
		switch_forward(net, sw, h);
	}
}

/* ---- transmit ---- */

static bool switch_send_pause(struct net *net, struct switch_node *sw, struct port *p)
{
	int64_t held[8];

	for (uint32_t prio = 0; prio < 8; prio++) {
		const struct mmu_group *g = &sw->mmu.group[(uint32_t)p->local * 8 + prio];
		held[prio] = g->reserved + g->shared + g->headroom;
	}
	return port_send_pause(net, p, held);
}

/* Every frame counts in the load of the port, those that ask carry it on. */
void switch_decide(struct net *net, struct switch_node *sw, struct port *p)
{
	if (__builtin_expect(!p->up, 0))
		return;
	if (__builtin_expect(port_pause_due(p), 0) && switch_send_pause(net, sw, p)) {
		if (port_sendable(p) || port_pause_due(p))
			port_arm_tx_end(net, p);
		return;
	}
	int queue = sched_pick(&p->sched, port_sendable(p));
	if (queue < 0)
		return;
	int64_t bytes = p->queue[queue].bytes;		/* the departing frame included */
	uint32_t h = port_dequeue(net, p, queue);
	struct frame *f = net_frame(net, h);

	switch_waits(sw, f, p, -1);
	if (__builtin_expect(sw->remap != NULL, 0)) {	/* from here on what it leaves as */
		p->tx_prio = f->prio;
		f->prio = sw->prio_of[f->dscp];
	}
	struct port_stats *st = port_stats(net, p, f->prio);
	if (f->flags & FRAME_ECT && sw->ecn_mask[ECN_DEQUEUE] >> queue & 1 &&
	    switch_marks(net, sw, p, f, bytes)) {
		f->flags |= FRAME_CE;
		st->marked++;
	}
	if (__builtin_expect(f->flags & FRAME_INT && f->kind == FRAME_DATA, 0))
		switch_telemetry(net, p, queue, f);
	if (__builtin_expect(sw->pint != NULL, 0))
		switch_pint(net, sw, p, f);
	sched_charge(&p->sched, queue, f->bytes + 20);
	if (__builtin_expect(p->by_queue, 0)) {
		port_queue_stats(net, p, queue)->tx_frames++;
		port_queue_stats(net, p, queue)->tx_bytes += f->bytes;
	}
	st->tx_frames++;
	st->tx_bytes += f->bytes;
	st->last_tx_ps = net->now_ps;
	p->tx_frame = h;
	port_send(net, p, h);
	port_arm_tx_end(net, p);
}

void switch_tx_end(struct net *net, struct switch_node *sw, struct port *p)
{
	uint32_t h = p->tx_frame;

	if (h != POOL_NONE) {
		const struct frame *f = net_frame(net, h);
		p->tx_frame = POOL_NONE;
		switch_release(net, sw, f, __builtin_expect(sw->remap != NULL, 0) ? p->tx_prio : f->prio);
		if (p->tx_lost) {
			p->tx_lost = false;
			net_frame_free(net, h);
		}
	}
	if (p->up && (port_sendable(p) || port_pause_due(p)))
		port_kick(net, p);
}

int64_t switch_flush(struct net *net, struct switch_node *sw, struct port *p, unsigned prios, int cause)
{
	int64_t lost = 0;

	for (int queue = 0; queue < 8; queue++) {
		uint32_t h = p->queue[queue].head;
		p->queue[queue].head = p->queue[queue].tail = POOL_NONE;
		p->queue[queue].bytes = 0;
		p->ready &= (uint8_t)~(1u << queue);
		while (h != POOL_NONE) {
			struct frame *f = net_frame(net, h);
			uint32_t next = f->next;
			if (!(prios >> sw->prio_of[f->dscp] & 1)) {
				port_enqueue(net, p, queue, h);
			} else {
				switch_waits(sw, f, p, -1);
				switch_lose_at(net, sw, p, f, cause);
				switch_release(net, sw, f, f->prio);
				net_frame_free(net, h);
				lost++;
			}
			h = next;
		}
	}
	return lost;
}

void switch_ask_again(struct net *net, struct switch_node *sw, struct port *p)
{
	for (int prio = 0; prio < 8; prio++)
		if (sw->mmu.group[(uint32_t)p->local * 8 + (uint32_t)prio].xoff)
			port_pause_want(net, p, prio, true);
}

void switch_fini(struct switch_node *sw)
{
	route_fini(&sw->route);
	watchdog_fini(&sw->watchdog);
}
