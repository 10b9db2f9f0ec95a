/*
 * interop/ns3_inside.h - what the files of interop/ns3*.c share.
 */
#ifndef NS3_INSIDE_H
#define NS3_INSIDE_H
#include <stdbool.h>
#include <stdint.h>
#include "interop/ns3.h"
#include "scenario/rows.h"

enum { NS3_NODES_MAX = 1 << 20, NS3_LINKS_MAX = 1 << 20, NS3_VALUES = 60 };

struct ns3_link { int a, b, a_port, b_port; int64_t rate_bps, delay_ps; double error; };
struct ns3_key { char *key, *value[NS3_VALUES]; int n; };	/* a row of the config */

struct ns3 {
	char *name, *config, *topology, *flows;	/* files; NULL: not given */
	char *list;			/* the flow file seen from the experiment */
	struct ns3_key *key;
	int nkeys;
	int nodes, switches, nlinks;
	bool *is_switch;
	int *ports;			/* links so far, by node */
	struct ns3_link *link;
	int64_t nflows, first_ps, last_ps, origin_ps;
	int64_t other_groups;		/* flows that are not of priority group 3 */
	char **note;
	int nnotes;
};

void ns3_note(struct ns3 *n, const char *fmt, ...) SIM_PRINTF(2, 3);

/* ---- ns3_read.c: each takes the file behind its first row, which stands in `r` ---- */
enum ns3_file { NS3_CONFIG, NS3_TOPOLOGY, NS3_FLOWS, NS3_UNKNOWN };
enum ns3_file ns3_file_of(const struct rows *r);
int ns3_read_config(struct ns3 *n, struct rows *r);
int ns3_read_topology(struct ns3 *n, struct rows *r);
int ns3_read_flows(struct ns3 *n, struct rows *r);
/* "50Mb/s", "100Gbps": a decimal number and a unit of ns-3's; without one, bits per second. */
int ns3_rate(const char *text, int64_t *bps);

/* ---- ns3_keys.c ---- */
/* A whole number, at most NS3_NODES_MAX. */
int ns3_small(const char *text);
/* The first value of a key, or NULL. */
const char *ns3_value(const struct ns3 *n, const char *key);
bool ns3_flag(const struct ns3 *n, const char *key, bool otherwise);
double ns3_number(const struct ns3 *n, const char *key, double otherwise);
/* The entry for `rate` of a map (KMIN_MAP n rate value ...), or NULL. */
const char *ns3_map(const struct ns3 *n, const char *key, int64_t rate_bps);
/* Are the values of a key, whose row stands in `r`, what they must be?  (unknown keys: yes) */
int ns3_check_key(const struct rows *r, const struct ns3_key *k);
/* Notes on keys that Xoff has no use for, or does not know. */
void ns3_account(struct ns3 *n);

/* ---- ns3_fabric.c, ns3_nic.c ---- */
struct writer;
int64_t ns3_nic_bps(const struct ns3 *n);	/* the rate of the first host */
void ns3_fabric_notes(struct ns3 *n);
void ns3_switches(struct writer *w, const struct ns3 *n);
void ns3_nic_notes(struct ns3 *n);
void ns3_nic(struct writer *w, const struct ns3 *n);
#endif
