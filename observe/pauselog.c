/* observe/pauselog.c - see pauselog.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/deadlock.h"
#include "observe/grow.h"
#include "observe/names.h"
#include "observe/pauselog.h"
#include "observe/stuck.h"

enum end { END_NONE, END_XON, END_FAULT, END_NIC };
enum { FLUSH_ROWS = 1 << 15 };
enum { CAUSES = 4, PAIRS = 8 };		/* egresses of a row, and pairs of each, in `flows` */

struct cause {
	int64_t bytes;
	uint32_t key;			/* an egress, and what leaves it */
	uint8_t prio, npairs;		/* prio: of the group */
};
struct row {
	int64_t xoff_ps, end_ps, stopped_ps, held_bytes;
	size_t cause, pair;		/* index of the first */
	uint32_t key, ncauses, refreshes;
	uint8_t end;
	bool storm;
};

struct pauselog {
	struct fabric *f;
	struct waits *waits;
	struct outfile csv;
	uint32_t nkeys;
	/* Keys are port * 8 + priority, of the sender or of the transmitter. */
	size_t *last;			/* of each sender: its latest row + 1 */
	int64_t *stopped_since;		/* of each transmitter, -1: it is free */
	uint32_t *peer;			/* of each port */
	int64_t *flight_ps;		/* of each transmitter's port */
	bool *storming;			/* of each node */
	struct row *rows;		/* in order of xoff_ps, but within an instant */
	size_t nrows, rows_cap, flush_at;
	struct cause *causes;
	size_t ncauses, causes_cap;
	struct waits_pair *pairs;
	size_t npairs, pairs_cap;
};

static uint32_t far_key(const struct pauselog *p, uint32_t key)
{
	return p->peer[key / STUCK_PRIOS] * STUCK_PRIOS + key % STUCK_PRIOS;
}

/* --- writing ------------------------------------------------------------ */

static int by_xoff(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->xoff_ps != b->xoff_ps)
		return a->xoff_ps < b->xoff_ps ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->cause > b->cause) - (a->cause < b->cause);
}

static int by_bytes(const void *x, const void *y)
{
	const struct cause *a = x, *b = y;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->prio > b->prio) - (a->prio < b->prio);
}

static void write_cause(struct pauselog *p, const struct row *row)
{
	char name[NAMES_MAX];

	if (!view_is_switch(p->f, view_port(p->f, row->key / STUCK_PRIOS).node)) {
		fputs(row->storm ? "storm" : "receiver", p->csv.stream);
		return;
	}
	for (uint32_t i = 0; i < row->ncauses; i++) {
		const struct cause *c = &p->causes[row->cause + i];
		names_port(p->f, c->key / STUCK_PRIOS, name, sizeof(name));
		fprintf(p->csv.stream, "%s%s", i ? ";" : "", name);
		if (c->key % STUCK_PRIOS != row->key % STUCK_PRIOS)
			fprintf(p->csv.stream, "/%u", c->key % STUCK_PRIOS);
		fprintf(p->csv.stream, "=%" PRId64, c->bytes);
	}
}

/* In the order of the causes, with a bar between them. */
static void write_flows(struct pauselog *p, const struct row *row)
{
	const struct waits_pair *pair = p->pairs + row->pair;

	for (uint32_t i = 0; i < row->ncauses && i < CAUSES; i++) {
		if (i)
			fputc('|', p->csv.stream);
		for (int k = 0; k < p->causes[row->cause + i].npairs; k++, pair++) {
			if (k)
				fputc(';', p->csv.stream);
			waits_write(p->waits, &p->csv, pair->pair);
			fprintf(p->csv.stream, "=%" PRId64, pair->bytes);
		}
	}
}

static void write_row(struct pauselog *p, const struct row *row)
{
	static const char *const ends[] = { "run", "xon", "fault", "nic_watchdog" };
	uint32_t port = row->key / STUCK_PRIOS;
	char name[NAMES_MAX];

	outfile_text(&p->csv, names_port(p->f, port, name, sizeof(name)));
	fprintf(p->csv.stream, ",%u,", (unsigned)(row->key % STUCK_PRIOS));
	outfile_text(&p->csv, names_port(p->f, p->peer[port], name, sizeof(name)));
	fprintf(p->csv.stream, ",%" PRId64 ",", row->xoff_ps);
	if (row->end != END_NONE)
		fprintf(p->csv.stream, "%" PRId64, row->end_ps);
	fprintf(p->csv.stream, ",%s,%u,%" PRId64 ",%" PRId64 ",", ends[row->end],
		row->refreshes, row->held_bytes, row->stopped_ps);
	write_cause(p, row);
	fputc(',', p->csv.stream);
	write_flows(p, row);
	fputc('\n', p->csv.stream);
}

/* Nothing more can happen to it: it has ended, and its XON has had its effect. */
static bool settled(const struct pauselog *p, size_t i, int64_t now_ps)
{
	const struct row *row = &p->rows[i];
	uint32_t far = far_key(p, row->key);

	if (p->last[row->key] != i + 1)
		return true;	/* a later one of the same sender bears what comes */
	return row->end != END_NONE && p->stopped_since[far] < 0 &&
	       now_ps > row->end_ps + p->flight_ps[far / STUCK_PRIOS];
}

static void write_rows(struct pauselog *p, size_t n)
{
	qsort(p->rows, n, sizeof(*p->rows), by_xoff);
	for (size_t i = 0; i < n; i++)
		write_row(p, &p->rows[i]);
}

/* Writes the oldest rows up to the first that may change; whole instants. */
static void flush(struct pauselog *p, int64_t now_ps)
{
	size_t n = 0;

	while (n < p->nrows && p->rows[n].xoff_ps < now_ps && settled(p, n, now_ps))
		n++;
	while (n && n < p->nrows && p->rows[n - 1].xoff_ps == p->rows[n].xoff_ps)
		n--;
	if (n) {
		size_t cause = n < p->nrows ? p->rows[n].cause : p->ncauses;
		size_t pair = n < p->nrows ? p->rows[n].pair : p->npairs;
		write_rows(p, n);
		p->nrows -= n;
		memmove(p->rows, p->rows + n, p->nrows * sizeof(*p->rows));
		p->ncauses -= cause;
		memmove(p->causes, p->causes + cause, p->ncauses * sizeof(*p->causes));
		p->npairs -= pair;
		memmove(p->pairs, p->pairs + pair, p->npairs * sizeof(*p->pairs));
		for (size_t i = 0; i < p->nrows; i++) {
			p->rows[i].cause -= cause;
			p->rows[i].pair -= pair;
		}
		for (uint32_t key = 0; key < p->nkeys; key++)
			p->last[key] = p->last[key] > n ? p->last[key] - n : 0;
	}
	p->flush_at = p->nrows < FLUSH_ROWS / 2 ? FLUSH_ROWS : 2 * p->nrows;
}

/* --- what happens ------------------------------------------------------- */

static struct row *last_row(struct pauselog *p, uint32_t sender)
{
	return p->last[sender] ? &p->rows[p->last[sender] - 1] : NULL;
}

/* The transmitter's standstill so far goes to the row that bears it. */
static void charge(struct pauselog *p, uint32_t sender, int64_t now_ps)
{
	uint32_t far = far_key(p, sender);
	struct row *row = last_row(p, sender);

	if (p->stopped_since[far] < 0)
		return;
	if (row)
		row->stopped_ps += now_ps - p->stopped_since[far];
	p->stopped_since[far] = now_ps;
}

static void add_cause(struct pauselog *p, uint32_t in, int prio, uint32_t out, int as)
{
	int64_t bytes = view_held_for(p->f, in, prio, out, as);

	if (bytes <= 0)
		return;
	p->causes = grow_room(p->causes, p->ncauses, &p->causes_cap, sizeof(*p->causes));
	p->causes[p->ncauses++] = (struct cause){ .bytes = bytes, .key = out * STUCK_PRIOS + (uint32_t)as,
						  .prio = (uint8_t)prio };
}

static void add_group(struct pauselog *p, uint32_t in, int prio)
{
	uint32_t node = view_port(p->f, in).node, first = view_first_port(p->f, node);
	unsigned leaves = view_leaves_as(p->f, node, prio);

	for (uint32_t out = first; out < first + view_port_count(p->f, node); out++)
		for (unsigned as = leaves; as; as &= as - 1)
			add_cause(p, in, prio, out, __builtin_ctz(as));
}

/* Of the priority's group; of all of the port in XOFF where its pauses stop everything. */
static void add_causes(struct pauselog *p, struct row *row)
{
	uint32_t in = row->key / STUCK_PRIOS;
	bool whole = view_stops(p->f, p->peer[in]) == VIEW_STOPS_WHOLE;

	row->cause = p->ncauses;
	for (int prio = 0; view_is_switch(p->f, view_port(p->f, in).node) && prio < STUCK_PRIOS; prio++)
		if (whole ? view_group(p->f, in, prio).xoff : prio == (int)(row->key % STUCK_PRIOS))
			add_group(p, in, prio);
	row->ncauses = (uint32_t)(p->ncauses - row->cause);
	if (row->ncauses)
		qsort(p->causes + row->cause, row->ncauses, sizeof(*p->causes), by_bytes);
}

static void add_pairs(struct pauselog *p, struct row *row)
{
	struct waits_look look;

	row->pair = p->npairs;
	for (uint32_t i = 0; i < row->ncauses && i < CAUSES; i++) {
		struct cause *c = &p->causes[row->cause + i];
		waits_group(p->waits, row->key / STUCK_PRIOS, c->prio, c->key / STUCK_PRIOS, (int)(c->key % STUCK_PRIOS), &look);
		for (int k = 0; k < look.n && k < PAIRS; k++) {
			p->pairs = grow_room(p->pairs, p->npairs, &p->pairs_cap,
					     sizeof(*p->pairs));
			p->pairs[p->npairs++] = look.pair[k];
			c->npairs++;
		}
	}
}

static void on_xoff(struct pauselog *p, const struct record *rec, uint32_t key)
{
	struct row *open = last_row(p, key);

	if (open && open->end == END_NONE) {
		open->refreshes++;
		return;
	}
	if (p->nrows >= p->flush_at)
		flush(p, rec->at_ps);
	charge(p, key, rec->at_ps);
	struct row row = { .xoff_ps = rec->at_ps, .held_bytes = rec->a, .key = key,
			   .storm = p->storming[rec->node] };
	add_causes(p, &row);
	add_pairs(p, &row);
	p->rows = grow_room(p->rows, p->nrows, &p->rows_cap, sizeof(*p->rows));
	p->rows[p->nrows++] = row;
	p->last[key] = p->nrows;
}

static void on_end(struct pauselog *p, uint32_t key, int64_t at_ps, enum end end)
{
	struct row *row = last_row(p, key);

	if (!row || row->end != END_NONE)
		return;
	row->end = (uint8_t)end;
	row->end_ps = at_ps;
}

static void on_fault(struct pauselog *p, const struct record *rec)
{
	if (rec->a == FAULT_NIC_STORM || rec->a == FAULT_PAUSE_FRAMES)
		p->storming[rec->node] = rec->b != 0;
	if (rec->a != FAULT_LINK_DOWN || rec->port == VIEW_NONE)
		return;
	for (uint32_t prio = 0; prio < STUCK_PRIOS; prio++) {
		uint32_t key = rec->port * STUCK_PRIOS + prio;
		on_end(p, key, rec->at_ps, END_FAULT);
		on_end(p, far_key(p, key), rec->at_ps, END_FAULT);
	}
}

static void sink(void *ctx, const struct record *rec)
{
	struct pauselog *p = ctx;
	uint32_t key = rec->port == VIEW_NONE ? 0 : rec->port * STUCK_PRIOS + rec->prio;

	switch ((enum record_kind)rec->kind) {
	case RECORD_XOFF_SENT:
		on_xoff(p, rec, key);
		break;
	case RECORD_XON_SENT:
		on_end(p, key, rec->at_ps, END_XON);
		break;
	case RECORD_NIC_WATCHDOG:
		on_end(p, key, rec->at_ps, END_NIC);
		break;
	case RECORD_PAUSED:
		p->stopped_since[key] = rec->at_ps;
		break;
	case RECORD_RESUMED:
		charge(p, far_key(p, key), rec->at_ps);
		p->stopped_since[key] = -1;
		break;
	case RECORD_FAULT:
		on_fault(p, rec);
		break;
	default:
		break;
	}
}

/* --- life --------------------------------------------------------------- */

struct pauselog *pauselog_new(struct fabric *f, struct waits *waits, const char *dir,
			      struct sim_error *err)
{
	struct pauselog *p = mem_zalloc(sizeof(*p));
	uint32_t ports = view_ports(f);

	p->f = f;
	p->waits = waits;
	p->nkeys = ports * STUCK_PRIOS;
	p->flush_at = FLUSH_ROWS;
	if (outfile_open(&p->csv, dir, "pauses.csv", err)) {
		free(p);
		return NULL;
	}
	p->last = mem_zalloc(p->nkeys * sizeof(*p->last));
	p->stopped_since = mem_zalloc(p->nkeys * sizeof(*p->stopped_since));
	p->peer = mem_zalloc(ports * sizeof(*p->peer));
	p->flight_ps = mem_zalloc(ports * sizeof(*p->flight_ps));
	p->storming = mem_zalloc(view_nodes(f) * sizeof(*p->storming));
	for (uint32_t port = 0; port < ports; port++) {
		p->peer[port] = view_port(f, port).peer_port;
		p->flight_ps[port] = deadlock_flight_ps(f, port);
	}
	for (uint32_t key = 0; key < p->nkeys; key++)
		p->stopped_since[key] = -1;
	fputs("sender,prio,paused,xoff_ps,xon_ps,end,refreshes,held_bytes,stopped_ps,cause,"
	      "flows\n", p->csv.stream);
	fabric_add_sink(f,
			1u << RECORD_XOFF_SENT | 1u << RECORD_XON_SENT | 1u << RECORD_PAUSED |
				1u << RECORD_RESUMED | 1u << RECORD_FAULT |
				1u << RECORD_NIC_WATCHDOG,
			sink, p);
	return p;
}

int pauselog_finish(struct pauselog *p, struct sim_error *err)
{
	if (!p)
		return 0;
	int64_t now_ps = view_run(p->f).now_ps;
	for (uint32_t key = 0; key < p->nkeys; key++)
		charge(p, key, now_ps);
	if (p->nrows)
		write_rows(p, p->nrows);
	p->nrows = 0;
	return outfile_close(&p->csv, err);
}

void pauselog_free(struct pauselog **pp)
{
	struct pauselog *p = *pp;

	*pp = NULL;
	if (!p)
		return;
	outfile_abandon(&p->csv);
	free(p->last);
	free(p->stopped_since);
	free(p->peer);
	free(p->flight_ps);
	free(p->storming);
	free(p->rows);
	free(p->causes);
	free(p->pairs);
	free(p);
}
