/*
 * observe/summary.h - one run in numbers: the object of summary.json, filled by
 * observe_finish and completed by the caller (cost, expects).
 *
 * Names in the JSON are those of DESIGN section 7.  Times are picoseconds,
 * -1 stands for "never" and is written as null.  All strings and arrays that
 * the struct points to belong to it, unless marked borrowed.
 */
#ifndef SUMMARY_H
#define SUMMARY_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "sim/error.h"

struct summary_times {		/* nearest rank; all null in JSON when count is 0 */
	int64_t count, mean, p50, p99, p999, max;
};
struct summary_ratios {
	int64_t count;
	double mean, p50, p99, p999, max;
};

struct summary_flows {		/* of a workload, a class or the run */
	int64_t started, finished, failed, unfinished;
	int64_t not_begun;	/* besides: what the settings ask for */
	double goodput_bps;
	struct summary_times fct;
	struct summary_ratios slowdown;
};

struct summary_workload {
	char *name;
	int kind;		/* enum workload_kind */
	char *class_;
	struct summary_flows flows;
	int64_t mean_bytes;	/* of its messages that have started; 0: none */
	int64_t delivered_bytes, first_delivery_ps, last_delivery_ps;
	int64_t longest_gap_ps;	/* between two messages delivered, 0: fewer than two */
	int64_t sent_frames, sent_bytes, iterations, qps, retransmitted_bytes;
	int64_t cnps;		/* that its senders got */
	int64_t rnr_naks, rnr_wait_ps;	/* ditto, and the time that they waited for receive buffers */
	char *not_begun_for;	/* what they wait for; NULL: all have begun */
	char *failure;		/* why the first flow failed; NULL: none did */
};
struct summary_size {		/* messages of more than `above` and at most `upto` bytes */
	char *name;		/* "upto_10KB"; the last one "above_10MB" */
	int64_t above_bytes, upto_bytes;	/* upto -1: no bound */
	struct summary_times fct;
	struct summary_ratios slowdown;
};
struct summary_class {
	char *name;
	bool lossless;
	struct summary_flows flows;
	int64_t paused_ps, drops;
};
struct summary_node { char *name; int64_t paused_ps; };

/* Samples of a series after the warm-up; the columns in the bit order of observe_what. */
enum { SUMMARY_QUEUE, SUMMARY_GROUP, SUMMARY_RATE, SUMMARY_PAUSE, SUMMARY_COLUMNS };
extern const char *const summary_columns[SUMMARY_COLUMNS];	/* "queue_bytes", ... */
struct summary_stat { double mean, sd; int64_t min, max; };
struct summary_place {		/* NODE:PORT/PRIORITY */
	char *name;
	struct summary_stat stat[SUMMARY_COLUMNS];
};
struct summary_series {
	char *name;
	unsigned what;		/* bit i: column i was asked for */
	int64_t samples;
	struct summary_place *places; int nplaces;	/* in order of names; not written without samples */
};

enum summary_drop {
	SUMMARY_LOSSLESS, SUMMARY_LOSSY, SUMMARY_WATCHDOG, SUMMARY_WIRE, SUMMARY_TTL,
	SUMMARY_NIC, SUMMARY_DROPS
};

struct summary_expect {		/* filled by the caller; strings borrowed */
	const char *rule;
	bool passed;
	const char *value;	/* the value found, as JSON text; NULL: null */
};
struct summary_cost {		/* filled by the caller; rates are derived */
	bool set;		/* false: "cost": {} */
	double wall_s, cpu_s;
	int64_t peak_rss_bytes;
};

enum summary_level {		/* of a finding, worst first */
	SUMMARY_BROKEN,		/* an invariant of ours */
	SUMMARY_LOSS,		/* a lossless class lost a frame */
	SUMMARY_DEADLOCK,
	SUMMARY_LIVELOCK,	/* a message is sent again and again for nothing */
	SUMMARY_STALL,
	SUMMARY_FAILURE,	/* flows failed */
	SUMMARY_STORM,		/* watchdogs fired */
	SUMMARY_NOTE		/* how near a pause came, and the like */
};
struct summary_finding { enum summary_level level; char *text; };

struct summary {
	const char *experiment, *variant, *version, *commit, *compiler;	/* borrowed */
	int64_t seed;
	uint64_t digest;
	bool complete;
	int64_t simulated_ps, warmup_ps;
	int64_t events, packet_hops, pool_growths;
	struct summary_cost cost;
	struct summary_flows flows;
	struct summary_workload *workloads; int nworkloads;	/* in order of names */
	struct summary_class *classes; int nclasses;
	struct summary_size *sizes; int nsizes;		/* rising */
	struct {
		int64_t xoff_frames, refresh_frames, xon_frames;
		int64_t paused_ps, paused_ports, longest_pause_ps;
		char *longest_at;			/* "leaf0:3/3", or NULL */
		int64_t most_paused_ps;			/* of the one stopped longest in all */
		char *most_paused_at;
		struct summary_node *by_node; int nnodes;	/* all its transmitters */
		struct summary_node *hosts_by_switch; int nswitches; /* hosts' transmitters */
	} pfc;
	struct { int64_t naks, wait_ps; } rnr;	/* receivers not ready */
	struct { int64_t marked, data_frames, cnps; double marked_ratio; } ecn;
	int64_t drops[SUMMARY_DROPS];
	struct {
		int64_t peak_bytes, size_bytes;		/* the fullest switch */
		int64_t headroom_peak_bytes;
		double headroom_peak_ratio;		/* of the group nearest its limit */
		char *peak_at, *headroom_at;		/* or NULL */
	} buffer;
	struct {
		bool found, standing;			/* standing: one is there at the end */
		int64_t count;				/* how many formed */
		int64_t first_ps, cleared_ps;		/* of the first one */
		const char *cleared_by;		/* "watchdog", "fault", "itself" or NULL */
		char **cycle; int ncycle;	/* of the first one: egress NODE:PORT/PRIO */
		char **victims; int nvictims;
	} deadlock;
	struct { bool found; int64_t first_ps, until_ps; char *why; } stall;
	struct {
		bool found;
		int64_t flows;				/* how many messages */
		int64_t first_ps, until_ps;		/* of the first one; until -1: it stands */
		int64_t again_bytes;			/* sent in vain, of all of them */
		char *flow;				/* the first one, for people; or NULL */
	} livelock;
	struct { int64_t storms, restores, dropped, told, nic_gave_up; } watchdog;
	struct { double jain, jain_flows; } fairness;	/* NaN: null */
	struct summary_series *series; int nseries;	/* in order of names */
	struct summary_finding *findings; int nfindings;	/* worst first */
	char **warnings; int nwarnings;			/* fabric_warnings */
	const struct summary_expect *expects; int nexpects;	/* borrowed */
};

void summary_free(struct summary *s);	/* what it points to, not s itself */
/* Appends a finding (printf style), kept in order of level. */
void summary_find(struct summary *s, enum summary_level level, const char *fmt, ...)
	SIM_PRINTF(3, 4);

/* One run as a JSON object, indented by `indent` levels, no newline at the end.
 * -1 when the stream has failed (errno tells). */
int summary_write_run(FILE *out, const struct summary *s, int indent);
/* The whole document: {"schema": "xoff.summary/1", "runs": [...]} */
int summary_write(FILE *out, const struct summary *const *runs, int n);
/* The same into a file, errors of close and flush included. */
int summary_write_file(const char *path, const struct summary *const *runs, int n,
		       struct sim_error *err) SIM_MUST_CHECK;
#endif
