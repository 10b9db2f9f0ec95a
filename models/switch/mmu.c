#include "models/switch/mmu.h"

#include "sim/assert.h"

#define MMU_NO_END (INT64_MAX / 2)	/* of descriptors: never reached */
#define ROW(key_, type_, field, def_, min_, max_, doc_)						\
	{ .key = key_, .type = type_, .offset = offsetof(struct mmu_conf, field), .def = def_,	\
	  .min = min_, .max = max_, .doc = doc_ }
const struct param mmu_params[] = {
	ROW("size", PARAM_BYTES, size_bytes, "16MiB", "1KB", "16GB",
	    "Whole packet buffer of the switch."),
	ROW("cell", PARAM_BYTES, cell_bytes, "208B", "1B", "16KB",
	    "Frames are charged in whole cells of this size; 1B charges by bytes."),
	ROW("alpha", PARAM_RATIO, alpha, "1/8", "1/65536", "128",
	    "Dynamic XOFF limit of a lossless group: alpha times the free shared pool."),
	{ .key = "xoff", .type = PARAM_BYTES, .offset = offsetof(struct mmu_conf, xoff_bytes),
	  .def = "dynamic", .min = "0B", .max = "16GB", .word = "dynamic", .word_value = -1,
	  .doc = "Static XOFF limit of a lossless group; dynamic follows alpha." },
	ROW("xon", PARAM_BYTES, xon_bytes, "0B", "0B", "16GB",
	    "A group in XOFF is freed at or below this shared use, whatever its limit, once its headroom is empty."),
	ROW("xon_offset", PARAM_BYTES, xon_offset_bytes, "2496B", "0B", "16GB",
	    "A group in XOFF is freed when its headroom is empty and its shared use this far below its limit."),
	ROW("reserved", PARAM_BYTES, reserved_bytes, "0B", "0B", "16GB",
	    "Minimum that each ingress priority group in use owns."),
	{ .key = "headroom", .type = PARAM_BYTES, .offset = offsetof(struct mmu_conf, headroom_bytes),
	  .def = "auto", .min = "0B", .max = "16GB", .word = "auto", .word_value = -1,
	  .doc = "Headroom of each lossless group; auto has room for any mixture of frame sizes, and one frame more." },
	ROW("shared_headroom", PARAM_BYTES, shared_headroom_bytes, "0B", "0B", "16GB",
	    "Size of the shared headroom pool; 0B lets each group own its headroom."),
	ROW("port_alpha", PARAM_RATIO, port_alpha, "0", "0", "128",
	    "Two-level thresholds: a port may hold this times the free shared pool, a lossless group alpha times "
	    "what its port has left; 0 has one level."),
	ROW("port_headroom", PARAM_BYTES, port_headroom_bytes, "0B", "0B", "16GB",
	    "Most headroom that the groups of one port may use together; 0B sets no limit."),
	ROW("partitions", PARAM_COUNT, partitions, "1", "1", "8",
	    "Equal parts of the shared pool and of the shared headroom pool, each for an equal run of ports."),
	{ .key = "descriptors", .type = PARAM_COUNT, .offset = offsetof(struct mmu_conf, descriptors),
	  .def = "unlimited", .min = "1", .max = "1000000000", .word = "unlimited", .word_value = -1,
	  .doc = "Frames of any size that the buffer holds; one more is lost, lossless or not." },
	{ .key = "egress_lossless", .type = PARAM_BYTES, .offset = offsetof(struct mmu_conf, egress_lossless_bytes),
	  .def = "unlimited", .min = "0B", .max = "16GB", .word = "unlimited", .word_value = -1,
	  .doc = "Limit of an egress queue of lossless frames, beyond which they are lost; real switches set none." },
	{ .key = "egress_pool", .type = PARAM_BYTES, .offset = offsetof(struct mmu_conf, egress_pool_bytes),
	  .def = "unlimited", .min = "0B", .max = "16GB", .word = "unlimited", .word_value = -1,
	  .doc = "Limit of what waits in all egress queues of lossless frames of the switch together." },
	ROW("lossy_alpha", PARAM_RATIO, lossy_alpha, "1", "1/65536", "128",
	    "Ingress limit of a lossy group: this times the free shared pool."),
	ROW("egress_alpha", PARAM_RATIO, egress_alpha, "1", "1/65536", "128",
	    "Limit of a lossy egress queue: this times the free shared pool."),
	{ .key = NULL }
};

int mmu_check(const struct mmu_conf *c, struct sim_error *err)
{
	if (c->cell_bytes > c->size_bytes)
		return error_set(err, "/cell", "a cell of %lld bytes is larger than the buffer of %lld",
				 (long long)c->cell_bytes, (long long)c->size_bytes);
	if (c->shared_headroom_bytes >= c->size_bytes)
		return error_set(err, "/shared_headroom",
				 "the shared headroom pool of %lld bytes leaves nothing of the buffer of %lld",
				 (long long)c->shared_headroom_bytes, (long long)c->size_bytes);
	return 0;
}

int64_t mmu_pool_bytes(const struct mmu *m)
{
	int64_t sum = 0;

	for (int i = 0; i < m->parts; i++)
		sum += m->part[i].pool;
	return sum;
}

int64_t mmu_headroom_pool_bytes(const struct mmu *m)
{
	int64_t sum = 0;

	for (int i = 0; i < m->parts; i++)
		sum += m->part[i].headroom_pool;
	return sum;
}

bool mmu_egress_lossless_room(const struct mmu *m, uint32_t queue)
{
	const struct mmu_conf *c = m->conf;

	return (c->egress_lossless_bytes < 0 || m->egress.queue[queue] < c->egress_lossless_bytes) &&
	       (c->egress_pool_bytes < 0 || m->egress.queued < c->egress_pool_bytes);
}

uint8_t mmu_egress_short_of(const struct mmu *m, uint32_t queue)
{
	const struct mmu_conf *c = m->conf;
	int mask = 0;

	if (c->egress_lossless_bytes >= 0 && m->egress.queue[queue] >= c->egress_lossless_bytes)
		mask |= MMU_SHORT_EGRESS_QUEUE;
	if (c->egress_pool_bytes >= 0 && m->egress.queued >= c->egress_pool_bytes)
		mask |= MMU_SHORT_EGRESS_POOL;
	return (uint8_t)mask;
}

static inline struct mmu_part *mmu_part_of(struct mmu *m, const struct mmu_group *g)
{
	return &m->part[g->part];
}

static inline int64_t mmu_free(const struct mmu_part *x) { return x->pool - x->shared_used; }

/* What the limit of group `i` depends on besides the pool; 0 where it does not. */
static inline int64_t mmu_port_shared(const struct mmu *m, uint32_t i)
{
	return __builtin_expect(m->two_level, 0) ? m->port[i / 8].shared : 0;
}

int64_t mmu_limit_now(const struct mmu *m, uint32_t i)
{
	const struct mmu_group *g = &m->group[i];

	return mmu_limit(m, mmu_profile_of(m, g), mmu_free(&m->part[g->part]), mmu_port_shared(m, i));
}

/* Runs of ports that differ by one at most. */
static void mmu_divide(struct mmu *m)
{
	uint32_t ports = (m->groups + 7) / 8;

	for (uint32_t i = 0; i < m->groups; i++)
		m->group[i].part = (uint8_t)((uint64_t)(i / 8) * (uint64_t)m->parts / ports);
}

int mmu_init(struct mmu *m, const struct mmu_conf *conf, struct mmu_group *group, uint32_t *xoff,
	     struct mmu_port *port, uint32_t groups, struct sim_error *err)
{
	int64_t reserved = 0, headroom = 0, left;

	*m = (struct mmu){ .conf = conf, .group = group, .groups = groups, .xoff = xoff, .port = port,
			   .parts = (uint8_t)conf->partitions, .size = conf->size_bytes, .two_level = conf->port_alpha.num > 0,
			   .egress_limits = mmu_by_egress(conf),
			   .extras = conf->partitions > 1 || mmu_by_port(conf) || conf->descriptors >= 0,
			   .descriptors = conf->descriptors < 0 ? MMU_NO_END : conf->descriptors,
			   .cell = (uint32_t)conf->cell_bytes,
			   .cell_mul = (uint32_t)((UINT64_C(0xffffffff) + (uint64_t)conf->cell_bytes) /
						  (uint64_t)conf->cell_bytes) };
	sim_assert(port || !mmu_by_port(conf));
	mmu_divide(m);
	for (uint32_t i = 0; i < groups; i++) {
		struct mmu_group *g = &group[i];
		if (!g->in_use)
			continue;
		reserved += g->reserved_max;
		if (g->lossless) {
			headroom += g->headroom_max;
			m->part[g->part].headroom_pool += g->headroom_max;
		}
	}
	if (conf->shared_headroom_bytes)
		headroom = conf->shared_headroom_bytes;
	left = conf->size_bytes - reserved - headroom;
	for (int i = 0; i < m->parts; i++) {
		if (conf->shared_headroom_bytes)
			m->part[i].headroom_pool = headroom / m->parts + (i ? 0 : headroom % m->parts);
		m->part[i].pool = left / m->parts + (i ? 0 : left % m->parts);
		m->part[i].xon_floor = INT64_MAX;
	}
	if (left <= 0)
		return error_set(err, "/size",
				 "reservations exceed the buffer: %lld bytes reserved and %lld bytes of "
				 "headroom leave nothing of %lld to share",
				 (long long)reserved, (long long)headroom, (long long)conf->size_bytes);
	mmu_profile(m, conf);
	return 0;
}

static bool mmu_same(const struct mmu_profile *a, const struct mmu_profile *b)
{
	return a->alpha.num == b->alpha.num && a->alpha.den == b->alpha.den && a->xoff_bytes == b->xoff_bytes &&
	       a->xon_bytes == b->xon_bytes && a->xon_offset_bytes == b->xon_offset_bytes;
}

int mmu_profile(struct mmu *m, const struct mmu_conf *conf)
{
	struct mmu_profile p = { .alpha = conf->alpha, .alpha_shift = -1, .xoff_bytes = conf->xoff_bytes,
		.xon_bytes = conf->xon_bytes, .xon_offset_bytes = conf->xon_offset_bytes };

	if (p.alpha.num == 1 && (p.alpha.den & (p.alpha.den - 1)) == 0)
		p.alpha_shift = __builtin_ctzll((uint64_t)p.alpha.den);
	for (int i = 0; i < m->profiles; i++)
		if (mmu_same(&m->profile[i], &p))
			return i;
	if (m->profiles == MMU_PROFILES)
		return -1;
	m->profile[m->profiles] = p;
	return m->profiles++;
}

static void mmu_enter_xoff(struct mmu *m, uint32_t i)
{
	struct mmu_group *g = &m->group[i];
	struct mmu_part *x = mmu_part_of(m, g);

	g->xoff = true;
	g->xoff_at = m->nxoff;
	m->xoff[m->nxoff++] = i;
	if (!g->headroom && g->shared < x->xon_floor)
		x->xon_floor = g->shared;
}

void mmu_force_xon(struct mmu *m, uint32_t i)
{
	struct mmu_group *g = &m->group[i];

	if (!g->xoff)
		return;
	g->xoff = false;
	uint32_t last = m->xoff[--m->nxoff];
	m->xoff[g->xoff_at] = last;
	m->group[last].xoff_at = g->xoff_at;
	for (int k = 0; !m->nxoff && k < m->parts; k++)
		m->part[k].xon_floor = INT64_MAX;
}

/*
 * Admission and release are written once and compiled twice: `extras` is a constant in
 * each, and without it there is one part, nothing by port, and no count of descriptors.
 * Not without optimisation: there a constant saves nothing, and `make coverage' would
 * count the branches of both, half of which nothing can take.
 */
#ifdef __OPTIMIZE__
#define MMU_BOTH static inline __attribute__((always_inline))
#else
#define MMU_BOTH static
#endif

MMU_BOTH void mmu_take(struct mmu *m, struct mmu_group *g, int64_t charge, bool extras)
{
	m->resident += charge;
	if (extras)
		m->descriptors--;
	sim_assert(m->resident <= m->size);
	if (m->resident > m->peak)
		m->peak = m->resident;
	int64_t held = g->reserved + g->shared + g->headroom;
	if (held > g->peak)
		g->peak = held;
}

MMU_BOTH void mmu_take_shared(struct mmu *m, uint32_t i, struct mmu_part *x, int64_t own, int64_t rest, bool extras)
{
	struct mmu_group *g = &m->group[i];

	g->reserved += own;
	g->shared += rest;
	x->shared_used += rest;
	if (extras && m->port)
		m->port[i / 8].shared += rest;
	mmu_take(m, g, own + rest, extras);
}

/* Lossless, and not (any more) below its limit: into headroom, or lost; XOFF
 * either way.  A group that holds nothing has nothing to be freed by. */
static bool mmu_admit_headroom(struct mmu *m, uint32_t i, int64_t own, int64_t rest)
{
	struct mmu_group *g = &m->group[i];
	struct mmu_part *x = mmu_part_of(m, g);
	bool fits = g->headroom + rest <= g->headroom_max && x->headroom_used + rest <= x->headroom_pool;

	if (m->port && m->conf->port_headroom_bytes)
		fits = fits && m->port[i / 8].headroom + rest <= m->conf->port_headroom_bytes;
	if (fits) {
		g->reserved += own;
		g->headroom += rest;
		x->headroom_used += rest;
		if (m->port)
			m->port[i / 8].headroom += rest;
		mmu_take(m, g, own + rest, m->extras);
	}
	if (!g->xoff && g->shared + g->headroom > 0)
		mmu_enter_xoff(m, i);
	return fits;
}

uint8_t mmu_short_of(const struct mmu *m, uint32_t i, int64_t charge)
{
	const struct mmu_group *g = &m->group[i];
	const struct mmu_part *x = &m->part[g->part];
	int64_t own = g->reserved_max - g->reserved, rest = charge - (own < charge ? own : charge);
	int mask = 0;

	if (m->descriptors == 0)
		return MMU_SHORT_DESCRIPTORS;
	if (g->headroom + rest > g->headroom_max)
		mask |= MMU_SHORT_HEADROOM;
	if (m->conf->shared_headroom_bytes && x->headroom_used + rest > x->headroom_pool)
		mask |= MMU_SHORT_POOL;
	if (m->port && m->conf->port_headroom_bytes &&
	    m->port[i / 8].headroom + rest > m->conf->port_headroom_bytes)
		mask |= MMU_SHORT_PORT;
	return (uint8_t)mask;
}

MMU_BOTH int64_t mmu_limit_of(const struct mmu *m, uint32_t i, const struct mmu_part *x, bool extras)
{
	const struct mmu_profile *p = mmu_profile_of(m, &m->group[i]);

	return extras ? mmu_limit(m, p, mmu_free(x), mmu_port_shared(m, i)) : mmu_limit_plain(p, mmu_free(x));
}

MMU_BOTH bool mmu_admit_in(struct mmu *m, uint32_t i, int64_t charge, bool extras)
{
	struct mmu_group *g = &m->group[i];
	struct mmu_part *x = extras ? mmu_part_of(m, g) : m->part;
	int64_t own = g->reserved_max - g->reserved, rest;

	if (extras && m->descriptors == 0)
		return false;
	if (own > charge)
		own = charge;
	rest = charge - own;
	if (rest == 0) {
		g->reserved += own;
		mmu_take(m, g, charge, extras);
		return true;
	}
	bool room = x->shared_used + rest <= x->pool;
	if (!g->lossless) {
		if (!room || g->shared >= mmu_ratio(m->conf->lossy_alpha, mmu_free(x)))
			return false;
		mmu_take_shared(m, i, x, own, rest, extras);
		return true;
	}
	if (!room || g->shared >= mmu_limit_of(m, i, x, extras))
		return mmu_admit_headroom(m, i, own, rest);
	mmu_take_shared(m, i, x, own, rest, extras);
	if (!g->xoff && g->shared >= mmu_limit_of(m, i, x, extras))
		mmu_enter_xoff(m, i);
	return true;
}

bool mmu_admit(struct mmu *m, uint32_t i, int64_t charge)
{
	if (__builtin_expect(m->extras, 0))
		return mmu_admit_in(m, i, charge, true);
	return mmu_admit_in(m, i, charge, false);
}

MMU_BOTH void mmu_release_in(struct mmu *m, uint32_t i, int64_t charge, bool extras)
{
	struct mmu_group *g = &m->group[i];
	struct mmu_part *x = extras ? mmu_part_of(m, g) : m->part;
	int64_t headroom, shared;

	m->resident -= charge;
	headroom = g->headroom < charge ? g->headroom : charge;
	g->headroom -= headroom;
	x->headroom_used -= headroom;
	charge -= headroom;
	shared = g->shared < charge ? g->shared : charge;
	g->shared -= shared;
	x->shared_used -= shared;
	g->reserved -= charge - shared;
	if (extras) {
		m->descriptors++;
		if (m->port) {
			m->port[i / 8].headroom -= headroom;
			m->port[i / 8].shared -= shared;
		}
	}
	sim_assert(g->reserved >= 0 && m->resident >= 0 && x->shared_used >= 0);
	if (g->xoff && !g->headroom && g->shared < x->xon_floor)
		x->xon_floor = g->shared;
}

void mmu_release(struct mmu *m, uint32_t i, int64_t charge)
{
	if (__builtin_expect(m->extras, 0))
		mmu_release_in(m, i, charge, true);
	else
		mmu_release_in(m, i, charge, false);
}

/* Of several, the lowest index first: the order is that of names. */
uint32_t mmu_next_xon(struct mmu *m, int part)
{
	struct mmu_part *x = &m->part[part];
	uint32_t found = UINT32_MAX;
	int64_t floor = INT64_MAX;

	if (!mmu_may_xon(m, part))
		return UINT32_MAX;
	for (uint32_t k = 0; k < m->nxoff; k++) {
		uint32_t i = m->xoff[k];
		const struct mmu_group *g = &m->group[i];
		if (g->headroom || g->part != part)	/* a group that goes on has all its headroom before it */
			continue;
		if (g->shared < floor)
			floor = g->shared;
		if (i < found && g->shared <= mmu_xon_mark(m, mmu_profile_of(m, g), mmu_free(x),
							   mmu_port_shared(m, i)))
			found = i;
	}
	x->xon_floor = floor;
	if (found != UINT32_MAX)
		mmu_force_xon(m, found);
	return found;
}

bool mmu_would_xon(const struct mmu *m, uint32_t i, int64_t own, int64_t all_shared, int64_t port_shared,
		   bool more)
{
	const struct mmu_group *g = &m->group[i];
	int64_t reserved = own < g->reserved ? own : g->reserved, free = m->part[g->part].pool - all_shared;

	if (!more && g->headroom && own - reserved > g->shared)	/* some of it is headroom */
		return false;
	return own - reserved <= mmu_xon_mark(m, mmu_profile_of(m, g), free, port_shared);
}

static int mmu_books_differ(const char *what, int64_t a, int64_t b, struct sim_error *err)
{
	return error_set(err, "", "buffer books differ: %s: %lld against %lld", what, (long long)a, (long long)b);
}

/* What the groups of a port, or of a part, hold, against the sums that are kept. */
static int mmu_check_sums(const struct mmu *m, struct sim_error *err)
{
	int64_t shared[MMU_PARTS] = { 0 }, headroom[MMU_PARTS] = { 0 };

	for (uint32_t i = 0; i < m->groups; i++) {
		shared[m->group[i].part] += m->group[i].shared;
		headroom[m->group[i].part] += m->group[i].headroom;
	}
	for (int k = 0; k < m->parts; k++) {
		if (shared[k] != m->part[k].shared_used || shared[k] > m->part[k].pool)
			return mmu_books_differ("shared", shared[k], m->part[k].shared_used, err);
		if (headroom[k] != m->part[k].headroom_used || headroom[k] > m->part[k].headroom_pool)
			return mmu_books_differ("headroom", headroom[k], m->part[k].headroom_used, err);
	}
	for (uint32_t p = 0; m->port && p < (m->groups + 7) / 8; p++) {
		int64_t own = 0, spare = 0;
		for (uint32_t i = p * 8; i < p * 8 + 8 && i < m->groups; i++) {
			own += m->group[i].shared;
			spare += m->group[i].headroom;
		}
		if (own != m->port[p].shared || spare != m->port[p].headroom)
			return mmu_books_differ("a port", own + spare, m->port[p].shared + m->port[p].headroom, err);
	}
	return 0;
}

int mmu_check_books(const struct mmu *m, struct sim_error *err)
{
	int64_t held = 0;

	for (uint32_t i = 0; i < m->groups; i++)
		held += m->group[i].reserved + m->group[i].shared + m->group[i].headroom;
	if (held != m->resident || m->resident > m->size || m->descriptors < 0)
		return mmu_books_differ("resident", held, m->resident, err);
	return mmu_check_sums(m, err);
}
