#include "sim/engine.h"

#include <stdlib.h>
#include <string.h>
#include "sim/assert.h"
#include "sim/mem.h"

/*
 * The wheel: WHEEL_BUCKETS buckets of 2^shift ps.  A bucket is an unsorted list
 * of cache lines of three events; when the clock reaches it, it is copied to
 * `batch` and sorted, so an event costs a push, a copy and its share of a sort
 * of a few neighbours.  The sort is what makes ties safe: where all start at 0
 * a bucket holds thousands of events of one instant, and a merge sort does not
 * mind.  The shift adapts to the load: a bucket should hold a handful of events
 * and the horizon span a frame time plus a propagation delay.
 *
 * Measured on the workloads of bench/ (whole simulator, packet-hops a second,
 * three pairs on one core of a 2.6 GHz Xeon, same digest):
 *	permutation, 128 hosts     wheel 6.1 M, heap 5.2 M: x 1.15-1.18
 *	permutation, 1024 hosts    wheel 3.5 M, heap 2.6 M: x 1.31-1.38
 *	WebSearch 50 %, 320 hosts  wheel 5.3 M, heap 4.5 M: x 1.16-1.19
 * A sorted batch also tells what comes next: fabric.c prefetches by it.
 */
enum {
	WHEEL_BUCKETS = 1 << 14, WHEEL_MASK = WHEEL_BUCKETS - 1,
	WHEEL_REVIEW = 1 << 12,		/* bucket openings between two looks at the shift */
	WHEEL_SHIFT_MIN = 2, WHEEL_SHIFT_MAX = 40
};

enum { CELL_EVENTS = 3 };
struct cell {			/* one cache line: a bucket is a list of these */
	_Alignas(64) struct engine_event ev[CELL_EVENTS];
	uint32_t next, n;
};

struct heap { struct engine_event *at; uint32_t n, room; };

struct engine {
	enum engine_queue queue;
	int shift;
	int64_t bucket;			/* number of the bucket in `batch` */
	struct engine_event *batch;	/* sorted; [pos, n) still to come */
	uint32_t pos, n, room;
	struct engine_event *scratch;	/* for the merge sort, as large as batch */
	struct heap far;		/* beyond the horizon; everything with ENGINE_HEAP */
	uint32_t *head;			/* first cell of each bucket, 0 none */
	uint64_t *bits, *summary;	/* which buckets hold something */
	struct cell *cell;
	uint32_t cells, free_cell, in_wheel;
	uint64_t fired, growths;
	uint32_t opened, opened_events, far_pushes;
};

static bool before(const struct engine_event *a, const struct engine_event *b)
{
	return a->at_ps != b->at_ps ? a->at_ps < b->at_ps : a->key < b->key;
}

/* ---- the 4-ary heap ---- */

static void heap_push(struct engine *e, struct heap *h, struct engine_event ev)
{
	if (h->n == h->room) {
		h->room = h->room * 2;
		h->at = mem_grow(h->at, h->room * sizeof *h->at);
		e->growths++;
	}
	uint32_t i = h->n++;
	while (i) {
		uint32_t up = (i - 1) / 4;
		if (!before(&ev, &h->at[up]))
			break;
		h->at[i] = h->at[up];
		i = up;
	}
	h->at[i] = ev;
}

static struct engine_event heap_pop(struct heap *h)
{
	struct engine_event top = h->at[0], last = h->at[--h->n];
	uint32_t i = 0;
	for (;;) {
		uint32_t child = i * 4 + 1, best = child;
		if (child >= h->n)
			break;
		uint32_t end = child + 4 < h->n ? child + 4 : h->n;
		for (uint32_t c = child + 1; c < end; c++)
			if (before(&h->at[c], &h->at[best]))
				best = c;
		if (!before(&h->at[best], &last))
			break;
		h->at[i] = h->at[best];
		i = best;
	}
	h->at[i] = last;
	return top;
}

/* ---- the wheel ---- */

static void batch_room(struct engine *e, uint32_t n)
{
	if (n <= e->room)
		return;
	while (e->room < n)
		e->room *= 2;
	e->batch = mem_grow(e->batch, e->room * sizeof *e->batch);
	e->scratch = mem_grow(e->scratch, e->room * sizeof *e->scratch);
	e->growths++;
}

static void insertion_sort(struct engine_event *a, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct engine_event x = a[i];
		uint32_t j = i;
		for (; j && before(&x, &a[j - 1]); j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

/* Runs of 8 by insertion, then bottom-up merges: n log n whatever the input. */
static void batch_sort(struct engine *e)
{
	enum { RUN = 8 };
	struct engine_event *a = e->batch, *b = e->scratch;
	uint32_t n = e->n;
	for (uint32_t i = 0; i < n; i += RUN)
		insertion_sort(a + i, n - i < RUN ? n - i : RUN);
	for (uint32_t w = RUN; w < n; w *= 2) {
		for (uint32_t lo = 0; lo < n; lo += 2 * w) {
			uint32_t mid = lo + w < n ? lo + w : n, hi = lo + 2 * w < n ? lo + 2 * w : n;
			uint32_t i = lo, j = mid, k = lo;
			while (i < mid && j < hi)
				b[k++] = before(&a[j], &a[i]) ? a[j++] : a[i++];
			while (i < mid)
				b[k++] = a[i++];
			while (j < hi)
				b[k++] = a[j++];
		}
		struct engine_event *t = a;
		a = b;
		b = t;
	}
	e->batch = a;
	e->scratch = b;
}

static void batch_insert(struct engine *e, struct engine_event ev)
{
	if (e->n == e->room && e->pos) {
		memmove(e->batch, e->batch + e->pos, (e->n - e->pos) * sizeof *e->batch);
		e->n -= e->pos;
		e->pos = 0;
	}
	batch_room(e, e->n + 1);
	uint32_t lo = e->pos, hi = e->n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (before(&e->batch[mid], &ev))
			lo = mid + 1;
		else
			hi = mid;
	}
	memmove(e->batch + lo + 1, e->batch + lo, (e->n - lo) * sizeof *e->batch);
	e->batch[lo] = ev;
	e->n++;
}

static uint32_t cell_take(struct engine *e)
{
	uint32_t c = e->free_cell;

	if (__builtin_expect(!c, 0)) {
		uint32_t old = e->cells;
		struct cell *more = mem_block(2 * (size_t)old * sizeof *more);
		memcpy(more, e->cell, old * sizeof *more);
		mem_block_free(e->cell, old * sizeof *more);
		e->cell = more;
		e->cells = 2 * old;
		for (uint32_t i = old; i < e->cells; i++)
			e->cell[i].next = i + 1 < e->cells ? i + 1 : 0;
		c = old;
		e->growths++;
	}
	e->free_cell = e->cell[c].next;
	return c;
}

static void wheel_push(struct engine *e, struct engine_event ev)
{
	uint32_t slot = (uint32_t)(ev.at_ps >> e->shift) & WHEEL_MASK, c = e->head[slot];

	if (!c || e->cell[c].n == CELL_EVENTS) {
		uint32_t fresh = cell_take(e);
		e->cell[fresh].next = c;
		e->cell[fresh].n = 0;
		e->head[slot] = c = fresh;
		e->bits[slot / 64] |= UINT64_C(1) << slot % 64;
		e->summary[slot / 4096] |= UINT64_C(1) << slot / 64 % 64;
	}
	e->cell[c].ev[e->cell[c].n++] = ev;
	e->in_wheel++;
}

/* Distance from `from` to the next occupied slot, going round; -1 when empty. */
static int64_t wheel_next(const struct engine *e, uint32_t from)
{
	uint64_t word = e->bits[from / 64] >> from % 64;
	if (word)
		return __builtin_ctzll(word);
	uint32_t w = from / 64;
	for (uint32_t i = 1; i <= WHEEL_BUCKETS / 64; ) {
		uint32_t at = (w + i) % (WHEEL_BUCKETS / 64);
		uint64_t sum = e->summary[at / 64] >> at % 64;
		if (sum) {
			uint32_t skip = (uint32_t)__builtin_ctzll(sum);
			at += skip;
			uint32_t slot = at * 64 + (uint32_t)__builtin_ctzll(e->bits[at]);
			return (int64_t)((slot - from) & WHEEL_MASK);
		}
		i += 64 - at % 64;
	}
	return -1;
}

static void wheel_drain(struct engine *e, uint32_t slot)
{
	uint32_t c = e->head[slot];
	while (c) {
		struct cell *cell = &e->cell[c];
		uint32_t next = cell->next;
		if (__builtin_expect(e->n + CELL_EVENTS > e->room, 0))
			batch_room(e, e->n + CELL_EVENTS);
		for (uint32_t i = 0; i < cell->n; i++)
			e->batch[e->n++] = cell->ev[i];
		e->in_wheel -= cell->n;
		cell->next = e->free_cell;
		e->free_cell = c;
		c = next;
	}
	e->head[slot] = 0;
	e->bits[slot / 64] &= ~(UINT64_C(1) << slot % 64);
	if (!e->bits[slot / 64])
		e->summary[slot / 4096] &= ~(UINT64_C(1) << slot / 64 % 64);
}

static void wheel_place(struct engine *e, struct engine_event ev)
{
	int64_t bucket = ev.at_ps >> e->shift;
	sim_assert(bucket >= e->bucket);
	if (bucket == e->bucket) {
		batch_insert(e, ev);
	} else if (bucket - e->bucket < WHEEL_BUCKETS) {
		wheel_push(e, ev);
	} else {
		heap_push(e, &e->far, ev);
		e->far_pushes++;
	}
}

/* Every so often: is a bucket too full, or the horizon too near? */
static void wheel_review(struct engine *e)
{
	uint32_t full = e->opened_events / e->opened, far = e->far_pushes;
	int shift = e->shift;
	if (full > 16 && shift > WHEEL_SHIFT_MIN)
		shift -= full > 64 ? 2 : 1;
	else if (full < 4 && far > e->opened_events / 4 && shift < WHEEL_SHIFT_MAX)
		shift += 1;
	e->opened = e->opened_events = e->far_pushes = 0;
	if (shift == e->shift)
		return;
	/* Everything in the wheel moves; this is rare and costs a sort at most. */
	int64_t start = e->bucket << e->shift;
	for (int64_t d; (d = wheel_next(e, 0)) >= 0; )
		wheel_drain(e, (uint32_t)d);
	uint32_t moved = e->n;
	struct engine_event *keep = e->scratch;	/* as large as batch, and not sorted into below */
	memcpy(keep, e->batch, moved * sizeof *keep);
	e->n = e->pos = 0;
	e->shift = shift;
	e->bucket = start >> shift;
	for (uint32_t i = 0; i < moved; i++)
		wheel_place(e, keep[i]);
	e->far_pushes = 0;
}

static void wheel_open(struct engine *e)
{
	e->pos = e->n = 0;
	if (e->opened >= WHEEL_REVIEW)
		wheel_review(e);
	if (e->n)
		return;
	int64_t bucket = INT64_MAX;
	if (e->in_wheel)
		bucket = e->bucket + 1 + wheel_next(e, (uint32_t)(e->bucket + 1) & WHEEL_MASK);
	if (e->far.n && e->far.at[0].at_ps >> e->shift < bucket)
		bucket = e->far.at[0].at_ps >> e->shift;
	if (bucket == INT64_MAX)
		return;
	e->bucket = bucket;
	uint32_t slot = (uint32_t)bucket & WHEEL_MASK;
	if (e->in_wheel && e->head[slot])
		wheel_drain(e, slot);
	while (e->far.n && e->far.at[0].at_ps >> e->shift == bucket) {
		batch_room(e, e->n + 1);
		e->batch[e->n++] = heap_pop(&e->far);
	}
	e->opened++;
	e->opened_events += e->n;
	if (e->n > 1)
		batch_sort(e);
}

/* ---- interface ---- */

struct engine *engine_new(enum engine_queue queue, uint32_t pending)
{
	struct engine *e = mem_zalloc(sizeof *e);
	uint32_t want = pending < 1024 ? 1024 : pending;
	e->queue = queue;
	e->shift = 8;
	e->far.room = want;
	e->far.at = mem_zalloc(e->far.room * sizeof *e->far.at);
	if (queue == ENGINE_HEAP)
		return e;
	e->room = want;
	e->batch = mem_zalloc(e->room * sizeof *e->batch);
	e->scratch = mem_zalloc(e->room * sizeof *e->scratch);
	e->head = mem_zalloc(WHEEL_BUCKETS * sizeof *e->head);
	e->bits = mem_zalloc(WHEEL_BUCKETS / 8);
	e->summary = mem_zalloc((WHEEL_BUCKETS / 4096 + 1) * sizeof *e->summary);
	e->cells = want;
	e->cell = mem_block(e->cells * sizeof *e->cell);
	for (uint32_t i = 1; i < e->cells; i++)
		e->cell[i].next = i + 1 < e->cells ? i + 1 : 0;
	e->free_cell = 1;
	return e;
}

void engine_free(struct engine **ep)
{
	struct engine *e = *ep;
	if (!e)
		return;
	free(e->far.at);
	free(e->batch);
	free(e->scratch);
	free(e->head);
	free(e->bits);
	free(e->summary);
	if (e->cell)
		mem_block_free(e->cell, e->cells * sizeof *e->cell);
	free(e);
	*ep = NULL;
}

void engine_arm(struct engine *e, int64_t at_ps, uint64_t key)
{
	struct engine_event ev = { at_ps, key };
	if (e->queue == ENGINE_HEAP)
		heap_push(e, &e->far, ev);
	else
		wheel_place(e, ev);
}

int64_t engine_next_ps(struct engine *e)
{
	if (e->queue == ENGINE_HEAP)
		return e->far.n ? e->far.at[0].at_ps : UNITS_NEVER;
	if (e->pos == e->n)
		wheel_open(e);
	return e->pos < e->n ? e->batch[e->pos].at_ps : UNITS_NEVER;
}

bool engine_take(struct engine *e, int64_t at_ps, uint64_t *key)
{
	if (e->queue == ENGINE_HEAP) {
		if (!e->far.n || e->far.at[0].at_ps != at_ps)
			return false;
		*key = heap_pop(&e->far).key;
	} else {
		if (e->pos == e->n || e->batch[e->pos].at_ps != at_ps)
			return false;
		*key = e->batch[e->pos++].key;
	}
	e->fired++;
	return true;
}

uint64_t engine_ahead(const struct engine *e, uint32_t n)
{
	return e->n - e->pos > n ? e->batch[e->pos + n].key : 0;
}

uint64_t engine_fired(const struct engine *e) { return e->fired; }
const uint64_t *engine_fired_at(const struct engine *e) { return &e->fired; }
uint64_t engine_growths(const struct engine *e) { return e->growths; }
