/* cli/list.c - `xoff list`: the experiments there are. */
#include <stdio.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/find.h"
#include "cli/message.h"
#include "cli/status.h"
#include "scenario/scenario.h"

static void print_one(const struct scenario *sc)
{
	const char *about = scenario_about(sc);

	printf("%s\n", scenario_path(sc));
	if (*about)
		printf("    %s\n", about);
	for (int i = 1; i < scenario_runs(sc); i++)
		printf("%s%s", i == 1 ? "    variants: " : ", ", scenario_run_name(sc, i));
	if (scenario_runs(sc) > 1)
		putchar('\n');
}

static int list_path(const char *path)
{
	struct find_list found = { 0 };
	struct sim_error err = { 0 };
	int status = STATUS_OK;

	if (find_experiments(&found, path, &err)) {
		message_error("list", "%s", err.text);
		status = STATUS_INPUT;
	}
	for (int i = 0; i < found.n; i++) {
		struct diag *diag = diag_new();
		struct scenario *sc = scenario_open(found.paths[i], NULL, diag);

		if (sc) {
			print_one(sc);
		} else {
			fflush(stdout);
			diag_print(diag, stderr);
			status = STATUS_INPUT;
		}
		scenario_free(&sc);
		diag_free(&diag);
	}
	find_fini(&found);
	return status;
}

static int list_main(const struct command *self, int argc, char **argv)
{
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, NULL, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (answer == OPTIONS_GO && args.n == 0)
		status = list_path(access("experiments", F_OK) == 0 ? "experiments" : ".");
	for (int i = 0; answer == OPTIONS_GO && i < args.n; i++)
		status = status_worse(status, list_path(args.items[i]));
	options_fini(self, NULL, &args);
	return status;
}

const struct command list_command = {
	.name = "list",
	.args = "[PATH...]",
	.about = "list experiments: file, claim, variants",
	.details = "Without PATH: those of the folder experiments/, or of this one.\n",
	.examples = "  xoff list\n  xoff list experiments/deadlock\n",
	.max_args = 1000,
	.main = list_main,
};
