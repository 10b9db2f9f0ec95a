/*
 * cli/fluid_plot.h - a fluid trajectory kept, written as CSV, drawn by gnuplot.
 */
#ifndef FLUID_PLOT_H
#define FLUID_PLOT_H
#include <stddef.h>
#include <stdio.h>
#include "analyze/fluid.h"
#include "analyze/fixed_point.h"
#include "cli/fluid_packet.h"

struct fluid_plot {
	const struct fluid_conf *conf;		/* flows: of all groups */
	const struct fixed_point *fixed;
	int groups;
	const struct fluid_packet *packet;	/* NULL: none to stand beside */
	struct fluid_point *point;
	size_t n, cap;
};

/* For fluid_run: keeps one more point. */
void fluid_plot_add(void *plot, const struct fluid_point *point);
/* at_ps,queue_bytes,mark_ratio,rate_bps,target_bps,alpha; of a group that joined
 * later rate_2_bps and so on.  -1 after a message. */
int fluid_plot_csv(const struct fluid_plot *plot, const char *path);
/* FILE.svg or FILE.png: queue above, rates below.  -1 after a message. */
int fluid_plot_draw(const struct fluid_plot *plot, const char *path);
void fluid_plot_fini(struct fluid_plot *plot);
#endif
