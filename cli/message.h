/*
 * cli/message.h - what goes to standard error, and the end of standard output.
 */
#ifndef MESSAGE_H
#define MESSAGE_H
#include <stdbool.h>
#include <stdio.h>
#include "sim/error.h"

/* "xoff COMMAND: error: TEXT"; command NULL: "xoff: error: TEXT". */
void message_error(const char *command, const char *fmt, ...) SIM_PRINTF(2, 3);
void message_note(const char *command, const char *fmt, ...) SIM_PRINTF(2, 3);

/* Flushes and closes standard output.  0, or -1 after a message when something
 * that was printed did not arrive (a full disk). */
int message_close_stdout(void);

enum message_color { MESSAGE_COLOR_AUTO, MESSAGE_COLOR_ALWAYS, MESSAGE_COLOR_NEVER };
extern const char *const message_color_names[];
/* Are colours wanted on `out`?  auto: a terminal, without NO_COLOR. */
bool message_colored(enum message_color color, FILE *out);
/* "ok  " or "FAIL", in green or red where colours are wanted. */
const char *message_verdict(bool passed, bool colored);
#endif
