/*
 * interop/sonic_port.c - the ports of a switch: speed, cable, neighbour, watchdog.
 *
 * PORT names them.  Where there is no PORT (a file of buffers alone, say) they
 * are those that other tables speak of.
 */
#include "interop/sonic_inside.h"

#include <stdlib.h>
#include <string.h>

#include "sim/mem.h"

/* Ranges that SONiC accepts (sonic-swss orchagent/pfcwdorch.h), milliseconds. */
enum { DETECT_MIN = 100, DETECT_MAX = 5000, RESTORE_MIN = 100, RESTORE_MAX = 60000,
       POLL_MIN = 100, POLL_MAX = 1000 };

static int order(const void *a, const void *b)
{
	return ((const struct sonic_port *)a)->number - ((const struct sonic_port *)b)->number;
}

struct sonic_port *sonic_port_find(const struct sonic_device *d, int number)
{
	struct sonic_port key = {.number = number};

	if (number < 0 || !d->nports)
		return NULL;
	return bsearch(&key, d->ports, (size_t)d->nports, sizeof key, order);
}

struct sonic_port *sonic_port_named(const struct sonic_device *d, const char *name)
{
	struct sonic_port *p = sonic_port_find(d, sonic_port_number(name));

	for (int i = 0; i < d->nports && !p; i++) {
		if (d->ports[i].alias && strcmp(d->ports[i].alias, name) == 0)
			p = &d->ports[i];
	}
	return p;
}

/* ---------------------------------------------------------------- which there are */

static void add(struct sonic_device *d, const char *name)
{
	int number = sonic_port_number(name);
	struct sonic_port *p;

	if (number < 0)
		return;
	if (d->nports == d->ports_room) {
		d->ports_room = d->ports_room ? 2 * d->ports_room : 64;
		d->ports = mem_grow(d->ports, (size_t)d->ports_room * sizeof *d->ports);
	}
	p = &d->ports[d->nports++];
	*p = (struct sonic_port){.number = number, .cable_mm = -1, .watch = -1, .link = -1};
	for (int i = 0; i < SONIC_MAPS; i++)
		p->map[i] = -1;
	for (int q = 0; q < SONIC_PRIOS; q++)
		p->scheduler[q] = p->wred[q] = -1;
}

/* The ports in a key such as "Ethernet0,Ethernet4|3-4" or "HOST|ASIC|Ethernet0|3". */
static void add_key(struct sonic_device *d, const char *key)
{
	char *copy = mem_strdup(key), *rest = NULL;

	for (char *c = strtok_r(copy, "|, ", &rest); c; c = strtok_r(NULL, "|, ", &rest))
		add(d, c);
	free(copy);
}

static void gather(struct sonic_device *d)
{
	static const enum sonic_table by_key[] = {
		SONIC_BUFFER_PG, SONIC_BUFFER_QUEUE, SONIC_QUEUE, SONIC_PORT_QOS_MAP,
		SONIC_PFC_WD, SONIC_DEVICE_NEIGHBOR,
	};
	const char *key, *port;
	json_t *fields, *value;

	for (size_t i = 0; i < sizeof by_key / sizeof *by_key; i++) {
		json_object_foreach(d->tables[by_key[i]], key, fields)
			add_key(d, key);
	}
	json_object_foreach(d->tables[SONIC_CABLE_LENGTH], key, fields) {
		json_object_foreach(fields, port, value)
			add(d, port);
	}
}

static void unique(struct sonic_device *d)
{
	int n = 0;

	if (d->nports)
		qsort(d->ports, (size_t)d->nports, sizeof *d->ports, order);
	for (int i = 0; i < d->nports; i++) {
		if (n == 0 || d->ports[i].number != d->ports[n - 1].number)
			d->ports[n++] = d->ports[i];
	}
	d->nports = n;
}

/* -------------------------------------------------------------------- their fields */

static int read_admin(const struct sonic_entry *e, enum sonic_admin *admin)
{
	const char *text = sonic_text(e, "admin_status");

	if (!text)
		return 0;
	if (strcmp(text, "up") != 0 && strcmp(text, "down") != 0)
		return sonic_fail(e, "admin_status", "\"%s\" is neither \"up\" nor \"down\"",
				  text);
	*admin = text[0] == 'u' ? SONIC_ADMIN_UP : SONIC_ADMIN_DOWN;
	return 0;
}

static int read_port(const struct sonic_entry *e)
{
	struct sonic_port *p = sonic_port_find(e->d, sonic_port_number(e->key));
	const char *lanes = sonic_text(e, "lanes"), *asym = sonic_text(e, "pfc_asym");
	int64_t mbps = 0;

	if (!p) {
		sonic_note(e->d->s, SONIC_NOTE_IGNORED, e->d, -1,
			   "PORT %s: only ports named EthernetN are taken", e->key);
		return 0;
	}
	p->known = true;
	p->alias = sonic_text(e, "alias");
	if (sonic_number(e, "speed", 1, 10000000, &mbps) ||
	    sonic_number(e, "mtu", 68, 16000, &p->mtu) || read_admin(e, &p->admin))
		return -1;
	p->rate_bps = mbps * 1000000;
	p->lanes = lanes && *lanes ? 1 : 0;
	for (const char *c = lanes; c && *c; c++)
		p->lanes += *c == ',';
	if (asym && strcmp(asym, "on") == 0)
		sonic_note(e->d->s, SONIC_NOTE_APPROXIMATED, e->d, p->number,
			   "PORT pfc_asym is on: Xoff's PFC is symmetric");
	return 0;
}

static int read_cables(const struct sonic_entry *e)
{
	const char *name;
	json_t *value;
	int rc = 0;

	json_object_foreach(e->fields, name, value) {
		struct sonic_port *p = sonic_port_find(e->d, sonic_port_number(name));
		int64_t mm = sonic_cable_mm(json_string_value(value));

		if (mm < 0)
			rc = sonic_fail(e, name, "\"%s\" is no length of a cable, such as "
					"\"40m\"",
					json_string_value(value));
		if (mm < 0 || !p)
			continue;
		p->cable_mm = mm;
		p->cable = json_string_value(value);
	}
	return rc;
}

static int read_neighbour(const struct sonic_entry *e)
{
	const char *local = sonic_text(e, "local_port");
	int number = sonic_port_number(e->key);
	struct sonic_port *p = sonic_port_find(e->d, number < 0 && local ?
					       sonic_port_number(local) : number);

	if (!p) {
		sonic_note(e->d->s, SONIC_NOTE_IGNORED, e->d, -1,
			   "DEVICE_NEIGHBOR %s: the switch has no such port", e->key);
		return 0;
	}
	p->neighbour = sonic_text(e, "name");
	p->neighbour_port = sonic_text(e, "port");
	if (!p->neighbour || !*p->neighbour)
		return sonic_fail(e, NULL, "a neighbour needs a \"name\"");
	return 0;
}

int sonic_ports_load(struct sonic_device *d)
{
	const char *key;
	json_t *fields;
	int rc;

	json_object_foreach(d->tables[SONIC_PORT], key, fields)
		add(d, key);
	d->listed = d->nports > 0;
	if (!d->listed)
		gather(d);
	unique(d);
	if (!d->listed && d->nports)
		sonic_note(d->s, SONIC_NOTE_ASSUMED, d, -1,
			   "no PORT table: its ports are those that other tables name");
	else if (!d->listed)
		sonic_note(d->s, SONIC_NOTE_ASSUMED, d, -1,
			   "no PORT table, and no table names a port");
	rc = sonic_each(d, SONIC_PORT, read_port);
	rc |= sonic_each(d, SONIC_CABLE_LENGTH, read_cables);
	rc |= sonic_each(d, SONIC_DEVICE_NEIGHBOR, read_neighbour);
	return rc;
}

/* ------------------------------------------------------------------------- watchdog */

static int read_watched(const struct sonic_entry *e, struct sonic_port *p, int zero)
{
	const char *action = sonic_text(e, "action");
	int rc = 0;

	(void)zero;
	p->watchdog.on = true;
	p->watchdog.detect_ms = p->watchdog.restore_ms = -1;
	p->watchdog.action = action ? action : "drop";
	if (strcmp(p->watchdog.action, "drop") != 0 &&
	    strcmp(p->watchdog.action, "forward") != 0 &&
	    strcmp(p->watchdog.action, "alert") != 0)
		rc = sonic_fail(e, "action", "\"%s\" is none of drop, forward, alert", action);
	rc |= sonic_number(e, "detection_time", DETECT_MIN, DETECT_MAX, &p->watchdog.detect_ms);
	rc |= sonic_number(e, "restoration_time", RESTORE_MIN, RESTORE_MAX,
			   &p->watchdog.restore_ms);
	if (!sonic_text(e, "detection_time"))
		rc = sonic_fail(e, NULL, "an entry of PFC_WD needs \"detection_time\"");
	return rc;
}

static int read_watchdog(const struct sonic_entry *e)
{
	const char *red = sonic_text(e, "BIG_RED_SWITCH");

	if (strcmp(e->key, "GLOBAL") != 0)
		return sonic_each_port(e, read_watched);
	e->d->big_red_switch = red && strcmp(red, "enable") == 0;
	if (e->d->big_red_switch)
		sonic_note(e->d->s, SONIC_NOTE_FINDING, e->d, -1,
			   "PFC_WD BIG_RED_SWITCH is enabled: every lossless queue of its "
			   "ports drops, storm or not");
	return sonic_number(e, "POLL_INTERVAL", POLL_MIN, POLL_MAX, &e->d->poll_ms);
}

int sonic_watchdog_load(struct sonic_device *d)
{
	json_t *host = json_object_get(d->tables[SONIC_DEVICE_METADATA], "localhost");
	const char *status = json_string_value(json_object_get(host, "default_pfcwd_status"));

	d->poll_ms = -1;
	if (!d->tables[SONIC_PFC_WD] && status && strcmp(status, "enable") == 0)
		sonic_note(d->s, SONIC_NOTE_ASSUMED, d, -1,
			   "default_pfcwd_status is enable, but there is no PFC_WD: the "
			   "watchdog runs only after `pfcwd start_default'; imported as off "
			   "(\"watchdog\": {\"preset\": \"sonic\"} is what that sets)");
	return sonic_each(d, SONIC_PFC_WD, read_watchdog);
}
