/*
 * scenario/scenario_unit.c - the unit that a name of the summary calls for.
 */
#include <string.h>

#include "scenario/scenario.h"

static bool one_of(const char *word, size_t n, const char *const *words)
{
	for (; *words; words++) {
		if (strlen(*words) == n && strncmp(word, *words, n) == 0)
			return true;
	}
	return false;
}

bool scenario_unit(const char *path, enum units_kind *kind, const char **name)
{
	static const char *const of[] = {"mean", "p50", "p99", "p999", "max", "min", "sd", NULL};
	static const char *const times[] = {"pfc.by_node.", "pfc.hosts_by_switch.", NULL};
	static const struct {
		const char *suffix;
		enum units_kind kind;
		const char *name;
	} s[] = {{"_ps", UNITS_TIME, "a time"},
		 {"_bytes", UNITS_BYTES, "a size"},
		 {"_bps", UNITS_RATE, "a rate"}};
	const char *end = path + strlen(path), *last = strrchr(path, '.');

	for (int i = 0; times[i]; i++) {
		if (strncmp(path, times[i], strlen(times[i])) == 0) {
			*kind = UNITS_TIME;
			*name = "a time";
			return true;
		}
	}
	if (last && one_of(last + 1, (size_t)(end - last - 1), of))
		end = last;		/* "fct_ps.p99": of what it is */
	for (size_t i = 0; i < sizeof s / sizeof *s; i++) {
		size_t n = strlen(s[i].suffix);

		if ((size_t)(end - path) < n || strncmp(end - n, s[i].suffix, n) != 0)
			continue;
		*kind = s[i].kind;
		*name = s[i].name;
		return true;
	}
	return false;
}
