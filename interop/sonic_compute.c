/*
 * interop/sonic_compute.c - what a switch computes at run time: lossless profiles
 * that no file holds, and pools without a size.
 */
#include "interop/sonic_inside.h"

#include "models/switch/headroom.h"
#include "models/wire/pfc.h"

enum { KIB = 1024, MTU_DEFAULT = 9100, CELL_DEFAULT = 208, CABLE_ASSUMED_MM = 5000,
       ETHERNET_BYTES = 18, PS_PER_MM = 5, XON_OFFSET_DEFAULT = 2496 };
#define RATE_ASSUMED INT64_C(100000000000)
#define POOL_ASSUMED (INT64_C(16) << 20)

int64_t sonic_port_rate(struct sonic_device *d, const struct sonic_port *p)
{
	int64_t rate = d->s->opt && d->s->opt->rate_bps ? d->s->opt->rate_bps : RATE_ASSUMED;

	if (p->rate_bps)
		return p->rate_bps;
	sonic_note(d->s, SONIC_NOTE_ASSUMED, d, p->number, "no file tells the speed of the "
		   "port (%lld Gb/s)", (long long)(rate / 1000000000));
	return rate;
}

int64_t sonic_port_mtu(const struct sonic_port *p)
{
	return p->mtu ? p->mtu : MTU_DEFAULT;
}

/* -1: the switch knows no length, or 0m, and so makes no profile. */
static int64_t cable_of(struct sonic_device *d, const struct sonic_port *p, int g)
{
	if (p->cable_mm > 0)
		return p->cable_mm;
	if (!d->tables[SONIC_CABLE_LENGTH]) {
		sonic_note(d->s, SONIC_NOTE_ASSUMED, d, p->number,
			   "no file tells the length of the cable (5m)");
		return CABLE_ASSUMED_MM;
	}
	sonic_note_prio(d, SONIC_NOTE_LOSSY, p->number, g,
			"CABLE_LENGTH %s, so the switch makes no lossless profile",
			p->cable_mm == 0 ? "is 0m" : "does not name the port");
	return -1;
}

/* ------------------------------------------------------------------ dynamic model */

void sonic_group_compute(struct sonic_device *d, struct sonic_port *p, int g, int th)
{
	struct sonic_group *group = &p->group[g];
	int64_t cable = cable_of(d, p, g);
	const struct sonic_asic *asic = d->asic;
	struct sonic_nvidia ask = {.mbps = sonic_port_rate(d, p) / 1000000, .cable_mm = cable,
				   .port_mtu = sonic_port_mtu(p), .lanes = (int)p->lanes,
				   .lossless_mtu = d->lossless_mtu,
				   .small_percent = d->small_percent};
	struct sonic_nvidia_answer a;

	if (cable < 0)
		return;
	if (!asic->pipeline_kb) {
		asic = &sonic_asic_nvidia;
		sonic_note(d->s, SONIC_NOTE_ASSUMED, d, -1,
			   "dynamic buffer model of a chip whose constants are not known (%s): "
			   "those of Spectrum-3", d->asic->name);
	}
	ask.shared = d->over_subscribe > 0 || (d->pool >= 0 && d->pools[d->pool].xoff > 0);
	a = sonic_nvidia(asic, &ask);
	*group = (struct sonic_group){
		.kind = SONIC_LOSSLESS, .profile = group->profile,
		.headroom = a.xoff, .xon = a.xon,
		.reserved = ask.shared ? a.size : a.size - a.xoff, .fixed = -1, .th = th};
	sonic_note_prio(d, SONIC_NOTE_COMPUTED, p->number, g,
			"dynamic model, NVIDIA's formula: %lld Mb/s over %lldm has size %lld, "
			"xon %lld, xoff %lld, dynamic_th %d", (long long)ask.mbps,
			(long long)(cable / 1000), (long long)a.size, (long long)a.xon,
			(long long)a.xoff, th);
}

/* -------------------------------------------------------------- traditional model */

/* Without the switch's own table: room for whatever frames the link can bring ("auto"). */
static void room_for_any(struct sonic_device *d, struct sonic_port *p, int g, int64_t cable)
{
	struct sonic_group *group = &p->group[g];
	int64_t rate = sonic_port_rate(d, p), frame = sonic_port_mtu(p) + ETHERNET_BYTES;
	struct headroom_conf ask = {
		.rate_bps = rate, .delay_ps = cable * PS_PER_MM, .forward_bytes = frame,
		.response_ps = pfc_response_ps(rate), .reverse_bytes = frame,
		.cell_bytes = d->asic->cell_bytes ? d->asic->cell_bytes : CELL_DEFAULT};
	struct headroom_terms terms;

	headroom_compute(&ask, &terms);
	*group = (struct sonic_group){
		.kind = SONIC_LOSSLESS, .profile = group->profile, .headroom = terms.auto_bytes,
		.fixed = -1, .xon_offset = XON_OFFSET_DEFAULT};
	sonic_note_prio(d, SONIC_NOTE_COMPUTED, p->number, g,
			"no pg_profile_lookup.ini was given: %lld Mb/s over %lldm has room for "
			"any mixture of frame sizes, and one frame more, as xoff, %lld, with "
			"dynamic_th 0 and xon_offset %d; the switch has what its table says",
			(long long)(rate / 1000000),
			(long long)(cable / 1000), (long long)terms.auto_bytes,
			XON_OFFSET_DEFAULT);
}

void sonic_group_look_up(struct sonic_device *d, struct sonic_port *p, int g)
{
	struct sonic_group *group = &p->group[g];
	int64_t cable = cable_of(d, p, g), mbps;
	bool dynamic = d->pool < 0 || d->pools[d->pool].dynamic;
	const struct sonic_row *row;

	if (cable < 0)
		return;
	if (!d->s->rows) {
		room_for_any(d, p, g, cable);
		return;
	}
	mbps = sonic_port_rate(d, p) / 1000000;
	row = sonic_row_find(d->s->rows, mbps, cable);
	if (!row) {
		sonic_note_prio(d, SONIC_NOTE_LOSSY, p->number, g,
				"no row for %lld Mb/s and %s in the profile table, so the "
				"switch makes no lossless profile", (long long)mbps,
				p->cable ? p->cable : "5m");
		return;
	}
	*group = (struct sonic_group){
		.kind = SONIC_LOSSLESS, .profile = group->profile, .headroom = row->xoff,
		.reserved = row->size >= row->xoff ? row->size - row->xoff : row->size,
		.xon = row->xon, .xon_offset = row->xon_offset,
		.th = dynamic ? (int)(row->threshold < 8 ? row->threshold : 8) : 0,
		.fixed = dynamic ? -1 : row->threshold};
	sonic_note_prio(d, SONIC_NOTE_COMPUTED, p->number, g,
			"pg_lossless_%lld_%s_profile, from the profile table: size %lld, xon "
			"%lld, xoff %lld, %s %lld, xon_offset %lld", (long long)mbps,
			p->cable ? p->cable : "5m", (long long)row->size, (long long)row->xon,
			(long long)row->xoff, dynamic ? "dynamic_th" : "static_th",
			(long long)row->threshold, (long long)row->xon_offset);
}

/* -------------------------------------------------------------------------- pools */

struct sums { int64_t reserved, headroom, lossless_ports, ports, lossy; };

static struct sums sum_up(const struct sonic_device *d)
{
	struct sums s = {0};

	for (int i = 0; i < d->nports; i++) {
		const struct sonic_port *p = &d->ports[i];
		bool some = false;

		if (p->admin == SONIC_ADMIN_DOWN)
			continue;
		s.ports++;
		for (int g = 0; g < SONIC_PRIOS; g++) {
			const struct sonic_group *group = &p->group[g];

			s.reserved += group->reserved;
			if (group->kind == SONIC_LOSSY)		/* its share of the pipeline */
				s.lossy += (int64_t)d->asic->pipeline_kb * KIB;
			if (group->kind != SONIC_LOSSLESS)
				continue;
			some = true;
			s.headroom += group->headroom;
		}
		s.lossless_ports += some;
	}
	return s;
}

/* NVIDIA's egress_lossless_pool is the whole buffer. */
static int64_t whole_buffer(const struct sonic_device *d)
{
	int64_t most = -1;

	for (int i = 0; i < d->npools; i++) {
		if (d->pools[i].egress && d->pools[i].size > most)
			most = d->pools[i].size;
	}
	return most;
}

/* sonic-swss cfgmgr/buffer_pool_mellanox.lua, but for what it takes for management ports. */
static void compute_pool(struct sonic_device *d)
{
	const struct sonic_pool *pool = &d->pools[d->pool];
	struct sums s = sum_up(d);
	int64_t whole = whole_buffer(d), left, own = s.lossless_ports * 10 * KIB;
	int pools = 0;

	for (int i = 0; i < d->npools; i++)
		pools += !d->pools[i].egress && d->pools[i].size < 0;
	if (d->over_subscribe > 0 && !d->headroom_bytes)
		d->headroom_bytes = (s.headroom - own) / d->over_subscribe;
	left = whole - s.reserved - s.lossy - s.ports * 10 * KIB - 256 * KIB;
	left -= d->headroom_bytes ? d->headroom_bytes + own : s.headroom;
	if (pool->percentage < 100)
		left = left * pool->percentage / 100;
	else if (pools > 1)
		left /= pools;
	if (whole < 0 || left <= 0) {
		d->shared_bytes = POOL_ASSUMED;
		sonic_note(d->s, SONIC_NOTE_ASSUMED, d, -1, "BUFFER_POOL %s has no size, and "
			   "no pool tells the size of the buffer: 16 MiB", pool->name);
		return;
	}
	d->shared_bytes = left;
	sonic_note(d->s, SONIC_NOTE_COMPUTED, d, -1,
		   "dynamic model: BUFFER_POOL %s has no size: %lld of %lld bytes are left to "
		   "share (management ports not counted)", pool->name, (long long)left,
		   (long long)whole);
}

void sonic_pool_settle(struct sonic_device *d)
{
	if (d->pool < 0 || d->pools[d->pool].size == 0) {
		d->shared_bytes = POOL_ASSUMED;
		sonic_note(d->s, SONIC_NOTE_ASSUMED, d, -1,
			   "no ingress BUFFER_POOL with a size above 0: a shared pool of 16 "
			   "MiB");
		return;
	}
	d->headroom_bytes = d->pools[d->pool].xoff;
	d->shared_bytes = d->pools[d->pool].size;
	if (d->shared_bytes < 0)
		compute_pool(d);
	for (int i = 0; i < d->npools; i++) {
		if (i != d->pool && !d->pools[i].egress && d->pools[i].size != 0)
			sonic_note(d->s, SONIC_NOTE_APPROXIMATED, d, -1,
				   "BUFFER_POOL %s: Xoff has one ingress pool, %s; lossy "
				   "traffic shares it", d->pools[i].name,
				   d->pools[d->pool].name);
	}
	if (d->asic->partitions > 1)
		sonic_note(d->s, SONIC_NOTE_COMPUTED, d, -1,
			   "%s divides its pool into %d partitions, each for an equal run of "
			   "ports: dynamic thresholds see a part of the pool only",
			   d->asic->name, d->asic->partitions);
}
