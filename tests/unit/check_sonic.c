/* interop/sonic: profiles, classes, links, and what is told of them. */
#include "scenario/scenario.h"
#include "tests/unit/sonic_case.h"

/* One or two files. */
static char *import_files(const char *a, const char *b, struct sonic_options opt)
{
	const char *files[] = {a, b};

	opt.files = files;
	opt.nfiles = b ? 2 : 1;
	return import(&opt, NULL, 0);
}

/* The notes without their line breaks, the JSON as it is. */
static char *flatten(char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		if (strncmp(from, "\n//       ", 10) == 0) {
			*to++ = ' ';
			from += 10;
			from += strspn(from, " ");
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
	return text;
}

static void says(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in\n%s", part, text);
}

static void says_not(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) == NULL, "\"%s\" in\n%s", part, text);
}

/* The experiment loads, and a fabric can be built of it. */
static void loads(const char *text)
{
	static const char *const sets[] = {"run.until=1us"};
	struct scenario_options opt = {.sets = sets, .nsets = 1};
	struct diag *diag = diag_new();
	struct scenario *sc;

	scratch_put("out.json", text);
	sc = scenario_open("out.json", &opt, diag);
	ck_assert_msg(sc && scenario_check(sc, diag) == 0, "%s\n%s",
		      diag_errors(diag) ? diag_line(diag, 0) : "", text);
	scenario_free(&sc);
	diag_free(&diag);
}

START_TEST(a_table_makes_profiles_and_tells_what_it_lacks)
{
	struct sonic_options opt = {.hosts = true, .lookup = "t.ini"};
	char *text;

	scratch_put("a.json", two_ports);
	scratch_put("t.ini", "# speed cable size xon xoff threshold xon_offset\n"
	    "  100000 5m 1248 2288 165568 -2 2288\n\n 40000 300m 1 1 1 0\n");
	text = flatten(import_files("a.json", NULL, opt));
	says(text, "lossy: priority 3: no row for 100000 Mb/s and 300m in the profile table, "
	     "so the switch makes no lossless profile: Ethernet4\n");
	says(text, "\"0\": {\"pfc\": [3], \"watchdog\": false, \"priorities\": [3], "
	     "\"reserved\": \"1248B\", \"alpha\": \"1/4\", \"headroom\": \"165568B\", \"xon\": "
	     "\"2288B\", \"xon_offset\": \"2288B\"}");
	says(text, "\"4\": {\"pfc\": [], \"watchdog\": false}");
	says(text, "\"size\": \"10166816B\"");	/* 10000000 + 1248 + 165568 */
	loads(text);
	free(text);
}
END_TEST

START_TEST(without_a_table_the_need_is_computed)
{
	char *text;

	scratch_put("a.json", two_ports);
	text = flatten(import_files("a.json", NULL, (struct sonic_options){.hosts = true}));
	says(text, "computed: priority 3: no pg_profile_lookup.ini was given: 100000 Mb/s over "
	     "300m");
	says(text, "\"0\": {\"pfc\": [3]");
	says(text, "\"4\": {\"pfc\": [3]");
	loads(text);
	free(text);
}
END_TEST

START_TEST(classes_come_from_the_maps)
{
	char *text;

	scratch_put("a.json", two_ports);
	text = import_files("a.json", NULL, (struct sonic_options){.hosts = true});
	says(text, "\"tc0\": {\"dscp\": 0, \"tc\": 0, \"priority\": 0, \"lossless\": false");
	says(text, "\"tc3\": {\"dscp\": 3, \"tc\": 3, \"priority\": 3, \"lossless\": true");
	says(text, "\"tc6\": {\"dscp\": 48, \"tc\": 6, \"priority\": 0, \"lossless\": false");
	says(text, "\"default_tc\": 0,\n      \"dscp\": {\"26\": 3}");
	free(text);
}
END_TEST

START_TEST(two_switches_that_name_each_other_have_one_link)
{
	char *text;

	scratch_put("a.json", "{" HOST("leaf0") ", \"PORT\": {\"Ethernet0\": {\"speed\": \"100000\"}, "
	    "\"Ethernet8\": {\"speed\": \"400000\", \"alias\": \"etp2\"}}, \"CABLE_LENGTH\": "
	    "{\"AZURE\": {\"Ethernet0\": \"5m\", \"Ethernet8\": \"40m\"}}, "
	    "\"DEVICE_NEIGHBOR\": {\"Ethernet8\": {\"name\": \"Spine0\", \"port\": "
	    "\"Ethernet4\"}, \"Ethernet0\": {\"name\": \"srv 1\", \"port\": \"eth2\"}}}");
	scratch_put("b.json", "{" HOST("spine0") ", \"PORT\": {\"Ethernet4\": {\"speed\": "
	    "\"100000\"}}, \"CABLE_LENGTH\": {\"AZURE\": {\"Ethernet4\": \"300m\"}}, "
	    "\"DEVICE_NEIGHBOR\": {\"Ethernet4\": {\"name\": \"leaf0\", \"port\": \"etp2\"}}}");
	text = flatten(import_files("a.json", "b.json", (struct sonic_options){0}));
	says(text, "{\"a\": \"leaf0:8\", \"b\": \"spine0:4\", \"rate\": \"100Gbps\", "
	     "\"cable\": \"300m\"}");
	says_not(text, "\"a\": \"spine0:4\"");
	says(text, "{\"a\": \"leaf0:0\", \"b\": \"srv-1:2\", \"rate\": \"100Gbps\", \"cable\": "
	     "\"5m\"}");
	says(text, "CABLE_LENGTH is 40m here and 300m at spine0 Ethernet4: the cable has the "
	     "longer");
	says(text, "its speed is not that of spine0 Ethernet4 at the other end: the slower "
	     "counts");
	loads(text);
	free(text);
}
END_TEST

START_TEST(cables_win_over_neighbours)
{
	struct sonic_options opt = {.cables = "c.csv"};
	char *text;

	scratch_put("a.json", two_ports);
	scratch_put("c.csv", "id,Side A Device,Side A Name,Side B Device,Side B Name,Length,"
	    "Length Unit\r\n"
	    "1,h0,eth0,s,etp1,\"20\",m\r\n"
	    "2,s,Ethernet4,\"h,1\",eth0,2,km\r\n"
	    "3,x,1,y,2,5,m\r\n");
	text = flatten(import_files("a.json", NULL, opt));
	says(text, "{\"a\": \"s:0\", \"b\": \"h0:0\", \"rate\": \"100Gbps\", \"cable\": "
	     "\"20m\"}");
	says(text, "{\"a\": \"s:4\", \"b\": \"h-1:0\", \"rate\": \"100Gbps\", \"cable\": "
	     "\"2km\"}");
	says(text, "the cable is 20m long, but CABLE_LENGTH says 5m: headroom is made for "
	     "that: Ethernet0");
	says(text, "ignored: cables that end at no switch of these files\n");
	says_not(text, "\"x\": \"host\"");
	loads(text);
	free(text);
}
END_TEST

START_TEST(neighbours_that_contradict_are_told)
{
	char *text;

	scratch_put("a.json", "{" HOST("a") ", \"PORT\": {\"Ethernet0\": {}, \"Ethernet4\": {}, "
	    "\"Ethernet8\": {}}, \"DEVICE_NEIGHBOR\": {"
	    "\"Ethernet0\": {\"name\": \"b\", \"port\": \"Ethernet0\"}, "
	    "\"Ethernet4\": {\"name\": \"b\", \"port\": \"Ethernet0\"}, "
	    "\"Ethernet8\": {\"name\": \"b\", \"port\": \"Ethernet99\"}}}");
	scratch_put("b.json", "{" HOST("b") ", \"PORT\": {\"Ethernet0\": {}}, \"DEVICE_NEIGHBOR\": {"
	    "\"Ethernet0\": {\"name\": \"a\", \"port\": \"Ethernet4\"}}}");
	text = flatten(import_files("a.json", "b.json", (struct sonic_options){0}));
	says(text, "DEVICE_NEIGHBOR names b Ethernet0, which is linked to another port; the "
	     "link is left out: a Ethernet4");
	says(text, "b has no port \"Ethernet99\"; the link is left out: a Ethernet8");
	says(text, "DEVICE_NEIGHBOR says a Ethernet4, but the port is linked to a Ethernet0 "
	     "already: b Ethernet0");
	free(text);
}
END_TEST

START_TEST(a_watchdog_without_restoration_stays_stormed)
{
	char text[2048], *out;

	snprintf(text, sizeof text, "%.*s, \"PFC_WD\": {\"Ethernet0\": {\"detection_time\": "
		 "\"300\", \"action\": \"forward\"}, \"Ethernet4\": {\"detection_time\": "
		 "\"300\", \"action\": \"forward\"}}}", (int)strlen(two_ports) - 1, two_ports);
	scratch_put("a.json", text);
	out = import_files("a.json", NULL, (struct sonic_options){.hosts = true});
	says(out, "\"watchdog\": {\"detect\": \"300ms\", \"restore\": \"never\", \"poll\": "
	     "\"100ms\", \"action\": \"forward\"");
	loads(out);
	free(out);
}
END_TEST

/* GLOBAL: the poll interval and the big red switch; the rule and the handler by the hardware. */
START_TEST(the_watchdog_of_the_platform)
{
	char text[2048], *out;

	snprintf(text, sizeof text, "%.*s, \"PFC_WD\": {\"GLOBAL\": {\"POLL_INTERVAL\": \"200\", "
		 "\"BIG_RED_SWITCH\": \"enable\"}, \"Ethernet0\": {\"detection_time\": \"400\", "
		 "\"restoration_time\": \"600\", \"action\": \"drop\"}}, \"DEVICE_METADATA\": {\"localhost\": "
		 "{\"hostname\": \"s\", \"hwsku\": \"DellEMC-Z9332f-O32\"}}}", (int)strlen(two_ports) - 1,
		 two_ports);
	scratch_put("a.json", text);
	out = import_files("a.json", NULL, (struct sonic_options){.hosts = true});
	says(out, "\"detect\": \"400ms\", \"restore\": \"600ms\", \"poll\": \"200ms\", \"action\": \"drop\", "
	     "\"rule\": \"broadcom\", \"handler\": \"dlr\", \"big_red_switch\": true");
	loads(out);
	free(out);
}
END_TEST

#define WRED(fields) "{" HOST("s") ", \"PORT\": {\"Ethernet0\": {}}, " \
	"\"WRED_PROFILE\": {\"W\": {" fields "}}, " \
	"\"QUEUE\": {\"Ethernet0|3\": {\"wred_profile\": \"[WRED_PROFILE|W]\"}}}"

START_TEST(wred_marks_only_where_it_is_switched_on)
{
	static const struct { const char *text, *says; } cases[] = {
		{WRED("\"wred_green_enable\": \"true\", \"ecn\": \"ecn_all\", "
		      "\"green_min_threshold\": \"1000\", \"green_max_threshold\": \"2000\", "
		      "\"green_drop_probability\": \"5\""),
		 "\"tc3\": {\"kmin\": \"1000B\", \"kmax\": \"2000B\", \"pmax\": \"5%\"}"},
		{WRED("\"wred_green_enable\": \"true\", \"ecn\": \"ecn_green\", "
		      "\"green_min_threshold\": \"1000\", \"green_max_threshold\": \"2000\""),
		 "\"pmax\": \"100%\""},
		{WRED("\"ecn\": \"ecn_all\", \"green_min_threshold\": \"1000\""),
		 "finding: queue 3: wred_green_enable of WRED_PROFILE W is not true, so "
		 "nothing is marked"},
		{WRED("\"wred_green_enable\": \"true\", \"ecn\": \"ecn_yellow\""),
		 "queue 3: ecn of WRED_PROFILE W does not mark green packets, so WRED drops "
		 "them"},
	};
	char *text;

	scratch_put("a.json", cases[_i].text);
	text = flatten(import_files("a.json", NULL, (struct sonic_options){.hosts = true}));
	says(text, cases[_i].says);
	if (_i >= 2)
		says_not(text, "kmin");
	loads(text);
	free(text);
}
END_TEST

START_TEST(what_is_not_protected_is_told)
{
	static const struct { const char *text, *says; } cases[] = {
		/* headroom, but no PFC */
		{"{" HOST("s") ", " POOL ", \"PORT\": {\"Ethernet0\": {}}, \"BUFFER_PROFILE\": "
		 "{\"x\": {\"pool\": \"p\", \"xoff\": \"9000\", \"size\": \"1000\"}}, "
		 "\"BUFFER_PG\": {\"Ethernet0|3\": {\"profile\": \"x\"}}, \"PORT_QOS_MAP\": "
		 "{\"Ethernet0\": {\"pfc_enable\": \"4\"}}, \"CABLE_LENGTH\": {\"AZURE\": "
		 "{\"Ethernet0\": \"0m\"}}}",
		 "lossy: priority 3: the group has headroom, but pfc_enable does not name it, "
		 "so it is never paused: Ethernet0\n"},
		/* a cable of 0m */
		{"{" HOST("s") ", \"PORT\": {\"Ethernet0\": {}}, \"PORT_QOS_MAP\": "
		 "{\"Ethernet0\": {\"pfc_enable\": \"3,4\"}}, \"CABLE_LENGTH\": {\"AZURE\": "
		 "{\"Ethernet0\": \"0m\"}}}",
		 "lossy: priority 3,4: CABLE_LENGTH is 0m, so the switch makes no lossless "
		 "profile"},
		/* dynamic model without BUFFER_PG */
		{"{\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"s\", "
		 "\"buffer_model\": \"dynamic\"}}, \"PORT\": {\"Ethernet0\": {}}, "
		 "\"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"3\"}}}",
		 "lossy: priority 3: PFC is on, but no BUFFER_PG names the group, and in the "
		 "dynamic model the switch makes none: Ethernet0"},
		/* a profile that is nowhere */
		{"{" HOST("s") ", \"PORT\": {\"Ethernet0\": {}}, \"PORT_QOS_MAP\": "
		 "{\"Ethernet0\": {\"pfc_enable\": \"3\"}}, \"BUFFER_PG\": {\"Ethernet0|3\": "
		 "{\"profile\": \"[BUFFER_PROFILE|mine]\"}}}",
		 "lossy: priority 3: BUFFER_PG refers to \"mine\", which is in no file; the "
		 "switch sets nothing"},
	};
	char *text;

	scratch_put("a.json", cases[_i].text);
	text = flatten(import_files("a.json", NULL, (struct sonic_options){.hosts = true}));
	says(text, cases[_i].says);
	loads(text);
	free(text);
}
END_TEST

/* A port whose only map is one of 802.1p priorities goes by the VLAN tag, and hosts send none. */
START_TEST(ports_that_trust_the_tag)
{
	static const char dscp[] = "\"dscp_to_tc_map\"", tag[] = "\"dot1p_to_tc_map\"";
	char text[sizeof two_ports + 8], *at, *out;

	strcpy(text, two_ports);
	while ((at = strstr(text, dscp))) {
		memmove(at + strlen(tag), at + strlen(dscp), strlen(at + strlen(dscp)) + 1);
		memcpy(at, tag, strlen(tag));
	}
	scratch_put("a.json", text);
	out = import_files("a.json", NULL, (struct sonic_options){.hosts = true});
	says(out, "\"trust\": \"pcp\"");
	says(out, "\"default_tc\": 0");
	says(out, "no dscp_to_tc_map: they trust");
	loads(out);
	free(out);
	scratch_put("a.json", two_ports);
	out = import_files("a.json", NULL, (struct sonic_options){.hosts = true});
	ck_assert(strstr(out, "\"trust\"") == NULL);
	free(out);
}
END_TEST

START_TEST(keys_of_voq_switches_are_those_of_this_line_card)
{
	char *text;

	scratch_put("a.json", "{\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"lc1\", "
	    "\"asic_name\": \"Asic0\"}}, \"PORT\": {\"Ethernet0\": {}}, " POOL ", "
	    "\"BUFFER_PROFILE\": {"
	    "\"mine\": {\"pool\": \"p\", \"size\": \"0\", \"xoff\": \"7777\"}, "
	    "\"other\": {\"pool\": \"p\", \"size\": \"0\", \"xoff\": \"8888\"}}, "
	    "\"BUFFER_PG\": {"
	    "\"LC1|asic0|Ethernet0|3-4\": {\"profile\": \"mine\"}, "
	    "\"lc1|asic1|Ethernet0|3-4\": {\"profile\": \"other\"}, "
	    "\"lc2|asic0|Ethernet0|3-4\": {\"profile\": \"other\"}}}");
	text = flatten(import_files("a.json", NULL, (struct sonic_options){.hosts = true}));
	says(text, "\"headroom\": \"7777B\"");
	says_not(text, "8888");
	says(text, "ignored: BUFFER_PG: entries of other line cards or ASICs");
	free(text);
}
END_TEST

START_TEST(patches_go_over_the_file_before_them)
{
	char *text;

	scratch_put("a.json", two_ports);
	scratch_put("b.json", "[{\"PORT\": {\"Ethernet8\": {\"speed\": \"40000\"}}}, "
	    "{\"CABLE_LENGTH\": {\"AZURE\": {\"Ethernet8\": \"5m\"}}}, {\"PORT\": "
	    "{\"Ethernet8\": {\"speed\": \"50000\"}, \"Ethernet0\": {\"admin_status\": "
	    "\"down\"}}}]");
	text = import_files("a.json", "b.json", (struct sonic_options){.hosts = true});
	says(text, "{\"a\": \"s:8\", \"b\": \"s-Ethernet8:0\", \"rate\": \"50Gbps\", "
	     "\"cable\": \"5m\"}");
	says_not(text, "\"a\": \"s:0\"");
	free(text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sonic");
	TCase *t = tcase_create("all");
	SRunner *r;
	int failed;

	tcase_add_checked_fixture(t, sonic_case_setup, sonic_case_teardown);
	tcase_add_test(t, a_table_makes_profiles_and_tells_what_it_lacks);
	tcase_add_test(t, without_a_table_the_need_is_computed);
	tcase_add_test(t, classes_come_from_the_maps);
	tcase_add_test(t, two_switches_that_name_each_other_have_one_link);
	tcase_add_test(t, cables_win_over_neighbours);
	tcase_add_test(t, neighbours_that_contradict_are_told);
	tcase_add_test(t, a_watchdog_without_restoration_stays_stormed);
	tcase_add_test(t, the_watchdog_of_the_platform);
	tcase_add_loop_test(t, wred_marks_only_where_it_is_switched_on, 0, 4);
	tcase_add_loop_test(t, what_is_not_protected_is_told, 0, 4);
	tcase_add_test(t, ports_that_trust_the_tag);
	tcase_add_test(t, keys_of_voq_switches_are_those_of_this_line_card);
	tcase_add_test(t, patches_go_over_the_file_before_them);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
