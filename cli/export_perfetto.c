/* cli/export_perfetto.c - see export_perfetto.h: slices and instants. */
#include "cli/export_perfetto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include "cli/csv.h"
#include "cli/path.h"
#include "sim/mem.h"

/* Tracks of a port and priority; the rest of a process comes before them. */
enum track { STOPPED, SENT, WATCHDOG, DEADLOCK };
static const char *const tracks[EXPORT_TRACKS] = { "stopped", "XOFF sent", "watchdog", "deadlock" };
/* Perfetto takes a tid to be one of the whole machine: no two threads have the same. */
enum { RUN_PID = 1, DEADLOCK_TID = 59999, LANES_TID = 60000, FIRST_TID = 1 << 16 };

static uint32_t pid_of(uint32_t node) { return EXPORT_FIRST_PID + node; }

/* Of a port's name: what comes before the last colon is its node. */
static size_t node_length(const char *port)
{
	const char *colon = strrchr(port, ':');

	return colon ? (size_t)(colon - port) : strlen(port);
}

/* The thread of a track, named when first used. */
static uint32_t thread(struct export_perfetto *x, uint32_t port, int prio, enum track track)
{
	uint32_t key = (port * EXPORT_PRIOS + (uint32_t)prio) * EXPORT_TRACKS + track;
	const char *name = x->ports.name[port];
	char text[96];

	if (!x->named[key]) {
		x->named[key] = true;
		snprintf(text, sizeof text, "port %s priority %d %s",
			 name + node_length(name) + (name[node_length(name)] == ':'), prio,
			 tracks[track]);
		chrometrace_thread(x->trace, pid_of(x->node[port]), FIRST_TID + key, text,
				   (int)(FIRST_TID + key));
	}
	return FIRST_TID + key;
}

/* A port field and a priority field; -1 after an error. */
static int place(struct export_perfetto *x, const struct csv *t, int port_at, int prio_at,
		 uint32_t *port, int *prio, struct sim_error *err)
{
	int64_t number;

	*port = intern_find(&x->ports, t->field[port_at]);
	if (*port == INTERN_NONE)
		return csv_wrong(t, port_at, err);
	if (csv_number(t, prio_at, -1, &number, err))
		return -1;
	if (number < 0 || number >= EXPORT_PRIOS)
		return csv_wrong(t, prio_at, err);
	*prio = (int)number;
	return 0;
}

static int span(const struct csv *t, int from_at, int until_at, int64_t end_ps, int64_t *from,
		int64_t *until, struct sim_error *err)
{
	if (csv_number(t, from_at, -1, from, err) || csv_number(t, until_at, end_ps, until, err))
		return -1;
	return *from < 0 || *until < *from ? csv_wrong(t, until_at, err) : 0;
}

/* ----------------------------------------------------------------------- tables */

static int read_ports(struct export_perfetto *x, struct sim_error *err)
{
	static const char *const names[] = { "port", NULL };
	struct csv t;
	int more = csv_open(&t, x->dir, "ports.csv", names, err);

	while (!more && (more = csv_next(&t, err)) == 1) {
		uint32_t known = x->ports.n, port;

		more = 0;
		port = intern_add(&x->ports, t.field[0], strlen(t.field[0]));
		if (x->ports.n == known)
			continue;
		x->node = mem_grow(x->node, x->ports.n * sizeof(*x->node));
		x->node[port] = intern_add(&x->nodes, t.field[0], node_length(t.field[0]));
	}
	csv_close(&t);
	x->paused = mem_zalloc((size_t)x->ports.n * EXPORT_PRIOS);
	x->named = mem_zalloc((size_t)x->ports.n * EXPORT_PRIOS * EXPORT_TRACKS);
	return more ? -1 : 0;
}

static int read_stops(struct export_perfetto *x, struct sim_error *err)
{
	static const char *const names[] = { "port", "prio", "from_ps", "until_ps", "end",
					     "queue_bytes", "waiting", NULL };
	struct csv t;
	int more = csv_open(&t, x->dir, "stops.csv", names, err), prio;
	int64_t from, until, queue;
	uint32_t port;

	while (!more && (more = csv_next(&t, err)) == 1) {
		more = place(x, &t, 0, 1, &port, &prio, err) ||
		       span(&t, 2, 3, x->end_ps, &from, &until, err) ||
		       csv_number(&t, 5, 0, &queue, err);
		if (more)
			break;
		struct chrometrace_arg args[] = { { "ended by", t.field[4], 0 },
						  { "queue_bytes", NULL, queue },
						  { "waiting", t.field[6], 0 } };
		x->paused[port * EXPORT_PRIOS + (uint32_t)prio] = true;
		chrometrace_slice(x->trace, pid_of(x->node[port]), thread(x, port, prio, STOPPED),
				  "stopped", from, until, args, 3);
	}
	csv_close(&t);
	return more ? -1 : 0;
}

static int read_pauses(struct export_perfetto *x, struct sim_error *err)
{
	static const char *const names[] = { "sender", "prio", "paused", "xoff_ps", "xon_ps", "end",
					     "held_bytes", "cause", "flows", "stopped_ps", NULL };
	struct csv t;
	int more = csv_open(&t, x->dir, "pauses.csv", names, err), prio;
	int64_t from, until, held, stopped;
	uint32_t port;

	while (!more && (more = csv_next(&t, err)) == 1) {
		more = place(x, &t, 0, 1, &port, &prio, err) ||
		       span(&t, 3, 4, x->end_ps, &from, &until, err) ||
		       csv_number(&t, 6, 0, &held, err) || csv_number(&t, 9, 0, &stopped, err);
		if (more)
			break;
		struct chrometrace_arg args[] = { { "stops", t.field[2], 0 },
						  { "held_bytes", NULL, held },
						  { "stopped_ps", NULL, stopped },
						  { "cause", t.field[7], 0 },
						  { "flows", t.field[8], 0 },
						  { "ended by", t.field[5], 0 } };
		x->paused[port * EXPORT_PRIOS + (uint32_t)prio] = true;
		chrometrace_slice(x->trace, pid_of(x->node[port]), thread(x, port, prio, SENT),
				  strcmp(t.field[7], "storm") ? "XOFF" : "XOFF (storm)", from,
				  until, args, 6);
	}
	csv_close(&t);
	return more ? -1 : 0;
}

/* ----------------------------------------------------------------------- events */

/* What has begun and not ended: storms that a watchdog found, on the thread of their port
 * and priority; faults, each in a lane of its own, for they may cross. */
struct begun { char *where, *detail; int64_t at_ps, prio; uint32_t lane; bool fault; };
struct begun_list { struct begun *at; size_t n; };

static uint32_t free_lane(const struct begun_list *list)
{
	uint32_t lane = 0;

	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].fault && list->at[i].lane == lane) {
			lane++;
			i = (size_t)-1;		/* once more from the first */
		}
	return lane;
}

static void put_begun(struct export_perfetto *x, const struct begun *b, int64_t until_ps)
{
	struct chrometrace_arg arg = { "where", b->where, 0 };
	uint32_t port = intern_find(&x->ports, b->where), pid = RUN_PID, tid = LANES_TID + b->lane;
	char name[64];

	if (!b->fault && port != INTERN_NONE) {
		pid = pid_of(x->node[port]);
		tid = thread(x, port, (int)b->prio, WATCHDOG);
	} else {
		snprintf(name, sizeof name, "faults %u", b->lane + 1);
		chrometrace_thread(x->trace, pid, tid, name, (int)tid);
	}
	chrometrace_slice(x->trace, pid, tid, b->fault ? b->detail : "storm", b->at_ps, until_ps,
			  &arg, 1);
}

static void begin(struct begun_list *list, const struct csv *t, int64_t at_ps, int64_t prio,
		  bool fault)
{
	uint32_t lane = fault ? free_lane(list) : 0;

	list->at = mem_grow(list->at, (list->n + 1) * sizeof(*list->at));
	list->at[list->n++] = (struct begun){ .where = mem_strdup(t->field[2]),
					      .detail = mem_strdup(t->field[5]), .at_ps = at_ps,
					      .prio = prio, .lane = lane, .fault = fault };
}

/* What follows a colon, the rate of a slow link, is told of its begin or of what is left. */
static bool same_fault(const char *begun, const char *ended)
{
	size_t n = strcspn(begun, ":");

	return n == strcspn(ended, ":") && !strncmp(begun, ended, n);
}

/* Ends the first that fits (NULL: any); false: none does. */
static bool finish(struct export_perfetto *x, struct begun_list *list, const struct csv *t,
		   int64_t at_ps, int64_t prio, bool fault)
{
	for (size_t i = 0; i < list->n; i++) {
		struct begun *b = &list->at[i];

		if (t && (b->fault != fault || b->prio != prio || strcmp(b->where, t->field[2]) ||
			  (fault && !same_fault(b->detail, t->field[5]))))
			continue;
		put_begun(x, b, at_ps);
		free(b->where);
		free(b->detail);
		memmove(b, b + 1, (--list->n - i) * sizeof(*b));
		return true;
	}
	return false;
}

/* An instant, on its node where it has one. */
static void put_instant(struct export_perfetto *x, const struct csv *t, int64_t at_ps, int64_t prio)
{
	char name[160];
	size_t n = node_length(t->field[2]);
	struct chrometrace_arg args[4] = { { "where", t->field[2], 0 }, { "flow", t->field[4], 0 },
					   { "detail", t->field[5], 0 }, { "priority", NULL, prio } };
	uint32_t node;

	snprintf(name, sizeof name, "%.*s", (int)n, t->field[2]);
	node = *name ? intern_find(&x->nodes, name) : INTERN_NONE;
	chrometrace_instant(x->trace, node == INTERN_NONE ? RUN_PID : pid_of(node), 0, t->field[1],
			    at_ps, args, prio >= 0 ? 4 : 3);
}

/* `cleared` gets the times at which deadlocks ended, in order. */
static int read_events(struct export_perfetto *x, int64_t **cleared, size_t *ncleared,
		       struct sim_error *err)
{
	static const char *const names[] = { "at_ps", "event", "where", "prio", "flow", "detail",
					     NULL };
	struct begun_list list = { NULL, 0 };
	struct csv t;
	int more = csv_open(&t, x->dir, "events.csv", names, err);
	int64_t at_ps, prio;

	while (!more && (more = csv_next(&t, err)) == 1) {
		const char *event = t.field[1];

		more = csv_number(&t, 0, -1, &at_ps, err) || csv_number(&t, 3, -1, &prio, err);
		if (more || (at_ps < 0 && (more = csv_wrong(&t, 0, err))))
			break;
		bool storm = !strcmp(event, "watchdog_storm"), fault = !strcmp(event, "fault");

		if (storm || fault) {
			begin(&list, &t, at_ps, prio, fault);
		} else if (!strcmp(event, "watchdog_restore") || !strcmp(event, "fault_end")) {
			if (!finish(x, &list, &t, at_ps, prio, event[0] == 'f'))
				put_instant(x, &t, at_ps, prio);
		} else {
			put_instant(x, &t, at_ps, prio);
		}
		if (!strcmp(event, "deadlock_cleared")) {
			*cleared = mem_grow(*cleared, (*ncleared + 1) * sizeof(**cleared));
			(*cleared)[(*ncleared)++] = at_ps;
		}
	}
	csv_close(&t);
	while (finish(x, &list, NULL, x->end_ps, 0, false))
		;
	free(list.at);
	return more ? -1 : 0;
}

/* A slice for the whole, and one for each queue of the circle or behind it. */
static int read_deadlocks(struct export_perfetto *x, const int64_t *cleared, size_t ncleared,
			  struct sim_error *err)
{
	static const char *const names[] = { "deadlock", "at_ps", "place", "port", "prio", "by",
					     "held_bytes", "waits_for", NULL };
	struct csv t;
	int more = csv_open(&t, x->dir, "deadlocks.csv", names, err), prio;
	int64_t number, at_ps, held, last = -1, until;
	uint32_t port;

	while (!more && (more = csv_next(&t, err)) == 1) {
		more = csv_number(&t, 0, -1, &number, err) || csv_number(&t, 1, -1, &at_ps, err) ||
		       csv_number(&t, 6, 0, &held, err) || place(x, &t, 3, 4, &port, &prio, err);
		if (more || (at_ps < 0 && (more = csv_wrong(&t, 1, err))))
			break;
		until = x->end_ps;
		for (size_t i = ncleared; i-- > 0; )
			if (cleared[i] >= at_ps)
				until = cleared[i];
		struct chrometrace_arg args[] = { { "stopped by", t.field[5], 0 },
						  { "held_bytes", NULL, held },
						  { "waits for", t.field[7], 0 } };
		if (number != last) {
			chrometrace_thread(x->trace, RUN_PID, DEADLOCK_TID, "deadlock", DEADLOCK_TID);
			chrometrace_slice(x->trace, RUN_PID, DEADLOCK_TID, "deadlock", at_ps, until,
					  NULL, 0);
		}
		last = number;
		chrometrace_slice(x->trace, pid_of(x->node[port]), thread(x, port, prio, DEADLOCK),
				  *t.field[2] ? "in the circle" : "behind the circle", at_ps, until,
				  args, 3);
	}
	csv_close(&t);
	return more ? -1 : 0;
}

/* ------------------------------------------------------------------------ whole */

static int read_end(struct export_perfetto *x, char **name, struct sim_error *err)
{
	char *path = path_join(x->dir, "summary.json");
	json_error_t why;
	json_t *doc = json_load_file(path, 0, &why), *run;

	run = json_array_get(json_object_get(doc, "runs"), 0);
	x->end_ps = json_integer_value(json_object_get(run, "simulated_ps"));
	*name = mem_strdup(json_string_value(json_object_get(run, "experiment")));
	if (!doc)
		error_set(err, "", "cannot read %s: %s", path, why.text);
	else if (!run || !*name)
		error_set(err, "", "%s holds no run", path);
	json_decref(doc);
	free(path);
	return err->set ? -1 : 0;
}

static int read_all(struct export_perfetto *x, bool all, struct sim_error *err)
{
	int64_t *cleared = NULL;
	size_t ncleared = 0;
	char *name = NULL;
	int rc = read_end(x, &name, err);

	if (!rc)
		chrometrace_process(x->trace, RUN_PID, name, -1);
	free(name);
	rc = rc || read_ports(x, err) || read_stops(x, err) || read_pauses(x, err) ||
	     read_events(x, &cleared, &ncleared, err) ||
	     read_deadlocks(x, cleared, ncleared, err) || export_counters(x, all, err) ? -1 : 0;
	free(cleared);
	return rc;
}

struct chrometrace *export_perfetto(const char *dir, bool all, struct sim_error *err)
{
	struct export_perfetto x = { .dir = dir, .trace = chrometrace_new() };

	if (read_all(&x, all, err))
		chrometrace_free(&x.trace);
	intern_fini(&x.ports);
	intern_fini(&x.nodes);
	free(x.node);
	free(x.paused);
	free(x.named);
	return x.trace;
}
