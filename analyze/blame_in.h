/*
 * analyze/blame_in.h - inside the attribution: shared by blame*.c only.
 */
#ifndef BLAME_IN_H
#define BLAME_IN_H
#include "analyze/blame.h"
#include "analyze/tally.h"

/* A stop, or the part of one that one pause bears; and on a place's time line the
 * same with what is worked off afterwards. */
struct blame_piece {
	int64_t from_ps, until_ps;
	uint32_t pause;
	uint32_t stop;
	uint32_t deadlock;	/* the place is a member of it all that time; BLAME_NONE */
};
struct blame_line { struct blame_piece *piece; size_t n, cap; size_t *first; };

struct blame_landed {		/* a share that has come to a root */
	uint32_t root;		/* or BLAME_BACK + place in the stack: back to that pause */
	uint32_t depth;
	uint32_t pause, cause;	/* the last pause on its way, and which of its causes */
	int64_t ps;
	int64_t from_ps, until_ps;	/* when the root was found to be the cause */
};
#define BLAME_BACK (UINT32_C(1) << 31)
enum { BLAME_DEPTH = 200 };	/* of pauses, one waiting for the next */

struct blame_choice;
struct blame_work {
	const struct blame_log *log;
	struct blame_line stops;	/* of each place, cut where a new pause bears them */
	struct blame_line labels;	/* of each place: why it did not send, and when */
	int64_t *lag_ps;		/* of each pause: from XOFF to its effect */
	uint32_t *root_of[BLAME_KINDS];	/* of each place (deadlock): root + 1 */
	struct blame_root *roots;
	size_t nroots, roots_cap;
	/* The stop that is being followed. */
	int64_t least_ps;		/* a share as small is not split */
	uint32_t stack[BLAME_DEPTH];
	uint32_t depth;
	struct blame_landed *landed; size_t nlanded, landed_cap;
	struct blame_choice *choice; size_t nchoice, choice_cap;
	__int128 *weight; size_t weight_cap;
	int64_t *share; size_t share_cap;
	struct tally *edges;		/* NULL: not wanted */
	uint32_t stopped;
};

/* blame_label.c: fills stops, labels, lag_ps. */
void blame_label(struct blame_work *w);
void blame_label_fini(struct blame_work *w);
/* The pieces of a line that belong to a place. */
static inline const struct blame_piece *blame_pieces(const struct blame_line *l, uint32_t place,
						     size_t *n)
{
	*n = l->first[place + 1] - l->first[place];
	return l->piece + l->first[place];
}
/* The first of n pieces that ends after `ps`. */
size_t blame_after(const struct blame_piece *piece, size_t n, int64_t ps);

/* blame_follow.c: follows `mass` of a stop borne by `pause` in [from, until) to its
 * roots, which are left in w->landed. */
void blame_follow(struct blame_work *w, uint32_t pause, int64_t from_ps, int64_t until_ps,
		  int64_t mass);
/* A share that needs no following: the stop of a member of a deadlock. */
void blame_land_deadlock(struct blame_work *w, uint32_t deadlock, int64_t mass);
uint32_t blame_root_of(struct blame_work *w, enum blame_kind kind, uint32_t place);

/* blame_origin.c: what fed each deadlock. */
void blame_origins(struct blame_work *w, struct blame_class *classes);
#endif
