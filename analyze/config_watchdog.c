/*
 * analyze/config_watchdog.c - does the watchdog act in time, and in the right place?
 *
 * A storm is declared at the n-th bad poll, n = ceil(detect / poll): between
 * n poll and (n + 1) poll after it began, by the phase of the poll; one poll less by a
 * rule that asks nothing but whether it is paused now (cisco).
 */
#include "analyze/config.h"

#include <stdio.h>

struct storm { int64_t earliest_ps, latest_ps; };

static struct storm storm_of(const struct routing *r, uint32_t node)
{
	struct watchdog_times t = view_watchdog_times(r->f, node);
	const struct watchdog_conf *c = &view_switch_conf(r->f, node)->watchdog;
	int64_t n = units_div_ceil(t.detect_ps, t.poll_ps) - (c->rule == WATCHDOG_CISCO);

	return (struct storm){ n * t.poll_ps + c->action_delay_ps, (n + 1) * t.poll_ps + c->action_delay_ps };
}

static bool watched(const struct routing *r, uint32_t port)
{
	for (int prio = 0; prio < 8; prio++)
		if (view_watched(r->f, port, prio))
			return true;
	return false;
}

/* What ends the storm of a host, by when at the latest: the watchdog of its port, or its NIC's
 * own; UNITS_NEVER: nothing does. */
struct cure { int64_t latest_ps; uint32_t port; bool by_nic; };

static struct cure cure_of(const struct routing *r, uint32_t port, int64_t latest_ps)
{
	int64_t own = view_nic_conf(r->f, routing_far(r, port))->storm_watchdog_ps;
	struct cure c = { .latest_ps = watched(r, port) ? latest_ps : UNITS_NEVER, .port = port };

	c.by_nic = own < c.latest_ps;
	c.latest_ps = c.by_nic ? own : c.latest_ps;
	return c;
}

static const char *cure_name(const struct routing *r, const struct cure *c, char *buf, size_t size)
{
	char port[96];

	if (c->by_nic)
		snprintf(buf, size, "the watchdog in the NIC of %s", view_node_name(r->f, routing_far(r, c->port)));
	else
		snprintf(buf, size, "the watchdog at %s, at the host,",
			 routing_port_name(r, c->port, port, sizeof(port)));
	return buf;
}

/* Ports of one kind (to hosts, to switches) with lossless groups, and those watched. */
struct places {
	int64_t host, bare, fabric_watched;	/* bare: of hosts that nothing cures */
	uint32_t bare_port;		/* the first of them */
	struct cure last, last_watched;	/* of all hosts, and of those whose port is watched */
	uint32_t fabric_port;		/* the watched one that acts first */
	struct storm first;
};

static void place_host(const struct routing *r, uint32_t port, int64_t latest_ps, struct places *p)
{
	struct cure c = cure_of(r, port, latest_ps);

	p->host++;
	if (c.latest_ps == UNITS_NEVER && !p->bare++)
		p->bare_port = port;
	if (c.latest_ps > p->last.latest_ps)
		p->last = c;
	if (watched(r, port) && c.latest_ps > p->last_watched.latest_ps)
		p->last_watched = c;
}

static struct places places(const struct routing *r)
{
	struct places p = { .first = { INT64_MAX, INT64_MAX } };

	for (uint32_t s = 0; s < r->nswitches; s++) {
		struct storm t = storm_of(r, r->node[s]);
		uint32_t port = view_first_port(r->f, r->node[s]);
		uint32_t end = port + view_port_count(r->f, r->node[s]);

		for (; port < end; port++) {
			if (!view_lossless_of(r->f, port))
				continue;
			if (!view_is_switch(r->f, routing_far(r, port))) {
				place_host(r, port, t.latest_ps, &p);
				continue;
			}
			if (!watched(r, port))
				continue;
			p.fabric_watched++;
			if (t.earliest_ps < p.first.earliest_ps) {
				p.first = t;
				p.fabric_port = port;
			}
		}
	}
	return p;
}

static void gives_up(const struct routing *r, const struct places *p, struct finding_list *out)
{
	uint32_t first = ROUTING_NONE;
	int64_t budget = 0, n = 0;
	bool adaptive = false;
	char more[32], give[32], act[32], cure[128];
	struct finding *x;

	for (uint32_t h = 0; h < view_nodes(r->f); h++) {
		if (r->group_of[h] == ROUTING_NONE)
			continue;
		const struct nic_conf *c = view_nic_conf(r->f, h);
		int64_t b = nic_retry_budget_ps(c);

		if (b > p->last_watched.latest_ps || n++)
			continue;
		first = h;
		budget = b;
		adaptive = c->adaptive_retry;
	}
	if (!n || !p->last_watched.latest_ps)
		return;
	units_format(budget, UNITS_TIME, give, sizeof(give));
	units_format(p->last_watched.latest_ps, UNITS_TIME, act, sizeof(act));
	x = finding_add(out, FINDING_WRONG, "watchdog");
	finding_object(x, "%s%s", view_node_name(r->f, first),
		       finding_more(n - 1, more, sizeof(more)));
	finding_value(x, budget, UNITS_TIME);
	finding_reason(
		x,
		"its queue pairs give up after %s without progress (%s), and %s may "
		"take until %s: they fail before it heals",
		give,
		adaptive ? "adaptive_retry: 2, 4, 8, then 16 ms, retry_count + 1 in all"
			 : "(retry_count + 1) x retry_timeout",
		cure_name(r, &p->last_watched, cure, sizeof(cure)), act);
	finding_remedy(
		x,
		"%s more retries (over %s together), or a shorter %s",
		adaptive ? "adaptive_retry off, or" : "a longer retry_timeout or", act,
		p->last_watched.by_nic ? "storm_watchdog" : "detect");
}

static void wrong_place(const struct routing *r, const struct places *p,
			struct finding_list *out)
{
	char a[96], cure[128], first[32], last[32];
	struct finding *x;

	if (!p->fabric_watched || p->first.earliest_ps >= p->last.latest_ps)
		return;
	units_format(p->first.earliest_ps, UNITS_TIME, first, sizeof(first));
	units_format(p->last.latest_ps, UNITS_TIME, last, sizeof(last));
	x = finding_add(out, FINDING_WRONG, "watchdog");
	finding_object(x, "%s%s", routing_port_name(r, p->fabric_port, a, sizeof(a)),
		       " (to a switch)");
	finding_value(x, p->first.earliest_ps, UNITS_TIME);
	if (!p->bare) {
		finding_reason(
			x,
			"when a host storms, its pauses spread to this port, which may act after %s, "
			"while %s may take until %s: traffic of hosts that do not storm "
			"is thrown away",
			first, cure_name(r, &p->last, cure, sizeof(cure)), last);
		finding_remedy(x, "\"ports\": \"hosts\", or on ports to switches a detect of at least %s", last);
		return;
	}
	finding_reason(x, "neither %s, at a host, nor its NIC has a watchdog%s: when it storms this port acts, and "
		       "throws away traffic of hosts that do not",
		       routing_port_name(r, p->bare_port, a, sizeof(a)), p->bare == p->host ? " (nor has any)" : "");
	finding_remedy(x, "\"ports\": \"hosts\"");
}

/* Hosts whose storm nothing would end. */
static void nobody_watches(const struct routing *r, const struct places *p,
			   struct finding_list *out)
{
	char a[96], more[32];
	struct finding *x;

	if (!p->bare)
		return;
	x = finding_add(out, FINDING_NOTE, "watchdog");
	finding_object(x, "%s%s", routing_port_name(r, p->bare_port, a, sizeof(a)),
		       finding_more(p->bare - 1, more, sizeof(more)));
	finding_value(x, p->bare, UNITS_COUNT);
	finding_reason(
		x,
		"no watchdog, neither here nor in the NIC: a NIC that pauses for ever stops its "
		"priority wherever the pauses spread");
	finding_remedy(
		x,
		"\"watchdog\" on switches for ports to hosts, or \"storm_watchdog\" on NICs");
}

static void odd_timer(const struct routing *r, struct finding_list *out)
{
	char detect[32], poll[32], real[32], more[32];
	uint32_t first = ROUTING_NONE;
	int64_t n = 0;
	struct finding *x;

	for (uint32_t s = 0; s < r->nswitches; s++) {
		struct watchdog_times t = view_watchdog_times(r->f, r->node[s]);

		if (view_switch_conf(r->f, r->node[s])->watchdog.on && t.detect_ps % t.poll_ps && !n++)
			first = s;
	}
	if (!n)
		return;
	struct watchdog_times t = view_watchdog_times(r->f, r->node[first]);
	x = finding_add(out, FINDING_NOTE, "watchdog");
	finding_object(x, "%s%s", view_node_name(r->f, r->node[first]),
		       finding_more(n - 1, more, sizeof(more)));
	finding_value(x, t.detect_ps, UNITS_TIME);
	finding_reason(
		x,
		"detect %s is no multiple of poll %s: a storm is found after %s at the earliest",
		units_format(t.detect_ps, UNITS_TIME, detect, sizeof(detect)),
		units_format(t.poll_ps, UNITS_TIME, poll, sizeof(poll)),
		units_format(storm_of(r, r->node[first]).earliest_ps, UNITS_TIME, real, sizeof(real)));
	finding_remedy(
		x, "a multiple of the poll interval, so that the setting says what happens");
}

static void all_red(const struct routing *r, struct finding_list *out)
{
	uint32_t first = ROUTING_NONE;
	char more[32];
	int64_t n = 0;
	struct finding *x;

	for (uint32_t s = 0; s < r->nswitches; s++) {
		const struct watchdog_conf *c = &view_switch_conf(r->f, r->node[s])->watchdog;

		if (c->on && c->big_red_switch && !n++)
			first = s;
	}
	if (!n)
		return;
	x = finding_add(out, FINDING_WRONG, "watchdog");
	finding_object(x, "%s%s", view_node_name(r->f, r->node[first]),
		       finding_more(n - 1, more, sizeof(more)));
	finding_value(x, n, UNITS_COUNT);
	finding_reason(x, "big_red_switch is on: every lossless queue that is watched drops all its "
			  "frames, storm or not");
	finding_remedy(x, "\"big_red_switch\": false");
}

void config_watchdog(const struct routing *r, struct finding_list *out)
{
	struct places p = places(r);

	gives_up(r, &p, out);
	wrong_place(r, &p, out);
	nobody_watches(r, &p, out);
	odd_timer(r, out);
	all_red(r, out);
}
