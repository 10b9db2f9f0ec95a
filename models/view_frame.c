/* One frame as it would stand on the wire. */
#include <string.h>
#include "models/fabric_inside.h"

/* A READ that is asked for again begins anew with a first response, which its AETH shows; when
 * only the last packet was missing it shows as a last one, and not as the only one that it is. */
static void data(const struct fabric *f, const struct frame *x, struct view_frame *v)
{
	const struct msg *m = host_msg(&f->hosts, x->msg);

	v->verb = host_qp(&f->hosts, x->qp)->verb;
	v->last = x->flags & FRAME_LAST;
	v->first = x->seq == m->start_seq ||
		   (v->verb == NIC_READ && !v->last && x->bytes == FRAME_ROCE_BYTES + FRAME_AETH_BYTES +
		    (x->payload + 3) / 4 * 4 + (x->flags & FRAME_INT ? f->hosts.nic[host_qp(&f->hosts, x->qp)->src]->telemetry.bytes : 0));
	v->message_bytes = m->size;
	v->again = x->flags & FRAME_AGAIN;
	v->asks = v->verb != NIC_READ && (v->last || x->asks);
}

struct view_frame view_frame(const struct fabric *f, int64_t handle)
{
	const struct frame *x = net_frame(&f->net, (uint32_t)handle);
	struct view_frame v = { .kind = (enum view_frame_kind)x->kind, .bytes = x->bytes };

	if (x->kind == FRAME_PAUSE) {
		v.enabled = x->class_;
		v.global = x->flags & FRAME_GLOBAL;
		memcpy(v.quanta, x->quanta, sizeof v.quanta);
		return v;
	}
	const struct qp *q = host_qp(&f->hosts, x->qp);
	int64_t number = q->cc.path.mtu_bytes ? x->seq / q->cc.path.mtu_bytes : 0;

	bool counts = x->kind == FRAME_ACK || x->kind == FRAME_NAK || x->kind == FRAME_RNR;

	v.payload_bytes = counts ? 0 : x->payload;
	v.src = x->flags & FRAME_FLOODED ? q->src : x->src;
	v.dst = x->dst;
	v.qp = x->qp & 0xffffff;
	if (x->kind == FRAME_STREAM)
		number = x->seq / (q->frame_bytes ? q->frame_bytes : 1);
	else if (x->kind == FRAME_ACK)
		number--;		/* the last packet that has arrived */
	v.psn = x->kind == FRAME_CNP ? 0 : (uint32_t)number & 0xffffff;
	v.source_port = (uint16_t)(0xc000 | (x->hash & 0x3fff));	/* RFC 6335: dynamic ports */
	v.dscp = x->dscp;
	v.ttl = x->ttl;
	v.ect = x->flags & FRAME_ECT;
	v.ce = x->flags & FRAME_CE;
	v.df = x->flags & FRAME_DF;
	if (x->kind == FRAME_DATA)
		data(f, x, &v);
	if (x->kind == FRAME_READ) {
		v.message_bytes = x->read_bytes;
		v.again = x->flags & FRAME_AGAIN;
	}
	if (x->kind == FRAME_RNR)
		v.rnr_timer = (int)x->msg;
	return v;
}
