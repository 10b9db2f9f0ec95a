/* interop/chrometrace: valid JSON whatever the names, exact times, the order of events. */
#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "interop/chrometrace.h"

static char written[1 << 16];
static size_t used;

static int keep(void *ctx, const char *text, size_t n)
{
	(void)ctx;
	ck_assert_uint_lt(used + n, sizeof written);
	memcpy(written + used, text, n);
	used += n;
	written[used] = 0;
	return 0;
}

static int refuse(void *ctx, const char *text, size_t n)
{
	(void)text;
	(void)n;
	return --*(int *)ctx < 0;
}

static json_t *events_of(struct chrometrace *t)
{
	json_error_t err;
	json_t *doc, *events;

	used = 0;
	ck_assert_int_eq(chrometrace_write(t, keep, NULL), 0);
	doc = json_loadb(written, used, JSON_REJECT_DUPLICATES, &err);
	ck_assert_msg(doc != NULL, "%s in %s", err.text, written);
	ck_assert_str_eq(json_string_value(json_object_get(doc, "displayTimeUnit")), "ns");
	events = json_incref(json_object_get(doc, "traceEvents"));
	json_decref(doc);
	return events;
}

START_TEST(names_are_escaped)
{
	static const char *const odd[] = {"a\"b\\c", "tab\tline\nend\x01", "</script>", "\xc3\xa9", ""};

	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		struct chrometrace *t = chrometrace_new();
		struct chrometrace_arg args[] = {{"text", odd[i], 0}, {"number", NULL, -7}};

		chrometrace_process(t, 1, odd[i], 0);
		chrometrace_slice(t, 1, 2, odd[i], 0, 1, args, 2);
		json_t *events = events_of(t), *slice = json_array_get(events, 2);
		ck_assert_uint_eq(json_array_size(events), 3);
		ck_assert_str_eq(json_string_value(json_object_get(slice, "name")), odd[i]);
		ck_assert_str_eq(json_string_value(json_object_get(json_object_get(slice, "args"), "text")),
				 odd[i]);
		ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(slice, "args"), "number")),
				 -7);
		json_decref(events);
		chrometrace_free(&t);
	}
}
END_TEST

START_TEST(times_are_exact)
{
	struct chrometrace *t = chrometrace_new();

	chrometrace_slice(t, 1, 2, "x", 12345678901234, 12345678901235, NULL, 0);
	chrometrace_instant(t, 1, 0, "y", 3000000, NULL, 0);
	json_decref(events_of(t));
	ck_assert_ptr_nonnull(strstr(written, "\"ts\":12345678.901234,\"dur\":0.000001"));
	ck_assert_ptr_nonnull(strstr(written, "\"ts\":3,\"s\":\"p\""));
	chrometrace_free(&t);
}
END_TEST

/* Names first, then by time; the slice around another comes before it. */
START_TEST(events_come_in_order)
{
	static const char *const order[] = {"process_name", "process_sort_index", "outer", "inner", "late"};
	struct chrometrace *t = chrometrace_new();
	json_t *events;

	chrometrace_slice(t, 1, 2, "late", 200, 300, NULL, 0);
	chrometrace_slice(t, 1, 2, "inner", 100, 150, NULL, 0);
	chrometrace_slice(t, 1, 2, "outer", 100, 200, NULL, 0);
	chrometrace_process(t, 1, "p", 5);
	events = events_of(t);
	ck_assert_uint_eq(chrometrace_events(t), 5);
	for (size_t i = 0; i < 5; i++)
		ck_assert_str_eq(json_string_value(json_object_get(json_array_get(events, i), "name")), order[i]);
	json_decref(events);
	chrometrace_free(&t);
}
END_TEST

START_TEST(a_failure_to_write_is_told)
{
	struct chrometrace *t = chrometrace_new();

	chrometrace_counter(t, 1, "queue", "bytes", 10, 5);
	chrometrace_counter(t, 1, "queue", "bytes", 20, 0);
	for (int fine = 0; fine < 5; fine++) {
		int left = fine;
		ck_assert_int_eq(chrometrace_write(t, refuse, &left), -1);
	}
	int left = 5;
	ck_assert_int_eq(chrometrace_write(t, refuse, &left), 0);
	chrometrace_free(&t);
	chrometrace_free(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("chrometrace");
	TCase *tc = tcase_create("chrometrace");

	tcase_add_test(tc, names_are_escaped);
	tcase_add_test(tc, times_are_exact);
	tcase_add_test(tc, events_come_in_order);
	tcase_add_test(tc, a_failure_to_write_is_told);
	suite_add_tcase(s, tc);
	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
