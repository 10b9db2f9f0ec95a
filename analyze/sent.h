/*
 * analyze/sent.h - who sends to whom; which classes hosts send, and which only switches give.
 *
 * Where switches change classes (models/switch/remap.h) one that they give towards
 * another switch, and no traffic, ACK or CNP has, is sent by no host: it is there
 * for what has bounced, on links between switches.  (Towards hosts frames get their
 * own class back: that says nothing.)
 */
#ifndef SENT_H
#define SENT_H
#include "analyze/routing.h"

/* Calls `each` with the pairs of hosts (src != dst; one may come again) of the experiment's traffic:
 * `data` false, only requests for it go that way (READ). */
typedef void sent_each(void *ctx, int workload, uint32_t src, uint32_t dst, bool data);
void sent_pairs(const struct fabric *f, sent_each *each, void *ctx);

bool sent_by_hosts(const struct routing *r, int class_);
/* Does some switch give the class to frames of another one? */
bool sent_by_remap(const struct routing *r, int class_);
#endif
