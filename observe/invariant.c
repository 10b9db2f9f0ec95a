/* observe/invariant.c - see invariant.h. */
#include <stdio.h>
#include "observe/invariant.h"
#include "observe/names.h"
#include "observe/stuck.h"

static bool bytes_are_kept(const struct fabric *f, char *text, size_t size)
{
	struct sim_error err;

	error_init(&err);
	if (!view_conservation(f, &err))
		return true;
	snprintf(text, size, "%s", err.text);
	return false;
}

static bool pauses_alternate(const struct fabric *f, char *text, size_t size)
{
	char name[NAMES_MAX];

	for (uint32_t port = 0; port < view_ports(f); port++) {
		for (int prio = 0; prio < STUCK_PRIOS; prio++) {
			struct view_counters c = view_counters(f, port, prio);
			int64_t open = c.xoff_frames - c.xon_frames;
			if (open == 0 || open == 1)
				continue;
			snprintf(text, size,
				 "XOFF and XON do not alternate: %s has sent %lld and %lld",
				 names_queue(f, port, prio, name, sizeof(name)),
				 (long long)c.xoff_frames, (long long)c.xon_frames);
			return false;
		}
	}
	return true;
}

static bool deadlocks_stay(struct deadlock *dead, char *text, size_t size)
{
	struct deadlock_report r = deadlock_report(dead);

	if (r.cleared_ps < 0 || r.cleared_by != DEADLOCK_NONE)
		return true;
	snprintf(text, size, "the deadlock of %lld ps ended by itself at %lld ps",
		 (long long)r.first_ps, (long long)r.cleared_ps);
	return false;
}

bool invariant_check(const struct fabric *f, const struct flowtable *flows,
		     struct deadlock *dead, char *text, size_t size)
{
	if (flowtable_broken(flows)) {
		snprintf(text, size, "%s", flowtable_broken(flows));
		return false;
	}
	return bytes_are_kept(f, text, size) && pauses_alternate(f, text, size) &&
	       deadlocks_stay(dead, text, size);
}
