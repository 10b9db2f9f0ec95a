/*
 * scenario/writer.c - indentation, commas and escapes.
 */
#include "scenario/writer.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/expand.h"
#include "scenario/section.h"
#include "sim/assert.h"
#include "sim/mem.h"

static void string(FILE *out, const char *text)
{
	fputc('"', out);
	for (const char *p = text; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20)
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

/* What stands before an entry: comma, line, indentation, key. */
static void lead(struct writer *w, const char *key)
{
	if (w->depth > 0) {
		bool flat = w->flat[w->depth];

		if (w->some[w->depth])
			fputs(flat ? ", " : ",", w->out);
		if (!flat)
			fprintf(w->out, "\n%*s", 2 * w->depth, "");
		w->some[w->depth] = true;
	}
	if (key) {
		string(w->out, key);
		fputs(": ", w->out);
	}
}

void writer_open(struct writer *w, const char *key, char bracket, bool flat)
{
	lead(w, key);
	fputc(bracket, w->out);
	sim_assert(w->depth + 1 < WRITER_DEPTH_MAX);
	flat = flat || w->flat[w->depth];
	w->depth++;
	w->flat[w->depth] = flat;
	w->some[w->depth] = false;
}

void writer_close(struct writer *w, char bracket)
{
	bool line = w->some[w->depth] && !w->flat[w->depth];

	sim_assert(w->depth > 0);
	w->depth--;
	if (line)
		fprintf(w->out, "\n%*s", 2 * w->depth, "");
	fputc(bracket, w->out);
	if (w->depth == 0)
		fputc('\n', w->out);
}

void writer_text(struct writer *w, const char *key, const char *text)
{
	lead(w, key);
	string(w->out, text);
}

void writer_raw(struct writer *w, const char *key, const char *raw)
{
	lead(w, key);
	fputs(raw, w->out);
}

void writer_table(struct writer *w, const struct param *table, const char *only,
		  const void *conf)
{
	const struct section s = {.only = only};
	char buf[512];

	for (const struct param *row = table; row && row->key; row++) {
		if (!section_has_row(&s, row))
			continue;
		param_get(row, conf, buf, sizeof buf);
		if (row->type == PARAM_TEXT && !buf[0])
			continue;
		if (row->type == PARAM_BOOL ||
		    (row->type == PARAM_COUNT && buf[0] >= '0' && buf[0] <= '9'))
			writer_raw(w, row->key, buf);
		else
			writer_text(w, row->key, buf);
	}
}

static void entry(struct writer *w, const char *const *names, int n, const char *text)
{
	char *pattern = expand_compact(names, n);

	writer_open(w, pattern, '{', false);
	fputs(text, w->out);
	w->some[w->depth] = true;
	writer_close(w, '}');
	free(pattern);
}

void writer_alike(struct writer *w, const char *key, const char *const *names, char **texts, int n)
{
	const char **same = mem_zalloc((size_t)n * sizeof *same + 1);

	writer_open(w, key, '{', false);
	for (int i = 0; i < n; i++) {
		char *text = texts[i];
		int count = 0;

		for (int j = i; j < n && text; j++) {
			if (!texts[j] || strcmp(texts[j], text) != 0)
				continue;
			same[count++] = names[j];
			if (j > i) {
				free(texts[j]);
				texts[j] = NULL;
			}
		}
		if (text)
			entry(w, same, count, text);
		free(text);
	}
	writer_close(w, '}');
	free(same);
}
