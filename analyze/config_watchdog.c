/*
 * analyze/config_watchdog.c - does the watchdog act in time, and in the right place?
 *
 * A storm is declared at the n-th bad poll, n = ceil(detect / poll): between
 * n poll and (n + 1) poll after it began, by the phase of the poll; one poll less by a
 * rule that asks nothing but whether it is paused now (cisco).
 */
#include "analyze/config.h"

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

/* Ports of one kind (to hosts, to switches) with lossless groups, and those watched. */
struct places {
	int64_t host, host_watched, fabric_watched;
	uint32_t host_port;		/* the watched one that acts last */
	uint32_t fabric_port;		/* ... that acts first */
	uint32_t bare_port;		/* to a host, not watched */
	struct storm last, first;
};

static struct places places(const struct routing *r)
{
	struct places p = { .last = { 0, 0 }, .first = { INT64_MAX, INT64_MAX } };

	for (uint32_t s = 0; s < r->nswitches; s++) {
		struct storm t = storm_of(r, r->node[s]);
		uint32_t port = view_first_port(r->f, r->node[s]);
		uint32_t end = port + view_port_count(r->f, r->node[s]);

		for (; port < end; port++) {
			bool to_host = !view_is_switch(r->f, routing_far(r, port));

			if (!view_lossless_of(r->f, port))
				continue;
			if (to_host && !watched(r, port) && p.host - p.host_watched == 0)
				p.bare_port = port;
			p.host += to_host;
			if (!watched(r, port))
				continue;
			if (to_host) {
				p.host_watched++;
				if (t.latest_ps > p.last.latest_ps) {
					p.last = t;
					p.host_port = port;
				}
			} else {
				p.fabric_watched++;
				if (t.earliest_ps < p.first.earliest_ps) {
					p.first = t;
					p.fabric_port = port;
				}
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
	char more[32], give[32], act[32], port[96];
	struct finding *x;

	for (uint32_t h = 0; h < view_nodes(r->f); h++) {
		if (r->group_of[h] == ROUTING_NONE)
			continue;
		const struct nic_conf *c = view_nic_conf(r->f, h);
		int64_t b = nic_retry_budget_ps(c);

		if (b > p->last.latest_ps || n++)
			continue;
		first = h;
		budget = b;
		adaptive = c->adaptive_retry;
	}
	if (!n || !p->host_watched)
		return;
	units_format(budget, UNITS_TIME, give, sizeof(give));
	units_format(p->last.latest_ps, UNITS_TIME, act, sizeof(act));
	x = finding_add(out, FINDING_WRONG, "watchdog");
	finding_object(x, "%s%s", view_node_name(r->f, first),
		       finding_more(n - 1, more, sizeof(more)));
	finding_value(x, budget, UNITS_TIME);
	finding_reason(
		x,
		"its queue pairs give up after %s without progress (%s), and the watchdog at %s may "
		"take until %s: they fail before it heals",
		give,
		adaptive ? "adaptive_retry: 2, 4, 8, then 16 ms, retry_count + 1 in all"
			 : "(retry_count + 1) x retry_timeout",
		routing_port_name(r, p->host_port, port, sizeof(port)), act);
	finding_remedy(
		x,
		"%s more retries (over %s together), or a shorter detect",
		adaptive ? "adaptive_retry off, or" : "a longer retry_timeout or", act);
}

static void wrong_place(const struct routing *r, const struct places *p,
			struct finding_list *out)
{
	char a[96], b[96], first[32], last[32];
	struct finding *x;

	if (!p->fabric_watched ||
	    (p->host_watched && p->first.earliest_ps >= p->last.latest_ps))
		return;
	units_format(p->first.earliest_ps, UNITS_TIME, first, sizeof(first));
	units_format(p->last.latest_ps, UNITS_TIME, last, sizeof(last));
	x = finding_add(out, FINDING_WRONG, "watchdog");
	finding_object(x, "%s%s", routing_port_name(r, p->fabric_port, a, sizeof(a)),
		       " (to a switch)");
	finding_value(x, p->first.earliest_ps, UNITS_TIME);
	if (p->host_watched)
		finding_reason(
			x,
			"when a host storms, its pauses spread to this port, which may act after %s, "
			"while %s, at the host, may take until %s: traffic of hosts that do not storm "
			"is thrown away",
			first, routing_port_name(r, p->host_port, b, sizeof(b)), last);
	else
		finding_reason(
			x,
			"no port to a host is watched: when a host storms this port acts, and throws "
			"away traffic of hosts that do not");
	finding_remedy(x,
		       "\"ports\": \"hosts\", or on ports to switches a detect of at least %s",
		       last);
}

static void nobody_watches(const struct routing *r, const struct places *p,
			   struct finding_list *out)
{
	char a[96], more[32];
	uint32_t host;
	struct finding *x;

	if (p->host == p->host_watched)
		return;
	host = routing_far(r, p->bare_port);
	if (view_nic_conf(r->f, host)->storm_watchdog_ps != UNITS_NEVER)
		return;
	x = finding_add(out, FINDING_NOTE, "watchdog");
	finding_object(x, "%s%s", routing_port_name(r, p->bare_port, a, sizeof(a)),
		       finding_more(p->host - p->host_watched - 1, more, sizeof(more)));
	finding_value(x, p->host - p->host_watched, UNITS_COUNT);
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
