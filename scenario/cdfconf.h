/*
 * scenario/cdfconf.h - the flow sizes of Poisson traffic: `cdf`.
 *
 * A name, a list of [size, fraction] points, or {"file": "x.txt", "unit": "1460B"}: rows
 * of two columns, size and cumulative part, or of three as ns-2 reads them (size, a number
 * that says nothing, cumulative part).  The last part is 1 or, in percent, 100; `unit` is
 * what a size of 1 stands for (1B).
 */
#ifndef CDFCONF_H
#define CDFCONF_H
#include "models/host/workload.h"
#include "scenario/read.h"

/* `cdf` is empty before; what is in it afterwards is for workload_cdf_fini. */
int cdfconf_read(const struct read *at, struct workload_cdf *cdf);
extern const struct param cdfconf_params[];	/* of {"file": ...} */
#endif
