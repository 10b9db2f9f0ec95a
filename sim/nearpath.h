/*
 * sim/nearpath.h - the file that was probably meant by a path at which there is none.
 *
 * Each part of the path that does not exist is replaced by the nearest name in
 * its folder (error_nearest, or the same name with .json), so that
 * experimants/incident/nic-strom.json finds experiments/incident/nic-storm.json.
 * It only looks; what to do with a suggestion is the user's.
 */
#ifndef NEARPATH_H
#define NEARPATH_H
#include <stddef.h>

enum { NEARPATH_MAX = 1024 };

/* `; did you mean "X"?', or "" when `path' exists, is "-", or nothing is near.
 * Returns buf; keeps errno. */
const char *nearpath_hint(const char *path, char *buf, size_t size);
#endif
