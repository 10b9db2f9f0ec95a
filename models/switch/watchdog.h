/*
 * models/switch/watchdog.h - the PFC watchdog: a polling state machine over
 * counters, as SONiC runs it (sonic-swss orchagent/pfc_detect_*.lua,
 * pfcwdorch.cpp).  ceil(detect/poll) consecutive bad polls are a storm.
 */
#ifndef WATCHDOG_H
#define WATCHDOG_H
#include <stdbool.h>
#include <stdint.h>
#include "sim/param.h"

enum watchdog_action { WATCHDOG_DROP, WATCHDOG_FORWARD, WATCHDOG_ALERT };
enum watchdog_rule { WATCHDOG_BROADCOM, WATCHDOG_CLASSIC };
enum watchdog_ports { WATCHDOG_ALL, WATCHDOG_HOSTS, WATCHDOG_FABRIC };
struct watchdog_conf {
	bool on;
	int64_t detect_ps, restore_ps;	/* restore UNITS_NEVER: stays stormed */
	int64_t poll_ps;
	int64_t phase_ps;		/* of the first poll; -1 "seed": from (seed, switch) */
	int action, rule, ports;
};
extern const struct param watchdog_params[];
int watchdog_check(const struct watchdog_conf *conf, struct sim_error *err) SIM_MUST_CHECK;

struct net;
struct switch_node;

struct watchdog_row {		/* one (port, lossless priority) */
	bool watched, stormed, was_paused;
	int64_t left_ps, restore_left_ps;
	int64_t rx, tx, on_to_off, paused_ps;	/* at the last poll */
	int64_t dropped;		/* frames, in this storm */
};
struct watchdog {
	const struct watchdog_conf *conf;
	struct watchdog_row *row;	/* local_port * 8 + priority; NULL: off */
	int64_t phase_ps;		/* polls at phase + k poll */
	int64_t next_ps;		/* armed poll; UNITS_NEVER: nothing is paused, none needed */
	int64_t storms, restores, dropped;
};

void watchdog_init(struct net *net, struct switch_node *sw, const struct watchdog_conf *conf);
void watchdog_fini(struct watchdog *w);
/* A pause frame has come: polling starts again if it had stopped. */
void watchdog_wake(struct net *net, struct switch_node *sw);
void watchdog_poll(struct net *net, struct switch_node *sw);	/* NET_WATCHDOG */
#endif
