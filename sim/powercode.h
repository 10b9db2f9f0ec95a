/*
 * sim/powercode.h - a number as a power of a base: few bits, a bounded relative error.
 *
 * x >= 1 becomes p with base^p <= x < base^(p+1), or p + 1: the draw decides so
 * that the mean of what is decoded is x (Morris 1978; the coding of PINT, Ben Basat
 * et al., SIGCOMM 2020, section 4.3).  The relative error of one value is below
 * base - 1.  Only products, quotients and comparisons of doubles, in a fixed order:
 * the same on every machine, and decoding gives the very number that was compared.
 */
#ifndef POWERCODE_H
#define POWERCODE_H
#include <stdint.h>

enum { POWERCODE_MAX = 4095 };	/* largest power */

double powercode_decode(double base, int power);	/* 0 <= power <= POWERCODE_MAX, base > 1 */
/* The power at or below x; x below 1 counts as 1. */
int powercode_floor(double base, double x);
/* `draw` uniform in 0..65535: takes the upper power where draw/65536 is less than
 * the place of x between the two. */
int powercode_encode(double base, double x, uint32_t draw);
#endif
