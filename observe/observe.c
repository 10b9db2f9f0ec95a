/* observe/observe.c - see observe.h. */
#include <stdio.h>
#include <stdlib.h>
#include "sim/mem.h"
#include "observe/deadlock.h"
#include "observe/deadlocklog.h"
#include "observe/eventlog.h"
#include "observe/findings.h"
#include "observe/flowrates.h"
#include "observe/flowtable.h"
#include "observe/invariant.h"
#include "observe/marks.h"
#include "observe/names.h"
#include "observe/observe.h"
#include "observe/pauselog.h"
#include "observe/portstats.h"
#include "observe/replay.h"
#include "observe/series.h"
#include "observe/livelock.h"
#include "observe/stall.h"
#include "observe/stops.h"
#include "observe/watchdogs.h"
#include "observe/stuck.h"
#include "observe/waits.h"

const char *const observe_what_names[] = { "queue", "group", "rate", "pause", "flows", "marks", NULL };

struct observe {
	struct fabric *f;
	const struct observe_conf *conf;
	struct flowtable *flows;
	struct eventlog *log;
	struct deadlock *dead;
	struct stall *stall;
	struct livelock *livelock;
	struct waits *waits;
	struct pauselog *pauses;	/* NULL without a directory */
	struct stops *stops;		/* likewise */
	struct deadlocklog *deadlocks;	/* likewise */
	struct replay *replay;		/* likewise */
	struct series **series;
	struct flowrates **rates;
	struct marks **marks;
	int nseries, nrates, nmarks;
	struct summary summary;
	char broken[512];
};

/* --- the deadlock detector reports to the event log ---------------------- */

static const char *force_name(enum deadlock_force by)
{
	static const char *const names[] = {
		[DEADLOCK_NONE] = "itself", [DEADLOCK_WATCHDOG] = "watchdog",
		[DEADLOCK_FAULT] = "fault",
	};

	return names[by];
}

static void note_deadlock(void *ctx, int64_t at_ps, bool formed, const uint32_t *cycle,
			  uint32_t ncycle, enum deadlock_force by)
{
	struct observe *o = ctx;
	char text[1024] = "", name[NAMES_MAX];
	size_t used = 0;

	if (o->replay)
		replay_deadlock(o->replay, at_ps, formed, cycle, ncycle, force_name(by));
	if (!formed) {
		eventlog_add(o->log, at_ps, EVENTLOG_DEADLOCK_CLEARED, force_name(by));
		return;
	}
	if (o->deadlocks)
		deadlocklog_add(o->deadlocks, o->dead, at_ps, cycle, ncycle);
	for (uint32_t i = 0; i < ncycle && used < sizeof(text) - 1; i++) {
		names_queue(o->f, cycle[i] / STUCK_PRIOS, (int)(cycle[i] % STUCK_PRIOS), name,
			    sizeof(name));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 i ? " " : "", name);
	}
	eventlog_add(o->log, at_ps, EVENTLOG_DEADLOCK, text);
}

/* --- before the run ----------------------------------------------------- */

static int attach_one(struct observe *o, const struct observe_series *conf, struct sim_error *err)
{
	const char *dir = o->conf->dir;

	if ((!conf->what || conf->what & OBSERVE_COLUMNS) &&
	    !(o->series[o->nseries++] = series_new(o->f, conf, dir, err)))
		return -1;
	if (dir && conf->what & OBSERVE_FLOWS &&
	    !(o->rates[o->nrates++] = flowrates_new(o->f, conf, dir, err)))
		return -1;
	if (dir && conf->what & OBSERVE_MARKS &&
	    !(o->marks[o->nmarks++] = marks_new(o->f, conf, dir, err)))
		return -1;
	return 0;
}

static int attach_series(struct observe *o, struct sim_error *err)
{
	if (o->conf->nseries > OBSERVE_SERIES_MAX)
		return error_set(err, "/record/series", "%d series; at most %d fit in a run",
				 o->conf->nseries, OBSERVE_SERIES_MAX);
	size_t n = (size_t)o->conf->nseries;
	o->series = mem_zalloc(n * sizeof(*o->series));
	o->rates = mem_zalloc(n * sizeof(*o->rates));
	o->marks = mem_zalloc(n * sizeof(*o->marks));
	for (int i = 0; i < o->conf->nseries; i++)
		if (attach_one(o, &o->conf->series[i], err))
			return -1;
	return 0;
}

static int attach_pauses(struct observe *o, struct sim_error *err)
{
	const char *dir = o->conf->dir;

	if (!dir)
		return 0;
	o->waits = waits_new(o->f);
	o->pauses = pauselog_new(o->f, o->waits, dir, err);
	if (!o->pauses)
		return -1;
	o->stops = stops_new(o->f, o->waits, dir, err);
	if (!o->stops)
		return -1;
	o->deadlocks = deadlocklog_new(o->f, o->waits, dir, err);
	return o->deadlocks ? 0 : -1;
}

static int attach(struct observe *o, struct sim_error *err)
{
	const char *dir = o->conf->dir;

	o->flows = flowtable_new(o->f, dir, o->conf->sizes_bytes, o->conf->nsizes, err);
	if (!o->flows)
		return -1;
	o->log = eventlog_new(o->f, dir, err);
	if (!o->log)
		return -1;
	if (attach_pauses(o, err))
		return -1;
	o->replay = dir ? replay_new(o->f, dir, err) : NULL;
	if (dir && !o->replay)
		return -1;
	o->dead = deadlock_new(o->f, note_deadlock, o);
	o->stall = stall_new(o->f, o->flows, o->dead, o->log);
	o->livelock = livelock_new(o->f);
	return attach_series(o, err);
}

struct observe *observe_new(struct fabric *f, const struct observe_conf *conf,
			    struct sim_error *err)
{
	struct observe *o = mem_zalloc(sizeof(*o));

	o->f = f;
	o->conf = conf;
	if (attach(o, err))
		observe_free(&o);
	return o;
}

/* --- after the run ------------------------------------------------------ */

static char **name_queues(const struct fabric *f, const uint32_t *keys, uint32_t n)
{
	char **names = mem_zalloc(n * sizeof(*names)), name[NAMES_MAX];

	for (uint32_t i = 0; i < n; i++)
		names[i] = mem_strdup(names_queue(f, keys[i] / STUCK_PRIOS,
						  (int)(keys[i] % STUCK_PRIOS), name,
						  sizeof(name)));
	return names;
}

static void fill_deadlock(struct observe *o)
{
	struct deadlock_report r = deadlock_report(o->dead);
	struct summary *s = &o->summary;

	s->deadlock.found = r.count > 0;
	s->deadlock.standing = r.standing;
	s->deadlock.count = r.count;
	s->deadlock.first_ps = r.first_ps;
	s->deadlock.cleared_ps = r.cleared_ps;
	s->deadlock.cleared_by = r.cleared_ps >= 0 ? force_name(r.cleared_by) : NULL;
	s->deadlock.cycle = name_queues(o->f, r.cycle, r.ncycle);
	s->deadlock.ncycle = (int)r.ncycle;
	s->deadlock.victims = name_queues(o->f, r.victims, r.nvictims);
	s->deadlock.nvictims = (int)r.nvictims;
}

static void fill_run(struct observe *o)
{
	const struct observe_conf *conf = o->conf;
	const struct run_conf *run_conf = view_run_conf(o->f);
	struct view_run run = view_run(o->f);
	struct summary *s = &o->summary;

	s->experiment = conf->experiment ? conf->experiment : "";
	s->variant = conf->variant ? conf->variant : "base";
	s->version = conf->version ? conf->version : "";
	s->commit = conf->commit ? conf->commit : "";
	s->compiler = conf->compiler ? conf->compiler : "";
	s->seed = run_conf->seed;
	s->warmup_ps = run_conf->warmup_ps;
	s->digest = run.digest;
	s->complete = run.complete;
	s->simulated_ps = run.now_ps;
	s->events = (int64_t)run.events;
	s->packet_hops = (int64_t)run.packet_hops;
	s->pool_growths = (int64_t)run.pool_growths;
}

static void add_warning(void *ctx, const char *text)
{
	struct summary *s = ctx;

	s->warnings = mem_grow(s->warnings, (size_t)(s->nwarnings + 1) * sizeof(*s->warnings));
	s->warnings[s->nwarnings++] = mem_strdup(text);
}

/* The first failure is told; the others are tried all the same. */
static int finish_files(struct observe *o, struct sim_error *err)
{
	int rc = flowtable_finish(o->flows, &o->summary, err);

	rc |= eventlog_finish(o->log, err);
	rc |= pauselog_finish(o->pauses, err);
	rc |= stops_finish(o->stops, err);
	rc |= deadlocklog_finish(o->deadlocks, err);
	rc |= replay_finish(o->replay, err);
	o->summary.series = mem_zalloc((size_t)o->nseries * sizeof(*o->summary.series));
	for (; o->summary.nseries < o->nseries; o->summary.nseries++)
		rc |= series_finish(o->series[o->summary.nseries],
				    &o->summary.series[o->summary.nseries], err);
	for (int i = 0; i < o->nrates; i++)
		rc |= flowrates_finish(o->rates[i], err);
	for (int i = 0; i < o->nmarks; i++)
		rc |= marks_finish(o->marks[i], err);
	if (o->conf->dir) {
		rc |= portstats_write(o->f, o->conf->dir, err);
		rc |= watchdogs_write(o->f, o->conf->dir, err);
	}
	return rc ? -1 : 0;
}

int observe_finish(struct observe *o, struct sim_error *err)
{
	struct summary *s = &o->summary;

	fill_run(o);
	int rc = finish_files(o, err);
	portstats_fill(o->f, s);
	fill_deadlock(o);
	stall_fill(o->stall, s);
	livelock_fill(o->livelock, s);
	s->watchdog.nic_gave_up = eventlog_count(o->log, EVENTLOG_NIC_WATCHDOG);
	fabric_warnings(o->f, add_warning, s);
	findings_fill(o->f, o->dead, o->log, s);
	if (!invariant_check(o->f, o->flows, o->dead, o->broken, sizeof(o->broken)))
		summary_find(s, SUMMARY_BROKEN, "an invariant broke: %s", o->broken);
	return rc;
}

struct summary *observe_summary(struct observe *o)
{
	return &o->summary;
}

const char *observe_broken(const struct observe *o)
{
	return o->broken[0] ? o->broken : NULL;
}

void observe_free(struct observe **op)
{
	struct observe *o = *op;

	*op = NULL;
	if (!o)
		return;
	for (int i = 0; i < o->nseries; i++)
		series_free(&o->series[i]);
	for (int i = 0; i < o->nrates; i++)
		flowrates_free(&o->rates[i]);
	for (int i = 0; i < o->nmarks; i++)
		marks_free(&o->marks[i]);
	free(o->series);
	free(o->rates);
	free(o->marks);
	replay_free(&o->replay);
	deadlocklog_free(&o->deadlocks);
	stops_free(&o->stops);
	pauselog_free(&o->pauses);
	waits_free(&o->waits);
	stall_free(&o->stall);
	livelock_free(&o->livelock);
	deadlock_free(&o->dead);
	eventlog_free(&o->log);
	flowtable_free(&o->flows);
	summary_free(&o->summary);
	free(o);
}
