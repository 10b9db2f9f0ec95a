/*
 * Nothing that the traffic asks for is passed over: what has begun and what has not are
 * together what the settings say, whatever fails on the way.
 *
 * A star of four hosts, 100G, 1 us.  The link of h0 goes down for good, or nothing does.
 * Messages asked for:
 *
 *	flow			count
 *	incast, all to all	one a pair of hosts
 *	ring of n		count 2 (n - 1) n
 *	request, response	2 count a client
 *	storage			count copies a client
 *	list			as long as it is
 */
#include <check.h>
#include <stdio.h>

#include "tests/support/bed.h"

enum { HOSTS = 4 };

static char name[HOSTS][8], *all[HOSTS];

static struct workload_conf traffic(int kind)
{
	static struct workload_flow list[] = {
		{ 0, 100000, 0, 1 }, { 900 * BED_US, 100000, 0, 1 }, { 1100 * BED_US, 1000, 1, 0 },
	};
	struct workload_conf w = { .kind = kind, .from = all, .nfrom = HOSTS, .size_bytes = 400000, .count = 1,
				   .depth = 1 };

	switch (kind) {
	case WORKLOAD_FLOW:
		w.nfrom = 1;
		w.to = all + 1;
		w.nto = 1;
		w.count = 100;
		break;
	case WORKLOAD_INCAST:
		w.from = all + 1;
		w.nfrom = 3;
		w.to = all;
		w.nto = 1;
		break;
	case WORKLOAD_RING_ALLREDUCE:
		w.count = 5;
		break;
	case WORKLOAD_REQUEST_RESPONSE:
		w.nfrom = 2;
		w.to = all + 2;
		w.nto = 2;
		w.request_bytes = 1000;
		w.response_bytes = 50000;
		w.count = 100;
		w.qps = 1;
		break;
	case WORKLOAD_STORAGE_WRITE:
		w.from = all + 3;
		w.nfrom = 1;
		w.to = all;
		w.nto = 3;
		w.replicas = 3;
		w.count = 40;
		w.qps = 1;
		break;
	case WORKLOAD_LIST:
		w.to = all;
		w.nto = HOSTS;
		w.list = list;
		w.nlist = 3;
		break;
	default:
		break;
	}
	return w;
}

/* Between two numbers is what cannot begin: a row that says 0, 0 has to begin all. */
static const struct { int kind; int64_t asked, start_ps, down_ps, until_ps, least, most; } rows[] = {
	{ WORKLOAD_FLOW, 100, 0, UNITS_NEVER, 100 * BED_MS, 0, 0 },
	{ WORKLOAD_FLOW, 100, 0, UNITS_NEVER, BED_MS, 50, 99 },		/* 32 us each */
	{ WORKLOAD_FLOW, 100, 0, BED_MS, 100 * BED_MS, 50, 99 },
	{ WORKLOAD_FLOW, 100, 2 * BED_MS, UNITS_NEVER, BED_MS, 100, 100 },
	{ WORKLOAD_INCAST, 3, 0, 10 * BED_US, 100 * BED_MS, 0, 0 },
	{ WORKLOAD_INCAST, 3, 2 * BED_MS, UNITS_NEVER, BED_MS, 3, 3 },
	{ WORKLOAD_ALL_TO_ALL, 12, 2 * BED_MS, UNITS_NEVER, BED_MS, 12, 12 },
	{ WORKLOAD_RING_ALLREDUCE, 120, 0, UNITS_NEVER, 100 * BED_MS, 0, 0 },
	{ WORKLOAD_RING_ALLREDUCE, 120, 0, 100 * BED_US, 100 * BED_MS, 60, 119 },
	{ WORKLOAD_RING_ALLREDUCE, 120, 2 * BED_MS, UNITS_NEVER, BED_MS, 120, 120 },
	{ WORKLOAD_REQUEST_RESPONSE, 400, 0, UNITS_NEVER, 100 * BED_MS, 0, 0 },
	{ WORKLOAD_REQUEST_RESPONSE, 400, 0, 100 * BED_US, 100 * BED_MS, 100, 199 },	/* of h0 alone */
	{ WORKLOAD_STORAGE_WRITE, 120, 0, UNITS_NEVER, 100 * BED_MS, 0, 0 },
	{ WORKLOAD_STORAGE_WRITE, 120, 0, 500 * BED_US, 100 * BED_MS, 30, 119 },
	{ WORKLOAD_LIST, 3, 0, UNITS_NEVER, 100 * BED_MS, 0, 0 },
	{ WORKLOAD_LIST, 3, 0, UNITS_NEVER, BED_MS, 1, 1 },
	{ WORKLOAD_STREAM, 0, 0, UNITS_NEVER, BED_MS, 0, 0 },
};

START_TEST(all_that_is_asked_for_is_accounted_for)
{
	char down[] = "down", h0[] = "h0", s[] = "s";
	struct bed b;

	bed_open(&b, rows[_i].until_ps);
	b.nic.retry_timeout_ps = 100 * BED_US;
	bed_switch(&b, "s");
	for (int i = 0; i < HOSTS; i++) {
		snprintf(name[i], sizeof name[i], "h%d", i);
		all[i] = name[i];
		bed_leaf(&b, name[i], "s", i, 100 * BED_G, BED_US);
	}
	if (rows[_i].kind == WORKLOAD_STREAM) {
		bed_stream(&b, "w", "h0", "h1", 0, 1000, 0, UNITS_NEVER);
	} else {
		struct workload_conf w = traffic(rows[_i].kind);
		w.start_ps = rows[_i].start_ps;
		bed_traffic(&b, w, "w");
	}
	if (rows[_i].down_ps != UNITS_NEVER)
		bed_fault(&b, &(struct fault_conf){ .name = down, .kind = FAULT_LINK_DOWN, .a = h0, .b = s,
			.class_ = -1, .at_ps = rows[_i].down_ps, .lasts_ps = UNITS_NEVER });
	bed_watch(&b, UINT64_C(1) << RECORD_FLOW_START);
	bed_run(&b);
	int64_t left = view_not_begun(b.f, 0);
	ck_assert_int_eq(bed_count(&b, RECORD_FLOW_START, VIEW_NONE) + left, rows[_i].asked);
	ck_assert_int_ge(left, rows[_i].least);
	ck_assert_int_le(left, rows[_i].most);
	bed_close(&b);
}
END_TEST

/* Endless, a ring owes the rest of the round that it is in, and so does one that is stopped. */
START_TEST(a_round_that_has_begun_is_owed)
{
	for (int64_t count = 0; count < 2; count++) {
		struct bed b;

		bed_open(&b, 3 * BED_MS);
		bed_switch(&b, "s");
		for (int i = 0; i < HOSTS; i++) {
			snprintf(name[i], sizeof name[i], "h%d", i);
			all[i] = name[i];
			bed_leaf(&b, name[i], "s", i, 100 * BED_G, BED_US);
		}
		struct workload_conf w = traffic(WORKLOAD_RING_ALLREDUCE);
		w.size_bytes = 100000000;	/* a step takes 2 ms and more */
		w.count = count * 7;
		w.stop_ps = count ? BED_MS : UNITS_NEVER;
		bed_traffic(&b, w, "w");
		bed_run(&b);
		ck_assert_int_eq(view_not_begun(b.f, 0), 4 * 2 * 3 - 2 * 4);
		bed_close(&b);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("due");
	TCase *t = tcase_create("due");

	tcase_add_loop_test(t, all_that_is_asked_for_is_accounted_for, 0, sizeof rows / sizeof *rows);
	tcase_add_test(t, a_round_that_has_begun_is_owed);
	suite_add_tcase(s, t);
	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
