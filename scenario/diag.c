/*
 * scenario/diag.c - keeps, counts and prints what is wrong with a file.
 */
#include "scenario/diag.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/mem.h"

/* A line up to LINE_SHOWN bytes is shown whole, of others a window. */
enum { TEXT_MAX = 700, LINE_SHOWN = 160, QUOTE_MAX = 100, QUOTE_BEFORE = 60 };

struct entry {
	char *head;		/* "file:line:col: error: text", without the run */
	char *run;		/* or NULL */
	char *quote, *caret;	/* the source line and the mark under it, or NULL */
	int line;
};

struct list {
	struct entry entries[DIAG_MAX];
	int kept, found;
};

struct diag {
	struct list lists[2];	/* by severity */
};

struct diag *diag_new(void)
{
	return mem_zalloc(sizeof(struct diag));
}

void diag_free(struct diag **diag)
{
	if (!*diag)
		return;
	for (int s = 0; s < 2; s++) {
		struct list *l = &(*diag)->lists[s];

		for (int i = 0; i < l->kept; i++) {
			free(l->entries[i].head);
			free(l->entries[i].run);
			free(l->entries[i].quote);
			free(l->entries[i].caret);
		}
	}
	free(*diag);
	*diag = NULL;
}

static bool continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

void diag_line_column(const char *text, size_t length, size_t offset, int *line, int *column)
{
	*line = 1;
	*column = 1;
	for (size_t i = 0; i < offset && i < length; i++) {
		if (text[i] == '\n') {
			++*line;
			*column = 1;
		} else if (!continuation(text[i])) {
			++*column;
		}
	}
	if (*line == 1 && length >= 3 && offset >= 3 && !memcmp(text, "\357\273\277", 3))
		--*column;		/* the byte order mark is no column */
}

/* Bytes of a well-formed UTF-8 character at p that may go to a terminal, or 0. */
static int printable(const char *p, size_t left)
{
	unsigned char c = (unsigned char)*p;
	int n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3
		: c >= 0xf0 && c < 0xf5 ? 4 : 0;

	if ((c < 0x20 && c != '\t') || c == 0x7f || n == 0 || (size_t)n > left)
		return 0;
	for (int i = 1; i < n; i++) {
		if (!continuation(p[i]))
			return 0;
	}
	if (c == 0xc2 && (unsigned char)p[1] < 0xa0)	/* C1 controls */
		return 0;
	return n;
}

/* A copy with every byte that is no printable text as '?'. */
static char *sanitized(const char *text, size_t length)
{
	char *out = mem_zalloc(length + 1);
	size_t n = 0;

	for (size_t i = 0; i < length;) {
		int len = printable(text + i, length - i);

		if (len)
			memcpy(out + n, text + i, (size_t)len);
		else
			out[n] = '?';
		n += len ? (size_t)len : 1;
		i += len ? (size_t)len : 1;
	}
	return out;
}

/* The line around `offset` (a window of it when long), and the caret line. */
static void quote(struct entry *e, const struct diag_place *at)
{
	size_t offset = at->offset < at->length ? at->offset : at->length;
	size_t from = offset, to = offset, n = 0;
	char *caret;

	while (from > 0 && at->text[from - 1] != '\n' && offset - from < LINE_SHOWN)
		from--;
	while (to < at->length && at->text[to] != '\n' && at->text[to] != '\r' &&
	       to - offset < LINE_SHOWN)
		to++;
	if (to - from >= LINE_SHOWN) {
		from = offset - from > QUOTE_BEFORE ? offset - QUOTE_BEFORE : from;
		to = to - from > QUOTE_MAX ? from + QUOTE_MAX : to;
	}
	while (from < offset && continuation(at->text[from]))
		from++;
	while (to > offset && to < at->length && continuation(at->text[to]))
		to--;
	e->quote = sanitized(at->text + from, to - from);
	caret = mem_zalloc(offset - from + 2);
	for (size_t i = from; i < offset; i++) {
		if (!continuation(at->text[i]))
			caret[n++] = at->text[i] == '\t' ? '\t' : ' ';
	}
	caret[n] = '^';
	e->caret = caret;
}

static void keep(struct list *l, const struct diag_place *place, const char *severity,
		 const char *text)
{
	struct entry e = {0};
	char *head = NULL;
	int line = 0, column;

	if (place && place->file && place->file[0] && place->text) {
		diag_line_column(place->text, place->length, place->offset, &line, &column);
		head = mem_printf("%s:%d:%d: %s: %s", place->file, line, column, severity, text);
	} else if (place && place->file && place->file[0]) {
		head = mem_printf("%s: %s: %s", place->file, severity, text);
	} else {
		head = mem_printf("%s: %s", severity, text);
	}
	for (int i = 0; i < l->kept; i++) {
		if (strcmp(l->entries[i].head, head) == 0) {
			free(head);
			return;
		}
	}
	l->found++;
	if (l->kept == DIAG_MAX) {
		free(head);
		return;
	}
	e.head = head;
	e.line = line;
	if (place) {
		e.run = mem_strdup(place->run);
		if (place->text)
			quote(&e, place);
	}
	l->entries[l->kept++] = e;
}

int diag_add(struct diag *diag, enum diag_severity severity, const struct diag_place *place,
	     const char *fmt, ...)
{
	static const char *const names[] = {"error", "warning"};
	char text[TEXT_MAX], *clean;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	clean = sanitized(text, strlen(text));
	keep(&diag->lists[severity], place, names[severity], clean);
	free(clean);
	return -1;
}

int diag_errors(const struct diag *diag)
{
	return diag->lists[DIAG_ERROR].found;
}

int diag_warnings(const struct diag *diag)
{
	return diag->lists[DIAG_WARNING].found;
}

static void print_entry(const struct entry *e, FILE *out)
{
	fputs(e->head, out);
	if (e->run)
		fprintf(out, " (in variant \"%s\")", e->run);
	fputc('\n', out);
	if (e->quote)
		fprintf(out, "%5d | %s\n      | %s\n", e->line, e->quote, e->caret);
}

void diag_print(const struct diag *diag, FILE *out)
{
	static const char *const names[] = {"error", "warning"};

	for (int s = 0; s < 2; s++) {
		const struct list *l = &diag->lists[s];

		for (int i = 0; i < l->kept; i++)
			print_entry(&l->entries[i], out);
		if (l->found > l->kept)
			fprintf(out, "... and %d more %s%s\n", l->found - l->kept, names[s],
				l->found - l->kept > 1 ? "s" : "");
	}
}

const char *diag_line(const struct diag *diag, int i)
{
	int errors = diag->lists[DIAG_ERROR].kept;

	if (i < 0 || i >= errors + diag->lists[DIAG_WARNING].kept)
		return NULL;
	return i < errors ? diag->lists[DIAG_ERROR].entries[i].head
			  : diag->lists[DIAG_WARNING].entries[i - errors].head;
}
