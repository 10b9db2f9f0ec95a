/*
 * cli/show_watchdog.c - storms and settings of the PFC watchdog, as SONiC's `pfcwd
 * show stats' and `pfcwd show config' print them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/csv.h"
#include "cli/message.h"
#include "cli/show.h"
#include "cli/show_table.h"
#include "sim/mem.h"
#include "sim/units.h"

enum { PRIOS = 8, COUNTS = 10 };
#define PS_PER_MS INT64_C(1000000000)

struct storms {			/* of one queue; watchdog.csv */
	bool known, stormed;
	int64_t n[COUNTS];	/* storms, restores, then ok and dropped: tx, rx, last tx, last rx */
};

/* ------------------------------------------------------------------------- storms */

static int read_row(const struct show *s, const struct csv *t, struct storms *all, struct sim_error *err)
{
	uint32_t port = show_find_port(s, t->field[0]);
	int64_t prio = -1;
	struct storms *x;

	if (csv_number(t, 1, -1, &prio, err))
		return -1;
	if (port == VIEW_NONE || prio < 0 || prio >= PRIOS)
		return csv_wrong(t, 0, err);
	x = &all[(size_t)port * PRIOS + (size_t)prio];
	x->known = true;
	x->stormed = strcmp(t->field[2], "stormed") == 0;
	for (int i = 0; i < COUNTS; i++)
		if (csv_number(t, 3 + i, 0, &x->n[i], err))
			return -1;
	return 0;
}

/* Of every port and priority; free() them.  NULL: the table cannot be read. */
static struct storms *read_storms(const struct show *s, struct sim_error *err)
{
	static const char *const wanted[] = {
		"port", "prio", "status", "storms", "restores", "tx_ok", "tx_drop", "rx_ok", "rx_drop",
		"tx_ok_last", "tx_drop_last", "rx_ok_last", "rx_drop_last", NULL };
	struct storms *all = mem_zalloc((size_t)view_ports(s->f) * PRIOS * sizeof(*all));
	struct csv t = { 0 };
	int rc = csv_open(&t, s->dir, "watchdog.csv", wanted, err), more;

	while (rc == 0 && (more = csv_next(&t, err)) != 0)
		rc = more < 0 ? -1 : read_row(s, &t, all, err);
	csv_close(&t);
	if (rc == 0)
		return all;
	free(all);
	return NULL;
}

static void storm_row(const struct show *s, struct show_table *t, const struct storms *x, uint32_t port,
		      int prio)
{
	char name[32], text[64];

	snprintf(text, sizeof(text), "%s:%d", show_port(s, port, name, sizeof(name)), prio);
	show_table_text(t, text);
	show_table_text(t, x->stormed ? "stormed" : "operational");
	for (int i = 0; i < COUNTS; i += 2) {
		snprintf(text, sizeof(text), "%" PRId64 "/%" PRId64, x->n[i], x->n[i + 1]);
		show_table_text(t, text);
	}
}

int show_pfcwd_stats(struct show *s, struct sim_error *err)
{
	static const char *const titles[] = { "QUEUE", "STATUS", "STORM DETECTED/RESTORED", "TX OK/DROP",
					      "RX OK/DROP", "TX LAST OK/DROP", "RX LAST OK/DROP" };
	struct storms *all = read_storms(s, err);

	for (uint32_t node = 0; all && node < view_nodes(s->f); node++) {
		if (!show_wanted(s, node))
			continue;
		struct show_table *t = show_table_new(titles, 7);
		uint32_t first = view_first_port(s->f, node), n = view_port_count(s->f, node);

		for (uint32_t i = first * PRIOS; i < (first + n) * PRIOS; i++) {
			bool watched = view_watched(s->f, i / PRIOS, (int)(i % PRIOS));

			s->stormed |= all[i].stormed;
			if (all[i].known || (s->empty && watched))
				storm_row(s, t, &all[i], i / PRIOS, (int)(i % PRIOS));
		}
		if (!s->check) {
			show_heading(s, node);
			show_table_print(t, stdout);
		}
		show_table_free(&t);
	}
	free(all);
	return err->set ? -1 : 0;
}

/* ----------------------------------------------------------------------- settings */

static bool any_watched(const struct show *s, uint32_t port)
{
	for (int prio = 0; prio < PRIOS; prio++)
		if (view_watched(s->f, port, prio))
			return true;
	return false;
}

static void milliseconds(struct show_table *t, int64_t ps)
{
	char text[32];

	if (ps == UNITS_NEVER)
		show_table_text(t, "infinite");
	else if (ps % PS_PER_MS == 0)
		show_table_number(t, ps / PS_PER_MS);
	else
		show_table_text(t, units_exact(ps, UNITS_TIME, text, sizeof(text)));
}

static void print_globals(const struct watchdog_conf *c, const struct watchdog_times *times)
{
	char text[32];

	if (c->rule == WATCHDOG_HARDWARE)
		printf("Hardware detection, in ticks of %s\n",
		       units_exact(times->poll_ps, UNITS_TIME, text, sizeof(text)));
	else if (times->poll_ps % PS_PER_MS == 0)
		printf("Changed polling interval to %" PRId64 "ms\n", times->poll_ps / PS_PER_MS);
	else
		printf("Changed polling interval to %s\n",
		       units_exact(times->poll_ps, UNITS_TIME, text, sizeof(text)));
	if (c->big_red_switch)
		puts("Big red switch status is enable");
}

int show_pfcwd_config(struct show *s, struct sim_error *err)
{
	static const char *const titles[] = { "PORT", "ACTION", "DETECTION TIME", "RESTORATION TIME",
					      "HISTORY" };
	static const char *const actions[] = { "drop", "forward", "alert" };
	char text[32];

	(void)err;
	for (uint32_t node = 0; node < view_nodes(s->f); node++) {
		if (!show_wanted(s, node))
			continue;
		const struct watchdog_conf *c = &view_switch_conf(s->f, node)->watchdog;
		struct watchdog_times times = view_watchdog_times(s->f, node);
		struct show_table *t = show_table_new(titles, 5);
		uint32_t first = view_first_port(s->f, node), n = view_port_count(s->f, node);

		for (uint32_t port = first; port < first + n; port++) {
			if (!any_watched(s, port))
				continue;
			show_table_text(t, show_port(s, port, text, sizeof(text)));
			show_table_text(t, actions[c->action]);
			milliseconds(t, times.detect_ps);
			milliseconds(t, times.restore_ps);
			show_table_text(t, "disable");
		}
		show_heading(s, node);
		if (show_table_rows(t))
			print_globals(c, &times);
		show_table_print(t, stdout);
		show_table_free(&t);
	}
	return 0;
}
