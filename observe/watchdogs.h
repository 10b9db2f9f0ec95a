/*
 * observe/watchdogs.h - watchdog.csv: what the PFC watchdogs did, one row a queue
 * that was in a storm (or behind a big red switch), in the columns of SONiC's
 * `pfcwd show stats'.
 *
 *	port, prio, status	operational or stormed, at the end of the run
 *	storms, restores	as the switch acted on them
 *	tx_ok, tx_drop		frames of the priority sent, and dropped on the way out,
 *				while it was stormed
 *	rx_ok, rx_drop		frames of it received from the port, and of these dropped
 *	..._last		of the last storm alone
 *
 * A switch reads its counters once a second and at the end of a storm, and loses what
 * falls in between (sonic-buildimage #19067); here every frame is counted as it goes.
 */
#ifndef WATCHDOGS_H
#define WATCHDOGS_H
#include "models/view.h"
#include "sim/error.h"

int watchdogs_write(const struct fabric *f, const char *dir, struct sim_error *err) SIM_MUST_CHECK;
#endif
