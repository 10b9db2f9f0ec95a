/* analyze/sent.c - see sent.h. */
#include "analyze/sent.h"

static bool used(const struct fabric *f, int class_)
{
	for (int w = 0; w < view_workloads(f); w++)
		if (view_workload_conf(f, w)->class_ == class_)
			return true;
	for (uint32_t h = 0; h < view_nodes(f); h++)
		if (!view_is_switch(f, h) && (view_nic_conf(f, h)->ack_class == class_ ||
					      view_nic_conf(f, h)->cnp_class == class_))
			return true;
	return false;
}

static bool to_switch(const struct routing *r, const struct switch_remap_conf *x)
{
	for (int i = 0; i < x->tos; i++)
		if (r->switch_of[view_find(r->f, x->to[i])] != ROUTING_NONE)
			return true;
	return false;
}

bool sent_by_remap(const struct routing *r, int class_, bool inside)
{
	for (uint32_t s = 0; s < r->nswitches; s++) {
		const struct switch_conf *c = view_switch_conf(r->f, r->node[s]);

		for (int i = 0; i < c->nremaps; i++)
			for (int k = 0; k < FABRIC_CLASSES; k++)
				if (c->remap[i].class_to[k] == class_ &&
				    (!inside || to_switch(r, &c->remap[i])))
					return true;
	}
	return false;
}

bool sent_by_hosts(const struct routing *r, int class_)
{
	return !sent_by_remap(r, class_, true) || used(r->f, class_);
}
