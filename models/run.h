/*
 * models/run.h - settings of one run.
 */
#ifndef MODELS_RUN_H
#define MODELS_RUN_H
#include <stdint.h>
#include "sim/param.h"

struct run_conf {
	int64_t until_ps, warmup_ps;
	int64_t seed;
	int64_t stall_ps;	/* nothing delivered for this long is a finding; UNITS_NEVER off */
	int queue;		/* enum engine_queue */
};
extern const struct param run_params[];
#endif
