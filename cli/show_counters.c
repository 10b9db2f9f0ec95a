/*
 * cli/show_counters.c - what a run counted, as SONiC's commands print it: pfcstat,
 * queuestat, watermarkstat.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/csv.h"
#include "cli/message.h"
#include "cli/show.h"
#include "cli/show_table.h"
#include "sim/mem.h"

enum { PRIOS = 8 };

struct counters {		/* of one port and priority; ports.csv */
	int64_t pfc_sent, group_peak, headroom_peak;
};

/* The port and priority of a row whose first two columns tell them; NULL: of none. */
static struct counters *place(const struct show *s, const struct csv *t, struct counters *all,
			      struct sim_error *err)
{
	uint32_t port = show_find_port(s, t->field[0]);
	int64_t prio = -1;

	if (port == VIEW_NONE || csv_number(t, 1, -1, &prio, err) || prio < 0 || prio >= PRIOS)
		return NULL;
	return &all[(size_t)port * PRIOS + (size_t)prio];
}

static int read_ports(const struct show *s, struct counters *all, struct sim_error *err)
{
	static const char *const wanted[] = { "port", "prio", "xoff_frames", "refresh_frames", "xon_frames",
					      "group_peak_bytes", "headroom_peak_bytes", NULL };
	struct csv t = { 0 };
	int rc = csv_open(&t, s->dir, "ports.csv", wanted, err), more;

	while (rc == 0 && (more = csv_next(&t, err)) != 0) {
		struct counters *c = more < 0 ? NULL : place(s, &t, all, err);
		int64_t xoff = 0, refresh = 0, xon = 0;

		rc = err->set ? -1 : 0;
		if (!c || rc)
			continue;
		if (csv_number(&t, 2, 0, &xoff, err) || csv_number(&t, 3, 0, &refresh, err) ||
		    csv_number(&t, 4, 0, &xon, err) || csv_number(&t, 5, 0, &c->group_peak, err) ||
		    csv_number(&t, 6, 0, &c->headroom_peak, err))
			rc = -1;
		c->pfc_sent = xoff + refresh + xon;
	}
	csv_close(&t);
	return rc;
}

/* All counters of the run; free() them.  NULL: a table cannot be read. */
static struct counters *read_all(const struct show *s, struct sim_error *err)
{
	struct counters *all = mem_zalloc((size_t)view_ports(s->f) * PRIOS * sizeof(*all));

	if (read_ports(s, all, err) == 0)
		return all;
	free(all);
	return NULL;
}

/* ------------------------------------------------------------- a row a port, a column
 * a priority */

typedef int64_t column(const struct show *s, const struct counters *all, uint32_t port,
		       int prio);

static void matrix(const struct show *s, const struct counters *all, uint32_t node,
		   const char *const *titles, column *value, bool grouped)
{
	struct show_table *t = show_table_new(titles, 1 + PRIOS);
	uint32_t first = view_first_port(s->f, node), n = view_port_count(s->f, node);
	char name[32];

	for (uint32_t port = first; port < first + n; port++) {
		show_table_text(t, show_port(s, port, name, sizeof(name)));
		for (int prio = 0; prio < PRIOS; prio++) {
			int64_t x = value(s, all, port, prio);

			if (grouped)
				show_table_grouped(t, x);
			else
				show_table_number(t, x);
		}
	}
	show_table_print(t, stdout);
	show_table_free(&t);
}

static int64_t pfc_sent(const struct show *s, const struct counters *all, uint32_t port,
			int prio)
{
	(void)s;
	return all[(size_t)port * PRIOS + (size_t)prio].pfc_sent;
}

/* What the far end sent has come: XOFF, refreshes and XON. */
static int64_t pfc_received(const struct show *s, const struct counters *all, uint32_t port,
			    int prio)
{
	return pfc_sent(s, all, view_port(s->f, port).peer_port, prio);
}

static int64_t headroom(const struct show *s, const struct counters *all, uint32_t port,
			int prio)
{
	(void)s;
	return all[(size_t)port * PRIOS + (size_t)prio].headroom_peak;
}

/* A group fills its minimum first, then the shared pool, then headroom. */
static int64_t shared(const struct show *s, const struct counters *all, uint32_t port, int prio)
{
	const struct counters *c = &all[(size_t)port * PRIOS + (size_t)prio];
	int64_t x = c->group_peak - c->headroom_peak;

	x -= view_limits(s->f, port, prio).reserved_bytes;
	return x > 0 ? x : 0;
}

struct part { const char *head; const char *const *titles; column *value; bool grouped; };

/* The parts one after the other, for each switch. */
static int show_parts(struct show *s, const struct part *parts, int n, struct sim_error *err)
{
	struct counters *all = read_all(s, err);

	for (uint32_t node = 0; all && node < view_nodes(s->f); node++) {
		if (!show_wanted(s, node))
			continue;
		show_heading(s, node);
		for (int i = 0; i < n; i++) {
			if (i)
				putchar('\n');
			if (parts[i].head)
				puts(parts[i].head);
			matrix(s, all, node, parts[i].titles, parts[i].value, parts[i].grouped);
		}
	}
	free(all);
	return err->set ? -1 : 0;
}

int show_pfc_counters(struct show *s, struct sim_error *err)
{
	static const char *const rx[] = { "Port Rx", "PFC0", "PFC1", "PFC2", "PFC3", "PFC4",
					  "PFC5", "PFC6", "PFC7" };
	static const char *const tx[] = { "Port Tx", "PFC0", "PFC1", "PFC2", "PFC3", "PFC4",
					  "PFC5", "PFC6", "PFC7" };
	static const struct part parts[] = { { NULL, rx, pfc_received, true },
					     { NULL, tx, pfc_sent, true } };

	return show_parts(s, parts, 2, err);
}

static const char *const groups[] = { "Port", "PG0", "PG1", "PG2", "PG3", "PG4", "PG5", "PG6",
				      "PG7" };
static const struct part group_parts[] = {
	{ "Ingress shared pool occupancy per PG:", groups, shared, false },
	{ "Ingress headroom per PG:", groups, headroom, false },
};

int show_group_shared(struct show *s, struct sim_error *err)
{
	return show_parts(s, group_parts, 1, err);
}

int show_group_headroom(struct show *s, struct sim_error *err)
{
	return show_parts(s, group_parts + 1, 1, err);
}

int show_group_watermark(struct show *s, struct sim_error *err)
{
	return show_parts(s, group_parts, 2, err);
}

/* ------------------------------------------------------------------------- by queue */

struct queue { int64_t tx_frames, tx_bytes, lost_frames, lost_bytes, peak; };

/* Of all ports, 8 each, from queues.csv; free() it.  NULL: it cannot be read. */
static struct queue *read_queues(const struct show *s, struct sim_error *err)
{
	static const char *const wanted[] = { "port", "queue", "tx_frames", "tx_bytes", "lost_frames",
					      "lost_bytes", "queue_peak_bytes", NULL };
	struct queue *all = mem_zalloc((size_t)view_ports(s->f) * PRIOS * sizeof(*all));
	struct csv t = { 0 };
	int rc = csv_open(&t, s->dir, "queues.csv", wanted, err), more;

	while (rc == 0 && (more = csv_next(&t, err)) != 0) {
		uint32_t port = more < 0 ? VIEW_NONE : show_find_port(s, t.field[0]);
		int64_t n = -1;

		rc = more < 0 || csv_number(&t, 1, -1, &n, err) ? -1 : 0;
		if (rc || port == VIEW_NONE || n < 0 || n >= PRIOS)
			continue;
		struct queue *q = &all[(size_t)port * PRIOS + (size_t)n];
		if (csv_number(&t, 2, 0, &q->tx_frames, err) || csv_number(&t, 3, 0, &q->tx_bytes, err) ||
		    csv_number(&t, 4, 0, &q->lost_frames, err) || csv_number(&t, 5, 0, &q->lost_bytes, err) ||
		    csv_number(&t, 6, 0, &q->peak, err))
			rc = -1;
	}
	csv_close(&t);
	if (rc == 0)
		return all;
	free(all);
	return NULL;
}

int show_queue_counters(struct show *s, struct sim_error *err)
{
	static const char *const titles[] = { "Port", "TxQ", "Counter/pkts", "Counter/bytes",
					      "Drop/pkts", "Drop/bytes" };
	struct queue *all = read_queues(s, err);
	char name[32];

	for (uint32_t node = 0; all && node < view_nodes(s->f); node++) {
		if (!show_wanted(s, node))
			continue;
		uint32_t first = view_first_port(s->f, node), n = view_port_count(s->f, node);

		show_heading(s, node);
		for (uint32_t port = first; port < first + n; port++) {
			struct show_table *t = show_table_new(titles, 6);

			for (int i = 0; i < PRIOS; i++) {
				const struct queue *q = &all[(size_t)port * PRIOS + (size_t)i];

				show_table_text(t, show_port(s, port, name, sizeof(name)));
				snprintf(name, sizeof(name), "UC%d", i);
				show_table_text(t, name);
				show_table_grouped(t, q->tx_frames);
				show_table_grouped(t, q->tx_bytes);
				show_table_grouped(t, q->lost_frames);
				show_table_grouped(t, q->lost_bytes);
			}
			show_table_print(t, stdout);
			putchar('\n');
			show_table_free(&t);
		}
	}
	free(all);
	return err->set ? -1 : 0;
}

int show_queue_watermark(struct show *s, struct sim_error *err)
{
	static const char *const titles[] = { "Port", "UC0", "UC1", "UC2", "UC3", "UC4", "UC5",
					      "UC6", "UC7" };
	struct queue *all = read_queues(s, err);
	char name[32];

	for (uint32_t node = 0; all && node < view_nodes(s->f); node++) {
		if (!show_wanted(s, node))
			continue;
		uint32_t first = view_first_port(s->f, node), n = view_port_count(s->f, node);
		struct show_table *t = show_table_new(titles, 1 + PRIOS);

		show_heading(s, node);
		puts("Egress shared pool occupancy per unicast queue:");
		for (uint32_t port = first; port < first + n; port++) {
			show_table_text(t, show_port(s, port, name, sizeof(name)));
			for (int i = 0; i < PRIOS; i++)
				show_table_number(t, all[(size_t)port * PRIOS + (size_t)i].peak);
		}
		show_table_print(t, stdout);
		show_table_free(&t);
	}
	free(all);
	return err->set ? -1 : 0;
}

/* --------------------------------------------------------------------------- pools */

int show_pool_watermark(struct show *s, struct sim_error *err)
{
	static const char *const titles[] = { "Pool", "Bytes" };
	static const char *const wanted[] = { "switch", "peak_bytes", NULL };
	struct csv t = { 0 };
	int rc = csv_open(&t, s->dir, "switches.csv", wanted, err), more;

	while (rc == 0 && (more = csv_next(&t, err)) != 0) {
		uint32_t node = more < 0 ? VIEW_NONE : view_find(s->f, t.field[0]);
		int64_t peak = 0;

		rc = more < 0 || csv_number(&t, 1, 0, &peak, err) ? -1 : 0;
		if (rc || node == VIEW_NONE || !show_wanted(s, node))
			continue;
		struct show_table *table = show_table_new(titles, 2);
		show_heading(s, node);
		puts("Shared pool maximum occupancy:");
		show_table_text(table, "ingress_lossless_pool");
		show_table_number(table, peak);
		show_table_print(table, stdout);
		show_table_free(&table);
	}
	csv_close(&t);
	return rc;
}
