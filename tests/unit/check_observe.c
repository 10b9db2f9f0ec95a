/*
 * observe/ on real fabrics: the ring that deadlocks (algorithms.md, D2), a star
 * with flows, transactions and an incast; the files, the summary, and the law
 * that observers change nothing.
 */
#include "tests/unit/small_fabric.h"

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
	char *dir = dir_new("run");
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
	char *dir = dir_new("run");
	struct observe *o = watch(f, &(struct observe_conf){ .dir = dir });
	struct summary *s = observe_summary(o);
	struct summary_workload *burst = &s->workloads[0], *db = &s->workloads[1];

	ck_assert_int_eq(burst->flows.started, 6);
	ck_assert_int_eq(burst->flows.finished, 6);
	ck_assert_int_eq(burst->flows.fct.count, 0);		/* began before the warm-up */
	ck_assert_int_eq(burst->delivered_bytes, 6000000);
	ck_assert_int_eq(burst->mean_bytes, 1000000);
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

/* Four messages that do not meet, so that each takes its ideal time; an edge belongs to
 * the bucket below it. */
START_TEST(sizes_have_their_buckets)
{
	static const int64_t edge[] = { 10000, 4000000 };
	static const int64_t size[] = { 10000, 10001, 4000000, 4000001 };
	static const struct { const char *name; int64_t above, upto, count; } want[] = {
		{ "upto_10KB", 0, 10000, 1 }, { "upto_4MB", 10000, 4000000, 2 },
		{ "above_4MB", 4000000, -1, 1 },
	};
	static char host[8][4], flow[4][4], *name[8];
	struct fabric *f = begin(3000000000, 0);

	add_switch(f, "tor", -1);
	for (int i = 0; i < 8; i++) {
		snprintf(host[i], sizeof(host[i]), "h%d", i);
		name[i] = host[i];
		add_host(f, host[i]);
		add_link(f, "tor", i, host[i], 0);
	}
	for (int i = 0; i < 4; i++) {
		snprintf(flow[i], sizeof(flow[i]), "f%d", i);
		add_traffic(f, WORKLOAD_FLOW, flow[i], name + i, 1, name + 4 + i, 1,
			    (struct workload_conf){ .class_ = RDMA, .size_bytes = size[i], .count = 1 });
	}
	finish(f);
	struct observe *o = watch(f, &(struct observe_conf){ .sizes_bytes = edge, .nsizes = 2 });
	struct summary *s = observe_summary(o);

	ck_assert_int_eq(s->nsizes, 3);
	for (int i = 0; i < 3; i++) {
		ck_assert_str_eq(s->sizes[i].name, want[i].name);
		ck_assert_int_eq(s->sizes[i].above_bytes, want[i].above);
		ck_assert_int_eq(s->sizes[i].upto_bytes, want[i].upto);
		ck_assert_int_eq(s->sizes[i].fct.count, want[i].count);
		ck_assert_int_eq(s->sizes[i].slowdown.count, want[i].count);
		ck_assert_double_eq(s->sizes[i].slowdown.max, 1);
	}
	ck_assert_int_eq(s->sizes[0].fct.max, s->workloads[0].flows.fct.max);
	observe_free(&o);
	fabric_free(&f);
}
END_TEST

START_TEST(pauses_add_up_to_the_summary)
{
	for (int i = 0; i < 2; i++) {
		struct fabric *f = i ? star(-1) : ring(true, 3000000000);
		char *dir = dir_new("run");
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
	char *dir[2] = { dir_new("run"), dir_new("run") }, *json[2];
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
	char *dir = dir_new("run");
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
	tcase_add_test(t, sizes_have_their_buckets);
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
