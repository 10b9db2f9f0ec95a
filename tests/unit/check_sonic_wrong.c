/* interop/sonic: what is malformed, at its place. */
#include "tests/unit/sonic_case.h"

START_TEST(files_of_one_name_but_two_machines_are_refused)
{
	const char *files[] = {"a.json", "b.json"};
	struct sonic_options opt = {.files = files, .nfiles = 2};
	char message[512];

	scratch_put("a.json", "{\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"s\", \"mac\": "
	    "\"1\"}}}");
	scratch_put("b.json", "{\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"s\", \"mac\": "
	    "\"2\"}}}");
	free(import(&opt, message, sizeof message));
	ck_assert_str_eq(message, "b.json: error: the host is named \"s\", as in a.json, but "
			 "its mac is another: \"2\", not \"1\"");
}
END_TEST

static const struct { const char *text, *message; } wrong[] = {
	{"{\"PORT\": {\"Ethernet0\": {\"speed\": \"fast\"}}}",
	 "a.json:1:34: error: PORT|Ethernet0 speed: \"fast\" is no whole number"},
	{"{\"PORT|Ethernet0\": {\"speed\": \"40000\"},\n \"BUFFER_PG|Ethernet0|4-3\": {}}",
	 "a.json:2:2: error: BUFFER_PG|Ethernet0|4-3: \"4-3\" is no index or range, such as "
	 "\"3-4\""},
	{"{\"BUFFER_PG_TABLE:Ethernet0:x\": {}}",
	 "a.json:1:2: error: BUFFER_PG|Ethernet0|x: \"x\" is no index or range, such as "
	 "\"3-4\""},
	{"{\"DSCP_TO_TC_MAP\": {\"A\": {\"64\": \"1\"}}}",
	 "a.json:1:33: error: DSCP_TO_TC_MAP|A 64: \"64\" is no DSCP; wanted 0 to 63"},
	{"{\"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"3,9\"}}}",
	 "a.json:1:47: error: PORT_QOS_MAP|Ethernet0 pfc_enable: \"3,9\" is no list of "
	 "priorities 0 to 7, such as \"3,4\""},
	{"{\"PFC_WD\": {\"Ethernet0\": {\"detection_time\": \"50\"}}}",
	 "a.json:1:45: error: PFC_WD|Ethernet0 detection_time: 50 is out of range; it takes "
	 "100 to 5000"},
	{"{\"PFC_WD\": {\"GLOBAL\": {\"POLL_INTERVAL\": \"5000\"}}}",
	 "a.json:1:41: error: PFC_WD|GLOBAL POLL_INTERVAL: 5000 is out of range; it takes 100 "
	 "to 1000"},
	{"{\"CABLE_LENGTH\": {\"AZURE\": {\"Ethernet0\": \"40\"}}}",
	 "a.json:1:42: error: CABLE_LENGTH|AZURE Ethernet0: \"40\" is no length of a cable, "
	 "such as \"40m\""},
	{"{\"BUFFER_PROFILE\": {\"p\": {\"dynamic_th\": \"9\"}}}",
	 "a.json:1:41: error: BUFFER_PROFILE|p dynamic_th: 9 is out of range; it takes -8 to "
	 "8"},
	{"[{\"PORT\": {\"Ethernet0\": {\"mtu\": \"9100\"}}},\n {\"PORT\": {\"Ethernet0\": "
	 "{\"mtu\": \"y\"}}}]",
	 "a.json:2:33: error: PORT|Ethernet0 mtu: \"y\" is no whole number"},
	{"{\"SAMPLE\": {\"SCHEDULER\": {\"x\": {\"type\": \"FIFO\"}}}}",
	 "a.json:1:41: error: SCHEDULER|x type: \"FIFO\" is none of DWRR, WRR, STRICT"},
	{"[{\"op\": \"add\"}]", "a.json:1:2: error: this is a JSON Patch (RFC 6902); apply it "
	 "first, or give the tables themselves: {\"TABLE\": {\"key\": {...}}}"},
	{"{\"VLAN\": {}}", "a.json:1:1: error: no table of a SONiC configuration is in this "
	 "file"},
	{"{\"PORT\": []}", "a.json:1:10: error: a table must be an object of entries"},
	{"{\"PORT\": {\"Ethernet0\": {\"mtu\": {}}}}", "a.json:1:32: error: a field must be a "
	 "text, a number or a list, not an object"},
	{"{\"PORT\": {\"Ethernet0\": {\"mtu\": \"9100\"}", "a.json:1:39: error: ',' or '}' "
	 "expected near end of file"},
};

START_TEST(what_is_malformed_is_told_at_its_place)
{
	const char *file = "a.json";
	struct sonic_options opt = {.files = &file, .nfiles = 1};
	char message[512];

	scratch_put("a.json", wrong[_i].text);
	ck_assert_ptr_null(import(&opt, message, sizeof message));
	ck_assert_str_eq(message, wrong[_i].message);
}
END_TEST

static const struct { const char *cables, *lookup, *message; } tables[] = {
	{"s,Ethernet0,h,eth0,40\n", NULL, "c.csv:1:20: error: this is no length of a cable; "
	 "wanted a number and its unit, such as 40m"},
	{"device A,port A,device B,port B,length\ns,Ethernet9,h,1,5m\n", NULL,
	 "c.csv:2:3: error: s has no port \"Ethernet9\""},
	{"s,Ethernet0,h,1,5m\ns,Ethernet0,h,2,5m\n", NULL,
	 "c.csv:2:3: error: this port has a cable already"},
	{NULL, "100000 5m 1 2 3\n", "t.ini:1:1: error: a row has 6 or 7 columns: speed, cable, "
	 "size, xon, xoff, threshold and perhaps xon_offset"},
	{NULL, "# x\n 100000 5q 1 2 3 4\n", "t.ini:2:9: error: this is no length of a cable, "
	 "such as 40m"},
	{NULL, "# nothing\n", "t.ini:1:1: error: there is no row in this table"},
};

START_TEST(tables_too)
{
	const char *file = "a.json";
	struct sonic_options opt = {.files = &file, .nfiles = 1};
	char message[512];

	scratch_put("a.json", two_ports);
	if (tables[_i].cables) {
		scratch_put("c.csv", tables[_i].cables);
		opt.cables = "c.csv";
	} else {
		scratch_put("t.ini", tables[_i].lookup);
		opt.lookup = "t.ini";
	}
	ck_assert_ptr_null(import(&opt, message, sizeof message));
	ck_assert_str_eq(message, tables[_i].message);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sonic_wrong");
	TCase *t = tcase_create("all");
	SRunner *r;
	int failed;

	tcase_add_checked_fixture(t, sonic_case_setup, sonic_case_teardown);
	tcase_add_test(t, files_of_one_name_but_two_machines_are_refused);
	tcase_add_loop_test(t, what_is_malformed_is_told_at_its_place, 0,
			    (int)(sizeof wrong / sizeof *wrong));
	tcase_add_loop_test(t, tables_too, 0, (int)(sizeof tables / sizeof *tables));
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
