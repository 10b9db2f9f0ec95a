/*
 * cli/plot.c - `xoff plot`: figures of a run, drawn by gnuplot from its files.
 *
 * The scripts in plots/ read the run directory and nothing else, so each can be
 * changed and run by hand: gnuplot -e "dir='out'; out='f.svg'" fct-cdf.gp
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/path.h"
#include "cli/status.h"
#include "sim/error.h"
#include "sim/mem.h"
#include "sim/nearpath.h"

#ifndef XOFF_DATADIR
#define XOFF_DATADIR "/usr/local/share/xoff"
#endif

struct plot_options { const char *out; bool png; };
#define FIELD(name) offsetof(struct plot_options, name)
static const struct options_row options[] = {
	{ "out", 'o', OPTIONS_TEXT, FIELD(out), "FOLDER", "where the figures go (default: the run's own folder)", NULL },
	{ "png", 0, OPTIONS_FLAG, FIELD(png), NULL, "PNG instead of SVG", NULL },
	{ .name = NULL },
};

/* Of one run; and those that compare the runs of a folder. */
static const char *const figures[] = {
	"fct-cdf", "slowdown-size", "pause-gantt", "pause-heat", "pause-share", "headroom", "queue",
	"ecn-mark", "convergence", "qp-tail", NULL
};
static const char *const comparing[] = { "qp-tail", NULL };

static bool among(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

static bool is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* $XOFF_PLOTS; beside the sources, for a program that was not installed; installed. */
static char *scripts(void)
{
	const char *env = getenv("XOFF_PLOTS");
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (env)
		return mem_strdup(env);
	for (int up = 0; n > 0 && up < 3; up++) {
		while (n > 0 && exe[n - 1] != '/')
			n--;
		exe[n > 0 ? --n : 0] = 0;
		char *beside = path_join(*exe ? exe : "/", "plots");
		char *common = path_join(beside, "common.gp");
		bool found = access(common, R_OK) == 0;
		free(common);
		if (found)
			return beside;
		free(beside);
	}
	return mem_strdup(XOFF_DATADIR "/plots");
}

/* In the folder of the scripts, since they load each other; a quote in a path
 * would end the string that gnuplot reads. */
static int draw(const char *folder, const char *figure, const char *dir, const char *out)
{
	char script[64], *set = mem_zalloc(strlen(dir) + strlen(out) + 32);
	int state;

	snprintf(script, sizeof script, "%s.gp", figure);
	sprintf(set, "dir='%s'; out='%s'", dir, out);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		if (chdir(folder) == 0)
			execlp("gnuplot", "gnuplot", "-e", set, script, (char *)NULL);
		_exit(127);
	}
	free(set);
	if (pid < 0 || waitpid(pid, &state, 0) < 0)
		return 127;
	return WIFEXITED(state) ? WEXITSTATUS(state) : 127;
}

static char *absolute(const char *path)
{
	char *full = realpath(path, NULL), hint[NEARPATH_MAX];
	if (!full)
		message_error("plot", "there is no folder %s%s", path,
			      nearpath_hint(path, hint, sizeof hint));
	else if (strchr(full, '\''))
		message_error("plot", "gnuplot cannot read a path with a quote: %s", full);
	else
		return full;
	free(full);
	return NULL;
}

enum { NOTHING_TO_DRAW = 3 };

static int one_figure(const struct plot_options *o, const char *folder, const char *figure, const char *dir,
		      bool asked, int *drawn)
{
	char *place = absolute(o->out ? o->out : dir), name[64];

	if (!place)
		return STATUS_INPUT;
	snprintf(name, sizeof name, "%s.%s", figure, o->png ? "png" : "svg");
	char *out = path_join(place, name);
	int rc = draw(folder, figure, dir, out);
	if (rc == 0) {
		printf("%s\n", out);
		++*drawn;
	} else {
		unlink(out);
	}
	if (rc == 127)
		message_error("plot", "gnuplot cannot be run: install the package gnuplot-nox");
	else if (rc && (rc != NOTHING_TO_DRAW || asked))
		message_error("plot", "%s could not be drawn", figure);
	free(out);
	free(place);
	if (rc == 127)
		return STATUS_OUTPUT;
	return rc && (rc != NOTHING_TO_DRAW || asked) ? STATUS_FAILED : STATUS_OK;
}

static int check_figure(const char *name)
{
	if (among(name, figures))
		return 0;
	const char *near = error_nearest(name, figures);
	if (near)
		message_error("plot", "there is no figure \"%s\"; did you mean \"%s\"?", name, near);
	else
		message_error("plot", "there is no figure \"%s\"; xoff help plot lists them", name);
	return -1;
}

static bool has(const char *dir, const char *name)
{
	char *path = path_join(dir, name);
	bool there = access(path, R_OK) == 0;

	free(path);
	return there;
}

/* A run, or the folder that holds several; what it is not cannot be drawn of it. */
static int check_folder(const char *dir, const struct options_list *args)
{
	bool one = has(dir, "flows.csv");

	if (!one && !has(dir, "summary.json")) {
		message_error("plot", "%s is no run directory: it has no flows.csv", dir);
		return -1;
	}
	for (int i = 1; i < args->n; i++) {
		if (check_figure(args->items[i]))
			return -1;
		if (one && among(args->items[i], comparing)) {
			message_error("plot", "%s compares runs: name the folder that holds them, not one of them",
				      args->items[i]);
			return -1;
		}
		if (!one && !among(args->items[i], comparing)) {
			message_error("plot", "%s is of one run: %s holds several, name one such as %s/base",
				      args->items[i], dir, dir);
			return -1;
		}
	}
	return 0;
}

static int plot_all(const struct plot_options *o, const struct options_list *args)
{
	char *folder = scripts(), *dir = absolute(args->items[0]);
	int status = dir ? STATUS_OK : STATUS_INPUT, drawn = 0;

	if (o->out && access(o->out, F_OK) == 0 && !is_folder(o->out)) {
		message_error("plot", "%s is a file; the figures go into a folder", o->out);
		status = STATUS_INPUT;
	}
	if (status == STATUS_OK && check_folder(dir, args))
		status = STATUS_INPUT;
	if (status == STATUS_OK && !is_folder(folder)) {
		message_error("plot", "the scripts are not in %s; set XOFF_PLOTS", folder);
		status = STATUS_INPUT;
	}
	for (int i = 1; status == STATUS_OK && i < args->n; i++)
		status = status_worse(status, one_figure(o, folder, args->items[i], dir, true, &drawn));
	bool one = status == STATUS_OK && has(dir, "flows.csv");
	for (int i = 0; status == STATUS_OK && args->n == 1 && figures[i]; i++)
		if (one != among(figures[i], comparing))
			status = status_worse(status, one_figure(o, folder, figures[i], dir, false, &drawn));
	if (status == STATUS_OK && !drawn && !one) {
		message_error("plot", "%s holds several runs, and nothing was drawn that compares them; for the "
			      "figures of one, name it, such as %s/base", dir, dir);
		status = STATUS_INPUT;
	}
	free(dir);
	free(folder);
	return status;
}

static int plot_main(const struct command *self, int argc, char **argv)
{
	struct plot_options opt = { 0 };
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, &opt, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (answer == OPTIONS_GO)
		status = plot_all(&opt, &args);
	options_fini(self, &opt, &args);
	return status;
}

const struct command plot_command = {
	.name = "plot",
	.args = "DIR [FIGURE...]",
	.about = "draw figures of a run with gnuplot",
	.details =
	"Without FIGURE every one that the run has data for.\n"
	"  fct-cdf        completion times by workload\n"
	"  slowdown-size  slowdown against flow size, median and 99th percentile\n"
	"  pause-gantt    when each port was stopped\n"
	"  pause-heat     how much of the time, as a heat map\n"
	"  pause-share    how much of the run\n"
	"  headroom       most used, and held\n"
	"  queue          queues and rates over time (record.series, what: queue, rate)\n"
	"  ecn-mark       frames marked by queue length, and the curve (what: marks)\n"
	"  convergence    goodput of each flow, and Jain's index (what: flows)\n"
	"  qp-tail        P50, P99, P99.9 against queue pairs: DIR of an experiment with variants\n",
	.examples = "  xoff run storm.json --variant base -o out && xoff plot out\n  xoff plot out pause-gantt --png\n"
	"  xoff run experiments/baseline/thousands-of-qps.json -o qps && xoff plot qps qp-tail\n",
	.options = options,
	.min_args = 1,
	.max_args = 20,
	.main = plot_main,
};
