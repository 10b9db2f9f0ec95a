/*
 * models/host/ideal.c - the max-plus recurrence, its long middle in closed form.
 *
 * Of n equal frames, the start of the n-th on link i is the longest way from
 * some link j <= i, whose wire was freed at free[j]: along the links j..i once,
 * and n-1 times over the slowest of them:
 *
 *	start[i][n] = max over j <= i of
 *		free[j] + sum of cross[j..i-1] + (n-1) * max of occupy[j..i]
 *
 * with cross[l] = t_l(8 + F) + delay[l] + latency[l], occupy[l] = t_l(F + 20).
 *
 * Times are in 2^-40 ps, 128 bits: a byte time that is not whole is rounded
 * down by less than 2^-40 ps, so under 1 ps in a terabyte.
 */
#include "models/host/ideal.h"
#include "models/wire/link.h"
#include "sim/assert.h"
#include "sim/units.h"

typedef __int128 ideal_time;
enum { IDEAL_SHIFT = 40 };

struct ideal {
	int links;
	ideal_time byte[IDEAL_LINKS_MAX];	/* time of a byte */
	ideal_time hop[IDEAL_LINKS_MAX];	/* delay and latency behind it */
	ideal_time free[IDEAL_LINKS_MAX];	/* when the next preamble may start */
};

static ideal_time ideal_cross(const struct ideal *p, int i, int64_t frame_bytes)
{
	return p->byte[i] * (LINK_PREAMBLE_BYTES + frame_bytes) + p->hop[i];
}

static ideal_time ideal_occupy(const struct ideal *p, int i, int64_t frame_bytes)
{
	return p->byte[i] * (frame_bytes + LINK_OVERHEAD_BYTES);
}

/* One frame by the plain recurrence; returns its arrival at the far end. */
static ideal_time ideal_frame(struct ideal *p, int64_t frame_bytes)
{
	ideal_time at = 0;

	for (int i = 0; i < p->links; i++) {
		if (at < p->free[i])
			at = p->free[i];
		p->free[i] = at + ideal_occupy(p, i, frame_bytes);
		at += ideal_cross(p, i, frame_bytes);
	}
	return at;
}

/* n >= 1 equal frames in closed form; returns the arrival of the last. */
static ideal_time ideal_run(struct ideal *p, int64_t frame_bytes, int64_t n)
{
	ideal_time last_start = 0;

	/* From the far end, so that free[j] of the links before i is still old. */
	for (int i = p->links - 1; i >= 0; i--) {
		ideal_time start = 0, way = 0, slowest = 0;

		for (int j = i; j >= 0; j--) {
			ideal_time occupy = ideal_occupy(p, j, frame_bytes), at;

			if (j < i)
				way += ideal_cross(p, j, frame_bytes);
			if (occupy > slowest)
				slowest = occupy;
			at = p->free[j] + way + slowest * (n - 1);
			if (at > start)
				start = at;
		}
		p->free[i] = start + ideal_occupy(p, i, frame_bytes);
		if (i == p->links - 1)
			last_start = start;
	}
	return last_start + ideal_cross(p, p->links - 1, frame_bytes);
}

int64_t ideal_ps(const int64_t *rate_bps, const int64_t *delay_ps,
		 const int64_t *node_latency_ps, int links, int64_t first_frame_bytes,
		 int64_t mid_frame_bytes, int64_t n_mid, int64_t last_frame_bytes)
{
	struct ideal p;
	ideal_time at = 0;
	int64_t slack_ps = 0;

	sim_assert(links >= 1);
	sim_assert(links <= IDEAL_LINKS_MAX);
	p.links = links;
	for (int i = 0; i < links; i++) {
		int64_t hop_ps = delay_ps[i] + (i < links - 1 ? node_latency_ps[i] : 0);

		p.byte[i] = ((ideal_time)8 * UNITS_PS_PER_S << IDEAL_SHIFT) / rate_bps[i];
		if (8 * UNITS_PS_PER_S % rate_bps[i] != 0)
			slack_ps = links;
		p.hop[i] = (ideal_time)hop_ps << IDEAL_SHIFT;
		p.free[i] = 0;
	}
	if (first_frame_bytes > 0)
		at = ideal_frame(&p, first_frame_bytes);
	if (mid_frame_bytes > 0 && n_mid > 0)
		at = ideal_run(&p, mid_frame_bytes, n_mid);
	if (last_frame_bytes > 0)
		at = ideal_frame(&p, last_frame_bytes);
	return (int64_t)(at >> IDEAL_SHIFT) - slack_ps;
}
