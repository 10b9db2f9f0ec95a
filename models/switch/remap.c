#include "models/switch/remap.h"

#include <string.h>

static bool listed(char *const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* What one rule says of one way through the switch. */
static int fill_way(const struct switch_remap_conf *r, const struct class_conf *classes, int nclasses,
		    uint8_t *row, const char *from, const char *to, struct sim_error *err)
{
	for (int c = 0; c < nclasses; c++) {
		uint8_t *dscp = &row[classes[c].tc], want;

		if (r->class_to[c] < 0)
			continue;
		want = (uint8_t)classes[r->class_to[c]].dscp;
		if (*dscp != REMAP_NONE && *dscp != want)
			return error_set(err, "", "remap \"%s\": another rule gives class \"%s\" from %s to %s "
					 "DSCP %d, this one %d", r->name, classes[c].name, from, to, *dscp, want);
		*dscp = want;
	}
	return 0;
}

int remap_fill(const struct switch_conf *conf, const struct class_conf *classes, int nclasses,
	       const char *const *peer, uint32_t ports, uint8_t *table, struct sim_error *err)
{
	memset(table, REMAP_NONE, (size_t)ports * ports * 8);
	for (int i = 0; i < conf->nremaps; i++) {
		const struct switch_remap_conf *r = &conf->remap[i];

		for (uint32_t in = 0; in < ports; in++) {
			if (!listed(r->from, r->froms, peer[in]))
				continue;
			for (uint32_t out = 0; out < ports; out++)
				if (listed(r->to, r->tos, peer[out]) &&
				    fill_way(r, classes, nclasses, table + ((size_t)in * ports + out) * 8,
					     peer[in], peer[out], err))
					return -1;
		}
	}
	return 0;
}

void remap_leaves_as(const uint8_t *table, uint32_t ports, const uint8_t queue_prio[8],
		     const uint8_t prio_of[64], uint8_t leaves_as[8])
{
	for (size_t i = 0; i < (size_t)ports * ports * 8; i++)
		if (table[i] != REMAP_NONE)
			leaves_as[queue_prio[i % 8]] |= (uint8_t)(1u << prio_of[table[i]]);
}
