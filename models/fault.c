#include "models/fault.h"

const char *const fault_texts[] = { "link down", "NIC pause storm", "slow receiver", "dropping frames",
				    "pause frames", "bit errors", "link slow", NULL };

static const char *const frames[] = { "pfc", "empty", "global", NULL };
const struct param fault_params[] = {
	{ .key = "at", .type = PARAM_TIME, .offset = offsetof(struct fault_conf, at_ps), .def = "0s",
	  .min = "0s", .max = "1000000s", .doc = "When the fault begins." },
	{ .key = "for", .type = PARAM_TIME, .offset = offsetof(struct fault_conf, lasts_ps), .def = "never",
	  .min = "1ps", .doc = "How long it lasts; never is to the end." },
	{ .key = "rate", .type = PARAM_RATE, .offset = offsetof(struct fault_conf, rate_bps), .def = "line",
	  .min = "1Kbps", .max = "10Tbps", .word = "line", .word_value = 0,
	  .doc = "Rate at which a slow receiver drains its buffer, or at which a slow link runs, in bits of the "
		 "wire." },
	{ .key = "every", .type = PARAM_COUNT, .offset = offsetof(struct fault_conf, every), .def = "1",
	  .min = "1", .max = "1000000000000", .doc = "Every how many data frames one is lost." },
	{ .key = "count", .type = PARAM_COUNT, .offset = offsetof(struct fault_conf, count), .def = "endless",
	  .min = "1", .max = "1000000000000", .word = "endless", .word_value = 0,
	  .doc = "How many frames are lost at most." },
	{ .key = "quanta", .type = PARAM_COUNT, .offset = offsetof(struct fault_conf, quanta), .def = "65535",
	  .min = "0", .max = "65535", .doc = "Pause time in each frame, in quanta of 512 bit times; 0 is XON." },
	{ .key = "period", .type = PARAM_TIME, .offset = offsetof(struct fault_conf, period_ps), .def = "500us",
	  .min = "100ns", .max = "1000s", .doc = "Time between two pause frames." },
	{ .key = "frame", .type = PARAM_ENUM, .offset = offsetof(struct fault_conf, frame), .def = "pfc",
	  .names = frames,
	  .doc = "What the frame is: a PFC pause of the class, one whose class-enable vector is 0 (empty), or an "
		 "802.3x pause of the link (global); a port that speaks PFC ignores the last two." },
	{ .key = "ber", .type = PARAM_RATIO, .offset = offsetof(struct fault_conf, ber), .def = "1e-12",
	  .min = "1e-18", .max = "1/1000",
	  .doc = "Bit error ratio: how likely each bit of a frame is wrong; one wrong bit loses the frame, "
		 "pause frames too (IEEE 802.3 wants 1e-12 or less)." },
	{ .key = NULL }
};
