/* observe/replay_frames.c - see replay_frames.h. */
#include <stdlib.h>
#include <string.h>
#include "sim/assert.h"
#include "sim/mem.h"
#include "observe/replay_code.h"
#include "observe/replay_frames.h"
#include "observe/replay_marks.h"

enum {
	PRIOS = 8,
	LOOKS = 1 << 17,		/* of a run, at most */
	READS = 3 << 20,		/* counters read in a run, about: 50 ms of our time */
	CELLS = 1 << 20,		/* kept: 32 MB at most, and little of it in most runs */
	FRAMES_MIN = 128, FRAMES_MAX = 1536,
	MARK_MIN = 4, MARK_MAX = 40,	/* looks kept on each side of a mark */
	SLEEP = 8			/* a dormant port is looked at every SLEEPth time */
};

struct cell {				/* one port and priority at one instant */
	int64_t sent_bytes;		/* total */
	int32_t queue_bytes, group_bytes, limit_bytes, marked;
};
struct frame {
	int64_t at_ps;
	bool firm;			/* near a mark: stays */
	struct cell *cells;
};

struct replay_frames {
	struct fabric *f;
	uint32_t nkeys, nlive;
	uint32_t *port;			/* of each key */
	uint8_t *prio;
	bool *live, *bounded;		/* has carried traffic; is a lossless group of a switch */
	struct replay_marks *marks_of;	/* of each key */
	int64_t looks, stride;		/* samples taken; of which every stride-th counts */
	struct frame *recent;		/* ring of the latest looks */
	int nrecent;
	int64_t seen;			/* looks that counted; the last is at (seen - 1) % nrecent */
	struct frame *kept;
	int nkept, room;
	int64_t kept_seen, every;	/* `seen` at the last one kept; keep every so many */
	bool moved;			/* something has changed since the last one kept */
	int watch, marks;		/* looks still to be kept; marks so far */
	int64_t end_ps;			/* of the last firm look */
	struct cell *block;
};

/* --- looking ------------------------------------------------------------ */

static int32_t narrow(int64_t value)
{
	return value < INT32_MAX ? (int32_t)value : INT32_MAX;
}

static bool quiet(const struct view_counters *c)
{
	return !c->tx_frames && !c->rx_frames && !c->group_bytes && !c->xoff_frames && !c->paused;
}

/* Fewer looks where there is more to see. */
static void pace(struct replay_frames *r)
{
	r->nlive++;
	r->stride = ((int64_t)r->nlive * LOOKS + READS - 1) / READS;
}

/* Returns whether anything differs from `old`. */
static bool read_cells(struct replay_frames *r, struct cell *cells, const struct cell *old,
		       bool all)
{
	bool moved = false;

	for (uint32_t i = 0; i < r->nkeys; i++) {
		if (!r->live[i] && !all)
			continue;
		struct view_counters c = view_counters(r->f, r->port[i], r->prio[i]);
		if (!r->live[i]) {
			if (quiet(&c))
				continue;
			r->live[i] = true;
			pace(r);
		}
		int64_t limit = r->bounded[i] ? view_xoff_limit(r->f, r->port[i], r->prio[i]) : 0;
		struct cell now = {
			.sent_bytes = c.tx_bytes, .queue_bytes = narrow(c.queue_bytes),
			.group_bytes = narrow(c.group_bytes), .limit_bytes = narrow(limit),
			.marked = narrow(c.marked),
		};
		moved |= memcmp(&now, &old[i], sizeof(now)) != 0;
		cells[i] = now;
	}
	return moved;
}

/* --- keeping ------------------------------------------------------------ */

/* Every second frame goes, the firm ones and both ends excepted; if all are
 * firm, those too.  The cells are swapped, so each frame keeps a place for them. */
static void thin(struct replay_frames *r)
{
	int was = r->nkept, odd = 0;
	bool all_firm = true;

	for (int i = 1; i + 1 < was; i++)
		all_firm &= r->kept[i].firm;
	r->nkept = 1;
	for (int i = 1; i < was; i++) {
		bool stays = i + 1 == was || (r->kept[i].firm && !all_firm) || odd++ % 2;
		if (!stays)
			continue;
		struct frame swap = r->kept[r->nkept];
		r->kept[r->nkept++] = r->kept[i];
		r->kept[i] = swap;
	}
	r->every *= 2;
}

static void keep(struct replay_frames *r, const struct frame *look, bool firm)
{
	struct frame *last = r->nkept ? &r->kept[r->nkept - 1] : NULL;

	if (last && last->at_ps >= look->at_ps) {
		last->firm |= firm && last->at_ps == look->at_ps;
		return;
	}
	if (r->nkept == r->room)
		thin(r);
	struct frame *to = &r->kept[r->nkept++];
	to->at_ps = look->at_ps;
	to->firm = firm;
	memcpy(to->cells, look->cells, r->nkeys * sizeof(*to->cells));
}

static void sample(void *ctx, int64_t at_ps)
{
	struct replay_frames *r = ctx;

	if (r->looks++ % r->stride)
		return;
	struct frame *old = &r->recent[(r->seen + r->nrecent - 1) % r->nrecent];
	struct frame *now = &r->recent[r->seen % r->nrecent];
	memcpy(now->cells, old->cells, r->nkeys * sizeof(*now->cells));
	now->at_ps = at_ps;
	bool moved = read_cells(r, now->cells, old->cells, r->seen % SLEEP == 0);
	r->seen++;
	if (moved && !r->moved)
		keep(r, old, false);		/* the end of the standstill */
	r->moved |= moved;
	if (r->watch > 0 ? moved : r->moved && r->seen - r->kept_seen >= r->every) {
		keep(r, now, r->watch > 0);
		r->kept_seen = r->seen;
		r->moved = false;
	}
	r->watch -= r->watch > 0;
}

/* The look tells nothing: it is like the one before and the one after. */
static bool dull(const struct replay_frames *r, int64_t from, int64_t i)
{
	size_t size = r->nkeys * sizeof(struct cell);
	const struct cell *here = r->recent[i % r->nrecent].cells;

	return i > from && i + 1 < r->seen &&
	       !memcmp(here, r->recent[(i - 1) % r->nrecent].cells, size) &&
	       !memcmp(here, r->recent[(i + 1) % r->nrecent].cells, size);
}

void replay_frames_mark(struct replay_frames *r)
{
	int64_t from = r->seen > r->nrecent ? r->seen - r->nrecent : 0;

	if (r->watch <= 0 && r->marks * 2 * r->nrecent >= r->room / 2)
		return;				/* enough has been marked */
	r->marks += r->watch <= 0;
	/* The latest looks hold all that has been kept since the first of them. */
	while (r->nkept > 1 && r->kept[r->nkept - 1].at_ps >= r->recent[from % r->nrecent].at_ps)
		r->nkept--;
	for (int64_t i = from; i < r->seen; i++)
		if (!dull(r, from, i))
			keep(r, &r->recent[i % r->nrecent], true);
	r->kept_seen = r->seen;
	r->moved = false;
	r->watch = r->nrecent;
}

/* --- writing ------------------------------------------------------------ */

enum column { QUEUE, GROUP, LIMIT, SENT, MARKED, COLUMNS };

static int64_t value(const struct replay_frames *r, uint32_t key, int frame, enum column column)
{
	const struct cell *now = &r->kept[frame].cells[key];
	const struct cell *old = frame ? &r->kept[frame - 1].cells[key] : now;

	switch (column) {
	case QUEUE:	return now->queue_bytes;
	case GROUP:	return now->group_bytes;
	case LIMIT:	return now->limit_bytes;
	case SENT:	return now->sent_bytes - old->sent_bytes;
	default:	return now->marked - old->marked;
	}
}

/* The differences of its levels as text, owned by the caller; NULL: all are 0. */
static char *column_text(const struct replay_frames *r, uint32_t key, enum column column)
{
	char *text = NULL;
	size_t size = 0;
	int32_t last = 0;
	bool any = false;
	FILE *out = mem_stream(&text, &size);

	for (int i = 0; i < r->nkept; i++) {
		int32_t level = replay_code_level(value(r, key, i, column));
		replay_code_put(out, level - last);
		any |= level != 0;
		last = level;
	}
	mem_stream_close(out);
	if (!any) {
		free(text);
		return NULL;
	}
	return text;
}

/* The limits of all groups of a switch are mostly the same: "limit" is then the
 * number of the channel that has the text. */
struct limits { char *text; int channel; };

static void write_limit(const struct replay_frames *r, uint32_t key, struct jsonout *j,
			struct limits *last, int channel)
{
	char *text = column_text(r, key, LIMIT);

	if (text && last->text && !strcmp(text, last->text)) {
		jsonout_int(j, "limit", last->channel);
		free(text);
	} else if (text) {
		jsonout_text(j, "limit", text);
		free(last->text);
		*last = (struct limits){ text, channel };
	}
}

static void write_channel(const struct replay_frames *r, uint32_t key, struct jsonout *j,
			  struct limits *limits, int channel)
{
	static const char *const names[COLUMNS] = { "queue", "group", NULL, "sent", "marked" };

	jsonout_open_flat(j, NULL, '{');
	jsonout_int(j, "port", r->port[key]);
	jsonout_int(j, "prio", r->prio[key]);
	replay_marks_write(r->f, r->port[key], r->prio[key], r->marks_of[key], j);
	for (enum column column = 0; column < COLUMNS; column++) {
		if (column == LIMIT)
			continue;
		char *text = column_text(r, key, column);
		if (text)
			jsonout_text(j, names[column], text);
		free(text);
	}
	if (r->bounded[key] && view_counters(r->f, r->port[key], r->prio[key]).group_peak_bytes)
		write_limit(r, key, j, limits, channel);
	jsonout_close(j, '}');
}

static void write_times(const struct replay_frames *r, struct jsonout *j)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = mem_stream(&text, &size);

	for (int i = 0; i < r->nkept; i++)
		replay_code_put(out, r->kept[i].at_ps / 1000 -
				     (i ? r->kept[i - 1].at_ps / 1000 : 0));
	mem_stream_close(out);
	jsonout_open_flat(j, "frames", '{');
	jsonout_int(j, "count", r->nkept);
	jsonout_text(j, "at_ns", text);
	jsonout_close(j, '}');
	free(text);
}

void replay_frames_write(const struct replay_frames *r, struct jsonout *j)
{
	struct limits limits = { NULL, 0 };
	int channel = 0;

	write_times(r, j);
	jsonout_open(j, "channels", '[');
	for (uint32_t key = 0; key < r->nkeys; key++)
		if (r->live[key])
			write_channel(r, key, j, &limits, channel++);
	jsonout_close(j, ']');
	free(limits.text);
}

/* --- life --------------------------------------------------------------- */

static void choose_keys(struct replay_frames *r)
{
	uint32_t ports = view_ports(r->f);
	bool in_use[PRIOS] = { false };
	uint32_t n = 0;

	for (int i = 0; i < view_classes(r->f); i++)
		in_use[view_class(r->f, i)->priority] = true;
	for (int prio = 0; prio < PRIOS; prio++)
		n += in_use[prio];
	r->port = mem_zalloc(ports * n * sizeof(*r->port));
	r->prio = mem_zalloc(ports * n * sizeof(*r->prio));
	r->live = mem_zalloc(ports * n * sizeof(*r->live));
	r->bounded = mem_zalloc(ports * n * sizeof(*r->bounded));
	r->marks_of = mem_zalloc(ports * n * sizeof(*r->marks_of));
	for (uint32_t port = 0; port < ports; port++) {
		for (int prio = 0; prio < PRIOS; prio++) {
			if (!in_use[prio])
				continue;
			r->port[r->nkeys] = port;
			r->prio[r->nkeys] = (uint8_t)prio;
			r->bounded[r->nkeys] = view_is_switch(r->f, view_port(r->f, port).node) &&
					       view_counters(r->f, port, prio).lossless;
			r->marks_of[r->nkeys++] = replay_marks_read(r->f, port, prio);
		}
	}
}

static int clamp(int64_t value, int low, int high)
{
	return value < low ? low : value > high ? high : (int)value;
}

struct replay_frames *replay_frames_new(struct fabric *f)
{
	struct replay_frames *r = mem_zalloc(sizeof(*r));
	int64_t every_ps = view_run_conf(f)->until_ps / LOOKS;

	r->f = f;
	choose_keys(r);
	r->room = clamp(CELLS / (r->nkeys + 1), FRAMES_MIN, FRAMES_MAX);
	r->nrecent = clamp(r->room / 16, MARK_MIN, MARK_MAX);
	r->stride = r->every = 1;
	size_t n = (size_t)(r->room + r->nrecent) * r->nkeys;
	r->block = mem_zalloc((n + 1) * sizeof(*r->block));
	r->kept = mem_zalloc((size_t)r->room * sizeof(*r->kept));
	r->recent = mem_zalloc((size_t)r->nrecent * sizeof(*r->recent));
	for (int i = 0; i < r->room + r->nrecent; i++) {
		struct frame *frame = i < r->room ? &r->kept[i] : &r->recent[i - r->room];
		frame->cells = r->block + (size_t)i * r->nkeys;
	}
	read_cells(r, r->recent[0].cells, r->recent[0].cells, true);	/* at 0 */
	r->seen = 1;
	keep(r, &r->recent[0], true);
	every_ps = every_ps < 20000 ? 20000 : (every_ps + 999) / 1000 * 1000;
	fabric_add_sampler(f, every_ps, sample, r);
	return r;
}

void replay_frames_finish(struct replay_frames *r)
{
	struct frame *old = &r->recent[(r->seen + r->nrecent - 1) % r->nrecent];
	struct frame *now = &r->recent[r->seen % r->nrecent];

	memcpy(now->cells, old->cells, r->nkeys * sizeof(*now->cells));
	now->at_ps = view_run(r->f).now_ps;
	if (read_cells(r, now->cells, old->cells, true) && !r->moved)
		keep(r, old, false);
	keep(r, now, true);
}

void replay_frames_free(struct replay_frames **rp)
{
	struct replay_frames *r = *rp;

	*rp = NULL;
	if (!r)
		return;
	free(r->port);
	free(r->prio);
	free(r->live);
	free(r->bounded);
	free(r->marks_of);
	free(r->kept);
	free(r->recent);
	free(r->block);
	free(r);
}
