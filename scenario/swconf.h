/*
 * scenario/swconf.h - settings of one switch.
 */
#ifndef SWCONF_H
#define SWCONF_H
#include "scenario/run.h"

void swconf_defaults(struct switch_conf *conf);
/* Lays the keys of `at` (`switch`, or an entry of `switches`) over conf; null
 * switches off. */
int swconf_read(const struct read *at, struct run *run, struct switch_conf *conf);
/* The modules' rules over several values; `part` gets the section at fault,
 * such as "ecn/rdma". */
int swconf_check(const struct run *run, const struct switch_conf *conf, char *part, size_t size,
		 struct sim_error *err) SIM_MUST_CHECK;
#endif
