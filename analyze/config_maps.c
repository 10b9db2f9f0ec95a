/* analyze/config_maps.c - DSCP, queue, priority and pause, end to end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/config.h"
#include "analyze/sent.h"
#include "sim/mem.h"

/* What some NICs stamp on a lossless class; `inside`: only switches give it, to what goes on to
 * another switch. */
struct stamp { int class_, dscp; uint32_t first; int64_t hosts; bool inside; };

static struct stamp *stamps(const struct routing *r, int *n)
{
	struct stamp *list = mem_zalloc(FABRIC_CLASSES * FABRIC_DSCPS * sizeof(*list));

	*n = 0;
	for (uint32_t h = 0; h < view_nodes(r->f); h++)
		for (int c = 0; r->group_of[h] != ROUTING_NONE && c < view_classes(r->f); c++) {
			int dscp = view_dscp_of(r->f, h, c), i = 0;

			if (!view_class(r->f, c)->lossless)
				continue;
			while (i < *n && (list[i].class_ != c || list[i].dscp != dscp))
				i++;
			if (i == *n)
				list[(*n)++] = (struct stamp){ c, dscp, h, 0, !sent_by_hosts(r, c) };
			list[i].hosts++;
		}
	return list;
}

static void name_stamp(const struct routing *r, const struct stamp *s, char *buf, size_t size)
{
	char more[32];

	if (s->inside)
		snprintf(buf, size, "class %s, DSCP %d by remap", view_class(r->f, s->class_)->name, s->dscp);
	else
		snprintf(buf, size, "class %s, DSCP %d of %s%s", view_class(r->f, s->class_)->name,
		 s->dscp, view_node_name(r->f, s->first),
		 finding_more(s->hosts - 1, more, sizeof(more)));
}

/* Ports of the switch on which the priority is not lossless. */
static int64_t lossy_ports(const struct routing *r, uint32_t sw, int prio, bool inside, uint32_t *first)
{
	uint32_t port = view_first_port(r->f, r->node[sw]);
	uint32_t end = port + view_port_count(r->f, r->node[sw]);
	int64_t n = 0;

	for (; port < end; port++) {
		if (inside && r->switch_of[routing_far(r, port)] == ROUTING_NONE)
			continue;
		if (!(view_lossless_of(r->f, port) >> prio & 1) && !n++)
			*first = port;
	}
	return n;
}

static bool trusts_pcp(const struct routing *r, uint32_t sw)
{
	return view_switch_conf(r->f, r->node[sw])->trust == SWITCH_TRUST_PCP;
}

static void lossy(const struct routing *r, const struct stamp *s, struct finding_list *out)
{
	const struct class_conf *k = view_class(r->f, s->class_);
	uint32_t first = ROUTING_NONE, port = 0, unused = 0;
	int64_t switches = 0;
	char name[200], at[96], more[32];
	struct finding *x;

	for (uint32_t sw = 0; sw < r->nswitches; sw++) {
		int prio = view_priority_of(r->f, r->node[sw], s->dscp);
		bool hit =
			lossy_ports(r, sw, prio, s->inside, first == ROUTING_NONE ? &port : &unused) > 0;

		if (hit && !switches++)
			first = sw;
	}
	if (!switches)
		return;
	int prio = view_priority_of(r->f, r->node[first], s->dscp);
	int tc = view_queue_of(r->f, r->node[first], s->dscp);
	int64_t ports = lossy_ports(r, first, prio, s->inside, &unused);
	bool all = ports == view_port_count(r->f, r->node[first]);
	name_stamp(r, s, name, sizeof(name));
	x = finding_add(out, FINDING_WRONG, "dscp");
	finding_object(x, "%s", name);
	finding_value(x, s->dscp, UNITS_COUNT);
	if (trusts_pcp(r, first)) {
		finding_reason(x,
			       "%s%s trusts the priority of a VLAN tag (PCP), and hosts send no tag: it "
			       "puts it into traffic class %d, priority %d, which is lossy: PFC does not "
			       "protect it, and it is dropped like any other traffic",
			       view_node_name(r->f, r->node[first]),
			       finding_more(switches - 1, more, sizeof(more)), tc, prio);
		finding_remedy(x, "\"trust\": \"dscp\"");
		return;
	}
	finding_reason(
		x,
		"%s%s puts it into traffic class %d, priority %d, which is lossy%s%s: PFC does "
		"not protect it, and it is dropped like any other traffic",
		view_node_name(r->f, r->node[first]),
		finding_more(switches - 1, more, sizeof(more)), tc, prio, all ? "" : " on ",
		all ? "" : routing_port_name(r, port, at, sizeof(at)));
	finding_remedy(
		x,
		"map DSCP %d to traffic class %lld on the switches, or let the NICs stamp %lld",
		s->dscp, (long long)k->tc, (long long)k->dscp);
}

/* A pause that `to` sends for what the stamp fills there must stop queue `queue` of `out`. */
static bool stops(const struct routing *r, uint32_t out, int queue, uint32_t to_switch,
		  int dscp)
{
	uint32_t in = view_port(r->f, out).peer_port;
	int prio = view_priority_of(r->f, r->node[to_switch], dscp);

	return !(view_lossless_of(r->f, in) >> prio & 1) ||
	       view_queues_of(r->f, out, prio) >> queue & 1;
}

/* The first hop on which it does not; ROUTING_NONE when there is none. */
static uint32_t missed(const struct routing *r, const struct stamp *s, int *queue, int64_t *n)
{
	uint32_t first = ROUTING_NONE;

	*n = 0;
	for (uint32_t h = 0; h < view_nodes(r->f); h++) {
		uint32_t port = view_first_port(r->f, h), ports = view_port_count(r->f, h);
		uint32_t me = r->switch_of[h];
		int q = me == ROUTING_NONE ? (int)view_class(r->f, s->class_)->tc
					   : view_queue_of(r->f, h, s->dscp);

		if (me == ROUTING_NONE && ports &&
		    (s->inside || view_dscp_of(r->f, h, s->class_) != s->dscp))
			continue;
		for (uint32_t i = 0; i < ports; i++) {
			uint32_t to = r->switch_of[routing_far(r, port + i)];

			if (to == ROUTING_NONE || stops(r, port + i, q, to, s->dscp) || (*n)++)
				continue;
			first = port + i;
			*queue = q;
		}
	}
	return first;
}

static void wrong_pause(const struct routing *r, const struct stamp *s,
			struct finding_list *out)
{
	int queue = 0;
	int64_t n;
	uint32_t port = missed(r, s, &queue, &n);
	char name[200], at[96], more[32];
	struct finding *x;

	if (port == ROUTING_NONE)
		return;
	uint32_t to = routing_far(r, port);
	int prio = view_priority_of(r->f, to, s->dscp);
	name_stamp(r, s, name, sizeof(name));
	x = finding_add(out, FINDING_WRONG, "pause");
	finding_object(x, "%s, at %s%s", name, routing_port_name(r, port, at, sizeof(at)),
		       finding_more(n - 1, more, sizeof(more)));
	finding_value(x, prio, UNITS_COUNT);
	finding_reason(
		x,
		"it leaves by queue %d, and %s pauses priority %d for it, which stops another "
		"queue: the sender goes on and the headroom overflows",
		queue, view_node_name(r->f, to), prio);
	finding_remedy(x, "the same traffic class and priority for DSCP %d at both ends",
		       s->dscp);
}

/* A class that changes its priority on the way (a tunnel's remap, or a mistake). */
static void changes(const struct routing *r, const struct stamp *s, struct finding_list *out)
{
	uint32_t other = ROUTING_NONE;
	int first = -1;
	char name[200];
	struct finding *x;

	for (uint32_t sw = 0; sw < r->nswitches && other == ROUTING_NONE; sw++) {
		int prio = view_priority_of(r->f, r->node[sw], s->dscp);

		if (first < 0)
			first = prio;
		else if (prio != first)
			other = sw;
	}
	if (other == ROUTING_NONE)
		return;
	name_stamp(r, s, name, sizeof(name));
	x = finding_add(out, FINDING_NOTE, "dscp");
	finding_object(x, "%s", name);
	finding_value(x, view_priority_of(r->f, r->node[other], s->dscp), UNITS_COUNT);
	finding_reason(x, "%s takes it for priority %d and %s for priority %d",
		       view_node_name(r->f, r->node[0]), first,
		       view_node_name(r->f, r->node[other]),
		       view_priority_of(r->f, r->node[other], s->dscp));
	finding_remedy(
		x, "one map for all switches, unless the change is meant to break a circle");
}

/* Two switches of a link that classify its frames by different marks. */
static void trust_ends(const struct routing *r, struct finding_list *out)
{
	uint32_t first = ROUTING_NONE;
	int64_t links = 0;
	char a[96], b[96], more[32];
	struct finding *x;

	for (uint32_t p = 0; p < view_ports(r->f); p++) {
		uint32_t q = view_port(r->f, p).peer_port;
		uint32_t here = r->switch_of[view_port(r->f, p).node], there = r->switch_of[view_port(r->f, q).node];

		if (here == ROUTING_NONE || there == ROUTING_NONE || !trusts_pcp(r, here) ||
		    trusts_pcp(r, there) || links++)
			continue;
		first = p;
	}
	if (!links)
		return;
	x = finding_add(out, FINDING_WRONG, "trust");
	finding_object(x, "%s - %s%s", routing_port_name(r, first, a, sizeof(a)),
		       routing_port_name(r, view_port(r->f, first).peer_port, b, sizeof(b)),
		       finding_more(links - 1, more, sizeof(more)));
	finding_value(x, links, UNITS_COUNT);
	finding_reason(x, "the first end trusts the priority of a VLAN tag (PCP), the other the DSCP: a frame "
			  "changes its traffic class on the way, and pauses of one end stop another queue");
	finding_remedy(x, "the same \"trust\" at both ends; for routed RoCEv2 \"dscp\"");
}

void config_maps(const struct routing *r, struct finding_list *out)
{
	int n;
	struct stamp *list = stamps(r, &n);

	trust_ends(r, out);
	for (int i = 0; i < n; i++) {
		lossy(r, &list[i], out);
		wrong_pause(r, &list[i], out);
		changes(r, &list[i], out);
	}
	free(list);
}

/* --------------------------------------------------------------------- PFC */

/* Those that only switches give do not matter on the link of a host. */
static uint8_t lossless_on(const struct routing *r, uint32_t p, uint8_t inside)
{
	uint32_t q = view_port(r->f, p).peer_port;
	bool host = r->switch_of[view_port(r->f, p).node] == ROUTING_NONE ||
		    r->switch_of[view_port(r->f, q).node] == ROUTING_NONE;

	return view_lossless_of(r->f, p) & (uint8_t)~(host ? inside : 0);
}

/* Priorities of classes that only switches give. */
static uint8_t given_only(const struct routing *r)
{
	unsigned mask = 0;

	for (int c = 0; c < view_classes(r->f); c++)
		mask |= (unsigned)!sent_by_hosts(r, c) << view_class(r->f, c)->priority;
	return (uint8_t)mask;
}

/* Lossless priorities that one end pauses and the other does not obey. */
static void pfc_ends(const struct routing *r, struct finding_list *out)
{
	const struct fabric *f = r->f;
	uint32_t first = ROUTING_NONE;
	uint8_t inside = given_only(r);
	int64_t links = 0;
	char a[96], b[96], more[32];
	struct finding *x;

	for (uint32_t p = 0; p < view_ports(f); p++) {
		uint32_t q = view_port(f, p).peer_port;

		if (q < p || lossless_on(r, p, inside) == lossless_on(r, q, inside) || links++)
			continue;
		first = p;
	}
	if (!links)
		return;
	uint32_t far = view_port(f, first).peer_port;
	unsigned mine = view_lossless_of(f, first), theirs = view_lossless_of(f, far);
	x = finding_add(out, FINDING_WRONG, "pfc");
	finding_object(x, "%s - %s%s", routing_port_name(r, first, a, sizeof(a)),
		       routing_port_name(r, far, b, sizeof(b)),
		       finding_more(links - 1, more, sizeof(more)));
	finding_value(x, __builtin_popcount(mine ^ theirs), UNITS_COUNT);
	finding_reason(
		x,
		"the two ends are lossless for different priorities (mask 0x%02x against 0x%02x): "
		"pauses of one end are not obeyed by the other, and its headroom overflows",
		mine, theirs);
	finding_remedy(x, "\"pfc\" with the same \"enable\" and priorities at both ends");
}

static int pause_mode(const struct fabric *f, uint32_t port)
{
	uint32_t node = view_port(f, port).node;

	return view_is_switch(f, node) ? view_switch_conf(f, node)->pfc.mode : view_nic_conf(f, node)->pfc.mode;
}

/* 802.3x at one end, 802.1Qbb at the other. */
static void pfc_modes(const struct routing *r, struct finding_list *out)
{
	const struct fabric *f = r->f;
	uint32_t first = ROUTING_NONE;
	int64_t links = 0;
	char a[96], b[96], more[32];

	for (uint32_t p = 0; p < view_ports(f); p++) {
		uint32_t q = view_port(f, p).peer_port;

		if (q > p && pause_mode(f, p) != pause_mode(f, q) && !links++)
			first = p;
	}
	if (!links)
		return;
	struct finding *x = finding_add(out, FINDING_WRONG, "pfc");

	finding_object(x, "%s - %s%s", routing_port_name(r, first, a, sizeof(a)),
		       routing_port_name(r, view_port(f, first).peer_port, b, sizeof(b)),
		       finding_more(links - 1, more, sizeof(more)));
	finding_value(x, links, UNITS_COUNT);
	finding_reason(x, "one end sends and obeys pauses by priority, the other global ones (802.3x): "
		       "neither obeys the other, and the headroom of both overflows");
	finding_remedy(x, "\"pfc\" with the same \"mode\" at both ends");
}

static void pfc_refresh(const struct routing *r, struct finding_list *out)
{
	const struct fabric *f = r->f;
	uint32_t first = ROUTING_NONE;
	int64_t ports = 0;
	char a[96], more[32], wait[32], lasts[32];
	struct finding *x;

	for (uint32_t s = 0; s < r->nswitches; s++)
		for (uint32_t i = 0; i < view_port_count(f, r->node[s]); i++) {
			uint32_t p = view_first_port(f, r->node[s]) + i;

			if (!view_lossless_of(f, p) || view_group(f, p, 0).refreshed || ports++)
				continue;
			first = p;
		}
	if (!ports)
		return;
	struct view_port p = view_port(f, first);
	const struct pfc_conf *c = &view_switch_conf(f, p.node)->pfc;
	x = finding_add(out, FINDING_WRONG, "pfc");
	finding_object(x, "%s%s", routing_port_name(r, first, a, sizeof(a)),
		       finding_more(ports - 1, more, sizeof(more)));
	finding_value(x, pfc_conf_refresh_ps(c, p.rate_bps), UNITS_TIME);
	finding_reason(
		x,
		"a standing pause is refreshed every %s and lasts %s: it expires before, and "
		"frames arrive that no headroom is kept for",
		units_format(pfc_conf_refresh_ps(c, p.rate_bps), UNITS_TIME, wait,
			     sizeof(wait)),
		units_format(pfc_quanta_ps(c->quanta, p.rate_bps), UNITS_TIME, lasts,
			     sizeof(lasts)));
	finding_remedy(x, "\"refresh\": \"auto\" (half the pause), or more \"quanta\"");
}

void config_pfc(const struct routing *r, struct finding_list *out)
{
	pfc_ends(r, out);
	pfc_modes(r, out);
	pfc_refresh(r, out);
}
