/*
 * models/wire/class.h - traffic classes: DSCP, queue, PFC priority.
 */
#ifndef CLASS_H
#define CLASS_H
#include <stdbool.h>
#include <stdint.h>
#include "sim/param.h"

enum { FABRIC_CLASSES = 8, FABRIC_DSCPS = 64, FABRIC_TCS = 8 };

/* A traffic class: what NICs stamp and switches trust unless overridden.
 * Classes are numbered by the caller (sorted by name); at most 8. */
struct class_conf {
	char *name;		/* owned by the caller; copied by fabric_new */
	int64_t dscp;		/* 0..63 */
	int64_t tc;		/* 0..7; the egress queue has the same number */
	int64_t priority;	/* 0..7; PFC priority and ingress priority group */
	bool lossless;
	bool strict;		/* served before all weighted queues */
	int64_t weight;		/* DWRR, 1.. */
};
extern const struct param class_params[];	/* all but name */
#endif
