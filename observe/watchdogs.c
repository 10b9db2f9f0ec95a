/* observe/watchdogs.c - see watchdogs.h. */
#include "observe/watchdogs.h"

#include <inttypes.h>
#include "observe/names.h"
#include "observe/outfile.h"

enum { PRIOS = 8 };

static void write_count(struct outfile *out, const struct watchdog_count *c)
{
	fprintf(out->stream, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64, c->tx_ok, c->tx_drop, c->rx_ok,
		c->rx_drop);
}

static void write_row(struct outfile *out, const struct fabric *f, uint32_t port, int prio)
{
	struct view_watchdog v = view_watchdog(f, port, prio);
	char name[NAMES_MAX];

	if (!v.watched || (!v.storms && !v.all.tx_drop && !v.all.rx_drop))
		return;
	outfile_text(out, names_port(f, port, name, sizeof(name)));
	fprintf(out->stream, ",%d,%s,%" PRId64 ",%" PRId64, prio, v.stormed ? "stormed" : "operational",
		v.storms, v.restores);
	write_count(out, &v.all);
	write_count(out, &v.last);
	fputc('\n', out->stream);
}

int watchdogs_write(const struct fabric *f, const char *dir, struct sim_error *err)
{
	struct outfile out = { 0 };

	if (outfile_open(&out, dir, "watchdog.csv", err))
		return -1;
	fputs("port,prio,status,storms,restores,tx_ok,tx_drop,rx_ok,rx_drop,tx_ok_last,tx_drop_last,"
	      "rx_ok_last,rx_drop_last\n", out.stream);
	for (uint32_t port = 0; port < view_ports(f); port++)
		for (int prio = 0; prio < PRIOS; prio++)
			write_row(&out, f, port, prio);
	return outfile_close(&out, err);
}
