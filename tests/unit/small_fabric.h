/*
 * tests/unit/small_fabric.h - real fabrics of a few nodes, built through
 * models/fabric.h, and what reads the files of a run.
 * Included by one file of a program.
 */
#ifndef SMALL_FABRIC_H
#define SMALL_FABRIC_H
#include <dirent.h>
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
#include "tests/support/scratch.h"

enum { RDMA, OTHER };

static struct sim_error err;

/* What a test wants otherwise; all zero: as the functions below say. */
static struct {
	bool watchdog;			/* on all switch ports, 2 ms, poll 1 ms */
	int64_t mtu_bytes, cell_bytes;	/* of switches */
	int64_t retry_timeout_ps, retry_count;
	int recovery;			/* enum nic_recovery */
	int64_t third_stop_ps;		/* of the ring's third stream */
	bool global;			/* pauses of 802.3x, which stop whole ports */
	struct fault_conf fault;
} tune;

static inline struct fabric *begin(int64_t until_ps, int64_t warmup_ps)
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

static inline void add_switch(struct fabric *f, const char *name, int64_t headroom_bytes)
{
	struct switch_conf conf;

	memset(&conf, 0, sizeof(conf));
	param_defaults(switch_params, &conf);
	param_defaults(mmu_params, &conf.buffer);
	param_defaults(pfc_params, &conf.pfc);
	conf.pfc.mode = tune.global ? PFC_MODE_GLOBAL : PFC_MODE_PRIORITY;
	conf.buffer.xoff_bytes = 100000;
	conf.buffer.xon_offset_bytes = 3000;
	conf.buffer.cell_bytes = tune.cell_bytes ? tune.cell_bytes : 1;
	conf.buffer.headroom_bytes = headroom_bytes;
	if (tune.watchdog) {
		param_defaults(watchdog_params, &conf.watchdog);
		conf.watchdog.on = true;
		conf.watchdog.detect_ps = conf.watchdog.restore_ps = 2000000000;
		conf.watchdog.poll_ps = 1000000000;
	}
	if (tune.mtu_bytes)
		conf.mtu_bytes = tune.mtu_bytes;
	for (int i = 0; i < FABRIC_DSCPS; i++)
		conf.dscp_to_tc[i] = -1;
	ck_assert_msg(!fabric_add_switch(f, name, &conf, &err), "%s", err.text);
}

static inline void *cc_none_conf(void)
{
	static _Alignas(16) char conf[256];

	ck_assert_uint_le(cc_find("none")->conf_size, sizeof(conf));
	param_defaults(cc_find("none")->params, conf);
	return conf;
}

static inline void add_host(struct fabric *f, const char *name)
{
	struct nic_conf conf;

	memset(&conf, 0, sizeof(conf));
	param_defaults(nic_params, &conf);
	param_defaults(pfc_params, &conf.pfc);
	conf.pfc.mode = tune.global ? PFC_MODE_GLOBAL : PFC_MODE_PRIORITY;
	conf.cc = cc_find("none");
	conf.cc_conf = cc_none_conf();
	conf.ack_class = -1;
	conf.recovery = tune.recovery;
	if (tune.retry_timeout_ps) {
		conf.retry_timeout_ps = tune.retry_timeout_ps;
		conf.retry_count = tune.retry_count;
	}
	for (int i = 0; i < FABRIC_CLASSES; i++)
		conf.dscp[i] = -1;
	ck_assert_msg(!fabric_add_host(f, name, &conf, &err), "%s", err.text);
}

static inline void add_link(struct fabric *f, const char *a, int a_port, const char *b, int b_port)
{
	struct link_conf conf = { .rate_bps = 40000000000, .cable_mm = 20000, .delay_ps = -1 };

	ck_assert_msg(!fabric_add_link(f, a, a_port, b, b_port, &conf, &err), "%s", err.text);
}

static inline void add_traffic(struct fabric *f, int kind, const char *name, char **from, int nfrom,
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
	if (more.stop_ps)
		conf.stop_ps = more.stop_ps;
	if (more.request_bytes) {
		conf.request_bytes = more.request_bytes;
		conf.response_bytes = more.response_bytes;
		conf.count = more.count;
	}
	ck_assert_msg(!fabric_add_traffic(f, &conf, &err), "%s", err.text);
}

static inline void finish(struct fabric *f)
{
	if (tune.fault.name)
		ck_assert_msg(!fabric_add_fault(f, &tune.fault, &err), "%s", err.text);
	ck_assert_msg(!fabric_finish(f, &err), "%s", err.text);
}

/* Four switches in a ring, a host each; f1 A>B>C>D and f2 C>D>A>B; `third` B>C. */
static inline struct fabric *ring(bool third, int64_t until_ps)
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
		add_traffic(f, WORKLOAD_STREAM, "f3", host[4], 1, host[5], 1,
			    (struct workload_conf){ .class_ = RDMA, .stop_ps = tune.third_stop_ps });
	finish(f);
	return f;
}

/* Eight hosts on one switch: an incast to h8, and transactions beside it. */
static inline struct fabric *star(int64_t headroom_bytes)
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
	finish(f);
	return f;
}

static inline struct observe *watch(struct fabric *f, struct observe_conf *conf)
{
	struct observe *o = observe_new(f, conf, &err);

	ck_assert_msg(o != NULL, "%s", err.text);
	fabric_run(f, NULL);
	ck_assert_msg(!observe_finish(o, &err), "%s", err.text);
	ck_assert_msg(!observe_broken(o), "%s", observe_broken(o));
	return o;
}

static inline uint64_t digest_alone(struct fabric *f)
{
	fabric_run(f, NULL);
	uint64_t digest = view_run(f).digest;
	fabric_free(&f);
	return digest;
}

static inline char *slurp(const char *dir, const char *name)
{
	char path[512], *text = mem_zalloc(1 << 22);

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *in = fopen(path, "r");
	ck_assert_msg(in != NULL, "%s", path);
	text[fread(text, 1, (1 << 22) - 1, in)] = 0;
	fclose(in);
	return text;
}

static inline int lines(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Sum of one integer column. */
static inline int64_t column_sum(const char *text, int column)
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
#endif
