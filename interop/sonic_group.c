/*
 * interop/sonic_group.c - the thresholds of every priority group: taken from the
 * profile that it names, and whether PFC protects it.
 *
 * Where the profile's `size` holds the headroom too (no shared headroom pool:
 * size = minimum + xoff) the minimum is the difference; else it is `size`.
 */
#include "interop/sonic_inside.h"

#include <string.h>

static void from_profile(struct sonic_group *g, const struct sonic_profile *p)
{
	g->kind = p->xoff >= 0 ? SONIC_LOSSLESS : SONIC_LOSSY;
	g->headroom = p->xoff >= 0 ? p->xoff : 0;
	g->reserved = g->headroom && p->size >= g->headroom ? p->size - g->headroom : p->size;
	g->xon = p->xon;
	g->xon_offset = p->xon_offset;
	g->fixed = p->fixed;
	g->th = p->th;
}

/* Of a file with buffers alone: the groups with headroom, else the lossless queues. */
static void assume_pfc(struct sonic_device *d)
{
	for (int i = 0; i < d->nports; i++) {
		struct sonic_port *p = &d->ports[i];
		uint8_t groups = 0, queues = 0;

		for (int g = 0; g < SONIC_PRIOS; g++) {
			const char *name = p->group[g].profile, *queue = p->egress[g];
			const struct sonic_profile *profile = sonic_profile_find(d, name);
			bool made = name && (strcmp(name, "NULL") == 0 ||
					     strncmp(name, "pg_lossless_", 12) == 0);

			if (made || (profile && (profile->xoff >= 0 || profile->computed)))
				groups |= (uint8_t)(1u << g);
			if (queue && strstr(queue, "lossless") && !strstr(queue, "zero"))
				queues |= (uint8_t)(1u << g);
		}
		p->pfc = groups ? groups : queues;
	}
	sonic_note(d->s, SONIC_NOTE_ASSUMED, d, -1,
		   "no PORT_QOS_MAP: PFC is on for the groups that have headroom, or whose "
		   "queues are lossless");
}

static void settle_group(struct sonic_device *d, struct sonic_port *p, int g)
{
	struct sonic_group *group = &p->group[g];
	const struct sonic_profile *profile = sonic_profile_find(d, group->profile);
	bool pfc = p->pfc >> g & 1;

	group->fixed = -1;
	if (profile && profile->computed) {
		sonic_group_compute(d, p, g, profile->th);
	} else if (profile) {
		from_profile(group, profile);
	} else if (group->profile && strcmp(group->profile, "NULL") == 0) {
		sonic_group_compute(d, p, g, d->default_th);
	} else if (group->profile && strncmp(group->profile, "pg_lossless_", 12) != 0) {
		sonic_note_prio(d, SONIC_NOTE_LOSSY, p->number, g,
				"BUFFER_PG refers to \"%s\", which is in no file; the switch "
				"sets nothing", group->profile);
	} else if (d->dynamic && pfc && !group->profile) {
		sonic_note_prio(d, SONIC_NOTE_LOSSY, p->number, g,
				"PFC is on, but no BUFFER_PG names the group, and in the "
				"dynamic model the switch makes none");
	} else if (group->profile || pfc) {
		sonic_group_look_up(d, p, g);
	}
}

/* pfc_to_pg other than the identity: Xoff has one number for both. */
static void check_identity(struct sonic_device *d, const struct sonic_port *p)
{
	int k = p->map[SONIC_PFC_GROUP];

	for (int prio = 0; k >= 0 && prio < SONIC_PRIOS; prio++) {
		int group = d->maps[SONIC_PFC_GROUP].v[k].to[prio];

		if (p->pfc >> prio & 1 && group >= 0 && group != prio)
			sonic_note(d->s, SONIC_NOTE_APPROXIMATED, d, p->number,
				   "PFC priority %d stands for priority group %d: in Xoff both "
				   "have one number", prio, group);
	}
}

static void judge(struct sonic_device *d, struct sonic_port *p)
{
	for (int g = 0; g < SONIC_PRIOS; g++) {
		bool lossless = p->group[g].kind == SONIC_LOSSLESS, pfc = p->pfc >> g & 1;

		if (lossless && pfc)
			p->lossless |= (uint8_t)(1u << g);
		else if (lossless && p->group[g].headroom)
			sonic_note_prio(d, SONIC_NOTE_LOSSY, p->number, g,
					"the group has headroom, but pfc_enable does not name "
					"it, so it is never paused");
		else if (pfc && p->group[g].kind == SONIC_LOSSY)
			sonic_note_prio(d, SONIC_NOTE_LOSSY, p->number, g,
					"PFC is on, but the group has the lossy profile %s",
					p->group[g].profile);
	}
}

/* A lossless queue whose egress limit is reached before the ingress pool is full. */
static void check_egress(struct sonic_device *d, const struct sonic_port *p)
{
	int64_t all = d->shared_bytes + d->headroom_bytes;

	for (int q = 0; q < SONIC_PRIOS; q++) {
		const struct sonic_profile *e = sonic_profile_find(d, p->egress[q]);

		if (!e || !(p->lossless >> q & 1) || e->fixed <= 0 ||
		    e->fixed >= d->shared_bytes)
			continue;
		sonic_note_prio(d, SONIC_NOTE_LOSSY, p->number, q,
				"the egress limit of its queue, %lld bytes, is below the %lld "
				"bytes that ingress may hold: lossless frames may be dropped "
				"there", (long long)e->fixed, (long long)all);
		if (d->egress_bytes < 0 || e->fixed < d->egress_bytes)
			d->egress_bytes = e->fixed;
	}
}

void sonic_groups_settle(struct sonic_device *d)
{
	if (!d->tables[SONIC_PORT_QOS_MAP])
		assume_pfc(d);
	for (int i = 0; i < d->nports; i++) {
		struct sonic_port *p = &d->ports[i];

		if (p->admin == SONIC_ADMIN_DOWN)
			continue;
		for (int g = 0; g < SONIC_PRIOS; g++)
			settle_group(d, p, g);
		check_identity(d, p);
		judge(d, p);
		if (d->tables[SONIC_PORT_QOS_MAP] && !p->qos && p->link >= 0)
			sonic_note(d->s, SONIC_NOTE_ASSUMED, d, p->number,
				   "PORT_QOS_MAP does not name the port: no PFC on it");
	}
	sonic_pool_settle(d);
	d->egress_bytes = -1;
	for (int i = 0; i < d->nports; i++)
		check_egress(d, &d->ports[i]);
}
