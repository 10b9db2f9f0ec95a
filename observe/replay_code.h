/*
 * observe/replay_code.h - numbers as text, for the columns of replay.json.
 *
 * An integer becomes base-64 digits of five bits each, lowest first, the sixth
 * bit meaning "more follow"; its sign is the lowest bit of all (as in source
 * maps).  Small numbers take one character, and a column of them deflates well.
 *
 * A level is a quantity rounded down to seven significant bits, as a small
 * integer that grows with it: exact below 128, then in steps of less than 1.6 %.
 */
#ifndef REPLAY_CODE_H
#define REPLAY_CODE_H
#include <stdint.h>
#include <stdio.h>

enum { REPLAY_CODE_BITS = 6 };		/* of a level's fraction */

void replay_code_put(FILE *out, int64_t value);
int32_t replay_code_level(int64_t value);	/* value >= 0 */
/* The way back.  -1: there is no number at *text, which moves on past it otherwise. */
int replay_code_get(const char **text, int64_t *value);
int64_t replay_code_value(int32_t level);	/* the least value of that level */
#endif
