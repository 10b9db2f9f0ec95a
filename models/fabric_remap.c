/* Switches that change classes. */
#include <stdlib.h>

#include "models/fabric_inside.h"
#include "sim/mem.h"

/* Which frames change their class, and what each priority may leave as. */
int fabric_remap(struct fabric *f, const struct switch_conf *c, struct switch_node *sw, struct sim_error *err)
{
	uint32_t ports = sw->node->ports;
	uint8_t prio_of_tc[8] = { 0 };
	const char **peer;
	struct sim_error why;

	for (int prio = 0; prio < 8; prio++)
		sw->leaves_as[prio] = (uint8_t)(1u << prio);
	if (!c->nremaps)
		return 0;
	for (int i = 0; i < f->nclasses; i++)
		prio_of_tc[f->classes[i].tc] = (uint8_t)f->classes[i].priority;
	sw->remap = arena_take(&f->net.arena, (size_t)ports * ports * 8);
	peer = mem_zalloc(ports * sizeof *peer);
	for (uint32_t i = 0; i < ports; i++)
		peer[i] = f->net.nodes[f->net.ports[switch_port(&f->net, sw, i)->peer].node].name;
	error_init(&why);
	int rc = remap_fill(c, f->classes, f->nclasses, peer, ports, sw->remap, &why);
	free(peer);
	if (rc)
		return error_set(err, "", "%s: %s", sw->node->name, why.text);
	remap_leaves_as(sw->remap, ports, prio_of_tc, sw->prio_of, sw->leaves_as);
	return 0;
}
