/* cli/rundir_tables.c - see rundir_tables.h */
#include "cli/rundir_tables.h"

#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "sim/units.h"

/* Room for one more. */
static void *room(void *list, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return list;
	*cap = *cap ? 2 * *cap : 256;
	return mem_grow(list, *cap * size);
}

/* -------------------------------------------------------------------- names */

/* "leaf3:6"; -1: no port of this run. */
static int add_port(struct rundir_read *r, const char *name, size_t length, uint32_t *port)
{
	const char *colon = memrchr(name, ':', length);
	uint32_t known = r->ports.n, node;
	char copy[128];

	if (!colon || (size_t)(colon - name) >= sizeof(copy))
		return -1;
	memcpy(copy, name, (size_t)(colon - name));
	copy[colon - name] = '\0';
	node = intern_find(&r->nodes, copy);
	if (node == INTERN_NONE)
		return -1;
	*port = intern_add(&r->ports, name, length);
	if (r->ports.n == known)
		return 0;
	while (r->ports.n > r->ports_cap) {
		r->ports_cap = r->ports_cap ? 2 * r->ports_cap : 64;
		r->port = mem_grow(r->port, r->ports_cap * sizeof(*r->port));
		r->peak_bytes = mem_grow(r->peak_bytes, r->ports_cap * RUNDIR_READ_PRIOS *
								sizeof(*r->peak_bytes));
	}
	r->port[*port] = (struct rundir_read_port){ .node = node, .peer = INTERN_NONE };
	memset(r->peak_bytes + *port * RUNDIR_READ_PRIOS, 0,
	       RUNDIR_READ_PRIOS * sizeof(*r->peak_bytes));
	return 0;
}

int rundir_tables_port(struct rundir_read *r, const struct csv *t, int wanted, uint32_t *port,
		       struct sim_error *err)
{
	return add_port(r, t->field[wanted], strlen(t->field[wanted]), port) ?
	       csv_wrong(t, wanted, err) : 0;
}

/* The place of a port field and a priority field. */
static int read_place(struct rundir_read *r, const struct csv *t, int port_at, int prio_at,
		      uint32_t *place, struct sim_error *err)
{
	uint32_t port;
	int64_t prio;

	if (rundir_tables_port(r, t, port_at, &port, err) ||
	    csv_number(t, prio_at, -1, &prio, err))
		return -1;
	if (prio < 0 || prio >= RUNDIR_READ_PRIOS)
		return csv_wrong(t, prio_at, err);
	*place = port * RUNDIR_READ_PRIOS + (uint32_t)prio;
	return 0;
}

/* "db h17>h25"; a name of no known form is a pair without hosts. */
static uint32_t add_pair(struct rundir_read *r, const char *name, size_t length)
{
	uint32_t known = r->pairs.n, id = intern_add(&r->pairs, name, length);
	struct rundir_read_pair pair = { INTERN_NONE, INTERN_NONE, INTERN_NONE };
	const char *full = r->pairs.name[id], *space = strrchr(full, ' ');
	const char *arrow = space ? strchr(space, '>') : NULL;

	if (r->pairs.n == known)
		return id;
	while (r->pairs.n > r->pairs_cap) {
		r->pairs_cap = r->pairs_cap ? 2 * r->pairs_cap : 256;
		r->pair = mem_grow(r->pair, r->pairs_cap * sizeof(*r->pair));
	}
	pair.workload = intern_add(&r->workloads, full,
				   space ? (size_t)(space - full) : strlen(full));
	if (arrow) {
		char *src = mem_strdup(space + 1);

		src[arrow - space - 1] = '\0';
		pair.src = intern_find(&r->nodes, src);
		pair.dst = intern_find(&r->nodes, arrow + 1);
		free(src);
	}
	r->pair[id] = pair;
	return id;
}

/* -------------------------------------------------------------------- lists */

/* The next of a list whose items `ends` separate; *at is left at the separator. */
static bool item(const char **at, const char *ends, const char **from, size_t *length)
{
	if (!**at)
		return false;
	*from = *at;
	*length = strcspn(*at, ends);
	*at += *length;
	return true;
}

/* Splits "NAME=NUMBER" (the name may hold no '='). */
static int named_number(const char *from, size_t length, size_t *name, int64_t *value)
{
	const char *eq = memchr(from, '=', length);
	char *end;

	if (!eq)
		return -1;
	*name = (size_t)(eq - from);
	*value = strtoll(eq + 1, &end, 10);
	return end == from + length ? 0 : -1;
}

/* "EGRESS=BYTES;..." or "EGRESS/PRIO=BYTES;...": the causes of the pause that is being read. */
static int read_causes(struct rundir_read *r, struct blame_pause *p, uint32_t prio,
		       const char *text)
{
	const char *from;
	size_t length, name;
	int64_t bytes;
	uint32_t port;

	p->cause = r->ncauses;
	for (const char *at = text; item(&at, ";", &from, &length); at += *at == ';') {
		uint32_t as = prio;

		if (named_number(from, length, &name, &bytes) || bytes <= 0)
			return -1;
		if (name > 2 && from[name - 2] == '/') {
			as = (uint32_t)(from[name - 1] - '0') % RUNDIR_READ_PRIOS;
			name -= 2;
		}
		if (add_port(r, from, name, &port))
			return -1;
		r->causes = room(r->causes, r->ncauses, &r->causes_cap, sizeof(*r->causes));
		r->causes[r->ncauses++] = (struct blame_cause){
			.place = port * RUNDIR_READ_PRIOS + as, .bytes = bytes
		};
		p->ncauses++;
	}
	return 0;
}

/* "PAIR=BYTES;...|...": whose the bytes of each cause were. */
static int read_parts(struct rundir_read *r, const struct blame_pause *p, const char *text)
{
	const char *at = text, *from;
	size_t length, name;
	int64_t bytes;

	for (uint32_t i = 0; i < p->ncauses && *at; i++, at += *at == '|') {
		struct blame_cause *c = &r->causes[p->cause + i];

		c->part = r->nparts;
		while (*at != '|' && item(&at, ";|", &from, &length)) {
			if (named_number(from, length, &name, &bytes) || bytes < 0)
				return -1;
			r->parts = room(r->parts, r->nparts, &r->parts_cap, sizeof(*r->parts));
			r->parts[r->nparts++] =
				(struct blame_part){ add_pair(r, from, name), bytes };
			c->nparts++;
			at += *at == ';';
		}
	}
	return *at ? -1 : 0;
}

/* "PAIR;PAIR": appended to `waiting`. */
static uint32_t read_waiting(struct rundir_read *r, const char *text)
{
	const char *from;
	size_t length;
	uint32_t n = 0;

	for (const char *at = text; item(&at, ";", &from, &length); at += *at == ';') {
		r->waiting = room(r->waiting, r->nwaiting, &r->waiting_cap,
				  sizeof(*r->waiting));
		r->waiting[r->nwaiting++] = add_pair(r, from, length);
		n++;
	}
	return n;
}

/* ------------------------------------------------------------------- pauses */

static int read_pause(struct rundir_read *r, const struct csv *t, struct sim_error *err)
{
	struct blame_pause p = { .by = BLAME_GROUP };
	uint32_t prio;

	if (read_place(r, t, 0, 1, &p.sender, err) || read_place(r, t, 2, 1, &p.paused, err) ||
	    csv_number(t, 3, 0, &p.xoff_ps, err) ||
	    csv_number(t, 4, r->simulated_ps, &p.end_ps, err))
		return -1;
	prio = p.sender % RUNDIR_READ_PRIOS;
	if (!strcmp(t->field[5], "storm"))
		p.by = BLAME_HOST_STORM;
	else if (!strcmp(t->field[5], "receiver"))
		p.by = BLAME_HOST_SLOW;
	else if (read_causes(r, &p, prio, t->field[5]))
		return csv_wrong(t, 5, err);
	if (read_parts(r, &p, t->field[6]))
		return csv_wrong(t, 6, err);
	r->pauses = room(r->pauses, r->npauses, &r->pauses_cap, sizeof(*r->pauses));
	r->pauses[r->npauses++] = p;
	return 0;
}

int rundir_tables_pauses(struct rundir_read *r, struct sim_error *err)
{
	static const char *const wanted[] = {
		"sender", "prio", "paused", "xoff_ps", "xon_ps", "cause", "flows", NULL
	};
	struct csv t;
	int rc = csv_open(&t, r->dir, "pauses.csv", wanted, err), more = 0;

	while (rc == 0 && (more = csv_next(&t, err)) == 1)
		rc = read_pause(r, &t, err);
	csv_close(&t);
	return rc || more < 0 ? -1 : 0;
}

/* -------------------------------------------------------------------- stops */

/* Time to send what waited, when the stop was over. */
static int64_t drain_ps(const struct rundir_read *r, uint32_t place, int64_t bytes)
{
	int64_t rate_bps = r->port[place / RUNDIR_READ_PRIOS].rate_bps;

	return rate_bps > 0 && bytes > 0 ? units_tx_ps(bytes, rate_bps) : 0;
}

int rundir_tables_stops(struct rundir_read *r, struct sim_error *err)
{
	static const char *const wanted[] = {
		"port", "prio", "from_ps", "until_ps", "queue_bytes", "pairs", "waiting", NULL
	};
	struct csv t;
	int rc = csv_open(&t, r->dir, "stops.csv", wanted, err), more = 0;

	while (rc == 0 && (more = csv_next(&t, err)) == 1) {
		struct blame_stop s = { .waiting = r->nwaiting };
		int64_t bytes;

		if (read_place(r, &t, 0, 1, &s.place, err) ||
		    csv_number(&t, 2, 0, &s.from_ps, err) ||
		    csv_number(&t, 3, r->simulated_ps, &s.until_ps, err) ||
		    csv_number(&t, 4, 0, &bytes, err) || csv_number(&t, 5, 0, &s.pairs, err)) {
			rc = -1;
			break;
		}
		s.drain_ps = drain_ps(r, s.place, bytes);
		s.nwaiting = read_waiting(r, t.field[6]);
		r->stops = room(r->stops, r->nstops, &r->stops_cap, sizeof(*r->stops));
		r->stops[r->nstops++] = s;
	}
	csv_close(&t);
	return rc || more < 0 ? -1 : 0;
}

/* ---------------------------------------------------------------- deadlocks */

/* "PORT", or "PORT/PRIO" where the group is of another priority than the queue. */
static int read_by(struct rundir_read *r, const struct csv *t, uint32_t prio, uint32_t *place,
		   struct sim_error *err)
{
	const char *name = t->field[5], *slash = strrchr(name, '/');
	size_t length = strlen(name);

	if (slash && slash[1] >= '0' && slash[1] < '0' + RUNDIR_READ_PRIOS && !slash[2]) {
		prio = (uint32_t)(slash[1] - '0');
		length = (size_t)(slash - name);
	}
	if (add_port(r, name, length, place))
		return csv_wrong(t, 5, err);
	*place = *place * RUNDIR_READ_PRIOS + prio;
	return 0;
}

/* A row of a deadlock, the first of which makes it. */
static int read_member(struct rundir_read *r, const struct csv *t, struct sim_error *err)
{
	struct rundir_read_member m = { 0 };
	struct blame_deadlock *d;
	int64_t number, at_ps, ring;

	if (csv_number(t, 0, 0, &number, err) || csv_number(t, 1, 0, &at_ps, err) ||
	    csv_number(t, 2, -1, &ring, err) || read_place(r, t, 3, 4, &m.place, err) ||
	    read_by(r, t, m.place % RUNDIR_READ_PRIOS, &m.by, err) || csv_number(t, 6, 0, &m.held_bytes, err) ||
	    csv_number(t, 7, 0, &m.stuck_bytes, err) || csv_number(t, 8, 0, &m.xon_bytes, err))
		return -1;
	if (number < 0 || number > (int64_t)r->ndeadlocks)
		return csv_wrong(t, 0, err);
	if (number == (int64_t)r->ndeadlocks) {
		r->deadlocks = room(r->deadlocks, r->ndeadlocks, &r->deadlocks_cap,
				    sizeof(*r->deadlocks));
		r->deadlocks[r->ndeadlocks++] = (struct blame_deadlock){
			.from_ps = at_ps, .until_ps = r->simulated_ps, .member = r->nplaces,
			.waiting = r->nwaiting,
		};
	}
	d = &r->deadlocks[number];
	m.deadlock = (uint32_t)number;
	m.ring = (int)ring;
	m.waits_for = mem_strdup(t->field[9]);
	r->members = room(r->members, r->nmembers, &r->members_cap, sizeof(*r->members));
	r->members[r->nmembers++] = m;
	r->places = room(r->places, r->nplaces, &r->places_cap, sizeof(*r->places));
	r->places[r->nplaces++] = m.place;
	d->nmembers++;
	if (ring < 0)
		return 0;
	d->ncircle++;
	d->nwaiting += read_waiting(r, t->field[10]);
	return 0;
}

int rundir_tables_deadlocks(struct rundir_read *r, struct sim_error *err)
{
	static const char *const wanted[] = {
		"deadlock", "at_ps", "place", "port", "prio", "by", "held_bytes", "stuck_bytes",
		"xon_bytes", "waits_for", "waiting", NULL
	};
	struct csv t;
	int rc = csv_open(&t, r->dir, "deadlocks.csv", wanted, err), more = 0;

	while (rc == 0 && (more = csv_next(&t, err)) == 1)
		rc = read_member(r, &t, err);
	csv_close(&t);
	return rc || more < 0 ? -1 : 0;
}

/* ------------------------------------------------------------------- events */

/* A storm of a host begins: all its places, until it ends. */
static void storm_begins(struct rundir_read *r, uint32_t node, int64_t at_ps)
{
	for (uint32_t port = 0; port < r->ports.n; port++)
		for (uint32_t prio = 0; r->port[port].node == node && prio < RUNDIR_READ_PRIOS;
		     prio++) {
			r->storms =
				room(r->storms, r->nstorms, &r->storms_cap, sizeof(*r->storms));
			r->storms[r->nstorms++] = (struct blame_span){
				port * RUNDIR_READ_PRIOS + prio, at_ps, r->simulated_ps
			};
		}
}

static void storm_ends(struct rundir_read *r, uint32_t node, int64_t at_ps)
{
	for (size_t i = 0; i < r->nstorms; i++) {
		struct blame_span *s = &r->storms[i];

		if (r->port[s->place / RUNDIR_READ_PRIOS].node == node &&
		    s->until_ps > at_ps)
			s->until_ps = at_ps;
	}
}

/* "link slow: 25Gbps" at a port, or its end; "link slow: still 50Gbps" is the end of one of
 * several faults at once, which count as one. */
static void link_slow(struct rundir_read *r, const struct csv *t, int64_t at_ps)
{
	uint32_t id = intern_find(&r->ports, t->field[2]);
	struct rundir_read_port *port = id == INTERN_NONE ? NULL : &r->port[id];
	const char *rate = strstr(t->field[3], ": ");

	if (!port || strncmp(t->field[3], "link slow", 9))
		return;
	if (!strcmp(t->field[1], "fault") && rate) {
		if (!*port->slow_rate || port->slow_until_ps <= at_ps)
			port->slow_from_ps = at_ps;
		snprintf(port->slow_rate, sizeof(port->slow_rate), "%s", rate + 2);
		port->slow_until_ps = r->simulated_ps;
	} else if (!strcmp(t->field[1], "fault_end") && !rate) {
		port->slow_until_ps = at_ps;
	}
}

int rundir_tables_events(struct rundir_read *r, struct sim_error *err)
{
	static const char *const wanted[] = { "at_ps", "event", "where", "detail", NULL };
	struct csv t;
	int rc = csv_open(&t, r->dir, "events.csv", wanted, err), more = 0;
	size_t ended = 0;	/* deadlocks */
	int64_t at_ps;

	while (rc == 0 && (more = csv_next(&t, err)) == 1) {
		uint32_t node = intern_find(&r->nodes, t.field[2]);

		rc = csv_number(&t, 0, 0, &at_ps, err);
		if (!strcmp(t.field[1], "deadlock_cleared") && ended < r->ndeadlocks)
			r->deadlocks[ended++].until_ps = at_ps;
		link_slow(r, &t, at_ps);
		if (node == INTERN_NONE ||	/* as pauselog.c has it */
		    (strcmp(t.field[3], "NIC pause storm") && strcmp(t.field[3], "pause frames")))
			continue;
		if (!strcmp(t.field[1], "fault"))
			storm_begins(r, node, at_ps);
		else if (!strcmp(t.field[1], "fault_end"))
			storm_ends(r, node, at_ps);
	}
	csv_close(&t);
	return rc || more < 0 ? -1 : 0;
}
