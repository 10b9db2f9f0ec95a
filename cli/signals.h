/*
 * cli/signals.h - Ctrl-C and SIGTERM ask a run to stop; a second one ends the
 * program at once.  SIGUSR1 waits, blocked, until progress.c asks for it.
 */
#ifndef SIGNALS_H
#define SIGNALS_H
#include <stdbool.h>

/* Once, from main.  A file that hits a size limit then gives EFBIG, not death. */
void signals_init(void);
/* Before and after each prompt of `xoff step': forgets a Ctrl-C and waits for the next, which ends a read
 * (EINTR) or a stretch of the run.  SIGTERM ends the program from then on. */
void signals_again(void);
/* For fabric_run: non-zero once a stop was asked for. */
const volatile int *signals_stop(void);
bool signals_stopped(void);
#endif
