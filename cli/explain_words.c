/* cli/explain_words.c - see explain_words.h */
#include "cli/explain_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/units.h"

char *explain_words_time(int64_t ps, char *buf)
{
	return units_format(ps, UNITS_TIME, buf, EXPLAIN_WORDS_MAX);
}

char *explain_words_bytes(int64_t bytes, char *buf)
{
	return units_format(bytes, UNITS_BYTES, buf, EXPLAIN_WORDS_MAX);
}

char *explain_words_port(const struct rundir_read *r, uint32_t place, char *buf)
{
	snprintf(buf, EXPLAIN_WORDS_MAX, "%s", r->ports.name[place / RUNDIR_READ_PRIOS]);
	return buf;
}

const char *explain_words_node(const struct rundir_read *r, uint32_t place)
{
	return r->nodes.name[r->port[place / RUNDIR_READ_PRIOS].node];
}

const char *explain_words_far(const struct rundir_read *r, uint32_t place)
{
	uint32_t peer = r->port[place / RUNDIR_READ_PRIOS].peer;

	return peer == INTERN_NONE ? "" : r->nodes.name[r->port[peer].node];
}

char *explain_words_place(const struct rundir_read *r, uint32_t place, char *buf)
{
	snprintf(buf, EXPLAIN_WORDS_MAX, "%s (to %s)",
		 r->ports.name[place / RUNDIR_READ_PRIOS], explain_words_far(r, place));
	return buf;
}

char *explain_words_root(const struct rundir_read *r, const struct blame_root *root, char *buf)
{
	char place[EXPLAIN_WORDS_MAX];

	switch (root->kind) {
	case BLAME_CONTENTION:
		snprintf(buf, EXPLAIN_WORDS_MAX, "contention at %.150s",
			 explain_words_place(r, root->place, place));
		break;
	case BLAME_STORM:
		snprintf(buf, EXPLAIN_WORDS_MAX, "the storm of %s",
			 explain_words_node(r, root->place));
		break;
	case BLAME_RECEIVER:
		snprintf(buf, EXPLAIN_WORDS_MAX, "the slow receiver %s",
			 explain_words_node(r, root->place));
		break;
	case BLAME_DEADLOCK:
		snprintf(buf, EXPLAIN_WORDS_MAX, "the deadlock of %s",
			 explain_words_time(r->deadlocks[root->place].from_ps, place));
		break;
	case BLAME_CIRCLE:
		snprintf(buf, EXPLAIN_WORDS_MAX, "a passing circle of waits at %.150s",
			 explain_words_port(r, root->place, place));
		break;
	default:
		snprintf(buf, EXPLAIN_WORDS_MAX, "frames in passing at %.150s",
			 explain_words_port(r, root->place, place));
		break;
	}
	return buf;
}

const char *explain_words_class(enum blame_kind kind)
{
	static const char *const words[] = {
		[BLAME_CONTENTION] = "CONTENTION", [BLAME_STORM] = "NIC STORM",
		[BLAME_RECEIVER] = "SLOW RECEIVER", [BLAME_DEADLOCK] = "DEADLOCK",
		[BLAME_CIRCLE] = "PASSING CIRCLE", [BLAME_PASSING] = "IN PASSING",
	};

	return words[kind];
}

const char *explain_words_run_class(const struct rundir_read *r,
				    const struct blame_report *report)
{
	if (r->ndeadlocks)
		return report->classes[0].outside ? "deadlock_fed_from_outside" :
						    "in_loop_deadlock";
	return report->nroots ? blame_kind_names[report->roots[0].kind] : "quiet";
}

/* ----------------------------------------------------------------- workloads */

static int by_time(const void *x, const void *y)
{
	const struct explain_words_workload *a = x, *b = y;

	if (a->ps != b->ps)
		return a->ps > b->ps ? -1 : 1;
	return (a->workload > b->workload) - (a->workload < b->workload);
}

uint32_t explain_words_workloads(const struct rundir_read *r, const struct blame_root *root,
				 enum explain_words_who who,
				 struct explain_words_workload *list)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->workloads.n; i++)
		list[i] = (struct explain_words_workload){ .workload = i };
	for (size_t i = 0; i < root->npairs; i++) {
		const struct blame_pair *p = &root->pairs[i];
		int64_t ps = who == EXPLAIN_BROUGHT ? p->brought_ps :
			     p->own == (who == EXPLAIN_OWN) ? p->lost_ps : 0;
		struct explain_words_workload *w = &list[r->pair[p->pair].workload];

		if (ps <= 0)
			continue;
		w->npairs++;
		w->ps += ps;
		if (ps > w->most_ps) {
			w->most_ps = ps;
			w->most = p->pair;
		}
	}
	for (uint32_t i = 0; i < r->workloads.n; i++)
		if (list[i].npairs)
			list[n++] = list[i];
	if (n)
		qsort(list, n, sizeof(*list), by_time);
	return n;
}

const char *explain_words_hosts(const struct rundir_read *r, uint32_t pair)
{
	const char *space = strrchr(r->pairs.name[pair], ' ');

	return space ? space + 1 : r->pairs.name[pair];
}
