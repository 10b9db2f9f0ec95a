/*
 * interop/chrometrace.h - a trace in Chrome's JSON form, which ui.perfetto.dev opens.
 *
 * A process holds threads; a thread holds slices, which nest or follow each other and
 * do not cross, and instants; a process also holds counters.  Times are exact: the
 * format counts in microseconds, written with six decimals, which are picoseconds
 * (Perfetto itself keeps nanoseconds).  Events are kept and written in order of time;
 * of slices that begin together the longest comes first.
 * ("Trace Event Format", Google, the form "JSON Object Format"; of its phases M, X, i
 * and C are used.)
 */
#ifndef CHROMETRACE_H
#define CHROMETRACE_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct chrometrace;
struct chrometrace *chrometrace_new(void);
void chrometrace_free(struct chrometrace **t);

/* Names, and the place in the order of the display. */
void chrometrace_process(struct chrometrace *t, uint32_t pid, const char *name, int order);
void chrometrace_thread(struct chrometrace *t, uint32_t pid, uint32_t tid, const char *name,
			int order);

struct chrometrace_arg { const char *key, *text; int64_t number; };	/* text NULL: the number */
/* from_ps <= until_ps, both >= 0.  Names and texts are copied and escaped. */
void chrometrace_slice(struct chrometrace *t, uint32_t pid, uint32_t tid, const char *name,
		       int64_t from_ps, int64_t until_ps, const struct chrometrace_arg *args,
		       int nargs);
/* tid 0: of the whole process; pid 0 as well: of the whole trace. */
void chrometrace_instant(struct chrometrace *t, uint32_t pid, uint32_t tid, const char *name,
			 int64_t at_ps, const struct chrometrace_arg *args, int nargs);
/* The counter has this value from at_ps on; it is shown as "NAME UNIT". */
void chrometrace_counter(struct chrometrace *t, uint32_t pid, const char *name,
			 const char *unit, int64_t at_ps, int64_t value);

/* The whole trace, through `put` (fwrite, gzwrite, ...); 0, or -1 as soon as it is not 0. */
int chrometrace_write(struct chrometrace *t, int (*put)(void *ctx, const char *text, size_t n),
		      void *ctx);
size_t chrometrace_events(const struct chrometrace *t);
#endif
