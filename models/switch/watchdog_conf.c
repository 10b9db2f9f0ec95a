/* Settings of the watchdog, what they come to, and presets. */
#include "models/switch/watchdog.h"

#include <string.h>
#include "sim/assert.h"

#define MS (UNITS_PS_PER_S / 1000)
enum { PORTS_A_STEP = 32, DETECT_TICKS = 15, RECOVER_TICKS = 10 };
static const int64_t poll_most_ps = 1000 * MS, recover_tick_ps = 100 * MS;

static const char *const actions[] = { "drop", "forward", "alert", NULL };
static const char *const rules[] = { "broadcom", "classic", "mellanox", "teralynx", "cisco", "prestera",
				     "mellanox_old", "juniper", "paused", "hardware", NULL };
static const char *const places[] = { "all", "hosts", "fabric", NULL };
static const char *const handlers[] = { "auto", "acl", "zero_buffer", "dlr", NULL };
static const char *const restores[] = { "auto", "frames", "status", "timer", NULL };
static const char *const ticks[] = { "auto", "1ms", "10ms", "100ms", NULL };
#define CONF(field) offsetof(struct watchdog_conf, field)
const struct param watchdog_params[] = {
	{ .key = "detect", .type = PARAM_TIME, .offset = CONF(detect_ps), .def = "200ms", .min = "10us",
	  .max = "1000s", .doc = "A queue that is bad for ceil(detect/poll) polls running is in a storm." },
	{ .key = "restore", .type = PARAM_TIME, .offset = CONF(restore_ps), .def = "200ms", .min = "10us",
	  .doc = "Time without a pause frame after which a stormed queue is restored; never keeps it stormed." },
	{ .key = "poll", .type = PARAM_TIME, .offset = CONF(poll_ps), .def = "100ms", .min = "10us",
	  .max = "1000s", .doc = "Time between two looks at the counters." },
	{ .key = "phase", .type = PARAM_TIME, .offset = CONF(phase_ps), .def = "seed", .min = "0ns",
	  .max = "1000s", .word = "seed", .word_value = -1,
	  .doc = "Instant of the first poll; seed draws it from the seed and the name of the switch." },
	{ .key = "action", .type = PARAM_ENUM, .offset = CONF(action), .def = "drop", .names = actions,
	  .doc = "What a storm does to its queue: drop its frames, forward them in spite of pauses, or only count." },
	{ .key = "rule", .type = PARAM_ENUM, .offset = CONF(rule), .def = "broadcom", .names = rules,
	  .doc = "Whose condition makes a poll bad: paused throughout (broadcom), stuck packets or a long pause "
		 "(classic, mellanox_old), stuck packets (prestera), both (mellanox), pauses without progress "
		 "(teralynx), paused at the poll (cisco), and stuck too (juniper), paused throughout "
		 "whatever comes (paused), or that in ticks of the chip (hardware)." },
	{ .key = "ports", .type = PARAM_ENUM, .offset = CONF(ports), .def = "all", .names = places,
	  .doc = "Ports that are watched: all, those to hosts, or those to switches." },
	{ .key = "handler", .type = PARAM_ENUM, .offset = CONF(handler), .def = "auto", .names = handlers,
	  .doc = "How drop is done: acl drops the class in both directions, zero_buffer what is sent, dlr that "
		 "while the port goes on pausing; auto as the rule's platform does (broadcom acl, hardware dlr, "
		 "the others zero_buffer)." },
	{ .key = "restore_rule", .type = PARAM_ENUM, .offset = CONF(restore_rule), .def = "auto", .names = restores,
	  .doc = "What restores: the restoration time without a pause frame, XON included (frames), without "
		 "being paused (status), or whatever comes (timer); auto is status for cisco, timer for "
		 "hardware and juniper, else frames." },
	{ .key = "scale_ports", .type = PARAM_COUNT, .offset = CONF(scale_ports), .def = "1", .min = "1",
	  .max = "65536", .word = "auto", .word_value = -1,
	  .doc = "Scale the timers as SONiC's start_default does for a switch of so many ports: times "
		 "(ports - 1) div 32 + 1, the poll interval up to 1 s; auto takes the ports that it has here." },
	{ .key = "action_delay", .type = PARAM_TIME, .offset = CONF(action_delay_ps), .def = "0ns", .min = "0ns",
	  .max = "1000s", .doc = "Time from a verdict of the polling script until the switch acts on it." },
	{ .key = "forget", .type = PARAM_BOOL, .offset = CONF(forget), .def = "true",
	  .doc = "After telling of a storm the script only notes the counters at the next poll, so that a slow "
		 "action is not told of twice." },
	{ .key = "big_red_switch", .type = PARAM_BOOL, .offset = CONF(big_red_switch), .def = "false",
	  .doc = "Every watched queue drops from the start, and storms are ignored." },
	{ .key = "frozen_counter", .type = PARAM_BOOL, .offset = CONF(frozen_counter), .def = "false",
	  .doc = "Fault of an ASIC: a port that ignores pauses of all its lossless priorities counts none, so that "
		 "it is restored in the midst of a storm." },
	{ .key = "tick", .type = PARAM_ENUM, .offset = CONF(tick), .def = "auto", .names = ticks,
	  .doc = "Granularity of hardware detection, of which it counts 1 to 15; auto is the finest that is enough." },
	{ .key = "dldr", .type = PARAM_BOOL, .offset = CONF(dldr), .def = "true",
	  .doc = "Detection and recovery are enabled on the queues of the chip; without, hardware detects nothing "
		 "and the dlr handler drops nothing." },
	{ .key = NULL }
};

static const char *const sonic[] = { "detect", "200ms", "restore", "200ms", "poll", "200ms", "action", "drop",
				     "scale_ports", "auto", NULL };
static const char *const cumulus[] = { "detect", "300ms", "restore", "100ms", "poll", "100ms", "action", "drop",
				       "rule", "paused", "handler", "zero_buffer", NULL };
static const char *const juniper[] = { "detect", "200ms", "restore", "200ms", "poll", "100ms", "action", "drop",
				       "rule", "juniper", NULL };
static const char *const arista[] = { "detect", "200ms", "restore", "200ms", "poll", "100ms", "action", "drop",
				      "rule", "paused", "handler", "zero_buffer", NULL };
static const char *const nxos[] = { "detect", "100ms", "restore", "100ms", "poll", "100ms", "action", "drop",
				    "rule", "prestera", "handler", "acl", NULL };
static const char *const picos[] = { "detect", "150ms", "restore", "100ms", "tick", "10ms", "action", "drop",
				     "rule", "hardware", NULL };
static const char *const microsoft[] = { "detect", "200ms", "restore", "200ms", "poll", "100ms", "action", "drop",
					 "rule", "prestera", "handler", "acl", "ports", "hosts", NULL };
/*
 * sonic         sonic-utilities pfcwd/main.py, what `pfcwd start_default' sets
 * cumulus       Cumulus Linux 5.6: poll 100 ms, robustness 3, restored after one poll
 *               without pause
 * juniper       Junos, cos-pfc-watchdog: poll 100 ms, detection 2 polls, recovery 200 ms
 * arista        the usual example of the EOS guides; the factory default is not confirmed,
 *               nor is what ends a recovery
 * nxos          Nexus 9000: poll 100 ms; multipliers of 1 as the examples have them, the
 *               defaults are not confirmed
 * picos         PicOS 4.4.5: detect-interval 15; of its granularities 10 and 100 ms the
 *               default is not confirmed, nor is the time of the restore process
 * microsoft_tor RoCE-at-scale'16: enabled again after 200 ms without pauses; its
 *               detection time and poll interval are not given (SONiC's here)
 */
const struct watchdog_preset watchdog_presets[] = {
	{ "sonic", sonic }, { "cumulus", cumulus }, { "juniper", juniper }, { "arista", arista },
	{ "nxos", nxos }, { "picos", picos }, { "microsoft_tor", microsoft }, { NULL, NULL }
};

bool watchdog_preset_apply(struct watchdog_conf *conf, const char *name)
{
	const struct watchdog_preset *p = watchdog_presets;

	while (p->name && strcmp(p->name, name) != 0)
		p++;
	if (!p->name)
		return false;
	param_defaults(watchdog_params, conf);
	for (const char *const *s = p->settings; *s; s += 2) {
		int rc = param_set(param_find(watchdog_params, s[0]), conf, s[1], NULL);

		sim_assert(rc == 0);	/* a preset is ours */
	}
	return true;
}

int watchdog_check(const struct watchdog_conf *c, struct sim_error *err)
{
	char poll[32], other[32];
	int64_t least = c->detect_ps < c->restore_ps ? c->detect_ps : c->restore_ps;

	if (c->rule != WATCHDOG_HARDWARE && c->poll_ps > least)
		return error_set(err, "/poll", "the poll interval %s is longer than the smaller of detect and restore, %s",
				 units_format(c->poll_ps, UNITS_TIME, poll, sizeof poll),
				 units_format(least, UNITS_TIME, other, sizeof other));
	return 0;
}

/* Rounded up, and no more than there are. */
static int64_t whole_ticks(int64_t ps, int64_t tick_ps, int most)
{
	return ps > most * tick_ps ? most * tick_ps : units_div_ceil(ps, tick_ps) * tick_ps;
}

static int64_t tick_ps(const struct watchdog_conf *c)
{
	static const int64_t of[] = { [WATCHDOG_TICK_1MS] = MS, [WATCHDOG_TICK_10MS] = 10 * MS,
				      [WATCHDOG_TICK_100MS] = 100 * MS };
	int i = c->tick;

	if (i == WATCHDOG_TICK_AUTO)
		for (i = WATCHDOG_TICK_1MS; i < WATCHDOG_TICK_100MS && c->detect_ps > DETECT_TICKS * of[i]; i++)
			;
	return of[i];
}

/* sonic-utilities pfcwd/main.py, start_default */
static void scale(const struct watchdog_conf *c, uint32_t ports, struct watchdog_times *t)
{
	int64_t n = c->scale_ports < 0 ? (int64_t)ports : c->scale_ports, m = (n - 1) / PORTS_A_STEP + 1;

	if (m <= 1)
		return;
	t->detect_ps *= m;
	if (t->restore_ps != UNITS_NEVER)
		t->restore_ps *= m;
	t->poll_ps *= m;
	if (t->poll_ps > poll_most_ps)
		t->poll_ps = c->poll_ps > poll_most_ps ? c->poll_ps : poll_most_ps;
}

struct watchdog_times watchdog_times(const struct watchdog_conf *c, uint32_t ports)
{
	struct watchdog_times t = { .detect_ps = c->detect_ps, .restore_ps = c->restore_ps, .poll_ps = c->poll_ps,
				    .handler = c->handler, .restore_rule = c->restore_rule };

	if (c->rule == WATCHDOG_HARDWARE) {
		t.poll_ps = tick_ps(c);
		t.detect_ps = whole_ticks(c->detect_ps, t.poll_ps, DETECT_TICKS);
		t.restore_ps = whole_ticks(c->restore_ps, recover_tick_ps, RECOVER_TICKS);
	} else {
		scale(c, ports, &t);
	}
	if (t.handler == WATCHDOG_AUTO)
		t.handler = c->rule == WATCHDOG_BROADCOM ? WATCHDOG_ACL
			: c->rule == WATCHDOG_HARDWARE	 ? WATCHDOG_DLR
							 : WATCHDOG_ZERO_BUFFER;
	if (t.restore_rule == WATCHDOG_RESTORE_AUTO)
		t.restore_rule = c->rule == WATCHDOG_CISCO ? WATCHDOG_RESTORE_STATUS
			: c->rule == WATCHDOG_HARDWARE || c->rule == WATCHDOG_JUNIPER
				? WATCHDOG_RESTORE_TIMER : WATCHDOG_RESTORE_FRAMES;
	return t;
}
