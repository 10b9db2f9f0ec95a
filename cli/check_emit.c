/*
 * cli/check_emit.c - `xoff check deadlock --emit`: the experiment as it is, with
 * other traffic: streams along the circle, by pinned ways (analyze/witness.h).
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/witness.h"
#include "cli/batch.h"
#include "cli/check.h"
#include "cli/message.h"
#include "cli/status.h"
#include "models/wire/link.h"
#include "sim/mem.h"

struct emission {
	struct check_context *ctx;
	const struct bdg_cycle *cycle;
	enum routing_mode mode;
	const uint32_t *down;
	int ndown;
};

static json_t *time_text(int64_t ps)
{
	char text[48];

	return json_string(units_exact(ps, UNITS_TIME, text, sizeof(text)));
}

static json_t *node_text(const struct emission *e, uint32_t node)
{
	return json_string(view_node_name(e->ctx->f, node));
}

static const char *class_name(const struct emission *e, int class_)
{
	return view_class(e->ctx->f, class_)->name;
}

/* --------------------------------------------------------------------- parts */

static json_t *traffic(const struct emission *e, const struct witness *w)
{
	json_t *all = json_object();
	char frame[32];

	units_exact(w->frame_bytes, UNITS_BYTES, frame, sizeof(frame));
	for (int i = 0; i < w->streams; i++) {
		const struct witness_stream *s = &w->stream[i];
		json_t *stream = json_object(), *entry = json_object();

		json_object_set_new(stream, "from", node_text(e, s->src));
		json_object_set_new(stream, "to", node_text(e, s->dst));
		json_object_set_new(stream, "frame", json_string(frame));
		json_object_set_new(stream, "rate", json_string("greedy"));
		json_object_set_new(stream, "start", time_text(s->start_ps));
		if (s->stop_ps != UNITS_NEVER)
			json_object_set_new(stream, "stop", time_text(s->stop_ps));
		json_object_set_new(entry, "class", json_string(class_name(e, s->class_)));
		json_object_set_new(entry, "stream", stream);
		json_object_set_new(all, s->name, entry);
	}
	return all;
}

static json_t *routes(const struct emission *e, const struct witness *w)
{
	json_t *all = json_object();
	char name[32];

	for (int i = 0; i < w->routes; i++) {
		json_t *r = json_object();

		json_object_set_new(r, "at", node_text(e, w->route[i].at));
		json_object_set_new(r, "to", node_text(e, w->route[i].to));
		if (w->route[i].flood)
			json_object_set_new(r, "flood", json_true());
		else
			json_object_set_new(r, "via", node_text(e, w->route[i].via));
		snprintf(name, sizeof(name), "way-%d", i);
		json_object_set_new(all, name, r);
	}
	return all;
}

/* A fault takes all links between two nodes down: only a link alone can be named. */
static bool alone(const struct routing *r, uint32_t link)
{
	for (uint32_t l = 0; l < r->nlinks; l++)
		if (l != link && r->link[l].a == r->link[link].a &&
		    r->link[l].b == r->link[link].b)
			return false;
	return r->link[link].b != ROUTING_NONE;
}

/* The host pauses the class until the release. */
static void hold(const struct emission *e, const struct witness *w, int i, int class_, json_t *all)
{
	json_t *storm = json_object();
	char name[32];

	json_object_set_new(storm, "host", node_text(e, w->held[i]));
	json_object_set_new(storm, "class", json_string(class_name(e, class_)));
	json_object_set_new(storm, "at", json_string("0s"));
	json_object_set_new(storm, "for", time_text(w->release_ps));
	snprintf(name, sizeof(name), "hold-%d", i);
	if (json_object_get(all, name))
		snprintf(name, sizeof(name), "hold-%d-%d", i, class_);
	json_object_set_new(all, name, json_pack("{s:o}", "nic_storm", storm));
}

static json_t *faults(const struct emission *e, const struct witness *w)
{
	const struct routing *r = e->ctx->r;
	json_t *all = json_object();
	bool remaps = false;
	char name[32];

	for (uint32_t s = 0; s < r->nswitches; s++)
		remaps |= view_remaps(r->f, r->node[s]);
	for (int i = 0; i < w->helds; i++)	/* where classes change: whatever class comes */
		for (int c = 0; c < view_classes(r->f); c++)
			if (remaps ? view_class(r->f, c)->lossless : c == e->cycle->flow[0].class_)
				hold(e, w, i, c, all);
	for (int i = 0; i < e->ndown; i++) {
		const struct routing_link *l = &r->link[e->down[i]];
		json_t *cut = json_object();

		json_object_set_new(cut, "a", node_text(e, r->node[l->a]));
		if (alone(r, e->down[i]))
			json_object_set_new(cut, "b", node_text(e, r->node[l->b]));
		json_object_set_new(cut, "at", json_string("0s"));
		snprintf(name, sizeof(name), "down-%d", i);
		if (alone(r, e->down[i]))
			json_object_set_new(all, name, json_pack("{s:o}", "link_down", cut));
		else
			json_decref(cut);
	}
	return all;
}

/* A watchdog would break the circle, or mistake the held receiver for a storm. */
static void drop_watchdogs(json_t *doc)
{
	const char *key;
	json_t *one;

	json_object_foreach(json_object_get(doc, "switches"), key, one)
		json_object_del(one, "watchdog");
}

static json_t *load_resolved(const struct emission *e)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = mem_stream(&text, &size);

	scenario_resolved(e->ctx->sc, e->ctx->run, NULL, out);
	mem_stream_close(out);
	json_t *doc = json_loadb(text, size, 0, NULL);
	free(text);
	return doc;
}

static void name_it(const struct emission *e, json_t *doc, bool locks)
{
	char about[512], port[96], source[512];
	json_t *rules = json_array();

	snprintf(about, sizeof(about),
		 "Streams that fill the circle of %d groups from %s on, and lock it.",
		 e->cycle->n,
		 routing_port_name(e->ctx->r, e->cycle->vertex[0].port, port, sizeof(port)));
	snprintf(source, sizeof(source), "xoff check deadlock --emit, from %s, %s",
		 e->ctx->path, scenario_run_name(e->ctx->sc, e->ctx->run));
	json_object_set_new(doc, "name", json_string("circle"));
	json_object_set_new(doc, "about", json_string(about));
	json_object_set_new(doc, "source", json_string(source));
	json_object_del(doc, "expect");
	json_object_del(doc, "record");
	if (locks)
		json_array_append_new(rules, json_string("deadlock.found == true"));
	json_object_set_new(doc, "expect", rules);
}

/* ------------------------------------------------------------------ write, run */

static int write_file(const struct emission *e, const struct witness *w, bool locks)
{
	const char *path = e->ctx->opt->emit;
	json_t *doc = load_resolved(e), *run = json_object_get(doc, "run");
	FILE *out;
	int failed;

	if (!doc) {
		message_error("check",
			      "cannot write the experiment: the resolved one does not parse");
		return STATUS_BROKEN;
	}
	drop_watchdogs(doc);
	json_object_set_new(doc, "traffic", traffic(e, w));
	json_object_set_new(doc, "routes", routes(e, w));
	json_object_set_new(doc, "faults", faults(e, w));
	json_object_set_new(run, "until", time_text(w->until_ps));
	json_object_set_new(run, "warmup", json_string("0s"));
	name_it(e, doc, locks);
	out = fopen(path, "w");
	failed = !out || json_dumpf(doc, out, JSON_INDENT(2)) || putc('\n', out) == EOF;
	failed |= out && fclose(out);
	json_decref(doc);
	if (failed) {
		message_error("check", "cannot write %s: %s", path,
			      strerror(errno ? errno : EIO));
		if (out)
			remove(path);
	}
	return failed ? STATUS_OUTPUT : STATUS_OK;
}

static int run_file(const char *path, int64_t *deadlock_ps)
{
	struct batch b;
	struct batch_wanted wanted = { .no_expect = true };
	struct batch_how how = { .flat = true };
	int status = batch_open(&b, "check", path, &wanted);

	*deadlock_ps = -1;
	if (status != STATUS_OK)
		diag_print(b.diag, stderr);
	else
		status = batch_execute(&b, &how);
	if (status == STATUS_OK && b.runs[0].done && b.runs[0].summary.deadlock.found)
		*deadlock_ps = b.runs[0].summary.deadlock.first_ps;
	batch_fini(&b);
	return status;
}

/* Each plan in turn, until one locks; the last is left when none does. */
static int try_plans(struct emission *e, int *made, int64_t *deadlock_ps)
{
	int status = STATUS_OK;

	for (int plan = 0; plan < WITNESS_PLANS && status == STATUS_OK && *deadlock_ps < 0;
	     plan++) {
		struct witness w;

		if (!witness_make(e->ctx->r, e->cycle, (enum witness_plan)plan, &w))
			continue;
		++*made;
		status = write_file(e, &w, true);
		if (status == STATUS_OK)
			status = run_file(e->ctx->opt->emit, deadlock_ps);
		if (status == STATUS_OK && *deadlock_ps < 0)
			status = write_file(e, &w, false);
		witness_fini(&w);
	}
	return status;
}

/* Where the circle's own flows do not lock it, others may: any host to any. */
static int try_all_hosts(struct emission *e, struct bdg_cycle *cycle, int *made,
			 int64_t *deadlock_ps)
{
	struct bdg *all = bdg_new(e->ctx->r, BDG_ALL);
	struct bdg_result g;
	int status = STATUS_OK;

	if (bdg_build(all, e->mode, e->down, e->ndown, &g)) {
		bdg_flows(all, cycle);
		status = try_plans(e, made, deadlock_ps);
	}
	bdg_free(&all);
	return status;
}

int check_emit(struct check_context *ctx, struct bdg_cycle *cycle, enum routing_mode mode,
	       const uint32_t *down, int ndown, int64_t *deadlock_ps)
{
	struct emission e = { ctx, cycle, mode, down, ndown };
	int made = 0, status;

	*deadlock_ps = -1;
	status = try_plans(&e, &made, deadlock_ps);
	if (status == STATUS_OK && *deadlock_ps < 0)
		status = try_all_hosts(&e, cycle, &made, deadlock_ps);
	ctx->emitted = made > 0;
	return status;
}
