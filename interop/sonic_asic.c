/*
 * interop/sonic_asic.c - what is known of switch chips, and NVIDIA's formula.
 *
 * Cells: sonic-mgmt tests/qos/files (Broadcom), sonic-buildimage asic_table.json
 * (NVIDIA).  Watchdog: sonic-swss orchagent/pfc_detect_*.lua, pfcactionhandler.cpp; from
 * Tomahawk 3 on a drop is done by DLR (#2316).  Formula:
 * sonic-swss cfgmgr/buffer_headroom_mellanox.lua.  See doc/sources.md.
 */
#include "interop/sonic_inside.h"

#include <math.h>
#include <strings.h>
#include <string.h>

enum { KIB = 1024, SMALL_BYTES = 64 };

/* name, rule, handler of drop (NULL: the rule's), cell, partitions, pipeline KiB, tile delay, rounded cell factor, extra */
static const struct sonic_asic asics[] = {
	{"Trident2", "broadcom", NULL, 208, 1, 0, false, false, 0},
	{"Trident3", "broadcom", NULL, 256, 1, 0, false, false, 0},
	{"Tomahawk", "broadcom", NULL, 208, 4, 0, false, false, 0},
	{"Tomahawk2", "broadcom", NULL, 208, 4, 0, false, false, 0},
	{"Tomahawk3", "broadcom", "dlr", 254, 2, 0, false, false, 0},
	{"Tomahawk4", "broadcom", "dlr", 254, 2, 0, false, false, 0},
	{"Tomahawk5", "broadcom", "dlr", 254, 1, 0, false, false, 0},
	{"Spectrum-1", "mellanox", NULL, 96, 1, 19, false, false, 0},
	{"Spectrum-2", "mellanox", NULL, 144, 1, 19, false, false, 0},
	{"Spectrum-3", "mellanox", NULL, 144, 1, 19, false, false, 0},
	{"Spectrum-4", "mellanox", NULL, 192, 1, 19, true, true, 0},
	{"Spectrum-5", "mellanox", NULL, 192, 1, 19, true, true, 0},
	{"Spectrum-6", "mellanox", NULL, 256, 1, 42, false, true, 18 * KIB},
	{"Cisco 8000", "cisco", NULL, 0, 1, 0, false, false, 0},
	{"Tofino", "classic", "acl", 0, 1, 0, false, false, 0},
	{"Nephos", "classic", NULL, 0, 1, 0, false, false, 0},
	{"Clounix", "classic", NULL, 0, 1, 0, false, false, 0},
	{"Prestera", "prestera", NULL, 0, 1, 0, false, false, 0},
	{"Teralynx", "teralynx", NULL, 0, 1, 0, false, false, 0},
	{"virtual switch", "classic", NULL, 0, 1, 0, false, false, 0},
};
const struct sonic_asic sonic_asic_unknown = {"unknown chip", NULL, NULL, 0, 1, 0, false, false, 0};
const struct sonic_asic sonic_asic_nvidia = {"NVIDIA, chip unknown", "mellanox", NULL, 144, 1, 19,
					     false,
					     false, 0};

/* Parts of the names of hardware; the first that fits counts. */
static const struct { const char *part, *asic; } skus[] = {
	{"7050QX", "Trident2"}, {"S6000", "Trident2"}, {"AS6712", "Trident2"},
	{"7050CX3", "Trident3"}, {"7050SX3", "Trident3"}, {"S5232", "Trident3"},
	{"S5248", "Trident3"}, {"720DT", "Trident3"},
	{"7060X6", "Tomahawk5"}, {"7060CX", "Tomahawk"}, {"S6100", "Tomahawk"},
	{"DX010", "Tomahawk"}, {"AS7712", "Tomahawk"},
	{"7260CX3", "Tomahawk2"}, {"Z9264", "Tomahawk2"}, {"Z9332", "Tomahawk3"},
	{"7060DX4", "Tomahawk3"}, {"7060PX4", "Tomahawk3"}, {"7060DX5", "Tomahawk4"},
	{"7060PX5", "Tomahawk4"}, {"Z9432", "Trident3"}, {"Z9664", "Tomahawk4"},
	{"MSN27", "Spectrum-1"}, {"SN27", "Spectrum-1"}, {"MSN2", "Spectrum-1"},
	{"MSN3", "Spectrum-2"}, {"SN3", "Spectrum-2"}, {"MSN4", "Spectrum-3"},
	{"SN4", "Spectrum-3"}, {"SN5640", "Spectrum-5"}, {"SN5", "Spectrum-4"},
	{"SN6", "Spectrum-6"}, {"Mellanox", "NVIDIA"}, {"mlnx", "NVIDIA"}, {"nvidia", "NVIDIA"},
	{"Cisco-8", "Cisco 8000"}, {"8102", "Cisco 8000"}, {"Wedge100BF", "Tofino"},
	{"7170", "Tofino"}, {"barefoot", "Tofino"}, {"kvm", "virtual switch"},
	{"teralynx", "Teralynx"}, {"dbmvtx", "Teralynx"}, {"innovium", "Teralynx"},
	{"midstone", "Teralynx"}, {"prestera", "Prestera"}, {"marvell", "Prestera"}, {"nephos", "Nephos"},
	{"clounix", "Clounix"},
};

static const struct sonic_asic *by_name(const char *name)
{
	for (size_t i = 0; i < sizeof asics / sizeof *asics; i++) {
		if (strcmp(asics[i].name, name) == 0)
			return &asics[i];
	}
	return &sonic_asic_nvidia;
}

const struct sonic_asic *sonic_asic_find(const char *hwsku, const char *platform)
{
	const char *texts[] = {hwsku, platform};

	for (int t = 0; t < 2; t++) {
		for (size_t i = 0; texts[t] && i < sizeof skus / sizeof *skus; i++) {
			if (strcasestr(texts[t], skus[i].part))
				return by_name(skus[i].asic);
		}
	}
	return NULL;
}

/* Sizes of pools in SONiC's platform files, each of one chip. */
static const struct { int64_t bytes; const char *asic; } pools[] = {
	{12766208, "Trident2"}, {10875072, "Tomahawk"}, {15982720, "Tomahawk"},
	{33582016, "Tomahawk2"}, {33329088, "Tomahawk2"}, {43481152, "Tomahawk2"},
	{42349632, "Tomahawk2"}, {32689152, "Trident3"}, {32712448, "Trident3"},
	{32340992, "Trident3"}, {32599040, "Trident3"}, {32441856, "Trident3"},
	{66394076, "Tomahawk3"},
	{37333333, "Tomahawk4"}, {166115492, "Tomahawk5"}, {13945824, "Spectrum-1"},
	{60817392, "Spectrum-3"}, {158229504, "Spectrum-4"}, {136209408, "Spectrum-5"},
};

const struct sonic_asic *sonic_asic_by_pool(int64_t bytes)
{
	for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
		if (pools[i].bytes == bytes)
			return by_name(pools[i].asic);
	}
	return NULL;
}

/* ------------------------------------------------------------------ NVIDIA's formula */

/* Response of the peer, quanta of 512 bit times (IEEE 802.3 31B.3.7, as the script cites). */
static int64_t quanta(int64_t mbps)
{
	static const struct { int64_t mbps, quanta; } rows[] = {
		{100, 1}, {1000, 2}, {10000, 67}, {25000, 80}, {40000, 118}, {50000, 147},
		{100000, 394}, {200000, 453}, {400000, 905}, {800000, 905},
	};
	size_t i = 0;

	while (i + 1 < sizeof rows / sizeof *rows && rows[i].mbps < mbps)
		i++;
	return rows[i].quanta;
}

/* By how much bytes grow in cells, the worst packets taken at their share. */
static double occupancy(const struct sonic_asic *asic, const struct sonic_nvidia *ask,
			int64_t small_percent)
{
	double cell = (double)asic->cell_bytes, s = (double)small_percent;
	double worst = cell > 128 ? cell / SMALL_BYTES : 2 * cell / (1 + cell);
	double mean = (s * SMALL_BYTES + (100 - s) * (double)ask->lossless_mtu) / 100;
	double share = 100 * SMALL_BYTES / mean;	/* per cent, as the script has it */

	if (asic->round_up)
		worst = ceil(worst);
	return (100 - share + share * worst) / 100;
}

static int64_t whole_kib(double bytes)
{
	return (int64_t)ceil(bytes / KIB) * KIB;
}

int64_t sonic_nvidia_xoff(const struct sonic_asic *asic, const struct sonic_nvidia *ask,
			  int64_t peer_bytes)
{
	double bps = (double)ask->mbps * 1e6, metres = (double)ask->cable_mm / 1000;
	double cable = 2 * metres * bps / (1.98e8 * 8);
	double tile = asic->tile ? (double)ask->mbps / 1000 * 120 / 8 : 0;
	double peer = (double)(peer_bytes >= 0 ? peer_bytes : quanta(ask->mbps) * 64);
	double delay = (double)ask->port_mtu + cable + 0.8 * KIB + peer + tile;
	double mtu = (double)ask->lossless_mtu;
	int64_t xoff = whole_kib(mtu + delay * occupancy(asic, ask, ask->small_percent));
	int64_t most = whole_kib(mtu + delay * occupancy(asic, ask, 100));

	if (!ask->shared && ask->small_percent != 100 && xoff + 2 * KIB < most)
		xoff += 2 * KIB;
	return xoff + asic->extra_bytes;
}

struct sonic_nvidia_answer sonic_nvidia(const struct sonic_asic *asic,
					const struct sonic_nvidia *ask)
{
	struct sonic_nvidia_answer a = {.xoff = sonic_nvidia_xoff(asic, ask, -1)};
	bool eight = ask->lanes == 8;

	a.xon = (int64_t)asic->pipeline_kb * KIB * (eight ? 2 : 1);
	a.size = (ask->shared ? a.xon : a.xoff + a.xon) + (eight ? ask->port_mtu : 0);
	a.size = whole_kib((double)a.size);
	return a;
}
