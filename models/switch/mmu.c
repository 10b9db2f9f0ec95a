#include "models/switch/mmu.h"

#include "sim/assert.h"

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
	  .doc = "Headroom of each lossless group; auto is the exact need of its link." },
	ROW("shared_headroom", PARAM_BYTES, shared_headroom_bytes, "0B", "0B", "16GB",
	    "Size of the shared headroom pool; 0B lets each group own its headroom."),
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

int mmu_init(struct mmu *m, const struct mmu_conf *conf, struct mmu_group *group, uint32_t *xoff,
	     uint32_t groups, struct sim_error *err)
{
	int64_t reserved = 0, headroom = 0;

	*m = (struct mmu){ .conf = conf, .group = group, .groups = groups, .xoff = xoff,
			   .xon_floor = INT64_MAX, .cell = (uint32_t)conf->cell_bytes,
			   .cell_mul = (uint32_t)((UINT64_C(0xffffffff) + (uint64_t)conf->cell_bytes) /
						  (uint64_t)conf->cell_bytes) };
	for (uint32_t i = 0; i < groups; i++) {
		struct mmu_group *g = &group[i];
		if (!g->in_use)
			continue;
		reserved += g->reserved_max;
		if (g->lossless)
			headroom += g->headroom_max;
	}
	if (conf->shared_headroom_bytes)
		headroom = conf->shared_headroom_bytes;
	m->headroom_pool = headroom;
	m->pool = conf->size_bytes - reserved - headroom;
	if (m->pool <= 0)
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

	g->xoff = true;
	g->xoff_at = m->nxoff;
	m->xoff[m->nxoff++] = i;
	if (!g->headroom && g->shared < m->xon_floor)
		m->xon_floor = g->shared;
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
	if (!m->nxoff)
		m->xon_floor = INT64_MAX;
}

static void mmu_take(struct mmu *m, struct mmu_group *g, int64_t charge)
{
	m->resident += charge;
	sim_assert(m->resident <= m->conf->size_bytes);
	if (m->resident > m->peak)
		m->peak = m->resident;
	int64_t held = g->reserved + g->shared + g->headroom;
	if (held > g->peak)
		g->peak = held;
}

static void mmu_take_shared(struct mmu *m, struct mmu_group *g, int64_t own, int64_t rest)
{
	g->reserved += own;
	g->shared += rest;
	m->shared_used += rest;
	mmu_take(m, g, own + rest);
}

/* Lossless, and not (any more) below its limit: into headroom, or lost; XOFF
 * either way.  A group that holds nothing has nothing to be freed by. */
static bool mmu_admit_headroom(struct mmu *m, uint32_t i, int64_t own, int64_t rest)
{
	struct mmu_group *g = &m->group[i];
	bool fits = g->headroom + rest <= g->headroom_max &&
		    m->headroom_used + rest <= m->headroom_pool;

	if (fits) {
		g->reserved += own;
		g->headroom += rest;
		m->headroom_used += rest;
		mmu_take(m, g, own + rest);
	}
	if (!g->xoff && g->shared + g->headroom > 0)
		mmu_enter_xoff(m, i);
	return fits;
}

bool mmu_admit(struct mmu *m, uint32_t i, int64_t charge)
{
	struct mmu_group *g = &m->group[i];
	int64_t own = g->reserved_max - g->reserved, rest;

	if (own > charge)
		own = charge;
	rest = charge - own;
	if (rest == 0) {
		g->reserved += own;
		mmu_take(m, g, charge);
		return true;
	}
	bool room = m->shared_used + rest <= m->pool;
	if (!g->lossless) {
		if (!room || g->shared >= mmu_ratio(m->conf->lossy_alpha, m->pool - m->shared_used))
			return false;
		mmu_take_shared(m, g, own, rest);
		return true;
	}
	if (!room || g->shared >= mmu_limit(m, mmu_profile_of(m, g), m->shared_used))
		return mmu_admit_headroom(m, i, own, rest);
	mmu_take_shared(m, g, own, rest);
	if (!g->xoff && g->shared >= mmu_limit(m, mmu_profile_of(m, g), m->shared_used))
		mmu_enter_xoff(m, i);
	return true;
}

void mmu_release(struct mmu *m, uint32_t i, int64_t charge)
{
	struct mmu_group *g = &m->group[i];
	int64_t part;

	m->resident -= charge;
	part = g->headroom < charge ? g->headroom : charge;
	g->headroom -= part;
	m->headroom_used -= part;
	charge -= part;
	part = g->shared < charge ? g->shared : charge;
	g->shared -= part;
	m->shared_used -= part;
	g->reserved -= charge - part;
	sim_assert(g->reserved >= 0 && m->resident >= 0 && m->shared_used >= 0);
	if (g->xoff && !g->headroom && g->shared < m->xon_floor)
		m->xon_floor = g->shared;
}

/* Of several, the lowest index first: the order is that of names. */
uint32_t mmu_next_xon(struct mmu *m)
{
	uint32_t found = UINT32_MAX;
	int64_t floor = INT64_MAX;

	if (!mmu_may_xon(m))
		return UINT32_MAX;
	for (uint32_t k = 0; k < m->nxoff; k++) {
		const struct mmu_group *g = &m->group[m->xoff[k]];
		if (g->headroom)	/* a group that goes on has all its headroom before it */
			continue;
		if (g->shared < floor)
			floor = g->shared;
		if (m->xoff[k] < found && g->shared <= mmu_xon_mark(m, mmu_profile_of(m, g), m->shared_used))
			found = m->xoff[k];
	}
	m->xon_floor = floor;
	if (found != UINT32_MAX)
		mmu_force_xon(m, found);
	return found;
}

bool mmu_would_xon(const struct mmu *m, uint32_t i, int64_t own, int64_t all_shared)
{
	const struct mmu_group *g = &m->group[i];
	int64_t reserved = own < g->reserved ? own : g->reserved;

	if (g->headroom && own - reserved > g->shared)	/* some of it is headroom */
		return false;
	return own - reserved <= mmu_xon_mark(m, mmu_profile_of(m, g), all_shared);
}

int mmu_check_books(const struct mmu *m, struct sim_error *err)
{
	int64_t reserved = 0, shared = 0, headroom = 0;

	for (uint32_t i = 0; i < m->groups; i++) {
		reserved += m->group[i].reserved;
		shared += m->group[i].shared;
		headroom += m->group[i].headroom;
	}
	if (shared != m->shared_used || headroom != m->headroom_used ||
	    reserved + shared + headroom != m->resident || m->resident > m->conf->size_bytes)
		return error_set(err, "", "buffer books differ: %lld + %lld + %lld against %lld",
				 (long long)reserved, (long long)shared, (long long)headroom,
				 (long long)m->resident);
	return 0;
}
