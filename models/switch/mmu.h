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
 *	headroom   lossless groups only: own, or a shared headroom pool
 *
 * and empties in the reverse order.  The limit is static, or alpha times the
 * free shared pool (Choudhury and Hahne, dynamic thresholds, 1998).  A lossless
 * group goes to XOFF when shared use after >= limit; it is freed when
 *	headroom use = 0 and shared use <= max(xon, limit - xon_offset),
 * tested after every release in the pool, since the free pool moves the limit
 * (sonic-mgmt qos tests; SAI saibuffer.h).  Freed with headroom in use it could
 * lose frames at the next XOFF, whose bytes in flight need all of it.
 *
 * Invariants (asserted here, checked again by mmu_check_books):
 *	sum over groups of reserved + shared + headroom = resident <= buffer size
 *	0 <= shared_used <= pool; no group above its own reserve or headroom
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
enum { MMU_PROFILES = 64 };

struct mmu_group {			/* ingress port x priority: index local_port * 8 + priority */
	_Alignas(64) int64_t reserved;		/* bytes held, in cells */
	int64_t shared, headroom;
	int64_t reserved_max, headroom_max;
	int64_t peak;
	bool in_use, lossless, xoff;
	uint8_t profile;
	uint32_t xoff_at;		/* place in mmu->xoff */
};

struct mmu {
	const struct mmu_conf *conf;
	int64_t pool, shared_used;	/* shared pool: size and use */
	int64_t headroom_pool, headroom_used;
	int64_t resident, peak;
	struct mmu_profile profile[MMU_PROFILES];
	int profiles;
	uint32_t cell, cell_mul;	/* 2^32 / cell, rounded up: exact below 2^16 bytes */
	struct mmu_group *group;
	uint32_t groups;
	uint32_t *xoff, nxoff;		/* groups in XOFF */
	int64_t xon_floor;		/* no group in XOFF with empty headroom uses less than this */
};

/* The caller has set in_use, lossless, reserved_max and headroom_max of every group, and may
 * then give groups other profiles than 0, which is that of `conf`.  `group` and `xoff` (room
 * for `groups`) are the caller's and outlive the MMU. */
int mmu_init(struct mmu *m, const struct mmu_conf *conf, struct mmu_group *group, uint32_t *xoff,
	     uint32_t groups, struct sim_error *err) SIM_MUST_CHECK;

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
/* XOFF limit of a lossless group with `shared` bytes of the pool in use. */
static inline int64_t mmu_limit(const struct mmu *m, const struct mmu_profile *p, int64_t shared)
{
	if (p->xoff_bytes >= 0)
		return p->xoff_bytes;
	if (p->alpha_shift >= 0)
		return (m->pool - shared) >> p->alpha_shift;
	return mmu_ratio(p->alpha, m->pool - shared);
}
static inline const struct mmu_profile *mmu_profile_of(const struct mmu *m, const struct mmu_group *g)
{
	return &m->profile[g->profile];
}
/* Use at or below which a group in XOFF is freed, once its headroom is empty. */
static inline int64_t mmu_xon_mark(const struct mmu *m, const struct mmu_profile *p, int64_t shared)
{
	int64_t mark = mmu_limit(m, p, shared) - p->xon_offset_bytes;
	return mark > p->xon_bytes ? mark : p->xon_bytes;
}

/* False: no room, dropped.  Either way the group may have entered XOFF: compare
 * its `xoff` before and after. */
bool mmu_admit(struct mmu *m, uint32_t group, int64_t charge);
void mmu_release(struct mmu *m, uint32_t group, int64_t charge);
/* The next group whose XON rule is met: it has left XOFF; UINT32_MAX when there
 * is none.  Call after every release until it says so. */
uint32_t mmu_next_xon(struct mmu *m);
static inline bool mmu_may_xon(const struct mmu *m)	/* cheap: false means certainly none */
{
	if (!m->nxoff)
		return false;
	for (int i = 0; i < m->profiles; i++)
		if (mmu_xon_mark(m, &m->profile[i], m->shared_used) >= m->xon_floor)
			return true;
	return false;
}
/* Takes the group out of XOFF whatever it holds (watchdog, link down). */
void mmu_force_xon(struct mmu *m, uint32_t group);
/* Would the XON rule free `group` if it held only `own` bytes and the pool `all_shared`? */
bool mmu_would_xon(const struct mmu *m, uint32_t group, int64_t own, int64_t all_shared);
/* Room for a lossy frame on an egress queue that holds `queued`. */
static inline bool mmu_egress_room(const struct mmu *m, int64_t queued)
{
	return queued < mmu_ratio(m->conf->egress_alpha, m->pool - m->shared_used);
}
int mmu_check_books(const struct mmu *m, struct sim_error *err);
#endif
