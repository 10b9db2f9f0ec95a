/*
 * cli/fluid_packet.h - the queue of a packet run, to stand beside the fluid's.
 *
 * Read from series/NAME.csv of a run directory (observe/series.h; its base run
 * where it holds variants): of all sampled ports and priorities the one whose
 * queue is longest on average.
 */
#ifndef FLUID_PACKET_H
#define FLUID_PACKET_H
#include <stddef.h>
#include <stdint.h>
#include "sim/error.h"

struct fluid_packet {
	char *file;			/* "DIR/series/q.csv" */
	char *place;			/* "s0:10 priority 3" */
	int64_t *at_ps, *queue_bytes;
	size_t n;
	int64_t from_ps, until_ps;	/* its second half, of which: */
	double queue_mean, queue_sd, queue_min, queue_max;
};

int fluid_packet_read(struct fluid_packet *p, const char *dir,
		      struct sim_error *err) SIM_MUST_CHECK;
void fluid_packet_fini(struct fluid_packet *p);
#endif
