/*
 * models/switch/mmu against a reference that keeps nothing but the books and looks at
 * every group each time; and that books which differ are told.
 */
#include "tests/unit/mmu_bench.h"

struct plain {			/* the rules of mmu.h, with no state but the books */
	const struct mmu_conf *conf;
	struct { int64_t pool, headroom_pool, shared_used, headroom_used; } part[MMU_PARTS];
	int64_t frames, parts;
	struct { int64_t reserved, shared, headroom, headroom_max; bool lossless, xoff; } g[GROUPS];
};

static int part_of(const struct plain *p, int i) { return (int)(i / 8 * p->parts / ((GROUPS + 7) / 8)); }

static int64_t plain_free(const struct plain *p, int i)
{
	return p->part[part_of(p, i)].pool - p->part[part_of(p, i)].shared_used;
}

static int64_t on_port(const struct plain *p, int i, bool headroom)
{
	int64_t sum = 0;

	for (int k = i / 8 * 8; k < i / 8 * 8 + 8 && k < GROUPS; k++)
		sum += headroom ? p->g[k].headroom : p->g[k].shared;
	return sum;
}

static int64_t plain_limit(const struct plain *p, int i)
{
	const struct mmu_conf *c = p->conf;
	int64_t free = plain_free(p, i);

	if (c->xoff_bytes >= 0)
		return c->xoff_bytes;
	if (c->port_alpha.num)
		free = free * c->port_alpha.num / c->port_alpha.den - on_port(p, i, false);
	return free < 0 ? 0 : free * c->alpha.num / c->alpha.den;
}

static bool plain_admit(struct plain *p, int i, int64_t charge)
{
	int64_t own = p->conf->reserved_bytes - p->g[i].reserved;
	own = own < charge ? own : charge;
	int64_t rest = charge - own, free = plain_free(p, i), limit = p->g[i].lossless ? plain_limit(p, i) :
		free * p->conf->lossy_alpha.num / p->conf->lossy_alpha.den;
	int k = part_of(p, i);
	bool fits = true;

	if (p->conf->descriptors >= 0 && p->frames == p->conf->descriptors)
		return false;
	if (rest == 0 || (rest <= free && p->g[i].shared < limit)) {
		p->g[i].shared += rest;
		p->part[k].shared_used += rest;
		if (rest && p->g[i].lossless && p->g[i].shared >= plain_limit(p, i))
			p->g[i].xoff = true;
	} else if (!p->g[i].lossless) {
		return false;
	} else {
		fits = p->g[i].headroom + rest <= p->g[i].headroom_max &&
		       p->part[k].headroom_used + rest <= p->part[k].headroom_pool &&
		       (!p->conf->port_headroom_bytes ||
			on_port(p, i, true) + rest <= p->conf->port_headroom_bytes);
		p->g[i].headroom += fits ? rest : 0;
		p->part[k].headroom_used += fits ? rest : 0;
		p->g[i].xoff |= p->g[i].shared + p->g[i].headroom > 0;
	}
	p->g[i].reserved += fits ? own : 0;
	p->frames += fits;
	return fits;
}

static void plain_release(struct plain *p, int i, int64_t charge)
{
	int64_t part = p->g[i].headroom < charge ? p->g[i].headroom : charge;

	p->frames--;
	p->g[i].headroom -= part;
	p->part[part_of(p, i)].headroom_used -= part;
	charge -= part;
	part = p->g[i].shared < charge ? p->g[i].shared : charge;
	p->g[i].shared -= part;
	p->part[part_of(p, i)].shared_used -= part;
	p->g[i].reserved -= charge - part;
}

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13; *x ^= *x >> 7; *x ^= *x << 17;		/* xorshift64 */
	return *x >> 11;
}

static struct mmu_conf any_conf(uint64_t *x)
{
	static const struct units_ratio alphas[] = { { 1, 1 }, { 1, 8 }, { 1, 64 }, { 8, 1 }, { 3, 7 } };
	struct mmu_conf c = defaults();

	c.cell_bytes = next(x) % 2 ? 1 : 208;
	c.size_bytes = 200000 + (int64_t)(next(x) % 300000);
	c.alpha = alphas[next(x) % 5];
	c.lossy_alpha = alphas[next(x) % 5];
	c.xoff_bytes = next(x) % 3 ? -1 : (int64_t)(next(x) % 60000);
	c.xon_bytes = next(x) % 2 ? 0 : (int64_t)(next(x) % 10000);
	c.xon_offset_bytes = next(x) % 3 ? (int64_t)(next(x) % 10000) : 0;
	c.reserved_bytes = next(x) % 2 ? 0 : (int64_t)(next(x) % 20) * 208;
	c.headroom_bytes = (int64_t)(next(x) % 40) * 208;
	c.shared_headroom_bytes = next(x) % 3 ? 0 : 30000;
	if (next(x) % 3 == 0)
		c.port_alpha = alphas[next(x) % 5];
	if (next(x) % 3 == 0)
		c.port_headroom_bytes = (int64_t)(next(x) % 60) * 208;
	c.partitions = 1 + (int64_t)(next(x) % 2);
	if (next(x) % 4 == 0)
		c.descriptors = 1 + (int64_t)(next(x) % 300);
	return c;
}

/* After a release: all that the rule frees, in order, and no others. */
static void same_xons(struct bench *b, struct plain *p, int part)
{
	for (uint32_t i = 0; i < GROUPS; i++) {
		int64_t limit = plain_limit(p, (int)i), use = p->g[i].shared, mark = limit - p->conf->xon_offset_bytes;
		mark = mark > p->conf->xon_bytes ? mark : p->conf->xon_bytes;
		if (part_of(p, (int)i) == part && p->g[i].xoff && !p->g[i].headroom &&
		    (use == 0 || (use <= mark && use < limit))) {
			QUICK(mmu_may_xon(&b->mmu, part));
			QUICK(mmu_next_xon(&b->mmu, part) == i);
			p->g[i].xoff = false;
		}
	}
	QUICK(mmu_next_xon(&b->mmu, part) == UINT32_MAX);
}

static void same_groups(const struct bench *b, const struct plain *p)
{
	for (int i = 0; i < GROUPS; i++)
		QUICK(b->group[i].reserved == p->g[i].reserved && b->group[i].shared == p->g[i].shared &&
		      b->group[i].headroom == p->g[i].headroom && b->group[i].xoff == p->g[i].xoff);
	books(b);
}

START_TEST(as_the_reference)
{
	enum { MOST = 4000 };
	static struct { uint8_t group; int64_t charge; } held[MOST];
	uint64_t x = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(_i + 1);
	struct bench *b = bench_new(any_conf(&x), (unsigned)next(&x) & 0xf00);
	struct plain p = { .conf = &b->conf, .parts = b->conf.partitions };
	int n = 0, fill = 0;

	for (int i = 0; i < p.parts; i++) {
		p.part[i].pool = b->mmu.part[i].pool;
		p.part[i].headroom_pool = b->mmu.part[i].headroom_pool;
	}

	for (int i = 0; i < GROUPS; i++) {
		p.g[i].lossless = b->group[i].lossless;
		p.g[i].headroom_max = b->group[i].headroom_max;
	}
	for (int k = 0; k < 10000; k++) {
		if (k % 500 == 0)
			fill = (int)(next(&x) % 10);	/* of ten: phases that fill and that drain */
		if (n < MOST && (n == 0 || (int)(next(&x) % 10) < fill)) {
			int g = (int)(next(&x) % GROUPS);
			int64_t charge = mmu_charge(&b->mmu, 64 + (int64_t)(next(&x) % 4100));
			bool ok = plain_admit(&p, g, charge);
			QUICK(mmu_admit(&b->mmu, (uint32_t)g, charge) == ok);
			QUICK(ok || !b->group[g].lossless || mmu_short_of(&b->mmu, (uint32_t)g, charge));
			if (ok) {
				held[n].group = (uint8_t)g;
				held[n++].charge = charge;
			}
		} else {
			int at = (int)(next(&x) % (uint64_t)n), g = held[at].group;
			plain_release(&p, g, held[at].charge);
			mmu_release(&b->mmu, (uint32_t)g, held[at].charge);
			held[at] = held[--n];
			same_xons(b, &p, part_of(&p, g));
		}
		if (k % 50 == 0)
			same_groups(b, &p);
	}
	same_groups(b, &p);
	free(b);
}
END_TEST

/* Each sum alone, one byte off, and each pool one byte smaller than what it holds. */
START_TEST(books_that_differ_are_told)
{
	struct mmu_conf c = defaults();
	c.xoff_bytes = 1500;
	c.headroom_bytes = 200;
	c.port_headroom_bytes = 2000;
	c.descriptors = 10;
	struct bench *b = bench_new(c, 0);
	struct mmu *m = &b->mmu;
	struct { int64_t *book, wrong; } breaks[] = {
		{ &m->part[0].shared_used, 1501 }, { &m->part[0].pool, 1499 },
		{ &m->part[0].headroom_used, 101 }, { &m->part[0].headroom_pool, 99 },
		{ &m->port[0].shared, 1501 }, { &m->port[0].headroom, 101 },
		{ &m->resident, 1601 }, { &m->size, 1599 }, { &m->descriptors, -1 },
	};
	struct sim_error err = { 0 };

	ck_assert(mmu_admit(m, 3, 1500));
	ck_assert(mmu_admit(m, 3, 100));			/* headroom */
	books(b);
	for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
		int64_t right = *breaks[i].book;
		*breaks[i].book = breaks[i].wrong;
		err.set = false;
		ck_assert_msg(mmu_check_books(m, &err) == -1, "%zu", i);
		*breaks[i].book = right;
	}
	books(b);
	free(b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mmu_reference");
	TCase *tc = tcase_create("mmu_reference");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, as_the_reference, 0, 120);
	tcase_add_test(tc, books_that_differ_are_told);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
