/* What waits in a queue, and whose it is.  For observe/waits.c. */
#include "models/view.h"

#include "models/fabric_inside.h"

bool view_waits_for(const struct fabric *f, uint32_t qp, uint8_t gen, int *workload,
		    uint32_t *src, uint32_t *dst)
{
	const struct qp *q = host_qp(&f->hosts, qp);

	if (qp == POOL_NONE || q->gen != gen || q->part >= f->hosts.parts)
		return false;
	*workload = f->hosts.part[q->part].workload;
	*src = q->src;
	*dst = q->dst;
	return true;
}

static void look_at_frames(const struct fabric *f, const struct port *p, int queue,
			   uint32_t in, int in_prio, void (*each)(void *, const struct view_wait *),
			   void *ctx)
{
	const struct net *net = &f->net;
	unsigned local = in == VIEW_NONE ? 0 : net->ports[in].local;

	for (uint32_t h = p->queue[queue].head; h != POOL_NONE; ) {
		const struct frame *x = net_frame(net, h);

		h = x->next;
		if (in != VIEW_NONE && (x->in_port != local || x->prio != in_prio))
			continue;
		each(ctx, &(struct view_wait){ .qp = x->qp, .gen = x->gen, .bytes = x->bytes });
	}
}

static void look_at_ring(const struct fabric *f, const struct port *p, int queue,
			 void (*each)(void *, const struct view_wait *), void *ctx)
{
	const struct host_net *hn = &f->hosts;
	uint32_t tail = hn->nic[p->node]->port[p->local].ring_tail[queue], id = tail;

	if (tail == POOL_NONE)
		return;
	do {
		const struct qp *q = host_qp(hn, id = host_qp(hn, id)->ring_next);

		if (q->failed || !qp_has_data(hn, q))
			continue;	/* leaves the ring when its turn comes */
		each(ctx, &(struct view_wait){ .qp = id, .gen = q->gen });
	} while (id != tail);
}

void view_waiting(const struct fabric *f, uint32_t port, int prio, uint32_t in, int in_prio,
		  void (*each)(void *ctx, const struct view_wait *w), void *ctx)
{
	const struct port *p = &f->net.ports[port];

	for (unsigned m = p->queues_of[prio]; m; m &= m - 1) {
		int queue = __builtin_ctz(m);

		look_at_frames(f, p, queue, in, in_prio, each, ctx);
		if (!f->net.nodes[p->node].is_switch)
			look_at_ring(f, p, queue, each, ctx);
	}
}
