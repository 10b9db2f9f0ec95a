/* analyze/bdg_lanes.c - which DSCPs are sent, by whom to whom. */
#include <stdlib.h>
#include <string.h>
#include "analyze/bdg_inside.h"
#include "analyze/sent.h"
#include "sim/mem.h"

static void add_maps(const struct bdg *b, struct bdg_lane *l)
{
	const struct routing *r = b->r;

	l->prio = mem_zalloc(r->nswitches + 1);
	l->queue = mem_zalloc(r->nswitches + 1);
	for (uint32_t s = 0; s < r->nswitches; s++) {
		l->prio[s] = (uint8_t)view_priority_of(r->f, r->node[s], l->dscp);
		l->queue[s] = (uint8_t)view_queue_of(r->f, r->node[s], l->dscp);
	}
}

static int lane_of(struct bdg *b, int dscp, int class_)
{
	for (int i = 0; i < b->nlanes; i++)
		if (b->lane[i].dscp == dscp)
			return i;
	b->lane = mem_grow(b->lane, (size_t)(b->nlanes + 1) * sizeof(*b->lane));
	b->lane[b->nlanes] = (struct bdg_lane){ .dscp = dscp, .class_ = class_ };
	add_maps(b, &b->lane[b->nlanes]);
	return b->nlanes++;
}

/* ------------------------------------------------------------ classes that change */

/* Lanes of what switches give, and each DSCP's lane. */
static void lanes_of_remaps(struct bdg *b)
{
	const struct fabric *f = b->r->f;

	for (int c = 0; c < view_classes(f); c++)
		if (sent_by_remap(b->r, c))
			lane_of(b, (int)view_class(f, c)->dscp, c);
	for (int i = 0; i < b->nlanes; i++)
		b->lane_of[b->lane[i].dscp] = (uint8_t)i;
}

/* --------------------------------------------------------------------- who sends */

static void lanes_of_all(struct bdg *b)
{
	const struct fabric *f = b->r->f;

	bool sent[FABRIC_CLASSES];

	for (int c = 0; c < view_classes(f); c++)
		sent[c] = !b->remaps || sent_by_hosts(b->r, c);
	for (uint32_t h = 0; h < view_nodes(f); h++)
		for (int c = 0; b->r->group_of[h] != ROUTING_NONE && c < view_classes(f); c++) {
			if (!sent[c])
				continue;
			int lane = lane_of(b, view_dscp_of(f, h, c), c);
			b->lane[lane].sent = true;
		}
}

static void add_pair(struct bdg *b, uint32_t src, uint32_t dst, int class_)
{
	const struct routing *r = b->r;
	uint32_t group = r->group_of[dst], port = view_first_port(r->f, src);
	int lane = lane_of(b, view_dscp_of(r->f, src, class_), class_);
	struct bdg_lane *l = &b->lane[lane];
	size_t n = (size_t)r->ngroups * r->nswitches;

	if (!l->pair) {
		l->pair = mem_zalloc(n * sizeof(*l->pair) + 1);
		for (size_t i = 0; i < n; i++)
			l->pair[i].src = ROUTING_NONE;
	}
	for (uint32_t i = 0; i < view_port_count(r->f, src); i++) {
		uint32_t leaf = r->switch_of[routing_far(r, port + i)];

		if (leaf == ROUTING_NONE)
			continue;
		struct bdg_pair *p = &l->pair[(size_t)group * r->nswitches + leaf];
		if (p->src == ROUTING_NONE)
			*p = (struct bdg_pair){ src, dst };
	}
}

/* Data or requests one way, ACKs and CNPs the other. */
static void add_talk(void *ctx, int workload, uint32_t src, uint32_t dst, bool data)
{
	struct bdg *b = ctx;
	const struct workload_conf *c = view_workload_conf(b->r->f, workload);
	const struct nic_conf *far = view_nic_conf(b->r->f, dst);

	(void)data;
	add_pair(b, src, dst, c->class_);
	if (c->kind == WORKLOAD_STREAM)
		return;
	add_pair(b, dst, src, far->ack_class < 0 ? c->class_ : far->ack_class);
	if (far->cnp_class >= 0)
		add_pair(b, dst, src, far->cnp_class);
}

static bool same_maps(const struct bdg *b, const struct bdg_lane *x, const struct bdg_lane *y)
{
	return !memcmp(x->prio, y->prio, b->r->nswitches) &&
	       !memcmp(x->queue, y->queue, b->r->nswitches);
}

static bool lossless_somewhere(const struct bdg *b, const struct bdg_lane *l)
{
	for (uint32_t c = 0; c < b->r->nchannels; c++)
		if (b->lossless[c] >> l->prio[b->r->channel[c].to] & 1)
			return true;
	return false;
}

static void lane_free(struct bdg_lane *l)
{
	free(l->prio);
	free(l->queue);
	free(l->pair);
}

/* Lanes that no switch holds losslessly wait on nothing; when all send all,
 * lanes with the same maps are one. */
static void drop_idle(struct bdg *b)
{
	int kept = 0;

	for (int i = 0; i < b->nlanes; i++) {
		bool keep = b->remaps || lossless_somewhere(b, &b->lane[i]);

		for (int j = 0; keep && !b->remaps && b->scope == BDG_ALL && j < kept; j++)
			keep = !same_maps(b, &b->lane[j], &b->lane[i]);
		if (keep)
			b->lane[kept++] = b->lane[i];
		else
			lane_free(&b->lane[i]);
	}
	b->nlanes = kept;
}

void bdg_lanes(struct bdg *b)
{
	for (uint32_t s = 0; s < b->r->nswitches; s++)
		b->remaps |= view_remaps(b->r->f, b->r->node[s]);
	if (b->scope == BDG_ALL)
		lanes_of_all(b);
	else
		sent_pairs(b->r->f, add_talk, b);
	if (b->remaps && b->nlanes)
		lanes_of_remaps(b);
	drop_idle(b);
}

void bdg_lanes_free(struct bdg *b)
{
	for (int i = 0; i < b->nlanes; i++)
		lane_free(&b->lane[i]);
	free(b->lane);
}
