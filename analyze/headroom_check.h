/*
 * analyze/headroom_check.h - need against have, for every lossless (port,
 * priority) of every switch.
 *
 * The need is that of full frames, the largest of the class (models/switch/headroom.h);
 * `worst`, of the frame size that fills cells worst, is told apart: long transfers do
 * not need it, many small messages may.  Under a dynamic limit the crossing frame may
 * be in the headroom: a frame more, told as a note too.
 */
#ifndef HEADROOM_CHECK_H
#define HEADROOM_CHECK_H
#include "analyze/finding.h"
#include "analyze/routing.h"

enum headroom_verdict { HEADROOM_LOSS, HEADROOM_SMALL, HEADROOM_ENOUGH };

struct headroom_row {		/* ports that are alike */
	uint32_t port;		/* the first of them */
	int prio;
	int64_t alike;		/* (port, priority) */
	struct headroom_conf conf;
	struct headroom_terms terms;
	int64_t have_bytes;	/* its own limit, or all of the pool that it takes from, if less */
	bool shared;		/* of a shared headroom pool (of its partition's part of it) */
	bool of_pool;		/* which has less than the group's own limit */
	bool dynamic;		/* the limit is */
	enum headroom_verdict verdict;
};
struct headroom_list { struct headroom_row *row; int n; int64_t groups, short_groups; };

/* Rows with the smallest margin first; findings go to `out`. */
void headroom_check(const struct routing *r, struct headroom_list *list,
		    struct finding_list *out);
void headroom_check_fini(struct headroom_list *list);

/* Longest response of the peer, one-way delay, with everything else as it is, that
 * `have_bytes` still hold; negative: not even 0. */
int64_t headroom_check_response_ps(const struct headroom_conf *conf, int64_t have_bytes);
int64_t headroom_check_delay_ps(const struct headroom_conf *conf, int64_t have_bytes);
/* The response by the usual arithmetic: have less two largest frames, the pause and the cable
 * both ways, over the rate.  It knows nothing of cells. */
int64_t headroom_check_response_ieee_ps(const struct headroom_conf *conf, int64_t have_bytes);
#endif
