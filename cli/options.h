/*
 * cli/options.h - one table row per option: it parses the command line and
 * prints the help, so that neither knows an option the other does not.
 *
 * Accepted: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, letters together
 * (-qf), `--` before arguments that start with a dash, and `-` as an argument
 * (standard input).  A wrong option gets the nearest right one.
 */
#ifndef OPTIONS_H
#define OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum options_type {
	OPTIONS_FLAG,		/* bool */
	OPTIONS_TEXT,		/* const char *; given twice is an error */
	OPTIONS_LIST,		/* struct options_list; may be given again and again */
	OPTIONS_COUNT,		/* int, 1.. */
	OPTIONS_CHOICE		/* int: index into names */
};

struct options_row {
	const char *name;	/* without dashes; NULL ends the table */
	char letter;		/* 0: none */
	enum options_type type;
	size_t offset;		/* of the field in the command's conf */
	const char *arg;	/* "DIR"; NULL for a flag */
	const char *doc;	/* for the help; no full stop */
	const char *const *names;	/* OPTIONS_CHOICE: NULL-terminated */
};

struct options_list { const char **items; int n; };	/* items point into argv */

struct command;

enum options_answer { OPTIONS_GO, OPTIONS_HELP, OPTIONS_WRONG };
/* Fills `conf` (zeroed or with defaults by the caller) and `args`.  OPTIONS_HELP:
 * --help was given and has been printed; OPTIONS_WRONG: a message has been. */
enum options_answer options_parse(const struct command *cmd, int argc, char **argv,
				  void *conf, struct options_list *args);
/* Frees the lists, after any answer. */
void options_fini(const struct command *cmd, void *conf, struct options_list *args);
void options_help(const struct command *cmd, FILE *out);
#endif
