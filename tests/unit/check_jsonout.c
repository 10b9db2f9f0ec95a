/* observe/jsonout: exact bytes; and observe/outfile: a full disk is told. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "observe/jsonout.h"
#include "observe/outfile.h"

static char *written;
static size_t size;

static struct jsonout begin(int depth)
{
	struct jsonout j;
	FILE *out = open_memstream(&written, &size);

	ck_assert_ptr_nonnull(out);
	jsonout_init(&j, out, depth);
	return j;
}

static void end(struct jsonout *j, const char *want)
{
	fclose(j->out);
	ck_assert_str_eq(written, want);
	free(written);
}

START_TEST(objects_and_arrays_are_indented)
{
	struct jsonout j = begin(0);

	jsonout_open(&j, NULL, '{');
	jsonout_int(&j, "a", INT64_MIN);
	jsonout_open(&j, "b", '[');
	jsonout_text(&j, NULL, "x");
	jsonout_text(&j, NULL, NULL);
	jsonout_close(&j, ']');
	jsonout_open(&j, "none", '{');
	jsonout_close(&j, '}');
	jsonout_open_flat(&j, "flat", '{');
	jsonout_time(&j, "p", -1);
	jsonout_time(&j, "q", 7);
	jsonout_open(&j, "r", '[');
	jsonout_int(&j, NULL, 1);
	jsonout_int(&j, NULL, 2);
	jsonout_close(&j, ']');
	jsonout_close(&j, '}');
	jsonout_bool(&j, "last", true);
	jsonout_close(&j, '}');
	end(&j, "{\n  \"a\": -9223372036854775808,\n  \"b\": [\n    \"x\",\n    null\n  ],\n"
		"  \"none\": {},\n  \"flat\": {\"p\": null, \"q\": 7, \"r\": [1, 2]},\n"
		"  \"last\": true\n}");
}
END_TEST

START_TEST(texts_are_escaped)
{
	struct jsonout j = begin(0);

	jsonout_text(&j, NULL, "a\"b\\c\nd\x01 \xc3\xa9");
	end(&j, "\"a\\\"b\\\\c\\u000ad\\u0001 \xc3\xa9\"");
}
END_TEST

START_TEST(doubles_are_the_shortest_that_read_back)
{
	struct jsonout j = begin(0);

	jsonout_open_flat(&j, NULL, '[');
	jsonout_double(&j, NULL, 0.1);
	jsonout_double(&j, NULL, 1.0 / 3);
	jsonout_double(&j, NULL, 0.1 + 0.2);
	jsonout_double(&j, NULL, 12);
	jsonout_double(&j, NULL, NAN);
	jsonout_double(&j, NULL, INFINITY);
	jsonout_close(&j, ']');
	end(&j, "[0.1, 0.3333333333333333, 0.30000000000000004, 12, null, null]");
}
END_TEST

START_TEST(fields_are_quoted_where_they_must_be)
{
	char *a = outfile_quote("plain"), *b = outfile_quote("say \"hi\", twice");

	ck_assert_str_eq(a, "plain");
	ck_assert_str_eq(b, "\"say \"\"hi\"\", twice\"");
	free(a);
	free(b);
}
END_TEST

START_TEST(a_full_disk_is_told_with_path_and_reason)
{
	struct outfile out;
	struct sim_error err;

	error_init(&err);
	ck_assert_int_eq(outfile_open(&out, "/dev", "full", &err), 0);
	fputs("a few bytes that fail at the flush only", out.stream);
	ck_assert_int_eq(outfile_close(&out, &err), -1);
	ck_assert_str_eq(err.text, "cannot write /dev/full: No space left on device");

	error_init(&err);
	ck_assert_int_eq(outfile_open(&out, "/dev", "full", &err), 0);
	for (int i = 0; i < 100000; i++)	/* fails in the middle */
		fputs("0123456789", out.stream);
	ck_assert_int_eq(outfile_close(&out, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/dev/full"));
}
END_TEST

START_TEST(a_file_that_cannot_be_made_is_told)
{
	struct outfile out;
	struct sim_error err;

	error_init(&err);
	ck_assert_int_eq(outfile_open(&out, "/nowhere/at/all", "flows.csv", &err), -1);
	ck_assert_str_eq(err.text,
			 "cannot make /nowhere/at/all/flows.csv: No such file or directory");
	ck_assert_int_eq(outfile_close(&out, &err), 0);
	ck_assert_int_eq(outfile_mkdir("/nowhere/at/all", "series", NULL), -1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("jsonout");
	TCase *t = tcase_create("jsonout");

	tcase_add_test(t, objects_and_arrays_are_indented);
	tcase_add_test(t, texts_are_escaped);
	tcase_add_test(t, doubles_are_the_shortest_that_read_back);
	tcase_add_test(t, fields_are_quoted_where_they_must_be);
	tcase_add_test(t, a_full_disk_is_told_with_path_and_reason);
	tcase_add_test(t, a_file_that_cannot_be_made_is_told);
	suite_add_tcase(s, t);
	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
