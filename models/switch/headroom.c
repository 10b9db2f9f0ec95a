/*
 * models/switch/headroom.c - the terms of the headroom, in exact integers.
 *
 * Times become bytes of the wire with one rounding up; the ceiling of a
 * ceiling by a whole number is the ceiling, so N is exact.
 */
#include "models/switch/headroom.h"
#include "models/wire/link.h"
#include "models/wire/pfc.h"
#include "sim/assert.h"
#include "sim/units.h"

enum { HEADROOM_FRAME_MIN = 64 };

/* Wire bytes that begin in `ps`, rounded up. */
static int64_t headroom_wire_bytes(int64_t ps, int64_t rate_bps)
{
	unsigned __int128 bits_ps = (unsigned __int128)ps * (uint64_t)rate_bps;
	unsigned __int128 byte_ps = (unsigned __int128)8 * (uint64_t)UNITS_PS_PER_S;

	return (int64_t)((bits_ps + byte_ps - 1) / byte_ps);
}

static struct headroom_need headroom_need(int64_t window_bytes, int64_t frame_bytes,
					  int64_t cell_bytes)
{
	struct headroom_need need = { .frame_bytes = frame_bytes };

	need.frames = units_div_ceil(window_bytes, frame_bytes + LINK_OVERHEAD_BYTES);
	need.cells = need.frames * units_div_ceil(frame_bytes, cell_bytes);
	need.bytes = need.cells * cell_bytes;
	return need;
}

/*
 * The worst size, and the bound of all mixtures.  Only the smallest frame of
 * each number of cells can be the worst.  In a mixture all frames but the last
 * fit before the end of the window, at no more cells a wire byte than the
 * densest size; the last adds at most the cells of F.
 */
static void headroom_worst(const struct headroom_conf *conf, struct headroom_terms *out)
{
	int64_t cell = conf->cell_bytes, dense_cells = 0, dense_wire = 1, mix_cells;

	out->worst = out->full;
	for (int64_t cells = units_div_ceil(HEADROOM_FRAME_MIN, cell); ; cells++) {
		int64_t frame = (cells - 1) * cell + 1;
		struct headroom_need need;

		if (frame < HEADROOM_FRAME_MIN)
			frame = HEADROOM_FRAME_MIN;
		if (frame > conf->forward_bytes)
			break;
		need = headroom_need(out->window_bytes, frame, cell);
		if (need.bytes > out->worst.bytes)
			out->worst = need;
		if (cells * dense_wire > dense_cells * (frame + LINK_OVERHEAD_BYTES)) {
			dense_cells = cells;
			dense_wire = frame + LINK_OVERHEAD_BYTES;
		}
	}
	mix_cells = (out->window_bytes - 1) * dense_cells / dense_wire;
	mix_cells += units_div_ceil(conf->forward_bytes, cell);
	out->mix_bytes = mix_cells * cell;
	sim_assert(out->mix_bytes >= out->worst.bytes);
	out->auto_bytes = out->mix_bytes + units_div_ceil(conf->forward_bytes, cell) * cell;
}

void headroom_compute(const struct headroom_conf *conf, struct headroom_terms *out)
{
	int64_t rate = conf->rate_bps;

	sim_assert(rate > 0);
	sim_assert(conf->forward_bytes >= HEADROOM_FRAME_MIN);
	sim_assert(conf->reverse_bytes >= HEADROOM_FRAME_MIN);
	sim_assert(conf->cell_bytes >= 1);

	out->propagation_ps = 2 * conf->delay_ps;
	out->propagation_bytes = headroom_wire_bytes(out->propagation_ps, rate);
	out->response_ps = conf->response_ps;
	out->response_bytes = headroom_wire_bytes(out->response_ps, rate);
	out->reverse_bytes = conf->reverse_bytes + LINK_OVERHEAD_BYTES;
	out->reverse_ps = units_tx_ps(out->reverse_bytes, rate);
	out->pause_bytes = PFC_FRAME_BYTES + LINK_OVERHEAD_BYTES;
	out->pause_ps = units_tx_ps(out->pause_bytes, rate);
	out->window_bytes = headroom_wire_bytes(out->propagation_ps + out->response_ps, rate)
		+ out->reverse_bytes + out->pause_bytes;
	out->window_ps = out->propagation_ps + out->response_ps
		+ units_tx_ps(out->reverse_bytes + out->pause_bytes, rate);
	out->full = headroom_need(out->window_bytes, conf->forward_bytes, conf->cell_bytes);
	out->ieee_bytes = out->window_bytes + conf->forward_bytes + LINK_OVERHEAD_BYTES;
	headroom_worst(conf, out);
}
