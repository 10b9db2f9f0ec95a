/*
 * sim/units.h - quantities as people write them, and exact integers.
 *
 *   time    "55us"      -> picoseconds      ps ns us ms s (min)
 *   bytes   "250KB"     -> bytes            B KB MB GB (1000), KiB MiB GiB (1024)
 *   rate    "100Gbps"   -> bits per second  bps Kbps Mbps Gbps Tbps (1000)
 *   freq    "50k/s"     -> events per second x 1000 (millihertz)  /s k/s M/s
 *   length  "30m"       -> millimetres      mm cm m km
 *   ratio   "1/64" "5%" "0.05" "1e-9" -> num/den, reduced, den > 0
 *   count   "1000"      -> integer
 *
 * Parsing is exact: decimal fractions are allowed ("0.1us"), the value must
 * come out whole ("0.1ps" is an error), and nothing goes through a double.
 * A number without a unit is an error that proposes one.  Case counts in
 * units; a wrong unit gets the nearest right one.
 */
#ifndef SIM_UNITS_H
#define SIM_UNITS_H
#include <stddef.h>
#include <stdint.h>
#include "error.h"

enum units_kind {
	UNITS_TIME, UNITS_BYTES, UNITS_RATE, UNITS_FREQ, UNITS_LENGTH,
	UNITS_COUNT, UNITS_RATIO
};

struct units_ratio { int64_t num, den; };

#define UNITS_PS_PER_S INT64_C(1000000000000)
#define UNITS_NEVER INT64_MAX

/* Parses `text` whole.  For UNITS_RATIO `out` is unused and `ratio` is filled. */
int units_parse(const char *text, enum units_kind kind, int64_t *out,
		struct units_ratio *ratio, struct sim_error *err) SIM_MUST_CHECK;

/* Writes a short human form ("12.5us", "1.25MB", "98.0Gbps"), at most 4
 * significant digits unless exact; returns buf. */
char *units_format(int64_t value, enum units_kind kind, char *buf, size_t size);

/* The exact form that units_parse reads back ("12500ns", "1250000B"). */
char *units_exact(int64_t value, enum units_kind kind, char *buf, size_t size);

/* Picoseconds to send `bytes` at `bps`, rounded up.  Any rate, any size. */
static inline int64_t units_tx_ps(int64_t bytes, int64_t bps)
{
	unsigned __int128 bits_ps = (unsigned __int128)bytes * 8u * (uint64_t)UNITS_PS_PER_S;
	return (int64_t)((bits_ps + (uint64_t)bps - 1) / (uint64_t)bps);
}
/* Bytes that pass in `ps` at `bps`, rounded down. */
static inline int64_t units_bytes_in(int64_t ps, int64_t bps)
{
	return (int64_t)((unsigned __int128)ps * (uint64_t)bps / 8u / (uint64_t)UNITS_PS_PER_S);
}
static inline int64_t units_div_ceil(int64_t a, int64_t b) { return (a + b - 1) / b; }
#endif
