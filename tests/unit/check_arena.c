/* sim/arena: zeroed, aligned, apart from each other, and empty again when freed. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/arena.h"

/* In loops: an assertion of Check's writes to a pipe each time. */
#define QUICK(cond) do { if (!(cond)) ck_abort_msg("%s", #cond); } while (0)

START_TEST(zeroed_aligned_and_apart)
{
	enum { N = 4000 };
	static struct { unsigned char *at; size_t bytes; } piece[N];
	uint64_t x = 88172645463325252;
	struct arena a = { 0 };

	for (int i = 0; i < N; i++) {
		x ^= x << 13; x ^= x >> 7; x ^= x << 17;	/* xorshift64 */
		piece[i].bytes = (size_t)(x % (i % 100 ? 3000 : 300000)) + (i % 7 != 0);
		piece[i].at = arena_take(&a, piece[i].bytes);
		QUICK(piece[i].at != NULL);
		QUICK((uintptr_t)piece[i].at % 64 == 0);
		for (size_t k = 0; k < piece[i].bytes; k += 61)
			QUICK(piece[i].at[k] == 0);
		memset(piece[i].at, i % 255 + 1, piece[i].bytes);
	}
	for (int i = 0; i < N; i++)
		for (size_t k = 0; k < piece[i].bytes; k += 61)
			QUICK(piece[i].at[k] == i % 255 + 1);
	arena_free(&a);
}
END_TEST

/* Larger than any chunk it would take by itself. */
START_TEST(a_large_piece)
{
	size_t bytes = (size_t)40 << 20;
	struct arena a = { 0 };
	char *small = arena_take(&a, 10), *large = arena_take(&a, bytes), *after;

	large[bytes - 1] = 1;
	after = arena_take(&a, 10);
	ck_assert(after >= large + bytes || after < large);
	ck_assert(small + 64 <= large || small >= large + bytes);
	arena_free(&a);
}
END_TEST

START_TEST(freed_is_empty)
{
	struct arena a = { 0 };

	arena_free(&a);
	for (int k = 0; k < 3; k++) {
		char *p = arena_take(&a, 1000);
		ck_assert_int_eq(p[999], 0);
		p[999] = 1;
		arena_free(&a);
		ck_assert_ptr_null(a.chunk);
		ck_assert_uint_eq(a.room, 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("arena");
	TCase *tc = tcase_create("arena");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, zeroed_aligned_and_apart);
	tcase_add_test(tc, a_large_piece);
	tcase_add_test(tc, freed_is_empty);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
