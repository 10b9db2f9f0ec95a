/* interop/chrometrace.c - see chrometrace.h */
#include "interop/chrometrace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sim/assert.h"
#include "sim/mem.h"

struct event {
	int64_t at_ps, length_ps;	/* -1: names, before all */
	size_t text, n, order;		/* of its JSON in the memory; the order of arrival */
};

struct chrometrace {
	char *text;			/* of all events */
	size_t size;
	FILE *memory;
	struct event *event;
	size_t n, room;
};

struct chrometrace *chrometrace_new(void)
{
	struct chrometrace *t = mem_zalloc(sizeof(*t));

	t->memory = mem_stream(&t->text, &t->size);
	return t;
}

void chrometrace_free(struct chrometrace **tp)
{
	struct chrometrace *t = *tp;

	*tp = NULL;
	if (!t)
		return;
	mem_stream_close(t->memory);
	free(t->text);
	free(t->event);
	free(t);
}

/* RFC 8259: quotes, backslashes and control characters; the rest is UTF-8 already. */
static void put_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			fprintf(out, "\\u%04x", *text);
		else
			fputc(*text, out);
	}
	fputc('"', out);
}

static void put_us(FILE *out, const char *key, int64_t ps)
{
	fprintf(out, ",\"%s\":%" PRId64, key, ps / 1000000);
	if (ps % 1000000)
		fprintf(out, ".%06" PRId64, ps % 1000000);
}

static void put_args(FILE *out, const struct chrometrace_arg *args, int nargs)
{
	for (int i = 0; i < nargs; i++) {
		fputs(i ? "," : ",\"args\":{", out);
		put_text(out, args[i].key);
		fputc(':', out);
		if (args[i].text)
			put_text(out, args[i].text);
		else
			fprintf(out, "%" PRId64, args[i].number);
	}
	if (nargs)
		fputc('}', out);
}

/* Begins an event; what follows until `end` is its JSON. */
static FILE *begin(struct chrometrace *t, char phase, uint32_t pid, uint32_t tid, const char *name,
		   int64_t at_ps, int64_t length_ps)
{
	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 1024;
		t->event = mem_grow(t->event, t->room * sizeof(*t->event));
	}
	t->event[t->n] = (struct event){ .at_ps = at_ps, .length_ps = length_ps, .order = t->n,
					 .text = (size_t)ftello(t->memory) };
	fprintf(t->memory, "{\"ph\":\"%c\",\"pid\":%" PRIu32, phase, pid);
	if (tid)
		fprintf(t->memory, ",\"tid\":%" PRIu32, tid);
	fputs(",\"name\":", t->memory);
	put_text(t->memory, name);
	return t->memory;
}

static void end(struct chrometrace *t)
{
	fputc('}', t->memory);
	t->event[t->n].n = (size_t)ftello(t->memory) - t->event[t->n].text;
	t->n++;
}

/* "process_name" with {"name": ...}, "process_sort_index" with {"sort_index": ...}. */
static void name(struct chrometrace *t, uint32_t pid, uint32_t tid, const char *what,
		 const char *text, int order)
{
	char key[40];
	struct chrometrace_arg named = { "name", text, 0 }, sorted = { "sort_index", NULL, order };

	snprintf(key, sizeof key, "%s_name", what);
	put_args(begin(t, 'M', pid, tid, key, -1, 0), &named, 1);
	end(t);
	snprintf(key, sizeof key, "%s_sort_index", what);
	put_args(begin(t, 'M', pid, tid, key, -1, 0), &sorted, 1);
	end(t);
}

void chrometrace_process(struct chrometrace *t, uint32_t pid, const char *text, int order)
{
	name(t, pid, 0, "process", text, order);
}

void chrometrace_thread(struct chrometrace *t, uint32_t pid, uint32_t tid, const char *text,
			int order)
{
	name(t, pid, tid, "thread", text, order);
}

void chrometrace_slice(struct chrometrace *t, uint32_t pid, uint32_t tid, const char *text,
		       int64_t from_ps, int64_t until_ps, const struct chrometrace_arg *args,
		       int nargs)
{
	sim_assert(from_ps >= 0 && until_ps >= from_ps);
	FILE *out = begin(t, 'X', pid, tid, text, from_ps, until_ps - from_ps);
	put_us(out, "ts", from_ps);
	put_us(out, "dur", until_ps - from_ps);
	put_args(out, args, nargs);
	end(t);
}

void chrometrace_instant(struct chrometrace *t, uint32_t pid, uint32_t tid, const char *text,
			 int64_t at_ps, const struct chrometrace_arg *args, int nargs)
{
	sim_assert(at_ps >= 0);
	FILE *out = begin(t, 'i', pid, tid, text, at_ps, 0);
	put_us(out, "ts", at_ps);
	fprintf(out, ",\"s\":\"%c\"", tid ? 't' : pid ? 'p' : 'g');
	put_args(out, args, nargs);
	end(t);
}

void chrometrace_counter(struct chrometrace *t, uint32_t pid, const char *text, const char *unit,
			 int64_t at_ps, int64_t value)
{
	struct chrometrace_arg arg = { unit, NULL, value };

	sim_assert(at_ps >= 0);
	FILE *out = begin(t, 'C', pid, 0, text, at_ps, 0);
	put_us(out, "ts", at_ps);
	put_args(out, &arg, 1);
	end(t);
}

static int by_time(const void *x, const void *y)
{
	const struct event *a = x, *b = y;

	if (a->at_ps != b->at_ps)
		return a->at_ps < b->at_ps ? -1 : 1;
	if (a->length_ps != b->length_ps)
		return a->length_ps > b->length_ps ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

int chrometrace_write(struct chrometrace *t, int (*put)(void *ctx, const char *text, size_t n),
		      void *ctx)
{
	static const char head[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
	int rc = put(ctx, head, sizeof head - 1);

	fflush(t->memory);
	if (t->n)
		qsort(t->event, t->n, sizeof(*t->event), by_time);
	for (size_t i = 0; i < t->n && !rc; i++) {
		rc = i ? put(ctx, ",\n", 2) : 0;
		rc = rc ? rc : put(ctx, t->text + t->event[i].text, t->event[i].n);
	}
	return rc || put(ctx, "\n]}\n", 4) ? -1 : 0;
}

size_t chrometrace_events(const struct chrometrace *t) { return t->n; }
