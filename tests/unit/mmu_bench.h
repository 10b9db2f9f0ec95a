/* tests/unit/mmu_bench.h - an MMU with twelve groups on two ports. */
#ifndef MMU_BENCH_H
#define MMU_BENCH_H
#include <check.h>
#include <stdlib.h>

#include "models/switch/mmu.h"

/* In loops: an assertion of Check's writes to a pipe each time. */
#define QUICK(cond) do { if (!(cond)) ck_abort_msg("%s", #cond); } while (0)

enum { GROUPS = 12 };

struct bench {
	struct mmu mmu;
	struct mmu_conf conf;
	struct mmu_group group[GROUPS];
	uint32_t xoff[GROUPS];
	struct mmu_port port[(GROUPS + 7) / 8];
};

/* Group i is lossless unless `lossy` has bit i; headroom_bytes of each. */
static struct bench *bench_new(struct mmu_conf conf, unsigned lossy)
{
	struct bench *b = aligned_alloc(64, sizeof *b);
	struct sim_error err;

	error_init(&err);
	*b = (struct bench){ .conf = conf };
	for (int i = 0; i < GROUPS; i++) {
		b->group[i].in_use = true;
		b->group[i].lossless = !(lossy >> i & 1);
		b->group[i].reserved_max = conf.reserved_bytes;
		b->group[i].headroom_max = b->group[i].lossless ? conf.headroom_bytes : 0;
	}
	ck_assert_int_eq(mmu_init(&b->mmu, &b->conf, b->group, b->xoff,
				  mmu_by_port(&b->conf) ? b->port : NULL, GROUPS, &err), 0);
	return b;
}

static struct mmu_conf defaults(void)
{
	struct mmu_conf c;

	param_defaults(mmu_params, &c);
	c.cell_bytes = 1;
	c.headroom_bytes = 0;
	c.xon_offset_bytes = 0;
	return c;
}

static void books(const struct bench *b)
{
	struct sim_error err;

	error_init(&err);
	if (mmu_check_books(&b->mmu, &err))
		ck_abort_msg("%s", err.text);
}
#endif
