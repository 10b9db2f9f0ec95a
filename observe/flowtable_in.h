/*
 * observe/flowtable_in.h - inside the flow table: shared by its three files only.
 */
#ifndef FLOWTABLE_IN_H
#define FLOWTABLE_IN_H
#include "observe/flowtable.h"

/* Values of `life`; another one is the FCT of a flow that has been delivered. */
/* LOST: failed, and what is still on its way may yet be delivered. */
enum { FLOWTABLE_LOST = -3, FLOWTABLE_FREE = -2, FLOWTABLE_STARTED = -1 };

struct flowtable_sample { int64_t fct_ps; double slowdown; uint16_t workload; uint8_t class_, size; };
struct flowtable_pair {		/* client and server of a workload, and a request's ideal */
	int64_t ideal_ps;	/* 0: free place */
	uint32_t src, dst;
	int workload;
};
struct flowtable_work {
	int64_t started, finished, failed, unfinished, retransmitted_bytes, cnps, rnr_naks, rnr_wait_ps;
	int64_t size_bytes;	/* of all that have started, in sum */
	int64_t last_ps, longest_gap_ps;	/* of deliveries; last_ps -1: none */
	int64_t failed_ps;	/* of the first failure: of its instant the smallest hash */
	uint64_t failed_hash;
	char *failure;
};

struct flowtable {
	struct fabric *f;
	int64_t warmup_ps;
	const int64_t *sizes_bytes; int nsizes;		/* borrowed: edges of sample.size */
	int64_t *life; size_t nlife;	/* of each flow id */
	int64_t open;
	struct flowtable_work *work; int nwork;
	struct flowtable_sample *samples; size_t nsamples, samples_cap;
	double *rates; size_t nrates, rates_cap;	/* of whole flows, for Jain's index */
	/* Open addressing; the room is a power of two. */
	struct flowtable_pair *pairs; size_t npairs, pairs_cap;
	struct outfile csv;
	struct flowtable_row *rows; size_t nrows, rows_cap;
	char broken[256];
};

enum flowtable_status { FLOWTABLE_FINISHED, FLOWTABLE_FAILED, FLOWTABLE_UNFINISHED };
struct flowtable_row {
	int64_t start_ps, size_bytes, fct_ps, acked_ps, ideal_ps;	/* -1: none */
	int64_t transaction_ps;		/* of a response; 0: none */
	int64_t retransmitted_bytes, cnps, acked_bytes, rnr_naks, rnr_wait_ps;
	uint64_t hash;
	uint32_t src, dst;
	int32_t part;
	uint16_t workload;
	uint8_t class_, status;
	char *detail;		/* failure, or what it waits for; owned; NULL */
};
void flowtable_sort(struct flowtable_row *rows, size_t n);
void flowtable_header(struct outfile *out);
void flowtable_write(struct outfile *out, const struct fabric *f,
		     const struct flowtable_row *row);
/* Flows, workloads, classes and fairness of the summary; all flows have ended. */
void flowtable_fill(struct flowtable *t, struct summary *s);
#endif
