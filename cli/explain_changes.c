/* cli/explain_changes.c - see explain_changes.h */
#include "cli/explain_changes.h"

#include <stdio.h>
#include <string.h>
#include "cli/explain_words.h"
#include "sim/units.h"

#define NIC_WATCHDOG_PS (UNITS_PS_PER_S / 10)		/* as the field has it: 100 ms */
#define WATCHDOG_PS (UNITS_PS_PER_S / 5)		/* 200 ms */

/* --------------------------------------------------------------------- parts */

/* A copy to change, or NULL when there are enough. */
static struct explain_cure *begin(struct explain_changes *m)
{
	struct explain_cure *c = &m->cures[m->n];

	if (m->n == EXPLAIN_CURES_MAX)
		return NULL;
	*c = (struct explain_cure){ .doc = json_deep_copy(m->resolved) };
	json_object_del(c->doc, "expect");
	return c;
}

static void keep(struct explain_changes *m, struct explain_cure *c, bool changed)
{
	if (changed)
		m->n++;
	else
		json_decref(c->doc);
}

static const char *text_of(const json_t *at, const char *key)
{
	const char *text = json_string_value(json_object_get(at, key));

	return text ? text : "";
}

static int64_t quantity(const char *text, enum units_kind kind)
{
	struct sim_error err = { 0 };
	int64_t value;

	return units_parse(text, kind, &value, NULL, &err) ? -1 : value;
}

static void set_time(json_t *at, const char *key, int64_t ps)
{
	char text[64];

	snprintf(text, sizeof(text), "%lldps", (long long)ps);
	json_object_set_new(at, key, json_string(text));
}

static void set_bytes(json_t *at, const char *key, int64_t bytes)
{
	char text[64];

	snprintf(text, sizeof(text), "%lldB", (long long)bytes);
	json_object_set_new(at, key, json_string(text));
}

/* The body of an entry of traffic, routes, faults: {"stream": {...}, "class": ...}. */
static bool has_kind(const json_t *entry, const char *kind)
{
	return json_object_get(entry, kind) != NULL;
}

/* ------------------------------------------------------------- own priority */

static int free_number(const json_t *classes, const char *key, const char *other, int first,
		       int n)
{
	for (int want = first; want < n; want++) {
		const char *name;
		json_t *class_;
		bool used = false;

		json_object_foreach((json_t *)(uintptr_t)classes, name, class_) {
			used |= json_integer_value(json_object_get(class_, key)) == want;
			used |= other && json_integer_value(json_object_get(class_, other)) ==
						 want;
		}
		if (!used)
			return want;
	}
	return -1;
}

/* "busy-1", "first and third", "busy-1 and 7 more" */
static char *names_of(const struct explain_culprits *who, char *buf)
{
	if (who->n == 1)
		snprintf(buf, EXPLAIN_WORDS_MAX, "%.80s", who->name[0]);
	else if (who->n == 2)
		snprintf(buf, EXPLAIN_WORDS_MAX, "%.60s and %.60s", who->name[0],
			 who->name[1]);
	else
		snprintf(buf, EXPLAIN_WORDS_MAX, "%.80s and %d more", who->name[0], who->n - 1);
	return buf;
}

/* The class of these workloads again, under another name and priority. */
void explain_changes_own_priority(struct explain_changes *m, const struct explain_culprits *who)
{
	struct explain_cure *c = begin(m);
	json_t *classes, *traffic, *old, *made, *sw;
	const char *was, *name;
	char names[EXPLAIN_WORDS_MAX];

	if (!c)
		return;
	classes = json_object_get(c->doc, "classes");
	traffic = json_object_get(c->doc, "traffic");
	was = text_of(json_object_get(traffic, who->name[0]), "class");
	old = json_object_get(classes, was);
	int prio = free_number(classes, "priority", "tc", 1, 8);
	int dscp = free_number(classes, "dscp", NULL, 1, 64);
	if (old && prio > 0 && dscp > 0) {
		made = json_deep_copy(old);
		json_object_set_new(made, "dscp", json_integer(dscp));
		json_object_set_new(made, "tc", json_integer(prio));
		json_object_set_new(made, "priority", json_integer(prio));
		json_object_foreach(json_object_get(c->doc, "switches"), name, sw) {
			json_t *ecn = json_object_get(sw, "ecn");
			json_t *marks = json_object_get(ecn, was);
			if (marks)
				json_object_set_new(ecn, "whatif", json_deep_copy(marks));
		}
		snprintf(c->what, sizeof(c->what), "%.100s in an own priority (%d)",
			 names_of(who, names), prio);
		json_object_set_new(classes, "whatif", made);
		for (int i = 0; i < who->n; i++)
			json_object_set_new(json_object_get(traffic, who->name[i]), "class",
					    json_string("whatif"));
	}
	keep(m, c, c->what[0] != '\0');
}

void explain_changes_without_traffic(struct explain_changes *m,
				     const struct explain_culprits *who)
{
	struct explain_cure *c = begin(m);
	json_t *traffic;
	char names[EXPLAIN_WORDS_MAX];

	if (!c)
		return;
	traffic = json_object_get(c->doc, "traffic");
	snprintf(c->what, sizeof(c->what), "without %.100s", names_of(who, names));
	for (int i = 0; i < who->n; i++)
		json_object_del(traffic, who->name[i]);
	keep(m, c, json_object_size(traffic) > 0);
}

/* ------------------------------------------------------------- the thresholds */

/* What one group may hold: static, or alpha of the pool while it is alone. */
static int64_t xoff_limit(const json_t *buffer)
{
	struct sim_error err = { 0 };
	struct units_ratio alpha;
	int64_t unused, size = quantity(text_of(buffer, "size"), UNITS_BYTES);

	if (strcmp(text_of(buffer, "xoff"), "dynamic"))
		return quantity(text_of(buffer, "xoff"), UNITS_BYTES);
	if (size < 0 ||
	    units_parse(text_of(buffer, "alpha"), UNITS_RATIO, &unused, &alpha, &err))
		return -1;
	return (int64_t)((__int128)size * alpha.num / (alpha.num + alpha.den));
}

/* Marks before PFC must act: Kmin at a fifth of the limit, Kmax at four fifths; by the
 * curve, also where a PI controller marked. */
void explain_changes_marks(struct explain_changes *m, const char *class_)
{
	struct explain_cure *c = begin(m);
	const char *name;
	json_t *sw;
	char kmin[EXPLAIN_WORDS_MAX];

	if (!c)
		return;
	json_object_foreach(json_object_get(c->doc, "switches"), name, sw) {
		json_t *ecn = json_object_get(sw, "ecn"), *marks = json_object_get(ecn, class_);
		int64_t limit = xoff_limit(json_object_get(sw, "buffer"));
		int64_t pi = quantity(text_of(marks, "pi_ref"), UNITS_BYTES), want = limit / 5;
		int64_t was = pi > 0 ? pi : quantity(text_of(marks, "kmin"), UNITS_BYTES);

		if (limit <= 0 || !json_is_object(ecn))
			continue;
		if (was > 0 && was <= want)
			want = was / 2;
		if (!marks) {
			marks = json_object();
			json_object_set_new(ecn, class_, marks);
		}
		if (pi > 0)
			set_bytes(marks, "pi_ref", 0);
		set_bytes(marks, "kmin", want);
		set_bytes(marks, "kmax", 4 * want);
		json_object_set_new(marks, "pmax", json_string("20%"));
		snprintf(c->what, sizeof(c->what), "marks (ECN) from %.60s on, 20%% at 4 times",
			 explain_words_bytes(want, kmin));
	}
	keep(m, c, c->what[0] != '\0');
}

/* Twice the static limit, or four times alpha. */
void explain_changes_limit(struct explain_changes *m)
{
	struct explain_cure *c = begin(m);
	const char *name;
	json_t *sw;
	char bytes[EXPLAIN_WORDS_MAX];

	if (!c)
		return;
	json_object_foreach(json_object_get(c->doc, "switches"), name, sw) {
		json_t *buffer = json_object_get(sw, "buffer");
		struct sim_error err = { 0 };
		struct units_ratio alpha;
		int64_t xoff = quantity(text_of(buffer, "xoff"), UNITS_BYTES), unused;

		if (xoff > 0) {
			set_bytes(buffer, "xoff", 2 * xoff);
			snprintf(c->what, sizeof(c->what), "XOFF at %s, twice as late",
				 explain_words_bytes(2 * xoff, bytes));
		} else if (!units_parse(text_of(buffer, "alpha"), UNITS_RATIO, &unused, &alpha,
					&err)) {
			char text[64];

			snprintf(text, sizeof(text), "%lld/%lld", (long long)(4 * alpha.num),
				 (long long)alpha.den);
			json_object_set_new(buffer, "alpha", json_string(text));
			snprintf(c->what, sizeof(c->what), "alpha %s, four times as much",
				 text);
		}
	}
	keep(m, c, c->what[0] != '\0');
}

/* ----------------------------------------------------------------- watchdogs */

static int64_t at_most(int64_t ps, int64_t most)
{
	return ps < most ? ps : most;
}

void explain_changes_watchdog(struct explain_changes *m, const char *ports)
{
	struct explain_cure *c = begin(m);
	int64_t detect = at_most(m->run->simulated_ps / 10, WATCHDOG_PS);
	const char *name;
	json_t *sw;
	char time[EXPLAIN_WORDS_MAX];

	if (!c)
		return;
	json_object_foreach(json_object_get(c->doc, "switches"), name, sw) {
		json_t *w = json_object_get(sw, "watchdog");

		if (w)
			continue;	/* it has one */
		w = json_object();
		set_time(w, "detect", detect);
		set_time(w, "restore", detect);
		set_time(w, "poll", detect / 2);
		json_object_set_new(w, "action", json_string("drop"));
		json_object_set_new(w, "rule", json_string("broadcom"));
		json_object_set_new(w, "ports", json_string(ports));
		json_object_set_new(sw, "watchdog", w);
		snprintf(c->what, sizeof(c->what), "a watchdog on %s, detect %s, drop",
			 strcmp(ports, "all") ? "ports to hosts" : "all ports",
			 explain_words_time(detect, time));
	}
	keep(m, c, c->what[0] != '\0');
}

void explain_changes_nic_watchdog(struct explain_changes *m)
{
	struct explain_cure *c = begin(m);
	int64_t after = at_most(m->run->simulated_ps / 10, NIC_WATCHDOG_PS);
	const char *name;
	json_t *nic;
	char time[EXPLAIN_WORDS_MAX];

	if (!c)
		return;
	json_object_foreach(json_object_get(c->doc, "nics"), name, nic) {
		if (strcmp(text_of(nic, "storm_watchdog"), "never"))
			continue;
		set_time(nic, "storm_watchdog", after);
		snprintf(c->what, sizeof(c->what), "NICs stop a storm of theirs after %s",
			 explain_words_time(after, time));
	}
	keep(m, c, c->what[0] != '\0');
}

/* ------------------------------------------------------------ faults and ways */

/* The faults of a kind that `host` has, away. */
void explain_changes_without_fault(struct explain_changes *m, const char *kind,
				   const char *host,
			  const char *what)
{
	struct explain_cure *c = begin(m);
	json_t *faults, *fault;
	const char *name;
	void *next;

	if (!c)
		return;
	faults = json_object_get(c->doc, "faults");
	json_object_foreach_safe(faults, next, name, fault) {
		if (strcmp(text_of(json_object_get(fault, kind), "host"), host))
			continue;
		snprintf(c->what, sizeof(c->what), "%s", what);
		json_object_del(faults, name);
	}
	keep(m, c, c->what[0] != '\0');
}

void explain_changes_whole_link(struct explain_changes *m, const char *a, const char *b)
{
	struct explain_cure *c = begin(m);
	json_t *faults, *fault;
	const char *name;
	void *next;

	if (!c)
		return;
	faults = json_object_get(c->doc, "faults");
	json_object_foreach_safe(faults, next, name, fault) {
		const json_t *slow = json_object_get(fault, "link_slow");
		const char *one = text_of(slow, "a"), *other = text_of(slow, "b");

		if ((strcmp(one, a) || strcmp(other, b)) && (strcmp(one, b) || strcmp(other, a)))
			continue;
		snprintf(c->what, sizeof(c->what), "the link %.40s-%.40s at its whole rate", a, b);
		json_object_del(faults, name);
	}
	keep(m, c, c->what[0] != '\0');
}

void explain_changes_line_rate(struct explain_changes *m)
{
	struct explain_cure *c = begin(m);
	const char *name;
	json_t *nic;

	if (!c)
		return;
	json_object_foreach(json_object_get(c->doc, "nics"), name, nic) {
		if (!strcmp(text_of(nic, "rx_rate"), "line"))
			continue;
		json_object_set_new(nic, "rx_rate", json_string("line"));
		snprintf(c->what, sizeof(c->what), "%.60s take what their links bring", name);
	}
	keep(m, c, c->what[0] != '\0');
}

/* Floods become drops. */
void explain_changes_no_flood(struct explain_changes *m)
{
	struct explain_cure *c = begin(m);
	const char *name;
	json_t *route;

	if (!c)
		return;
	json_object_foreach(json_object_get(c->doc, "routes"), name, route) {
		if (!has_kind(route, "flood"))
			continue;
		json_object_del(route, "flood");
		json_object_set_new(route, "drop", json_true());
		snprintf(c->what, sizeof(c->what), "drop instead of flooding");
	}
	keep(m, c, c->what[0] != '\0');
}

void explain_changes_without_route(struct explain_changes *m, const char *name)
{
	struct explain_cure *c = begin(m);
	json_t *routes, *route;

	if (!c)
		return;
	routes = json_object_get(c->doc, "routes");
	route = json_object_get(routes, name);
	snprintf(c->what, sizeof(c->what), "%.40s to %.40s the shortest way, not by %.40s",
		 text_of(route, "at"), text_of(route, "to"), text_of(route, "via"));
	keep(m, c, json_object_del(routes, name) == 0);
}

void explain_changes_without_routes(struct explain_changes *m)
{
	struct explain_cure *c = begin(m);

	if (!c)
		return;
	snprintf(c->what, sizeof(c->what), "shortest ways for all, no explicit routes");
	keep(m, c, json_object_clear(json_object_get(c->doc, "routes")) == 0);
}
