/* cli/explain_cures.c - see explain_cures.h */
#include "cli/explain_cures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/explain_changes.h"
#include "cli/explain_words.h"
#include "sim/mem.h"

enum { ROUTES = 4 };

static bool in_circle(const struct rundir_read *r, const char *node)
{
	const struct blame_deadlock *d = &r->deadlocks[0];

	for (uint32_t i = 0; i < d->ncircle; i++)
		if (!strcmp(explain_words_node(r, r->places[d->member + i]), node))
			return true;
	return false;
}

/* Explicit routes of the circle's switches away: each, and all. */
static void other_ways(struct explain_changes *m)
{
	const char *name;
	json_t *route;
	int n = 0;

	explain_changes_no_flood(m);
	json_object_foreach(json_object_get(m->resolved, "routes"), name, route) {
		const char *at = json_string_value(json_object_get(route, "at"));

		if (n == ROUTES || !json_object_get(route, "via") || !at ||
		    !in_circle(m->run, at))
			continue;
		explain_changes_without_route(m, name);
		n++;
	}
	if (n > 1)
		explain_changes_without_routes(m);
}

/* Those who brought most to a root, or are bound for it: one or two each by itself,
 * more of them together. */
static void for_culprits(struct explain_changes *m, const struct blame_root *root,
			 void (*change)(struct explain_changes *,
					const struct explain_culprits *))
{
	const struct rundir_read *r = m->run;
	struct explain_words_workload *list = mem_zalloc(r->workloads.n * sizeof(*list));
	uint32_t n = explain_words_workloads(r, root, root->kind == BLAME_CONTENTION ?
					     EXPLAIN_BROUGHT : EXPLAIN_OWN, list);
	struct explain_culprits all = { .n = 0 };

	for (uint32_t i = 0; i < n && all.n < EXPLAIN_CULPRITS; i++)
		if (list[i].ps * 10 >= list[0].ps)
			all.name[all.n++] = r->workloads.name[list[i].workload];
	if (all.n > 2)
		change(m, &all);
	for (int i = 0; i < all.n && all.n <= 2; i++)
		change(m, &(struct explain_culprits){ .name = { all.name[i] }, .n = 1 });
	free(list);
}

/* Does anyone in the fabric heed marks? */
static bool heeds_marks(const json_t *resolved)
{
	const char *name, *cc;
	json_t *nic, *conf;
	bool flows = false;

	json_object_foreach(json_object_get(resolved, "traffic"), name, conf)
		flows |= !json_object_get(conf, "stream");
	json_object_foreach(json_object_get(resolved, "nics"), name, nic)
		json_object_foreach(json_object_get(nic, "cc"), cc, conf)
			if (flows && strcmp(cc, "none") && strcmp(cc, "fixed_window"))
				return true;
	return false;
}

static void marks_of_prio(struct explain_changes *m, uint32_t place)
{
	const char *name;
	json_t *class_;

	if (!heeds_marks(m->resolved))
		return;
	json_object_foreach(json_object_get(m->resolved, "classes"), name, class_)
		if (json_integer_value(json_object_get(class_, "priority")) ==
		    place % RUNDIR_READ_PRIOS)
			explain_changes_marks(m, name);
}

static void for_deadlock(struct explain_changes *m, const struct blame_report *b)
{
	const struct blame_class *class_ = &b->classes[0];

	other_ways(m);
	for (size_t i = 0; i < b->nroots; i++)
		if (class_->known && b->roots[i].kind == class_->kind &&
		    b->roots[i].place == class_->place) {
			for_culprits(m, &b->roots[i], explain_changes_own_priority);
			marks_of_prio(m, class_->place);
			for_culprits(m, &b->roots[i], explain_changes_without_traffic);
		}
	explain_changes_limit(m);
	explain_changes_watchdog(m, "all");
}

static void for_root(struct explain_changes *m, const struct blame_root *root)
{
	const char *host = explain_words_node(m->run, root->place);
	char what[160];

	switch (root->kind) {
	case BLAME_STORM:
		explain_changes_nic_watchdog(m);
		explain_changes_watchdog(m, "hosts");
		for_culprits(m, root, explain_changes_own_priority);
		snprintf(what, sizeof(what), "without the storm of %.60s", host);
		explain_changes_without_fault(m, "nic_storm", host, what);
		return;
	case BLAME_RECEIVER:
		for_culprits(m, root, explain_changes_own_priority);
		marks_of_prio(m, root->place);
		explain_changes_limit(m);
		snprintf(what, sizeof(what), "%.60s takes what its link brings", host);
		explain_changes_without_fault(m, "slow_receiver", host, what);
		explain_changes_line_rate(m);
		for_culprits(m, root, explain_changes_without_traffic);
		return;
	default:
		if (*m->run->port[root->place / RUNDIR_READ_PRIOS].slow_rate)
			explain_changes_whole_link(m, host, explain_words_far(m->run, root->place));
		for_culprits(m, root, explain_changes_own_priority);
		marks_of_prio(m, root->place);
		explain_changes_limit(m);
		for_culprits(m, root, explain_changes_without_traffic);
		return;
	}
}

int explain_cures(const struct explain_story *s, const json_t *resolved,
		  struct explain_cure *cures)
{
	struct explain_changes m = { .run = s->run, .resolved = resolved, .cures = cures };

	if (s->run->ndeadlocks)
		for_deadlock(&m, &s->all);
	else if (s->all.nroots)
		for_root(&m, &s->all.roots[0]);
	return m.n;
}
