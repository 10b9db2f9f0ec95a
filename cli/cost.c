/* cli/cost.c - see cost.h */
#include "cli/cost.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Linux forgets the high-water mark when asked (proc(5), clear_refs): without
 * this, a run would show the peak of a larger one before it. */
static void reset_peak(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "5", 1) < 0) {
		/* not here: the peak of the whole process will do */
	}
	close(fd);
}

static double since(const struct timespec *start, clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	/* whole microseconds: no more digits than mean something */
	return (double)((now.tv_sec - start->tv_sec) * 1000000 +
			(now.tv_nsec - start->tv_nsec) / 1000) / 1e6;
}

void cost_start(struct cost *c)
{
	*c = (struct cost){ .wall_s = 0 };
	reset_peak();
	clock_gettime(CLOCK_MONOTONIC, &c->wall);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &c->cpu);
}

void cost_stop(struct cost *c)
{
	struct rusage usage;

	c->wall_s = since(&c->wall, CLOCK_MONOTONIC);
	c->cpu_s = since(&c->cpu, CLOCK_PROCESS_CPUTIME_ID);
	getrusage(RUSAGE_SELF, &usage);
	c->peak_rss_bytes = (int64_t)usage.ru_maxrss * 1024;
}
