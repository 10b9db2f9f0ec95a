/*
 * cli/command.h - one command of xoff: what help says about it, and its code.
 *
 * A file a command: run.c holds run_command, verify.c verify_command, ...
 */
#ifndef COMMAND_H
#define COMMAND_H
#include "cli/options.h"

struct command {
	const char *name;
	const char *args;		/* "EXPERIMENT..."; "" for none */
	const char *about;		/* one line */
	const char *details;		/* more lines, each ending in \n; or NULL */
	const char *examples;		/* lines, each ending in \n */
	const struct options_row *options;
	int min_args, max_args;
	int (*main)(const struct command *self, int argc, char **argv);	/* argv[0]: its name */
};

extern const struct command check_command;
extern const struct command explain_command;
extern const struct command export_command;
extern const struct command fluid_command;
extern const struct command headroom_command;
extern const struct command import_command;
extern const struct command list_command;
extern const struct command manual_command;
extern const struct command plot_command;
extern const struct command report_command;
extern const struct command run_command;
extern const struct command schema_command;
extern const struct command show_command;
extern const struct command step_command;
extern const struct command sweep_command;
extern const struct command thresholds_command;
extern const struct command verify_command;
extern const struct command version_command;

/* All of them, in the order of the help; NULL ends.  command.c. */
enum { COMMAND_MOST = 32 };
extern const struct command *const command_table[];
#endif
