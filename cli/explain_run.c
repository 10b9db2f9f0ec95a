/* cli/explain_run.c - see explain_run.h */
#include "cli/explain_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/explain_json.h"
#include "cli/explain_text.h"
#include "cli/explain_whatif.h"
#include "cli/message.h"
#include "cli/status.h"
#include "sim/mem.h"
#include "sim/units.h"

enum { BUDGET_S = 60 };

/* ------------------------------------------------------------------- choices */

static int wrong(const char *what, const char *text, const char *want)
{
	message_error("explain", "%s \"%s\": %s", what, text, want);
	return -1;
}

static int meant(const char *what, const char *text, const char *near)
{
	message_error("explain", "%s \"%s\": there is none in this run; did you mean \"%s\"?", what,
		      text, near);
	return -1;
}

static const char *nearest(const char *text, const struct intern *list)
{
	const char **names = mem_zalloc((list->n + 1) * sizeof(*names)), *near;

	for (uint32_t i = 0; i < list->n; i++)
		names[i] = list->name[i];
	near = error_nearest(text, names);
	free(names);
	return near;
}

/* --at: a time, or "deadlock". */
static int choose_at(struct explain_story *s)
{
	const char *text = s->opt->at;
	struct sim_error err = { 0 };
	char end[64];

	s->at_ps = -1;
	if (!text)
		return 0;
	if (!strcmp(text, "deadlock")) {
		if (!s->run->ndeadlocks)
			return wrong("--at", text, "there was no deadlock");
		s->at_ps = s->run->deadlocks[0].from_ps;
		return 0;
	}
	if (units_parse(text, UNITS_TIME, &s->at_ps, NULL, &err))
		return wrong("--at", text, err.text);
	if (s->at_ps > s->run->simulated_ps) {
		message_error("explain", "--at %s: the run ended at %s", text,
			      units_format(s->run->simulated_ps, UNITS_TIME, end, sizeof(end)));
		return -1;
	}
	return 0;
}

/* --prio: of all places those of one priority. */
static int choose_prio(struct explain_story *s)
{
	const char *text = s->opt->prio;

	if (!text)
		return 0;
	if (text[0] < '0' || text[0] > '7' || text[1])
		return wrong("--prio", text, "a priority is 0 to 7");
	s->places = mem_zalloc(s->run->log.nplaces);
	for (uint32_t i = 0; i < s->run->log.nplaces; i++)
		s->places[i] = (int)(i % RUNDIR_READ_PRIOS) == text[0] - '0';
	return 0;
}

/* --port: a port, or all of a node. */
static int choose_port(struct explain_story *s)
{
	const struct rundir_read *r = s->run;
	const char *text = s->opt->port, *near = NULL;
	bool any = false;

	if (!text)
		return 0;
	s->here_places = mem_zalloc(r->log.nplaces);
	for (uint32_t i = 0; i < r->log.nplaces; i++) {
		uint32_t port = i / RUNDIR_READ_PRIOS;
		bool is = !strcmp(text, r->ports.name[port]) ||
			  !strcmp(text, r->nodes.name[r->port[port].node]);

		s->here_places[i] = is && (!s->places || s->places[i]);
		any |= is;
	}
	if (any)
		return 0;
	for (int list = 0; list < 2 && !near; list++)
		near = nearest(text, (list == 0) == (strchr(text, ':') != NULL) ? &r->ports : &r->nodes);
	if (near)
		return meant("--port", text, near);
	return wrong("--port", text, "no port (NODE:PORT) or node of this run that sent anything");
}

/* --flow: a workload, two hosts, or both. */
static int choose_flow(struct explain_story *s)
{
	const struct rundir_read *r = s->run;
	const char *text = s->opt->flow, *near = NULL;
	bool any = false;

	if (!text)
		return 0;
	s->pairs = mem_zalloc(r->pairs.n);
	for (uint32_t i = 0; i < r->pairs.n; i++) {
		const char *name = r->pairs.name[i], *space = strrchr(name, ' ');

		s->pairs[i] = !strcmp(text, name) || (space && !strcmp(text, space + 1)) ||
			      !strcmp(text, r->workloads.name[r->pair[i].workload]);
		any |= s->pairs[i];
	}
	if (any)
		return 0;
	for (int list = 0; list < 2 && !near; list++)
		near = nearest(text, list ? &r->pairs : &r->workloads);
	if (near && strcmp(near, text) != 0)
		return meant("--flow", text, near);
	return wrong("--flow", text, "no such flow ever waited; give a workload, SRC>DST, or "
		     "\"WORKLOAD SRC>DST\"");
}

/* ----------------------------------------------------------------------- run */

static void analyze(struct explain_story *s)
{
	struct blame_conf conf = { .at_ps = s->at_ps, .places = s->places, .pairs = s->pairs };

	blame_analyze(&s->run->log, &conf, &s->all);
	if (!s->here_places)
		return;
	conf.places = s->here_places;
	blame_analyze(&s->run->log, &conf, &s->here);
}

static void tell(const struct explain_story *s)
{
	if (s->opt->dot)
		explain_json_dot(stdout, s);
	else if (s->opt->json)
		explain_json(stdout, s);
	else
		explain_text(stdout, s);
}

static void forget(struct explain_story *s)
{
	blame_free(&s->all);
	blame_free(&s->here);
	free(s->pairs);
	free(s->places);
	free(s->here_places);
}

static int tell_of(const struct rundir_read *r, const struct explain_options *opt)
{
	struct explain_story s = { .run = r, .opt = opt };
	struct explain_whatif *whatif = NULL;
	int status = STATUS_INPUT;

	if (!choose_at(&s) && !choose_prio(&s) && !choose_port(&s) && !choose_flow(&s)) {
		analyze(&s);
		if (opt->what_if)
			whatif = explain_whatif_try(&s, opt->budget_s ? opt->budget_s :
							BUDGET_S);
		s.whatif = whatif;
		tell(&s);
		status = STATUS_OK;
	}
	explain_whatif_free(&whatif);
	forget(&s);
	return status;
}

int explain_run(const char *path, const struct explain_options *opt)
{
	struct sim_error err = { 0 };
	char *dir = rundir_read_find(path, opt->variant, &err);
	struct rundir_read *r = dir ? rundir_read_open(dir, &err) : NULL;
	int status = STATUS_INPUT;

	if (r)
		status = tell_of(r, opt);
	else
		message_error("explain", "%s", err.text);
	rundir_read_free(&r);
	free(dir);
	return status;
}
