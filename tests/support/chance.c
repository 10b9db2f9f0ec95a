#include "tests/support/chance.h"

#include <stdio.h>
#include <string.h>

/* ---- draws ---- */

static int64_t below(struct chance *c, int64_t n) { return (int64_t)rng_below(&c->rng, (uint64_t)n); }
static bool one_in(struct chance *c, int64_t n) { return below(c, n) == 0; }
static int64_t span(struct chance *c, int64_t lo, int64_t hi) { return lo + below(c, hi - lo + 1); }
int64_t chance_time(struct chance *c, int64_t most)
{
	int64_t top = most;

	while (top > 100 && one_in(c, 2))
		top /= 4;
	return (1 + below(c, top / 4)) * 4;
}

static int64_t a_rate(struct chance *c)
{
	static const int64_t rates[] = { 10, 25, 40, 50, 100, 100, 100, 200, 400 };
	static const int64_t odd[] = { 30 * BED_G, 70 * BED_G, 33333333333, 99999999977 };

	if (!c->scalable && one_in(c, 8))
		return odd[below(c, 4)];
	return rates[below(c, 9)] * BED_G;
}

/* Of a receiver or a sender; whole picoseconds a byte, also at four times the rate. */
static int64_t a_slow_rate(struct chance *c)
{
	static const int64_t rates[] = { 1, 2, 5, 10, 20, 25, 40, 50 };

	return c->scalable ? rates[below(c, 8)] * BED_G : span(c, 1, 90) * 777777777;
}

/* ---- shape ---- */

static struct chance_link *add_link(struct chance *c, char *a, int a_port, int b)
{
	struct chance_link *l = &c->link[c->links++];

	l->a = a;
	l->b = c->sw_name[b];
	l->a_port = a_port;
	l->b_port = c->ports[b]++;
	param_defaults(link_params, &l->conf);
	l->conf.rate_bps = a_rate(c);
	l->conf.delay_ps = chance_time(c, one_in(c, 5) ? 5 * BED_US : BED_US);
	return l;
}

static void join(struct chance *c, int a, int b)
{
	for (int k = one_in(c, 5) ? 2 : 1; k > 0 && c->links < CHANCE_LINKS - CHANCE_HOSTS - 1; k--)
		add_link(c, c->sw_name[a], c->ports[a]++, b);
}

static void draw_switches(struct chance *c)
{
	int shape = (int)below(c, 5), n = (int)span(c, shape == 3 ? 3 : 1, 6), leaves;

	c->switches = n;
	for (int i = 0; i < n; i++)
		snprintf(c->sw_name[i], sizeof c->sw_name[i], "%s%d", i % 2 ? "sw" : "tor", i);
	if (n == 1)
		return;
	leaves = n / 2 > 0 ? (n + 1) / 2 : 1;
	for (int i = 1; i < n; i++)
		switch (shape) {
		case 0:		/* a line */
			join(c, i, i - 1);
			break;
		case 1:		/* a random tree */
			join(c, i, (int)below(c, i));
			break;
		case 2:		/* leaves and spines */
			for (int k = 0; i >= leaves && k < leaves; k++)
				join(c, k, i);
			break;
		case 3:		/* a ring: may deadlock */
			join(c, i, i - 1);
			if (i == n - 1)
				join(c, i, 0);
			break;
		default:	/* a tree and some more */
			join(c, i, (int)below(c, i));
			if (one_in(c, 2))
				join(c, i, (int)below(c, i));
		}
}

static void draw_hosts(struct chance *c)
{
	c->hosts = (int)span(c, 2, CHANCE_HOSTS);
	for (int i = 0; i < c->hosts; i++) {
		snprintf(c->host_name[i], sizeof c->host_name[i], "h%d", i * 3 + 1);
		add_link(c, c->host_name[i], 0, (int)below(c, c->switches));
		if (one_in(c, 12) && c->links < CHANCE_LINKS - CHANCE_HOSTS)
			add_link(c, c->host_name[i], 1, (int)below(c, c->switches));
	}
}

/* ---- settings ---- */

static void draw_pfc(struct chance *c, struct pfc_conf *p)
{
	param_defaults(pfc_params, p);
	p->response_ps = one_in(c, 3) ? 0 : c->scalable || one_in(c, 2) ? chance_time(c, BED_US) : -1;
	if (c->scalable || one_in(c, 3)) {
		/* sane: refreshed well before it ends, 42 us at 800G */
		p->quanta = c->sane ? 65535 : span(c, 2000, 65535);
		p->refresh_ps = chance_time(c, 10 * BED_US) + 5 * BED_US;
	}
}

static void draw_buffer(struct chance *c, struct mmu_conf *m)
{
	static const int64_t cells[] = { 1, 1, 64, 80, 208, 254, 256, 512 };
	static const struct units_ratio alphas[] = { { 1, 16 }, { 1, 8 }, { 1, 2 }, { 1, 1 }, { 8, 1 },
						     { 3, 7 } };

	param_defaults(mmu_params, m);
	m->size_bytes = span(c, 1, 8) * 2000000;
	m->cell_bytes = cells[below(c, 8)];
	m->alpha = alphas[below(c, 6)];
	m->lossy_alpha = alphas[below(c, 6)];
	m->egress_alpha = alphas[below(c, 6)];
	if (one_in(c, 2))
		m->xoff_bytes = span(c, 2000, 100000);
	if (one_in(c, 4))
		m->xon_bytes = span(c, 0, 20000);
	m->xon_offset_bytes = one_in(c, 6) ? 0 : span(c, 1, 20000);
	if (one_in(c, 3))
		m->reserved_bytes = span(c, 0, 10) * m->cell_bytes;
	if (!c->sane && one_in(c, 6))
		m->headroom_bytes = span(c, 0, 60000);
	if (!c->sane && one_in(c, 6))
		m->shared_headroom_bytes = span(c, 1, 200000);
	if (one_in(c, 6))
		m->partitions = span(c, 2, 4);
	if (one_in(c, 6))
		m->port_alpha = alphas[below(c, 6)];
	if (!c->sane && one_in(c, 10))
		m->egress_pool_bytes = span(c, 0, 400000);
}

static void draw_watchdog(struct chance *c, struct watchdog_conf *w)
{
	param_defaults(watchdog_params, w);
	w->on = one_in(c, 3);
	w->poll_ps = chance_time(c, 20 * BED_US) + 10 * BED_US;
	w->detect_ps = w->poll_ps + chance_time(c, 60 * BED_US);
	w->restore_ps = one_in(c, 6) ? UNITS_NEVER : w->poll_ps + chance_time(c, 60 * BED_US);
	w->phase_ps = c->scalable || one_in(c, 2) ? chance_time(c, w->poll_ps) : -1;
	w->action = (int)below(c, 3);
	w->rule = (int)below(c, c->scalable ? WATCHDOG_HARDWARE : WATCHDOG_RULES);
	w->ports = (int)below(c, 3);
	w->handler = (int)below(c, WATCHDOG_DLR + 1);
	w->restore_rule = (int)below(c, WATCHDOG_RESTORE_TIMER + 1);
	w->action_delay_ps = one_in(c, 4) ? chance_time(c, 2 * w->poll_ps) : 0;
	w->forget = !one_in(c, 4);
	w->dldr = !one_in(c, 4);
	w->frozen_counter = one_in(c, 6);
	w->big_red_switch = !c->sane && one_in(c, 12);
}

/* Thresholds of their own for some ports, one of which may not be there. */
static void draw_some_ports(struct chance *c, struct switch_conf *s, struct switch_ports_conf *p)
{
	*p = (struct switch_ports_conf){ .from = below(c, 4), .priorities = one_in(c, 2) ? -1 : 8,
		.xoff_bytes = span(c, 3000, 90000), .xon_bytes = SWITCH_AS_IS,
		.xon_offset_bytes = one_in(c, 2) ? SWITCH_AS_IS : span(c, 0, 9000),
		.reserved_bytes = one_in(c, 2) ? SWITCH_AS_IS : span(c, 0, 9000),
		.headroom_bytes = SWITCH_AS_IS, .pfc = SWITCH_AS_IS,
		.watchdog = one_in(c, 2) ? SWITCH_AS_IS : below(c, 2) };
	p->to = p->from + below(c, 3);
	if (!c->sane && one_in(c, 3))
		p->pfc = below(c, 256);
	s->ports = p;
	s->nports = 1;
}

static void draw_switch(struct chance *c, struct switch_conf *s, struct switch_ports_conf *ports)
{
	struct bed defaults;

	bed_open(&defaults, 1);
	*s = defaults.sw;
	bed_close(&defaults);
	draw_buffer(c, &s->buffer);
	draw_pfc(c, &s->pfc);
	draw_watchdog(c, &s->watchdog);
	s->latency_ps = one_in(c, 2) ? chance_time(c, BED_US) : 0;
	s->flood_per_copy = one_in(c, 2);
	for (int k = 0; k < BED_CLASSES; k++) {
		s->ecn[k].on = one_in(c, 2);
		s->ecn[k].kmin_bytes = span(c, 0, 50000);
		s->ecn[k].kmax_bytes = s->ecn[k].kmin_bytes + span(c, 0, 200000);
		s->ecn[k].pmax = (struct units_ratio){ span(c, 0, 100), 100 };
		s->ecn[k].where = (int)below(c, 2);
	}
	if (!c->sane && one_in(c, 8))	/* a map that disagrees */
		s->dscp_to_tc[26] = below(c, 8);
	if (!c->sane && one_in(c, 12))
		s->pfc.enable = false;
	if (one_in(c, 5))
		draw_some_ports(c, s, ports);
	if (one_in(c, 12) && !c->scalable)
		s->mtu_bytes = span(c, 1000, 4000);
}

static void draw_cc(struct chance *c, int i)
{
	int n = 0, presets = 0;

	c->cc[i] = cc_find("none");
	c->preset[i] = NULL;
	if (c->scalable || one_in(c, 4))
		return;
	while (cc_registry[n])
		n++;
	c->cc[i] = one_in(c, 3) ? cc_find("dcqcn") : cc_registry[below(c, n)];
	while (c->cc[i]->presets && c->cc[i]->presets[presets].name)
		presets++;
	if (presets)
		c->preset[i] = c->cc[i]->presets[below(c, presets)].name;
}

static void draw_nic(struct chance *c, int i)
{
	static const int64_t mtus[] = { 256, 1024, 1024, 2048, 4096, 4096, 1000, 9000 };
	struct nic_conf *n = &c->nic[i];
	struct bed defaults;

	bed_open(&defaults, 1);
	*n = defaults.nic;
	bed_close(&defaults);
	int recovery = one_in(c, 8) ? (int)below(c, 3) : (int)(c->seed / 2 % 3);
	draw_pfc(c, &n->pfc);
	n->mtu_bytes = mtus[below(c, 8)];
	n->ack_class = one_in(c, 3) ? BED_CNP : -1;
	n->ack_every = one_in(c, 2) ? 1 : span(c, 2, 20);
	n->cnp_interval_ps = chance_time(c, 50 * BED_US);
	n->retry_timeout_ps = 50 * BED_US + chance_time(c, 200 * BED_US);
	n->retry_count = span(c, 0, 7);
	n->recovery = recovery;
	n->df = c->scalable || one_in(c, 2);
	if (one_in(c, 5))
		n->rx_rate_bps = a_slow_rate(c);
	n->rx_xoff_bytes = span(c, 20000, 200000);
	n->rx_xon_bytes = n->rx_xoff_bytes - span(c, 0, 20000);
	n->rx_buffer_bytes = n->rx_xoff_bytes + span(c, 50000, 1000000);
	if (one_in(c, 4))
		n->storm_watchdog_ps = 10 * BED_US + chance_time(c, 200 * BED_US);
	if (one_in(c, 10))
		n->ttl = span(c, 1, 5);
	if (one_in(c, 3))
		n->window_bytes = span(c, 1000, 200000);
	n->bdp_cap = one_in(c, 5);
	if (one_in(c, 4))
		n->rto_low_ps = 20 * BED_US + chance_time(c, 20 * BED_US);
	n->ack_delay_ps = one_in(c, 4) ? chance_time(c, 3 * BED_US) : 0;
	n->cnp_delay_ps = one_in(c, 4) ? chance_time(c, 3 * BED_US) : 0;
	draw_cc(c, i);
}

/* ---- traffic and faults ---- */

static void draw_traffic(struct chance *c, int i)
{
	static const int lasting[] = { WORKLOAD_FLOW, WORKLOAD_STREAM, WORKLOAD_STREAM, WORKLOAD_INCAST,
		WORKLOAD_PERMUTATION, WORKLOAD_ALL_TO_ALL, WORKLOAD_RING_ALLREDUCE, WORKLOAD_POISSON,
		WORKLOAD_REQUEST_RESPONSE, WORKLOAD_STORAGE_WRITE };
	struct workload_conf *w = &c->traffic[i];
	bool closed;

	snprintf(c->traffic_name[i], sizeof c->traffic_name[i], "load%d", 7 * i % 11);
	w->name = c->traffic_name[i];
	w->kind = lasting[below(c, c->scalable ? 7 : 10)];
	w->class_ = (int)below(c, 3) ? BED_RDMA : (int)below(c, BED_CLASSES);
	w->start_ps = one_in(c, 2) ? 0 : chance_time(c, 50 * BED_US);
	w->stop_ps = one_in(c, 2) ? UNITS_NEVER : w->start_ps + chance_time(c, 200 * BED_US);
	w->size_bytes = span(c, 1, one_in(c, 2) ? 5000 : 300000);
	w->frame_bytes = span(c, 64, one_in(c, 3) ? 9216 : 1518);
	w->rate_bps = one_in(c, 2) ? 0 : a_slow_rate(c);
	w->request_bytes = span(c, 1, 2000);
	w->response_bytes = span(c, 1, 20000);
	closed = one_in(c, 2);
	w->freq_mhz = closed ? 0 : span(c, 1, 100) * 1000000;
	w->count = one_in(c, 2) ? span(c, 1, 10) : w->kind == WORKLOAD_POISSON ? 0 : 3;
	w->replicas = span(c, 1, 3);
	w->qps = span(c, 1, 3);
	w->load = (struct units_ratio){ span(c, 5, 80), 100 };
	w->jitter = (struct units_ratio){ c->scalable || one_in(c, 2) ? 0 : span(c, 0, 100), 100 };
	w->cdf.n = 4;
	w->cdf.size_bytes = c->size_bytes;
	w->cdf.fraction = c->fraction;

	bool pair = w->kind == WORKLOAD_FLOW || w->kind == WORKLOAD_STREAM;
	int first = (int)below(c, c->hosts), some = (int)span(c, 1, c->hosts - 1);
	w->from = c->from[i];
	w->to = c->to[i];
	w->to[0] = c->host_name[first];
	w->nto = pair || w->kind == WORKLOAD_INCAST ? 1 : 0;
	if (w->kind == WORKLOAD_REQUEST_RESPONSE || w->kind == WORKLOAD_STORAGE_WRITE) {
		w->nto = 1 + (some < c->hosts - 1);
		w->to[1] = c->host_name[(first + c->hosts - 1) % c->hosts];
		some = some < c->hosts - 1 ? some : c->hosts - 1;
		if (w->nto == 2 && some > c->hosts - 2)
			some = c->hosts - 2;
	}
	if (w->kind == WORKLOAD_STORAGE_WRITE && w->replicas > w->nto)
		w->replicas = w->nto;
	w->nfrom = pair ? 1 : some;
	for (int k = 0; k < w->nfrom; k++)
		w->from[k] = c->host_name[(first + 1 + k) % c->hosts];
	if (w->nto == 0)
		w->from[w->nfrom++] = c->host_name[first];
}

static void draw_fault(struct chance *c, int i)
{
	struct fault_conf *f = &c->fault[i];
	static const int kinds[] = { FAULT_NIC_STORM, FAULT_NIC_STORM, FAULT_SLOW_RECEIVER, FAULT_DROP,
				     FAULT_LINK_DOWN, FAULT_LINK_DOWN };
	const struct chance_link *l = &c->link[below(c, c->links)];

	snprintf(c->fault_name[i], sizeof c->fault_name[i], "fault%d", i);
	*f = (struct fault_conf){ .name = c->fault_name[i], .kind = kinds[below(c, c->sane ? 4 : 6)], .class_ = -1,
		.at_ps = chance_time(c, 200 * BED_US), .every = span(c, 1, 300), .count = below(c, 20) };
	f->lasts_ps = one_in(c, 4) ? UNITS_NEVER : chance_time(c, 100 * BED_US);
	if (c->scalable && f->kind == FAULT_SLOW_RECEIVER)
		f->lasts_ps = UNITS_NEVER;	/* what is left then drains at 1 ps a frame */
	f->a = c->host_name[below(c, c->hosts)];
	f->class_ = one_in(c, 2) ? -1 : BED_RDMA;
	f->rate_bps = a_slow_rate(c);
	if (f->kind == FAULT_LINK_DOWN || f->kind == FAULT_DROP) {
		f->a = l->a;
		f->b = l->b;
	}
	if (i > 0 && one_in(c, 3)) {	/* two of a kind at one instant and place */
		struct fault_conf again = f[-1];
		again.name = f->name;
		again.rate_bps = f->rate_bps;
		again.every = f->every;
		*f = again;
	}
}

static void draw_route(struct chance *c, int i)
{
	const struct chance_link *l = &c->link[below(c, c->links)];

	snprintf(c->route[i].name, sizeof c->route[i].name, "way%d", i);
	c->route[i].at = l->b;	/* always a switch */
	c->route[i].to = c->host_name[below(c, c->hosts)];
	c->route[i].via[0] = l->a;
	c->route[i].flood = one_in(c, 3);
	c->route[i].drop = !c->route[i].flood && one_in(c, 4);
}

/* Half of all nodes, neighbours or not. */
static int some_nodes(struct chance *c, char **out)
{
	int n = 0;

	for (int i = 0; i < c->switches; i++)
		if (one_in(c, 2))
			out[n++] = c->sw_name[i];
	for (int i = 0; i < c->hosts; i++)
		if (one_in(c, 2))
			out[n++] = c->host_name[i];
	return n;
}

/* Data becomes bulk, or bulk data, or each the other. */
static void draw_remap(struct chance *c, int i)
{
	struct switch_remap_conf *r = &c->remap[i];

	*r = (struct switch_remap_conf){ .name = "turn", .from = c->remap_from[i], .to = c->remap_to[i] };
	r->froms = some_nodes(c, r->from);
	r->tos = some_nodes(c, r->to);
	for (int k = 0; k < FABRIC_CLASSES; k++)
		r->class_to[k] = -1;
	if (!one_in(c, 4))
		r->class_to[BED_RDMA] = BED_BULK;
	if (one_in(c, 2))
		r->class_to[BED_BULK] = BED_RDMA;
	c->sw[i].remap = r;
	c->sw[i].nremaps = 1;
}

/* From a stream of its own: plans without it are what they were. */
static void draw_remaps(struct chance *c)
{
	c->rng = rng_named(c->seed, "remap");
	if (!one_in(c, 4))
		return;
	c->bulk_lossless = c->sane || !one_in(c, 3);
	for (int i = 0; c->bulk_lossless && i < c->faults; i++)	/* a file names one class of a storm */
		c->fault[i].class_ = c->fault[i].class_ < 0 ? BED_RDMA : c->fault[i].class_;
	for (int i = 0; i < c->switches; i++)
		if (one_in(c, 2))
			draw_remap(c, i);
}

/* Verbs and retries, from a stream of their own: the rest stays as it was. */
static void draw_verbs(struct chance *c)
{
	bool nics;

	c->rng = rng_named(c->seed, "verbs");
	nics = one_in(c, 2);
	for (int i = 0; nics && i < c->hosts; i++) {
		struct nic_conf *n = &c->nic[i];

		n->verb = (int)below(c, 3);
		n->max_reads = span(c, 1, 16);
		n->recv_queue = c->scalable || one_in(c, 3) ? -1 : span(c, 1, 4);	/* RNR timers do not scale */
		n->recv_time_ps = one_in(c, 2) ? 0 : chance_time(c, 40 * BED_US);
		n->recv_start_ps = one_in(c, 2) ? 0 : chance_time(c, 60 * BED_US);
		n->rnr_timer = span(c, 1, 4);
		n->rnr_retry = span(c, 0, 7);
		n->adaptive_retry = !c->scalable && one_in(c, 4);
		n->timeout_code = !c->scalable && one_in(c, 4) ? span(c, 0, 5) : -1;
	}
	for (int i = 0; i < c->traffics; i++) {
		struct workload_conf *w = &c->traffic[i];

		w->depth = span(c, 1, 4);
		w->verb = one_in(c, 2) ? WORKLOAD_AS_NIC : (int)span(c, WORKLOAD_WRITE, WORKLOAD_READ);
		if (w->verb == WORKLOAD_READ && workload_verb(w, &c->nic[0]) != NIC_READ)
			w->verb = WORKLOAD_SEND;
	}
}

void chance_draw(struct chance *c, uint64_t seed, bool scalable)
{
	*c = (struct chance){ .seed = seed, .scalable = scalable };
	c->rng = rng_named(seed, "chance");
	c->sane = one_in(c, 2);
	param_defaults(run_params, &c->run);
	c->run.seed = (int64_t)(seed % 5);
	c->run.until_ps = 100 * BED_US + chance_time(c, 300 * BED_US);
	c->run.warmup_ps = one_in(c, 2) ? 0 : chance_time(c, 100 * BED_US);
	c->run.stall_ps = 50 * BED_US;
	draw_switches(c);
	draw_hosts(c);
	for (int i = 0; i < c->switches; i++)
		draw_switch(c, &c->sw[i], &c->some_ports[i]);
	for (int i = 0; i < c->hosts; i++)
		draw_nic(c, i);
	for (int k = 0; k < 4; k++) {
		c->size_bytes[k] = (k ? c->size_bytes[k - 1] : 0) + span(c, 1, 30000);
		c->fraction[k] = (k + 1) * 0.25;
	}
	c->traffics = (int)span(c, 1, CHANCE_TRAFFIC);
	for (int i = 0; i < c->traffics; i++)
		draw_traffic(c, i);
	c->faults = one_in(c, 2) ? (int)span(c, 1, CHANCE_FAULTS) : 0;
	for (int i = 0; i < c->faults; i++)
		draw_fault(c, i);
	c->routes = !c->sane && one_in(c, 3) && c->switches > 1 ? (int)span(c, 1, CHANCE_ROUTES) : 0;
	for (int i = 0; i < c->routes; i++)
		draw_route(c, i);
	chance_ways(c);
	c->wild = !c->sane && !scalable && one_in(c, 2);
	if (c->wild)
		chance_wild(c);
	draw_remaps(c);
	draw_verbs(c);
	chance_lists(c);
}
