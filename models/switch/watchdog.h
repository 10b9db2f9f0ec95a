/*
 * models/switch/watchdog.h - the PFC watchdog: a polling state machine over
 * counters, as SONiC runs it (sonic-swss orchagent/pfc_detect_*.lua, pfc_restore.lua,
 * pfcwdorch.cpp, pfcactionhandler.cpp), and the one in hardware beside it.
 *
 *	operational --ceil(detect/poll) bad polls running--> stormed
 *	     ^                                                  |
 *	     +------ the restoration time without a pause ------+
 *
 * What makes a poll bad (d: change since the last poll; held: bytes in the queue):
 *	broadcom      d rx > 0, no pause ended, paused now and at the last poll
 *	classic       d tx = 0, and held with d rx > 0, or empty with d pause > 0.8 poll
 *	              (barefoot, nephos, clounix, vs)
 *	prestera      the same without pause durations: held, d tx = 0, d rx > 0
 *	mellanox_old  as classic (until swss #3036, 2024)
 *	mellanox      held, d tx = 0, d pause > 0.99 poll; a storm is more than 0.99 of
 *	              the detection time spent in bad polls
 *	teralynx      d rx > 0, d pause > 0.8 poll, and empty or d tx = 0
 *	cisco         paused now
 *	juniper       paused now, held, d tx = 0 (Junos, cos-pfc-watchdog)
 *	paused        no pause ended, paused now and at the last poll, frames or none
 *	hardware      as paused, at every tick of the chip (below)
 *
 * Restored, by `restore_rule`: frames, after the restoration time without any pause
 * frame (XON included); status, without being paused (cisco); timer, whatever comes.
 * At the first poll after a storm has been told, counters are only noted: the script
 * deletes its last values, so that a slow action is not told twice (swss #697).
 *
 * What `drop` does depends on the handler:
 *	              egress    ingress   its pauses   pauses
 *	              dropped   dropped   ignored      no more
 *	acl           yes       yes       yes          yes
 *	zero_buffer   yes       -         yes          yes
 *	dlr           yes       -         yes          -       (swss #2807: the mask stays)
 *	forward       -         -         yes          yes     (with dlr: goes on pausing)
 *	alert         -         -         -            -
 * A storm is counted only from operational, so detected is at most restored + 1.
 *
 * Hardware (SAI PFC DLD/DLR, Broadcom): detection 1 to 15 ticks of 1, 10 or 100 ms,
 * recovery 1 to 10 ticks of 100 ms, by timer, then normal, and detected again if it
 * still stands (swss #3904).  The source names no rounding: here a request is rounded
 * up, never sooner than asked, and clamped.  Without `dldr` the queue's attribute is
 * off: no detection, and a dlr handler drops nothing.
 *
 * Presets of other vendors: watchdog_presets, with what is known of each.
 */
#ifndef WATCHDOG_H
#define WATCHDOG_H
#include <stdbool.h>
#include <stdint.h>
#include "sim/param.h"

enum watchdog_action { WATCHDOG_DROP, WATCHDOG_FORWARD, WATCHDOG_ALERT };
enum watchdog_rule { WATCHDOG_BROADCOM, WATCHDOG_CLASSIC, WATCHDOG_MELLANOX, WATCHDOG_TERALYNX, WATCHDOG_CISCO,
		     WATCHDOG_PRESTERA, WATCHDOG_MELLANOX_OLD, WATCHDOG_JUNIPER, WATCHDOG_PAUSED,
		     WATCHDOG_HARDWARE, WATCHDOG_RULES };
enum watchdog_handler { WATCHDOG_AUTO, WATCHDOG_ACL, WATCHDOG_ZERO_BUFFER, WATCHDOG_DLR };
enum watchdog_restore { WATCHDOG_RESTORE_AUTO, WATCHDOG_RESTORE_FRAMES, WATCHDOG_RESTORE_STATUS,
			WATCHDOG_RESTORE_TIMER };
enum watchdog_ports { WATCHDOG_ALL, WATCHDOG_HOSTS, WATCHDOG_FABRIC };
enum watchdog_tick { WATCHDOG_TICK_AUTO, WATCHDOG_TICK_1MS, WATCHDOG_TICK_10MS, WATCHDOG_TICK_100MS };
struct watchdog_conf {
	bool on;
	int64_t detect_ps, restore_ps;	/* restore UNITS_NEVER: stays stormed */
	int64_t poll_ps;
	int64_t phase_ps;		/* of the first poll; -1 "seed": from (seed, switch) */
	int action, rule, ports;
	int handler, restore_rule;	/* enums above; AUTO: as the rule's platform has it */
	int64_t scale_ports;		/* timers times max(1, (n - 1) div 32 + 1); -1: the ports of the switch */
	int64_t action_delay_ps;	/* from a verdict of the script to what is done about it */
	bool forget;			/* the last counters, when a storm has been told */
	bool big_red_switch;		/* every watched queue drops from the start, storms are ignored */
	bool frozen_counter;		/* a port all of whose lossless priorities are cleared counts no pauses */
	int tick;			/* hardware: enum watchdog_tick */
	bool dldr;			/* hardware detection and recovery enabled on the queues */
};
extern const struct param watchdog_params[];
int watchdog_check(const struct watchdog_conf *conf, struct sim_error *err) SIM_MUST_CHECK;

/* Named timers.  `settings`: pairs of key and value, NULL at the end. */
struct watchdog_preset { const char *name; const char *const *settings; };
extern const struct watchdog_preset watchdog_presets[];	/* name NULL at the end */
/* Defaults, then the preset; false: there is none of that name. */
bool watchdog_preset_apply(struct watchdog_conf *conf, const char *name);

/* What the settings come to on a switch of so many ports. */
struct watchdog_times {
	int64_t detect_ps, restore_ps, poll_ps;	/* scaled, or in ticks */
	int handler, restore_rule;		/* never AUTO */
};
struct watchdog_times watchdog_times(const struct watchdog_conf *conf, uint32_t ports);

struct net;
struct port;
struct switch_node;

struct watchdog_count { int64_t tx_ok, tx_drop, rx_ok, rx_drop; };	/* frames */
struct watchdog_row {		/* one (port, lossless priority) */
	bool watched, stormed, was_paused;
	bool known;			/* the counters below are of the last poll */
	uint8_t pending;		/* told, not done yet: enum watchdog_pending */
	int64_t due_ps;
	int64_t left_ps, restore_left_ps;
	int64_t rx, tx, on_to_off, paused_ps;	/* at the last poll */
	int64_t storms, restores;
	int64_t tx_base, rx_base;	/* counters of the port when the storm began */
	struct watchdog_count all, last;	/* of ended storms; of the last (drops: as they happen) */
};
enum watchdog_pending { WATCHDOG_NOTHING, WATCHDOG_STORM, WATCHDOG_RESTORE };
struct watchdog {
	const struct watchdog_conf *conf;
	struct watchdog_times times;
	struct watchdog_row *row;	/* local_port * 8 + priority; NULL: off */
	int64_t phase_ps;		/* polls at phase + k poll */
	int64_t next_ps;		/* armed poll; UNITS_NEVER: nothing is paused, none needed */
	int64_t acting_ps;		/* last instant for which an action was armed; -1 none */
	int64_t told;			/* storms that the script has told of */
	int64_t storms, restores, dropped;
};

/* The ports are made, the groups known.  */
void watchdog_init(struct net *net, struct switch_node *sw, const struct watchdog_conf *conf);
void watchdog_fini(struct watchdog *w);
/* A pause frame has come: polling starts again if it had stopped. */
void watchdog_wake(struct net *net, struct switch_node *sw);
void watchdog_poll(struct net *net, struct switch_node *sw);	/* NET_WATCHDOG */
/* A frame was dropped for the watchdog's sake: at the egress queue, or received.  Cold: told so, the
 * compiler keeps it out of the way of frames that pass (4 % of the incident). */
void watchdog_lost(struct switch_node *sw, const struct port *p, int prio, bool received) __attribute__((cold));
/* The two counts of one queue so far; a storm that stands included. */
void watchdog_counts(const struct net *net, const struct switch_node *sw, const struct port *p, int prio,
		     struct watchdog_count *all, struct watchdog_count *last);

/* ---- between the files of the watchdog ---- */
/* watchdog_rule.c: total pause time so far; this poll's verdict; is it a storm with it; is there
 * nothing left to restore for. */
int64_t watchdog_paused_ps(const struct net *net, const struct port *p, int prio);
bool watchdog_bad(const struct net *net, const struct watchdog *w, const struct port *p, int prio);
bool watchdog_enough(const struct watchdog *w, const struct watchdog_row *r);
bool watchdog_quiet(const struct net *net, const struct watchdog *w, const struct port *p, int prio);
/* watchdog_action.c: storm and restore take effect. */
void watchdog_begin(struct net *net, struct switch_node *sw, struct port *p, int prio);
void watchdog_end(struct net *net, struct switch_node *sw, struct port *p, int prio);
void watchdog_red(struct net *net, struct switch_node *sw, struct port *p, int prio);	/* the big red switch */
#endif
