/*
 * cli/explain_json.h - the story complete, for programs: JSON, and a graph for dot.
 *
 * {"schema": "xoff.explain/1", "experiment", "variant", "seed", "simulated_ps",
 *  "at_ps": null or an instant, "class", "paused_ps", "stopped_ps" (of the stops asked
 *  for: the sum of roots), "stops",
 *  "roots": [{"kind", "port", "prio", "node", "to", "deadlock", "ps", "share",
 *	"first_ps", "last_ps", "own_ps", "victims_ps", "others_ps", "nobody_ps",
 *	"brought_others_ps",
 *	"hops": [{"depth", "port", "prio", "stopped_by", "ps"}],
 *	"pairs": [{"workload", "src", "dst", "own", "brought_ps", "lost_ps"}]}],
 *  "edges": [{"port", "prio", "waits_for": a port or null (a host), "ps"}],
 *  "losses": [{"root": its place in roots, "port", "prio", "ps", "stops"}],  of --flow
 *  "deadlocks": [{"from_ps", "until_ps", "class", "fed_by", "inside_ps", "outside_ps",
 *	"queues": [{"ring": place in the circle or null, "port", "prio", "by",
 *	"since_ps", "held_bytes", "stuck_bytes", "xon_bytes", "waits_for"}]}],
 *  "what_if": [...]}						of --what-if
 */
#ifndef EXPLAIN_JSON_H
#define EXPLAIN_JSON_H
#include <stdio.h>
#include "cli/explain_run.h"

void explain_json(FILE *out, const struct explain_story *s);
/* A digraph: a stopped transmitter points to the egress that it waited for, with
 * the time; roots are filled. */
void explain_json_dot(FILE *out, const struct explain_story *s);
#endif
