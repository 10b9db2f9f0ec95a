/*
 * interop/ns3.h - an experiment of the ns-3 RDMA simulators in, one of Xoff's out.
 *
 * Read are the files of HPCC (alibaba-edu/High-Precision-Congestion-Control) and of those
 * that keep its forms (ConWeave, ns3-datacenter):
 *
 *	config		KEY VALUE... a row; names a topology and a flow file
 *	topology	"nodes switches links" (or "nodes switches tors links"), the switches' ids,
 *			then a link a row: "a b rate delay error-rate"
 *	flow		the number of flows, then "src dst group port bytes seconds" (or without port)
 *
 * Which is which, their first row tells.  Nodes keep their ids as names and their ports the
 * order of links, from 1, so that results can be laid side by side; the flow file itself is the
 * list.  What is not the same in Xoff is told in the notes: its frames are those of RoCEv2 with
 * preamble and gap, pauses have a response time of 0 but expire, CNPs are frames.
 */
#ifndef NS3_H
#define NS3_H
#include <stdio.h>
#include "scenario/diag.h"

struct ns3_options {
	const char *const *files;
	int nfiles;
	const char *name;	/* of the experiment; NULL: of the first file */
	const char *out;	/* where it will stand, for the path of the flow file; NULL: here */
};

struct ns3;

/* NULL when something is malformed or missing: see diag. */
struct ns3 *ns3_import(const struct ns3_options *opt, struct diag *diag);
void ns3_free(struct ns3 **n);

/* JSON with the notes as comments at its head.  -1: the stream failed. */
int ns3_write(const struct ns3 *n, FILE *out);
/* A line each, starting with `prefix`. */
void ns3_notes(const struct ns3 *n, const char *prefix, FILE *out);

struct ns3_totals { int switches, hosts, links; long long flows; };
struct ns3_totals ns3_totals(const struct ns3 *n);
#endif
