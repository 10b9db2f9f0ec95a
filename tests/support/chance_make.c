/* A plan of chance.h to a fabric. */
#include "tests/support/chance.h"

#include <stdio.h>

/* A length of time in a world that runs `k` times as fast; and an instant there. */
static int64_t timed(int64_t ps, int k)
{
	return ps > 0 && ps != UNITS_NEVER ? ps / k : ps;
}

static int64_t instant(int64_t ps, const struct chance_build *how)
{
	return ps >= 0 && ps != UNITS_NEVER ? timed(ps, how->faster) + how->later_ps : ps;
}

static void faster_pfc(struct pfc_conf *p, int k)
{
	p->refresh_ps = timed(p->refresh_ps, k);
	p->response_ps = timed(p->response_ps, k);
}

static int make_switch(const struct chance *c, int i, const struct chance_build *how, struct bed *b,
		       struct sim_error *err)
{
	struct switch_conf s = c->sw[i];
	int k = how->faster;

	faster_pfc(&s.pfc, k);
	s.latency_ps = timed(s.latency_ps, k);
	s.flowlet_gap_ps = timed(s.flowlet_gap_ps, k);
	s.watchdog.detect_ps = timed(s.watchdog.detect_ps, k);
	s.watchdog.restore_ps = timed(s.watchdog.restore_ps, k);
	s.watchdog.poll_ps = timed(s.watchdog.poll_ps, k);
	s.watchdog.phase_ps = timed(s.watchdog.phase_ps, k);
	s.watchdog.action_delay_ps = timed(s.watchdog.action_delay_ps, k);
	for (int class_ = 0; class_ < BED_CLASSES; class_++)
		s.ecn[class_].pi_interval_ps = timed(s.ecn[class_].pi_interval_ps, k);
	if (s.watchdog.phase_ps >= 0 && how->later_ps) {
		int64_t poll_ps = watchdog_times(&s.watchdog, (uint32_t)c->ports[i]).poll_ps;

		s.watchdog.phase_ps = (s.watchdog.phase_ps + how->later_ps) % poll_ps;
	}
	return fabric_add_switch(b->f, c->sw_name[i], &s, err);
}

void chance_cc(const struct chance *c, int i, struct bed *b)
{
	const char *settings[2 * CHANCE_CC_SETS + 1] = { NULL };

	for (int k = 0; k < c->cc_sets[i]; k++) {
		settings[2 * k] = c->cc_set[i][k].key;
		settings[2 * k + 1] = c->cc_set[i][k].value;
	}
	bed_cc(b, c->cc[i]->name, c->preset[i], settings);
}

static int make_host(const struct chance *c, int i, const struct chance_build *how, struct bed *b,
		     struct sim_error *err)
{
	struct nic_conf n = c->nic[i];
	int k = how->faster;

	chance_cc(c, i, b);
	n.cc = b->nic.cc;
	n.cc_conf = b->nic.cc_conf;
	faster_pfc(&n.pfc, k);
	n.cnp_interval_ps = timed(n.cnp_interval_ps, k);
	n.retry_timeout_ps = timed(n.retry_timeout_ps, k);
	n.recv_time_ps = timed(n.recv_time_ps, k);
	n.recv_start_ps = instant(n.recv_start_ps, how);
	n.fragment_ps = timed(n.fragment_ps, k);
	n.rto_low_ps = timed(n.rto_low_ps, k);
	n.ack_delay_ps = timed(n.ack_delay_ps, k);
	n.cnp_delay_ps = timed(n.cnp_delay_ps, k);
	n.storm_watchdog_ps = timed(n.storm_watchdog_ps, k);
	n.rx_rate_bps *= k;
	return fabric_add_host(b->f, c->host_name[i], &n, err);
}

static int make_link(const struct chance *c, int i, const struct chance_build *how, struct bed *b,
		     struct sim_error *err)
{
	const struct chance_link *l = &c->link[i];
	struct link_conf conf = l->conf;

	conf.rate_bps *= how->faster;
	conf.delay_ps = timed(conf.delay_ps, how->faster);
	if (how->shuffle >> i % 60 & 1)		/* either end may be named first */
		return fabric_add_link(b->f, l->b, l->b_port, l->a, l->a_port, &conf, err);
	return fabric_add_link(b->f, l->a, l->a_port, l->b, l->b_port, &conf, err);
}

static int make_traffic(const struct chance *c, int i, const struct chance_build *how, struct bed *b,
			struct sim_error *err)
{
	struct workload_conf w = c->traffic[i];
	char *from[CHANCE_HOSTS];
	struct chance_listed listed;

	w.start_ps = instant(w.start_ps, how);
	w.stop_ps = instant(w.stop_ps, how);
	w.rate_bps *= how->faster;
	if (w.kind == WORKLOAD_LIST) {
		chance_listed(c, i, how->shuffle & 1, &w, &listed);
		w.origin_ps = timed(w.origin_ps, how->faster);
		for (int k = 0; k < w.nlist; k++)
			w.list[k].start_ps = timed(w.list[k].start_ps, how->faster);
		return fabric_add_traffic(b->f, &w, err);
	}
	for (int k = 0; k < w.nfrom; k++)	/* of a ring the order counts */
		from[k] = w.from[how->shuffle && w.kind != WORKLOAD_RING_ALLREDUCE ? w.nfrom - 1 - k : k];
	w.from = from;
	return fabric_add_traffic(b->f, &w, err);
}

static int make_other(const struct chance *c, int i, const struct chance_build *how, struct bed *b,
		      struct sim_error *err)
{
	if (i < c->faults) {
		struct fault_conf f = c->fault[i];
		f.at_ps = instant(f.at_ps, how);
		f.lasts_ps = timed(f.lasts_ps, how->faster);
		f.rate_bps *= how->faster;
		return fabric_add_fault(b->f, &f, err);
	}
	i -= c->faults;
	if (c->route[i].flood || c->route[i].drop)
		return fabric_add_route(b->f, &(struct route_conf){ .name = (char *)(uintptr_t)c->route[i].name,
			.at = c->route[i].at, .to = c->route[i].to, .flood = c->route[i].flood,
			.drop = c->route[i].drop }, err);
	return fabric_add_route(b->f, &(struct route_conf){ .name = (char *)(uintptr_t)c->route[i].name,
		.at = c->route[i].at, .to = c->route[i].to, .via = (char **)(uintptr_t)c->route[i].via,
		.vias = 1 }, err);
}

static int make_item(const struct chance *c, int i, const struct chance_build *how, struct bed *b,
		     struct sim_error *err)
{
	if (i < c->switches)
		return make_switch(c, i, how, b, err);
	i -= c->switches;
	if (i < c->hosts)
		return make_host(c, i, how, b, err);
	i -= c->hosts;
	if (i < c->links)
		return make_link(c, i, how, b, err);
	i -= c->links;
	if (i < c->traffics)
		return make_traffic(c, i, how, b, err);
	return make_other(c, i - c->traffics, how, b, err);
}

/* Two hosts and a switch that have nothing to do with the rest; their names come
 * before and between those of the others, and their frames are small (the largest
 * of a fabric tells every switch its headroom). */
static void make_island(struct bed *b)
{
	char h0[] = "h0", h8[] = "h8", *hosts[] = { h0, h8 };
	int64_t sizes[2] = { 100, 90000 };
	double fractions[2] = { 0, 1 };

	b->nic.mtu_bytes = 256;
	bed_switch(b, "island");
	bed_leaf(b, h0, "island", 0, 100 * BED_G, BED_US);
	bed_leaf(b, h8, "island", 1, 40 * BED_G, BED_US);
	bed_stream(b, "island", h0, h8, 0, 256, 0, UNITS_NEVER);
	bed_traffic(b, (struct workload_conf){ .kind = WORKLOAD_POISSON, .from = hosts, .nfrom = 2,
		.load = { 1, 2 }, .cdf = { .n = 2, .size_bytes = sizes, .fraction = fractions } },
		"load3b");
}

int chance_make(const struct chance *c, const struct chance_build *plain, struct bed *b,
		struct sim_error *err)
{
	struct chance_build built = *plain, *how = &built;
	int n = c->switches + c->hosts + c->links + c->traffics + c->faults + c->routes;
	int order[CHANCE_SWITCHES + CHANCE_HOSTS + CHANCE_LINKS + CHANCE_TRAFFIC + CHANCE_FAULTS +
		  CHANCE_ROUTES];
	struct rng r = { how->shuffle };

	how->faster = how->faster ? how->faster : 1;
	bed_open(b, instant(c->run.until_ps, how));
	b->run.seed = c->run.seed;
	b->run.warmup_ps = instant(c->run.warmup_ps, how);
	b->run.stall_ps = timed(c->run.stall_ps, how->faster);
	b->run.queue = how->queue;
	b->classes[BED_BULK].lossless |= c->bulk_lossless;
	b->f = fabric_new(&b->run, b->classes, BED_CLASSES);
	for (int i = 0; i < n; i++)
		order[i] = i;
	for (int i = n - 1; how->shuffle && i > 0; i--) {
		int j = (int)rng_below(&r, (uint64_t)i + 1), t = order[i];
		order[i] = order[j];
		order[j] = t;
	}
	for (int i = 0; i < n; i++)
		if (make_item(c, order[i], how, b, err))
			return -1;
	if (how->island)
		make_island(b);
	b->finished = true;
	return fabric_finish(b->f, err);
}
