/* The buffer of a switch: what each group has, from the settings of the switch and of its ports. */
#include "models/fabric_inside.h"

/* The switch's own settings with what its ports say laid over them. */
static struct mmu_conf group_conf(const struct switch_node *sw, const struct switch_conf *c, int number,
				  uint32_t prio, bool *lossless)
{
	struct mmu_conf m = sw->buffer;

	for (int i = 0; i < c->nports; i++) {
		const struct switch_ports_conf *p = &c->ports[i];
		if (number < p->from || number > p->to)
			continue;
		if (p->pfc != SWITCH_AS_IS)
			*lossless = sw->lossless >> prio & 1 && p->pfc >> prio & 1;
		if (p->priorities < 0 ? !*lossless : !(p->priorities >> prio & 1))
			continue;
		if (p->alpha.den)
			m.alpha = p->alpha;
		m.xoff_bytes = p->xoff_bytes != SWITCH_AS_IS ? p->xoff_bytes : m.xoff_bytes;
		m.xon_bytes = p->xon_bytes != SWITCH_AS_IS ? p->xon_bytes : m.xon_bytes;
		m.xon_offset_bytes = p->xon_offset_bytes != SWITCH_AS_IS ? p->xon_offset_bytes : m.xon_offset_bytes;
		m.reserved_bytes = p->reserved_bytes != SWITCH_AS_IS ? p->reserved_bytes : m.reserved_bytes;
		m.headroom_bytes = p->headroom_bytes != SWITCH_AS_IS ? p->headroom_bytes : m.headroom_bytes;
	}
	return m;
}

static void size_group(const struct fabric *f, struct switch_node *sw, uint32_t i, struct mmu_group *g,
		       struct fabric_headroom_memo *memo)
{
	const struct switch_conf *c = &f->node[sw->node->id].sw;
	bool lossless = sw->lossless >> i % 8 & 1;
	struct mmu_conf m = group_conf(sw, c, switch_port(&f->net, sw, i / 8)->number, i % 8, &lossless);

	g->lossless = lossless;
	g->reserved_max = m.reserved_bytes;
	if (!lossless)
		return;
	g->headroom_max = m.headroom_bytes;
	if (g->headroom_max < 0) {
		struct headroom_conf ask = fabric_headroom_ask(f, sw, i / 8);
		g->headroom_max = fabric_headroom_need(memo, &ask)->auto_bytes;
	}
}

static int set_profiles(const struct fabric *f, struct switch_node *sw, struct sim_error *err)
{
	const struct switch_conf *c = &f->node[sw->node->id].sw;

	for (uint32_t i = 0; c->nports && i < sw->mmu.groups; i++) {
		bool lossless = true;
		struct mmu_conf m = group_conf(sw, c, switch_port(&f->net, sw, i / 8)->number, i % 8, &lossless);
		int profile = mmu_profile(&sw->mmu, &m);
		if (profile < 0)
			return error_set(err, "", "%s: its ports have more than %d different thresholds",
					 sw->node->name, MMU_PROFILES);
		sw->mmu.group[i].profile = (uint8_t)profile;
	}
	return 0;
}

/* Ports, from the first, whose groups leave something of the buffer to share. */
static uint32_t ports_that_fit(const struct mmu_group *g, uint32_t ports, int64_t size)
{
	uint32_t n = 0;

	for (; n < ports && size > 0; n++)
		for (uint32_t i = n * 8; i < n * 8 + 8; i++)
			size -= g[i].in_use ? g[i].reserved_max + g[i].headroom_max : 0;
	return size > 0 ? n : n - 1;
}

int fabric_buffer_make(struct fabric *f, struct switch_node *sw, struct fabric_headroom_memo *memo,
		       struct sim_error *err)
{
	uint32_t ports = sw->node->ports, groups = ports * 8;
	struct mmu_group *g = arena_take(&f->net.arena, groups * sizeof *g);
	uint8_t used = (uint8_t)(1u << sw->prio_of[0]);
	struct sim_error why;

	for (int c = 0; c < f->nclasses; c++)
		used |= (uint8_t)(1u << f->classes[c].priority);
	for (uint32_t i = 0; i < groups; i++) {
		g[i].in_use = used >> i % 8 & 1;
		if (g[i].in_use)
			size_group(f, sw, i, &g[i], memo);
		if (!g[i].lossless)
			switch_port(&f->net, sw, i / 8)->deaf |= (uint8_t)(1u << i % 8);
	}
	error_init(&why);
	if (mmu_init(&sw->mmu, &sw->buffer, g, arena_take(&f->net.arena, groups * sizeof(uint32_t)),
		     mmu_by_port(&sw->buffer) ? arena_take(&f->net.arena, ports * sizeof(struct mmu_port)) : NULL,
		     groups, &why)) {
		if (sw->buffer.shared_headroom_bytes)
			return error_set(err, "/switch/buffer/size", "%s: %s", sw->node->name, why.text);
		return error_set(err, "/switch/buffer/size", "%s: %s; %u of its %u ports would fit",
				 sw->node->name, why.text, ports_that_fit(g, ports, sw->buffer.size_bytes), ports);
	}
	if (mmu_by_egress(&sw->buffer))
		sw->mmu.egress.queue = arena_take(&f->net.arena, groups * sizeof(int64_t));
	if (mmu_charge(&sw->mmu, f->frame_bytes_max) > sw->mmu.part[0].pool)
		return error_set(err, "/switch/buffer/size",
				 "%s: a frame of %lld bytes does not fit in the %lld bytes that the buffer shares%s",
				 sw->node->name, (long long)f->frame_bytes_max, (long long)sw->mmu.part[0].pool,
				 sw->mmu.parts > 1 ? " in each partition" : "");
	return set_profiles(f, sw, err);
}
