/*
 * scenario/remapconf.h - `remap` under `switch` and the entries of `switches`.
 *
 *	"remap": {"bounce": {"from": "leaf*", "to": "leaf*", "class": {"rdma": "bounced"}}}
 *
 * `from` and `to` pick neighbours of each switch it holds for.  A rule of the same
 * name in a later entry takes its place; null takes it away.
 */
#ifndef REMAPCONF_H
#define REMAPCONF_H
#include "scenario/run.h"

/* After the switches' other settings; fills their `remap`. */
int remapconf_load(const struct read *experiment, struct run *run);
void remapconf_fini(struct run *run);
#endif
