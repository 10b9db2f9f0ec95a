/*
 * scenario/portconf.h - `ports` of a switch: what some of its ports say for themselves.
 */
#ifndef PORTCONF_H
#define PORTCONF_H
#include "scenario/run.h"

/* Appends the entries of `at` ("0-31": {...}, "4,8": {...}) to conf->ports. */
int portconf_read(const struct read *at, struct run *run, struct switch_conf *conf);
#endif
