/*
 * interop/sonic_link.c - who is linked to whom: the list of cables, then
 * DEVICE_NEIGHBOR, then a host on every free port where that is wanted.
 *
 * Two switches that name each other are one link.  Where they contradict each
 * other the first word counts, in the order of names, and a note tells.
 */
#include "interop/sonic_inside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/mem.h"

enum { CABLE_ASSUMED_MM = 5000, HOST_PORT_MAX = 4095, STUB_MAX = 48 };

struct sonic_port *sonic_end_port(const struct sonic *s, const struct sonic_end *end)
{
	return end->device < 0 ? NULL : sonic_port_find(&s->devices[end->device], end->port);
}

/* ---------------------------------------------------------------------------- ends */

static int device_named(const struct sonic *s, const char *name)
{
	int alike = -1;

	for (int i = 0; i < s->ndevices; i++) {
		if (strcmp(s->devices[i].name, name) == 0)
			return i;
		if (strcasecmp(s->devices[i].name, name) == 0)
			alike = i;
	}
	return alike;
}

static int host_named(struct sonic *s, const char *name)
{
	char *node = sonic_legal_name(name);
	json_t *known = json_object_get(s->host_index, node);

	if (known) {
		free(node);
		return (int)json_integer_value(known);
	}
	if (s->nhosts == s->hosts_room) {
		s->hosts_room = s->hosts_room ? 2 * s->hosts_room : 64;
		s->hosts = mem_grow(s->hosts, (size_t)s->hosts_room * sizeof *s->hosts);
	}
	json_object_set_new(s->host_index, node, json_integer(s->nhosts));
	s->hosts[s->nhosts] = (struct sonic_host){.name = node};
	return s->nhosts++;
}

/* "eth3" is port 3 of a host; anything else, or a second time, is any port. */
static int host_port(struct sonic_host *h, const char *name)
{
	size_t n = 0;
	int64_t number = 0;
	int word;

	while (name && isalpha((unsigned char)name[n]))
		n++;
	if (!n || !sonic_whole(name + n, &number) || number < 0 || number > HOST_PORT_MAX)
		return -1;
	word = (int)number / 64;
	if (word >= h->words) {
		h->taken = mem_grow(h->taken, (size_t)(word + 1) * sizeof *h->taken);
		memset(h->taken + h->words, 0,
		       (size_t)(word + 1 - h->words) * sizeof *h->taken);
		h->words = word + 1;
	}
	if (h->taken[word] >> (number % 64) & 1)
		return -1;
	h->taken[word] |= UINT64_C(1) << (number % 64);
	return (int)number;
}

int sonic_end_find(struct sonic *s, const char *node, const char *port, struct sonic_end *end)
{
	char *name = sonic_legal_name(node);
	struct sonic_port *p;

	*end = (struct sonic_end){.device = device_named(s, name), .host = -1, .port = -1};
	free(name);
	if (end->device < 0) {
		end->host = host_named(s, node);
		end->port = host_port(&s->hosts[end->host], port);
		return 0;
	}
	p = port ? sonic_port_named(&s->devices[end->device], port) : NULL;
	if (!p)
		return -1;
	end->port = p->number;
	return 0;
}

/* --------------------------------------------------------------------------- links */

static void name_end(const struct sonic *s, const struct sonic_end *e, char *buf, size_t size)
{
	if (e->device >= 0)
		snprintf(buf, size, "%s Ethernet%d", s->devices[e->device].name, e->port);
	else
		snprintf(buf, size, "%s", s->hosts[e->host].name);
}

/* The slower of two ends that differ: such a link would not even come up. */
static int64_t rate_of(struct sonic *s, const struct sonic_end *a, const struct sonic_end *b)
{
	const struct sonic_end *ends[2] = {a, b};
	int64_t rate = 0;
	char other[128];

	for (int i = 0; i < 2; i++) {
		const struct sonic_port *p = sonic_end_port(s, ends[i]);
		int64_t mine = p ? sonic_port_rate(&s->devices[ends[i]->device], p) : 0;

		if (rate && mine && rate != mine) {
			name_end(s, b, other, sizeof other);
			sonic_note(s, SONIC_NOTE_APPROXIMATED, &s->devices[a->device], a->port,
				   "its speed is not that of %s at the other end: the slower "
				   "counts",
				   other);
		}
		rate = mine && (!rate || mine < rate) ? mine : rate;
	}
	return rate;
}

/* What CABLE_LENGTH of either end says; the longer where they differ. */
static int64_t cable_of(struct sonic *s, const struct sonic_end *a, const struct sonic_end *b)
{
	const struct sonic_port *p = sonic_end_port(s, a), *q = sonic_end_port(s, b);
	int64_t mm = p ? p->cable_mm : -1, other = q ? q->cable_mm : -1;
	char name[128];

	if (mm >= 0 && other >= 0 && mm != other) {
		name_end(s, b, name, sizeof name);
		sonic_note(s, SONIC_NOTE_APPROXIMATED, &s->devices[a->device], a->port,
			   "CABLE_LENGTH is %s here and %s at %s: the cable has the longer",
			   p->cable,
			   q->cable, name);
	}
	mm = other > mm ? other : mm;
	if (mm >= 0)
		return mm;
	sonic_note(s, SONIC_NOTE_ASSUMED, &s->devices[p ? a->device : b->device],
		   p ? a->port : b->port, "no file tells the length of the cable (5m)");
	return CABLE_ASSUMED_MM;
}

/* Headroom is for the length that the switch was told; the frames fly the other one. */
static void compare_cable(struct sonic *s, const struct sonic_end *e, int64_t mm)
{
	const struct sonic_port *p = sonic_end_port(s, e);

	if (p && p->cable_mm >= 0 && mm > p->cable_mm)
		sonic_note(s, SONIC_NOTE_LOSSY, &s->devices[e->device], e->port,
			   "the cable is %lldm long, but CABLE_LENGTH says %s: headroom is "
			   "made for that", (long long)(mm / 1000), p->cable);
}

void sonic_link_add(struct sonic *s, const struct sonic_end *a, const struct sonic_end *b,
		    int64_t cable_mm)
{
	struct sonic_port *p = sonic_end_port(s, a), *q = sonic_end_port(s, b);

	if ((p && p->admin == SONIC_ADMIN_DOWN) || (q && q->admin == SONIC_ADMIN_DOWN)) {
		const struct sonic_end *down = p && p->admin == SONIC_ADMIN_DOWN ? a : b;

		sonic_note(s, SONIC_NOTE_IGNORED, &s->devices[down->device], down->port,
			   "links of ports that are down");
		return;
	}
	if (cable_mm < 0)
		cable_mm = cable_of(s, a, b);
	compare_cable(s, a, cable_mm);
	compare_cable(s, b, cable_mm);
	if (s->nlinks == s->links_room) {
		s->links_room = s->links_room ? 2 * s->links_room : 256;
		s->links = mem_grow(s->links, (size_t)s->links_room * sizeof *s->links);
	}
	s->links[s->nlinks] = (struct sonic_link){*a, *b, rate_of(s, a, b), cable_mm};
	if (p)
		p->link = s->nlinks;
	if (q)
		q->link = s->nlinks;
	s->nlinks++;
}

/* ----------------------------------------------------------------- DEVICE_NEIGHBOR */

static bool same_end(const struct sonic_end *a, const struct sonic_end *b)
{
	return a->device == b->device && a->host == b->host &&
	       (a->device < 0 || a->port == b->port);
}

/* Does the link that the port has already lead where its DEVICE_NEIGHBOR says? */
static void compare(struct sonic *s, const struct sonic_device *d, const struct sonic_port *p)
{
	const struct sonic_link *l = &s->links[p->link];
	bool first = l->a.device == d->index && l->a.port == p->number;
	const struct sonic_end *other = first ? &l->b : &l->a;
	struct sonic_end said = {.device = device_named(s, p->neighbour), .host = -1,
				 .port = -1};
	char name[128], *node = sonic_legal_name(p->neighbour);
	json_t *host = json_object_get(s->host_index, node);

	free(node);
	if (said.device >= 0) {
		const struct sonic_port *q = p->neighbour_port ?
			sonic_port_named(&s->devices[said.device], p->neighbour_port) : NULL;

		said.port = q ? q->number : -1;
	} else if (host) {
		said.host = (int)json_integer_value(host);
	}
	if (same_end(&said, other))
		return;
	name_end(s, other, name, sizeof name);
	sonic_note(s, SONIC_NOTE_APPROXIMATED, d, p->number,
		   "DEVICE_NEIGHBOR says %s %s, but the port is linked to %s already",
		   p->neighbour,
		   p->neighbour_port ? p->neighbour_port : "", name);
}

static void from_neighbour(struct sonic *s, struct sonic_device *d, struct sonic_port *p)
{
	struct sonic_end here = {.device = d->index, .host = -1, .port = p->number}, there;
	struct sonic_port *q;
	char name[128];

	if (p->link >= 0) {
		compare(s, d, p);
		return;
	}
	if (sonic_end_find(s, p->neighbour, p->neighbour_port, &there)) {
		sonic_note(s, SONIC_NOTE_APPROXIMATED, d, p->number,
			   "DEVICE_NEIGHBOR: %s has no port \"%s\"; the link is left out",
			   p->neighbour, p->neighbour_port ? p->neighbour_port : "");
		return;
	}
	q = sonic_end_port(s, &there);
	if (q == p || (q && q->link >= 0)) {
		name_end(s, &there, name, sizeof name);
		sonic_note(s, SONIC_NOTE_APPROXIMATED, d, p->number,
			   "DEVICE_NEIGHBOR names %s, which is linked to another port; the "
			   "link is left out", name);
		return;
	}
	sonic_link_add(s, &here, &there, -1);
}

/* What stands at the far end is not told, or has no configuration here. */
static void tell_hosts(struct sonic *s, const struct sonic_device *d)
{
	json_t *entries = d->tables[SONIC_DEVICE_NEIGHBOR_METADATA];

	for (int i = 0; i < d->nports; i++) {
		const struct sonic_port *p = &d->ports[i];
		const char *type;

		if (p->link < 0 || !p->neighbour || device_named(s, p->neighbour) >= 0)
			continue;
		type = json_string_value(json_object_get(json_object_get(entries, p->neighbour),
							 "type"));
		if (type && strcasecmp(type, "Server") != 0)
			sonic_note(s, SONIC_NOTE_ASSUMED, d, p->number,
				   "neighbours of type %s have no configuration here: they "
				   "stand as hosts", type);
	}
}

static void free_ports(struct sonic *s, struct sonic_device *d)
{
	for (int i = 0; i < d->nports; i++) {
		struct sonic_port *p = &d->ports[i];
		struct sonic_end here = {.device = d->index, .host = -1, .port = p->number};
		struct sonic_end there = {.device = -1, .port = 0};
		char name[SONIC_NAME_MAX];

		if (p->link >= 0 || p->neighbour)
			continue;
		if (!s->opt->hosts) {
			sonic_note(s, SONIC_NOTE_IGNORED, d, p->number,
				   "ports without a neighbour (--hosts gives each a host)");
			continue;
		}
		if (strlen(d->name) <= STUB_MAX)
			snprintf(name, sizeof name, "%.48s-Ethernet%d", d->name, p->number);
		else
			snprintf(name, sizeof name, "%.40s-%d-Ethernet%d", d->name, d->index,
				 p->number);
		there.host = host_named(s, name);
		if (p->admin != SONIC_ADMIN_DOWN)
			sonic_link_add(s, &here, &there, -1);
	}
}

void sonic_links_load(struct sonic *s)
{
	for (int i = 0; i < s->ndevices; i++) {
		struct sonic_device *d = &s->devices[i];

		for (int j = 0; j < d->nports; j++) {
			if (d->ports[j].neighbour)
				from_neighbour(s, d, &d->ports[j]);
		}
	}
	for (int i = 0; i < s->ndevices; i++) {
		free_ports(s, &s->devices[i]);
		tell_hosts(s, &s->devices[i]);
	}
}
