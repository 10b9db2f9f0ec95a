/* Timed faults.  A fault on a link is felt at both ends at the same instant. */
#include "models/fabric_inside.h"

static int need_host(const struct fabric *f, const struct fault_conf *c, uint32_t *id, struct sim_error *err)
{
	*id = fabric_find(f, c->a);
	if (*id == NET_NONE || f->sw[*id])
		return error_set(err, "", "fault \"%s\": there is no host \"%s\"", c->name, c->a);
	return 0;
}

/* Below that of each link between the two. */
static int need_rate(struct fabric *f, const struct fault_conf *c, uint32_t a, uint32_t b, struct sim_error *err)
{
	struct net *net = &f->net;

	for (uint32_t i = 0; i < net->nodes[a].ports; i++) {
		const struct port *p = &net->ports[net->nodes[a].first_port + i];
		if (net->ports[p->peer].node == b && (c->rate_bps <= 0 || c->rate_bps >= p->rate_bps))
			return error_set(err, "", "fault \"%s\": wants a rate below that of the link", c->name);
	}
	if (net->built_bps)
		return 0;
	net->built_bps = arena_take(&net->arena, net->nports * sizeof *net->built_bps);
	for (uint32_t i = 0; i < net->nports; i++)
		net->built_bps[i] = net->ports[i].rate_bps;
	return 0;
}

static int prepare(struct fabric *f, const struct fault_conf *c, struct sim_error *err)
{
	uint32_t a = fabric_find(f, c->a), b = c->b ? fabric_find(f, c->b) : NET_NONE;

	if (c->kind == FAULT_NIC_STORM || c->kind == FAULT_SLOW_RECEIVER || c->kind == FAULT_PAUSE_FRAMES)
		return need_host(f, c, &a, err);
	if (a == NET_NONE)
		return error_set(err, "", "fault \"%s\": there is no node \"%s\"", c->name, c->a);
	if (c->b && b == NET_NONE)
		return error_set(err, "", "fault \"%s\": there is no node \"%s\"", c->name, c->b);
	if (!c->b)
		return c->kind == FAULT_DROP ? 0
			: error_set(err, "", "fault \"%s\": wants both ends of the link", c->name);
	for (uint32_t i = 0; i < f->net.nodes[a].ports; i++)
		if (f->net.ports[f->net.ports[f->net.nodes[a].first_port + i].peer].node == b)
			return c->kind == FAULT_LINK_SLOW ? need_rate(f, c, a, b, err) : 0;
	return error_set(err, "", "fault \"%s\": there is no link between %s and %s", c->name, c->a, c->b);
}

int fabric_faults_prepare(struct fabric *f, struct sim_error *err)
{
	for (int i = 0; i < f->faults; i++) {
		const struct fault_conf *c = &f->fault[i];
		if (prepare(f, c, err))
			return -1;
		engine_arm(f->net.engine, c->at_ps, ENGINE_KEY(NET_FAULT, 0, i * 2, i * 2));
		if (c->lasts_ps != UNITS_NEVER && c->lasts_ps < UNITS_NEVER - c->at_ps)
			engine_arm(f->net.engine, c->at_ps + c->lasts_ps,
				   ENGINE_KEY(NET_FAULT, 0, i * 2 + 1, i * 2 + 1));
	}
	return 0;
}

static void note(struct fabric *f, const struct fault_conf *c, uint32_t node, uint32_t port, bool begins)
{
	net_digest(&f->net, &f->net.nodes[node], NET_WHAT(NET_D_FAULT, c->kind, 0, begins), 0);
	NET_TRACE(&f->net, RECORD_FAULT, node, port, 0, NET_NONE, c->kind, begins);
}

/* Or the same host. */
static bool same_link(const struct fault_conf *c, const struct fault_conf *d)
{
	if (!c->b || !d->b)
		return !c->b && !d->b && !strcmp(c->a, d->a);
	return (!strcmp(c->a, d->a) && !strcmp(c->b, d->b)) || (!strcmp(c->a, d->b) && !strcmp(c->b, d->a));
}

/* Faults of c's kind may overlap on its link or host, which is as bad as the worst that lasts:
 * whether one does, and the least of their rates (of those that have one). */
static bool lasting(const struct fabric *f, const struct fault_conf *c, int64_t *rate_bps)
{
	int64_t now = f->net.now_ps;
	bool any = false;

	for (int i = 0; i < f->faults; i++) {
		const struct fault_conf *d = &f->fault[i];
		if (d->kind != c->kind || !same_link(c, d) || now < d->at_ps ||
		    (d->lasts_ps != UNITS_NEVER && now - d->at_ps >= d->lasts_ps))
			continue;
		if (!any || d->rate_bps < *rate_bps)
			*rate_bps = d->rate_bps;
		any = true;
	}
	return any;
}

static void end_down(struct fabric *f, struct port *p, bool down)
{
	struct net *net = &f->net;
	struct switch_node *sw = f->sw[p->node];
	struct nic *nic = f->hosts.nic[p->node];

	p->up = !down;
	if (down)
		port_cut(net, p);
	if (down && sw)
		switch_flush(net, sw, p, 255, RECORD_DROP_WIRE);
	else if (down)
		nic_port_down(&f->hosts, nic, p);
	else if (sw)
		switch_ask_again(net, sw, p);
	else if (nic->storm)
		nic_storm(&f->hosts, nic, nic->storm, true);
	if (sw)
		switch_link_changed(net, sw, p);
	if (!down)
		port_kick(net, p);
}

static void link_fault(struct fabric *f, const struct fault_conf *c, bool begins)
{
	struct net *net = &f->net;
	uint32_t a = fabric_find(f, c->a), b = fabric_find(f, c->b);
	int64_t unused;
	bool down = lasting(f, c, &unused);

	for (uint32_t i = 0; i < net->nodes[a].ports; i++) {
		struct port *p = &net->ports[net->nodes[a].first_port + i];
		struct port *q = &net->ports[p->peer];
		if (q->node != b)
			continue;
		if (p->up == down) {
			end_down(f, p, down);
			end_down(f, q, down);
		}
		note(f, c, a, port_id(net, p), begins);
		note(f, c, b, port_id(net, q), begins);
	}
}

static void slow_link(struct fabric *f, const struct fault_conf *c, bool begins)
{
	struct net *net = &f->net;
	uint32_t a = fabric_find(f, c->a), b = fabric_find(f, c->b);
	int64_t rate_bps;
	bool slow = lasting(f, c, &rate_bps);

	for (uint32_t i = 0; i < net->nodes[a].ports; i++) {
		struct port *p = &net->ports[net->nodes[a].first_port + i];
		struct port *q = &net->ports[p->peer];
		if (q->node != b)
			continue;
		port_set_rate(p, slow ? rate_bps : port_built_bps(net, p));
		port_set_rate(q, slow ? rate_bps : port_built_bps(net, q));
		note(f, c, a, port_id(net, p), begins);
		note(f, c, b, port_id(net, q), begins);
	}
}

/* Frames that are sent from now on; a stream of errors for each direction. */
static void bit_errors(struct fabric *f, const struct fault_conf *c, bool begins)
{
	struct net *net = &f->net;
	uint32_t a = fabric_find(f, c->a), b = fabric_find(f, c->b);

	for (uint32_t i = 0; i < net->nodes[a].ports * 2; i++) {
		struct port *p = &net->ports[net->nodes[a].first_port + i / 2];
		if (net->ports[p->peer].node != b)
			continue;
		p = i % 2 ? &net->ports[p->peer] : p;
		p->errors = begins;
		if (!net->errors)
			net->errors = arena_take(&net->arena, net->nports * sizeof *net->errors);
		struct port_errors *e = &net->errors[port_id(net, p)];
		*e = (struct port_errors){ .mean_bits = c->ber.den / c->ber.num,
			.rng = rng_named(net->seed ^ rng_hash_text(p->number, c->name), net->nodes[p->node].name) };
		e->left_bits = 1 + rng_exponential(&e->rng, e->mean_bits);
	}
	note(f, c, a, NET_NONE, begins);
	note(f, c, b, NET_NONE, begins);
}

static void drop_fault(struct fabric *f, const struct fault_conf *c, bool begins)
{
	uint32_t a = fabric_find(f, c->a);
	struct node *n = &f->net.nodes[a];
	int64_t every = begins ? c->every : 0;

	if (!f->sw[a]) {
		struct nic *nic = f->hosts.nic[a];
		nic->loss.every = every;
		nic->loss.count = c->count;
	} else {
		struct switch_node *sw = f->sw[a];
		if (!sw->loss)
			sw->loss = arena_take(&f->net.arena, n->ports * sizeof *sw->loss);
		for (uint32_t i = 0; i < n->ports; i++) {
			uint32_t peer = f->net.ports[f->net.ports[n->first_port + i].peer].node;
			if (c->b && peer != fabric_find(f, c->b))
				continue;
			sw->loss[i].every = every;
			sw->loss[i].count = c->count;
		}
	}
	note(f, c, a, NET_NONE, begins);
}

/* One frame, and the event of the next. */
static void pause_frames(struct fabric *f, const struct fault_conf *c, uint32_t a, uint32_t object)
{
	int64_t now = f->net.now_ps, next = now + c->period_ps;
	bool begins = object % 2 == 0;

	if (now == c->at_ps || !begins)
		note(f, c, a, NET_NONE, begins);
	if (!begins)
		return;
	if (c->frame != FAULT_FRAME_PFC)
		nic_pause_blank(&f->hosts, f->hosts.nic[a], c->frame == FAULT_FRAME_GLOBAL ? PORT_BLANK_GLOBAL
				: PORT_BLANK_EMPTY, (uint16_t)c->quanta);
	else
		nic_pause_frame(&f->hosts, f->hosts.nic[a], f->hosts.nic[a]->prio[c->class_], (uint16_t)c->quanta);
	if (c->lasts_ps == UNITS_NEVER || next - c->at_ps < c->lasts_ps)
		engine_arm(f->net.engine, next, ENGINE_KEY(NET_FAULT, 0, object, object));
}

void fabric_fault(struct fabric *f, uint32_t object)
{
	const struct fault_conf *c = &f->fault[object / 2];
	bool begins = object % 2 == 0;
	uint32_t a = fabric_find(f, c->a);
	struct nic *nic = f->hosts.nic[a];
	int64_t rate_bps;

	switch (c->kind) {
	case FAULT_LINK_DOWN:
		link_fault(f, c, begins);
		break;
	case FAULT_DROP:
		drop_fault(f, c, begins);
		break;
	case FAULT_BIT_ERRORS:
		bit_errors(f, c, begins);
		break;
	case FAULT_LINK_SLOW:
		slow_link(f, c, begins);
		break;
	case FAULT_NIC_STORM:
		note(f, c, a, NET_NONE, begins);
		nic_storm(&f->hosts, nic, c->class_ < 0 ? nic->lossless : 1u << nic->prio[c->class_], begins);
		break;
	case FAULT_PAUSE_FRAMES:
		pause_frames(f, c, a, object);
		break;
	case FAULT_SLOW_RECEIVER:
		note(f, c, a, NET_NONE, begins);
		nic->conf.rx_rate_bps = lasting(f, c, &rate_bps) ? rate_bps : f->node[f->by_id[a]].nic.rx_rate_bps;
		break;
	default:
		sim_assert(!"a fault of no known kind");
	}
}
