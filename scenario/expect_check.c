/*
 * scenario/expect_check.c - do the paths of rules lead anywhere?
 */
#include <stdio.h>
#include <string.h>

#include "scenario/expect.h"

enum { NAMES_MAX = 512 };

/* How far the path leads, as in find: the last value on it; *rest is what is left. */
static json_t *follow(json_t *at, const char *path, const char **rest)
{
	char key[EXPECT_TEXT_MAX];

	*rest = path;
	for (size_t n = strlen(path); n > 0; n--) {
		json_t *child;

		if (path[n] && path[n] != '.')
			continue;
		snprintf(key, sizeof key, "%.*s", (int)n, path);
		child = json_object_get(at, key);
		if (child) {
			*rest = path + n;
			return path[n] ? follow(child, path + n + 1, rest) : child;
		}
	}
	return at;
}

/* Says what `path` lacks in the summary, and what was probably meant. */
static int missing(json_t *summary, const char *path, const char *before, struct sim_error *err)
{
	const char *rest, *name, *near, *names[NAMES_MAX + 1];
	json_t *at = follow(summary, path, &rest), *value;
	char wrong[EXPECT_TEXT_MAX];
	int n = 0;

	snprintf(wrong, sizeof wrong, "%.*s", (int)strcspn(rest, "."), rest);
	json_object_foreach(at, name, value) {
		if (n < NAMES_MAX)
			names[n++] = name;
	}
	names[n] = NULL;
	near = error_nearest(wrong, names);
	if (near)
		return error_set(err, "", "there is no \"%s%s\" in the summary; did you mean "
				 "\"%s%.*s%s%s\"?", before, path, before, (int)(rest - path),
				 path, near, rest + strlen(wrong));
	return error_set(err, "", "there is no \"%s%s\" in the summary", before, path);
}

/* The summary that the path of a rule is about; *path goes behind its run's name. */
static json_t *summary_of(json_t *runs, const char *own, const char **path)
{
	const char *text = *path + 5;
	char name[EXPECT_TEXT_MAX];

	if (strncmp(*path, "runs.", 5) != 0)
		return json_object_get(runs, own);
	for (const char *dot = strchr(text, '.'); dot; dot = strchr(dot + 1, '.')) {
		json_t *run;

		snprintf(name, sizeof name, "%.*s", (int)(dot - text), text);
		run = json_object_get(runs, name);
		if (!run)
			continue;
		*path = dot + 1;
		return run;
	}
	return NULL;
}

int expect_missing(json_t *runs, const char *own, const char *path, struct sim_error *err)
{
	const char *inside = path;
	json_t *summary = summary_of(runs, own, &inside);
	char before[EXPECT_TEXT_MAX];

	snprintf(before, sizeof before, "%.*s", (int)(inside - path), path);
	if (!summary)
		return error_set(err, "", "there is no \"%s\": that run was not run", path);
	return missing(summary, inside, before, err);
}

static int is_group(const char *path, const json_t *group, struct sim_error *err)
{
	const char *name;
	json_t *value;
	char names[160] = "";
	size_t n = 0;

	json_object_foreach((json_t *)(uintptr_t)group, name, value) {
		if (n + strlen(name) + 8 > sizeof names) {
			n += (size_t)snprintf(names + n, sizeof names - n, " ...");
			break;
		}
		n += (size_t)snprintf(names + n, sizeof names - n, " .%s", name);
	}
	return error_set(err, "", "\"%s\" is no value, but has%s", path, n ? names : " none now");
}

/* Is what stands there of the kind that the rule compares it with?  What is null until
 * something happens may be anything. */
static int check_kind(const struct expect_rule *rule, const json_t *found, struct sim_error *err)
{
	enum expect_kind k = rule->low.kind;
	bool number = k == EXPECT_NUMBER || k == EXPECT_RUN;
	bool flag = k == EXPECT_TRUE || k == EXPECT_FALSE;

	if (k == EXPECT_NULL)
		return 0;
	if (json_is_number(found) && !number)
		return error_set(err, "", "\"%s\" is a number, and cannot be %s", rule->path,
				 k == EXPECT_TRUE    ? "true"
				 : k == EXPECT_FALSE ? "false"
						     : rule->low.text);
	if (json_is_boolean(found) && !flag)
		return error_set(err, "", "\"%s\" is true or false, nothing else", rule->path);
	if (json_is_string(found) && k != EXPECT_TEXT)
		return error_set(err, "", "\"%s\" is a word, and cannot be %s", rule->path,
				 flag ? "true or false" : "a number");
	return 0;
}

/* A path into the summary of a run that has not run. */
static int check_path(json_t *shapes, const char *own, const char *path,
		      const struct expect_rule *rule, struct sim_error *err)
{
	const char *inside = path, *rest;
	json_t *shape = summary_of(shapes, own, &inside), *found;
	int rc;

	if (!shape)
		return 0;
	found = expect_find(shape, inside);
	rc = json_is_object(found) ? is_group(path, found, err)
		: found && rule	      ? check_kind(rule, found, err)
				      : 0;
	json_decref(found);
	if (rc)
		return rc;
	if (found || json_is_array(follow(shape, inside, &rest)))
		return 0;		/* what will be in a list is not known */
	return expect_missing(shapes, own, path, err);
}

static int check_term(json_t *shapes, const struct expect_term *t, struct sim_error *err)
{
	char path[EXPECT_TEXT_MAX + 8];

	snprintf(path, sizeof path, "runs.%s", t->text);
	return t->kind == EXPECT_RUN ? check_path(shapes, "", path, NULL, err) : 0;
}

int expect_check(const struct expect_rule *rule, json_t *shapes, const char *own,
		 struct sim_error *err)
{
	if (check_path(shapes, own, rule->path, rule, err) || check_term(shapes, &rule->low, err) ||
	    check_term(shapes, &rule->high, err))
		return -1;
	if ((rule->low.kind == EXPECT_NUMBER && rule->low.number.unit) ||
	    (rule->op == EXPECT_IN && rule->high.kind == EXPECT_NUMBER && rule->high.number.unit))
		return error_set(err, "", "%s has no unit, and what it is held against has one", rule->path);
	return 0;
}
