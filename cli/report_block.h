/*
 * cli/report_block.h - a file as a data block of a report: deflated (zlib), in
 * base 64, in a script element that no browser runs.
 */
#ifndef REPORT_BLOCK_H
#define REPORT_BLOCK_H
#include <stdio.h>
#include "sim/error.h"

/* `label` names the run of number `run` to the reader; any text will do. */
int report_block_write(FILE *out, int run, const char *label, const char *dir, const char *file,
		       struct sim_error *err) SIM_MUST_CHECK;
#endif
