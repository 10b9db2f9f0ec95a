/* What each lossless group needs, for "auto", and what is unwise, for the warnings. */
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
