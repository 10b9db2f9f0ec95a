/*
 * bench - how fast Xoff runs, on the three workloads its speed is judged by.
 *
 *	bench permutation K [MESSAGE_BYTES] [heap]	k-ary fat-tree, 100G, 1 us links
 *	bench websearch [MILLISECONDS] [heap]		320 hosts, Poisson WebSearch at 50 %
 *	bench idle QPS					memory of idle QPs
 *
 * PFC, ECN and DCQCN are on, frames carry 4096 bytes, every packet is ACKed.
 * A packet-hop is a frame that arrives at the far end of a link, ACKs and CNPs
 * included, pauses not: the same count as in netfloor.c.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "models/fabric.h"
#include "models/host/host.h"
#include "models/host/workload_cdf.h"
#include "models/view.h"
#include "models/wire/port.h"
#include "sim/mem.h"

static double cpu_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(int failed, const struct sim_error *err)
{
	if (failed) {
		fprintf(stderr, "bench: %s %s\n", err->where, err->text);
		exit(1);
	}
}

struct bed {
	struct fabric *f;
	struct sim_error err;
	struct switch_conf sw;
	struct nic_conf nic;
	void *cc;
	char **hosts;
	int nhosts;
};

static void bed_open(struct bed *b, int64_t until_ps, int queue)
{
	struct class_conf rdma = { .name = (char[]){ "rdma" }, .dscp = 26, .tc = 3, .priority = 3,
				   .lossless = true, .weight = 1 };
	struct class_conf cnp = { .name = (char[]){ "cnp" }, .dscp = 48, .tc = 6, .priority = 6, .strict = true,
				  .weight = 1 };
	struct class_conf classes[2] = { rdma, cnp };
	struct run_conf run;

	memset(b, 0, sizeof *b);
	error_init(&b->err);
	param_defaults(run_params, &run);
	run.until_ps = until_ps;
	run.queue = queue;
	b->f = fabric_new(&run, classes, 2);
	param_defaults(switch_params, &b->sw);
	param_defaults(mmu_params, &b->sw.buffer);
	b->sw.buffer.size_bytes = INT64_C(32) << 20;
	param_defaults(pfc_params, &b->sw.pfc);
	param_defaults(ecn_params, &b->sw.ecn[0]);
	b->sw.ecn[0].on = true;
	b->sw.ecn[0].kmin_bytes = 400000;	/* HPCC's rule: 100 KB and 400 KB per 25G */
	b->sw.ecn[0].kmax_bytes = 1600000;
	b->sw.ecn[0].pmax = (struct units_ratio){ 1, 5 };
	for (int d = 0; d < FABRIC_DSCPS; d++)
		b->sw.dscp_to_tc[d] = -1;
	param_defaults(nic_params, &b->nic);
	param_defaults(pfc_params, &b->nic.pfc);
	b->nic.cc = cc_find("dcqcn");
	b->cc = b->nic.cc_conf = mem_zalloc(b->nic.cc->conf_size);
	param_defaults(b->nic.cc->params, b->cc);
	for (const char *const *s = b->nic.cc->presets[1].settings; *s; s += 2)
		must(param_set(param_find(b->nic.cc->params, s[0]), b->cc, s[1], &b->err), &b->err);
	b->nic.cnp_class = 1;
	b->nic.ack_class = -1;
	b->nic.cnp_interval_ps = 4000000;
	for (int c = 0; c < FABRIC_CLASSES; c++)
		b->nic.dscp[c] = -1;
}

static void bed_link(struct bed *b, const char *x, int xp, const char *y, int yp, int64_t rate)
{
	struct link_conf l;
	param_defaults(link_params, &l);
	l.rate_bps = rate;
	l.delay_ps = 1000000;
	must(fabric_add_link(b->f, x, xp, y, yp, &l, &b->err), &b->err);
}

static char *name(const char *what, int i, int j)
{
	static char text[4][32];
	static int at;
	char *t = text[at++ % 4];
	if (j < 0)
		snprintf(t, sizeof text[0], "%s%d", what, i);
	else
		snprintf(t, sizeof text[0], "%s%d_%d", what, i, j);
	return t;
}

static void add_host(struct bed *b, const char *n)
{
	must(fabric_add_host(b->f, n, &b->nic, &b->err), &b->err);
	b->hosts = mem_grow(b->hosts, (size_t)(b->nhosts + 1) * sizeof *b->hosts);
	b->hosts[b->nhosts++] = mem_strdup(n);
}

static void fat_tree(struct bed *b, int k, int64_t rate)
{
	int half = k / 2;

	for (int c = 0; c < half * half; c++)
		must(fabric_add_switch(b->f, name("core", c, -1), &b->sw, &b->err), &b->err);
	for (int pod = 0; pod < k; pod++)
		for (int i = 0; i < half; i++) {
			must(fabric_add_switch(b->f, name("edge", pod, i), &b->sw, &b->err), &b->err);
			must(fabric_add_switch(b->f, name("agg", pod, i), &b->sw, &b->err), &b->err);
		}
	for (int pod = 0; pod < k; pod++)
		for (int i = 0; i < half; i++) {
			for (int h = 0; h < half; h++) {
				char *host = name("h", (pod * half + i) * half + h, -1);
				add_host(b, host);
				bed_link(b, host, 0, name("edge", pod, i), h, rate);
			}
			for (int j = 0; j < half; j++)
				bed_link(b, name("edge", pod, i), half + j, name("agg", pod, j), i, rate);
			for (int j = 0; j < half; j++)
				bed_link(b, name("agg", pod, i), half + j, name("core", i * half + j, -1), pod, rate);
		}
}

/* The HPCC simulator's: 20 ToRs of 16 hosts, 20 aggregation, 16 core switches. */
static void hpcc_tree(struct bed *b)
{
	const int64_t g100 = INT64_C(100000000000), g400 = 4 * g100;

	for (int c = 0; c < 16; c++)
		must(fabric_add_switch(b->f, name("core", c, -1), &b->sw, &b->err), &b->err);
	for (int t = 0; t < 20; t++) {
		must(fabric_add_switch(b->f, name("tor", t, -1), &b->sw, &b->err), &b->err);
		must(fabric_add_switch(b->f, name("agg", t, -1), &b->sw, &b->err), &b->err);
	}
	for (int t = 0; t < 20; t++) {
		for (int h = 0; h < 16; h++) {
			char *host = name("h", t * 16 + h, -1);
			add_host(b, host);
			bed_link(b, host, 0, name("tor", t, -1), h, g100);
		}
		for (int a = 0; a < 4; a++)
			bed_link(b, name("tor", t, -1), 16 + a, name("agg", t / 4 * 4 + a, -1), t % 4, g400);
		for (int c = 0; c < 4; c++)
			bed_link(b, name("agg", t, -1), 4 + c, name("core", t % 4 * 4 + c, -1), t / 4, g400);
	}
}

static void traffic(struct bed *b, int kind, int64_t size)
{
	struct workload_conf w = { .name = (char[]){ "load" }, .kind = kind, .from = b->hosts, .nfrom = b->nhosts,
				   .stop_ps = UNITS_NEVER, .size_bytes = size, .count = kind == WORKLOAD_POISSON ? 0 : 1,
				   .qps = 1, .replicas = 1, .load = { 1, 2 }, .jitter = { 0, 1 } };

	if (kind == WORKLOAD_POISSON)
		workload_cdf_builtin("websearch", &w.cdf);
	must(fabric_add_traffic(b->f, &w, &b->err), &b->err);
	workload_cdf_fini(&w.cdf);
}

static void report(struct bed *b, const char *what, double cpu)
{
	struct view_run r = view_run(b->f);
	struct view_totals t = view_totals(b->f);
	struct rusage u;
	int64_t xoff = 0, drops = 0;

	for (uint32_t p = 0; p < view_ports(b->f); p++)
		for (int prio = 0; prio < 8; prio++) {
			struct view_counters c = view_counters(b->f, p, prio);
			xoff += c.xoff_frames;
			drops += c.drops[RECORD_DROP_LOSSLESS];
		}
	getrusage(RUSAGE_SELF, &u);
	must(view_conservation(b->f, &b->err), &b->err);
	printf("%-18s hosts %d  simulated_us %.1f  cpu_s %.3f  events %llu  packet_hops %llu  events_per_s %.0f  "
	       "packet_hops_per_s %.0f  xoff %lld  marked %lld  cnps %lld  lossless_drops %lld  pool_growths %llu  "
	       "bytes_per_qp %zu  bytes_per_port %zu  peak_rss_mb %.1f  digest %016llx\n",
	       what, b->nhosts, (double)(r.last_delivery_ps > 0 ? r.last_delivery_ps : r.now_ps) / 1e6, cpu,
	       (unsigned long long)r.events, (unsigned long long)r.packet_hops, (double)r.events / cpu,
	       (double)r.packet_hops / cpu, (long long)xoff, (long long)t.marked_frames, (long long)t.cnps,
	       (long long)drops, (unsigned long long)r.pool_growths, host_qp_bytes(b->nic.cc->state_size) + sizeof(struct qp_remote),
	       sizeof(struct port) + 8 * sizeof(struct port_stats) + 8 * sizeof(struct mmu_group),
	       (double)u.ru_maxrss / 1024, (unsigned long long)r.digest);
}

static void run(struct bed *b, const char *what)
{
	must(fabric_finish(b->f, &b->err), &b->err);
	struct mallinfo2 before = mallinfo2();
	double from = cpu_s();
	fabric_run(b->f, NULL);
	from = cpu_s() - from;
	struct mallinfo2 after = mallinfo2();
	report(b, what, from);
	printf("%-18s heap bytes taken during the run: %lld\n", what,
	       (long long)(after.uordblks + after.hblkhd) - (long long)(before.uordblks + before.hblkhd));
	fabric_free(&b->f);
	for (int i = 0; i < b->nhosts; i++)
		free(b->hosts[i]);
	free(b->hosts);
	free(b->cc);
}

/* QPs that wait: nothing is due before the end of the run. */
static void idle(int64_t qps)
{
	struct bed b;
	struct rusage u;
	char *one, *two;

	bed_open(&b, 1000000, ENGINE_WHEEL);
	must(fabric_add_switch(b.f, "s0", &b.sw, &b.err), &b.err);
	add_host(&b, "h0");
	add_host(&b, "h1");
	bed_link(&b, "h0", 0, "s0", 0, INT64_C(100000000000));
	bed_link(&b, "h1", 0, "s0", 1, INT64_C(100000000000));
	one = b.hosts[0];
	two = b.hosts[1];
	struct workload_conf w = { .name = (char[]){ "wait" }, .kind = WORKLOAD_REQUEST_RESPONSE, .from = &one,
				   .nfrom = 1, .to = &two, .nto = 1, .start_ps = UNITS_PS_PER_S,
				   .stop_ps = UNITS_NEVER, .request_bytes = 64, .response_bytes = 64,
				   .qps = (qps + 1) / 2, .load = { 1, 2 }, .jitter = { 0, 1 } };
	must(fabric_add_traffic(b.f, &w, &b.err), &b.err);
	must(fabric_finish(b.f, &b.err), &b.err);
	fabric_run(b.f, NULL);
	getrusage(RUSAGE_SELF, &u);
	printf("idle               qps %lld  bytes_per_qp %zu  peak_rss_mb %.1f\n", (long long)(qps + 1) / 2 * 2,
	       host_qp_bytes(b.nic.cc->state_size) + sizeof(struct qp_remote), (double)u.ru_maxrss / 1024);
	fabric_free(&b.f);
	free(one);
	free(two);
	free(b.hosts);
	free(b.cc);
}

int main(int argc, char **argv)
{
	struct bed b;
	const char *what = argc > 1 ? argv[1] : "permutation";
	int queue = argc > 1 && !strcmp(argv[argc - 1], "heap") ? ENGINE_HEAP : ENGINE_WHEEL;

	if (!strcmp(what, "permutation")) {
		int k = argc > 2 ? atoi(argv[2]) : 8;
		int64_t size = argc > 3 && atoll(argv[3]) > 0 ? atoll(argv[3]) : (k > 8 ? 600 : 5000) * INT64_C(4096);
		bed_open(&b, UNITS_PS_PER_S, queue);
		fat_tree(&b, k, INT64_C(100000000000));
		traffic(&b, WORKLOAD_PERMUTATION, size);
	} else if (!strcmp(what, "websearch")) {
		int64_t ms = argc > 2 && atoll(argv[2]) > 0 ? atoll(argv[2]) : 2;
		bed_open(&b, ms * 1000000000, queue);
		hpcc_tree(&b);
		traffic(&b, WORKLOAD_POISSON, 0);
	} else if (!strcmp(what, "idle")) {
		idle(argc > 2 ? atoll(argv[2]) : 1000000);
		return 0;
	} else {
		fprintf(stderr, "bench: permutation K [BYTES] [heap], or websearch [MS] [heap]\n");
		return 2;
	}
	run(&b, what);
	return 0;
}
