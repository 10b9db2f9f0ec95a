/*
 * observe/ on real fabrics: the ring that deadlocks (algorithms.md, D2), a star
 * with flows, transactions and an incast; the files, the summary, and the law
 * that observers change nothing.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "models/cc/cc.h"
#include "observe/observe.h"
#include "observe/table.h"
#include "models/view.h"
#include "sim/mem.h"

enum { RDMA, OTHER };

static struct sim_error err;

static struct fabric *begin(int64_t until_ps, int64_t warmup_ps)
{
	struct run_conf run;
	struct class_conf classes[2];

	error_init(&err);
	param_defaults(run_params, &run);
	run.until_ps = until_ps;
	run.warmup_ps = warmup_ps;
	param_defaults(class_params, &classes[RDMA]);
	param_defaults(class_params, &classes[OTHER]);
	classes[RDMA] = (struct class_conf){ .name = (char[]){ "rdma" }, .dscp = 3, .tc = 3,
					     .priority = 3, .lossless = true, .weight = 1 };
	classes[OTHER] = (struct class_conf){ .name = (char[]){ "other" }, .dscp = 4, .tc = 4,
					      .priority = 4, .lossless = true, .weight = 1 };
	return fabric_new(&run, classes, 2);
}

static void add_switch(struct fabric *f, const char *name, int64_t headroom_bytes)
{
	struct switch_conf conf;

	memset(&conf, 0, sizeof(conf));
	param_defaults(switch_params, &conf);
	param_defaults(mmu_params, &conf.buffer);
	param_defaults(pfc_params, &conf.pfc);
	conf.buffer.xoff_bytes = 100000;
	conf.buffer.xon_offset_bytes = 3000;
	conf.buffer.cell_bytes = 1;
	conf.buffer.headroom_bytes = headroom_bytes;
	for (int i = 0; i < FABRIC_DSCPS; i++)
		conf.dscp_to_tc[i] = -1;
	ck_assert_msg(!fabric_add_switch(f, name, &conf, &err), "%s", err.text);
}

static void *cc_none_conf(void)
{
	static _Alignas(16) char conf[256];

	ck_assert_uint_le(cc_find("none")->conf_size, sizeof(conf));
	param_defaults(cc_find("none")->params, conf);
	return conf;
}

static void add_host(struct fabric *f, const char *name)
{
	struct nic_conf conf;

	memset(&conf, 0, sizeof(conf));
	param_defaults(nic_params, &conf);
	param_defaults(pfc_params, &conf.pfc);
	conf.cc = cc_find("none");
	conf.cc_conf = cc_none_conf();
	conf.ack_class = -1;
	for (int i = 0; i < FABRIC_CLASSES; i++)
		conf.dscp[i] = -1;
	ck_assert_msg(!fabric_add_host(f, name, &conf, &err), "%s", err.text);
}

static void add_link(struct fabric *f, const char *a, int a_port, const char *b, int b_port)
{
	struct link_conf conf = { .rate_bps = 40000000000, .cable_mm = 20000, .delay_ps = -1 };

	ck_assert_msg(!fabric_add_link(f, a, a_port, b, b_port, &conf, &err), "%s", err.text);
}

static void add_traffic(struct fabric *f, int kind, const char *name, char **from, int nfrom,
			char **to, int nto, struct workload_conf more)
{
	struct workload_conf conf;

	memset(&conf, 0, sizeof(conf));
	conf.stop_ps = UNITS_NEVER;	/* kinds whose table has no stop */
	param_defaults(workload_params((enum workload_kind)kind), &conf);
	conf.name = (char *)(uintptr_t)name;
	conf.kind = kind;
	conf.class_ = more.class_;
	conf.from = from;
	conf.nfrom = nfrom;
	conf.to = to;
	conf.nto = nto;
	if (more.size_bytes)
		conf.size_bytes = more.size_bytes;
	if (more.request_bytes) {
		conf.request_bytes = more.request_bytes;
		conf.response_bytes = more.response_bytes;
		conf.count = more.count;
	}
	ck_assert_msg(!fabric_add_traffic(f, &conf, &err), "%s", err.text);
}

/* Four switches in a ring, a host each; f1 A>B>C>D and f2 C>D>A>B; `third` B>C. */
static struct fabric *ring(bool third, int64_t until_ps)
{
	static const char *const sw[] = { "A", "B", "C", "D" };
	static char text[6][4];
	char *host[6][1];
	struct fabric *f = begin(until_ps, 0);

	for (int i = 0; i < 4; i++)
		add_switch(f, sw[i], -1);
	for (int i = 0; i < 6; i++) {
		snprintf(text[i], sizeof(text[i]), "h%d", i + 1);
		host[i][0] = text[i];
		add_host(f, text[i]);
	}
	for (int i = 0; i < 4; i++) {
		add_link(f, sw[i], 1, sw[(i + 1) % 4], 0);
		add_link(f, sw[i], 2, host[i][0], 0);
	}
	add_link(f, "B", 3, "h5", 0);
	add_link(f, "C", 3, "h6", 0);
	static const char *const ways[][3] = { { "A", "h4", "B" }, { "B", "h4", "C" },
					       { "C", "h2", "D" }, { "D", "h2", "A" } };
	for (int i = 0; i < 4; i++) {
		char *via[1] = { (char *)(uintptr_t)ways[i][2] };
		struct route_conf route = {.name = (char[]){(char)('p' + i), 0},
					   .at = (char *)(uintptr_t)ways[i][0],
					   .to = (char *)(uintptr_t)ways[i][1],
					   .via = via,
					   .vias = 1};
		ck_assert_msg(!fabric_add_route(f, &route, &err), "%s", err.text);
	}
	struct workload_conf none = { .class_ = RDMA };
	add_traffic(f, WORKLOAD_STREAM, "f1", host[0], 1, host[3], 1, none);
	add_traffic(f, WORKLOAD_STREAM, "f2", host[2], 1, host[1], 1, none);
	if (third)
		add_traffic(f, WORKLOAD_STREAM, "f3", host[4], 1, host[5], 1, none);
	ck_assert_msg(!fabric_finish(f, &err), "%s", err.text);
	return f;
}

/* Eight hosts on one switch: an incast to h8, and transactions beside it. */
static struct fabric *star(int64_t headroom_bytes)
{
	static char *name[8];
	static char text[8][4];
	struct fabric *f = begin(3000000000, 100000000);

	add_switch(f, "tor", headroom_bytes);
	for (int i = 0; i < 8; i++) {
		snprintf(text[i], sizeof(text[i]), "h%d", i + 1);
		name[i] = text[i];
		add_host(f, name[i]);
		add_link(f, "tor", i, name[i], 0);
	}
	add_traffic(f, WORKLOAD_INCAST, "burst", name, 6, name + 7, 1,
		    (struct workload_conf){ .class_ = RDMA, .size_bytes = 1000000 });
	add_traffic(f, WORKLOAD_REQUEST_RESPONSE, "db", name, 1, name + 6, 1,
		    (struct workload_conf){ .class_ = OTHER, .request_bytes = 256,
					    .response_bytes = 4096, .count = 100 });
	ck_assert_msg(!fabric_finish(f, &err), "%s", err.text);
	return f;
}

static struct observe *watch(struct fabric *f, struct observe_conf *conf)
{
	struct observe *o = observe_new(f, conf, &err);

	ck_assert_msg(o != NULL, "%s", err.text);
	fabric_run(f, NULL);
	ck_assert_msg(!observe_finish(o, &err), "%s", err.text);
	ck_assert_msg(!observe_broken(o), "%s", observe_broken(o));
	return o;
}

static uint64_t digest_alone(struct fabric *f)
{
	fabric_run(f, NULL);
	uint64_t digest = view_run(f).digest;
	fabric_free(&f);
	return digest;
}

static char *dir_new(void)
{
	char *dir = mem_strdup("/tmp/check_observe.XXXXXX");

	ck_assert_ptr_nonnull(mkdtemp(dir));
	return dir;
}

static char *slurp(const char *dir, const char *name)
{
	char path[512], *text = mem_zalloc(1 << 22);

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *in = fopen(path, "r");
	ck_assert_msg(in != NULL, "%s", path);
	text[fread(text, 1, (1 << 22) - 1, in)] = 0;
	fclose(in);
	return text;
}

static void dir_free(char *dir)
{
	static const char *const names[] = {"flows.csv",  "ports.csv",	    "pauses.csv",
					    "events.csv", "series/all.csv", "series"};
	char path[512];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		remove(path);
	}
	ck_assert_int_eq(rmdir(dir), 0);
	free(dir);
}

static int lines(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

START_TEST(two_flows_round_a_ring_run_and_the_third_deadlocks)
{
	struct fabric *f = ring(false, 5000000000);
	struct observe *o = watch(f, &(struct observe_conf){ .experiment = "ring" });
	struct summary *s = observe_summary(o);

	ck_assert(!s->deadlock.found);
	ck_assert(!s->stall.found);
	ck_assert_int_gt(s->pfc.xoff_frames, 0);
	ck_assert_double_eq_tol(s->workloads[0].flows.goodput_bps, 20e9, 0.5e9);
	ck_assert_double_eq_tol(s->fairness.jain, 1, 1e-3);
	observe_free(&o);
	fabric_free(&f);

	f = ring(true, 20000000000);
	o = watch(f, &(struct observe_conf){ .experiment = "ring" });
	s = observe_summary(o);
	ck_assert(s->deadlock.found && s->deadlock.standing);
	ck_assert_int_eq(s->deadlock.count, 1);
	ck_assert_int_lt(s->deadlock.first_ps, 1000000000);
	ck_assert_int_eq(s->deadlock.ncycle, 4);
	ck_assert_str_eq(s->deadlock.cycle[0], "A:1/3");
	ck_assert_str_eq(s->deadlock.cycle[3], "D:1/3");
	ck_assert_int_eq(s->deadlock.nvictims, 3);
	ck_assert_str_eq(s->deadlock.victims[0], "h1:0/3");
	for (int i = 0; i < 3; i++)
		ck_assert_int_lt(s->workloads[i].last_delivery_ps,
				 s->deadlock.first_ps + 20000000);
	ck_assert(s->stall.found);
	ck_assert_str_eq(s->stall.why, "a deadlock stands");
	ck_assert_int_eq(s->findings[0].level, SUMMARY_DEADLOCK);
	observe_free(&o);
	fabric_free(&f);
}
END_TEST

START_TEST(observers_change_nothing)
{
	char *dir = dir_new();
	struct observe_series series = { .name = "all", .match = "*", .every_ps = 7777777 };
	struct observe_conf conf = { .dir = dir, .series = &series, .nseries = 1 };

	for (int i = 0; i < 2; i++) {
		uint64_t alone = digest_alone(i ? star(-1) : ring(true, 3000000000));
		struct fabric *f = i ? star(-1) : ring(true, 3000000000);
		struct observe *o = watch(f, &conf);
		ck_assert_uint_eq(view_run(f).digest, alone);
		ck_assert_uint_eq(observe_summary(o)->digest, alone);
		observe_free(&o);
		fabric_free(&f);
	}
	dir_free(dir);
}
END_TEST

START_TEST(flows_and_transactions_are_counted)
{
	struct fabric *f = star(-1);
	char *dir = dir_new();
	struct observe *o = watch(f, &(struct observe_conf){ .dir = dir });
	struct summary *s = observe_summary(o);
	struct summary_workload *burst = &s->workloads[0], *db = &s->workloads[1];

	ck_assert_int_eq(burst->flows.started, 6);
	ck_assert_int_eq(burst->flows.finished, 6);
	ck_assert_int_eq(burst->flows.fct.count, 0);		/* began before the warm-up */
	ck_assert_int_eq(burst->delivered_bytes, 6000000);
	ck_assert_int_eq(db->flows.started, 200);		/* requests and responses */
	ck_assert_int_eq(db->flows.finished, 200);
	ck_assert_int_gt(db->flows.fct.count, 50); /* transactions after the warm-up */
	ck_assert_int_lt(db->flows.fct.count, 101);
	ck_assert_double_ge(db->flows.slowdown.p50, 1);
	ck_assert_double_le(db->flows.slowdown.p50, 1.2);
	ck_assert_int_eq(s->flows.started, 206);
	ck_assert_int_eq(s->flows.unfinished, 0);
	ck_assert_int_eq(s->classes[RDMA].flows.finished, 6);
	ck_assert_int_eq(s->drops[SUMMARY_LOSSLESS], 0);
	ck_assert_int_gt(s->pfc.paused_ps, 0);
	ck_assert_int_eq(s->pfc.nswitches, 1);
	ck_assert_str_eq(s->pfc.hosts_by_switch[0].name, "tor");
	ck_assert_int_eq(s->pfc.hosts_by_switch[0].paused_ps, s->pfc.paused_ps);
	ck_assert_int_eq(s->classes[RDMA].paused_ps, s->pfc.paused_ps);
	char *flows = slurp(dir, "flows.csv");
	ck_assert_int_eq(lines(flows), 207);
	free(flows);
	observe_free(&o);
	fabric_free(&f);
	dir_free(dir);
}
END_TEST

/* Sum of one integer column. */
static int64_t column_sum(const char *text, int column)
{
	int64_t sum = 0;

	for (text = strchr(text, '\n') + 1; *text; text = strchr(text, '\n') + 1) {
		const char *at = text;
		for (int i = 0; i < column; i++)
			at = strchr(at, ',') + 1;
		sum += strtoll(at, NULL, 10);
	}
	return sum;
}

START_TEST(pauses_add_up_to_the_summary)
{
	for (int i = 0; i < 2; i++) {
		struct fabric *f = i ? star(-1) : ring(true, 3000000000);
		char *dir = dir_new();
		struct observe *o = watch(f, &(struct observe_conf){ .dir = dir });
		struct summary *s = observe_summary(o);
		char *pauses = slurp(dir, "pauses.csv"), *ports = slurp(dir, "ports.csv");

		ck_assert_int_eq(column_sum(pauses, 8), s->pfc.paused_ps);
		ck_assert_int_eq(lines(pauses) - 1, s->pfc.xoff_frames);
		ck_assert_int_eq(column_sum(pauses, 6), s->pfc.refresh_frames);
		ck_assert_int_eq(column_sum(ports, 15), s->pfc.paused_ps);
		ck_assert_ptr_nonnull(strstr(pauses, i ? ",tor:7=" : ",B:1="));
		free(pauses);
		free(ports);
		observe_free(&o);
		fabric_free(&f);
		dir_free(dir);
	}
}
END_TEST

START_TEST(files_are_the_same_from_run_to_run)
{
	static const char *const names[] = {"flows.csv", "ports.csv", "pauses.csv",
					    "events.csv", "series/all.csv"};
	char *dir[2] = { dir_new(), dir_new() }, *json[2];
	size_t size[2];

	for (int i = 0; i < 2; i++) {
		struct observe_series series = { .name = "all", .match = "tor:*, nothing",
						 .every_ps = 10000000 };
		struct fabric *f = star(-1);
		struct observe *o = watch(
			f,
			&(struct observe_conf){.dir = dir[i], .nseries = 1, .series = &series});
		const struct summary *s = observe_summary(o);
		FILE *out = open_memstream(&json[i], &size[i]);
		ck_assert_int_eq(summary_write(out, &s, 1), 0);
		fclose(out);
		observe_free(&o);
		fabric_free(&f);
	}
	ck_assert_str_eq(json[0], json[1]);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *a = slurp(dir[0], names[i]), *b = slurp(dir[1], names[i]);
		ck_assert_str_eq(a, b);
		if (i == 4)	/* 300 samples of 8 ports and 2 priorities */
			ck_assert_int_eq(lines(a), 1 + 300 * 8 * 2);
		free(a);
		free(b);
	}
	free(json[0]);
	free(json[1]);
	dir_free(dir[0]);
	dir_free(dir[1]);
}
END_TEST

START_TEST(a_lossless_drop_is_the_first_finding)
{
	struct fabric *f = star(0);
	struct observe *o = watch(f, &(struct observe_conf){ .experiment = "star" });
	struct summary *s = observe_summary(o);

	ck_assert_int_gt(s->drops[SUMMARY_LOSSLESS], 0);
	ck_assert_int_gt(s->nwarnings, 0);
	ck_assert_int_eq(s->findings[0].level, SUMMARY_LOSS);
	ck_assert_ptr_nonnull(
		strstr(s->findings[0].text, "headroom is 0B where the link needs"));
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	ck_assert_int_eq(table_print(out, (const struct summary *const *)&s, 1), 0);
	fclose(out);
	ck_assert_msg(!strncmp(text, "FINDING: a lossless class lost ", 31), "%s", text);
	free(text);
	observe_free(&o);
	fabric_free(&f);
}
END_TEST

START_TEST(bad_requests_are_told_at_their_place)
{
	struct fabric *f = star(-1);
	char *dir = dir_new();
	struct observe_series series = { .name = "all", .match = "spine*", .every_ps = 1 };
	struct observe_conf conf = { .dir = dir, .series = &series, .nseries = 1 };

	ck_assert_ptr_null(observe_new(f, &conf, &err));
	ck_assert_str_eq(err.where, "/record/series/all/match");
	fabric_free(&f);
	dir_free(dir);

	f = star(-1);
	error_init(&err);
	conf = (struct observe_conf){ .dir = "/nowhere" };
	ck_assert_ptr_null(observe_new(f, &conf, &err));
	ck_assert_str_eq(err.text, "cannot make /nowhere/flows.csv: No such file or directory");
	fabric_free(&f);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("observe");
	TCase *t = tcase_create("observe");

	tcase_add_test(t, two_flows_round_a_ring_run_and_the_third_deadlocks);
	tcase_add_test(t, observers_change_nothing);
	tcase_add_test(t, flows_and_transactions_are_counted);
	tcase_add_test(t, pauses_add_up_to_the_summary);
	tcase_add_test(t, files_are_the_same_from_run_to_run);
	tcase_add_test(t, a_lossless_drop_is_the_first_finding);
	tcase_add_test(t, bad_requests_are_told_at_their_place);
	suite_add_tcase(s, t);
	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
