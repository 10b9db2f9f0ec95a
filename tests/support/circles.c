/* See circles.h. */
#include "tests/support/circles.h"

#include <check.h>
#include <stdio.h>

enum { HOSTS = CIRCLES_HOSTS };

static int below(struct circles *d, int n) { return (int)rng_below(&d->rng, (uint64_t)n); }

static const char *name(const char *what, int i, char buf[16])
{
	snprintf(buf, 16, "%s%d", what, i);
	return buf;
}

static void join(struct circles *d, int i, int j)
{
	char a[16], b[16];

	if (i == j || d->linked[i][j])
		return;
	d->linked[i][j] = d->linked[j][i] = true;
	bed_link(&d->bed, name("s", i, a), d->ports[i]++, name("s", j, b), d->ports[j]++,
		 40 * BED_G, 100 * BED_NS);
}

/* Half of all names: those that are no neighbours do nothing. */
static int some(struct circles *d, char **out)
{
	int n = 0;

	for (int i = 0; i < d->switches * (1 + HOSTS); i++)
		if (below(d, 2))
			out[n++] = d->name[i];
	return n;
}

/* One class becomes the other, or each the other. */
static void draw_remaps(struct circles *d)
{
	bool remap = below(d, 3) == 0;

	for (int i = 0; i < d->switches; i++)
		snprintf(d->name[i], sizeof(d->name[i]), "s%d", i);
	for (int i = 0; i < d->switches * HOSTS; i++)
		snprintf(d->name[d->switches + i], sizeof(d->name[0]), "h%d", i);
	for (int i = 0; remap && i < d->switches; i++) {
		struct switch_remap_conf *r = &d->remap[i];

		if (below(d, 2))
			continue;
		*r = (struct switch_remap_conf){ .name = "turn", .from = d->from[i], .to = d->to[i] };
		r->froms = some(d, r->from);
		r->tos = some(d, r->to);
		for (int k = 0; k < FABRIC_CLASSES; k++)
			r->class_to[k] = -1;
		if (below(d, 4))
			r->class_to[BED_RDMA] = BED_BULK;
		if (below(d, 2))
			r->class_to[BED_BULK] = BED_RDMA;
	}
}

static void make_switches(struct circles *d)
{
	char s[16];
	bool disagree = below(d, 4) == 0;

	for (int i = 0; i < d->switches; i++) {
		int64_t mine = d->bed.sw.dscp_to_tc[26];

		if (disagree && below(d, 2))
			d->bed.sw.dscp_to_tc[26] = 4;
		d->bed.sw.flood_per_copy = below(d, 2);
		d->bed.sw.remap = &d->remap[i];
		d->bed.sw.nremaps = d->remap[i].froms > 0;
		bed_switch(&d->bed, name("s", i, s));
		d->bed.sw.nremaps = 0;
		d->bed.sw.dscp_to_tc[26] = mine;
	}
	for (int i = 0; i < d->switches; i++)
		join(d, i, (i + 1) % d->switches);
	for (int k = below(d, 3); k > 0; k--)
		join(d, below(d, d->switches), below(d, d->switches));
}

static void make_hosts(struct circles *d)
{
	char s[16], h[16];

	for (int i = 0; i < d->switches; i++)
		for (int k = 0; k < HOSTS; k++)
			bed_leaf(&d->bed, name("h", i * HOSTS + k, h), name("s", i, s),
				 d->ports[i]++, 40 * BED_G, 100 * BED_NS);
}

/* Some ways are turned towards a random neighbour; a few are flooded. */
static void make_routes(struct circles *d)
{
	char at[16], to[16], via[16], *vias[1] = { via }, route[48];
	struct sim_error err = { 0 };

	for (int i = 0; i < d->switches; i++)
		for (int h = 0; h < d->switches * HOSTS; h++) {
			int next = below(d, d->switches);

			if (h / HOSTS == i || !d->linked[i][next] || below(d, 3))
				continue;
			name("s", i, at);
			name("h", h, to);
			name("s", next, via);
			snprintf(route, sizeof(route), "r%d-%d", i, h);
			ck_assert(!fabric_add_route(
				d->bed.f,
				&(struct route_conf){ .name = route,
						      .at = at,
						      .to = to,
						      .via = vias,
						      .vias = 1,
						      .flood = below(d, 20) == 0 },
				&err));
		}
}

/* From each host: greedy streams, or flows in every third fabric. */
static void make_traffic(struct circles *d, bool flows)
{
	int hosts = d->switches * HOSTS;
	char load[16], from[16], to[16];

	for (int k = 0; k < hosts; k++) {
		int dst = below(d, hosts);

		if (dst == k)
			continue;
		d->bed.class_ = d->whole && k % 2 ? BED_BULK : BED_RDMA;
		name("t", k, load);
		name("h", k, from);
		name("h", dst, to);
		if (flows)
			bed_flow(&d->bed, load, from, to, 3000000, 2);
		else
			bed_stream(&d->bed, load, from, to, 0, 1000, below(d, 20) * BED_US, UNITS_NEVER);
	}
}

void circles_draw(struct circles *d, uint64_t seed)
{
	static const int acks[] = { -1, BED_CNP, BED_BULK };
	struct rng more = { rng_hash(seed, 1) }, first;
	bool flows;

	*d = (struct circles){ .rng = { seed } };
	d->switches = 3 + below(d, CIRCLES_SWITCHES - 2);
	bed_open(&d->bed, 1500 * BED_US);
	d->bed.classes[BED_BULK] = (struct class_conf){ .name = d->bed.classes[BED_BULK].name,
						       .dscp = 10,
						       .tc = 4,
						       .priority = 4,
						       .lossless = true,
						       .weight = 1 };
	d->bed.sw.buffer.size_bytes = 8000000;
	d->bed.sw.buffer.xoff_bytes = 20000 + below(d, 4) * 10000;
	d->bed.nic.ttl = 16 + below(d, 48);
	first = d->rng;
	d->rng = more;
	draw_remaps(d);
	flows = below(d, 3) == 0;
	d->bed.nic.ack_class = acks[below(d, 3)];
	d->rng = first;
	d->whole = rng_hash(seed, 2) % 4 == 0;
	if (d->whole)
		d->bed.sw.pfc.mode = d->bed.nic.pfc.mode = PFC_MODE_GLOBAL;
	make_switches(d);
	make_hosts(d);
	if (below(d, 2))
		make_routes(d);
	make_traffic(d, flows);
	bed_finish(&d->bed);
}
