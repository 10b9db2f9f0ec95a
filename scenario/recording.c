/*
 * scenario/recording.c - the section `record`.
 */
#include "scenario/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/pattern.h"
#include "sim/mem.h"
#include "sim/units.h"

const struct param recording_params[] = {{.key = "every",
					  .type = PARAM_TIME,
					  .offset = offsetof(struct scenario_series, every_ps),
					  .def = "10us",
					  .min = "1ns",
					  .max = "1000s",
					  .doc = "Time between two rows."},
					 {.key = NULL}};

static const char *const columns[] = {"queue", "group", "rate", "pause", "flows", "marks", NULL};

void recording_free(struct scenario_series *series, int n)
{
	for (int i = 0; i < n; i++) {
		free((char *)(uintptr_t)series[i].name);
		free((char *)(uintptr_t)series[i].match);
		free((char *)(uintptr_t)series[i].written);
	}
	free(series);
}

static int read_what(const struct read *at, unsigned *what)
{
	struct read list, item;

	if (!read_child(at, "what", &list))
		return 0;
	for (size_t i = 0; i < read_count(&list) && read_item(&list, i, &item); i++) {
		const char *text = read_text(&item), *near;
		int bit = 0;

		if (!text)
			return -1;
		while (columns[bit] && strcmp(columns[bit], text) != 0)
			bit++;
		near = error_nearest(text, columns);
		if (!columns[bit])
			return read_fail(
				&item, JSONC_VALUE, "there is no column \"%s\"; %s%s%s", text,
				near ? "did you mean \"" : "columns: queue group rate pause flows marks",
				near ? near : "", near ? "\"?" : "");
		*what |= 1u << bit;
	}
	return 0;
}

/* Every port that matches, as a list of exact names, where globs do not do. */
static char *spell_out(const struct topology *topo, const char *match, int *hits)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = mem_stream(&text, &size);

	*hits = 0;
	for (int i = 0; i < topo->nlinks; i++) {
		const struct topology_link *l = &topo->links[i];

		if (pattern_match_port(match, l->a, l->a_port))
			fprintf(out, "%s%s:%d", (*hits)++ ? "," : "", l->a, l->a_port);
		if (pattern_match_port(match, l->b, l->b_port))
			fprintf(out, "%s%s:%d", (*hits)++ ? "," : "", l->b, l->b_port);
	}
	mem_stream_close(out);
	return text;
}

/* The patterns of `match`, joined by commas. */
static char *join_patterns(const struct read *at)
{
	struct sim_error err = {0};
	struct read item;
	char *all = mem_strdup("");

	for (size_t i = 0; i < read_count(at) && read_item(at, i, &item); i++) {
		const char *text = read_text(&item);

		if (text && pattern_check(text, &err)) {
			read_fail(&item, JSONC_VALUE, "%s", err.text);
			text = NULL;
		}
		if (!text) {
			free(all);
			return NULL;
		}
		all = mem_grow(all, strlen(all) + strlen(text) + 2);
		if (*all)
			strcat(all, ",");
		strcat(all, text);
	}
	return all;
}

static int read_match(const struct read *at, const struct topology *topo,
		      struct scenario_series *s)
{
	struct read match;
	char *all, *spelled;
	int hits;

	if (!read_child(at, "match", &match))
		return read_fail(at, JSONC_KEY,
				 "this series needs \"match\", its ports, such as "
				 "\"leaf*:*\"");
	all = join_patterns(&match);
	if (!all)
		return -1;
	s->written = all;
	spelled = spell_out(topo, all, &hits);
	s->match = strpbrk(all, "[!") || !strchr(all, ':') ? spelled : mem_strdup(all);
	if (s->match != spelled)
		free(spelled);
	if (hits == 0)
		return read_fail(&match, JSONC_VALUE,
				 "no port matches \"%s\"; ports are named like "
				 "\"%s:%d\"",
				 all, topo->nlinks ? topo->links[0].a : "leaf0",
				 topo->nlinks ? topo->links[0].a_port : 0);
	return 0;
}

static int read_series(const struct read *at, const char *name, const struct topology *topo,
		       struct scenario_series *s)
{
	struct sim_error err = {0};
	int rc;

	*s = (struct scenario_series){.name = mem_strdup(name)};
	param_defaults(recording_params, s);
	if (pattern_name_check(name, &err))
		return read_fail(at, JSONC_KEY, "%s", err.text);
	rc = read_keys(at, "record.series.NAME");
	if (!json_is_object(at->json))
		return -1;
	rc |= read_table(at, recording_params, NULL, s);
	rc |= read_what(at, &s->what);
	rc |= read_match(at, topo, s);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return pattern_natural(((const struct scenario_series *)a)->name,
			       ((const struct scenario_series *)b)->name);
}

int recording_load(const struct read *experiment, const struct topology *topo,
		   struct scenario_series **series, int *n)
{
	struct read record, all, one;
	const char *name;
	json_t *value;
	int rc;

	if (!read_child(experiment, "record", &record))
		return 0;
	rc = read_keys(&record, "record");
	if (!json_is_object(record.json) || !read_child(&record, "series", &all))
		return rc;
	if (read_object(&all))
		return -1;
	json_object_foreach(all.json, name, value) {
		if (!read_entry(&all, name, "series", &one)) {
			rc = -1;
			continue;
		}
		*series = mem_grow(*series, (size_t)(*n + 1) * sizeof **series);
		rc |= read_series(&one, name, topo, &(*series)[(*n)++]);
	}
	if (*n)
		qsort(*series, (size_t)*n, sizeof **series, by_name);
	return rc;
}

static int read_size(const struct read *item, int64_t above, int64_t *bytes)
{
	const char *text = read_text(item);
	struct sim_error err = {0};

	if (!text)
		return -1;
	if (units_parse(text, UNITS_BYTES, bytes, NULL, &err))
		return read_fail(item, JSONC_VALUE, "%s", err.text);
	if (*bytes <= above)
		return read_fail(item, JSONC_VALUE, "edges of sizes rise; \"%s\" does not", text);
	return 0;
}

int recording_sizes(const struct read *experiment, int64_t *bytes, int *n)
{
	static const int64_t usual[] = {10000, 100000, 1000000, 10000000};
	struct read record, sizes, item;

	*n = 0;
	if (!read_child(experiment, "record", &record) || !json_is_object(record.json) ||
	    !read_child(&record, "sizes", &sizes)) {
		*n = (int)(sizeof usual / sizeof *usual);
		memcpy(bytes, usual, sizeof usual);
		return 0;
	}
	if (read_count(&sizes) > SCENARIO_SIZES)
		return read_fail(&sizes, JSONC_VALUE, "at most %d edges of sizes", SCENARIO_SIZES);
	for (; read_item(&sizes, (size_t)*n, &item); ++*n) {
		if (read_size(&item, *n ? bytes[*n - 1] : 0, &bytes[*n]))
			return -1;
	}
	return 0;
}
