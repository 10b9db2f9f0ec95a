/*
 * scenario/run.h - one run with every effective value, before it is a fabric.
 *
 * Owns everything it points to, but names of nodes: those are the topology's.
 * Loaded by run_load from the merged experiment, made into a fabric by
 * build_fabric, written out by resolved_print.
 */
#ifndef RUN_H
#define RUN_H
#include "models/fabric.h"
#include "scenario/read.h"
#include "scenario/scenario.h"
#include "scenario/topology.h"

struct run {
	struct run_conf conf;
	struct class_conf classes[FABRIC_CLASSES];	/* by name */
	int nclasses;
	struct topology topo;
	struct switch_conf *switches;	/* of topo.switches */
	struct switch_ports_conf **port_lists;	/* what their `ports` point to */
	int nport_lists;
	struct nic_conf *nics;		/* of topo.hosts */
	void **cc_confs;		/* what the nics' cc_conf point to */
	int ncc_confs;
	struct workload_conf *traffic;	/* by name */
	int ntraffic;
	struct route_conf *routes;	/* one for each (at, to); several of one name */
	int nroutes;
	struct fault_conf *faults;
	int nfaults;
	struct scenario_series *series;
	int nseries;
	int64_t sizes_bytes[SCENARIO_SIZES];	/* of record.sizes, ascending */
	int nsizes;
};

/* `run` is zero before; run_fini after, also on an error. */
int run_load(const struct read *experiment, struct run *run);
void run_fini(struct run *run);

/* Number of the class named at `at`, or -1 (an error that lists the classes). */
int run_class(const struct run *run, const struct read *at);
/* The key at the end of a cursor's pointer. */
const char *run_key(const struct read *at, char *buf, size_t size);
/* The one host or node named at a key; NULL and an error when absent or unknown. */
const char *run_node(const struct run *run, const struct read *at, const char *key);

/* Hosts (or all nodes) picked by a pattern or a list of patterns. */
struct run_names { char **names; int n; };	/* the array is the caller's */
int run_pick(const struct read *at, const char **names, int nnames, struct run_names *out);
#endif
