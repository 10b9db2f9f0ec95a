/* cli/options.c - see options.h */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>
#include "cli/command.h"
#include "cli/message.h"
#include "sim/error.h"
#include "sim/mem.h"
#include "sim/units.h"

static const struct options_row help_row = {
	.name = "help", .letter = 'h', .type = OPTIONS_FLAG, .doc = "show this help"
};

struct parser {
	const struct command *cmd;
	int argc;
	char **argv;
	int at;				/* next of argv */
	void *conf;
	bool help;
};

static int rows(const struct options_row *table)
{
	int n = 0;

	while (table && table[n].name)
		n++;
	return n;
}

static const struct options_row *find_name(const struct command *cmd, const char *name,
					   size_t length)
{
	const struct options_row *row = cmd->options;

	if (strlen(help_row.name) == length && memcmp(name, help_row.name, length) == 0)
		return &help_row;
	for (; row && row->name; row++)
		if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
			return row;
	return NULL;
}

static const struct options_row *find_letter(const struct command *cmd, char letter)
{
	const struct options_row *row = cmd->options;

	if (letter == help_row.letter)
		return &help_row;
	for (; row && row->name; row++)
		if (row->letter && row->letter == letter)
			return row;
	return NULL;
}

static int unknown_name(const struct parser *p, const char *arg, size_t length)
{
	int n = rows(p->cmd->options);
	const char **names = mem_zalloc(sizeof(*names) * (size_t)(n + 2));
	char *word = mem_strdup(arg);
	const char *near;

	for (int i = 0; i < n; i++)
		names[i] = p->cmd->options[i].name;
	names[n] = help_row.name;
	word[length] = '\0';
	near = error_nearest(word, names);
	if (near)
		message_error(p->cmd->name, "unknown option \"--%s\"; did you mean \"--%s\"?",
			      word, near);
	else
		message_error(p->cmd->name, "unknown option \"--%s\"; `xoff help %s' lists them",
			      word, p->cmd->name);
	free(word);
	free(names);
	return -1;
}

static int set_count(const struct parser *p, const struct options_row *row, int *field,
		     const char *value)
{
	int64_t count = 0;
	struct sim_error err = { 0 };

	if (units_parse(value, UNITS_COUNT, &count, NULL, &err) || count < 1 || count > 9999) {
		message_error(p->cmd->name, "--%s wants a number from 1 to 9999, not \"%s\"",
			      row->name, value);
		return -1;
	}
	*field = (int)count;
	return 0;
}

static int set_choice(const struct parser *p, const struct options_row *row, int *field,
		      const char *value)
{
	char list[128] = "";
	const char *near = error_nearest(value, row->names);

	for (int i = 0; row->names[i]; i++) {
		size_t used = strlen(list);

		if (strcmp(row->names[i], value) == 0) {
			*field = i;
			return 0;
		}
		snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", row->names[i]);
	}
	if (near)
		message_error(p->cmd->name, "unknown value \"%s\" of --%s; did you mean \"%s\"?",
			      value, row->name, near);
	else
		message_error(p->cmd->name, "unknown value \"%s\" of --%s; it takes %s", value,
			      row->name, list);
	return -1;
}

/* `value` NULL: still to be taken from argv, where the option wants one. */
static int set(struct parser *p, const struct options_row *row, const char *value)
{
	char *field;

	if (row == &help_row) {
		p->help = true;
		return 0;
	}
	field = (char *)p->conf + row->offset;
	if (row->type == OPTIONS_FLAG) {
		if (value) {
			message_error(p->cmd->name, "--%s takes no value", row->name);
			return -1;
		}
		*(bool *)(void *)field = true;
		return 0;
	}
	if (!value && p->at < p->argc)
		value = p->argv[p->at++];
	if (!value || !*value) {
		message_error(p->cmd->name, "--%s needs a value: --%s %s", row->name, row->name,
			      row->arg);
		return -1;
	}
	switch (row->type) {
	case OPTIONS_LIST: {
		struct options_list *list = (void *)field;

		if (!list->items)
			list->items = mem_zalloc(sizeof(*list->items) * (size_t)p->argc);
		list->items[list->n++] = value;
		return 0;
	}
	case OPTIONS_COUNT:
		return set_count(p, row, (void *)field, value);
	case OPTIONS_CHOICE:
		return set_choice(p, row, (void *)field, value);
	case OPTIONS_TEXT:
	default:
		if (*(const char **)(void *)field) {
			message_error(p->cmd->name, "--%s is given twice", row->name);
			return -1;
		}
		*(const char **)(void *)field = value;
		return 0;
	}
}

static int long_option(struct parser *p, const char *arg)
{
	size_t length = strcspn(arg, "=");
	const struct options_row *row = find_name(p->cmd, arg, length);

	if (!row)
		return unknown_name(p, arg, length);
	return set(p, row, arg[length] ? arg + length + 1 : NULL);
}

static int letters(struct parser *p, const char *arg)
{
	for (; *arg; arg++) {
		const struct options_row *row = find_letter(p->cmd, *arg);

		if (!row) {
			message_error(p->cmd->name,
				      "unknown option \"-%c\"; `xoff help %s' lists them", *arg,
				      p->cmd->name);
			return -1;
		}
		if (row->type == OPTIONS_FLAG) {
			if (set(p, row, NULL))
				return -1;
		} else {
			return set(p, row, arg[1] ? arg + 1 : NULL);
		}
	}
	return 0;
}

static int check_arguments(const struct command *cmd, const struct options_list *args)
{
	if (args->n < cmd->min_args) {
		message_error(cmd->name, "nothing to work on; usage: xoff %s %s", cmd->name,
			      cmd->args);
		return -1;
	}
	if (args->n > cmd->max_args) {
		message_error(cmd->name, "one argument too many: \"%s\"; usage: xoff %s%s%s",
			      args->items[cmd->max_args], cmd->name, *cmd->args ? " " : "",
			      cmd->args);
		return -1;
	}
	return 0;
}

enum options_answer options_parse(const struct command *cmd, int argc, char **argv,
				  void *conf, struct options_list *args)
{
	struct parser p = { .cmd = cmd, .argc = argc, .argv = argv, .at = 1, .conf = conf };
	bool only_arguments = false;

	args->items = mem_zalloc(sizeof(*args->items) * (size_t)(argc + 1));
	args->n = 0;
	while (p.at < argc) {
		const char *arg = argv[p.at++];
		int rc = 0;

		if (only_arguments || arg[0] != '-' || !arg[1])
			args->items[args->n++] = arg;
		else if (strcmp(arg, "--") == 0)
			only_arguments = true;
		else if (arg[1] == '-')
			rc = long_option(&p, arg + 2);
		else
			rc = letters(&p, arg + 1);
		if (rc)
			return OPTIONS_WRONG;
	}
	if (p.help) {
		options_help(cmd, stdout);
		return OPTIONS_HELP;
	}
	return check_arguments(cmd, args) ? OPTIONS_WRONG : OPTIONS_GO;
}

void options_fini(const struct command *cmd, void *conf, struct options_list *args)
{
	const struct options_row *row = cmd->options;

	for (; row && row->name; row++)
		if (row->type == OPTIONS_LIST) {
			struct options_list *list = (void *)((char *)conf + row->offset);

			free(list->items);
			*list = (struct options_list){ 0 };
		}
	free(args->items);
	*args = (struct options_list){ 0 };
}

static void help_line(const struct options_row *row, FILE *out)
{
	char left[64];
	int n;

	n = row->letter ? snprintf(left, sizeof left, "-%c, --%s", row->letter, row->name)
			: snprintf(left, sizeof left, "    --%s", row->name);
	if (row->arg)
		snprintf(left + n, sizeof left - (size_t)n, " %s", row->arg);
	fprintf(out, "  %-24s %s\n", left, row->doc);
}

void options_help(const struct command *cmd, FILE *out)
{
	const struct options_row *row = cmd->options;

	fprintf(out, "usage: xoff %s%s%s%s\n\n%s\n", cmd->name, *cmd->args ? " " : "", cmd->args,
		rows(row) ? " [option...]" : "", cmd->about);
	if (cmd->details)
		fputs(cmd->details, out);
	if (cmd->examples)
		fprintf(out, "\nexamples\n%s", cmd->examples);
	fputs("\noptions\n", out);
	for (; row && row->name; row++)
		help_line(row, out);
	help_line(&help_row, out);
}
