#include "models/view.h"

#include <stdlib.h>
#include <string.h>
#include "models/fabric_inside.h"
#include "models/host/ideal.h"
#include "models/host/workload_run.h"
#include "sim/mem.h"

/* ---- the run ---- */

struct view_run view_run(const struct fabric *f)
{
	const struct net *net = &f->net;
	uint64_t digest = UINT64_C(0x786f6666);

	for (uint32_t i = 0; i < net->nnodes; i++)
		digest = rng_hash(rng_hash_text(digest, net->nodes[i].name), net->nodes[i].digest);
	return (struct view_run){ .now_ps = net->now_ps, .events = engine_fired(net->engine),
		.packet_hops = net->packet_hops, .pool_growths = fabric_growths(f) - f->growths_before,
		.digest = digest, .last_delivery_ps = net->last_delivery_ps, .complete = f->complete };
}

void view_clock(const struct fabric *f, const int64_t **now_ps, const uint64_t **events)
{
	*now_ps = &f->net.now_ps;
	*events = engine_fired_at(f->net.engine);
}

const struct run_conf *view_run_conf(const struct fabric *f) { return &f->run; }
int view_classes(const struct fabric *f) { return f->nclasses; }
const struct class_conf *view_class(const struct fabric *f, int c) { return &f->classes[c]; }

/* ---- nodes and ports ---- */

uint32_t view_nodes(const struct fabric *f) { return f->net.nnodes; }
const char *view_node_name(const struct fabric *f, uint32_t n) { return f->net.nodes[n].name; }
bool view_is_switch(const struct fabric *f, uint32_t n) { return f->net.nodes[n].is_switch; }
const struct switch_conf *view_switch_conf(const struct fabric *f, uint32_t n) { return &f->node[n].sw; }
const struct nic_conf *view_nic_conf(const struct fabric *f, uint32_t n) { return &f->node[n].nic; }
int64_t view_switch_peak_bytes(const struct fabric *f, uint32_t n) { return f->sw[n]->mmu.peak; }
uint32_t view_ports(const struct fabric *f) { return f->net.nports; }
uint32_t view_first_port(const struct fabric *f, uint32_t n) { return f->net.nodes[n].first_port; }
uint32_t view_port_count(const struct fabric *f, uint32_t n) { return f->net.nodes[n].ports; }

struct view_port view_port(const struct fabric *f, uint32_t id)
{
	const struct port *p = &f->net.ports[id];
	return (struct view_port){ .node = p->node, .peer_port = p->peer, .number = p->number,
				   .rate_bps = port_built_bps(&f->net, p), .now_bps = p->rate_bps, .delay_ps = p->delay_ps, .up = p->up };
}

static const struct switch_node *switch_of(const struct fabric *f, uint32_t port)
{
	return f->sw[f->net.ports[port].node];
}

static const struct mmu_group *group_of(const struct fabric *f, uint32_t port, int prio)
{
	const struct switch_node *sw = switch_of(f, port);
	return sw ? &sw->mmu.group[(uint32_t)f->net.ports[port].local * 8 + (uint32_t)prio] : NULL;
}

struct view_counters view_counters(const struct fabric *f, uint32_t id, int prio)
{
	const struct port *p = &f->net.ports[id];
	const struct port_stats *s = port_stats(&f->net, p, prio);
	const struct mmu_group *g = group_of(f, id, prio);
	struct view_counters v = { .tx_frames = s->tx_frames, .tx_bytes = s->tx_bytes, .rx_frames = s->rx_frames,
		.rx_bytes = s->rx_bytes, .marked = s->marked, .xoff_frames = s->xoff, .refresh_frames = s->refresh,
		.xon_frames = s->xon, .xoff_received = s->xoff_received, .pauses = s->pauses,
		.paused_ps = s->paused_ps, .longest_pause_ps = s->longest_pause_ps, .queue_peak_bytes = s->queue_peak,
		.headroom_peak_bytes = s->headroom_peak, .paused = p->paused >> prio & 1 };

	memcpy(v.drops, s->drops, sizeof v.drops);
	v.short_of = s->short_of;
	for (unsigned m = p->queues_of[prio]; m; m &= m - 1)
		v.queue_bytes += p->queue[__builtin_ctz(m)].bytes;
	if (v.paused) {
		int64_t held = f->net.now_ps - p->paused_since_ps[prio];
		v.paused_ps += held;
		if (held > v.longest_pause_ps)
			v.longest_pause_ps = held;
	}
	if (g) {
		v.group_peak_bytes = g->peak;
		v.group_bytes = g->reserved + g->shared + g->headroom;
		v.headroom_bytes = g->headroom;
		v.headroom_limit_bytes = g->lossless ? g->headroom_max : 0;
		v.lossless = g->lossless;
	} else {
		const struct nic_port *side = &f->hosts.nic[p->node]->port[p->local];
		v.group_bytes = side->rx_bytes[prio];
		v.group_peak_bytes = side->rx_peak;
	}
	return v;
}

/* ---- groups ---- */

struct view_group view_group(const struct fabric *f, uint32_t id, int prio)
{
	const struct port *p = &f->net.ports[id];
	const struct mmu_group *g = group_of(f, id, prio);
	int64_t frame_ps = units_tx_ps(f->frame_bytes_max + 20, p->rate_bps);

	return (struct view_group){ .xoff = g->xoff, .xoff_sent = p->sent >> prio & 1 && p->want >> prio & 1,
		.refreshed = p->refresh_ps + frame_ps < p->quanta * p->quantum_ps,
		.reserved_bytes = g->reserved, .shared_bytes = g->shared, .headroom_bytes = g->headroom };
}

uint8_t view_leaves_as(const struct fabric *f, uint32_t node, int prio)
{
	return f->sw[node]->leaves_as[prio];
}

int64_t view_held_for(const struct fabric *f, uint32_t in, int prio, uint32_t out, int as)
{
	const struct switch_node *sw = switch_of(f, in);

	if (!(sw->lossless >> prio & 1) || !(sw->leaves_as[prio] >> as & 1))
		return 0;
	return *switch_held(sw, prio, f->net.ports[in].local, f->net.ports[out].local, as);
}

/* Lossy groups are not kept count of; with flooding, copies share a charge: walk the queues,
 * counting each once. */
static int64_t held_by_walking(const struct fabric *f, const struct switch_node *sw, uint32_t in, int prio,
			   const uint64_t *outs)
{
	uint64_t stamp = ++((struct fabric *)(uintptr_t)f)->stamp;	/* the observers' own scratch */
	uint32_t words = (sw->node->ports + 63) / 64;
	int64_t sum = 0;

	for (uint32_t o = 0; o < sw->node->ports; o++) {
		for (int q = 0; q < 8; q++)
			for (uint32_t h = switch_port(&f->net, sw, o)->queue[q].head; h; h = net_frame(&f->net, h)->next) {
				const struct frame *x = net_frame(&f->net, h);
				const uint64_t *set = outs + sw->prio_of[x->dscp] * words;
				if (x->in_port != f->net.ports[in].local || x->prio != prio ||
				    !(set[o / 64] >> o % 64 & 1))
					continue;
				if (x->flags & FRAME_FLOODED && x->copy != POOL_NONE) {
					struct switch_copy *c = pool_at(&f->net.copies, x->copy);
					if (c->seen == stamp)
						continue;
					c->seen = stamp;
				}
				sum += mmu_charge(&sw->mmu, x->bytes);
			}
	}
	return sum;
}

int64_t view_held_in(const struct fabric *f, uint32_t in, int prio, const uint64_t *outs)
{
	const struct switch_node *sw = switch_of(f, in);
	int64_t sum = 0;

	if (sw->floods || !(sw->lossless >> prio & 1))
		return held_by_walking(f, sw, in, prio, outs);
	for (unsigned as = sw->leaves_as[prio]; as; as &= as - 1) {
		int to = __builtin_ctz(as);
		const uint64_t *set = outs + (uint32_t)to * ((sw->node->ports + 63) / 64);

		for (uint32_t w = 0; w * 64 < sw->node->ports; w++)
			for (uint64_t m = set[w]; m; m &= m - 1)
				sum += *switch_held(sw, prio, f->net.ports[in].local,
						    w * 64 + (uint32_t)__builtin_ctzll(m), to);
	}
	return sum;
}

bool view_would_xon(const struct fabric *f, uint32_t in, int prio, int64_t own, int64_t all_shared,
		    int64_t port_shared, bool more)
{
	return mmu_would_xon(&switch_of(f, in)->mmu, (uint32_t)f->net.ports[in].local * 8 + (uint32_t)prio, own,
			     all_shared, port_shared, more);
}

bool view_arriving(const struct fabric *f, uint32_t in, int prio)
{
	const struct switch_node *sw = switch_of(f, in);
	uint32_t h = f->net.ports[f->net.ports[in].peer].wire_head;

	for (; h != POOL_NONE; h = net_frame(&f->net, h)->next) {
		const struct frame *x = net_frame(&f->net, h);

		if (x->kind != FRAME_PAUSE && sw->prio_of[x->dscp] == prio)
			return true;
	}
	return false;
}

bool view_is_paused(const struct fabric *f, uint32_t out, int prio)
{
	const struct port *p = &f->net.ports[out];
	return p->up && p->paused >> prio & 1 && !(p->ignore >> prio & 1);
}

int64_t view_xoff_limit(const struct fabric *f, uint32_t in, int prio)
{
	const struct mmu_group *g = group_of(f, in, prio);
	const struct switch_node *sw = switch_of(f, in);
	return g && g->lossless ?
		g->reserved_max + mmu_limit_now(&sw->mmu, (uint32_t)f->net.ports[in].local * 8 + (uint32_t)prio) : 0;
}

/* ---- flows ---- */

struct view_flow view_flow(const struct fabric *f, uint32_t id)
{
	const struct msg *m = host_msg(&f->hosts, id);
	const struct qp *q = host_qp(&f->hosts, m->qp);
	int64_t sent = q->snd_nxt - m->start_seq, acked = q->snd_una - m->start_seq;

	return (struct view_flow){ .name = f->hosts.workload[m->workload].conf.name, .workload = m->workload,
		.class_ = m->class_, .src = q->src, .dst = q->dst, .size_bytes = m->size, .start_ps = m->start_ps,
		.hash = m->hash, .retransmitted_bytes = m->retransmitted, .cnps = m->cnps, .rnr_naks = m->rnrs,
		.rnr_wait_ps = m->rnr_ps,
		.sent_bytes = sent < 0 ? 0 : sent > m->size ? m->size : sent,
		.acked_bytes = acked < 0 ? 0 : acked > m->size ? m->size : acked,
		.part = m->part, .transaction_start_ps = m->transaction_ps };
}

/* Where a hop cuts packets up, fragments travel on before the whole packet has come, and the
 * recurrence of whole frames is no bound: what is left is the slowest link's time for all bytes. */
static int64_t ideal_of_fragments(const int64_t *rate, const int64_t *delay, const int64_t *latency, int links,
				  int64_t bytes)
{
	int64_t way = 0, slowest = 0;

	for (int i = 0; i < links; i++) {
		int64_t ps = (int64_t)((__int128)bytes * 8 * UNITS_PS_PER_S / rate[i]);
		way += delay[i] + latency[i];
		slowest = ps > slowest ? ps : slowest;
	}
	return way + slowest;
}

/* A path as ideal_ps wants it. */
struct way {
	int links;
	int64_t rate[IDEAL_PATH_MAX], delay[IDEAL_PATH_MAX], latency[IDEAL_PATH_MAX];
	int64_t least_mtu;
};

static bool find_way(const struct fabric *f, const struct qp *q, struct way *w)
{
	uint32_t ports[IDEAL_PATH_MAX];

	w->links = fabric_path(f, q->src, q->dst, q->hash, ports, IDEAL_PATH_MAX);
	w->least_mtu = INT64_MAX;
	for (int i = 0; i < w->links; i++) {
		const struct port *p = &f->net.ports[ports[i]];
		const struct switch_node *sw = f->sw[f->net.ports[p->peer].node];
		w->rate[i] = port_built_bps(&f->net, p);
		w->delay[i] = p->delay_ps;
		w->latency[i] = sw ? sw->latency_ps : 0;
		if (sw && sw->mtu_bytes < w->least_mtu)
			w->least_mtu = sw->mtu_bytes;
	}
	return w->links >= 0;
}

static int64_t ideal_data(const struct fabric *f, const struct qp *q, int64_t size)
{
	int64_t mtu = q->cc.path.mtu_bytes, n = (size + mtu - 1) / mtu, last = size - (n - 1) * mtu;
	int64_t head = FRAME_ROCE_BYTES;	/* without telemetry (view.h) */
	int64_t begin = q->verb == NIC_WRITE ? FRAME_RETH_BYTES : q->verb == NIC_READ ? FRAME_AETH_BYTES : 0;
	int64_t end = q->verb == NIC_READ ? FRAME_AETH_BYTES : 0;
	struct way w;

	if (!find_way(f, q, &w))
		return 0;
	int64_t first = head + begin + ((n == 1 ? last : mtu) + 3) / 4 * 4;
	int64_t tail = head + end + (last + 3) / 4 * 4;
	if (first < FRAME_MIN_BYTES)
		first = FRAME_MIN_BYTES;
	if (tail < FRAME_MIN_BYTES)
		tail = FRAME_MIN_BYTES;
	if (f->sprays) {
		int64_t mid = head + (mtu + 3) / 4 * 4;
		bool whole = first - FRAME_ETH_BYTES <= w.least_mtu;	/* of fragments only the sender's link is sure */
		return whole ? fabric_spray_ideal(f, q->src, q->dst, q->hash, &(struct fabric_packets){
				.first = first, .mid = mid, .mids = n > 2 ? n - 2 : 0, .tail = n > 1 ? tail : 0 })
			     : ideal_of_fragments(w.rate, w.delay, w.latency, 1, size + n * head);
	}
	if (first - FRAME_ETH_BYTES > w.least_mtu)
		return ideal_of_fragments(w.rate, w.delay, w.latency, w.links, size + n * head);
	return ideal_ps(w.rate, w.delay, w.latency, w.links, first, n > 2 ? head + (mtu + 3) / 4 * 4 : 0,
			n > 2 ? n - 2 : 0, n > 1 ? tail : 0);
}

/* Of a READ: its request one way, the data the other. */
int64_t view_ideal_ps(const struct fabric *f, uint32_t id)
{
	const struct msg *m = host_msg(&f->hosts, id);
	const struct qp *q = host_qp(&f->hosts, m->qp);
	struct way w;

	if (q->side != QP_REQUESTER)
		return ideal_data(f, q, m->size);
	int64_t data = ideal_data(f, host_qp(&f->hosts, q->pair), m->size);
	if (!data || !find_way(f, q, &w))
		return 0;
	if (f->sprays)
		return data + fabric_spray_ideal(f, q->src, q->dst, q->hash, &(struct fabric_packets){
				.first = FRAME_ROCE_BYTES + FRAME_RETH_BYTES });
	return data + ideal_ps(w.rate, w.delay, w.latency, w.links, FRAME_ROCE_BYTES + FRAME_RETH_BYTES, 0, 0, 0);
}

struct waiting { uint32_t id; int64_t start_ps; uint64_t hash; };

static int waiting_order(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;
	if (x->start_ps != y->start_ps)
		return x->start_ps < y->start_ps ? -1 : 1;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

void view_unfinished(const struct fabric *f, void (*each)(void *, uint32_t, const char *), void *ctx)
{
	const struct host_net *hn = &f->hosts;
	struct waiting *list = mem_zalloc((hn->msgs.live + 1) * sizeof *list);
	size_t n = 0;

	for (uint32_t i = 1; i < hn->qps.fresh; i++) {
		const struct qp *q = host_qp(hn, i);
		if (q->state == QP_CLOSED || q->side == QP_RESPONDER)
			continue;
		for (uint32_t m = q->msg_una; m != POOL_NONE; m = host_msg(hn, m)->next)
			list[n++] = (struct waiting){ m, host_msg(hn, m)->start_ps, host_msg(hn, m)->hash };
	}
	qsort(list, n, sizeof *list, waiting_order);
	for (size_t i = 0; i < n; i++)
		each(ctx, list[i].id, qp_waits_for(hn, host_qp(hn, host_msg(hn, list[i].id)->qp)));
	free(list);
}

/* ---- workloads and totals ---- */

int view_workloads(const struct fabric *f) { return f->hosts.workloads; }

struct view_workload view_workload(const struct fabric *f, int i)
{
	const struct workload *w = &f->hosts.workload[i];
	struct view_workload v = { .name = w->conf.name, .kind = w->conf.kind, .class_ = w->conf.class_,
		.delivered_bytes = w->total.delivered, .delivered_after_warmup_bytes = w->total.delivered_after_warmup,
		.first_delivery_ps = w->total.first_ps, .last_delivery_ps = w->total.last_ps,
		.sent_frames = w->total.sent_frames, .sent_bytes = w->total.sent_bytes };

	if (w->conf.kind == WORKLOAD_RING_ALLREDUCE) {
		v.iterations = INT64_MAX;
		for (int k = 0; k < w->parts; k++)
			if (f->hosts.part[w->first_part + (uint32_t)k].iteration < v.iterations)
				v.iterations = f->hosts.part[w->first_part + (uint32_t)k].iteration;
	}
	for (int k = 0; k < w->conf.nfrom; k++)
		if (w->conf.kind != WORKLOAD_POISSON && w->conf.kind != WORKLOAD_LIST)
			v.qps += f->hosts.part[w->first_part + (uint32_t)k].qps;
	return v;
}

int64_t view_not_begun(const struct fabric *f, int i)
{
	return workload_not_begun(&f->hosts, &f->hosts.workload[i]);
}

void view_workload_span(const struct fabric *f, int i, int64_t *start_ps, int64_t *stop_ps)
{
	*start_ps = f->hosts.workload[i].conf.start_ps;
	*stop_ps = f->hosts.workload[i].conf.stop_ps;
}

struct view_totals view_totals(const struct fabric *f)
{
	struct view_totals t = { .cnps = f->hosts.cnps, .data_frames = f->hosts.data_frames,
				 .marked_frames = f->hosts.marked_frames };

	for (uint32_t i = 0; i < f->net.nnodes; i++) {
		if (!f->sw[i])
			continue;
		t.watchdog_storms += f->sw[i]->watchdog.storms;
		t.watchdog_restores += f->sw[i]->watchdog.restores;
		t.watchdog_told += f->sw[i]->watchdog.told;
		t.watchdog_dropped += f->sw[i]->watchdog.dropped;
	}
	return t;
}

/* ---- books ---- */

/* I1: what a link took is at its other end, on the wire, or was cut off it. */
static int check_link(const struct fabric *f, uint32_t id, struct sim_error *err)
{
	const struct net *net = &f->net;
	const struct port *p = &net->ports[id], *peer = &net->ports[p->peer];
	int64_t sent = 0, got = 0, cut = 0, flying = 0;

	for (int prio = 0; prio < 8; prio++) {
		sent += port_stats(net, p, prio)->tx_bytes;
		cut += port_stats(net, p, prio)->cut_bytes;
		got += port_stats(net, peer, prio)->rx_bytes + port_stats(net, peer, prio)->damaged_bytes;
	}
	for (uint32_t h = p->wire_head; h != POOL_NONE; h = net_frame(net, h)->next)
		if (net_frame(net, h)->kind != FRAME_PAUSE)
			flying += net_frame(net, h)->bytes;
	if (sent != got + cut + flying)
		return error_set(err, "", "%s:%u sent %lld bytes; %lld arrived, %lld are on the wire, %lld were cut",
				 net->nodes[p->node].name, p->number, (long long)sent, (long long)got,
				 (long long)flying, (long long)cut);
	return 0;
}

struct books { int64_t in, out, dropped, inside, charged; };

static void add_frames(const struct net *net, const struct switch_node *sw, uint32_t h, struct books *b)
{
	for (; h != POOL_NONE; h = net_frame(net, h)->next) {
		b->inside += net_frame(net, h)->bytes;
		b->charged += mmu_charge(&sw->mmu, net_frame(net, h)->bytes);
	}
}

static int check_port(const struct fabric *f, const struct switch_node *sw, uint32_t i, struct books *b,
		      struct sim_error *err)
{
	const struct net *net = &f->net;
	const struct port *p = switch_port(net, sw, i);

	for (int prio = 0; prio < 8; prio++) {
		const struct port_stats *s = port_stats(net, p, prio);
		b->in += s->rx_bytes;
		b->out += s->tx_bytes;
		b->dropped += s->dropped_bytes - s->cut_bytes;
		add_frames(net, sw, p->queue[prio].head, b);
		if (s->xoff - s->xon != (p->sent >> prio & 1))
			return error_set(err, "", "%s:%u priority %d: XOFF and XON do not alternate",
					 sw->node->name, p->number, prio);
		int64_t held = 0;
		const struct mmu_group *g = &sw->mmu.group[i * 8 + (uint32_t)prio];
		for (uint32_t o = 0; sw->lossless >> prio & 1 && o < sw->node->ports; o++)
			for (unsigned as = sw->leaves_as[prio]; as; as &= as - 1)
				held += *switch_held(sw, prio, i, o, __builtin_ctz(as));
		if (held < 0 || (!sw->floods && held > g->reserved + g->shared + g->headroom))
			return error_set(err, "", "%s:%u priority %d: %lld bytes wait, more than are charged",
					 sw->node->name, p->number, prio, (long long)held);
	}
	if (p->tx_frame != POOL_NONE)
		b->charged += mmu_charge(&sw->mmu, net_frame(net, p->tx_frame)->bytes);
	return 0;
}

static int check_switch(const struct fabric *f, const struct switch_node *sw, struct sim_error *err)
{
	struct books b = { .in = sw->made_bytes };
	struct sim_error why;

	error_init(&why);
	if (mmu_check_books(&sw->mmu, &why))
		return error_set(err, "", "%s: %s", sw->node->name, why.text);
	for (uint32_t i = 0; i < sw->node->ports; i++)
		if (check_port(f, sw, i, &b, err))
			return -1;
	add_frames(&f->net, sw, sw->pipe_head, &b);
	if (b.in != b.out + b.dropped + b.inside)
		return error_set(err, "", "%s took in %lld bytes; %lld left, %lld were dropped, %lld are inside",
				 sw->node->name, (long long)b.in, (long long)b.out, (long long)b.dropped,
				 (long long)b.inside);
	if (!sw->floods && b.charged != sw->mmu.resident)
		return error_set(err, "", "%s holds frames worth %lld bytes of buffer, and %lld are charged",
				 sw->node->name, (long long)b.charged, (long long)sw->mmu.resident);
	return 0;
}

int view_conservation(const struct fabric *f, struct sim_error *err)
{
	for (uint32_t i = 0; i < f->net.nports; i++)
		if (check_link(f, i, err))
			return -1;
	for (uint32_t i = 0; i < f->net.nnodes; i++)
		if (f->sw[i] && check_switch(f, f->sw[i], err))
			return -1;
	return 0;
}
