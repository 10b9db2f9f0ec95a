/*
 * analyze/headroom_table.h - headroom as vendors and drivers reckon it, beside
 * the exact form of models/switch/headroom.h.
 *
 * NVIDIA (sonic-swss cfgmgr/buffer_headroom_mellanox.lua), bytes:
 *
 *	delay = port MTU + 2 L R / (1.98e8 m/s) + 2 gearbox + MAC/PHY + peer + tile
 *	w     = cell / 64, or 2 cell / (1 + cell) for cells up to 128 B
 *	p     = 64 / (s 64 + (1 - s) lossless MTU)	s: small packets by count
 *	xoff  = lossless MTU + delay (1 - p + p w), up to whole KiB
 *
 * with peer = 802.3's response quanta of the speed x 64 B, or a fixed number of
 * the ASIC.  p w is the price of 64-byte packets that fill cells.  It is the
 * formula of the pg_profile_lookup.ini files that NVIDIA ships: it gives every
 * row of those of the SN2700 and the SN5640 (tests/unit/check_headroom_table.c).
 *
 * Linux, mlx5 (en/port_buffer.c), in its integers, L in whole metres:
 *
 *	(301 + 216 L / 100) R / 1000 + 272 MTU / 100	R in Mb/s
 */
#ifndef HEADROOM_TABLE_H
#define HEADROOM_TABLE_H
#include <stdbool.h>
#include <stdint.h>

struct headroom_table_asic {
	const char *name;		/* "spc1" */
	const char *about;		/* "NVIDIA Spectrum-1 (SN2700)" */
	int64_t cell_bytes;
	double peer_kib;		/* 0: the standard's quanta */
	bool tile;			/* Spectrum-4 and later: 120 ns more */
	int64_t pipeline_bytes;		/* what XON takes */
	int64_t small_percent;		/* small packets, of all: the default of its tables */
	int64_t lossless_mtu_bytes;	/* likewise */
};
extern const struct headroom_table_asic headroom_table_asics[];	/* name NULL ends it */

struct headroom_table_conf {
	const struct headroom_table_asic *asic;
	int64_t rate_bps, cable_mm;
	int64_t port_mtu_bytes, lossless_mtu_bytes;
	int64_t small_percent;		/* 0..100 */
	int64_t gearbox;		/* delay as asic_table.json gives it; 0 none */
	bool shared_pool;		/* size holds no xoff */
};
struct headroom_table_terms {		/* bytes, unrounded */
	double cable, gearbox, mac_phy, peer, tile, delay;
	double w, share, factor;
	int64_t xoff_bytes, xon_bytes, size_bytes;
};
void headroom_table_nvidia(const struct headroom_table_conf *conf,
			   struct headroom_table_terms *out);
int64_t headroom_table_mlx5(int64_t rate_bps, int64_t cable_mm, int64_t mtu_bytes);
#endif
