/*
 * models/switch/switch_conf.h - all settings of one switch.
 */
#ifndef SWITCH_CONF_H
#define SWITCH_CONF_H
#include "models/switch/ecn.h"
#include "models/switch/mmu.h"
#include "models/switch/watchdog.h"
#include "models/wire/class.h"
#include "models/wire/pfc.h"

/* Overrides for some ports and priorities of a switch; later ones win. */
struct switch_ports_conf {
	int64_t from, to;		/* port numbers, ends included */
	int64_t priorities;		/* mask; -1: every lossless one */
	struct units_ratio alpha;	/* den 0: as the switch says */
	int64_t xoff_bytes, xon_bytes, xon_offset_bytes, reserved_bytes, headroom_bytes;	/* SWITCH_AS_IS */
	int64_t pfc;			/* mask of the lossless priorities of these ports; SWITCH_AS_IS */
	int64_t watchdog;		/* 0, 1; SWITCH_AS_IS */
};
#define SWITCH_AS_IS INT64_MIN
/* Frames that come from one of the nodes `from` and leave towards one of `to` change
 * their class: they get its DSCP, and here its queue. */
struct switch_remap_conf {
	const char *name;
	char **from, **to;		/* neighbours */
	int froms, tos;
	int8_t class_to[FABRIC_CLASSES];	/* by class they come in; -1: it stays */
};
extern const struct param switch_ports_params[];	/* alpha, xoff, xon, xon_offset, reserved, headroom */

enum switch_balance {
	SWITCH_BALANCE_FLOW,		/* ECMP: the hash of the five-tuple */
	SWITCH_BALANCE_PACKET,		/* every frame anew: sprayed */
	SWITCH_BALANCE_FLOWLET		/* ECMP, drawn anew when the flow has paused */
};
/* What tells a frame's traffic class.  RoCEv2 is routed: hosts send it without a VLAN tag,
 * so that where the 802.1p priority of a tag counts, all of it falls to default_tc. */
enum switch_trust { SWITCH_TRUST_DSCP, SWITCH_TRUST_PCP };
enum switch_reroute { SWITCH_REROUTE_NONE, SWITCH_REROUTE_LOCAL };

struct switch_conf {
	struct mmu_conf buffer;
	struct ecn_conf ecn[FABRIC_CLASSES];	/* by class number */
	struct watchdog_conf watchdog;
	struct pfc_conf pfc;
	int64_t latency_ps;		/* pipeline, after admission, holds buffer */
	int64_t mtu_bytes;		/* IP MTU of every egress: larger frames are fragmented, or dropped with DF */
	bool flood_per_copy;		/* charge every copy of a flooded frame */
	int trust;			/* enum switch_trust */
	int64_t dscp_to_tc[FABRIC_DSCPS];	/* -1: as the classes say; unclassified DSCPs go to `default_tc` */
	int64_t default_tc;
	int balance;			/* enum switch_balance */
	int64_t flowlet_gap_ps;		/* a pause of a flow that lets it take another way */
	int reroute;			/* enum switch_reroute */
	int64_t reroute_delay_ps;	/* from a link's failure (or return) to routes that know it */
	struct switch_ports_conf *ports;	/* the caller's; outlives the fabric */
	int nports;
	struct switch_remap_conf *remap;	/* the caller's; outlives the fabric */
	int nremaps;
};
extern const struct param switch_params[];	/* latency, trust, mtu, flood_per_copy, default_tc */
#endif
