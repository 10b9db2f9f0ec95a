/*
 * sim/mem.h - memory for whole arrays, taken before a run.
 *
 * Out of memory is not an error that a caller can mend: these print a message
 * and exit with 4.  Nothing here is called per event.
 */
#ifndef MEM_H
#define MEM_H
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include "sim/error.h"

void *mem_zalloc(size_t bytes);			/* zeroed; 0 bytes gives a valid pointer; free() it */
void *mem_grow(void *old, size_t bytes);	/* realloc */
char *mem_strdup(const char *text);		/* NULL gives NULL */
char *mem_printf(const char *fmt, ...) SIM_PRINTF(1, 2);	/* free() it */
char *mem_vprintf(const char *fmt, va_list ap);
/* A stream into memory, as open_memstream: *text and *size are good once it is closed
 * (or flushed); ftello() tells where it is. */
FILE *mem_stream(char **text, size_t *size);
void mem_stream_close(FILE *stream);
/* A large zeroed block, 64-byte aligned, on huge pages where the system has
 * them (a fabric of 1024 hosts is bound by TLB misses without). */
void *mem_block(size_t bytes);
void mem_block_free(void *block, size_t bytes);
/* Address space without memory, a multiple of 4 KiB, at a huge page; mem_commit makes a part of it usable (zeroed). */
void *mem_reserve(size_t bytes);
void mem_commit(void *start, size_t bytes);
#endif
