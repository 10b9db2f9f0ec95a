/* observe/replay_code.c - see replay_code.h. */
#include "observe/replay_code.h"
#include "sim/assert.h"

void replay_code_put(FILE *out, int64_t value)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint64_t rest = value < 0 ? (uint64_t)(-value) << 1 | 1 : (uint64_t)value << 1;

	sim_assert(value > INT64_MIN / 4 && value < INT64_MAX / 4);
	do {
		unsigned digit = (unsigned)(rest & 31);
		rest >>= 5;
		fputc(digits[digit | (rest ? 32u : 0u)], out);
	} while (rest);
}

int32_t replay_code_level(int64_t value)
{
	int top = 63, shift;

	sim_assert(value >= 0);
	if (value < 2 << REPLAY_CODE_BITS)
		return (int32_t)value;
	while (!(value >> top & 1))
		top--;
	shift = top - REPLAY_CODE_BITS;
	return (int32_t)(shift << REPLAY_CODE_BITS) + (int32_t)(value >> shift);
}
