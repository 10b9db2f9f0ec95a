/*
 * models/switch/headroom.h - how much headroom a lossless priority group needs.
 *
 * From the last bit of the frame that crosses XOFF until the peer stops, the
 * group must hold what the peer may still have started.  In bytes of the wire,
 * at the peer's line rate, that window is
 *
 *	2D		the pause travels there, and the frames on the wire here
 *	+ response	from the last bit of the pause to the stop at the peer
 *	+ t_M		the largest frame of the other direction has just begun
 *	+ t_84		the pause frame, with its preamble and gap
 *
 * and in it start, and are let finish, N = ceil(window / t_W) frames of wire
 * time t_W: need = N * ceil(F / cell) cells.  The frame that crosses XOFF is
 * charged to the shared pool and is not in it (IEEE 802.1Qbb annex O gives the
 * terms; the exact form: algorithms.md, section 0, see doc/sources.md).  It is
 * exact for a port that commits to its next frame at the last bit of the one
 * before, an IFG ahead of the preamble, as models/wire/port.h does.
 *
 * Frames of one size F are not the worst: a frame of k * cell + 1 bytes fills
 * k + 1 cells.  `worst` is the worst single size in 64..F; `mix` bounds every
 * mixture of sizes in 64..F.  The IEEE form, ieee_bytes, sums the window and
 * one frame F: an upper bound for a switch that charges bytes.
 *
 * All this holds while the frame that crosses the limit finds room below it.  It need
 * not: once the pool has less than a frame free, or where a dynamic limit has been
 * pulled under what the group holds by the use of others, that frame is in the headroom
 * as well.  `auto_bytes` has room for it and for any mixture after it.
 */
#ifndef HEADROOM_H
#define HEADROOM_H
#include <stdint.h>

struct headroom_conf {
	int64_t rate_bps;	/* of the link */
	int64_t delay_ps;	/* one way */
	int64_t response_ps;	/* of the peer to a pause */
	int64_t forward_bytes;	/* F: largest frame of the class to us, FCS included; >= 64 */
	int64_t reverse_bytes;	/* M: largest frame of any class from us; >= 64 */
	int64_t cell_bytes;	/* >= 1 */
};

struct headroom_need {		/* of frames of one size */
	int64_t frame_bytes;
	int64_t frames;		/* N */
	int64_t cells;
	int64_t bytes;		/* cells * cell_bytes */
};

struct headroom_terms {
	int64_t propagation_ps, propagation_bytes;	/* 2D; bytes are rounded up */
	int64_t response_ps, response_bytes;
	int64_t reverse_ps, reverse_bytes;		/* M + 20 */
	int64_t pause_ps, pause_bytes;			/* 84 */
	int64_t window_ps, window_bytes;		/* the sum, rounded up once */
	struct headroom_need full;	/* every frame F: what long transfers need */
	struct headroom_need worst;	/* every frame of the worst size */
	int64_t mix_bytes;		/* any mixture */
	int64_t auto_bytes;		/* what "auto" sets: mix and one frame F more */
	int64_t ieee_bytes;		/* window + F + 20, without cells */
};

/* Goes through the sizes in 64..F, a cell at a time: some 50 us when
 * cell_bytes is 1.  Ask once a kind of link. */
void headroom_compute(const struct headroom_conf *conf, struct headroom_terms *out);
#endif
