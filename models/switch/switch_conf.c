#include "models/switch/switch_conf.h"

const struct param switch_params[] = {
	{ .key = "latency", .type = PARAM_TIME, .offset = offsetof(struct switch_conf, latency_ps), .def = "0ns",
	  .min = "0ns", .max = "1ms",
	  .doc = "Pipeline latency between admission and the egress queue; the frame holds buffer." },
	{ .key = "mtu", .type = PARAM_BYTES, .offset = offsetof(struct switch_conf, mtu_bytes), .def = "9216B",
	  .min = "68B", .max = "16000B",
	  .doc = "IP MTU of the egress ports: larger packets are fragmented, or dropped when DF is set." },
	{ .key = "flood_per_copy", .type = PARAM_BOOL, .offset = offsetof(struct switch_conf, flood_per_copy),
	  .def = "false", .doc = "Charge every copy of a flooded frame to its ingress group, not the frame once." },
	{ .key = "default_tc", .type = PARAM_COUNT, .offset = offsetof(struct switch_conf, default_tc), .def = "0",
	  .min = "0", .max = "7", .doc = "Traffic class of a DSCP that no class and no map names." },
	{ .key = NULL }
};
