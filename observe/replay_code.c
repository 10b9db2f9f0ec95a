/* observe/replay_code.c - see replay_code.h. */
#include <string.h>
#include "observe/replay_code.h"
#include "sim/assert.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void replay_code_put(FILE *out, int64_t value)
{
	uint64_t rest = value < 0 ? (uint64_t)(-value) << 1 | 1 : (uint64_t)value << 1;

	sim_assert(value > INT64_MIN / 4 && value < INT64_MAX / 4);
	do {
		unsigned digit = (unsigned)(rest & 31);
		rest >>= 5;
		fputc(digits[digit | (rest ? 32u : 0u)], out);
	} while (rest);
}

int replay_code_get(const char **text, int64_t *value)
{
	uint64_t rest = 0;
	unsigned digit = 32;

	for (int shift = 0; digit & 32; shift += 5) {
		const char *at = **text && shift < 60 ? strchr(digits, **text) : NULL;

		if (!at)
			return -1;
		digit = (unsigned)(at - digits);
		rest |= (uint64_t)(digit & 31) << shift;
		(*text)++;
	}
	*value = rest & 1 ? -(int64_t)(rest >> 1) : (int64_t)(rest >> 1);
	return 0;
}

int64_t replay_code_value(int32_t level)
{
	int shift = (level >> REPLAY_CODE_BITS) - 1;

	return shift < 1 ? level : (int64_t)(level - (shift << REPLAY_CODE_BITS)) << shift;
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
