/*
 * analyze/routing.h - the switches of a fabric and where each sends what; and
 * the same with links down.
 *
 * A channel is one direction of a link between two switches.  Channels are
 * numbered by the switch and port they leave by, so those out of one switch are
 * consecutive, and a set of them is a bitmap of that switch (routing_words).
 * Hosts to which all switches send alike form a group: those of one leaf, in the
 * usual case.
 *
 *	struct routing *r = routing_new(f);
 *	routing_ways(r, group, ROUTING_LOCAL, down, ndown, &ways);
 *	... routing_next(&ways, r, sw)		bitmap over the channels out of sw
 *	routing_free(&r);
 *
 * What a failure does to the ways:
 *	ROUTING_GLOBAL	every switch knows: shortest paths anew; an explicit route
 *			keeps those of its neighbours that are left, if any are
 *	ROUTING_LOCAL	only the switch at the link knows: it goes on with the next
 *			hops that are left; one that has lost them all sends to any
 *			other neighbouring switch (a bounce).  A frame is not sent
 *			back by the port it came in by, if there is another.
 * Links to hosts do not fail, but those of hosts with several.
 */
#ifndef ROUTING_H
#define ROUTING_H
#include <stdbool.h>
#include <stdint.h>
#include "models/view.h"

#define ROUTING_NONE UINT32_MAX

enum routing_mode { ROUTING_GLOBAL, ROUTING_LOCAL };
enum routing_kind { ROUTING_WAYS, ROUTING_FLOOD, ROUTING_DROP }; /* of a switch, for a group */

struct routing_channel {
	uint32_t from, to;		/* switches */
	uint32_t out_port, in_port;	/* ids of models/view.h */
	uint32_t back;			/* the other direction */
	uint32_t link;
};
struct routing_link {
	uint32_t a_port, b_port;	/* ids of models/view.h, a < b */
	uint32_t a, b;			/* switches; of a host's link b is ROUTING_NONE */
	uint32_t channel;		/* one of the two, or ROUTING_NONE */
};
struct routing_group {
	uint32_t *hosts;		/* node ids */
	int nhosts;
	uint32_t *at;			/* switches they hang on */
	uint32_t *at_link; /* and by which link that can fail, ROUTING_NONE: cannot */
	int nat;
	uint64_t *base;			/* bitmaps of all switches, as the fabric has them */
	uint8_t *kind;			/* by switch: enum routing_kind */
	bool *set_by_hand;		/* by switch: not the shortest paths */
};

struct routing {
	const struct fabric *f;
	uint32_t nswitches, nchannels, nlinks, ngroups;
	uint32_t *node;			/* switch -> node id */
	uint32_t *switch_of;		/* node id -> switch, or ROUTING_NONE */
	uint32_t *first;		/* switch -> its first channel; nswitches + 1 of them */
	uint32_t *word; /* switch -> its first word in a row of bitmaps; likewise */
	struct routing_channel *channel;
	struct routing_link *link;
	struct routing_group *group;
	uint32_t *group_of;		/* node id of a host -> group, or ROUTING_NONE */
	uint32_t *host; /* the first two hosts of each switch, or ROUTING_NONE */
	bool by_hand;			/* some route is not a shortest path */
};

/* `f` is finished, and outlives it. */
struct routing *routing_new(const struct fabric *f);
void routing_free(struct routing **r);

/* Bitmaps of all switches for one group; made by routing_ways_new. */
struct routing_ways {
	uint64_t *next;
	bool *bounced;			/* by switch: a bounce */
	uint32_t *dist, *queue;		/* scratch */
	enum routing_mode mode;
};
void routing_ways_new(struct routing_ways *w, const struct routing *r);
void routing_ways_free(struct routing_ways *w);
/* The ways to a group with these links down. */
void routing_ways(const struct routing *r, uint32_t group, enum routing_mode mode,
		  const uint32_t *down, int ndown, struct routing_ways *w);

static inline uint32_t routing_degree(const struct routing *r, uint32_t sw)
{
	return r->first[sw + 1] - r->first[sw];
}
static inline uint32_t routing_words(const struct routing *r, uint32_t sw)
{
	return r->word[sw + 1] - r->word[sw];
}
static inline const uint64_t *routing_next(const struct routing_ways *w,
					   const struct routing *r, uint32_t sw)
{
	return w->next + r->word[sw];
}
static inline bool routing_has(const uint64_t *set, uint32_t i)
{
	return set[i / 64] >> i % 64 & 1;
}

/* The node at the other end of a port's link. */
static inline uint32_t routing_far(const struct routing *r, uint32_t port)
{
	return view_port(r->f, view_port(r->f, port).peer_port).node;
}
/* The first host at the switch that is not `dst`; ROUTING_NONE when there is none. */
static inline uint32_t routing_host_at(const struct routing *r, uint32_t sw, uint32_t dst)
{
	return r->host[2 * sw] == dst ? r->host[2 * sw + 1] : r->host[2 * sw];
}
/* Does a host hang on the switch that is not the only one of the group? */
static inline bool routing_may_send(const struct routing *r, uint32_t sw, uint32_t group)
{
	const struct routing_group *g = &r->group[group];

	return routing_host_at(r, sw, g->nhosts == 1 ? g->hosts[0] : ROUTING_NONE) !=
	       ROUTING_NONE;
}
/* "leaf0:3", into buf; returns it. */
char *routing_port_name(const struct routing *r, uint32_t port, char *buf, size_t size);
/* "leaf0:3 - spine1:0" */
char *routing_link_name(const struct routing *r, uint32_t link, char *buf, size_t size);
#endif
