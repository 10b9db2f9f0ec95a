/* scenario/jsonc: comments, trailing commas, places, and rubbish. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/jsonc.h"

static json_t *parse(const char *text, struct jsonc_error *err)
{
	return jsonc_parse(text, strlen(text), err);
}

START_TEST(comments_and_trailing_commas_are_accepted)
{
	static const char *const good[] = {
		"{}", "{\"a\":1,}", "{\"a\":[1,2,],}", "// x\n{\"a\":1} // y", "/* a */{/**/\"a\"/*,*/:1}",
		"{\"a\":\"// no comment\"}", "{\"a\":\"/* nor this */\",/* , */}", "{\"a\":1, // ,\n}",
		"\357\273\277{\"a\":1}", "{\"a\\\"b\":1,}"};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct jsonc_error err = {0};
		json_t *json = parse(good[i], &err);

		ck_assert_msg(json != NULL, "%s: %s", good[i], err.text);
		json_decref(json);
	}
}
END_TEST

static const struct { const char *text; size_t offset; const char *says; } bad[] = {
	{"{\"a\":1 \"b\":2}", 7, "',' or '}' expected near '\"b\"'"},
	{"{\"a\":1,,}", 7, "expected"},
	{"{,}", 1, "expected"},
	{"[,]", 1, ""},
	{"{\"a\":1}x", 7, "end of file expected"},
	{"{\"a\":tru}", 5, "invalid token near 'tru'"},
	{"{\"a\":1, /* never", 8, "never ends"},
	{"{\"a\":1,\n \"b\":2,\n \"a\":3}", 17, "duplicate key \"a\"; the first is in line 1"},
	{"{\"x\":{\"a\":1},\"y\":{\"a\":1,\"b\":0,\"a\":2}}", 30, "duplicate key \"a\"; the first is in "
	 "line 1"},
	{"{\"a\":1e999}", 5, "overflow"},
	{"{\"a\":99999999999999999999}", 5, "too big integer"},
	{"{\"a\":\"line\nend\"}", 5, "newline"},
	{"{\"a\":\"\377\"}", 5, "decode byte 0xff"},
	{"{'a':1}", 1, "expected"},
	{"{a:1}", 1, "expected"},
	{"{", 1, "expected near end of file"},
	{"", 0, "expected"},
	{"{\"a\":\"\\u0000\"}", 5, "\\u0000"},
};

START_TEST(what_is_wrong_stands_at_its_token)
{
	struct jsonc_error err = {0};
	json_t *json = parse(bad[_i].text, &err);

	ck_assert_ptr_null(json);
	ck_assert_msg(strstr(err.text, bad[_i].says), "%s: said %s", bad[_i].text, err.text);
	ck_assert_msg(err.offset == bad[_i].offset, "%s: at %zu: %s", bad[_i].text, err.offset,
		      err.text);
}
END_TEST

START_TEST(depth_is_bounded)
{
	struct jsonc_error err = {0};
	char text[400];
	json_t *json;

	memset(text, '[', 64);
	memset(text + 64, ']', 64);
	json = jsonc_parse(text, 128, &err);
	ck_assert_ptr_nonnull(json);
	json_decref(json);
	memset(text, '[', 200);
	ck_assert_ptr_null(jsonc_parse(text, 200, &err));
	ck_assert_str_eq(err.text, "nested deeper than 64 levels");
	ck_assert_uint_eq(err.offset, 64);
}
END_TEST

START_TEST(keys_and_values_are_located)
{
	static const char text[] =
		"{ // \"b\": 0\n"
		"  \"a\": {\"x/y\": [10, {\"k\": true}, 30], \"t~\": \"v\"},\n"
		"  /* \"b\" */ \"b\\u0041\" : -5,\n"
		"}";
	static const struct { const char *pointer; enum jsonc_at at; const char *there; } w[] = {
		{"", JSONC_VALUE, "{"}, {"/a", JSONC_KEY, "\"a\""}, {"/a", JSONC_VALUE, "{\"x/y\""},
		{"/a/x~1y", JSONC_KEY, "\"x/y\""}, {"/a/x~1y/0", JSONC_VALUE, "10"},
		{"/a/x~1y/1/k", JSONC_VALUE, "true"}, {"/a/x~1y/1/k", JSONC_KEY, "\"k\""},
		{"/a/x~1y/2", JSONC_KEY, "30"}, {"/a/t~0", JSONC_VALUE, "\"v\""},
		{"/bA", JSONC_VALUE, "-5"}, {"/bA", JSONC_KEY, "\"b\\u0041\""}};
	static const char *const nowhere[] = {"/b", "/a/x~1y/3", "/a/x~1y/x", "/a/x~1y/0/z", "/z",
					      "/bA/1"};

	for (size_t i = 0; i < sizeof w / sizeof *w; i++) {
		size_t at = jsonc_locate(text, sizeof text - 1, w[i].pointer, w[i].at);

		ck_assert_msg(at != JSONC_NOWHERE, "%s", w[i].pointer);
		ck_assert_msg(strncmp(text + at, w[i].there, strlen(w[i].there)) == 0, "%s: %s",
			      w[i].pointer, text + at);
	}
	for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++)
		ck_assert_msg(jsonc_locate(text, sizeof text - 1, nowhere[i], JSONC_VALUE) ==
			      JSONC_NOWHERE, "%s", nowhere[i]);
}
END_TEST

START_TEST(pointers_escape_and_cut)
{
	char buf[32] = "", name[32];
	const char *p = buf;

	jsonc_pointer_add(buf, sizeof buf, "a/b~c");
	jsonc_pointer_add(buf, sizeof buf, "");
	ck_assert_str_eq(buf, "/a~1b~0c/");
	ck_assert_int_eq(jsonc_pointer_next(&p, name, sizeof name), 1);
	ck_assert_str_eq(name, "a/b~c");
	ck_assert_int_eq(jsonc_pointer_next(&p, name, sizeof name), 1);
	ck_assert_str_eq(name, "");
	ck_assert_int_eq(jsonc_pointer_next(&p, name, sizeof name), 0);
	for (int i = 0; i < 20; i++)
		jsonc_pointer_add(buf, sizeof buf, "////");
	ck_assert_uint_lt(strlen(buf), sizeof buf);
}
END_TEST

START_TEST(reals_are_short_and_read_back)
{
	static const struct { double x; const char *text; } r[] = {
		{0.05, "0.05"}, {0.5, "0.5"}, {1e-5, "0.00001"}, {1.5, "1.5"}, {100, "100"},
		{123456.789, "123456.789"}, {-0.25, "-0.25"}, {1e15, "1000000000000000"}, {0.1, "0.1"},
		{0, "0"}, {1.0 / 3, "0.3333333333333333"}};
	uint64_t x = 88172645463325252u;
	char buf[64];

	for (size_t i = 0; i < sizeof r / sizeof *r; i++) {
		jsonc_real(r[i].x, buf, sizeof buf);
		ck_assert_str_eq(buf, r[i].text);
	}
	for (int i = 0; i < 20000; i++) {
		double d;

		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		d = (double)(x >> (i % 60)) / (double)(1 + (i % 1000));
		jsonc_real(d, buf, sizeof buf);
		ck_assert(strtod(buf, NULL) == d);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("jsonc");
	TCase *tc = tcase_create("jsonc");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, comments_and_trailing_commas_are_accepted);
	tcase_add_loop_test(tc, what_is_wrong_stands_at_its_token, 0, (int)(sizeof bad / sizeof *bad));
	tcase_add_test(tc, depth_is_bounded);
	tcase_add_test(tc, keys_and_values_are_located);
	tcase_add_test(tc, pointers_escape_and_cut);
	tcase_add_test(tc, reals_are_short_and_read_back);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
