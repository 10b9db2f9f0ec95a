/* observe/portstats.c - see portstats.h. */
#include <inttypes.h>
#include <stdlib.h>
#include "sim/mem.h"
#include "observe/names.h"
#include "observe/outfile.h"
#include "observe/portstats.h"
#include "observe/stuck.h"

static int64_t all_drops(const struct view_counters *c)
{
	int64_t sum = 0;

	for (int i = 0; i < RECORD_DROPS; i++)
		sum += c->drops[i];
	return sum;
}

/* --- ports.csv ---------------------------------------------------------- */

static void write_row(struct outfile *out, const struct fabric *f, uint32_t port, int prio,
		      const struct view_counters *c)
{
	struct view_port p = view_port(f, port);
	char name[NAMES_MAX];

	outfile_text(out, names_port(f, port, name, sizeof(name)));
	fprintf(out->stream, ",%d,", prio);
	outfile_text(out, names_port(f, p.peer_port, name, sizeof(name)));
	const int64_t fields[] = {
		p.rate_bps, c->lossless, c->tx_frames, c->tx_bytes, c->rx_frames, c->rx_bytes,
		c->marked, c->xoff_frames, c->refresh_frames, c->xon_frames, c->xoff_received,
		c->pauses, c->paused_ps, c->longest_pause_ps,
		c->drops[RECORD_DROP_LOSSLESS], c->drops[RECORD_DROP_LOSSY],
		c->drops[RECORD_DROP_WATCHDOG], c->drops[RECORD_DROP_WIRE],
		c->drops[RECORD_DROP_TTL], c->drops[RECORD_DROP_NIC],
		c->queue_peak_bytes, c->group_peak_bytes, c->headroom_peak_bytes,
		c->headroom_limit_bytes,
	};
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		fprintf(out->stream, ",%" PRId64, fields[i]);
	fputc('\n', out->stream);
}

/* --- switches.csv ------------------------------------------------------- */

static int write_switches(const struct fabric *f, const char *dir, struct sim_error *err)
{
	struct outfile out = { 0 };

	if (outfile_open(&out, dir, "switches.csv", err))
		return -1;
	fputs("switch,buffer_bytes,pool_bytes,headroom_pool_bytes,peak_bytes\n", out.stream);
	for (uint32_t node = 0; node < view_nodes(f); node++) {
		if (!view_is_switch(f, node))
			continue;
		outfile_text(&out, view_node_name(f, node));
		fprintf(out.stream, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
			view_switch_conf(f, node)->buffer.size_bytes, view_pool_bytes(f, node),
			view_headroom_pool_bytes(f, node), view_switch_peak_bytes(f, node));
	}
	return outfile_close(&out, err);
}

/* --- queues.csv --------------------------------------------------------- */

static int write_queues(const struct fabric *f, const char *dir, struct sim_error *err)
{
	struct outfile out = { 0 };
	char name[NAMES_MAX];

	if (outfile_open(&out, dir, "queues.csv", err))
		return -1;
	fputs("port,queue,tx_frames,tx_bytes,lost_frames,lost_bytes,queue_peak_bytes\n", out.stream);
	for (uint32_t port = 0; port < view_ports(f); port++) {
		if (!view_is_switch(f, view_port(f, port).node))
			continue;
		for (int queue = 0; queue < STUCK_PRIOS; queue++) {
			struct view_queue q = view_queue(f, port, queue);
			if (!q.tx_frames && !q.lost_frames && !q.peak_bytes)
				continue;
			outfile_text(&out, names_port(f, port, name, sizeof(name)));
			fprintf(out.stream, ",%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
				queue, q.tx_frames, q.tx_bytes, q.lost_frames, q.lost_bytes, q.peak_bytes);
		}
	}
	return outfile_close(&out, err);
}

int portstats_write(const struct fabric *f, const char *dir, struct sim_error *err)
{
	struct outfile out = { 0 };

	if (write_switches(f, dir, err) || write_queues(f, dir, err))
		return -1;
	if (outfile_open(&out, dir, "ports.csv", err))
		return -1;
	fputs("port,prio,peer,rate_bps,lossless,tx_frames,tx_bytes,rx_frames,rx_bytes,"
	      "marked_frames,xoff_frames,refresh_frames,xon_frames,xoff_received_frames,"
	      "pauses,paused_ps,"
	      "longest_pause_ps,drops_lossless,drops_lossy,drops_watchdog,drops_wire,drops_ttl,"
	      "drops_nic,queue_peak_bytes,group_peak_bytes,headroom_peak_bytes,"
	      "headroom_limit_bytes\n",
	      out.stream);
	for (uint32_t port = 0; port < view_ports(f); port++) {
		for (int prio = 0; prio < STUCK_PRIOS; prio++) {
			struct view_counters c = view_counters(f, port, prio);
			if (c.tx_frames || c.rx_frames || c.xoff_frames || c.xoff_received ||
			    c.pauses || all_drops(&c))
				write_row(&out, f, port, prio, &c);
		}
	}
	return outfile_close(&out, err);
}

/* --- the summary -------------------------------------------------------- */

static void add_pfc(const struct fabric *f, struct summary *s, uint32_t port, int prio,
		    const struct view_counters *c)
{
	char name[NAMES_MAX];

	s->pfc.xoff_frames += c->xoff_frames;
	s->pfc.refresh_frames += c->refresh_frames;
	s->pfc.xon_frames += c->xon_frames;
	s->pfc.paused_ps += c->paused_ps;
	if (c->longest_pause_ps > s->pfc.longest_pause_ps) {
		s->pfc.longest_pause_ps = c->longest_pause_ps;
		free(s->pfc.longest_at);
		s->pfc.longest_at = mem_strdup(names_queue(f, port, prio, name, sizeof(name)));
	}
	if (c->paused_ps > s->pfc.most_paused_ps) {
		s->pfc.most_paused_ps = c->paused_ps;
		free(s->pfc.most_paused_at);
		s->pfc.most_paused_at = mem_strdup(names_queue(f, port, prio, name, sizeof(name)));
	}
}

static void add_classes(const struct fabric *f, struct summary *s, int prio,
			const struct view_counters *c)
{
	for (int i = 0; i < s->nclasses; i++) {
		if (view_class(f, i)->priority != prio)
			continue;
		s->classes[i].paused_ps += c->paused_ps;
		s->classes[i].drops += all_drops(c);
	}
}

static void add_headroom(const struct fabric *f, struct summary *s, uint32_t port, int prio,
			 const struct view_counters *c)
{
	char name[NAMES_MAX];

	if (c->headroom_peak_bytes > s->buffer.headroom_peak_bytes)
		s->buffer.headroom_peak_bytes = c->headroom_peak_bytes;
	if (c->headroom_limit_bytes <= 0)
		return;
	double ratio = (double)c->headroom_peak_bytes / (double)c->headroom_limit_bytes;
	if (ratio <= s->buffer.headroom_peak_ratio)
		return;
	s->buffer.headroom_peak_ratio = ratio;
	free(s->buffer.headroom_at);
	s->buffer.headroom_at = mem_strdup(names_queue(f, port, prio, name, sizeof(name)));
}

static void fill_switches(const struct fabric *f, struct summary *s)
{
	for (uint32_t node = 0; node < view_nodes(f); node++) {
		if (!view_is_switch(f, node))
			continue;
		int64_t peak = view_switch_peak_bytes(f, node);
		if (s->buffer.peak_at && peak <= s->buffer.peak_bytes)
			continue;
		s->buffer.peak_bytes = peak;
		s->buffer.size_bytes = view_switch_conf(f, node)->buffer.size_bytes;
		free(s->buffer.peak_at);
		s->buffer.peak_at = mem_strdup(view_node_name(f, node));
	}
}

/* Paused time by node, and of hosts by the switch they hang on. */
static void fill_nodes(const struct fabric *f, struct summary *s, const int64_t *paused_ps,
		       const int64_t *hosts_ps)
{
	uint32_t nodes = view_nodes(f);

	s->pfc.by_node = mem_zalloc(nodes * sizeof(*s->pfc.by_node));
	s->pfc.hosts_by_switch = mem_zalloc(nodes * sizeof(*s->pfc.hosts_by_switch));
	for (uint32_t node = 0; node < nodes; node++) {
		const char *name = view_node_name(f, node);
		if (paused_ps[node])
			s->pfc.by_node[s->pfc.nnodes++] =
				(struct summary_node){ mem_strdup(name), paused_ps[node] };
		if (hosts_ps[node] >= 0)
			s->pfc.hosts_by_switch[s->pfc.nswitches++] =
				(struct summary_node){ mem_strdup(name), hosts_ps[node] };
	}
}

static void fill_totals(const struct fabric *f, struct summary *s)
{
	struct view_totals t = view_totals(f);

	s->ecn.marked = t.marked_frames;
	s->ecn.data_frames = t.data_frames;
	s->ecn.cnps = t.cnps;
	s->ecn.marked_ratio =
		t.data_frames ? (double)t.marked_frames / (double)t.data_frames : 0;
	s->watchdog.storms = t.watchdog_storms;
	s->watchdog.restores = t.watchdog_restores;
	s->watchdog.dropped = t.watchdog_dropped;
	s->watchdog.told = t.watchdog_told;
}

void portstats_fill(const struct fabric *f, struct summary *s)
{
	static const int causes[SUMMARY_DROPS] = {
		[SUMMARY_LOSSLESS] = RECORD_DROP_LOSSLESS, [SUMMARY_LOSSY] = RECORD_DROP_LOSSY,
		[SUMMARY_WATCHDOG] = RECORD_DROP_WATCHDOG, [SUMMARY_WIRE] = RECORD_DROP_WIRE,
		[SUMMARY_TTL] = RECORD_DROP_TTL, [SUMMARY_NIC] = RECORD_DROP_NIC,
	};
	uint32_t nodes = view_nodes(f);
	int64_t *paused_ps = mem_zalloc(nodes * sizeof(*paused_ps));
	int64_t *hosts_ps = mem_zalloc(nodes * sizeof(*hosts_ps));	/* -1: no host there */

	for (uint32_t node = 0; node < nodes; node++)
		hosts_ps[node] = -1;
	for (uint32_t port = 0; port < view_ports(f); port++) {
		struct view_port p = view_port(f, port);
		int64_t pauses = 0, stopped_ps = 0;
		for (int prio = 0; prio < STUCK_PRIOS; prio++) {
			struct view_counters c = view_counters(f, port, prio);
			pauses += c.pauses;
			stopped_ps += c.paused_ps;
			add_pfc(f, s, port, prio, &c);
			add_classes(f, s, prio, &c);
			add_headroom(f, s, port, prio, &c);
			for (int i = 0; i < SUMMARY_DROPS; i++)
				s->drops[i] += c.drops[causes[i]];
		}
		s->pfc.paused_ports += pauses > 0;
		paused_ps[p.node] += stopped_ps;
		uint32_t peer = view_port(f, p.peer_port).node;
		if (!view_is_switch(f, p.node) && view_is_switch(f, peer))
			hosts_ps[peer] = (hosts_ps[peer] < 0 ? 0 : hosts_ps[peer]) + stopped_ps;
	}
	fill_nodes(f, s, paused_ps, hosts_ps);
	fill_switches(f, s);
	fill_totals(f, s);
	free(paused_ps);
	free(hosts_ps);
}
