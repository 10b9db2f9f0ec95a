/*
 * interop/sonic_doc.c - one file to tables, whatever its form; and the way back
 * from a value to its place.
 */
#include "interop/sonic_inside.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/mem.h"
#include "sim/nearpath.h"

enum { FILE_MAX_BYTES = 64 << 20 };

static const char *const names[SONIC_TABLES] = {
	"DEVICE_METADATA", "PORT", "CABLE_LENGTH", "DEVICE_NEIGHBOR",
	"DEVICE_NEIGHBOR_METADATA", "PORT_QOS_MAP", "DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP",
	"TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE",
	"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "SCHEDULER", "WRED_PROFILE", "QUEUE",
	"TC_TO_DSCP_MAP", "TUNNEL", "BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_PG", "BUFFER_QUEUE",
	"DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN", "PFC_WD",
};

const char *sonic_table_name(enum sonic_table table)
{
	return names[table];
}

/* Of a table by its name in CONFIG_DB ("PORT") or APPL_DB ("PORT_TABLE"); -1: unknown. */
static int table_of(const char *name, size_t length)
{
	for (int i = 0; i < SONIC_TABLES; i++) {
		size_t n = strlen(names[i]);

		if (strncmp(name, names[i], n) == 0 &&
		    (length == n || (length == n + 6 && strncmp(name + n, "_TABLE", 6) == 0)))
			return i;
	}
	return -1;
}

/* Length of the table's name in "TABLE|key" or "TABLE:key"; 0: it is not of that form. */
static size_t flat(const char *name)
{
	size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n && (name[n] == '|' || name[n] == ':') && name[n + 1] ? n : 0;
}

/* APPL_DB separates the parts of a key by ':'. */
static bool has_index(int table)
{
	return table == SONIC_BUFFER_PG || table == SONIC_BUFFER_QUEUE || table == SONIC_QUEUE;
}

static void key_of(int table, const char *key, char *buf, size_t size)
{
	snprintf(buf, size, "%s", key);
	if (has_index(table) && !strchr(buf, '|')) {
		for (char *c = buf; *c; c++)
			*c = *c == ':' ? '|' : *c;
	}
}

static int fail(struct sonic *s, const struct sonic_doc *doc, const char *pointer,
		const char *text)
{
	struct diag_place place = {.file = doc->path, .text = doc->text, .length = doc->length};

	place.offset = jsonc_locate(doc->text, doc->length, pointer, JSONC_VALUE);
	return diag_add(s->diag, DIAG_ERROR, &place, "%s", text);
}

/* ------------------------------------------------------------------ taking in */

/* A scalar, or a list of them joined by commas; NULL: an object, or null. */
static json_t *as_text(const json_t *value)
{
	char buf[64], *text = NULL;
	size_t size = 0, i;
	const char *scalar;
	const json_t *item;
	json_t *out;
	FILE *f;

	if (json_is_object(value) || json_is_null(value))
		return NULL;
	if (!json_is_array(value)) {
		scalar = jsonc_scalar(value, buf, sizeof buf);
		return scalar ? json_string(scalar) : NULL;
	}
	f = mem_stream(&text, &size);
	json_array_foreach(value, i, item) {
		scalar = jsonc_scalar(item, buf, sizeof buf);
		fprintf(f, "%s%s", i ? "," : "", scalar ? scalar : "");
	}
	mem_stream_close(f);
	out = json_string(text);
	free(text);
	return out;
}

/* One entry: its fields go over those that the key has already. */
static int take_entry(struct sonic *s, struct sonic_doc *doc, int table, const char *key,
		      const json_t *fields, const char *pointer)
{
	char plain[512], at[SONIC_POINTER_MAX];
	json_t *entry, *value;
	const char *name;
	json_t *from;

	if (!json_is_object(fields))
		return fail(s, doc, pointer, "an entry of a table must be an object of fields");
	if (!doc->tables[table])
		doc->tables[table] = json_object();
	key_of(table, key, plain, sizeof plain);
	entry = json_object_get(doc->tables[table], plain);
	if (!entry) {
		entry = json_object();
		json_object_set_new(doc->tables[table], plain, entry);
	}
	json_object_foreach((json_t *)(uintptr_t)fields, name, from) {
		value = as_text(from);
		if (value) {
			json_object_set_new(entry, name, value);
		} else if (json_is_object(from)) {
			snprintf(at, sizeof at, "%s", pointer);
			jsonc_pointer_add(at, sizeof at, name);
			return fail(s, doc, at, "a field must be a text, a number or a list, "
				    "not an object");
		}
	}
	return 0;
}

static int take_table(struct sonic *s, struct sonic_doc *doc, int table, json_t *entries,
		      const char *pointer)
{
	char at[SONIC_POINTER_MAX];
	const char *key;
	json_t *fields;
	int rc = 0;

	if (!json_is_object(entries))
		return fail(s, doc, pointer, "a table must be an object of entries");
	if (!doc->tables[table])
		doc->tables[table] = json_object();
	json_object_foreach(entries, key, fields) {
		snprintf(at, sizeof at, "%s", pointer);
		jsonc_pointer_add(at, sizeof at, key);
		rc |= take_entry(s, doc, table, key, fields, at);
	}
	return rc;
}

/* Is there a table that we know, right here? */
static bool holds_tables(json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value) {
		size_t n = flat(name);

		if (table_of(name, n ? n : strlen(name)) >= 0)
			return true;
	}
	return false;
}

static int take(struct sonic *s, struct sonic_doc *doc, json_t *object, const char *root)
{
	char at[SONIC_POINTER_MAX];
	const char *name;
	json_t *value;
	int rc = 0;

	if (doc->nroots < SONIC_ROOTS)
		doc->roots[doc->nroots++] = mem_strdup(root);
	json_object_foreach(object, name, value) {
		size_t n = flat(name);
		int table = table_of(name, n ? n : strlen(name));

		snprintf(at, sizeof at, "%s", root);
		jsonc_pointer_add(at, sizeof at, name);
		if (table < 0) {
			json_t *word = json_stringn(name, n ? n : strlen(name));

			json_object_set(doc->unknown, json_string_value(word), json_true());
			json_decref(word);
		} else {
			rc |= n ? take_entry(s, doc, table, name + n + 1, value, at)
				: take_table(s, doc, table, value, at);
		}
	}
	return rc;
}

/* A list of patches: each an object of tables, laid over those before it. */
static int take_list(struct sonic *s, struct sonic_doc *doc)
{
	char at[64];
	json_t *patch;
	size_t i;
	int rc = 0;

	doc->patches = true;
	json_array_foreach(doc->json, i, patch) {
		snprintf(at, sizeof at, "/%zu", i);
		if (json_is_object(patch) && json_object_get(patch, "op"))
			rc = fail(s, doc, at, "this is a JSON Patch (RFC 6902); apply it "
				  "first, or give the tables themselves: {\"TABLE\": {\"key\": "
				  "{...}}}");
		else if (!json_is_object(patch))
			rc = fail(s, doc, at, "a patch must be an object of tables");
		else
			rc |= take(s, doc, patch, at);
		if (rc)
			return rc;
	}
	return rc;
}

/* Tables at the top, or one level below. */
static int take_object(struct sonic *s, struct sonic_doc *doc)
{
	char at[SONIC_POINTER_MAX];
	const char *name;
	json_t *value;
	bool some = false;
	int rc = 0;

	if (holds_tables(doc->json))
		return take(s, doc, doc->json, "");
	json_object_foreach(doc->json, name, value) {
		if (json_is_object(value) && holds_tables(value)) {
			at[0] = 0;
			jsonc_pointer_add(at, sizeof at, name);
			rc |= take(s, doc, value, at);
			some = true;
		} else {
			json_object_set_new(doc->unknown, name, json_true());
		}
	}
	if (!some)
		return fail(s, doc, "", "no table of a SONiC configuration is in this file");
	return rc;
}

/* -------------------------------------------------------------------- reading */

char *sonic_read(struct sonic *s, const char *path, size_t *length)
{
	struct diag_place place = {.file = path};
	FILE *f = fopen(path, "rbe");
	size_t room = 65536, n;
	char *text = NULL, hint[NEARPATH_MAX];
	struct stat st;

	if (!f || fstat(fileno(f), &st)) {
		diag_add(s->diag, DIAG_ERROR, &place, "cannot read: %s%s", strerror(errno),
			 nearpath_hint(path, hint, sizeof hint));
		if (f)
			fclose(f);
		return NULL;
	}
	if (S_ISREG(st.st_mode) && st.st_size < FILE_MAX_BYTES)
		room = (size_t)st.st_size + 1;
	*length = 0;
	text = mem_grow(NULL, room + 1);
	errno = 0;
	while ((n = fread(text + *length, 1, room - *length, f)) > 0) {
		*length += n;
		if (*length > FILE_MAX_BYTES) {
			errno = EFBIG;
			break;
		}
		if (*length == room)
			text = mem_grow(text, (room *= 2) + 1);
	}
	text[*length] = 0;
	if (ferror(f) || errno == EFBIG) {
		diag_add(s->diag, DIAG_ERROR, &place, "cannot read: %s",
			 errno == EFBIG ? "larger than 64 MiB" : strerror(errno));
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

/* Of a key that stands twice the last counts, as for SONiC's own parser. */
static json_t *parse(struct sonic *s, struct sonic_doc *doc)
{
	struct diag_place place = {.file = doc->path, .text = doc->text, .length = doc->length};
	struct jsonc_error err = {0};
	json_error_t je;
	json_t *json = json_loadb(doc->text, doc->length, JSON_REJECT_DUPLICATES, &je);

	if (json)
		return json;
	if (json_error_code(&je) == json_error_duplicate_key) {
		jsonc_parse(doc->text, doc->length, &err);
		json = json_loadb(doc->text, doc->length, 0, &je);
		if (json) {
			sonic_note(s, SONIC_NOTE_ASSUMED, NULL, -1,
				   "%s: %s: as on the switch, the last one counts", doc->path,
				   err.text);
			return json;
		}
	}
	json = jsonc_parse(doc->text, doc->length, &err);
	place.offset = err.offset;
	if (!json)
		diag_add(s->diag, DIAG_ERROR, &place, "%s", err.text);
	return json;
}

static int load(struct sonic *s, struct sonic_doc *doc, const char *path)
{
	doc->path = mem_strdup(path);
	doc->device = -1;
	doc->unknown = json_object();
	doc->text = sonic_read(s, path, &doc->length);
	if (!doc->text)
		return -1;
	doc->json = parse(s, doc);
	if (!doc->json)
		return -1;
	if (json_is_array(doc->json))
		return take_list(s, doc);
	if (json_is_object(doc->json))
		return take_object(s, doc);
	return fail(s, doc, "", "a configuration is a JSON object, or a list of patches");
}

static int add(struct sonic *s, const char *path, int together)
{
	struct sonic_doc *doc;

	s->docs = mem_grow(s->docs, (size_t)(s->ndocs + 1) * sizeof *s->docs);
	doc = &s->docs[s->ndocs++];
	*doc = (struct sonic_doc){.together = together};
	return load(s, doc, path);
}

/* "qos.json+buffers.json" are two files of one switch, unless there is such a file. */
int sonic_docs_load(struct sonic *s)
{
	int rc = 0;

	for (int i = 0; i < s->opt->nfiles; i++) {
		const char *path = s->opt->files[i];
		char *copy, *rest = NULL;

		if (!strchr(path, '+') || access(path, F_OK) == 0) {
			rc |= add(s, path, -1);
			continue;
		}
		copy = mem_strdup(path);
		for (char *one = strtok_r(copy, "+", &rest); one;
		     one = strtok_r(NULL, "+", &rest))
			rc |= add(s, one, i);
		free(copy);
	}
	return rc;
}

void sonic_docs_free(struct sonic *s)
{
	for (int i = 0; i < s->ndocs; i++) {
		struct sonic_doc *doc = &s->docs[i];

		for (int t = 0; t < SONIC_TABLES; t++)
			json_decref(doc->tables[t]);
		for (int r = 0; r < doc->nroots; r++)
			free(doc->roots[r]);
		json_decref(doc->unknown);
		json_decref(doc->json);
		free(doc->text);
		free(doc->path);
	}
	free(s->docs);
}

/* --------------------------------------------------------------------- places */

/* "/ROOT/TABLE/key/field" in each form that the file may have. */
static size_t locate_in(const struct sonic_doc *doc, const char *root, const char *table,
			const char *key, const char *field)
{
	static const char separators[] = "/|:";
	enum jsonc_at at = field ? JSONC_VALUE : JSONC_KEY;
	char pointer[SONIC_POINTER_MAX], word[640], other[512];
	size_t offset = JSONC_NOWHERE;

	key_of(SONIC_TABLES, key, other, sizeof other);
	for (char *c = other; *c; c++)
		*c = *c == '|' ? ':' : *c;
	for (int form = 0; form < 12 && offset == JSONC_NOWHERE; form++) {
		char separator = separators[form / 2 % 3];
		const char *k = form / 6 ? other : key;

		snprintf(pointer, sizeof pointer, "%s", root);
		snprintf(word, sizeof word, "%s%s", table, form % 2 ? "_TABLE" : "");
		if (separator != '/')
			snprintf(word, sizeof word, "%s%s%c%s", table, form % 2 ? "_TABLE" : "",
				 separator, k);
		jsonc_pointer_add(pointer, sizeof pointer, word);
		if (separator == '/')
			jsonc_pointer_add(pointer, sizeof pointer, k);
		if (field)
			jsonc_pointer_add(pointer, sizeof pointer, field);
		offset = jsonc_locate(doc->text, doc->length, pointer, at);
	}
	return offset;
}

int sonic_fail(const struct sonic_entry *e, const char *field, const char *fmt, ...)
{
	struct sonic *s = e->d->s;
	struct diag_place place = {.offset = JSONC_NOWHERE};
	const char *table = names[e->table];
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	for (int i = s->ndocs - 1; i >= 0 && place.offset == JSONC_NOWHERE; i--) {
		const struct sonic_doc *doc = &s->docs[i];

		if (doc->device != e->d->index ||
		    !json_object_get(doc->tables[e->table], e->key))
			continue;
		place.file = doc->path;
		place.text = doc->text;
		place.length = doc->length;
		for (int r = doc->nroots - 1; r >= 0 && place.offset == JSONC_NOWHERE; r--)
			place.offset = locate_in(doc, doc->roots[r], table, e->key, field);
	}
	if (place.offset == JSONC_NOWHERE)
		place.offset = 0;
	return diag_add(s->diag, DIAG_ERROR, &place, "%s|%s%s%s: %s", table, e->key,
			field ? " " : "", field ? field : "", text);
}

int sonic_each(struct sonic_device *d, enum sonic_table table,
	       int (*each)(const struct sonic_entry *e))
{
	struct sonic_entry e = {.d = d, .table = table};
	int rc = 0;

	json_object_foreach(d->tables[table], e.key, e.fields)
		rc |= each(&e);
	return rc;
}
