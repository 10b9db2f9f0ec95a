/* scenario/merge and scenario/origin: patches, dotted paths, and who wrote what. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/merge.h"
#include "scenario/origin.h"

/* RFC 7396, appendix A, where both sides are objects; the last three are ours. */
static const struct { const char *target, *patch, *result; } rfc[] = {
	{"{'a':'b'}", "{'a':'c'}", "{'a':'c'}"},
	{"{'a':'b'}", "{'b':'c'}", "{'a':'b','b':'c'}"},
	{"{'a':'b'}", "{'a':null}", "{}"},
	{"{'a':'b','b':'c'}", "{'a':null}", "{'b':'c'}"},
	{"{'a':['b']}", "{'a':'c'}", "{'a':'c'}"},
	{"{'a':'c'}", "{'a':['b']}", "{'a':['b']}"},
	{"{'a':{'b':'c'}}", "{'a':{'b':'d','c':null}}", "{'a':{'b':'d','c':null}}"},
	{"{'a':[{'b':'c'}]}", "{'a':[1]}", "{'a':[1]}"},
	{"{'a':'foo'}", "{'a':{'b':1}}", "{'a':{'b':1}}"},
	{"{}", "{'a':{'bb':{'ccc':null}}}", "{'a':{'bb':{'ccc':null}}}"},	/* kept: nothing removed */
	{"{'a':null}", "{'a':null}", "{'a':null}"},
	{"{'a':null}", "{'a':1}", "{'a':1}"}};

static json_t *json(const char *text)
{
	char *copy = strdup(text);
	json_t *value;

	for (char *p = copy; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	value = json_loads(copy, JSON_DECODE_ANY, NULL);
	ck_assert_msg(value != NULL, "%s", text);
	free(copy);
	return value;
}

START_TEST(patches_merge_as_rfc_7396)
{
	json_t *target = json(rfc[_i].target), *patch = json(rfc[_i].patch);
	json_t *want = json(rfc[_i].result);

	merge_patch(target, patch);
	ck_assert_msg(json_equal(target, want), "%s + %s", rfc[_i].target, rfc[_i].patch);
	json_decref(target);
	json_decref(patch);
	json_decref(want);
}
END_TEST

START_TEST(dotted_paths_find_the_longest_key)
{
	json_t *root = json("{'a':{'b.c':1,'b':{'c':2,'d':3}},'l':[10,{'x':4}],'h.1':{'y':5}}");
	char pointer[64] = "";

	ck_assert_int_eq(json_integer_value(merge_find(root, "a.b.c", pointer, sizeof pointer)), 1);
	ck_assert_str_eq(pointer, "/a/b.c");
	pointer[0] = 0;
	ck_assert_int_eq(json_integer_value(merge_find(root, "a.b.d", pointer, sizeof pointer)), 3);
	ck_assert_str_eq(pointer, "/a/b/d");
	ck_assert_int_eq(json_integer_value(merge_find(root, "l.1.x", NULL, 0)), 4);
	ck_assert_int_eq(json_integer_value(merge_find(root, "h.1.y", NULL, 0)), 5);
	ck_assert_ptr_null(merge_find(root, "a.b.e", NULL, 0));
	ck_assert_ptr_null(merge_find(root, "l.2", NULL, 0));
	ck_assert_ptr_null(merge_find(root, "", NULL, 0));
	ck_assert_ptr_null(merge_find(root, "a..b", NULL, 0));
	json_decref(root);
}
END_TEST

START_TEST(values_are_set_by_path)
{
	json_t *root = json("{'run':{'seed':1},'l':[{'x':1}],'name':'n','switches':{'a.b':{}}}");
	json_t *seven = json("7"), *null = json("null"), *want;
	char pointer[64];
	struct sim_error err = {0};

	ck_assert_int_eq(merge_set(root, "run.seed", seven, pointer, sizeof pointer, &err), 0);
	ck_assert_str_eq(pointer, "/run/seed");
	ck_assert_int_eq(merge_set(root, "new.deep.key", seven, pointer, sizeof pointer, &err), 0);
	ck_assert_int_eq(merge_set(root, "l.0.x", seven, pointer, sizeof pointer, &err), 0);
	ck_assert_int_eq(merge_set(root, "switches.a.b.mtu", seven, pointer, sizeof pointer, &err), 0);
	ck_assert_str_eq(pointer, "/switches/a.b/mtu");
	ck_assert_int_eq(merge_set(root, "name", null, pointer, sizeof pointer, &err), 0);
	want = json("{'run':{'seed':7},'l':[{'x':7}],'switches':{'a.b':{'mtu':7}},"
		    "'new':{'deep':{'key':7}}}");
	ck_assert(json_equal(root, want));
	ck_assert_int_eq(merge_set(root, "run.seed.x", seven, pointer, sizeof pointer, &err), -1);
	ck_assert_str_eq(err.text, "\"seed\" holds a value, so there is no \"x\" in it");
	ck_assert_int_eq(merge_set(root, "l.5", seven, pointer, sizeof pointer, NULL), -1);
	ck_assert_int_eq(merge_set(root, "", seven, pointer, sizeof pointer, NULL), -1);
	ck_assert_int_eq(merge_set(root, ".a", seven, pointer, sizeof pointer, NULL), -1);
	ck_assert(merge_reaches(root, "run.other"));
	ck_assert(merge_reaches(root, "other"));
	ck_assert(!merge_reaches(root, "other.more"));
	json_decref(root);
	json_decref(seven);
	json_decref(null);
	json_decref(want);
}
END_TEST

START_TEST(the_last_layer_that_holds_a_value_wrote_it)
{
	struct source one = {.path = (char *)"one", .text = (char *)"{\"a\":{\"x\":1,\"y\":2}}"};
	struct source two = {.path = (char *)"two", .text = (char *)"{\"v\":{\"a\":{\"y\":3}}}"};
	struct source set = {.path = (char *)"--set a.z=4", .json = json("4")};
	struct origin o = {0}, copy = {0};
	struct diag_place p = {0};

	one.length = strlen(one.text);
	two.length = strlen(two.text);
	origin_add(&o, &one, "", "");
	origin_add(&o, &two, "/v", "");
	origin_add(&o, &set, "", "/a/z");
	origin_copy(&copy, &o);
	ck_assert(origin_exact(&copy, "/a/x", JSONC_VALUE, &p));
	ck_assert_str_eq(p.file, "one");
	ck_assert_int_eq(one.text[p.offset], '1');
	ck_assert(origin_exact(&copy, "/a/y", JSONC_VALUE, &p));
	ck_assert_str_eq(p.file, "two");
	ck_assert_int_eq(two.text[p.offset], '3');
	ck_assert(origin_exact(&copy, "/a/z", JSONC_VALUE, &p));
	ck_assert_str_eq(p.file, "--set a.z=4");
	ck_assert(!origin_exact(&copy, "/a/w", JSONC_VALUE, &p));
	ck_assert(origin_find(&copy, "/a/w/q", JSONC_VALUE, &p));	/* its nearest parent's key */
	ck_assert_str_eq(p.file, "two");
	ck_assert_int_eq(two.text[p.offset + 1], 'a');
	origin_fini(&o);
	origin_fini(&copy);
	json_decref(set.json);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("merge");
	TCase *tc = tcase_create("merge");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, patches_merge_as_rfc_7396, 0, (int)(sizeof rfc / sizeof *rfc));
	tcase_add_test(tc, dotted_paths_find_the_longest_key);
	tcase_add_test(tc, values_are_set_by_path);
	tcase_add_test(tc, the_last_layer_that_holds_a_value_wrote_it);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
