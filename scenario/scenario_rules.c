/*
 * scenario/scenario_rules.c - the rules of `expect`: read, checked, and judged.
 */
#include <stdlib.h>
#include <string.h>

#include "scenario/expect.h"
#include "scenario/scenario_in.h"
#include "sim/assert.h"
#include "sim/mem.h"

/* ---------------------------------------------------------------- reading */

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

int scenario_read_rules(struct scenario *sc, int run, struct diag *diag)
{
	struct rules *rules = &sc->rules[run];
	struct read_ctx ctx;
	struct read at = scenario_root(sc, run, diag, &ctx), list, item;
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

/* ---------------------------------------------------------------- judging */

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
	struct read at = scenario_root(sc, run, diag, &ctx);
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
