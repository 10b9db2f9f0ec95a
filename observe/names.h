/*
 * observe/names.h - what places are called in our files and sentences.
 */
#ifndef NAMES_H
#define NAMES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "models/view.h"

enum { NAMES_MAX = 320 };	/* a node's name, a port, a priority */

/* "leaf0:3"; returns buf.  VIEW_NONE gives "". */
char *names_port(const struct fabric *f, uint32_t port, char *buf, size_t size);
/* "leaf0:3/3": egress port and priority. */
char *names_queue(const struct fabric *f, uint32_t port, int prio, char *buf, size_t size);
/* Does one of the globs (* and ?, separated by commas, spaces around them
 * skipped) match the whole of `name`? */
bool names_match(const char *globs, const char *name);
#endif
