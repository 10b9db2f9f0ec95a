/* analyze/config_mtu.c - packets against the MTU of the switches that they pass. */
#include <stdlib.h>
#include <string.h>
#include "analyze/config.h"
#include "analyze/sent.h"
#include "models/wire/frame.h"
#include "sim/mem.h"

/* The largest IP packet of a host: the first of a WRITE. */
static int64_t packet_bytes(const struct routing *r, uint32_t host)
{
	return view_nic_conf(r->f, host)->mtu_bytes + FRAME_ROCE_BYTES + FRAME_RETH_BYTES -
	       FRAME_ETH_BYTES;
}

static int64_t largest_below(int64_t packet)
{
	int64_t mtu = 256;

	while (mtu * 2 + FRAME_ROCE_BYTES + FRAME_RETH_BYTES - FRAME_ETH_BYTES <= packet)
		mtu *= 2;
	return mtu;
}

/* Packets from one host to another.  `workload` -1: nobody sends them, though any host might. */
struct mtu_pair { uint32_t src, dst; int workload; int64_t packet; };
/* The first pair found whose packets pass a switch with too small an MTU; src ROUTING_NONE: none. */
struct mtu_find {
	const struct routing *r;
	struct mtu_pair *sent;		/* [group * switches + switch]: the largest packets of the traffic */
	struct mtu_pair *hit;		/* by switch */
};

/* --------------------------------------------------------------------- pairs */

static void note_pair(void *ctx, int workload, uint32_t src, uint32_t dst, bool data)
{
	struct mtu_find *m = ctx;
	const struct routing *r = m->r;
	const struct workload_conf *c = view_workload_conf(r->f, workload);
	uint32_t port = view_first_port(r->f, src);
	int64_t packet = c->kind == WORKLOAD_STREAM ? c->frame_bytes - FRAME_ETH_BYTES : packet_bytes(r, src);

	if (!data || r->group_of[dst] == ROUTING_NONE)
		return;
	for (uint32_t i = 0; i < view_port_count(r->f, src); i++) {
		uint32_t leaf = r->switch_of[routing_far(r, port + i)];

		if (leaf == ROUTING_NONE)
			continue;
		struct mtu_pair *p = &m->sent[(size_t)r->group_of[dst] * r->nswitches + leaf];
		if (p->src == ROUTING_NONE || packet > p->packet)
			*p = (struct mtu_pair){ src, dst, workload, packet };
	}
}

/* The host at the switch that would send the largest packets to a host of the group that it is
 * not. */
static struct mtu_pair any_pair(const struct routing *r, uint32_t sw, uint32_t group)
{
	const struct routing_group *g = &r->group[group];
	uint32_t port = view_first_port(r->f, r->node[sw]);
	uint32_t end = port + view_port_count(r->f, r->node[sw]);
	struct mtu_pair best = { .src = ROUTING_NONE, .workload = -1 };

	for (; port < end; port++) {
		uint32_t h = routing_far(r, port);

		if (!config_is_host(r, h) || (g->hosts[0] == h && g->nhosts == 1) ||
		    (best.src != ROUTING_NONE && packet_bytes(r, h) <= best.packet))
			continue;
		best.src = h;
		best.dst = g->hosts[g->hosts[0] == h];
		best.packet = packet_bytes(r, h);
	}
	return best;
}

/* ------------------------------------------------------------------ who passes */

/* All switches that frames from the host's switch to the group may pass. */
static void pass(const struct routing *r, const struct routing_ways *w, uint32_t start,
		 bool *seen, uint32_t *queue)
{
	uint32_t head = 0, tail = 0;

	memset(seen, 0, r->nswitches * sizeof(*seen));
	queue[tail++] = start;
	seen[start] = true;
	while (head < tail) {
		uint32_t s = queue[head++];

		for (uint32_t i = 0; i < routing_degree(r, s); i++) {
			uint32_t to = r->channel[r->first[s] + i].to;

			if (!routing_has(routing_next(w, r, s), i) || seen[to])
				continue;
			seen[to] = true;
			queue[tail++] = to;
		}
	}
}

/* Hits by the pairs of the traffic, or by any. */
static void find_hits(struct mtu_find *m, bool sent)
{
	const struct routing *r = m->r;
	bool *seen = mem_zalloc(r->nswitches + 1);
	uint32_t *queue = mem_zalloc((r->nswitches + 1) * sizeof(*queue));
	struct routing_ways w;

	routing_ways_new(&w, r);
	for (uint32_t g = 0; g < r->ngroups; g++) {
		routing_ways(r, g, ROUTING_GLOBAL, NULL, 0, &w);
		for (uint32_t s = 0; s < r->nswitches; s++) {
			struct mtu_pair p = sent ? m->sent[(size_t)g * r->nswitches + s] : any_pair(r, s, g);

			if (p.src == ROUTING_NONE)
				continue;
			pass(r, &w, s, seen, queue);
			for (uint32_t t = 0; t < r->nswitches; t++)
				if (seen[t] && view_switch_conf(r->f, r->node[t])->mtu_bytes < p.packet &&
				    m->hit[t].src == ROUTING_NONE)
					m->hit[t] = p;
		}
	}
	routing_ways_free(&w);
	free(seen);
	free(queue);
}

/* ------------------------------------------------------------------- findings */

static void mtu_finding(const struct routing *r, uint32_t sw, const struct mtu_pair *p,
			struct finding_list *out)
{
	const struct nic_conf *nic = view_nic_conf(r->f, p->src);
	int64_t mtu = view_switch_conf(r->f, r->node[sw])->mtu_bytes;
	const char *src = view_node_name(r->f, p->src), *dst = view_node_name(r->f, p->dst);
	bool stream = p->workload >= 0 && view_workload_conf(r->f, p->workload)->kind == WORKLOAD_STREAM;
	const char *then = nic->df ? "do-not-fragment is set, so it drops them and the queue pair fails"
				   : "it cuts them into fragments, which the receiving NIC takes slowly";
	struct finding *x = finding_add(out, FINDING_WRONG, "mtu");

	finding_object(x, "%s", view_node_name(r->f, r->node[sw]));
	finding_value(x, mtu, UNITS_BYTES);
	if (stream) {
		finding_reason(x, "its MTU is %lldB, and the stream %s from %s to %s, which passes it, has packets "
			       "of %lldB: %s",
			       (long long)mtu, view_workload_conf(r->f, p->workload)->name, src, dst,
			       (long long)p->packet, nic->df ? "do-not-fragment is set, so it drops them" : then);
		finding_remedy(x, "an MTU of %lldB or more here, or a \"frame\" of at most %lldB",
			       (long long)p->packet, (long long)(mtu + FRAME_ETH_BYTES));
		return;
	}
	finding_reason(x, "its MTU is %lldB, and packets from %s to %s%s pass it, %s up to %lldB (%lldB of payload, "
		       "headers, RETH): %s",
		       (long long)mtu, src, dst, p->workload < 0 ? ", were they sent, would" : ", which",
		       p->workload < 0 ? "and have" : "have", (long long)p->packet, (long long)nic->mtu_bytes, then);
	finding_remedy(x, "an MTU of %lldB or more here, or \"mtu\": \"%lldB\" on the NICs",
		       (long long)p->packet, (long long)largest_below(mtu));
}

static void mtu_of_hosts(const struct routing *r, struct finding_list *out)
{
	uint32_t low = ROUTING_NONE, high = ROUTING_NONE;
	struct finding *x;

	for (uint32_t h = 0; h < view_nodes(r->f); h++) {
		if (!config_is_host(r, h))
			continue;
		if (low == ROUTING_NONE || packet_bytes(r, h) < packet_bytes(r, low))
			low = h;
		if (high == ROUTING_NONE || packet_bytes(r, h) > packet_bytes(r, high))
			high = h;
	}
	if (low == ROUTING_NONE || packet_bytes(r, low) == packet_bytes(r, high))
		return;
	x = finding_add(out, FINDING_NOTE, "mtu");
	finding_object(x, "%s and %s", view_node_name(r->f, low), view_node_name(r->f, high));
	finding_value(x, view_nic_conf(r->f, low)->mtu_bytes, UNITS_BYTES);
	finding_reason(
		x,
		"their NICs have path MTUs of %lldB and %lldB: a real queue pair between "
		"them uses the smaller",
		(long long)view_nic_conf(r->f, low)->mtu_bytes,
		(long long)view_nic_conf(r->f, high)->mtu_bytes);
	finding_remedy(x, "one \"mtu\" for all NICs");
}

static int64_t largest_of_all(const struct routing *r)
{
	int64_t most = 0;

	for (uint32_t h = 0; h < view_nodes(r->f); h++)
		if (config_is_host(r, h) && packet_bytes(r, h) > most)
			most = packet_bytes(r, h);
	for (int w = 0; w < view_workloads(r->f); w++) {
		const struct workload_conf *c = view_workload_conf(r->f, w);

		if (c->kind == WORKLOAD_STREAM && c->frame_bytes - FRAME_ETH_BYTES > most)
			most = c->frame_bytes - FRAME_ETH_BYTES;
	}
	return most;
}

void config_mtu(const struct routing *r, struct finding_list *out)
{
	size_t pairs = (size_t)r->ngroups * r->nswitches;
	int64_t most = largest_of_all(r);
	struct mtu_find m = { .r = r };
	bool any = false;

	for (uint32_t s = 0; s < r->nswitches; s++)
		any |= view_switch_conf(r->f, r->node[s])->mtu_bytes < most;
	if (any) {
		m.hit = mem_zalloc((r->nswitches + 1) * sizeof(*m.hit));
		m.sent = mem_zalloc((pairs + 1) * sizeof(*m.sent));
		for (uint32_t s = 0; s < r->nswitches; s++)
			m.hit[s].src = ROUTING_NONE;
		for (size_t i = 0; i < pairs; i++)
			m.sent[i].src = ROUTING_NONE;
		sent_pairs(r->f, note_pair, &m);
		find_hits(&m, true);
		find_hits(&m, false);
	}
	for (uint32_t s = 0; any && s < r->nswitches; s++)
		if (m.hit[s].src != ROUTING_NONE)
			mtu_finding(r, s, &m.hit[s], out);
	mtu_of_hosts(r, out);
	free(m.hit);
	free(m.sent);
}
