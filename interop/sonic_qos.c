/*
 * interop/sonic_qos.c - maps, schedulers and WRED of one switch, and what each
 * port and queue refers to.
 */
#include "interop/sonic_inside.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/mem.h"

enum { WEIGHT_MAX = 65535 };
#define THRESHOLD_MAX INT64_C(16000000000)

/* Tables of maps: what an index and its value may be, and who refers to them. */
static const struct {
	enum sonic_table table;
	int keys, values;
	const char *what, *field;
} kinds[SONIC_MAPS] = {
	[SONIC_DSCP_TC] = {SONIC_DSCP_TO_TC_MAP, SONIC_DSCPS, SONIC_TCS, "DSCP",
			   "dscp_to_tc_map"},
	[SONIC_TC_QUEUE] = {SONIC_TC_TO_QUEUE_MAP, SONIC_TCS, 20, "traffic class",
			    "tc_to_queue_map"},
	[SONIC_TC_GROUP] = {SONIC_TC_TO_PRIORITY_GROUP_MAP, SONIC_TCS, SONIC_PRIOS,
			    "traffic class", "tc_to_pg_map"},
	[SONIC_PFC_QUEUE] = {SONIC_MAP_PFC_PRIORITY_TO_QUEUE, SONIC_PRIOS, 20, "priority",
			     "pfc_to_queue_map"},
	[SONIC_PFC_GROUP] = {SONIC_PFC_PRIORITY_TO_PRIORITY_GROUP_MAP, SONIC_PRIOS, SONIC_PRIOS,
			     "priority", "pfc_to_pg_map"},
	[SONIC_TC_DSCP] = {SONIC_TC_TO_DSCP_MAP, SONIC_TCS, SONIC_DSCPS, "traffic class", NULL},
};

static enum sonic_map kind_of(enum sonic_table table)
{
	int k = 0;

	while (kinds[k].table != table)
		k++;
	return (enum sonic_map)k;
}

static int read_map(const struct sonic_entry *e)
{
	enum sonic_map kind = kind_of(e->table);
	struct sonic_maps *maps = &e->d->maps[kind];
	struct sonic_map_of *m;
	const char *name;
	json_t *value;
	int rc = 0;

	maps->v = mem_grow(maps->v, (size_t)(maps->n + 1) * sizeof *maps->v);
	m = &maps->v[maps->n++];
	m->name = e->key;
	m->used = false;
	memset(m->to, -1, sizeof m->to);
	json_object_foreach(e->fields, name, value) {
		const char *text = json_string_value(value);
		int64_t from = -1, to = -1;

		if (!sonic_whole(name, &from) || from < 0 || from >= kinds[kind].keys)
			rc = sonic_fail(e, name, "\"%s\" is no %s; wanted 0 to %d", name,
					kinds[kind].what, kinds[kind].keys - 1);
		else if (!sonic_whole(text, &to) || to < 0 || to >= kinds[kind].values)
			rc = sonic_fail(e, name, "\"%s\" is out of range; wanted 0 to %d", text,
					kinds[kind].values - 1);
		else
			m->to[from] = (int8_t)to;
	}
	return rc;
}

static int map_find(const struct sonic_maps *maps, const char *name)
{
	for (int i = 0; i < maps->n; i++) {
		if (strcmp(maps->v[i].name, name) == 0)
			return i;
	}
	return -1;
}

int sonic_map_find(const struct sonic_device *d, enum sonic_map kind, const char *name)
{
	return map_find(&d->maps[kind], name);
}

bool sonic_map_used(const struct sonic_device *d, enum sonic_table table, const char *key)
{
	for (int k = 0; k < SONIC_MAPS; k++) {
		int i = kinds[k].table == table ? map_find(&d->maps[k], key) : -1;

		if (i >= 0)
			return d->maps[k].v[i].used;
	}
	return true;
}

/* A reference to what is not there: the switch waits for it, and goes on without. */
static void dangling(const struct sonic_entry *e, const struct sonic_port *p, const char *field,
		     const char *name)
{
	sonic_note(e->d->s, SONIC_NOTE_FINDING, e->d, p ? p->number : -1,
		   "%s %s refers to \"%s\", which is in no file; the switch sets nothing",
		   sonic_table_name(e->table), field, name);
}

static void refer(const struct sonic_entry *e, struct sonic_port *p, int *map)
{
	char name[256];

	for (int k = 0; k < SONIC_MAPS; k++) {
		if (!kinds[k].field || !sonic_reference(e, kinds[k].field, name, sizeof name))
			continue;
		map[k] = map_find(&e->d->maps[k], name);
		if (map[k] < 0)
			dangling(e, p, kinds[k].field, name);
		else
			e->d->maps[k].v[map[k]].used = true;
	}
}

static int read_port(const struct sonic_entry *e, struct sonic_port *p, int zero)
{
	uint8_t watch = 0;

	(void)zero;
	p->qos = true;
	refer(e, p, p->map);
	if (sonic_text(e, "dscp_to_tc_map"))
		e->d->trust_dscp++;
	else if (sonic_text(e, "dot1p_to_tc_map"))
		e->d->trust_pcp++;
	if (sonic_mask(e, "pfc_enable", &p->pfc) || sonic_mask(e, "pfcwd_sw_enable", &watch))
		return -1;
	if (sonic_text(e, "pfcwd_sw_enable"))
		p->watch = watch;
	return 0;
}

static int read_port_map(const struct sonic_entry *e)
{
	if (strcmp(e->key, "global") != 0)
		return sonic_each_port(e, read_port);
	refer(e, NULL, e->d->global_map);
	return 0;
}

/* ------------------------------------------------------------- schedulers and WRED */

static int read_scheduler(const struct sonic_entry *e)
{
	struct sonic_device *d = e->d;
	const char *type = sonic_text(e, "type");
	struct sonic_scheduler s = {.name = e->key, .weight = 1};

	if (type && strcasecmp(type, "STRICT") != 0 && strcasecmp(type, "DWRR") != 0 &&
	    strcasecmp(type, "WRR") != 0)
		return sonic_fail(e, "type", "\"%s\" is none of DWRR, WRR, STRICT", type);
	s.strict = type && strcasecmp(type, "STRICT") == 0;
	if (sonic_number(e, "weight", 1, WEIGHT_MAX, &s.weight))
		return -1;
	if (type && strcasecmp(type, "WRR") == 0)
		sonic_note(d->s, SONIC_NOTE_APPROXIMATED, d, -1,
			   "SCHEDULER %s is WRR, by packets: Xoff serves it by bytes (DWRR)",
			   e->key);
	d->schedulers = mem_grow(d->schedulers, (size_t)(d->nschedulers + 1) * sizeof s);
	d->schedulers[d->nschedulers++] = s;
	return 0;
}

static bool marks_green(const char *mode)
{
	static const char *const green[] = {"ecn_all", "ecn_green", "ecn_green_yellow",
					    "ecn_green_red"};

	for (size_t i = 0; i < sizeof green / sizeof *green; i++) {
		if (strcmp(mode, green[i]) == 0)
			return true;
	}
	return false;
}

static int read_mode(const struct sonic_entry *e, struct sonic_wred *w)
{
	static const char *const other[] = {"ecn_none", "ecn_yellow", "ecn_red",
					    "ecn_yellow_red"};
	const char *mode = sonic_text(e, "ecn");

	w->ecn = mode && marks_green(mode);
	for (size_t i = 0; i < sizeof other / sizeof *other && mode && !w->ecn; i++) {
		if (strcmp(mode, other[i]) == 0)
			return 0;
	}
	return !mode || w->ecn ? 0 : sonic_fail(e, "ecn", "\"%s\" is no mode of ECN, such as "
						"\"ecn_all\"", mode);
}

/* Thresholds that are absent are the whole buffer, the probability 100 (SAI saiwred.h). */
static int read_wred(const struct sonic_entry *e)
{
	struct sonic_device *d = e->d;
	struct sonic_wred w = {.name = e->key, .percent = 100};

	if (sonic_bool(e, "wred_green_enable", &w.green) || read_mode(e, &w) ||
	    sonic_number(e, "green_min_threshold", 0, THRESHOLD_MAX, &w.kmin) ||
	    sonic_number(e, "green_max_threshold", 0, THRESHOLD_MAX, &w.kmax) ||
	    sonic_number(e, "green_drop_probability", 0, 100, &w.percent))
		return -1;
	if (w.kmax && w.kmin > w.kmax)
		return sonic_fail(e, "green_min_threshold", "%lld is larger than "
				  "green_max_threshold, %lld", (long long)w.kmin,
				  (long long)w.kmax);
	d->wreds = mem_grow(d->wreds, (size_t)(d->nwreds + 1) * sizeof w);
	d->wreds[d->nwreds++] = w;
	return 0;
}

static int read_queue_of(const struct sonic_entry *e, struct sonic_port *p, int queue)
{
	const struct sonic_device *d = e->d;
	char name[256];

	if (sonic_reference(e, "scheduler", name, sizeof name)) {
		for (int i = 0; i < d->nschedulers; i++) {
			if (strcmp(d->schedulers[i].name, name) == 0)
				p->scheduler[queue] = i;
		}
		if (p->scheduler[queue] < 0)
			dangling(e, p, "scheduler", name);
	}
	if (sonic_reference(e, "wred_profile", name, sizeof name)) {
		for (int i = 0; i < d->nwreds; i++) {
			if (strcmp(d->wreds[i].name, name) == 0)
				p->wred[queue] = i;
		}
		if (p->wred[queue] < 0)
			dangling(e, p, "wred_profile", name);
	}
	return 0;
}

static int read_queue(const struct sonic_entry *e)
{
	return sonic_each_index(e, read_queue_of);
}

/* ------------------------------------------------------------------------- all */

int sonic_qos_load(struct sonic_device *d)
{
	int rc = 0;

	for (int k = 0; k < SONIC_MAPS; k++) {
		d->global_map[k] = -1;
		rc |= sonic_each(d, kinds[k].table, read_map);
	}
	rc |= sonic_tunnel_load(d);
	rc |= sonic_each(d, SONIC_PORT_QOS_MAP, read_port_map);
	rc |= sonic_each(d, SONIC_SCHEDULER, read_scheduler);
	rc |= sonic_each(d, SONIC_WRED_PROFILE, read_wred);
	rc |= sonic_each(d, SONIC_QUEUE, read_queue);
	if (!d->tables[SONIC_QUEUE])
		sonic_note(d->s, SONIC_NOTE_ASSUMED, d, -1,
			   "no QUEUE table: all queues weigh the same, and none marks");
	return rc;
}

void sonic_qos_free(struct sonic_device *d)
{
	for (int k = 0; k < SONIC_MAPS; k++)
		free(d->maps[k].v);
	free(d->schedulers);
	free(d->wreds);
}
