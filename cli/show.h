/*
 * cli/show.h - inside `xoff show': what is shown, and what each view is.
 *
 * Settings are read from a fabric built of the run's resolved.json (or of an
 * experiment), so that they are those that count; counters from its tables.
 */
#ifndef SHOW_H
#define SHOW_H
#include <stdbool.h>
#include "models/view.h"
#include "sim/error.h"

struct show {
	const struct fabric *f;
	const char *dir;		/* of the run; NULL: an experiment, without counters */
	const char *const *switches;	/* patterns; none: all */
	int nswitches;
	bool empty;			/* rows of zeros too */
	bool check;			/* no output: is any queue in a storm? */
	bool stormed;			/* out: a queue is in a storm */
};

/* Is the node a switch that is to be shown? */
bool show_wanted(const struct show *s, uint32_t node);
/* "For leaf0:" where several switches are shown. */
void show_heading(const struct show *s, uint32_t node);
/* "Ethernet4"; returns buf. */
char *show_port(const struct show *s, uint32_t port, char *buf, size_t size);

/* The port named "leaf0:3", or VIEW_NONE. */
uint32_t show_find_port(const struct show *s, char *name);

/* The views; -1 when a table of the run cannot be read. */
typedef int show_view(struct show *s, struct sim_error *err);
show_view show_pfc_counters, show_queue_counters, show_queue_watermark, show_group_shared,
	show_group_headroom, show_group_watermark, show_pool_watermark, show_pfcwd_stats;
show_view show_pfcwd_config, show_buffer_profiles, show_ecn_config, show_qos_maps;
#endif
