/*
 * models/switch/watchdog.h - the PFC watchdog: a polling state machine over
 * counters, as SONiC runs it (sonic-swss orchagent/pfc_detect_*.lua,
 * pfcwdorch.cpp).  ceil(detect/poll) consecutive bad polls are a storm.
 *
 * What makes a poll bad (d: change since the last poll; held: bytes in the queue):
 *	broadcom   d rx > 0, no pause ended, paused now and at the last poll
 *	classic    d tx = 0, and held with d rx > 0, or empty with d pause > 0.8 poll
 *	mellanox   held, d tx = 0, d pause > 0.99 poll; a storm is more than 0.99 of
 *	           the detection time spent in bad polls
 *	teralynx   d rx > 0, d pause > 0.8 poll, and empty or d tx = 0
 *	cisco      paused now
 * A stormed queue is restored after the restoration time without any pause frame
 * (XON included); cisco: without being paused.
 */
#ifndef WATCHDOG_H
#define WATCHDOG_H
#include <stdbool.h>
#include <stdint.h>
#include "sim/param.h"

enum watchdog_action { WATCHDOG_DROP, WATCHDOG_FORWARD, WATCHDOG_ALERT };
enum watchdog_rule { WATCHDOG_BROADCOM, WATCHDOG_CLASSIC, WATCHDOG_MELLANOX, WATCHDOG_TERALYNX, WATCHDOG_CISCO };
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
