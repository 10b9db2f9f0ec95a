/* cli/signals.c - see signals.h */
#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>

_Static_assert(sizeof(sig_atomic_t) == sizeof(int), "fabric_run polls an int");

static volatile sig_atomic_t stop;	/* the one mutable global of the program */

static void on_stop(int signal)
{
	stop = signal;
}

void signals_init(void)
{
	struct sigaction act = {
		.sa_handler = on_stop, .sa_flags = (int)(SA_RESTART | SA_RESETHAND)
	};
	sigset_t usr1;

	sigemptyset(&act.sa_mask);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	act = (struct sigaction){ .sa_handler = SIG_IGN };
	sigaction(SIGXFSZ, &act, NULL);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
}

void signals_again(void)
{
	struct sigaction act = { .sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&act.sa_mask);
	stop = 0;
	sigaction(SIGINT, &act, NULL);
	act.sa_handler = SIG_DFL;
	sigaction(SIGTERM, &act, NULL);
}

const volatile int *signals_stop(void)
{
	return &stop;
}

bool signals_stopped(void)
{
	return stop != 0;
}
