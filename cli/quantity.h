/*
 * cli/quantity.h - a quantity with its unit, as the value of an option.
 */
#ifndef QUANTITY_H
#define QUANTITY_H
#include <stdint.h>
#include "sim/units.h"

/* `text` NULL: *out stays as it is.  Bytes and counts may come without a unit.
 * 0, or -1 after a message; below `min` is an error too. */
int quantity_read(const char *command, const char *option, const char *text,
		  enum units_kind kind, int64_t min, int64_t *out);
/* "20%", "0.2" or "1/5", from 0 to 1 (`most` 0: any). */
int quantity_ratio(const char *command, const char *option, const char *text, int64_t most,
		   struct units_ratio *out);
#endif
