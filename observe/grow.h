/*
 * observe/grow.h - arrays that double.  For things counted in flows, pauses and
 * events of the log; never one a packet, and not in the deadlock detector.
 *
 *	struct row *rows = NULL; size_t n = 0, cap = 0;
 *	rows = grow_room(rows, n, &cap, sizeof(*rows));
 *	rows[n++] = row;
 */
#ifndef GROW_H
#define GROW_H
#include <stddef.h>
#include "sim/mem.h"

/* Room for one element more than `n`. */
static inline void *grow_room(void *array, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return array;
	*cap = *cap ? 2 * *cap : 64;
	return mem_grow(array, *cap * size);
}
#endif
