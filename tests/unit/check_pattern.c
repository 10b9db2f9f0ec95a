/* scenario/pattern and scenario/expand: names written short. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/expand.h"
#include "scenario/pattern.h"

static const struct { const char *pattern, *name; bool match; } names[] = {
	{"h7", "h7", true}, {"h7", "h70", false}, {"h*", "h70", true}, {"*", "", true},
	{"h?", "h7", true}, {"h?", "h", false}, {"*e*1", "leaf1", true}, {"*e*1", "leaf12", false},
	{"h[0-31]", "h31", true}, {"h[0-31]", "h32", false}, {"h[0-31:2]", "h30", true},
	{"h[0-31:2]", "h3", false}, {"h[31-0:2]", "h31", true}, {"h[31-0:2]", "h30", false},
	{"h[0,4-7]", "h4", true}, {"h[0,4-7]", "h3", false}, {"h[0-3]x", "h2x", true},
	{"h[1-3]", "h01", false}, {"h[01-12]", "h01", true}, {"h[01-12]", "h12", true},
	{"h[01-12]", "h1", false}, {"[A-D]", "C", true}, {"[A-D]", "E", false},
	{"*[0-3]", "leaf2", true}, {"edge[0-1]_[2-3]", "edge1_3", true},
	{"edge[0-1]_[2-3]", "edge1_1", false}, {"a,b", "b", true}, {"a,b", "c", false},
	{"h*,!h3", "h3", false}, {"h*,!h3", "h4", true}, {"!h3", "h4", false},
	{"h[0-1],h[5-6]", "h5", true}, {"a, b", "b", true}, {"", "", true}, {"h[", "h[", false},
	{"h[0", "h0", false}};

START_TEST(names_match)
{
	ck_assert_msg(pattern_match(names[_i].pattern, names[_i].name) == names[_i].match, "%s %s",
		      names[_i].pattern, names[_i].name);
}
END_TEST

START_TEST(ports_and_links_match)
{
	ck_assert(pattern_match_port("leaf*:*", "leaf3", 12));
	ck_assert(pattern_match_port("leaf*", "leaf3", 12));
	ck_assert(pattern_match_port("leaf0:[0-7:2]", "leaf0", 4));
	ck_assert(!pattern_match_port("leaf0:[0-7:2]", "leaf0", 3));
	ck_assert(!pattern_match_port("leaf0:1", "leaf0", 11));
	ck_assert(pattern_match_link("leaf*-spine1", "spine1", "leaf0"));
	ck_assert(pattern_match_link("leaf*-spine1", "leaf0", "spine1"));
	ck_assert(!pattern_match_link("leaf*-spine1", "leaf0", "spine2"));
	ck_assert(pattern_match_link("*-*", "a", "b"));
	ck_assert(pattern_match_link("rack-1-tor-spine-2", "rack-1-tor", "spine-2"));
	ck_assert(!pattern_match_link("leaf0", "leaf0", "spine2"));
	ck_assert(pattern_match_link("leaf[0-1]-spine[0-1]", "spine1", "leaf1"));
}
END_TEST

START_TEST(natural_order_is_total)
{
	static const char *const order[] = {"a", "a0", "a00", "a1", "a01", "a2", "a10", "a10b", "a10b2",
					    "b"};

	for (int i = 0; i < 10; i++) {
		for (int j = 0; j < 10; j++) {
			int c = pattern_natural(order[i], order[j]);

			ck_assert_msg((c > 0) - (c < 0) == (strcmp(order[i], order[j]) == 0 ? 0
				      : (pattern_natural(order[j], order[i]) < 0) -
				      (pattern_natural(order[j], order[i]) > 0)), "%s %s", order[i],
				      order[j]);
			if (i < j && strcmp(order[i], "a00") && strcmp(order[j], "a00") &&
			    strcmp(order[i], "a01") && strcmp(order[j], "a01"))
				ck_assert_msg(c < 0, "%s %s", order[i], order[j]);
		}
	}
}
END_TEST

static const char *const hosts[] = {"h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9",
				    "h10", "h11", "leaf0", "leaf1"};
enum { HOSTS = sizeof hosts / sizeof *hosts };

static const struct { const char *pattern, *picks; } picks[] = {
	{"h[0-3]", "h0 h1 h2 h3"}, {"h[3-0]", "h3 h2 h1 h0"}, {"h[0-11:4]", "h0 h4 h8"},
	{"h1*", "h1 h10 h11"}, {"h[3,1,2]", "h3 h1 h2"}, {"h5,h[4-6]", "h5 h4 h6"},
	{"*,!h*", "leaf0 leaf1"}, {"h*,!h[2-11]", "h0 h1"}, {"h[10-11],leaf?", "h10 h11 leaf0 leaf1"}};

START_TEST(patterns_expand_in_their_order)
{
	struct expand_list list = {0};
	struct sim_error err = {0};
	char got[400] = "";

	ck_assert_msg(expand_names(picks[_i].pattern, hosts, HOSTS, &list, &err) == 0, "%s", err.text);
	for (int i = 0; i < list.n; i++) {
		strcat(got, i ? " " : "");
		strcat(got, hosts[list.index[i]]);
	}
	ck_assert_str_eq(got, picks[_i].picks);
	expand_list_free(&list);
}
END_TEST

static const struct { const char *pattern, *says; } bad[] = {
	{"h[0-12]", "\"h[0-12]\" names \"h12\", which does not exist; names are h0 .. leaf1"},
	{"h99", "there is no \"h99\" here"}, {"x*", "\"x*\" matches nothing"},
	{"h[", "no list of numbers"}, {"h[]", "no list of numbers"}, {"h[a-3]", "no list of numbers"},
	{"h[0-3:0]", "no list of numbers"}, {"h]", "']' without '['"}, {"", "empty name"},
	{"h0,,h1", "empty name"}, {"h[0-9999999999]", "no list of numbers"},
	{"h[0-999999999]", "which does not exist"}, {"!", "empty name"}};

START_TEST(bad_patterns_are_explained)
{
	struct expand_list list = {0};
	struct sim_error err = {0};

	ck_assert_int_eq(expand_names(bad[_i].pattern, hosts, HOSTS, &list, &err), -1);
	ck_assert_msg(strstr(err.text, bad[_i].says), "%s: said %s", bad[_i].pattern, err.text);
	expand_list_free(&list);
}
END_TEST

START_TEST(compaction_reads_back)
{
	static const struct { const char *pattern, *compact; } c[] = {
		{"h[0-3]", "h[0-3]"}, {"h[3-0]", "h[3-0]"}, {"h[0-11:4]", "h[0-8:4]"},
		{"h1*", "h1,h10,h11"}, {"h[0-1]", "h0,h1"}, {"h5,h[1-3],leaf0", "h5,h[1-3],leaf0"}};
	uint32_t x = 1;

	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		struct expand_list list = {0};
		const char *names_[HOSTS];
		char *text;

		ck_assert_int_eq(expand_names(c[i].pattern, hosts, HOSTS, &list, NULL), 0);
		for (int j = 0; j < list.n; j++)
			names_[j] = hosts[list.index[j]];
		text = expand_compact(names_, list.n);
		ck_assert_str_eq(text, c[i].compact);
		free(text);
		expand_list_free(&list);
	}
	for (int round = 0; round < 2000; round++) {	/* random subsets in random order */
		struct expand_list list = {0};
		const char *names_[HOSTS];
		bool taken[HOSTS] = {false};
		int n = 0;
		char *text;

		for (int j = 0; j < HOSTS; j++) {
			x = x * 1664525u + 1013904223u;
			if (!taken[(x >> 16) % HOSTS]) {
				taken[(x >> 16) % HOSTS] = true;
				names_[n++] = hosts[(x >> 16) % HOSTS];
			}
		}
		text = expand_compact(names_, n);
		ck_assert_int_eq(expand_names(text, hosts, HOSTS, &list, NULL), 0);
		ck_assert_int_eq(list.n, n);
		for (int j = 0; j < n; j++)
			ck_assert_str_eq(hosts[list.index[j]], names_[j]);
		free(text);
		expand_list_free(&list);
	}
}
END_TEST

START_TEST(names_are_checked)
{
	ck_assert_int_eq(pattern_name_check("rack-1_tor.a", NULL), 0);
	ck_assert_int_eq(pattern_name_check("", NULL), -1);
	ck_assert_int_eq(pattern_name_check("a b", NULL), -1);
	ck_assert_int_eq(pattern_name_check("a/b", NULL), -1);
	ck_assert_int_eq(pattern_name_check("h*", NULL), -1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("pattern");
	TCase *tc = tcase_create("pattern");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, names_match, 0, (int)(sizeof names / sizeof *names));
	tcase_add_test(tc, ports_and_links_match);
	tcase_add_test(tc, natural_order_is_total);
	tcase_add_loop_test(tc, patterns_expand_in_their_order, 0, (int)(sizeof picks / sizeof *picks));
	tcase_add_loop_test(tc, bad_patterns_are_explained, 0, (int)(sizeof bad / sizeof *bad));
	tcase_add_test(tc, compaction_reads_back);
	tcase_add_test(tc, names_are_checked);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
