/* scenario/flowlist, cdfconf, rows: files of other people's to flows and sizes, and every message at its place. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario/scenario.h"
#include "tests/support/scratch.h"

static struct scratch scratch;

static void setup(void) { scratch_enter(&scratch, "flowlist"); }
static void teardown(void) { scratch_leave(&scratch); }

/* An experiment of twelve hosts whose traffic is `traffic`; NULL: *says is the first message. */
static struct scenario *load(const char *traffic, struct diag *diag)
{
	char text[2000];

	snprintf(text, sizeof text, "{\"topology\": {\"star\": {\"hosts\": 12}}, \"run\": {\"until\": \"1ms\"},\n"
		 "\"traffic\": {\"t\": %s}}", traffic);
	scratch_put("x.json", text);
	struct scenario *sc = scenario_open("x.json", NULL, diag);
	if (sc && scenario_check(sc, diag))
		scenario_free(&sc);
	return sc;
}

static const char *verdict(const char *traffic, const char *file, char *buf, size_t size)
{
	struct diag *diag = diag_new();

	scratch_put("f", file);
	struct scenario *sc = load(traffic, diag);
	ck_assert_int_eq(sc == NULL, diag_errors(diag) > 0);
	snprintf(buf, size, "%s", diag_line(diag, 0) ? diag_line(diag, 0) : "");
	scenario_free(&sc);
	diag_free(&diag);
	return buf;
}

/* ---- lists ---- */

#define LIST(keys) "{\"list\": {\"file\": \"f\"" keys "}, \"class\": \"rdma\"}"

/* The same two flows, h2 to h10 and h10 to h2, in every way to write them. */
static const struct { const char *traffic, *file; } ways[] = {
	{ LIST(""), "from,to,size_bytes,start_ps\nh2,h10,64000,1500000\nh10,h2,7,0\n" },
	{ LIST(""), "\357\273\277# a list\r\n\r\nstart_us, size ,dst,note,src\r\n0,7B,h2,,h10\r\n  1.5 , 64KB, h10,\"a, b\",h2" },
	{ LIST(""), "start,size_bytes,to,from\n0s,7,\"h2\",\"h10\"\n1.5us,64000,h10,h2\n" },
	{ LIST(""), "src,dst,size_bytes,start_ns\nh10,h2,7.0,0\nh2,h10,64000,1500\n" },
	{ LIST(", \"workload\": \"a\""), "workload,src,dst,size_bytes,start_s\na,h2,h10,64000,0.000001500000\n"
	  "b,h3,h4,1,0\na,h10,h2,7,.0\n" },
	{ LIST(", \"origin\": \"2s\""), "2 \n2 10 3 100 64000 2.000001500\n10 2 3 100 7 2\n" },
	{ LIST(", \"origin\": \"2s\""), "2\n\n10 2 3 7 2.\n2  10\t3 64000 2.000001500\n" },
	{ "{\"list\": {\"flows\": [\"h2,h10,64KB,1.5us\", \"h10, h2, 7B, 0ps\"]}, \"class\": \"rdma\"}", "" },
};

START_TEST(lists)
{
	struct diag *diag = diag_new();
	int n;

	scratch_put("f", ways[_i].file);
	struct scenario *sc = load(ways[_i].traffic, diag);
	ck_assert_msg(sc != NULL, "%s", diag_line(diag, 0));
	const struct workload_conf *c = scenario_traffic(sc, 0, &n);
	ck_assert_int_eq(c->kind, WORKLOAD_LIST);
	ck_assert_int_eq(c->nlist, 2);
	ck_assert_int_eq(c->nfrom, 2);
	ck_assert_int_eq(c->nto, 2);
	for (int i = 0; i < 2; i++) {
		const struct workload_flow *f = &c->list[i];
		bool first = strcmp(c->from[f->from], "h2") == 0;

		ck_assert_str_eq(c->from[f->from], first ? "h2" : "h10");
		ck_assert_str_eq(c->to[f->to], first ? "h10" : "h2");
		ck_assert_int_eq(f->size_bytes, first ? 64000 : 7);
		ck_assert_int_eq(f->start_ps - c->origin_ps, first ? 1500000 : 0);
	}
	ck_assert_int_ne(c->list[0].from, c->list[1].from);
	scenario_free(&sc);
	diag_free(&diag);
}
END_TEST

/* What is printed is read back as the same. */
START_TEST(resolved)
{
	struct diag *diag = diag_new();
	char *once = NULL, *twice = NULL;
	size_t n;

	scratch_put("f", ways[_i].file);
	struct scenario *sc = load(ways[_i].traffic, diag);
	ck_assert_msg(sc != NULL, "%s", diag_line(diag, 0));
	FILE *out = open_memstream(&once, &n);
	ck_assert(out && scenario_resolved(sc, 0, NULL, out) == 0 && fclose(out) == 0);
	scenario_free(&sc);
	unlink("f");				/* it is no longer needed */
	scratch_put("r.json", once);
	sc = scenario_open("r.json", NULL, diag);
	ck_assert_msg(sc && scenario_check(sc, diag) == 0, "%s", diag_line(diag, 0));
	out = open_memstream(&twice, &n);
	ck_assert(out && scenario_resolved(sc, 0, NULL, out) == 0 && fclose(out) == 0);
	ck_assert_str_eq(once, twice);
	scenario_free(&sc);
	diag_free(&diag);
	free(once);
	free(twice);
}
END_TEST

#define HEAD "from,to,size_bytes,start_ps\n"
static const struct { const char *traffic, *file, *says; } wrong_lists[] = {
	{ LIST(""), "", "f:1:1: error: this file has no rows" },
	{ LIST(""), "# nothing\n", "f:2:1: error: this file has no rows" },
	{ LIST(""), HEAD, "x.json:2:36: error: this lists no flow" },
	{ LIST(""), HEAD "h0,h13,1,1\n", "f:2:4: error: there is no host \"h13\"; did you mean \"h1\"?" },
	{ LIST(""), HEAD "\nh0,s0,1,1\n", "f:3:4: error: \"s0\" is a switch; flows go from host to host" },
	{ LIST(""), HEAD "h0,elsewhere,1,1\n", "f:2:4: error: there is no host \"elsewhere\"" },
	{ LIST(""), HEAD "h0,h0,1,1\n", "f:2:4: error: h0 would send to itself" },
	{ LIST(""), HEAD "h0,h1,0,1\n", "f:2:7: error: a flow has at least 1 byte" },
	{ LIST(""), HEAD "h0,h1,-1,1\n",
	  "f:2:7: error: the size must be a number of bytes without sign or exponent, not \"-1\"" },
	{ LIST(""), HEAD "h0,h1,,1\n",
	  "f:2:7: error: the size must be a number of bytes without sign or exponent, not \"\"" },
	{ LIST(""), HEAD "h0,h1,1.5,1\n", "f:2:7: error: the size must come out whole; \"1.5\" bytes is too fine" },
	{ LIST(""), HEAD "h0,h1,1000000000000001,1\n", "f:2:7: error: the size is too large: \"1000000000000001\" bytes" },
	{ LIST(""), HEAD "h0,h1,1,99999999999999999999999\n",
	  "f:2:9: error: the start is too large: \"99999999999999999999999\" ps" },
	{ LIST(""), HEAD "h0,h1,1\n", "f:2:1: error: this row has 3 columns; the first has at least 4" },
	{ LIST(""), "from,to,size,start_ps\nh0,h1,100,1\n", "f:2:7: error: 100 needs a unit; did you mean \"100KB\"?" },
	{ LIST(""), "from,to,size_byte,start_ps\n",
	  "f:1:9: error: there is no column \"size_byte\"; did you mean \"size_bytes\"?" },
	{ LIST(""), "h0,h1,100,0\n", "f:1:1: error: the first row must name the columns, and no column is named "
	  "\"from\"; wanted are from,to,size_bytes,start_ps in any order" },
	{ LIST(""), "from,src,to,size_bytes,start_ps\n", "f:1:6: error: \"from\" is there twice, as \"from\" and as \"src\"" },
	{ LIST(", \"workload\": \"a\""), HEAD "h0,h1,1,1\n", "f:1:1: error: the first row must name the columns, and no "
	  "column is named \"workload\"; wanted are from,to,size_bytes,start_ps in any order, and workload to choose by it" },
	{ LIST(", \"workload\": \"a\""), "workload," HEAD "b,h0,h1,1,1\n",
	  "x.json:2:53: error: no row has the workload \"a\"" },
	{ LIST(", \"origin\": \"2ps\""), HEAD "h0,h1,1,1\n", "f:2:9: error: this flow starts before the list's origin" },
	{ LIST(""), "h0 h1 100 0\n", "f:1:1: error: this is neither CSV, whose first row names the columns "
	  "(from,to,size_bytes,start_ps), nor HPCC's list, whose first row is the number of flows" },
	{ LIST(""), "2\n0 1 3 100 5 2\n", "f:3:1: error: the first row promises 2 flows; here the file ends after 1" },
	{ LIST(""), "1\n0 12 3 100 5 2\n", "f:2:3: error: there is no host 12; the topology has 12 hosts, from 0" },
	{ LIST(""), "1\n0 h1 3 100 5 2\n",
	  "f:2:3: error: a host must be a number without sign or exponent, not \"h1\"" },
	{ LIST(""), "1\n0 1 5 2\n",
	  "f:2:1: error: wanted is \"source destination priority-group port bytes seconds\"; this row has 4 columns" },
	{ LIST(""), "1\n0 1 3 100 5 2.0000000000001\n",
	  "f:2:13: error: the start must come out whole; \"2.0000000000001\" s is too fine" },
	{ LIST(", \"workload\": \"a\""), "1\n0 1 3 100 5 2\n",
	  "f:1:1: error: a list in HPCC's format has no column \"workload\" to choose by" },
	{ LIST(", \"flows\": [\"h0,h1,1B,0s\"]"), HEAD,
	  "x.json:2:19: error: both \"file\" and \"flows\" are given; give one" },
	{ "{\"list\": {}, \"class\": \"rdma\"}", "",
	  "x.json:2:19: error: list needs a \"file\", such as \"flows.csv\", or \"flows\"" },
	{ "{\"list\": {\"flows\": [\"h0,h1,1B\"]}, \"class\": \"rdma\"}", "",
	  "x.json:2:38: error: a flow is \"from,to,size,start\", such as \"h0,h1,64KB,10us\"" },
	{ "{\"list\": {\"flows\": [\"h0,h1,1B,0s,\"]}, \"class\": \"rdma\"}", "",
	  "x.json:2:38: error: a flow is \"from,to,size,start\", such as \"h0,h1,64KB,10us\"" },
	{ "{\"list\": {\"flows\": [\"h0,h1,1B,0s\", \"h0,h1,1,0s\"]}, \"class\": \"rdma\"}", "",
	  "x.json:2:53: error: 1 needs a unit; did you mean \"1KB\"?" },
	{ "{\"list\": {\"flows\": \"h0,h1,1B,0s\"}, \"class\": \"rdma\"}", "",
	  "x.json:2:37: error: flows must be a list of \"from,to,size,start\", not a string" },
	{ "{\"list\": {\"flows\": [\"h0,h1,1B,0s\"], \"workload\": \"a\"}, \"class\": \"rdma\"}", "",
	  "x.json:2:54: error: \"workload\" chooses rows of a file; here is none" },
	{ "{\"list\": {\"file\": \".\"}, \"class\": \"rdma\"}", "",
	  "x.json:2:36: error: cannot read \".\": Is a directory" },
	{ "{\"list\": {\"file\": \"/dev/null\"}, \"class\": \"rdma\"}", "",
	  "x.json:2:36: error: cannot read \"/dev/null\": no regular file; it is read once for each run" },
};

START_TEST(wrong_list)
{
	char buf[600];

	ck_assert_str_eq(verdict(wrong_lists[_i].traffic, wrong_lists[_i].file, buf, sizeof buf), wrong_lists[_i].says);
}
END_TEST

/* As HPCC does; but it says so. */
START_TEST(more_than_promised)
{
	char buf[600];

	ck_assert_str_eq(verdict(LIST(""), "1\n0 1 3 100 5 2\n1 0 3 100 5 2\n", buf, sizeof buf),
			 "f:3:1: warning: what follows the 1 flows that the first row promises is not read");
}
END_TEST

/* ---- distributions ---- */

#define CDF(keys) "{\"poisson\": {\"hosts\": \"h*\", \"load\": 0.1, \"cdf\": {\"file\": \"f\"" keys "}}, \"class\": \"rdma\"}"

/* 4000 B with a quarter, up to 8000 B the rest. */
static const struct { const char *traffic, *file; } same_cdf[] = {
	{ CDF(""), "4000 0.25\n8000 1\n" },
	{ CDF(""), "# size, part\n0 0\n4000 25\r\n8000 100 # the largest\n" },
	{ CDF(""), "4000,25\n8000,100.0\n" },
	{ CDF(""), "0 1 0\n4000 1 .25\n8000 1 1\n" },
	{ CDF(", \"unit\": \"1KB\""), "4 1 1/4\n8 1 1.0" },
};

START_TEST(cdfs)
{
	struct diag *diag = diag_new();
	int n;

	scratch_put("f", same_cdf[_i].file);
	struct scenario *sc = load(same_cdf[_i].traffic, diag);
	ck_assert_msg(sc != NULL, "%s", diag_line(diag, 0));
	const struct workload_conf *c = scenario_traffic(sc, 0, &n);
	ck_assert_int_eq(c->cdf.n, 2);
	ck_assert_int_eq(c->cdf.size_bytes[0], 4000);
	ck_assert_int_eq(c->cdf.size_bytes[1], 8000);
	ck_assert_double_eq(c->cdf.fraction[0], 0.25);
	ck_assert_double_eq(c->cdf.fraction[1], 1);
	scenario_free(&sc);
	diag_free(&diag);
}
END_TEST

static const struct { const char *traffic, *file, *says; } wrong_cdfs[] = {
	{ CDF(""), "", "f:1:1: error: this file has no rows; a CDF has rows such as \"10000 0.15\", up to 1" },
	{ CDF(""), "100 0.5\n200 0.9\n", "f:2:1: error: the last cumulative part must be 1, or 100 in percent; it is 0.9" },
	{ CDF(""), "100 50\n200 99\n", "f:2:1: error: the last cumulative part must be 1, or 100 in percent; it is 99" },
	{ CDF(""), "100 0.5\n200 0.4\n300 1\n",
	  "f:2:5: error: a cumulative part must not be less than the one before; this is 0.4" },
	{ CDF(""), "100 0.5\n99 1\n", "f:2:1: error: the sizes of a CDF must ascend; this is less than the one before" },
	{ CDF(""), "100 101\n", "f:1:5: error: a cumulative part must be from 0 to 1, or to 100 in percent; this is 101" },
	{ CDF(""), "100 x\n", "f:1:5: error: a cumulative part must be a number from 0 to 1, or to 100 in percent, not \"x\"" },
	{ CDF(""), "10KB 1\n", "f:1:1: error: a size must be a number of bytes without sign or exponent, not \"10KB\"" },
	{ CDF(""), "100\n", "f:1:1: error: a row of a CDF is a size and a cumulative part (or, as ns-2 has it, a size, "
	  "a number and a cumulative part); this has 1 column" },
	{ CDF(""), "0 0.5\n100 1\n", "f:1:1: error: no flow has 0 bytes; only the first row may be 0, with the part 0" },
	{ CDF(", \"unit\": \"1MB\""), "9999999999 1\n", "f:1:1: error: a size of 9999999999 times 1000000 bytes is too large" },
	{ CDF(", \"units\": \"1B\""), "1 1\n", "x.json:2:80: error: unknown key \"units\" in cdf; did you mean \"unit\"?" },
	{ "{\"poisson\": {\"hosts\": \"h*\", \"load\": 0.1, \"cdf\": {}}, \"class\": \"rdma\"}", "",
	  "x.json:2:59: error: cdf needs \"file\"" },
	{ "{\"poisson\": {\"hosts\": \"h*\", \"load\": 0.1, \"cdf\": {\"file\": \"nowhere\"}}, \"class\": \"rdma\"}", "",
	  "x.json:2:75: error: cannot read \"nowhere\": No such file or directory" },
	{ "{\"poisson\": {\"hosts\": \"h*\", \"load\": 0.1, \"cdf\": 3}, \"class\": \"rdma\"}", "",
	  "x.json:2:66: error: a CDF is a name, a list of points or {\"file\": PATH}, not a number" },
};

START_TEST(wrong_cdf)
{
	char buf[600];

	ck_assert_str_eq(verdict(wrong_cdfs[_i].traffic, wrong_cdfs[_i].file, buf, sizeof buf), wrong_cdfs[_i].says);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flowlist");
	TCase *tc = tcase_create("flowlist");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, lists, 0, sizeof ways / sizeof *ways);
	tcase_add_loop_test(tc, resolved, 0, sizeof ways / sizeof *ways);
	tcase_add_loop_test(tc, wrong_list, 0, sizeof wrong_lists / sizeof *wrong_lists);
	tcase_add_test(tc, more_than_promised);
	tcase_add_loop_test(tc, cdfs, 0, sizeof same_cdf / sizeof *same_cdf);
	tcase_add_loop_test(tc, wrong_cdf, 0, sizeof wrong_cdfs / sizeof *wrong_cdfs);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
