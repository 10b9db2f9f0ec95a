/*
 * cli/find.h - which files are ours, and which experiments a folder holds.
 */
#ifndef FIND_H
#define FIND_H
#include <stdbool.h>
#include "sim/error.h"

/* Does the file say `"schema": "SCHEMA..."` somewhere in its first 64 KiB?  A
 * look at the text, so a broken experiment is still known as one. */
bool find_schema(const char *path, const char *schema);

struct find_list { char **paths; int n; };

/* Appends: a file as it is; of a folder and the folders in it every *.json that
 * is an experiment, in order of names, run directories left out.
 * -1: `path` cannot be read, or is a folder that holds none. */
int find_experiments(struct find_list *list, const char *path,
		     struct sim_error *err) SIM_MUST_CHECK;
void find_fini(struct find_list *list);
#endif
