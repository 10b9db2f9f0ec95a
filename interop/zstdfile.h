/*
 * interop/zstdfile.h - a stream that compresses what is written to it (zstd, RFC 8878).
 *
 * What goes in is written to `to` as one frame; the same bytes in give the same bytes
 * out with the same libzstd.  Closing it ends the frame and leaves `to` open; a write
 * that failed shows as a failed fclose, as with any stream.
 */
#ifndef ZSTDFILE_H
#define ZSTDFILE_H
#include <stdio.h>

/* NULL: out of memory. */
FILE *zstdfile_new(FILE *to);
#endif
