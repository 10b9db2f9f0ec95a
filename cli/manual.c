/*
 * cli/manual.c - `xoff manual`: the man pages and the completion of bash, made
 * from the tables that parse, so that they cannot say anything else.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "build_id.h"
#include "cli/command.h"
#include "cli/status.h"
#include "scenario/scenario.h"
#include "sim/mem.h"

/* roff: a backslash, and a dot or quote at the start of a line, mean something else. */
static void roff(FILE *out, const char *text)
{
	bool start = true;

	for (const char *c = text; *c; c++) {
		if (start && (*c == '.' || *c == '\''))
			fputs("\\&", out);
		if (*c == '\\')
			fputs("\\e", out);
		else if (*c == '-')
			fputs("\\-", out);
		else
			fputc(*c, out);
		start = *c == '\n';
	}
}

static void section(FILE *out, const char *name)
{
	fputs(".SH ", out);
	for (const char *c = name; *c; c++)
		fputc(toupper((unsigned char)*c), out);
	fputc('\n', out);
}

static void option(FILE *out, const struct options_row *o)
{
	fputs(".TP\n", out);
	if (o->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
	fputs("\\fB\\-\\-", out);
	roff(out, o->name);
	fputs("\\fR", out);
	if (o->arg)
		fprintf(out, " \\fI%s\\fR", o->arg);
	fputc('\n', out);
	roff(out, o->doc);
	if (o->names) {
		fputs(" (", out);
		for (int i = 0; o->names[i]; i++)
			fprintf(out, "%s%s", i ? ", " : "", o->names[i]);
		fputc(')', out);
	}
	fputc('\n', out);
}

/* Text that is filled; lines that are indented stay as they are. */
static void details(FILE *out, const char *text)
{
	char *copy = mem_strdup(text), *rest = copy, *line;
	bool table = false;

	while ((line = strsep(&rest, "\n")) != NULL) {
		if (!rest && !*line)
			break;
		if ((*line == ' ') != table)
			fputs(table ? ".fi\n" : ".nf\n", out);
		table = *line == ' ';
		roff(out, line);
		fputc('\n', out);
	}
	if (table)
		fputs(".fi\n", out);
	free(copy);
}

static void command(FILE *out, const struct command *c)
{
	fprintf(out, ".SS xoff %s ", c->name);
	roff(out, c->args);
	fputc('\n', out);
	roff(out, c->about);
	fputs(".\n", out);
	if (c->details) {
		fputs(".PP\n", out);
		details(out, c->details);
	}
	for (const struct options_row *o = c->options; o && o->name; o++)
		option(out, o);
	if (c->examples) {
		fputs(".PP\n.nf\n", out);
		roff(out, c->examples);
		fputs(".fi\n", out);
	}
}

static void page_1(FILE *out)
{
	fprintf(out, ".TH XOFF 1 \"\" \"xoff %s\" \"User Commands\"\n", XOFF_VERSION);
	section(out, "name");
	fputs("xoff \\- simulate lossless Ethernet fabrics (RoCEv2, PFC, ECN, DCQCN)\n", out);
	section(out, "synopsis");
	fputs(".B xoff\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n", out);
	section(out, "description");
	fputs("An experiment is a JSON file with comments and units: a fabric, its traffic, its faults, and what must\n"
	      "come out. xoff runs it packet by packet, in picoseconds, and tells what happened: pauses and who caused\n"
	      "them, frames lost in lossless classes, deadlocks, storms. The result depends on the experiment and the\n"
	      "seed alone. See \\fBxoff\\-experiment\\fR(5) for the file.\n", out);
	section(out, "commands");
	for (int i = 0; command_table[i]; i++)
		command(out, command_table[i]);
	section(out, "exit status");
	fputs(".TP\n0\ndone, and as expected\n.TP\n1\nan expectation or a check failed\n.TP\n2\nwrong usage or input: nothing "
	      "was run, nothing written\n.TP\n3\na bug in xoff\n.TP\n4\noutput that cannot be written\n.TP\n130\ninterrupted\n", out);
	section(out, "see also");
	fputs("\\fBxoff\\-experiment\\fR(5)\n", out);
}

static void page_5(FILE *out)
{
	char *list = NULL, *line, *rest;
	size_t length = 0;
	FILE *memory = mem_stream(&list, &length);

	scenario_explain_all(memory);
	mem_stream_close(memory);
	fprintf(out, ".TH XOFF-EXPERIMENT 5 \"\" \"xoff %s\" \"File Formats\"\n", XOFF_VERSION);
	section(out, "name");
	fputs("xoff\\-experiment \\- experiments of xoff\n", out);
	section(out, "description");
	fputs("JSON with // and /* */ comments and trailing commas. Quantities carry units (100Gbps, 1us, 250KB, 4KiB,\n"
	      "300m, 5%); a bare number where a unit is needed is an error. \\fBvariants\\fR are merge patches (RFC 7396).\n"
	      "A null in one removes; what is not there cannot be removed.\n"
	      "A rule of \\fBexpect\\fR is PATH OP VALUE over summary.json; VALUE may be [NUMBER *] runs.NAME.PATH.\n"
	      "A path that no summary can have, and a number without the unit that its name calls for (0 needs none),\n"
	      "are errors before anything runs.\n", out);
	section(out, "settings");
	rest = list;
	while ((line = strsep(&rest, "\n")) != NULL) {
		char path[128];
		const char *nearest;
		if (sscanf(line, "%127[a-z_.A-Z]", path) != 1 || !strchr(line, ' ') || line[strlen(path)] != ' ' ||
		    strncmp(line, "Settings", 8) == 0)
			continue;
		fprintf(out, ".SS %s\n.nf\n", path);
		char *text = NULL;
		memory = mem_stream(&text, &length);
		int known = scenario_explain(path, memory, &nearest);
		mem_stream_close(memory);
		if (known >= 0)
			roff(out, text);
		free(text);
		fputs(".fi\n", out);
	}
	free(list);
}

static void completion(FILE *out)
{
	fputs("# bash completion for xoff; made by `xoff manual bash'\n_xoff() {\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} words=\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\twords='help", out);
	for (int i = 0; command_table[i]; i++)
		fprintf(out, " %s", command_table[i]->name);
	fputs("'\n\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n", out);
	for (int i = 0; command_table[i]; i++) {
		fprintf(out, "\t%s) words='--help", command_table[i]->name);
		for (const struct options_row *o = command_table[i]->options; o && o->name; o++)
			fprintf(out, " --%s", o->name);
		fputs("' ;;\n", out);
	}
	fputs("\tesac\n\tcase $cur in\n\t-*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
	      "\t*) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n\tesac\n}\ncomplete -o filenames -F _xoff xoff\n", out);
}

enum { PAGE_1, PAGE_5, PAGE_BASH };
static const char *const pages[] = { "1", "5", "bash", NULL };

static int manual_main(const struct command *self, int argc, char **argv)
{
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, NULL, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (answer == OPTIONS_GO) {
		int page = 0;
		while (pages[page] && strcmp(pages[page], args.items[0]))
			page++;
		if (page == PAGE_1)
			page_1(stdout);
		else if (page == PAGE_5)
			page_5(stdout);
		else if (page == PAGE_BASH)
			completion(stdout);
		else
			status = STATUS_INPUT;
		if (status)
			fprintf(stderr, "xoff manual: error: there is no page \"%s\"; wanted 1, 5 or bash\n", args.items[0]);
	}
	options_fini(self, NULL, &args);
	return status;
}

const struct command manual_command = {
	.name = "manual",
	.args = "1|5|bash",
	.about = "print a man page, or the completion for bash",
	.examples = "  xoff manual 1 | man -l -\n  xoff manual bash > ~/.local/share/bash-completion/completions/xoff\n",
	.min_args = 1,
	.max_args = 1,
	.main = manual_main,
};
