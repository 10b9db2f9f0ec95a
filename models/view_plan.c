/* What was settled when the fabric was finished: ways, maps, limits.  For analyze/. */
#include "models/view.h"

#include "models/fabric_inside.h"

uint32_t view_find(const struct fabric *f, const char *name) { return fabric_find(f, name); }

int view_next_hops(const struct fabric *f, uint32_t node, uint32_t dst, uint32_t *ports, int max)
{
	const struct switch_node *sw = f->sw[node];
	const struct route_table *t = &sw->route;
	enum route_kind kind = route_kind(t, dst);
	int n = route_count(t, dst);

	if (kind != ROUTE_PORTS)
		return kind == ROUTE_FLOOD ? VIEW_FLOOD : kind == ROUTE_DROP ? VIEW_DROP : 0;
	for (int i = 0; i < n && i < max; i++)
		ports[i] = sw->node->first_port + t->set[(t->to[dst] >> 8) + (uint32_t)i];
	return n < max ? n : max;
}

int view_dscp_of(const struct fabric *f, uint32_t host, int class_)
{
	return f->hosts.nic[host]->dscp[class_];
}

int view_priority_of(const struct fabric *f, uint32_t node, int dscp) { return f->sw[node]->prio_of[dscp]; }
int view_queue_of(const struct fabric *f, uint32_t node, int dscp) { return f->sw[node]->queue_of[dscp]; }

bool view_remaps(const struct fabric *f, uint32_t node) { return f->sw[node]->remap != NULL; }

int view_dscp_after(const struct fabric *f, uint32_t in, uint32_t out, int dscp)
{
	const struct port *a = &f->net.ports[in], *b = &f->net.ports[out];
	const struct switch_node *sw = f->sw[a->node];
	uint8_t to = REMAP_NONE;

	if (sw->remap)
		to = remap_at(sw->remap, sw->node->ports, a->local, b->local)[sw->queue_of[dscp]];
	return to == REMAP_NONE ? dscp : to;
}

uint8_t view_lossless_of(const struct fabric *f, uint32_t id)
{
	const struct port *p = &f->net.ports[id];
	const struct switch_node *sw = f->sw[p->node];
	unsigned mask = 0;

	if (!sw)
		return f->hosts.nic[p->node]->lossless;
	for (uint32_t prio = 0; prio < 8; prio++)
		mask |= (unsigned)sw->mmu.group[(uint32_t)p->local * 8 + prio].lossless << prio;
	return (uint8_t)mask;
}

uint8_t view_queues_of(const struct fabric *f, uint32_t port, int prio)
{
	return f->net.ports[port].queues_of[prio];
}

enum view_stops view_stops(const struct fabric *f, uint32_t out)
{
	const struct port *p = &f->net.ports[out], *peer = &f->net.ports[p->peer];

	return p->global != peer->global ? VIEW_STOPS_NEVER : p->global ? VIEW_STOPS_WHOLE : VIEW_STOPS_BY_PRIORITY;
}

struct headroom_conf view_headroom_conf(const struct fabric *f, uint32_t in)
{
	const struct port *p = &f->net.ports[in];

	return fabric_headroom_ask(f, f->sw[p->node], p->local);
}

struct view_limits view_limits(const struct fabric *f, uint32_t in, int prio)
{
	const struct port *p = &f->net.ports[in];
	const struct mmu *m = &f->sw[p->node]->mmu;
	const struct mmu_group *g = &m->group[(uint32_t)p->local * 8 + (uint32_t)prio];
	const struct mmu_profile *k = mmu_profile_of(m, g);

	return (struct view_limits){ .lossless = g->lossless, .in_use = g->in_use,
		.reserved_bytes = g->reserved_max, .headroom_bytes = g->headroom_max,
		.xoff_bytes = k->xoff_bytes, .alpha = k->alpha, .port_alpha = m->conf->port_alpha, .xon_bytes = k->xon_bytes,
		.xon_offset_bytes = k->xon_offset_bytes };
}

bool view_watched(const struct fabric *f, uint32_t id, int prio)
{
	const struct port *p = &f->net.ports[id];
	const struct watchdog *w = &f->sw[p->node]->watchdog;

	return w->row && w->row[(uint32_t)p->local * 8 + (uint32_t)prio].watched;
}

struct view_watchdog view_watchdog(const struct fabric *f, uint32_t id, int prio)
{
	const struct port *p = &f->net.ports[id];
	const struct switch_node *sw = f->sw[p->node];
	const struct watchdog_row *r;
	struct view_watchdog v = { 0 };

	if (!sw || !sw->watchdog.row)
		return v;
	r = &sw->watchdog.row[(uint32_t)p->local * 8 + (uint32_t)prio];
	v.watched = r->watched;
	v.stormed = r->stormed;
	v.storms = r->storms;
	v.restores = r->restores;
	watchdog_counts(&f->net, sw, p, prio, &v.all, &v.last);
	return v;
}

struct watchdog_times view_watchdog_times(const struct fabric *f, uint32_t node)
{
	return f->sw[node]->watchdog.times;
}

int view_part(const struct fabric *f, uint32_t port)
{
	return f->sw[f->net.ports[port].node]->mmu.group[(uint32_t)f->net.ports[port].local * 8].part;
}

struct view_queue view_queue(const struct fabric *f, uint32_t id, int queue)
{
	const struct port *p = &f->net.ports[id];
	const struct port_queue_stats *q = port_queue_stats(&f->net, p, queue);
	struct view_queue v = { .tx_frames = q->tx_frames, .tx_bytes = q->tx_bytes,
		.lost_frames = q->lost_frames, .lost_bytes = q->lost_bytes, .peak_bytes = q->peak };

	for (int d = 0; d < 64 && !p->by_queue; d++) {
		const struct switch_node *sw = f->sw[p->node];
		const struct port_stats *s = port_stats(&f->net, p, sw->prio_of[d]);
		if (sw->queue_of[d] != queue)
			continue;
		v.tx_frames = s->tx_frames;
		v.tx_bytes = s->tx_bytes;
		v.peak_bytes = s->queue_peak;
	}
	return v;
}

int64_t view_pool_bytes(const struct fabric *f, uint32_t node) { return mmu_pool_bytes(&f->sw[node]->mmu); }
int64_t view_headroom_pool_bytes(const struct fabric *f, uint32_t node)
{
	return mmu_headroom_pool_bytes(&f->sw[node]->mmu);
}
int view_parts(const struct fabric *f, uint32_t node) { return f->sw[node]->mmu.parts; }

struct view_pool view_pool(const struct fabric *f, uint32_t node, int part)
{
	const struct mmu_part *x = &f->sw[node]->mmu.part[part];

	return (struct view_pool){ .shared_bytes = x->pool, .headroom_bytes = x->headroom_pool };
}

int64_t view_frame_bytes_max(const struct fabric *f) { return f->frame_bytes_max; }

const struct workload_conf *view_workload_conf(const struct fabric *f, int i)
{
	return &f->hosts.workload[i].conf;
}

const uint32_t *view_workload_hosts(const struct fabric *f, int i, bool to, int *n)
{
	const struct workload *w = &f->hosts.workload[i];

	*n = to ? w->conf.nto : w->conf.nfrom;
	return to ? w->to : w->from;
}
