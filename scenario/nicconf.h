/*
 * scenario/nicconf.h - settings of one host's NIC, congestion control included.
 */
#ifndef NICCONF_H
#define NICCONF_H
#include "scenario/run.h"

/* `at` is where messages about defaults go. */
int nicconf_defaults(const struct read *at, struct run *run, struct nic_conf *conf);
/* Lays the keys of `at` (`nic`, or an entry of `nics`) over conf.  What conf->cc_conf
 * points to belongs to the run and is never changed: settings make a new one. */
int nicconf_read(const struct read *at, struct run *run, struct nic_conf *conf);
#endif
