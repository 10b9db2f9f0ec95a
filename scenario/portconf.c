/*
 * scenario/portconf.c - per-port, per-priority buffer profiles, as SONiC's
 * BUFFER_PG has them.
 */
#include "scenario/portconf.h"

#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"

enum { PORT_MAX = 65535 };

/* [{"priorities": [3, 4]}] or "pfc": a list of 0..7 as a mask. */
static int read_priorities(const struct read *at, const char *key, int64_t *mask)
{
	struct read list, one;
	int rc = 0;

	if (!read_child(at, key, &list))
		return 0;
	if (!json_is_array(list.json))
		return read_fail(&list, JSONC_VALUE, "\"%s\" is a list of priorities, such as [3, 4]", key);
	*mask = 0;
	for (size_t i = 0; read_index(&list, i, &one); i++) {
		int64_t prio = 0;
		if (read_integer(&one, 0, 7, &prio))
			rc = -1;
		else
			*mask |= INT64_C(1) << prio;
	}
	return rc;
}

static int read_entry_of(const struct read *at, struct switch_ports_conf *p)
{
	bool watched = true;
	struct read flag;
	int rc;

	*p = (struct switch_ports_conf){ .priorities = -1, .xoff_bytes = SWITCH_AS_IS, .xon_bytes = SWITCH_AS_IS,
		.xon_offset_bytes = SWITCH_AS_IS, .reserved_bytes = SWITCH_AS_IS, .headroom_bytes = SWITCH_AS_IS,
		.pfc = SWITCH_AS_IS, .watchdog = SWITCH_AS_IS };
	rc = read_keys(at, "switch.ports.PORTS");
	rc |= read_table(at, switch_ports_params, NULL, p);
	rc |= read_priorities(at, "priorities", &p->priorities);
	rc |= read_priorities(at, "pfc", &p->pfc);
	if (read_child(at, "watchdog", &flag)) {
		rc |= read_bool(&flag, &watched);
		p->watchdog = watched;
	}
	return rc;
}

static void append(struct run *run, struct switch_conf *conf, const struct switch_ports_conf *p)
{
	struct switch_ports_conf *list = mem_zalloc((size_t)(conf->nports + 1) * sizeof *list);

	if (conf->nports)
		memcpy(list, conf->ports, (size_t)conf->nports * sizeof *list);
	list[conf->nports++] = *p;
	conf->ports = list;
	run->port_lists = mem_grow(run->port_lists, (size_t)(run->nport_lists + 1) * sizeof *run->port_lists);
	run->port_lists[run->nport_lists++] = list;
}

/* "0-31,40": each part a number or a range. */
static int each_range(const struct read *at, const char *key, struct run *run, struct switch_conf *conf,
		      struct switch_ports_conf *p)
{
	const char *c = key;

	for (;;) {
		char *end;
		p->from = p->to = strtol(c, &end, 10);
		bool good = end != c && *c >= '0' && *c <= '9';
		if (good && *end == '-') {
			c = end + 1;
			p->to = strtol(c, &end, 10);
			good = end != c && *c >= '0' && *c <= '9';
		}
		if (!good || (*end && *end != ',') || p->from > p->to || p->to > PORT_MAX)
			return read_fail(at, JSONC_KEY,
					 "\"%s\" names no ports; wanted numbers and ranges, such as \"0-31,40\"", key);
		append(run, conf, p);
		if (!*end)
			return 0;
		c = end + 1;
	}
}

/* Is one of these ports on any switch? */
static bool any_port(const struct topology *t, const struct switch_ports_conf *list, int n)
{
	for (int i = 0; i < t->nlinks; i++) {
		const struct topology_link *l = &t->links[i];
		const char *const node[] = { l->a, l->b };
		const int port[] = { l->a_port, l->b_port };

		for (int k = 0; k < 2 * n; k++)
			if (port[k % 2] >= list[k / 2].from && port[k % 2] <= list[k / 2].to &&
			    !topology_node(t, node[k % 2])->host)
				return true;
	}
	return false;
}

int portconf_read(const struct read *at, struct run *run, struct switch_conf *conf)
{
	struct read ports, one;
	const char *key;
	json_t *value;
	int rc = 0;

	if (!read_child(at, "ports", &ports))
		return 0;
	if (read_object(&ports))
		return -1;
	json_object_foreach(ports.json, key, value) {
		struct switch_ports_conf p;
		(void)value;
		if (!read_child(&ports, key, &one))
			continue;
		int first = conf->nports;
		if (read_entry_of(&one, &p) || each_range(&one, key, run, conf, &p))
			rc = -1;
		else if (strcmp(at->pointer, "/switch") == 0 &&	/* of one switch, ports may have no cable yet */
			 !any_port(&run->topo, conf->ports + first, conf->nports - first))
			rc = read_fail(&one, JSONC_KEY, "no switch has a port %s", key);
	}
	return rc;
}
