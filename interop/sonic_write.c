/*
 * interop/sonic_write.c - the experiment: classes, switches, nodes and links, with
 * the notes as comments at its head.
 */
#include "interop/sonic_inside.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/expand.h"
#include "scenario/writer.h"
#include "sim/mem.h"

static void classes(struct writer *w, const struct sonic *s)
{
	char key[16], value[32];

	writer_open(w, "classes", '{', false);
	for (int q = 0; q < SONIC_PRIOS; q++) {
		const struct sonic_class *c = &s->classes[q];

		if (!c->used)
			continue;
		snprintf(key, sizeof key, "tc%d", q);
		writer_open(w, key, '{', true);
		snprintf(value, sizeof value, "%d", c->dscp);
		writer_raw(w, "dscp", value);
		snprintf(value, sizeof value, "%d", q);
		writer_raw(w, "tc", value);
		snprintf(value, sizeof value, "%d", c->group);
		writer_raw(w, "priority", value);
		writer_raw(w, "lossless", c->lossless ? "true" : "false");
		if (c->strict)
			writer_raw(w, "strict", "true");
		snprintf(value, sizeof value, "%lld", (long long)c->weight);
		writer_raw(w, "weight", value);
		writer_close(w, '}');
	}
	writer_close(w, '}');
}

/* Switches that say the same share an entry. */
static void switches(struct writer *w, const struct sonic *s)
{
	bool *told = mem_zalloc((size_t)s->ndevices * sizeof *told + 1);
	const char **same = mem_zalloc((size_t)s->ndevices * sizeof *same + 1);

	writer_open(w, "switches", '{', false);
	for (int i = 0; i < s->ndevices; i++) {
		int n = 0;
		char *pattern;

		for (int j = i; j < s->ndevices && !told[i]; j++) {
			if (told[j] || strcmp(s->texts[i], s->texts[j]) != 0)
				continue;
			same[n++] = s->devices[j].name;
			told[j] = j > i;
		}
		if (told[i])
			continue;
		pattern = expand_compact(same, n);
		writer_open(w, pattern, '{', false);
		fputs(s->texts[i], w->out);
		w->some[w->depth] = true;
		writer_close(w, '}');
		free(pattern);
	}
	writer_close(w, '}');
	free(told);
	free(same);
}

/* Hosts that a link leads to. */
static bool *linked_hosts(const struct sonic *s)
{
	bool *linked = mem_zalloc((size_t)s->nhosts * sizeof *linked + 1);

	for (int i = 0; i < s->nlinks; i++) {
		if (s->links[i].a.device < 0)
			linked[s->links[i].a.host] = true;
		if (s->links[i].b.device < 0)
			linked[s->links[i].b.host] = true;
	}
	return linked;
}

static void end(struct writer *w, const char *key, const struct sonic *s,
		const struct sonic_end *e)
{
	const char *name = e->device >= 0 ? s->devices[e->device].name : s->hosts[e->host].name;
	char text[2 * SONIC_NAME_MAX];

	if (e->port >= 0)
		snprintf(text, sizeof text, "%s:%d", name, e->port);
	else
		snprintf(text, sizeof text, "%s", name);
	writer_text(w, key, text);
}

static void topology(struct writer *w, const struct sonic *s)
{
	bool *linked = linked_hosts(s);
	char text[40];

	writer_open(w, "topology", '{', false);
	writer_open(w, "nodes", '{', false);
	for (int i = 0; i < s->ndevices; i++)
		writer_text(w, s->devices[i].name, "switch");
	for (int i = 0; i < s->nhosts; i++) {
		if (linked[i])
			writer_text(w, s->hosts[i].name, "host");
	}
	writer_close(w, '}');
	writer_open(w, "links", '[', false);
	for (int i = 0; i < s->nlinks; i++) {
		const struct sonic_link *l = &s->links[i];

		writer_open(w, NULL, '{', true);
		end(w, "a", s, &l->a);
		end(w, "b", s, &l->b);
		writer_text(w, "rate", units_exact(l->rate_bps, UNITS_RATE, text, sizeof text));
		writer_text(w, "cable",
			    units_exact(l->cable_mm, UNITS_LENGTH, text, sizeof text));
		writer_close(w, '}');
	}
	writer_close(w, ']');
	writer_close(w, '}');
	free(linked);
}

struct sonic_totals sonic_totals(const struct sonic *s)
{
	struct sonic_totals t = {.switches = s->ndevices, .links = s->nlinks,
				 .lossy = sonic_notes_count(s->notes, SONIC_NOTE_LOSSY)};
	bool *linked = linked_hosts(s);

	for (int i = 0; i < s->nhosts; i++)
		t.hosts += linked[i];
	for (int q = 0; q < SONIC_PRIOS; q++) {
		if (s->classes[q].used && s->classes[q].lossless)
			t.lossless |= 1 << s->classes[q].group;
	}
	free(linked);
	return t;
}

int sonic_write(const struct sonic *s, FILE *out)
{
	struct writer w = {.out = out};

	fputs("// Made by `xoff import sonic'.  What became of the configuration:\n//\n", out);
	sonic_notes(s, "//   ", true, out);
	writer_open(&w, NULL, '{', false);
	writer_text(&w, "schema", "xoff.experiment/1");
	writer_text(&w, "name", s->name);
	writer_text(&w, "about", "A fabric as its SONiC configurations describe it.");
	classes(&w, s);
	switches(&w, s);
	topology(&w, s);
	writer_close(&w, '}');
	return ferror(out) ? -1 : 0;
}
