/* observe/stops.c - see stops.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/grow.h"
#include "observe/names.h"
#include "observe/stops.h"
#include "observe/stuck.h"

enum end { END_XON, END_EXPIRY, END_WATCHDOG, END_FAULT, END_RUN };	/* RECORD_RESUMED.b */

struct row {
	int64_t from_ps, until_ps, queue_bytes, pairs;
	size_t first;		/* of `list` */
	uint32_t key;
	uint8_t n, end;
};

struct stops {
	struct fabric *f;
	struct waits *waits;
	struct outfile csv;
	int64_t *since;		/* of each key; -1: it is free */
	uint32_t nkeys;
	/* Ended at `at_ps`: written when the clock has gone on. */
	int64_t at_ps;
	struct row *rows;
	size_t nrows, rows_cap;
	uint32_t *list;		/* pairs of the rows */
	size_t nlist, list_cap;
	/* Flows that failed at a host while it was stopped, of stops that last. */
	struct gone { uint32_t key, pair; } *gone;
	size_t ngone, gone_cap;
	/* A watchdog is about to throw away what waits at `flushed`. */
	uint32_t flushed;
	struct waits_look look;
};

static int by_key(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static void write_row(struct stops *s, const struct row *row)
{
	static const char *const ends[] = { "xon", "expiry", "watchdog", "fault", "run" };
	char name[NAMES_MAX];

	outfile_text(&s->csv, names_port(s->f, row->key / STUCK_PRIOS, name, sizeof(name)));
	fprintf(s->csv.stream, ",%u,%" PRId64 ",", (unsigned)(row->key % STUCK_PRIOS),
		row->from_ps);
	if (row->end != END_RUN)
		fprintf(s->csv.stream, "%" PRId64, row->until_ps);
	fprintf(s->csv.stream, ",%s,%" PRId64 ",%" PRId64 ",", ends[row->end],
		row->queue_bytes, row->pairs);
	for (int i = 0; i < row->n; i++) {
		if (i)
			fputc(';', s->csv.stream);
		waits_write(s->waits, &s->csv, s->list[row->first + (size_t)i]);
	}
	fputc('\n', s->csv.stream);
}

static void flush(struct stops *s)
{
	if (s->nrows > 1)
		qsort(s->rows, s->nrows, sizeof(*s->rows), by_key);
	for (size_t i = 0; i < s->nrows; i++)
		write_row(s, &s->rows[i]);
	s->nrows = s->nlist = 0;
}

/* --- what happens ------------------------------------------------------- */

static void look(struct stops *s, uint32_t key)
{
	waits_queue(s->waits, key / STUCK_PRIOS, (int)(key % STUCK_PRIOS), &s->look);
}

/* Those that gave up waiting are part of it too. */
static void add_gone(struct stops *s, uint32_t key)
{
	size_t left = 0;

	for (size_t i = 0; i < s->ngone; i++) {
		struct gone g = s->gone[i];
		bool known = g.key != key;
		if (g.key != key)
			s->gone[left++] = g;
		for (int k = 0; k < s->look.n && !known; k++)
			known = s->look.pair[k].pair == g.pair;
		if (!known && s->look.n < WAITS_MAX)
			s->look.pair[s->look.n++] = (struct waits_pair){ g.pair, 0 };
		else if (!known)
			s->look.others++;
	}
	s->ngone = left;
}

/* What `look` saw becomes a row. */
static void ended(struct stops *s, uint32_t key, int64_t now_ps, enum end end)
{
	if (s->ngone)
		add_gone(s, key);
	struct row row = { .from_ps = s->since[key], .until_ps = now_ps, .key = key,
			   .queue_bytes = s->look.bytes, .end = (uint8_t)end,
			   .pairs = s->look.n + s->look.others, .first = s->nlist,
			   .n = (uint8_t)s->look.n };

	s->since[key] = -1;
	for (int i = 0; i < s->look.n; i++) {
		s->list = grow_room(s->list, s->nlist, &s->list_cap, sizeof(*s->list));
		s->list[s->nlist++] = s->look.pair[i].pair;
	}
	s->rows = grow_room(s->rows, s->nrows, &s->rows_cap, sizeof(*s->rows));
	s->rows[s->nrows++] = row;
}

static void on_resumed(struct stops *s, const struct record *rec, uint32_t key)
{
	if (s->since[key] < 0)
		return;
	if (rec->at_ps != s->at_ps)
		flush(s);
	s->at_ps = rec->at_ps;
	if (s->flushed != key || rec->b != END_WATCHDOG)
		look(s, key);
	s->flushed = UINT32_MAX;
	ended(s, key, rec->at_ps, (enum end)rec->b);
}

/* It waits at its host, if it does, at every port of its class that is stopped. */
static void on_failed(struct stops *s, const struct record *rec)
{
	uint32_t first = view_first_port(s->f, rec->node), n = view_port_count(s->f, rec->node);
	int class_ = view_flow(s->f, rec->flow).class_;
	uint32_t prio = (uint32_t)view_class(s->f, class_)->priority;

	for (uint32_t port = first; port < first + n; port++) {
		uint32_t key = port * STUCK_PRIOS + prio;
		if (s->since[key] < 0)
			continue;
		s->gone = grow_room(s->gone, s->ngone, &s->gone_cap, sizeof(*s->gone));
		s->gone[s->ngone++] = (struct gone){ key, waits_flow(s->waits, rec->flow) };
	}
}

static void sink(void *ctx, const struct record *rec)
{
	struct stops *s = ctx;
	uint32_t key = rec->port * STUCK_PRIOS + rec->prio;

	switch ((enum record_kind)rec->kind) {
	case RECORD_PAUSED:
		s->since[key] = rec->at_ps;
		break;
	case RECORD_RESUMED:
		on_resumed(s, rec, key);
		break;
	case RECORD_WATCHDOG:	/* before it flushes the queue and ends the stop */
		if (rec->a && s->since[key] >= 0) {
			look(s, key);
			s->flushed = key;
		}
		break;
	case RECORD_FLOW_FAILED:
		on_failed(s, rec);
		break;
	default:
		break;
	}
}

/* --- life --------------------------------------------------------------- */

struct stops *stops_new(struct fabric *f, struct waits *waits, const char *dir,
			struct sim_error *err)
{
	struct stops *s = mem_zalloc(sizeof(*s));

	s->f = f;
	s->waits = waits;
	s->flushed = UINT32_MAX;
	s->nkeys = view_ports(f) * STUCK_PRIOS;
	if (outfile_open(&s->csv, dir, "stops.csv", err)) {
		free(s);
		return NULL;
	}
	s->since = mem_zalloc(s->nkeys * sizeof(*s->since));
	for (uint32_t key = 0; key < s->nkeys; key++)
		s->since[key] = -1;
	fputs("port,prio,from_ps,until_ps,end,queue_bytes,pairs,waiting\n", s->csv.stream);
	fabric_add_sink(f, 1u << RECORD_PAUSED | 1u << RECORD_RESUMED |
			   1u << RECORD_WATCHDOG | 1u << RECORD_FLOW_FAILED, sink, s);
	return s;
}

int stops_finish(struct stops *s, struct sim_error *err)
{
	if (!s)
		return 0;
	int64_t now_ps = view_run(s->f).now_ps;
	flush(s);
	for (uint32_t key = 0; key < s->nkeys; key++) {
		if (s->since[key] < 0)
			continue;
		look(s, key);
		ended(s, key, now_ps, END_RUN);
	}
	flush(s);
	return outfile_close(&s->csv, err);
}

void stops_free(struct stops **sp)
{
	struct stops *s = *sp;

	*sp = NULL;
	if (!s)
		return;
	outfile_abandon(&s->csv);
	free(s->since);
	free(s->rows);
	free(s->list);
	free(s->gone);
	free(s);
}
