/* observe/replay_marks.c - see replay_marks.h. */
#include "observe/replay_marks.h"

/* The largest use beyond the reserve at which the group would be freed with
 * `shared` of the pool in use: found by asking, so that it is the rule itself that
 * answers.  (The group is empty: nothing of what is asked counts as reserve.) */
static int64_t freed_at(const struct fabric *f, uint32_t port, int prio, int64_t shared,
			int64_t most)
{
	int64_t low = 0, high = most;

	while (low < high) {
		int64_t middle = low + (high - low + 1) / 2;
		if (view_would_xon(f, port, prio, middle, shared, 0, false))
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

struct replay_marks replay_marks_read(const struct fabric *f, uint32_t port, int prio)
{
	uint32_t node = view_port(f, port).node;
	struct replay_marks m = { 0, 0 };

	if (!view_is_switch(f, node) || !view_counters(f, port, prio).lossless)
		return m;
	const struct mmu_conf *buffer = &view_switch_conf(f, node)->buffer;
	int64_t limit = view_xoff_limit(f, port, prio) - buffer->reserved_bytes;
	m.xon_floor_bytes = freed_at(f, port, prio, buffer->size_bytes, limit) +
			    buffer->reserved_bytes;
	m.xon_gap_bytes = limit - freed_at(f, port, prio, 0, limit);
	return m;
}

static void write_ecn(const struct fabric *f, const struct switch_conf *conf, int prio,
		      struct jsonout *j)
{
	for (int i = 0; i < view_classes(f); i++) {
		if (view_class(f, i)->priority != prio || !conf->ecn[i].on || conf->ecn[i].pi_ref_bytes)
			continue;
		jsonout_int(j, "kmin_bytes", conf->ecn[i].kmin_bytes);
		jsonout_int(j, "kmax_bytes", conf->ecn[i].kmax_bytes);
		return;
	}
}

void replay_marks_write(const struct fabric *f, uint32_t port, int prio, struct replay_marks m,
			struct jsonout *j)
{
	uint32_t node = view_port(f, port).node;
	struct view_counters c = view_counters(f, port, prio);

	if (!view_is_switch(f, node)) {
		const struct nic_conf *conf = view_nic_conf(f, node);
		jsonout_int(j, "xoff_bytes", conf->rx_xoff_bytes);
		jsonout_int(j, "xon_bytes", conf->rx_xon_bytes);
		return;
	}
	if (c.lossless) {
		jsonout_int(j, "xon_floor_bytes", m.xon_floor_bytes);
		jsonout_int(j, "xon_gap_bytes", m.xon_gap_bytes);
		jsonout_int(j, "headroom_bytes", c.headroom_limit_bytes);
	}
	write_ecn(f, view_switch_conf(f, node), prio, j);
}
