/*
 * models/host/recv_queue.h - the receive buffers that an application has posted.
 *
 * `recv_queue` of them from `recv_start` on.  A SEND takes one with its first
 * packet; when it is whole the application works it off, one after another,
 * `recv_time` each, and posts the buffer again.  No event: the queue is brought
 * up to date when it is asked.
 */
#ifndef RECV_QUEUE_H
#define RECV_QUEUE_H
#include "models/host/nic_conf.h"

struct recv_queue {
	uint32_t pool_next;
	bool taken;		/* by the message that is coming in */
	int64_t posted, busy;	/* free; whole, and not worked off yet */
	int64_t next_ps;	/* when the first of `busy` is posted again */
};

void recv_queue_init(struct recv_queue *q, const struct nic_conf *conf);
/* For the message that begins, or goes on; false: there is none. */
bool recv_queue_take(struct recv_queue *q, const struct nic_conf *conf, int64_t now_ps);
void recv_queue_done(struct recv_queue *q, const struct nic_conf *conf, int64_t now_ps);	/* it is whole */
#endif
