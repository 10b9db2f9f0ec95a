/*
 * interop/sonic_note.c - what became of every field, told once for all the
 * switches and ports that it holds for.
 */
#include "interop/sonic_inside.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/expand.h"
#include "scenario/pattern.h"
#include "sim/mem.h"

enum { COLUMNS = 96, PLACE_MAX = 400 };

struct place {			/* one switch */
	const char *device;
	int *ports, nports, room;
};
struct note {
	enum sonic_kind kind;
	int index;		/* 0..7 priority, 8..15 queue; -1 neither */
	char *text;
	uint64_t hash;
	struct place *places;
	int nplaces, room;
};
struct sonic_notes {
	struct note *v;
	int n, room;
	int *slots, nslots;	/* open addressing: index + 1; 0 free */
};

struct sonic_notes *sonic_notes_new(void)
{
	return mem_zalloc(sizeof(struct sonic_notes));
}

void sonic_notes_free(struct sonic_notes **notes)
{
	if (!*notes)
		return;
	for (int i = 0; i < (*notes)->n; i++) {
		struct note *n = &(*notes)->v[i];

		for (int j = 0; j < n->nplaces; j++)
			free(n->places[j].ports);
		free(n->places);
		free(n->text);
	}
	free((*notes)->v);
	free((*notes)->slots);
	free(*notes);
	*notes = NULL;
}

/* -------------------------------------------------------------------- collecting */

static uint64_t hash_of(enum sonic_kind kind, int index, const char *text)
{
	uint64_t h = UINT64_C(14695981039346656037) ^ (uint64_t)kind;

	h ^= (uint64_t)(index + 1) << 8;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return h;
}

static void grow_slots(struct sonic_notes *notes)
{
	free(notes->slots);
	notes->nslots = notes->nslots ? 2 * notes->nslots : 256;
	notes->slots = mem_zalloc((size_t)notes->nslots * sizeof *notes->slots);
	for (int i = 0; i < notes->n; i++) {
		uint64_t at = notes->v[i].hash;

		while (notes->slots[at % (uint64_t)notes->nslots])
			at++;
		notes->slots[at % (uint64_t)notes->nslots] = i + 1;
	}
}

static struct note *note_of(struct sonic_notes *notes, enum sonic_kind kind, int index,
			    const char *text)
{
	uint64_t hash = hash_of(kind, index, text), at = hash;

	if (2 * notes->n >= notes->nslots)
		grow_slots(notes);
	for (int slot; (slot = notes->slots[at % (uint64_t)notes->nslots]) != 0; at++) {
		struct note *n = &notes->v[slot - 1];

		if (n->hash == hash && n->kind == kind && n->index == index &&
		    strcmp(n->text, text) == 0)
			return n;
	}
	if (notes->n == notes->room) {
		notes->room = notes->room ? 2 * notes->room : 64;
		notes->v = mem_grow(notes->v, (size_t)notes->room * sizeof *notes->v);
	}
	notes->v[notes->n] = (struct note){.kind = kind, .index = index, .hash = hash,
					   .text = mem_strdup(text)};
	notes->slots[at % (uint64_t)notes->nslots] = notes->n + 1;
	return &notes->v[notes->n++];
}

/* Switches come one after the other, so that the last place is the likely one. */
static void add_place(struct note *n, const char *device, int port)
{
	struct place *p = n->nplaces ? &n->places[n->nplaces - 1] : NULL;

	for (int i = n->nplaces - 1; i >= 0 && p->device != device; i--)
		p = &n->places[i];
	if (!p || p->device != device) {
		if (n->nplaces == n->room) {
			n->room = n->room ? 2 * n->room : 4;
			n->places = mem_grow(n->places, (size_t)n->room * sizeof *n->places);
		}
		p = &n->places[n->nplaces++];
		*p = (struct place){.device = device};
	}
	if (port < 0 || (p->nports && p->ports[p->nports - 1] == port))
		return;
	if (p->nports == p->room) {
		p->room = p->room ? 2 * p->room : 8;
		p->ports = mem_grow(p->ports, (size_t)p->room * sizeof *p->ports);
	}
	p->ports[p->nports++] = port;
}

static void add(struct sonic *s, enum sonic_kind kind, const struct sonic_device *d, int port,
		int index, const char *fmt, va_list ap)
{
	struct note *n;
	char *text = mem_vprintf(fmt, ap);

	n = note_of(s->notes, kind, index, text);
	if (d)
		add_place(n, d->name, port);
	free(text);
}

void sonic_note(struct sonic *s, enum sonic_kind kind, const struct sonic_device *d, int port,
		const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(s, kind, d, port, -1, fmt, ap);
	va_end(ap);
}

void sonic_note_prio(const struct sonic_device *d, enum sonic_kind kind, int port, int prio,
		     const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(d->s, kind, d, port, prio, fmt, ap);
	va_end(ap);
}

void sonic_note_queue(const struct sonic_device *d, enum sonic_kind kind, int port, int queue,
		      const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(d->s, kind, d, port, SONIC_PRIOS + queue, fmt, ap);
	va_end(ap);
}

int sonic_notes_count(const struct sonic_notes *notes, enum sonic_kind kind)
{
	int n = 0;

	for (int i = 0; i < notes->n; i++) {
		bool first = notes->v[i].kind == kind;

		for (int j = 0; j < i && first; j++)	/* of another priority */
			first = notes->v[j].kind != kind ||
				strcmp(notes->v[j].text, notes->v[i].text) != 0;
		n += first;
	}
	return n;
}

/* ----------------------------------------------------------------------- printing */

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* "Ethernet[0-124:4]"; malloc'ed, "" where none is named. */
static char *ports_text(const struct place *p)
{
	char **names = mem_zalloc((size_t)p->nports * sizeof *names + 1), *text;
	int n = 0;

	if (p->nports)
		qsort(p->ports, (size_t)p->nports, sizeof *p->ports, by_number);
	for (int i = 0; i < p->nports; i++) {
		if (i && p->ports[i] == p->ports[i - 1])
			continue;
		names[n++] = mem_printf("Ethernet%d", p->ports[i]);
	}
	text = n ? expand_compact((const char *const *)names, n) : mem_strdup("");
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return text;
}

/* "leaf[0-3] Ethernet[0-28:4]; leaf4 Ethernet0"; malloc'ed. */
static char *places_text(const struct note *n, int devices)
{
	char **ports = mem_zalloc((size_t)n->nplaces * sizeof *ports + 1), *text = NULL;
	const char **same = mem_zalloc((size_t)n->nplaces * sizeof *same + 1);
	size_t size = 0;
	FILE *out = mem_stream(&text, &size);
	bool first = true;

	for (int i = 0; i < n->nplaces; i++)
		ports[i] = ports_text(&n->places[i]);
	for (int i = 0; i < n->nplaces; i++) {
		int count = 0;
		char *names;

		for (int j = i; j < n->nplaces && ports[i]; j++) {
			if (!ports[j] || (j > i && strcmp(ports[i], ports[j]) != 0))
				continue;
			same[count++] = n->places[j].device;
			if (j > i) {
				free(ports[j]);
				ports[j] = NULL;
			}
		}
		if (!ports[i])
			continue;
		qsort(same, (size_t)count, sizeof *same, pattern_natural_qsort);
		names = expand_compact(same, count);
		fprintf(out, "%s", first ? "" : "; ");
		if (count == devices && devices > 1)
			fprintf(out, "all %d switches", devices);
		else if (devices > 1)
			fputs(names, out);
		fprintf(out, "%s%s", devices > 1 && *ports[i] ? " " : "", ports[i]);
		first = false;
		free(names);
		free(ports[i]);
	}
	mem_stream_close(out);
	free(same);
	free(ports);
	if (strlen(text) > PLACE_MAX)
		snprintf(text + PLACE_MAX - 4, 5, " ...");
	return text;
}

struct line { const struct note *note; char *place; unsigned indices; };

static int by_text(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int c = (int)x->note->kind - (int)y->note->kind;

	if (!c)
		c = pattern_natural(x->note->text, y->note->text);
	if (!c)
		c = strcmp(x->place, y->place);
	return c ? c : x->note->index - y->note->index;
}

/* Words, broken at COLUMNS; further lines are indented below the first. */
static void wrap(FILE *out, const char *prefix, const char *text)
{
	size_t column = strlen(prefix);

	fputs(prefix, out);
	for (const char *c = text; *c;) {
		size_t n = strcspn(c, " ");

		if (c != text && column + 1 + n > COLUMNS) {
			fprintf(out, "\n%s    ", prefix);
			column = strlen(prefix) + 4;
		} else if (c != text) {
			fputc(' ', out);
			column++;
		}
		fwrite(c, 1, n, out);
		column += n;
		c += n;
		c += *c == ' ';
	}
	fputc('\n', out);
}

static void print(const struct line *l, const char *prefix, FILE *out)
{
	static const char *const heads[SONIC_NOTE_KINDS] = {
		"lossy", "finding", "approximated", "assumed", "computed", "ignored", "used"};
	unsigned queues = l->indices >> SONIC_PRIOS, bits = queues ? queues : l->indices;
	char list[40] = "";
	int n = 0;

	for (int p = 0; p < SONIC_PRIOS; p++) {
		if (bits >> p & 1)
			n += snprintf(list + n, sizeof list - (size_t)n, "%s%d",
				      n ? "," : "", p);
	}
	char *text = mem_printf("%s: %s%s%s%s%s%s", heads[l->note->kind],
				queues ? "queue " : bits ? "priority " : "", list, n ? ": " : "",
				l->note->text, *l->place ? ": " : "", l->place);
	wrap(out, prefix, text);
	free(text);
}

void sonic_notes(const struct sonic *s, const char *prefix, bool all, FILE *out)
{
	const struct sonic_notes *notes = s->notes;
	struct line *lines = mem_zalloc((size_t)notes->n * sizeof *lines + 1);
	int n = 0, kept = 0;

	for (int i = 0; i < notes->n; i++) {
		const struct note *note = &notes->v[i];

		if (!all && note->kind >= SONIC_NOTE_IGNORED)
			continue;
		lines[n++] = (struct line){note, places_text(note, s->ndevices),
					   note->index >= 0 ? 1u << note->index : 0};
	}
	qsort(lines, (size_t)n, sizeof *lines, by_text);
	for (int i = 0; i < n; i++) {
		struct line *last = kept ? &lines[kept - 1] : NULL;

		if (last && last->note->kind == lines[i].note->kind &&
		    strcmp(last->note->text, lines[i].note->text) == 0 &&
		    strcmp(last->place, lines[i].place) == 0) {
			last->indices |= lines[i].indices;
			free(lines[i].place);
		} else {
			lines[kept++] = lines[i];
		}
	}
	for (int i = 0; i < kept; i++) {
		print(&lines[i], prefix, out);
		free(lines[i].place);
	}
	free(lines);
}
