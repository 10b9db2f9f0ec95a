/*
 * scenario/flowlist.h - flows one by one: traffic of kind `list`.
 *
 *	"list": {"file": "flows.csv"}
 *	"list": {"flows": ["h0,h1,64KB,10us", ...]}	from, to, size, start
 *
 * A file is one of
 * - CSV whose first row names the columns, in any order: from or src, to or dst, size or
 *   size_bytes, start or start_ps (_ns, _us, _ms, _s).  What has its unit in its name is a bare
 *   number; size and start carry units as everywhere.  Other columns are not looked at, so the
 *   flows.csv of a run is a list; `"workload": "NAME"` takes only the rows with that name in the
 *   column workload.
 * - HPCC's flow.txt: the number of flows, then for each
 *   "source destination priority-group port bytes seconds"; or ConWeave's, which has no port.
 *   A number names the host of that name, where some host's name is a number; else it is the
 *   place in the natural order of all hosts, from 0.  Group and port are not looked at.
 *
 * The order of rows does not count.
 */
#ifndef FLOWLIST_H
#define FLOWLIST_H
#include "models/host/workload.h"
#include "scenario/read.h"
#include "scenario/topology.h"

/* FLOWLIST_SHORT: what is longer does not stand in resolved.json, but beside it. */
enum { FLOWLIST_MAX = 16 << 20, FLOWLIST_SHORT = 1000 };
#define FLOWLIST_FOLDER "flows"

/* Reads the list at `at` into conf->list, from and to (names are the topology's; the
 * arrays the caller's); conf->origin_ps is read already. */
int flowlist_read(const struct read *at, const struct topology *topo, struct workload_conf *conf);
/* Writes the list to DIR/flows/NAME.csv; -1: errno. */
int flowlist_write(const struct workload_conf *conf, const char *dir, const char *name);
#endif
