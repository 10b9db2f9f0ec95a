/*
 * models/host/ideal.h - the exact time of a message on an idle path.
 *
 * A path of store-and-forward links.  The message is one first frame, n_mid
 * equal middle frames and one last frame; a size of 0 is a frame that is not
 * there (a message of one frame has only a first).  Frame k on link i:
 *
 *	start[i][k] = max(start[i][k-1] + t_i(F[k-1] + 20),
 *			  arrive[i-1][k] + latency[i-1])
 *	arrive[i][k] = start[i][k] + t_i(8 + F[k]) + delay[i]
 *
 * where t_i is the time of so many bytes on link i, `start` the first bit of
 * the preamble and `arrive` the last bit of the frame (DESIGN section 4).
 * Exact to the picosecond where byte times are whole picoseconds.  Where one is
 * not, a port rounds each start down (models/wire/port.c), and the answer is the
 * exact time rounded down, less 1 ps a link: no run can be faster.
 */
#ifndef IDEAL_H
#define IDEAL_H
#include <stdint.h>

enum { IDEAL_LINKS_MAX = 256 };

/* Picoseconds from the first bit of the first frame out to the last bit of the
 * last frame in.  1 <= links <= IDEAL_LINKS_MAX; node_latency_ps[i] is of the
 * node behind link i, links - 1 of them.  O(links^2), whatever n_mid. */
int64_t ideal_ps(const int64_t *rate_bps, const int64_t *delay_ps,
		 const int64_t *node_latency_ps, int links, int64_t first_frame_bytes,
		 int64_t mid_frame_bytes, int64_t n_mid, int64_t last_frame_bytes);
#endif
