/*
 * tests/fuzz/replay.h - inputs of a corpus and mutations of them, without libFuzzer.
 *
 * Replays the files and folders named on the command line (default:
 * $srcdir/tests/fuzz/CORPUS), and after each $FUZZ_ROUNDS mutations of it (200), always
 * the same.
 */
#ifndef REPLAY_FUZZ_H
#define REPLAY_FUZZ_H
#include <stddef.h>
#include <stdint.h>

enum { FUZZ_INPUT_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* What main returns.  `words` of the format are dropped in; NULL-terminated. */
int fuzz_replay(int argc, char **argv, const char *name, const char *corpus, const char *const *words);
#endif
