/*
 * interop/sonic_device.c - which files are one switch, its name and its kind.
 */
#include "interop/sonic_inside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scenario/pattern.h"
#include "sim/mem.h"

/* Words by which the files of one switch differ. */
static const char *const words[] = {
	"config_db", "config-db", "buffers", "buffer", "pfc_wd", "pfcwd", "qos", "ports",
};

/* The path without its ending and those words: equal for files of one switch. */
static char *stem_of(const char *path)
{
	char *stem = mem_strdup(path), *base = strrchr(stem, '/'), *dot, *hit;

	base = base ? base + 1 : stem;
	dot = strrchr(base, '.');
	if (dot && dot != base)
		*dot = 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);

		hit = strcasestr(base, words[i]);
		if (!hit)
			continue;
		memmove(hit, hit + n, strlen(hit + n) + 1);
		if (hit > base && !isalnum((unsigned char)hit[-1]) && *hit &&
		    !isalnum((unsigned char)*hit))	/* one separator is enough */
			memmove(hit, hit + 1, strlen(hit));
	}
	return stem;
}

char *sonic_legal_name(const char *text)
{
	char *out = mem_zalloc(SONIC_NAME_MAX);
	size_t n = 0;

	for (; *text && n < SONIC_NAME_MAX - 1; text++) {
		bool good = isalnum((unsigned char)*text) || *text == '_' || *text == '.';

		if (good || (n && out[n - 1] != '-'))
			out[n++] = good ? *text : '-';
	}
	while (n && !isalnum((unsigned char)out[n - 1]))
		out[--n] = 0;
	if (!n)
		strcpy(out, "unnamed");
	return out;
}

/* From a stem: "leaf0/" gives leaf0, "x/bi_-dualtor" gives bi_-dualtor. */
static char *name_of(const char *stem)
{
	char *copy = mem_strdup(stem), *slash, *name;
	const char *base;

	while (*copy && copy[strlen(copy) - 1] == '/')
		copy[strlen(copy) - 1] = 0;
	slash = strrchr(copy, '/');
	base = slash ? slash + 1 : copy;
	while (*base && !isalnum((unsigned char)*base))
		base++;
	name = sonic_legal_name(*base ? base : "switch");
	free(copy);
	return name;
}

static const char *metadata(const struct sonic_doc *doc, const char *field)
{
	json_t *host = json_object_get(doc->tables[SONIC_DEVICE_METADATA], "localhost");

	return json_string_value(json_object_get(host, field));
}

/* "sonic" is what a switch is called before it has a name. */
static const char *hostname(const struct sonic_doc *doc)
{
	const char *name = metadata(doc, "hostname");

	return name && *name && strcmp(name, "sonic") != 0 ? name : NULL;
}

static int add_device(struct sonic *s, char *name)
{
	s->devices = mem_grow(s->devices, (size_t)(s->ndevices + 1) * sizeof *s->devices);
	s->devices[s->ndevices] = (struct sonic_device){.name = name, .s = s, .pool = -1};
	return s->ndevices++;
}

/* Two files with one host name but different hardware are two switches. */
static int check_same(struct sonic *s, const struct sonic_doc *doc)
{
	static const char *const facts[] = {"mac", "hwsku"};
	struct diag_place place = {.file = doc->path};

	for (const struct sonic_doc *other = s->docs; other < doc; other++) {
		if (other->device != doc->device)
			continue;
		for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
			const char *a = metadata(other, facts[i]), *b = metadata(doc, facts[i]);

			if (a && b && strcasecmp(a, b) != 0)
				return diag_add(s->diag, DIAG_ERROR, &place,
						"the host is named \"%s\", as in %s, but its "
						"%s is another: \"%s\", not \"%s\"",
						s->devices[doc->device].name, other->path,
						facts[i], b, a);
		}
	}
	return 0;
}

static int by_hostname(struct sonic *s)
{
	int rc = 0;

	for (int i = 0; i < s->ndocs; i++) {
		struct sonic_doc *doc = &s->docs[i];
		const char *name = hostname(doc);
		char *node;

		if (!name)
			continue;
		node = sonic_legal_name(name);
		for (int j = 0; j < s->ndevices && doc->device < 0; j++)
			doc->device = strcmp(s->devices[j].name, node) == 0 ? j : -1;
		if (doc->device >= 0) {
			free(node);
			rc |= check_same(s, doc);
			continue;
		}
		if (strcmp(node, name) != 0)
			sonic_note(s, SONIC_NOTE_APPROXIMATED, NULL, -1,
				   "host \"%s\" is called %s: a name has letters, digits, '_', "
				   "'-' and '.'", name, node);
		doc->device = add_device(s, node);
	}
	return rc;
}

/* A name that no switch has yet: "switch", "switch-2", ... */
static char *unused_name(const struct sonic *s, char *name)
{
	char tried[SONIC_NAME_MAX + 16];

	for (int n = 1;; n++) {
		bool taken = false;

		snprintf(tried, sizeof tried, n > 1 ? "%s-%d" : "%s", name, n);
		for (int j = 0; j < s->ndevices; j++)
			taken |= strcmp(s->devices[j].name, tried) == 0;
		if (!taken)
			break;
	}
	free(name);
	return mem_strdup(tried);
}

/* The switch of another file that is given with this one; -1: none yet. */
static int given_with(const struct sonic *s, const struct sonic_doc *doc)
{
	int device = -1;

	for (int i = 0; i < s->ndocs && doc->together >= 0; i++) {
		if (s->docs[i].together == doc->together && s->docs[i].device >= 0)
			device = s->docs[i].device;
	}
	return device;
}

static void by_path(struct sonic *s)
{
	for (int i = 0; i < s->ndocs; i++) {
		struct sonic_doc *doc = &s->docs[i];
		char *stem;

		if (doc->device < 0)
			doc->device = given_with(s, doc);
		if (doc->device >= 0)
			continue;
		if (doc->patches && i > 0) {
			doc->device = s->docs[i - 1].device;
			continue;
		}
		stem = stem_of(doc->path);
		for (int j = 0; j < s->ndocs && doc->device < 0; j++) {
			char *other = stem_of(s->docs[j].path);

			if (j != i && strcmp(stem, other) == 0)
				doc->device = s->docs[j].device;
			free(other);
		}
		if (doc->device < 0) {
			doc->device = add_device(s, unused_name(s, name_of(stem)));
			sonic_note(s, SONIC_NOTE_ASSUMED, &s->devices[doc->device], -1,
				   "no file of it tells a host name of its own: it is called "
				   "by its path");
		}
		free(stem);
	}
}

/* Devices in natural order of names; docs follow. */
static int order(const void *a, const void *b)
{
	return pattern_natural(((const struct sonic_device *)a)->name,
			       ((const struct sonic_device *)b)->name);
}

static void sort(struct sonic *s)
{
	int *to = mem_zalloc((size_t)s->ndevices * sizeof *to + 1);

	for (int i = 0; i < s->ndevices; i++)
		s->devices[i].index = i;
	qsort(s->devices, (size_t)s->ndevices, sizeof *s->devices, order);
	for (int i = 0; i < s->ndevices; i++) {
		to[s->devices[i].index] = i;
		s->devices[i].index = i;
	}
	for (int i = 0; i < s->ndocs; i++)
		s->docs[i].device = to[s->docs[i].device];
	free(to);
}

/* Later files over earlier ones, field by field. */
static void merge(struct sonic_device *d, const struct sonic_doc *doc)
{
	const char *key;
	json_t *fields;

	for (int t = 0; t < SONIC_TABLES; t++) {
		if (!doc->tables[t])
			continue;
		if (!d->tables[t])
			d->tables[t] = json_object();
		json_object_foreach(doc->tables[t], key, fields) {
			json_t *mine = json_object_get(d->tables[t], key);

			if (mine)
				json_object_update(mine, fields);
			else
				json_object_set_new(d->tables[t], key, json_copy(fields));
		}
	}
	json_object_update(d->unknown, doc->unknown);
}

static int identify(const struct sonic_entry *e)
{
	struct sonic_device *d = e->d;
	const char *model = sonic_text(e, "buffer_model");

	if (strcmp(e->key, "localhost") != 0)
		return 0;
	d->hwsku = sonic_text(e, "hwsku");
	d->platform = sonic_text(e, "platform");
	d->asic_name = sonic_text(e, "asic_name");
	if (model && strcmp(model, "dynamic") != 0 && strcmp(model, "traditional") != 0)
		return sonic_fail(e, "buffer_model", "\"%s\" is neither \"traditional\" nor "
				  "\"dynamic\"", model);
	d->dynamic = model && strcmp(model, "dynamic") == 0;
	return 0;
}

int sonic_devices_load(struct sonic *s)
{
	int rc = by_hostname(s);

	by_path(s);
	sort(s);
	for (int i = 0; i < s->ndevices; i++)
		s->devices[i].unknown = json_object();
	for (int i = 0; i < s->ndocs; i++)
		merge(&s->devices[s->docs[i].device], &s->docs[i]);
	for (int i = 0; i < s->ndevices; i++)
		rc |= sonic_each(&s->devices[i], SONIC_DEVICE_METADATA, identify);
	return rc;
}
