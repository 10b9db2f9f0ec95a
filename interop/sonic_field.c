/*
 * interop/sonic_field.c - values as SONiC writes them: numbers in texts, lists
 * with commas, ranges, references, names of ports.
 */
#include "interop/sonic_inside.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/mem.h"

const char *sonic_text(const struct sonic_entry *e, const char *field)
{
	return json_string_value(json_object_get(e->fields, field));
}

bool sonic_whole(const char *text, int64_t *out)
{
	bool negative = *text == '-';
	const char *c = text + negative;
	int64_t n = 0;

	if (!*c)
		return false;
	for (; *c; c++) {
		if (*c < '0' || *c > '9' || n > (INT64_MAX - 9) / 10)
			return false;
		n = n * 10 + (*c - '0');
	}
	*out = negative ? -n : n;
	return true;
}

int sonic_number(const struct sonic_entry *e, const char *field, int64_t min, int64_t max,
		 int64_t *out)
{
	const char *text = sonic_text(e, field);
	int64_t n = 0;

	if (!text)
		return 0;
	if (!sonic_whole(text, &n))
		return sonic_fail(e, field, "\"%s\" is no whole number", text);
	if (n < min || n > max)
		return sonic_fail(e, field, "%s is out of range; it takes %lld to %lld", text,
				  (long long)min, (long long)max);
	*out = n;
	return 0;
}

int sonic_mask(const struct sonic_entry *e, const char *field, uint8_t *out)
{
	const char *text = sonic_text(e, field);
	uint8_t mask = 0;

	if (!text)
		return 0;
	for (const char *c = text; *c;) {
		c += strspn(c, " ");
		if (*c < '0' || *c > '7' || (c[1] >= '0' && c[1] <= '9'))
			return sonic_fail(e, field, "\"%s\" is no list of priorities 0 to 7, "
					  "such as \"3,4\"", text);
		mask |= (uint8_t)(1u << (*c - '0'));
		c++;
		c += strspn(c, " ");
		if (*c == ',' && c[1])
			c++;
		else if (*c)
			return sonic_fail(e, field, "\"%s\" is no list of priorities 0 to 7, "
					  "such as \"3,4\"", text);
	}
	*out = mask;
	return 0;
}

int sonic_bool(const struct sonic_entry *e, const char *field, bool *out)
{
	const char *text = sonic_text(e, field);

	if (!text)
		return 0;
	if (strcasecmp(text, "true") != 0 && strcasecmp(text, "false") != 0)
		return sonic_fail(e, field, "\"%s\" is neither \"true\" nor \"false\"", text);
	*out = strcasecmp(text, "true") == 0;
	return 0;
}

const char *sonic_reference(const struct sonic_entry *e, const char *field, char *buf,
			    size_t size)
{
	const char *text = sonic_text(e, field);
	size_t n;

	if (!text)
		return NULL;
	if (text[0] != '[') {
		snprintf(buf, size, "%s", text);
		return buf;
	}
	n = strcspn(text, "|:");
	snprintf(buf, size, "%s", text[n] ? text + n + 1 : text + 1);
	n = strlen(buf);
	if (n && buf[n - 1] == ']')
		buf[n - 1] = 0;
	return buf;
}

/* ---------------------------------------------------------------------- keys */

int sonic_port_number(const char *name)
{
	int64_t n = 0;

	if (strncmp(name, "Ethernet", 8) != 0 || name[8] < '0' || name[8] > '9' ||
	    !sonic_whole(name + 8, &n) || n > SONIC_PORT_MAX)
		return -1;
	return (int)n;
}

/* The part of a key that names ports (malloc'ed), and what is behind it ("" or
 * "3-4").  Of VoQ keys HOST|ASIC|PORTS|INDEX those of other line cards are not ours: NULL. */
static char *split(const struct sonic_entry *e, const char **index)
{
	const char *parts[4] = {e->key}, *host = e->d->name, *asic = e->d->asic_name;
	size_t length[4] = {0};
	int n = 0;

	for (const char *c = e->key; n < 4; c++) {
		if (*c && *c != '|')
			continue;
		length[n] = (size_t)(c - parts[n]);
		n++;
		if (!*c)
			break;
		if (n < 4)
			parts[n] = c + 1;
	}
	*index = n == 2 ? parts[1] : n == 4 ? parts[3] : "";
	if (n < 4)
		return mem_printf("%.*s", (int)length[0], parts[0]);
	if (strlen(host) != length[0] || strncasecmp(host, parts[0], length[0]) != 0 ||
	    (asic && (strlen(asic) != length[1] ||
		      strncasecmp(asic, parts[1], length[1]) != 0)))
		return NULL;
	return mem_printf("%.*s", (int)length[2], parts[2]);
}

/* Calls `each` for the ports of a comma list that the switch has; the list is cut up. */
static int each_of(const struct sonic_entry *e, char *list,
		   int (*each)(const struct sonic_entry *e, struct sonic_port *p, int index),
		   int from, int to)
{
	char *rest = NULL;
	int rc = 0;

	for (char *name = strtok_r(list, ", ", &rest); name;
	     name = strtok_r(NULL, ", ", &rest)) {
		int number = sonic_port_number(name);
		struct sonic_port *p = sonic_port_find(e->d, number);

		for (int i = from; p && i <= to; i++)
			rc |= each(e, p, i);
		if (!p && number >= 0)
			sonic_note(e->d->s, SONIC_NOTE_IGNORED, e->d, number,
				   "%s: ports that PORT does not name",
				   sonic_table_name(e->table));
	}
	return rc;
}

/* "3-4" or "3"; an index that Xoff has not (8 and above) is left out. */
static int range(const struct sonic_entry *e, const char *text, int *from, int *to)
{
	char first[24];
	size_t n = strcspn(text, "-");
	int64_t a = -1, b = -1;

	snprintf(first, sizeof first, "%.*s", n < 20 ? (int)n : 20, text);
	if (!sonic_whole(first, &a) || !sonic_whole(text[n] ? text + n + 1 : first, &b) ||
	    a < 0 || a > b || b > 255)
		return sonic_fail(e, NULL, "\"%s\" is no index or range, such as \"3-4\"",
				  text);
	*from = (int)a;
	*to = b > SONIC_PRIOS - 1 ? SONIC_PRIOS - 1 : (int)b;
	return 0;
}

int sonic_each_index(const struct sonic_entry *e,
		     int (*each)(const struct sonic_entry *e, struct sonic_port *p, int index))
{
	int from = 0, to = 0, rc;
	const char *index;
	char *ports = split(e, &index);

	if (!ports) {
		sonic_note(e->d->s, SONIC_NOTE_IGNORED, e->d, -1,
			   "%s: entries of other line cards or ASICs",
			   sonic_table_name(e->table));
		return 0;
	}
	rc = range(e, index, &from, &to) ? -1 : each_of(e, ports, each, from, to);
	free(ports);
	return rc;
}

int sonic_each_port(const struct sonic_entry *e,
		    int (*each)(const struct sonic_entry *e, struct sonic_port *p, int zero))
{
	char *list = mem_strdup(e->key);
	int rc = each_of(e, list, each, 0, 0);

	free(list);
	return rc;
}
