/* cli/report_runs.c - see report_runs.h */
#include "cli/report_runs.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/find.h"
#include "cli/path.h"
#include "sim/mem.h"
#include "sim/nearpath.h"

static bool holds(const char *dir, const char *file)
{
	char *path = path_join(dir, file);
	bool is = access(path, R_OK) == 0;

	free(path);
	return is;
}

/* The last part of a path, without slashes at its end. */
static char *last_part(const char *path)
{
	size_t end = strlen(path), from;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (from = end; from > 0 && path[from - 1] != '/'; )
		from--;
	char *part = mem_strdup(path + from);
	part[end - from] = '\0';
	return part;
}

static bool taken(const struct report_runs *list, const char *label)
{
	for (int i = 0; i < list->n; i++)
		if (strcmp(list->run[i].label, label) == 0)
			return true;
	return false;
}

/* `label`, or with a number after it where that is taken. */
static char *unique(const struct report_runs *list, const char *label)
{
	char *text = mem_strdup(label);

	for (int number = 2; taken(list, text); number++) {
		char suffix[32];

		snprintf(suffix, sizeof suffix, " (%d)", number);
		free(text);
		text = path_append(label, suffix);
	}
	return text;
}

static void add(struct report_runs *list, char *dir, const char *label)
{
	list->run = mem_grow(list->run, sizeof(*list->run) * (size_t)(list->n + 1));
	list->run[list->n] = (struct report_run){ .dir = dir, .label = unique(list, label) };
	list->n++;
}

static const char *name_of(const json_t *run, const char *key)
{
	const char *name = json_string_value(json_object_get(run, key));

	return name && *name && name[0] != '.' && !strchr(name, '/') ? name : NULL;
}

/* DIR/VARIANT, DIR/EXPERIMENT/VARIANT or DIR/EXPERIMENT, whichever has a replay. */
static void add_named(struct report_runs *list, const char *dir, const json_t *run)
{
	const char *experiment = name_of(run, "experiment"), *variant = name_of(run, "variant");
	char *path[3] = { NULL };

	if (!experiment || !variant)
		return;
	path[0] = path_join(dir, variant);
	path[2] = path_join(dir, experiment);
	path[1] = path_join(path[2], variant);
	for (int i = 0; i < 3; i++) {
		if (!holds(path[i], "replay.json"))
			continue;
		if (i == 0) {
			add(list, mem_strdup(path[i]), variant);
		} else {
			char *label = i == 1 ? path_join(experiment, variant) : mem_strdup(experiment);

			add(list, mem_strdup(path[i]), label);
			free(label);
		}
		break;
	}
	for (int i = 0; i < 3; i++)
		free(path[i]);
}

int report_runs_add(struct report_runs *list, const char *dir, struct sim_error *err)
{
	char *path = path_join(dir, "summary.json");
	int before = list->n, rc = 0;
	char hint[NEARPATH_MAX];
	json_error_t why;
	json_t *summary = NULL;

	if (access(dir, F_OK))
		rc = error_set(err, "", "there is no folder %s%s", dir,
			       nearpath_hint(dir, hint, sizeof hint));
	else if (access(path, R_OK))
		rc = error_set(err, "", "cannot read %s: %s; is %s a run directory (xoff run -o)?",
			       path, strerror(errno), dir);
	else if (!find_schema(path, "xoff.summary/1\""))
		rc = error_set(err, "", "%s is not a run of xoff's: its summary.json has another "
			       "schema", dir);
	else if (!(summary = json_load_file(path, 0, &why)))
		rc = error_set(err, "", "%s:%d:%d: %s", path, why.line, why.column, why.text);
	free(path);
	if (!rc && holds(dir, "replay.json")) {
		char *label = last_part(dir);

		add(list, mem_strdup(dir), label);
		free(label);
	} else if (!rc) {
		const json_t *runs = json_object_get(summary, "runs");

		for (size_t i = 0; i < json_array_size(runs); i++)
			add_named(list, dir, json_array_get(runs, i));
	}
	json_decref(summary);
	if (!rc && list->n == before)
		rc = error_set(err, "", "%s holds no replay.json: it was left by a run that did not "
			       "end, or by an older xoff; run it again", dir);
	return rc;
}

void report_runs_fini(struct report_runs *list)
{
	for (int i = 0; i < list->n; i++) {
		free(list->run[i].dir);
		free(list->run[i].label);
	}
	free(list->run);
	*list = (struct report_runs){ 0 };
}
