/*
 * scenario/scenario.c - the room's front: opens and builds.
 */
#include "scenario/scenario_in.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/axis.h"
#include "scenario/build.h"
#include "scenario/lookup.h"
#include "scenario/merge.h"
#include "scenario/pattern.h"
#include "scenario/resolved.h"
#include "scenario/schema.h"
#include "sim/assert.h"
#include "sim/mem.h"

#define EXPERIMENT_SCHEMA "xoff.experiment/1"

struct read scenario_root(const struct scenario *sc, int run, struct diag *diag,
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

static int open_parts(struct scenario *sc, struct diag *diag)
{
	struct read_ctx ctx;
	struct read at = scenario_root(sc, 0, diag, &ctx), sweep = at;
	int rc = read_head(sc, &at);

	for (int i = 0; i < sc->assembly.nruns; i++) {
		struct read_ctx run_ctx;
		struct read run = scenario_root(sc, i, diag, &run_ctx);

		rc |= read_keys(&run, "");
		rc |= scenario_read_rules(sc, i, diag);
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

/* A variant that ends sooner than the base looks at its beginning: the base reaches the rest. */
static int64_t base_until(const struct scenario *sc, struct diag *diag)
{
	struct run_conf conf = {0};
	struct read_ctx ctx;
	struct read at = scenario_root(sc, 0, diag, &ctx), run;

	ctx.quiet = true;
	if (!read_child(&at, "run", &run) || read_table(&run, run_params, NULL, &conf))
		return 0;
	return conf.until_ps;
}

struct fabric *scenario_build(struct scenario *sc, int run, struct diag *diag)
{
	struct read_ctx ctx;
	struct read at = scenario_root(sc, run, diag, &ctx);

	run_fini(&sc->runs[run]);
	if (run_load(&at, &sc->runs[run]))
		return NULL;
	return build_fabric(&at, &sc->runs[run], sc->assembly.path, base_until(sc, diag));
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
int scenario_resolved(const struct scenario *sc, int run, const char *dir, FILE *out)
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
						    .rules = alone, .dir = dir},
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
