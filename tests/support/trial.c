#include "tests/support/trial.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

_Noreturn void trial_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static _Noreturn void child(trial_fn *fn, void *ctx, unsigned seconds, int to)
{
	dup2(to, STDERR_FILENO);
	signal(SIGALRM, SIG_DFL);	/* Check has it */
	alarm(seconds);
	fn(ctx);
	exit(0);
}

/* Reads to the end; what does not fit is left out. */
static void listen(int from, char *why, size_t size)
{
	char rest[512];
	size_t n = 0;

	for (;;) {
		ssize_t got = n + 1 < size ? read(from, why + n, size - 1 - n) :
					     read(from, rest, sizeof(rest));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		if (n + 1 < size)
			n += (size_t)got;
	}
	while (n > 0 && why[n - 1] == '\n')
		n--;
	why[n] = 0;
}

bool trial_run(trial_fn *fn, void *ctx, unsigned seconds, char *why, size_t size)
{
	int ends[2], status = 0;

	fflush(NULL);
	if (pipe(ends))
		abort();
	pid_t pid = fork();
	if (pid < 0)
		abort();
	if (pid == 0) {
		close(ends[0]);
		child(fn, ctx, seconds, ends[1]);
	}
	close(ends[1]);
	listen(ends[0], why, size);
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (!why[0] && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		snprintf(why, size, "no end within %u s", seconds);
	else if (!why[0] && WIFSIGNALED(status))
		snprintf(why, size, "signal %d", WTERMSIG(status));
	else if (!why[0])
		snprintf(why, size, "exit status %d", WEXITSTATUS(status));
	return false;
}
