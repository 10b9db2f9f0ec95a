/*
 * scenario/axis.c - values listed one by one, or "A..B" for whole numbers.
 */
#include "scenario/axis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/jsonc.h"
#include "sim/mem.h"

enum { VALUES_MAX = 100000 };

void axis_free(struct scenario_axis *axes, int n)
{
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < axes[i].nvalues; j++)
			free((char *)(uintptr_t)axes[i].values[j]);
		free((void *)(uintptr_t)axes[i].values);
		free((char *)(uintptr_t)axes[i].path);
	}
	free(axes);
}

static void add(struct scenario_axis *axis, char *value)
{
	char **values = (char **)(uintptr_t)axis->values;

	values = mem_grow(values, (size_t)(axis->nvalues + 1) * sizeof *values);
	values[axis->nvalues++] = value;
	axis->values = (const char *const *)values;
}

/* "1..5" */
static int add_range(const struct read *at, struct scenario_axis *axis)
{
	const char *text = json_string_value(at->json);
	char *end, value[24];
	long first, last = -1;

	first = text ? strtol(text, &end, 10) : 0;
	if (text && end != text && strncmp(end, "..", 2) == 0 && end[2])
		last = strtol(end + 2, &end, 10);
	if (!text || *end || last < first || first < 0 || last - first >= VALUES_MAX)
		return read_fail(at, JSONC_VALUE,
				 "wanted a list of values, or whole numbers as "
				 "\"1..5\"");
	for (long v = first; v <= last; v++) {
		snprintf(value, sizeof value, "%ld", v);
		add(axis, mem_strdup(value));
	}
	return 0;
}

static int add_values(const struct read *at, struct scenario_axis *axis)
{
	struct read item;
	char buf[64];

	if (!json_is_array(at->json))
		return add_range(at, axis);
	for (size_t i = 0; read_index(at, i, &item); i++) {
		const char *text = json_is_string(item.json)
			? NULL : jsonc_scalar(item.json, buf, sizeof buf);

		if (text) {
			add(axis, mem_strdup(text));
		} else {
			char *json = json_dumps(item.json, JSON_ENCODE_ANY | JSON_COMPACT);

			add(axis, mem_strdup(json));
			free(json);
		}
	}
	if (axis->nvalues == 0)
		return read_fail(at, JSONC_VALUE, "the list is empty");
	return 0;
}

int axis_load(const struct read *sweep, struct scenario_axis **axes, int *n)
{
	struct read one;
	const char *path;
	json_t *value;
	int rc = 0;

	if (read_object(sweep))
		return -1;
	json_object_foreach(sweep->json, path, value) {
		if (!read_entry(sweep, path, "axis", &one)) {
			rc = -1;
			continue;
		}
		*axes = mem_grow(*axes, (size_t)(*n + 1) * sizeof **axes);
		(*axes)[*n] = (struct scenario_axis){.path = mem_strdup(path)};
		rc |= add_values(&one, &(*axes)[(*n)++]);
	}
	return rc;
}
