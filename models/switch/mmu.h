/*
 * models/switch/mmu.h - the buffer of one switch.  It only decides and counts;
 * who sends pauses or drops frames is the switch.
 *
 * Every frame is charged whole, in cells, to its ingress priority group at its
 * last bit in, and released at its last bit out.  A group fills in this order:
 *
 *	reserved   its own minimum
 *	shared     while shared use before < limit (and the pool has room); the
 *	           frame that crosses the limit still counts as shared
 *	headroom   lossless groups only: own, or a shared headroom pool; at most
 *	           `port_headroom` of all groups of a port together
 *
 * and empties in the reverse order.  The limit is static, or alpha times the
 * free shared pool (Choudhury and Hahne, dynamic thresholds, 1998), or of two
 * levels: a port may hold port_alpha times the free pool, and a group alpha
 * times what its port has left (NVIDIA Spectrum-4 and 5).
 *
 * A lossless group goes to XOFF when shared use after >= limit; it is freed when
 *	headroom use = 0, shared use <= max(xon, limit - xon_offset), and shared
 *	use < limit, or it holds nothing,
 * tested after every release in the pool, since the free pool moves the limit
 * (SAI saibuffer.h: the second as the formula of XON; the third as "available
 * buffer larger than XOFF_TH", the headroom: without it a group with xon_offset
 * 0 that stands at its limit would be freed by the releases of others, and be in
 * XOFF again with its next frame).  Freed with headroom in use it could lose
 * frames at the next XOFF, whose bytes in flight need all of it.
 *
 * When the pool itself has less than a frame free, a group below its limit has
 * its crossing frame in headroom: one frame more than a group needs whose limit
 * stops it.  Headroom "auto" has room for that (headroom.h, auto_bytes).
 *
 * `partitions` divides the shared pool and the shared headroom pool into equal
 * parts, each for an equal run of ports (Tomahawk 4, Tomahawk 3 2): a part knows
 * nothing of the others.  `descriptors` bounds the frames of any size that the
 * buffer holds; one too many is lost, whatever its class.
 *
 * Egress queues of lossless groups have no limit unless `egress_lossless` (a
 * queue) or `egress_pool` (all such queues of the switch) set one: use before <
 * limit, in cells; what finds no room there is lost, and PFC does not help.
 *
 * Invariants (asserted here, checked again by mmu_check_books):
 *	sum over groups of reserved + shared + headroom = resident <= buffer size
 *	0 <= shared_used <= pool, in each part; no group above its own reserve or headroom
 */
#ifndef MMU_H
#define MMU_H
#include <stdbool.h>
#include <stdint.h>
#include "sim/param.h"

struct mmu_conf {
	int64_t size_bytes;		/* whole buffer */
	int64_t cell_bytes;		/* frames are charged in whole cells; 1 = by bytes */
	struct units_ratio alpha;	/* dynamic XOFF limit = alpha * free shared pool */
	int64_t xoff_bytes;		/* static XOFF limit; -1 "dynamic": use alpha */
	int64_t xon_bytes;		/* XON when headroom is empty and use <= max(xon, limit - xon_offset) */
	int64_t xon_offset_bytes;
	int64_t reserved_bytes;		/* minimum of each ingress priority group in use */
	int64_t headroom_bytes;		/* of each lossless group; -1 "auto": headroom.h */
	int64_t shared_headroom_bytes;	/* 0: each group owns its headroom; else the shared pool */
	struct units_ratio port_alpha;	/* limit of a port: this times the free pool; 0: none */
	int64_t port_headroom_bytes;	/* headroom of all groups of a port together; 0: no limit */
	int64_t partitions;		/* of the pools; 1: not divided */
	int64_t descriptors;		/* frames that the buffer holds; -1 "unlimited" */
	int64_t egress_lossless_bytes, egress_pool_bytes;	/* -1 "unlimited" */
	struct units_ratio lossy_alpha;	/* ingress limit of lossy groups */
	struct units_ratio egress_alpha;/* limit of a lossy egress queue */
};
extern const struct param mmu_params[];
int mmu_check(const struct mmu_conf *conf, struct sim_error *err) SIM_MUST_CHECK;

struct mmu_profile {			/* thresholds that groups share */
	struct units_ratio alpha;
	int alpha_shift;		/* alpha = 1 / 2^shift; -1: not of that form */
	int64_t xoff_bytes;		/* static; -1 dynamic */
	int64_t xon_bytes, xon_offset_bytes;
};
enum { MMU_PROFILES = 64, MMU_PARTS = 8 };

struct mmu_group {			/* ingress port x priority: index local_port * 8 + priority */
	_Alignas(64) int64_t reserved;		/* bytes held, in cells */
	int64_t shared, headroom;
	int64_t reserved_max, headroom_max;
	int64_t peak;
	bool in_use, lossless, xoff;
	uint8_t profile;
	uint32_t xoff_at;		/* place in mmu->xoff */
	uint8_t part;
};

struct mmu_part {			/* of the pools; all of them where there are no partitions */
	_Alignas(64) int64_t pool, shared_used;	/* shared pool: size and use */
	int64_t headroom_pool, headroom_used;
	int64_t xon_floor;		/* no group in XOFF with empty headroom uses less than this */
};
struct mmu_port { int64_t shared, headroom; };	/* of all groups of a port */
struct mmu_egress { int64_t queued, *queue; };	/* lossless frames: in all queues, in [local_port * 8 + queue] */

struct mmu {			/* first cache lines: every frame */
	_Alignas(64) struct mmu_group *group;
	struct mmu_port *port;		/* NULL: nothing depends on it */
	int64_t resident, peak, size;
	int64_t descriptors;		/* free ones */
	uint32_t cell, cell_mul;	/* 2^32 / cell, rounded up: exact below 2^16 bytes */
	uint32_t nxoff;
	uint8_t profiles, parts;
	bool egress_limits;
	bool extras;			/* parts, ports or descriptors count: the slower half of mmu_admit */
	bool two_level;
	struct mmu_part part[MMU_PARTS];
	struct mmu_profile profile[MMU_PROFILES];
	const struct mmu_conf *conf;
	uint32_t groups;
	uint32_t *xoff;			/* groups in XOFF */
	struct mmu_egress egress;	/* where egress_limits: queue is the caller's, zeroed */
};

/* The caller has set in_use, lossless, reserved_max and headroom_max of every group, and may
 * then give groups other profiles than 0, which is that of `conf`.  `group`, `xoff` (room
 * for `groups`) and `port` (zeroed, one for each 8 groups; may be NULL where mmu_by_port is false)
 * are the caller's and outlive the MMU. */
int mmu_init(struct mmu *m, const struct mmu_conf *conf, struct mmu_group *group, uint32_t *xoff,
	     struct mmu_port *port, uint32_t groups, struct sim_error *err) SIM_MUST_CHECK;
static inline bool mmu_by_port(const struct mmu_conf *c)
{
	return c->port_alpha.num > 0 || c->port_headroom_bytes > 0;
}

/* The profile with the thresholds of `conf`, made when it is new; -1: there are too many. */
int mmu_profile(struct mmu *m, const struct mmu_conf *conf);

/* What a frame of `bytes` (at most 16000) takes: whole cells. */
static inline int64_t mmu_charge(const struct mmu *m, int64_t bytes)
{
	if (m->cell == 1)
		return bytes;
	return (int64_t)(((uint64_t)bytes + m->cell - 1) * m->cell_mul >> 32) * m->cell;
}
static inline int64_t mmu_ratio(struct units_ratio r, int64_t bytes)
{
	return (int64_t)((__int128)bytes * r.num / r.den);
}
/* XOFF limit of a lossless group whose part of the pool has `free` bytes left, on a port
 * that has `port_shared` bytes of it. */
static inline int64_t mmu_limit_plain(const struct mmu_profile *p, int64_t free)	/* of one level */
{
	if (p->xoff_bytes >= 0)
		return p->xoff_bytes;
	if (p->alpha_shift >= 0)
		return free >> p->alpha_shift;
	return mmu_ratio(p->alpha, free);
}
static inline int64_t mmu_limit(const struct mmu *m, const struct mmu_profile *p, int64_t free,
				int64_t port_shared)
{
	if (__builtin_expect(m->two_level, 0)) {
		free = mmu_ratio(m->conf->port_alpha, free) - port_shared;
		if (free < 0)
			free = 0;
	}
	return mmu_limit_plain(p, free);
}
static inline const struct mmu_profile *mmu_profile_of(const struct mmu *m, const struct mmu_group *g)
{
	return &m->profile[g->profile];
}
/* Use at or below which a group in XOFF is freed, once its headroom is empty. */
static inline int64_t mmu_xon_mark(const struct mmu *m, const struct mmu_profile *p, int64_t free,
				   int64_t port_shared)
{
	int64_t limit = mmu_limit(m, p, free, port_shared), mark = limit - p->xon_offset_bytes;

	if (mark < p->xon_bytes)
		mark = p->xon_bytes;
	if (mark >= limit)
		mark = limit - 1;
	return mark > 0 ? mark : 0;
}
/* The limit as things stand. */
int64_t mmu_limit_now(const struct mmu *m, uint32_t group);

/* False: no room, dropped.  Either way the group may have entered XOFF: compare
 * its `xoff` before and after. */
bool mmu_admit(struct mmu *m, uint32_t group, int64_t charge);
void mmu_release(struct mmu *m, uint32_t group, int64_t charge);
/* The next group of a part whose XON rule is met: it has left XOFF; UINT32_MAX when
 * there is none.  Call after every release in the part until it says so. */
uint32_t mmu_next_xon(struct mmu *m, int part);
static inline bool mmu_may_xon(const struct mmu *m, int part)	/* cheap: false means certainly none */
{
	const struct mmu_part *x = &m->part[part];

	if (!m->nxoff)
		return false;
	for (int i = 0; i < m->profiles; i++)
		if (mmu_xon_mark(m, &m->profile[i], x->pool - x->shared_used, 0) >= x->xon_floor)
			return true;
	return false;
}
/* Which limits a lossless frame that was just refused had no room under, as a mask; of mmu_admit,
 * or of mmu_egress_lossless_room. */
enum mmu_short {
	MMU_SHORT_HEADROOM = 1,		/* the group's own */
	MMU_SHORT_POOL = 2,		/* the (partition's part of the) shared headroom pool */
	MMU_SHORT_PORT = 4,		/* port_headroom */
	MMU_SHORT_DESCRIPTORS = 8,
	MMU_SHORT_EGRESS_QUEUE = 16, MMU_SHORT_EGRESS_POOL = 32
};
uint8_t mmu_short_of(const struct mmu *m, uint32_t group, int64_t charge);
uint8_t mmu_egress_short_of(const struct mmu *m, uint32_t queue);
/* Takes the group out of XOFF whatever it holds (watchdog, link down). */
void mmu_force_xon(struct mmu *m, uint32_t group);
/* Would the XON rule free `group` if it held only `own` bytes, its part of the pool
 * `all_shared` and its port, of these, `port_shared`?  `more`: frames may still come
 * to it.  One that the grown limit takes into the shared pool, while another leaves
 * from headroom, empties the headroom of a group that holds more than its shared. */
bool mmu_would_xon(const struct mmu *m, uint32_t group, int64_t own, int64_t all_shared,
		   int64_t port_shared, bool more);
/* Room for a lossy frame of `group` on an egress queue that holds `queued`. */
static inline bool mmu_egress_room(const struct mmu *m, uint32_t group, int64_t queued)
{
	const struct mmu_part *x = &m->part[m->group[group].part];
	return queued < mmu_ratio(m->conf->egress_alpha, x->pool - x->shared_used);
}
static inline bool mmu_by_egress(const struct mmu_conf *c)
{
	return c->egress_lossless_bytes >= 0 || c->egress_pool_bytes >= 0;
}
/* Room for a lossless frame on egress queue `local_port * 8 + queue`; where mmu_by_egress. */
bool mmu_egress_lossless_room(const struct mmu *m, uint32_t queue);
/* Of all parts together. */
int64_t mmu_pool_bytes(const struct mmu *m);
int64_t mmu_headroom_pool_bytes(const struct mmu *m);
int mmu_check_books(const struct mmu *m, struct sim_error *err);
#endif
