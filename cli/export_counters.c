/* cli/export_counters.c - see export_perfetto.h: counters, from replay.json. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "cli/export_perfetto.h"
#include "cli/path.h"
#include "observe/replay_code.h"
#include "sim/mem.h"
#include "sim/units.h"

struct replay {
	json_t *doc, *ports, *nodes, *channels;
	int64_t *at_ps;		/* of each frame */
	int frames;
};

static const char *text(const json_t *at, const char *key)
{
	return json_string_value(json_object_get(at, key));
}

static int64_t number(const json_t *list, size_t i)
{
	return json_integer_value(json_array_get(list, i));
}

/* The times, which are differences in nanoseconds; -1: not so many as there should be. */
static int read_times(struct replay *r)
{
	const json_t *frames = json_object_get(r->doc, "frames");
	const char *p = text(frames, "at_ns");
	int64_t now = 0, step;

	r->frames = (int)json_integer_value(json_object_get(frames, "count"));
	if (!p || r->frames < 1 || (size_t)r->frames > strlen(p))
		return -1;
	r->at_ps = mem_zalloc((size_t)r->frames * sizeof(*r->at_ps));
	for (int i = 0; i < r->frames; i++) {
		if (replay_code_get(&p, &step) || step < 0)
			return -1;
		now += step;
		r->at_ps[i] = now * 1000;
	}
	return 0;
}

/* A column of levels as values, owned by the caller; NULL: there is none, all are 0. */
static int64_t *column(const struct replay *r, const char *p)
{
	int64_t *value = NULL, level = 0, step;

	if (p)
		value = mem_zalloc((size_t)r->frames * sizeof(*value));
	for (int i = 0; p && i < r->frames && !replay_code_get(&p, &step); i++) {
		level += step;
		value[i] = replay_code_value((int32_t)level);
	}
	return value;
}

/* What changes, from frame to frame; a counter that stays 0 is none. */
static void put(struct export_perfetto *x, const struct replay *r, uint32_t pid, const char *name,
		const char *unit, const int64_t *value)
{
	int64_t last = 0;

	for (int i = 0; i < r->frames; i++) {
		if (value[i] != last)
			chrometrace_counter(x->trace, pid, name, unit, r->at_ps[i], value[i]);
		last = value[i];
	}
}

/*
 * Bytes sent between two looks, as a rate that holds from the first to the second.  A
 * frame is counted whole when it starts: what the link cannot have carried by the second
 * look goes out after it.
 */
static void put_rate(struct export_perfetto *x, const struct replay *r, uint32_t pid,
		     const char *name, int64_t *sent, int64_t rate_bps)
{
	int64_t started = 0;

	for (int i = 0; i + 1 < r->frames; i++) {
		int64_t span = r->at_ps[i + 1] - r->at_ps[i], most = units_bytes_in(span, rate_bps);

		started += sent[i + 1];
		int64_t out = started < most ? started : most;
		started -= out;
		sent[i] = span > 0 ? (int64_t)((__int128)out * 8000000 / span) : 0;
	}
	sent[r->frames - 1] = 0;
	put(x, r, pid, name, "Mbps", sent);
}

/* "limit" may be the number of the channel that has the text. */
static const char *limit_text(const struct replay *r, const json_t *channel)
{
	const json_t *limit = json_object_get(channel, "limit");

	if (json_is_integer(limit))
		limit = json_object_get(json_array_get(r->channels, (size_t)json_integer_value(limit)),
					"limit");
	return json_string_value(limit);
}

static void put_channel(struct export_perfetto *x, const struct replay *r, const json_t *channel,
			uint32_t pid, int port, int prio, int64_t rate_bps)
{
	int64_t *queue = column(r, text(channel, "queue")), *group = column(r, text(channel, "group"));
	int64_t *sent = column(r, text(channel, "sent")), *limit = column(r, limit_text(r, channel));
	char name[96];

	snprintf(name, sizeof name, "port %d priority %d queue", port, prio);
	if (queue)
		put(x, r, pid, name, "bytes", queue);
	snprintf(name, sizeof name, "port %d priority %d rate", port, prio);
	if (sent)
		put_rate(x, r, pid, name, sent, rate_bps);
	snprintf(name, sizeof name, "port %d priority %d group", port, prio);
	if (group)
		put(x, r, pid, name, "bytes", group);
	for (int i = 0; group && limit && i < r->frames; i++)
		group[i] = group[i] > limit[i] ? group[i] - limit[i] : 0;
	snprintf(name, sizeof name, "port %d priority %d above XOFF limit", port, prio);
	if (group && limit)
		put(x, r, pid, name, "bytes", group);
	free(queue);
	free(group);
	free(sent);
	free(limit);
}

/* Of the port with that number in replay.json; -1: there is no such port. */
static int one(struct export_perfetto *x, const struct replay *r, const json_t *channel, bool all)
{
	size_t index = (size_t)json_integer_value(json_object_get(channel, "port"));
	const json_t *port = json_array_get(r->ports, index);
	const json_t *node = json_array_get(r->nodes, (size_t)number(port, 0));
	const char *name = json_string_value(json_array_get(node, 0));
	int prio = (int)json_integer_value(json_object_get(channel, "prio"));
	uint32_t known = name ? intern_find(&x->nodes, name) : INTERN_NONE, place;
	char full[512];

	if (known == INTERN_NONE || prio < 0 || prio >= EXPORT_PRIOS)
		return -1;
	snprintf(full, sizeof full, "%s:%d", name, (int)number(port, 1));
	place = intern_find(&x->ports, full);
	if (place != INTERN_NONE && (all || x->paused[place * EXPORT_PRIOS + (uint32_t)prio]))
		put_channel(x, r, channel, EXPORT_FIRST_PID + known, (int)number(port, 1), prio,
			    number(port, 3));
	return 0;
}

/* Switches before hosts, each in the order of their names. */
static void name_nodes(struct export_perfetto *x, const struct replay *r)
{
	for (size_t i = 0; i < json_array_size(r->nodes); i++) {
		const json_t *node = json_array_get(r->nodes, i);
		const char *name = json_string_value(json_array_get(node, 0));
		uint32_t known = name ? intern_find(&x->nodes, name) : INTERN_NONE;

		if (known != INTERN_NONE)
			chrometrace_process(x->trace, EXPORT_FIRST_PID + known, name,
					    (int)i + (number(node, 1) ? 0 : 1 << 20));
	}
}

int export_counters(struct export_perfetto *x, bool all, struct sim_error *err)
{
	char *path = path_join(x->dir, "replay.json");
	struct replay r = { NULL };
	json_error_t why;
	int rc = 0;

	r.doc = json_load_file(path, 0, &why);
	r.ports = json_object_get(r.doc, "ports");
	r.nodes = json_object_get(r.doc, "nodes");
	r.channels = json_object_get(r.doc, "channels");
	if (!r.doc)
		rc = error_set(err, "", "cannot read %s: %s", path, why.text);
	else if (read_times(&r))
		rc = error_set(err, "", "%s is not what xoff writes: its frames have no times", path);
	else
		name_nodes(x, &r);
	for (size_t i = 0; i < json_array_size(r.channels) && !rc; i++)
		if (one(x, &r, json_array_get(r.channels, i), all))
			rc = error_set(err, "", "%s is not what xoff writes: channel %zu is of no port",
				       path, i);
	json_decref(r.doc);
	free(r.at_ps);
	free(path);
	return rc;
}
