/*
 * Flows from a list: each begins when the list says, alone it takes the time of its path, and what
 * Poisson drew and is then listed is the same run.
 *
 * The time of one frame over h links is h * (t(8 + F) + d), as in check_wire.c.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/bed.h"

enum { FLOWS = 4096 };

struct seen { int64_t start_ps, end_ps, size_bytes, fct_ps; uint32_t src, dst; uint64_t hash; };
struct log { const struct fabric *f; struct seen flow[FLOWS]; int n; uint32_t id[FLOWS]; };

static void watch(void *ctx, const struct record *rec)
{
	struct log *log = ctx;

	if (rec->kind == RECORD_FLOW_START) {
		struct view_flow flow = view_flow(log->f, rec->flow);

		ck_assert_int_lt(log->n, FLOWS);
		ck_assert_int_eq(flow.start_ps, rec->at_ps);
		log->id[log->n] = rec->flow;
		log->flow[log->n++] = (struct seen){ .start_ps = rec->at_ps, .size_bytes = flow.size_bytes, .src = flow.src,
			.dst = flow.dst, .hash = flow.hash, .end_ps = -1 };
		return;
	}
	for (int i = log->n - 1; i >= 0; i--) {		/* the latest that has the id */
		if (log->id[i] != rec->flow)
			continue;
		log->flow[i].end_ps = rec->at_ps;
		log->flow[i].fct_ps = rec->a;
		return;
	}
}

static uint64_t run(struct bed *b, struct log *log)
{
	bed_finish(b);
	log->f = b->f;
	fabric_add_sink(b->f, UINT64_C(1) << RECORD_FLOW_START | UINT64_C(1) << RECORD_FLOW_DELIVERED, watch, log);
	bed_run(b);
	return view_run(b->f).digest;
}

/* ---- alone ---- */

/* One packet of 970 bytes is a frame of 1050, 1058 with its preamble. */
enum { ONE_PS = 2 * (1058 * 80 + 1000000) };

START_TEST(alone)
{
	static const struct { int64_t start_us; int from, to; int64_t size; } rows[] = {
		{ 90, 2, 0, 970 }, { 10, 0, 1, 970 }, { 50, 1, 2, 970 }, { 30, 0, 2, 970 }, { 70, 1, 0, 970 } };
	enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
	char a[] = "a", b_[] = "b", c[] = "c", *hosts[] = { c, a, b_ };		/* not in order */
	static const char *const name[] = { "c", "a", "b" };
	struct workload_flow list[ROWS];
	static struct log log;
	struct bed b;

	memset(&log, 0, sizeof(log));
	bed_open(&b, 200 * BED_US);
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(&b, "b", "s", 1, 100 * BED_G, BED_US);
	bed_leaf(&b, "c", "s", 2, 100 * BED_G, BED_US);
	for (int i = 0; i < ROWS; i++)
		list[i] = (struct workload_flow){ rows[i].start_us * BED_US, rows[i].size, rows[i].from, rows[i].to };
	/* 10 us of the list is 3 us of the run; what would start at 83 us or later does not */
	bed_traffic(&b, (struct workload_conf){ .kind = WORKLOAD_LIST, .from = hosts, .nfrom = 3, .to = hosts, .nto = 3,
		.list = list, .nlist = ROWS, .origin_ps = 10 * BED_US, .start_ps = 3 * BED_US, .stop_ps = 83 * BED_US },
		"l");
	run(&b, &log);
	ck_assert_int_eq(log.n, ROWS - 1);
	for (int i = 0; i < log.n; i++) {
		int k = 0;

		while (rows[k].start_us != 10 + 20 * i)
			k++;
		ck_assert_int_eq(log.flow[i].start_ps, (rows[k].start_us - 10 + 3) * BED_US);
		ck_assert_str_eq(view_node_name(b.f, log.flow[i].src), name[rows[k].from]);
		ck_assert_str_eq(view_node_name(b.f, log.flow[i].dst), name[rows[k].to]);
		ck_assert_int_eq(log.flow[i].fct_ps, ONE_PS);
		ck_assert_int_eq(log.flow[i].end_ps, log.flow[i].start_ps + ONE_PS);
	}
	ck_assert_int_eq(bed_workload(&b, "l").delivered_bytes, (ROWS - 1) * 970);
	bed_close(&b);
}
END_TEST

/* Two at one instant from one host share its wire: n frames take (n - 1) t(F + 20) more, and the last
 * of them ends that much later than one alone. */
START_TEST(together)
{
	char a[] = "a", z[] = "z", *from[] = { a }, *to[] = { z };
	struct workload_flow list[5];
	static struct log log;
	int64_t last = 0;
	struct bed b;

	memset(&log, 0, sizeof(log));
	bed_open(&b, 200 * BED_US);
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(&b, "z", "s", 1, 100 * BED_G, BED_US);
	for (int i = 0; i < 5; i++)
		list[i] = (struct workload_flow){ BED_US, 970, 0, 0 };
	bed_traffic(&b, (struct workload_conf){ .kind = WORKLOAD_LIST, .from = from, .nfrom = 1, .to = to, .nto = 1,
		.list = list, .nlist = 5 }, "l");
	run(&b, &log);
	ck_assert_int_eq(log.n, 5);
	for (int i = 0; i < 5; i++)
		last = log.flow[i].end_ps > last ? log.flow[i].end_ps : last;
	ck_assert_int_eq(last, BED_US + ONE_PS + 4 * 1070 * 80);
	bed_close(&b);
}
END_TEST

/* ---- a replay ---- */

enum { LEAVES = 3, SPINES = 4, HOSTS = 9 };

/* Nine hosts on three leaves below four spines, DCQCN, buffers that pause. */
static void fabric(struct bed *b, int64_t seed)
{
	char leaf[8], spine[8], host[8];

	bed_open(b, 2 * BED_MS);
	b->run.seed = seed;
	b->sw.buffer.xoff_bytes = 100000;
	b->sw.ecn[BED_RDMA] = (struct ecn_conf){ .on = true, .kmin_bytes = 20000, .kmax_bytes = 80000,
						 .pmax = { 1, 5 } };
	bed_cc(b, "dcqcn", "connectx", NULL);
	for (int s = 0; s < SPINES; s++) {
		snprintf(spine, sizeof(spine), "s%d", s);
		bed_switch(b, spine);
	}
	for (int l = 0; l < LEAVES; l++) {
		snprintf(leaf, sizeof(leaf), "l%d", l);
		bed_switch(b, leaf);
		for (int s = 0; s < SPINES; s++) {
			snprintf(spine, sizeof(spine), "s%d", s);
			bed_link(b, leaf, s, spine, l, 25 * BED_G, BED_US);
		}
		for (int h = 0; h < HOSTS / LEAVES; h++) {
			snprintf(host, sizeof(host), "h%d", l * (HOSTS / LEAVES) + h + 3);	/* h3 to h11 */
			bed_leaf(b, host, leaf, SPINES + h, 100 * BED_G, BED_US);
		}
	}
}

static const struct log *drawn(int64_t seed, uint64_t *digest)
{
	static struct log log;
	static char name[HOSTS][8];
	char *hosts[HOSTS];
	int64_t sizes[] = { 1, 100000 };
	double fractions[] = { 0, 1 };
	struct bed b;

	memset(&log, 0, sizeof(log));
	for (int i = 0; i < HOSTS; i++) {
		snprintf(name[i], sizeof(name[i]), "h%d", i + 3);
		hosts[i] = name[i];
	}
	fabric(&b, seed);
	bed_traffic(&b, (struct workload_conf){ .kind = WORKLOAD_POISSON, .from = hosts, .nfrom = HOSTS, .load = { 4, 10 },
		.cdf = { .n = 2, .size_bytes = sizes, .fraction = fractions }, .start_ps = BED_US,
		.stop_ps = BED_MS / 2 }, "web");
	*digest = run(&b, &log);
	log.f = NULL;
	bed_close(&b);
	return &log;
}

/* The list of what was seen, its rows and hosts in another order. */
static uint64_t listed(int64_t seed, const struct log *of, const char *workload, struct log *log)
{
	static struct workload_flow list[FLOWS];
	static char name[HOSTS][8];
	char *from[HOSTS], *to[HOSTS];
	uint64_t digest;
	uint32_t node[HOSTS];
	struct bed b;

	fabric(&b, seed);
	for (int i = 0; i < HOSTS; i++) {
		snprintf(name[i], sizeof(name[i]), "h%d", i + 3);
		from[HOSTS - 1 - i] = to[(i + 4) % HOSTS] = name[i];
		node[i] = (uint32_t)i;			/* natural order: hosts, leaves, spines */
	}
	for (int i = 0; i < of->n; i++) {
		const struct seen *s = &of->flow[i];

		list[of->n - 1 - i] = (struct workload_flow){ s->start_ps, s->size_bytes,
			HOSTS - 1 - (int32_t)node[s->src], (int32_t)(node[s->dst] + 4) % HOSTS };
	}
	bed_traffic(&b, (struct workload_conf){ .kind = WORKLOAD_LIST, .from = from, .nfrom = HOSTS, .to = to,
		.nto = HOSTS, .list = list, .nlist = of->n }, workload);
	memset(log, 0, sizeof(*log));
	digest = run(&b, log);
	bed_close(&b);
	return digest;
}

/* Under the same name all is the same, ECMP's choices and so the digest included. */
START_TEST(replayed)
{
	static struct log log;
	uint64_t digest;
	const struct log *poisson = drawn(_i, &digest);

	ck_assert_int_gt(poisson->n, 200);
	ck_assert_uint_eq(listed(_i, poisson, "web", &log), digest);
	ck_assert_int_eq(log.n, poisson->n);
	for (int i = 0; i < log.n; i++) {
		ck_assert_int_eq(log.flow[i].start_ps, poisson->flow[i].start_ps);
		ck_assert_int_eq(log.flow[i].size_bytes, poisson->flow[i].size_bytes);
		ck_assert_uint_eq(log.flow[i].hash, poisson->flow[i].hash);
		ck_assert_int_eq(log.flow[i].fct_ps, poisson->flow[i].fct_ps);
	}
}
END_TEST

/* Under another name they are the same flows, but their hashes and so their ways are not. */
START_TEST(replayed_under_another_name)
{
	static struct log log;
	uint64_t digest;
	const struct log *poisson = drawn(1, &digest);

	ck_assert_uint_ne(listed(1, poisson, "other", &log), digest);
	ck_assert_int_eq(log.n, poisson->n);
	for (int i = 0; i < log.n; i++) {
		ck_assert_int_eq(log.flow[i].start_ps, poisson->flow[i].start_ps);
		ck_assert_int_eq(log.flow[i].size_bytes, poisson->flow[i].size_bytes);
		ck_assert_uint_eq(log.flow[i].src, poisson->flow[i].src);
		ck_assert_uint_eq(log.flow[i].dst, poisson->flow[i].dst);
		ck_assert_uint_ne(log.flow[i].hash, poisson->flow[i].hash);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("list");
	TCase *tc = tcase_create("list");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, alone);
	tcase_add_test(tc, together);
	tcase_add_loop_test(tc, replayed, 1, 5);
	tcase_add_test(tc, replayed_under_another_name);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
