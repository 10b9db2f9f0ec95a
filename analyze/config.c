/* analyze/config.c - see config.h: the pieces that look at hosts. */
#include "analyze/config.h"

#include <string.h>

void config_check(const struct routing *r, struct finding_list *out)
{
	config_mtu(r, out);
	config_maps(r, out);
	config_pfc(r, out);
	config_ecn(r, out);
	config_marks(r, out);
	config_buffer(r, out);
	config_alpha(r, out);
	config_nic(r, out);
	config_watchdog(r, out);
	config_answers(r, out);
	config_starts(r, out);
}

bool config_is_host(const struct routing *r, uint32_t node)
{
	return r->switch_of[node] == ROUTING_NONE && view_port_count(r->f, node);
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
		if (!config_is_host(r, h))
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
		if (!config_is_host(r, h))
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

/* ------------------------------------------------------------------- starts */

void config_starts(const struct routing *r, struct finding_list *out)
{
	int64_t until = view_run_conf(r->f)->until_ps;
	char at[32], end[32];

	for (int w = 0; w < view_workloads(r->f); w++) {
		const struct workload_conf *c = view_workload_conf(r->f, w);
		int64_t start = workload_first_ps(c), late = workload_listed_after(c, until);

		if (start < until && !late)
			continue;
		struct finding *x = finding_add(out, FINDING_NOTE, "traffic");

		finding_object(x, "%s", c->name);
		finding_value(x, start < until ? late : start, start < until ? UNITS_COUNT : UNITS_TIME);
		if (start < until)
			finding_reason(x, "so many of its %lld flows start when the run is over, at %s",
				       (long long)c->nlist, units_format(until, UNITS_TIME, end, sizeof(end)));
		else
			finding_reason(x, "it starts at %s, and the run ends at %s: nothing of it is sent",
				       units_format(start, UNITS_TIME, at, sizeof(at)),
				       units_format(until, UNITS_TIME, end, sizeof(end)));
		if (start >= until && c->nlist && !c->origin_ps)
			finding_remedy(x, "the \"origin\" of the list, its time that falls on \"start\" (HPCC's lists begin at "
				       "2s), or a longer \"run\": {\"until\": ...}");
		else
			finding_remedy(x, "an earlier \"start\", or a longer \"run\": {\"until\": ...}");
	}
}
