/*
 * cli/cost.h - what a run took: wall time, processor time, memory.
 */
#ifndef COST_H
#define COST_H
#include <stdint.h>
#include <time.h>

struct cost {
	struct timespec wall, cpu;	/* at the start */
	double wall_s, cpu_s;
	int64_t peak_rss_bytes;		/* since cost_start, what was held then included */
};

void cost_start(struct cost *c);
void cost_stop(struct cost *c);
#endif
