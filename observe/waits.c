/* observe/waits.c - see waits.h. */
#include <stdlib.h>
#include "sim/mem.h"
#include "observe/grow.h"
#include "observe/waits.h"

enum { ROOM = 1024, RECENT = 64 };

struct pair {
	int workload;
	uint32_t src, dst;
	char *name;
	uint64_t seen;		/* number of the look that saw it last */
	int at;			/* its place in that look, WAITS_MAX: among the others */
};

struct waits {
	const struct fabric *f;
	struct pair *pairs;
	size_t npairs, pairs_cap;
	uint32_t *place, room;	/* open addressing; a power of two; 0: free */
	uint64_t looks;
	struct recent { uint64_t look; uint32_t qp; int at; uint8_t gen; } recent[RECENT];
	/* The look that is on. */
	struct waits_look *out;
};

/* --- pairs --------------------------------------------------------------- */

static uint32_t *find(struct waits *w, int workload, uint32_t src, uint32_t dst)
{
	uint64_t at = ((uint64_t)src << 32 | dst) * UINT64_C(0x9e3779b97f4a7c15) +
		      (uint64_t)workload;

	for (at ^= at >> 29;; at++) {
		uint32_t *place = &w->place[at & (w->room - 1)];
		const struct pair *p = &w->pairs[*place];
		if (!*place || (p->workload == workload && p->src == src && p->dst == dst))
			return place;
	}
}

static void make_room(struct waits *w)
{
	if (2 * (w->npairs + 1) <= w->room)
		return;
	free(w->place);
	w->room *= 2;
	w->place = mem_zalloc(w->room * sizeof(*w->place));
	for (size_t i = 1; i < w->npairs; i++) {
		const struct pair *p = &w->pairs[i];
		*find(w, p->workload, p->src, p->dst) = (uint32_t)i;
	}
}

static uint32_t add(struct waits *w, int workload, uint32_t src, uint32_t dst)
{
	char name[1024] = "?";

	if (workload >= 0)
		snprintf(name, sizeof(name), "%s %s>%s", view_workload(w->f, workload).name,
			 view_node_name(w->f, src), view_node_name(w->f, dst));
	w->pairs = grow_room(w->pairs, w->npairs, &w->pairs_cap, sizeof(*w->pairs));
	w->pairs[w->npairs] = (struct pair){ .workload = workload, .src = src, .dst = dst,
					     .name = mem_strdup(name) };
	return (uint32_t)w->npairs++;
}

static uint32_t pair_of(struct waits *w, int workload, uint32_t src, uint32_t dst)
{
	uint32_t *place = find(w, workload, src, dst);

	if (!*place) {
		make_room(w);
		place = find(w, workload, src, dst);
		*place = add(w, workload, src, dst);
	}
	return *place;
}

uint32_t waits_flow(struct waits *w, uint32_t flow)
{
	struct view_flow f = view_flow(w->f, flow);

	return pair_of(w, f.workload, f.src, f.dst);
}

static uint32_t pair_of_qp(struct waits *w, uint32_t qp, uint8_t gen)
{
	uint32_t src, dst;
	int workload;

	if (!view_waits_for(w->f, qp, gen, &workload, &src, &dst))
		return 0;
	return pair_of(w, workload, src, dst);
}

/* --- looks --------------------------------------------------------------- */

/* Where in the look the pair of a QP stands; WAITS_MAX: among the others. */
static int place_of(struct waits *w, uint32_t qp, uint8_t gen)
{
	uint32_t id = pair_of_qp(w, qp, gen);
	struct waits_look *out = w->out;
	struct pair *p = &w->pairs[id];

	if (p->seen != w->looks) {
		p->seen = w->looks;
		p->at = out->n < WAITS_MAX ? out->n : WAITS_MAX;
		if (p->at < WAITS_MAX)
			out->pair[out->n++] = (struct waits_pair){ id, 0 };
		else
			out->others++;
	}
	return p->at;
}

/* Within a look a QP stays the same, and most frames are of few of them. */
static void see(void *ctx, const struct view_wait *x)
{
	struct waits *w = ctx;
	struct recent *r = &w->recent[x->qp % RECENT];

	if (r->look != w->looks || r->qp != x->qp || r->gen != x->gen)
		*r = (struct recent){ w->looks, x->qp, place_of(w, x->qp, x->gen), x->gen };
	if (r->at < WAITS_MAX)
		w->out->pair[r->at].bytes += x->bytes;
	w->out->bytes += x->bytes;
}

static void look(struct waits *w, uint32_t port, int prio, uint32_t in, int in_prio, struct waits_look *out)
{
	out->n = 0;
	out->others = out->bytes = 0;
	w->looks++;
	w->out = out;
	view_waiting(w->f, port, prio, in, in_prio, see, w);
}

void waits_queue(struct waits *w, uint32_t port, int prio, struct waits_look *out)
{
	look(w, port, prio, VIEW_NONE, 0, out);
}

void waits_group(struct waits *w, uint32_t in, int prio, uint32_t port, int as, struct waits_look *out)
{
	look(w, port, as, in, prio, out);
	/* few, and mostly in order: the first to wait hold most */
	for (int i = 1; i < out->n; i++) {
		struct waits_pair x = out->pair[i];
		int at = i;

		for (; at > 0 && out->pair[at - 1].bytes < x.bytes; at--)
			out->pair[at] = out->pair[at - 1];
		out->pair[at] = x;
	}
}

void waits_write(const struct waits *w, struct outfile *csv, uint32_t pair)
{
	fputs(w->pairs[pair].name, csv->stream);
}

/* --- life ---------------------------------------------------------------- */

struct waits *waits_new(const struct fabric *f)
{
	struct waits *w = mem_zalloc(sizeof(*w));

	w->f = f;
	w->room = ROOM;
	w->place = mem_zalloc(w->room * sizeof(*w->place));
	add(w, -1, 0, 0);
	return w;
}

void waits_free(struct waits **wp)
{
	struct waits *w = *wp;

	*wp = NULL;
	if (!w)
		return;
	for (size_t i = 0; i < w->npairs; i++)
		free(w->pairs[i].name);
	free(w->pairs);
	free(w->place);
	free(w);
}
