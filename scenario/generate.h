/*
 * scenario/generate.h - topologies made from a few numbers.  The names and port
 * numbers they give are in the sections' sentences (scenario/section.c).
 */
#ifndef GENERATE_H
#define GENERATE_H
#include "scenario/read.h"
#include "scenario/topology.h"
#include "sim/param.h"

extern const struct param generate_leaf_spine_params[], generate_fat_tree_params[],
	generate_ring_params[], generate_dumbbell_params[], generate_star_params[];

/* The i-th generator ("leaf_spine"), which is also its key. */
const char *generate_name(int i);	/* NULL behind the last */
/* Reads the section at `at` and adds its nodes and links. */
int generate_add(int i, const struct read *at, struct topology *topo);
#endif
