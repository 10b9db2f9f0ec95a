#include "models/host/recv_queue.h"

#include "sim/assert.h"

void recv_queue_init(struct recv_queue *q, const struct nic_conf *conf)
{
	*q = (struct recv_queue){ .posted = conf->recv_queue };
}

static void recv_queue_work(struct recv_queue *q, const struct nic_conf *conf, int64_t now)
{
	int64_t time = conf->recv_time_ps, n = q->busy;

	if (!n || q->next_ps > now)
		return;
	if (time && (now - q->next_ps) / time + 1 < n)
		n = (now - q->next_ps) / time + 1;
	q->busy -= n;
	q->posted += n;
	q->next_ps += n * time;
}

bool recv_queue_take(struct recv_queue *q, const struct nic_conf *conf, int64_t now)
{
	if (q->taken)
		return true;
	recv_queue_work(q, conf, now);
	if (!q->posted || now < conf->recv_start_ps)
		return false;
	q->posted--;
	return q->taken = true;
}

void recv_queue_done(struct recv_queue *q, const struct nic_conf *conf, int64_t now)
{
	sim_assert(q->taken);
	recv_queue_work(q, conf, now);
	q->taken = false;
	if (!q->busy++)
		q->next_ps = now + conf->recv_time_ps;
}
