/*
 * tests/support/bed.h - a fabric in a few lines, and a log of what happened.
 *
 *	bed_open(&b, until_ps);			every setting at its default
 *	b.sw.buffer.xoff_bytes = 100000;	change what the test is about
 *	bed_host(&b, "a");
 *	bed_switch(&b, "s");
 *	bed_link(&b, "a", 0, "s", 0, 100 * BED_G, BED_US);
 *	bed_stream(&b, "load", "a", "c", 0, 1000, 0, UNITS_NEVER);
 *	bed_run(&b);
 *	bed_close(&b);
 *
 * A node or link takes the settings that stand in the bed when it is added.
 * What goes wrong ends the program: a test never looks at an error.
 */
#ifndef BED_H
#define BED_H
#include "models/fabric.h"
#include "models/view.h"

#define BED_G INT64_C(1000000000)	/* bits per second */
#define BED_NS INT64_C(1000)
#define BED_US INT64_C(1000000)
#define BED_MS INT64_C(1000000000)

/* The classes of a bed: lossless data, control, and two lossy ones. */
enum { BED_RDMA, BED_CNP, BED_BULK, BED_SCAVENGER, BED_CLASSES };
enum { BED_CCS = 20 };

struct bed {
	struct fabric *f;		/* made by the first thing added */
	struct run_conf run;
	struct class_conf classes[BED_CLASSES];
	struct switch_conf sw;		/* charges by bytes (cells of 1 B) */
	struct nic_conf nic;		/* congestion control "none" */
	struct link_conf link;
	int class_;			/* of the traffic that is added next */
	struct record *log;		/* bed_watch: the records, in order */
	int logged, log_room;
	char names[BED_CLASSES][16];
	bool finished;
	void *cc_confs[BED_CCS];
	int ccs;
};

void bed_open(struct bed *b, int64_t until_ps);
void bed_close(struct bed *b);
/* Congestion control of the hosts added next: name, preset, and pairs of key
 * and value, NULL at the end (presets and settings may be NULL). */
void bed_cc(struct bed *b, const char *name, const char *preset, const char *const *settings);

void bed_host(struct bed *b, const char *name);
void bed_switch(struct bed *b, const char *name);
void bed_link(struct bed *b, const char *x, int x_port, const char *y, int y_port,
	      int64_t rate_bps, int64_t delay_ps);
/* A host and its link: port 0 of `host` to port `sw_port` of `sw`. */
void bed_leaf(struct bed *b, const char *host, const char *sw, int sw_port, int64_t rate_bps,
	      int64_t delay_ps);
void bed_route(struct bed *b, const char *at, const char *to, const char *via);
void bed_flood(struct bed *b, const char *at, const char *to);	/* `at` knows no way to `to` */
/* A stream from one host to another; rate 0 is greedy. */
void bed_stream(struct bed *b, const char *name, const char *from, const char *to,
		int64_t rate_bps, int64_t frame_bytes, int64_t start_ps, int64_t stop_ps);
void bed_flow(struct bed *b, const char *name, const char *from, const char *to,
	      int64_t size_bytes, int64_t count);
/* Any other workload: kind, hosts and sizes are the caller's; the class is the
 * bed's, and what is 0 gets a default. */
void bed_traffic(struct bed *b, struct workload_conf w, const char *name);
void bed_fault(struct bed *b, const struct fault_conf *fault);
/* Storm of the lossless class from `host`. */
void bed_storm(struct bed *b, const char *host, int64_t at_ps, int64_t lasts_ps);

void bed_finish(struct bed *b);			/* optional: bed_run does it */
void bed_watch(struct bed *b, uint64_t kinds);	/* log these kinds; finishes */
/* Runs, and checks that no byte was made or lost. */
void bed_run(struct bed *b);

uint32_t bed_node(const struct bed *b, const char *name);
uint32_t bed_port(const struct bed *b, const char *node, int number);
struct view_counters bed_counters(const struct bed *b, const char *node, int number, int prio);
struct view_workload bed_workload(const struct bed *b, const char *name);
/* The n-th logged record of `kind` (0: the first), at `port` unless that is
 * VIEW_NONE; NULL when there are not so many. */
const struct record *bed_record(const struct bed *b, int kind, uint32_t port, int n);
int bed_count(const struct bed *b, int kind, uint32_t port);
#endif
