/* cli/explain.c - `xoff explain`: what a setting, a column or a field means; and of
 * a finished run, who paused whom and why. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/explain_run.h"
#include "cli/glossary.h"
#include "cli/message.h"
#include "cli/rundir_read.h"
#include "cli/status.h"
#include "scenario/scenario.h"
#include "sim/nearpath.h"

static int explain_all(void)
{
	fputs("Settings of an experiment, by section (xoff explain SECTION shows its keys):\n\n",
	      stdout);
	scenario_explain_all(stdout);
	fputs("\nResults (xoff explain COLUMN says what it is):\n\n", stdout);
	glossary_all(stdout);
	return STATUS_OK;
}

/* How many lines; 0: suggestions. */
static int print_key(const char *key, const char **setting, const char **result)
{
	int n = scenario_explain(key, stdout, setting);

	n += glossary_explain(key, stdout, result);
	return n ? n : glossary_explain_path(key, stdout);
}

static int explain_key(const char *key)
{
	const char *setting = NULL, *result = NULL;
	char hint[NEARPATH_MAX];

	if (print_key(key, &setting, &result))
		return STATUS_OK;
	nearpath_hint(key, hint, sizeof hint);
	if (strchr(key, '/') || access(key, F_OK) == 0 || (*hint && !setting && !result))
		message_error("explain", "%s: no folder of a run, and no key; wanted a folder that "
			      "`xoff run FILE -o DIR' wrote, or a key%s", key, hint);
	else if (setting && result)
		message_error("explain", "unknown key \"%s\"; did you mean the setting \"%s\", or "
			      "the result \"%s\"?", key, setting, result);
	else if (setting || result)
		message_error("explain", "unknown key \"%s\"; did you mean \"%s\"?", key,
			      setting ? setting : result);
	else
		message_error("explain", "unknown key \"%s\"; `xoff explain' lists what there is",
			      key);
	return STATUS_INPUT;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A folder without a run does not hide a key of its name. */
static int explain_one(const char *word, const struct explain_options *opt)
{
	const char *setting = NULL, *result = NULL, *near;
	char hint[NEARPATH_MAX];

	if (opt->json && opt->dot) {
		message_error("explain", "--json or --dot, not both");
		return STATUS_INPUT;
	}
	if (is_directory(word) && rundir_read_any(word))
		return explain_run(word, opt);
	if (opt->at || opt->flow || opt->port || opt->prio || opt->variant || opt->json || opt->dot ||
	    opt->what_if) {
		message_error("explain", "%s is no folder of a run, and options are about one%s", word,
			      nearpath_hint(word, hint, sizeof hint));
		return STATUS_INPUT;
	}
	if (!is_directory(word))
		return explain_key(word);
	if (print_key(word, &setting, &result))
		return STATUS_OK;
	near = setting ? setting : result;
	message_error("explain", "%s holds no run of xoff's (no pauses.csv), and is no key%s%s%s", word,
		      near ? "; did you mean the key \"" : "", near ? near : "", near ? "\"?" : "");
	return STATUS_INPUT;
}

static int explain_main(const struct command *self, int argc, char **argv)
{
	struct explain_options opt = { 0 };
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, &opt, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (answer == OPTIONS_GO && args.n == 0)
		status = explain_all();
	for (int i = 0; answer == OPTIONS_GO && i < args.n; i++)
		status = status_worse(status, explain_one(args.items[i], &opt));
	options_fini(self, &opt, &args);
	return status;
}

#define FIELD(name) offsetof(struct explain_options, name)
static const struct options_row options[] = {
	{ "at", 0, OPTIONS_TEXT, FIELD(at), "TIME",
	  "who waits on whom at that instant, or at \"deadlock\"", NULL },
	{ "flow", 0, OPTIONS_TEXT, FIELD(flow), "NAME",
	  "where it lost its time: WORKLOAD, SRC>DST, or both", NULL },
	{ "port", 0, OPTIONS_TEXT, FIELD(port), "NAME",
	  "why this port (NODE:PORT, or all of NODE) was stopped", NULL },
	{ "prio", 0, OPTIONS_TEXT, FIELD(prio), "N", "of this priority only", NULL },
	{ "variant", 'V', OPTIONS_TEXT, FIELD(variant), "NAME",
	  "of several runs in DIR this one; else base", NULL },
	{ "what-if", 0, OPTIONS_FLAG, FIELD(what_if), NULL,
	  "run it again with one thing changed at a time", NULL },
	{ "budget", 0, OPTIONS_COUNT, FIELD(budget_s), "SECONDS",
	  "about so long for --what-if; else 60", NULL },
	{ "json", 0, OPTIONS_FLAG, FIELD(json), NULL, "all of it, for programs", NULL },
	{ "dot", 0, OPTIONS_FLAG, FIELD(dot), NULL, "the waits as a graph for dot", NULL },
	{ .name = NULL },
};

const struct command explain_command = {
	.name = "explain",
	.args = "[DIR | KEY...]",
	.about = "say who paused whom in a run, or what a key or a column means",
	.details =
	"DIR is what `xoff run -o DIR' left: every stop of every transmitter is traced to its\n"
	"root, a congested port, a NIC that storms, a slow receiver or a deadlock.\n"
	"KEY is a setting (unit, default, range, place) or a result (unit and file).\n"
	"Without arguments: every key there is.\n",
	.examples =
	"  xoff explain results --variant base\n"
	"  xoff explain results --flow db\n"
	"  xoff explain ring/third-greedy --at deadlock\n"
	"  xoff explain ring/third-greedy --what-if\n"
	"  xoff explain kmin\n"
	"  xoff explain pauses.csv\n",
	.options = options,
	.max_args = 100,
	.main = explain_main,
};
