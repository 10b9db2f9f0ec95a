/*
 * scenario/expect.c - parses a rule, and holds it against the summaries.
 */
#include "scenario/expect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/jsonc.h"
#include "scenario/merge.h"
#include "sim/units.h"

/* ---------------------------------------------------------------- parsing */

static void trim(const char *from, const char *to, char *out, size_t size)
{
	while (from < to && *from == ' ')
		from++;
	while (to > from && to[-1] == ' ')
		to--;
	snprintf(out, size, "%.*s", (int)(to - from), from);
}

static bool plain_number(const char *text, struct expect_number *n)
{
	char *end;

	errno = 0;
	n->i = strtoll(text, &end, 10);
	n->whole = errno == 0 && end != text && !*end;
	n->x = (double)n->i;
	if (n->whole)
		return true;
	n->x = strtod(text, &end);
	return end != text && !*end;
}

static void quantity(enum units_kind kind, int64_t v, struct expect_number *n)
{
	*n = (struct expect_number){kind != UNITS_FREQ, v, (double)v};
	if (kind == UNITS_FREQ)
		n->x /= 1000;
}

static int number(const char *text, const char *path, struct expect_number *n,
		  struct sim_error *err)
{
	static const enum units_kind kinds[] = {UNITS_TIME, UNITS_BYTES, UNITS_RATE, UNITS_FREQ,
						UNITS_LENGTH};
	struct units_ratio ratio;
	enum units_kind want;
	const char *name;
	int64_t v;

	bool plain = plain_number(text, n);

	if (strncmp(path, "runs.", 5) == 0 && strchr(path + 5, '.'))
		path = strchr(path + 5, '.') + 1;
	if (scenario_unit(path, &want, &name) && !(plain && n->x == 0)) {
		struct sim_error wrong = {0};

		if (units_parse(text, want, &v, NULL, &wrong))
			return error_set(err, "", "%s is %s: %s", path, name, wrong.text);
		quantity(want, v, n);
		return 0;
	}
	if (plain)
		return 0;
	if (units_parse(text, UNITS_RATIO, NULL, &ratio, NULL) == 0) {
		*n = (struct expect_number){ratio.den == 1, ratio.num,
					    (double)ratio.num / (double)ratio.den};
		return 0;
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (units_parse(text, kinds[i], &v, NULL, NULL) == 0) {
			quantity(kinds[i], v, n);
			n->unit = *path && kinds[i] != UNITS_FREQ;
			return 0;
		}
	}
	return error_set(err, "", "\"%s\" is neither a number nor a quantity such as \"10us\", "
			 "\"250KB\", \"98Gbps\" or \"5%%\"", text);
}

/* "0.1 * runs.base.pfc.xoff_frames" or "runs.base.pfc.xoff_frames" */
static int run_term(const char *text, struct expect_term *t, struct sim_error *err)
{
	const char *star = strchr(text, '*'), *ref = text;
	char factor[EXPECT_TEXT_MAX];

	t->kind = EXPECT_RUN;
	t->number = (struct expect_number){true, 1, 1};
	if (star) {
		trim(text, star, factor, sizeof factor);
		if (number(factor, "", &t->number, err))
			return -1;
		ref = star + 1 + strspn(star + 1, " ");
	}
	if (strncmp(ref, "runs.", 5) != 0 || !ref[5])
		return error_set(err, "",
				 "what stands after '*' must be runs.NAME.PATH, not \"%s\"",
				 ref);
	snprintf(t->text, sizeof t->text, "%s", ref + 5);
	return 0;
}

static int term(const char *text, const char *path, struct expect_term *t,
		struct sim_error *err)
{
	static const struct { const char *word; enum expect_kind kind; } words[] = {
		{"true", EXPECT_TRUE}, {"false", EXPECT_FALSE}, {"null", EXPECT_NULL}};
	size_t n = strlen(text);

	if (n == 0)
		return error_set(err, "", "a value is missing; wanted PATH OP VALUE, such as "
				 "\"drops.lossless == 0\"");
	for (size_t i = 0; i < 3; i++) {
		if (strcmp(text, words[i].word) == 0) {
			t->kind = words[i].kind;
			return 0;
		}
	}
	if (n >= 2 && (text[0] == '\'' || text[0] == '"') && text[n - 1] == text[0]) {
		t->kind = EXPECT_TEXT;
		trim(text + 1, text + n - 1, t->text, sizeof t->text);
		return 0;
	}
	if (strncmp(text, "runs.", 5) == 0 || strchr(text, '*'))
		return run_term(text, t, err);
	if ((text[0] >= '0' && text[0] <= '9') || text[0] == '-' || text[0] == '.') {
		t->kind = EXPECT_NUMBER;
		return number(text, path, &t->number, err);
	}
	t->kind = EXPECT_TEXT;
	snprintf(t->text, sizeof t->text, "%s", text);
	return 0;
}

/* The first operator: its place and length. */
static const char *find_op(const char *text, enum expect_op *op, size_t *length)
{
	static const struct { const char *text; enum expect_op op; } ops[] = {
		{"==", EXPECT_EQ}, {"!=", EXPECT_NE}, {"<=", EXPECT_LE}, {">=", EXPECT_GE},
		{"<", EXPECT_LT}, {">", EXPECT_GT}, {" in ", EXPECT_IN}};

	for (const char *p = text; *p; p++) {
		for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
			*length = strlen(ops[i].text);
			*op = ops[i].op;
			if (strncmp(p, ops[i].text, *length) == 0)
				return p;
		}
	}
	return NULL;
}

static int check_order(const struct expect_rule *rule, struct sim_error *err)
{
	bool word = rule->low.kind != EXPECT_NUMBER && rule->low.kind != EXPECT_RUN;

	if (rule->op >= EXPECT_LT && word)
		return error_set(err, "", "only numbers can be compared by size");
	if (rule->op == EXPECT_IN && rule->low.kind == EXPECT_NUMBER &&
	    rule->high.kind == EXPECT_NUMBER && rule->low.number.x > rule->high.number.x)
		return error_set(err, "",
				 "the range is empty: its first end is above its second");
	return 0;
}

int expect_parse(const char *text, struct expect_rule *rule, struct sim_error *err)
{
	const char *value, *dots, *op;
	char part[EXPECT_TEXT_MAX];
	size_t length;

	*rule = (struct expect_rule){0};
	if (strlen(text) >= EXPECT_TEXT_MAX)
		return error_set(err, "", "a rule of more than %d characters",
				 EXPECT_TEXT_MAX - 1);
	op = find_op(text, &rule->op, &length);
	if (!op)
		return error_set(err, "",
				 "\"%s\" has no operator; wanted PATH OP VALUE with OP one of "
				 "== != < <= > >= or in A..B",
				 text);
	trim(text, op, rule->path, sizeof rule->path);
	if (!rule->path[0] || strchr(rule->path, ' '))
		return error_set(err, "", "\"%s\" must begin with the path of one value", text);
	value = op + length;
	dots = rule->op == EXPECT_IN ? strstr(value, "..") : NULL;
	if (rule->op == EXPECT_IN && !dots)
		return error_set(err, "", "after \"in\" a range is wanted, such as 10us..20us");
	trim(value, dots ? dots : value + strlen(value), part, sizeof part);
	if (term(part, rule->path, &rule->low, err))
		return -1;
	if (dots) {
		trim(dots + 2, dots + strlen(dots), part, sizeof part);
		if (term(part, rule->path, &rule->high, err))
			return -1;
		if (rule->high.kind != EXPECT_NUMBER && rule->high.kind != EXPECT_RUN)
			return error_set(err, "", "\"%s\" is no number", part);
	}
	return check_order(rule, err);
}

const char *expect_run(const char *text, const char *const *names)
{
	const char *best = NULL;

	for (; *names; names++) {
		size_t n = strlen(*names);

		if (strncmp(text, *names, n) == 0 && text[n] == '.' &&
		    (!best || n > strlen(best)))
			best = *names;
	}
	return best;
}

/* ------------------------------------------------------------- evaluation */

json_t *expect_find(json_t *root, const char *path)
{
	size_t n = strlen(path);
	char shorter[EXPECT_TEXT_MAX];
	json_t *found = merge_find(root, path, NULL, 0);

	if (found)
		return json_incref(found);
	if (n <= 7 || strcmp(path + n - 7, ".length") != 0)
		return NULL;
	snprintf(shorter, sizeof shorter, "%.*s", (int)n - 7, path);
	found = merge_find(root, shorter, NULL, 0);
	return json_is_array(found) ? json_integer((json_int_t)json_array_size(found)) : NULL;
}

static void show(const json_t *value, char *buf, size_t size)
{
	char *text;

	if (json_is_real(value)) {
		jsonc_real(json_real_value(value), buf, size);
		return;
	}
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	snprintf(buf, size, "%s", text ? text : "null");
	if (text && strlen(text) >= size && size > 8)	/* still one JSON value */
		snprintf(buf, size, "\"(long)\"");
	free(text);
}

static bool json_number(const json_t *value, struct expect_number *n)
{
	if (json_is_integer(value))
		*n = (struct expect_number){true, json_integer_value(value),
					    (double)json_integer_value(value)};
	else if (json_is_real(value))
		*n = (struct expect_number){false, 0, json_real_value(value)};
	else
		return false;
	return true;
}

/* What a term is worth; false: `why` says why it is worth nothing. */
static bool worth(const struct expect_term *t, json_t *runs, struct expect_number *n, char *why,
		  size_t size)
{
	struct expect_number factor = t->number;
	char path[EXPECT_TEXT_MAX + 8];
	struct sim_error err = {0};
	json_t *found;
	bool ok;

	*n = factor;
	if (t->kind != EXPECT_RUN)
		return true;
	found = expect_find(runs, t->text);
	ok = found && json_number(found, n);
	if (!ok && found) {
		snprintf(why, size, "runs.%.200s is no number", t->text);
	} else if (!ok) {
		snprintf(path, sizeof path, "runs.%s", t->text);
		(void)expect_missing(runs, "", path, &err);
		snprintf(why, size, "%s", err.text);
	}
	json_decref(found);
	if (ok && !(factor.whole && factor.i == 1))
		*n = (struct expect_number){false, 0, factor.x * n->x};
	return ok;
}

static int compare(const struct expect_number *a, const struct expect_number *b)
{
	if (a->whole && b->whole)
		return (a->i > b->i) - (a->i < b->i);
	return (a->x > b->x) - (a->x < b->x);
}

static bool holds(enum expect_op op, int c)
{
	switch (op) {
	case EXPECT_EQ: return c == 0;
	case EXPECT_NE: return c != 0;
	case EXPECT_LT: return c < 0;
	case EXPECT_LE: return c <= 0;
	case EXPECT_GT: return c > 0;
	case EXPECT_GE:
	case EXPECT_IN: return c >= 0;
	}
	return false;
}

static bool eval_word(const struct expect_rule *rule, const json_t *found)
{
	const char *text = json_string_value(found);
	bool same = false;

	switch (rule->low.kind) {
	case EXPECT_TRUE: same = json_is_true(found); break;
	case EXPECT_FALSE: same = json_is_false(found); break;
	case EXPECT_NULL: same = json_is_null(found); break;
	case EXPECT_TEXT: same = text && strcmp(text, rule->low.text) == 0; break;
	case EXPECT_NUMBER:
	case EXPECT_RUN: break;
	}
	return same == (rule->op == EXPECT_EQ);
}

static void explain(const struct expect_term *t, const struct expect_number *n,
		    const char *relation, struct scenario_verdict *out)
{
	char number_text[64];

	if (n->whole)
		snprintf(number_text, sizeof number_text, "%" PRId64, n->i);
	else
		jsonc_real(n->x, number_text, sizeof number_text);
	if (t->kind == EXPECT_RUN)
		snprintf(out->why, sizeof out->why, "it is %.80s, %s %.40s (from runs.%.90s)",
			 out->value, relation, number_text, t->text);
	else
		snprintf(out->why, sizeof out->why, "it is %.120s, %s %.40s", out->value,
			 relation, number_text);
}

static const char *relation(int c)
{
	return c < 0 ? "below" : c > 0 ? "above" : "equal to";
}

static void eval_number(const struct expect_rule *rule, const json_t *found, json_t *runs,
			struct scenario_verdict *out)
{
	struct expect_number have, low, high;
	int c;

	if (!json_number(found, &have)) {
		snprintf(out->why, sizeof out->why, "it is %.150s, no number", out->value);
		return;
	}
	if (!worth(&rule->low, runs, &low, out->why, sizeof out->why))
		return;
	c = compare(&have, &low);
	if (!holds(rule->op, c)) {
		explain(&rule->low, &low, relation(c), out);
		return;
	}
	if (rule->op == EXPECT_IN) {
		if (!worth(&rule->high, runs, &high, out->why, sizeof out->why))
			return;
		if (compare(&have, &high) > 0) {
			explain(&rule->high, &high, "above", out);
			return;
		}
	}
	out->passed = true;
}

void expect_eval(const struct expect_rule *rule, json_t *runs, const char *own,
		 struct scenario_verdict *out)
{
	bool other = strncmp(rule->path, "runs.", 5) == 0;
	json_t *found = other ? expect_find(runs, rule->path + 5)
			      : expect_find(json_object_get(runs, own), rule->path);

	out->passed = false;
	out->why[0] = 0;
	snprintf(out->value, sizeof out->value, "null");
	if (!found) {
		struct sim_error err = {0};

		(void)expect_missing(runs, own, rule->path, &err);
		snprintf(out->why, sizeof out->why, "%s", err.text);
		return;
	}
	show(found, out->value, sizeof out->value);
	if (json_is_null(found) && rule->low.kind != EXPECT_NULL) {
		snprintf(out->why, sizeof out->why, "it is null: there is nothing to measure");
	} else if (rule->low.kind == EXPECT_NUMBER || rule->low.kind == EXPECT_RUN) {
		eval_number(rule, found, runs, out);
	} else {
		out->passed = eval_word(rule, found);
		if (!out->passed)
			snprintf(out->why, sizeof out->why, "it is %.150s", out->value);
	}
	json_decref(found);
}
