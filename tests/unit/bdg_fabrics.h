/*
 * tests/unit/bdg_fabrics.h - the fabrics of check_bdg.c and check_bdg_fail.c, in one
 * bed.  Included by one file of a program.
 */
#ifndef BDG_FABRICS_H
#define BDG_FABRICS_H
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/bdg.h"
#include "sim/rng.h"
#include "tests/support/bed.h"

static struct bed b;
static char text[8][32];

static inline const char *name(int slot, const char *fmt, int i, int j)
{
	snprintf(text[slot], sizeof(text[slot]), fmt, i, j);
	return text[slot];
}

static inline void begin(void)
{
	bed_open(&b, BED_MS);
	b.sw.buffer.size_bytes = 16000000;
	b.class_ = BED_RDMA;
}

static inline void wire(const char *x, int xp, const char *y, int yp)
{
	bed_link(&b, x, xp, y, yp, 40 * BED_G, 100 * BED_NS);
}

static inline void hosts(const char *sw, int first, int n)
{
	for (int i = 0; i < n; i++)
		bed_leaf(&b, name(7, "h%d", first + i, 0), sw, 100 + i, 40 * BED_G,
			 100 * BED_NS);
}

static inline void ring(int n)
{
	for (int i = 0; i < n; i++)
		bed_switch(&b, name(0, "s%d", i, 0));
	for (int i = 0; i < n; i++)
		wire(name(0, "s%d", i, 0), 0, name(1, "s%d", (i + 1) % n, 0), 1);
	for (int i = 0; i < n; i++)
		hosts(name(0, "s%d", i, 0), i, 1);
}

static inline void leaf_spine(int leaves, int spines, int per_leaf, int parallel)
{
	for (int s = 0; s < spines; s++)
		bed_switch(&b, name(0, "spine%d", s, 0));
	for (int l = 0; l < leaves; l++) {
		bed_switch(&b, name(0, "leaf%d", l, 0));
		hosts(name(0, "leaf%d", l, 0), l * per_leaf, per_leaf);
		for (int s = 0; s < spines * parallel; s++)
			wire(name(0, "leaf%d", l, 0), s, name(1, "spine%d", s / parallel, 0),
			     l * parallel + s % parallel);
	}
}

static inline void fat_tree(int k)
{
	for (int c = 0; c < k * k / 4; c++)
		bed_switch(&b, name(0, "core%d", c, 0));
	for (int p = 0; p < k; p++) {
		for (int a = 0; a < k / 2; a++) {
			bed_switch(&b, name(0, "agg%d_%d", p, a));
			for (int c = 0; c < k / 2; c++)
				wire(text[0], c, name(1, "core%d", a * k / 2 + c, 0), p);
		}
		for (int e = 0; e < k / 2; e++) {
			bed_switch(&b, name(0, "edge%d_%d", p, e));
			hosts(text[0], (p * k / 2 + e) * 2, 2);
			for (int a = 0; a < k / 2; a++)
				wire(name(0, "edge%d_%d", p, e), a, name(1, "agg%d_%d", p, a),
				     50 + e);
		}
	}
}

static inline struct routing *finish(void)
{
	bed_finish(&b);
	return routing_new(b.f);
}

static inline void end(struct routing *r)
{
	routing_free(&r);
	bed_close(&b);
}

/* A rule for the switches added next: data from spines back to spines becomes bulk, and
 * data that is bulk already (a second bounce) goes on as scavenger, which is lossy. */
static char spine_names[3][8];
static char *spines[3] = { spine_names[0], spine_names[1], spine_names[2] };
static struct switch_remap_conf tag;

static inline void tag_bounces(int nspines)
{
	b.classes[BED_BULK] = (struct class_conf){ .name = b.classes[BED_BULK].name, .dscp = 10, .tc = 4,
						   .priority = 4, .lossless = true, .weight = 1 };
	tag = (struct switch_remap_conf){ .name = "tag", .from = spines, .to = spines, .froms = nspines,
					  .tos = nspines };
	for (int i = 0; i < nspines; i++)
		snprintf(spine_names[i], sizeof(spine_names[i]), "spine%d", i);
	for (int k = 0; k < FABRIC_CLASSES; k++)
		tag.class_to[k] = -1;
	tag.class_to[BED_RDMA] = BED_BULK;
	tag.class_to[BED_BULK] = BED_SCAVENGER;
	b.sw.remap = &tag;
	b.sw.nremaps = 1;
}

static inline void random_fabric(uint64_t seed)
{
	struct rng rng = { seed };
	int n = 3 + (int)rng_below(&rng, 4);

	begin();
	ring(n);
	for (int k = 0; k < 2 * n; k++) {
		int at = (int)rng_below(&rng, (uint64_t)n),
		    to = (int)rng_below(&rng, (uint64_t)n);
		int via = (at + (rng_below(&rng, 2) ? 1 : n - 1)) % n;

		if (at != to)
			bed_route(&b, name(0, "s%d", at, 0), name(1, "h%d", to, 0),
				  name(2, "s%d", via, 0));
	}
}
#endif
