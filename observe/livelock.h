/*
 * observe/livelock.h - a message that is sent again and again and gets nowhere.
 *
 * Every time a sender goes back, it is noted from which byte on.  A livelock is a
 * message that went back to the same byte for at least run.stall, while its sender
 * was busy with it: what was sent in vain is a tenth or more of what its port can
 * send in that time.  (Go-back-0 begins each message anew for one lost packet: with
 * 1 packet lost of 256, none of more than 255 ever ends; Guo et al., SIGCOMM 2016,
 * section 4.1.)  Senders that wait for a retry timer, or for a pause, are not busy:
 * that is a stall.
 */
#ifndef LIVELOCK_H
#define LIVELOCK_H
#include "models/view.h"
#include "observe/summary.h"

struct livelock;
struct livelock *livelock_new(struct fabric *f);
/* After the run, once, before the flow table takes stock: fills summary.livelock. */
void livelock_fill(struct livelock *l, struct summary *s);
void livelock_free(struct livelock **l);
#endif
