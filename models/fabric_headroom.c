/* What each lossless group needs, for "auto", and what is unwise, for the warnings. */
#include <stdio.h>
#include "models/fabric_inside.h"

struct headroom_conf fabric_headroom_ask(const struct fabric *f, const struct switch_node *sw, uint32_t local)
{
	const struct port *p = switch_port(&f->net, sw, local), *peer = &f->net.ports[p->peer];

	return (struct headroom_conf){ .rate_bps = peer->rate_bps, .delay_ps = peer->delay_ps,
		.response_ps = peer->response_ps, .forward_bytes = f->frame_bytes_max,
		.reverse_bytes = f->frame_bytes_max, .cell_bytes = sw->buffer.cell_bytes };
}

const struct headroom_terms *fabric_headroom_need(struct fabric_headroom_memo *memo, const struct headroom_conf *ask)
{
	const struct headroom_conf *m = &memo->ask;

	if (!memo->set || m->rate_bps != ask->rate_bps || m->delay_ps != ask->delay_ps ||
	    m->response_ps != ask->response_ps || m->forward_bytes != ask->forward_bytes ||
	    m->cell_bytes != ask->cell_bytes) {
		memo->ask = *ask;
		memo->set = true;
		headroom_compute(ask, &memo->terms);
	}
	return &memo->terms;
}

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

int fabric_warnings(const struct fabric *f, void (*each)(void *ctx, const char *text), void *ctx)
{
	struct fabric_headroom_memo memo = { .set = false };
	int n = warn_maps(f, each, ctx);
	char text[512];

	for (uint32_t i = 0; i < f->net.nnodes; i++) {
		const struct switch_node *sw = f->sw[i];
		for (uint32_t g = 0; sw && g < sw->mmu.groups; g++) {
			const struct mmu_group *group = &sw->mmu.group[g];
			if (!group->lossless)
				continue;
			struct headroom_conf ask = fabric_headroom_ask(f, sw, g / 8);
			const struct headroom_terms *t = fabric_headroom_need(&memo, &ask);
			if (group->headroom_max >= t->full.bytes)
				continue;
			snprintf(text, sizeof text,
				 "%s:%u priority %u: headroom too small: needs %lldB for frames of %lldB, has %lldB "
				 "(cable %lldB + response %lldB + frame %lldB + pause %lldB in flight at the worst)",
				 sw->node->name, switch_port(&f->net, sw, g / 8)->number, g % 8,
				 (long long)t->full.bytes, (long long)t->full.frame_bytes, (long long)group->headroom_max,
				 (long long)t->propagation_bytes, (long long)t->response_bytes,
				 (long long)t->reverse_bytes, (long long)t->pause_bytes);
			each(ctx, text);
			n++;
		}
	}
	return n;
}
