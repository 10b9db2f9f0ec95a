/*
 * interop/sonic_switch.c - the settings of one switch in Xoff's words: buffer,
 * ECN, watchdog, DSCPs, and its ports by sets that are alike.
 *
 * The buffer's size is the sum of what the chip sets aside: the shared pool (the
 * size of BUFFER_POOL), the shared headroom (its xoff) or the headroom of each
 * group, and the minimum of each group.
 */
#include "interop/sonic_inside.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/writer.h"
#include "sim/mem.h"

enum { CELL_DEFAULT = 208, TH_MOST = 7, POLL_DEFAULT_MS = 100, TALLY = 64 };

/* ------------------------------------------------------------------------- values */

static void text(struct writer *w, const char *key, const char *unit, int64_t value)
{
	char buf[40];

	snprintf(buf, sizeof buf, "%lld%s", (long long)value, unit);
	writer_text(w, key, buf);
}

static void number(struct writer *w, const char *key, int64_t value)
{
	char buf[24];

	snprintf(buf, sizeof buf, "%lld", (long long)value);
	writer_raw(w, key, buf);
}

/* 2^th; Xoff's largest alpha is 128. */
static void alpha(struct writer *w, const char *key, int th)
{
	char buf[16];

	th = th > TH_MOST ? TH_MOST : th;
	snprintf(buf, sizeof buf, th < 0 ? "1/%d" : "%d", 1 << (th < 0 ? -th : th));
	writer_text(w, key, buf);
}

/* The most frequent of some numbers, of several the first. */
struct tally { int64_t value[TALLY]; int count[TALLY], n, total; };

static void count(struct tally *t, int64_t value)
{
	int i = 0;

	while (i < t->n && t->value[i] != value)
		i++;
	if (i == TALLY)
		return;
	t->value[i] = value;
	t->n += i == t->n;
	t->count[i]++;
	t->total++;
}

static int64_t most(const struct tally *t, int64_t none)
{
	int best = 0;

	for (int i = 1; i < t->n; i++)
		best = t->count[i] > t->count[best] ? i : best;
	return t->n ? t->value[best] : none;
}

/* ------------------------------------------------------------------ groups in use */

/* The groups that Xoff will have: those of the classes, and that of DSCP 0. */
static uint8_t groups_in_use(const struct sonic_device *d)
{
	uint8_t used = (uint8_t)(1u << d->group_of[0]);

	for (int q = 0; q < SONIC_PRIOS; q++) {
		if (d->s->classes[q].used)
			used |= (uint8_t)(1u << d->s->classes[q].group);
	}
	return used;
}

static bool is_lossless(const struct sonic_port *p, int g)
{
	return p->lossless >> g & 1;
}

static int64_t buffer_size(const struct sonic_device *d, uint8_t used)
{
	int64_t size = d->shared_bytes + d->headroom_bytes;

	for (int i = 0; i < d->nports; i++) {
		const struct sonic_port *p = &d->ports[i];

		for (int g = 0; g < SONIC_PRIOS && p->link >= 0; g++) {
			if (!(used >> g & 1))
				continue;
			size += p->group[g].reserved;
			if (is_lossless(p, g) && !d->headroom_bytes)
				size += p->group[g].headroom;
		}
	}
	return size;
}

/* ------------------------------------------------------------------------- buffer */

/* 2^th of most lossy groups (queues); TH_MOST where they have no limit. */
static int lossy_th(const struct sonic_device *d, bool egress)
{
	struct tally t = {0};

	for (int i = 0; i < d->nports; i++) {
		const struct sonic_port *p = &d->ports[i];

		for (int k = 0; k < SONIC_PRIOS && p->link >= 0; k++) {
			const struct sonic_profile *e =
				egress ? sonic_profile_find(d, p->egress[k]) : NULL;
			const struct sonic_group *g = &p->group[k];
			bool there = egress ? e && !is_lossless(p, k) : g->kind == SONIC_LOSSY;
			int64_t fixed = egress && e ? e->fixed : g->fixed;

			if (there)
				count(&t, fixed >= 0 ? TH_MOST : egress ? e->th : g->th);
		}
	}
	if (t.n > 1)
		sonic_note(d->s, SONIC_NOTE_APPROXIMATED, d, -1, egress
			   ? "lossy queues have several thresholds; in Xoff the most frequent "
			   	"counts"
			   : "lossy groups have several thresholds; in Xoff the most frequent "
			   	"counts");
	return (int)most(&t, 0);
}

static void buffer(struct writer *w, struct sonic_device *d, uint8_t used)
{
	int64_t cell = d->asic->cell_bytes;

	if (!cell) {
		cell = CELL_DEFAULT;
		sonic_note(d->s, SONIC_NOTE_ASSUMED, d, -1, "the cell of the chip (%s) is not "
			   "known: %lld bytes", d->asic->name, (long long)cell);
	}
	writer_open(w, "buffer", '{', true);
	text(w, "size", "B", buffer_size(d, used));
	text(w, "cell", "B", cell);
	if (d->headroom_bytes)
		text(w, "shared_headroom", "B", d->headroom_bytes);
	if (d->asic->partitions > 1)
		number(w, "partitions", d->asic->partitions);
	if (d->egress_bytes >= 0)
		text(w, "egress_lossless", "B", d->egress_bytes);
	text(w, "xon_offset", "B", 0);
	alpha(w, "lossy_alpha", lossy_th(d, false));
	alpha(w, "egress_alpha", lossy_th(d, true));
	writer_close(w, '}');
}

/* ---------------------------------------------------------------------------- ECN */

static void mark(struct writer *w, struct sonic_device *d, int q, const struct sonic_wred *wred)
{
	char key[16];
	int64_t kmax = wred->kmax ? wred->kmax : d->shared_bytes;

	if (!wred->green) {
		sonic_note_queue(d, SONIC_NOTE_FINDING, -1, q,
				 "wred_green_enable of WRED_PROFILE %s is not true, so nothing "
				 "is marked", wred->name);
		return;
	}
	if (!wred->ecn) {
		sonic_note_queue(d, d->s->classes[q].lossless ? SONIC_NOTE_LOSSY
				 : SONIC_NOTE_APPROXIMATED, -1, q,
				 "ecn of WRED_PROFILE %s does not mark green packets, so WRED "
				 "drops them; Xoff does not", wred->name);
		return;
	}
	snprintf(key, sizeof key, "tc%d", q);
	writer_open(w, key, '{', true);
	text(w, "kmin", "B", wred->kmin || wred->kmax ? wred->kmin : kmax);
	text(w, "kmax", "B", kmax);
	text(w, "pmax", "%", wred->percent);
	writer_close(w, '}');
}

static const char *wred_name(const struct sonic_device *d, int64_t i)
{
	return i < 0 ? "none" : d->wreds[i].name;
}

/* The profile of most ports that serve the class (where it is lossless, if it is so
 * anywhere); -1: none. */
static int64_t wred_of(struct sonic_device *d, int q)
{
	const struct sonic_class *c = &d->s->classes[q];
	struct tally t = {0};
	int64_t best;

	for (int pass = 0; pass < 2; pass++) {
		best = most(&t, -1);
		for (int i = 0; i < d->nports; i++) {
			const struct sonic_port *p = &d->ports[i];

			if (p->link < 0 || (d->tables[SONIC_PORT_QOS_MAP] && !p->qos) ||
			    (c->lossless && !is_lossless(p, c->group)))
				continue;
			if (pass == 0)
				count(&t, p->wred[q]);
			else if (p->wred[q] != best)
				sonic_note_queue(d, SONIC_NOTE_APPROXIMATED, p->number, q,
						 "WRED_PROFILE %s here; in Xoff, on all ports "
						 "of the switch, %s",
						 wred_name(d, p->wred[q]), wred_name(d, best));
		}
	}
	return best;
}

static void ecn(struct writer *w, struct sonic_device *d)
{
	writer_open(w, "ecn", '{', false);
	for (int q = 0; q < SONIC_PRIOS; q++) {
		int64_t best = d->s->classes[q].used ? wred_of(d, q) : -1;

		if (best >= 0)
			mark(w, d, q, &d->wreds[best]);
	}
	writer_close(w, '}');
}

/* ----------------------------------------------------------------------- watchdog */

static const char *rule_of(struct sonic_device *d)
{
	if (d->asic->rule)
		return d->asic->rule;
	sonic_note(d->s, SONIC_NOTE_ASSUMED, d, -1,
		   "the chip is not known: the watchdog follows Broadcom's rule");
	return "broadcom";
}

static void tell_watchdogs(struct sonic_device *d, int64_t detect, int64_t restore,
			   const char *action)
{
	for (int i = 0; i < d->nports; i++) {
		const struct sonic_port *p = &d->ports[i];

		if (p->link < 0 || !p->watchdog.on)
			continue;
		if (p->watchdog.detect_ms != detect || p->watchdog.restore_ms != restore ||
		    strcmp(p->watchdog.action, action) != 0)
			sonic_note(d->s, SONIC_NOTE_APPROXIMATED, d, p->number,
				   "PFC_WD: detection %lld ms, restoration %lld ms, action %s "
				   "here; in Xoff, on all ports of the switch, %lld, %lld, %s",
				   (long long)p->watchdog.detect_ms,
				   (long long)p->watchdog.restore_ms, p->watchdog.action,
				   (long long)detect, (long long)restore, action);
		if (p->watch >= 0 && (p->watch & p->lossless) != p->lossless)
			sonic_note(d->s, SONIC_NOTE_APPROXIMATED, d, p->number,
				   "pfcwd_sw_enable does not name every lossless priority; "
				   "Xoff's watchdog looks after all of them");
	}
}

static const char *const actions[] = {"drop", "forward", "alert"};

static void watchdog(struct writer *w, struct sonic_device *d)
{
	struct tally detects = {0}, restores = {0}, does = {0};
	int64_t detect, restore, poll = d->poll_ms < 0 ? POLL_DEFAULT_MS : d->poll_ms;
	const char *action;

	for (int i = 0; i < d->nports; i++) {
		const struct sonic_port *p = &d->ports[i];

		if (p->link < 0 || !p->watchdog.on)
			continue;
		count(&detects, p->watchdog.detect_ms);
		count(&restores, p->watchdog.restore_ms);
		for (int a = 0; a < 3; a++) {
			if (strcmp(actions[a], p->watchdog.action) == 0)
				count(&does, a);
		}
	}
	if (!detects.n)
		return;
	detect = most(&detects, -1);
	restore = most(&restores, -1);
	action = actions[most(&does, 0)];
	tell_watchdogs(d, detect, restore, action);
	if (poll > detect || (restore >= 0 && poll > restore))
		sonic_note(d->s, SONIC_NOTE_FINDING, d, -1,
			   "PFC_WD POLL_INTERVAL, %lld ms, is longer than detection or "
			   "restoration: both last one interval at least", (long long)poll);
	writer_open(w, "watchdog", '{', true);
	text(w, "detect", "ms", detect > poll ? detect : poll);
	if (restore < 0)
		writer_text(w, "restore", "never");
	else
		text(w, "restore", "ms", restore > poll ? restore : poll);
	text(w, "poll", "ms", poll);
	writer_text(w, "action", action);
	writer_text(w, "rule", rule_of(d));
	if (d->asic->handler)
		writer_text(w, "handler", d->asic->handler);
	if (d->big_red_switch)
		writer_raw(w, "big_red_switch", "true");
	writer_close(w, '}');
}

/* --------------------------------------------------------------------------- DSCPs */

static void dscps(struct writer *w, const struct sonic_device *d)
{
	struct tally t = {0};
	int64_t rest;
	char key[16];

	for (int dscp = 0; dscp < SONIC_DSCPS; dscp++)
		count(&t, d->queue_of[dscp]);
	rest = most(&t, 0);
	if (d->trust_pcp && !d->trust_dscp) {
		writer_text(w, "trust", "pcp");
		number(w, "default_tc", 0);
		sonic_note(d->s, SONIC_NOTE_FINDING, d, -1,
			   "PORT_QOS_MAP of %d ports has a dot1p_to_tc_map and no dscp_to_tc_map: they trust "
			   "the 802.1p priority of a VLAN tag; routed RoCEv2 has none, and all of it is "
			   "traffic class 0", d->trust_pcp);
		return;
	}
	number(w, "default_tc", rest);
	writer_open(w, "dscp", '{', true);
	for (int dscp = 0; dscp < SONIC_DSCPS; dscp++) {
		int64_t said = rest;

		for (int q = 0; q < SONIC_PRIOS; q++) {
			const struct sonic_class *c = &d->s->classes[q];

			if (c->used && c->dscp == dscp)
				said = q;
		}
		if (said == d->queue_of[dscp])
			continue;
		snprintf(key, sizeof key, "%d", dscp);
		number(w, key, d->queue_of[dscp]);
	}
	writer_close(w, '}');
}

static void mtu(struct writer *w, struct sonic_device *d)
{
	struct tally t = {0};
	int64_t best;

	for (int i = 0; i < d->nports; i++) {
		if (d->ports[i].link >= 0)
			count(&t, sonic_port_mtu(&d->ports[i]));
	}
	best = most(&t, sonic_port_mtu(&(struct sonic_port){0}));
	for (int i = 0; i < d->nports && t.n > 1; i++) {
		if (d->ports[i].link >= 0 && sonic_port_mtu(&d->ports[i]) != best)
			sonic_note(d->s, SONIC_NOTE_APPROXIMATED, d, d->ports[i].number,
				   "mtu is %lld here; in Xoff, on all ports of the switch, "
				   "%lld",
				   (long long)sonic_port_mtu(&d->ports[i]), (long long)best);
	}
	text(w, "mtu", "B", best);
}

char *sonic_switch_text(struct sonic_device *d, int depth)
{
	uint8_t used = groups_in_use(d);
	char *out = NULL;
	size_t size = 0;
	struct writer w = {.out = mem_stream(&out, &size), .depth = depth};

	mtu(&w, d);
	buffer(&w, d, used);
	ecn(&w, d);
	watchdog(&w, d);
	dscps(&w, d);
	sonic_tunnel_write(&w, d);
	sonic_switch_ports(&w, d, used);
	mem_stream_close(w.out);
	return out;
}
