/*
 * models/switch/mmu: what is charged where, when a group goes to XOFF and when it
 * is freed; by hand, and against a reference that looks at every group each time.
 */
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
	ck_assert_int_eq(mmu_init(&b->mmu, &b->conf, b->group, b->xoff, GROUPS, &err), 0);
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

/* ---- settings ---- */

START_TEST(what_does_not_fit_is_refused)
{
	struct mmu_conf c = defaults();
	struct sim_error err = { 0 };

	ck_assert_int_eq(mmu_check(&c, &err), 0);
	c.cell_bytes = c.size_bytes + 1;
	ck_assert_int_eq(mmu_check(&c, &err), -1);
	ck_assert_str_eq(err.where, "/cell");
	c = defaults();
	c.shared_headroom_bytes = c.size_bytes;
	err.set = false;
	ck_assert_int_eq(mmu_check(&c, &err), -1);
	ck_assert_str_eq(err.where, "/shared_headroom");
}
END_TEST

/* Groups with the same thresholds share a profile; what differs in one has its own. */
START_TEST(profiles_are_shared)
{
	struct mmu_conf c = defaults(), other[6];
	struct bench *b = bench_new(c, 0);
	int n = b->mmu.profiles;

	for (int i = 0; i < 6; i++)
		other[i] = c;
	other[0].alpha = (struct units_ratio){ 3, c.alpha.den };
	other[1].alpha = (struct units_ratio){ 1, 7 };
	other[2].xoff_bytes = 1000;
	other[3].xon_bytes = 77;
	other[4].xon_offset_bytes = 78;
	other[5].alpha = (struct units_ratio){ 1, 1 << 10 };
	ck_assert_int_lt(mmu_profile(&b->mmu, &c), n);
	for (int i = 0; i < 6; i++)
		ck_assert_int_eq(mmu_profile(&b->mmu, &other[i]), n + i);
	for (int i = 0; i < 6; i++)
		ck_assert_int_eq(mmu_profile(&b->mmu, &other[i]), n + i);
	ck_assert_int_eq(b->mmu.profile[n + 5].alpha_shift, 10);
	ck_assert_int_eq(b->mmu.profile[n + 1].alpha_shift, -1);
	for (int64_t xoff = 1; b->mmu.profiles < MMU_PROFILES; xoff++) {
		c.xoff_bytes = 2000 + xoff;
		mmu_profile(&b->mmu, &c);
	}
	c.xoff_bytes = 1;
	ck_assert_int_eq(mmu_profile(&b->mmu, &c), -1);
	free(b);
}
END_TEST

START_TEST(books_that_differ_are_told)
{
	struct bench *b = bench_new(defaults(), 0);
	int64_t *wrong[] = { &b->mmu.shared_used, &b->mmu.headroom_used, &b->mmu.resident };
	struct sim_error err = { 0 };

	ck_assert(mmu_admit(&b->mmu, 3, 1500));
	books(b);
	for (int i = 0; i < 3; i++) {
		*wrong[i] += 1;
		err.set = false;
		ck_assert_int_eq(mmu_check_books(&b->mmu, &err), -1);
		*wrong[i] -= 1;
	}
	b->conf.size_bytes = 1499;
	err.set = false;
	ck_assert_int_eq(mmu_check_books(&b->mmu, &err), -1);
	free(b);
}
END_TEST

/* ---- by hand ---- */

START_TEST(charges_whole_cells)
{
	struct mmu_conf c = defaults();

	for (int64_t cell = 1; cell < 17000; cell = cell < 600 ? cell + 1 : cell * 21 / 20) {
		c.cell_bytes = cell;
		struct bench *b = bench_new(c, 0);
		for (int64_t bytes = 1; bytes <= 16000; bytes++)
			QUICK(mmu_charge(&b->mmu, bytes) == (bytes + cell - 1) / cell * cell);
		free(b);
	}
}
END_TEST

/* Reserve, shared, headroom; and back in the reverse order. */
START_TEST(fills_and_empties_in_order)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 100000;
	c.reserved_bytes = 1000;
	c.headroom_bytes = 2000;
	c.xoff_bytes = 3000;
	c.xon_bytes = 500;
	c.xon_offset_bytes = 3000;
	struct bench *b = bench_new(c, 0);
	struct mmu_group *g = &b->group[4];

	ck_assert_int_eq(b->mmu.pool, 100000 - GROUPS * 3000);
	ck_assert(mmu_admit(&b->mmu, 4, 600));
	ck_assert(mmu_admit(&b->mmu, 4, 600));		/* 400 of the reserve, 200 shared */
	ck_assert_int_eq(g->reserved, 1000);
	ck_assert_int_eq(g->shared, 200);
	ck_assert(mmu_admit(&b->mmu, 4, 2799));		/* one byte below the limit */
	ck_assert(!g->xoff);
	ck_assert(mmu_admit(&b->mmu, 4, 900));		/* use before < limit: shared, whole */
	ck_assert(g->xoff);
	ck_assert_int_eq(g->shared, 3899);
	ck_assert(mmu_admit(&b->mmu, 4, 1500));		/* and now headroom */
	ck_assert_int_eq(g->headroom, 1500);
	ck_assert(!mmu_admit(&b->mmu, 4, 501));		/* one byte too many */
	ck_assert(mmu_admit(&b->mmu, 4, 500));
	ck_assert_int_eq(b->mmu.resident, 6899);
	ck_assert_int_eq(g->peak, 6899);
	books(b);
	mmu_release(&b->mmu, 4, 2100);			/* headroom first, then shared */
	ck_assert_int_eq(g->headroom, 0);
	ck_assert_int_eq(g->shared, 3799);
	mmu_release(&b->mmu, 4, 3298);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), UINT32_MAX);	/* 501 > max(500, 0) */
	mmu_release(&b->mmu, 4, 1);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), 4);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), UINT32_MAX);
	ck_assert(!g->xoff);
	mmu_release(&b->mmu, 4, 1500);			/* the reserve last */
	ck_assert_int_eq(g->reserved, 0);
	ck_assert_int_eq(b->mmu.resident, 0);
	books(b);
	free(b);
}
END_TEST

/* Others' releases move a dynamic limit: a group is freed that sent nothing. */
START_TEST(freed_by_the_release_of_others)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 100000;
	c.alpha = (struct units_ratio){ 1, 1 };
	c.headroom_bytes = 1000;
	struct bench *b = bench_new(c, 1u << 11);	/* pool: 89000 */

	ck_assert(mmu_admit(&b->mmu, 11, 44000));	/* lossy, up to its own limit */
	ck_assert(mmu_admit(&b->mmu, 0, 22500));	/* limit 22500 after it: XOFF */
	ck_assert(b->group[0].xoff);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), 0);	/* exactly at the limit: no offset */
	mmu_release(&b->mmu, 11, 44000);
	ck_assert(mmu_admit(&b->mmu, 0, 22000));	/* limit 44500 = use: XOFF */
	ck_assert(b->group[0].xoff);
	ck_assert(mmu_admit(&b->mmu, 11, 100));
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), UINT32_MAX);	/* limit 44400 */
	mmu_release(&b->mmu, 11, 99);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), UINT32_MAX);
	mmu_release(&b->mmu, 11, 1);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), 0);
	free(b);
}
END_TEST

/* ... but not while it holds headroom: at the next XOFF all of it must be there. */
START_TEST(freed_with_headroom_empty)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 100000;
	c.alpha = (struct units_ratio){ 1, 1 };
	c.headroom_bytes = 1000;
	struct bench *b = bench_new(c, 1u << 11);	/* pool: 89000 */

	ck_assert(mmu_admit(&b->mmu, 11, 44000));
	ck_assert(mmu_admit(&b->mmu, 0, 22500));	/* XOFF */
	ck_assert(mmu_admit(&b->mmu, 0, 600));		/* headroom */
	ck_assert_int_eq(b->group[0].headroom, 600);
	mmu_release(&b->mmu, 11, 44000);		/* the limit is 66500 now */
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), UINT32_MAX);
	ck_assert(!mmu_would_xon(&b->mmu, 0, 22501, 22500));
	ck_assert(mmu_would_xon(&b->mmu, 0, 22500, 22500));
	mmu_release(&b->mmu, 0, 599);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), UINT32_MAX);
	mmu_release(&b->mmu, 0, 1);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), 0);
	books(b);
	free(b);
}
END_TEST

/* Several at once: the lowest index first. */
START_TEST(freed_in_order)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 1000000;
	c.xoff_bytes = 1000;
	c.xon_bytes = 900;
	c.xon_offset_bytes = 100000;
	struct bench *b = bench_new(c, 0);
	static const uint32_t order[] = { 7, 2, 9, 0 };

	for (int k = 0; k < 4; k++)
		ck_assert(mmu_admit(&b->mmu, order[k], 1000));
	for (int k = 0; k < 4; k++)
		mmu_release(&b->mmu, order[k], 100);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), 0);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), 2);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), 7);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), 9);
	ck_assert_uint_eq(mmu_next_xon(&b->mmu), UINT32_MAX);
	free(b);
}
END_TEST

START_TEST(shared_headroom_pool)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 100000;
	c.xoff_bytes = 100;
	c.headroom_bytes = 2000;
	c.shared_headroom_bytes = 3000;
	struct bench *b = bench_new(c, 0);

	ck_assert_int_eq(b->mmu.pool, 97000);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert(mmu_admit(&b->mmu, i, 100));
		ck_assert(mmu_admit(&b->mmu, i, i ? 1000 : 2000));
	}
	ck_assert(!mmu_admit(&b->mmu, 1, 1));		/* the pool is empty, not its own */
	mmu_release(&b->mmu, 0, 1);
	ck_assert(mmu_admit(&b->mmu, 1, 1));
	books(b);
	free(b);
}
END_TEST

START_TEST(would_be_freed_and_forced)
{
	struct mmu_conf c = defaults();
	c.size_bytes = 100000;
	c.alpha = (struct units_ratio){ 1, 1 };
	c.reserved_bytes = 100;
	struct bench *b = bench_new(c, 0);		/* pool: 98800 */

	ck_assert(mmu_admit(&b->mmu, 3, 50000));
	ck_assert(b->group[3].xoff);
	ck_assert(mmu_would_xon(&b->mmu, 3, 100 + 49400, 49400));	/* 49400 <= 98800 - 49400 */
	ck_assert(!mmu_would_xon(&b->mmu, 3, 100 + 49401, 49401));
	ck_assert(mmu_would_xon(&b->mmu, 3, 100, 98800));		/* only its reserve */
	mmu_force_xon(&b->mmu, 3);
	ck_assert(!b->group[3].xoff);
	ck_assert_uint_eq(b->mmu.nxoff, 0);
	mmu_force_xon(&b->mmu, 3);			/* nothing to do */
	ck_assert_uint_eq(b->mmu.nxoff, 0);
	free(b);
}
END_TEST

START_TEST(reservations_must_fit)
{
	struct mmu_conf c = defaults();
	struct mmu_group group[2] = { { .in_use = true, .lossless = true, .reserved_max = 400,
					.headroom_max = 600 }, { .in_use = false } };
	uint32_t xoff[2];
	struct sim_error err;
	struct mmu m;

	error_init(&err);
	c.size_bytes = 1000;
	ck_assert_int_eq(mmu_init(&m, &c, group, xoff, 2, &err), -1);
	ck_assert_str_eq(err.where, "/size");
	error_init(&err);
	c.size_bytes = 1001;
	ck_assert_int_eq(mmu_init(&m, &c, group, xoff, 2, &err), 0);
	ck_assert_int_eq(m.pool, 1);
}
END_TEST

/* ---- against a reference ---- */

struct plain {			/* the rules of mmu.h, with no state but the books */
	const struct mmu_conf *conf;
	int64_t pool, headroom_pool, shared_used, headroom_used;
	struct { int64_t reserved, shared, headroom, headroom_max; bool lossless, xoff; } g[GROUPS];
};

static int64_t plain_limit(const struct plain *p)
{
	return p->conf->xoff_bytes >= 0 ? p->conf->xoff_bytes :
		(p->pool - p->shared_used) * p->conf->alpha.num / p->conf->alpha.den;
}

static bool plain_admit(struct plain *p, int i, int64_t charge)
{
	int64_t own = p->conf->reserved_bytes - p->g[i].reserved;
	own = own < charge ? own : charge;
	int64_t rest = charge - own, limit = p->g[i].lossless ? plain_limit(p) :
		(p->pool - p->shared_used) * p->conf->lossy_alpha.num / p->conf->lossy_alpha.den;
	bool fits = true;

	if (rest == 0 || (p->shared_used + rest <= p->pool && p->g[i].shared < limit)) {
		p->g[i].shared += rest;
		p->shared_used += rest;
		if (rest && p->g[i].lossless && p->g[i].shared >= plain_limit(p))
			p->g[i].xoff = true;
	} else if (!p->g[i].lossless) {
		return false;
	} else {
		fits = p->g[i].headroom + rest <= p->g[i].headroom_max &&
		       p->headroom_used + rest <= p->headroom_pool;
		p->g[i].headroom += fits ? rest : 0;
		p->headroom_used += fits ? rest : 0;
		p->g[i].xoff |= p->g[i].shared + p->g[i].headroom > 0;
	}
	p->g[i].reserved += fits ? own : 0;
	return fits;
}

static void plain_release(struct plain *p, int i, int64_t charge)
{
	int64_t part = p->g[i].headroom < charge ? p->g[i].headroom : charge;

	p->g[i].headroom -= part;
	p->headroom_used -= part;
	charge -= part;
	part = p->g[i].shared < charge ? p->g[i].shared : charge;
	p->g[i].shared -= part;
	p->shared_used -= part;
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
	return c;
}

/* After a release: all that the rule frees, in order, and no others. */
static void same_xons(struct bench *b, struct plain *p)
{
	int64_t mark = plain_limit(p) - p->conf->xon_offset_bytes;

	mark = mark > p->conf->xon_bytes ? mark : p->conf->xon_bytes;
	for (uint32_t i = 0; i < GROUPS; i++)
		if (p->g[i].xoff && !p->g[i].headroom && p->g[i].shared <= mark) {
			QUICK(mmu_may_xon(&b->mmu));
			QUICK(mmu_next_xon(&b->mmu) == i);
			p->g[i].xoff = false;
		}
	QUICK(mmu_next_xon(&b->mmu) == UINT32_MAX);
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
	struct plain p = { .conf = &b->conf, .pool = b->mmu.pool, .headroom_pool = b->mmu.headroom_pool };
	int n = 0, fill = 0;

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
			if (ok) {
				held[n].group = (uint8_t)g;
				held[n++].charge = charge;
			}
		} else {
			int at = (int)(next(&x) % (uint64_t)n);
			plain_release(&p, held[at].group, held[at].charge);
			mmu_release(&b->mmu, held[at].group, held[at].charge);
			held[at] = held[--n];
			same_xons(b, &p);
		}
		if (k % 50 == 0)
			same_groups(b, &p);
	}
	same_groups(b, &p);
	free(b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mmu");
	TCase *tc = tcase_create("mmu");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, what_does_not_fit_is_refused);
	tcase_add_test(tc, profiles_are_shared);
	tcase_add_test(tc, books_that_differ_are_told);
	tcase_add_test(tc, charges_whole_cells);
	tcase_add_test(tc, fills_and_empties_in_order);
	tcase_add_test(tc, freed_by_the_release_of_others);
	tcase_add_test(tc, freed_with_headroom_empty);
	tcase_add_test(tc, freed_in_order);
	tcase_add_test(tc, shared_headroom_pool);
	tcase_add_test(tc, would_be_freed_and_forced);
	tcase_add_test(tc, reservations_must_fit);
	tcase_add_loop_test(tc, as_the_reference, 0, 60);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
