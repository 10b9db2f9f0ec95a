/*
 * scenario/schema.c - prints sections as a JSON Schema.
 *
 * As strict as the loader about keys and types, and about units; ranges of
 * quantities stand in the descriptions.  Nothing is required, since an include
 * may give it, and everything may be null, since a patch removes with it.
 */
#include "scenario/schema.h"

#include <ctype.h>
#include <string.h>

#include "scenario/writer.h"

/* What a string of the type looks like, without the extra word. */
static const char *pattern(enum param_type type)
{
#define NUMBER "[0-9]+(\\.[0-9]+)?"
	switch (type) {
	case PARAM_TIME: return NUMBER " ?(ps|ns|us|\302\265s|\316\274s|ms|s|min)";
	case PARAM_BYTES: return NUMBER " ?(B|KB|MB|GB|KiB|MiB|GiB)";
	case PARAM_RATE: return NUMBER " ?(bps|Kbps|Mbps|Gbps|Tbps)";
	case PARAM_FREQ: return NUMBER " ?(/s|k/s|M/s)";
	case PARAM_LENGTH: return NUMBER " ?(mm|cm|m|km)";
	case PARAM_COUNT: return "[0-9]+(\\.0+)?";
	case PARAM_RATIO: return NUMBER "(%|/" NUMBER ")?";
	case PARAM_BOOL:
	case PARAM_ENUM:
	case PARAM_TEXT: break;
	}
	return NULL;
}

static void types(struct writer *w, const char *a, const char *b)
{
	writer_open(w, "type", '[', true);
	writer_text(w, NULL, a);
	if (b)
		writer_text(w, NULL, b);
	writer_text(w, NULL, "null");
	writer_close(w, ']');
}

static void words(struct writer *w, const char *const *names)
{
	writer_open(w, "enum", '[', true);
	for (int i = 0; names[i]; i++)
		writer_text(w, NULL, names[i]);
	writer_raw(w, NULL, "null");
	writer_close(w, ']');
}

static void describe(struct writer *w, const struct param *row)
{
	char text[700];
	size_t n = (size_t)snprintf(text, sizeof text, "%s", row->doc);

	if (row->min && row->max && n < sizeof text)
		n += (size_t)snprintf(text + n, sizeof text - n, " From %s to %s.", row->min,
				      row->max);
	else if (row->min && n < sizeof text)
		n += (size_t)snprintf(text + n, sizeof text - n, " At least %s.", row->min);
	else if (row->max && n < sizeof text)
		n += (size_t)snprintf(text + n, sizeof text - n, " At most %s.", row->max);
	if (row->def && n < sizeof text)
		snprintf(text + n, sizeof text - n, " Default: %s.", row->def);
	writer_text(w, "description", text);
}

static void row_pattern(struct writer *w, const struct param *row)
{
	bool never = row->type == PARAM_TIME && !row->max;
	char text[256];

	snprintf(text, sizeof text, "^(%s%s%s%s)$", pattern(row->type), row->word ? "|" : "",
		 row->word ? row->word : "", never ? "|never" : "");
	writer_text(w, "pattern", text);
}

static void bound(struct writer *w, const char *key, const char *text)
{
	if (text && strspn(text, "0123456789") == strlen(text))
		writer_raw(w, key, text);
}

static void schema_row(struct writer *w, const struct param *row)
{
	writer_open(w, row->key, '{', false);
	describe(w, row);
	switch (row->type) {
	case PARAM_BOOL:
		types(w, "boolean", NULL);
		break;
	case PARAM_ENUM:
		words(w, row->names);
		break;
	case PARAM_TEXT:
		types(w, "string", NULL);
		break;
	case PARAM_COUNT:
		types(w, "integer", "string");
		row_pattern(w, row);
		bound(w, "minimum", row->min);
		bound(w, "maximum", row->max);
		break;
	case PARAM_RATIO:
		types(w, "number", "string");
		row_pattern(w, row);
		break;
	case PARAM_TIME:
	case PARAM_BYTES:
	case PARAM_RATE:
	case PARAM_FREQ:
	case PARAM_LENGTH:
		types(w, "string", NULL);
		row_pattern(w, row);
		break;
	}
	writer_close(w, '}');
}

static void schema_section(struct writer *w, const struct section_list *list,
			   const struct section *s, const char *key);

static void body(struct writer *w, const struct section_list *list, const struct section *s)
{
	bool any = false;

	writer_open(w, "properties", '{', false);
	for (const struct param *row = s->table; row && row->key; row++) {
		if (section_has_row(s, row))
			schema_row(w, row);
	}
	for (int i = 0; i < list->n; i++) {
		const char *part = section_below(s->path, list->v[i].path);

		if (part && !isupper((unsigned char)*part))
			schema_section(w, list, &list->v[i], part);
		any = any || (part && isupper((unsigned char)*part));
	}
	writer_close(w, '}');
	if (!any)
		writer_raw(w, "additionalProperties", "false");
	for (int i = 0; i < list->n && any; i++) {
		const char *part = section_below(s->path, list->v[i].path);

		if (part && isupper((unsigned char)*part))
			schema_section(w, list, &list->v[i], "additionalProperties");
	}
}

static void items(struct writer *w, const struct section_list *list, const struct section *s)
{
	types(w, "array", NULL);
	for (int i = 0; i < list->n; i++) {
		if (section_below(s->path, list->v[i].path))
			schema_section(w, list, &list->v[i], "items");
	}
}

/* What it is; names that are not all that it may be. */
static void section_text(struct writer *w, const struct section *s)
{
	char text[700];
	size_t n = (size_t)snprintf(text, sizeof text, "%s", s->doc);

	for (int i = 0; s->kind == SECTION_ANY && s->names && s->names[i] && n < sizeof text; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%s", i ? ", " : " Names: ",
				      s->names[i], s->names[i + 1] ? "" : ".");
	writer_text(w, "description", text);
}

static void schema_section(struct writer *w, const struct section_list *list,
			   const struct section *s, const char *key)
{
	char ref[80];

	writer_open(w, key, '{', false);
	if (s->same_as) {
		snprintf(ref, sizeof ref, "#/properties/%s", s->same_as);
		writer_text(w, "$ref", ref);
		writer_close(w, '}');
		return;
	}
	section_text(w, s);
	switch (s->kind) {
	case SECTION_OBJECT:
	case SECTION_MAP:
		types(w, "object", s->or_text ? "string" : NULL);
		body(w, list, s);
		break;
	case SECTION_TEXT:
		if (s->names)
			words(w, s->names);
		else
			types(w, "string", NULL);
		break;
	case SECTION_TEXTS:
		types(w, "string", "array");
		writer_open(w, "items", '{', true);
		writer_text(w, "type", "string");
		writer_close(w, '}');
		break;
	case SECTION_COUNT:
		types(w, "integer", NULL);
		break;
	case SECTION_FLAG:
		types(w, "boolean", NULL);
		break;
	case SECTION_LIST:
		items(w, list, s);
		break;
	case SECTION_ANY:
		break;
	}
	writer_close(w, '}');
}

int schema_print(const struct section_list *list, FILE *out)
{
	const struct section *root = section_find(list, "");
	struct writer w = {.out = out};

	writer_open(&w, NULL, '{', false);
	writer_text(&w, "$schema", "http://json-schema.org/draft-07/schema#");
	writer_text(&w, "title", "Xoff experiment");
	writer_text(&w, "description", root->doc);
	writer_text(&w, "type", "object");
	body(&w, list, root);
	writer_close(&w, '}');
	return ferror(out) ? -1 : 0;
}
