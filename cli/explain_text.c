/* cli/explain_text.c - see explain_text.h */
#include "cli/explain_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cli/explain_whatif.h"
#include "cli/explain_words.h"
#include "sim/mem.h"
#include "sim/units.h"

enum { ROOTS = 3, PLACES = 4, NODES = 3, LINES = 6, WORKLOADS = 4, OTHERS = 4, STOPS = 20,
       LOSSES = 8 };
enum { LEFT = 14, WIDTH = 96 };	/* of the labels; of a line */

static double percent(int64_t part, int64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void label(FILE *out, const char *text)
{
	fprintf(out, "  %-*s", LEFT, text);
}

/* --------------------------------------------------------------------- hops */

/* Names of the nodes that stop the places of one depth, each once. */
static void print_stoppers(FILE *out, const struct rundir_read *r, const struct blame_hop *hop,
			   size_t n)
{
	uint32_t known = 0;

	for (size_t i = 0; i < n; i++) {
		const char *node = explain_words_far(r, hop[i].place);
		bool again = false;

		for (size_t k = 0; k < i && !again; k++)
			again = !strcmp(node, explain_words_far(r, hop[k].place));
		if (again)
			continue;
		if (known < NODES)
			fprintf(out, "%s%s", known ? ", " : "", node);
		known++;
	}
	if (known > NODES)
		fprintf(out, " and %u more", known - NODES);
}

/* The ports that were stopped, each once, whatever its priorities. */
static void print_stopped(FILE *out, const struct rundir_read *r, const struct blame_hop *hop, size_t n)
{
	char port[EXPLAIN_WORDS_MAX];
	size_t ports = 0;

	for (size_t i = 0; i < n; i++) {
		bool again = false;

		for (size_t k = 0; k < i && !again; k++)
			again = hop[k].place / RUNDIR_READ_PRIOS == hop[i].place / RUNDIR_READ_PRIOS;
		if (!again && ports++ < PLACES)
			fprintf(out, " %s", explain_words_port(r, hop[i].place, port));
	}
	if (ports > PLACES)
		fprintf(out, " and %zu more", ports - PLACES);
}

static void print_depth(FILE *out, const struct rundir_read *r, const struct blame_hop *hop,
			size_t n)
{
	char time[EXPLAIN_WORDS_MAX];
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += hop[i].ps;
	fprintf(out, "%u  ", hop->depth);
	print_stoppers(out, r, hop, n);
	fprintf(out, " stopped");
	print_stopped(out, r, hop, n);
	fprintf(out, ": %s\n", explain_words_time(sum, time));
}

static void print_hops(FILE *out, const struct rundir_read *r, const struct blame_root *root)
{
	char time[EXPLAIN_WORDS_MAX];
	int64_t rest = 0;
	size_t i = 0, next;

	for (int lines = 0; i < root->nhops && lines < LINES; i = next, lines++) {
		for (next = i; next < root->nhops; next++)
			if (root->hops[next].depth != root->hops[i].depth)
				break;
		label(out, lines ? "" : "hop by hop");
		print_depth(out, r, root->hops + i, next - i);
	}
	for (; i < root->nhops; i++)
		rest += root->hops[i].ps;
	if (rest) {
		label(out, "");
		fprintf(out, "further away: %s\n", explain_words_time(rest, time));
	}
}

/* ---------------------------------------------------------------- workloads */

/* One part more of a line, or the first of the next one. */
static void flow_on(FILE *out, const char *name, const char *part, size_t *used)
{
	size_t n = strlen(part);

	if (*used + 3 + n > WIDTH) {
		if (*used != WIDTH)
			fputc('\n', out);
		label(out, *used == WIDTH ? name : "");
		*used = LEFT + 2;
	} else {
		fputs("   ", out);
		n += 3;
	}
	fputs(part, out);
	*used += n;
}

static void print_workloads(FILE *out, const struct rundir_read *r,
			    const struct blame_root *root, enum explain_words_who who,
			    const char *what, int64_t of)
{
	struct explain_words_workload *list = mem_zalloc(r->workloads.n * sizeof(*list));
	uint32_t n = explain_words_workloads(r, root, who, list);
	char time[EXPLAIN_WORDS_MAX], part[3 * EXPLAIN_WORDS_MAX];
	size_t used = WIDTH;
	uint32_t i;

	for (i = 0; i < n && i < WORKLOADS; i++) {
		const struct explain_words_workload *w = &list[i];

		if (i && percent(w->ps, root->ps) < 0.05)
			break;
		if (who == EXPLAIN_BROUGHT)
			snprintf(time, sizeof(time), "%.1f%%", percent(w->ps, of));
		else
			explain_words_time(w->ps, time);
		if (w->npairs == 1)
			snprintf(part, sizeof(part), "%s %s (%s)",
				 r->workloads.name[w->workload], time,
				 explain_words_hosts(r, w->most));
		else
			snprintf(part, sizeof(part), "%s %s (%u pairs, most %s)",
				 r->workloads.name[w->workload], time, w->npairs,
				 explain_words_hosts(r, w->most));
		flow_on(out, what, part, &used);
	}
	if (i < n) {
		snprintf(part, sizeof(part), "and %u more", n - i);
		flow_on(out, what, part, &used);
	}
	if (n)
		fputc('\n', out);
	free(list);
}

void explain_text_root(FILE *out, const struct explain_story *s, const struct blame_root *root)
{
	const struct rundir_read *r = s->run;
	char time[EXPLAIN_WORDS_MAX];
	int64_t unknown = root->others_ps + root->nobody_ps;

	print_hops(out, r, root);
	if (root->kind == BLAME_CONTENTION)
		print_workloads(out, r, root, EXPLAIN_BROUGHT, "brought by", root->ps);
	print_workloads(out, r, root, EXPLAIN_VICTIMS, "victims", 0);
	print_workloads(out, r, root, EXPLAIN_OWN,
			root->kind == BLAME_DEADLOCK ? "in the circle" :
			root->kind == BLAME_CONTENTION ? "culprits wait" : "bound for it", 0);
	if (unknown && percent(unknown, root->ps) >= 0.1) {
		label(out, "");
		fprintf(out, "%s more in which nobody waited, or too many to name\n",
			explain_words_time(unknown, time));
	}
}

/* -------------------------------------------------------------------- roots */

static void print_contention(FILE *out, const struct rundir_read *r, const struct blame_root *root)
{
	const struct rundir_read_port *port = &r->port[root->place / RUNDIR_READ_PRIOS];
	char rate[EXPLAIN_WORDS_MAX], from[EXPLAIN_WORDS_MAX];

	units_format(port->rate_bps, UNITS_RATE, rate, sizeof(rate));
	if (!*port->slow_rate || port->slow_from_ps > root->cause_last_ps ||
	    port->slow_until_ps < root->cause_first_ps)
		fprintf(out, "more came to this port than its %s carry\n", rate);
	else
		fprintf(out, "more came to this port than it carries: %s of its %s from %s on, for a fault\n",
			port->slow_rate, rate, explain_words_time(port->slow_from_ps, from));
}

static void print_why(FILE *out, const struct rundir_read *r, const struct blame_root *root)
{
	char from[EXPLAIN_WORDS_MAX], until[EXPLAIN_WORDS_MAX];

	explain_words_time(root->cause_first_ps, from);
	explain_words_time(root->cause_last_ps, until);
	fprintf(out, "  from %s to %s: ", from, root->cause_last_ps >= r->simulated_ps ? "the end" : until);
	switch (root->kind) {
	case BLAME_CONTENTION:
		print_contention(out, r, root);
		break;
	case BLAME_STORM:
		fprintf(out, "it sent XOFF whatever happened.  Nobody waits in a circle: if it "
			"fell\n  silent, all would move again (a stall, not a deadlock)\n");
		break;
	case BLAME_RECEIVER:
		fprintf(out, "it took less than its link brought, and let the link wait\n");
		break;
	case BLAME_CIRCLE:
		fprintf(out, "pauses waited for each other, until one of them ended\n");
		break;
	default:
		fprintf(out, "a group went to XOFF while none of its bytes waited\n");
		break;
	}
	/* its stops may begin earlier, borne by another cause at first, and last longer */
	explain_words_time(root->first_ps, from);
	explain_words_time(root->last_ps, until);
	label(out, "stops");
	fprintf(out, "that go back to it: from %s to %s\n", from,
		root->last_ps >= r->simulated_ps ? "the end" : until);
}

static void print_root(FILE *out, const struct explain_story *s, const struct blame_root *root)
{
	const struct rundir_read *r = s->run;
	char where[EXPLAIN_WORDS_MAX], time[EXPLAIN_WORDS_MAX];

	fprintf(out, "\n%s: %.1f%% of the stopped time, %s, goes back to ",
		explain_words_class(root->kind), percent(root->ps, s->all.stopped_ps),
		explain_words_time(root->ps, time));
	if (root->kind == BLAME_STORM || root->kind == BLAME_RECEIVER)
		fprintf(out, "%s (at %s)", explain_words_node(r, root->place),
			explain_words_port(r, r->port[root->place / RUNDIR_READ_PRIOS].peer *
					      RUNDIR_READ_PRIOS, where));
	else
		fprintf(out, "%s", explain_words_place(r, root->place, where));
	fprintf(out, ", priority %u\n", (unsigned)(root->place % RUNDIR_READ_PRIOS));
	print_why(out, r, root);
	explain_text_root(out, s, root);
}

static void print_roots(FILE *out, const struct explain_story *s)
{
	const struct blame_report *b = &s->all;
	char root[EXPLAIN_WORDS_MAX], part[2 * EXPLAIN_WORDS_MAX];
	size_t full = 0, listed = 0, rest = 0, used = WIDTH;

	for (size_t i = 0; i < b->nroots; i++) {
		double share = percent(b->roots[i].ps, b->stopped_ps);

		if (b->roots[i].kind == BLAME_DEADLOCK)
			continue;
		if ((share >= 5 || !i) && full < ROOTS) {
			print_root(out, s, &b->roots[i]);
			full++;
		} else if (listed >= OTHERS || share < 0.05) {
			rest++;
		} else {
			if (!listed++)
				fputc('\n', out);
			snprintf(part, sizeof(part), "%.1f%% %s", share,
				 explain_words_root(s->run, &b->roots[i], root));
			flow_on(out, "lesser roots", part, &used);
		}
	}
	snprintf(part, sizeof(part), listed ? "and %zu more" : "%zu, each less than 0.05%%",
		 rest);
	if (rest && !listed)
		fputc('\n', out);
	if (rest)
		flow_on(out, "lesser roots", part, &used);
	if (listed || rest)
		fputc('\n', out);
}

static void print_deadlocks(FILE *out, const struct explain_story *s)
{
	const struct rundir_read *r = s->run;
	char from[EXPLAIN_WORDS_MAX], until[EXPLAIN_WORDS_MAX];

	if (!r->ndeadlocks)
		return;
	explain_text_deadlock(out, s, 0);
	for (uint32_t i = 1; i < r->ndeadlocks && i < OTHERS; i++)
		fprintf(out, "\nDEADLOCK again at %s, until %s\n",
			explain_words_time(r->deadlocks[i].from_ps, from),
			r->deadlocks[i].until_ps >= r->simulated_ps ? "the end" :
			explain_words_time(r->deadlocks[i].until_ps, until));
	if (r->ndeadlocks > OTHERS)
		fprintf(out, "... and %zu times more\n", r->ndeadlocks - OTHERS);
}

/* --------------------------------------------------------------- an instant */

/* For what a stopped place waits, and back to which roots that goes. */
static void print_waits(FILE *out, const struct explain_story *s, uint32_t place, int64_t age)
{
	const struct blame_report *b = &s->all;
	char text[EXPLAIN_WORDS_MAX];
	const char *between = "";

	for (size_t i = 0; i < b->nedges; i++) {
		const struct blame_edge *e = &b->edges[i];

		if (e->stopped != place || percent(e->ps, age) < 1)
			continue;
		if (e->egress == BLAME_NONE) {
			fprintf(out, "a host");
			continue;
		}
		fprintf(out, "%s%s", between, explain_words_port(s->run, e->egress, text));
		if (percent(e->ps, age) < 99.5)
			fprintf(out, " %.0f%%", percent(e->ps, age));
		between = ", ";
	}
	between = "; root: ";
	for (size_t i = 0; i < b->nroots; i++)
		for (size_t k = 0; k < b->roots[i].nhops; k++) {
			const struct blame_hop *h = &b->roots[i].hops[k];

			if (h->place != place || percent(h->ps, age) < 1)
				continue;
			fprintf(out, "%s%s", between,
				explain_words_root(s->run, &b->roots[i], text));
			if (percent(h->ps, age) < 99.5)
				fprintf(out, " %.0f%%", percent(h->ps, age));
			between = ", ";
		}
	fputc('\n', out);
}

static void print_instant(FILE *out, const struct explain_story *s)
{
	const struct rundir_read *r = s->run;
	char port[EXPLAIN_WORDS_MAX], since[EXPLAIN_WORDS_MAX], at[EXPLAIN_WORDS_MAX];
	size_t n = 0;

	fprintf(out, "\nAt %s %zu transmitter%s still:\n", explain_words_time(s->at_ps, at),
		s->all.stops, s->all.stops == 1 ? " stands" : "s stand");
	for (size_t i = 0; i < r->nstops; i++) {
		const struct blame_stop *stop = &r->stops[i];

		if (stop->from_ps > s->at_ps || stop->until_ps <= s->at_ps ||
		    (s->places && !s->places[stop->place]))
			continue;
		if (n++ >= STOPS)
			continue;
		fprintf(out, "  %s/%u since %s, by %s: waits for ",
			explain_words_port(r, stop->place, port),
			(unsigned)(stop->place % RUNDIR_READ_PRIOS),
			explain_words_time(stop->from_ps, since),
			explain_words_far(r, stop->place));
		print_waits(out, s, stop->place, s->at_ps > stop->from_ps ?
			    s->at_ps - stop->from_ps : 1);
	}
	if (n > STOPS)
		fprintf(out, "  and %zu more (--json lists all)\n", n - STOPS);
}

/* ------------------------------------------------------------ a flow, a port */

static void print_flow(FILE *out, const struct explain_story *s)
{
	const struct rundir_read *r = s->run;
	const struct blame_report *b = &s->all;
	char time[EXPLAIN_WORDS_MAX], port[EXPLAIN_WORDS_MAX], root[EXPLAIN_WORDS_MAX];
	int64_t lost = 0, brought = 0;

	for (size_t i = 0; i < b->nlosses; i++)
		lost += b->losses[i].ps;
	fprintf(out, "\nFLOW %s lost %s of the stopped time:\n", s->opt->flow,
		explain_words_time(lost, time));
	for (size_t i = 0; i < b->nlosses && i < LOSSES; i++) {
		const struct blame_loss *l = &b->losses[i];

		fprintf(out, "  %s at %s in %" PRId64 " stops, for %s\n",
			explain_words_time(l->ps, time), explain_words_port(r, l->place, port),
			l->stops, explain_words_root(r, &b->roots[l->root], root));
	}
	if (b->nlosses > LOSSES)
		fprintf(out, "  and at %zu more (--json lists all)\n", b->nlosses - LOSSES);
	for (size_t i = 0; i < b->nroots; i++) {
		brought = 0;
		for (size_t k = 0; k < b->roots[i].npairs; k++)
			if (s->pairs[b->roots[i].pairs[k].pair])
				brought += b->roots[i].pairs[k].brought_ps;
		if (percent(brought, b->roots[i].ps) >= 1)
			fprintf(out, "  it brought %.0f%% of %s\n",
				percent(brought, b->roots[i].ps),
				explain_words_root(r, &b->roots[i], root));
	}
}

static void print_port(FILE *out, const struct explain_story *s)
{
	const struct rundir_read *r = s->run;
	char root[EXPLAIN_WORDS_MAX], time[EXPLAIN_WORDS_MAX];

	fprintf(out, "\nPORT %s was stopped %zu times, %s in all\n", s->opt->port,
		s->here.stops, explain_words_time(s->here.stopped_ps, time));
	for (size_t i = 0; i < s->here.nroots && i < LOSSES; i++)
		fprintf(out, "  %5.1f%%  %s  for %s\n",
			percent(s->here.roots[i].ps, s->here.stopped_ps),
			explain_words_time(s->here.roots[i].ps, time),
			explain_words_root(r, &s->here.roots[i], root));
	if (s->here.nroots > LOSSES)
		fprintf(out, "  and %zu more\n", s->here.nroots - LOSSES);
	for (size_t i = 0; i < s->all.nroots; i++)
		if (s->all.roots[i].kind != BLAME_DEADLOCK &&
		    s->here_places[s->all.roots[i].place])
			print_root(out, s, &s->all.roots[i]);
}

/* -------------------------------------------------------------------- whole */

static void print_head(FILE *out, const struct explain_story *s)
{
	const struct rundir_read *r = s->run;
	char simulated[EXPLAIN_WORDS_MAX], stopped[EXPLAIN_WORDS_MAX];

	fprintf(out, "%s %s, seed %" PRId64 ", %s simulated%s: ", r->experiment, r->variant,
		r->seed, explain_words_time(r->simulated_ps, simulated),
		r->complete ? "" : " (interrupted)");
	if (!r->nstops)
		fprintf(out, "no transmitter was ever stopped\n");
	else
		fprintf(out, "%" PRId64 " pauses, transmitters stopped for %s in all\n",
			r->xoff_frames, explain_words_time(r->paused_ps, stopped));
	if (r->rnr_wait_ps > 0)
		fprintf(out, "besides, senders waited %s for receive buffers (RNR timers): that is no pause\n",
			explain_words_time(r->rnr_wait_ps, stopped));
}

static void print_sum(FILE *out, const struct explain_story *s)
{
	if (!s->places && s->at_ps < 0 && s->run->nstops)
		fprintf(out, "\nattributed %" PRId64 " of %" PRId64 " ps stopped "
			"(pfc.paused_ps)%s\n", s->all.stopped_ps, s->run->paused_ps,
			s->all.stopped_ps == s->run->paused_ps ? ": all of it" : "");
}

void explain_text(FILE *out, const struct explain_story *s)
{
	print_head(out, s);
	if (s->at_ps >= 0)
		print_instant(out, s);
	else if (s->opt->flow)
		print_flow(out, s);
	else if (s->opt->port)
		print_port(out, s);
	else {
		print_deadlocks(out, s);
		print_roots(out, s);
		print_sum(out, s);
	}
	if (s->whatif)
		explain_whatif_print(out, s->whatif);
}
