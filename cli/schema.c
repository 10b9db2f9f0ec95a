/* cli/schema.c - `xoff schema`: the JSON Schema of an experiment. */
#include "cli/command.h"
#include "cli/status.h"
#include "scenario/scenario.h"

static int schema_main(const struct command *self, int argc, char **argv)
{
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, NULL, &args);

	if (answer == OPTIONS_GO)
		scenario_schema(stdout);	/* main tells of a full disk */
	options_fini(self, NULL, &args);
	return answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;
}

const struct command schema_command = {
	.name = "schema",
	.args = "",
	.about = "print the JSON Schema (draft-07) of an experiment",
	.details =
	"An editor that is given it completes keys and marks wrong ones while you type.\n",
	.examples = "  xoff schema > experiment.schema.json\n",
	.main = schema_main,
};
