/* observe/replay_pauses.c - see replay_pauses.h. */
#include <stdlib.h>
#include <string.h>
#include "sim/assert.h"
#include "sim/mem.h"
#include "observe/grow.h"
#include "observe/replay_code.h"
#include "observe/replay_pauses.h"
#include "observe/stuck.h"

enum {
	PAUSES_MAX = 1 << 18,		/* 10 MB, and their reasons 28 MB */
	REASONS_MAX = 3 << 17,
	CAUSES = 6,			/* the largest of a reason */
	NONE = 0			/* row 0 and reason 0 are no one's */
};
enum sender { SWITCH, RECEIVER, STORM };
enum end {				/* the first as in RECORD_RESUMED.b */
	END_XON, END_EXPIRY, END_WATCHDOG, END_FAULT, END_RUN, END_LEFT_OUT
};

struct reason {				/* what a sender held */
	int64_t at_ps;
	int32_t held;			/* level */
	uint32_t next;			/* later one of the same pause */
	uint8_t sender, n;		/* enum sender; causes */
	struct { int32_t place, bytes; } cause[CAUSES];	/* of a queue of its switch; level */
};
struct pause {
	int64_t start_ps, end_ps;	/* end_ps -1: it stands */
	uint32_t key;			/* of the transmitter */
	uint32_t first, last;		/* reasons */
	uint8_t end;
};

struct replay_pauses {
	struct fabric *f;
	uint32_t nkeys, *peer;		/* of each port */
	bool *storming;			/* of each node */
	struct reason *sent;		/* of each sender's key: at its latest XOFF */
	uint32_t *open;			/* of each transmitter: its row, or NONE */
	struct pause *rows;
	size_t nrows, rows_cap;
	struct reason *reasons;
	size_t nreasons, reasons_cap;
	int64_t shortest_ps;		/* those kept last this long or longer */
	int64_t left_out;
};

static uint32_t far_key(const struct replay_pauses *p, uint32_t key)
{
	return p->peer[key / STUCK_PRIOS] * STUCK_PRIOS + key % STUCK_PRIOS;
}

/* --- reasons ------------------------------------------------------------ */

/* Of a part: the level of all is all's alone, so that a reader knows which it is. */
static int32_t level_of(int64_t part, int64_t all)
{
	int32_t level = replay_code_level(part);

	return part < all && level == replay_code_level(all) ? level - 1 : level;
}

/* The largest first, equals in order of queues; what does not fit falls off. */
static void insert(struct reason *r, int32_t place, int32_t bytes)
{
	int i = r->n;

	while (i > 0 && r->cause[i - 1].bytes < bytes)
		i--;
	if (i == CAUSES)
		return;
	if (r->n < CAUSES)
		r->n++;
	memmove(&r->cause[i + 1], &r->cause[i], (size_t)(r->n - 1 - i) * sizeof(r->cause[0]));
	r->cause[i].place = place;
	r->cause[i].bytes = bytes;
}

/* The groups of a switch port for whose sake the sender's key is paused: its priority's; where pauses
 * stop the whole port, all in XOFF (as in pauses.csv).  `held`: of its priority's. */
static uint8_t groups_of(const struct replay_pauses *p, uint32_t sender, int64_t *held)
{
	uint32_t in = sender / STUCK_PRIOS;
	uint8_t set = 0;

	if (view_stops(p->f, p->peer[in]) != VIEW_STOPS_WHOLE)
		return (uint8_t)(1u << sender % STUCK_PRIOS);
	*held = 0;
	for (int prio = 0; prio < STUCK_PRIOS; prio++) {
		struct view_group g = view_group(p->f, in, prio);

		if (!g.xoff)
			continue;
		set |= (uint8_t)(1u << prio);
		*held += g.reserved_bytes + g.shared_bytes + g.headroom_bytes;
	}
	return set;
}

static struct reason look(const struct replay_pauses *p, uint32_t sender, int64_t held,
			  int64_t at_ps)
{
	uint32_t in = sender / STUCK_PRIOS, node = view_port(p->f, in).node;
	uint32_t first = view_first_port(p->f, node), ports = view_port_count(p->f, node);
	struct reason r = { .at_ps = at_ps };
	unsigned leaves = 0;
	uint8_t groups;

	if (!view_is_switch(p->f, node)) {
		r.held = replay_code_level(held > 0 ? held : 0);
		r.sender = p->storming[node] ? STORM : RECEIVER;
		return r;
	}
	groups = groups_of(p, sender, &held);
	for (unsigned of = groups; of; of &= of - 1)
		leaves |= view_leaves_as(p->f, node, __builtin_ctz(of));
	for (uint32_t i = 0; i < ports; i++)
		for (unsigned set = leaves; set; set &= set - 1) {
			uint32_t as = (uint32_t)__builtin_ctz(set);
			int64_t waits = 0;

			for (unsigned of = groups; of; of &= of - 1)
				waits += view_held_for(p->f, in, __builtin_ctz(of), first + i, (int)as);
			if (waits > 0)
				insert(&r, (int32_t)(as == sender % STUCK_PRIOS ? i : i + ports * (as + 1)),
				       level_of(waits, held));
		}
	r.held = replay_code_level(held > 0 ? held : 0);
	return r;
}

static bool same(const struct reason *a, const struct reason *b)
{
	if (a->sender != b->sender || a->n != b->n || a->held != b->held)
		return false;
	return !memcmp(a->cause, b->cause, a->n * sizeof(a->cause[0]));
}

static void add_reason(struct replay_pauses *p, struct pause *row, const struct reason *r)
{
	if (p->nreasons >= REASONS_MAX || (row->last && same(&p->reasons[row->last], r)))
		return;
	p->reasons = grow_room(p->reasons, p->nreasons, &p->reasons_cap, sizeof(*p->reasons));
	p->reasons[p->nreasons] = *r;
	p->reasons[p->nreasons].next = NONE;
	if (row->last)
		p->reasons[row->last].next = (uint32_t)p->nreasons;
	else
		row->first = (uint32_t)p->nreasons;
	row->last = (uint32_t)p->nreasons++;
}

void replay_pauses_mark(struct replay_pauses *p, int64_t at_ps)
{
	for (uint32_t key = 0; key < p->nkeys; key++) {
		if (p->open[key] == NONE)
			continue;
		uint32_t sender = far_key(p, key);
		struct view_counters c = view_counters(p->f, sender / STUCK_PRIOS,
						       (int)(sender % STUCK_PRIOS));
		struct reason r = look(p, sender, c.group_bytes, at_ps);
		add_reason(p, &p->rows[p->open[key]], &r);
	}
}

/* --- too many ----------------------------------------------------------- */

static int by_value(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static int64_t lasted(const struct pause *row)
{
	return row->end_ps < 0 ? INT64_MAX : row->end_ps - row->start_ps;
}

static int64_t median(const struct replay_pauses *p)
{
	int64_t *length = mem_zalloc(p->nrows * sizeof(*length)), middle;
	size_t n = 0;

	for (size_t i = 1; i < p->nrows; i++)
		if (p->rows[i].end != END_LEFT_OUT)
			length[n++] = lasted(&p->rows[i]);
	qsort(length, n, sizeof(*length), by_value);
	middle = n ? length[n / 2] : 0;
	free(length);
	return middle == INT64_MAX ? 0 : middle;
}

/* Leaves out what is shorter than the median, and every second one as long. */
static void thin(struct replay_pauses *p)
{
	struct reason *reasons = p->reasons;
	size_t n = p->nrows, odd = 0;
	int64_t middle = median(p);

	p->reasons = NULL;
	p->nreasons = 1;
	p->reasons_cap = 0;
	p->reasons = grow_room(NULL, 0, &p->reasons_cap, sizeof(*p->reasons));
	p->nrows = 1;
	for (size_t i = 1; i < n; i++) {
		struct pause row = p->rows[i];
		uint32_t why = row.first;
		if (row.end == END_LEFT_OUT)
			continue;
		if (lasted(&row) < middle || (lasted(&row) == middle && odd++ % 2)) {
			p->left_out++;
			continue;
		}
		row.first = row.last = NONE;
		for (; why; why = reasons[why].next)
			add_reason(p, &row, &reasons[why]);
		if (row.end_ps < 0)
			p->open[row.key] = (uint32_t)p->nrows;
		p->rows[p->nrows++] = row;
	}
	free(reasons);
	p->shortest_ps = middle;
}

/* --- what happens ------------------------------------------------------- */

static void on_paused(struct replay_pauses *p, int64_t at_ps, uint32_t key)
{
	if (p->nrows >= PAUSES_MAX && p->rows[p->nrows - 1].start_ps < at_ps)
		thin(p);
	if (p->open[key] != NONE)
		return;
	p->rows = grow_room(p->rows, p->nrows, &p->rows_cap, sizeof(*p->rows));
	struct pause *row = &p->rows[p->nrows];
	*row = (struct pause){ .start_ps = at_ps, .end_ps = -1, .key = key, .end = END_RUN };
	p->open[key] = (uint32_t)p->nrows++;
	add_reason(p, row, &p->sent[far_key(p, key)]);
}

static void on_resumed(struct replay_pauses *p, int64_t at_ps, uint32_t key, int64_t why)
{
	struct pause *row = &p->rows[p->open[key]];

	if (p->open[key] == NONE)
		return;
	p->open[key] = NONE;
	row->end_ps = at_ps;
	row->end = why >= 0 && why < END_RUN ? (uint8_t)why : END_XON;
	if (lasted(row) < p->shortest_ps) {
		row->end = END_LEFT_OUT;
		p->left_out++;
	}
}

static void on_xoff(struct replay_pauses *p, const struct record *rec, uint32_t key)
{
	uint32_t row = p->open[far_key(p, key)];

	p->sent[key] = look(p, key, rec->a, rec->at_ps);
	if (rec->b && row != NONE)
		add_reason(p, &p->rows[row], &p->sent[key]);
}

static void sink(void *ctx, const struct record *rec)
{
	struct replay_pauses *p = ctx;
	uint32_t key = rec->port == VIEW_NONE ? 0 : rec->port * STUCK_PRIOS + rec->prio;

	switch ((enum record_kind)rec->kind) {
	case RECORD_XOFF_SENT:
		on_xoff(p, rec, key);
		break;
	case RECORD_PAUSED:
		on_paused(p, rec->at_ps, key);
		break;
	case RECORD_RESUMED:
		on_resumed(p, rec->at_ps, key, rec->b);
		break;
	case RECORD_FAULT:
		if (rec->a == FAULT_NIC_STORM || rec->a == FAULT_PAUSE_FRAMES)
			p->storming[rec->node] = rec->b != 0;
		break;
	default:
		break;
	}
}

/* --- writing ------------------------------------------------------------ */

static int by_key(const void *x, const void *y)
{
	const struct pause *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->start_ps > b->start_ps) - (a->start_ps < b->start_ps);
}

/* One after the other: ns after the start, level held, causes n (or -1 receiver,
 * -2 storm), n times queue (replay_pauses.h) and level; and so on for `count` reasons. */
static void write_reasons(const struct replay_pauses *p, const struct pause *row, FILE *out)
{
	int64_t count = 0;

	for (uint32_t why = row->first; why; why = p->reasons[why].next)
		count++;
	replay_code_put(out, count);
	for (uint32_t why = row->first; why; why = p->reasons[why].next) {
		const struct reason *r = &p->reasons[why];
		replay_code_put(out, r->at_ps / 1000 - row->start_ps / 1000);
		replay_code_put(out, r->held);
		replay_code_put(out, r->sender == SWITCH ? r->n : -(int64_t)r->sender);
		for (int i = 0; i < r->n; i++) {
			replay_code_put(out, r->cause[i].place);
			replay_code_put(out, r->cause[i].bytes);
		}
	}
}

static void write_key(const struct replay_pauses *p, size_t from, size_t to, struct jsonout *j)
{
	char *text[4] = { NULL };
	size_t size[4];
	FILE *out[4];
	int64_t last_ns = 0, n = 0;

	for (int i = 0; i < 4; i++)
		out[i] = mem_stream(&text[i], &size[i]);
	for (size_t i = from; i < to; i++) {
		const struct pause *row = &p->rows[i];
		if (row->end == END_LEFT_OUT)
			continue;
		int64_t start_ns = row->start_ps / 1000;
		int64_t end_ns = row->end_ps < 0 ? start_ns : row->end_ps / 1000;
		replay_code_put(out[0], start_ns - last_ns);
		replay_code_put(out[1], end_ns - start_ns);
		replay_code_put(out[2], row->end);
		write_reasons(p, row, out[3]);
		last_ns = end_ns;
		n++;
	}
	jsonout_open_flat(j, NULL, '{');
	jsonout_int(j, "port", p->rows[from].key / STUCK_PRIOS);
	jsonout_int(j, "prio", p->rows[from].key % STUCK_PRIOS);
	jsonout_int(j, "count", n);
	for (int i = 0; i < 4; i++) {
		static const char *const names[] = { "gap_ns", "length_ns", "end", "why" };
		mem_stream_close(out[i]);
		jsonout_text(j, names[i], text[i]);
		free(text[i]);
	}
	jsonout_close(j, '}');
}

void replay_pauses_write(struct replay_pauses *p, struct jsonout *j)
{
	if (p->nrows > 1)
		qsort(p->rows + 1, p->nrows - 1, sizeof(*p->rows), by_key);
	jsonout_open(j, "pauses", '{');
	jsonout_int(j, "left_out", p->left_out);
	jsonout_int(j, "shortest_ps", p->shortest_ps);
	jsonout_open(j, "ports", '[');
	for (size_t from = 1, to; from < p->nrows; from = to) {
		for (to = from; to < p->nrows && p->rows[to].key == p->rows[from].key; )
			to++;
		write_key(p, from, to, j);
	}
	jsonout_close(j, ']');
	jsonout_close(j, '}');
}

/* --- life --------------------------------------------------------------- */

struct replay_pauses *replay_pauses_new(struct fabric *f)
{
	struct replay_pauses *p = mem_zalloc(sizeof(*p));
	uint32_t ports = view_ports(f);

	p->f = f;
	p->nkeys = ports * STUCK_PRIOS;
	p->peer = mem_zalloc(ports * sizeof(*p->peer));
	p->storming = mem_zalloc(view_nodes(f) * sizeof(*p->storming));
	p->sent = mem_zalloc(p->nkeys * sizeof(*p->sent));
	p->open = mem_zalloc(p->nkeys * sizeof(*p->open));
	for (uint32_t port = 0; port < ports; port++)
		p->peer[port] = view_port(f, port).peer_port;
	p->rows = grow_room(NULL, 0, &p->rows_cap, sizeof(*p->rows));
	p->reasons = grow_room(NULL, 0, &p->reasons_cap, sizeof(*p->reasons));
	p->rows[0] = (struct pause){ .end = END_LEFT_OUT };
	p->nrows = p->nreasons = 1;
	fabric_add_sink(f, 1u << RECORD_XOFF_SENT | 1u << RECORD_PAUSED | 1u << RECORD_RESUMED |
			   1u << RECORD_FAULT, sink, p);
	return p;
}

void replay_pauses_free(struct replay_pauses **pp)
{
	struct replay_pauses *p = *pp;

	*pp = NULL;
	if (!p)
		return;
	free(p->peer);
	free(p->storming);
	free(p->sent);
	free(p->open);
	free(p->rows);
	free(p->reasons);
	free(p);
}
