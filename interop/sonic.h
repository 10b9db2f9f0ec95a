/*
 * interop/sonic.h - SONiC configurations in, one Xoff experiment out.
 *
 * Read are config_db.json files as they are met in the field: nested tables,
 * flat "TABLE|key", APPL_DB "TABLE:key", lists of patches (configlets), values
 * as "[TABLE|x]" or "x", ports joined by commas, VoQ keys.  Files that name the
 * same host are one switch; of files that name none (pairs of qos.json and
 * buffers.json) those are one switch whose paths differ only in words such as
 * "qos" and "buffers", or that are given as one, "A+B"; a list of patches
 * belongs to the file before it.
 *
 * What a switch would compute at run time is computed here: lossless profiles
 * from CABLE_LENGTH, speed and pg_profile_lookup.ini (traditional model), or by
 * NVIDIA's formula (dynamic model).  Every field is accounted for in the notes:
 * used, ignored, computed, assumed, approximated, or lossy on the real switch.
 *
 * A dual ToR's tunnel maps become a remap (sonic_tunnel.c).
 *
 * The experiment has links, classes and switches; `run` and `traffic` are the
 * user's, who includes it or gives --set run.until.  Ports have the number N of
 * their name EthernetN.  Neighbours without a configuration become hosts.
 */
#ifndef SONIC_H
#define SONIC_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "scenario/diag.h"

struct sonic_options {
	const char *const *files;
	int nfiles;
	const char *lookup;	/* pg_profile_lookup.ini, or NULL */
	const char *cables;	/* CSV of cables, or NULL: DEVICE_NEIGHBOR alone */
	const char *name;	/* of the experiment; NULL: of the only switch, or "sonic" */
	bool hosts;		/* a host on each port that has no neighbour and is not down */
	int64_t rate_bps;	/* of ports whose speed no file tells; 0: 100 Gb/s */
};

struct sonic;

/* NULL when something is malformed: every message is in the diag, at its place. */
struct sonic *sonic_import(const struct sonic_options *opt, struct diag *diag);
void sonic_free(struct sonic **s);

/* JSON with the notes as comments at its head.  -1: the stream failed. */
int sonic_write(const struct sonic *s, FILE *out);

struct sonic_totals { int switches, hosts, links, lossless, lossy; };
/* lossless: priorities that are so anywhere, as a mask; lossy: findings of that kind. */
struct sonic_totals sonic_totals(const struct sonic *s);

/* What became of what, the most serious first: lossy findings, then what was
 * approximated, assumed, computed, ignored and used.  Each line starts with
 * `prefix`; `all` false leaves out the last two kinds. */
void sonic_notes(const struct sonic *s, const char *prefix, bool all, FILE *out);
#endif
