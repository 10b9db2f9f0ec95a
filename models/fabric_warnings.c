/* What is unwise in a fabric, though not wrong. */
#include <stdio.h>
#include "models/fabric_inside.h"

/* A lossless class whose DSCP some switch takes for another priority, or a lossy one. */
static int warn_map(const struct fabric *f, uint32_t host, int class_,
		    void (*each)(void *ctx, const char *text), void *ctx)
{
	const struct nic *nic = f->hosts.nic[host];
	const struct switch_node *first = NULL;
	char more[64] = "", text[512];
	uint32_t switches = 0;

	for (uint32_t i = 0; i < f->net.nnodes; i++) {
		const struct switch_node *sw = f->sw[i];
		if (!sw || (sw->prio_of[nic->dscp[class_]] == nic->prio[class_] &&
			    sw->lossless >> nic->prio[class_] & 1))
			continue;
		if (!switches++)
			first = sw;
	}
	if (!first)
		return 0;
	int prio = first->prio_of[nic->dscp[class_]];
	if (switches > 1)
		snprintf(more, sizeof more, " (and %u more switches)", switches - 1);
	snprintf(text, sizeof text,
		 "class %s is lossless on priority %d, but %s stamps DSCP %d on it, which %s%s takes for "
		 "priority %d, %s: PFC will not protect it",
		 f->classes[class_].name, nic->prio[class_], f->net.nodes[host].name, nic->dscp[class_],
		 first->node->name, more, prio, first->lossless >> prio & 1 ? "another one" : "a lossy one");
	each(ctx, text);
	return 1;
}

/* Of those that send a lossless class, the first host of each DSCP speaks for all. */
static int warn_maps(const struct fabric *f, void (*each)(void *ctx, const char *text), void *ctx)
{
	uint64_t seen[FABRIC_CLASSES] = { 0 };
	int n = 0;

	for (uint32_t i = 0; i < f->hosts.parts; i++) {
		const struct part *p = &f->hosts.part[i];
		int c = f->hosts.workload[p->workload].conf.class_;
		uint64_t bit = UINT64_C(1) << f->hosts.nic[p->node]->dscp[c];
		if (!f->classes[c].lossless || seen[c] & bit)
			continue;
		seen[c] |= bit;
		n += warn_map(f, p->node, c, each, ctx);
	}
	return n;
}

/* One line a switch and kind of shortage: the first port speaks for those like it. */
static int warn_headroom(const struct fabric *f, const struct switch_node *sw, struct fabric_headroom_memo *memo,
			 void (*each)(void *ctx, const char *text), void *ctx)
{
	int64_t told_need = -1, told_have = -1;
	int n = 0;
	char text[512], more[64];

	for (uint32_t g = 0; g < sw->mmu.groups; g++) {
		const struct mmu_group *group = &sw->mmu.group[g];
		if (!group->lossless)
			continue;
		struct headroom_conf ask = fabric_headroom_ask(f, sw, g / 8);
		const struct headroom_terms *t = fabric_headroom_need(memo, &ask);
		if (group->headroom_max >= t->full.bytes ||
		    (told_need == t->full.bytes && told_have == group->headroom_max))
			continue;
		uint32_t alike = 0;
		for (uint32_t h = g + 1; h < sw->mmu.groups; h++) {
			struct headroom_conf other = fabric_headroom_ask(f, sw, h / 8);
			alike += sw->mmu.group[h].lossless && sw->mmu.group[h].headroom_max == group->headroom_max &&
				 other.rate_bps == ask.rate_bps && other.delay_ps == ask.delay_ps &&
				 other.response_ps == ask.response_ps;
		}
		told_need = t->full.bytes;
		told_have = group->headroom_max;
		snprintf(more, sizeof more, alike ? " (and %u more like it)" : "", alike);
		snprintf(text, sizeof text,
			 "%s:%u priority %u%s: headroom too small: needs %lldB for frames of %lldB, has %lldB "
			 "(cable %lldB + response %lldB + frame %lldB + pause %lldB in flight at the worst)",
			 sw->node->name, switch_port(&f->net, sw, g / 8)->number, g % 8, more,
			 (long long)t->full.bytes, (long long)t->full.frame_bytes, (long long)group->headroom_max,
			 (long long)t->propagation_bytes, (long long)t->response_bytes,
			 (long long)t->reverse_bytes, (long long)t->pause_bytes);
		each(ctx, text);
		n++;
	}
	return n;
}

/* A shared headroom pool, or a partition's part of it, that holds not even one group's need: the
 * first such part speaks for those like it. */
static int warn_headroom_pool(const struct fabric *f, const struct switch_node *sw, struct fabric_headroom_memo *memo,
			      void (*each)(void *ctx, const char *text), void *ctx)
{
	const struct mmu *m = &sw->mmu;
	int64_t need[MMU_PARTS] = { 0 }, others = -1;
	int first = -1;
	char text[512], part[32] = "", more[64] = "";

	for (uint32_t g = 0; sw->buffer.shared_headroom_bytes && g < m->groups; g++) {
		if (!m->group[g].lossless)
			continue;
		struct headroom_conf ask = fabric_headroom_ask(f, sw, g / 8);
		int64_t bytes = fabric_headroom_need(memo, &ask)->full.bytes, *most = &need[m->group[g].part];
		*most = bytes > *most ? bytes : *most;
	}
	for (int k = 0; k < m->parts; k++)
		if (need[k] > m->part[k].headroom_pool && ++others == 0)
			first = k;
	if (first < 0)
		return 0;
	if (m->parts > 1)
		snprintf(part, sizeof part, "partition %d of ", first);
	if (others)
		snprintf(more, sizeof more, " (and %lld more partitions)", (long long)others);
	snprintf(text, sizeof text, "%s: %sthe shared headroom pool%s is too small: one group needs %lldB, it has %lldB",
		 sw->node->name, part, more, (long long)need[first], (long long)m->part[first].headroom_pool);
	each(ctx, text);
	return 1;
}

/* A peer that refreshes a standing pause less often than the watchdog needs to call
 * it over: the queue is restored into a pause, and its neighbours overflow. */
static int warn_restore(const struct fabric *f, const struct switch_node *sw,
			void (*each)(void *ctx, const char *text), void *ctx)
{
	const struct watchdog_times *t = &sw->watchdog.times;
	bool frames = sw->watchdog_conf.on && t->restore_rule == WATCHDOG_RESTORE_FRAMES;
	char text[512], restore[32], refresh[32];

	for (uint32_t i = 0; frames && i < sw->node->ports; i++) {
		const struct port *p = switch_port(&f->net, sw, i), *peer = &f->net.ports[p->peer];
		if (peer->refresh_ps < t->restore_ps)
			continue;
		snprintf(text, sizeof text,
			 "%s: the watchdog restores a queue after %s without a pause frame, but the peer of %s:%u "
			 "refreshes a standing pause only every %s: queues will be restored that are still paused",
			 sw->node->name, units_format(t->restore_ps, UNITS_TIME, restore, sizeof restore),
			 sw->node->name, p->number, units_format(peer->refresh_ps, UNITS_TIME, refresh, sizeof refresh));
		each(ctx, text);
		return 1;
	}
	return 0;
}

static int warn_late(const struct fabric *f, const char *what, const char *name, int64_t at_ps,
		     void (*each)(void *ctx, const char *text), void *ctx)
{
	char text[512], at[32], until[32];

	if (at_ps < f->run.until_ps)
		return 0;
	snprintf(text, sizeof text, "%s %s starts at %s, and the run ends at %s: nothing comes of it", what,
		 name, units_format(at_ps, UNITS_TIME, at, sizeof at),
		 units_format(f->run.until_ps, UNITS_TIME, until, sizeof until));
	each(ctx, text);
	return 1;
}

/* Of a list some flows may be too late, and others not. */
static int warn_listed(const struct fabric *f, const struct workload_conf *c, int64_t from_ps,
		       void (*each)(void *ctx, const char *text), void *ctx)
{
	int64_t until = f->run.until_ps, late = workload_listed_after(c, from_ps > until ? from_ps : until);
	char text[512], end[32];

	if (!late)
		return 0;
	snprintf(text, sizeof text, "traffic %s: %lld of its %lld flows start when the run is over, at %s%s", c->name,
		 (long long)late, (long long)c->nlist, units_format(until, UNITS_TIME, end, sizeof end),
		 late < c->nlist || c->origin_ps ? ""
		 : "; \"origin\" is the time of the list that falls on \"start\" (HPCC's lists begin at 2s)");
	each(ctx, text);
	return 1;
}

/* Percentiles and goodput are of what comes after the warm-up. */
static int warn_warmup(const struct fabric *f, int64_t from_ps, void (*each)(void *ctx, const char *text), void *ctx)
{
	char text[512], warmup[32], until[32];

	if (f->run.warmup_ps < f->run.until_ps || f->run.warmup_ps < from_ps || !f->run.warmup_ps)
		return 0;
	snprintf(text, sizeof text, "the run ends at %s, before its warm-up of %s does: percentiles and goodput are of "
		 "nothing", units_format(f->run.until_ps, UNITS_TIME, until, sizeof until),
		 units_format(f->run.warmup_ps, UNITS_TIME, warmup, sizeof warmup));
	each(ctx, text);
	return 1;
}

int fabric_late(const struct fabric *f, int64_t from_ps, void (*each)(void *ctx, const char *text), void *ctx)
{
	int n = warn_warmup(f, from_ps, each, ctx);

	for (int i = 0; i < f->hosts.workloads; i++) {
		const struct workload_conf *c = &f->hosts.workload[i].conf;
		if (c->kind == WORKLOAD_LIST)
			n += warn_listed(f, c, from_ps, each, ctx);
		else if (c->start_ps >= from_ps)
			n += warn_late(f, "traffic", c->name, c->start_ps, each, ctx);
	}
	for (int i = 0; i < f->faults; i++)
		if (f->fault[i].at_ps >= from_ps)
			n += warn_late(f, "fault", f->fault[i].name, f->fault[i].at_ps, each, ctx);
	return n;
}

/* What selective repeat can have in flight is bounded (models/host/holes.h): a path that holds more
 * is not filled.  The first such sender speaks for all. */
static int warn_window(const struct fabric *f, void (*each)(void *ctx, const char *text), void *ctx)
{
	char text[512], rtt[32];

	for (uint32_t i = 0; i < f->hosts.parts; i++) {
		const struct part *p = &f->hosts.part[i];
		const struct nic_conf *nic = &f->hosts.nic[p->node]->conf;
		int64_t line = f->net.ports[f->net.nodes[p->node].first_port].rate_bps;
		/* Poisson opens its queue pairs later: the paths of its first host stand for all. */
		int peers = p->qps || f->hosts.workload[p->workload].first_part != i ? p->qps : p->peers;
		bool selective = nic->recovery == NIC_SELECTIVE_REPEAT && nic->window_bytes < 0 &&
				 f->hosts.workload[p->workload].conf.kind != WORKLOAD_STREAM;
		for (int k = 0; selective && k < peers; k++) {
			uint32_t dst = p->qps ? host_qp(&f->hosts, p->qp[k])->dst : p->peer[k];
			struct cc_path path = { .line_bps = line };
			if (p->qps)
				path = host_qp(&f->hosts, p->qp[k])->cc.path;
			else if (dst != p->node)
				f->hosts.path(f->hosts.path_ctx, p->node, dst, 0, 0, &path);
			if (units_bytes_in(path.base_rtt_ps, line) <= HOLES_MOST * nic->mtu_bytes)
				continue;
			snprintf(text, sizeof text,
				 "traffic %s: selective repeat keeps track of %d packets, and the path from %s to %s "
				 "holds more (round trip %s): it is not filled; a larger MTU helps",
				 f->hosts.workload[p->workload].conf.name, HOLES_MOST, f->net.nodes[p->node].name,
				 f->net.nodes[dst].name, units_format(path.base_rtt_ps, UNITS_TIME, rtt, sizeof rtt));
			each(ctx, text);
			return 1;
		}
	}
	return 0;
}

int fabric_warnings(const struct fabric *f, void (*each)(void *ctx, const char *text), void *ctx)
{
	struct fabric_headroom_memo memo = { .set = false };
	int n = warn_maps(f, each, ctx) + warn_window(f, each, ctx);

	for (uint32_t i = 0; i < f->net.nnodes; i++)
		if (f->sw[i])
			n += warn_headroom(f, f->sw[i], &memo, each, ctx) +
			     warn_headroom_pool(f, f->sw[i], &memo, each, ctx) +
			     warn_restore(f, f->sw[i], each, ctx);
	return n;
}
