/* cli/check_deadlock.c - `xoff check deadlock`. */
#include <stdlib.h>
#include <string.h>

#include "cli/check.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "cli/status.h"
#include "sim/mem.h"

enum { SHOWN = 3 };		/* classes of failures that are told in full */

struct look {			/* one graph, as it is shown */
	struct check_context *ctx;
	struct bdg *b;
	enum bdg_scope scope;
	int status;
	int64_t locked_ps;	/* the run of --emit; -1 never, -2 there is none */
};

static const char *const scopes[] = { "every host to every other", "the experiment's traffic" };

/* ------------------------------------------------------------------- a circle */

static char *vertex_name(const struct routing *r, struct bdg_vertex v, char *buf, size_t size)
{
	char port[96];

	snprintf(buf, size, "%s/%d", routing_port_name(r, v.port, port, sizeof(port)), v.prio);
	return buf;
}

/* "A:2/3 > B:2/3 > A:2/3" */
static void circle_name(const struct routing *r, const struct bdg_cycle *c, char *buf,
			size_t size)
{
	char name[112];

	buf[0] = '\0';
	for (int i = 0; i <= c->n; i++) {
		size_t used = strlen(buf);

		snprintf(buf + used, size - used, "%s%s", i ? " > " : "",
			 vertex_name(r, c->vertex[i % c->n], name, sizeof(name)));
	}
}

static const char *switch_name(const struct routing *r, uint32_t sw)
{
	return view_node_name(r->f, r->node[sw]);
}

static void print_circle(const struct look *l, const struct bdg_cycle *c)
{
	const struct routing *r = l->ctx->r;
	char here[112], next[112];

	for (int i = 0; i < c->n; i++) {
		const struct bdg_flow *f = &c->flow[i];

		printf("    %s waits on %s: class %s, %s > %s by %s",
		       vertex_name(r, c->vertex[i], here, sizeof(here)),
		       vertex_name(r, c->vertex[(i + 1) % c->n], next, sizeof(next)),
		       view_class(r->f, f->class_)->name, view_node_name(r->f, f->src),
		       view_node_name(r->f, f->dst),
		       switch_name(r, r->channel[f->path[0]].from));
		for (int k = 0; k < f->npath; k++)
			printf(" %s", switch_name(r, r->channel[f->path[k]].to));
		puts(f->floods ? " (flooded)" : "");
	}
}

static void json_circle(const struct look *l, const struct bdg_cycle *c)
{
	const struct routing *r = l->ctx->r;
	struct jsonout *j = l->ctx->json;
	char name[112];

	jsonout_open(j, "circle", '[');
	for (int i = 0; i < c->n; i++) {
		const struct bdg_flow *f = &c->flow[i];

		jsonout_open_flat(j, NULL, '{');
		jsonout_text(j, "group", vertex_name(r, c->vertex[i], name, sizeof(name)));
		jsonout_text(j, "class", view_class(r->f, f->class_)->name);
		jsonout_text(j, "from", view_node_name(r->f, f->src));
		jsonout_text(j, "to", view_node_name(r->f, f->dst));
		jsonout_open_flat(j, "path", '[');
		jsonout_text(j, NULL, switch_name(r, r->channel[f->path[0]].from));
		for (int k = 0; k < f->npath; k++)
			jsonout_text(j, NULL, switch_name(r, r->channel[f->path[k]].to));
		jsonout_close(j, ']');
		jsonout_bool(j, "flooded", f->floods);
		jsonout_close(j, '}');
	}
	jsonout_close(j, ']');
}

/* What the circle needs down, as " with leaf0:4 - spine1:0 down"; "" for nothing. */
static const char *with_down(const struct routing *r, const uint32_t *down, int ndown,
			     char *buf, size_t size)
{
	char a[224], b[224];

	if (!ndown)
		return "";
	snprintf(buf, size, " with %s%s%s down", routing_link_name(r, down[0], a, sizeof(a)),
		 ndown > 1 ? " and " : "",
		 ndown > 1 ? routing_link_name(r, down[1], b, sizeof(b)) : "");
	return buf;
}

static void say_circle(struct look *l, const struct bdg_cycle *c, const uint32_t *down,
		       int ndown, enum finding_grade grade, int priorities)
{
	const struct routing *r = l->ctx->r;
	const struct bdg_flow *f = &c->flow[0];
	struct finding *x = finding_add(&l->ctx->findings, grade, "deadlock");
	bool floods = false;
	char name[160], with[512];

	circle_name(r, c, name, sizeof(name));
	finding_object(x, "%s", name);
	finding_value(x, c->n, UNITS_COUNT);
	for (int i = 0; i < c->n; i++)
		floods |= c->flow[i].floods;
	finding_reason(
		x,
		"%d groups wait on each other in a circle%s (frames from %s to %s and others): "
		"when all are over their limit at once, each because of the next, none ever drains",
		c->n, with_down(r, down, ndown, with, sizeof(with)),
		view_node_name(r->f, f->src), view_node_name(r->f, f->dst));
	if (floods)
		finding_remedy(
			x,
			"drop lossless frames whose way is unknown, in place of flooding them");
	else if (bdg_whole(l->b))
		finding_remedy(
			x,
			"pauses of 802.3x stop every class of a port: pause by priority (pfc.mode "
			"\"priority\"), and take ways that go up, then down, and never up again");
	else if (!priorities)
		finding_remedy(
			x,
			"a route loops, and no number of priorities helps: mend it, or drop where the "
			"next hop is lost");
	else
		finding_remedy(
			x,
			"ways that go up, then down, and never up again; or %d priorities in place of "
			"one, a frame rising to the next at each turn back",
			priorities);
}

/* ----------------------------------------------------------------- no failure */

static void emit(struct look *l, struct bdg_cycle *c, enum routing_mode mode,
		 const uint32_t *down, int ndown)
{
	struct check_context *ctx = l->ctx;
	int64_t at = -1;
	char when[32];

	ctx->circles = true;
	if (!ctx->opt->emit || ctx->emitted)
		return;
	l->status = check_emit(ctx, c, mode, down, ndown, &at);
	if (l->status != STATUS_OK || !ctx->emitted)
		return;
	l->locked_ps = at;
	if (ctx->json)
		return;
	if (at >= 0)
		printf("  %s closes it: its run deadlocks at %s\n", ctx->opt->emit,
		       units_format(at, UNITS_TIME, when, sizeof(when)));
	else
		printf("  circle, not reproduced: the run of %s does not deadlock\n",
		       ctx->opt->emit);
}

static void show_result(const struct look *l, const struct bdg_result *g, int priorities)
{
	struct jsonout *j = l->ctx->json;

	if (j) {
		jsonout_text(j, "pairs", l->scope == BDG_ALL ? "all" : "traffic");
		jsonout_int(j, "groups", g->vertices);
		jsonout_int(j, "dependencies", g->edges);
		jsonout_int(j, "groups_in_circles", g->members);
		jsonout_int(j, "priorities_needed", priorities);
		return;
	}
	printf("deadlock: %s: %u groups, %u dependencies: ", scopes[l->scope], g->vertices,
	       g->edges);
	if (!g->components)
		printf("no circle\n");
	else if (bdg_whole(l->b))
		printf("a CIRCLE (%u groups in %u components); pauses of 802.3x stop whole ports\n",
		       g->members, g->components);
	else if (priorities)
		printf("a CIRCLE (%u groups in %u components); %d priorities would have none\n",
		       g->members, g->components, priorities);
	else
		printf("a CIRCLE (%u groups in %u components); some route loops\n", g->members,
		       g->components);
}

static void show_remaps(const struct look *l)
{
	const struct routing *r = l->ctx->r;
	int n = 0;

	for (uint32_t s = 0; s < r->nswitches; s++)
		n += view_remaps(r->f, r->node[s]);
	if (l->ctx->json)
		jsonout_int(l->ctx->json, "switches_that_remap", n);
	else if (n)
		printf("  classes change at %d switch%s (remap): each frame is followed with its class\n", n,
		       n == 1 ? "" : "es");
}

static bool no_failure(struct look *l)
{
	struct bdg_result g;
	struct bdg_cycle c;
	bool cyclic = bdg_build(l->b, ROUTING_GLOBAL, NULL, 0, &g);
	int priorities = bdg_priorities(l->b);

	show_result(l, &g, priorities);
	show_remaps(l);
	if (!cyclic)
		return false;
	bdg_cycle(l->b, &c);
	if (l->ctx->json)
		json_circle(l, &c);
	else
		print_circle(l, &c);
	say_circle(l, &c, NULL, 0, FINDING_WRONG, priorities);
	emit(l, &c, ROUTING_GLOBAL, NULL, 0);
	bdg_cycle_fini(&c);
	return true;
}

/* ------------------------------------------------------------------- failures */

static void failure_text(const struct look *l, const struct bdg_failures *x,
			 enum routing_mode mode)
{
	const struct routing *r = l->ctx->r;
	char with[512];

	printf("  %s down, %s: %lld sets in %lld classes: ",
	       x->n == 1 ? "one link" : "two links",
	       mode == ROUTING_GLOBAL ? "shortest paths anew" : "local bounce",
	       (long long)x->sets, (long long)x->classes);
	if (x->cyclic)
		printf("%lld sets have a circle", (long long)x->cyclic);
	else
		printf("no circle");
	if (x->cut_off)
		printf("; %lld leave somebody without a way", (long long)x->cut_off);
	puts(x->stopped ? " (interrupted)" : "");
	for (int i = 0; i < x->nfound; i++)
		printf("   %s: circles of %u groups; %lld sets alike\n",
		       with_down(r, x->found[i].down, x->n, with, sizeof(with)),
		       x->found[i].result.members, (long long)x->found[i].alike);
}

static void failure_json(const struct look *l, const struct bdg_failures *x,
			 enum routing_mode mode)
{
	const struct routing *r = l->ctx->r;
	struct jsonout *j = l->ctx->json;
	char name[224];

	jsonout_open(j, NULL, '{');
	jsonout_int(j, "links_down", x->n);
	jsonout_text(j, "reroute", mode == ROUTING_GLOBAL ? "global" : "local");
	jsonout_int(j, "sets", x->sets);
	jsonout_int(j, "classes", x->classes);
	jsonout_int(j, "sets_with_circle", x->cyclic);
	jsonout_int(j, "sets_cut_off", x->cut_off);
	jsonout_bool(j, "complete", !x->stopped);
	jsonout_open(j, "found", '[');
	for (int i = 0; i < x->nfound; i++) {
		jsonout_open_flat(j, NULL, '{');
		jsonout_open_flat(j, "down", '[');
		for (int k = 0; k < x->n; k++)
			jsonout_text(
				j, NULL,
				routing_link_name(r, x->found[i].down[k], name, sizeof(name)));
		jsonout_close(j, ']');
		jsonout_int(j, "alike", x->found[i].alike);
		jsonout_int(j, "groups_in_circles", x->found[i].result.members);
		jsonout_close(j, '}');
	}
	jsonout_close(j, ']');
	jsonout_close(j, '}');
}

static void one_kind(struct look *l, int n, enum routing_mode mode)
{
	struct bdg_failures x;

	bdg_fail(l->b, mode, n, signals_stop(), &x);
	if (l->ctx->json)
		failure_json(l, &x, mode);
	else
		failure_text(l, &x, mode);
	for (int i = 0; i < x.nfound; i++) {
		struct bdg_result g;
		struct bdg_cycle c;

		if (i >= SHOWN && (!l->ctx->opt->emit || l->ctx->emitted))
			break;
		bdg_build(l->b, mode, x.found[i].down, n, &g);
		bdg_cycle(l->b, &c);
		if (i < SHOWN)
			say_circle(l, &c, x.found[i].down, n, FINDING_WRONG,
				   bdg_priorities(l->b));
		if (!l->ctx->json && i == 0)
			print_circle(l, &c);
		emit(l, &c, mode, x.found[i].down, n);
		bdg_cycle_fini(&c);
	}
}

static void failures(struct look *l)
{
	const struct check_options *opt = l->ctx->opt;

	if (l->ctx->json)
		jsonout_open(l->ctx->json, "failures", '[');
	for (int n = 1; n <= opt->failures; n++) {
		if (opt->reroute != CHECK_LOCAL)
			one_kind(l, n, ROUTING_GLOBAL);
		if (opt->reroute != CHECK_GLOBAL)
			one_kind(l, n, ROUTING_LOCAL);
	}
	if (l->ctx->json)
		jsonout_close(l->ctx->json, ']');
}

/* The traffic has no circle; had all hosts one, if they talked? */
static void note_all(struct look *l)
{
	struct look all = *l;
	struct bdg_result g;
	struct bdg_cycle c;

	all.scope = BDG_ALL;
	all.b = bdg_new(l->ctx->r, BDG_ALL);
	if (bdg_build(all.b, ROUTING_GLOBAL, NULL, 0, &g)) {
		bdg_cycle(all.b, &c);
		say_circle(&all, &c, NULL, 0, FINDING_NOTE, bdg_priorities(all.b));
		struct finding *x = &l->ctx->findings.item[l->ctx->findings.n - 1];
		finding_reason(
			x,
			"the experiment's traffic closes no circle, but its routes have one, of %d groups: "
			"other traffic could (--pairs all)",
			c.n);
		bdg_cycle_fini(&c);
	}
	bdg_free(&all.b);
}

int check_deadlock(struct check_context *ctx)
{
	struct look l = {
		.ctx = ctx, .scope = BDG_TRAFFIC, .status = STATUS_OK, .locked_ps = -2
	};
	int first = ctx->findings.n;
	bool cyclic;

	if (ctx->opt->pairs == CHECK_ALL ||
	    (ctx->opt->pairs == CHECK_AUTO && !view_workloads(ctx->f)))
		l.scope = BDG_ALL;
	l.b = bdg_new(ctx->r, l.scope);
	if (ctx->json)
		jsonout_open(ctx->json, "deadlock", '{');
	cyclic = no_failure(&l);
	if (ctx->opt->failures && cyclic && !ctx->json)
		printf("  failures are left out: there is a circle without one\n");
	else if (ctx->opt->failures && !cyclic)
		failures(&l);
	if (!cyclic && l.scope == BDG_TRAFFIC && ctx->opt->pairs == CHECK_AUTO)
		note_all(&l);
	if (ctx->json && l.locked_ps > -2)
		jsonout_time(ctx->json, "emitted_deadlock_ps", l.locked_ps);
	if (ctx->json)
		jsonout_close(ctx->json, '}');
	check_print_findings(ctx, first);
	bdg_free(&l.b);
	return l.status;
}
