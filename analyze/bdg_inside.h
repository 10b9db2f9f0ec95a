/*
 * analyze/bdg_inside.h - the graph's own state, for analyze/bdg*.c only.
 *
 * Which channels follow which is kept per switch as a bitmap: row by ingress
 * channel, bit by egress channel (both local numbers).  With BDG_ALL one matrix
 * serves all lanes, with BDG_TRAFFIC or where classes change each lane has its own.
 *
 * Frames of a lane that get another DSCP go on in the lane of that.  What a search
 * goes through are states: a channel and the lane in which it is entered.
 */
#ifndef BDG_INSIDE_H
#define BDG_INSIDE_H
#include "analyze/bdg.h"

struct bdg_lane {		/* frames of one DSCP */
	int dscp, class_;
	bool sent;		/* by hosts, not only given by switches */
	uint8_t *prio, *queue;	/* by switch */
	struct bdg_pair
		*pair; /* BDG_TRAFFIC: [group * switches + switch]; src ROUTING_NONE: none */
};
struct bdg_pair { uint32_t src, dst; };

struct bdg_matrix {
	uint64_t *row;		/* at bdg.row_at[switch] + ingress * words(switch) */
	uint8_t *target; /* [switch * 8 + prio]: priorities whose pause stops its frames */
	uint64_t *passed;	/* bitmap of channels that frames enter by */
};

struct bdg {
	const struct routing *r;
	enum bdg_scope scope;
	struct bdg_lane *lane;
	int nlanes;
	struct bdg_matrix *matrix;
	int nmatrices;
	bool remaps;		/* some switch changes classes */
	uint8_t lane_of[64];	/* by DSCP, where classes change */
	uint32_t states;	/* of one search */
	size_t *row_at;		/* switch -> place in row; switches + 1 of them */
	uint8_t *lossless;	/* by channel: priorities that are lossless where it ends */
	struct routing_ways ways;
	uint32_t *stack;
	uint64_t *seen;		/* by state */

	/* as built */
	enum routing_mode mode;
	uint32_t down[2];
	int ndown;
	uint32_t *edge_at, *edge;	/* vertex (channel * 8 + priority) -> edges */
	size_t edge_room;
	uint32_t *component;	/* of a vertex; BDG_ALONE: not on a circle */
	uint32_t *order;	/* in which the search left a vertex */
};
#define BDG_ALONE UINT32_MAX

static inline uint32_t bdg_local(const struct bdg *b, uint32_t channel)
{
	return channel - b->r->first[b->r->channel[channel].from];
}
static inline uint64_t *bdg_row(const struct bdg *b, const struct bdg_matrix *m, uint32_t sw,
				uint32_t in)
{
	return m->row + b->row_at[sw] + (size_t)in * routing_words(b->r, sw);
}
static inline const struct bdg_matrix *bdg_matrix_of(const struct bdg *b, int lane)
{
	return &b->matrix[b->nmatrices == 1 ? 0 : lane];
}

/* The lane in which frames of `lane` leave by the channel `out` that came in by the port. */
static inline int bdg_after(const struct bdg *b, int lane, uint32_t in_port, uint32_t out)
{
	if (!b->remaps)
		return lane;
	return b->lane_of[view_dscp_after(b->r->f, in_port, b->r->channel[out].out_port,
					  b->lane[lane].dscp)];
}
/* A state as a number below bdg.states; searches in one lane only have lane 0. */
static inline uint32_t bdg_state(const struct bdg *b, int lane, uint32_t channel)
{
	return (b->remaps ? (uint32_t)lane * b->r->nchannels : 0) + channel;
}
/* Calls `each` with every state that frames of the lane can be in after switch `sw`, which
 * they entered by `in` (an ingress port; VIEW_NONE: from its hosts), leaving by the set. */
typedef void bdg_each(void *ctx, int lane, uint32_t channel);
void bdg_leave(const struct bdg *b, int lane, uint32_t sw, uint32_t in_port, const uint64_t *out,
	       bdg_each *each, void *ctx);

/* ---- bdg.c ---- */
/* Priorities of the groups at its far end whose pause stops what goes into the channel in the lane. */
uint8_t bdg_stoppers(const struct bdg *b, int lane, uint32_t channel);
/* Does lane `lane` bring frames from switch `sw` to the group? */
bool bdg_sends(const struct bdg *b, int lane, uint32_t sw, uint32_t group);
/* Egress channels at `sw` of frames of the group that came in by `in` (local;
 * ROUTING_NONE from a host): into out; false when they are flooded copies. */
bool bdg_out(const struct bdg *b, const struct routing_ways *w, uint32_t group, uint32_t sw,
	     uint32_t in, uint64_t *out);
enum { BDG_WORDS = 1024 };	/* of one switch: 65536 ports */

/* ---- bdg_lanes.c ---- */
void bdg_lanes(struct bdg *b);
void bdg_lanes_free(struct bdg *b);

/* ---- bdg_scc.c ---- */
/* Fills component and order from the edges. */
void bdg_scc(struct bdg *b, struct bdg_result *out);
#endif
