/* analyze/config.c - see config.h: the pieces that look at hosts and links. */
#include "analyze/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "models/wire/frame.h"
#include "sim/mem.h"

void config_check(const struct routing *r, struct finding_list *out)
{
	config_mtu(r, out);
	config_maps(r, out);
	config_pfc(r, out);
	config_ecn(r, out);
	config_buffer(r, out);
	config_nic(r, out);
	config_watchdog(r, out);
	config_answers(r, out);
}

static bool is_host(const struct routing *r, uint32_t node)
{
	return r->switch_of[node] == ROUTING_NONE && view_port_count(r->f, node);
}

/* --------------------------------------------------------------------- MTU */

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

struct mtu_hit { uint32_t src, dst; int64_t pairs; };

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

/* The host at the switch that sends the largest packets. */
static uint32_t largest_at(const struct routing *r, uint32_t sw)
{
	uint32_t port = view_first_port(r->f, r->node[sw]), best = ROUTING_NONE;
	uint32_t end = port + view_port_count(r->f, r->node[sw]);

	for (; port < end; port++) {
		uint32_t h = routing_far(r, port);

		if (is_host(r, h) &&
		    (best == ROUTING_NONE || packet_bytes(r, h) > packet_bytes(r, best)))
			best = h;
	}
	return best;
}

static void mtu_hits(const struct routing *r, struct mtu_hit *hit)
{
	bool *seen = mem_zalloc(r->nswitches + 1);
	uint32_t *queue = mem_zalloc((r->nswitches + 1) * sizeof(*queue));
	struct routing_ways w;

	routing_ways_new(&w, r);
	for (uint32_t g = 0; g < r->ngroups; g++) {
		routing_ways(r, g, ROUTING_GLOBAL, NULL, 0, &w);
		for (uint32_t s = 0; s < r->nswitches; s++) {
			uint32_t h = largest_at(r, s);

			if (h == ROUTING_NONE || !routing_may_send(r, s, g))
				continue;
			pass(r, &w, s, seen, queue);
			for (uint32_t t = 0; t < r->nswitches; t++)
				if (seen[t] && view_switch_conf(r->f, r->node[t])->mtu_bytes <
					       packet_bytes(r, h) && !hit[t].pairs++) {
					hit[t].src = h;
					hit[t].dst = r->group[g].hosts[0];
				}
		}
	}
	routing_ways_free(&w);
	free(seen);
	free(queue);
}

static void mtu_finding(const struct routing *r, uint32_t sw, const struct mtu_hit *hit,
			struct finding_list *out)
{
	const struct nic_conf *nic = view_nic_conf(r->f, hit->src);
	int64_t mtu = view_switch_conf(r->f, r->node[sw])->mtu_bytes;
	int64_t packet = packet_bytes(r, hit->src);
	struct finding *x = finding_add(out, FINDING_WRONG, "mtu");

	finding_object(x, "%s", view_node_name(r->f, r->node[sw]));
	finding_value(x, mtu, UNITS_BYTES);
	finding_reason(
		x,
		"its MTU is %lldB, and packets from %s to %s, which pass it, have up to "
		"%lldB (%lldB of payload, headers, RETH): %s",
		(long long)mtu, view_node_name(r->f, hit->src), view_node_name(r->f, hit->dst),
		(long long)packet, (long long)nic->mtu_bytes,
		nic->df ? "do-not-fragment is set, so it drops them and the queue pair fails"
			: "it cuts them into fragments, which the receiving NIC takes slowly");
	finding_remedy(x, "an MTU of %lldB or more here, or \"mtu\": \"%lldB\" on the NICs",
		       (long long)packet, (long long)largest_below(mtu));
}

static void mtu_of_hosts(const struct routing *r, struct finding_list *out)
{
	uint32_t low = ROUTING_NONE, high = ROUTING_NONE;
	struct finding *x;

	for (uint32_t h = 0; h < view_nodes(r->f); h++) {
		if (!is_host(r, h))
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

void config_mtu(const struct routing *r, struct finding_list *out)
{
	struct mtu_hit *hit = mem_zalloc((r->nswitches + 1) * sizeof(*hit));
	int64_t least = INT64_MAX, most = 0;

	for (uint32_t s = 0; s < r->nswitches; s++) {
		int64_t mtu = view_switch_conf(r->f, r->node[s])->mtu_bytes;
		least = mtu < least ? mtu : least;
	}
	for (uint32_t h = 0; h < view_nodes(r->f); h++)
		if (is_host(r, h) && packet_bytes(r, h) > most)
			most = packet_bytes(r, h);
	if (least < most)
		mtu_hits(r, hit);
	for (uint32_t s = 0; s < r->nswitches; s++)
		if (hit[s].pairs)
			mtu_finding(r, s, &hit[s], out);
	mtu_of_hosts(r, out);
	free(hit);
}

/* -------------------------------------------------------------------- nic */

/* What arrives after the NIC's XOFF must fit above rx_xoff. */
static int64_t nic_need(const struct routing *r, uint32_t host)
{
	uint32_t port = view_first_port(r->f, host);
	struct view_port p = view_port(r->f, port), far = view_port(r->f, p.peer_port);
	struct headroom_terms t;

	if (!view_is_switch(r->f, far.node))
		return 0;
	headroom_compute(
		&(struct headroom_conf){
			.rate_bps = far.rate_bps,
			.delay_ps = far.delay_ps,
			.response_ps = pfc_conf_response_ps(
				&view_switch_conf(r->f, far.node)->pfc, far.rate_bps),
			.forward_bytes = view_frame_bytes_max(r->f),
			.reverse_bytes = view_frame_bytes_max(r->f),
			.cell_bytes = 1 },
		&t);
	return t.full.bytes;
}

void config_nic(const struct routing *r, struct finding_list *out)
{
	uint32_t first = ROUTING_NONE;
	int64_t n = 0, need = 0, have = 0;
	char more[32];

	for (uint32_t h = 0; h < view_nodes(r->f); h++) {
		if (!is_host(r, h))
			continue;
		const struct nic_conf *c = view_nic_conf(r->f, h);
		int64_t needs = nic_need(r, h);

		if (c->rx_buffer_bytes - c->rx_xoff_bytes >= needs || n++)
			continue;
		first = h;
		need = needs;
		have = c->rx_buffer_bytes - c->rx_xoff_bytes;
	}
	if (!n)
		return;
	struct finding *x = finding_add(out, FINDING_WRONG, "nic");
	finding_object(x, "%s%s", view_node_name(r->f, first),
		       finding_more(n - 1, more, sizeof(more)));
	finding_value(x, have, UNITS_BYTES);
	finding_reason(
		x,
		"above rx_xoff its receive buffer has %lldB, and up to %lldB arrive after its "
		"XOFF: when it drains slower than the line it loses lossless frames",
		(long long)have, (long long)need);
	finding_remedy(x, "a lower rx_xoff or a larger rx_buffer: at least %lldB between them",
		       (long long)need);
}

/* ------------------------------------------------------------------- answers */

/* Which class do NICs use for it, -1: the data's; and who is first to. */
static void answer(const struct routing *r, uint32_t h, int class_, const char *what,
		   struct finding_list *out)
{
	const struct class_conf *k = view_class(r->f, class_);
	struct finding *x;

	if (!strcmp(what, "CNPs") ? !k->lossless : k->lossless)
		return;
	x = finding_add(out, FINDING_NOTE, "answers");
	finding_object(x, "%s of %s", what, view_node_name(r->f, h));
	finding_value(x, k->priority, UNITS_COUNT);
	if (!strcmp(what, "CNPs")) {
		finding_reason(
			x,
			"they go in class %s, priority %lld, which is lossless: they are paused "
			"with the congestion that they report, and add buffer dependencies",
			k->name, (long long)k->priority);
		finding_remedy(
			x, "a lossy class of its own, served strictly first (\"cnp_class\")");
	} else {
		finding_reason(
			x,
			"they go in class %s, priority %lld, which is lossy: a lost ACK makes "
			"its sender wait for the next one, or time out",
			k->name, (long long)k->priority);
		finding_remedy(
			x,
			"the data's class (leave \"ack_class\" out), or one that is not dropped");
	}
}

void config_answers(const struct routing *r, struct finding_list *out)
{
	bool seen_cnp[FABRIC_CLASSES] = { false }, seen_ack[FABRIC_CLASSES] = { false };

	for (uint32_t h = 0; h < view_nodes(r->f); h++) {
		if (!is_host(r, h))
			continue;
		const struct nic_conf *c = view_nic_conf(r->f, h);

		if (c->cnp_class >= 0 && c->cc->needs & CC_NEED_CNP &&
		    !seen_cnp[c->cnp_class]) {
			seen_cnp[c->cnp_class] = true;
			answer(r, h, c->cnp_class, "CNPs", out);
		}
		if (c->ack_class >= 0 && !seen_ack[c->ack_class]) {
			seen_ack[c->ack_class] = true;
			answer(r, h, c->ack_class, "ACKs", out);
		}
	}
}
