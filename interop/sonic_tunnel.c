/*
 * interop/sonic_tunnel.c - the maps of a dual ToR's tunnel, as a remap of classes.
 *
 * A ToR that is standby for a server sends what comes for it up again, in a tunnel: the
 * outer header gets the DSCP of TC_TO_DSCP_MAP, and the frame the queue of the tunnel's
 * TC_TO_QUEUE_MAP (sonic-net/SONiC pull request 950).  The ToR at the other end takes
 * the header off, and the frame is what it was.  In Xoff: what comes from a switch and
 * goes to a switch changes its class; what comes from a switch and goes to a host
 * gets its own back.
 *
 * The maps are those that a TUNNEL names, else, of a switch of subtype DualToR, those
 * called AZURE_TUNNEL, as SONiC's templates have them.
 */
#include "interop/sonic_inside.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/expand.h"
#include "scenario/writer.h"
#include "sim/mem.h"

static int read_tunnel(const struct sonic_entry *e)
{
	struct sonic_device *d = e->d;
	char name[256];

	if (sonic_reference(e, "encap_tc_to_dscp_map", name, sizeof name))
		d->tunnel_dscp = sonic_map_find(d, SONIC_TC_DSCP, name);
	if (sonic_reference(e, "encap_tc_to_queue_map", name, sizeof name))
		d->tunnel_queue = sonic_map_find(d, SONIC_TC_QUEUE, name);
	return 0;
}

static int read_subtype(const struct sonic_entry *e)
{
	struct sonic_device *d = e->d;
	const char *subtype = sonic_text(e, "subtype");

	if (!subtype || strcmp(subtype, "DualToR") != 0)
		return 0;
	d->tunnel_dscp = sonic_map_find(d, SONIC_TC_DSCP, "AZURE_TUNNEL");
	d->tunnel_queue = sonic_map_find(d, SONIC_TC_QUEUE, "AZURE_TUNNEL");
	return 0;
}

int sonic_tunnel_load(struct sonic_device *d)
{
	int rc;

	d->tunnel_dscp = d->tunnel_queue = -1;
	rc = sonic_each(d, SONIC_DEVICE_METADATA, read_subtype);
	rc |= sonic_each(d, SONIC_TUNNEL, read_tunnel);
	if (d->tunnel_dscp < 0 || d->tunnel_queue < 0)
		d->tunnel_dscp = d->tunnel_queue = -1;
	return rc;
}

/* ------------------------------------------------------------------- what it says */

/* Neighbours, switches or hosts; names are borrowed, the list is the caller's. */
static int neighbours(const struct sonic_device *d, bool switches, const char **names)
{
	const struct sonic *s = d->s;
	int n = 0;

	for (int i = 0; i < s->nlinks; i++)
		for (int end = 0; end < 2; end++) {
			const struct sonic_end *here = end ? &s->links[i].b : &s->links[i].a;
			const struct sonic_end *far = end ? &s->links[i].a : &s->links[i].b;
			const char *name;
			bool seen = false;

			if (here->device != d->index || (far->device >= 0) != switches)
				continue;
			name = switches ? s->devices[far->device].name : s->hosts[far->host].name;
			for (int k = 0; k < n; k++)
				seen |= !strcmp(names[k], name);
			if (!seen)
				names[n++] = name;
		}
	return n;
}

/* A port that leads to a switch; NULL: none does. */
static const struct sonic_port *uplink(const struct sonic_device *d)
{
	for (int i = 0; i < d->s->nlinks; i++) {
		const struct sonic_link *l = &d->s->links[i];

		if (l->a.device >= 0 && l->b.device >= 0 && (l->a.device == d->index || l->b.device == d->index))
			return sonic_end_port(d->s, l->a.device == d->index ? &l->a : &l->b);
	}
	return NULL;
}

void sonic_tunnel_settle(struct sonic_device *d)
{
	if (d->tunnel_dscp < 0 || !uplink(d))
		return;
	d->maps[SONIC_TC_DSCP].v[d->tunnel_dscp].used = true;
	d->maps[SONIC_TC_QUEUE].v[d->tunnel_queue].used = true;
}

/* Into to[queue] the queue that its class becomes, or -1; how many. */
static int changes(const struct sonic_device *d, int to[SONIC_PRIOS])
{
	const struct sonic_class *c = d->s->classes;
	int m = sonic_map_of(d, uplink(d), SONIC_TC_QUEUE), n = 0;

	for (int q = 0; q < SONIC_PRIOS; q++)
		to[q] = -1;
	for (int tc = 0; m >= 0 && tc < SONIC_TCS; tc++) {
		int q = d->maps[SONIC_TC_QUEUE].v[m].to[tc], x = d->maps[SONIC_TC_QUEUE].v[d->tunnel_queue].to[tc];
		int dscp = d->maps[SONIC_TC_DSCP].v[d->tunnel_dscp].to[tc];

		if (q < 0 || q >= SONIC_PRIOS || x < 0 || x >= SONIC_PRIOS || q == x || !c[q].used ||
		    !c[x].used || !c[q].lossless || !c[x].lossless || to[q] >= 0)
			continue;
		to[q] = x;
		n++;
		if (dscp >= 0 && c[x].dscp != dscp)
			sonic_note(d->s, SONIC_NOTE_APPROXIMATED, d, -1,
				   "in the tunnel queue %d is marked with DSCP %d; in Xoff its class has DSCP %d",
				   x, dscp, c[x].dscp);
	}
	return n;
}

static void rule(struct writer *w, const char *name, const char **from, int nfrom, const char **to, int nto,
		 const int *becomes, bool back)
{
	char *a = expand_compact(from, nfrom), *b = expand_compact(to, nto), here[16], there[16];

	writer_open(w, name, '{', true);
	writer_text(w, "from", a);
	writer_text(w, "to", b);
	writer_open(w, "class", '{', true);
	for (int q = 0; q < SONIC_PRIOS; q++) {
		if (becomes[q] < 0)
			continue;
		snprintf(here, sizeof here, "tc%d", back ? becomes[q] : q);
		snprintf(there, sizeof there, "tc%d", back ? q : becomes[q]);
		writer_text(w, here, there);
	}
	writer_close(w, '}');
	writer_close(w, '}');
	free(a);
	free(b);
}

static void tell(struct sonic_device *d, const int *to)
{
	char list[128] = "";
	int n = 0;

	for (int q = 0; q < SONIC_PRIOS; q++)
		if (to[q] >= 0)
			n += snprintf(list + n, sizeof list - (size_t)n, "%s%d to %d", n ? ", " : "", q, to[q]);
	sonic_note(d->s, SONIC_NOTE_USED, d, -1,
		   "tunnel maps: what comes from a switch and goes to a switch changes its queue, %s, and has its own "
		   "again towards hosts; the tunnel's header has no bytes here", list);
}

void sonic_tunnel_write(struct writer *w, struct sonic_device *d)
{
	size_t most = 2 * (size_t)d->s->nlinks + 1;
	const char **switches, **hosts;
	int to[SONIC_PRIOS], n, nhosts;

	if (d->tunnel_dscp < 0)
		return;
	switches = mem_zalloc(most * sizeof *switches);
	hosts = mem_zalloc(most * sizeof *hosts);
	n = neighbours(d, true, switches);
	nhosts = neighbours(d, false, hosts);
	if (n && changes(d, to)) {
		writer_open(w, "remap", '{', false);
		rule(w, "tunnel", switches, n, switches, n, to, false);
		if (nhosts)
			rule(w, "decap", switches, n, hosts, nhosts, to, true);
		writer_close(w, '}');
		tell(d, to);
	} else {
		sonic_note(d->s, SONIC_NOTE_IGNORED, d, -1, "tunnel maps: %s",
			   n ? "they change no lossless queue into another one" :
			       "it has no link to another switch");
	}
	free(switches);
	free(hosts);
}
