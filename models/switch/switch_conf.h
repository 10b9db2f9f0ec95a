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

struct switch_conf {
	struct mmu_conf buffer;
	struct ecn_conf ecn[FABRIC_CLASSES];	/* by class number */
	struct watchdog_conf watchdog;
	struct pfc_conf pfc;
	int64_t latency_ps;		/* pipeline, after admission, holds buffer */
	int64_t mtu_bytes;		/* IP MTU of every egress: larger frames are fragmented, or dropped with DF */
	bool flood_per_copy;		/* charge every copy of a flooded frame */
	int64_t dscp_to_tc[FABRIC_DSCPS];	/* -1: as the classes say; unclassified DSCPs go to `default_tc` */
	int64_t default_tc;
};
extern const struct param switch_params[];	/* latency, mtu, flood_per_copy, default_tc */
#endif
