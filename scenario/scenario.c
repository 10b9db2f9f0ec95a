/*
 * scenario/scenario.c - the room's front: opens, builds, and judges.
 */
#include "scenario/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/assemble.h"
#include "scenario/axis.h"
#include "scenario/build.h"
#include "scenario/expect.h"
#include "scenario/lookup.h"
#include "scenario/merge.h"
#include "scenario/pattern.h"
#include "scenario/resolved.h"
#include "scenario/run.h"
#include "scenario/schema.h"
#include "sim/assert.h"
#include "sim/mem.h"

#define EXPERIMENT_SCHEMA "xoff.experiment/1"

struct rules {
	char **text, **pointer;	/* and where each stands in the merged document */
	int n;
};

struct scenario {
	struct assembly assembly;
	struct run *runs;		/* of assembly.runs; empty until built */
	struct rules *rules;		/* likewise */
	struct scenario_axis *axes;
	int naxes;
	char *name, *about, *source;
	bool slow;
};

/* The cursor at the root of a run.  *ctx must outlive it. */
static struct read root(const struct scenario *sc, int run, struct diag *diag,
			struct read_ctx *ctx)
{
	const struct assemble_run *a;

	sim_assert(run >= 0 && run < sc->assembly.nruns);
	a = &sc->assembly.runs[run];
	*ctx = (struct read_ctx){&a->origin, sc->assembly.sections, diag,
				 run ? a->name : NULL, false};
	return read_root(ctx, a->doc);
}

/* ------------------------------------------------------------------- open */

static int read_string(const struct read *at, const char *key, char **out)
{
	struct read value;
	const char *text;

	if (!read_child(at, key, &value))
		return 0;
	text = json_is_string(value.json) ? json_string_value(value.json) : read_text(&value);
	*out = mem_strdup(text);
	return text ? 0 : -1;
}

/* "experiments/ring.json" -> "ring" */
static char *name_of_path(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot;
	char *name = mem_strdup(slash ? slash + 1 : path);

	dot = strrchr(name, '.');
	if (dot && dot > name)
		name[dot - name] = 0;
	for (char *p = name; *p; p++) {
		char one[2] = {*p, 0};

		if (pattern_name_check(one, NULL))
			*p = '-';
	}
	if (strlen(name) > 63)
		name[63] = 0;
	return name;
}

static int read_head(struct scenario *sc, const struct read *at)
{
	struct sim_error err = {0};
	struct read value;
	char *schema = NULL;
	int rc = read_string(at, "schema", &schema);

	if (schema && strcmp(schema, EXPERIMENT_SCHEMA) != 0 &&
	    read_child(at, "schema", &value))
		rc = read_fail(&value, JSONC_VALUE,
			       "this is no experiment of Xoff 1: schema is "
			       "\"%s\", wanted \"%s\"",
			       schema, EXPERIMENT_SCHEMA);
	free(schema);
	rc |= read_string(at, "name", &sc->name);
	rc |= read_string(at, "about", &sc->about);
	rc |= read_string(at, "source", &sc->source);
	if (read_child(at, "slow", &value))
		rc |= read_bool(&value, &sc->slow);
	if (sc->name && pattern_name_check(sc->name, &err) && read_child(at, "name", &value))
		rc = read_fail(&value, JSONC_VALUE, "%s", err.text);
	if (!sc->name)
		sc->name = name_of_path(sc->assembly.path);
	return rc;
}

/* Does a rule's runs.NAME exist? */
static int check_reference(const struct scenario *sc, const struct read *at, const char *text)
{
	const char **names = mem_zalloc((size_t)(sc->assembly.nruns + 1) * sizeof *names),
		   *near;
	char name[128];
	int rc = 0;

	for (int i = 0; i < sc->assembly.nruns; i++)
		names[i] = sc->assembly.runs[i].name;
	if (!expect_run(text, names)) {
		snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "."), text);
		near = error_nearest(name, names);
		rc = read_fail(at, JSONC_VALUE, "there is no run \"%s\"%s%s%s", name,
			       near ? "; did you mean \"" : "", near ? near : "",
			       near ? "\"?" : "");
	}
	free(names);
	return rc;
}

static int check_rule(const struct scenario *sc, const struct read *at, const char *text)
{
	struct expect_rule rule;
	struct sim_error err = {0};
	int rc = 0;

	if (expect_parse(text, &rule, &err))
		return read_fail(at, JSONC_VALUE, "%s", err.text);
	if (strncmp(rule.path, "runs.", 5) == 0)
		rc = check_reference(sc, at, rule.path + 5);
	if (rule.low.kind == EXPECT_RUN)
		rc |= check_reference(sc, at, rule.low.text);
	if (rule.high.kind == EXPECT_RUN)
		rc |= check_reference(sc, at, rule.high.text);
	return rc;
}

static int read_rules(struct scenario *sc, int run, struct diag *diag)
{
	struct rules *rules = &sc->rules[run];
	struct read_ctx ctx;
	struct read at = root(sc, run, diag, &ctx), list, item;
	int rc = 0;

	if (!read_child(&at, "expect", &list))
		return 0;
	for (size_t i = 0; i < read_count(&list) && read_item(&list, i, &item); i++) {
		const char *text = read_text(&item);

		if (!text || check_rule(sc, &item, text)) {
			rc = -1;
			continue;
		}
		rules->text = mem_grow(rules->text, (size_t)(rules->n + 1) * sizeof(char *));
		rules->pointer =
			mem_grow(rules->pointer, (size_t)(rules->n + 1) * sizeof(char *));
		rules->pointer[rules->n] = mem_strdup(item.pointer);
		rules->text[rules->n++] = mem_strdup(text);
	}
	return rc;
}

static int open_parts(struct scenario *sc, struct diag *diag)
{
	struct read_ctx ctx;
	struct read at = root(sc, 0, diag, &ctx), sweep = at;
	int rc = read_head(sc, &at);

	for (int i = 0; i < sc->assembly.nruns; i++) {
		struct read_ctx run_ctx;
		struct read run = root(sc, i, diag, &run_ctx);

		rc |= read_keys(&run, "");
		rc |= read_rules(sc, i, diag);
	}
	if (sc->assembly.sweep && !json_is_null(sc->assembly.sweep)) {
		jsonc_pointer_add(sweep.pointer, sizeof sweep.pointer, "sweep");
		sweep.json = sc->assembly.sweep;
		rc |= axis_load(&sweep, &sc->axes, &sc->naxes);
	}
	return rc;
}

struct scenario *scenario_open(const char *path, const struct scenario_options *opt,
			       struct diag *diag)
{
	struct scenario *sc = mem_zalloc(sizeof *sc);
	int rc = assemble_open(&sc->assembly, path, opt, diag);

	sc->runs = mem_zalloc((size_t)sc->assembly.nruns * sizeof *sc->runs);
	sc->rules = mem_zalloc((size_t)sc->assembly.nruns * sizeof *sc->rules);
	if (rc == 0)
		rc = open_parts(sc, diag);
	if (rc)
		scenario_free(&sc);
	return sc;
}

void scenario_free(struct scenario **sc)
{
	struct scenario *s = *sc;

	if (!s)
		return;
	for (int i = 0; i < s->assembly.nruns; i++) {
		run_fini(&s->runs[i]);
		for (int j = 0; j < s->rules[i].n; j++) {
			free(s->rules[i].text[j]);
			free(s->rules[i].pointer[j]);
		}
		free(s->rules[i].text);
		free(s->rules[i].pointer);
	}
	axis_free(s->axes, s->naxes);
	free(s->runs);
	free(s->rules);
	assemble_close(&s->assembly);
	free(s->name);
	free(s->about);
	free(s->source);
	free(s);
	*sc = NULL;
}

/* ------------------------------------------------------------------ facts */

const char *scenario_path(const struct scenario *sc)
{
	return sc->assembly.path;
}

const char *scenario_name(const struct scenario *sc)
{
	return sc->name;
}

const char *scenario_about(const struct scenario *sc)
{
	return sc->about ? sc->about : "";
}

const char *scenario_source(const struct scenario *sc)
{
	return sc->source ? sc->source : "";
}

bool scenario_slow(const struct scenario *sc)
{
	return sc->slow;
}

int scenario_runs(const struct scenario *sc)
{
	return sc->assembly.nruns;
}

const char *scenario_run_name(const struct scenario *sc, int run)
{
	sim_assert(run >= 0 && run < sc->assembly.nruns);
	return sc->assembly.runs[run].name;
}

int scenario_run_find(const struct scenario *sc, const char *name, const char **nearest)
{
	const char **names = mem_zalloc((size_t)(sc->assembly.nruns + 1) * sizeof *names);
	int found = -1;

	for (int i = 0; i < sc->assembly.nruns; i++) {
		names[i] = sc->assembly.runs[i].name;
		if (strcmp(names[i], name) == 0)
			found = i;
	}
	if (nearest)
		*nearest = found < 0 ? error_nearest(name, names) : NULL;
	free(names);
	return found;
}

/* ------------------------------------------------------------------ build */

struct fabric *scenario_build(struct scenario *sc, int run, struct diag *diag)
{
	struct read_ctx ctx;
	struct read at = root(sc, run, diag, &ctx);

	run_fini(&sc->runs[run]);
	if (run_load(&at, &sc->runs[run]))
		return NULL;
	return build_fabric(&at, &sc->runs[run], sc->assembly.path);
}

int scenario_check(struct scenario *sc, struct diag *diag)
{
	int rc = 0;

	for (int i = 0; i < sc->assembly.nruns && diag_errors(diag) < DIAG_MAX; i++) {
		struct fabric *f = scenario_build(sc, i, diag);

		if (!f)
			rc = -1;
		else
			fabric_free(&f);
	}
	return rc;
}

static const struct run *built(const struct scenario *sc, int run)
{
	sim_assert(run >= 0 && run < sc->assembly.nruns);
	return &sc->runs[run];
}

const struct run_conf *scenario_run_conf(const struct scenario *sc, int run)
{
	return &built(sc, run)->conf;
}

const struct class_conf *scenario_classes(const struct scenario *sc, int run, int *n)
{
	*n = built(sc, run)->nclasses;
	return built(sc, run)->classes;
}

const int64_t *scenario_sizes(const struct scenario *sc, int run, int *n)
{
	*n = built(sc, run)->nsizes;
	return built(sc, run)->sizes_bytes;
}

const struct scenario_series *scenario_series(const struct scenario *sc, int run, int *n)
{
	*n = built(sc, run)->nseries;
	return built(sc, run)->series;
}

const struct workload_conf *scenario_traffic(const struct scenario *sc, int run, int *n)
{
	*n = built(sc, run)->ntraffic;
	return built(sc, run)->traffic;
}

const struct fault_conf *scenario_faults(const struct scenario *sc, int run, int *n)
{
	*n = built(sc, run)->nfaults;
	return built(sc, run)->faults;
}

/* Rules that need no other run go with the run. */
int scenario_resolved(const struct scenario *sc, int run, FILE *out)
{
	const struct rules *rules = &sc->rules[run];
	const char **alone = mem_zalloc((size_t)(rules->n + 1) * sizeof *alone);
	int n = 0, rc;

	for (int i = 0; i < rules->n; i++) {
		if (!strstr(rules->text[i], "runs."))
			alone[n++] = rules->text[i];
	}
	rc = resolved_print(built(sc, run),
			    &(struct resolved_head){.name = sc->name,
						    .about = scenario_about(sc),
						    .source = scenario_source(sc),
						    .rules = alone},
			    out);
	free(alone);
	return rc;
}

char *scenario_origin(const struct scenario *sc, int run, const char *path, char *buf,
		      size_t size)
{
	const struct assemble_run *a = &sc->assembly.runs[run];
	struct diag_place place = {0};
	char pointer[READ_POINTER_MAX] = "";
	int line, column;

	snprintf(buf, size, "default");
	if (!merge_find(a->doc, path, pointer, sizeof pointer) ||
	    !origin_exact(&a->origin, pointer, JSONC_VALUE, &place))
		return buf;
	if (place.text) {
		diag_line_column(place.text, place.length, place.offset, &line, &column);
		snprintf(buf, size, "%s:%d:%d", place.file, line, column);
	} else {
		snprintf(buf, size, "%s", place.file);
	}
	return buf;
}

/* ----------------------------------------------------------------- expect */

struct scenario_results { json_t *runs; };

int scenario_rules(const struct scenario *sc, int run)
{
	sim_assert(run >= 0 && run < sc->assembly.nruns);
	return sc->rules[run].n;
}

const char *scenario_rule(const struct scenario *sc, int run, int rule)
{
	sim_assert(rule >= 0 && rule < scenario_rules(sc, run));
	return sc->rules[run].text[rule];
}

struct scenario_results *scenario_results_new(void)
{
	struct scenario_results *res = mem_zalloc(sizeof *res);

	res->runs = json_object();
	return res;
}

void scenario_results_free(struct scenario_results **res)
{
	if (!*res)
		return;
	json_decref((*res)->runs);
	free(*res);
	*res = NULL;
}

int scenario_results_add(struct scenario_results *res, const char *run, const char *json,
			 size_t length, struct sim_error *err)
{
	json_error_t why;
	json_t *summary = json_loadb(json, length, 0, &why), *list, *one;
	size_t i;

	if (!summary)
		return error_set(err, "", "the summary of run \"%s\" is no JSON: %s", run,
				 why.text);
	list = json_object_get(summary, "runs");
	if (!list) {
		json_object_set_new(res->runs, run, summary);
		return 0;
	}
	json_array_foreach(list, i, one) {
		const char *name = json_string_value(json_object_get(one, "variant"));

		json_object_set(res->runs, name ? name : run, one);
	}
	json_decref(summary);
	return 0;
}

/* "storm.json:59:5: ", or "". */
static void rule_place(const struct scenario *sc, int run, int rule, char *buf, size_t size)
{
	struct diag_place place = {0};
	int line, column;

	buf[0] = 0;
	if (!origin_find(&sc->assembly.runs[run].origin, sc->rules[run].pointer[rule], JSONC_VALUE,
			 &place))
		return;
	if (place.text) {
		diag_line_column(place.text, place.length, place.offset, &line, &column);
		snprintf(buf, size, "%s:%d:%d: ", place.file, line, column);
	} else {
		snprintf(buf, size, "%s: ", place.file);
	}
}

int scenario_rules_check(const struct scenario *sc, int run,
			 const struct scenario_results *shapes, struct diag *diag)
{
	struct read_ctx ctx;
	struct read at = root(sc, run, diag, &ctx);
	int rc = 0;

	for (int i = 0; i < scenario_rules(sc, run); i++) {
		struct sim_error err = {0};
		struct expect_rule parsed;

		snprintf(at.pointer, sizeof at.pointer, "%s", sc->rules[run].pointer[i]);
		if (expect_parse(sc->rules[run].text[i], &parsed, &err) ||
		    expect_check(&parsed, shapes->runs, scenario_run_name(sc, run), &err))
			rc = read_fail(&at, JSONC_VALUE, "%s", err.text);
	}
	return rc;
}

void scenario_verdict(const struct scenario *sc, int run, int rule,
		      const struct scenario_results *res, struct scenario_verdict *out)
{
	struct sim_error err = {0};
	struct expect_rule parsed;

	*out = (struct scenario_verdict){.rule = scenario_rule(sc, run, rule)};
	if (expect_parse(out->rule, &parsed, &err))
		snprintf(out->why, sizeof out->why, "%.250s", err.text); /* was checked */
	else
		expect_eval(&parsed, res->runs, scenario_run_name(sc, run), out);
	if (!out->passed && strncmp(out->why, "there is no ", 12) == 0) {
		char place[300], why[sizeof out->why];

		snprintf(why, sizeof why, "%s", out->why);
		rule_place(sc, run, rule, place, sizeof place);
		snprintf(out->why, sizeof out->why, "%s%.200s", place, why);
	}
}

const struct scenario_axis *scenario_sweep(const struct scenario *sc, int *n)
{
	*n = sc->naxes;
	return sc->axes;
}

/* ------------------------------------------------------------------- help */

int scenario_explain(const char *key, FILE *out, const char **nearest)
{
	struct section_list *list = section_list_new();
	const char *near;
	int n = lookup_print(list, key, out, &near);

	if (nearest)
		*nearest = section_lasting(near);
	section_list_free(&list);
	return n;
}

void scenario_explain_all(FILE *out)
{
	struct section_list *list = section_list_new();

	lookup_all(list, out);
	section_list_free(&list);
}

int scenario_schema(FILE *out)
{
	struct section_list *list = section_list_new();
	int rc = schema_print(list, out);

	section_list_free(&list);
	return rc;
}
