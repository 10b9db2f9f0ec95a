/* analyze/headroom_table.c - see headroom_table.h */
#include "analyze/headroom_table.h"

#include <math.h>
#include <stddef.h>
#include "models/wire/pfc.h"
#include "sim/units.h"

#define KIB 1024

/* sonic-buildimage asic_table.json; peer 3.8 KB and MAC/PHY 0.8 KB for all. */
const struct headroom_table_asic headroom_table_asics[] = {
	{ "spc1", "NVIDIA Spectrum-1 (SN2700)", 96, 3.8, false, 19 * KIB, 100, 1024 },
	{ "spc2", "NVIDIA Spectrum-2 (SN3800)", 144, 0, false, 19 * KIB, 50, 1024 },
	{ "spc3", "NVIDIA Spectrum-3 (SN4600C, SN4700)", 144, 0, false, 19 * KIB, 50, 1024 },
	{ "spc4", "NVIDIA Spectrum-4 (SN5600)", 192, 0, true, 19 * KIB, 50, 1024 },
	{ "spc5", "NVIDIA Spectrum-5 (SN5640)", 192, 0, true, 19 * KIB, 50, 4096 },
	{ .name = NULL }
};

static int64_t whole_kib(double bytes) { return (int64_t)ceil(bytes / KIB) * KIB; }

void headroom_table_nvidia(const struct headroom_table_conf *conf,
			   struct headroom_table_terms *out)
{
	const struct headroom_table_asic *asic = conf->asic;
	double rate = (double)conf->rate_bps, cell = (double)asic->cell_bytes;
	double mtu = (double)conf->lossless_mtu_bytes, s = (double)conf->small_percent / 100;
	double quanta_bytes =
		floor((double)pfc_response_ps(conf->rate_bps) * rate / 8e12 + 0.5);

	out->cable = 2 * (double)conf->cable_mm / 1000 * rate / (1.98e8 * 8);
	out->gearbox = 2 * rate / 1e6 * (double)conf->gearbox / (8 * KIB);
	out->mac_phy = 0.8 * KIB;
	out->peer = asic->peer_kib > 0 ? asic->peer_kib * KIB : quanta_bytes;
	out->tile = asic->tile ? rate / 1e9 * 120 / 8 : 0;
	out->delay = (double)conf->port_mtu_bytes + out->cable + out->gearbox + out->mac_phy +
		     out->peer + out->tile;
	out->w = cell > 128 ? cell / 64 : 2 * cell / (1 + cell);
	out->share = 64 / (s * 64 + (1 - s) * mtu);
	out->factor = 1 - out->share + out->share * out->w;
	out->xoff_bytes = whole_kib(mtu + out->delay * out->factor);
	out->xon_bytes = asic->pipeline_bytes;
	out->size_bytes = out->xon_bytes + (conf->shared_pool ? 0 : out->xoff_bytes);
}

int64_t headroom_table_mlx5(int64_t rate_bps, int64_t cable_mm, int64_t mtu_bytes)
{
	int64_t metres = cable_mm / 1000, mbps = rate_bps / 1000000;

	return (301 + 216 * metres / 100) * mbps / 1000 + 272 * mtu_bytes / 100;
}
