/* scenario: files on disk to runs, with every message at its place. */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario/scenario.h"
#include "tests/support/scratch.h"

#define TOPOLOGY "\"topology\": {\"leaf_spine\": {\"leaves\": 2, \"spines\": 2, " \
	"\"hosts_per_leaf\": 4}}"
#define TRAFFIC "\"traffic\": {\"a\": {\"flow\": {\"from\": \"h0\", \"to\": \"h5\", " \
	"\"size\": \"1MB\"}, \"class\": \"rdma\"}}"
#define RUN "\"run\": {\"until\": \"1ms\"}"

static struct scratch scratch;

static void setup(void) { scratch_enter(&scratch, "scenario"); }
static void teardown(void) { scratch_leave(&scratch); }

/* Opens and checks x.json; the first message, or "" when all is well. */
static const char *verdict(const char *text, const struct scenario_options *opt, char *buf,
			   size_t size)
{
	struct diag *diag = diag_new();
	struct scenario *sc;
	int rc;

	scratch_put("x.json", text);
	sc = scenario_open("x.json", opt, diag);
	rc = sc ? scenario_check(sc, diag) : -1;
	ck_assert_int_eq(rc != 0, diag_errors(diag) != 0);
	snprintf(buf, size, "%s", diag_errors(diag) ? diag_line(diag, 0) : "");
	scenario_free(&sc);
	diag_free(&diag);
	return buf;
}

static const struct { const char *text, *says; } cases[] = {
	{"{" TOPOLOGY ", " TRAFFIC ", " RUN "}", ""},
	{"{" TOPOLOGY ", " TRAFFIC ", \"rum\": 1, " RUN "}",
	 "x.json:1:167: error: unknown key \"rum\" in the experiment; did you mean \"run\"?"},
	{"{\n" TOPOLOGY ",\n" RUN ",\n\"nic\": {\"mtu\": 4096}}",
	 "x.json:4:16: error: 4096 needs a unit; did you mean \"4096B\"?"},
	{"{\n" TOPOLOGY ",\n" RUN ",\n\"about\": \"\303\251\303\251\", \"nic\": {\"mtu\": \"4Kb\"}}",
	 "x.json:4:31: error: unknown size unit \"Kb\" in \"4Kb\"; did you mean \"4KB\"?"},
	{"{" RUN "}", "x.json:1:1: error: the experiment has no \"topology\""},
	{"{\n" TOPOLOGY "}", "x.json:1:1: error: the experiment needs \"until\""},
	{"{\n" TOPOLOGY ",\n" RUN ",\n\"include\": [\"nowhere.json\"]}",
	 "x.json:4:13: error: cannot read \"nowhere.json\": No such file or directory"},
	{"{\n" TOPOLOGY ",\n" RUN ",\n\"include\": \"x.json\"}",
	 "x.json:4:12: error: cyclic include: x.json, included by x.json"},
	{"{\n" TOPOLOGY ",\n" RUN ",\n\"switches\": {\"spien*\": {}}}",
	 "x.json:4:14: error: \"spien*\" matches no switch; they are named leaf0 .. spine1"},
	{"{\n" TOPOLOGY ",\n" RUN ",\n\"nics\": {\"leaf*\": {}}}",
	 "x.json:4:10: error: \"leaf*\" matches no host, but leaf0; those are under \"switches\""},
	{"{\n" TOPOLOGY ",\n" RUN ",\n\"variants\": {\"v\": {\"traffic\": {\"a\": null}}}}",
	 "x.json:4:32: error: there is no traffic \"a\" to remove"},
	{"{\n" TOPOLOGY ",\n" RUN ",\n\"variants\": {\"base\": {}}}",
	 "x.json:4:14: error: a variant cannot be named \"base\""},
	{"{\n" TOPOLOGY ",\n" RUN ",\n\"variants\": {\"v\": {\"sweep\": {}}}}",
	 "x.json:4:20: error: a variant cannot change \"sweep\""},
	{"{\n" TOPOLOGY ",\n" RUN ",\n\"expect\": [\"a == 1\", \"b < 2 * runs.bse.b\"]}",
	 "x.json:4:22: error: there is no run \"bse\"; did you mean \"base\"?"},
	{"{\n\"topology\": \"no.json\",\n" RUN "}",
	 "x.json:2:13: error: cannot read \"no.json\": No such file or directory"},
	{"{\n\"topology\": {\"nodes\": {\"A\": \"switch\", \"B\": \"switch\", \"h0\": \"host\", "
	 "\"h1\": \"host\"},\n \"links\": [{\"a\": \"A\", \"b\": \"h0\"},\n{\"a\": \"B\", \"b\": \"h1\"}]},"
	 "\n" RUN ",\n\"traffic\": {\"a\": {\"flow\": {\"from\": \"h0\", \"to\": \"h1\", \"size\": "
	 "\"1B\"}, \"class\": \"rdma\"}}}", "x.json:6:13: error: traffic \"a\": there is no way"},
	{"{\n" TOPOLOGY ",\n" RUN ",\n\"switch\": {\"ecn\": {\"rdma\": {\"kmin\": \"2MB\", \"kmax\": "
	 "\"1MB\"}}}}", "x.json:4:37: error: kmin (2000000B) is larger than kmax"},
	{"{\n" TOPOLOGY ",\n" RUN ",\n\"switch\": {\"buffer\": {\"size\": \"100KB\"}}}",
	 "x.json:4:23: error: leaf0: reservations exceed the buffer"},
};

START_TEST(every_error_has_its_place)
{
	char buf[800];

	verdict(cases[_i].text, NULL, buf, sizeof buf);
	ck_assert_msg(cases[_i].says[0] ? strncmp(buf, cases[_i].says, strlen(cases[_i].says)) == 0
		      : !buf[0], "wanted %s\n   said %s", cases[_i].says, buf);
}
END_TEST

START_TEST(errors_of_one_file_come_together)
{
	struct diag *diag = diag_new();
	struct scenario *sc;

	scratch_put("x.json", "{" TOPOLOGY ", " RUN ",\n\"nic\": {\"mtu\": 1, \"dff\": true,\n"
	    "\"cc\": \"cubic\"}, \"variants\": {\"v\": {\"about\": \"same errors\"}},\n"
	    "\"switch\": {\"latency\": \"1xs\"}}");
	sc = scenario_open("x.json", NULL, diag);
	ck_assert_ptr_nonnull(sc);
	ck_assert_int_eq(scenario_check(sc, diag), -1);
	ck_assert_int_eq(diag_errors(diag), 4);
	scenario_free(&sc);
	diag_free(&diag);
}
END_TEST

static const char *origin(struct scenario *sc, int run, const char *path)
{
	static char buf[200];

	return scenario_origin(sc, run, path, buf, sizeof buf);
}

START_TEST(includes_variants_and_sets_have_their_order)
{
	static const char *const sets[] = {"run.seed=9", "nic.mtu=2048B", "traffic.a.flow.size=3MB"};
	struct scenario_options opt = {.sets = sets, .nsets = 3};
	struct diag *diag = diag_new();
	struct scenario *sc;
	int n;

	scratch_put("z.json", "{\"nic\": {\"mtu\": \"256B\", \"ack_every\": 7, \"ttl\": 9}, \"run\": {\"seed\": 1}}");
	scratch_put("y.json", "{\"include\": \"z.json\", \"nic\": {\"mtu\": \"512B\", \"ack_every\": 3}}");
	scratch_put("x.json", "{\"include\": [\"y.json\"], " TOPOLOGY ", " TRAFFIC ",\n"
	    "\"nic\": {\"mtu\": \"1024B\"}, " RUN ", \"expect\": [\"a == 1\"], \"variants\": {\n"
	    "\"v\": {\"nic\": {\"mtu\": \"4096B\", \"ttl\": 5}, \"expect\": [\"b == 2\", \"c == 3\"]},\n"
	    "\"w\": {\"traffic\": {\"a\": null}}}}");
	sc = scenario_open("x.json", &opt, diag);
	ck_assert_ptr_nonnull(sc);
	ck_assert_int_eq(scenario_check(sc, diag), 0);
	ck_assert_int_eq(scenario_runs(sc), 3);
	ck_assert_int_eq(scenario_run_find(sc, "w", NULL), 2);
	ck_assert_int_eq((int)scenario_run_conf(sc, 1)->seed, 9);
	ck_assert_str_eq(origin(sc, 1, "nic.mtu"), "--set nic.mtu=2048B");
	ck_assert_str_eq(origin(sc, 1, "nic.ttl"), "x.json:3:38");
	ck_assert_str_eq(origin(sc, 0, "nic.ttl"), "z.json:1:48");
	ck_assert_str_eq(origin(sc, 0, "nic.ack_every"), "y.json:1:59");
	ck_assert_str_eq(origin(sc, 0, "nic.df"), "default");
	scenario_traffic(sc, 0, &n);
	ck_assert_int_eq(n, 1);
	ck_assert(scenario_traffic(sc, 0, &n)[0].size_bytes == 3000000);
	scenario_traffic(sc, 2, &n);	/* removed, and --set does not bring it back */
	ck_assert_int_eq(n, 0);
	ck_assert_int_eq(scenario_rules(sc, 0), 1);
	ck_assert_int_eq(scenario_rules(sc, 1), 2);
	ck_assert_int_eq(scenario_rules(sc, 2), 0);
	ck_assert_str_eq(scenario_rule(sc, 1, 1), "c == 3");
	scenario_free(&sc);
	diag_free(&diag);
}
END_TEST

START_TEST(sets_are_checked_like_a_file)
{
	static const struct { const char *set, *says; } s[] = {
		{"nic.mtu=4Kb", "--set nic.mtu=4Kb: error: unknown size unit"},
		{"nic.mtuu=4KB", "--set nic.mtuu=4KB: error: unknown key \"mtuu\" in nic; did you mean"},
		{"run.seed.x=1", "--set run.seed.x=1: error: seed must be a number, not an object"},
		{"run.until.x=1", "--set run.until.x=1: error: \"until\" holds a value"},
		{"seed", "--set seed: error: wanted PATH=VALUE"},
		{"traffic.b=null", ""},
		{"topology=no.json", "--set topology=no.json: error: cannot read \"no.json\""}};
	char buf[800];

	for (size_t i = 0; i < sizeof s / sizeof *s; i++) {
		struct scenario_options opt = {.sets = &s[i].set, .nsets = 1};

		verdict("{" TOPOLOGY ", " TRAFFIC ", " RUN "}", &opt, buf, sizeof buf);
		ck_assert_msg(s[i].says[0] ? strncmp(buf, s[i].says, strlen(s[i].says)) == 0 : 1,
			      "wanted %s\n   said %s", s[i].says, buf);
	}
	verdict("{" TOPOLOGY ", " RUN "}", &(struct scenario_options){.seed = "x"}, buf, sizeof buf);
	ck_assert_str_eq(buf, "--seed x: error: \"x\" is not a count; wanted something like \"8\"");
}
END_TEST

START_TEST(a_topology_file_lies_under_the_section)
{
	struct diag *diag = diag_new();
	struct scenario *sc;
	char buf[800];

	scratch_put("t.json", "{\"schema\": \"xoff.topology/1\", \"nodes\": {\"A\": \"switch\", \"B\": \"switch\","
	    " \"h0\": \"host\", \"h1\": \"host\"}, \"link\": {\"rate\": \"40Gbps\"}, \"links\": [\n"
	    "{\"a\": \"A\", \"b\": \"B\"}, {\"a\": \"A\", \"b\": \"h0\"}, {\"a\": \"B:7\", \"b\": \"h1\"}]}");
	scratch_put("x.json", "{\"topology\": \"t.json\", " RUN ", \"variants\": {\"long\": {\"topology\": "
	    "{\"override\": {\"B-A\": {\"cable\": \"300m\"}}}}},\n"
	    "\"record\": {\"series\": {\"q\": {\"match\": \"[A-B]:0\", \"what\": \"queue\"}}}}");
	sc = scenario_open("x.json", NULL, diag);
	ck_assert_ptr_nonnull(sc);
	ck_assert_int_eq(scenario_check(sc, diag), 0);
	ck_assert_str_eq(origin(sc, 1, "topology.links.2.a"), "t.json:2:52");
	ck_assert_str_eq(origin(sc, 1, "topology.override.B-A.cable"), "x.json:1:114");
	ck_assert_str_eq(scenario_series(sc, 0, &(int){0})[0].match, "A:0,B:0");
	ck_assert_uint_eq(scenario_series(sc, 0, &(int){0})[0].what, SCENARIO_QUEUE);
	scenario_free(&sc);
	diag_free(&diag);
	verdict("{\"topology\": {\"file\": \"t.json\",\n\"override\": {\"A-C\": {}}}, " RUN "}", NULL, buf,
		sizeof buf);
	ck_assert_str_eq(buf, "x.json:2:14: error: no link matches \"A-C\"; a link is written \"A-B\"");
	scratch_put("t.json", "{\"nodes\": {\"A\": \"switch\"}, \"links\": [\n {\"a\": \"A\", \"b\": \"C\"}]}");
	verdict("{\"topology\": \"t.json\", " RUN "}", NULL, buf, sizeof buf);
	ck_assert_str_eq(buf, "t.json:2:18: error: there is no node \"C\"");
}
END_TEST

START_TEST(resolved_is_a_fixed_point)
{
	static const char *const rich = "{" TOPOLOGY ", " RUN ",\n"
		"\"classes\": {\"a\": {\"dscp\": 1, \"tc\": 1, \"priority\": 1, \"lossless\": true},"
		"  \"b\": {\"dscp\": 2, \"tc\": 2, \"priority\": 2, \"strict\": true}},\n"
		"\"switch\": {\"ecn\": {\"a\": {\"kmin\": \"5KB\", \"kmax\": \"9KB\", \"pmax\": 0.3}}, \"watchdog\":"
		" {}, \"dscp\": {\"9\": 1}, \"buffer\": {\"size\": \"32MB\"}},\n"
		"\"switches\": {\"spine1\": {\"watchdog\": null, \"ecn\": null, \"buffer\": {\"alpha\": 0.5}}},\n"
		"\"nic\": {\"cc\": {\"dcqcn\": {\"preset\": \"connectx\"}}, \"ack_class\": \"b\"},\n"
		"\"nics\": {\"h[2-3]\": {\"cc\": \"none\", \"dscp\": {\"a\": 9}}},\n"
		"\"traffic\": {\n"
		" \"f\": {\"flow\": {\"from\": \"h0\", \"to\": \"h1\", \"size\": \"1KiB\"}, \"class\": \"a\","
		"  \"start\": \"1us\"},\n"
		" \"s\": {\"stream\": {\"from\": \"h1\", \"to\": \"h2\", \"jitter\": \"1/3\", \"class\": \"b\"}},\n"
		" \"p\": {\"poisson\": {\"hosts\": \"h*\", \"load\": 0.1, \"cdf\": [[\"1KB\", 0.1], [\"7KB\", \"100%\"]]}"
		",  \"class\": \"a\"},\n"
		" \"r\": {\"ring_allreduce\": {\"hosts\": [\"h[6-0:2]\", \"h7\"], \"size\": \"1MB\"}, \"class\": \"a\"},\n"
		" \"w\": {\"storage_write\": {\"clients\": \"h0\", \"servers\": \"h*,!h0\", \"size\": \"64KB\","
		"  \"replicas\": 2, \"rate\": \"0.5k/s\"}, \"class\": \"a\"}},\n"
		"\"routes\": {\"up\": {\"at\": \"leaf*\", \"to\": [\"h0\", \"h7\"], \"via\": \"spine*\"},"
		" \"lost\": {\"at\": \"spine0\", \"to\": \"h1\", \"drop\": true}},\n"
		"\"faults\": {\"d\": {\"link_down\": {\"link\": \"spine0-leaf1\"}, \"at\": \"1us\", \"for\": \"2us\"},"
		" \"n\": {\"nic_storm\": {\"host\": \"h4\", \"class\": \"a\"}, \"at\": \"3us\"},"
		" \"l\": {\"drop\": {\"node\": \"leaf0\", \"from\": \"h0\", \"every\": 100}}},\n"
		"\"record\": {\"series\": {\"q\": {\"match\": [\"leaf[0-1]:*\", \"h0:0\"], \"every\": \"5us\"}}},\n"
		"\"about\": \"quote \\\" and \\\\ and \303\251\", \"expect\": [\"drops.lossless == 0\"]}";
	struct diag *diag = diag_new();
	char *text[2] = {NULL, NULL};
	size_t size;

	scratch_put("x.json", rich);
	for (int i = 0; i < 2; i++) {
		struct scenario *sc = scenario_open(i ? "r.json" : "x.json", NULL, diag);
		FILE *out = open_memstream(&text[i], &size);

		ck_assert_msg(sc != NULL, "%s", diag_line(diag, 0));
		ck_assert_msg(scenario_check(sc, diag) == 0, "%s", diag_line(diag, 0));
		ck_assert_int_eq(scenario_resolved(sc, 0, NULL, out), 0);
		fclose(out);
		if (i == 0) {		/* the name comes from the file */
			ck_assert(strstr(text[0], "\"name\": \"x\"") != NULL);
			scratch_put("r.json", text[0]);
		}
		scenario_free(&sc);
	}
	ck_assert_str_eq(text[0], text[1]);
	free(text[0]);
	free(text[1]);
	diag_free(&diag);
}
END_TEST

START_TEST(verdicts_come_from_summaries)
{
	static const char json[] = "{\"runs\": [{\"variant\": \"base\", \"n\": 10}, {\"variant\": \"v\", "
		"\"n\": 3}]}";
	struct scenario_results *res = scenario_results_new();
	struct diag *diag = diag_new();
	struct scenario_verdict v;
	struct sim_error err = {0};
	struct scenario *sc;

	scratch_put("x.json", "{" TOPOLOGY ", " RUN ", \"expect\": [\"n >= 3 * runs.v.n\", \"n == 11\", \"m == 0\"],"
	    "\"variants\": {\"v\": {\"about\": \"x\"}}, \"sweep\": {\"run.seed\": \"2..4\", \"nic.mtu\": "
	    "[\"1KB\", \"2KB\"]}}");
	sc = scenario_open("x.json", NULL, diag);
	ck_assert_ptr_nonnull(sc);
	ck_assert_int_eq(scenario_results_add(res, "base", json, sizeof json - 1, &err), 0);
	scenario_verdict(sc, 0, 0, res, &v);
	ck_assert(v.passed);
	ck_assert_str_eq(v.value, "10");
	scenario_verdict(sc, 0, 1, res, &v);
	ck_assert(!v.passed);
	ck_assert_str_eq(v.why, "it is 10, below 11");
	scenario_verdict(sc, 0, 2, res, &v);
	ck_assert(!v.passed);
	ck_assert_str_eq(v.value, "null");
	ck_assert_int_eq(scenario_results_add(res, "v", "{", 1, &err), -1);
	ck_assert_int_eq(scenario_sweep(sc, &(int){0})[0].nvalues, 3);
	ck_assert_str_eq(scenario_sweep(sc, &(int){0})[0].values[2], "4");
	ck_assert_str_eq(scenario_sweep(sc, &(int){0})[1].values[1], "\"2KB\"");
	scenario_results_free(&res);
	scenario_free(&sc);
	diag_free(&diag);
}
END_TEST

START_TEST(settings_are_explained)
{
	const char *near = NULL;
	FILE *null = fopen("/dev/null", "w");

	ck_assert_int_eq(scenario_explain("kmin", null, NULL), 1);
	ck_assert_int_eq(scenario_explain("switch.ecn.rdma.kmin", null, NULL), 1);
	ck_assert_int_eq(scenario_explain("switches.spine*.buffer", null, NULL), 1);
	ck_assert_int_ge(scenario_explain("pfc", null, NULL), 2);
	ck_assert_int_eq(scenario_explain("kmim", null, &near), 0);
	ck_assert_str_eq(near, "kmin");
	ck_assert_int_eq(scenario_explain("incats", null, &near), 0);
	ck_assert_str_eq(near, "incast");
	ck_assert_int_eq(scenario_schema(null), 0);
	scenario_explain_all(null);
	fclose(null);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("scenario");
	TCase *tc = tcase_create("scenario");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, every_error_has_its_place, 0, (int)(sizeof cases / sizeof *cases));
	tcase_add_test(tc, errors_of_one_file_come_together);
	tcase_add_test(tc, includes_variants_and_sets_have_their_order);
	tcase_add_test(tc, sets_are_checked_like_a_file);
	tcase_add_test(tc, a_topology_file_lies_under_the_section);
	tcase_add_test(tc, resolved_is_a_fixed_point);
	tcase_add_test(tc, verdicts_come_from_summaries);
	tcase_add_test(tc, settings_are_explained);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
