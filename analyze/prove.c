/*
 * analyze/prove.c - see prove.h.
 *
 *	a ---> s ---> c (storms)	the frame that crosses XOFF is the CROSSING-th
 *	a <--- s <--- r (fast)		the frame in the pause's way is the BEFORE-th
 */
#include "analyze/prove.h"

#include <stdlib.h>
#include <string.h>
#include "models/fabric.h"
#include "models/view.h"
#include "models/wire/link.h"
#include "sim/mem.h"

enum { LOSSLESS, BULK, CLASSES, PRIO = 3, CROSSING = 6, BEFORE = 3 };
#define START_PS INT64_C(20000000)

struct proof {
	const struct headroom_conf *conf;
	int64_t frame, headroom;
	void *cc_conf;
};

static int64_t wire_ps(const struct proof *p, int64_t bytes)
{
	return units_tx_ps(bytes, p->conf->rate_bps);
}

/* --------------------------------------------------------------------- parts */

static struct fabric *new_fabric(int64_t until_ps)
{
	struct class_conf classes[CLASSES];
	struct run_conf run;
	char lossless[] = "lossless", bulk[] = "bulk";

	param_defaults(run_params, &run);
	run.until_ps = until_ps;
	run.seed = 1;
	classes[LOSSLESS] = (struct class_conf){ .name = lossless,
						 .dscp = 3,
						 .tc = PRIO,
						 .priority = PRIO,
						 .lossless = true,
						 .weight = 1 };
	classes[BULK] = (struct class_conf){
		.name = bulk, .dscp = 0, .tc = 0, .priority = 0, .weight = 1
	};
	return fabric_new(&run, classes, CLASSES);
}

static int add_switch(struct fabric *f, const struct proof *p, struct sim_error *err)
{
	struct switch_conf c;
	int64_t cells = units_div_ceil(p->frame, p->conf->cell_bytes) * p->conf->cell_bytes;

	memset(&c, 0, sizeof(c));
	param_defaults(switch_params, &c);
	param_defaults(mmu_params, &c.buffer);
	param_defaults(pfc_params, &c.pfc);
	c.mtu_bytes = 16000;
	c.buffer.size_bytes = p->headroom * 8 + 64000000;
	c.buffer.cell_bytes = p->conf->cell_bytes;
	c.buffer.xoff_bytes = CROSSING * cells;
	c.buffer.headroom_bytes = p->headroom;
	for (int i = 0; i < FABRIC_DSCPS; i++)
		c.dscp_to_tc[i] = -1;
	return fabric_add_switch(f, "s", &c, err);
}

static int add_host(struct fabric *f, const struct proof *p, const char *name, int port,
		    int64_t rate_bps, int64_t delay_ps, struct sim_error *err)
{
	struct nic_conf c;
	struct link_conf link;

	memset(&c, 0, sizeof(c));
	param_defaults(nic_params, &c);
	param_defaults(pfc_params, &c.pfc);
	param_defaults(link_params, &link);
	c.cc = cc_find("none");
	c.cc_conf = p->cc_conf;
	c.ack_class = c.cnp_class = -1;
	c.pfc.response_ps = p->conf->response_ps;
	for (int i = 0; i < FABRIC_CLASSES; i++)
		c.dscp[i] = -1;
	link.rate_bps = rate_bps;
	link.delay_ps = delay_ps < 1 ? 1 : delay_ps;
	link.phy_ps = 0;
	if (fabric_add_host(f, name, &c, err))
		return -1;
	return fabric_add_link(f, name, 0, "s", port, &link, err);
}

static int add_stream(struct fabric *f, const char *name, const char *from, const char *to,
		      int class_, int64_t frame_bytes, int64_t start_ps, struct sim_error *err)
{
	struct workload_conf c;
	char *src = mem_strdup(from), *dst = mem_strdup(to), *own = mem_strdup(name);
	int rc;

	memset(&c, 0, sizeof(c));
	param_defaults(workload_params(WORKLOAD_STREAM), &c);
	c.name = own;
	c.kind = WORKLOAD_STREAM;
	c.class_ = class_;
	c.from = &src;
	c.to = &dst;
	c.nfrom = c.nto = 1;
	c.frame_bytes = frame_bytes;
	c.start_ps = start_ps;
	rc = fabric_add_traffic(f, &c, err);
	free(src);
	free(dst);
	free(own);
	return rc;
}

static int add_storm(struct fabric *f, struct sim_error *err)
{
	char name[] = "stop", host[] = "c";

	return fabric_add_fault(f, &(struct fault_conf){ .name = name, .kind = FAULT_NIC_STORM,
		.a = host, .class_ = LOSSLESS, .at_ps = 0, .lasts_ps = UNITS_NEVER }, err);
}

/* ----------------------------------------------------------------- one phase */

/* The frame in the pause's way is committed to `phase_ps` before the crossing
 * frame is in: an IFG before its preamble, at the last bit of the one before. */
static int one_phase(const struct proof *p, int64_t phase_ps, struct prove_outcome *out,
		     struct sim_error *err)
{
	const struct headroom_conf *c = p->conf;
	int64_t fast = 4 * c->rate_bps, delay = c->delay_ps < 1 ? 1 : c->delay_ps;
	int64_t in = START_PS + wire_ps(p, (CROSSING - 1) * (p->frame + LINK_OVERHEAD_BYTES) +
					LINK_PREAMBLE_BYTES + p->frame) + delay;
	int64_t first = in - phase_ps + wire_ps(p, LINK_IFG_BYTES) -
			wire_ps(p, BEFORE * (c->reverse_bytes + LINK_OVERHEAD_BYTES));
	int64_t reverse = first - units_tx_ps(LINK_PREAMBLE_BYTES + c->reverse_bytes, fast) - 1;
	struct fabric *f = new_fabric(in + 4 * delay + 2 * c->response_ps + START_PS);
	int rc = add_switch(f, p, err) ||
				 add_host(f, p, "a", 0, c->rate_bps, c->delay_ps, err) ||
				 add_host(f, p, "c", 1, c->rate_bps, 1, err) ||
				 add_host(f, p, "r", 2, fast, 1, err) || add_storm(f, err) ||
				 add_stream(f, "load", "a", "c", LOSSLESS, p->frame, START_PS,
					    err) ||
				 add_stream(f, "reverse", "r", "a", BULK, c->reverse_bytes,
					    reverse < 0 ? 0 : reverse, err) ||
				 fabric_finish(f, err)
			 ? -1
			 : 0;

	if (!rc) {
		fabric_run(f, NULL);
		struct view_counters v =
			view_counters(f, view_first_port(f, view_find(f, "s")), PRIO);
		int64_t lost = v.drops[RECORD_DROP_LOSSLESS];

		if (lost && out->worst_phase_ps < 0)
			out->worst_phase_ps = phase_ps;
		out->lost += lost;
		if (v.headroom_peak_bytes > out->peak_bytes)
			out->peak_bytes = v.headroom_peak_bytes;
		out->phases++;
	}
	fabric_free(&f);
	return rc;
}

int prove_run(const struct headroom_conf *conf, int64_t frame, int64_t headroom, int phases,
	      struct prove_outcome *out, struct sim_error *err)
{
	struct proof p = { .conf = conf,
			   .frame = frame,
			   .headroom = headroom < 0 ? 0 : headroom };
	int64_t span = wire_ps(&p, conf->reverse_bytes + LINK_OVERHEAD_BYTES);
	int rc = 0;

	*out = (struct prove_outcome){ .worst_phase_ps = -1 };
	p.cc_conf = mem_zalloc(cc_find("none")->conf_size + 16);
	param_defaults(cc_find("none")->params, p.cc_conf);
	for (int i = 0; i < phases && !rc; i++)		/* from 1 ps before to a whole frame */
		rc = one_phase(&p, phases > 1 ? 1 + (span - 1) * i / (phases - 1) : 1, out,
			       err);
	free(p.cc_conf);
	return rc;
}
