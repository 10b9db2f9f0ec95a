/* sim/pool: handles, reuse, growth that moves nothing, and the limit. */
#include <check.h>
#include <stdlib.h>

#include "sim/pool.h"

/* In loops: an assertion of Check's writes to a pipe each time. */
#define QUICK(cond) do { if (!(cond)) ck_abort_msg("%s", #cond); } while (0)

struct item { uint32_t next, tag; uint64_t check, more[5]; };

START_TEST(handles_are_unique_and_not_none)
{
	struct pool p;
	uint8_t *seen = calloc(20000, 1);

	pool_init(&p, sizeof(struct item), 10000, 1 << 20);
	for (int i = 0; i < 10000; i++) {
		uint32_t h = pool_take(&p);
		QUICK(h != POOL_NONE);
		QUICK(h < 20000);
		QUICK(seen[h] == 0);
		seen[h] = 1;
	}
	ck_assert_uint_eq(p.live, 10000);
	ck_assert_uint_eq(p.growths, 0);	/* the estimate held */
	free(seen);
	pool_fini(&p);
}
END_TEST

START_TEST(the_last_given_is_the_first_taken)
{
	struct pool p;
	uint32_t h[5];

	pool_init(&p, sizeof(struct item), 8, 100);
	for (int i = 0; i < 5; i++)
		h[i] = pool_take(&p);
	for (int i = 0; i < 5; i++)
		pool_give(&p, h[i]);
	ck_assert_uint_eq(p.live, 0);
	for (int i = 4; i >= 0; i--)
		ck_assert_uint_eq(pool_take(&p), h[i]);
	pool_fini(&p);
}
END_TEST

/* Growth is counted, moves no record and loses none; sizes that do not divide a
 * page or a chunk included. */
static const size_t sizes[] = { 4, 12, 64, 72, 100, 4097, 65536 };

START_TEST(growth_moves_nothing)
{
	enum { MANY = 60000 };
	size_t bytes = sizes[_i];
	uint32_t n = bytes > 1000 ? 600 : MANY, *h = calloc(MANY, sizeof *h);
	struct pool p;
	char *first;

	pool_init(&p, bytes, 1, 1 << 20);
	h[0] = pool_take(&p);
	first = pool_at(&p, h[0]);
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			h[i] = pool_take(&p);
		memset(pool_at(&p, h[i]), (int)(i % 251), bytes);
	}
	ck_assert_ptr_eq(pool_at(&p, h[0]), first);
	ck_assert_uint_gt(p.growths, 0);
	ck_assert_uint_eq(p.live, n);
	for (uint32_t i = 0; i < n; i++) {
		const unsigned char *c = pool_at(&p, h[i]);
		QUICK(c[0] == i % 251);
		QUICK(c[bytes - 1] == i % 251);
	}
	free(h);
	pool_fini(&p);
}
END_TEST

/* 10^5 random takes and gives: no handle is ever in two hands. */
START_TEST(no_handle_in_two_hands)
{
	uint32_t held[3000], n = 0;
	uint64_t x = 88172645463325252;
	struct pool p;

	pool_init(&p, sizeof(struct item), 100, 1 << 20);
	for (uint32_t k = 0; k < 100000; k++) {
		x ^= x << 13; x ^= x >> 7; x ^= x << 17;	/* xorshift64 */
		if (n < 3000 && (n == 0 || x % 2)) {
			held[n] = pool_take(&p);
			struct item *it = pool_at(&p, held[n]);
			*it = (struct item){ .tag = n, .check = held[n] };
			n++;
		} else {
			uint32_t i = (uint32_t)((x >> 20) % n);
			struct item *it = pool_at(&p, held[i]);
			QUICK(it->check == held[i]);
			QUICK(it->tag == i);
			pool_give(&p, held[i]);
			held[i] = held[--n];
			it = pool_at(&p, held[i]);
			if (i < n)
				it->tag = i;
		}
		QUICK(p.live == n);
	}
	pool_fini(&p);
}
END_TEST

START_TEST(the_limit_ends_the_program)
{
	struct pool p;

	pool_init(&p, sizeof(struct item), 4, 10);
	for (int i = 0; i < 10; i++)
		pool_take(&p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pool");
	TCase *tc = tcase_create("pool");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, handles_are_unique_and_not_none);
	tcase_add_test(tc, the_last_given_is_the_first_taken);
	tcase_add_loop_test(tc, growth_moves_nothing, 0, sizeof(sizes) / sizeof(sizes[0]));
	tcase_add_test(tc, no_handle_in_two_hands);
	tcase_add_exit_test(tc, the_limit_ends_the_program, 4);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
