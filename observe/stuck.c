/*
 * observe/stuck.c - see stuck.h.
 *
 * Only members that hold a queue are kept: what a group adds to the others is
 * the queue it holds, and every member needs one held by another.  Removing a
 * member frees bytes and never binds any, so the order of removals does not
 * matter and the result is the greatest fixed point.
 */
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/stuck.h"

static uint64_t *bits_of(const struct stuck *s, uint64_t *bits, uint32_t node, uint32_t prio)
{
	return bits + s->first_word[node] + (uint64_t)prio * s->words[node];
}

static void set_bit(struct stuck *s, uint64_t *bits, uint32_t key, bool on)
{
	uint32_t port = key / STUCK_PRIOS, i = s->index[port];
	uint64_t *word = bits_of(s, bits, s->node[port], key % STUCK_PRIOS) + i / 64;
	uint64_t bit = UINT64_C(1) << i % 64;

	*word = on ? *word | bit : *word & ~bit;
}

static void forget(struct stuck *s, uint32_t node)
{
	for (uint32_t i = 0; i < STUCK_PARTS; i++)
		s->shared[node * STUCK_PARTS + i] = -1;
}

void stuck_init(struct stuck *s, const struct fabric *f)
{
	uint32_t nodes = view_nodes(f), ports = view_ports(f), widest = 1;
	uint64_t words = 0;

	*s = (struct stuck){ .f = f, .nkeys = ports * STUCK_PRIOS };
	s->node = mem_zalloc(ports * sizeof(*s->node));
	s->peer = mem_zalloc(ports * sizeof(*s->peer));
	s->index = mem_zalloc(ports * sizeof(*s->index));
	s->first_word = mem_zalloc(nodes * sizeof(*s->first_word));
	s->words = mem_zalloc(nodes * sizeof(*s->words));
	s->is_switch = mem_zalloc(nodes * sizeof(*s->is_switch));
	s->dynamic = mem_zalloc(nodes * sizeof(*s->dynamic));
	s->two_level = mem_zalloc(nodes * sizeof(*s->two_level));
	s->stops = mem_zalloc(ports * sizeof(*s->stops));
	s->shared = mem_zalloc((size_t)nodes * STUCK_PARTS * sizeof(*s->shared));
	for (uint32_t node = 0; node < nodes; node++) {
		uint32_t first = view_first_port(f, node), n = view_port_count(f, node);
		s->is_switch[node] = view_is_switch(f, node);
		if (s->is_switch[node]) {
			const struct switch_conf *c = view_switch_conf(f, node);
			s->dynamic[node] = c->buffer.xoff_bytes < 0 || c->nports > 0;
			s->two_level[node] = c->buffer.port_alpha.num > 0;
		}
		forget(s, node);
		s->first_word[node] = words;
		s->words[node] = (n + 63) / 64;
		words += (uint64_t)STUCK_PRIOS * s->words[node];
		if (s->words[node] > widest)
			widest = s->words[node];
		for (uint32_t i = 0; i < n; i++) {
			s->node[first + i] = node;
			s->index[first + i] = i;
			s->peer[first + i] = view_port(f, first + i).peer_port;
			s->stops[first + i] = (uint8_t)view_stops(f, first + i);
		}
	}
	s->held = mem_zalloc(words * sizeof(*s->held));
	s->paused = mem_zalloc(words * sizeof(*s->paused));
	s->one = mem_zalloc((size_t)widest * STUCK_PRIOS * sizeof(*s->one));
	s->member = mem_zalloc(s->nkeys * sizeof(*s->member));
	s->queue = mem_zalloc(s->nkeys * sizeof(*s->queue));
	s->parent = mem_zalloc(s->nkeys * sizeof(*s->parent));
	s->mark = mem_zalloc(s->nkeys * sizeof(*s->mark));
}

void stuck_free(struct stuck *s)
{
	free(s->node);
	free(s->peer);
	free(s->index);
	free(s->first_word);
	free(s->words);
	free(s->is_switch);
	free(s->dynamic);
	free(s->two_level);
	free(s->stops);
	free(s->shared);
	free(s->held);
	free(s->paused);
	free(s->one);
	free(s->member);
	free(s->queue);
	free(s->parent);
	free(s->mark);
	*s = (struct stuck){ 0 };
}

void stuck_hold(struct stuck *s, uint32_t key, bool on)
{
	set_bit(s, s->held, key, on);
	forget(s, s->node[key / STUCK_PRIOS]);
}

void stuck_pause(struct stuck *s, uint32_t key, bool on)
{
	set_bit(s, s->paused, key, on);
}

void stuck_add(struct stuck *s, uint32_t key)
{
	stuck_hold(s, key, true);
	s->member[s->nmember++] = key;
}

void stuck_clear(struct stuck *s)
{
	for (uint32_t i = 0; i < s->nmember; i++)
		stuck_hold(s, s->member[i], false);
	s->nmember = 0;
}

/* Shared bytes of group (in, prio) that can never leave, whether it is in D or not. */
static int64_t group_stuck(const struct stuck *s, uint32_t in, uint32_t prio)
{
	int64_t bytes = view_held_in(s->f, in, (int)prio, bits_of(s, s->held, s->node[in], 0));

	if (!bytes)
		return 0;
	struct view_group g = view_group(s->f, in, (int)prio);
	bytes -= g.reserved_bytes; /* leaves last: headroom, shared, reserved */
	if (bytes > g.shared_bytes)
		bytes = g.shared_bytes;
	return bytes > 0 ? bytes : 0;
}

/* Is a queue held into which frames of `prio` may go? */
static bool any_held(const struct stuck *s, uint32_t node, uint32_t prio)
{
	const uint64_t *held = bits_of(s, s->held, node, 0);
	uint64_t any = 0;

	for (unsigned as = view_leaves_as(s->f, node, (int)prio); as; as &= as - 1)
		for (uint32_t w = 0; w < s->words[node]; w++)
			any |= held[(uint32_t)__builtin_ctz(as) * s->words[node] + w];
	return any != 0;
}

/* Of all groups of the partition of `in`. */
static int64_t shared_stuck(struct stuck *s, uint32_t in)
{
	uint32_t node = s->node[in], first = view_first_port(s->f, node), n = view_port_count(s->f, node);
	int part = view_part(s->f, in);
	int64_t *known = &s->shared[node * STUCK_PARTS + (uint32_t)part], sum = 0;

	if (*known >= 0)
		return *known;
	for (uint32_t prio = 0; prio < STUCK_PRIOS; prio++) {
		bool any = any_held(s, node, prio);
		for (uint32_t i = first; any && i < first + n; i++)
			if (view_part(s->f, i) == part)
				sum += group_stuck(s, i, prio);
	}
	*known = sum;
	return sum;
}

/* Of all groups of the port `in`; of matter only with two-level thresholds. */
static int64_t port_stuck(struct stuck *s, uint32_t in)
{
	int64_t sum = 0;

	for (uint32_t prio = 0; s->two_level[s->node[in]] && prio < STUCK_PRIOS; prio++)
		sum += group_stuck(s, in, prio);
	return sum;
}

/* By the MMU's rule.  What holds more than its shared part keeps headroom, and so its
 * XOFF; unless a frame that is on the wire can still take the place (mmu.h). */
static bool would_xon(struct stuck *s, uint32_t in, int prio, int64_t own, int64_t shared, int64_t of_port)
{
	if (view_would_xon(s->f, in, prio, own, shared, of_port, false))
		return true;
	if (!view_would_xon(s->f, in, prio, own, shared, of_port, true) || !view_arriving(s->f, in, prio))
		return false;
	return s->arriving = true;
}

uint8_t stuck_groups(const struct stuck *s, uint32_t key)
{
	uint32_t in = stuck_peer(s, key);
	unsigned all = 1u << key % STUCK_PRIOS, on = 0;

	if (s->stops[key / STUCK_PRIOS] == VIEW_STOPS_NEVER)
		return 0;
	if (s->stops[key / STUCK_PRIOS] == VIEW_STOPS_BY_PRIORITY)
		return (uint8_t)all;
	for (int prio = 0; prio < STUCK_PRIOS; prio++)
		on |= (unsigned)view_group(s->f, in, prio).xoff << prio;
	return (uint8_t)on;
}

/* Would the group leave XOFF once all that is not stuck has gone?  When `doubtful`,
 * the pool is taken to be full: a yes is certain, a no is not. */
static bool group_would_leave(struct stuck *s, uint32_t in, int prio, bool doubtful)
{
	uint32_t node = s->node[in];
	int64_t own = view_held_in(s->f, in, prio, bits_of(s, s->held, node, 0));

	if (!own)
		return true;
	if (!s->dynamic[node])
		return would_xon(s, in, prio, own, 0, 0);
	if (doubtful)
		return would_xon(s, in, prio, own, view_switch_conf(s->f, node)->buffer.size_bytes, 0);
	return would_xon(s, in, prio, own, shared_stuck(s, in), port_stuck(s, in));
}

/* All that stop the queue. */
static bool would_leave(struct stuck *s, uint32_t key, bool doubtful)
{
	for (unsigned m = stuck_groups(s, key); m; m &= m - 1)
		if (!group_would_leave(s, stuck_peer(s, key), __builtin_ctz(m), doubtful))
			return false;
	return true;
}

int64_t stuck_mark(struct stuck *s, uint32_t key, int *prio_out, int64_t *stuck)
{
	uint32_t in = stuck_peer(s, key), node = s->node[in];
	int prio = (int)(key % STUCK_PRIOS);

	for (unsigned m = stuck_groups(s, key); m; m &= m - 1)
		if (!group_would_leave(s, in, __builtin_ctz(m), false)) {
			prio = __builtin_ctz(m);
			break;
		}
	int64_t low = -1, shared = s->dynamic[node] ? shared_stuck(s, in) : 0;
	int64_t high = view_held_in(s->f, in, prio, bits_of(s, s->held, node, 0));

	*prio_out = prio;
	*stuck = high;
	while (high - low > 1) {
		int64_t own = low + (high - low) / 2;
		if (view_would_xon(s->f, in, prio, own, shared, port_stuck(s, in), false))
			low = own;
		else
			high = own;
	}
	return low;
}

static void reduce(struct stuck *s, bool doubtful)
{
	for (bool changed = true; changed && s->nmember;) {
		changed = false;
		for (uint32_t i = 0; i < s->nmember;) {
			uint32_t key = s->member[i];
			if (!would_leave(s, key, doubtful)) {
				i++;
				continue;
			}
			stuck_hold(s, key, false);
			s->member[i] = s->member[--s->nmember];
			changed = true;
		}
	}
}

void stuck_reduce(struct stuck *s)
{
	reduce(s, false);
}

/* Does a group of `key` have bytes that wait in queue `next`? */
static bool waits_in(struct stuck *s, uint32_t key, uint32_t next)
{
	uint32_t i = s->index[next / STUCK_PRIOS], in = stuck_peer(s, key), node = s->node[in];
	int64_t bytes = 0;

	if (node != s->node[next / STUCK_PRIOS])
		return false;
	uint64_t *word = &s->one[(next % STUCK_PRIOS) * s->words[node] + i / 64];
	*word = UINT64_C(1) << i % 64;
	for (unsigned m = stuck_groups(s, key); m && !bytes; m &= m - 1)
		bytes = view_held_in(s->f, in, __builtin_ctz(m), s->one);
	*word = 0;
	return bytes > 0;
}

/* Of one word of the bitmap of paused queues that frames leave as priority `as`. */
static void add_paused(struct stuck *s, uint32_t key, uint32_t as, uint32_t word)
{
	uint32_t node = s->node[stuck_peer(s, key)];

	for (uint64_t m = bits_of(s, s->paused, node, as)[word]; m; m &= m - 1) {
		uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(m);
		uint32_t next = (view_first_port(s->f, node) + i) * STUCK_PRIOS + as;
		if (s->mark[next] || !waits_in(s, key, next))
			continue;
		s->mark[next] = true;
		stuck_add(s, next);
	}
}

/* Adds the paused queues for which the groups of `key` wait. */
static void add_next(struct stuck *s, uint32_t key)
{
	uint32_t in = stuck_peer(s, key), node = s->node[in];
	const uint64_t *paused = bits_of(s, s->paused, node, 0);
	unsigned as = 0;

	for (unsigned m = stuck_groups(s, key); m; m &= m - 1)
		if (view_held_in(s->f, in, __builtin_ctz(m), paused))
			as |= view_leaves_as(s->f, node, __builtin_ctz(m));
	for (; as; as &= as - 1)
		for (uint32_t w = 0; w < s->words[node]; w++)
			add_paused(s, key, (uint32_t)__builtin_ctz(as), w);
}

bool stuck_may(struct stuck *s, uint32_t key)
{
	uint32_t found = 0;
	bool may = false;

	stuck_add(s, key);
	s->mark[key] = true;
	for (; found < s->nmember && s->nmember < STUCK_ENOUGH; found++)
		add_next(s, s->member[found]);
	for (uint32_t i = 0; i < s->nmember; i++)
		s->mark[s->member[i]] = false;
	if (found < s->nmember) {	/* too many to try */
		stuck_clear(s);
		return true;
	}
	reduce(s, true);
	for (uint32_t i = 0; i < s->nmember; i++)
		may |= s->member[i] == key;
	stuck_clear(s);
	return may;
}

/* --- the report --------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Length of a shortest way from `start` back to itself, at most `limit`; 0: none.
 * The way stands in s->parent, backwards from `last`. */
static uint32_t way_back(struct stuck *s, uint32_t start, uint32_t limit, uint32_t *last)
{
	uint32_t head = 0, tail = 0, depth = 1, level_end = 1;

	for (uint32_t i = 0; i < s->nmember; i++)
		s->parent[s->member[i]] = VIEW_NONE;
	s->queue[tail++] = start;
	while (head < tail && depth <= limit) {
		uint32_t key = s->queue[head++];
		for (uint32_t i = 0; i < s->nmember; i++) {
			uint32_t next = s->member[i];
			if (s->parent[next] != VIEW_NONE || !waits_in(s, key, next))
				continue;
			if (next == start) {
				*last = key;
				return depth;
			}
			s->parent[next] = key;
			s->queue[tail++] = next;
		}
		if (head == level_end) {
			level_end = tail;
			depth++;
		}
	}
	return 0;
}

uint32_t stuck_cycle(struct stuck *s, uint32_t *cycle)
{
	uint32_t best = 0, last = 0;

	qsort(s->member, s->nmember, sizeof(*s->member), by_key);
	for (uint32_t i = 0; i < s->nmember; i++) {
		uint32_t n = way_back(s, s->member[i], best ? best - 1 : s->nmember, &last);
		if (!n)
			continue;
		best = n;
		for (uint32_t at = n - 1, key = last; at > 0; at--, key = s->parent[key])
			cycle[at] = key;
		cycle[0] = s->member[i];
	}
	return best;
}

/* Is a group in XOFF that stops the queue? */
static bool xoff_by(const struct stuck *s, uint32_t key)
{
	bool xoff = false;

	for (unsigned m = stuck_groups(s, key); m; m &= m - 1)
		xoff |= view_group(s->f, stuck_peer(s, key), __builtin_ctz(m)).xoff;
	return xoff;
}

uint32_t stuck_victims(struct stuck *s, const uint32_t *cycle, uint32_t n, uint32_t *out)
{
	uint32_t nout = 0;

	for (uint32_t i = 0; i < s->nmember; i++)
		s->mark[s->member[i]] = true;
	for (uint32_t i = 0; i < n; i++)
		s->mark[cycle[i]] = false;
	for (uint32_t key = 0; key < s->nkeys; key++) {
		uint32_t port = key / STUCK_PRIOS, in = s->peer[port];
		bool victim = s->mark[key];

		s->mark[key] = false;
		if (!s->is_switch[s->node[port]] && in != VIEW_NONE &&
		    s->is_switch[s->node[in]])
			victim = view_counters(s->f, port, (int)(key % STUCK_PRIOS)).paused &&
				 xoff_by(s, key) && !would_leave(s, key, false);
		if (victim)
			out[nout++] = key;
	}
	return nout;
}
