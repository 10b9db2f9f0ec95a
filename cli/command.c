/* cli/command.c - the commands that there are. */
#include "cli/command.h"

const struct command *const command_table[] = {
	&run_command,
	&verify_command,
	&check_command,
	&step_command,
	&sweep_command,
	&report_command,
	&plot_command,
	&export_command,
	&headroom_command,
	&thresholds_command,
	&fluid_command,
	&import_command,
	&list_command,
	&explain_command,
	&show_command,
	&schema_command,
	&manual_command,
	&version_command,
	NULL
};
_Static_assert(sizeof command_table / sizeof *command_table <= COMMAND_MOST, "COMMAND_MOST is too small");
