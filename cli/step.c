/* cli/step.c - `xoff step`: a terminal debugger of a run, for teaching.  See step.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "cli/status.h"
#include "cli/step.h"
#include "sim/assert.h"
#include "sim/mem.h"
#include "sim/nearpath.h"

struct step_options { const char *variant, *seed, *script; struct options_list sets, commands; };

struct session {
	struct step_session s;
	struct step_options opt;
	FILE *in;		/* where commands come from; NULL: from --command */
};

/* ----------------------------------------------------------------------- driver */

static void prompt(const struct session *c, const char *echo)
{
	char now[32];

	printf("(t=%s) ", step_time(view_run(c->s.step.f).now_ps, now, sizeof now));
	if (echo)
		printf("%s\n", echo);
	fflush(stdout);
}

/* A line of `in' without its end; NULL: no more. */
static char *read_line(struct session *c, char **line, size_t *size)
{
	ssize_t n;

	for (;;) {
		if (c->s.terminal) {
			signals_again();
			prompt(c, NULL);
		}
		errno = 0;
		n = getline(line, size, c->in);
		if (n < 0 && errno == EINTR && c->s.terminal) {	/* Ctrl-C at the prompt */
			clearerr(c->in);
			putchar('\n');
			continue;
		}
		if (n < 0)
			return NULL;
		(*line)[strcspn(*line, "\r\n")] = '\0';
		c->s.line++;
		if (c->s.terminal)
			signals_again();	/* one that came between the prompt and the read */
		return *line;
	}
}

static int one(struct session *c, char *text)
{
	const char *first = text + strspn(text, " \t");

	if (!c->s.terminal && *first && *first != '#')
		prompt(c, text);
	return step_obey(&c->s, text);
}

static int interact(struct session *c)
{
	char *line = NULL, *text;
	size_t size = 0;
	int status = STATUS_OK;

	while (!c->s.quit && status == STATUS_OK && (text = read_line(c, &line, &size)))
		status = one(c, text);
	if (c->s.terminal && !c->s.quit)
		putchar('\n');
	free(line);
	return status;
}

static int obey(struct session *c)
{
	int status = STATUS_OK;

	for (int i = 0; i < c->opt.commands.n && !c->s.quit && status == STATUS_OK; i++) {
		char *text = mem_strdup(c->opt.commands.items[i]);

		c->s.line++;
		status = one(c, text);
		free(text);
	}
	return status;
}

static int open_input(struct session *c)
{
	if (c->opt.commands.n && c->opt.script) {
		message_error("step", "--script and --command do not go together");
		return STATUS_INPUT;
	}
	c->s.from = c->opt.commands.n ? "--command" : c->opt.script ? c->opt.script : "standard input";
	if (c->opt.commands.n)
		return STATUS_OK;
	c->in = c->opt.script && strcmp(c->opt.script, "-") ? fopen(c->opt.script, "re") : stdin;
	if (!c->in) {
		char hint[NEARPATH_MAX];

		message_error("step", "cannot read %s: %s%s", c->opt.script, strerror(errno),
			      nearpath_hint(c->opt.script, hint, sizeof hint));
		return STATUS_INPUT;
	}
	c->s.terminal = c->in == stdin && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
	return STATUS_OK;
}

static int choose_run(struct session *c)
{
	const char *name = c->opt.variant ? c->opt.variant : "base", *near = NULL;

	c->s.step.run = scenario_run_find(c->s.step.sc, name, &near);
	if (c->s.step.run >= 0)
		return STATUS_OK;
	if (near)
		message_error("step", "no variant \"%s\" in %s; did you mean \"%s\"?", name,
			      scenario_path(c->s.step.sc), near);
	else
		message_error("step", "no variant \"%s\" in %s; `xoff list %s' shows them", name,
			      scenario_path(c->s.step.sc), scenario_path(c->s.step.sc));
	return STATUS_INPUT;
}

static int session(struct session *c, const char *path)
{
	struct scenario_options how = { .sets = c->opt.sets.items, .nsets = c->opt.sets.n,
					.seed = c->opt.seed };
	int status;

	for (int i = 0; step_words[i].name; i++)
		c->s.step.told |= step_words[i].told ? step_words[i].kinds : 0;
	status = open_input(c);
	if (status)
		return status;
	c->s.step.sc = scenario_open(path, &how, c->s.diag);
	if (!c->s.step.sc) {
		diag_print(c->s.diag, stderr);
		return STATUS_INPUT;
	}
	status = choose_run(c);
	if (status == STATUS_OK)
		status = step_begin(&c->s);
	if (status == STATUS_OK && c->s.terminal)
		printf("%s/%s: %s\nEnter goes to the next event; `help' lists the commands.\n",
		       scenario_name(c->s.step.sc), scenario_run_name(c->s.step.sc, c->s.step.run),
		       scenario_about(c->s.step.sc));
	if (status == STATUS_OK)
		status = c->in ? interact(c) : obey(c);
	return status;
}

static int step_main(const struct command *self, int argc, char **argv)
{
	struct session c = { .s.diag = diag_new() };
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, &c.opt, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (answer == OPTIONS_GO)
		status = session(&c, args.items[0]);
	assert_set_context(NULL);
	step_close(&c.s.step);
	scenario_free(&c.s.step.sc);
	diag_free(&c.s.diag);
	if (c.in && c.in != stdin)
		fclose(c.in);
	options_fini(self, &c.opt, &args);
	return status;
}

#define FIELD(name) offsetof(struct step_options, name)
static const struct options_row options[] = {
	{ "variant", 'V', OPTIONS_TEXT, FIELD(variant), "NAME", "this variant; else the base", NULL },
	{ "set", 's', OPTIONS_LIST, FIELD(sets), "PATH=VALUE",
	  "change one setting: --set switch.buffer.alpha=1/32", NULL },
	{ "seed", 0, OPTIONS_TEXT, FIELD(seed), "N", "the seed of every random stream", NULL },
	{ "command", 'c', OPTIONS_LIST, FIELD(commands), "COMMAND",
	  "do this and end; again for more", NULL },
	{ "script", 0, OPTIONS_TEXT, FIELD(script), "FILE", "commands, one a line; # comments", NULL },
	{ .name = NULL },
};

const struct command step_command = {
	.name = "step",
	.args = "EXPERIMENT",
	.about = "go through a run event by event, and ask who waits on whom",
	.details =
	"Tells each event in words: an XOFF and what its group holds, a transmitter that\n"
	"stops, a mark, a loss, a deadlock.  Commands (`help' lists them): next or Enter,\n"
	"run until pause|xon|mark|drop|deadlock|storm|TIME [on NAME], show queues|groups|\n"
	"pauses|flows|port, why, restart, quit.  Ctrl-C ends a stretch, not the session.\n"
	"Commands may come from a pipe: they are printed with the time, so that the output\n"
	"reads like a session; a wrong one ends it with status 2.\n",
	.examples =
	"  xoff step experiments/deadlock/ring.json --variant third-greedy\n"
	"  xoff step ring.json -V third-greedy -c 'run until deadlock' -c why\n"
	"  echo 'run until pause on leaf0' | xoff step storm.json\n",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.main = step_main,
};
