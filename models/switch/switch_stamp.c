/* What a frame is told of the port it leaves by: ECN (by the curve, or by a PI controller), and if it asks INT (telemetry.h), PINT (pint.h). */
#include "models/switch/switch.h"

static void switch_pi_arm(struct net *net, const struct switch_node *sw, const struct port *p, int queue)
{
	engine_arm(net->engine, net->now_ps + sw->ecn[queue].pi_interval_ps,
		   ENGINE_KEY(NET_TIMER, NET_PI, p->local * 8 + queue, port_id(net, p)));
}

void switch_pi(struct net *net, struct switch_node *sw, struct port *p, int queue)
{
	struct pi *pi = &sw->pi[p->local * 8 + queue];

	pi_update(pi, &sw->ecn[queue], p->queue[queue].bytes);
	pi->on = !pi_rests(pi, p->queue[queue].bytes);
	if (pi->on)
		switch_pi_arm(net, sw, p, queue);
	else
		*pi = (struct pi){ 0 };
}

static bool switch_pi_marks(struct net *net, struct switch_node *sw, struct port *out, int queue)
{
	struct pi *pi = &sw->pi[out->local * 8 + queue];

	if (!pi->on) {
		pi->on = true;
		switch_pi_arm(net, sw, out, queue);
	}
	return pi->p > 0 && pi_marks(pi, rng_next32(&out->rng));
}

bool switch_marks_at(struct net *net, struct switch_node *sw, struct port *out, const struct frame *f,
		     int64_t bytes)
{
	const struct ecn_conf *e = &sw->ecn[f->queue];
	bool marks;

	if (e->pi_ref_bytes)
		marks = switch_pi_marks(net, sw, out, f->queue);
	else
		marks = bytes > e->kmin_bytes && ecn_marks(e, bytes, rng_next32(&out->rng));

	if (f->flags & FRAME_ECT)
		NET_TRACE(net, RECORD_ECN, sw->node->id, port_id(net, out), f->prio, f->msg, bytes, marks);
	return marks;
}

void switch_telemetry(const struct net *net, const struct port *p, int queue, const struct frame *f)
{
	struct telemetry *t = net_telemetry(net, f);

	if (t->base > 0 || t->hops == TELEMETRY_HOPS)
		return;
	t->hop[t->hops++] = (struct telemetry_hop){
		.ts_ps = p->free_ps > net->now_ps ? p->free_ps : net->now_ps, .tx_bytes = p->wire_bytes,
		.qlen_bytes = p->queue[queue].bytes, .line_bps = p->rate_bps };
}

void switch_pint(const struct net *net, struct switch_node *sw, struct port *p,
			const struct frame *f)
{
	struct pint_port *pint = &sw->pint[p->local];
	struct telemetry *t = f->flags & FRAME_INT && f->kind == FRAME_DATA ? net_telemetry(net, f) : NULL;
	int64_t waits = 0;

	if (t && t->base > 0 && t->rtt_ps > pint->rtt_ps)
		pint->rtt_ps = t->rtt_ps;
	for (int queue = 0; queue < 8; queue++)
		waits += p->queue[queue].bytes;
	pint_sent(pint, p->free_ps > net->now_ps ? p->free_ps : net->now_ps, f->bytes + 20, waits, p->rate_bps);
	if (t && t->base > 0)
		t->power = pint_stamp(pint, t->power, t->base, rng_next32(&p->rng) >> 16);
}
