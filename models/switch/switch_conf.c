#include "models/switch/switch_conf.h"

#define PORTS(key_, field, def_, word_, doc_)							\
	{ .key = key_, .type = PARAM_BYTES, .offset = offsetof(struct switch_ports_conf, field),	\
	  .def = def_, .min = "0B", .max = "16GB", .word = word_, .word_value = -1, .doc = doc_ }
const struct param switch_ports_params[] = {
	{ .key = "alpha", .type = PARAM_RATIO, .offset = offsetof(struct switch_ports_conf, alpha), .def = "1/8",
	  .min = "1/65536", .max = "128",
	  .doc = "Dynamic XOFF limit of these groups; unless given, as the switch says." },
	PORTS("xoff", xoff_bytes, "dynamic", "dynamic", "Static XOFF limit of these groups; unless given, as the switch says."),
	PORTS("xon", xon_bytes, "0B", NULL, "These groups are freed at or below this use; unless given, as the switch says."),
	PORTS("xon_offset", xon_offset_bytes, "2496B", NULL,
	      "These groups are freed this far below their limit; unless given, as the switch says."),
	PORTS("reserved", reserved_bytes, "0B", NULL, "Minimum of each of these groups; unless given, as the switch says."),
	PORTS("headroom", headroom_bytes, "auto", "auto", "Headroom of each of these groups; unless given, as the switch says."),
	{ .key = NULL }
};

static const char *const trusts[] = { "dscp", "pcp", NULL };
static const char *const balances[] = { "flow", "packet", "flowlet", NULL };
static const char *const reroutes[] = { "none", "local", NULL };
const struct param switch_params[] = {
	{ .key = "latency", .type = PARAM_TIME, .offset = offsetof(struct switch_conf, latency_ps), .def = "0ns",
	  .min = "0ns", .max = "1ms",
	  .doc = "Pipeline latency between admission and the egress queue; the frame holds buffer." },
	{ .key = "mtu", .type = PARAM_BYTES, .offset = offsetof(struct switch_conf, mtu_bytes), .def = "9216B",
	  .min = "68B", .max = "16000B",
	  .doc = "IP MTU of the egress ports: larger packets are fragmented, or dropped when DF is set." },
	{ .key = "flood_per_copy", .type = PARAM_BOOL, .offset = offsetof(struct switch_conf, flood_per_copy),
	  .def = "false", .doc = "Charge every copy of a flooded frame to its ingress group, not the frame once." },
	{ .key = "balance", .type = PARAM_ENUM, .offset = offsetof(struct switch_conf, balance), .def = "flow",
	  .names = balances,
	  .doc = "Among several next hops: flow is ECMP by a hash; packet sends every frame another way "
		 "(spraying, which reorders); flowlet is ECMP that draws again after a gap in the flow." },
	{ .key = "flowlet_gap", .type = PARAM_TIME, .offset = offsetof(struct switch_conf, flowlet_gap_ps),
	  .def = "50us", .min = "1ns", .max = "1s",
	  .doc = "Gap in a flow after which its next frames may go another way, with balance flowlet "
		 "(Vanini et al., Let It Flow, NSDI 2017: 50 to 500 us)." },
	{ .key = "reroute", .type = PARAM_ENUM, .offset = offsetof(struct switch_conf, reroute), .def = "none",
	  .names = reroutes,
	  .doc = "After a link failure: none drops what the routes send there; local takes the other next hops, "
		 "or without one any neighbouring switch (a bounce)." },
	{ .key = "reroute_delay", .type = PARAM_TIME, .offset = offsetof(struct switch_conf, reroute_delay_ps),
	  .def = "1ms", .min = "0ns", .max = "100s",
	  .doc = "Time from a link's failure, or its return, until the routes of the switch follow." },
	{ .key = "trust", .type = PARAM_ENUM, .offset = offsetof(struct switch_conf, trust), .def = "dscp",
	  .names = trusts,
	  .doc = "What tells the traffic class of a frame: its dscp, or the 802.1p priority of a VLAN tag (pcp). "
		 "Hosts send RoCEv2 untagged: with pcp all frames are of default_tc, whatever their DSCP." },
	{ .key = "default_tc", .type = PARAM_COUNT, .offset = offsetof(struct switch_conf, default_tc), .def = "0",
	  .min = "0", .max = "7", .doc = "Traffic class of a DSCP that no class and no map names." },
	{ .key = NULL }
};
