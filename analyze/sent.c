/* analyze/sent.c - see sent.h. */
#include "analyze/sent.h"

#include <stdlib.h>
#include "sim/mem.h"

/* Who sends to whom in a list: a bit for each (from, to); NULL of other kinds. */
static uint8_t *listed(const struct workload_conf *c)
{
	uint8_t *bits;

	if (c->kind != WORKLOAD_LIST)
		return NULL;
	bits = mem_zalloc((size_t)c->nfrom * (size_t)c->nto / 8 + 1);
	for (int64_t i = 0; i < c->nlist; i++) {
		size_t at = (size_t)c->list[i].from * (size_t)c->nto + (size_t)c->list[i].to;
		bits[at / 8] |= (uint8_t)(1u << at % 8);
	}
	return bits;
}

static bool sends(const struct workload_conf *c, const uint8_t *bits, int i, int j)
{
	size_t at = (size_t)i * (size_t)c->nto + (size_t)j;

	if (bits)
		return bits[at / 8] >> at % 8 & 1;
	return c->kind != WORKLOAD_RING_ALLREDUCE || j == (i + 1) % c->nfrom;
}

void sent_pairs(const struct fabric *f, sent_each *each, void *ctx)
{
	for (int w = 0; w < view_workloads(f); w++) {
		const struct workload_conf *c = view_workload_conf(f, w);
		int nfrom, nto;
		const uint32_t *from = view_workload_hosts(f, w, false, &nfrom);
		const uint32_t *to = view_workload_hosts(f, w, true, &nto);
		bool both = c->kind == WORKLOAD_REQUEST_RESPONSE || c->kind == WORKLOAD_STORAGE_WRITE;
		uint8_t *bits = listed(c);

		if (!nto) {		/* among themselves */
			to = from;
			nto = nfrom;
		}
		for (int i = 0; i < nfrom; i++) {
			/* Requests go there in the data's class, the data comes back. */
			bool reads = !both && c->kind != WORKLOAD_STREAM &&
				     workload_verb(c, view_nic_conf(f, from[i])) == NIC_READ;

			for (int j = 0; j < nto; j++) {
				if (from[i] == to[j] || !sends(c, bits, i, j))
					continue;
				each(ctx, w, from[i], to[j], !reads);
				if (both || reads)
					each(ctx, w, to[j], from[i], true);
			}
		}
		free(bits);
	}
}

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

/* Into reach[a][b]: some switch gives class b to frames of class a, or so on from class to
 * class; towards other switches only if `inside`. */
static void find_reach(const struct routing *r, bool inside, bool reach[FABRIC_CLASSES][FABRIC_CLASSES])
{
	for (uint32_t s = 0; s < r->nswitches; s++) {
		const struct switch_conf *c = view_switch_conf(r->f, r->node[s]);

		for (int i = 0; i < c->nremaps; i++)
			for (int k = 0; k < FABRIC_CLASSES; k++)
				if (c->remap[i].class_to[k] >= 0 && (!inside || to_switch(r, &c->remap[i])))
					reach[k][c->remap[i].class_to[k]] = true;
	}
	for (int k = 0; k < FABRIC_CLASSES; k++)
		for (int a = 0; a < FABRIC_CLASSES; a++)
			for (int b = 0; b < FABRIC_CLASSES; b++)
				reach[a][b] |= reach[a][k] && reach[k][b];
}

bool sent_by_remap(const struct routing *r, int class_)
{
	bool reach[FABRIC_CLASSES][FABRIC_CLASSES] = { { false } }, any = false;

	find_reach(r, false, reach);
	for (int a = 0; a < FABRIC_CLASSES; a++)
		any |= reach[a][class_];
	return any;
}

/* Classes that become each other are all sent: some host must have begun. */
bool sent_by_hosts(const struct routing *r, int class_)
{
	bool reach[FABRIC_CLASSES][FABRIC_CLASSES] = { { false } }, given = false;

	find_reach(r, true, reach);
	for (int a = 0; a < FABRIC_CLASSES; a++)
		given |= reach[a][class_] && !reach[class_][a];
	return !given || used(r->f, class_);
}
