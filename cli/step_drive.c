/* cli/step_drive.c - see step.h: drives the fabric, keeps the events of an instant. */
#include <stdlib.h>
#include <string.h>

#include "cli/signals.h"
#include "cli/step.h"
#include "observe/names.h"
#include "sim/mem.h"
#include "sim/units.h"

const struct step_word step_words[] = {
	{ "pause", STEP_BIT(STEP_PAUSE), true, "an XOFF is sent" },
	{ "refresh", STEP_BIT(STEP_REFRESH), false, "an XOFF is repeated" },
	{ "xon", STEP_BIT(STEP_XON), true, "an XON is sent" },
	{ "stop", STEP_BIT(STEP_STOP), true, "a transmitter stops" },
	{ "go", STEP_BIT(STEP_GO), true, "a transmitter goes on" },
	{ "group", STEP_BIT(STEP_GROUP), false, "a priority group reaches XOFF, or leaves it" },
	{ "mark", STEP_BIT(STEP_MARK), true, "a frame is marked (ECN)" },
	{ "cnp", STEP_BIT(STEP_CNP), true, "a receiver sends a CNP" },
	{ "rate", STEP_BIT(STEP_RATE), false, "a sender changes its rate" },
	{ "drop", STEP_BIT(STEP_DROP), true, "a frame is lost" },
	{ "resend", STEP_BIT(STEP_RESEND), true, "a sender goes back" },
	{ "storm", STEP_BIT(STEP_STORM), true, "a NIC storms, or a watchdog finds a storm" },
	{ "fault", STEP_BIT(STEP_FAULT) | STEP_BIT(STEP_STORM), true, "a fault begins or ends" },
	{ "deadlock", STEP_BIT(STEP_DEADLOCK), true, "a deadlock forms or is cleared" },
	{ "start", STEP_BIT(STEP_START), true, "a message starts" },
	{ "done", STEP_BIT(STEP_DONE), true, "a message has arrived whole" },
	{ "failed", STEP_BIT(STEP_FAILED), true, "a message is given up" },
	{ "flow", STEP_BIT(STEP_START) | STEP_BIT(STEP_DONE) | STEP_BIT(STEP_FAILED), true,
	  "start, done or failed" },
	{ "send", STEP_BIT(STEP_SEND), false, "a frame starts on a wire" },
	{ "receive", STEP_BIT(STEP_RECEIVE), false, "a frame has arrived" },
	{ "frame", STEP_BIT(STEP_SEND) | STEP_BIT(STEP_RECEIVE), false, "send or receive" },
	{ .name = NULL }
};

/* ---------------------------------------------------------------- what happens */

static void clear(struct step *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->events[i].text);
	s->n = s->next = 0;
	s->found = false;
}

/* Starts the text of one more event. */
static FILE *open_event(struct step *s, int kind, bool wanted, size_t *size)
{
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 64;
		s->events = mem_grow(s->events, s->room * sizeof(*s->events));
	}
	s->events[s->n] = (struct step_event){ .kind = kind, .wanted = wanted };
	s->found = s->found || wanted;
	return mem_stream(&s->events[s->n++].text, size);
}

static void sink(void *ctx, const struct record *rec)
{
	struct step *s = ctx;
	int kind = step_kind_of(rec);
	size_t size;

	if (rec->kind == RECORD_PAUSED || rec->kind == RECORD_RESUMED)
		s->since_ps[rec->port * STEP_PRIOS + rec->prio] =
			rec->kind == RECORD_PAUSED ? rec->at_ps : -1;
	if (kind < 0 || !s->goal.kinds || !((s->told | s->goal.kinds) >> kind & 1))
		return;
	bool wanted = s->goal.kinds >> kind & 1 && step_at_place(s, rec, &s->goal.place);
	if (!wanted && !(s->told >> kind & 1))
		return;
	FILE *out = open_event(s, kind, wanted, &size);
	step_sentence(s, rec, out);
	mem_stream_close(out);
}

static void on_deadlock(void *ctx, int64_t at_ps, bool formed, const uint32_t *cycle,
			uint32_t ncycle, enum deadlock_force by)
{
	static const char *const forces[] = {
		[DEADLOCK_NONE] = "by itself", [DEADLOCK_WATCHDOG] = "by the watchdog",
		[DEADLOCK_FAULT] = "by a fault",
	};
	struct step *s = ctx;
	char time[32], name[NAMES_MAX];
	size_t size;

	s->formed = formed;
	s->ncycle = formed ? ncycle : 0;
	s->cycle = mem_grow(s->cycle, (s->ncycle + 1) * sizeof(*s->cycle));
	memcpy(s->cycle, cycle, s->ncycle * sizeof(*s->cycle));
	FILE *out = open_event(s, STEP_DEADLOCK, s->goal.kinds >> STEP_DEADLOCK & 1, &size);
	fprintf(out, "at %s ", step_time(at_ps, time, sizeof time));
	if (!formed)
		fprintf(out, "the deadlock is cleared %s", forces[by]);
	else
		fprintf(out, "a deadlock has formed: %u queues wait in a circle:", ncycle);
	for (uint32_t i = 0; i < s->ncycle; i++)
		fprintf(out, " %s ->", names_queue(s->f, cycle[i] / STEP_PRIOS,
						   (int)(cycle[i] % STEP_PRIOS), name, sizeof name));
	if (formed && ncycle)
		fprintf(out, " %s", names_queue(s->f, cycle[0] / STEP_PRIOS,
						(int)(cycle[0] % STEP_PRIOS), name, sizeof name));
	mem_stream_close(out);
}

/* --------------------------------------------------------------------- driving */

enum step_end step_go(struct step *s, const struct step_goal *goal)
{
	int64_t end_ps = view_run_conf(s->f)->until_ps;
	int64_t at_ps = goal->at_ps < end_ps ? goal->at_ps : end_ps;

	s->goal = *goal;
	clear(s);
	while (!s->found) {
		if (signals_stopped())
			return STEP_INTERRUPTED;
		clear(s);
		if (!fabric_step(s->f, at_ps) && !s->found)
			return view_run(s->f).complete ? STEP_OVER : STEP_TIME;
	}
	while (!s->events[s->next].wanted)
		s->next++;
	return STEP_FOUND;
}

const char *step_tell(struct step *s)
{
	return s->next < s->n ? s->events[s->next++].text : NULL;
}

int step_open(struct step *s, struct diag *diag)
{
	uint64_t kinds = 0;

	step_close(s);
	s->f = scenario_build(s->sc, s->run, diag);
	if (!s->f)
		return -1;
	for (int k = 0; k < RECORD_KINDS; k++)
		if (step_kind_of(&(struct record){ .kind = (uint16_t)k, .b = 1 }) >= 0)
			kinds |= UINT64_C(1) << k;
	size_t keys = (size_t)view_ports(s->f) * STEP_PRIOS;
	s->since_ps = mem_zalloc(keys * sizeof(*s->since_ps));
	for (size_t i = 0; i < keys; i++)
		s->since_ps[i] = -1;
	s->dead = deadlock_new(s->f, on_deadlock, s);
	fabric_add_sink(s->f, kinds, sink, s);
	return 0;
}

void step_close(struct step *s)
{
	clear(s);
	free(s->events);
	free(s->since_ps);
	free(s->cycle);
	s->events = NULL;
	s->room = 0;
	s->since_ps = NULL;
	s->cycle = NULL;
	s->ncycle = 0;
	s->formed = false;
	deadlock_free(&s->dead);
	fabric_free(&s->f);
}
