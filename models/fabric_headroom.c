/* What each lossless group needs, for "auto" and for the warnings. */
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

int fabric_warnings(const struct fabric *f, void (*each)(void *ctx, const char *text), void *ctx)
{
	struct fabric_headroom_memo memo = { .set = false };
	int n = 0;
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
