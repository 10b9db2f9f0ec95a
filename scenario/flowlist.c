/*
 * scenario/flowlist.c - rows to flows.
 */
#include "scenario/flowlist.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/rows.h"
#include "sim/mem.h"

enum { NEAR_MAX = 20000, NAME_SHOWN = 80, FLOWS_ROOM = 256 };
static const int64_t size_max = INT64_C(1000000000000000), start_max = INT64_C(1000000) * UNITS_PS_PER_S;

enum what { FROM, TO, SIZE, START, WORKLOAD, WHATS };
static const char *const whats[] = {"from", "to", "size_bytes", "start_ps", "workload"};
static const struct column { const char *name; enum what what; int exponent; } columns[] = {
	{"from", FROM, 0}, {"src", FROM, 0}, {"to", TO, 0}, {"dst", TO, 0},
	{"size", SIZE, -1}, {"size_bytes", SIZE, 0},		/* -1: the value carries its unit */
	{"start", START, -1}, {"start_ps", START, 0}, {"start_ns", START, 3}, {"start_us", START, 6},
	{"start_ms", START, 9}, {"start_s", START, 12}, {"workload", WORKLOAD, 0}};
enum { COLUMNS = sizeof columns / sizeof *columns };

struct list {
	const struct topology *topo;
	struct workload_conf *conf;
	int64_t room;
	int *slot;			/* hosts by a hash of their names; -1 empty */
	size_t mask;
	bool ids;			/* some host's name is a number */
	const struct rows *rows;	/* what is read: a file ... */
	const struct read *item;	/* ... or an entry of "flows" */
	int at[WHATS];			/* cell of each column; -1 none */
	int exponent[WHATS];
	const char *only;		/* `workload`, or NULL */
};

static int fail(const struct list *l, const struct rows_cell *cell, const char *fmt, ...) SIM_PRINTF(3, 4);
static int fail(const struct list *l, const struct rows_cell *cell, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return l->rows ? rows_fail(l->rows, cell, "%s", text) : read_fail(l->item, JSONC_VALUE, "%s", text);
}

/* ------------------------------------------------------------------- hosts */

static size_t hash(const char *text, size_t n)
{
	uint64_t h = UINT64_C(14695981039346656037);	/* FNV-1a */

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
	return (size_t)(h ^ h >> 29);
}

static void hosts_open(struct list *l)
{
	l->mask = 15;
	while (l->mask < 2 * (size_t)l->topo->nhosts)
		l->mask = 2 * l->mask + 1;
	l->slot = mem_zalloc((l->mask + 1) * sizeof *l->slot);
	for (size_t i = 0; i <= l->mask; i++)
		l->slot[i] = -1;
	for (int i = 0; i < l->topo->nhosts; i++) {
		const char *name = l->topo->hosts[i];
		size_t n = strlen(name), s = hash(name, n) & l->mask;

		while (l->slot[s] >= 0)
			s = (s + 1) & l->mask;
		l->slot[s] = i;
		l->ids = l->ids || strspn(name, "0123456789") == n;
	}
}

static int host_find(const struct list *l, const struct rows_cell *cell)
{
	for (size_t s = hash(cell->text, cell->length) & l->mask; l->slot[s] >= 0; s = (s + 1) & l->mask) {
		if (rows_is(cell, l->topo->hosts[l->slot[s]]))
			return l->slot[s];
	}
	return -1;
}

static int host_unknown(const struct list *l, const struct rows_cell *cell)
{
	char name[NAME_SHOWN];
	const char *near;

	rows_copy(cell, name, sizeof name);
	if (topology_node(l->topo, name))
		return fail(l, cell, "\"%s\" is a switch; flows go from host to host", name);
	near = l->topo->nhosts <= NEAR_MAX ? error_nearest(name, l->topo->hosts) : NULL;
	return fail(l, cell, "there is no host \"%s\"%s%s%s", name, near ? "; did you mean \"" : "",
		    near ? near : "", near ? "\"?" : "");
}

static int host(const struct list *l, const struct rows_cell *cell, int32_t *out)
{
	*out = host_find(l, cell);
	return *out < 0 ? host_unknown(l, cell) : 0;
}

/* A host of HPCC's, which is a number. */
static int host_id(const struct list *l, const struct rows_cell *cell, int32_t *out)
{
	int64_t id;

	if (l->ids)
		return host(l, cell, out);
	if (rows_number(l->rows, cell, 0, INT32_MAX, "a host", "", &id))
		return -1;
	*out = (int32_t)id;
	return id < l->topo->nhosts ? 0
		: fail(l, cell, "there is no host %lld; the topology has %d hosts, from 0", (long long)id,
		       l->topo->nhosts);
}

/* -------------------------------------------------------------------- flows */

static int quantity(const struct list *l, enum what what, const struct rows_cell *cell, int64_t *out)
{
	static const struct { const char *name; enum units_kind kind; } of[] = {
		[SIZE] = {"the size", UNITS_BYTES}, [START] = {"the start", UNITS_TIME}};
	static const char *const units[] = {"ps", "ns", "us", "ms", "s"};
	int64_t max = what == SIZE ? size_max : start_max;
	struct sim_error err = {0};
	char text[NAME_SHOWN];

	if (l->exponent[what] >= 0)
		return rows_number(l->rows, cell, l->exponent[what], max, of[what].name,
				   what == SIZE ? "bytes" : units[l->exponent[what] / 3], out);
	if (units_parse(rows_copy(cell, text, sizeof text), of[what].kind, out, NULL, &err))
		return fail(l, cell, "%s", err.text);
	if (*out < 0 || *out > max)
		return fail(l, cell, "%s is out of range: %s", of[what].name, text);
	return 0;
}

/* One row, its cells where l->at says. */
static int add(struct list *l, const struct rows_cell *cell, bool ids)
{
	struct workload_conf *c = l->conf;
	const struct rows_cell *from = &cell[l->at[FROM]], *to = &cell[l->at[TO]];
	const struct rows_cell *size = &cell[l->at[SIZE]], *start = &cell[l->at[START]];
	struct workload_flow flow;
	char name[NAME_SHOWN];

	if ((ids ? host_id : host)(l, from, &flow.from) || (ids ? host_id : host)(l, to, &flow.to) ||
	    quantity(l, SIZE, size, &flow.size_bytes) || quantity(l, START, start, &flow.start_ps))
		return -1;
	if (flow.from == flow.to)
		return fail(l, to, "%s would send to itself", rows_copy(from, name, sizeof name));
	if (flow.size_bytes == 0)
		return fail(l, size, "a flow has at least 1 byte");
	if (flow.start_ps < c->origin_ps)
		return fail(l, start, "this flow starts before the list's origin");
	if (c->nlist == FLOWLIST_MAX)
		return fail(l, from, "more than %d flows", FLOWLIST_MAX);
	if (c->nlist == l->room) {
		l->room = l->room ? 2 * l->room : FLOWS_ROOM;
		c->list = mem_grow(c->list, (size_t)l->room * sizeof *c->list);
	}
	c->list[c->nlist++] = flow;
	return 0;
}

/* -------------------------------------------------------------------- files */

static const struct column *column(const struct rows_cell *cell)
{
	for (int i = 0; i < COLUMNS; i++) {
		if (rows_is(cell, columns[i].name))
			return &columns[i];
	}
	return NULL;
}

/* No column of that sort: is one misspelt? */
static int column_missing(const struct rows *r, enum what what)
{
	const char *names[COLUMNS + 1], *near;
	char text[NAME_SHOWN];
	int n = 0;

	for (int i = 0; i < COLUMNS; i++) {
		if (columns[i].what == what)
			names[n++] = columns[i].name;
	}
	names[n] = NULL;
	for (int i = 0; i < r->n; i++) {
		near = column(&r->cell[i]) ? NULL : error_nearest(rows_copy(&r->cell[i], text, sizeof text), names);
		if (near)
			return rows_fail(r, &r->cell[i], "there is no column \"%s\"; did you mean \"%s\"?", text, near);
	}
	return rows_fail_row(r, "the first row must name the columns, and no column is named \"%s\"; wanted are "
			     "from,to,size_bytes,start_ps in any order%s", whats[what],
			     what == WORKLOAD ? ", and workload to choose by it" : "");
}

static int read_header(struct list *l, const struct rows *r)
{
	for (int i = 0; i < WHATS; i++)
		l->at[i] = -1;
	for (int i = 0; i < r->n; i++) {
		const struct column *c = column(&r->cell[i]);

		if (!c)
			continue;
		if (l->at[c->what] >= 0)
			return rows_fail(r, &r->cell[i], "\"%s\" is there twice, as \"%.*s\" and as \"%s\"",
					 whats[c->what], (int)r->cell[l->at[c->what]].length,
					 r->cell[l->at[c->what]].text, c->name);
		l->at[c->what] = i;
		l->exponent[c->what] = c->exponent;
	}
	for (int i = 0; i < WHATS; i++) {
		if (l->at[i] < 0 && (i != WORKLOAD || l->only))
			return column_missing(r, (enum what)i);
	}
	return 0;
}

static int read_csv(struct list *l, struct rows *r)
{
	const struct read_ctx *ctx = r->ctx;
	int needs = 0, rc = 0;

	if (!rows_next(r, true))
		return rows_fail_row(r, "this file has no rows");
	if (read_header(l, r))
		return -1;
	for (int i = 0; i < WHATS; i++)
		needs = l->at[i] >= needs ? l->at[i] + 1 : needs;
	while (rows_next(r, true) && diag_errors(ctx->diag) < DIAG_MAX) {
		if (r->n < needs)
			rc = rows_fail_row(r, "this row has %d column%s; the first has at least %d", r->n,
					   r->n == 1 ? "" : "s", needs);
		else if (!l->only || rows_is(&r->cell[l->at[WORKLOAD]], l->only))
			rc |= add(l, r->cell, false);
	}
	return rc;
}

/* "src dst pg dport bytes seconds", or without dport. */
static int read_hpcc(struct list *l, struct rows *r)
{
	int64_t count, done = 0;
	int rc = 0, wanted = 0;

	if (l->only)
		return rows_fail_row(r, "a list in HPCC's format has no column \"workload\" to choose by");
	if (rows_number(r, &r->cell[0], 0, FLOWLIST_MAX, "the number of flows", "flows", &count))
		return -1;
	for (; done < count && rows_next(r, false) && diag_errors(r->ctx->diag) < DIAG_MAX; done++) {
		if (!wanted) {
			wanted = r->n == 5 ? 5 : 6;
			l->at[FROM] = 0;
			l->at[TO] = 1;
			l->at[SIZE] = wanted - 2;
			l->at[START] = wanted - 1;
			l->exponent[SIZE] = 0;
			l->exponent[START] = 12;
		}
		if (r->n < wanted)
			rc = rows_fail_row(r, "wanted is \"source destination priority-group %sbytes seconds\"; this row "
					   "has %d column%s", wanted == 6 ? "port " : "", r->n, r->n == 1 ? "" : "s");
		else
			rc |= add(l, r->cell, true);
	}
	if (rc == 0 && done < count)
		return rows_fail_row(r, "the first row promises %lld flows; here the file ends after %lld",
				     (long long)count, (long long)done);
	if (rc == 0 && rows_next(r, false))
		rows_warn_row(r, "what follows the %lld flows that the first row promises is not read", (long long)count);
	return rc;
}

static int read_file(struct list *l, const struct read *file)
{
	struct rows r;
	int rc = rows_open(&r, file);

	l->rows = &r;
	if (rc == 0 && rows_comma_ahead(&r))
		rc = read_csv(l, &r);
	else if (rc == 0 && !rows_next(&r, false))
		rc = rows_fail_row(&r, "this file has no rows");
	else if (rc == 0)
		rc = r.n == 1 ? read_hpcc(l, &r)
			: rows_fail_row(&r, "this is neither CSV, whose first row names the columns "
					"(from,to,size_bytes,start_ps), nor HPCC's list, whose first row is the number of flows");
	rows_close(&r);
	l->rows = NULL;
	return rc;
}

/* ------------------------------------------------------------------- inline */

/* "h0,h1,64KB,10us" */
static int read_item_row(struct list *l, const char *text)
{
	struct rows_cell cell[4];
	int n = 0;

	for (const char *p = text; n < 4; n++) {
		size_t length = strcspn(p, ",");

		cell[n] = (struct rows_cell){p, length};
		while (cell[n].length && *cell[n].text == ' ') {
			cell[n].text++;
			cell[n].length--;
		}
		p += length;
		if (!*p++) {
			n++;
			text = NULL;		/* all of it */
			break;
		}
	}
	if (n != 4 || text)
		return fail(l, NULL, "a flow is \"from,to,size,start\", such as \"h0,h1,64KB,10us\"");
	return add(l, cell, false);
}

static int read_flows(struct list *l, const struct read *flows)
{
	struct read item;
	int rc = 0;

	if (!json_is_array(flows->json))
		return read_fail(flows, JSONC_VALUE, "flows must be a list of \"from,to,size,start\", not %s",
				 read_kind(flows->json));
	l->item = &item;
	for (int i = 0; i < WHATS; i++) {
		l->at[i] = i;
		l->exponent[i] = -1;
	}
	for (size_t i = 0; read_index(flows, i, &item) && diag_errors(flows->ctx->diag) < DIAG_MAX; i++) {
		const char *text = read_text(&item);

		rc |= text ? read_item_row(l, text) : -1;
	}
	return rc;
}

/* ---------------------------------------------------------------------- all */

/* Hosts that occur, in natural order, in place of their numbers among all. */
static void take_hosts(struct list *l, bool to)
{
	struct workload_conf *c = l->conf;
	int n = 0, *place = mem_zalloc((size_t)l->topo->nhosts * sizeof *place + 1);
	char **names;

	for (int64_t i = 0; i < c->nlist; i++)
		place[to ? c->list[i].to : c->list[i].from] = 1;
	for (int i = 0; i < l->topo->nhosts; i++)
		n += place[i];
	names = mem_zalloc((size_t)n * sizeof *names + 1);
	n = 0;
	for (int i = 0; i < l->topo->nhosts; i++) {
		if (!place[i])
			continue;
		names[n] = (char *)(uintptr_t)l->topo->hosts[i];
		place[i] = n++;
	}
	for (int64_t i = 0; i < c->nlist; i++) {
		int32_t *end = to ? &c->list[i].to : &c->list[i].from;
		*end = place[*end];
	}
	free(place);
	*(to ? &c->to : &c->from) = names;
	*(to ? &c->nto : &c->nfrom) = n;
}

int flowlist_read(const struct read *at, const struct topology *topo, struct workload_conf *conf)
{
	struct list l = {.topo = topo, .conf = conf};
	struct read file, flows, only;
	bool from_file = read_child(at, "file", &file), inlined = read_child(at, "flows", &flows);
	int rc = 0;

	if (from_file == inlined)
		return read_fail(at, JSONC_KEY, from_file ? "both \"file\" and \"flows\" are given; give one"
				 : "list needs a \"file\", such as \"flows.csv\", or \"flows\"");
	if (read_child(at, "workload", &only)) {
		l.only = read_text(&only);
		if (l.only && inlined)
			rc = read_fail(&only, JSONC_KEY, "\"workload\" chooses rows of a file; here is none");
		rc = l.only ? rc : -1;
	}
	if (rc)
		return rc;
	hosts_open(&l);
	rc = from_file ? read_file(&l, &file) : read_flows(&l, &flows);
	free(l.slot);
	if (rc == 0 && conf->nlist == 0)
		rc = l.only ? read_fail(&only, JSONC_VALUE, "no row has the workload \"%s\"", l.only)
			: read_fail(from_file ? &file : &flows, JSONC_VALUE, "this lists no flow");
	take_hosts(&l, false);
	take_hosts(&l, true);
	return rc;
}
