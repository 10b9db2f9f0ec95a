/* observe/jsonout.c - see jsonout.h */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include "sim/assert.h"
#include "observe/jsonout.h"

void jsonout_init(struct jsonout *j, FILE *out, int depth)
{
	*j = (struct jsonout){ .out = out, .depth = depth, .first = true };
}

static void write_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (*c < 0x20)
			fprintf(out, "\\u%04x", *c);
		else
			fputc(*c, out);
	}
	fputc('"', out);
}

static void new_line(struct jsonout *j)
{
	fputc('\n', j->out);
	for (int i = 0; i < j->depth; i++)
		fputs("  ", j->out);
}

static void begin(struct jsonout *j, const char *key)
{
	if (!j->first)
		fputs(j->flat ? ", " : ",", j->out);
	if (!j->flat && (key || !j->first || j->depth))
		new_line(j);
	j->first = false;
	if (key) {
		write_text(j->out, key);
		fputs(": ", j->out);
	}
}

static void open_bracket(struct jsonout *j, const char *key, char bracket, bool flat)
{
	begin(j, key);
	fputc(bracket, j->out);
	j->depth++;
	j->flat += flat || j->flat;
	j->first = true;
}

void jsonout_open(struct jsonout *j, const char *key, char bracket)
{
	open_bracket(j, key, bracket, false);
}

void jsonout_open_flat(struct jsonout *j, const char *key, char bracket)
{
	open_bracket(j, key, bracket, true);
}

void jsonout_close(struct jsonout *j, char bracket)
{
	sim_assert(j->depth > 0);
	j->depth--;
	if (j->flat)
		j->flat--;
	else if (!j->first)
		new_line(j);
	fputc(bracket, j->out);
	j->first = false;
}

void jsonout_int(struct jsonout *j, const char *key, int64_t value)
{
	begin(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void jsonout_time(struct jsonout *j, const char *key, int64_t ps)
{
	if (ps < 0)
		jsonout_raw(j, key, NULL);
	else
		jsonout_int(j, key, ps);
}

void jsonout_double(struct jsonout *j, const char *key, double value)
{
	char buf[40];

	if (!isfinite(value)) {
		jsonout_raw(j, key, NULL);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, value);
		if (strtod(buf, NULL) == value)
			break;
	}
	jsonout_raw(j, key, buf);
}

void jsonout_bool(struct jsonout *j, const char *key, bool value)
{
	jsonout_raw(j, key, value ? "true" : "false");
}

void jsonout_text(struct jsonout *j, const char *key, const char *text)
{
	if (!text) {
		jsonout_raw(j, key, NULL);
		return;
	}
	begin(j, key);
	write_text(j->out, text);
}

void jsonout_raw(struct jsonout *j, const char *key, const char *json)
{
	begin(j, key);
	fputs(json ? json : "null", j->out);
}
