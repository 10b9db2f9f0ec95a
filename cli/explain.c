/* cli/explain.c - `xoff explain`: what a setting, a column or a field means. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/glossary.h"
#include "cli/message.h"
#include "cli/status.h"
#include "scenario/scenario.h"

static int explain_all(void)
{
	fputs("Settings of an experiment, by section (xoff explain SECTION shows its keys):\n\n",
	      stdout);
	scenario_explain_all(stdout);
	fputs("\nResults (xoff explain COLUMN says what it is):\n\n", stdout);
	glossary_all(stdout);
	return STATUS_OK;
}

static int explain_key(const char *key)
{
	const char *setting = NULL, *result = NULL;
	int n = scenario_explain(key, stdout, &setting);

	n += glossary_explain(key, stdout, &result);
	if (n)
		return STATUS_OK;
	if (setting && result)
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

static int explain_main(const struct command *self, int argc, char **argv)
{
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, NULL, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (answer == OPTIONS_GO && args.n == 0)
		status = explain_all();
	for (int i = 0; answer == OPTIONS_GO && i < args.n; i++)
		status = status_worse(status, explain_key(args.items[i]));
	options_fini(self, NULL, &args);
	return status;
}

const struct command explain_command = {
	.name = "explain",
	.args = "[KEY...]",
	.about = "say what a setting, a column or a field means",
	.details =
	"A setting with its unit, default, range and place; a result with its unit and file.\n"
	"Without KEY: everything there is.\n",
	.examples =
	"  xoff explain kmin\n"
	"  xoff explain switch.buffer\n"
	"  xoff explain fct_ps\n"
	"  xoff explain pauses.csv\n",
	.max_args = 100,
	.main = explain_main,
};
