/*
 * models/host/workload.h - who sends what to whom, and when.
 *
 * A workload is split over its hosts: each host holds its own part with its
 * own random stream, so a part depends on (seed, workload name, host name).
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H
#include <stdbool.h>
#include <stdint.h>
#include "sim/param.h"

enum workload_kind {
	WORKLOAD_FLOW,		/* from[0] -> to[0], `size`, one message of one QP */
	WORKLOAD_STREAM,	/* from[0] -> to[0], unacknowledged `frame`s at `rate` (0 greedy) */
	WORKLOAD_INCAST,	/* every from -> to[0], one QP each, `size` each */
	WORKLOAD_PERMUTATION,	/* from: a random cyclic permutation of the hosts, `size` each */
	WORKLOAD_ALL_TO_ALL,	/* from: each to each other, `size` each */
	WORKLOAD_POISSON,	/* from: hosts; sizes from a CDF, `load` of the line, one QP a flow */
	WORKLOAD_REQUEST_RESPONSE, /* from clients, to servers (client i uses server i mod n); rate per client or closed loop */
	WORKLOAD_RING_ALLREDUCE,/* from: ranks in order; `size` reduced, `count` times */
	WORKLOAD_STORAGE_WRITE,	/* from clients, to servers; `size` to `replicas` servers; rate per client or closed loop */
	WORKLOAD_LIST		/* `list`: each flow by itself, one QP a flow; from and to are the hosts in it */
};

/* What the `from` hosts post; AS_NIC: as their NIC says (enum nic_verb is one less). */
enum workload_verb { WORKLOAD_AS_NIC, WORKLOAD_WRITE, WORKLOAD_SEND, WORKLOAD_READ };

struct workload_cdf { int n; int64_t *size_bytes; double *fraction; };	/* ascending; last fraction 1 */

/* One flow of a WORKLOAD_LIST: indices into conf.from and conf.to. */
struct workload_flow { int64_t start_ps, size_bytes; int32_t from, to; };

struct workload_conf {
	char *name;
	int kind;
	int class_;			/* class number */
	char **from; int nfrom;		/* host names */
	char **to; int nto;
	int64_t start_ps, stop_ps;	/* stop: no new message or stream frame after it */
	int64_t size_bytes;
	int64_t rate_bps;		/* stream: wire rate, 0 "greedy"; flow: cap of the QP, 0 "line" */
	int64_t frame_bytes;		/* stream: Ethernet frame with FCS */
	int64_t request_bytes, response_bytes;
	int64_t freq_mhz;		/* millihertz per client, 0 "closed" loop */
	int64_t count;			/* messages per source; 0 "endless" where a rate or loop allows it */
	int64_t depth;			/* flow: messages outstanding at once */
	int verb;			/* enum workload_verb; READ: data comes back from `to` */
	int64_t replicas;
	int64_t qps;			/* QPs per (source, destination): the messages go round them */
	struct units_ratio load;
	struct units_ratio jitter;	/* stream: each gap times 1 +- jitter */
	struct workload_cdf cdf;
	/* WORKLOAD_LIST, in any order; from and to name each host once.  A flow starts at its
	 * start_ps - origin_ps + conf.start_ps; none has a start_ps before origin_ps. */
	struct workload_flow *list; int64_t nlist;
	int64_t origin_ps;
};

/* The table of one kind: only the keys that it knows. */
const struct param *workload_params(enum workload_kind kind);
/* What a host with `nic` posts, an enum nic_verb.  Only workloads whose receivers do nothing with
 * what they get can read; the others write when their NIC says read. */
struct nic_conf;
int workload_verb(const struct workload_conf *conf, const struct nic_conf *nic);
const char *workload_kind_name(enum workload_kind kind);	/* "ring_allreduce" */
/* When the first of it may start. */
int64_t workload_first_ps(const struct workload_conf *conf);
/* How many flows of a list start at `at_ps` or later; 0 of other kinds. */
int64_t workload_listed_after(const struct workload_conf *conf, int64_t at_ps);
/* By sender, start, receiver and size, so that the order in which they were written does not count. */
void workload_list_sort(struct workload_flow *list, int64_t n);
#endif
