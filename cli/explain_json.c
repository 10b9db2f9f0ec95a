/* cli/explain_json.c - see explain_json.h */
#include "cli/explain_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cli/explain_whatif.h"
#include "cli/explain_words.h"
#include "observe/jsonout.h"
#include "sim/mem.h"

static void put_place(struct jsonout *j, const struct rundir_read *r, const char *key,
		      uint32_t place)
{
	jsonout_text(j, key, r->ports.name[place / RUNDIR_READ_PRIOS]);
	jsonout_int(j, "prio", place % RUNDIR_READ_PRIOS);
}

static const char *node_name(const struct rundir_read *r, uint32_t node)
{
	return node == INTERN_NONE ? NULL : r->nodes.name[node];
}

/* -------------------------------------------------------------------- roots */

static void put_hops(struct jsonout *j, const struct rundir_read *r,
		     const struct blame_root *root)
{
	jsonout_open(j, "hops", '[');
	for (size_t i = 0; i < root->nhops; i++) {
		const struct blame_hop *h = &root->hops[i];

		jsonout_open_flat(j, NULL, '{');
		jsonout_int(j, "depth", h->depth);
		put_place(j, r, "port", h->place);
		jsonout_text(j, "stopped_by", explain_words_far(r, h->place));
		jsonout_int(j, "ps", h->ps);
		jsonout_close(j, '}');
	}
	jsonout_close(j, ']');
}

static void put_pairs(struct jsonout *j, const struct rundir_read *r,
		      const struct blame_root *root)
{
	jsonout_open(j, "pairs", '[');
	for (size_t i = 0; i < root->npairs; i++) {
		const struct blame_pair *p = &root->pairs[i];
		const struct rundir_read_pair *name = &r->pair[p->pair];

		jsonout_open_flat(j, NULL, '{');
		jsonout_text(j, "workload", r->workloads.name[name->workload]);
		jsonout_text(j, "src", node_name(r, name->src));
		jsonout_text(j, "dst", node_name(r, name->dst));
		jsonout_bool(j, "own", p->own);
		jsonout_int(j, "brought_ps", p->brought_ps);
		jsonout_int(j, "lost_ps", p->lost_ps);
		jsonout_close(j, '}');
	}
	jsonout_close(j, ']');
}

static void put_root(struct jsonout *j, const struct explain_story *s,
		     const struct blame_root *root)
{
	const struct rundir_read *r = s->run;
	bool dead = root->kind == BLAME_DEADLOCK;

	jsonout_open(j, NULL, '{');
	jsonout_text(j, "kind", blame_kind_names[root->kind]);
	if (dead) {
		jsonout_int(j, "deadlock", root->place);
	} else {
		put_place(j, r, "port", root->place);
		jsonout_text(j, "node", explain_words_node(r, root->place));
		jsonout_text(j, "to", explain_words_far(r, root->place));
	}
	jsonout_int(j, "ps", root->ps);
	jsonout_double(j, "share", s->all.stopped_ps ?
		       (double)root->ps / (double)s->all.stopped_ps : 0);
	jsonout_int(j, "first_ps", root->first_ps);
	jsonout_int(j, "last_ps", root->last_ps);
	jsonout_int(j, "cause_first_ps", root->cause_first_ps);
	jsonout_int(j, "cause_last_ps", root->cause_last_ps);
	jsonout_int(j, "own_ps", root->own_ps);
	jsonout_int(j, "victims_ps", root->victims_ps);
	jsonout_int(j, "others_ps", root->others_ps);
	jsonout_int(j, "nobody_ps", root->nobody_ps);
	jsonout_int(j, "brought_others_ps", root->brought_others_ps);
	put_hops(j, r, root);
	put_pairs(j, r, root);
	jsonout_close(j, '}');
}

/* ---------------------------------------------------------------- deadlocks */

static int64_t since(const struct rundir_read *r, uint32_t place, int64_t at_ps)
{
	for (size_t i = 0; i < r->nstops; i++)
		if (r->stops[i].place == place && r->stops[i].from_ps <= at_ps &&
		    r->stops[i].until_ps > at_ps)
			return r->stops[i].from_ps;
	return -1;
}

static void put_member(struct jsonout *j, const struct rundir_read *r,
		       const struct rundir_read_member *m)
{
	jsonout_open_flat(j, NULL, '{');
	if (m->ring < 0)
		jsonout_raw(j, "ring", NULL);
	else
		jsonout_int(j, "ring", m->ring);
	put_place(j, r, "port", m->place);
	jsonout_text(j, "by", r->ports.name[m->by / RUNDIR_READ_PRIOS]);
	jsonout_int(j, "by_prio", m->by % RUNDIR_READ_PRIOS);
	jsonout_time(j, "since_ps", since(r, m->place, r->deadlocks[m->deadlock].from_ps));
	jsonout_int(j, "held_bytes", m->held_bytes);
	jsonout_int(j, "stuck_bytes", m->stuck_bytes);
	jsonout_int(j, "xon_bytes", m->xon_bytes);
	jsonout_text(j, "waits_for", m->waits_for);
	jsonout_close(j, '}');
}

static void put_deadlock(struct jsonout *j, const struct explain_story *s, uint32_t number)
{
	const struct rundir_read *r = s->run;
	const struct blame_deadlock *d = &r->deadlocks[number];
	const struct blame_class *c = &s->all.classes[number];
	struct blame_root origin = { .kind = c->kind, .place = c->place };
	char text[EXPLAIN_WORDS_MAX];

	jsonout_open(j, NULL, '{');
	jsonout_int(j, "from_ps", d->from_ps);
	jsonout_time(j, "until_ps", d->until_ps < r->simulated_ps ? d->until_ps : -1);
	jsonout_text(j, "class", c->outside ? "deadlock_fed_from_outside" :
					      "in_loop_deadlock");
	jsonout_text(j, "fed_by", c->known ? explain_words_root(r, &origin, text) : NULL);
	jsonout_int(j, "inside_ps", c->inside_ps);
	jsonout_int(j, "outside_ps", c->outside_ps);
	jsonout_open(j, "queues", '[');
	for (size_t i = 0; i < r->nmembers; i++)
		if (r->members[i].deadlock == number)
			put_member(j, r, &r->members[i]);
	jsonout_close(j, ']');
	jsonout_close(j, '}');
}

/* -------------------------------------------------------------------- whole */

static void put_lists(struct jsonout *j, const struct explain_story *s)
{
	const struct rundir_read *r = s->run;
	const struct blame_report *b = &s->all;

	jsonout_open(j, "edges", '[');
	for (size_t i = 0; i < b->nedges; i++) {
		uint32_t egress = b->edges[i].egress;

		jsonout_open_flat(j, NULL, '{');
		put_place(j, r, "port", b->edges[i].stopped);
		jsonout_text(j, "waits_for", egress == BLAME_NONE ? NULL :
			     r->ports.name[egress / RUNDIR_READ_PRIOS]);
		jsonout_int(j, "ps", b->edges[i].ps);
		jsonout_close(j, '}');
	}
	jsonout_close(j, ']');
	jsonout_open(j, "losses", '[');
	for (size_t i = 0; i < b->nlosses; i++) {
		jsonout_open_flat(j, NULL, '{');
		jsonout_int(j, "root", b->losses[i].root);
		put_place(j, r, "port", b->losses[i].place);
		jsonout_int(j, "ps", b->losses[i].ps);
		jsonout_int(j, "stops", b->losses[i].stops);
		jsonout_close(j, '}');
	}
	jsonout_close(j, ']');
}

void explain_json(FILE *out, const struct explain_story *s)
{
	const struct rundir_read *r = s->run;
	/* of a port its own stops are asked for */
	struct explain_story mine = *s;
	struct jsonout j;

	if (s->here_places)
		mine.all = s->here;
	jsonout_init(&j, out, 0);
	jsonout_open(&j, NULL, '{');
	jsonout_text(&j, "schema", "xoff.explain/1");
	jsonout_text(&j, "experiment", r->experiment);
	jsonout_text(&j, "variant", r->variant);
	jsonout_int(&j, "seed", r->seed);
	jsonout_int(&j, "simulated_ps", r->simulated_ps);
	jsonout_time(&j, "at_ps", s->at_ps);
	jsonout_text(&j, "class", explain_words_run_class(r, &s->all));
	jsonout_int(&j, "paused_ps", r->paused_ps);
	jsonout_int(&j, "stopped_ps", mine.all.stopped_ps);
	jsonout_int(&j, "stops", (int64_t)mine.all.stops);
	jsonout_open(&j, "roots", '[');
	for (size_t i = 0; i < mine.all.nroots; i++)
		put_root(&j, &mine, &mine.all.roots[i]);
	jsonout_close(&j, ']');
	put_lists(&j, &mine);
	jsonout_open(&j, "deadlocks", '[');
	for (uint32_t i = 0; i < r->ndeadlocks; i++)
		put_deadlock(&j, s, i);
	jsonout_close(&j, ']');
	if (s->whatif)
		explain_whatif_json(&j, s->whatif);
	jsonout_close(&j, '}');
	fputc('\n', out);
}

/* ---------------------------------------------------------------------- dot */

void explain_json_dot(FILE *out, const struct explain_story *s)
{
	const struct rundir_read *r = s->run;
	const struct blame_report *b = s->here_places ? &s->here : &s->all;
	char text[EXPLAIN_WORDS_MAX];

	fprintf(out, "// %s %s: who waited for whom; time is the share of the stops\n"
		"digraph waits {\n\trankdir=LR;\n\tnode [shape=box];\n", r->experiment,
		r->variant);
	for (size_t i = 0; i < b->nroots; i++) {
		const struct blame_root *root = &b->roots[i];

		if (root->kind == BLAME_DEADLOCK)
			continue;
		fprintf(out, "\t\"%s/%u\" [style=filled, fillcolor=\"#f4a582\", "
			"label=\"%s/%u\\n",
			explain_words_port(r, root->place, text),
			(unsigned)(root->place % RUNDIR_READ_PRIOS), text,
			(unsigned)(root->place % RUNDIR_READ_PRIOS));
		fprintf(out, "%s %s\"];\n", blame_kind_names[root->kind],
			explain_words_time(root->ps, text));
	}
	for (size_t i = 0; i < r->nmembers; i++)
		if (r->members[i].ring >= 0)
			fprintf(out, "\t\"%s/%u\" [style=filled, fillcolor=\"#ca0020\", "
				"fontcolor=white];\n",
				explain_words_port(r, r->members[i].place, text),
				(unsigned)(r->members[i].place % RUNDIR_READ_PRIOS));
	for (size_t i = 0; i < b->nedges; i++) {
		const struct blame_edge *e = &b->edges[i];
		uint32_t prio = e->stopped % RUNDIR_READ_PRIOS, to = e->egress;

		if (to == BLAME_NONE)	/* the host's own port */
			to = r->port[e->stopped / RUNDIR_READ_PRIOS].peer *
			     RUNDIR_READ_PRIOS + prio;
		fprintf(out, "\t\"%s/%u\" -> ", explain_words_port(r, e->stopped, text), prio);
		fprintf(out, "\"%s/%u\"", explain_words_port(r, to, text),
			(unsigned)(to % RUNDIR_READ_PRIOS));
		fprintf(out, " [label=\"%s\"];\n", explain_words_time(e->ps, text));
	}
	fputs("}\n", out);
}
