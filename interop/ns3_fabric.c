/*
 * interop/ns3_fabric.c - its switches: buffer, thresholds by the rate of ports, marking.
 *
 * HPCC's SwitchMmu: 4096 bytes reserved for each group, a headroom of three times rate times
 * delay for each port, and a dynamic limit of 1/8 of the free shared pool for ports of the
 * NICs' rate, twice that for each doubling of a port's rate; XON 3072 bytes below the limit.
 */
#include "interop/ns3_inside.h"

#include <stdlib.h>

#include "scenario/pattern.h"
#include "scenario/writer.h"
#include "sim/mem.h"

int64_t ns3_nic_bps(const struct ns3 *n)
{
	for (int i = 0; i < n->nlinks; i++) {
		if (!n->is_switch[n->link[i].a] || !n->is_switch[n->link[i].b])
			return n->link[i].rate_bps;
	}
	return n->nlinks ? n->link[0].rate_bps : 0;
}

/* The slowest port, which is a host's where there are hosts. */
static int64_t slowest(const struct ns3 *n, int node, bool *several)
{
	int64_t rate = 0;

	for (int i = 0; i < n->nlinks; i++) {
		const struct ns3_link *l = &n->link[i];

		if (l->a != node && l->b != node)
			continue;
		*several = *several || (rate && l->rate_bps != rate);
		rate = !rate || l->rate_bps < rate ? l->rate_bps : rate;
	}
	return rate;
}

static void profile(struct writer *w, const struct ns3 *n, const struct ns3_link *l)
{
	int shift = 3;
	char text[40];

	for (int64_t r = l->rate_bps, nic = ns3_nic_bps(n); r > nic && shift > 0; r /= 2)
		shift--;
	snprintf(text, sizeof text, "1/%d", 1 << shift);
	writer_text(w, "alpha", text);
	/* 3 x rate x delay / 8, in whole bytes */
	int64_t bytes = (int64_t)((__int128)l->rate_bps * l->delay_ps / UNITS_PS_PER_S / 8) * 3;
	writer_text(w, "headroom", units_exact(bytes, UNITS_BYTES, text, sizeof text));
}

static bool alike(const struct ns3_link *a, const struct ns3_link *b)
{
	return a->rate_bps == b->rate_bps && a->delay_ps == b->delay_ps;
}

/* The link of each port of a node, by number - 1. */
static const struct ns3_link **links_of(const struct ns3 *n, int node)
{
	const struct ns3_link **of = mem_zalloc((size_t)n->ports[node] * sizeof *of + 1);

	for (int i = 0; i < n->nlinks; i++) {
		if (n->link[i].a == node)
			of[n->link[i].a_port - 1] = &n->link[i];
		if (n->link[i].b == node)
			of[n->link[i].b_port - 1] = &n->link[i];
	}
	return of;
}

static void ecn(struct writer *w, const struct ns3 *n, int node)
{
	bool several = false;
	int64_t rate = slowest(n, node, &several);
	const char *kmin = ns3_map(n, "KMIN_MAP", rate), *kmax = ns3_map(n, "KMAX_MAP", rate);
	const char *pmax = ns3_map(n, "PMAX_MAP", rate);
	char text[64];

	if (!ns3_flag(n, "ENABLE_QCN", true) || !kmin || !kmax || !pmax)
		return;
	writer_open(w, "ecn", '{', true);
	writer_open(w, "rdma", '{', true);
	snprintf(text, sizeof text, "%.30sKB", kmin);
	writer_text(w, "kmin", text);
	snprintf(text, sizeof text, "%.30sKB", kmax);
	writer_text(w, "kmax", text);
	writer_text(w, "pmax", pmax);
	writer_close(w, '}');
	writer_close(w, '}');
}

static char *switch_text(const struct ns3 *n, int node)
{
	const struct ns3_link **of = links_of(n, node);
	char *text = NULL, key[40];
	size_t size = 0;
	FILE *out = mem_stream(&text, &size);
	struct writer w = {.out = out, .depth = 3};

	writer_open(&w, "ports", '{', false);
	for (int from = 0, to; from < n->ports[node]; from = to) {
		for (to = from + 1; to < n->ports[node] && alike(of[from], of[to]); to++)
			;
		snprintf(key, sizeof key, "%d-%d", from + 1, to);
		writer_open(&w, key, '{', true);
		profile(&w, n, of[from]);
		writer_close(&w, '}');
	}
	writer_close(&w, '}');
	ecn(&w, n, node);
	mem_stream_close(out);
	free(of);
	return text;
}

/* Switches that are alike share an entry. */
static void overrides(struct writer *w, const struct ns3 *n)
{
	char **texts = mem_zalloc((size_t)n->nodes * sizeof *texts + 1);
	const char **names = mem_zalloc((size_t)n->nodes * sizeof *names + 1);

	for (int i = 0; i < n->nodes; i++) {
		texts[i] = n->is_switch[i] && n->ports[i] ? switch_text(n, i) : NULL;
		names[i] = mem_printf("%d", i);
	}
	writer_alike(w, "switches", names, texts, n->nodes);
	for (int i = 0; i < n->nodes; i++)
		free((char *)(uintptr_t)names[i]);
	free(names);
	free(texts);
}

void ns3_switches(struct writer *w, const struct ns3 *n)
{
	char size[40];

	writer_open(w, "switch", '{', false);
	writer_open(w, "buffer", '{', true);
	snprintf(size, sizeof size, "%.0fMiB", ns3_number(n, "BUFFER_SIZE", 16));
	writer_text(w, "size", size);
	writer_text(w, "cell", "1B");
	writer_text(w, "reserved", "4096B");
	writer_text(w, "xon_offset", "3072B");
	writer_close(w, '}');
	writer_open(w, "pfc", '{', true);
	writer_text(w, "response", "0s");
	writer_close(w, '}');
	writer_close(w, '}');
	overrides(w, n);
}

void ns3_fabric_notes(struct ns3 *n)
{
	bool several = false, missing = false;

	for (int i = 0; i < n->nodes; i++) {
		int64_t rate;

		if (!n->is_switch[i] || !n->ports[i])
			continue;
		rate = slowest(n, i, &several);
		missing = missing || !ns3_map(n, "KMIN_MAP", rate) || !ns3_map(n, "KMAX_MAP", rate) ||
			!ns3_map(n, "PMAX_MAP", rate);
	}
	ns3_note(n, "computed: alpha (1/8 at the NICs' rate, doubled with the rate of a port) and headroom (3 x rate x "
		 "delay), as HPCC's SwitchMmu");
	ns3_note(n, "approximated: the pool: HPCC takes the headroom and 4096 bytes of each port off it; here each group in "
		 "use has them");
	ns3_note(n, "approximated: pauses: no response time as there, but they expire after 65535 quanta and are refreshed; "
		 "a pause frame is 84 bytes of wire, there 43");
	ns3_note(n, "approximated: ECMP: another hash; flows may take other ways of equal length");
	if (!n->config)
		ns3_note(n, "assumed: no config: buffers of 16 MiB, no marking, no congestion control");
	else if (ns3_flag(n, "ENABLE_QCN", true) && missing)
		ns3_note(n, "approximated: KMIN_MAP, KMAX_MAP or PMAX_MAP have no entry for the rate of some switches' ports: "
			 "those do not mark (there, a release build marks from 0 on)");
	if (n->config && several)
		ns3_note(n, "approximated: switches with ports of several rates mark at the thresholds of the slowest");
}
