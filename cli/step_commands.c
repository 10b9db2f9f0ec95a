/* cli/step_commands.c - see step.h: the commands of a session. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "build_id.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/status.h"
#include "cli/step.h"
#include "sim/mem.h"
#include "sim/units.h"

/* ----------------------------------------------------------------------- words */

/* A mistake: at a terminal a message, else the end. */
static int SIM_PRINTF(2, 3) wrong(struct step_session *c, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (c->terminal)
		printf("%s\n", text);
	else
		message_error("step", "%s:%d: %s", c->from, c->line, text);
	return c->terminal ? STATUS_OK : STATUS_INPUT;
}

static const char *word(const struct step_session *c, int i)
{
	return i < c->nwords ? c->words[i] : NULL;
}

static int unknown(struct step_session *c, const char *what, const char *name, const char *const *names)
{
	const char *near = error_nearest(name, names);
	char list[320] = "";
	size_t n = 0;

	if (near)
		return wrong(c, "unknown %s \"%s\"; did you mean \"%s\"?", what, name, near);
	for (int i = 0; names[i] && n < sizeof list; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", names[i]);
	return wrong(c, "unknown %s \"%s\"; there are: %s", what, name, list);
}

static int unknown_kind(struct step_session *c, const char *name)
{
	const char *names[40] = { "event", "end" };
	int n = 2;

	for (int i = 0; step_words[i].name; i++)
		names[n++] = step_words[i].name;
	return unknown(c, "kind of event", name, names);
}

static const struct step_word *find_kind(const char *name)
{
	for (int i = 0; step_words[i].name; i++)
		if (strcmp(step_words[i].name, name) == 0)
			return &step_words[i];
	return NULL;
}

/* "; nodes are A, B, h0 ..." */
static void some_nodes(const struct step_session *c, char *buf, size_t size)
{
	uint32_t n = view_nodes(c->step.f), i = 0;
	size_t used = (size_t)snprintf(buf, size, "; nodes are");

	for (; i < n && used + strlen(view_node_name(c->step.f, i)) + 8 < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s %s", i ? "," : "",
					 view_node_name(c->step.f, i));
	if (i < n)
		snprintf(buf + used, size - used, " ...");
}

/* Of `run until KIND on NAME' and of `why', `show': a node or port, or with `flows' a flow. */
static int place(struct step_session *c, const char *name, bool flows, struct step_place *out)
{
	const char *near = NULL;
	char list[200] = "";

	*out = (struct step_place){ .set = false, .node = VIEW_NONE, .port = VIEW_NONE, .prio = -1 };
	if (!name || step_place_find(&c->step, name, out, &near) == 0)
		return STATUS_OK;
	if (flows && out->node == VIEW_NONE) {
		for (int i = 0; i < view_workloads(c->step.f); i++) {
			const char *own = view_workload(c->step.f, i).name;

			if (strchr(name, '>') || strchr(name, '*') || strcmp(name, own) == 0) {
				out->flow = name;
				return STATUS_OK;
			}
		}
	}
	out->set = false;
	if (!near && out->node == VIEW_NONE)
		some_nodes(c, list, sizeof list);
	if (near)
		wrong(c, "there is no \"%s\"; did you mean \"%s\"?", name, near);
	else
		wrong(c, "there is no \"%s\"; wanted NODE, NODE:PORT or NODE:PORT/PRIORITY%s%s", name,
		      flows ? ", or a flow: NAME or SRC>DST" : "", list);
	return STATUS_INPUT;
}

/* What a mistake in a place costs: nothing at a terminal. */
static int forgiven(const struct step_session *c)
{
	return c->terminal ? STATUS_OK : STATUS_INPUT;
}

/* --------------------------------------------------------------------- running */

static void tell_over(const struct step_session *c)
{
	struct view_run run = view_run(c->step.f);
	char now[32], events[32];

	printf("the run is over at %s: %s events, digest %016" PRIx64 "\n",
	       step_time(run.now_ps, now, sizeof now),
	       step_number((int64_t)run.events, events, sizeof events), run.digest);
}

static enum step_end go(struct step_session *c, const struct step_goal *goal)
{
	struct progress progress = { .on = false };
	enum step_end end;

	if (c->terminal)
		progress_start(&progress, c->step.f, scenario_name(c->step.sc));
	end = step_go(&c->step, goal);
	progress_stop(&progress);
	return end;
}

/* Goes on and tells where that led. */
static int advance(struct step_session *c, const struct step_goal *goal)
{
	char now[32];

	switch (go(c, goal)) {
	case STEP_FOUND:
		puts(step_tell(&c->step));
		return STATUS_OK;
	case STEP_TIME:
		printf("it is %s\n", step_time(view_run(c->step.f).now_ps, now, sizeof now));
		return STATUS_OK;
	case STEP_INTERRUPTED:
		printf("interrupted at %s\n", step_time(view_run(c->step.f).now_ps, now, sizeof now));
		return c->terminal ? STATUS_OK : STATUS_INTERRUPTED;
	case STEP_OVER:
	default:
		if (goal->kinds && goal->kinds != c->step.told)
			printf("no such event any more; ");
		tell_over(c);
		return STATUS_OK;
	}
}

static int next(struct step_session *c)
{
	struct step_goal goal = { .kinds = c->step.told, .at_ps = UNITS_NEVER };
	const char *count = word(c, 1), *text;
	char *end = NULL;
	long n = count ? strtol(count, &end, 10) : 1;
	int status = STATUS_OK;

	if (n < 1 || n > 1000000 || (end && *end))
		return wrong(c, "next wants a number from 1 to 1000000, not \"%s\"", count);
	while (n-- > 0 && status == STATUS_OK) {
		text = step_tell(&c->step);
		if (text)
			puts(text);
		else
			status = advance(c, &goal);
		if (view_run(c->step.f).complete)
			break;
	}
	return status;
}

/* "12us", "+5us"; -1 is never a time. */
static int64_t time_of(const struct step_session *c, const char *text, struct sim_error *err)
{
	int64_t ps = -1;

	if (units_parse(text + (*text == '+'), UNITS_TIME, &ps, NULL, err))
		return -1;
	return *text == '+' ? view_run(c->step.f).now_ps + ps : ps;
}

/* run [[until] KIND|TIME|event|end [on NAME]] */
static int run(struct step_session *c)
{
	struct step_goal goal = { .at_ps = UNITS_NEVER };
	int at = word(c, 1) && strcmp(word(c, 1), "until") == 0 ? 2 : 1;
	const char *what = word(c, at), *on = word(c, at + 1);
	const struct step_word *kind = what ? find_kind(what) : NULL;
	struct sim_error err = { 0 };

	if (what && (*what == '+' || (*what >= '0' && *what <= '9'))) {
		goal.at_ps = time_of(c, what, &err);
		if (goal.at_ps < 0)
			return wrong(c, "%s", err.text);
		if (goal.at_ps < view_run(c->step.f).now_ps)
			return wrong(c, "%s is past; `restart' begins anew", what);
	} else if (kind) {
		goal.kinds = kind->kinds;
	} else if (what && strcmp(what, "event") == 0) {
		goal.kinds = c->step.told;
	} else if (what && *what == '-') {
		return wrong(c, "a time cannot be negative: \"%s\"", what);
	} else if (what && strcmp(what, "end") != 0) {
		return on && at == 1 && error_nearest(what, (const char *const[]){ "until", NULL }) ?
			wrong(c, "unknown word \"%s\"; did you mean \"until\"?", what) :
			unknown_kind(c, what);
	}
	if (on && (strcmp(on, "on") != 0 || !word(c, at + 2) || !goal.kinds))
		return wrong(c, "wanted `run until KIND on NAME', not \"%s\"", on);
	if (word(c, at + 3))
		return wrong(c, "one word too many: \"%s\"", word(c, at + 3));
	if (on && place(c, word(c, at + 2), true, &goal.place))
		return forgiven(c);
	return advance(c, &goal);
}

/* tell [KIND...], hush KIND... */
static int choose(struct step_session *c, bool told)
{
	for (int i = 1; i < c->nwords; i++) {
		const struct step_word *kind = find_kind(c->words[i]);

		if (!kind && strcmp(c->words[i], "event") != 0)
			return unknown_kind(c, c->words[i]);
		uint32_t kinds = kind ? kind->kinds : STEP_BIT(STEP_KINDS) - 1;
		c->step.told = told ? c->step.told | kinds : c->step.told & ~kinds;
	}
	printf("`next' tells of");
	for (int i = 0; step_words[i].name; i++)
		if (!(step_words[i].kinds & (step_words[i].kinds - 1)) &&
		    c->step.told & step_words[i].kinds)
			printf(" %s", step_words[i].name);
	printf("%s\n", c->step.told ? "" : " nothing");
	return STATUS_OK;
}
static int tell(struct step_session *c) { return choose(c, true); }
static int hush(struct step_session *c) { return choose(c, false); }

/* ------------------------------------------------------------------------ looks */

/* Can it name a flow?  Of pairs and patterns only a look can tell. */
static bool knows_flow(const struct step_session *c, const char *name)
{
	bool known = strpbrk(name, ">*?") || view_find(c->step.f, name) != VIEW_NONE;

	for (int i = 0; !known && i < view_workloads(c->step.f); i++)
		known = strcmp(view_workload(c->step.f, i).name, name) == 0;
	return known;
}

static int show(struct step_session *c)
{
	static const char *const names[] = { "queues", "groups", "pauses", "flows", "port", "now",
					     NULL };
	static void (*const tables[])(const struct step *, const struct step_place *) = {
		step_show_queues, step_show_groups, step_show_pauses };
	const char *what = word(c, 1), *name = word(c, 2);
	struct step_place at;
	int k = 0;

	if (!what)
		return wrong(c, "show what? queues, groups, pauses, flows, port NAME or now");
	while (names[k] && strcmp(names[k], what) != 0)
		k++;
	if (!names[k])
		return unknown(c, "thing to show", what, names);
	if (k == 3 || k == 5) {
		if (k == 3 && name && !knows_flow(c, name))
			return wrong(c, "there is no flow \"%s\"; wanted the name of an entry of "
				     "`traffic', SRC>DST, or a pattern of either", name);
		if (k == 3)
			step_show_flows(&c->step, name);
		else
			step_show_now(&c->step);
		return STATUS_OK;
	}
	if (place(c, name, false, &at))
		return forgiven(c);
	if (k == 4 && (!at.set || at.port == VIEW_NONE))
		return wrong(c, "show port wants a port, such as %s:%d",
			     view_node_name(c->step.f, view_port(c->step.f, 0).node),
			     view_port(c->step.f, 0).number);
	if (k == 4)
		step_show_port(&c->step, &at);
	else
		tables[k](&c->step, &at);
	return STATUS_OK;
}

static int why(struct step_session *c)
{
	struct step_place at;

	if (place(c, word(c, 1), false, &at))
		return forgiven(c);
	step_why(&c->step, &at);
	return STATUS_OK;
}

/* --------------------------------------------------------------------- commands */

int step_begin(struct step_session *c)
{
	if (step_open(&c->step, c->diag)) {
		diag_print(c->diag, stderr);
		return STATUS_INPUT;
	}
	c->context = (struct assert_context){
		.experiment = scenario_name(c->step.sc), .version = XOFF_VERSION,
		.seed = (uint64_t)scenario_run_conf(c->step.sc, c->step.run)->seed,
	};
	view_clock(c->step.f, &c->context.now_ps, &c->context.events);
	assert_set_context(&c->context);
	return STATUS_OK;
}

static int quit(struct step_session *c)
{
	c->quit = true;
	return STATUS_OK;
}

static int help(struct step_session *c);

static const struct verb {
	const char *name, *also, *args, *about;
	int (*main)(struct step_session *c);
} verbs[] = {
	{ "next", "n", "[N]", "the next event, or N of them; Enter does the same", next },
	{ "run", "r", "[until WHAT]", "on to the end, to TIME, +TIME, or to a KIND [on NAME]", run },
	{ "continue", "c", "[until WHAT]", "the same", run },
	{ "show", "s", "WHAT", "queues|groups|pauses [NAME], flows [NAME], port NAME, now", show },
	{ "why", "w", "[NAME]", "who has stopped whom at this instant", why },
	{ "tell", "t", "[KIND...]", "let `next' tell of these too; frame: of every frame", tell },
	{ "hush", NULL, "KIND...", "let `next' pass over these", hush },
	{ "restart", NULL, "", "from the beginning", step_begin },
	{ "help", "h", "", "this", help },
	{ "quit", "q", "", "the end", quit },
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static int help(struct step_session *c)
{
	(void)c;
	for (int i = 0; i < VERBS; i++)
		printf("  %-8s %-2s %-13s %s\n", verbs[i].name, verbs[i].also ? verbs[i].also : "",
		       verbs[i].args, verbs[i].about);
	puts("NAME is a node, a port (leaf0:3), one priority of it (leaf0:3/3); of events also a flow\n"
	     "(db, h1>h5).  KIND is `event' or one of (* `next' tells of it):");
	for (int i = 0; step_words[i].name; i++)
		printf("  %c %-9s %s\n", step_words[i].told ? '*' : ' ', step_words[i].name,
		       step_words[i].doc);
	return STATUS_OK;
}

int step_obey(struct step_session *c, char *text)
{
	const char *names[VERBS + 1] = { NULL };
	char *save = NULL;

	c->nwords = 0;
	for (char *w = strtok_r(text, " \t\r\n", &save); w; w = strtok_r(NULL, " \t\r\n", &save)) {
		if (*w == '#')
			break;
		if (c->nwords == (int)(sizeof c->words / sizeof *c->words))
			return wrong(c, "too many words");
		c->words[c->nwords++] = w;
	}
	if (!c->nwords && !c->terminal)
		return STATUS_OK;
	if (!c->nwords)
		return next(c);
	for (int i = 0; i < VERBS; i++) {
		names[i] = verbs[i].name;
		if (strcmp(verbs[i].name, c->words[0]) == 0 ||
		    (verbs[i].also && strcmp(verbs[i].also, c->words[0]) == 0))
			return verbs[i].main(c);
	}
	return unknown(c, "command", c->words[0], names);
}
