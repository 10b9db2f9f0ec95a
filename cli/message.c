/* cli/message.c - see message.h */
#include "cli/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const message_color_names[] = { "auto", "always", "never", NULL };

static void message_print(const char *command, const char *severity, const char *fmt,
			  va_list ap)
{
	fflush(stdout);
	fprintf(stderr, "xoff%s%s: %s: ", command ? " " : "", command ? command : "", severity);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void message_error(const char *command, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message_print(command, "error", fmt, ap);
	va_end(ap);
}

void message_note(const char *command, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message_print(command, "note", fmt, ap);
	va_end(ap);
}

int message_close_stdout(void)
{
	errno = 0;
	int failed = fflush(stdout) | ferror(stdout);
	int why = errno;

	if (fclose(stdout) && !failed) {
		failed = 1;
		why = errno;
	}
	if (!failed || why == EBADF)	/* started with standard output closed: nobody reads */
		return 0;
	fprintf(stderr, "xoff: error: cannot write to standard output: %s\n",
		strerror(why ? why : EIO));
	return -1;
}

bool message_colored(enum message_color color, FILE *out)
{
	const char *no = getenv("NO_COLOR");

	if (color != MESSAGE_COLOR_AUTO)
		return color == MESSAGE_COLOR_ALWAYS;
	return !(no && *no) && isatty(fileno(out)) == 1;
}

const char *message_verdict(bool passed, bool colored)
{
	if (!colored)
		return passed ? "ok  " : "FAIL";
	return passed ? "\033[32mok\033[0m  " : "\033[31;1mFAIL\033[0m";
}
