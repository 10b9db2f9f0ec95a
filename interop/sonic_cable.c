/*
 * interop/sonic_cable.c - a list of cables, one a row: the devices and ports at
 * both ends, and the length (RFC 4180).
 *
 *	device A,port A,device B,port B,length
 *	leaf0,Ethernet0,spine1,Ethernet12,40m
 *
 * A first row that names columns may have them in any order, with others between,
 * and the unit in a column of its own, as NetBox exports them.
 */
#include "interop/sonic_inside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/mem.h"

enum { CELLS = 64, CELL_MAX = 255 };
enum column { DEVICE_A, PORT_A, DEVICE_B, PORT_B, LENGTH, UNIT, COLUMNS };

static const char *const titles[COLUMNS] = {	/* in lower case, letters and digits alone */
	[DEVICE_A] = " devicea adevice sideadevice terminationadevice ",
	[PORT_A] = " porta aport sideaname interfacea terminationaname ",
	[DEVICE_B] = " deviceb bdevice sidebdevice terminationbdevice ",
	[PORT_B] = " portb bport sidebname interfaceb terminationbname ",
	[LENGTH] = " length cablelength ",
	[UNIT] = " lengthunit unit ",
};

struct cell { const char *at; char text[CELL_MAX + 1]; };
struct suspect { const char *at; char *name, *port; bool ignored; };
struct table {
	struct sonic *s;
	char *text;
	const char *next;
	size_t length;
	struct cell cells[CELLS];
	int ncells;
	int column[COLUMNS];	/* which cell; -1: none */
	struct suspect *suspects;
	int nsuspects;
};

static int fail(const struct table *t, const char *at, const char *text)
{
	struct diag_place place = {.file = t->s->opt->cables, .text = t->text,
				   .length = t->length, .offset = (size_t)(at - t->text)};

	return diag_add(t->s->diag, DIAG_ERROR, &place, "%s", text);
}

/* One cell; what is too long is cut.  Leaves `next` at the separator behind it. */
static void read_cell(struct table *t, struct cell *c)
{
	const char *end = t->text + t->length;
	bool quoted = t->next < end && *t->next == '"';
	size_t n = 0;

	c->at = t->next;
	t->next += quoted;
	while (t->next < end) {
		char x = *t->next;

		if (quoted && x == '"') {
			quoted = t->next + 1 < end && t->next[1] == '"';
			t->next += 1 + quoted;
			if (!quoted)
				continue;
		} else if (!quoted && (x == ',' || x == '\n' || x == '\r')) {
			break;
		} else {
			t->next++;
		}
		if (n < CELL_MAX)
			c->text[n++] = x;
	}
	while (n && c->text[n - 1] == ' ')
		n--;
	c->text[n] = 0;
}

/* The cells of the next row that is not empty; false at the end. */
static bool read_row(struct table *t)
{
	const char *end = t->text + t->length;
	struct cell spare;

	do {
		t->ncells = 0;
		if (t->next >= end)
			return false;
		for (;;) {
			read_cell(t, t->ncells < CELLS ? &t->cells[t->ncells] : &spare);
			t->ncells += t->ncells < CELLS;
			if (t->next >= end || *t->next != ',')
				break;
			t->next++;
		}
		t->next += t->next < end && *t->next == '\r';
		t->next += t->next < end && *t->next == '\n';
	} while (t->ncells == 1 && (!t->cells[0].text[0] || t->cells[0].text[0] == '#'));
	return true;
}

static const char *plain(const char *text, char *buf, size_t size)
{
	size_t n = 0;

	buf[n++] = ' ';
	for (; *text && n + 2 < size; text++) {
		if (isalnum((unsigned char)*text))
			buf[n++] = (char)tolower((unsigned char)*text);
	}
	buf[n++] = ' ';
	buf[n] = 0;
	return buf;
}

/* Is this row one of titles?  Then they tell the columns. */
static bool read_titles(struct table *t)
{
	char word[80];
	bool some = false;

	for (int k = 0; k < COLUMNS; k++) {
		t->column[k] = -1;
		for (int i = 0; i < t->ncells; i++) {
			if (t->cells[i].text[0] &&
			    strstr(titles[k], plain(t->cells[i].text, word, sizeof word)))
				t->column[k] = i;
		}
		some |= t->column[k] >= 0;
	}
	for (int k = 0; k < COLUMNS && !some; k++)
		t->column[k] = k < UNIT ? k : -1;
	return some;
}

static const struct cell *cell(const struct table *t, enum column k)
{
	int i = t->column[k];

	return i >= 0 && i < t->ncells && t->cells[i].text[0] ? &t->cells[i] : NULL;
}

/* -1: none is told (CABLE_LENGTH counts); -2: malformed, told. */
static int64_t read_length(const struct table *t)
{
	const struct cell *length = cell(t, LENGTH), *unit = cell(t, UNIT);
	char text[2 * CELL_MAX + 2];
	int64_t mm;

	if (!length)
		return -1;
	snprintf(text, sizeof text, "%s%s", length->text, unit ? unit->text : "");
	mm = sonic_cable_mm(text);
	return mm >= 0 ? mm : fail(t, length->at, "this is no length of a cable; wanted a "
				   "number and its unit, such as 40m") - 1;
}

static int read_end(const struct table *t, enum column device, enum column port,
		    struct sonic_end *end)
{
	const struct cell *d = cell(t, device), *p = cell(t, port);
	char text[256];

	if (!d)
		return fail(t, t->cells[0].at, "this row does not name the devices at both "
			    "ends");
	if (!sonic_end_find(t->s, d->text, p ? p->text : NULL, end))
		return 0;
	if (!p)
		return fail(t, d->at, "a switch needs a port");
	snprintf(text, sizeof text, "%.100s has no port \"%.100s\"", d->text, p->text);
	return fail(t, p->at, text);
}

/* Is the device that stands as a host a switch, by what the other end says? */
static int check_host(const struct table *t, enum column device, const struct sonic_end *end,
		      const struct sonic_end *other)
{
	const struct cell *d = cell(t, device);
	const struct sonic_device *meant = end->device < 0 && other->device >= 0
		? sonic_meant_neighbour(t->s, d->text, sonic_end_port(t->s, other)) : NULL;
	char text[300];

	if (!meant)
		return 0;
	snprintf(text, sizeof text, "there is no switch \"%.60s\" in these files, and "
		 "DEVICE_NEIGHBOR of %.60s Ethernet%d says \"%.60s\"; did you mean that?", d->text,
		 t->s->devices[other->device].name, other->port, meant->name);
	return fail(t, d->at, text);
}

/* A host at a switch's port name is looked at again when all cables are there. */
static void suspect(struct table *t, enum column device, enum column port,
		    const struct sonic_end *end, const struct sonic_end *other)
{
	const struct cell *d = cell(t, device), *p = cell(t, port);

	if (end->device >= 0 || !p || sonic_port_number(p->text) < 0)
		return;
	t->suspects = mem_grow(t->suspects, (size_t)(t->nsuspects + 1) * sizeof *t->suspects);
	t->suspects[t->nsuspects++] =
		(struct suspect){d->at, mem_strdup(d->text), mem_strdup(p->text),
				 other->device < 0};
}

static void tell_suspects(struct table *t, bool tell)
{
	json_t *rows = json_object();	/* of each name */

	for (int i = 0; i < t->nsuspects; i++) {
		json_int_t n = json_integer_value(json_object_get(rows, t->suspects[i].name));

		json_object_set_new(rows, t->suspects[i].name, json_integer(n + 1));
	}
	for (int i = 0; i < t->nsuspects; i++) {
		struct suspect *x = &t->suspects[i];
		const struct sonic_device *meant = sonic_meant_port(t->s, x->name, x->port);
		struct diag_place place = {.file = t->s->opt->cables, .text = t->text,
					   .length = t->length,
					   .offset = (size_t)(x->at - t->text)};

		/* a switch that is not imported has more cables than one */
		if (meant && tell && json_integer_value(json_object_get(rows, x->name)) == 1)
			(void)diag_add(t->s->diag, DIAG_WARNING, &place, "\"%s\" is no switch of "
				       "these files and %s; did you mean \"%s\", whose %s has no "
				       "cable?", x->name, x->ignored ? "its cable is left out"
				       : "becomes a host", meant->name, x->port);
		free(x->name);
		free(x->port);
	}
	free(t->suspects);
	json_decref(rows);
}

static int read_cable(struct table *t)
{
	struct sonic_end a, b;
	struct sonic_port *p, *q;
	int64_t mm = read_length(t);

	if (mm < -1 || read_end(t, DEVICE_A, PORT_A, &a) || read_end(t, DEVICE_B, PORT_B, &b))
		return -1;
	suspect(t, DEVICE_A, PORT_A, &a, &b);
	suspect(t, DEVICE_B, PORT_B, &b, &a);
	if (a.device < 0 && b.device < 0) {
		sonic_note(t->s, SONIC_NOTE_IGNORED, NULL, -1,
			   "cables that end at no switch of these files");
		return 0;
	}
	if (check_host(t, DEVICE_A, &a, &b) | check_host(t, DEVICE_B, &b, &a))
		return -1;
	p = sonic_end_port(t->s, &a);
	q = sonic_end_port(t->s, &b);
	if (p && p == q)
		return fail(t, t->cells[0].at, "this cable leads from a port to itself");
	if ((p && p->link >= 0) || (q && q->link >= 0))
		return fail(t, cell(t, p && p->link >= 0 ? PORT_A : PORT_B)->at,
			    "this port has a cable already");
	if (a.device < 0) {	/* notes are told of the first end */
		sonic_link_add(t->s, &b, &a, mm);
		return 0;
	}
	sonic_link_add(t->s, &a, &b, mm);
	return 0;
}

int sonic_cables_load(struct sonic *s)
{
	struct table *t;
	bool titled;
	int rc = 0;

	if (!s->opt->cables)
		return 0;
	t = mem_zalloc(sizeof *t);
	t->s = s;
	t->text = sonic_read(s, s->opt->cables, &t->length);
	t->next = t->text;
	if (!t->text) {
		free(t);
		return -1;
	}
	if (t->length >= 3 && memcmp(t->text, "\357\273\277", 3) == 0)
		t->next += 3;
	if (read_row(t)) {
		titled = read_titles(t);
		if (titled && (t->column[DEVICE_A] < 0 || t->column[DEVICE_B] < 0))
			rc = fail(t, t->cells[0].at, "the titles name no devices; wanted "
				  "device A, port A, device B, port B, length");
		bool more = rc == 0 && (!titled || read_row(t));
		for (; more; more = read_row(t))
			rc |= read_cable(t);
	}
	tell_suspects(t, rc == 0);
	free(t->text);
	free(t);
	return rc;
}
