/* observe/deadlocklog.c - see deadlocklog.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/deadlocklog.h"
#include "observe/names.h"
#include "observe/stuck.h"

enum { DEADLOCKS = 1000 };

struct deadlocklog {
	struct fabric *f;
	struct waits *waits;
	struct outfile csv;
	uint32_t nkeys;
	uint32_t *members;	/* those of one, sorted */
	bool *in;		/* of each key: a member */
	int count;
};

static int by_key(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static void write_port(struct deadlocklog *l, uint32_t port)
{
	char name[NAMES_MAX];

	outfile_text(&l->csv, names_port(l->f, port, name, sizeof(name)));
}

/* The queues of the deadlock that group (in, of) waits for, in the row of a queue of `prio`. */
static void write_next(struct deadlocklog *l, uint32_t in, int of, uint32_t prio)
{
	uint32_t node = view_port(l->f, in).node, first = view_first_port(l->f, node);
	uint32_t n = view_port_count(l->f, node);
	const char *between = "";

	for (uint32_t key = first * STUCK_PRIOS; key < (first + n) * STUCK_PRIOS; key++) {
		if (!l->in[key])
			continue;
		int64_t bytes = view_held_for(l->f, in, of, key / STUCK_PRIOS, (int)(key % STUCK_PRIOS));
		if (bytes <= 0)
			continue;
		fputs(between, l->csv.stream);
		write_port(l, key / STUCK_PRIOS);
		if (key % STUCK_PRIOS != prio)
			fprintf(l->csv.stream, "/%u", key % STUCK_PRIOS);
		fprintf(l->csv.stream, "=%" PRId64, bytes);
		between = ";";
	}
}

static void write_waiting(struct deadlocklog *l, uint32_t port, uint32_t prio)
{
	struct waits_look look;

	waits_queue(l->waits, port, (int)prio, &look);
	for (int i = 0; i < look.n; i++) {
		if (i)
			fputc(';', l->csv.stream);
		waits_write(l->waits, &l->csv, look.pair[i].pair);
	}
}

static void write_row(struct deadlocklog *l, struct deadlock *d, int64_t at_ps, uint32_t key,
		      int place)
{
	uint32_t port = key / STUCK_PRIOS, prio = key % STUCK_PRIOS;
	uint32_t in = view_port(l->f, port).peer_port;
	int of;			/* 802.3x: another group of the port may be the one */
	int64_t stuck, xon = deadlock_mark(d, key, &of, &stuck);
	struct view_group g = view_group(l->f, in, of);

	fprintf(l->csv.stream, "%d,%" PRId64 ",", l->count, at_ps);
	if (place >= 0)
		fprintf(l->csv.stream, "%d", place);
	fputc(',', l->csv.stream);
	write_port(l, port);
	fprintf(l->csv.stream, ",%u,", prio);
	write_port(l, in);
	if (of != (int)prio)
		fprintf(l->csv.stream, "/%d", of);
	fprintf(l->csv.stream, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",",
		g.reserved_bytes + g.shared_bytes + g.headroom_bytes, stuck, xon);
	write_next(l, in, of, prio);
	fputc(',', l->csv.stream);
	write_waiting(l, port, prio);
	fputc('\n', l->csv.stream);
}

void deadlocklog_add(struct deadlocklog *l, struct deadlock *d, int64_t at_ps,
		     const uint32_t *cycle, uint32_t ncycle)
{
	uint32_t n;
	const uint32_t *members = deadlock_members(d, &n);

	if (l->count >= DEADLOCKS)
		return;
	memcpy(l->members, members, n * sizeof(*members));
	qsort(l->members, n, sizeof(*l->members), by_key);
	for (uint32_t i = 0; i < n; i++)
		l->in[l->members[i]] = true;
	for (uint32_t i = 0; i < ncycle; i++)
		write_row(l, d, at_ps, cycle[i], (int)i);
	for (uint32_t i = 0; i < n; i++) {
		bool in_circle = false;
		for (uint32_t k = 0; k < ncycle; k++)
			in_circle |= cycle[k] == l->members[i];
		if (!in_circle)
			write_row(l, d, at_ps, l->members[i], -1);
	}
	for (uint32_t i = 0; i < n; i++)
		l->in[l->members[i]] = false;
	l->count++;
}

struct deadlocklog *deadlocklog_new(struct fabric *f, struct waits *waits, const char *dir,
				    struct sim_error *err)
{
	struct deadlocklog *l = mem_zalloc(sizeof(*l));

	l->f = f;
	l->waits = waits;
	l->nkeys = view_ports(f) * STUCK_PRIOS;
	if (outfile_open(&l->csv, dir, "deadlocks.csv", err)) {
		free(l);
		return NULL;
	}
	l->members = mem_zalloc(l->nkeys * sizeof(*l->members));
	l->in = mem_zalloc(l->nkeys * sizeof(*l->in));
	fputs("deadlock,at_ps,place,port,prio,by,held_bytes,stuck_bytes,xon_bytes,waits_for,"
	      "waiting\n", l->csv.stream);
	return l;
}

int deadlocklog_finish(struct deadlocklog *l, struct sim_error *err)
{
	return l ? outfile_close(&l->csv, err) : 0;
}

void deadlocklog_free(struct deadlocklog **lp)
{
	struct deadlocklog *l = *lp;

	*lp = NULL;
	if (!l)
		return;
	outfile_abandon(&l->csv);
	free(l->members);
	free(l->in);
	free(l);
}
