/* sim/error: the first error wins; the nearest name is found. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/error.h"
#include "sim/nearpath.h"

START_TEST(the_first_error_wins)
{
	struct sim_error err;

	error_init(&err);
	ck_assert_int_eq(err.set, 0);
	ck_assert_int_eq(error_set(&err, "/a/b", "found %d, wanted %d", 1, 2), -1);
	ck_assert_int_eq(error_set(&err, "/c", "second"), -1);
	ck_assert_str_eq(err.where, "/a/b");
	ck_assert_str_eq(err.text, "found 1, wanted 2");
	ck_assert_int_eq(error_set(NULL, "/a", "nobody listens"), -1);
	error_init(NULL);
}
END_TEST

START_TEST(long_texts_are_cut_not_overrun)
{
	struct sim_error err = {0};
	char big[2000];

	memset(big, 'x', sizeof big - 1);
	big[sizeof big - 1] = 0;
	error_set(&err, big, "%s", big);
	ck_assert_uint_eq(strlen(err.where), sizeof err.where - 1);
	ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
}
END_TEST

START_TEST(the_nearest_name_is_found)
{
	const char *const names[] = {"kmin", "kmax", "pmax", "where", "rpg_threshold", NULL};

	ck_assert_str_eq(error_nearest("kmim", names), "kmin");
	ck_assert_str_eq(error_nearest("kmni", names), "kmin");		/* swap */
	ck_assert_str_eq(error_nearest("KMAX", names), "kmax");		/* case folded */
	ck_assert_str_eq(error_nearest("rpg_thershold", names), "rpg_threshold");
	ck_assert_str_eq(error_nearest("rpg_treshold", names), "rpg_threshold");
	ck_assert_ptr_null(error_nearest("entirely", names));
	ck_assert_ptr_null(error_nearest("", names));
	ck_assert_ptr_null(error_nearest("zz", names));
}
END_TEST

START_TEST(odd_paths_get_no_hint)
{
	char buf[NEARPATH_MAX], tight[8], big[3000];
	const char *const odd[] = {"", "-", "/", "//", "/nowhere at all/x", "nowhere at all//", NULL};

	for (int i = 0; odd[i]; i++)
		ck_assert_str_eq(nearpath_hint(odd[i], buf, sizeof buf), "");
	memset(big, 'x', sizeof big - 1);
	big[sizeof big - 1] = 0;
	ck_assert_str_eq(nearpath_hint(big, buf, sizeof buf), "");
	/* what exists needs none; a part that is wrong is put right, the others stay */
	ck_assert_str_eq(nearpath_hint("/dev/null", buf, sizeof buf), "");
	ck_assert_str_eq(nearpath_hint("/dve//null", buf, sizeof buf), "; did you mean \"/dev/null\"?");
	ck_assert_str_eq(nearpath_hint("/dev/nulll", buf, sizeof buf), "; did you mean \"/dev/null\"?");
	ck_assert_uint_eq(strlen(nearpath_hint("/dev/nulll", tight, sizeof tight)), sizeof tight - 1);
}
END_TEST

START_TEST(a_very_long_word_is_near_nothing)
{
	const char *const names[] = {"kmin", NULL};
	char big[5000];

	memset(big, 'k', sizeof big - 1);
	big[sizeof big - 1] = 0;
	ck_assert_ptr_null(error_nearest(big, names));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("error");
	TCase *tc = tcase_create("error");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, the_first_error_wins);
	tcase_add_test(tc, long_texts_are_cut_not_overrun);
	tcase_add_test(tc, the_nearest_name_is_found);
	tcase_add_test(tc, a_very_long_word_is_near_nothing);
	tcase_add_test(tc, odd_paths_get_no_hint);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
