#include "models/wire/class.h"

const struct param class_params[] = {
	{ .key = "dscp", .type = PARAM_COUNT, .offset = offsetof(struct class_conf, dscp), .min = "0", .max = "63",
	  .doc = "DSCP that NICs stamp on the class and by which switches know it." },
	{ .key = "tc", .type = PARAM_COUNT, .offset = offsetof(struct class_conf, tc), .min = "0", .max = "7",
	  .doc = "Traffic class; the egress queue has the same number." },
	{ .key = "priority", .type = PARAM_COUNT, .offset = offsetof(struct class_conf, priority), .min = "0",
	  .max = "7", .doc = "PFC priority, and the ingress priority group of switches." },
	{ .key = "lossless", .type = PARAM_BOOL, .offset = offsetof(struct class_conf, lossless), .def = "false",
	  .doc = "Whether the priority is protected by PFC." },
	{ .key = "strict", .type = PARAM_BOOL, .offset = offsetof(struct class_conf, strict), .def = "false",
	  .doc = "Whether the queue is served before all weighted ones." },
	{ .key = "weight", .type = PARAM_COUNT, .offset = offsetof(struct class_conf, weight), .def = "1",
	  .min = "1", .max = "65535", .doc = "Share of a weighted queue (DWRR)." },
	{ .key = NULL }
};
