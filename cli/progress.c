/*
 * cli/progress.c - see progress.h
 *
 * The line is made inside a signal handler, so it is put together by hand: no
 * stdio, no memory.  The handler reads counters of a run that stands still
 * while it does so; at worst they are of two different events.
 */
#include "cli/progress.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TICKS_PER_S = 4, LINE_MAX_BYTES = 256, PORTS_COUNTED = 2048, MIN_COLUMNS = 20 };

struct line { char text[LINE_MAX_BYTES]; size_t n; };

static void put_text(struct line *l, const char *text)
{
	while (*text && l->n < sizeof(l->text))
		l->text[l->n++] = *text++;
}

/* At least `digits` digits. */
static void put_number(struct line *l, uint64_t value, int digits)
{
	char buf[24];
	int at = sizeof(buf) - 1;

	buf[at] = '\0';
	do {
		buf[--at] = (char)('0' + value % 10);
		value /= 10;
		digits--;
	} while ((value || digits > 0) && at > 0);
	put_text(l, buf + at);
}

/* One decimal. */
static void put_tenths(struct line *l, uint64_t value, uint64_t unit)
{
	uint64_t tenths = unit >= 10 ? value / (unit / 10) : value * 10 / unit;

	put_number(l, tenths / 10, 1);
	put_text(l, ".");
	put_number(l, tenths % 10, 1);
}

static void put_simulated(struct line *l, int64_t now_ps, int64_t until_ps)
{
	static const struct { const char *name; int64_t ps; } units[] = {
		{ "s", 1000000000000 }, { "ms", 1000000000 }, { "us", 1000000 }, { "ns", 1000 },
		{ "ps", 1 },
	};
	int u = 0;

	while (units[u].ps > until_ps && units[u].ps > 1)
		u++;
	put_tenths(l, (uint64_t)now_ps, (uint64_t)units[u].ps);
	put_text(l, "/");
	put_tenths(l, (uint64_t)until_ps, (uint64_t)units[u].ps);
	put_text(l, units[u].name);
	if (until_ps > 0) {
		put_text(l, " (");
		put_number(l, (uint64_t)((__int128)now_ps * 100 / until_ps), 1);
		put_text(l, "%)");
	}
}

/* XOFFs sent and frames of lossless classes lost, as long as they are quickly counted. */
static void put_findings(struct line *l, const struct fabric *f)
{
	uint32_t ports = view_ports(f);
	int64_t xoff = 0, lost = 0;

	for (uint32_t port = 0; port < ports && ports <= PORTS_COUNTED; port++)
		for (int prio = 0; prio < 8; prio++) {
			struct view_counters c = view_counters(f, port, prio);

			xoff += c.xoff_frames;
			lost += c.drops[RECORD_DROP_LOSSLESS];
		}
	if (ports > PORTS_COUNTED)
		return;
	put_text(l, "  XOFF ");
	put_number(l, (uint64_t)xoff, 1);
	put_text(l, "  lossless lost ");
	put_number(l, (uint64_t)lost, 1);
}

static int64_t elapsed_ms(const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - since->tv_sec) * 1000 + (now.tv_nsec - since->tv_nsec) / 1000000;
}

static void make_line(const struct progress *p, struct line *l)
{
	struct view_run now = view_run(p->fabric);
	int64_t ms = elapsed_ms(&p->start);

	put_text(l, p->label);
	put_text(l, "  ");
	put_simulated(l, now.now_ps, p->until_ps);
	if (ms > 0) {
		put_text(l, "  ");
		put_tenths(l, now.events / (uint64_t)ms, 1000);
		put_text(l, "M events/s");
	}
	if (now.now_ps > 0 && ms > 1000) {
		__int128 left = (__int128)ms * (p->until_ps - now.now_ps) / now.now_ps / 1000;
		uint64_t s = left < 0 ? 0 : left > 359999 ? 359999 : (uint64_t)left;

		put_text(l, "  ETA ");
		put_number(l, s / 60, 1);
		put_text(l, ":");
		put_number(l, s % 60, 2);
	}
	put_findings(l, p->fabric);
}

/* Has SIGUSR1, which waits blocked, asked for a line? */
static bool asked(void)
{
	sigset_t usr1;
	struct timespec at_once = { 0, 0 };

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	return sigtimedwait(&usr1, NULL, &at_once) == SIGUSR1;
}

static void on_tick(int signal, siginfo_t *info, void *ucontext)
{
	struct progress *p = info->si_value.sival_ptr;
	int saved = errno;
	bool once = asked();
	struct line l = { .n = 0 };

	(void)signal;
	(void)ucontext;
	if (info->si_code == SI_TIMER && p && (p->terminal || once)) {
		if (p->terminal)
			put_text(&l, "\r");
		make_line(p, &l);
		if (p->terminal && l.n > (size_t)p->columns)	/* the \r counts too */
			l.n = (size_t)p->columns;
		put_text(&l, p->terminal ? "\033[K" : "\n");
		p->drawn = p->terminal;
		if (write(STDERR_FILENO, l.text, l.n) < 0)
			p->drawn = false;
	}
	errno = saved;
}

void progress_start(struct progress *p, const struct fabric *f, const char *label)
{
	struct sigaction act = { .sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct itimerspec every = { .it_interval.tv_nsec = 1000000000 / TICKS_PER_S };

	struct winsize size = { .ws_col = 0 };

	*p = (struct progress){
		.fabric = f, .label = label, .until_ps = view_run_conf(f)->until_ps,
		.terminal = isatty(STDERR_FILENO) == 1, .columns = LINE_MAX_BYTES,
	};
	if (p->terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= MIN_COLUMNS)
		p->columns = size.ws_col;
	clock_gettime(CLOCK_MONOTONIC, &p->start);
	sigemptyset(&act.sa_mask);
	sigaction(SIGALRM, &act, NULL);
	event.sigev_value.sival_ptr = p;
	every.it_value = every.it_interval;
	p->on = timer_create(CLOCK_MONOTONIC, &event, &p->timer) == 0;
	if (p->on)
		timer_settime(p->timer, 0, &every, NULL);
}

void progress_stop(struct progress *p)
{
	struct timespec at_once = { 0, 0 };
	sigset_t alarm;

	if (!p->on)
		return;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, NULL);
	timer_delete(p->timer);
	while (sigtimedwait(&alarm, NULL, &at_once) > 0)	/* one may be on its way */
		;
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
	if (p->drawn && write(STDERR_FILENO, "\r\033[K", 4) < 0)
		p->drawn = false;
	p->on = false;
}
