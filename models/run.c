#include "models/run.h"

#include "sim/engine.h"

static const char *const queues[] = { "wheel", "heap", NULL };
const struct param run_params[] = {
	{ .key = "until", .type = PARAM_TIME, .offset = offsetof(struct run_conf, until_ps), .min = "1ns",
	  .max = "1000000s", .doc = "Simulated time of the run." },
	{ .key = "warmup", .type = PARAM_TIME, .offset = offsetof(struct run_conf, warmup_ps), .def = "0s",
	  .min = "0s", .max = "1000000s", .doc = "Flows that start earlier are not in the percentiles." },
	{ .key = "seed", .type = PARAM_COUNT, .offset = offsetof(struct run_conf, seed), .def = "1", .min = "0",
	  .max = "9223372036854775807", .doc = "Seed of every random stream." },
	{ .key = "stall", .type = PARAM_TIME, .offset = offsetof(struct run_conf, stall_ps), .def = "5ms",
	  .min = "1us", .doc = "A finding when work is left and nothing has been delivered for so long." },
	{ .key = "queue", .type = PARAM_ENUM, .offset = offsetof(struct run_conf, queue), .def = "wheel",
	  .names = queues, .doc = "Structure of the event queue; the result is the same." },
	{ .key = NULL }
};
