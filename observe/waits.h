/*
 * observe/waits.h - whose frames wait in a queue, by pair of hosts.
 *
 * A pair is a workload with a source and a destination, "db h17>h25"; all its
 * messages and QPs count as one, and an ACK counts as the flow that waits for
 * it.  Pairs are numbered as they are first seen; the numbers are for within a
 * run only and are never written.  Pair 0 stands for frames of QPs that have
 * been closed since.
 *
 * A look costs a step for each frame that waits.  Only when a stop ends or a
 * group goes to XOFF is there one.
 */
#ifndef WAITS_H
#define WAITS_H
#include "models/view.h"
#include "observe/outfile.h"

enum { WAITS_MAX = 32 };	/* pairs of one look that are kept; of the rest the number */

struct waits_pair { uint32_t pair; int64_t bytes; };
struct waits_look {
	struct waits_pair pair[WAITS_MAX];
	int n;
	int64_t others;			/* further pairs */
	int64_t bytes;			/* of all frames */
};

struct waits;
struct waits *waits_new(const struct fabric *f);
void waits_free(struct waits **w);

/* Everything in the queues that a pause of (port, prio) stops, pairs in the
 * order in which their first frame (or QP) will be sent. */
void waits_queue(struct waits *w, uint32_t port, int prio, struct waits_look *out);
/* What of ingress group (in, prio) waits in egress `port` to leave as priority `as`: most bytes first. */
void waits_group(struct waits *w, uint32_t in, int prio, uint32_t port, int as, struct waits_look *out);
/* The pair of a message (a flow id). */
uint32_t waits_flow(struct waits *w, uint32_t flow);
/* "db h17>h25"; pair 0 gives "?". */
void waits_write(const struct waits *w, struct outfile *csv, uint32_t pair);
#endif
