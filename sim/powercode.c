#include "sim/powercode.h"

#include "sim/assert.h"

enum { POWERCODE_BITS = 12 };

/* base^(2^k), k = 0..11 */
static void powercode_squares(double base, double *square)
{
	sim_assert(base > 1);
	square[0] = base;
	for (int k = 1; k < POWERCODE_BITS; k++)
		square[k] = square[k - 1] * square[k - 1];
}

static double powercode_product(const double *square, int power)
{
	double at = 1;

	for (int k = POWERCODE_BITS - 1; k >= 0; k--)
		if (power >> k & 1)
			at *= square[k];
	return at;
}

double powercode_decode(double base, int power)
{
	double square[POWERCODE_BITS];

	sim_assert(power >= 0 && power <= POWERCODE_MAX);
	powercode_squares(base, square);
	return powercode_product(square, power);
}

/* From the largest part down: the same products as of decoding. */
static int powercode_search(const double *square, double x)
{
	double at = 1;
	int power = 0;

	for (int k = POWERCODE_BITS - 1; k >= 0; k--)
		if (at * square[k] <= x) {
			at *= square[k];
			power |= 1 << k;
		}
	return power;
}

int powercode_floor(double base, double x)
{
	double square[POWERCODE_BITS];

	powercode_squares(base, square);
	return powercode_search(square, x);
}

int powercode_encode(double base, double x, uint32_t draw)
{
	double square[POWERCODE_BITS], lower, upper;
	int power;

	powercode_squares(base, square);
	power = powercode_search(square, x);
	if (power == POWERCODE_MAX || x <= 1)
		return power;
	lower = powercode_product(square, power);
	upper = powercode_product(square, power + 1);
	return (double)draw < (x - lower) / (upper - lower) * 65536 ? power + 1 : power;
}
