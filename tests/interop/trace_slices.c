/*
 * Reads a trace in Chrome's JSON form and says what is wrong with it, for
 * tests/interop/perfetto.sh: it must be strict JSON; events in order of time; nothing
 * negative; every thread and process with a slice named; on a thread each slice ends
 * before the next begins or lies inside the one before.  Prints the slices, one a line:
 *
 *	PROCESS|THREAD|NAME|ts_ps|dur_ps
 *
 * and then the highest value of each counter, "PROCESS|max|NAME|value", and the number
 * of instants, "all|instants|number".
 *
 * usage: trace_slices FILE        0 when all is well, else 1 and the reasons
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

enum { DEEP = 64 };
static int wrong;

static void complain(size_t event, const char *what)
{
	if (wrong++ < 20)
		fprintf(stderr, "event %zu: %s\n", event, what);
}

/* Microseconds with up to six decimals; exact as long as a double has the digits. */
static int64_t ps(const json_t *event, const char *key)
{
	return (int64_t)llround(json_number_value(json_object_get(event, key)) * 1e6);
}

static const char *text(const json_t *event, const char *key)
{
	const char *value = json_string_value(json_object_get(event, key));

	return value ? value : "";
}

/* Of "P1" or "T1/2". */
static const char *key_of(const json_t *event, bool thread, char *buf, size_t size)
{
	json_int_t pid = json_integer_value(json_object_get(event, "pid"));

	if (thread)
		snprintf(buf, size, "T%" JSON_INTEGER_FORMAT "/%" JSON_INTEGER_FORMAT, pid,
			 json_integer_value(json_object_get(event, "tid")));
	else
		snprintf(buf, size, "P%" JSON_INTEGER_FORMAT, pid);
	return buf;
}

/* The ends of the slices that are open on a thread, outermost first. */
static void nest(json_t *open, size_t i, const char *key, int64_t from, int64_t until)
{
	json_t *stack = json_object_get(open, key);

	if (!stack) {
		stack = json_array();
		json_object_set_new(open, key, stack);
	}
	while (json_array_size(stack) &&
	       json_integer_value(json_array_get(stack, json_array_size(stack) - 1)) <= from)
		json_array_remove(stack, json_array_size(stack) - 1);
	if (json_array_size(stack) &&
	    json_integer_value(json_array_get(stack, json_array_size(stack) - 1)) < until)
		complain(i, "a slice ends after the one around it");
	if (json_array_size(stack) == DEEP)
		complain(i, "slices nest too deeply");
	json_array_append_new(stack, json_integer(until));
}

static void count(json_t *max, const char *process, const char *name, int64_t value, size_t i)
{
	char key[256];

	if (value < 0)
		complain(i, "a counter below zero");
	snprintf(key, sizeof key, "%s|%s", process, name);
	if (value >= json_integer_value(json_object_get(max, key)))
		json_object_set_new(max, key, json_integer(value));
}

static void look(const json_t *events)
{
	json_t *names = json_object(), *open = json_object(), *max = json_object(), *value;
	int64_t last = 0, instants = 0;
	const char *key;
	size_t i;
	json_t *e;

	json_array_foreach(events, i, e) {
		const char *phase = text(e, "ph"), *name = text(e, "name");
		char thread[64], process[64];
		int64_t at = ps(e, "ts");

		key_of(e, true, thread, sizeof thread);
		key_of(e, false, process, sizeof process);
		if (!*name || !json_is_integer(json_object_get(e, "pid")))
			complain(i, "no name, or no process");
		if (*phase == 'M') {
			if (!strcmp(name, "process_name") || !strcmp(name, "thread_name"))
				json_object_set_new(names, name[0] == 'p' ? process : thread,
						    json_string(text(json_object_get(e, "args"), "name")));
			continue;
		}
		if (!strchr("XiC", *phase))
			complain(i, "a phase that is none of M, X, i, C");
		if (!json_is_number(json_object_get(e, "ts")) || at < 0 || at < last)
			complain(i, "its time is missing, negative, or before that of the event before");
		last = at;
		if (*phase == 'C') {
			const char *unit;
			json_t *sample;

			json_object_foreach(json_object_get(e, "args"), unit, sample)
				count(max, process, name, json_integer_value(sample), i);
		}
		if (!json_object_get(names, process))
			complain(i, "its process has no name");
		instants += *phase == 'i';
		if (*phase != 'X')
			continue;
		int64_t length = ps(e, "dur");
		if (!json_is_number(json_object_get(e, "dur")) || length < 0)
			complain(i, "its length is missing or negative");
		if (!json_object_get(names, thread))
			complain(i, "its thread has no name");
		nest(open, i, thread, at, at + length);
		printf("%s|%s|%s|%" PRId64 "|%" PRId64 "\n",
		       json_string_value(json_object_get(names, process)),
		       json_string_value(json_object_get(names, thread)), name, at, length);
	}
	json_object_foreach(max, key, value) {
		char process[64];

		snprintf(process, sizeof process, "%.*s", (int)strcspn(key, "|"), key);
		printf("%s|max|%s|%" JSON_INTEGER_FORMAT "\n",
		       json_string_value(json_object_get(names, process)), strchr(key, '|') + 1,
		       json_integer_value(value));
	}
	printf("all|instants|%" PRId64 "\n", instants);
	json_decref(names);
	json_decref(open);
	json_decref(max);
}

int main(int argc, char **argv)
{
	json_error_t err;
	json_t *doc = argc == 2 ? json_load_file(argv[1], JSON_REJECT_DUPLICATES, &err) : NULL;
	const json_t *events = json_object_get(doc, "traceEvents");

	if (!doc || !json_array_size(events)) {
		fprintf(stderr, "%s\n", argc != 2 ? "usage: trace_slices FILE" :
			doc ? "no events" : err.text);
		return 1;
	}
	look(events);
	json_decref(doc);
	return wrong ? 1 : 0;
}
