/*
 * models/fault.h - things that go wrong at a stated time.
 */
#ifndef FAULT_H
#define FAULT_H
#include <stdint.h>
#include "sim/param.h"

enum fault_kind {
	FAULT_LINK_DOWN,	/* link a-b down at `at`, up again after `lasts` (NEVER: stays) */
	FAULT_NIC_STORM,	/* host a sends XOFF of `class` from `at` for `lasts` */
	FAULT_SLOW_RECEIVER,	/* host a drains at rate_bps from `at` for `lasts` */
	FAULT_DROP,		/* every `every`-th data frame that host or switch a receives from b is lost */
	FAULT_PAUSE_FRAMES,	/* host a sends a pause of `class` with `quanta` each `period`, from `at` for `lasts` */
	FAULT_BIT_ERRORS,	/* link a-b, both ways: each bit of a frame is wrong with probability `ber` */
	FAULT_LINK_SLOW		/* link a-b runs at rate_bps, both ways, from `at` for `lasts`: lanes are gone */
};
extern const char *const fault_texts[];	/* by kind, NULL at the end: what is told of it */
enum fault_frame { FAULT_FRAME_PFC, FAULT_FRAME_EMPTY, FAULT_FRAME_GLOBAL };
struct fault_conf {
	char *name;
	int kind;
	char *a, *b;		/* node names; b NULL where unused */
	int class_;		/* class number; -1 all */
	int64_t at_ps, lasts_ps;
	int64_t rate_bps;
	int64_t every, count;	/* FAULT_DROP: every n-th, at most count (0: no limit) */
	int64_t quanta, period_ps;	/* FAULT_PAUSE_FRAMES; quanta 0: XON */
	int frame;		/* FAULT_PAUSE_FRAMES: enum fault_frame */
	struct units_ratio ber;	/* FAULT_BIT_ERRORS */
};
extern const struct param fault_params[];	/* at, lasts ("for"), rate, every, count, quanta, period, frame, ber; kinds share the table */
#endif
