/*
 * interop/sonic_class.c - from the maps of all ports of all switches to at most
 * eight traffic classes, one a queue.
 *
 * SONiC maps DSCP to traffic class, and that to queue and to priority group, port
 * by port.  Xoff knows a class by its DSCP, with one queue and one group, and a
 * switch may map a DSCP to the queue of another class.  So the maps are joined:
 * DSCP to (queue, group).  Where ports differ, the pair that is lossless on its
 * port counts, else the most frequent; of switches likewise.  What is lost by
 * that is noted.
 */
#include "interop/sonic_inside.h"

#include <string.h>

struct pair { int queue, group; };
struct tally { int all, lossless; };

/* Of a switch that refers to none (it has no ports, say): AZURE, or the first. */
static int any_map(const struct sonic_maps *maps)
{
	for (int i = 0; i < maps->n; i++) {
		if (strcmp(maps->v[i].name, "AZURE") == 0)
			return i;
	}
	return maps->n ? 0 : -1;
}

int sonic_map_of(const struct sonic_device *d, const struct sonic_port *p, enum sonic_map k)
{
	if (!p)
		return any_map(&d->maps[k]);
	return p->map[k] >= 0 ? p->map[k] : d->global_map[k];
}

/* The map of SONiC's templates (sonic-buildimage files/build_templates/qos_config.j2). */
static int stock_tc(int dscp)
{
	static const int8_t named[][2] = {{3, 3}, {4, 4}, {5, 2}, {8, 0}, {46, 5}, {48, 6}};

	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		if (named[i][0] == dscp)
			return named[i][1];
	}
	return 1;
}

/* `p` NULL: of a switch that has maps, but no port. */
static struct pair pair_of(const struct sonic_device *d, const struct sonic_port *p, int dscp)
{
	int m = sonic_map_of(d, p, SONIC_DSCP_TC), tc = stock_tc(dscp);
	struct pair pair;

	if (d->maps[SONIC_DSCP_TC].n)
		tc = m >= 0 && d->maps[SONIC_DSCP_TC].v[m].to[dscp] >= 0
		     ? d->maps[SONIC_DSCP_TC].v[m].to[dscp] : 0;
	m = sonic_map_of(d, p, SONIC_TC_QUEUE);
	pair.queue = m >= 0 ? d->maps[SONIC_TC_QUEUE].v[m].to[tc] : tc;
	if (pair.queue < 0 || pair.queue >= SONIC_PRIOS)
		pair.queue = tc < SONIC_PRIOS ? tc : 0;
	m = sonic_map_of(d, p, SONIC_TC_GROUP);
	if (d->maps[SONIC_TC_GROUP].n)
		pair.group = m >= 0 ? d->maps[SONIC_TC_GROUP].v[m].to[tc] : 0;
	else
		pair.group = tc == 3 || tc == 4 ? tc : 0;
	pair.group = pair.group < 0 ? 0 : pair.group;
	return pair;
}

/* ------------------------------------------------------------------- one switch */

static bool takes_part(const struct sonic_port *p)
{
	return p->admin != SONIC_ADMIN_DOWN;
}

static struct pair vote(const struct sonic_device *d, int dscp)
{
	struct tally tally[SONIC_PRIOS][SONIC_PRIOS] = {0};
	struct pair best = pair_of(d, NULL, dscp);

	for (int i = 0; i < d->nports; i++) {
		struct pair x = pair_of(d, &d->ports[i], dscp);

		if (!takes_part(&d->ports[i]) || (d->tables[SONIC_PORT_QOS_MAP] &&
						  !d->ports[i].qos))
			continue;
		tally[x.queue][x.group].all++;
		tally[x.queue][x.group].lossless += d->ports[i].lossless >> x.group & 1;
	}
	for (int q = 0; q < SONIC_PRIOS; q++) {
		for (int g = 0; g < SONIC_PRIOS; g++) {
			const struct tally *t = &tally[q][g];
			const struct tally *b = &tally[best.queue][best.group];

			if (t->lossless > b->lossless ||
			    (t->lossless == b->lossless && t->all > b->all))
				best = (struct pair){q, g};
		}
	}
	return best;
}

/* One note for all DSCPs of a port that differ in the same way. */
static void tell_difference(const struct sonic_device *d, const struct sonic_port *p, int from,
			    uint64_t *told)
{
	struct pair here = pair_of(d, p, from);
	char list[300] = "";
	int n = 0;

	for (int dscp = from; dscp < SONIC_DSCPS; dscp++) {
		struct pair x = pair_of(d, p, dscp);

		if (x.queue != here.queue || x.group != here.group ||
		    d->queue_of[dscp] != d->queue_of[from] ||
		    d->group_of[dscp] != d->group_of[from])
			continue;
		*told |= UINT64_C(1) << dscp;
		n += snprintf(list + n, sizeof list - (size_t)n, "%s%d", n ? "," : "", dscp);
	}
	sonic_note(d->s, SONIC_NOTE_APPROXIMATED, d, p->number,
		   "DSCP %s goes to queue %d and group %d on these ports; Xoff has one map a "
		   "switch, and there it goes to queue %d and group %d", list, here.queue,
		   here.group,
		   d->queue_of[from], d->group_of[from]);
}

static void tell_differences(const struct sonic_device *d)
{
	for (int i = 0; i < d->nports; i++) {
		const struct sonic_port *p = &d->ports[i];
		uint64_t told = 0;

		if (p->link < 0 || (d->tables[SONIC_PORT_QOS_MAP] && !p->qos))
			continue;
		for (int dscp = 0; dscp < SONIC_DSCPS; dscp++) {
			struct pair x = pair_of(d, p, dscp);

			if (!(told >> dscp & 1) && (x.queue != d->queue_of[dscp] ||
						    x.group != d->group_of[dscp]))
				tell_difference(d, p, dscp, &told);
		}
	}
}

static void map_switch(struct sonic_device *d)
{
	if (!d->maps[SONIC_DSCP_TC].n)
		sonic_note(d->s, SONIC_NOTE_ASSUMED, d, -1,
			   "no DSCP_TO_TC_MAP: that of SONiC's templates (3 to 3, 4 to 4, 5 to "
			   "2, 8 to 0, 46 to 5, 48 to 6, others to 1)");
	for (int dscp = 0; dscp < SONIC_DSCPS; dscp++) {
		struct pair x = vote(d, dscp);

		d->queue_of[dscp] = (uint8_t)x.queue;
		d->group_of[dscp] = (uint8_t)x.group;
	}
	tell_differences(d);
}

/* ------------------------------------------------------------------- all switches */

static uint8_t lossless_anywhere(const struct sonic *s)
{
	uint8_t mask = 0;

	for (int i = 0; i < s->ndevices; i++) {
		for (int j = 0; j < s->devices[i].nports; j++)
			mask |= s->devices[i].ports[j].lossless;
	}
	return mask;
}

/* The group of a queue: a lossless one if there is one, else the most frequent. */
static int group_of(const struct sonic *s, int queue, uint8_t lossless)
{
	int votes[SONIC_PRIOS] = {0}, best = -1;

	for (int i = 0; i < s->ndevices; i++) {
		const struct sonic_device *d = &s->devices[i];

		for (int dscp = 0; dscp < SONIC_DSCPS; dscp++)
			votes[d->group_of[dscp]] += d->queue_of[dscp] == queue;
	}
	for (int g = 0; g < SONIC_PRIOS; g++) {
		bool better = best >= 0 && (lossless >> g & 1) > (lossless >> best & 1);
		bool equal = best >= 0 && (lossless >> g & 1) == (lossless >> best & 1);

		if (votes[g] && (best < 0 || better || (equal && votes[g] > votes[best])))
			best = g;
	}
	return best;
}

/* The DSCP that most switches map there; of several the smallest. */
static int dscp_of(const struct sonic *s, int queue, int group, uint64_t taken)
{
	int best = -1, most = 0;

	for (int dscp = 0; dscp < SONIC_DSCPS; dscp++) {
		int n = 0;

		for (int i = 0; i < s->ndevices; i++)
			n += s->devices[i].queue_of[dscp] == queue &&
			     s->devices[i].group_of[dscp] == group;
		if (n > most && !(taken >> dscp & 1)) {
			most = n;
			best = dscp;
		}
	}
	return best;
}

/* Does what the port says of a queue count for its class?  Of a lossless class, where
 * it is lossless. */
static bool serves(const struct sonic_device *d, const struct sonic_port *p,
		   const struct sonic_class *c)
{
	return p->link >= 0 && d->tables[SONIC_QUEUE] &&
	       (p->qos || !d->tables[SONIC_PORT_QOS_MAP]) &&
	       (!c->lossless || p->lossless >> c->group & 1);
}

/* How most queues of that number are served. */
static void serve(struct sonic *s, int queue, struct sonic_class *c)
{
	struct { bool strict; int64_t weight; int n; } kinds[32] = {{false, 1, 0}};
	int nkinds = 1, best = 0;

	for (int i = 0; i < s->ndevices; i++) {
		const struct sonic_device *d = &s->devices[i];

		for (int j = 0; j < d->nports; j++) {
			int k = d->ports[j].scheduler[queue], at = 0;
			bool strict = k >= 0 && d->schedulers[k].strict;
			int64_t weight = k >= 0 && !strict ? d->schedulers[k].weight : 1;

			if (!serves(d, &d->ports[j], c))
				continue;
			while (at < nkinds && (kinds[at].strict != strict ||
					       kinds[at].weight != weight))
				at++;
			if (at == nkinds && nkinds < 32) {
				kinds[nkinds].strict = strict;
				kinds[nkinds++].weight = weight;
			}
			if (at < nkinds && ++kinds[at].n > kinds[best].n)
				best = at;
		}
	}
	c->strict = kinds[best].strict;
	c->weight = kinds[best].weight;
}

/* What a switch or port does otherwise than the class says. */
static void tell_served(const struct sonic_device *d, int queue, const struct sonic_class *c)
{
	for (int j = 0; j < d->nports; j++) {
		const struct sonic_port *p = &d->ports[j];
		int k = p->scheduler[queue];
		bool strict = k >= 0 && d->schedulers[k].strict;
		int64_t weight = k >= 0 && !strict ? d->schedulers[k].weight : 1;

		if (!serves(d, p, c))
			continue;
		if (k < 0)
			sonic_note_queue(d, SONIC_NOTE_ASSUMED, p->number, queue,
					 "no scheduler, as if the weight were 1");
		if (strict != c->strict || (!strict && weight != c->weight))
			sonic_note_queue(d, SONIC_NOTE_APPROXIMATED, p->number, queue,
					 "%s, weight %lld here; Xoff serves a class alike "
					 "everywhere: %s, weight %lld",
					 strict ? "strict" : "DWRR",
					 (long long)weight, c->strict ? "strict" : "DWRR",
					 (long long)c->weight);
	}
}

static void tell_group(const struct sonic_device *d, int queue, const struct sonic_class *c)
{
	for (int dscp = 0; dscp < SONIC_DSCPS; dscp++) {
		if (d->queue_of[dscp] == queue && d->group_of[dscp] != c->group) {
			sonic_note(d->s, SONIC_NOTE_APPROXIMATED, d, -1,
				   "queue %d holds frames of group %d here; in Xoff a queue "
				   "has one group, %d", queue, d->group_of[dscp], c->group);
			return;
		}
	}
}

/* A pause of the group's priority must stop the queue that its frames wait in. */
static void tell_paused(const struct sonic_device *d, int queue, const struct sonic_class *c)
{
	for (int j = 0; j < d->nports; j++) {
		const struct sonic_port *p = &d->ports[j];
		int k = sonic_map_of(d, p, SONIC_PFC_QUEUE);
		int paused = k >= 0 ? d->maps[SONIC_PFC_QUEUE].v[k].to[c->group] : queue;

		if (p->link >= 0 && p->lossless >> c->group & 1 && paused != queue)
			sonic_note_prio(d, SONIC_NOTE_FINDING, p->number, c->group,
					"its frames wait in queue %d, but a pause stops queue "
					"%d; in Xoff it stops theirs", queue, paused);
	}
}

static void make(struct sonic *s, int queue, uint8_t lossless, uint64_t *taken)
{
	struct sonic_class *c = &s->classes[queue];

	c->group = group_of(s, queue, lossless);
	if (c->group < 0)
		return;
	c->dscp = dscp_of(s, queue, c->group, *taken);
	if (c->dscp < 0)
		return;
	*taken |= UINT64_C(1) << c->dscp;
	c->used = true;
	c->lossless = lossless >> c->group & 1;
	serve(s, queue, c);
	for (int i = 0; i < s->ndevices; i++) {
		tell_group(&s->devices[i], queue, c);
		tell_served(&s->devices[i], queue, c);
		if (c->lossless)
			tell_paused(&s->devices[i], queue, c);
	}
}

void sonic_classes_make(struct sonic *s)
{
	uint8_t lossless = lossless_anywhere(s);
	uint64_t taken = 0;

	for (int i = 0; i < s->ndevices; i++)
		map_switch(&s->devices[i]);
	for (int pass = 0; pass < 2; pass++) {	/* lossless classes choose their DSCP first */
		for (int q = 0; q < SONIC_PRIOS; q++) {
			int group = group_of(s, q, lossless);

			if (group >= 0 && (lossless >> group & 1) == (pass == 0))
				make(s, q, lossless, &taken);
		}
	}
}
