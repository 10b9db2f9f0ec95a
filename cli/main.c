/*
 * xoff - a discrete-event simulator of lossless Ethernet fabrics.
 *
 * This file finds the command; each command has a file of its own.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "cli/status.h"
#include "sim/error.h"
#include "sim/mem.h"

static const struct command *find(const char *name)
{
	for (int i = 0; command_table[i]; i++)
		if (strcmp(command_table[i]->name, name) == 0)
			return command_table[i];
	return NULL;
}

static int unknown(const char *name)
{
	const char *names[COMMAND_MOST + 2] = { "help" };
	const char *near;

	for (int i = 0; command_table[i]; i++)
		names[i + 1] = command_table[i]->name;
	near = error_nearest(name, names);
	if (near)
		message_error(NULL, "unknown command \"%s\"; did you mean \"%s\"?", name, near);
	else
		message_error(NULL, "unknown command \"%s\"; `xoff help' lists them", name);
	return STATUS_INPUT;
}

static void help_all(FILE *out)
{
	fputs("usage: xoff COMMAND ...\n"
	      "\n"
	      "Simulates lossless Ethernet fabrics: RoCEv2 over PFC, ECN and DCQCN.\n"
	      "\n"
	      "examples\n"
	      "  xoff list experiments\n"
	      "  xoff run experiments/incident/shared-priority-storm.json\n"
	      "  xoff run ring.json --set switch.buffer.xoff=60KB --seed 7 -o results\n"
	      "  xoff verify experiments\n"
	      "  xoff explain kmin\n"
	      "\n"
	      "commands\n", out);
	for (int i = 0; command_table[i]; i++)
		fprintf(out, "  %-10s %s\n", command_table[i]->name, command_table[i]->about);
	fprintf(out, "  %-10s %s\n", "help", "explain a command: xoff help run");
	fputs("\n"
	      "exit status\n"
	      "  0 done and as expected    1 an expectation failed    2 wrong usage or input\n"
	      "  3 a bug in xoff           4 output cannot be written   130 interrupted\n", out);
}

static int help(int argc, char **argv)
{
	const struct command *cmd;

	if (argc < 2 || argv[1][0] == '-') {
		help_all(stdout);
		return STATUS_OK;
	}
	if (argc > 2) {
		message_error("help", "one argument too many: \"%s\"; usage: xoff help COMMAND",
			      argv[2]);
		return STATUS_INPUT;
	}
	cmd = find(argv[1]);
	if (!cmd && strcmp(argv[1], "help") == 0)
		help_all(stdout);
	else if (!cmd)
		return unknown(argv[1]);
	else
		options_help(cmd, stdout);
	return STATUS_OK;
}

static int dispatch(int argc, char **argv)
{
	const struct command *cmd;

	if (argc < 2) {
		help_all(stderr);
		return STATUS_INPUT;
	}
	if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
	    strcmp(argv[1], "-h") == 0)
		return help(argc - 1, argv + 1);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return version_command.main(&version_command, argc - 1, argv + 1);
	cmd = find(argv[1]);
	return cmd ? cmd->main(cmd, argc - 1, argv + 1) : unknown(argv[1]);
}

int main(int argc, char **argv)
{
	int status;

	/* else Jansson's functions fail quietly, and what they were to hold is missing */
	json_set_alloc_funcs(mem_zalloc, free);
	signals_init();
	status = dispatch(argc, argv);
	if (message_close_stdout())
		status = status_worse(status, STATUS_OUTPUT);
	return status;
}
