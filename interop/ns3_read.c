/*
 * interop/ns3_read.c - the three files of an ns-3 RDMA experiment.
 */
#include "interop/ns3_inside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/flowlist.h"
#include "sim/mem.h"

static bool numeric(const struct rows_cell *c)
{
	for (size_t i = 0; i < c->length; i++) {
		if (!isdigit((unsigned char)c->text[i]))
			return false;
	}
	return c->length > 0;
}

enum ns3_file ns3_file_of(const struct rows *r)
{
	bool numbers = r->n > 0;

	for (int i = 0; i < r->n; i++)
		numbers = numbers && numeric(&r->cell[i]);
	if (numbers)
		return r->n == 1 ? NS3_FLOWS : r->n == 3 || r->n == 4 ? NS3_TOPOLOGY : NS3_UNKNOWN;
	return r->n >= 2 && isupper((unsigned char)r->cell[0].text[0]) ? NS3_CONFIG : NS3_UNKNOWN;
}

static char *text_of(const struct rows_cell *c)
{
	char *text = mem_zalloc(c->length + 1);

	return rows_copy(c, text, c->length + 1);
}

int ns3_read_config(struct ns3 *n, struct rows *r)
{
	do {
		struct ns3_key *k;

		n->key = mem_grow(n->key, (size_t)(n->nkeys + 1) * sizeof *n->key);
		k = &n->key[n->nkeys++];
		*k = (struct ns3_key){.key = text_of(&r->cell[0])};
		for (int i = 1; i < r->n && k->n < NS3_VALUES; i++)
			k->value[k->n++] = text_of(&r->cell[i]);
		if (k->n == 0)
			return rows_fail_row(r, "\"%.60s\" has no value in its row", k->key);
		if (ns3_check_key(r, k))
			return -1;
	} while (rows_next(r, false));
	return 0;
}

/* ---------------------------------------------------------------- topology */

int ns3_rate(const char *text, int64_t *bps)
{
	static const struct { const char *unit; int exponent, times; } units[] = {
		{"", 0, 1}, {"bps", 0, 1}, {"b/s", 0, 1}, {"Bps", 0, 8}, {"B/s", 0, 8}, {"kbps", 3, 1}, {"kb/s", 3, 1},
		{"Kbps", 3, 1}, {"Kb/s", 3, 1}, {"kBps", 3, 8}, {"kB/s", 3, 8}, {"KBps", 3, 8}, {"KB/s", 3, 8},
		{"Mbps", 6, 1}, {"Mb/s", 6, 1}, {"MBps", 6, 8}, {"MB/s", 6, 8}, {"Gbps", 9, 1}, {"Gb/s", 9, 1},
		{"GBps", 9, 8}, {"GB/s", 9, 8}};
	size_t digits = strspn(text, "0123456789.");
	char number[64];
	int64_t value;

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(text + digits, units[i].unit) != 0 || digits == 0 || digits > 40)
			continue;
		/* a rate is whole in bits a second: "0.5Gbps" is 500 Mbps */
		memcpy(number, text, digits);
		strcpy(number + digits, units[i].exponent == 0 ? "bps" : units[i].exponent == 3 ? "Kbps"
		       : units[i].exponent == 6 ? "Mbps" : "Gbps");
		if (units_parse(number, UNITS_RATE, &value, NULL, NULL) || value > INT64_MAX / 8)
			return -1;
		*bps = value * units[i].times;
		return *bps > 0 ? 0 : -1;
	}
	return -1;
}

static int node_id(const struct ns3 *n, const struct rows *r, const struct rows_cell *cell, int *out)
{
	int64_t id;

	if (rows_number(r, cell, 0, INT32_MAX, "a node", "", &id))
		return -1;
	*out = (int)id;
	return id < n->nodes ? 0 : rows_fail(r, cell, "there is no node %lld; the first row promises %d, from 0",
					     (long long)id, n->nodes);
}

static int add_switch(struct ns3 *n, const struct rows *r, const struct rows_cell *cell)
{
	int id;

	if (node_id(n, r, cell, &id))
		return -1;
	if (n->is_switch[id])
		return rows_fail(r, cell, "switch %d is there twice", id);
	n->is_switch[id] = true;
	return 0;
}

/* The ids of switches: one row of any length, as a rule. */
static int read_switches(struct ns3 *n, struct rows *r)
{
	int done = 0;

	while (done < n->switches) {
		if (!rows_next(r, false))
			return rows_fail_row(r, "the first row promises %d switches; here the file ends after %d",
					     n->switches, done);
		for (const char *at = r->text + r->row, *end = r->text + r->next; at < end && done < n->switches;) {
			struct rows_cell cell = {at, 0};

			while (at < end && !isspace((unsigned char)*at))
				at++;
			cell.length = (size_t)(at - cell.text);
			if (cell.length && add_switch(n, r, &cell))
				return -1;
			done += cell.length > 0;
			at += at < end && cell.length == 0;
		}
	}
	return 0;
}

static int read_link(struct ns3 *n, const struct rows *r)
{
	struct ns3_link l = {.error = 0};
	char rate[64], delay[64], error[64];

	if (r->n < 4)
		return rows_fail_row(r, "a link is \"node node rate delay error-rate\"; this row has %d column%s", r->n,
				     r->n == 1 ? "" : "s");
	if (node_id(n, r, &r->cell[0], &l.a) || node_id(n, r, &r->cell[1], &l.b))
		return -1;
	if (l.a == l.b)
		return rows_fail(r, &r->cell[1], "this link joins %d to itself", l.a);
	if (ns3_rate(rows_copy(&r->cell[2], rate, sizeof rate), &l.rate_bps))
		return rows_fail(r, &r->cell[2], "\"%s\" is no rate, such as 100Gbps", rate);
	if (units_parse(rows_copy(&r->cell[3], delay, sizeof delay), UNITS_TIME, &l.delay_ps, NULL, NULL))
		return rows_fail(r, &r->cell[3], "\"%s\" is no delay, such as 1000ns", delay);
	if (r->n > 4) {
		char *end;

		l.error = strtod(rows_copy(&r->cell[4], error, sizeof error), &end);
		if (*end || !(l.error >= 0 && l.error < 1))
			return rows_fail(r, &r->cell[4], "\"%s\" is no error rate from 0 to 1", error);
	}
	l.a_port = ++n->ports[l.a];
	l.b_port = ++n->ports[l.b];
	n->link[n->nlinks++] = l;
	return 0;
}

int ns3_read_topology(struct ns3 *n, struct rows *r)
{
	int64_t nodes, switches, links;

	if (rows_number(r, &r->cell[0], 0, NS3_NODES_MAX, "the number of nodes", "nodes", &nodes) ||
	    rows_number(r, &r->cell[1], 0, nodes, "the number of switches", "switches", &switches) ||
	    rows_number(r, &r->cell[r->n - 1], 0, NS3_LINKS_MAX, "the number of links", "links", &links))
		return -1;
	n->nodes = (int)nodes;
	n->switches = (int)switches;
	n->is_switch = mem_zalloc((size_t)nodes * sizeof *n->is_switch + 1);
	n->ports = mem_zalloc((size_t)nodes * sizeof *n->ports + 1);
	n->link = mem_zalloc((size_t)links * sizeof *n->link + 1);
	if (read_switches(n, r))
		return -1;
	while (n->nlinks < links && rows_next(r, false)) {
		if (read_link(n, r))
			return -1;
	}
	if (n->nlinks < links)
		return rows_fail_row(r, "the first row promises %lld links; here the file ends after %d",
				     (long long)links, n->nlinks);
	return 0;
}

/* ------------------------------------------------------------------- flows */

/* Only when they start, and their group: the list itself is read when the experiment is. */
int ns3_read_flows(struct ns3 *n, struct rows *r)
{
	int64_t start;

	if (rows_number(r, &r->cell[0], 0, FLOWLIST_MAX, "the number of flows", "flows", &n->nflows))
		return -1;
	n->first_ps = INT64_MAX;
	for (int64_t i = 0; i < n->nflows; i++) {
		if (!rows_next(r, false))
			return rows_fail_row(r, "the first row promises %lld flows; here the file ends after %lld",
					     (long long)n->nflows, (long long)i);
		if (r->n < 5)
			return rows_fail_row(r, "a flow is \"source destination priority-group port bytes seconds\"; this "
					     "row has %d column%s", r->n, r->n == 1 ? "" : "s");
		if (rows_number(r, &r->cell[r->n == 5 ? 4 : 5], 12, INT64_C(1000000) * UNITS_PS_PER_S, "the start", "s",
				&start))
			return -1;
		n->other_groups += !rows_is(&r->cell[2], "3");
		n->first_ps = start < n->first_ps ? start : n->first_ps;
		n->last_ps = start > n->last_ps ? start : n->last_ps;
	}
	return 0;
}
