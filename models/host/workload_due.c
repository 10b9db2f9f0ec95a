/* What a workload's settings ask for and it has not begun. */
#include "models/host/workload_run.h"

static const struct part *part_of(const struct host_net *hn, const struct workload *w, int i)
{
	return &hn->part[w->first_part + (uint32_t)i];
}

/* Messages begun by the parts from `i` to before `end`. */
static int64_t begun(const struct host_net *hn, const struct workload *w, int i, int end)
{
	int64_t n = 0;

	for (; i < end; i++)
		n += part_of(hn, w, i)->issued;
	return n;
}

/* Of the from hosts that send at all: `count` each, less what they have begun. */
static int64_t left_of_count(const struct host_net *hn, const struct workload *w, bool stopped)
{
	int64_t n = 0;

	for (int i = 0; w->conf.count && !stopped && i < w->conf.nfrom; i++) {
		const struct part *p = part_of(hn, w, i);
		if (p->qps || w->conf.kind == WORKLOAD_POISSON)
			n += w->conf.count - p->issued;
	}
	return n;
}

/* A rank that has begun a round has all its steps to send. */
static int64_t left_of_ring(const struct host_net *hn, const struct workload *w, bool stopped)
{
	int64_t steps = 2 * (w->conf.nfrom - 1), n = 0;

	for (int i = 0; i < w->conf.nfrom; i++) {
		int64_t issued = part_of(hn, w, i)->issued;
		int64_t due = w->conf.count && !stopped ? w->conf.count * steps : units_div_ceil(issued, steps) * steps;
		n += due - issued;
	}
	return n;
}

int64_t workload_not_begun(const struct host_net *hn, const struct workload *w)
{
	const struct workload_conf *c = &w->conf;
	bool stopped = hn->net->now_ps >= c->stop_ps;
	int64_t sent = begun(hn, w, 0, c->nfrom), answered = begun(hn, w, c->nfrom, w->parts), n = 0;

	switch (c->kind) {
	case WORKLOAD_STREAM:
		return 0;
	case WORKLOAD_FLOW:
	case WORKLOAD_POISSON:
		return left_of_count(hn, w, stopped);
	case WORKLOAD_RING_ALLREDUCE:
		return left_of_ring(hn, w, stopped);
	case WORKLOAD_REQUEST_RESPONSE:	/* each request has a response */
		n = left_of_count(hn, w, stopped);
		return n + sent + n - answered;
	case WORKLOAD_STORAGE_WRITE:	/* each write goes on by all QPs of its server */
		n = left_of_count(hn, w, stopped);
		return n + (sent + n) * part_of(hn, w, c->nfrom)->qps - answered;
	case WORKLOAD_LIST:
		return c->nlist - workload_listed_after(c, c->stop_ps) - sent;
	default:			/* one message a QP, all at once */
		for (int i = 0; !stopped && i < c->nfrom; i++)
			n += part_of(hn, w, i)->qps;
		return stopped ? 0 : n - sent;
	}
}
