/*
 * interop/sonic_buffer.c - pools, profiles, and which priority group and queue
 * has which profile.
 */
#include "interop/sonic_inside.h"

#include <stdlib.h>
#include <string.h>

#include "sim/mem.h"

enum { TH_MIN = -8, TH_MAX = 8 };
#define SIZE_MAX_BYTES INT64_C(16000000000)	/* of Xoff */

static int read_pool(const struct sonic_entry *e)
{
	struct sonic_device *d = e->d;
	const char *type = sonic_text(e, "type"), *mode = sonic_text(e, "mode");
	struct sonic_pool p = {.name = e->key, .size = -1, .percentage = 100};

	if (type && strcmp(type, "ingress") != 0 && strcmp(type, "egress") != 0)
		return sonic_fail(e, "type", "\"%s\" is neither \"ingress\" nor \"egress\"",
				  type);
	if (mode && strcmp(mode, "dynamic") != 0 && strcmp(mode, "static") != 0)
		return sonic_fail(e, "mode", "\"%s\" is neither \"dynamic\" nor \"static\"",
				  mode);
	p.egress = type && strcmp(type, "egress") == 0;
	p.dynamic = mode && strcmp(mode, "dynamic") == 0;
	if (sonic_number(e, "size", 0, SIZE_MAX_BYTES, &p.size) ||
	    sonic_number(e, "xoff", 0, SIZE_MAX_BYTES, &p.xoff) ||
	    sonic_number(e, "percentage", 1, 100, &p.percentage))
		return -1;
	d->pools = mem_grow(d->pools, (size_t)(d->npools + 1) * sizeof p);
	d->pools[d->npools++] = p;
	return 0;
}

static int pool_find(const struct sonic_device *d, const char *name)
{
	for (int i = 0; i < d->npools; i++) {
		if (strcmp(d->pools[i].name, name) == 0)
			return i;
	}
	return -1;
}

static int read_profile(const struct sonic_entry *e)
{
	struct sonic_device *d = e->d;
	const char *type = sonic_text(e, "headroom_type");
	struct sonic_profile p = {.name = e->key, .pool = -1, .xoff = -1, .fixed = -1};
	int64_t th = 0;
	char name[256];

	if (sonic_reference(e, "pool", name, sizeof name)) {
		p.pool = pool_find(d, name);
		if (p.pool < 0)
			sonic_note(d->s, SONIC_NOTE_FINDING, d, -1,
				   "BUFFER_PROFILE %s refers to the pool \"%s\", which is in "
				   "no file",
				   e->key, name);
	}
	if (type && strcmp(type, "dynamic") != 0 && strcmp(type, "static") != 0)
		return sonic_fail(e, "headroom_type", "\"%s\" is neither \"dynamic\" nor "
				  "\"static\"", type);
	p.computed = type && strcmp(type, "dynamic") == 0;
	if (sonic_number(e, "size", 0, SIZE_MAX_BYTES, &p.size) ||
	    sonic_number(e, "xoff", 0, SIZE_MAX_BYTES, &p.xoff) ||
	    sonic_number(e, "xon", 0, SIZE_MAX_BYTES, &p.xon) ||
	    sonic_number(e, "xon_offset", 0, SIZE_MAX_BYTES, &p.xon_offset) ||
	    sonic_number(e, "static_th", 0, SIZE_MAX_BYTES, &p.fixed) ||
	    sonic_number(e, "dynamic_th", TH_MIN, TH_MAX, &th))
		return -1;
	p.th = (int)th;
	if (sonic_text(e, "dynamic_th"))
		p.fixed = -1;
	d->profiles = mem_grow(d->profiles, (size_t)(d->nprofiles + 1) * sizeof p);
	d->profiles[d->nprofiles++] = p;
	return 0;
}

const struct sonic_profile *sonic_profile_find(const struct sonic_device *d, const char *name)
{
	for (int i = 0; name && i < d->nprofiles; i++) {
		if (strcmp(d->profiles[i].name, name) == 0)
			return &d->profiles[i];
	}
	return NULL;
}

/* A name that lasts: that of the profile, or the reference's own text. */
static const char *lasting(const struct sonic_entry *e)
{
	const struct sonic_profile *p;
	const char *text;
	char name[256];

	if (!sonic_reference(e, "profile", name, sizeof name))
		return NULL;
	p = sonic_profile_find(e->d, name);
	text = sonic_text(e, "profile");
	if (p)
		return p->name;
	/* what stands behind the table's name in "[TABLE|x]" needs a text of its own */
	if (text[0] == '[') {
		json_object_set_new(e->fields, "profile", json_string(name));
		text = sonic_text(e, "profile");
	}
	return text;
}

static int read_group_of(const struct sonic_entry *e, struct sonic_port *p, int group)
{
	p->group[group].profile = lasting(e);
	return 0;
}

static int read_group(const struct sonic_entry *e)
{
	return sonic_each_index(e, read_group_of);
}

static int read_queue_of(const struct sonic_entry *e, struct sonic_port *p, int queue)
{
	p->egress[queue] = lasting(e);
	return 0;
}

static int read_queue(const struct sonic_entry *e)
{
	return sonic_each_index(e, read_queue_of);
}

static int read_default(const struct sonic_entry *e)
{
	int64_t th = 0;

	if (sonic_number(e, "default_dynamic_th", TH_MIN, TH_MAX, &th) ||
	    sonic_number(e, "over_subscribe_ratio", 0, 4096, &e->d->over_subscribe))
		return -1;
	e->d->default_th = (int)th;
	return 0;
}

static int read_pattern(const struct sonic_entry *e)
{
	if (sonic_number(e, "mtu", 64, 16000, &e->d->lossless_mtu))
		return -1;
	return sonic_number(e, "small_packet_percentage", 0, 100, &e->d->small_percent);
}

/* The ingress pool that profiles with headroom name; else that of the usual name; else
 * the first. */
static int main_pool(const struct sonic_device *d)
{
	int first = -1, named = -1;

	for (int i = 0; i < d->nprofiles; i++) {
		const struct sonic_profile *p = &d->profiles[i];

		if (p->pool >= 0 && (p->xoff >= 0 || p->computed) && !d->pools[p->pool].egress)
			return p->pool;
	}
	for (int i = 0; i < d->npools; i++) {
		if (d->pools[i].egress)
			continue;
		first = first < 0 ? i : first;
		if (strcmp(d->pools[i].name, "ingress_lossless_pool") == 0)
			named = i;
	}
	return named >= 0 ? named : first;
}

int sonic_buffers_load(struct sonic_device *d)
{
	int rc;

	d->small_percent = 100;
	d->lossless_mtu = 1024;
	rc = sonic_each(d, SONIC_BUFFER_POOL, read_pool);
	rc |= sonic_each(d, SONIC_BUFFER_PROFILE, read_profile);
	rc |= sonic_each(d, SONIC_DEFAULT_LOSSLESS_BUFFER_PARAMETER, read_default);
	rc |= sonic_each(d, SONIC_LOSSLESS_TRAFFIC_PATTERN, read_pattern);
	rc |= sonic_each(d, SONIC_BUFFER_PG, read_group);
	rc |= sonic_each(d, SONIC_BUFFER_QUEUE, read_queue);
	d->pool = main_pool(d);
	return rc;
}
